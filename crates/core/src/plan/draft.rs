//! A plan as a model submits it, and the checks by which it becomes one.
//!
//! Owns the shape, its limits and the normal form of its texts. Never decides whether it may run.

mod handed_on;

use serde::{Deserialize, Serialize};

use super::{
    Gate, GateStatus, MAX_GATES, MAX_TASKS, Plan, Task, TaskStatus,
    document::{lines, one_line},
};
use crate::{
    args,
    ids::{GateId, TaskId, TurnId},
    intent::{IntentNode, IntentPath},
    relpath::{BadRelPath, RelPath},
    shell::{Hides, is_hollow, is_prose, tells_its_end},
};

/// How what says that nothing checks a plan begins.
const UNCHECKED: &str = "Nothing checks this plan: ";

/// A submitted plan cannot be used; the text tells the model why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// There is no task.
    #[error("the plan has no tasks; give at least one task with a title")]
    Empty,
    /// Too many tasks.
    #[error("the plan has {0} tasks; at most {MAX_TASKS} are allowed: join some")]
    TooMany(usize),
    /// Too many gates.
    #[error("the plan has {0} gates; at most {MAX_GATES} are allowed: join some")]
    TooManyGates(usize),
    /// A gate would run nothing.
    #[error("gate {0} has no command; give the exact line that proves the work, or leave the gate out")]
    EmptyGate(usize),
    /// A gate's command could not be shown.
    #[error("gate {0} has a control character in its command; give a line that can be read")]
    GateControl(usize),
    /// A gate's end would be that of something else than of what it checks.
    #[error("gate {0}: {1}")]
    GateHides(usize, Hides),
    /// A gate's command ends well whatever was done.
    #[error(
        "gate {0}: `{1}` ends well whatever was done, so it proves nothing: give a line that fails while the work is wrong, such as the project's tests, or leave the gate out"
    )]
    GateHollow(usize, String),
    /// A task says nothing.
    #[error("task {0} has no title; say in a few words what is done")]
    Untitled(usize),
    /// A task waits for one that does not exist.
    #[error(
        "task {0} waits for task {1}, which does not exist; `after` takes the numbers of earlier tasks, from 1"
    )]
    UnknownTask(usize, u64),
    /// A task waits for itself.
    #[error("task {0} waits for itself; `after` takes the numbers of earlier tasks, from 1")]
    OwnTask(usize),
    /// A task names a file that is not in the workspace.
    #[error("task {0}: {1}")]
    Outside(usize, BadRelPath),
    /// Tasks wait for each other.
    #[error("tasks wait for each other in a circle: {0:?}; break it")]
    Cycle(Vec<u64>),
}

impl PlanError {
    /// All that is wrong with a plan, in one text.
    pub fn all(faults: &[Self]) -> String {
        faults.iter().map(Self::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// A plan as `submit_plan` takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDraft {
    /// Its name.
    pub title: String,
    /// What the user should know.
    #[serde(default, deserialize_with = "args::if_any")]
    pub note: String,
    /// The tasks.
    #[serde(deserialize_with = "args::objects")]
    pub tasks: Vec<TaskDraft>,
    /// The gates.
    #[serde(default, deserialize_with = "args::objects_if_any")]
    pub gates: Vec<GateDraft>,
    /// That nothing checks it, and why; no model says so.
    #[serde(skip)]
    pub unchecked: Option<String>,
}

/// A task as `submit_plan` takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskDraft {
    /// What is done.
    pub title: String,
    /// How.
    #[serde(default, deserialize_with = "args::if_any")]
    pub detail: String,
    /// How deep it reaches; a change when left out.
    #[serde(default, deserialize_with = "args::word_if_any")]
    pub kind: TaskKind,
    /// Files.
    #[serde(default, deserialize_with = "args::if_any")]
    pub files: Vec<String>,
    /// Numbers of tasks that come before, from 1.
    #[serde(default, deserialize_with = "args::if_any")]
    pub after: Vec<u64>,
}

/// What a task does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// It makes files.
    Create,
    /// It changes files.
    #[default]
    Modify,
    /// It removes files.
    Delete,
    /// It runs commands.
    Execute,
    /// It only looks.
    Read,
}

impl TaskKind {
    pub(super) const fn node(self) -> IntentNode {
        match self {
            Self::Create => IntentNode::Create,
            Self::Modify => IntentNode::Modify,
            Self::Delete => IntentNode::Delete,
            Self::Execute => IntentNode::Execute,
            Self::Read => IntentNode::Read,
        }
    }
}

