//! What a line of work is for.
//!
//! Owns the kinds, as events name them. What a lane holds while it is open is the session's.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{GateId, LaneId, TaskId},
    intent::IntentNode,
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
    /// Looks into something for another lane, which it reports to.
    Child(LaneId),
    /// Does the stages of a pipeline.
    Pipeline,
}

impl LaneKind {
    /// Why its model is asked.
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::Answer => Purpose::Answer,
            Self::Planning => Purpose::Plan,
            Self::Task(_) | Self::Repair(_) => Purpose::Task,
            Self::Goal | Self::Gate(_) => Purpose::Goal,
            Self::Child(_) => Purpose::Child,
            Self::Pipeline => Purpose::Stage,
        }
    }

    /// Whether it belongs to the run and ends with it.
    pub const fn of_run(self) -> bool {
        !matches!(self, Self::Answer | Self::Planning | Self::Child(_))
    }

    /// The task that it does, if it does one.
    pub const fn task(self) -> Option<TaskId> {
        if let Self::Task(task) = self { Some(task) } else { None }
    }

    /// The gate that it runs, if it runs one.
    pub const fn gate(self) -> Option<GateId> {
        if let Self::Gate(gate) = self { Some(gate) } else { None }
    }

    /// The lane that it looks into something for, if it does.
    pub const fn parent(self) -> Option<LaneId> {
        if let Self::Child(parent) = self { Some(parent) } else { None }
    }
}

/// What a sub-agent is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildWork {
    /// It finds something.
    #[default]
    Search,
    /// It judges something.
    Review,
    /// It holds a claim against the code.
    Verify,
}

impl ChildWork {
    /// The name, as a call has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Review => "review",
            Self::Verify => "verify",
        }
    }

    /// Where its lane goes.
    pub const fn node(self) -> IntentNode {
        match self {
            Self::Search => IntentNode::Read,
            Self::Review => IntentNode::Review,
            Self::Verify => IntentNode::Audit,
        }
    }
}
