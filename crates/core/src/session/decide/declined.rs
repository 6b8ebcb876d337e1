//! A call that waits for a yes and is not wanted as it stands: "no, use make test", "use make test instead", "yes, but with -v".
//!
//! Owns which messages say so and of which question, and how such a message is read. Never says what else it does to a run:
//! `steer.rs` does.

use super::{Decided, Draft, steer::Steering};
use crate::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    ids::CheckpointId,
    intent::{Consent, IntentNode, IntentPath, Leave, Reading, Turn},
    scope::Capability,
    session::{Lane, LaneKind},
};

impl Draft<'_> {
    /// The question about a call that was asked last, with the agent that waits for its answer. A gate's run is no agent's.
    pub(super) fn call_asked(&self) -> Option<(&Checkpoint, &Lane)> {
        let asked = self.state.newest_question()?;
        let gate = asked.kind.command().is_some_and(|command| command.gate.is_some());
        let call = asked.kind.call().filter(|_| !gate && asked.kind.leave().is_some())?;
        Some((asked, self.state.open_call(call)?.0))
    }

    /// The same, where a message turns down what is asked and says something besides: why, or what is wanted instead.
    pub(super) fn call_declined(&self, reading: &Reading) -> Option<(&Checkpoint, &Lane)> {
        let asked = self.call_asked().filter(|_| !matches!(reading.whole.turn, Turn::Control(_)));
        asked.filter(|(asked, lane)| {
            let deeper = matches!(asked.kind, CheckpointKind::Transition(_));
            let said = self.consents(asked, &reading.text);
            // With a condition a turn is let go deeper all the same.
            let declines = said == Some(Consent::NoBut) || said == Some(Consent::YesBut) && !deeper;
            let answers = lane.kind == LaneKind::Answer && !deeper && !self.orders_work(asked, reading);
            declines && (self.state.hears(lane) || answers)
        })
    }

    /// Whether a message orders work of its own beside what answers a question: a change that the rules are sure of, or
    /// what names its command or node.
    fn orders_work(&self, asked: &Checkpoint, reading: &Reading) -> bool {
        let named = super::steer::by_name(reading);
        let changes = reading.whole.path.scope().allows(Capability::Write);
        let sure = changes && !super::say::is_guess(reading.whole.source);
        named || sure && !self.wants_instead(asked, reading)
    }

    fn wants_instead(&self, asked: &Checkpoint, reading: &Reading) -> bool {
        let leave = asked.kind.leave();
        leave
            .is_some_and(|to| self.under.tiers.classifier.wants_instead(&reading.text, to, asked.kind.line()))
    }

    /// A message that turns a command down, read as what it is about: that command. No tier has to say how far "yes, but with
    /// -v" goes, and none guesses more than that.
    pub(super) fn of_command(&self, reading: &Reading) -> Option<Reading> {
        let (asked, lane) = self.call_declined(reading)?;
        let guessed = super::say::is_guess(reading.whole.source);
        if asked.kind.leave() != Some(Leave::Run) || !guessed && !self.wants_instead(asked, reading) {
            return None;
        }
        let mut of = reading.clone();
        of.whole.turn = Turn::PlanContinue;
        of.whole.path = IntentPath::to(IntentNode::Execute);
        of.whole.reasoning.push_str("; a no to the command that waits");
        of.clarify = None;
        let denied = || matches!(self.steering(&of), Some(Steering::Deny(_)));
        (!self.state.hears(lane) || denied()).then_some(of)
    }

    /// The call that waits is not made; why is told with the message itself.
    pub(super) fn turn_down(&mut self, question: CheckpointId) -> Decided {
        let shown = self.state.open.get(&question).and_then(|c| c.kind.shown());
        self.answer(question, Answer::Reject(String::new()), shown)
    }
}
