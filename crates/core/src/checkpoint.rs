//! Checkpoints: points where control passes to the user, as they are stored.
//!
//! Owns the stored form of questions and answers; the kinds are in [`crate::question`]. Never resolves
//! one: only an input of the user does.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{CheckpointId, RunId},
    question::{Asked, Spec},
};

pub use crate::question::{CheckpointKind, Failure};

/// An open question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its id.
    pub id: CheckpointId,
    /// What is asked.
    pub kind: CheckpointKind,
    /// The question in words.
    pub message: String,
    /// The run it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

impl Checkpoint {
    /// All that a screen or a script shows of it, and how it is answered.
    pub fn spec(&self, asked: &Asked<'_>) -> Spec {
        Spec::of(self.kind.question(), &self.message, asked)
    }
}

/// The reason of a no that nobody gave: none was there to be asked.
pub const UNATTENDED: &str = "nobody is there to allow it; go on without it, or end and say what is missing";

/// An answer to a checkpoint, as it is given and stored; what a kind makes of it is its own type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes, once.
    Approve,
    /// No, with a reason for the agent; empty for none.
    Reject(String),
    /// Give up what the checkpoint stands for.
    Abort,
    /// Take the choice with this number, from 0.
    Pick(usize),
    /// Free text.
    Text(String),
    /// Let the agent mend it.
    AutoFix,
    /// Leave it out and go on.
    Skip,
    /// Stop the run, keep the plan for later.
    Manual,
    /// Try again; of a gate, in another way.
    Retry,
    /// Run it again as it is.
    Again,
    /// Make another plan.
    Replan,
    /// Answer what was said and go on.
    Respond,
    /// Go on as before.
    Continue,
    /// The typed word that an irreversible thing wants.
    Word(String),
    /// Yes, and from now on what these rules say: for this session, or for good.
    Grant {
        /// The rules, exactly as they were shown.
        rules: Vec<String>,
        /// Whether they are kept in the user's file.
        lasting: bool,
    },
    /// Run this line, as it was shown or changed by the user; an empty one runs nothing.
    Line(String),
}
