//! Answers of the user to open questions: each exactly once, and only to what was shown.

use super::{Decided, Draft};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{CallStatus, Event},
    ids::{CallId, CheckpointId, LaneId, TurnId},
    input::Refusal,
    intent::{Control, IntentNode, Phase, Turn},
    sandbox::Confine,
    scope::Capability,
    session::LaneKind,
};

impl Draft<'_> {
    pub(super) fn answer(&mut self, id: CheckpointId, answer: Answer, shown: Option<BlobId>) -> Decided {
        let Some(question) = self.state.open.get(&id).cloned() else {
            return Err(Refusal::new("that question is answered already"));
        };
        match &question.kind {
            CheckpointKind::Confirmation => self.answer_plan(id, answer),
            CheckpointKind::Clarification { choices, lane, call, turn } => {
                let read = if let Answer::Text(text) = &answer { question.kind.read(text) } else { None };
                let answer = read.unwrap_or(answer);
                self.clarified(id, choices, (*lane).zip(*call), *turn, answer)
            }
            CheckpointKind::Failure(_) => self.answer_failure(&question, answer),
            CheckpointKind::Interruption { text } => self.answer_interruption(id, text, &answer),
            CheckpointKind::Risk { call, shown: wanted, confine, meant, .. } => {
                if shown != Some(*wanted) {
                    return Err(Refusal::new("the command changed since it was shown; look at it again"));
                }
                if meant.is_none() && !matches!(answer, Answer::Reject(_) | Answer::Abort | Answer::Skip) {
                    return Err(Refusal::new("a moment: it is being looked at what this would run"));
                }
                if let Answer::Line(line) = &answer {
                    return self.submit_line(id, line);
                }
                if let Answer::Grant { rules, lasting } = &answer {
                    return self.grant(id, *call, rules, *lasting);
                }
                self.answer_risk(id, *call, (question.kind.word(), *confine), answer)
            }
            CheckpointKind::Access { call, request, shown: wanted, .. } => {
                if shown != Some(*wanted) {
                    return Err(Refusal::new("what is asked changed since it was shown; look at it again"));
                }
                self.answer_access(id, *call, request, answer)
            }
            CheckpointKind::Transition { lane, call, to, .. } => {
                self.answer_transition(id, *lane, *call, *to, answer)
            }
            CheckpointKind::Trust { shown: wanted, .. } => {
                if shown != Some(*wanted) {
                    return Err(Refusal::new("what the folder brings changed; look at it again"));
                }
                self.answer_trust(id, *wanted, answer)
            }
            CheckpointKind::Exit => self.answer_exit(id, answer),
            CheckpointKind::Diff { .. } => {
                Err(Refusal::new("decide the hunks in the diff: apply, skip, or go up"))
            }
            CheckpointKind::PipelinePause { .. } | CheckpointKind::Breakout { .. } => {
                self.close(id, Some(answer));
                Ok(())
            }
        }
    }

    fn answer_plan(&mut self, id: CheckpointId, answer: Answer) -> Decided {
        match answer {
            Answer::Approve => self.approve_plan(id),
            Answer::Reject(reason) => self.reject_plan(id, &reason),
            Answer::Abort => self.abandon(),
            Answer::Text(text) => self.say(&text),
            Answer::Pick(_)
            | Answer::AutoFix
            | Answer::Skip
            | Answer::Manual
            | Answer::Retry
            | Answer::Replan
            | Answer::Respond
            | Answer::Continue
            | Answer::Word(_)
            | Answer::Grant { .. }
            | Answer::Line(_) => Err(wrong()),
        }
    }

    fn clarified(
        &mut self,
        id: CheckpointId,
        choices: &[String],
        asked_by: Option<(LaneId, CallId)>,
        turn: Option<TurnId>,
        answer: Answer,
    ) -> Decided {
        let said = match &answer {
            Answer::Pick(n) => Some(choices.get(*n).cloned().ok_or_else(wrong)?),
            Answer::Text(text) => Some(text.clone()),
            Answer::Abort => None,
            Answer::Approve
            | Answer::Reject(_)
            | Answer::AutoFix
            | Answer::Skip
            | Answer::Manual
            | Answer::Retry
            | Answer::Replan
            | Answer::Respond
            | Answer::Continue
            | Answer::Word(_)
            | Answer::Grant { .. }
            | Answer::Line(_) => return Err(wrong()),
        };
        let pick = if let Answer::Pick(n) = answer { Some(n) } else { None };
        self.close(id, Some(answer));
        if let Some((lane, call)) = asked_by {
            let Some(text) = said else { return self.give_up(lane) };
            self.end_call(lane, call, CallStatus::Done, &text);
            self.advance(lane);
            return Ok(());
        }
        match (turn, pick, said) {
            (Some(turn), Some(0), _) => self.route_as_work(turn),
            (Some(turn), Some(_), _) => self.route_query(turn),
            (_, None, Some(text)) => self.say(&text),
            _ => Ok(()),
        }
    }

    /// The user gives up what a lane does.
    fn give_up(&mut self, lane: LaneId) -> Decided {
        match self.state.lanes.get(&lane).map(|l| l.kind) {
            Some(LaneKind::Answer) if !self.has_own_run(lane) => {
                self.stop_answer(lane);
                Ok(())
            }
            Some(_) => self.stop(),
            None => Ok(()),
        }
    }

    /// The user said that a doubtful message is work.
    fn route_as_work(&mut self, turn: TurnId) -> Decided {
        let path = self.target(turn);
        match self.state.turns.get(&turn).map(|t| &t.class) {
            // A yes is given to the question itself, which stands again.
            Some(Turn::Control(Control::Approve | Control::Proceed)) if self.state.phase != Phase::Idle => {
                return Ok(());
            }
            Some(Turn::Control(_)) => return self.route(turn),
            Some(Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue) | None => {}
        }
        let asked = self.state.turns.get(&turn).is_some_and(|t| matches!(t.class, Turn::Query(_)));
        match (path.current() == IntentNode::Execute, path.scope().allows(Capability::Write)) {
            // "Shall I answer, or do it?"
            (true, _) if asked => self.route_goal(turn),
            (true, _) | (_, true) if !asked => self.route(turn),
            _ => self.route_plan(turn),
        }
    }

    fn answer_failure(&mut self, question: &Checkpoint, answer: Answer) -> Decided {
        let CheckpointKind::Failure(failure) = &question.kind else { return Err(wrong()) };
        let id = question.id;
        match (failure.gate, answer) {
            (Some(gate), Answer::AutoFix) => self.repair(id, gate),
            (Some(gate), Answer::Skip) => {
                self.close(id, Some(Answer::Skip));
                self.emit(Event::GateReset { gate, skipped: true });
                self.continue_run();
                Ok(())
            }
            (Some(gate), Answer::Retry) => {
                self.close(id, Some(Answer::Retry));
                self.emit(Event::GateReset { gate, skipped: false });
                self.continue_run();
                Ok(())
            }
            (Some(_), Answer::Manual) => self.manual(id),
            (Some(_), Answer::Abort) => self.stop(),
            (None, Answer::Retry) if self.state.phase == Phase::Failed => self.retry_failed(),
            (None, Answer::Replan) => {
                let turn = self.state.subject().ok_or_else(wrong)?;
                self.route_continue(turn)
            }
            (None, Answer::Manual) => self.manual(id),
            (None, Answer::Abort) => self.abandon(),
            _ => Err(wrong()),
        }
    }

    fn answer_interruption(&mut self, id: CheckpointId, text: &str, answer: &Answer) -> Decided {
        match answer {
            Answer::Respond => {
                self.close(id, Some(Answer::Respond));
                let said = self.state.turns.iter().rev().find(|(_, t)| t.head == text).map(|(id, _)| *id);
                self.route_query(said.or(self.state.turn).ok_or_else(wrong)?)
            }
            Answer::Continue => {
                self.close(id, Some(Answer::Continue));
                Ok(())
            }
            Answer::Abort => self.stop(),
            Answer::Approve
            | Answer::Reject(_)
            | Answer::Pick(_)
            | Answer::Text(_)
            | Answer::AutoFix
            | Answer::Skip
            | Answer::Manual
            | Answer::Retry
            | Answer::Replan
            | Answer::Word(_)
            | Answer::Grant { .. }
            | Answer::Line(_) => Err(wrong()),
        }
    }

    pub(super) fn answer_risk(
        &mut self,
        id: CheckpointId,
        call: CallId,
        (wanted, confine): (Option<&str>, Confine),
        answer: Answer,
    ) -> Decided {
        let allowed = match (&answer, wanted) {
            (Answer::Word(word), Some(wanted)) => word.trim() == wanted,
            (Answer::Approve, None) => true,
            (Answer::Word(word), None) => word.trim() == "y",
            (Answer::Skip, _) => {
                self.deny_call(id, call, answer, "skipped by the user");
                return Ok(());
            }
            (Answer::Reject(_) | Answer::Abort, _) => {
                self.deny_call(id, call, answer, "denied by the user");
                return Ok(());
            }
            _ => false,
        };
        if !allowed {
            let word = wanted.unwrap_or("y");
            return Err(Refusal::new(format!("type `{word}` to run this command; nothing else runs it")));
        }
        if !self.state.ceiling().allows(Capability::Execute) {
            return Err(Refusal::new("the ceiling is read-only: nothing runs. Shift-Tab or /ask raises it."));
        }
        let approval = self.allow(id, answer);
        self.start_approved(call, approval, Some(confine));
        Ok(())
    }

    fn answer_transition(
        &mut self,
        id: CheckpointId,
        lane: LaneId,
        call: CallId,
        to: IntentNode,
        answer: Answer,
    ) -> Decided {
        match answer {
            Answer::Approve => {
                let own_run = self.has_own_run(lane);
                if self.state.phase != Phase::Idle && !own_run {
                    return Err(Refusal::new("a run is under way; ask again when it is done"));
                }
                let approval = self.allow(id, Answer::Approve);
                self.let_write(lane, to, Some(approval));
                if !self.state.has_arrived(lane) {
                    return Ok(());
                }
                let asked = self
                    .state
                    .open_call(call)
                    .is_some_and(|(_, c)| c.tool == Some(crate::tool::Tool::RequestPath));
                if asked {
                    self.end_call(lane, call, CallStatus::Done, "the user allowed it; go on");
                }
                self.advance(lane);
                Ok(())
            }
            Answer::Reject(_) | Answer::Abort => {
                let back = self
                    .state
                    .lanes
                    .get(&lane)
                    .map(|l| crate::intent::IntentPath::to(l.node).retreat().current());
                if let Some(node) = back.filter(|n| *n != IntentNode::Conversation) {
                    self.retreat_to(lane, node);
                }
                self.deny_call(id, call, answer, "the user does not want files changed in this turn");
                Ok(())
            }
            Answer::Pick(_)
            | Answer::Text(_)
            | Answer::AutoFix
            | Answer::Skip
            | Answer::Manual
            | Answer::Retry
            | Answer::Replan
            | Answer::Respond
            | Answer::Continue
            | Answer::Word(_)
            | Answer::Grant { .. }
            | Answer::Line(_) => Err(wrong()),
        }
    }

    fn answer_exit(&mut self, id: CheckpointId, answer: Answer) -> Decided {
        match answer {
            Answer::Approve => {
                self.close(id, Some(Answer::Approve));
                self.stop_all();
                self.emit(Event::ControlGiven { control: crate::intent::Control::Exit });
                Ok(())
            }
            Answer::Reject(reason) => {
                self.close(id, Some(Answer::Reject(reason)));
                Ok(())
            }
            Answer::Abort
            | Answer::Pick(_)
            | Answer::Text(_)
            | Answer::AutoFix
            | Answer::Skip
            | Answer::Manual
            | Answer::Retry
            | Answer::Replan
            | Answer::Respond
            | Answer::Continue
            | Answer::Word(_)
            | Answer::Grant { .. }
            | Answer::Line(_) => Err(wrong()),
        }
    }
}

fn wrong() -> Refusal {
    Refusal::new("that is no answer to this question; choose one of the answers shown")
}
