//! Plans: a DAG of tasks with gates, as a model submits and a user approves them.
//!
//! Owns the shape, the reading of a submitted plan and the order of its tasks. Never runs one.

mod beside;
mod document;
mod draft;
mod gate;
mod inputs;
mod kept;
mod pause;
mod revision;
mod score;
mod tally;
mod targets;

pub use document::{DocumentError, MAX_DOCUMENT};
pub use draft::{GateDraft, PlanDraft, PlanError, TaskDraft, TaskKind};
pub use gate::{
    Gate, GateNews, GateStatus, Programs, ProvenTree, Unproven, failed, failed_and_skipped, lacks,
};
pub use inputs::Workspace;
pub use pause::Pause;
pub use revision::{Change, Revision};
pub use score::Score;
pub use targets::Listed;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    clean::Clean,
    ids::{GateId, Millis, TaskId, TurnId},
    intent::{IntentNode, IntentPath},
    money::count,
    relpath::RelPath,
    scope::ToolScope,
};

/// Most tasks a plan may have.
pub const MAX_TASKS: usize = 200;
/// Fewest characters of a word that says by itself what is spoken of.
const SHORTEST: usize = 3;
/// Most gates a plan may have.
pub const MAX_GATES: usize = 50;

/// Most gates whose lines a card names, and most characters of such a line.
const CARD_GATES: usize = 6;
const GATE_CHARS: usize = 160;
/// Most characters of a step's title on a card.
const CARD_TITLE: usize = 60;
/// So many of the gates that a yes does not cover are named, and so much of their names.
const CARD_OTHERS: usize = 3;
const CARD_NAME: usize = 24;

/// An approved or waiting plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The turn that asked for it.
    pub turn: TurnId,
    /// Counts re-plans of the same work, from 1.
    pub version: u32,
    /// Its name.
    pub title: String,
    /// What the model wants the user to know before approving.
    pub note: String,
    /// How deep its tasks reach.
    pub path: IntentPath,
    /// Tasks, in the order in which they were submitted.
    pub tasks: Vec<Task>,
    /// Gates.
    pub gates: Vec<Gate>,
    /// Whether the user wrote this version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Whether nobody made it: it stands for what an answer did, for the gates behind that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_answer: bool,
    /// Where its runs stop to ask, beside the steps that say so themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// Files that its steps name and that were not there when it was shown, where that was looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<RelPath>>,
    /// That nothing checks it, and why, where something was found that would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

/// How the files were while a run looked at its gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// They rested long enough for it.
    AtRest,
    /// They changed again and again.
    Restless,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// What is done, in a few words.
    pub title: String,
    /// What exactly is done: the instruction for the model that does it.
    #[serde(default)]
    pub detail: String,
    /// How deep it reaches.
    pub node: IntentNode,
    /// Files it means to touch.
    #[serde(default)]
    pub files: Vec<RelPath>,
    /// Tasks that must be done before.
    #[serde(default)]
    pub after: Vec<TaskId>,
    /// Where it stands.
    pub status: TaskStatus,
    /// How long it took, once done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Millis>,
    /// The message that added it while the plan ran, and whose path is its permission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Whether a run stops before it to ask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pause: bool,
    /// Whether it ended with the word that nothing was to be changed, and nothing of it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Under way.
    Running,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Left out.
    Skipped,
    /// Stopped by the user.
    Cancelled,
    /// Done, and all that it wrote was taken back since.
    TakenBack,
    /// Nothing came of it, and nobody left it out.
    NotDone,
}

impl TaskStatus {
    /// Whether nothing more will happen to it.
    pub const fn settled(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }

    /// How a task ends that was left out: by somebody, or because nothing came of it.
    pub const fn left_out(undone: bool) -> Self {
        if undone { Self::NotDone } else { Self::Skipped }
    }

    /// Whether it is done, or as the user left it.
    pub const fn at_rest(self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::TakenBack)
    }
}

impl Task {
    /// Whether it is the same work as another, wherever that stands.
    pub fn is_as(&self, other: &Self) -> bool {
        (&self.title, &self.detail, self.node, &self.files)
            == (&other.title, &other.detail, other.node, &other.files)
    }
}

/// A plan that a run was made of, and how that began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its message.
    pub turn: TurnId,
    /// Which version of it.
    pub version: u32,
    /// Whether the user said yes to it; else it was small enough, or the mode let it.
    pub agreed: bool,
}

impl Begun {
    /// Whether it is this plan, as it is.
    pub fn is_of(&self, plan: &Plan) -> bool {
        (self.turn, self.version) == (plan.turn, plan.version)
    }
}

