//! What the steps of a plan rest on: files that are there, files and facts that an earlier step makes.
//!
//! Owns which of that nobody has. Reads no file and says nothing of what a step does with it.

use std::{collections::BTreeSet, fmt};

use super::{Listed, Plan, Task, TaskStatus};
use crate::{
    fact::{Facts, cited_facts, is_named},
    ids::TaskId,
    intent::IntentNode,
    relpath::RelPath,
    shell::Target,
};

/// Looks whether files of the workspace are there.
pub trait Workspace: fmt::Debug + Send + Sync {
    /// Whether there is a file or a folder at a path.
    fn has(&self, path: &RelPath) -> bool;

    /// The file that would have what a line asks for by name and surely does not; `None` wherever it may be there.
    fn without(&self, _target: &Target) -> Option<Listed> {
        None
    }
}

impl Plan {
    /// What it lacks that is to stand by itself: evidence for each step that is there, is made before it, or is known.
    /// The text tells whoever wrote it.
    pub fn unfounded(&self, facts: &Facts, files: Option<&dyn Workspace>) -> Option<String> {
        let bare = |t: &&Task| t.files.is_empty();
        let names: Vec<&str> = self.tasks.iter().filter(bare).map(|t| t.title.as_str()).collect();
        let bare = (!names.is_empty()).then(|| {
            let names = names.join("; ");
            format!(
                "every task names the files that it touches or rests on in `files`; these name none: {names}"
            )
        });
        let open = || self.tasks.iter().filter(|t| t.status == TaskStatus::Pending);
        let lacks = |t| files.map(|files| self.files_missing(t, files)).unwrap_or_default();
        let faults = bare.into_iter().chain(open().flat_map(lacks));
        let faults: Vec<String> = faults.chain(open().flat_map(|t| self.facts_missing(t, facts))).collect();
        (!faults.is_empty()).then(|| format!("in proof mode {}", faults.join("; ")))
    }

    fn files_missing(&self, task: &Task, files: &dyn Workspace) -> Vec<String> {
        let rests = matches!(task.node, IntentNode::Modify | IntentNode::Delete | IntentNode::Read);
        let missing = task.files.iter().filter(|path| rests && !files.has(path));
        let fault = |path: &RelPath| {
            let makes = |t: &&Task| matches!(t.node, IntentNode::Create | IntentNode::Execute) && t.has(path);
            let makers: Vec<&Task> = self.tasks.iter().filter(|t| t.id != task.id).filter(makes).collect();
            if makers.iter().any(|maker| self.is_before(maker, task)) {
                return None;
            }
            let of = self.number(task.id);
            Some(match makers.first() {
                Some(maker) => format!(
                    "task {of} rests on {path}, which only task {} makes: let it come before (`after`)",
                    self.number(maker.id)
                ),
                None => format!(
                    "task {of} rests on {path}, which is not there and no task makes: name a file that is there, or let a \
                     task of kind create that names it in `files` come before"
                ),
            })
        };
        missing.filter_map(fault).collect()
    }

    fn facts_missing(&self, task: &Task, facts: &Facts) -> Vec<String> {
        let before = self.awaited_by(task);
        let found = |name: &str| {
            let mut tasks = self.tasks.iter().filter(|t| before.contains(&t.id));
            tasks.any(|t| is_named(name, &t.title) || is_named(name, &t.detail))
        };
        let text = format!("{}\n{}", task.title, task.detail);
        let missing = cited_facts(&text).into_iter().filter(|name| facts.get(name).is_none() && !found(name));
        let of = self.number(task.id);
        let fault = |name: String| {
            format!(
                "task {of} rests on the fact {name}, which is not known: let a task before it (`after`) find it out and \
                 note it by record_fact under that name"
            )
        };
        missing.map(fault).collect()
    }

    /// Whether a task is done before another one that shares a file with it.
    fn is_before(&self, first: &Task, then: &Task) -> bool {
        self.awaited_by(then).contains(&first.id)
            || (first.id < then.id && !self.awaited_by(first).contains(&then.id))
    }

    /// The tasks that one waits for, and those that these wait for.
    fn awaited_by(&self, task: &Task) -> BTreeSet<TaskId> {
        let (mut all, mut open) = (BTreeSet::new(), task.after.clone());
        while let Some(next) = open.pop() {
            if all.insert(next) {
                open.extend(self.task(next).into_iter().flat_map(|t| &t.after));
            }
        }
        all
    }
}
