//! What a run came to, as the workbench itself saw it.
//!
//! Owns the facts that stand at its end. Never holds a word of a model.

use serde::{Deserialize, Serialize};

use crate::{
    ids::Millis,
    money::{Spell, count},
    plan::{GateStatus, TaskStatus, failed_and_skipped},
    relpath::RelPath,
    shell::{is_check, proves},
    talk::Usage,
};

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// How long it worked.
    pub took: Millis,
    /// How long it waited for the user meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Millis>,
    /// What its model calls cost.
    pub usage: Usage,
    /// What it wrote and is not taken back, file by file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileTally>,
    /// Steps that were done.
    #[serde(default)]
    pub done: usize,
    /// Steps that were not, and what became of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<StepLeft>,
    /// Steps in which nothing was to be changed, by their agent's word, by their titles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// What was proposed and the user left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Its gates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateFact>,
    /// Checks that its agent ran and that failed, were not run again, and that no gate checks as much as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<String>,
    /// The command of its agent that ended last since its last change: a check that ended well, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<LastRun>,
    /// The command of its agent that failed last, where nothing after it answers for it and `red` does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broke: Option<LastRun>,
    /// What was to be left alone, was changed by a command all the same and was not put back, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<String>,
    /// Proposals that are set aside.
    #[serde(default)]
    pub set_aside: usize,
}

/// A command that ended after the last change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// Its line.
    pub command: String,
    /// Its exit code, where it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
}

impl LastRun {
    /// How it failed, in words: `failed (exit 1)`.
    pub fn failed(&self) -> String {
        crate::plan::failed(self.exit)
    }

    /// Whether it ended well and could prove something by that.
    pub fn passed(&self) -> bool {
        self.exit == Some(0) && proves(&self.command)
    }
}

/// A file with the lines that came and went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTally {
    /// The file.
    pub path: RelPath,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether there is no such file any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

/// Hunks of a file that were proposed and that the user left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The file.
    pub path: RelPath,
    /// How many were left out.
    pub hunks: usize,
    /// How many there were.
    pub of: usize,
}

/// A step that was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLeft {
    /// Its number in the plan, from 1.
    pub number: usize,
    /// What it was to do.
    pub title: String,
    /// What became of it.
    pub status: TaskStatus,
}

/// A gate as it stood at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateFact {
    /// Its name.
    pub name: String,
    /// Its command.
    pub command: String,
    /// Where it stands, with its evidence.
    pub status: GateStatus,
    /// Whether the user skipped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waived: bool,
    /// The exit code of its last red run, where that had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
}

impl FileTally {
    /// `src/a.rs +12 -3`.
    pub fn line(&self) -> String {
        format!("{} {}", self.path, tally(self.added, self.removed))
    }
}

impl LeftOut {
    /// `left out: 1 of 3 hunks of src/a.rs`, `left out: src/a.rs`.
    pub fn line(&self) -> String {
        match (self.hunks, self.of) {
            (left, of) if left >= of => format!("left out: {}", self.path),
            (left, of) => format!("left out: {left} of {of} hunks of {}", self.path),
        }
    }
}

/// That a step changed none of the files that it names.
pub fn untouched(files: &[RelPath]) -> String {
    match files {
        [one] => format!("done, its file {one} was not changed"),
        all => {
            let names: Vec<&str> = all.iter().map(RelPath::as_str).collect();
            format!("done, its files {} were not changed", names.join(", "))
        }
    }
}

/// `+12 -3`, without the half that is nothing.
pub fn tally(added: usize, removed: usize) -> String {
    match (added, removed) {
        (_, 0) => format!("+{added}"),
        (0, _) => format!("-{removed}"),
        (_, _) => format!("+{added} -{removed}"),
    }
}

impl GateFact {
    /// How it stood, in a few words.
    pub fn word(&self) -> String {
        let word = match self.status {
            GateStatus::Passed(_) => "passed, exit 0",
            GateStatus::Failed(_) if self.waived => return failed_and_skipped(self.exit),
            GateStatus::Failed(_) => "failed",
            GateStatus::Stale(_) => "stale: files changed since it passed",
            GateStatus::Skipped => "skipped",
            GateStatus::Unproven(why) => return why.told(),
            GateStatus::Pending | GateStatus::Running => "not run",
        };
        word.to_owned()
    }
}

impl StepLeft {
    /// What became of it, in a word.
    pub const fn word(&self) -> &'static str {
        match self.status {
            TaskStatus::Failed => "failed",
            TaskStatus::Skipped => "skipped",
            TaskStatus::Cancelled => "stopped",
            TaskStatus::TakenBack => "taken back",
            TaskStatus::NotDone => "not done",
            TaskStatus::Pending | TaskStatus::Running => "not begun",
            TaskStatus::Done => "done",
        }
    }
}

impl Completion {
    /// What checked what was written where no gate did, or that nothing did.
    pub fn unchecked(&self) -> Option<String> {
        if !self.gates.is_empty() || self.files.is_empty() {
            return None;
        }
        let nothing =
            if self.done > 0 { "not checked: the plan has no gate" } else { "not checked: nothing was run" };
        Some(match &self.ran {
            None if !self.red.is_empty() && self.done == 0 => return None,
            None => nothing.to_owned(),
            Some(run) if run.passed() && is_check(&run.command) => {
                format!("no gate; `{}` passed (exit 0)", run.command)
            }
            Some(run) if run.passed() => format!("not checked: no gate; `{}` ended with exit 0", run.command),
            Some(_) if self.done > 0 => nothing.to_owned(),
            Some(_) if self.red.is_empty() => "not checked: no test passed after the last change".to_owned(),
            Some(_) => return None,
        })
    }

    /// How long it took.
    pub fn spell(&self) -> Spell {
        Spell { worked: self.took, waited: self.waited.unwrap_or_default() }
    }

    /// `3 files created/modified, 1 removed`, of so many files that were written.
    pub fn wrote(&self, files: usize) -> String {
        let files = files.max(self.files.len());
        match (self.files.iter().filter(|f| f.gone).count(), files) {
            (0, n) => format!("{} created/modified", count(n, "file")),
            (gone, n) if gone >= n => format!("{} removed", count(gone, "file")),
            (gone, n) => format!("{} created/modified, {gone} removed", count(n - gone, "file")),
        }
    }

    /// `1 of 2 steps changed nothing: Integration tests`, where others did change something.
    pub fn idle_steps(&self) -> Option<String> {
        let all = self.done + self.left.len();
        let some = all > 1 && !self.unchanged.is_empty() && !self.files.is_empty();
        some.then(|| {
            format!("{} of {all} steps changed nothing: {}", self.unchanged.len(), self.unchanged.join("; "))
        })
    }

    /// Lines that came and went in all.
    pub fn lines(&self) -> (usize, usize) {
        self.files.iter().fold((0, 0), |(a, r), f| (a + f.added, r + f.removed))
    }
}
