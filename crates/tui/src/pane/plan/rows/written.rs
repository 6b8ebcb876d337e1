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

/// The files of which a step proposed something, each once: those that wait first, by path as the diff has them. With each the proposal that says how it
/// stands, which is the one that waits, else the last write, and the lines of what is written of it.
pub(super) fn by_file<'p>(
    nested: &[&'p Proposal],
    state: &State,
) -> Vec<(&'p Proposal, Option<(usize, usize)>)> {
    let write = |p: &Proposal| {
        let ProposalStatus::Applied(apply) = p.status else { return None };
        (!is_taken_back(p, state)).then_some(apply)
    };
    let open = |p: &Proposal| matches!(p.status, ProposalStatus::Open | ProposalStatus::Applying(_));
    let rank = |p: &Proposal| if open(p) { 2 } else { u8::from(write(p).is_some()) };
    let mut out: Vec<(&Proposal, Option<(usize, usize)>)> = Vec::new();
    for (n, first) in nested.iter().enumerate() {
        if nested.iter().take(n).any(|p| p.path == first.path) {
            continue;
        }
        let of_file: Vec<&'p Proposal> = nested.iter().copied().filter(|p| p.path == first.path).collect();
        let Some(shown) = of_file.iter().copied().max_by_key(|p| (rank(p), p.id)) else { continue };
        let writes: Vec<ApplyId> = of_file.iter().filter_map(|p| write(p)).collect();
        let file = (!writes.is_empty()).then(|| state.written_by(&shown.path, &writes)).flatten();
        out.push((shown, file.map(|file| (file.added, file.removed))));
    }
    out.sort_by_key(|(p, _)| (p.status != ProposalStatus::Open, &p.path));
    out
}
