//! Answers of the user to open questions: each exactly once, and only to what was shown.
//!
//! Owns the way from an answer as it is given to what the kind's own answer does. A decider that has
//! a concern of its own resolves its questions itself; those of the phase are resolved here.

use super::{Decided, Draft, steer::Steering, terms::Mend};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint},
    event::{CallStatus, Event},
    ids::{CheckpointId, LaneId, Seq, TurnId},
    input::Refusal,
    intent::{Control, IntentNode, Phase, Turn},
    question::{
        Accept, Clarification, ClarificationAnswer, Confirmation, Exit, Failure, FailureAnswer, Gap,
        GapAnswer, Interruption, InterruptionAnswer, Lone, PlanAnswer, Review, of_kind, wrong,
    },
    scope::Capability,
    session::LaneKind,
};

/// An answer that a question takes.
pub(super) struct Given<A> {
    /// The question.
    pub question: CheckpointId,
    /// The answer in its own type.
    pub answer: A,
    /// The same, as the log keeps it.
    pub stored: Answer,
}

/// What the answers to a kind of question do.
pub(super) trait Resolve: Accept {
    /// Does what the answer says, and closes the question.
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Self::Answer>) -> Decided {
        draft.close(given.question, Some(given.stored));
        Ok(())
    }

    /// Told of an answer to what was shown before.
    fn stale(&self) -> &'static str {
        "that has changed since it was shown; look at it again"
    }
}

impl Draft<'_> {
    pub(super) fn answer(&mut self, id: CheckpointId, answer: Answer, shown: Option<BlobId>) -> Decided {
        let Some(question) = self.state.open.get(&id).cloned() else {
            return Err(Refusal::new("that question is already answered"));
        };
        of_kind!(&question.kind, question => self.resolve(question, id, answer, shown))
    }

    fn resolve<Q: Resolve>(
        &mut self,
        kind: &Q,
        question: CheckpointId,
        answer: Answer,
        shown: Option<BlobId>,
    ) -> Decided {
        if kind.shown().is_some_and(|wanted| shown != Some(wanted)) {
            return Err(Refusal::new(kind.stale()));
        }
        let stored = kind.meant(answer);
        let answer = kind.accept(stored.clone())?;
        kind.resolve(self, Given { question, answer, stored })
    }
}

impl Resolve for Confirmation {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<PlanAnswer>) -> Decided {
        match given.answer {
            PlanAnswer::Run => draft.approve_plan(given.question),
            PlanAnswer::Change(how) => draft.reject_plan(given.question, &how),
            PlanAnswer::Drop => draft.abandon(),
            PlanAnswer::Say(text) => draft.say(&text),
        }
    }
}

impl Resolve for Clarification {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<ClarificationAnswer>) -> Decided {
        if self.beside.is_some() {
            draft.says_which(given.question, &given.answer)?;
        }
        let seen = draft.state.asked.get(&given.question).map_or(Seq(u64::MAX), |(at, _)| *at);
        draft.close(given.question, Some(given.stored));
        if let Some((lane, call)) = self.lane.zip(self.call) {
            let text = match given.answer {
                ClarificationAnswer::Pick(_, text) | ClarificationAnswer::Said(text) => text,
                ClarificationAnswer::Drop => return draft.give_up(lane),
            };
            draft.end_call(lane, call, CallStatus::Done, &text);
            draft.advance(lane);
            return Ok(());
        }
        if let Some(lane) = self.lane {
            match given.answer {
                ClarificationAnswer::Pick(_, text) | ClarificationAnswer::Said(text) => {
                    draft.answer_in_lane(lane, &text);
                }
                ClarificationAnswer::Drop => return draft.give_up(lane),
            }
            return Ok(());
        }
        if let Some(turn) = self.turn.filter(|_| self.beside.is_some()) {
            return draft.which_meant(turn, given.answer, seen);
        }
        match (self.turn, given.answer) {
            (Some(turn), ClarificationAnswer::Pick(0, _)) => draft.route_as_work(turn),
            (Some(turn), ClarificationAnswer::Pick(..)) => draft.route_query(turn),
            (_, ClarificationAnswer::Said(text)) => draft.say(&text),
            (None, ClarificationAnswer::Pick(..)) | (_, ClarificationAnswer::Drop) => Ok(()),
        }
    }
}

