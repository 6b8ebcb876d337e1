//! Questions folded into the state: which are open, and what their answers leave behind.

use crate::{checkpoint::CheckpointKind, event::Event, ids::Seq, session::State};

/// Events of questions.
macro_rules! question_events {
    () => {
        Event::CheckpointOpened { .. } | Event::CheckpointResolved { .. }
    };
}
pub(super) use question_events;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_question(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::CheckpointOpened { checkpoint } => {
                self.saw(checkpoint.id.0);
                if let CheckpointKind::Failure(f) = &checkpoint.kind {
                    self.failure = Some(f.clone());
                }
                self.commit_asked(&checkpoint.kind);
                self.asked.insert(checkpoint.id, seq);
                self.open.insert(checkpoint.id, checkpoint.clone());
            }
            Event::CheckpointResolved { checkpoint, approval, answer } => {
                self.saw(approval.map_or(0, |a| a.0));
                self.asked.remove(checkpoint);
                let question = self.open.remove(checkpoint).map(|q| q.kind);
                if let Some(kind) = &question {
                    self.widen(kind, approval.is_some(), answer.as_ref());
                }
                if let Some(CheckpointKind::Remember(asked)) = &question
                    && answer.is_some()
                    && approval.is_none()
                {
                    self.unwanted.push(asked.note.clone());
                }
                let Some(CheckpointKind::Access(access)) = question.filter(|_| approval.is_some()) else {
                    return;
                };
                let mut calls = self.lanes.values_mut().flat_map(|l| &mut l.calls);
                if let Some(open) = calls.find(|c| c.call == access.call) {
                    open.leave.push(access.request);
                }
            }
            _ => {}
        }
    }
}
