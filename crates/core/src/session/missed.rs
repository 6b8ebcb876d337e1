//! Changes of a line of work that came to nothing.
//!
//! Owns which of them were never made again. Never says what follows from that.

use std::collections::BTreeMap;

use super::{Lane, State};
use crate::{
    ids::{CallId, TaskId},
    relpath::RelPath,
};

/// The changes of a line of work that did not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// Whether one of its last reply came to nothing: what that reply runs after it was meant for it.
    pub now: bool,
    /// Why, and in which reply, for each file that no later reply changed.
    files: BTreeMap<RelPath, (String, Option<CallId>)>,
}

impl Missed {
    /// A change that the reply beginning with this call wanted came to nothing.
    pub(super) fn failed(&mut self, path: Option<RelPath>, why: &str, reply: Option<CallId>) {
        self.now = true;
        self.files.extend(path.map(|path| (path, (why.to_owned(), reply))));
    }

    /// A change was proposed: it stands for one that an earlier reply wanted of the file.
    pub(super) fn made(&mut self, path: &RelPath, reply: Option<CallId>) {
        if self.files.get(path).is_some_and(|(_, of)| *of != reply) {
            self.files.remove(path);
        }
    }
}

impl State {
    /// The files of a step whose change did not fit and was not made again, each with the reason.
    pub(super) fn never_made(&self, lane: &Lane, task: TaskId) -> Vec<(RelPath, String)> {
        let Some(task) = self.plan.as_ref().and_then(|p| p.task(task)) else { return Vec::new() };
        let files = lane.missed.files.iter().filter(|(path, _)| task.files.contains(path));
        files.map(|(path, (why, _))| (path.clone(), why.clone())).collect()
    }
}
