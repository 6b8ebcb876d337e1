//! What was done of a step that was cut off, and what needed no write.
//!
//! Owns both as facts. Never decides what follows from them.

use super::{ApplyStatus, Changes};
use crate::{
    ids::{ProposalId, TaskId, TurnId},
    proposal::{Proposal, ProposalStatus},
    session::{Deeds, Lane, LaneKind},
};

impl Changes {
    /// A proposal ended without a write.
    pub(super) fn closed(&mut self, proposal: ProposalId, dropped: bool, there: bool) {
        let status = match (dropped, there) {
            (true, _) => ProposalStatus::Dropped,
            (false, true) => ProposalStatus::There,
            (false, false) => ProposalStatus::Skipped,
        };
        self.set_proposals(std::iter::once(proposal), status);
        if there {
            self.needs_no_write(proposal);
        }
    }

    /// Its file holds a proposal already: the write that was to make it does without, and is none where nothing is left.
    fn needs_no_write(&mut self, proposal: ProposalId) {
        for apply in self.applies.values_mut().filter(|a| a.status == ApplyStatus::Approved) {
            let was = apply.take.len();
            apply.take.retain(|(id, _)| *id != proposal);
            if was > 0 && apply.take.is_empty() {
                apply.status = ApplyStatus::Failed;
            }
        }
    }

    /// Whether a step that was cut off had done something by then.
    pub fn had_begun(&self, task: TaskId) -> bool {
        self.begun.contains(&task)
    }

    /// A step is over: what comes after that is another go at it.
    pub fn step_ends(&mut self, task: TaskId) {
        self.begun.remove(&task);
    }

    /// A line of work ends: what it did is its step's.
    pub(super) fn note_begun(&mut self, lane: &Lane) {
        let made = |p: &Proposal| matches!(p.status, ProposalStatus::Applied(_) | ProposalStatus::There);
        let mut own = self.proposals.values().filter(|p| p.lane == lane.id);
        if lane.deeds == Deeds::Done || own.any(made) {
            self.begun.extend(lane.kind.task());
        }
        if matches!(lane.kind, LaneKind::Repair(_)) {
            self.mends.insert(lane.id, lane.turn);
        }
    }

    /// The message of the run whose gate a proposal was to make green, where its line of work has ended.
    pub fn mends(&self, proposal: &Proposal) -> Option<TurnId> {
        self.mends.get(&proposal.lane).copied()
    }
}
