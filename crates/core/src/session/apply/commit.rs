//! Commits folded into the state: what git is asked about, what it makes.

use crate::{
    checkpoint::CheckpointKind,
    event::Event,
    ids::ApplyId,
    session::{State, state::CommitStage},
};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_commit(&mut self, event: &Event) {
        match event {
            Event::CommitSought { commit, files, message } => {
                self.saw(commit.0);
                let stage = CommitStage::Look { files: files.clone(), message: message.clone() };
                self.committing = Some((*commit, stage));
            }
            Event::CommitApproved { commit, approval, files, message, merge } => {
                self.saw(approval.0);
                let (files, message, merge) = (files.clone(), message.clone(), merge.clone());
                let stage = CommitStage::Make { files, message, merge };
                self.committing = Some((*commit, stage));
            }
            Event::CommitEnded { commit, made, .. } => {
                let stage = self.committing.take().map(|(_, stage)| stage);
                if let (Some(made), Some(CommitStage::Make { files, .. })) = (made, stage) {
                    self.note_committed(*commit, made, &files);
                }
            }
            _ => {}
        }
    }

    /// Whether a commit of this session holds any of these writes.
    pub(in crate::session) fn is_committed(&self, writes: impl IntoIterator<Item = ApplyId>) -> bool {
        let held = |id: ApplyId| self.origins.committed.iter().any(|(of, _)| *of == id);
        writes.into_iter().any(held)
    }

    /// Git has looked once it is asked about. Where it was to look without a message, nobody worded the one that is shown.
    pub(super) fn commit_asked(&mut self, kind: &CheckpointKind) {
        if !matches!(kind, CheckpointKind::Commit(_)) {
            return;
        }
        self.unworded = match self.committing.take() {
            Some((commit, CommitStage::Look { message, .. })) if message.is_empty() => Some(commit),
            _ => None,
        };
    }
}
