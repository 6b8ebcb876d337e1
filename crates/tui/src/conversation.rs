//! The conversation: what was said and done, newest below.
//!
//! Owns its entries, their wrapped rows, the scroll and the search. Never changes the session.

use pilothouse_core::{
    event::Stamped,
    port::{Ask, Reply},
    session::State,
    talk::Delta,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

use crate::pane::{Ctx, Outcome, Title};

/// What can be done in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationAction {
    /// By this many rows; negative is up.
    Scroll(i32),
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first message.
    Top,
    /// To the last row, and follow it.
    Bottom,
    /// Select the previous message or row with details (`[`).
    Previous,
    /// Select the next one (`]`).
    Next,
    /// Fold or unfold the selected entry.
    Fold,
    /// Look for this text, case-insensitive unless it has a capital; empty ends the search.
    Search(String),
    /// To the next older match (`n`).
    SearchNext,
    /// To the next newer match (`N`).
    SearchPrevious,
    /// Copy the selected entry's logical text.
    Copy,
}

/// The pane.
#[derive(Debug, Default)]
pub struct ConversationPane {}

impl ConversationPane {
    /// An empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one event in, in order; `state` has it folded already.
    pub fn fold(&mut self, _state: &State, _event: &Stamped) {}

    /// Takes a piece of something that runs.
    pub fn delta(&mut self, _delta: &Delta) {}

    /// Puts older events before all that are here.
    pub fn prepend(&mut self, _older: Vec<Stamped>) {}

    /// Settles sizes and scroll for this inner area; before every render.
    pub fn layout(&mut self, _ctx: &Ctx<'_>, _size: Size) {}

    /// Draws into `area`, the inside of the border.
    pub fn render(&self, _ctx: &Ctx<'_>, _area: Rect, _buf: &mut Buffer, _focused: bool) {}

    /// Carries an action out.
    pub fn act(&mut self, _action: ConversationAction, _ctx: &Ctx<'_>) -> Outcome {
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
        Title { left: "Conversation".to_owned(), right: Line::default() }
    }

    /// The keys that act now, for the border below, at most `width` columns.
    pub fn hints(&self, _ctx: &Ctx<'_>, _width: u16) -> Line<'static> {
        Line::default()
    }

    /// Whether something in it moves, so that the frame ticks.
    pub fn animated(&self) -> bool {
        false
    }
}
