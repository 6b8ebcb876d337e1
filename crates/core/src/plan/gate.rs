//! Gates: what one is, and where it stands by the runs of its line, the writes since, and the user's word.
//!
//! Owns the one rule for that. Never runs one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    ids::{EvidenceId, GateId, TaskId},
    plan::Plan,
};

/// A check between tasks; green only with evidence captured here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Its id.
    pub id: GateId,
    /// Its name: `syntax`, `tests`.
    pub name: String,
    /// The exact command line.
    pub command: String,
    /// It runs once all of these are settled; all tasks when empty.
    #[serde(default)]
    pub after: Vec<TaskId>,
    /// Whether nobody asked for it: it was found in the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub found: bool,
    /// Where it stands.
    pub status: GateStatus,
    /// Whether the user left it out: nothing asks for it until they do, and what its line shows is still told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waived: bool,
    /// The exit code of its last red run, where that had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The program that its command needs and that was not found when the plan was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

/// Looks programs up where commands find them.
pub trait Programs: fmt::Debug + Send + Sync {
    /// Whether one of that name is there. Nothing is started for it.
    fn has(&self, name: &str) -> bool;

    /// What else a line needs that is not there, with the command that mends it, in words: packages of the project.
    fn unready(&self, _line: &str) -> Option<String> {
        None
    }
}

/// That a program is not there, in words.
pub fn lacks(program: &str) -> String {
    format!("needs `{program}`, which is not installed here")
}

/// That a gate is red, in words: `failed (exit 1)`.
pub fn failed(exit: Option<i32>) -> String {
    exit.map_or_else(|| "failed".to_owned(), |code| format!("failed (exit {code})"))
}

/// The same of one that the user skipped, said to them.
pub fn failed_and_skipped(exit: Option<i32>) -> String {
    format!("{}, skipped by you", failed(exit))
}

/// What happens to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateNews {
    /// It runs.
    Begun,
    /// Its line was green, in its own run or in that of a step.
    Green(EvidenceId),
    /// Its line was red, in its own run or in that of a step, with this exit code.
    Red(EvidenceId, Option<i32>),
    /// Files changed.
    Wrote,
    /// The files are again as they were when it was green.
    Holds,
    /// It is to run.
    Due,
    /// It was left out: by the user, or for this reason.
    LeftOut(Option<Unproven>),
}

impl Gate {
    /// Whether it has a name of its own: one that is called as its command says it once.
    pub fn has_name(&self) -> bool {
        self.name.trim() != self.command.trim()
    }

    /// Where it stands after this: the last run of its line decides, and a write makes a green one stale. What the user
    /// said of it holds beside that until it is to run again: a word decides what follows, and never what was seen.
    pub const fn take(&mut self, news: GateNews) {
        let (was, waived) = (self.status, self.is_waived());
        self.status = match news {
            GateNews::Begun => GateStatus::Running,
            GateNews::Green(evidence) => GateStatus::Passed(evidence),
            GateNews::Red(evidence, _) => GateStatus::Failed(evidence),
            GateNews::Wrote => match was.proof() {
                Some(evidence) => GateStatus::Stale(evidence),
                None => was,
            },
            GateNews::Holds => match was.former_proof() {
                Some(evidence) => GateStatus::Passed(evidence),
                None => was,
            },
            GateNews::Due => GateStatus::Pending,
            GateNews::LeftOut(None) if matches!(was, GateStatus::Failed(_)) => was,
            GateNews::LeftOut(None) => GateStatus::Skipped,
            GateNews::LeftOut(Some(why)) => GateStatus::Unproven(why),
        };
        self.waived = match news {
            GateNews::LeftOut(why) => why.is_none(),
            GateNews::Begun | GateNews::Due => false,
            GateNews::Green(_) | GateNews::Red(..) | GateNews::Wrote | GateNews::Holds => waived,
        };
        self.exit = match news {
            GateNews::Red(_, exit) => exit,
            GateNews::Begun | GateNews::Due | GateNews::Green(_) => None,
            GateNews::Wrote | GateNews::Holds | GateNews::LeftOut(_) => self.exit,
        };
    }

