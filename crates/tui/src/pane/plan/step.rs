//! Steps that are added, moved, taken out or paused before, through the document that the editor shows.
//!
//! Owns where they stand there. What is read of it is core's.

use pilothouse_core::{
    ids::TaskId,
    input::Input,
    intent::Phase,
    plan::{Pause, Plan},
};

use super::{CHOOSE, ID, PlanPane, at_plan, rows::Target};
use crate::{
    overlay::prompt::Prompt,
    pane::{Ctx, Outcome},
};

/// Said where a plan cannot be changed.
const NOT_NOW: &str = "a plan can be edited while it is waiting for your yes or its run is paused";
/// Said where it is at work: how it comes to a pause.
const AT_WORK: &str = "the plan is running; say \"wait\" (or press b on a step) and edit it at the pause";

impl PlanPane {
    /// Hands the plan on with its steps in another order, or without one.
    pub(super) fn reorder(&mut self, ctx: &Ctx<'_>, change: impl FnOnce(&mut Vec<TaskId>, usize)) -> Outcome {
        let Some(plan) = ctx.state.plan.as_ref().filter(|_| at_plan(ctx)) else {
            return Outcome::notice(not_now(ctx));
        };
        let mut order: Vec<TaskId> = plan.tasks.iter().map(|t| t.id).collect();
        let at = self.step().and_then(|id| order.iter().position(|t| *t == id));
        let Some(at) = at else { return Outcome::notice(CHOOSE) };
        let before = order.clone();
        change(&mut order, at);
        if order == before {
            return Outcome::none();
        }
        let moved = order.iter().position(|t| before.get(at) == Some(t));
        self.follows = Some((moved.unwrap_or(at.min(order.len().saturating_sub(1))), plan.version));
        Outcome::input(Input::EditPlan { text: plan.document_of(&order), version: plan.version })
    }

    /// Chooses the step that was changed, once the version that has it so is there.
    pub(super) fn follow(&mut self, ctx: &Ctx<'_>) {
        let Some(plan) = ctx.state.plan.as_ref() else { return };
        let Some((at, _)) = self.follows.filter(|(_, of)| plan.version == of + 1) else { return };
        self.follows = None;
        let step = plan.tasks.get(at).map(|t| Target::Task(t.id));
        let mut targets = self.items.iter().filter_map(|i| i.target);
        self.cursor = targets.position(|t| Some(t) == step).unwrap_or_default();
    }

    /// Asks what a step is called that is to stand so many behind the beginning of the chosen one.
    pub(super) fn add(&mut self, ctx: &Ctx<'_>, behind: usize) -> Outcome {
        let Some(plan) = ctx.state.plan.as_ref().filter(|_| at_plan(ctx)) else {
            return Outcome::notice(not_now(ctx));
        };
        let Some(number) = self.step().map(|id| plan.number(id)) else { return Outcome::notice(CHOOSE) };
        self.adding = Some((number + behind - 1, plan.version));
        let side = if behind == 0 { "above" } else { "below" };
        let question = format!("What to do {side} step {number}");
        Outcome::open(Prompt::of_pane(ID, "New step", question, ""))
    }

    /// Wants runs to stop before the chosen step, or not any more.
    pub(super) fn pause(&self, ctx: &Ctx<'_>) -> Outcome {
        let task = self.step().and_then(|id| ctx.state.plan.as_ref()?.task(id));
        match task {
            Some(task) => Outcome::input(Input::SetPause(Pause::Step(task.id), !task.pause)),
            None => Outcome::notice(CHOOSE),
        }
    }

    /// The step that was asked for is called so.
    pub(super) fn named(&mut self, title: &str, ctx: &Ctx<'_>) -> Outcome {
        let asked = self.adding.take().filter(|_| !title.is_empty());
        let Some(((at, version), plan)) = asked.zip(ctx.state.plan.as_ref()) else { return Outcome::none() };
        self.follows = Some((at, version));
        Outcome::input(Input::EditPlan { text: with_step(plan, at, title), version })
    }
}

/// Why a plan cannot be changed now.
pub(super) fn not_now(ctx: &Ctx<'_>) -> &'static str {
    let works = ctx.state.phase == Phase::Executing && ctx.state.plan.is_some();
    if works { AT_WORK } else { NOT_NOW }
}

/// The plan as a document with one step more, before that one of its steps; behind all where there is no such.
fn with_step(plan: &Plan, at: usize, title: &str) -> String {
    let (next, new) = (format!("{}. [", at + 1), format!("- [ ] {title}\n"));
    let (mut out, mut steps, mut placed) = (String::new(), false, false);
    for line in plan.document().lines() {
        if steps && !placed && (line.starts_with(&next) || line.starts_with("## ")) {
            out.push_str(&new);
            placed = true;
        }
        steps |= line == "## Steps";
        out.push_str(line);
        out.push('\n');
    }
    if !placed {
        out.push_str(&new);
    }
    out
}
