//! How far a plan is: what is done, what will not be done any more, which gates are green.
//!
//! Owns the counts and their words. Never decides what comes next.

use super::{Gate, GateStatus, Plan, TaskStatus};
use crate::money::count;

/// How a step ends that is not done, and the word for it.
const NOT_DONE: [(TaskStatus, &str); 5] = [
    (TaskStatus::Failed, "failed"),
    (TaskStatus::Cancelled, "stopped"),
    (TaskStatus::Skipped, "skipped"),
    (TaskStatus::TakenBack, "taken back"),
    (TaskStatus::NotDone, "not done"),
];

impl Plan {
    /// How many tasks are done.
    pub fn done(&self) -> usize {
        self.counted(TaskStatus::Done)
    }

    /// The steps that are done, and each kind of those that will not be any more apart: `1 of 4 steps, 1 failed, 2
    /// skipped`.
    pub fn steps(&self) -> String {
        format!("{} of {}{}", self.done(), count(self.tasks.len(), "step"), self.not_done())
    }

    /// The steps that will not be done any more, each kind apart: `, 1 failed, 2 skipped`.
    pub(super) fn not_done(&self) -> String {
        let kinds = NOT_DONE.map(|(status, word)| (self.counted(status), word));
        kinds
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| format!(", {n} {word}"))
            .collect::<Vec<_>>()
            .concat()
    }

    /// How many gates are green on the files as they are, and how many are asked for: all but those left out by name,
    /// and those that nobody asked for and that prove nothing here.
    pub fn checked(&self) -> (usize, usize) {
        let green = self.gates.iter().filter(|g| g.is_green()).count();
        let asked = |g: &&Gate| match g.status {
            GateStatus::Passed(_) | GateStatus::Failed(_) => true,
            GateStatus::Unproven(_) => !g.found,
            GateStatus::Skipped | GateStatus::Pending | GateStatus::Running | GateStatus::Stale(_) => {
                !g.is_waived()
            }
        };
        (green, self.gates.iter().filter(asked).count())
    }

    /// The same in words, behind how many steps are done: `, 0/1 gate`; nothing where none is asked for.
    pub fn checks(&self) -> String {
        match self.checked() {
            (_, 0) => String::new(),
            (green, gates) => format!(", {green}/{}", count(gates, "gate")),
        }
    }

    /// How many tasks stand so.
    pub(super) fn counted(&self, status: TaskStatus) -> usize {
        self.tasks.iter().filter(|t| t.status == status).count()
    }
}
