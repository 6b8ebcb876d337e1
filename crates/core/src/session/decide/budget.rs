//! The budget: set, told, and held before every call of a model.
//!
//! Owns whether a call may leave, the question where none may, and what its answer does. A call that has
//! left is never cut off by it.

use std::collections::BTreeSet;

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
};
use crate::{
    checkpoint::Answer,
    event::{Event, Level},
    ids::{CheckpointId, LaneId, TaskId},
    input::Refusal,
    intent::Slash,
    money::{Allowance, Limits, Unit, cost, thousands},
    plan::Pause,
    question::{BudgetAnswer, BudgetQuestion},
    session::{Lane, LaneKind, State},
    talk::Usage,
};

/// Most steps of a plan that are named with what they cost.
const MOST_STEPS: usize = 3;
/// Told where dollars cannot be counted.
const UNPRICED: &str = "The price of this model is not known, so dollars cannot be counted: set [model] price, or give the budget in tokens \
     (/budget 50000t) or model calls (/budget 20 calls).";

/// How long a budget holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasting {
    /// Until something else is said.
    Always,
    /// Until the session is opened again.
    Briefly,
}

impl Draft<'_> {
    /// Why no further model call may leave, if none may: the one place that says so.
    pub(super) fn over_budget(&self) -> Option<Allowance> {
        let allowed = self.state.allowances(self.under.bounds.budget);
        allowed.into_iter().find(Allowance::is_over)
    }

    /// Whether a lane's next model call may leave; else the lane waits for a word of the user, or for calls under way
    /// that may need what is left.
    pub(super) fn may_call(&mut self, lane: LaneId) -> bool {
        let allowed = self.state.allowances(self.under.bounds.budget);
        if !allowed.iter().any(Allowance::is_over) && !self.state.may_be_used_up(&allowed) {
            return true;
        }
        if self.state.lanes.get(&lane).is_some_and(|l| !l.held) {
            self.emit(Event::LaneHeld { lane });
        }
        false
    }

    /// As [`Draft::may_call`], for a call that no lane waits for.
    pub(super) fn may_call_besides(&self) -> Decided {
        match self.over_budget() {
            Some(over) => Err(Refusal::new(format!("{}; /budget says more", over.line()))),
            None => Ok(()),
        }
    }

    /// What waits for the budget goes on as far as that reaches; for the rest the user is asked.
    pub(super) fn settle_budget(&mut self) {
        let held = |state: &State| -> Vec<LaneId> {
            state.lanes.values().filter(|l| l.held).map(|l| l.id).collect()
        };
        for lane in held(self.state) {
            self.think(lane);
        }
        self.stop_unpaid_steps();
        let over = self.over_budget().filter(|_| !held(self.state).is_empty());
        let open = self.budget_question();
        let fits =
            |(_, asked): &(CheckpointId, BudgetQuestion)| over.is_some_and(|over| asked.is_about(&over));
        if let Some((id, _)) = open.as_ref().filter(|open| !fits(open)) {
            self.close(*id, None);
        }
        let Some(over) = over.filter(|_| !open.as_ref().is_some_and(fits)) else { return };
        // Any question that does not come back by itself is answered first.
        if self.state.phase_question().is_none_or(|c| c.kind.gives_way()) {
            let question = self.question_of(over);
            let text = question.text();
            self.ask(question, text);
        }
    }

    fn budget_question(&self) -> Option<(CheckpointId, BudgetQuestion)> {
        self.state.open.values().find_map(|c| Some((c.id, c.kind.budget()?.clone())))
    }

    fn question_of(&self, over: Allowance) -> BudgetQuestion {
        let Allowance { unit, most, spent, unknown, .. } = over;
        let (on, stake) = (self.spent_on(), self.state.at_stake());
        BudgetQuestion { unit, most, spent, unknown, on, stake }
    }

    /// Who spent it, a line each: the run and its dearest steps, or the session.
    fn spent_on(&self) -> Vec<String> {
        let state = &*self.state;
        let accounts = &state.accounts;
        if state.run.is_none() || accounts.run.tokens() == 0 {
            return vec![line("this session", &state.usage)];
        }
        let plan = state.plan.as_ref();
        let title =
            |id: &TaskId| plan.and_then(|p| Some(format!("step {} {}", p.number(*id), p.task(*id)?.title)));
        let mut steps: Vec<_> = accounts.tasks.iter().filter_map(|(id, u)| Some((title(id)?, u))).collect();
        steps.sort_by_key(|(_, usage)| std::cmp::Reverse(usage.tokens()));
        let steps = steps.into_iter().take(MOST_STEPS).map(|(title, usage)| line(&title, usage));
        std::iter::once(line("this run", &accounts.run)).chain(steps).collect()
    }

    /// `/budget`: tells what is spent, sets an amount from now on, adds to it, or takes it off.
    pub(super) fn budget(&mut self, args: &str) -> Decided {
        let configured = self.under.bounds.budget;
        match args.trim() {
            "" => self.tell_budget(),
            "off" | "none" => {
                let held = self.state.allowances(configured);
                if held.is_empty() {
                    return Err(Refusal::new("there is no budget"));
                }
                self.heard(Slash::Budget);
                for allowance in held {
                    self.lift_budget(allowance.unit);
                }
                self.notice(Level::Info, "No budget.");
            }
            amount => {
                let more = amount.strip_prefix('+');
                let mut limits = Limits::parse(more.unwrap_or(amount)).map_err(Refusal::misuse)?;
                for left in self.state.allowances(configured).iter().filter(|_| more.is_some()) {
                    limits = limits.more(left.unit, left.left());
                }
                self.heard(Slash::Budget);
                self.set_budget(limits, Lasting::Always);
                self.notice(Level::Info, format!("Budget: {limits} from now on."));
                let last = self.state.accounts.call;
                if limits.micros.is_some() && last.known_cost().is_none() {
                    self.notice(Level::Warn, UNPRICED);
                }
            }
        }
        Ok(())
    }

    /// Says of a run that is to pause past a sum that nobody can count it.
    pub(super) fn warn_unpriced(&mut self) {
        let mut pauses = self.state.plan.iter().flat_map(|p| &p.pauses);
        let by_sum = pauses.any(|at| matches!(at, Pause::Micros(_)));
        let last = self.state.accounts.call;
        if by_sum && last.known_cost().is_none() {
            self.notice(Level::Warn, UNPRICED);
        }
    }

    /// A budget that holds until the session is opened again.
    #[expect(clippy::unnecessary_wraps, reason = "what an input leads to is decided, or refused")]
    pub(super) fn set_budget_for_now(&mut self, limits: Limits) -> Decided {
        self.set_budget(limits, Lasting::Briefly);
        Ok(())
    }

    /// So much may be spent from now on; what is not named stays as it is.
    pub(super) fn set_budget(&mut self, limits: Limits, lasting: Lasting) {
        for (unit, most) in limits.each() {
            self.emit(Event::BudgetSet { unit, most: Some(most), brief: lasting == Lasting::Briefly });
        }
    }

    fn lift_budget(&mut self, unit: Unit) {
        self.emit(Event::BudgetSet { unit, most: None, brief: false });
    }

    fn tell_budget(&mut self) {
        let state = &*self.state;
        let allowed = state.allowances(self.under.bounds.budget);
        let mut lines: Vec<String> = allowed.iter().map(|a| format!("budget: {}", a.line())).collect();
        if lines.is_empty() {
            lines.push("budget: none; `/budget 5` sets one in dollars, `/budget 50000t` in tokens, `/budget 20 calls` in calls".to_owned());
        }
        let calls = thousands(state.accounts.asked());
        lines.push(format!("{}; model calls: {calls}", line("this session", &state.usage)));
        if state.accounts.run.tokens() == 0 {
            // Nothing was spent on a run: the session's line is all there is.
        } else if state.run.is_some() {
            lines.extend(self.spent_on());
        } else {
            lines.push(line("the last run", &state.accounts.run));
        }
        for (what, usage) in
            [("the last call", state.accounts.call), ("reading messages, summaries", state.accounts.besides)]
        {
            if usage.tokens() > 0 {
                lines.push(line(what, &usage));
            }
        }
        self.listed(Slash::Budget, &lines);
    }

    /// Of a run that the user stopped for the budget, a step that comes to it later is stopped as well.
    fn stop_unpaid_steps(&mut self) {
        if !self.state.run.as_ref().is_some_and(|r| r.stopped) || self.over_budget().is_none() {
            return;
        }
        let of = |l: &Lane| l.kind.parent().unwrap_or(l.id);
        let held: BTreeSet<LaneId> = self.state.lanes.values().filter(|l| l.held).map(of).collect();
        for lane in held {
            if let Some(LaneKind::Task(task)) = self.state.lanes.get(&lane).map(|l| l.kind) {
                self.stop_step(lane, task);
            }
        }
        self.continue_run();
    }

    /// Stops what waits for the budget, and nothing else: other steps at work come to their end.
    fn stop_unpaid(&mut self, question: CheckpointId, answer: Answer) -> Decided {
        let held = self.state.lanes.values().filter(|l| l.held);
        let held: BTreeSet<LaneId> = held.map(|l| l.kind.parent().unwrap_or(l.id)).collect();
        self.close(question, Some(answer));
        let beside = self.state.run_lanes().any(|l| !held.contains(&l.id));
        for lane in held {
            let kind = self.state.lanes.get(&lane).map(|l| l.kind);
            match kind {
                Some(LaneKind::Task(task)) if beside => self.stop_step(lane, task),
                Some(_) => self.give_up(lane)?,
                None => {}
            }
        }
        Ok(())
    }
}

impl Resolve for BudgetQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<BudgetAnswer>) -> Decided {
        match given.answer {
            BudgetAnswer::Stop => return draft.stop_unpaid(given.question, given.stored),
            BudgetAnswer::Raise(limits) => {
                // What can be counted takes the place of what cannot.
                if self.unknown && limits.of(self.unit).is_none() {
                    draft.lift_budget(self.unit);
                }
                draft.set_budget(limits, Lasting::Always);
                draft.notice(Level::Info, format!("Budget: {limits} from now on."));
            }
            BudgetAnswer::Lift => draft.lift_budget(self.unit),
        }
        draft.close(given.question, Some(given.stored));
        Ok(())
    }
}

/// `this run: 12,345 tokens, $0.04`.
fn line(what: &str, usage: &Usage) -> String {
    format!("{what}: {} tokens, {}", usage.shown_tokens(), cost(usage.known_cost()))
}
