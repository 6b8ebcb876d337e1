//! Goals: how an order or a typed command begins one, what the model's reply means, what is told about a command, and
//! when it is enough.
//!
//! Owns the loop between a reply and the next request. Never runs a command and never asks: `call`
//! and `lane` do.

use super::terms::{Author, LaneOpening, RunFault};
use super::{Decided, Draft, verdict::CallVerdict};
use crate::{
    blob::BlobId,
    event::{CallStatus, Level},
    goal::{
        Failures, GoalStatus, GoalSummary, MOST_FAILURES, PlannerError, PlannerReply, Tried, failed_in_a_row,
        failures,
    },
    ids::{CallId, LaneId, TurnId},
    input::Refusal,
    intent::{IntentNode, Phase},
    phase::{Move, Trigger},
    scope::Capability,
    session::{LaneKind, OpenCall},
    talk::ModelReply,
    tool::{Advice, Run, Tool},
};

impl Draft<'_> {
    /// A command that the user typed himself: no model is asked.
    pub(super) fn route_command(&mut self, turn: TurnId, line: &str, outside: bool) -> Decided {
        if line.is_empty() {
            return Err(Refusal::misuse("type the command after the `!`"));
        }
        let looks = !outside && self.only_looks(line);
        if self.has_place_beside() && (looks || self.rests(turn)) {
            let opening = LaneOpening { reads_only: looks, ..LaneOpening::of(LaneKind::Answer, turn) };
            let lane = self.open_lane(opening);
            self.move_to(lane, if looks { IntentNode::Read } else { IntentNode::Execute }, None);
            self.call_command(lane, &Run { outside, ..Run::line(line) }, Author::User);
            self.advance(lane);
            return Ok(());
        }
        if let Some(lane) = self.open_goal(turn, looks)? {
            self.call_command(lane, &Run { outside, ..Run::line(line) }, Author::User);
            self.advance(lane);
        }
        Ok(())
    }

    /// Whether the run beside which the user types a line waits for them, so that nothing else is at work: what they begin
    /// then waits for the end of the line.
    fn rests(&self, turn: TurnId) -> bool {
        let may = self.state.ceiling().allows(Capability::Execute) && !self.forbids(turn);
        let staged = self.state.pipeline.as_ref().is_some_and(|p| p.state.is_running());
        let typed = self.state.lanes.values().flat_map(|l| &l.calls).any(|c| c.typed);
        // What is under review it could change.
        let reviewed = self.state.open_proposals().next().is_some();
        let waits = self.state.phase == Phase::Executing && !reviewed && !self.state.busy();
        may && waits && !staged && !typed
    }

    /// Whether a plan is made, waits or runs, beside which a line has its place.
    fn has_place_beside(&self) -> bool {
        match self.state.phase {
            Phase::AwaitingApproval | Phase::Executing => true,
            Phase::Planning => !self.awaits_guidance(),
            Phase::Idle | Phase::Failed => false,
        }
    }

    /// Opens the lane of a command goal; `looks` when all it will run is a command that can only read.
    pub(super) fn open_goal(&mut self, turn: TurnId, looks: bool) -> Result<Option<LaneId>, Refusal> {
        let forbids = self.state.turns.get(&turn).is_some_and(|t| t.forbids);
        if !looks && (forbids || !self.state.ceiling().allows(Capability::Execute)) {
            return Err(Refusal::new(
                "commands are not allowed here: the ceiling is read-only. Shift-Tab raises it.",
            ));
        }
        if self.awaits_guidance() {
            // Nothing is being planned: the rejected plan is set aside, and the command runs.
            self.close_phase_question();
            self.shelve();
            self.go(Trigger::Abandon)?;
        }
        if self.plan_trigger(Trigger::CommandGoal)? == Move::QueuePlan {
            self.queue_plan(turn);
            return Ok(None);
        }
        self.shelve();
        self.start_run(turn, None);
        let lane = self.open_lane(LaneOpening::of(LaneKind::Goal, turn));
        self.move_to(lane, IntentNode::Execute, None);
        Ok(Some(lane))
    }

    /// What a whole reply means: in a goal JSON stands for a call, and no words are an error.
    pub(super) fn meant(&self, lane: LaneId, reply: &ModelReply) -> Result<PlannerReply, PlannerError> {
        let plain = || Ok(PlannerReply::Chat(reply.text.clone()));
        if !self.is_goal(lane) || !reply.calls.is_empty() {
            return plain();
        }
        PlannerReply::read(&reply.text)
    }

    /// Does what a reply meant, once it is recorded.
    pub(super) fn heed(&mut self, lane: LaneId, meant: Result<PlannerReply, PlannerError>) {
        match meant {
            Ok(PlannerReply::Chat(_)) => {}
            Ok(PlannerReply::Command(run)) => drop(self.call_command(lane, &run, Author::Workbench)),
            Err(error) => return self.planner_failed(lane, error),
        }
        self.advance(lane);
    }

    /// The model's part of a goal cannot go on.
    pub(super) fn planner_failed(&mut self, lane: LaneId, error: PlannerError) {
        self.fail_run(lane, RunFault::of_planner(error));
    }

    /// The end of the goal, where the model proposes what has failed twice.
    pub(super) fn repeated(&self, lane: LaneId, open: &OpenCall) -> Option<CallVerdict> {
        let failed = self.failures_of(open.call).filter(|_| !open.typed && self.is_goal(lane))?;
        let text = format!("not run: it failed {}", failed.words());
        (failed.count >= MOST_FAILURES).then_some(CallVerdict::EndGoal(text, PlannerError::Repeated))
    }

    /// What the model reads of a command that ended: what was really run, and that repeating it is pointless, after the line
    /// that says how it ended; and what tells its answer from another.
    pub(super) fn told(
        &mut self,
        lane: LaneId,
        call: CallId,
        text: String,
        notes: &mut Vec<Advice>,
    ) -> (String, Option<BlobId>) {
        let answer = self.state.answer_id(call, &text);
        if let Some(again) = self.state.instead(call, answer) {
            notes.clear();
            return (again, answer);
        }
        self.note(lane, call, notes);
        (text, answer)
    }

    fn note(&mut self, lane: LaneId, call: CallId, notes: &mut Vec<Advice>) {
        let Some((_, open)) = self.state.open_call(call) else { return };
        let mut told = Vec::new();
        if open.edited {
            let line = open.run().map(|r| r.command.clone()).unwrap_or_default();
            told.push(Advice::model(format!("(the user changed the command; this was run: {line})")));
        }
        let failed = self.failures_of(call).filter(|_| self.is_goal(lane));
        let own = failed.filter(|failed| failed.count >= MOST_FAILURES);
        let all = failed.filter(|failed| failed.count > 0).map_or(0, |_| failed_in_a_row(self.tried()));
        if all > 1 && own.is_none_or(|own| !own.in_a_row || own.count < all) {
            told.push(Advice::model(format!("({all} commands failed in a row)")));
        }
        if let Some(own) = own {
            let often = own.words();
            told.push(Advice::model(format!(
                "(it failed {often}: do not repeat it; change what makes it fail, try another way, or say that it cannot be done)"
            )));
            self.notice(Level::Info, "The same command failed twice; the agent was told not to repeat it.");
        }
        notes.splice(..0, told);
    }

    /// Commands of the same reply that were to follow: the model has not seen what it must know.
    pub(super) fn drop_rest(&mut self, lane: LaneId, why: &str) {
        if !self.is_goal(lane) {
            return;
        }
        let calls = self.state.lanes.get(&lane).into_iter().flat_map(|l| &l.calls);
        let rest: Vec<CallId> = calls.filter(|c| c.tool == Some(Tool::Run)).map(|c| c.call).collect();
        for call in rest {
            self.end_call(lane, call, CallStatus::Refused, &format!("not run: {why}; one command at a time"));
        }
    }

    /// What became of the goal that runs; `None` when none does.
    pub(super) fn goal_summary(&self, ended: Option<GoalStatus>) -> Option<GoalSummary> {
        let run = self.state.run.as_ref()?;
        let took = self.state.spell(self.at)?.worked;
        Some(GoalSummary { called: run.called, ..GoalSummary::of(run.tried.as_ref()?, took, ended) })
    }

    pub(super) fn is_goal(&self, lane: LaneId) -> bool {
        self.state.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Goal)
    }

    fn failures_of(&self, call: CallId) -> Option<Failures> {
        let tried = self.tried();
        let key = tried.iter().rev().find(|t| t.attempt.call == call).map(|t| t.key)?;
        Some(failures(tried, key))
    }

    fn tried(&self) -> &[Tried] {
        self.state.run.as_ref().and_then(|r| r.tried.as_deref()).unwrap_or_default()
    }
}
