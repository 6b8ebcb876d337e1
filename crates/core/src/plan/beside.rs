//! Which task of a plan comes next, and which may be at work at the same time.
//!
//! Owns that rule. Never says how many.

use super::{Plan, Task, TaskStatus};
use crate::{intent::IntentNode, relpath::RelPath, scope::ToolScope};

impl Task {
    /// Whether two tasks may be at work at the same time: both only read, or both name their files, neither has one of
    /// the other's, and neither is there to run commands.
    pub fn stands_beside(&self, other: &Self) -> bool {
        let reads = |t: &Self| ToolScope::READ_ONLY.contains(t.node.scope());
        let named = |t: &Self| t.node != IntentNode::Execute && !t.files.is_empty();
        (reads(self) && reads(other))
            || (named(self) && named(other) && !self.files.iter().any(|file| other.has(file)))
    }

    /// Whether it names a file, or a folder that holds it, or something in it.
    pub fn has(&self, file: &RelPath) -> bool {
        let inside = |a: &RelPath, b: &RelPath| {
            a.as_str().strip_prefix(b.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.files.iter().any(|own| inside(own, file) || inside(file, own))
    }
}

impl Plan {
    /// The first task that is pending, whose predecessors are done, and which may be at work beside those that are.
    pub fn next_task(&self) -> Option<&Task> {
        self.tasks.iter().find(|t| {
            t.status == TaskStatus::Pending
                && t.after.iter().all(|a| self.task(*a).is_none_or(|t| t.status == TaskStatus::Done))
                && self.running().all(|r| r.stands_beside(t))
        })
    }

    /// Tasks at work, in the order of the plan.
    pub fn running(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|t| t.status == TaskStatus::Running)
    }
}
