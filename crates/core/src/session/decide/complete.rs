//! The end of a run: what it came to, and the gate of an answer that changed files.
//!
//! Owns what is said of a run at its end. Never says that it is complete over a check that failed and was not run again.

use std::collections::BTreeSet;

use super::Draft;
use super::terms::RunEnd;
use crate::{
    event::{Event, Level, RunStatus},
    fact::shortened,
    goal::{GoalStatus, GoalSummary, complete},
    ids::{Millis, TaskId},
    phase::Trigger,
    plan::{Gate, Plan, PlanDraft, Task, TaskDraft, TaskKind, TaskStatus},
    proposal::Proposal,
    relpath::RelPath,
    session::{RedCheck, Standing},
};

/// Most characters of the title of what an answer did.
const TITLE_CHARS: usize = 60;

impl Draft<'_> {
    /// An answer that was let write ends: what it changed is checked as a plan is, where the project's check was found
    /// and runs unasked.
    pub(super) fn end_own_run(&mut self) {
        let Some(plan) = self.plan_of_answer() else { return self.complete_run() };
        self.show_plan(plan);
        self.continue_run();
    }

    /// What an answer did, as a plan of one step that is done and the gates that were found.
    fn plan_of_answer(&self) -> Option<Plan> {
        let run = self.state.run.as_ref().filter(|run| !run.files.is_empty())?;
        let runs_nothing = self.state.runs_nothing(run.turn);
        if !self.state.checks_unasked() || self.state.wrote_no_code() || runs_nothing {
            return None;
        }
        let said = self.state.turns.get(&run.turn);
        let said = said.map(|t| t.request.as_deref().unwrap_or(&t.head)).unwrap_or_default();
        let files = run.files.iter().map(|f| f.as_str().to_owned()).collect();
        let title = shortened(said, TITLE_CHARS);
        let task = TaskDraft { title, kind: TaskKind::Modify, files, ..TaskDraft::default() };
        let (title, note) = (task.title.clone(), String::new());
        let draft = PlanDraft { title, note, tasks: vec![task], gates: Vec::new(), unchecked: None };
        let mut plan = draft.with_gates(&self.found_gates()).build(run.turn, 1).ok()?;
        plan.of_answer = true;
        plan.tasks.iter_mut().for_each(|task| task.status = TaskStatus::Done);
        Some(plan).filter(|plan| !plan.gates.is_empty())
    }

    /// A step that came to nothing is done where the fix for a gate changed its files and every gate is green since.
    fn done_by_repair(&mut self) {
        let Some(plan) = self.state.plan.as_ref().filter(|p| p.gates.iter().all(Gate::is_green)) else {
            return;
        };
        let stands = |p: &Proposal| self.state.standing(p).is_some_and(|s| s != Standing::Nothing);
        let repairs = self.state.proposals().values().filter(|p| self.state.mends(plan, p) && stands(p));
        let changed: BTreeSet<&RelPath> = repairs.map(|p| &p.path).collect();
        let made = |t: &&Task| !t.files.is_empty() && t.files.iter().all(|path| changed.contains(path));
        let undone = plan.tasks.iter().filter(|t| t.status == TaskStatus::NotDone).filter(made);
        let undone: Vec<(usize, TaskId)> = undone.map(|t| (plan.number(t.id), t.id)).collect();
        for (number, task) in undone {
            let text = format!("Step {number} is done: the fix for the gate changed its files.");
            self.notice(Level::Info, text);
            self.emit(Event::TaskCompleted { task, took: Millis(0) });
        }
    }

    pub(super) fn complete_run(&mut self) {
        self.done_by_repair();
        let files = self.state.run.as_ref().map_or(0, |r| r.files.len());
        let refused = self.state.run.as_ref().is_some_and(|r| r.refused && r.files.is_empty());
        let goal = self.goal_summary(refused.then_some(GoalStatus::Refused)).map(|goal| {
            let nothing = goal.status == GoalStatus::Completed && goal.ran + goal.called + files == 0;
            if nothing { GoalSummary { status: GoalStatus::Nothing, ..goal } } else { goal }
        });
        let plan = self.state.plan.as_ref();
        let reds: Vec<&RedCheck> =
            self.state.run.iter().filter(|_| goal.is_none()).flat_map(|run| run.red_checks(plan)).collect();
        let red = reds.iter().find(|red| !red.is_of_before(plan));
        let touched = self.state.run.as_ref().and_then(|run| self.state.touched_in(run.turn));
        let broke = self.state.run.as_ref().filter(|_| goal.is_none());
        let broke = broke.and_then(|run| run.broke(plan));
        let broke = broke.map(|b| format!(" The agent's last command, `{}`, {}.", b.command, b.failed()));
        let again: Vec<String> = reds.iter().map(|red| format!("`{}`", red.line)).collect();
        let again = again.join(", ");
        let again = if again.is_empty() { again } else { format!(" Not run again after failing: {again}.") };
        let summary = match (&self.state.plan, files) {
            (None, 0) if goal.is_some() => goal.as_ref().map(GoalSummary::line).unwrap_or_default(),
            (None, 0) => complete(self.state.spell(self.at).unwrap_or_default().worked),
            (Some(plan), _) if !plan.fulfilled() => plan.ended(self.files()),
            (plan, n) => {
                let unproven = plan.as_ref().map(Plan::unproven_gates).unwrap_or_default();
                let how = if again.is_empty() && touched.is_none() && broke.is_none() {
                    plan.as_ref().map_or("Complete", Plan::fulfilment)
                } else {
                    "Done"
                };
                // Of a plan that was gone on with, all that it wrote counts.
                let run = self.state.run.as_ref().filter(|_| plan.is_some());
                let came_to = run.map(|r| self.state.completion(r)).unwrap_or_default();
                let idle = came_to.idle_steps().map(|idle| format!(" {idle}.")).unwrap_or_default();
                format!("{how}. {}.{idle}{unproven}{again}", came_to.wrote(n))
            }
        };
        let summary = match red {
            None => summary,
            Some(red) => {
                let unproven = self.state.plan.as_ref().map(Plan::unproven_gates).unwrap_or_default();
                format!("Ended: its last check, `{}`, failed.{unproven}", red.line)
            }
        };
        let touched = touched.map(|text| format!(" {text}")).unwrap_or_default();
        let summary = format!("{summary}{}{touched}", broke.unwrap_or_default());
        let ended = red.is_some() || self.state.plan.as_ref().is_some_and(|p| !p.fulfilled());
        let status = match goal.as_ref().map(|g| g.status) {
            None if ended => RunStatus::Ended,
            Some(GoalStatus::Refused | GoalStatus::Nothing) => RunStatus::Ended,
            None | Some(GoalStatus::Completed) => RunStatus::Completed,
            Some(GoalStatus::Failed | GoalStatus::PlannerError) => RunStatus::Failed,
            Some(GoalStatus::Skipped | GoalStatus::Cancelled) => RunStatus::Cancelled,
        };
        self.complete_as(RunEnd { status, summary, goal });
        self.shelve();
        self.must_go(Trigger::Complete);
        self.archive_complete();
        self.drain();
    }

    pub(super) fn complete_as(&mut self, end: RunEnd) {
        let RunEnd { status, summary, goal } = end;
        if let Some(run) = &self.state.run {
            let came_to = Some(Box::new(self.state.completion(run)));
            let (run, files) = (run.id, run.files.iter().cloned().collect());
            self.emit(Event::RunCompleted { run, status, summary, files, goal, came_to });
        }
    }
}
