//! Why a question is asked that no rule of permission has to do with: a plan, a gate's other command, a commit.
//!
//! Owns the words, from what the decision itself is made of.

use super::{Bounds, Session, State};
use crate::{
    checkpoint::{Checkpoint, CheckpointKind},
    intent::{IntentNode, Mode},
    money::count,
    plan::{Plan, Revision},
    policy::{Outcome, Why},
    scope::{Capability, PermissionMode},
};

/// Most files of a plan that begins without a question.
const FEW_FILES: usize = 2;

impl State {
    /// What makes a plan more than one step in a file or two, which begins by itself since its hunks ask; nothing where it
    /// is no more.
    pub(super) fn larger(&self, plan: &Plan, bounds: &Bounds) -> Vec<String> {
        let mut why = Vec::new();
        if !bounds.small_plans {
            why.push("you want to be asked about each plan: `confirm = \"always\"` in [plan]".to_owned());
        }
        if self.mode == Mode::Proof {
            why.push("proof mode asks about each plan".to_owned());
        }
        if plan.tasks.len() != 1 {
            why.push(format!(
                "it has {}; a plan of one step starts on its own",
                count(plan.tasks.len(), "step")
            ));
        }
        for task in &plan.tasks {
            let changes = matches!(task.node, IntentNode::Create | IntentNode::Modify);
            let n = plan.number(task.id);
            let files = task.files.len();
            if !changes {
                let what = task.node.name();
                why.push(format!(
                    "step {n} would {what}: only creating and modifying files is fully shown in hunks"
                ));
            } else if files == 0 {
                why.push(format!("step {n} names no file"));
            } else if files > FEW_FILES {
                why.push(format!("step {n} names {files} files; more than {FEW_FILES} ask"));
            }
        }
        why.extend(self.left_out_of(plan));
        let path = self.turns.get(&plan.turn).map(|turn| &turn.path);
        if !path.is_some_and(|path| path.scope().allows(Capability::Write)) {
            let path = path.map(ToString::to_string).unwrap_or_default();
            why.push(format!("your message was not read as an order to change files ({path})"));
        }
        why
    }

    /// What a plan made anew has less of than the version before it, which the user was shown: steps to be done, gates.
    fn left_out_of(&self, plan: &Plan) -> Option<String> {
        let old = self.versions_before(plan).pop()?;
        let due = |plan: &Plan| plan.tasks.iter().filter(|t| !t.status.settled()).count();
        let steps = due(old).saturating_sub(due(plan));
        let gates = Revision::of(plan, old).removed_gates.len();
        let parts = [(steps, "step"), (gates, "gate")].into_iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts.map(|(n, what)| count(n, what)).collect();
        (!parts.is_empty()).then(|| format!("it has {} fewer than v{}", parts.join(" and "), old.version))
    }

    /// Why the plan that waits is asked about.
    fn why_plan(&self, plan: &Plan, bounds: &Bounds) -> Why {
        let mut rows = vec![("call", plan.title.clone())];
        if let Some(beyond) = self.beyond(plan) {
            let names: Vec<&str> = beyond.iter().map(Capability::name).collect();
            let names = names.join(", ");
            rows.push(("beyond", format!("it goes further than your message asked: it may {names}")));
        }
        rows.extend(self.larger(plan, bounds).into_iter().map(|why| ("why", why)));
        if plan.tasks.iter().any(|task| task.node == IntentNode::Delete) {
            rows.push(("risk", "it removes files: each removal also needs a typed word".to_owned()));
        }
        let ceiling = match self.permission {
            PermissionMode::ReadOnly => "the ceiling is read-only: it can be planned but not run",
            PermissionMode::Ask => {
                "the ceiling is ask: your yes starts it, and each change is asked about as it comes"
            }
            PermissionMode::Auto => "the ceiling is auto: a plan within your message starts on its own",
        };
        if let Some(aside) = self.suspended.as_ref().filter(|_| rows.len() == 1) {
            rows.push((
                "why",
                format!("another plan, \"{}\", is set aside while this one waits", aside.title),
            ));
        }
        if rows.len() == 1 {
            rows.push(("why", "it came back to you: nothing of it starts until you say so".to_owned()));
        }
        rows.push(("ceiling", ceiling.to_owned()));
        Why { outcome: Outcome::Ask, rows }
    }
}

impl Session {
    /// Why a question is asked with which no rule of permission has to do; `None` where there is nothing more to say.
    pub fn why_asked(&self, item: &Checkpoint) -> Option<Why> {
        let state = self.state();
        let why = |call: String, rule: &str| {
            let rows = vec![("call", call), ("rule", rule.to_owned())];
            Some(Why { outcome: Outcome::Ask, rows })
        };
        if item.kind.is_confirmation() {
            return Some(state.why_plan(state.plan.as_ref()?, self.bounds()));
        }
        if let CheckpointKind::GateChange(change) = &item.kind {
            return why(
                format!("{} to {}", change.from, change.to),
                "a gate proves the work, so only you can change what it runs, in every mode; your yes lets that line run",
            );
        }
        if let CheckpointKind::Trust(trust) = &item.kind {
            let brings = [
                ("file that would take effect", "files that would take effect", trust.parts.len()),
                ("line that would run unasked", "lines that would run unasked", trust.gates.len()),
            ];
            let counted = brings.iter().filter(|(.., n)| *n > 0);
            let counted = counted.map(|(one, more, n)| format!("{n} {}", if *n == 1 { one } else { more }));
            let has = counted.collect::<Vec<_>>().join(", ");
            let has = if has.is_empty() { "nothing that would take effect".to_owned() } else { has };
            return why(
                format!("this folder: {has}"),
                "what a folder brings takes effect, and its gates run without asking, only after your yes and until it changes",
            );
        }
        let commits = matches!(item.kind, CheckpointKind::Commit(_));
        let rule = "a commit is made only after your yes to its files and message, in every mode";
        commits.then(|| why("git commit".to_owned(), rule)).flatten()
    }
}
