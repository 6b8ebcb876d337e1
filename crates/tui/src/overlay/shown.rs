//! A page of what holds now, which only shows: made anew from the session at every frame.
//!
//! Owns how far it is scrolled. What stands on it is said by whoever opens it.

use crossterm::event::KeyEvent;
use ratatui::{buffer::Buffer, text::Line};

use super::{
    Caret, Letter, Overlay,
    page::{Page, Scroll},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::Action,
};

/// The page.
#[derive(Debug)]
pub struct Shown {
    name: &'static str,
    title: &'static str,
    width: u16,
    rows: fn(&Ctx<'_>) -> Vec<Line<'static>>,
    scroll: Scroll,
}

impl Shown {
    /// The overlay of this name, with a title and at most so many columns.
    pub fn new(
        name: &'static str,
        title: &'static str,
        width: u16,
        rows: fn(&Ctx<'_>) -> Vec<Line<'static>>,
    ) -> Self {
        Self { name, title, width, rows, scroll: Scroll::default() }
    }
}

impl Overlay for Shown {
    fn name(&self) -> &'static str {
        self.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let rows = (self.rows)(ctx);
        let keys = &[("Esc", "close")];
        let page = Page { title: self.title, right: "", keys, width: self.width, height: 0, rows };
        page.draw(&self.scroll, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Scroll::weighs(letter)
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        self.scroll.shown(key)
    }
}
