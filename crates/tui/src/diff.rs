//! The diff: proposals, decided hunk by hunk.
//!
//! Owns the cursor, the scroll, the texts that were asked for and what is drawn of them. Never
//! writes and never decides: decisions leave as inputs bound to the hash of what was shown.

use pilothouse_core::{
    event::Stamped,
    port::{Ask, Reply},
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

use crate::pane::{Ctx, Outcome, Title};

/// What can be done in the diff; while nothing is proposed every one is a no-op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiffAction {
    /// Take the hunk and go to the next undecided one (`y`).
    Take,
    /// Leave the hunk and go to the next undecided one (`n`).
    Leave,
    /// Taken, left, undecided in turn (Space).
    Toggle,
    /// The next hunk (`]`).
    NextHunk,
    /// The previous hunk (`[`).
    PreviousHunk,
    /// The next file (`}`).
    NextFile,
    /// The previous file (`{`).
    PreviousFile,
    /// Write what is taken of this file; all of it when nothing was decided (`a`).
    Apply,
    /// Write what is taken of every file, all or nothing (`A`).
    ApplyAll,
    /// Nothing of this file (`s`).
    Skip,
    /// Drop the proposals and go up to the plan (`u`).
    Up,
    /// All files in one scroll, or one again (`d`).
    DiffAll,
    /// Unified or side by side (`t`).
    SideBySide,
    /// More context (`+`).
    MoreContext,
    /// Less context (`-`).
    LessContext,
    /// One row down (`j`).
    LineDown,
    /// One row up (`k`).
    LineUp,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// To the top (`g`).
    Top,
    /// To the end (`G`).
    Bottom,
    /// Edit the proposal (`e`).
    Edit,
}

/// The pane.
#[derive(Debug, Default)]
pub struct DiffPane {}

impl DiffPane {
    /// Nothing proposed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one event in, in order; `state` has it folded already.
    pub fn fold(&mut self, _state: &State, _event: &Stamped) {}

    /// Settles sizes and scroll for this inner area; before every render.
    pub fn layout(&mut self, _ctx: &Ctx<'_>, _size: Size) {}

    /// Draws into `area`, the inside of the border.
    pub fn render(&self, _ctx: &Ctx<'_>, _area: Rect, _buf: &mut Buffer, _focused: bool) {}

    /// Carries an action out.
    pub fn act(&mut self, _action: DiffAction, _ctx: &Ctx<'_>) -> Outcome {
        Outcome::none()
    }

    /// Takes an answer of the read port.
    pub fn answered(&mut self, _reply: &Reply) {}

    /// Questions to the read port that came up; each once.
    pub fn asks(&mut self) -> Vec<Ask> {
        Vec::new()
    }

    /// For the border above.
    pub fn title(&self, _ctx: &Ctx<'_>) -> Title {
        Title { left: "Diff".to_owned(), right: Line::default() }
    }

    /// The keys that act now, for the border below, at most `width` columns.
    pub fn hints(&self, _ctx: &Ctx<'_>, _width: u16) -> Line<'static> {
        Line::default()
    }
}
