//! Ids, sequence numbers and units: plain numbers with a type each.
//!
//! Owns the newtypes. Never generates randomness: ids are counted by the session.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

id! {
    /// The position of an event in its session's log, from 1.
    Seq "#";
    /// One message of the user and what follows from it.
    TurnId "turn-";
    /// One line of work: an answer, a planning, a task.
    LaneId "lane-";
    /// One call: of the model, of a tool, of a command.
    CallId "call-";
    /// The execution of one plan or goal.
    RunId "run-";
    /// One task of a plan.
    TaskId "task-";
    /// One gate of a plan.
    GateId "gate-";
    /// One question to the user.
    CheckpointId "question-";
    /// One proposed change to one file.
    ProposalId "proposal-";
    /// One set of approved changes written together.
    ApplyId "apply-";
    /// One decision of the user or of a rule that allowed an effect.
    ApprovalId "approval-";
    /// One captured proof of a gate.
    EvidenceId "evidence-";
}

/// Milliseconds since the Unix epoch, as the driver's clock says; only a label, never an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

/// A process by id and start time, so that a reused id is not taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// When it started, in clock ticks since boot where the system tells, else 0.
    pub started: u64,
}
