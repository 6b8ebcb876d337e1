//! What came of an order: whether all of it was done, and what proves it.
//!
//! Owns the difference between an end and a success. Only looks at events and at the state they made.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    event::{Event, RunStatus},
    ids::{LaneId, TurnId},
    intent::{IntentNode, Turn},
    plan::{Gate, GateStatus, Plan, TaskStatus},
    session::{LaneKind, State},
    talk::Finish,
};

/// What a run has brought about.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// The messages of it that are orders, and no questions or words of control.
    orders: BTreeSet<TurnId>,
    /// The messages that were answered, where words are an answer to them.
    answered: BTreeSet<TurnId>,
    /// Whether a run began.
    ran: bool,
    /// The plan that ran, as it stood last.
    plan: Option<Plan>,
    /// Whether a file was written.
    wrote: bool,
    /// Whether a command ended that is no gate.
    commanded: bool,
    /// Whether a step says plainly why nothing was to be changed.
    needless: bool,
    /// Why nothing was committed that was to be.
    uncommitted: Option<String>,
    /// What was to be left alone, was changed and was not put back.
    touched: Option<String>,
    /// How a run without a plan ended that did not come to what was asked for.
    fell_short: Option<String>,
    /// Whether the last reply called something: more was to come.
    looking: bool,
    /// How the last reply ended.
    finish: Finish,
    /// The same of each answer.
    answers: BTreeMap<LaneId, Finish>,
}

impl Results {
    /// Takes in an event, after the state did.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest brings nothing about")]
    pub fn note(&mut self, event: &Event, state: &State) {
        match event {
            // What is only weighed or foreseen is answered in words.
            Event::IntentClassified { turn, class: Turn::PlanNew(None) | Turn::PlanContinue, .. } => {
                self.orders.insert(*turn);
            }
            Event::MessageCompleted { intermediate, lane: id, finish, text, .. } => {
                (self.looking, self.finish) = (*intermediate, *finish);
                let lane = state.lanes.get(id);
                if lane.is_some_and(|l| l.kind == LaneKind::Answer) {
                    self.answers.insert(*id, *finish);
                }
                let words = !intermediate && !text.head.trim().is_empty();
                let answered = lane.map(|l| l.turn).filter(|turn| words && state.is_answered_in_words(*turn));
                self.answered.extend(answered);
                self.needless |= lane.is_some_and(|l| l.kind.task().is_some() && l.needless.is_some());
            }
            Event::RunStarted { .. } => self.ran = true,
            Event::RunCompleted { status, summary, came_to, goal, .. } => {
                self.touched = came_to.as_ref().and_then(|facts| facts.touched.clone());
                self.commanded |= goal.as_ref().is_some_and(|goal| goal.called > 0);
                // What runs before it wrote of the plan that it went on with counts as well.
                self.wrote |= came_to.as_ref().is_some_and(|facts| !facts.files.is_empty());
                self.fell_short = (*status == RunStatus::Ended).then(|| summary.clone());
            }
            Event::Applied { .. } => self.wrote = true,
            // What the workbench checks by itself is no work.
            Event::CommandExited { call, .. } => {
                let gate = state.open_call(*call).is_some_and(|(lane, _)| lane.kind.gate().is_some());
                self.commanded |= !gate;
            }
            Event::CommitEnded { made, told, .. } => {
                self.uncommitted = made.is_none().then(|| told.clone());
            }
            _ => {}
        }
        if let (true, Some(plan)) = (self.ran, state.plan.as_ref().or(state.suspended.as_ref())) {
            self.plan = Some(plan.clone());
        }
    }

    /// Whether what was asked for needs a model, and there is none.
    pub fn needs_model(&self) -> bool {
        self.ended_in(Finish::NoModel)
    }

    /// Whether the last word of the work, or of an answer, is that it could not be done.
    pub fn unable(&self) -> bool {
        self.ended_in(Finish::Unable)
    }

    fn ended_in(&self, finish: Finish) -> bool {
        self.finish == finish || self.answers.values().any(|f| *f == finish)
    }

    /// Whether a run began.
    pub const fn ran(&self) -> bool {
        self.ran
    }

    /// Why it is no success, if it is none.
    pub fn lacks(&self) -> Option<String> {
        if let Some(why) = &self.uncommitted {
            return Some(why.clone());
        }
        // The user forbade it: whatever else was done, that is no success.
        if let Some(what) = &self.touched {
            return Some(what.clone());
        }
        if self.orders.is_empty() && self.plan.is_none() {
            return self.looking.then(|| "no answer came: the agent was still looking".to_owned());
        }
        if !self.ran {
            // The answer to a question beside an order is none to the order.
            return (!self.orders.is_subset(&self.answered))
                .then(|| "nothing came of it: no plan was made and nothing was changed".to_owned());
        }
        let Some(plan) = &self.plan else {
            if let Some(why) = &self.fell_short {
                return Some(why.clone());
            }
            return (!self.commanded && !self.wrote).then(|| "nothing came of it: no command ran".to_owned());
        };
        // One that nobody asked for and that could not run here proves nothing, and is told.
        let left = |g: &Gate| g.found && matches!(g.status, GateStatus::Unproven(_));
        let green = |g: &Gate| matches!(g.status, GateStatus::Passed(_)) || left(g);
        if let Some(gate) = plan.gates.iter().find(|g| !green(g)) {
            let why = match gate.status {
                GateStatus::Stale(_) => "files have changed since it was green",
                GateStatus::Failed(_) => "it failed",
                GateStatus::Pending | GateStatus::Running | GateStatus::Passed(_) => "it did not run",
                GateStatus::Skipped => "it was skipped",
                GateStatus::Unproven(why) => why.words(),
            };
            return Some(format!("the gate {} is not green: {why}", gate.name));
        }
        let writes =
            |n: IntentNode| matches!(n, IntentNode::Create | IntentNode::Modify | IntentNode::Delete);
        let nothing = !self.wrote && plan.tasks.iter().all(|t| writes(t.node)) && !self.commanded;
        if nothing && !self.needless {
            return Some("nothing came of it: no file was changed".to_owned());
        }
        let task = plan.tasks.iter().find(|t| t.status != TaskStatus::Done);
        task.map(|task| format!("the step was not done: {}", task.title))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pilothouse_core::{completion::Completion, ids::RunId};

    use super::*;

    #[test]
    fn what_the_user_forbade_and_stands_is_no_success() {
        let state = State::default();
        let ends = |touched: Option<&str>| {
            let orders = BTreeSet::from([TurnId(1)]);
            let mut results = Results { ran: true, commanded: true, orders, ..Results::default() };
            let came_to = Completion { touched: touched.map(str::to_owned), ..Completion::default() };
            let (status, summary) = (RunStatus::Completed, "Done.".to_owned());
            let (files, came_to) = (Vec::new(), Some(Box::new(came_to)));
            let end = Event::RunCompleted { run: RunId(1), status, summary, files, goal: None, came_to };
            results.note(&end, &state);
            results.lacks()
        };
        assert_eq!(ends(None), None);
        assert_eq!(ends(Some("The tests were changed.")).unwrap(), "The tests were changed.");
    }
}
