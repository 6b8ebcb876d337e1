//! Who spent what: the last call, each step, the run, the session; and what may be.
//!
//! Owns the sums. Never counts tokens itself: what a call cost is told by its event.

use std::{collections::BTreeMap, sync::Arc};

use super::{LaneKind, State};
use crate::{
    ids::{LaneId, TaskId},
    money::{Allowance, Configured, Unit},
    pipeline::RunBudget,
    talk::{OFFLINE, Usage},
};

/// What was spent beside the session's own sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accounts {
    /// By the last model call.
    pub call: Usage,
    /// By each step of the plans.
    pub tasks: BTreeMap<TaskId, Usage>,
    /// By the run under way, else by the last one.
    pub run: Usage,
    /// By finding out what messages mean and by summaries.
    pub besides: Usage,
    /// As budgets count it.
    pub spent: Spent,
    /// The most that one model call of a lane used.
    pub dearest: Spent,
    /// Calls of which the built-in engine answered: no model was asked for them.
    pub unasked: u64,
    /// Whether that engine gave the last reply.
    pub by_rules: bool,
}

impl Accounts {
    /// Calls for which a model was asked.
    pub const fn asked(&self) -> u64 {
        self.spent.calls.saturating_sub(self.unasked)
    }

    /// Notes who answered a call.
    pub(super) fn answered_by(&mut self, model: &str) {
        self.by_rules = model == OFFLINE;
        self.unasked += u64::from(self.by_rules);
    }
}

/// What a session spent, as budgets count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Model calls that were begun: lanes, sub-agents, summaries, and messages that a model read.
    pub calls: u64,
    /// Tokens, read and written.
    pub tokens: u64,
    /// Millionths of a US dollar, as far as prices are known.
    pub micros: u64,
    /// Tokens without a known price.
    pub unpriced: u64,
}

impl Spent {
    const fn of(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Micros => self.micros,
            Unit::Tokens => self.tokens,
            Unit::Calls => self.calls,
        }
    }
}

/// What was said of a unit, and what had been spent by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    most: Option<u64>,
    from: Spent,
}

impl State {
    /// Books what a reply to a lane cost.
    pub(super) fn spent_by(&mut self, lane: LaneId, usage: &Usage) {
        self.spent(usage);
        self.accounts.call = *usage;
        let dearest = &mut self.accounts.dearest;
        dearest.tokens = dearest.tokens.max(usage.tokens());
        dearest.micros = dearest.micros.max(usage.cost_micros.unwrap_or_default());
        let of_run = self.run.as_ref().map(|r| r.turn);
        // What was cut off still says what it had, when its lane is gone.
        let Some(lane) = self.lanes.get(&lane) else { return };
        if lane.kind.of_run() || of_run == Some(lane.turn) {
            self.accounts.run.add(usage);
        }
        if let Some(turn) = self.turns.get_mut(&lane.turn) {
            Arc::make_mut(turn).used.add(usage);
        }
        if let LaneKind::Task(task) = lane.kind {
            self.accounts.tasks.entry(task).or_default().add(usage);
        }
    }

    /// Books what something else cost that asked a model.
    pub(super) fn spent_besides(&mut self, usage: &Usage) {
        self.spent(usage);
        self.accounts.besides.add(usage);
    }

    fn spent(&mut self, usage: &Usage) {
        self.usage.add(usage);
        let (spent, tokens) = (&mut self.accounts.spent, usage.tokens());
        spent.tokens = spent.tokens.saturating_add(tokens);
        match usage.cost_micros {
            Some(cost) => spent.micros = spent.micros.saturating_add(cost),
            None => spent.unpriced = spent.unpriced.saturating_add(tokens),
        }
    }

    /// Whether the model calls under way may use up what is left, each as much as the dearest before it.
    pub(super) fn may_be_used_up(&self, allowed: &[Allowance]) -> bool {
        let thinking = self.lanes.values().filter(|l| l.thinking.is_some()).count();
        let beside = usize::from(self.compacting.is_some()) + usize::from(self.titling.is_some());
        let under_way = (thinking + beside) as u64;
        // A call counts as one when it begins.
        let each = Spent { calls: 0, ..self.accounts.dearest };
        under_way > 0 && allowed.iter().any(|a| a.left() <= each.of(a.unit).saturating_mul(under_way))
    }

    /// From here on so much of a unit may be spent; nothing holds it where none is said.
    pub(super) fn set_budget(&mut self, unit: Unit, most: Option<u64>, brief: bool) {
        let bound = Bound { most, from: self.accounts.spent };
        self.brief_budgets.remove(&unit);
        self.with_pipeline(|p| {
            p.bounds.remove(&unit);
        });
        if brief {
            self.brief_budgets.insert(unit, bound)
        } else {
            self.budgets.insert(unit, bound)
        };
    }

    /// What an agent may spend from here on.
    pub(super) fn bounds_of(&self, budget: Option<RunBudget>) -> BTreeMap<Unit, Bound> {
        let from = self.accounts.spent;
        let each = budget.into_iter().flat_map(|b| b.0.each().collect::<Vec<_>>());
        each.map(|(unit, most)| (unit, Bound { most: Some(most), from })).collect()
    }

    /// What may be spent, unit by unit, and what is; `configured` holds where nothing was said here.
    pub fn allowances(&self, configured: Configured) -> Vec<Allowance> {
        let now = self.accounts.spent;
        let allowed = |unit, bound: Bound, said: bool| {
            let spent = now.of(unit).saturating_sub(bound.from.of(unit));
            let unknown = unit == Unit::Micros && now.unpriced > bound.from.unpriced;
            let untold = unit == Unit::Micros && configured.unpriced && !said && now.calls == 0;
            Some(Allowance { unit, most: bound.most?, spent, unknown, untold, said })
        };
        let of = |unit| {
            if let Some(bound) = self.brief_budgets.get(&unit).or_else(|| self.budgets.get(&unit)) {
                return allowed(unit, *bound, true);
            }
            let written = configured.limits.of(unit);
            let usual = configured.usual.filter(|_| unit == Unit::Micros);
            allowed(unit, Bound { most: written.or(usual), from: Spent::default() }, written.is_some())
        };
        let of_agent = |unit| {
            let at_work = |l: LaneId| self.lanes.contains_key(&l);
            let pipeline = self.pipeline.as_ref().filter(|p| p.lane.is_some_and(at_work))?;
            allowed(unit, *pipeline.bounds.get(&unit)?, true)
        };
        // Whichever is used up first holds.
        let tightest = |unit| {
            let both = [of(unit), of_agent(unit)].into_iter().flatten();
            both.min_by_key(|a| if a.is_over() { 0 } else { a.left() })
        };
        Unit::ALL.into_iter().filter_map(tightest).collect()
    }
}
