//! What of the steps of a plan was written, file by file, and what of it was taken back since.

use std::collections::BTreeSet;

use pilothouse_core::{
    ids::{ApplyId, TaskId},
    proposal::{Proposal, ProposalStatus},
    session::{Standing, State},
};

/// The steps of which something was taken back since.
pub(super) fn with_back(state: &State) -> BTreeSet<TaskId> {
    let steps: BTreeSet<TaskId> = state.proposals().values().filter_map(|p| p.task).collect();
    let back = |task: &TaskId| state.standing_of_step(*task).is_some_and(|s| s != Standing::All);
    steps.into_iter().filter(back).collect()
}

/// Whether nothing is left of what was written of a proposal.
pub(super) fn is_taken_back(p: &Proposal, state: &State) -> bool {
    state.standing(p) == Some(Standing::Nothing)
}

/// What a step proposed, with the lines of what is written: the writes of one file are one, where the last of them stands.
pub(super) fn by_file<'p>(
    nested: &[&'p Proposal],
    state: &State,
) -> Vec<(&'p Proposal, Option<(usize, usize)>)> {
    let write = |p: &Proposal| {
        let ProposalStatus::Applied(apply) = p.status else { return None };
        (!is_taken_back(p, state)).then_some(apply)
    };
    let mut out = Vec::new();
    for (n, p) in nested.iter().copied().enumerate() {
        let same = |of: &&&Proposal| of.path == p.path && write(of).is_some();
        if write(p).is_none() {
            out.push((p, None));
        } else if !nested.iter().skip(n + 1).any(|of| same(&of)) {
            let writes: Vec<ApplyId> = nested.iter().filter(same).filter_map(|of| write(of)).collect();
            let file = state.written_by(&p.path, &writes);
            out.push((p, file.map(|file| (file.added, file.removed))));
        }
    }
    out
}