/// A gate as `submit_plan` takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateDraft {
    /// Its name; its command when left out.
    #[serde(default, deserialize_with = "args::if_any")]
    pub name: String,
    /// Its command line.
    pub command: String,
    /// Numbers of tasks that come before, from 1; all when empty.
    #[serde(default, deserialize_with = "args::if_any")]
    pub after: Vec<u64>,
    /// Whether it was found in the project; no model says so.
    #[serde(skip)]
    pub found: bool,
}

impl PlanDraft {
    /// Whether it changes more than text for people; a task that names no file may.
    pub fn changes_code(&self) -> bool {
        self.tasks.iter().any(|task| {
            task.changes() && (task.files.is_empty() || !task.files.iter().all(|file| is_prose(file)))
        })
    }

    /// It with gates that no model can mend: one whose end is that of something else is left out, and its note says so.
    pub(crate) fn with_gates(mut self, gates: &[GateDraft]) -> Self {
        for gate in gates {
            match tells_its_end(&gate.command) {
                Ok(_) => self.gates.push(gate.clone()),
                Err(hides) => {
                    self.tell(&format!("Left out, the gate `{}`: {hides}.", one_line(&gate.command)));
                }
            }
        }
        self
    }

    /// It without gates that were found and may not run unasked: it says why nothing checks it, and the way to that.
    pub(crate) fn unchecked(mut self, gates: &[GateDraft], trusted: bool) -> Self {
        let Some(line) = gates.first().map(|gate| one_line(&gate.command)) else { return self };
        let (why, way) = if trusted {
            ("there is no sandbox here", format!("run it yourself afterwards with `! {line}`"))
        } else {
            let way = "/trust makes it a gate while the plan waits, /trust and /replan once it has started";
            ("this folder is not trusted", way.to_owned())
        };
        self.unchecked = Some(format!("{UNCHECKED}{why}, so `{line}` won't run on its own; {way}."));
        self
    }

    /// Puts a line below its note.
    fn tell(&mut self, line: &str) {
        [self.note.trim_end(), line].join("\n").trim_start().clone_into(&mut self.note);
    }

    /// Checks the draft and makes it a plan.
    ///
    /// # Errors
    /// When it has no tasks, too many, or its order is impossible: all that is wrong with it.
    pub fn build(self, turn: TurnId, version: u32) -> Result<Plan, Vec<PlanError>> {
        let (steps, gates) = (self.tasks.len(), self.gates.len());
        let mut faults = Vec::new();
        faults.extend((steps == 0).then_some(PlanError::Empty));
        faults.extend((steps > MAX_TASKS).then_some(PlanError::TooMany(steps)));
        faults.extend((gates > MAX_GATES).then_some(PlanError::TooManyGates(gates)));
        let count = steps as u64;
        let tasks: Vec<Task> = (self.tasks.into_iter().zip(1..))
            .map(|(draft, number)| draft.build(number, count, &mut faults))
            .collect();
        let gates = (self.gates.into_iter().zip(1..))
            .map(|(gate, number)| gate.build(number, count, &mut faults))
            .collect();
        let deepest = tasks.iter().map(|t| t.node).max_by_key(|n| (n.approval(), *n));
        let path = IntentPath::to(deepest.unwrap_or(IntentNode::Modify));
        let title = match one_line(&self.title) {
            title if title.is_empty() => tasks.first().map(|t| t.title.clone()).unwrap_or_default(),
            title => title,
        };
        let note = lines(&self.note);
        let plan = Plan {
            turn,
            version,
            title,
            note,
            path,
            tasks,
            gates,
            edited: false,
            of_answer: false,
            pauses: Vec::new(),
            missing: None,
            unchecked: self.unchecked,
        };
        let circle = if faults.is_empty() { plan.circle() } else { Vec::new() };
        if !circle.is_empty() {
            faults.push(PlanError::Cycle(circle.into_iter().map(|t| t.0).collect()));
        }
        if faults.is_empty() { Ok(plan.with_found_in_time()) } else { Err(faults) }
    }
}

