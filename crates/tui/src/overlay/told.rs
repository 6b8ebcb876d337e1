//! What was told that finds no room in a line: to be read whole.
//!
//! Owns how far it is scrolled. Never acts.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay,
    page::{Page, Reading, SCROLLS},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::Action,
    theme::Slot,
};

/// The page.
#[derive(Debug)]
pub struct Told {
    name: &'static str,
    title: &'static str,
    text: Reading,
}

impl Told {
    /// A text of ours under this title.
    pub fn new(title: &'static str, text: &str) -> Self {
        Self { name: "told", title, text: Reading::ours(text, Slot::Text) }
    }

    /// What a command wrote, as it stands.
    pub fn output(title: &'static str, text: &str) -> Self {
        Self { text: Reading::of(text, Slot::Text), ..Self::new(title, "") }
    }

    /// A text of ours that was asked for, which stands in place of what was asked for before.
    pub fn page(title: &'static str, text: &str) -> Self {
        Self { name: "page", ..Self::new(title, text) }
    }
}

impl Overlay for Told {
    fn name(&self) -> &'static str {
        self.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let keys = &[("Esc", "close")];
        let page = Page { title: self.title, right: "", keys, width: 76, height: 0, rows: Vec::new() };
        self.text.draw(&page, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, SCROLLS, &['q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        self.text.scroll.read(key)
    }
}
