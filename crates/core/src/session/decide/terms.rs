//! What the deciders hand each other by name.
//!
//! Owns the shapes: why a run cannot go on, how it ended, how a call begins, what a lane is opened for.
//! Never decides.

use super::super::LaneKind;
use crate::{
    checkpoint::Failure,
    event::RunStatus,
    goal::{GoalSummary, PlannerError},
    ids::{ApprovalId, TurnId},
    intent::Phase,
    policy::Ruling,
    sandbox::Confine,
};

/// Whether it was just looked what the files of the workspace are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeView {
    /// It was not.
    Unknown,
    /// It was.
    Known,
    /// It was, and they never stay as they are: nothing is proven anew any more.
    Restless,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunFault {
    /// What happened.
    pub message: String,
    /// What the user can do about it.
    pub hint: String,
    /// What was wrong with the model's part of a goal, if that was it.
    pub planner: Option<PlannerError>,
    /// Whether a stage of a pipeline failed.
    pub staged: bool,
}

impl RunFault {
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), planner: None, staged: false }
    }

    /// The model's part of a goal cannot go on.
    pub fn of_planner(error: PlannerError) -> Self {
        Self { planner: Some(error), ..Self::new(error.to_string(), error.hint()) }
    }

    /// It, as the failure of a phase.
    pub fn failure(self, origin: Phase) -> Failure {
        let Self { message, hint, planner, staged } = self;
        Failure {
            origin,
            task: None,
            step: 0,
            gate: None,
            spent: false,
            detoured: false,
            asks: None,
            message,
            hint,
            planner,
            staged,
        }
    }
}

/// How the agent is to make a gate green.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mend {
    /// By the smallest change that mends it.
    Fix,
    /// By another way than the one that led there.
    Detour,
    /// By what the user said; what was tried before does not count.
    Told,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) struct RunEnd {
    /// Well, or not.
    pub status: RunStatus,
    /// In a line.
    pub summary: String,
    /// What became of its goal, if it had one.
    pub goal: Option<GoalSummary>,
}

impl RunEnd {
    /// The end of a run whose goal, if it had one, needs no word of its own.
    pub fn of(status: RunStatus, summary: impl Into<String>) -> Self {
        Self { status, summary: summary.into(), goal: None }
    }
}

/// Whose line a command of the workbench is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// The user typed it.
    User,
    /// A gate of the plan, or a reply in words, named it.
    Workbench,
}

/// How a call begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallStart {
    /// The user's answer that allows it.
    pub approval: Option<ApprovalId>,
    /// How it runs, for a command.
    pub confine: Option<Confine>,
    /// What the rules said, for a command that nobody was asked about.
    pub ruling: Option<Ruling>,
}

/// What a lane is opened for, and what it may.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneOpening {
    /// What it does.
    pub kind: LaneKind,
    /// The turn that it serves.
    pub turn: TurnId,
    /// Whether only its node's own scope holds.
    pub fixed: bool,
    /// Whether it may only read, whatever the ceiling.
    pub reads_only: bool,
}

impl LaneOpening {
    /// One that may what the ceiling allows.
    pub const fn of(kind: LaneKind, turn: TurnId) -> Self {
        Self { kind, turn, fixed: false, reads_only: false }
    }
}
