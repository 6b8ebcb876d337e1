//! Several plans for one message: asked for one after the other, the best by score shown, any of them taken.
//!
//! Owns when enough were made. How good one is says its score.

use super::{Decided, Draft};
use crate::{
    event::{CallStatus, Event, Level},
    ids::{CallId, LaneId, TurnId},
    input::Refusal,
    intent::{Phase, Slash},
    plan::Plan,
    tool::{SessionCall, ToolCall},
};

/// Told to a model whose plan is one of several.
fn another(number: usize, wanted: usize) -> String {
    format!(
        "plan {number} of {wanted} is kept; the user sees none yet. Hand in another one that reaches the same goal in \
         another way: other steps, files or gates, not the same in other words. If there is no other way, say so in a \
         sentence."
    )
}

impl Draft<'_> {
    /// A model handed a plan in: the one that is shown, or one of several.
    pub(super) fn handed_in(&mut self, lane: LaneId, call: CallId, plan: Plan) {
        if self.state.phase != Phase::Planning {
            return self.end_call(
                lane,
                call,
                CallStatus::Refused,
                "a plan is shown to the user already: end, and wait for their answer",
            );
        }
        let wanted = self.state.candidates_wanted(plan.turn, self.under.bounds.candidates);
        let known = self.state.candidate_number(&plan).is_some();
        if wanted > 1 && !known {
            self.emit(Event::PlanCandidate { plan: plan.clone() });
        }
        let made = self.state.candidates().len();
        if wanted > 1 && !known && made < wanted && self.over_budget().is_none() {
            return self.end_call(lane, call, CallStatus::Done, &another(made, wanted));
        }
        let best = self.state.best_candidate().cloned().unwrap_or(plan);
        let told = match self.state.candidate_number(&best).filter(|_| made > 1) {
            Some(number) => {
                format!("of your {made} plans number {number} is shown to the user: {}", best.title)
            }
            None => "the plan is shown to the user".to_owned(),
        };
        let told = format!("{told}{}", self.unpiped(call, &best));
        self.end_call(lane, call, CallStatus::Done, &told);
        self.show_best(lane, best);
    }

    /// Which gates of a plan run without the pipe with which its call names them, in words after what else is said.
    fn unpiped(&self, call: CallId, plan: &Plan) -> String {
        let asked = self.state.open_call(call).and_then(|(_, open)| open.asked.as_deref().ok());
        let Some(ToolCall::Session(SessionCall::SubmitPlan(draft))) = asked else { return String::new() };
        let both = draft.gates.iter().zip(&plan.gates).filter(|(was, is)| was.command != is.command);
        let lines = both.map(|(_, gate)| format!("`{}`", gate.command)).collect::<Vec<_>>();
        if lines.is_empty() {
            return String::new();
        }
        format!(
            "; run as {}: a pipe at its end would hide how it ended, and output is shortened for you",
            lines.join(", ")
        )
    }

    /// Shows the best of the plans that were made, where no further one comes; whether there is one.
    pub(super) fn settle_for_best(&mut self, lane: LaneId) -> bool {
        let best = self.state.best_candidate().cloned();
        best.map(|best| self.show_best(lane, best)).is_some()
    }

    fn show_best(&mut self, lane: LaneId, best: Plan) {
        let lines = self.candidate_lines(&best);
        self.plan_ready(lane, best);
        if lines.len() > 1 {
            let text = format!(
                "The best of {} plans; /plan take N picks another.\n{}",
                lines.len(),
                lines.join("\n")
            );
            self.notice(Level::Info, text);
        }
    }

    /// Each plan that was made with its score, the one that is shown marked.
    fn candidate_lines(&self, shown: &Plan) -> Vec<String> {
        let at = self.state.candidate_number(shown);
        let line = |(number, (plan, score)): (usize, (&Plan, crate::plan::Score))| {
            let mark = if at == Some(number) { "*" } else { " " };
            format!("{mark} {number}. {} ({})", plan.title, score.words())
        };
        (1..).zip(self.state.candidates()).map(line).collect()
    }

    /// `/plan candidates`: the plans that were made for the one that waits.
    pub(super) fn list_candidates(&mut self) -> Decided {
        let lines = self.state.plan.as_ref().map(|plan| self.candidate_lines(plan)).unwrap_or_default();
        if lines.is_empty() {
            return Err(Refusal::new("no other plans were made; /plan candidates 3 TASK makes up to three"));
        }
        self.listed(Slash::Plan, &lines);
        Ok(())
    }

    /// `/plan take N`: another of them in the place of the one that waits, as its next version.
    pub(super) fn take_candidate(&mut self, number: usize) -> Decided {
        let waits = self.state.phase_question().is_some_and(|c| c.kind.is_confirmation());
        let Some(version) = self.state.plan.as_ref().filter(|_| waits).map(|p| p.version) else {
            return Err(Refusal::new("no plan is waiting for your yes"));
        };
        let all = self.state.candidates();
        let wanted = number.checked_sub(1).and_then(|at| all.get(at)).map(|(plan, _)| (*plan).clone());
        let wanted = wanted.ok_or_else(|| match all.len() {
            0 | 1 => Refusal::new("no other plans were made; /plan candidates 3 TASK makes up to three"),
            n => Refusal::new(format!("there is no plan {number}; there are 1 to {n}")),
        })?;
        if self.state.plan.as_ref().and_then(|p| self.state.candidate_number(p)) == Some(number) {
            return Err(Refusal::new("that plan is already the one waiting"));
        }
        self.close_phase_question();
        let wanted = self.checked_now(&wanted).unwrap_or(wanted);
        self.show_plan(Plan { version: version + 1, ..wanted });
        self.ask_of_phase();
        Ok(())
    }

    /// So many plans are wanted for a message.
    pub(super) fn want_candidates(&mut self, turn: TurnId, most: usize) {
        self.emit(Event::CandidatesWanted { turn, most });
    }
}
