//! Asked before something that cannot simply be taken back: what is at stake, line by line, and one key.
//!
//! Owns the words and the key. What the key leads to was given with it.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::input::Input;
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay,
    page::{Page, Scroll},
};
use crate::{
    ctx::{Ctx, Outcome, TOO_EARLY},
    keymap::Action,
    row::{Ink, Row, wrap},
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

/// Said to a yes while some of what it takes was not shown.
const NOT_ALL: &str = "not all of it has been shown: j scrolls, then y";
/// Said where none of it can be.
const TOO_SMALL: &str = "the screen is too small to show what is at stake";

/// Columns of the page at most.
const WIDTH: u16 = 80;
/// Columns that its border, the air in it and the mark of a line take.
const AROUND: u16 = 8;

/// Columns that the border keeps for itself and for how far the page is scrolled.
const PLACE: usize = 14;

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
    scroll: Scroll,
    /// For a width of the screen, how many rows were shown from the first on.
    read: (u16, usize),
    /// Whether all of it was shown.
    drawn: Standing<bool>,
}

impl Stake {
    /// The question, not drawn yet.
    pub fn new(title: String, does: &'static str, lines: Vec<String>, yes: impl Into<Accepted>) -> Self {
        let (scroll, read, drawn) = (Scroll::default(), (0, 0), Standing::default());
        Self { title, does, lines, accepted: yes.into(), scroll, read, drawn }
    }

    fn page<'a>(&'a self, keys: &'a [(&'a str, &'a str)]) -> Page<'a> {
        Page { title: &self.title, right: "", keys, width: WIDTH, height: 0, rows: Vec::new() }
    }

    fn rows(&self, ctx: &Ctx<'_>) -> Vec<Row> {
        let width = ctx.body.width.min(WIDTH);
        let columns = usize::from(width.saturating_sub(AROUND)).max(1);
        // A border cuts what is asked where it has no room for all of it.
        let cut = crate::row::width(&self.title) + PLACE > usize::from(width);
        let title = Row::of(&self.title, Ink::of(Slot::Strong).bold());
        let mut rows = if cut { wrap(&title.pieces, columns) } else { Vec::new() };
        for line in &self.lines {
            for (n, part) in wrap(&Row::of(line, Slot::Text).pieces, columns).into_iter().enumerate() {
                let mark = if n == 0 { ctx.glyphs.dot } else { " " };
                let mut row = Row::of(mark, Slot::Warn).and(" ", Slot::Text);
                row.pieces.extend(part.pieces);
                rows.push(row);
            }
        }
        rows
    }

    /// What a yes leads to, once all that it takes was shown for long enough.
    fn accept(&self, ctx: &Ctx<'_>) -> Outcome {
        let seen = self.page(&[]).seen(self.rows(ctx).len(), &self.scroll, ctx.body);
        if seen.is_empty() || ctx.body.width <= AROUND {
            return Outcome::complaint(TOO_SMALL);
        }
        if self.drawn.is(&false) {
            return Outcome::complaint(NOT_ALL);
        }
        if !ctx.stood(&self.drawn, &true) {
            return Outcome::complaint(TOO_EARLY);
        }
        let outcome = match self.accepted.clone() {
            Accepted::Window(wish) => Outcome { notice: wish.under_way(), ..Outcome::window(wish) },
            Accepted::Input(input) => Outcome::input(*input),
        };
        outcome.and_close()
    }
}

impl Overlay for Stake {
    fn name(&self) -> &'static str {
        "stake"
    }

    fn drew(&mut self, top: bool, ctx: &Ctx<'_>, now: Instant) {
        let count = self.rows(ctx).len();
        let seen = self.page(&[]).seen(count, &self.scroll, ctx.body);
        let (width, read) = self.read;
        let read = if width == ctx.body.width { read } else { 0 };
        let read = if seen.start <= read { read.max(seen.end) } else { read };
        self.read = (ctx.body.width, read);
        let whole = read >= count && ctx.body.width > AROUND;
        self.drawn.drew(top.then_some(whole), now);
    }

    fn covered(&mut self) {
        self.drawn = Standing::default();
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        let scrolls = self.scroll.goes() && ['j', 'k', 'g', 'G'].contains(&letter);
        Some(if scrolls { Letter::Moves } else { Letter::among(&['y', 'n', 'q'], letter) })
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        Some(if matches!(key.code, KeyCode::Char('n' | 'q')) {
            Outcome::close()
        } else if key.code == KeyCode::Char('y') {
            self.accept(ctx)
        } else {
            self.scroll.take(key);
            Outcome::none()
        })
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let keys = [("y", self.does), ("Esc", "leave it")];
        let rows = self.rows(ctx).into_iter().map(|row| row.line(ctx.theme)).collect();
        Page { rows, ..self.page(&keys) }.draw(&self.scroll, ctx, buf);
        None
    }
}
