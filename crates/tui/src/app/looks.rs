//! How the screen looks: colours and glyphs, and the theme that they come from.
//!
//! Owns changing them. Never asks the terminal.

use super::Look;
use crate::theme::{Glyphs, Theme, ThemeError};

/// Colours and glyphs.
pub(super) struct Looks {
    pub(super) look: Look,
    pub(super) theme: Theme,
    pub(super) glyphs: Glyphs,
    /// The theme's file, to be read again for another background.
    text: String,
}

impl Looks {
    pub(super) fn new(look: Look) -> Result<Self, ThemeError> {
        let glyphs = if look.ascii { Glyphs::ASCII } else { Glyphs::UNICODE };
        let text = Theme::source("default").unwrap_or_default().to_owned();
        let theme = Theme::parse(&text, look.dark, look.depth)?;
        Ok(Self { look, theme, glyphs, text })
    }

    /// Takes a theme: a name of one that comes with the program, or a theme file's text.
    pub(super) fn take_theme(&mut self, theme: &str) -> Result<(), ThemeError> {
        // A file has lines; what has none was meant as a name.
        let text = match Theme::source(theme) {
            Some(text) => text,
            None if theme.contains(['\n', '=']) => theme,
            None => {
                let known = Theme::names().collect::<Vec<_>>().join(", ");
                return Err(ThemeError::Unknown { name: theme.to_owned(), known });
            }
        };
        (self.theme, self.text) = (Theme::parse(text, self.look.dark, self.look.depth)?, text.to_owned());
        Ok(())
    }

    /// Takes what the terminal says of its background; true when it is not what was thought.
    pub(super) fn take_ground(&mut self, dark: bool) -> bool {
        if self.look.dark == dark {
            return false;
        }
        self.look.dark = dark;
        if let Ok(theme) = Theme::parse(&self.text, dark, self.look.depth) {
            self.theme = theme;
        }
        true
    }
}
