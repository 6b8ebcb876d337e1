//! What one version of a plan changed of an earlier one.
//!
//! Owns which step is which: steps have no names that last, so they are found by what they say. Never judges.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gate, Plan, Task};
use crate::{
    diff::likeness,
    ids::{GateId, TaskId},
};

/// From this share of common words on, of 1, two titles are one step's: what git takes for a renamed file.
const ALIKE: f32 = 0.5;

/// What became of a step or a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// It is said in other words.
    Reworded,
    /// It touches, needs or reaches something else.
    Changed,
    /// It stands elsewhere among the others.
    Moved,
}

impl Change {
    /// The sign before it in text.
    pub const fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Reworded | Self::Changed => '~',
            Self::Moved => '>',
        }
    }

    /// It in a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Reworded => "reworded",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }
}

/// What one version changed of an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// The earlier version.
    pub since: u32,
    steps: BTreeMap<TaskId, (Change, Option<TaskId>)>,
    gates: BTreeMap<GateId, Change>,
    /// Steps of the earlier version that are gone.
    pub removed: Vec<TaskId>,
    /// Gates of the earlier version that are gone.
    pub removed_gates: Vec<GateId>,
}

impl Revision {
    /// What `plan` changed of `old`.
    pub fn of(plan: &Plan, old: &Plan) -> Self {
        let pairs = pairs(&plan.tasks, &old.tasks);
        let stays = in_order(plan, old, &pairs);
        let mut steps = BTreeMap::new();
        for task in &plan.tasks {
            let Some(was) = pairs.get(&task.id).and_then(|id| old.task(*id)) else {
                steps.insert(task.id, (Change::Added, None));
                continue;
            };
            let needs: BTreeSet<_> = task.after.iter().map(|a| pairs.get(a)).collect();
            let needed: BTreeSet<_> = was.after.iter().map(Some).collect();
            let change = if task.title != was.title || task.detail != was.detail {
                Change::Reworded
            } else if task.node != was.node || task.files != was.files || needs != needed {
                Change::Changed
            } else if !stays.contains(&task.id) {
                Change::Moved
            } else {
                continue;
            };
            steps.insert(task.id, (change, Some(was.id)));
        }
        let same = |a: &Gate, b: &Gate| a.name == b.name || a.command == b.command;
        let mut gates = BTreeMap::new();
        for gate in &plan.gates {
            match old.gates.iter().find(|g| same(gate, g)) {
                None => drop(gates.insert(gate.id, Change::Added)),
                Some(was) if was.command != gate.command => drop(gates.insert(gate.id, Change::Changed)),
                Some(was) if was.name != gate.name => drop(gates.insert(gate.id, Change::Reworded)),
                Some(_) => {}
            }
        }
        let kept: BTreeSet<TaskId> = pairs.values().copied().collect();
        let gone = |g: &&Gate| !plan.gates.iter().any(|new| same(new, g));
        Self {
            since: old.version,
            steps,
            gates,
            removed: old.tasks.iter().map(|t| t.id).filter(|id| !kept.contains(id)).collect(),
            removed_gates: old.gates.iter().filter(gone).map(|g| g.id).collect(),
        }
    }

    /// What became of a step, and which it was; `None` where it is as it was.
    pub fn step(&self, id: TaskId) -> Option<(Change, Option<TaskId>)> {
        self.steps.get(&id).copied()
    }

    /// Whether no step of it was one of the earlier version.
    pub fn is_another(&self, plan: &Plan) -> bool {
        plan.tasks.iter().all(|t| matches!(self.step(t.id), Some((Change::Added, _))))
    }

    /// What became of a gate.
    pub fn gate(&self, id: GateId) -> Option<Change> {
        self.gates.get(&id).copied()
    }

    /// All of it in a line, each with its sign: `+ 1 added, - 2 removed; gates: ~ 1 changed`; empty where nothing changed.
    pub fn words(&self) -> String {
        let steps = counted(self.steps.values().map(|(change, _)| *change), self.removed.len());
        let gates = counted(self.gates.values().copied(), self.removed_gates.len());
        match (steps.is_empty(), gates.is_empty()) {
            (_, true) => steps,
            (true, false) => format!("gates: {gates}"),
            (false, false) => format!("{steps}; gates: {gates}"),
        }
    }
}

