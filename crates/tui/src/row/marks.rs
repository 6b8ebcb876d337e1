//! Words that are looked for, marked where they stand.
//!
//! Owns how a match is found in a row and looks.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};

use super::{Row, width};

/// Underlines what is looked for in a row that was drawn there.
pub fn underline(row: &Row, words: &str, area: Rect, y: u16, buf: &mut Buffer) {
    if words.is_empty() {
        return;
    }
    let text = row.text();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| find(rest, words)) {
        let (start, end) = (at + found, at + found + words.len());
        let columns = |to: usize| u16::try_from(width(text.get(..to).unwrap_or(&text))).unwrap_or(u16::MAX);
        let (from, to) = (columns(start).min(area.width), columns(end).min(area.width));
        let place = Rect { x: area.x + from, y, width: to - from, height: 1 };
        buf.set_style(place, Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD));
        at = end.max(at + 1);
    }
}

/// Where words stand in a text; capitals count only when the words have one.
pub fn find(text: &str, words: &str) -> Option<usize> {
    if words.chars().any(char::is_uppercase) {
        return text.find(words);
    }
    text.to_ascii_lowercase().find(&words.to_ascii_lowercase())
}
