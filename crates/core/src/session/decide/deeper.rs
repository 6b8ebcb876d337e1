//! May a turn go deeper than its message asked for: what the answer does, in a word or in the user's own.
//!
//! Owns that what is said to the waiting question is an answer to it, and reaches its agent with the yes. Never
//! lets a turn further than the question named.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
};
use crate::{
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event},
    ids::{CheckpointId, TurnId},
    input::Refusal,
    intent::{Control, IntentNode, IntentPath, Phase, Reading, Source, Turn},
    question::{Lone, Transition},
    scope::ToolScope,
    session::LaneKind,
    tool::Tool,
};

impl Resolve for Transition {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        match given.answer {
            Lone::Yes => draft.allow_deeper(self, given, None),
            Lone::No => {
                let lane = draft.state.lanes.get(&self.lane);
                let back = lane.map(|l| IntentPath::to(l.node).retreat().current());
                if let Some(node) = back.filter(|n| *n != IntentNode::Conversation) {
                    draft.retreat_to(self.lane, node);
                }
                let text = "this turn may not change files";
                draft.deny_call(given.question, self.call, given.stored, text);
                Ok(())
            }
        }
    }
}

impl Draft<'_> {
    /// The question whether a turn may go deeper that a message answers in words of its own: an order about what is
    /// asked, or a yes that goes on.
    pub(super) fn deepened(&self, reading: &Reading) -> Option<CheckpointId> {
        let asked = self.state.newest_question().filter(|_| self.state.phase == Phase::Idle)?;
        let CheckpointKind::Transition(wants) = &asked.kind else { return None };
        let answer = self.state.lanes.get(&wants.lane).is_some_and(|l| l.kind == LaneKind::Answer);
        let by_name = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        if !answer || by_name || reading.command.is_some() {
            return None;
        }
        let (classifier, text) = (&self.under.tiers.classifier, reading.text.as_str());
        let orders = matches!(reading.whole.turn, Turn::PlanNew(_) | Turn::PlanContinue);
        let reach = reading.whole.path.scope();
        let orders = orders && wants.to.scope().without(reach) == ToolScope::NONE;
        let about = orders && (classifier.steers(text) || classifier.corrects(text));
        let stops =
            matches!(reading.whole.turn, Turn::Control(Control::Cancel | Control::Reset | Control::Exit));
        let agrees = !stops && classifier.agrees_and(text);
        (about || agrees).then_some(asked.id)
    }

    /// The words of a message allow what a turn asks for, and its agent is told them.
    pub(super) fn deepen(&mut self, question: CheckpointId, turn: TurnId) -> Decided {
        let Some(asked) = self.state.open.get(&question) else { return Ok(()) };
        let CheckpointKind::Transition(asked) = asked.kind.clone() else { return Ok(()) };
        let given = Given { question, answer: Lone::Yes, stored: Answer::Approve };
        self.allow_deeper(&asked, given, Some(turn))
    }

    fn allow_deeper(&mut self, asked: &Transition, given: Given<Lone>, said: Option<TurnId>) -> Decided {
        let (lane, call) = (asked.lane, asked.call);
        if self.state.phase != Phase::Idle && !self.is_of_run(lane) {
            return Err(Refusal::new("a run is under way; ask again when it is done"));
        }
        let approval = self.allow(given.question, given.stored);
        self.let_write(lane, asked.to, Some(approval));
        if let Some(turn) = said {
            let run_of = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
            self.emit(Event::TurnTold { turn, run_of });
        }
        if !self.state.has_arrived(lane) {
            return Ok(());
        }
        let tool = self.state.open_call(call).and_then(|(_, c)| c.tool);
        if tool == Some(Tool::RequestPath) {
            self.end_call(lane, call, CallStatus::Done, "the user allowed it; go on");
        }
        self.advance(lane);
        Ok(())
    }
}
