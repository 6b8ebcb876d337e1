//! The plan: its tasks, gates and where they stand.
//!
//! Owns the cursor, the scroll and the open details. Never changes the session.

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

/// What can be done in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlanAction {
    /// The next row.
    Down,
    /// The previous row.
    Up,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// The first row.
    Top,
    /// The last row.
    Bottom,
    /// Open or close the row's details.
    Detail,
    /// Yes to the plan that waits.
    Approve,
    /// No to it.
    Reject,
    /// To the proposals of the task.
    OpenDiff,
}

/// The pane.
#[derive(Debug, Default)]
pub struct PlanPane {}

impl PlanPane {
    /// Nothing selected.
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
    pub fn act(&mut self, _action: PlanAction, _ctx: &Ctx<'_>) -> Outcome {
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
        Title { left: "Plan".to_owned(), right: Line::default() }
    }

    /// The keys that act now, for the border below, at most `width` columns.
    pub fn hints(&self, _ctx: &Ctx<'_>, _width: u16) -> Line<'static> {
        Line::default()
    }
}
