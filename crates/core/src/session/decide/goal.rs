//! Goals: what the model's reply means, what is told about a command, and when it is enough.
//!
//! Owns the loop between a reply and the next request. Never runs a command and never asks: `call`
//! and `lane` do.

use super::terms::{Author, RunFault};
use super::{Draft, verdict::CallVerdict};
use crate::{
    event::{CallStatus, Level},
    goal::{GoalStatus, GoalSummary, MOST_FAILURES, PlannerError, PlannerReply, failures_in_a_row},
    ids::{CallId, LaneId, Millis},
    session::{LaneKind, OpenCall},
    talk::ModelReply,
    tool::Tool,
};

impl Draft<'_> {
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
        let repeats = !open.typed && self.is_goal(lane) && self.failures_of(open.call) >= MOST_FAILURES;
        let text = || format!("not run: it failed {MOST_FAILURES} times in a row");
        repeats.then(|| CallVerdict::EndGoal(text(), PlannerError::Repeated))
    }

    /// What the model reads of a command that ended: what was really run, and that repeating it is
    /// pointless, after the line that says how it ended.
    pub(super) fn told(&mut self, lane: LaneId, call: CallId, text: String) -> String {
        let Some((_, open)) = self.state.open_call(call) else { return text };
        let mut notes = Vec::new();
        if open.edited {
            let line = open.run().map(|r| r.command.clone()).unwrap_or_default();
            notes.push(format!("(the user changed the command; this was run: {line})"));
        }
        if self.is_goal(lane) && self.failures_of(call) >= MOST_FAILURES {
            notes.push(
                "(it failed twice in a row: do not repeat it; change what makes it fail, try another way, or say that it cannot be done)"
                    .to_owned(),
            );
            self.notice(Level::Info, "The same command failed twice; the agent is told not to repeat it.");
        }
        if notes.is_empty() {
            return text;
        }
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        format!("{first}\n{}\n{rest}", notes.join("\n")).trim_end().to_owned()
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
        let took = Millis(self.at.0.saturating_sub(run.began.0));
        Some(GoalSummary::of(run.tried.as_ref()?, took, ended))
    }

    pub(super) fn is_goal(&self, lane: LaneId) -> bool {
        self.state.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Goal)
    }

    fn failures_of(&self, call: CallId) -> usize {
        let Some(tried) = self.state.run.as_ref().and_then(|r| r.tried.as_ref()) else { return 0 };
        let key = tried.iter().rev().find(|t| t.attempt.call == call).map(|t| t.key);
        key.map_or(0, |key| failures_in_a_row(tried, key))
    }
}
