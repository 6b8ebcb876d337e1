//! What a plan that is made anew keeps of the one before.
//!
//! Owns that what is done stays done. Never judges whether it should be.

use std::collections::BTreeMap;

use super::{MAX_TASKS, Plan, Task, TaskStatus};
use crate::ids::TaskId;

impl Plan {
    /// The steps that are done in the plan that it goes on with stay done.
    pub(crate) fn mark_done(&mut self, old: &Self) {
        let done = || old.tasks.iter().filter(|t| t.status == TaskStatus::Done);
        for task in &mut self.tasks {
            if let Some(was) = done().find(|was| task.is_as(was)) {
                (task.status, task.took) = (TaskStatus::Done, was.took);
            }
        }
        self.undo_what_waits();
    }

    /// Takes over what is done of the plan that it goes on with: the same steps stay done, and those that it leaves
    /// out stand in front of its own.
    pub(crate) fn keep_done(&mut self, old: &Self) {
        self.mark_done(old);
        let done = old.tasks.iter().filter(|t| t.status == TaskStatus::Done);
        let named = |was: &Task| {
            let detailed = !was.detail.is_empty();
            self.tasks.iter().any(|t| t.title == was.title || (detailed && t.detail == was.detail))
        };
        let front: Vec<&Task> = done.filter(|was| !named(was)).collect();
        if !front.is_empty() && front.len() + self.tasks.len() <= MAX_TASKS {
            self.put_in_front(&front);
        }
    }

    /// A step that is done is to be done again, and what needs it after it.
    pub(crate) fn again(&mut self, step: TaskId) {
        for task in self.tasks.iter_mut().filter(|t| t.id == step) {
            (task.status, task.took) = (TaskStatus::Pending, None);
        }
        self.undo_what_waits();
    }

    /// A step that needs one which is not done is to be done after that.
    fn undo_what_waits(&mut self) {
        loop {
            let open: Vec<TaskId> =
                self.tasks.iter().filter(|t| t.status != TaskStatus::Done).map(|t| t.id).collect();
            let waits =
                |t: &&mut Task| t.status == TaskStatus::Done && t.after.iter().any(|a| open.contains(a));
            let Some(task) = self.tasks.iter_mut().find(waits) else { return };
            (task.status, task.took) = (TaskStatus::Pending, None);
        }
    }

    /// Steps go by their numbers: those behind the ones in front are counted on.
    fn put_in_front(&mut self, front: &[&Task]) {
        let by = front.len() as u64;
        let numbers: BTreeMap<TaskId, TaskId> = front.iter().map(|t| t.id).zip((1..).map(TaskId)).collect();
        let mut all: Vec<Task> = Vec::with_capacity(front.len() + self.tasks.len());
        for (task, id) in front.iter().zip((1..).map(TaskId)) {
            let after = task.after.iter().filter_map(|a| numbers.get(a).copied()).collect();
            all.push(Task { id, after, ..(*task).clone() });
        }
        for mut task in std::mem::take(&mut self.tasks) {
            task.id.0 += by;
            task.after.iter_mut().for_each(|a| a.0 += by);
            all.push(task);
        }
        self.tasks = all;
        for gate in &mut self.gates {
            gate.after.iter_mut().for_each(|a| a.0 += by);
        }
    }
}