impl Resolve for Failure {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<FailureAnswer>) -> Decided {
        match given.answer {
            FailureAnswer::Repair(gate) => draft.repair((given.question, given.stored), gate, Mend::Fix),
            FailureAnswer::Detour(gate) => draft.repair((given.question, given.stored), gate, Mend::Detour),
            FailureAnswer::SkipGate(gate) => {
                draft.settle_gate((given.question, given.stored), gate, true);
                Ok(())
            }
            FailureAnswer::RunGate(gate) => {
                draft.settle_gate((given.question, given.stored), gate, false);
                Ok(())
            }
            FailureAnswer::Manual => draft.manual(given.question),
            FailureAnswer::Stop => draft.stop(),
            FailureAnswer::Retry if draft.state.phase == Phase::Failed => draft.retry_failed(),
            FailureAnswer::Retry => Err(wrong()),
            FailureAnswer::Replan => {
                let turn = draft.state.subject().ok_or_else(wrong)?;
                draft.route_continue(turn)
            }
            FailureAnswer::Abandon => draft.abandon(),
        }
    }
}

impl Resolve for Gap {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<GapAnswer>) -> Decided {
        if given.answer == GapAnswer::Stop {
            return draft.stop();
        }
        draft.close(given.question, Some(given.stored));
        match given.answer {
            GapAnswer::Skip => {
                for task in &self.needing {
                    draft.emit(Event::TaskSkipped { task: *task, undone: false });
                }
            }
            GapAnswer::GoOn => {
                for task in &self.needing {
                    draft.emit(Event::TaskFreed { task: *task, of: self.left.clone() });
                }
            }
            GapAnswer::Redo => {
                for task in &self.left {
                    draft.emit(Event::TaskReset { task: *task });
                }
            }
            GapAnswer::Stop => {}
        }
        draft.continue_run();
        Ok(())
    }
}

impl Resolve for Interruption {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<InterruptionAnswer>) -> Decided {
        if given.answer == InterruptionAnswer::Stop {
            return draft.stop();
        }
        draft.close(given.question, Some(given.stored));
        let said = draft.state.turns.iter().rev().find(|(_, t)| t.head == self.text).map(|(id, _)| *id);
        let said = said.or(draft.state.turn).ok_or_else(wrong)?;
        match given.answer {
            InterruptionAnswer::Continue | InterruptionAnswer::Stop => Ok(()),
            InterruptionAnswer::Respond => draft.route_query(said),
            InterruptionAnswer::Hold => draft.hold(),
            InterruptionAnswer::Replan => draft.steer(said, Steering::Replan),
            // The run may have ended meanwhile: then it is said to nobody but the agent.
            InterruptionAnswer::Tell if draft.hears() => draft.steer(said, Steering::Tell),
            InterruptionAnswer::Tell => draft.route_query(said),
            InterruptionAnswer::Later if draft.state.phase == Phase::Executing => {
                draft.queue_plan(said);
                Ok(())
            }
            InterruptionAnswer::Later => draft.route_plan(said),
        }
    }
}

impl Resolve for Exit {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        draft.close(given.question, Some(given.stored));
        match (given.answer, self.over) {
            (Lone::Yes, false) => {
                draft.stop_all();
                draft.emit(Event::ControlGiven { control: Control::Exit });
            }
            (Lone::Yes, true) => {
                draft.emit(Event::ControlGiven { control: Control::Reset });
                draft.reset();
            }
            (Lone::No, _) => {
                if let Some(held) = &self.held {
                    draft.ask_again(held);
                }
                // What waited behind a reset that was not meant has its turn.
                if self.over {
                    draft.drain();
                }
            }
        }
        Ok(())
    }
}

impl Resolve for Review {}

impl Draft<'_> {
    /// Opens a question once more that stood aside. What the phase itself asks comes back without
    /// that, as it stands now.
    fn ask_again(&mut self, of: &Checkpoint) {
        if !of.kind.question().ties().comes_back {
            self.ask(of.kind.clone(), of.message.clone());
        }
    }

    /// The user gives up what a lane does.
    pub(super) fn give_up(&mut self, lane: LaneId) -> Decided {
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
}
