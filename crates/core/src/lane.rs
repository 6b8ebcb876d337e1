//! What a line of work is for.
//!
//! Owns the kinds, as events name them. What a lane holds while it is open is the session's.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{GateId, TaskId},
    talk::Purpose,
};

/// What a lane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    /// Answers a message.
    Answer,
    /// Makes a plan.
    Planning,
    /// Does a task.
    Task(TaskId),
    /// Reaches a goal by commands.
    Goal,
    /// Runs a gate.
    Gate(GateId),
    /// Mends what made a gate fail.
    Repair(GateId),
}

impl LaneKind {
    /// Why its model is asked.
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::Answer => Purpose::Answer,
            Self::Planning => Purpose::Plan,
            Self::Task(_) | Self::Repair(_) => Purpose::Task,
            Self::Goal | Self::Gate(_) => Purpose::Goal,
        }
    }

    /// Whether it belongs to the run and ends with it.
    pub const fn of_run(self) -> bool {
        !matches!(self, Self::Answer | Self::Planning)
    }
}
