//! The line in which a list is looked through, and which of its rows is chosen.
//!
//! Owns the words and the keys of both. What is found, and what a row is, whoever has the list knows.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::Caret;
use crate::{ctx::Ctx, theme::Slot};

/// Rows that a page key goes.
const PAGE: usize = 8;
/// Most letters that are pasted.
const PASTED: usize = 80;

/// The words, and the chosen row.
#[derive(Debug, Default)]
pub(super) struct Finder {
    pub query: String,
    pub at: usize,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It takes what is chosen.
    Taken,
    /// The words are others: the list is to be looked through anew.
    Anew,
    /// All else.
    Same,
}

impl Finder {
    /// Takes a key over a list of so many rows.
    pub fn key(&mut self, key: KeyEvent, rows: usize) -> Found {
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        let last = rows.saturating_sub(1);
        if key.code == KeyCode::Enter {
            return Found::Taken;
        } else if matches!(key.code, KeyCode::Down | KeyCode::Tab) {
            self.at = if self.at >= last { 0 } else { self.at + 1 };
        } else if matches!(key.code, KeyCode::Up | KeyCode::BackTab) {
            self.at = self.at.checked_sub(1).unwrap_or(last);
        } else if key.code == KeyCode::PageDown {
            self.at = (self.at + PAGE).min(last);
        } else if key.code == KeyCode::PageUp {
            self.at = self.at.saturating_sub(PAGE);
        } else if key.code == KeyCode::Backspace {
            self.query.pop();
            return self.anew();
        } else if key.code == KeyCode::Char('u') && key.modifiers == KeyModifiers::CONTROL {
            self.query.clear();
            return self.anew();
        } else if let KeyCode::Char(c) = key.code
            && plain
        {
            self.query.push(c);
            return self.anew();
        }
        Found::Same
    }

    /// Adds what was pasted to the words.
    pub fn paste(&mut self, text: &str) {
        self.query.extend(text.chars().filter(|c| !c.is_control()).take(PASTED));
        self.at = 0;
    }

    const fn anew(&mut self) -> Found {
        self.at = 0;
        Found::Anew
    }

    /// Draws the line with a rule below it; returns the room of the list, and the caret.
    pub fn draw(&self, ctx: &Ctx<'_>, inner: Rect, buf: &mut Buffer) -> Option<(Rect, Caret)> {
        if inner.height < 3 {
            return None;
        }
        let theme = ctx.theme;
        let air = u16::from(inner.height > 12);
        let inner = Rect { y: inner.y + air, height: inner.height - air, ..inner };
        let query = Line::from(vec![
            Span::styled("› ", theme.style(Slot::Accent)),
            Span::styled(self.query.clone(), theme.style(Slot::Strong)),
        ]);
        query.render(Rect { height: 1, ..inner }, buf);
        let rule = ctx.glyphs.rule.first().copied().unwrap_or("-").repeat(usize::from(inner.width));
        buf.set_stringn(inner.x, inner.y + 1, rule, usize::from(inner.width), theme.style(Slot::Line));
        let x = inner.x + 2 + u16::try_from(self.query.width()).unwrap_or_default();
        let caret = Some((x.min(inner.right().saturating_sub(1)), inner.y));
        Some((Rect { y: inner.y + 2, height: inner.height - 2, ..inner }, caret))
    }
}
