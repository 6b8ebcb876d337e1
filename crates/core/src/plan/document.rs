//! A plan as a document: what an editor or a file shows of it, and what it is read back from.
//!
//! Owns what stands in it and what a step keeps; the grammar is `grammar`'s. Every plan reads back as the plan that it
//! was, and every line that does not fit is an error that names it.

mod grammar;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::grammar::{Needs, Reader, listed, span};
use super::{
    Gate, GateDraft, MAX_GATES, MAX_TASKS, Pause, Plan, PlanDraft, PlanError, Task, TaskDraft, TaskKind,
    TaskStatus,
};
use crate::{
    ids::{TaskId, TurnId},
    intent::IntentNode,
    relpath::RelPath,
};

/// The longest document that is read, in bytes.
pub const MAX_DOCUMENT: usize = 512 * 1024;

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// A line means nothing where it stands.
    #[error("line {line}: {why}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it, and what would be right.
        why: String,
    },
    /// It can be read, and makes no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl DocumentError {
    /// It with the file that it is about: `plan.md:12: …`.
    pub fn of_file(&self, file: &RelPath) -> String {
        match self {
            Self::Line { line, why } => format!("{file}:{line}: {why}"),
            Self::Plan(why) => format!("{file}: {why}"),
        }
    }
}

const HELP: &str = "<!-- [ ] to do, [x] done, [~] under way, [-] left out. Move, add, remove or reword steps; `needs` names the\n     numbers written here, which stay with their steps. kind: create, modify, delete, execute or read. -->\n";

impl Plan {
    /// It as a document.
    pub fn document(&self) -> String {
        let all: Vec<TaskId> = self.tasks.iter().map(|t| t.id).collect();
        self.document_of(&all)
    }

    /// These of its steps as a document, in this order, each under its own number.
    pub fn document_of(&self, order: &[TaskId]) -> String {
        let needs = |after: &[TaskId]| {
            let there = after.iter().filter(|a| order.contains(a));
            there.map(|a| self.number(*a).to_string()).collect::<Vec<_>>().join(", ")
        };
        let mut out = format!("# {}\n\n{HELP}\n", one_line(&self.title));
        let notes = self.notes();
        if !notes.is_empty() {
            out.extend(lines(&notes).lines().map(|l| format!("> {l}\n")));
            out.push('\n');
        }
        out.push_str("## Steps\n\n");
        for task in order.iter().filter_map(|id| self.task(*id)) {
            let number = self.number(task.id);
            out.push_str(&format!("{number}. [{}] {}\n", mark(task.status), one_line(&task.title)));
            out.push_str(&format!("   kind: {}\n", kind_of(task.node).name()));
            out.push_str(&field("files", &listed(task.files.iter().map(RelPath::as_str))));
            out.push_str(&field("needs", &needs(&task.after)));
            out.push_str(if task.pause { "   pause: before\n" } else { "" });
            out.extend(lines(&task.detail).lines().map(|l| format!("   | {l}\n")));
        }
        if !self.gates.is_empty() {
            out.push_str("\n## Gates\n\n");
        }
        for gate in &self.gates {
            out.push_str(&gate_lines(gate));
            out.push_str(&field("needs", &needs(&gate.after)));
        }
        // What holds the run of now is no part of the plan.
        let mut pauses = self.pauses.iter().filter(|p| **p != Pause::Held).peekable();
        if pauses.peek().is_some() {
            out.push_str("\n## Pauses\n\n");
        }
        out.extend(pauses.map(|p| format!("- {}\n", p.words())));
        out
    }

    /// The plan that a document says, made for this message.
    ///
    /// # Errors
    /// When a line cannot be read or the steps make no plan; the text names the line.
    pub fn read(text: &str, turn: TurnId, version: u32) -> Result<Self, DocumentError> {
        let mut plan = built(&Reader::read(text)?, turn, version)?;
        plan.edited = true;
        Ok(plan)
    }

    /// The next version of it, as a document says. A step keeps what it was by its number.
    ///
    /// # Errors
    /// As of [`Plan::read`].
    pub fn edited(&self, text: &str) -> Result<Self, DocumentError> {
        let mut read = Reader::read(text)?;
        // What says that nothing checks it stands below its note, and is none of it.
        let unchecked = self.unchecked.clone().filter(|said| read.note.contains(said));
        read.note.retain(|line| Some(line) != unchecked.as_ref());
        let mut plan = built(&read, self.turn, self.version + 1)?;
        plan.unchecked = unchecked.filter(|_| plan.gates.is_empty());
        for (task, step) in plan.tasks.iter_mut().zip(&read.steps) {
            let old = step.label.and_then(|l| self.tasks.get(usize::try_from(l).ok()?.checked_sub(1)?));
            task.turn = old.and_then(|t| t.turn);
            // What was done stays done only as it was done.
            task.took = old.filter(|t| t.status == task.status).and_then(|t| t.took);
        }
        for gate in &mut plan.gates {
            gate.found = self.gates.iter().any(|old| old.found && old.command == gate.command);
        }
        plan.edited = true;
        Ok(plan)
    }
}

impl Plan {
    /// Takes back that a step is done where none of these plans did the very same; the titles of such.
    pub(crate) fn undo_unknown(&mut self, known: &[&Self]) -> Vec<String> {
        let same = |a: &Task, b: &Task| {
            let texts = |t: &Task| (one_line(&t.title), lines(&t.detail));
            texts(a) == texts(b) && (kind_of(a.node), &a.files) == (kind_of(b.node), &b.files)
        };
        let mut unknown = Vec::new();
        for task in self.tasks.iter_mut().filter(|t| t.status == TaskStatus::Done) {
            let mut did = known.iter().flat_map(|p| &p.tasks).filter(|t| t.status == TaskStatus::Done);
            if let Some(was) = did.find(|was| same(was, task)) {
                task.took = was.took;
            } else {
                task.status = TaskStatus::Pending;
                unknown.push(task.title.clone());
            }
        }
        unknown
    }
}