impl Plan {
    /// It as it is made now: one of an older log has the sentence that nothing checks it as the last line of its note.
    pub(crate) fn of_now(&self) -> Self {
        let plan = self.clone();
        let (note, last) = plan.note.rsplit_once('\n').unwrap_or(("", &plan.note));
        let is_kept = last.starts_with(UNCHECKED) && last.contains(", so `");
        if plan.unchecked.is_some() || !plan.gates.is_empty() || !is_kept {
            return plan;
        }
        Self { note: note.to_owned(), unchecked: Some(last.to_owned()), ..plan }
    }

    /// What the user should know of it: its note and, below that, that nothing checks it.
    pub fn notes(&self) -> String {
        let all = [self.note.as_str()].into_iter().chain(self.unchecked.as_deref());
        all.filter(|said| !said.trim().is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// One that nothing checked, with what was found, as the folder stands now: with gates where these run unasked, else with
    /// what it says of that; `None` where it stands so already.
    pub(crate) fn checked_by(&self, gates: &[GateDraft], unasked: bool, trusted: bool) -> Option<Self> {
        self.unchecked.as_deref().filter(|_| self.gates.is_empty() && !gates.is_empty())?;
        let (title, note, tasks) = (String::new(), self.note.clone(), Vec::new());
        let draft = PlanDraft { title, note, tasks, gates: Vec::new(), unchecked: None };
        let draft = if unasked { draft.with_gates(gates) } else { draft.unchecked(gates, trusted) };
        let (note, count, mut faults) = (lines(&draft.note), self.tasks.len() as u64, Vec::new());
        let gates: Vec<Gate> = (draft.gates.into_iter().zip(1..))
            .map(|(gate, number)| gate.build(number, count, &mut faults))
            .collect();
        let fits = faults.is_empty() && gates.len() <= MAX_GATES;
        let unchecked = draft.unchecked;
        let same = gates.is_empty() && note == self.note && unchecked == self.unchecked;
        (fits && !same).then(|| Self { note, gates, unchecked, ..self.clone() }.with_found_in_time())
    }
}

impl TaskDraft {
    /// Whether it changes files.
    pub(crate) const fn changes(&self) -> bool {
        matches!(self.kind, TaskKind::Create | TaskKind::Modify | TaskKind::Delete)
    }

    fn build(self, number: u64, count: u64, faults: &mut Vec<PlanError>) -> Task {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let unknown = self.after.iter().filter(|a| **a == 0 || **a > count || **a == number);
        faults.extend(unknown.map(|a| match *a {
            a if a == number => PlanError::OwnTask(at),
            a => PlanError::UnknownTask(at, a),
        }));
        let detail = lines(&self.detail);
        let title = match one_line(&self.title) {
            title if title.is_empty() => one_line(detail.lines().next().unwrap_or_default()),
            title => title,
        };
        faults.extend(title.is_empty().then_some(PlanError::Untitled(at)));
        // The whole workspace is no file.
        let named = self.files.iter().map(|f| f.trim()).filter(|f| !matches!(*f, "" | "." | "./"));
        let named = named.filter(|f| !f.contains(char::is_control));
        let mut files = Vec::new();
        for file in named {
            match RelPath::new(file) {
                Ok(file) => files.push(file),
                Err(e) => faults.push(PlanError::Outside(at, e)),
            }
        }
        Task {
            id: TaskId(number),
            title,
            detail,
            node: self.kind.node(),
            files,
            after: self.after.into_iter().map(TaskId).collect(),
            status: TaskStatus::Pending,
            took: None,
            turn: None,
            pause: false,
            unchanged: false,
        }
    }
}

impl GateDraft {
    fn build(self, number: u64, count: u64, faults: &mut Vec<PlanError>) -> Gate {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        let command = if self.command.trim().is_empty() {
            Err(PlanError::EmptyGate(at))
        } else if self.command.contains(hidden) {
            Err(PlanError::GateControl(at))
        } else {
            tells_its_end(&self.command).map_err(|hides| PlanError::GateHides(at, hides))
        };
        // What was found to check the project is nothing that its plan could mend.
        let hollow = |line: &String| !self.found && is_hollow(line);
        let command = command.and_then(|line| {
            if hollow(&line) { Err(PlanError::GateHollow(at, one_line(&line))) } else { Ok(line) }
        });
        let command = command.unwrap_or_else(|wrong| {
            faults.push(wrong);
            String::new()
        });
        let after = self.after.into_iter().filter(|a| (1..=count).contains(a)).map(TaskId).collect();
        let named = |name: &String| !name.is_empty() && *name != one_line(&self.command);
        let name = Some(one_line(&self.name)).filter(named);
        Gate {
            id: GateId(number),
            name: name.unwrap_or_else(|| one_line(&command)),
            command,
            after,
            found: self.found,
            status: GateStatus::Pending,
            waived: false,
            exit: None,
            lacks: None,
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_gate_that_cannot_fail_is_told_and_one_that_was_found_stands() {
        for (command, taken) in [
            ("true", false),
            ("exit 0", false),
            ("echo ok && ls src", false),
            ("cat a.txt", false),
            ("exit 1", true),
            ("python3 -c 'import a'", true),
            ("bash -c 'test -e a'", true),
            ("cd web && npm test", true),
            ("cat a.txt && grep -q x a.txt", true),
        ] {
            let gate = |found| {
                let gate = GateDraft { command: command.to_owned(), found, ..GateDraft::default() };
                let mut faults = Vec::new();
                gate.build(1, 1, &mut faults);
                faults.is_empty()
            };
            assert_eq!((gate(false), gate(true)), (taken, true), "{command}");
        }
    }

    #[test]
    fn a_gate_that_was_found_stands_before_the_first_step_that_commits_or_pushes() {
        for (tasks, after) in [
            (
                r#"[{"title": "Add --upper"}, {"title": "Run the tests", "kind": "execute"}, {"title": "Commit", "kind": "execute"}]"#,
                &[1, 2][..],
            ),
            (
                r#"[{"title": "Fix it"}, {"title": "Send it on", "detail": "git push origin", "kind": "execute"}]"#,
                &[1],
            ),
            (r#"[{"title": "Fix it"}, {"title": "Push"}, {"title": "Run it", "kind": "execute"}]"#, &[]),
            (r#"[{"title": "Commit what is there", "kind": "execute"}, {"title": "Fix it"}]"#, &[]),
            (
                r#"[{"title": "Fix it"}, {"title": "Run the push tests", "kind": "execute"}, {"title": "Änderungen committen", "kind": "execute"}]"#,
                &[1, 2],
            ),
            // They are done in the order in which they wait for each other.
            (r#"[{"title": "Commit", "kind": "execute", "after": [2]}, {"title": "Fix it"}]"#, &[2]),
            (
                r#"[{"title": "Fix it"}, {"title": "Say so", "after": [4]}, {"title": "Commit", "kind": "execute"}, {"title": "Fix more"}]"#,
                &[1],
            ),
        ] {
            let text = format!(r#"{{"title": "P", "tasks": {tasks}}}"#);
            let draft: PlanDraft = serde_json::from_str(&text).unwrap();
            let found = |found| GateDraft { command: "npm test".to_owned(), found, ..GateDraft::default() };
            let plan = draft.clone().with_gates(&[found(true), found(false)]).build(TurnId(1), 1).unwrap();
            let ids: Vec<TaskId> = after.iter().map(|n| TaskId(*n)).collect();
            assert_eq!(plan.gates[0].after, ids, "{tasks}");
            assert_eq!(plan.gates[1].after, [], "{tasks}: what the model gave stands where it put it");
            // The same where it is added to a plan that waits.
            let waits = draft.unchecked(&[found(true)], false).build(TurnId(1), 1).unwrap();
            assert_eq!(waits.checked_by(&[found(true)], true, true).unwrap().gates[0].after, ids, "{tasks}");
        }
    }

    #[test]
    fn all_that_is_wrong_with_a_plan_is_told_at_once() {
        let text = r#"{"title": "P", "tasks": [{"title": "", "after": [1, 9], "files": ["/etc/x", "a", "../y"]}, {"title": "b"}],
            "gates": [{"command": " "}, {"command": "cargo test | tee log"}, {"command": "cd web && true"}]}"#;
        let draft: PlanDraft = serde_json::from_str(text).unwrap();
        let told = PlanError::all(&draft.build(TurnId(1), 1).unwrap_err());
        for fault in [
            "task 1 waits for itself;",
            "task 1 waits for task 9,",
            "task 1 has no title",
            "task 1: \"/etc/x\"",
            "task 1: \"../y\"",
            "gate 1 has no command",
            "gate 2: ",
            "gate 3: `cd web && true` ends well whatever was done",
        ] {
            assert!(told.contains(fault), "{fault}: {told}");
        }
    }
}