    /// Whether the user left it out by name; what was stored says so by the status alone.
    pub const fn is_waived(&self) -> bool {
        self.waived || matches!(self.status, GateStatus::Skipped)
    }

    /// Whether it is red and nobody waived it.
    pub const fn is_red(&self) -> bool {
        matches!(self.status, GateStatus::Failed(_)) && !self.is_waived()
    }

    /// Whether it is red and the user skipped it.
    pub const fn is_red_and_skipped(&self) -> bool {
        matches!(self.status, GateStatus::Failed(_)) && self.is_waived()
    }

    /// Whether it was green, files changed since, and it is to be so again.
    pub const fn is_stale(&self) -> bool {
        matches!(self.status, GateStatus::Stale(_)) && !self.is_waived()
    }

    /// Whether it is green on the files as they are.
    pub const fn is_green(&self) -> bool {
        matches!(self.status, GateStatus::Passed(_))
    }

    /// Whether nothing of it stands in the way of a complete run: it is green, or waived by name.
    pub const fn is_met(&self) -> bool {
        self.is_green() || self.is_waived()
    }
}

/// Where a gate stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Under way.
    Running,
    /// Green, with its evidence.
    Passed(EvidenceId),
    /// Red, with its evidence.
    Failed(EvidenceId),
    /// Green once; files changed since.
    Stale(EvidenceId),
    /// Left out by the user.
    Skipped,
    /// It proves nothing, and nobody waived it.
    Unproven(Unproven),
}

/// Why a gate proves nothing although the user did not leave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unproven {
    /// Its command was not let run, by a rule or a hook.
    Refused,
    /// The message that it serves lets nothing run.
    Path,
    /// Nobody was there to let it run.
    Unattended,
    /// Its program is not here, or needs what is not.
    CannotRun,
    /// It was red before anything was changed.
    FailedBefore,
    /// It was never green here, and nothing was changed that it could tell of.
    NoCode,
}

impl Unproven {
    /// It in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Refused => "a rule or a hook refuses it",
            Self::Path => "your message said that nothing is to run",
            Self::Unattended => "nobody was there to approve it",
            Self::CannotRun => "it cannot run here",
            Self::FailedBefore => "it failed before too",
            Self::NoCode => "red, but no code was changed and it was never green here",
        }
    }

    /// What became of its gate, with that: `not run (it cannot run here)`.
    pub fn told(self) -> String {
        let what = if matches!(self, Self::FailedBefore | Self::NoCode) { "not counted" } else { "not run" };
        format!("{what} ({})", self.words())
    }
}

impl GateStatus {
    /// What proved it, while it is green.
    pub const fn proof(self) -> Option<EvidenceId> {
        match self {
            Self::Passed(evidence) => Some(evidence),
            Self::Pending
            | Self::Running
            | Self::Failed(_)
            | Self::Stale(_)
            | Self::Skipped
            | Self::Unproven(_) => None,
        }
    }

    /// What proved it before files changed.
    pub const fn former_proof(self) -> Option<EvidenceId> {
        match self {
            Self::Stale(evidence) => Some(evidence),
            Self::Pending
            | Self::Running
            | Self::Passed(_)
            | Self::Failed(_)
            | Self::Skipped
            | Self::Unproven(_) => None,
        }
    }
}

/// The workspace that a gate was run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenTree {
    /// Its hash, with what later gates may have written.
    pub tree: BlobId,
    /// Whether nothing changed while the gate ran, or one after it.
    pub still: bool,
}

impl Plan {
    /// Whether a gate is due once this step is done: nothing else is left to do before it, and nobody left it out.
    pub fn falls_due(&self, gate: &Gate, task: TaskId) -> bool {
        !gate.is_waived() && self.awaited(gate).all(|t| t.id == task || t.status.settled())
    }
}