impl Plan {
    /// What its steps need; its gates run commands.
    pub fn scope(&self) -> ToolScope {
        let gates = if self.gates.is_empty() { ToolScope::NONE } else { ToolScope::EXECUTE };
        self.tasks.iter().fold(gates, |scope, task| scope.or(task.node.scope()))
    }

    /// The task with this id.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|t| t.id == id)
    }

    /// The gate with this id.
    pub fn gate(&self, id: GateId) -> Option<&Gate> {
        self.gates.iter().find(|g| g.id == id)
    }

    /// Gives a gate another command.
    pub fn change_gate(&mut self, id: GateId, to: &str) {
        for gate in self.gates.iter_mut().filter(|g| g.id == id) {
            // One that is called like its command stays so.
            if gate.name == gate.command {
                to.clone_into(&mut gate.name);
            }
            to.clone_into(&mut gate.command);
            (gate.found, gate.lacks) = (false, None);
            // That command has not run.
            if !gate.is_waived() && gate.status != GateStatus::Running {
                gate.status = GateStatus::Pending;
            }
        }
    }

    /// A gate whose tasks are all settled and that has not run; gates come before further tasks.
    pub fn next_gate(&self) -> Option<&Gate> {
        self.gates.iter().find(|g| g.status == GateStatus::Pending && self.is_due(g))
    }

    /// The tasks that a gate comes after.
    pub(crate) fn awaited(&self, gate: &Gate) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|t| gate.after.is_empty() || gate.after.contains(&t.id))
    }

    /// Whether nothing is left to do before a gate.
    pub(crate) fn is_due(&self, gate: &Gate) -> bool {
        self.awaited(gate).all(|t| t.status.settled())
    }

    /// Pending tasks that can never run, because one that they wait for was not done.
    pub fn orphans(&self) -> Vec<TaskId> {
        self.tasks
            .iter()
            .filter(|t| t.status == TaskStatus::Pending)
            .filter(|t| {
                t.after.iter().any(|a| {
                    self.task(*a).is_some_and(|t| t.status.settled() && t.status != TaskStatus::Done)
                })
            })
            .map(|t| t.id)
            .collect()
    }

    /// Whether a task was never done nor left out, or a gate is due: what taking the plan up again is for. What nobody made
    /// as a plan is taken up by nobody.
    pub fn unfinished(&self) -> bool {
        !self.of_answer && (!self.tasks.iter().all(|t| t.status.at_rest()) || self.lacks_gates())
    }

    /// Whether a gate was not run although it is time, or is red and nobody waived it.
    fn lacks_gates(&self) -> bool {
        self.next_gate().is_some() || self.gates.iter().any(Gate::is_red)
    }

    /// What is left of it where it does not run, with the way to go on; `None` where nothing is.
    pub fn offer(&self) -> Option<String> {
        let (title, done, all) = (&self.title, self.done(), self.tasks.len());
        if !self.unfinished() {
            return None;
        }
        Some(if done == all {
            format!("Every step of the plan \"{title}\" is done; only its gates are left: `/redo` runs them.")
        } else {
            format!("The plan \"{title}\" was left at {done} of {all} steps. `/redo` resumes it.")
        })
    }

    /// Whether every task is done and every gate green and fresh, or waived by the user.
    pub fn complete(&self) -> bool {
        self.done() == self.tasks.len() && self.gates.iter().all(Gate::is_met)
    }

    /// Whether all that was asked for is done: as complete, where a gate that nobody asked for may have proven nothing.
    pub fn fulfilled(&self) -> bool {
        let left = |g: &Gate| g.found && matches!(g.status, GateStatus::Unproven(_));
        self.done() == self.tasks.len() && self.gates.iter().all(|g| g.is_met() || left(g))
    }

    /// How it ended where it is fulfilled, in a word: it is complete only where nobody but the user left a gate out.
    pub fn fulfilment(&self) -> &'static str {
        if self.complete() && !self.skipped_red() { "Complete" } else { "Done" }
    }

    /// Whether a gate failed and the user skipped it.
    pub fn skipped_red(&self) -> bool {
        self.gates.iter().any(Gate::is_red_and_skipped)
    }

    /// The gates that prove nothing, by name and with the reason: those that failed and were skipped, then those that were
    /// not checked: ` Not checked: gate lint (skipped).`; empty where there are none.
    pub fn unproven_gates(&self) -> String {
        let failed = self.gates.iter().filter(|g| g.is_red_and_skipped());
        let failed: Vec<String> =
            failed.map(|g| format!(" Gate {} {}.", g.name, failed_and_skipped(g.exit))).collect();
        let failed = failed.concat();
        let why = |g: &Gate| match g.status {
            GateStatus::Skipped => Some("skipped"),
            GateStatus::Stale(_) if g.waived => Some("files changed since it was green, skipped"),
            GateStatus::Unproven(why) => Some(why.words()),
            GateStatus::Pending
            | GateStatus::Running
            | GateStatus::Passed(_)
            | GateStatus::Failed(_)
            | GateStatus::Stale(_) => None,
        };
        let names = self.gates.iter().filter_map(|g| Some(format!("gate {} ({})", g.name, why(g)?)));
        let names = names.collect::<Vec<_>>().join(", ");
        if names.is_empty() { failed } else { format!("{failed} Not checked: {names}.") }
    }

    /// How it ended where it is not complete, each kind of step counted apart:
    /// `Ended: 1 of 6 done, 5 skipped, gate lint not green (you skipped it)`. How the files were meanwhile says why a gate
    /// is stale.
    pub fn ended(&self, files: Files) -> String {
        let mut out = format!("Ended: {} of {} done", self.done(), self.tasks.len());
        out.push_str(&self.not_done());
        let due = self.counted(TaskStatus::Pending);
        if due > 0 {
            out.push_str(&format!(", {due} not started"));
        }
        for gate in &self.gates {
            let why = match gate.status {
                GateStatus::Skipped => "not green (you skipped it)".to_owned(),
                GateStatus::Failed(_) if gate.waived => failed_and_skipped(gate.exit),
                GateStatus::Stale(_) if gate.waived => {
                    "no longer green (files changed since; you skipped it)".to_owned()
                }
                GateStatus::Unproven(why) => why.told(),
                GateStatus::Stale(_) if files == Files::Restless => {
                    "no longer green (files changed since, again and again)".to_owned()
                }
                GateStatus::Stale(_) => "no longer green (files changed since)".to_owned(),
                GateStatus::Pending | GateStatus::Running | GateStatus::Passed(_) | GateStatus::Failed(_) => {
                    continue;
                }
            };
            out.push_str(&format!(", gate {} {why}", gate.name));
        }
        out
    }

    /// The hash of everything that is shown of it before a yes.
    pub fn shown(&self) -> BlobId {
        BlobId::of(format!("{}\0{}", self.version, self.document()).as_bytes())
    }

    /// The plan by name, and how far it got.
    pub fn standing(&self) -> String {
        format!("the plan \"{}\", {} of {} steps done", self.title, self.done(), self.tasks.len())
    }

    /// The position of a task, from 1.
    pub fn number(&self, id: TaskId) -> usize {
        self.tasks.iter().position(|t| t.id == id).map_or(0, |i| i + 1)
    }

    /// Whether a text names something of it: one of its files where it names a file, else a word of its title or of a step's.
    pub fn speaks_of(&self, text: &str) -> bool {
        let files = || self.tasks.iter().flat_map(|t| &t.files).map(RelPath::as_str);
        let titles = || std::iter::once(&self.title).chain(self.tasks.iter().map(|t| &t.title));
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let named: Vec<String> =
            text.split_whitespace().map(bare).filter(|w| w.contains(['.', '/'])).collect();
        if !named.is_empty() {
            return named.iter().any(|n| files().any(|f| f.ends_with(n)) || titles().any(|t| t.contains(n)));
        }
        let stem = |word: String| word.trim_end_matches('s').to_owned();
        let words =
            |text: &str| crate::fact::content(text).into_iter().map(stem).collect::<BTreeSet<String>>();
        let (said, own) = (words(text), titles().map(String::as_str).chain(files()));
        own.flat_map(words).any(|word| word.chars().count() >= SHORTEST && said.contains(&word))
    }

    /// What its gates need and what is not here: `gate tests needs `cargo-nextest`, which is not found here`.
    pub fn lacking(&self) -> impl Iterator<Item = String> {
        let told = |g: &Gate| Some(format!("gate {} {}", g.name, lacks(g.lacks.as_deref()?)));
        self.gates.iter().filter_map(told)
    }

    /// The gates whose lines its card names whole: a yes to the plan is one to exactly these, others ask in their turn.
    pub fn named_gates(&self) -> impl Iterator<Item = &Gate> {
        let whole = |gate: &&Gate| gate.command.chars().count() <= GATE_CHARS && !gate.command.contains('\n');
        self.gates.iter().filter(whole).take(CARD_GATES)
    }

    /// The card's text: `★ Plan ready (N tasks, M validation gates)`, the first ten tasks and the lines of the gates.
    pub fn summary(&self) -> String {
        let gates = count(self.gates.len(), "validation gate");
        let mut out = if self.done() == self.tasks.len() {
            format!("★ Every step is done; only the checks are left ({gates})\n")
        } else {
            format!("★ Plan ready ({}, {gates})\n", count(self.tasks.len(), "task"))
        };
        for (task, number) in self.tasks.iter().zip(1..).take(10) {
            let title = crate::fact::shortened(&task.title, CARD_TITLE);
            let done = if task.status == TaskStatus::Done { " (done)" } else { "" };
            out.push_str(&format!("  {number}. {title}{done}\n"));
        }
        if self.tasks.len() > 10 {
            out.push_str(&format!("  ... and {} more\n", self.tasks.len() - 10));
        }
        for line in self.lacking() {
            out.push_str(&format!("  {line}\n"));
        }
        for gate in self.named_gates() {
            let name = if gate.has_name() { format!(" {}:", gate.name) } else { String::new() };
            out.push_str(&format!("  gate{name} {}\n", Clean::line(&gate.command)));
        }
        let named: BTreeSet<GateId> = self.named_gates().map(|gate| gate.id).collect();
        let others: Vec<&Gate> = self.gates.iter().filter(|gate| !named.contains(&gate.id)).collect();
        if !others.is_empty() {
            out.push_str(&format!("  {}\n", not_covered(&others)));
        }
        out
    }

    fn circle(&self) -> Vec<TaskId> {
        let mut done = BTreeSet::new();
        loop {
            let ready: Vec<TaskId> = self
                .tasks
                .iter()
                .filter(|t| !done.contains(&t.id) && t.after.iter().all(|a| done.contains(a)))
                .map(|t| t.id)
                .collect();
            if ready.is_empty() {
                return self.tasks.iter().map(|t| t.id).filter(|id| !done.contains(id)).collect();
            }
            done.extend(ready);
        }
    }
}

