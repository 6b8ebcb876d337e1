//! What was written, by the place that it is called by: the second file, step 2.
//!
//! Owns which writes such words mean. Never knows how they are said.

use crate::{
    event::FileChange,
    ids::{ApplyId, TaskId},
    intent::Nth,
    plan::Plan,
    proposal::Proposal,
    relpath::RelPath,
    session::{State, written::Extent},
};

impl State {
    /// The file at a place among those of the last message or run that wrote, as they are listed: by path. The last one is the
    /// one that was written last.
    pub(in crate::session) fn file_written_at(&self, at: Nth) -> Option<RelPath> {
        let (last, ..) = self.writes().last()?;
        let holds = |id: &ApplyId| *id == last;
        let groups = self.written_in_turn(Extent::Session);
        let group = groups.iter().rev().find(|g| g.files.iter().any(|f| f.writes.iter().any(holds)))?;
        let file = match at {
            Nth::At(at) => {
                let mut listed: Vec<_> = group.files.iter().collect();
                listed.sort_by_key(|file| &file.path);
                listed.into_iter().nth(at.checked_sub(1)?)?
            }
            Nth::Last => group.files.last()?,
        };
        Some(file.path.clone())
    }

    /// What steps of the plan that wrote last made, file by file, each with its writes, the oldest first; nothing where
    /// another plan is there by now, whose steps are meant.
    pub(in crate::session) fn written_in(&self, steps: &[Nth]) -> Vec<(RelPath, Vec<ApplyId>)> {
        let planned = self.writes().filter_map(|(_, origin, files)| {
            let plan = self.plan_of(origin.work)?;
            files.iter().any(|f| self.step_number(plan, f).is_some()).then_some(plan)
        });
        let Some(plan) = planned.last() else { return Vec::new() };
        let of = |plan: &Plan| self.work_of(plan.turn);
        if self.plan.as_ref().is_some_and(|now| of(now) != of(plan)) {
            return Vec::new();
        }
        let last =
            self.writes().flat_map(|(.., files)| files).filter_map(|f| self.step_number(plan, f)).max();
        let meant = |step: usize| {
            steps.iter().any(|nth| match nth {
                Nth::At(at) => *at == step,
                Nth::Last => Some(step) == last,
            })
        };
        let mut all: Vec<(RelPath, Vec<ApplyId>)> = Vec::new();
        for (id, _, files) in self.writes() {
            for file in files {
                let picked = self.proposals().get(&file.proposal).and_then(Proposal::picks_from);
                let at = all.iter().position(|(path, _)| *path == file.path);
                let of = at.and_then(|at| all.get_mut(at)).map(|(_, writes)| writes);
                match of {
                    _ if picked.is_none() && !self.step_number(plan, file).is_some_and(meant) => {}
                    Some(writes) if picked.is_none_or(|of| writes.contains(&of)) => writes.push(id),
                    None if picked.is_none() => all.push((file.path.clone(), vec![id])),
                    Some(_) | None => {}
                }
            }
        }
        all
    }

    /// The number of the step that a write of a file is of.
    fn step_number(&self, plan: &Plan, file: &FileChange) -> Option<usize> {
        let task: TaskId = self.proposals().get(&file.proposal)?.task?;
        plan.tasks.iter().any(|t| t.id == task).then(|| plan.number(task))
    }
}
