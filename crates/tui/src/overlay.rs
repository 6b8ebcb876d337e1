//! Overlays: lists, pages and lines that lie over the body when they are asked for.
//!
//! Owns the list of those that open by name and what every overlay gets and gives. The frame reads only these: to
//! add an overlay, write its file with an [`OverlayKind`] and name it in [`OVERLAYS`].

pub mod alive;
pub mod approvals;
pub mod changes;
mod choice;
pub mod connect;
pub mod context;
mod finder;
pub mod help;
pub mod history;
pub mod kb;
pub mod output;
pub mod page;
pub mod palette;
pub mod prompt;
pub mod reason;
pub mod recipes;
pub mod rule;
pub mod sheet;
pub mod shown;
pub mod sources;
pub mod stake;
pub mod status;
pub mod themes;
pub mod told;
pub mod why;

use std::{fmt, time::Instant};

use crossterm::event::KeyEvent;
use pilothouse_core::{
    event::Event,
    intent::Slash,
    port::{Ask, Reply},
    talk::Delta,
};
use ratatui::{buffer::Buffer, layout::Rect};

pub use self::{
    alive::Alive, approvals::Approvals, help::Help, output::Output, palette::Palette, prompt::Prompt,
    reason::Reason, rule::RuleOffer, sheet::Sheet, stake::Stake, told::Told, why::Inspected,
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{ANYWHERE, Action, Entry},
    row::Row,
    theme::{Glyphs, Slot},
};

/// Every overlay that opens by a key or a word, in the order of help.
pub const OVERLAYS: &[OverlayKind] = &[
    palette::KIND,
    help::KIND,
    approvals::KIND,
    why::KIND,
    changes::KIND,
    history::KIND,
    status::KIND,
    context::KIND,
    sources::KIND,
    recipes::SKILLS,
    recipes::AGENTS,
    connect::KIND,
];

/// Where the caret is, if it is to be seen.
pub type Caret = Option<(u16, u16)>;

/// Makes an overlay for what is there now, or says to people why there is nothing to show.
pub type Open = fn(&Ctx<'_>) -> Result<Box<dyn Overlay>, &'static str>;

/// An overlay that opens by name.
#[derive(Clone, Copy, Debug)]
pub struct OverlayKind {
    /// The action that opens it anywhere; the entry's name is the overlay's.
    pub entry: Entry,
    /// The slash command that opens it.
    pub command: Option<Slash>,
    /// What can be done in it by a key of the keymap; empty where it reads keys itself.
    pub actions: &'static [Entry],
    /// What help calls those.
    pub heading: &'static str,
    /// Makes one for what is there now.
    pub open: Open,
}

impl OverlayKind {
    /// One that reads its keys itself.
    pub const fn page(entry: Entry, command: Option<Slash>, open: Open) -> Self {
        Self { entry, command, actions: &[], heading: "", open }
    }

    /// The action that opens it.
    pub const fn action(&self) -> Action {
        Action { table: ANYWHERE, entry: self.entry }
    }
}

/// Something that lies over the body.
pub trait Overlay: fmt::Debug {
    /// Its name; where keys of the keymap act in it, of their table.
    fn name(&self) -> &'static str;

    /// Whether it stands alone: what it lies over would only look out at its edges.
    fn is_alone(&self) -> bool {
        false
    }

    /// Draws it; returns where the caret is.
    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret;

    /// It was drawn; `top` says whether it is the topmost one, and so has the keys.
    fn drew(&mut self, _top: bool, _ctx: &Ctx<'_>, _now: Instant) {}

    /// What was drawn counts as not seen.
    fn covered(&mut self) {}

    /// Whether there is nothing left to show, so that it closes by itself.
    fn is_over(&self, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// Does what a key of its table means.
    fn act(&mut self, _action: Action, _ctx: &Ctx<'_>) -> Outcome {
        Outcome::none()
    }

    /// Whether a letter answers what is chosen here, whatever its table has for it: it goes to [`Overlay::key`].
    fn answers(&self, _letter: char, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// What a letter is here: a line that is typed goes to the draft. `None` where a line is what this asks for, so that
    /// each letter is a part of it.
    fn weighs(&self, letter: char, action: Option<Action>, ctx: &Ctx<'_>) -> Option<Letter>;

    /// Takes the beginning of a line that is typed or pasted, also into what lies over it, where what is chosen here wants
    /// one; else it is the draft's.
    fn begins(&mut self, _line: &str, _how: Written) -> Option<Outcome> {
        None
    }

    /// Takes a key of a service, where that is what was written into it or into what lies over it and one is wanted.
    fn handed(&mut self, _text: &str, _how: Written) -> Option<Outcome> {
        None
    }

    /// What was typed into it and can be read on the screen.
    fn readable(&self) -> Option<&str> {
        None
    }

    /// Whether what is typed into it is not shown.
    fn hidden(&self) -> bool {
        false
    }

    /// Takes a key; `None` when it means nothing here.
    fn key(&mut self, _key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        None
    }

    /// It is left without an answer: what it only showed is as it was.
    fn left(&self) -> Outcome {
        Outcome::none()
    }

    /// Takes a paste.
    fn paste(&mut self, _text: &str) {}

    /// What it asks of the read port when it opens.
    fn asks(&self) -> Vec<Ask> {
        Vec::new()
    }

    /// What it asked of the read port goes by this number.
    fn asked(&mut self, _number: u64) {}

    /// The question whose answer takes long and that nobody else waits for.
    fn waits_for(&self) -> Option<u64> {
        None
    }

    /// Takes an answer of the read port.
    fn answered(&mut self, _number: u64, _reply: &Reply) {}

    /// What it asks of the read port by now.
    fn wants(&mut self) -> Vec<Ask> {
        Vec::new()
    }

    /// Takes a line that was asked for above it.
    fn typed(&mut self, _line: String) {}

    /// Takes a piece of something that runs.
    fn delta(&mut self, _delta: &Delta) {}

    /// Takes what happened.
    fn told(&mut self, _event: &Event) {}
}

/// How a text came to where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Letter by letter.
    Typed,
    /// In one go.
    Pasted,
}

/// What a letter is in an overlay that asks for no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// Nothing: it begins a line, or goes on with one.
    Strange,
    /// All that it does is to move what is looked at.
    Moves,
    /// A key that decides or opens something; it acts after a pause, since it may be the first of a word.
    Acts,
}

impl Letter {
    /// One of these keys, or none.
    fn among(keys: &[char], letter: char) -> Self {
        Self::of(letter, &[], keys)
    }

    /// One that moves, one of these keys, or none.
    fn of(letter: char, moves: &[char], keys: &[char]) -> Self {
        if moves.contains(&letter) {
            Self::Moves
        } else if keys.contains(&letter) {
            Self::Acts
        } else {
            Self::Strange
        }
    }
}

/// The beginning of a row of a list, marked where it is the chosen one.
fn entry(chosen: bool, glyphs: &Glyphs) -> Row {
    let mut row = Row::of(if chosen { glyphs.folded } else { " " }, Slot::Accent).and(" ", Slot::Text);
    row.ground = chosen.then_some(Slot::Select);
    row
}

/// A rectangle of at most this size in the middle of `body`, a little above it.
pub fn centred(body: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(body.width), height.min(body.height));
    let x = body.x + (body.width - width) / 2;
    let y = body.y + (body.height - height) / 3;
    Rect { x, y, width, height }
}