fn counted(changes: impl Iterator<Item = Change>, removed: usize) -> String {
    let all: Vec<Change> = changes.collect();
    let kinds = [Change::Added, Change::Reworded, Change::Changed, Change::Moved];
    let kinds = kinds.map(|kind| (kind.sign(), all.iter().filter(|c| **c == kind).count(), kind.word()));
    let some = kinds.into_iter().chain([('-', removed, "removed")]).filter(|(_, n, _)| *n > 0);
    some.map(|(sign, n, word)| format!("{sign} {n} {word}")).collect::<Vec<_>>().join(", ")
}

/// Which step each one was, the surest sign first.
fn pairs(new: &[Task], old: &[Task]) -> BTreeMap<TaskId, TaskId> {
    let mut pairs = BTreeMap::new();
    let mut used = BTreeSet::new();
    let signs: [fn(&Task, &Task) -> bool; 4] = [
        |a, b| a.title == b.title,
        |a, b| !a.detail.is_empty() && a.detail == b.detail,
        |a, b| !a.files.is_empty() && a.node == b.node && a.files == b.files,
        // A step of another file is another one, however it is said.
        |a, b| alike(&a.title, &b.title) && shares(a, b),
    ];
    for sign in signs {
        for task in new {
            if pairs.contains_key(&task.id) {
                continue;
            }
            if let Some(was) = old.iter().find(|o| !used.contains(&o.id) && sign(task, o)) {
                used.insert(was.id);
                pairs.insert(task.id, was.id);
            }
        }
    }
    pairs
}

fn words(text: &str) -> Vec<&[u8]> {
    text.split_whitespace().map(str::as_bytes).collect()
}

/// Whether two steps have a file in common, or one of them names none.
fn shares(a: &Task, b: &Task) -> bool {
    a.files.is_empty() || b.files.is_empty() || a.files.iter().any(|file| b.has(file))
}

fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    likeness(&words(&a), &words(&b)) >= ALIKE
}

/// The most steps that stand among each other as they did; all others were moved.
fn in_order(plan: &Plan, old: &Plan, pairs: &BTreeMap<TaskId, TaskId>) -> BTreeSet<TaskId> {
    // For each step the longest row that ends with it, as its length and the step before.
    let places: Vec<(TaskId, usize)> =
        plan.tasks.iter().filter_map(|t| Some((t.id, old.number(*pairs.get(&t.id)?)))).collect();
    let mut rows: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, (_, place)) in places.iter().enumerate() {
        let before = rows.iter().zip(&places).enumerate().take(at).filter(|(_, (_, (_, p)))| p < place);
        let best = before.max_by_key(|(_, ((length, _), _))| *length);
        rows.push(best.map_or((1, None), |(n, ((length, _), _))| (length + 1, Some(n))));
    }
    let mut at = (0..rows.len()).max_by_key(|n| rows.get(*n).map_or(0, |r| r.0));
    let mut stays = BTreeSet::new();
    while let Some((n, (task, _))) = at.and_then(|n| Some((n, places.get(n)?))) {
        stays.insert(*task);
        at = rows.get(n).and_then(|r| r.1);
    }
    stays
}

