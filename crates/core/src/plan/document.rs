//! A plan as a document: what an editor shows of it, and what it is read back from.
//!
//! Owns the form: a heading, a note, numbered steps with a mark each, gates. Every line is either part of
//! that form or an error that names it.

use std::collections::BTreeMap;

use super::{GateDraft, Plan, PlanDraft, PlanError, Task, TaskDraft, TaskKind, TaskStatus};
use crate::{ids::TaskId, intent::IntentNode};

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
        if !self.note.trim().is_empty() {
            let lines = self.note.trim().lines().map(|l| format!("> {l}\n"));
            out.push_str(&(lines.collect::<String>() + "\n"));
        }
        out.push_str("## Steps\n\n");
        for task in order.iter().filter_map(|id| self.task(*id)) {
            let number = self.number(task.id);
            out.push_str(&format!("{number}. [{}] {}\n", mark(task.status), one_line(&task.title)));
            out.push_str(&format!("   kind: {}\n", kind_of(task.node).name()));
            let files: Vec<&str> = task.files.iter().map(crate::relpath::RelPath::as_str).collect();
            out.push_str(&field("files", &files.join(", ")));
            out.push_str(&field("needs", &needs(&task.after)));
            out.extend(task.detail.trim_end().lines().map(|l| format!("   | {l}\n")));
        }
        if !self.gates.is_empty() {
            out.push_str("\n## Gates\n\n");
        }
        for gate in &self.gates {
            out.push_str(&format!("- {}: `{}`\n", one_line(&gate.name), gate.command));
            out.push_str(&field("needs", &needs(&gate.after)));
        }
        out
    }

    /// The next version of it, as a document says. A step keeps what it was by its number.
    ///
    /// # Errors
    /// When a line cannot be read or the steps make no plan; the text names the line.
    pub fn edited(&self, text: &str) -> Result<Self, DocumentError> {
        let read = Reader::read(text)?;
        let place: BTreeMap<u64, u64> =
            read.steps.iter().zip(1..).filter_map(|(s, at)| Some((s.label?, at))).collect();
        let find = |needs: &Needs| -> Result<Vec<u64>, DocumentError> {
            let found = needs.labels.iter().map(|label| {
                place.get(label).copied().ok_or_else(|| at(needs.line, &format!("there is no step {label}")))
            });
            found.collect()
        };
        let mut tasks = Vec::new();
        for step in &read.steps {
            tasks.push(TaskDraft { after: find(&step.needs)?, ..step.draft.clone() });
        }
        let mut gates = Vec::new();
        for (gate, needs) in &read.gates {
            gates.push(GateDraft { after: find(needs)?, ..gate.clone() });
        }
        let draft = PlanDraft { title: read.title, note: read.note.join("\n"), tasks, gates };
        let mut plan = draft.build(self.turn, self.version + 1)?;
        for (task, step) in plan.tasks.iter_mut().zip(&read.steps) {
            let old = step.label.and_then(|l| self.tasks.get(usize::try_from(l).ok()?.checked_sub(1)?));
            keep(task, step.status, old);
        }
        plan.edited = true;
        Ok(plan)
    }
}

/// What a step keeps of the one that it was; what was done stays done only as it was done.
fn keep(task: &mut Task, status: TaskStatus, old: Option<&Task>) {
    task.status = status;
    task.turn = old.and_then(|t| t.turn);
    task.took = old.filter(|t| t.status == status).and_then(|t| t.took);
}

pub(super) const fn mark(status: TaskStatus) -> char {
    match status {
        TaskStatus::Pending | TaskStatus::Failed => ' ',
        TaskStatus::Running => '~',
        TaskStatus::Done => 'x',
        TaskStatus::Skipped | TaskStatus::Cancelled => '-',
    }
}

