//! Questions folded into the state: which are open, and what their answers leave behind.

use std::sync::Arc;

use crate::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    ids::Seq,
    plan::{Begun, Plan},
    policy::By,
    session::State,
    shell::tells_its_end,
    tool::Run,
};

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
                if let Some(said) = question.as_ref().and_then(|kind| words(kind, answer.as_ref()?)) {
                    Arc::make_mut(&mut self.said).add(&said);
                }
                if let Some(kind) = &question {
                    self.widen(kind, approval.is_some(), answer.as_ref());
                    if answer.is_some() {
                        self.pause_asked(kind);
                    }
                    self.consent(kind, approval.is_some(), answer.as_ref());
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

    /// The plan begins as it is now: by a yes, or unasked.
    pub(super) fn note_begun(&mut self, agreed: bool) {
        let Some(plan) = &self.plan else { return };
        let known = self.begun.is_some_and(|begun| begun.is_of(plan) && begun.agreed);
        self.begun = Some(Begun { turn: plan.turn, version: plan.version, agreed: agreed || known });
    }

    /// Keeps the exact lines to which the user said yes.
    fn consent(&mut self, kind: &CheckpointKind, approved: bool, answer: Option<&Answer>) {
        match (kind, answer) {
            (CheckpointKind::Confirmation(_), _) if approved => {
                self.note_begun(true);
                let gates = self.plan.iter().flat_map(Plan::named_gates);
                self.approved_gates.extend(gates.map(|g| g.command.clone()));
            }
            // A plan that was left at its question, or refused, wants a yes of its own.
            (CheckpointKind::Confirmation(_), _) => self.begun = None,
            (CheckpointKind::Trust(trust), _) if approved => {
                self.approved_gates.extend(trust.gates.iter().cloned());
                self.shown_checks.clone_from(&trust.checks);
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

/// The words of an answer, a choice by what it says.
fn words(question: &CheckpointKind, answer: &Answer) -> Option<String> {
    match (answer, question) {
        (Answer::Text(said) | Answer::Reject(said) | Answer::Line(said), _) => Some(said.clone()),
        (Answer::Pick(at), CheckpointKind::Clarification(asked)) => asked.choices.get(*at).cloned(),
        _ => None,
    }
}
