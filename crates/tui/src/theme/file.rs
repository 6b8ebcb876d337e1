//! Theme files: TOML with a name and a colour for each slot, on a dark ground and on a light one.
//!
//! Owns reading them and naming the place of a mistake. Never opens a file.

use std::ops::Range;

use pilothouse_core::front;
use ratatui::style::Color;
use toml::{Spanned, de::DeTable, de::DeValue};

use super::{Slot, ThemeError};

/// What a theme file says.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) dark: Colours,
    pub(super) light: Colours,
}

/// Colours for one kind of ground; `None` is the terminal's own.
pub(super) type Colours = Vec<(Place, Option<Color>)>;

/// What has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The whole screen, which is painted with it.
    Ground,
    Slot(Slot),
}

/// Reads a theme file, both grounds of it.
///
/// # Errors
/// With the place, when it is no TOML, has a key that no theme has, or a colour that is none.
pub(super) fn read(text: &str) -> Result<File, ThemeError> {
    let table = DeTable::parse(text).map_err(|e| {
        let told = e.message().trim().to_owned();
        error(text, &e.span().unwrap_or(0..0), told)
    })?;
    let mut file = File::default();
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        match (name, value.get_ref()) {
            ("name", DeValue::String(said)) => file.name = said.to_string(),
            ("dark", DeValue::Table(colours)) => file.dark = colours_of(text, colours)?,
            ("light", DeValue::Table(colours)) => file.light = colours_of(text, colours)?,
            ("name", _) => return Err(error(text, &value.span(), "`name` is a text in quotes")),
            ("dark" | "light", _) => {
                let told = format!("`{name}` is a table; write `[{name}]` and the colours below it");
                return Err(error(text, &value.span(), told));
            }
            _ => {
                let told = format!(
                    "no theme has a key `{name}`; it has `name`, `[dark]` and `[light]`, and what it leaves out is as in \
                     the default theme"
                );
                return Err(error(text, &key.span(), told));
            }
        }
    }
    Ok(file)
}

fn colours_of(text: &str, table: &DeTable<'_>) -> Result<Colours, ThemeError> {
    let mut colours = Colours::default();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let slot = Slot::ALL.into_iter().find(|slot| slot.key() == name).map(Place::Slot);
        let Some(place) = slot.or((name == "ground").then_some(Place::Ground)) else {
            let known: Vec<&str> = Slot::ALL.into_iter().map(Slot::key).collect();
            let told = format!("no colour is called `{name}`; there are ground, {}", known.join(", "));
            return Err(error(text, &key.span(), told));
        };
        colours.push((place, colour(text, name, value)?));
    }
    Ok(colours)
}

fn colour(text: &str, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Option<Color>, ThemeError> {
    match value.get_ref().as_str() {
        Some("default") => Ok(None),
        Some(said) if hex(said).is_some() => Ok(hex(said)),
        Some(_) | None => {
            let said = text.get(value.span()).unwrap_or_default();
            let told = format!("`{name}` is {said}; a colour is \"#rrggbb\" or \"default\"");
            Err(error(text, &value.span(), told))
        }
    }
}

fn hex(text: &str) -> Option<Color> {
    let digits =
        text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some(Color::Rgb(r, g, b))
}

fn error(text: &str, span: &Range<usize>, message: impl Into<String>) -> ThemeError {
    let front::Place { line, column } = front::Place::at(text, span.start);
    ThemeError::File { line, column, message: message.into() }
}
