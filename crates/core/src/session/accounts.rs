//! Who spent what: the last call, each step, the run, the session.
//!
//! Owns the sums. Never counts tokens itself: what a call cost is told by its event.

use std::collections::BTreeMap;

use super::{LaneKind, State};
use crate::{
    ids::{LaneId, TaskId},
    talk::Usage,
};

/// What was spent beside the session's own sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accounts {
    /// By the last model call.
    pub call: Usage,
    /// By each step of the plans.
    pub tasks: BTreeMap<TaskId, Usage>,
    /// By the run under way, else by the last one.
    pub run: Usage,
    /// By finding out what messages mean and by summaries.
    pub besides: Usage,
    /// Replies so far.
    pub calls: u64,
}

impl State {
    /// Books what a reply to a lane cost.
    pub(super) fn spent_by(&mut self, lane: LaneId, usage: &Usage) {
        self.usage.add(usage);
        self.accounts.call = *usage;
        self.accounts.calls += 1;
        let of_run = self.run.as_ref().map(|r| r.turn);
        // What was cut off still says what it had, when its lane is gone.
        let Some(lane) = self.lanes.get(&lane) else { return };
        if lane.kind.of_run() || of_run == Some(lane.turn) {
            self.accounts.run.add(usage);
        }
        if let LaneKind::Task(task) = lane.kind {
            self.accounts.tasks.entry(task).or_default().add(usage);
        }
    }

    /// Books what something else cost that asked a model.
    pub(super) fn spent_besides(&mut self, usage: &Usage) {
        self.usage.add(usage);
        self.accounts.besides.add(usage);
    }
}