fn kind_of(node: IntentNode) -> TaskKind {
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn at(line: usize, why: &str) -> DocumentError {
    DocumentError::Line { line, why: why.to_owned() }
}

/// Steps that one waits for, by the numbers in the document, and where that is said.
#[derive(Default)]
struct Needs {
    line: usize,
    labels: Vec<u64>,
}

struct Step {
    label: Option<u64>,
    status: TaskStatus,
    draft: TaskDraft,
    needs: Needs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Steps,
    Gates,
}

/// What has been read so far.
struct Reader {
    part: Part,
    title: String,
    note: Vec<String>,
    steps: Vec<Step>,
    gates: Vec<(GateDraft, Needs)>,
}

impl Reader {
    fn read(text: &str) -> Result<Self, DocumentError> {
        let (title, note) = (String::new(), Vec::new());
        let mut reader = Self { part: Part::Head, title, note, steps: Vec::new(), gates: Vec::new() };
        let mut comment = false;
        for (line, number) in text.lines().zip(1..) {
            let trimmed = line.trim();
            comment = comment || trimmed.starts_with("<!--");
            if !comment && !trimmed.is_empty() {
                reader.line(trimmed, number)?;
            }
            comment = comment && !trimmed.ends_with("-->");
        }
        Ok(reader)
    }

    fn line(&mut self, line: &str, number: usize) -> Result<(), DocumentError> {
        if let Some(heading) = line.strip_prefix("## ") {
            self.part = match heading.trim().to_lowercase().as_str() {
                "steps" => Part::Steps,
                "gates" => Part::Gates,
                _ => return Err(at(number, "a heading is \"## Steps\" or \"## Gates\"")),
            };
            return Ok(());
        }
        if let Some(title) = line.strip_prefix("# ") {
            title.trim().clone_into(&mut self.title);
            return Ok(());
        }
        match self.part {
            Part::Head => {
                let said = line.strip_prefix('>').ok_or_else(|| at(number, "a note begins with \"> \""))?;
                self.note.push(said.trim().to_owned());
                Ok(())
            }
            Part::Steps => self.step_line(line, number),
            Part::Gates => self.gate_line(line, number),
        }
    }

    fn step_line(&mut self, line: &str, number: usize) -> Result<(), DocumentError> {
        if let Some((label, rest)) = label_of(line) {
            let (status, title) = marked(rest)
                .ok_or_else(|| at(number, "a step is \"1. [ ] what is done\"; marks are [ ] [x] [~] [-]"))?;
            if title.is_empty() {
                return Err(at(number, "a step has a title behind its mark"));
            }
            if label.is_some() && self.steps.iter().any(|s| s.label == label) {
                return Err(at(
                    number,
                    "this number stands at another step already; a new step begins with \"-\"",
                ));
            }
            let draft = TaskDraft { title: title.to_owned(), ..TaskDraft::default() };
            self.steps.push(Step { label, status, draft, needs: Needs::default() });
            return Ok(());
        }
        let Some(step) = self.steps.last_mut() else {
            return Err(at(number, "a step is \"1. [ ] what is done\""));
        };
        if let Some(detail) = line.strip_prefix('|') {
            let detail = detail.strip_prefix(' ').unwrap_or(detail);
            if !step.draft.detail.is_empty() {
                step.draft.detail.push('\n');
            }
            step.draft.detail.push_str(detail);
            return Ok(());
        }
        match line.split_once(':').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("kind", value)) => {
                step.draft.kind = serde_json::from_value(value.into())
                    .map_err(|_| at(number, "kind is create, modify, delete, execute or read"))?;
            }
            Some(("files", value)) => step.draft.files = list(value),
            Some(("needs", value)) => step.needs = needs(value, number)?,
            _ => {
                return Err(at(number, "below a step stand kind, files, needs, or its detail behind \"| \""));
            }
        }
        Ok(())
    }

    fn gate_line(&mut self, line: &str, number: usize) -> Result<(), DocumentError> {
        if let Some(gate) = line.strip_prefix("- ") {
            let wrong = || at(number, "a gate is \"- name: `command`\"");
            let (name, command) = gate.split_once(": `").ok_or_else(wrong)?;
            let command = command.trim_end().strip_suffix('`').ok_or_else(wrong)?;
            let (name, command) = (name.trim().to_owned(), command.to_owned());
            let draft = GateDraft { name, command, after: Vec::new(), found: false };
            self.gates.push((draft, Needs::default()));
            return Ok(());
        }
        match (line.split_once(':'), self.gates.last_mut()) {
            (Some(("needs", value)), Some(gate)) => gate.1 = needs(value.trim(), number)?,
            _ => return Err(at(number, "below a gate stands needs")),
        }
        Ok(())
    }
}

