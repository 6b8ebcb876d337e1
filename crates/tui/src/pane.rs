//! Panes: the parts of the body that have the keys in turn.
//!
//! Owns the list of them and what every pane gets and gives. The frame reads only these: to add a pane, write
//! its file with a [`PaneKind`] and name it in [`PANES`].

pub mod conversation;
pub mod diff;
pub mod plan;
pub mod runs;

use std::{fmt, io, time::Instant};

use pilothouse_core::{
    checkpoint::Checkpoint,
    digest::Place,
    event::{Event, Stamped},
    ids::{CheckpointId, Millis, TurnId},
    intent::Slash,
    port::{Ask, Reply},
    redact::Redactor,
    session::State,
    talk::Delta,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

pub use crate::ctx::{Ctx, Outcome};
use crate::{
    frame,
    highlight::Highlighter,
    keymap::{ANYWHERE, Action, Entry},
    row::{Ink, Row, fitting},
    theme::Slot,
};

/// Every pane, in the order of tabs, focus and help. The first is the main one: it is shown where there is room
/// for one, scrolls on keys that hold anywhere, and has the page that greets in its place while it is empty.
pub const PANES: &[PaneKind] = &[conversation::KIND, plan::KIND, diff::KIND, runs::KIND];

/// What leaves a pane, in the table of each: as Esc does, what lies open in it first.
pub const BACK: Entry = Entry {
    name: "back",
    label: "back, to the draft",
    reach: "moves the focus; what is waiting here keeps waiting",
};

/// Below this many columns text begins at the edge.
const INSET_FROM: u16 = 20;

/// A pane's name: of its table in keymap files, and of the action that goes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub &'static str);

/// What is known of a pane before there is one.
#[derive(Clone, Copy, Debug)]
pub struct PaneKind {
    /// Its name.
    pub id: PaneId,
    /// The slash command that goes to it.
    pub command: Option<Slash>,
    /// What can be done in it by a key.
    pub actions: &'static [Entry],
    /// Makes one, empty; the highlighter works out the colours of code.
    pub make: fn(&Highlighter) -> Box<dyn Pane>,
}

impl PaneKind {
    /// The action that gives it the keys, or takes them back.
    pub const fn toggle(&self) -> Action {
        let entry = Entry { name: self.id.0, label: self.id.0, reach: "moves the focus" };
        Action { table: ANYWHERE, entry }
    }
}

/// Where keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Focus {
    /// To the draft.
    #[default]
    Composer,
    /// To a pane.
    Pane(PaneId),
}

/// Where a pane wants to stand while panes stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// At the left; everywhere while nothing stands beside it.
    Left,
    /// At the right with this many rows, or all that are left.
    Right(u16),
    /// Everywhere, whatever else there is.
    Alone,
    /// Nowhere.
    Hidden,
}

/// Keys that decide what a pane shows, named below the draft: the keys with what they do, and what else is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecidingKeys {
    /// Keys and what they do.
    pub keys: Vec<(&'static str, &'static str)>,
    /// What is said at the right.
    pub beside: &'static str,
}

/// What the keys are in a pane for: something that is decided there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// A plan's yes or no; whatever is changed of it meanwhile.
    Plan,
    /// This question.
    Question(CheckpointId),
    /// The changes of a run, from step to step.
    Review,
}

/// A part of the body that can have the keys.
pub trait Pane: fmt::Debug {
    /// Takes one event in, in order; `state` has it folded already.
    fn fold(&mut self, state: &State, event: &Stamped);

    /// Takes a piece of something that runs.
    fn delta(&mut self, _delta: &Delta) {}

    /// Takes an answer of the read port; of what it brings, `secrets` are not drawn.
    fn answered(&mut self, _reply: &Reply, _secrets: &Redactor) {}

    /// Questions to the read port that came up; each once.
    fn asks(&mut self) -> Vec<Ask> {
        Vec::new()
    }

