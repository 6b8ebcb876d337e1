//! Questions folded into the state: which are open, and what their answers leave behind.

use std::sync::Arc;

use crate::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    ids::{ApprovalId, Seq},
    plan::Plan,
    policy::By,
    session::State,
    shell::tells_its_end,
    tool::Run,
};

/// A yes to a plan, and to what exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct Agreed {
    /// The yes.
    pub approval: ApprovalId,
    /// The hash of the work that it was to.
    pub work: BlobId,
    /// The lines of gates that it covers.
    pub gates: Vec<String>,
}

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
                self.asked.insert(checkpoint.id, (seq, self.at));
                self.open.insert(checkpoint.id, checkpoint.clone());
            }
            Event::CheckpointResolved { checkpoint, approval, answer } => {
                self.saw(approval.map_or(0, |a| a.0));
                self.asked.remove(checkpoint);
                let question = self.open.remove(checkpoint).map(|q| q.kind);
                if let Some(kind) = &question {
                    self.widen(kind, approval.is_some(), answer.as_ref());
                    if answer.is_some() {
                        self.pause_asked(kind);
                    }
                    self.consent(kind, *approval, answer.as_ref());
                }
                if question.as_ref().is_some_and(CheckpointKind::takes_back)
                    && !matches!(answer, Some(Answer::Approve | Answer::Text(_)))
                {
                    Arc::make_mut(&mut self.changes).leave_the_rest();
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

    /// Who wants a gate's line: the user said yes to it with the plan, or let it run for the session before.
    pub fn gate_by(&self, line: &str) -> By {
        match (self.allowed_lines.contains(line), self.approved_gates.contains(line)) {
            (true, _) => By::Agent,
            (false, true) => By::Approved,
            (false, false) => By::Gate,
        }
    }

    /// What the user said of just this before: that line, at the workspace's root, with nothing beyond the usual. `None`
    /// where they said yes to no such thing, though it were to the same line elsewhere.
    pub fn agreed_to(&self, run: &Run) -> Option<By> {
        let Run { command, folder, timeout_s: _, network, outside, reason: _ } = run;
        let plain = folder.is_empty() && !network && !outside;
        Some(self.gate_by(command)).filter(|by| plain && *by != By::Gate)
    }

    /// The yes to the plan that stands there, where nothing of its steps and gates is another one since.
    pub(in crate::session) fn agreed_approval(&self) -> Option<ApprovalId> {
        let work = self.plan.as_ref()?.work();
        self.agreed.as_ref().filter(|agreed| agreed.work == work).map(|agreed| agreed.approval)
    }

    /// A run by a yes that was given before covers the lines of gates that it was given to.
    pub(super) fn agreed_again(&mut self, approval: ApprovalId) {
        let again = self.agreed_approval() == Some(approval);
        let gates = self.agreed.iter().filter(|_| again).flat_map(|agreed| &agreed.gates);
        self.approved_gates.extend(gates.cloned());
    }

    /// Keeps the exact lines to which the user said yes.
    fn consent(&mut self, kind: &CheckpointKind, approval: Option<ApprovalId>, answer: Option<&Answer>) {
        let approved = approval.is_some();
        match (kind, answer) {
            (CheckpointKind::Confirmation(_), _) if approved => {
                let gates = self.plan.iter().flat_map(Plan::named_gates);
                let gates: Vec<String> = gates.map(|g| g.command.clone()).collect();
                self.approved_gates.extend(gates.iter().cloned());
                let to = self.plan.as_ref().zip(approval);
                self.agreed =
                    to.map(|(plan, approval)| Agreed { approval, work: plan.work(), gates: gates.clone() });
            }
            // A no, and whatever else becomes of the question, takes that back.
            (CheckpointKind::Confirmation(_), _) => self.agreed = None,
            (CheckpointKind::Trust(trust), _) if approved => {
                self.approved_gates.extend(trust.gates.iter().cloned());
            }
            (CheckpointKind::GateChange(change), _) if approved => {
                self.approved_gates.insert(change.to.clone());
            }
            (CheckpointKind::Risk(command), Some(Answer::Grant { .. })) if command.is_plain() => {
                // A pipe that only shortens what is shown makes no other line of it.
                self.allowed_lines.extend(tells_its_end(&command.command));
                self.allowed_lines.insert(command.command.clone());
            }
            _ => {}
        }
    }
}