/// What was read, as a plan by the same checks as one that a model submits.
fn built(read: &Reader, turn: TurnId, version: u32) -> Result<Plan, DocumentError> {
    let place: BTreeMap<u64, u64> =
        read.steps.iter().zip(1..).filter_map(|(s, at)| Some((s.label?, at))).collect();
    let find = |needs: &Needs, own: Option<u64>| -> Result<Vec<u64>, DocumentError> {
        let found = needs.labels.iter().map(|label| match place.get(label).copied() {
            None => Err(at(needs.line, &format!("there is no step {label}"))),
            Some(found) if Some(found) == own => Err(at(needs.line, &format!("step {label} needs itself"))),
            Some(found) => Ok(found),
        });
        found.collect()
    };
    let mut tasks = Vec::new();
    for (step, own) in read.steps.iter().zip(1..) {
        tasks.push(TaskDraft { after: find(&step.needs, Some(own))?, ..step.draft.clone() });
    }
    let mut gates = Vec::new();
    for gate in &read.gates {
        gates.push(GateDraft { after: find(&gate.needs, None)?, ..gate.draft() });
    }
    let draft =
        PlanDraft { title: read.title.clone(), note: read.note.join("\n"), tasks, gates, unchecked: None };
    let first = |wrong: Vec<PlanError>| wrong.into_iter().next().unwrap_or(PlanError::Empty);
    let mut plan = draft.build(turn, version).map_err(|wrong| placed(read, first(wrong)))?;
    for (task, step) in plan.tasks.iter_mut().zip(&read.steps) {
        (task.status, task.pause) = (step.status, step.pause);
    }
    plan.pauses.clone_from(&read.pauses);
    Ok(plan)
}

/// What is wrong with a plan, at the line where it stands.
fn placed(read: &Reader, wrong: PlanError) -> DocumentError {
    let step = |n: usize| read.steps.get(n.saturating_sub(1)).map(|s| s.line);
    let gate = |n: usize| read.gates.get(n.saturating_sub(1)).map(|g| g.line);
    let line = match &wrong {
        PlanError::TooMany(_) => step(MAX_TASKS + 1),
        PlanError::TooManyGates(_) => gate(MAX_GATES + 1),
        PlanError::EmptyGate(n)
        | PlanError::GateControl(n)
        | PlanError::GateHides(n, _)
        | PlanError::GateHollow(n, _) => gate(*n),
        PlanError::Untitled(n)
        | PlanError::UnknownTask(n, _)
        | PlanError::OwnTask(n)
        | PlanError::Outside(n, _) => step(*n),
        PlanError::Cycle(ids) => {
            let steps =
                ids.iter().filter_map(|id| read.steps.get(usize::try_from(*id).ok()?.checked_sub(1)?));
            let steps: Vec<_> = steps.collect();
            let names: Vec<String> = steps
                .iter()
                .map(|s| s.label.map_or_else(|| format!("\"{}\"", s.draft.title), |l| l.to_string()))
                .collect();
            return match steps.first() {
                Some(first) => {
                    let why =
                        format!("steps wait for each other in a circle: {}; break it", names.join(", "));
                    at(first.needs.line, &why)
                }
                None => wrong.into(),
            };
        }
        PlanError::Empty => None,
    };
    line.map_or_else(|| wrong.clone().into(), |line| at(line, &wrong.to_string()))
}

/// A gate with its command: behind its name, or below it where it has several lines.
fn gate_lines(gate: &Gate) -> String {
    let name = one_line(&gate.name);
    let name = if name.contains(['`', ':']) { span(&name) } else { name };
    if gate.command.contains('\n') {
        let mut out = format!("- {name}:\n");
        out.extend(gate.command.split('\n').map(|l| format!("   | {l}\n")));
        return out;
    }
    format!("- {name}: {}\n", span(&gate.command))
}

pub(super) const fn mark(status: TaskStatus) -> char {
    match status {
        TaskStatus::Pending | TaskStatus::Failed | TaskStatus::NotDone => ' ',
        TaskStatus::Running => '~',
        TaskStatus::Done => 'x',
        TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::TakenBack => '-',
    }
}

pub(super) fn kind_of(node: IntentNode) -> TaskKind {
    let all = [TaskKind::Create, TaskKind::Modify, TaskKind::Delete, TaskKind::Execute, TaskKind::Read];
    all.into_iter().find(|k| k.node() == node).unwrap_or(TaskKind::Read)
}

impl TaskKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Delete => "delete",
            Self::Execute => "execute",
            Self::Read => "read",
        }
    }
}

fn field(name: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!("   {name}: {value}\n") }
}

/// A title as it stands in a line: no control character, no blank but single ones.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|w| w.chars().filter(|c| !c.is_control()).collect::<String>());
    words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text of several lines: none with a control character or blanks at its end, no empty one before or after them.
pub(super) fn lines(text: &str) -> String {
    let clean = |l: &str| l.chars().filter(|c| *c == '\t' || !c.is_control()).collect::<String>();
    let all = text.lines().map(|l| clean(l).trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    all.trim_matches('\n').to_owned()
}

fn at(line: usize, why: &str) -> DocumentError {
    DocumentError::Line { line, why: why.to_owned() }
}