    /// Where it wants to stand where panes stand side by side.
    fn stand(&self, ctx: &Ctx<'_>, focused: bool) -> Stand;

    /// Its name in the strip of tabs; `None` while it has nothing to show.
    fn tab(&self, ctx: &Ctx<'_>) -> Option<String>;

    /// How much came in it since it was on the screen that is to be read.
    fn news(&self) -> usize {
        0
    }

    /// Settles sizes and scroll for this inner area; before every render in which it is on the screen.
    fn layout(&mut self, ctx: &Ctx<'_>, size: Size);

    /// Draws into `area`, the inside of the border.
    fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool);

    /// It was drawn, or was not to be seen.
    fn drew(&mut self, _seen: bool, _ctx: &Ctx<'_>, _now: Instant) {}

    /// What was drawn counts as not seen.
    fn covered(&mut self) {}

    /// Closes what lies open in it; false where nothing does.
    fn close(&mut self) -> bool {
        false
    }

    /// Opens what a command printed last, where it tells that.
    fn open_output(&mut self, _ctx: &Ctx<'_>) -> Outcome {
        Outcome::none()
    }

    /// Shows only what has this text, until it is closed.
    fn seek(&mut self, _text: &str) {}

    /// A key came that means nothing in it: what lies open until the next key goes.
    fn strange_key(&mut self) {}

    /// For the border above.
    fn title(&self, ctx: &Ctx<'_>) -> Title;

    /// The keys that act now, for the border below, at most `width` columns.
    fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static>;

    /// Does what a key of its table means.
    fn act(&mut self, action: Action, ctx: &Ctx<'_>) -> Outcome;

    /// Whether there is nothing in it that a letter could act on: then none is a key.
    fn is_idle(&self, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// Whether a letter that no binding took means something.
    fn takes(&self, _letter: char, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// Takes such a letter.
    fn letter(&mut self, _letter: char, _ctx: &Ctx<'_>) -> Outcome {
        Outcome::none()
    }

    /// Whether a letter acts at once: all that it does now is to move or change what is looked at, or something takes it
    /// back. Any other acts only after a pause, since it may be the first of a word.
    fn acts_at_once(&self, _letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// Whether a letter answers an open question here, whatever its table has for it.
    fn answers(&self, _letter: char, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// The wheel was turned over it: so many rows down, or up where it is negative.
    fn wheel(&mut self, _rows: i64, _ctx: &Ctx<'_>) {}

    /// What an action that holds anywhere means in it, if it means something of its own.
    fn meaning(&self, _action: frame::Action) -> Option<Action> {
        None
    }

    /// Goes to a line of a file, where it shows that file.
    fn show_place(&mut self, _place: &Place, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// Goes to a message, where it shows those.
    fn show_turn(&mut self, _turn: TurnId) -> bool {
        false
    }

    /// Takes a line that it asked for.
    fn typed(&mut self, _line: String, _ctx: &Ctx<'_>) -> Outcome {
        Outcome::none()
    }

    /// Takes what came out of the editor.
    fn edited(&mut self, _text: io::Result<String>) -> Outcome {
        Outcome::none()
    }

    /// Whether its keys decide what waits now.
    fn decides(&self, _state: &State) -> bool {
        false
    }

    /// What the keys are in it for now; once that is over, or with the last decision, they go back to the draft.
    fn errand(&self, _state: &State) -> Option<Errand> {
        None
    }

    /// The user sent something: what comes of it is to be seen.
    fn sent(&mut self) {}

    /// Something is told that has no room in the row where it is told; only the main pane keeps it.
    fn told(&mut self, _at: Millis, _text: &str) {}

    /// Something beside this session came to rest; only the main pane keeps that.
    fn heard_of(&mut self, _at: Millis, _text: &str) {}

    /// The keys that do so.
    fn deciding_keys(&self, _ctx: &Ctx<'_>) -> DecidingKeys {
        DecidingKeys::default()
    }

    /// Whether what this question is about stands in it now, to be read; asked after it was drawn.
    fn shows(&self, _question: CheckpointId, _bare: bool) -> bool {
        false
    }

    /// Whether every row of a question's own card was on the screen, as wide as it is now.
    fn showed_card(&self, _question: CheckpointId) -> bool {
        false
    }

    /// Whether it shows all of a question, so that no bar need name it while this pane has the keys.
    fn covers(&self, _question: &Checkpoint) -> bool {
        false
    }

    /// What the user is told of an event while this pane has the keys; `state` has not folded it yet.
    fn tells(&self, _state: &State, _event: &Event) -> Option<String> {
        None
    }

    /// Whether it never showed anything.
    fn is_fresh(&self) -> bool {
        true
    }
}

/// What stands in a pane's border; every text in it is clean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Title {
    /// `Noun · object · position`.
    pub left: String,
    /// A count or a state, styled; may be empty.
    pub right: Line<'static>,
}

/// Where text stands inside a pane: one column from each side of the border where there is room.
pub(crate) fn inside(area: Rect) -> Rect {
    if area.width < INSET_FROM {
        return area;
    }
    Rect { x: area.x + 1, width: area.width - 2, ..area }
}

/// What an empty pane says: what it is for, and how to fill it; a third of the way down.
pub(crate) fn empty_state(ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, words: &[&str]) {
    let inner = inside(area);
    let top = area.y + area.height / 3;
    let mut y = top;
    for (n, line) in words.iter().enumerate() {
        let slot = if n == 0 { Slot::Text } else { Slot::Soft };
        let columns = usize::from(inner.width).saturating_sub(3);
        for wrapped in crate::row::wrap(&Row::of(line, slot).pieces, columns) {
            let mark = if y == top { ctx.glyphs.inner } else { " " };
            let mut row = Row::of(mark, Slot::Faint).and("  ", Slot::Text);
            row.pieces.extend(wrapped.pieces);
            row.paint(ctx.theme, buf, inner, y);
            y = y.saturating_add(1);
        }
    }
}

/// Keys and what they do, as many as fit whole.
pub(crate) fn hint_line(ctx: &Ctx<'_>, keys: &[(&str, &str)], width: u16) -> Line<'static> {
    let mut row = Row::new();
    for (key, what) in fitting(keys, usize::from(width), 2, false) {
        row.push(if row.pieces.is_empty() { "" } else { "  " }, Slot::Text);
        row = row.and(key, Ink::of(Slot::Accent).bold()).and(" ", Slot::Text).and(what, Slot::Soft);
    }
    row.line(ctx.theme)
}
