//! What a transcript is made of: one thing that happened, by the event that tells it.
//!
//! Owns the shapes. Never says who is told of it.

use crate::ids::{CallId, LaneId, Seq, TurnId};

/// A summary that takes the place of what stood before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The event that holds it, as an entry.
    pub entry: Entry,
    /// The last event that it sums up.
    pub upto: Seq,
    /// The first entry that is told beside it.
    pub(super) cut: usize,
    /// How many entries there were when it came.
    pub(super) from: usize,
}

/// One thing that happened, by the event that tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event.
    pub seq: Seq,
    /// The lane that it belongs to; `None` for what concerns all.
    pub lane: Option<LaneId>,
    /// What it is.
    pub what: What,
}

/// What an [`Entry`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A message of the user.
    User(TurnId),
    /// A reply of the model.
    Reply,
    /// The result of a call that a reply made.
    Result(CallId),
    /// What came of a call that the workbench or the user made.
    Output(CallId),
    /// What the workbench told the model by itself.
    Nudge,
    /// Something that was decided or happened.
    Record,
    /// A step or a gate of the plan that was told in that event.
    Step(Seq),
    /// The answer to the question that was asked in that event.
    Answer(Seq),
    /// The end of a line beside the main one: the turn it served, and its last words.
    Report(TurnId),
    /// The summary of what stood before.
    Summary,
    /// The task of a sub-agent.
    Handed,
}
