//! What kind of turn a message is, and the modes and phases it may meet.
//!
//! Owns the vocabulary. Never classifies and never changes state.

use serde::{Deserialize, Serialize};

/// Which code path handles a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "turn", content = "sub")]
pub enum Turn {
    /// A question; answered without changing the phase.
    Query(Option<QuerySub>),
    /// A new piece of work.
    PlanNew(Option<PlanSub>),
    /// A change to the active plan.
    PlanContinue,
    /// A word to the workbench itself.
    Control(Control),
}

/// What kind of answer a query wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuerySub {
    /// Drill down.
    Detail,
    /// Where a claim came from.
    Provenance,
    /// Condense.
    Summary,
    /// One fact.
    Lookup,
}

/// What kind of plan is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanSub {
    /// Weigh alternatives.
    Compare,
    /// What if.
    Predict,
}

/// Control words; `Other` keeps a command that only a later layer knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Change between proof and exploratory.
    ModeSwitch(Mode),
    /// Clear facts and plan.
    Reset,
    /// Do the last plan again.
    Redo,
    /// Show help.
    Help,
    /// Show the state.
    Status,
    /// Leave the program.
    Exit,
    /// Stop what runs.
    Cancel,
    /// Drop the plan and make another.
    Replan,
    /// Yes to the open question of the phase.
    Approve,
    /// Carry on.
    Proceed,
    /// A command by name with its arguments.
    Other(String),
}

impl Control {
    /// The name of a wish about the manner from here on ("answer in German", "ask before each edit").
    pub const MANNER: &str = "manner";

    /// A wish about the manner: no setting of the workbench, it goes to the model like a question.
    pub fn is_manner(&self) -> bool {
        matches!(self, Self::Other(name) if name == Self::MANNER)
    }
}

/// How plans are made and facts are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Complete plans, a provenance chain for every conclusion.
    Proof,
    /// Incremental plans over accumulated facts.
    #[default]
    Exploratory,
}

impl Mode {
    /// The name that `/mode` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proof => "proof",
            Self::Exploratory => "explore",
        }
    }
}

/// Who holds control; see `phase.rs` for the transitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing runs.
    #[default]
    Idle,
    /// A plan is being made.
    Planning,
    /// A plan waits for the user.
    AwaitingApproval,
    /// A run is under way.
    Executing,
    /// A run or a planning failed; the user chooses how to go on.
    Failed,
}

impl Phase {
    /// All phases, in the order of the table's columns.
    pub const ALL: [Self; 5] =
        [Self::Idle, Self::Planning, Self::AwaitingApproval, Self::Executing, Self::Failed];

    /// The `snake_case` name, as the status line shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Planning => "planning",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Executing => "executing",
            Self::Failed => "failed",
        }
    }
}
