//! What the steps of a plan wrote, and what of that was taken back since: looked up once for all of them.

use std::collections::BTreeMap;

use pilothouse_core::{
    ids::TaskId,
    proposal::{Proposal, ProposalStatus},
    session::{ApplyStatus, State},
};

/// What each step wrote, and how much of it was taken back since.
pub(super) fn written(state: &State) -> BTreeMap<TaskId, (usize, usize)> {
    let mut all: BTreeMap<TaskId, (usize, usize)> = BTreeMap::new();
    for p in state.proposals().values() {
        if let (Some(task), ProposalStatus::Applied(_)) = (p.task, p.status) {
            let (written, back) = all.entry(task).or_default();
            *written += 1;
            *back += usize::from(is_taken_back(p, state));
        }
    }
    all
}

/// Whether what was written of a proposal was taken back since.
pub(super) fn is_taken_back(p: &Proposal, state: &State) -> bool {
    let ProposalStatus::Applied(apply) = p.status else { return false };
    state.applies().get(&apply).is_some_and(|a| a.status == ApplyStatus::Reverted)
}
