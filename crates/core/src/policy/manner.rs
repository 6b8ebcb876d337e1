//! Manner: how a command is to run and who wants it, beside its line.
//!
//! Owns what is asked for beyond the usual, and how a command runs then: never wider than it was asked for. Decides
//! nothing: the weighing does, with this.

use serde::{Deserialize, Serialize};

use super::Conditions;
use crate::{sandbox::Confine, shell::Risk};

/// Who wants a command to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The agent proposes it.
    #[default]
    Agent,
    /// It is a gate of the plan.
    Gate,
    /// It is a gate whose exact line the user said yes to.
    Approved,
    /// The user typed its line.
    Typed,
    /// The user submitted that line to the question about it.
    Submitted,
}

impl By {
    /// Whether the line is the user's own.
    pub const fn is_user(self) -> bool {
        matches!(self, Self::Typed | Self::Submitted)
    }
}

/// How a command is to run and who wants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Manner {
    /// It asks for the network.
    pub network: bool,
    /// It asks to run outside the sandbox.
    pub outside: bool,
    /// Who wants it.
    pub by: By,
    /// Something that the project brings would run in place of what the line names, as was found when it was to begin.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub brought: bool,
}

impl Manner {
    /// What was asked for by a command that would run so.
    pub const fn of(confine: Confine, by: By) -> Self {
        let network = matches!(confine, Confine::Inside { network: true, .. });
        Self { network, outside: matches!(confine, Confine::Outside), by, brought: false }
    }

    /// Whether it asks for nothing more than every command of the agent has.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it asks for a network that the place does not give anyway.
    pub const fn wants_network(self, place: Conditions) -> bool {
        self.network && !place.network
    }

    /// The risk of a line whose text has this one: what a project brings is code of the project.
    pub const fn risk(self, read: Risk) -> Risk {
        match read {
            Risk::Low if self.brought => Risk::Medium,
            Risk::Low | Risk::Medium | Risk::High => read,
        }
    }

    /// How the command runs.
    pub const fn confine(self, risk: Risk, place: Conditions) -> Confine {
        let network = self.network || place.network;
        match (self.outside, place.sandboxed, self.risk(risk)) {
            (true, ..) => Confine::Outside,
            (false, false, _) => Confine::Bare,
            (false, true, Risk::Low) if !self.network => Confine::READING,
            (false, true, Risk::Low | Risk::Medium | Risk::High) => Confine::Inside { write: true, network },
        }
    }
}