impl Plan {
    /// It in lines for whoever has no screen, with what it changed of `old` marked.
    pub fn listing(&self, old: Option<&Self>) -> Vec<String> {
        let revision = old.map(|old| Revision::of(self, old)).unwrap_or_default();
        let changed = match old {
            Some(old) if revision.words().is_empty() => format!(", as v{}", old.version),
            Some(old) => format!(" since v{}: {}", old.version, revision.words()),
            None => String::new(),
        };
        let mut out = vec![format!("{} (v{}{changed})", self.title, self.version)];
        for (task, number) in self.tasks.iter().zip(1..) {
            let step = revision.step(task.id);
            let was = step.and_then(|(change, was)| Some((change, old?.task(was?)?)));
            let was = match was {
                Some((Change::Reworded, was)) if was.title != task.title => format!(" (was: {})", was.title),
                Some((Change::Moved, was)) => {
                    format!(" (was step {})", old.map_or(0, |o| o.number(was.id)))
                }
                Some(_) | None => String::new(),
            };
            let sign = step.map_or(' ', |(change, _)| change.sign());
            let mark = super::document::mark(task.status);
            out.push(format!("{sign} {number}. [{mark}] {}{was}", task.title));
        }
        let gone = revision.removed.iter().filter_map(|id| old?.task(*id));
        out.extend(gone.map(|t| format!("- {}", t.title)));
        for gate in &self.gates {
            let sign = revision.gate(gate.id).map_or(' ', Change::sign);
            out.push(format!("{sign} gate {}: {}", gate.name, gate.command));
        }
        let gone = revision.removed_gates.iter().filter_map(|id| old?.gate(*id));
        out.extend(gone.map(|g| format!("- gate {}: {}", g.name, g.command)));
        out
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::{ids::TurnId, plan::PlanDraft};

    fn plan(version: u32, tasks: &[(&str, &[u64])]) -> Plan {
        let tasks: Vec<_> =
            tasks.iter().map(|(t, after)| serde_json::json!({"title": t, "after": after})).collect();
        let text =
            serde_json::json!({"title": "P", "tasks": tasks, "gates": [{"name": "t", "command": "make"}]});
        serde_json::from_value::<PlanDraft>(text).unwrap().build(TurnId(1), version).unwrap()
    }

    #[test]
    fn what_was_added_removed_reworded_and_moved_is_told_apart() {
        let old = plan(1, &[("Read it", &[]), ("Write the store", &[1]), ("Add a test", &[]), ("Gone", &[])]);
        let mut new = plan(
            2,
            &[("Add a test", &[]), ("Read it", &[]), ("Write the new store", &[2]), ("Document all", &[])],
        );
        new.gates[0].command = "make check".to_owned();
        let revision = Revision::of(&new, &old);
        let of = |n: u64| revision.step(TaskId(n)).map(|(c, was)| (c, was.map(|w| w.0)));
        assert_eq!(of(1), Some((Change::Moved, Some(3))));
        assert_eq!(of(2), None);
        assert_eq!(of(3), Some((Change::Reworded, Some(2))));
        assert_eq!(of(4), Some((Change::Added, None)));
        assert_eq!(revision.removed, [TaskId(4)]);
        assert_eq!(revision.words(), "+ 1 added, ~ 1 reworded, > 1 moved, - 1 removed; gates: ~ 1 changed");
        let lines = new.listing(Some(&old));
        assert_eq!(lines[0], format!("P (v2 since v1: {})", revision.words()));
        assert_eq!(lines[1], "> 1. [ ] Add a test (was step 3)");
        assert_eq!(lines[3], "~ 3. [ ] Write the new store (was: Write the store)");
        assert_eq!(&lines[4..], ["+ 4. [ ] Document all", "- Gone", "~ gate t: make check"]);
    }

    #[test]
    fn a_step_of_another_file_is_no_other_wording() {
        let of = |version, file: &str| {
            let text = serde_json::json!({"title": "P", "tasks": [{"title": format!("Add a test of {file}"), "files": [file]}]});
            serde_json::from_value::<PlanDraft>(text).unwrap().build(TurnId(1), version).unwrap()
        };
        let revision = Revision::of(&of(2, "src/b.rs"), &of(1, "src/a.rs"));
        assert_eq!(revision.words(), "+ 1 added, - 1 removed");
        assert_eq!(Revision::of(&of(2, "src"), &of(1, "src/a.rs")).words(), "~ 1 reworded");
    }

    #[test]
    fn a_plan_is_no_revision_of_itself() {
        let plan = plan(1, &[("A", &[]), ("B", &[1]), ("A", &[])]);
        assert_eq!(Revision::of(&plan, &plan).words(), "");
        assert_eq!(plan.listing(None)[0], "P (v1)");
    }
}
