//! What of the steps of a plan was taken back since: looked up once for all of them.

use std::collections::BTreeSet;

use pilothouse_core::{
    ids::TaskId,
    proposal::{Proposal, ProposalStatus},
    session::{ApplyStatus, State},
};

/// The steps of which something was taken back since.
pub(super) fn with_back(state: &State) -> BTreeSet<TaskId> {
    state.proposals().values().filter(|p| is_taken_back(p, state)).filter_map(|p| p.task).collect()
}

/// Whether what was written of a proposal was taken back since.
pub(super) fn is_taken_back(p: &Proposal, state: &State) -> bool {
    let ProposalStatus::Applied(apply) = p.status else { return false };
    state.applies().get(&apply).is_some_and(|a| a.status == ApplyStatus::Reverted)
}