/// The number before a step, where it has one, and what follows.
fn label_of(line: &str) -> Option<(Option<u64>, &str)> {
    if let Some(rest) = line.strip_prefix("- ") {
        return Some((None, rest.trim()));
    }
    let (label, rest) = line.split_once(". ")?;
    Some((Some(label.parse().ok()?), rest.trim()))
}

/// The mark of a step and its title.
fn marked(text: &str) -> Option<(TaskStatus, &str)> {
    let marks = [
        ("[ ]", TaskStatus::Pending),
        ("[x]", TaskStatus::Done),
        ("[X]", TaskStatus::Done),
        ("[~]", TaskStatus::Pending),
        ("[-]", TaskStatus::Skipped),
    ];
    marks.into_iter().find_map(|(mark, status)| Some((status, text.strip_prefix(mark)?.trim())))
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(|f| f.trim().trim_matches('`').to_owned()).filter(|f| !f.is_empty()).collect()
}

fn needs(value: &str, line: usize) -> Result<Needs, DocumentError> {
    let labels = value.split(',').map(str::trim).filter(|n| !n.is_empty());
    let labels = labels.map(|n| n.parse().map_err(|_| at(line, "needs takes numbers of steps: 1, 2")));
    Ok(Needs { line, labels: labels.collect::<Result<_, _>>()? })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::ids::TurnId;

    fn plan() -> Plan {
        let text = r#"{"title":"Greet","note":"two\nlines","tasks":[
            {"title":"One","detail":"do\n  this","kind":"create","files":["a.rs","b.rs"]},
            {"title":"Two","after":[1]},{"title":"Three","kind":"read","after":[1,2]}],
            "gates":[{"name":"tests","command":"cargo test --lib","after":[2]}]}"#;
        let mut plan = serde_json::from_str::<PlanDraft>(text).unwrap().build(TurnId(1), 1).unwrap();
        plan.tasks[0].status = TaskStatus::Done;
        plan
    }

    #[test]
    fn a_document_reads_back_as_the_plan_that_it_was() {
        let plan = plan();
        let read = plan.edited(&plan.document()).unwrap();
        assert_eq!(read, Plan { version: 2, edited: true, ..plan });
    }

    #[test]
    fn steps_are_moved_added_removed_and_reworded() {
        let plan = plan();
        let text = "# Greet\n## Steps\n1. [x] One\n3. [ ] Third\n   kind: read\n- [ ] New\n   needs: 3\n   | how\n## Gates\n- t: `make`\n  needs: 3\n";
        let read = plan.edited(text).unwrap();
        let titles: Vec<&str> = read.tasks.iter().map(|t| t.title.as_str()).collect();
        assert_eq!(titles, ["One", "Third", "New"]);
        assert_eq!(read.tasks[2].after, [read.tasks[1].id]);
        assert_eq!((read.tasks[0].status, read.tasks[2].detail.as_str()), (TaskStatus::Done, "how"));
        assert_eq!(read.gates[0].after, [read.tasks[1].id]);
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        let plan = plan();
        let cases = [
            ("# T\nwords", "line 2"),
            ("# T\n## Stuff", "line 2"),
            ("## Steps\n1. One", "line 2"),
            ("## Steps\n1. [?] One", "line 2"),
            ("## Steps\n1. [ ] ", "line 2"),
            ("## Steps\n1. [ ] One\n1. [ ] Two", "line 3"),
            ("## Steps\n1. [ ] One\nneeds: 4", "line 3: there is no step 4"),
            ("## Steps\n1. [ ] One\nneeds: one", "line 3"),
            ("## Steps\n1. [ ] One\nkind: dance", "line 3"),
            ("## Steps\n1. [ ] One\nwhatever", "line 3"),
            ("## Steps\n1. [ ] One\n## Gates\n- tests", "line 4"),
            ("# T", "no tasks"),
            ("## Steps\n1. [ ] One\nneeds: 2\n2. [ ] Two\nneeds: 1", "circle"),
        ];
        for (text, said) in cases {
            let error = plan.edited(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text:?}: {error}");
        }
    }
}
