//! Asked before something that cannot simply be taken back: what is at stake, line by line, and one key.
//!
//! Owns the words and the key. What the key leads to was given with it.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::input::Input;
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay,
    page::{frame, paint},
};
use crate::{
    ctx::{Ctx, Outcome, TOO_EARLY},
    keymap::Action,
    row::{Row, wrap},
    standing::Standing,
    theme::Slot,
    window::WindowWish,
};

/// What a yes leads to.
#[derive(Clone, Debug)]
pub enum Accepted {
    /// Something for the window.
    Window(WindowWish),
    /// Something for the session.
    Input(Box<Input>),
}

impl From<WindowWish> for Accepted {
    fn from(wish: WindowWish) -> Self {
        Self::Window(wish)
    }
}

/// The question.
#[derive(Debug)]
pub struct Stake {
    /// What is asked.
    pub title: String,
    /// What `y` does, in a few words.
    pub does: &'static str,
    /// What is at stake.
    pub lines: Vec<String>,
    /// What `y` leads to.
    pub accepted: Accepted,
    drawn: Standing<()>,
}

impl Stake {
    /// The question, not drawn yet.
    pub fn new(title: String, does: &'static str, lines: Vec<String>, yes: impl Into<Accepted>) -> Self {
        Self { title, does, lines, accepted: yes.into(), drawn: Standing::default() }
    }
}

impl Overlay for Stake {
    fn name(&self) -> &'static str {
        "stake"
    }

    fn drew(&mut self, top: bool, _ctx: &Ctx<'_>, now: Instant) {
        self.drawn.drew(top.then_some(()), now);
    }

    fn covered(&mut self) {
        self.drawn = Standing::default();
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::among(&['y', 'n', 'q'], letter))
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        if matches!(key.code, KeyCode::Char('n' | 'q')) {
            return Some(Outcome::close());
        }
        if key.code != KeyCode::Char('y') {
            return Some(Outcome::none());
        }
        if !ctx.stood(&self.drawn, &()) {
            return Some(Outcome::complaint(TOO_EARLY));
        }
        let outcome = match self.accepted.clone() {
            Accepted::Window(wish) => Outcome { notice: wish.under_way(), ..Outcome::window(wish) },
            Accepted::Input(input) => Outcome::input(*input),
        };
        Some(outcome.and_close())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let columns = usize::from(ctx.body.width.min(80)).saturating_sub(8).max(8);
        let mut rows = Vec::new();
        for line in &self.lines {
            for (n, part) in wrap(&Row::of(line, Slot::Text).pieces, columns).into_iter().enumerate() {
                let mark = if n == 0 { ctx.glyphs.dot } else { " " };
                let mut row = Row::of(mark, Slot::Warn).and(" ", Slot::Text);
                row.pieces.extend(part.pieces);
                rows.push(row);
            }
        }
        let height = u16::try_from(rows.len() + 4).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, 80, height);
        let inner = frame(ctx, area, &self.title, "", &[("y", self.does), ("Esc", "leave it")], buf);
        paint(&rows, ctx, inner, buf);
        None
    }
}
