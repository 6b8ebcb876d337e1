//! The plan whose run the user agreed to: as long as it is unchanged it needs no second yes once the session is opened again.
//!
//! Owns what is kept of that. Never begins a run.

use std::collections::BTreeSet;

use super::State;
use crate::{
    ids::{ApprovalId, TurnId},
    intent::Phase,
    plan::Plan,
};

/// A plan whose run was agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AgreedPlan {
    /// Its message.
    turn: TurnId,
    version: u32,
    /// Lines of its gates that the yes was to as well.
    gates: Vec<String>,
}

impl AgreedPlan {
    /// This plan, with what was said yes to of its gates.
    fn of(plan: &Plan, approved: &BTreeSet<String>) -> Self {
        let gates = plan.gates.iter().map(|gate| gate.command.clone());
        Self {
            turn: plan.turn,
            version: plan.version,
            gates: gates.filter(|g| approved.contains(g)).collect(),
        }
    }

    /// Whether it is this one, unchanged.
    pub fn is(&self, plan: &Plan) -> bool {
        (self.turn, self.version) == (plan.turn, plan.version) && !plan.edited
    }
}

impl State {
    /// Whether the session was opened again with a plan that has something left, and nothing was said since.
    pub fn offers_to_go_on(&self) -> bool {
        let left = self.last_plan().is_some_and(Plan::unfinished);
        self.unsaid && left && !self.goes_on && self.phase == Phase::Idle
    }

    /// Something is said: what was stopped here and left for other words is asked about again.
    pub(super) fn speaks(&mut self) {
        (self.goes_on, self.unsaid) = (false, false);
        self.agreed.take_if(|_| self.run.is_none());
    }

    /// A run begins: what was said yes to with its plan holds, also where that was before the session was opened again.
    pub(super) fn agreed_to_run(&mut self, approval: Option<ApprovalId>) {
        let (before, plan) = (self.agreed_before.take(), self.plan.as_ref().filter(|_| approval.is_some()));
        if let Some(before) = before.filter(|before| plan.is_some_and(|plan| before.is(plan))) {
            self.approved_gates.extend(before.gates);
        }
        self.agreed = plan.map(|plan| AgreedPlan::of(plan, &self.approved_gates));
        (self.goes_on, self.unsaid) = (false, false);
    }
}
