//! Proposals and writes as their events tell them.
//!
//! Owns what they mean to the rest of the state: ids, and the files of the run.

use crate::{event::Event, session::State};

/// Events of proposals and of the writes that they become.
macro_rules! change_events {
    () => {
        Event::Proposed { .. }
            | Event::HunkDecided { .. }
            | Event::ProposalEdited { .. }
            | Event::ProposalClosed { .. }
            | Event::ProposalSetAside { .. }
            | Event::ProposalTakenUp { .. }
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
        self.changes.fold(event);
        match event {
            Event::Proposed { proposal, .. } | Event::ProposalEdited { proposal, .. } => {
                self.saw(proposal.id.0);
            }
            Event::ApplyApproved { apply, approval, .. } => self.saw(apply.0.max(approval.0)),
            Event::Applied { apply } => {
                let files = self.changes.applies().get(apply).into_iter().flat_map(|a| &a.files);
                if let Some(run) = &mut self.run {
                    run.files.extend(files.map(|f| f.path.clone()));
                }
            }
            _ => {}
        }
    }
}
