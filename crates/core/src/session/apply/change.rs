//! Proposals and writes as their events tell them.
//!
//! Owns their part of the fold. Never decides anything.

use crate::{
    event::Event,
    ids::{ApplyId, ProposalId},
    proposal::{Decision, Proposal, ProposalStatus},
    session::state::{Apply, ApplyStatus, State},
};

/// Events of proposals and of the writes that they become.
macro_rules! change_events {
    () => {
        Event::Proposed { .. }
            | Event::HunkDecided { .. }
            | Event::ProposalEdited { .. }
            | Event::ProposalClosed { .. }
            | Event::ApplyApproved { .. }
            | Event::ApplyStarted { .. }
            | Event::Applied { .. }
            | Event::ApplyFailed { .. }
            | Event::RevertStarted { .. }
            | Event::Reverted { .. }
            | Event::RevertFailed { .. }
    };
}
pub(super) use change_events;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_change(&mut self, event: &Event) {
        match event {
            Event::Proposed { proposal, .. } | Event::ProposalEdited { proposal, .. } => {
                self.saw(proposal.id.0);
                self.drop_older(proposal);
                self.proposals.insert(proposal.id, proposal.clone());
            }
            Event::HunkDecided { proposal, hunk, decision } => {
                if let Some(p) = self.proposals.get_mut(proposal) {
                    match decision {
                        Some(d) => drop(p.decided.insert(*hunk, *d)),
                        None => drop(p.decided.remove(hunk)),
                    }
                }
            }
            Event::ProposalClosed { proposal, dropped, .. } => {
                if let Some(p) = self.proposals.get_mut(proposal) {
                    p.status = if *dropped { ProposalStatus::Dropped } else { ProposalStatus::Skipped };
                }
            }
            Event::ApplyApproved { apply, approval, take, .. } => {
                self.saw(apply.0.max(approval.0));
                self.set_proposals(take.iter().map(|t| t.0), ProposalStatus::Applying(*apply));
                let apply = Apply {
                    id: *apply,
                    approval: *approval,
                    take: take.clone(),
                    files: Vec::new(),
                    status: ApplyStatus::Approved,
                };
                self.applies.insert(apply.id, apply);
            }
            Event::ApplyStarted { apply, files } => {
                if let Some(a) = self.applies.get_mut(apply) {
                    a.files.clone_from(files);
                    a.status = ApplyStatus::Writing;
                }
            }
            Event::Applied { apply } => self.applied(*apply),
            Event::ApplyFailed { apply, .. } => {
                if let Some(a) = self.applies.get_mut(apply) {
                    a.status = ApplyStatus::Failed;
                    let ids: Vec<_> = a.take.iter().map(|t| t.0).collect();
                    self.set_proposals(ids.into_iter(), ProposalStatus::Open);
                }
            }
            Event::RevertStarted { apply, redo } => {
                self.set_apply(*apply, ApplyStatus::Reverting { redo: *redo });
            }
            Event::Reverted { apply, redo: false } => {
                self.set_apply(*apply, ApplyStatus::Reverted);
                self.ledger.retain(|a| a != apply);
                self.undone.push(*apply);
            }
            Event::Reverted { apply, redo: true } => {
                self.set_apply(*apply, ApplyStatus::Applied);
                self.undone.retain(|a| a != apply);
                self.ledger.push(*apply);
            }
            Event::RevertFailed { apply, redo, .. } => {
                let back = if *redo { ApplyStatus::Reverted } else { ApplyStatus::Applied };
                self.set_apply(*apply, back);
            }
            _ => {}
        }
    }

    /// A lane has one open proposal for a file: the last.
    fn drop_older(&mut self, new: &Proposal) {
        let of_file = |p: &&mut Proposal| p.lane == new.lane && p.path == new.path && p.id != new.id;
        for old in self.proposals.values_mut().filter(of_file) {
            if old.status == ProposalStatus::Open {
                old.status = ProposalStatus::Dropped;
            }
        }
    }

    fn set_apply(&mut self, id: ApplyId, status: ApplyStatus) {
        if let Some(a) = self.applies.get_mut(&id) {
            a.status = status;
        }
    }

    fn set_proposals(&mut self, ids: impl Iterator<Item = ProposalId>, status: ProposalStatus) {
        for id in ids {
            if let Some(p) = self.proposals.get_mut(&id) {
                p.status = status;
            }
        }
    }

    fn applied(&mut self, id: ApplyId) {
        let Some(apply) = self.applies.get_mut(&id) else { return };
        apply.status = ApplyStatus::Applied;
        let files = apply.files.clone();
        for (proposal, taken) in apply.take.clone() {
            if let Some(p) = self.proposals.get_mut(&proposal) {
                p.status = ProposalStatus::Applied(id);
                for hunk in 0..p.hunks.len() {
                    let decision = if taken.contains(&hunk) { Decision::Taken } else { Decision::Left };
                    p.decided.insert(hunk, decision);
                }
            }
        }
        self.ledger.push(id);
        self.undone.clear();
        if let Some(run) = &mut self.run {
            run.files.extend(files.into_iter().map(|f| f.path));
        }
    }
}
