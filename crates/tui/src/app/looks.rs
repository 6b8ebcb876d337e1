//! How the screen looks: colours and glyphs, and the theme that they come from.
//!
//! Owns changing them. Never asks the terminal.

use std::collections::BTreeMap;

use super::Look;
use crate::theme::{Glyphs, Theme, ThemeError};

/// Colours and glyphs.
pub(super) struct Looks {
    pub(super) look: Look,
    pub(super) theme: Theme,
    pub(super) glyphs: Glyphs,
    /// The theme's file, to be read again for another background.
    text: String,
    /// The name that it was asked for by.
    pub(super) named: String,
    /// The user's own themes: their files by name.
    pub(super) own: BTreeMap<String, String>,
}

impl Looks {
    pub(super) fn new(look: Look) -> Result<Self, ThemeError> {
        let glyphs = if look.ascii { Glyphs::ASCII } else { Glyphs::UNICODE };
        let text = Theme::source("default").unwrap_or_default().to_owned();
        let theme = Theme::parse(&text, look.dark, look.depth)?;
        Ok(Self { look, theme, glyphs, text, named: "default".to_owned(), own: BTreeMap::new() })
    }

    /// Takes a theme by its name: the user's own goes before one that comes with the program.
    pub(super) fn take_theme(&mut self, name: &str) -> Result<(), ThemeError> {
        let name = if self.own.contains_key(name) { name } else { Theme::named(name) };
        let text =
            self.own.get(name).map(String::as_str).or_else(|| Theme::source(name)).ok_or_else(|| {
                ThemeError::Unknown { name: name.to_owned(), known: self.names().join(", ") }
            })?;
        (self.theme, self.text) = (Theme::parse(text, self.look.dark, self.look.depth)?, text.to_owned());
        name.clone_into(&mut self.named);
        Ok(())
    }

    /// The themes that there are, the user's own first.
    pub(super) fn names(&self) -> Vec<String> {
        let shipped = Theme::names().map(str::to_owned).filter(|name| !self.own.contains_key(name));
        self.own.keys().cloned().chain(shipped).collect()
    }

    /// The same, each with whether it has colours for a dark background, and for a light one.
    pub(super) fn listed(&self) -> Vec<(String, (bool, bool))> {
        let text = |name: &str| self.own.get(name).map(String::as_str).or_else(|| Theme::source(name));
        let listed = |name: String| (Theme::backgrounds(text(&name).unwrap_or_default()), name);
        self.names().into_iter().map(listed).map(|(has, name)| (name, has)).collect()
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