/// Told of gates whose lines are too long or too many for a card: a yes to the plan is none to them.
fn not_covered(gates: &[&Gate]) -> String {
    let shown = gates.iter().take(CARD_OTHERS);
    let names: Vec<String> =
        shown.map(|g| crate::fact::shortened(&Clean::line(&g.name), CARD_NAME)).collect();
    let more = match gates.len().saturating_sub(CARD_OTHERS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("your yes does not cover gate {}{more}: too long or too many for this card", names.join(", "))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    /// PLN-02.
    #[test]
    fn a_card_names_ten_steps_and_cuts_each_at_sixty_characters() {
        let task =
            |n: usize| format!(r#"{{"title":"{}"}}"#, format!("{n:02}").repeat(if n == 1 { 30 } else { 40 }));
        let tasks: Vec<String> = (1..=13).map(task).collect();
        let text = format!(r#"{{"title":"P","tasks":[{}]}}"#, tasks.join(","));
        let card = serde_json::from_str::<PlanDraft>(&text).unwrap().build(TurnId(1), 1).unwrap().summary();
        let rows: Vec<&str> = card.lines().collect();
        assert_eq!(rows[1], format!("  1. {}", "01".repeat(30)), "what fits stands whole");
        for (n, row) in (2..).zip(&rows[2..11]) {
            let title = row.trim_start().trim_start_matches(&format!("{n}. "));
            assert!(title.ends_with('…') && title.chars().count() == 61, "{row}");
        }
        assert_eq!(rows[11], "  ... and 3 more");
    }

    #[test]
    fn a_stale_gate_is_told_of_files_that_change_again_and_again_only_where_they_did() {
        let text = r#"{"title":"P","tasks":[{"title":"a"}],"gates":[{"name":"t","command":"make"}]}"#;
        let mut plan = serde_json::from_str::<PlanDraft>(text).unwrap().build(TurnId(1), 1).unwrap();
        plan.tasks[0].status = TaskStatus::Done;
        plan.gates[0].status = GateStatus::Stale(crate::ids::EvidenceId(3));
        let told = |files| plan.ended(files);
        assert_eq!(told(Files::AtRest), "Ended: 1 of 1 done, gate t no longer green (files changed since)");
        assert_eq!(
            told(Files::Restless),
            "Ended: 1 of 1 done, gate t no longer green (files changed since, again and again)"
        );
    }
}
