//! Steps that hand on what was done before them: to git, to a server, to whom a source speaks to.
//!
//! Owns which steps these are, and that what was found to check a plan stands before the first of them. Runs nothing.

use std::collections::BTreeSet;

use crate::{
    ids::TaskId,
    intent::{Classifier, IntentNode},
    plan::{Gate, Plan, Task},
    source::SeenTools,
};

/// Lines of commands that hand on what was done.
const HANDS_ON: [&str; 2] = ["git commit", "git push"];

impl Plan {
    /// It with the gates that were found before the first step that commits or pushes: what is red then is not sent on.
    pub(super) fn with_found_in_time(self) -> Self {
        let words = Classifier::builtin();
        self.with_found_before(&BTreeSet::new(), |task| task.hands_on(&words))
    }

    /// The same, where a tool of a source that does more than read takes it on as well: what that did is not taken back.
    pub(crate) fn with_found_before_sources(self, sources: &SeenTools) -> Self {
        if sources.is_empty() {
            return self;
        }
        let words = Classifier::builtin();
        let committed = self.before_it(&|task| task.hands_on(&words)).unwrap_or_default();
        self.with_found_before(&committed, |task| task.hands_on(&words) || task.acts_through(sources))
    }

    /// It with the found gates that stand behind all, or only behind these, before the first such step.
    fn with_found_before(mut self, known: &BTreeSet<TaskId>, hands_on: impl Fn(&Task) -> bool) -> Self {
        let stands =
            |gate: &Gate| gate.after.is_empty() || gate.after.iter().copied().eq(known.iter().copied());
        let waits = |gate: &Gate| gate.found && stands(gate);
        if let Some(before) = self.gates.iter().any(waits).then(|| self.before_it(&hands_on)).flatten() {
            for gate in self.gates.iter_mut().filter(|gate| waits(gate)) {
                gate.after = before.iter().copied().collect();
            }
        }
        self
    }

    /// The tasks that are done, one after the other, before the first that hands on; nothing where none does.
    fn before_it(&self, hands_on: &impl Fn(&Task) -> bool) -> Option<BTreeSet<TaskId>> {
        let mut before = BTreeSet::new();
        loop {
            let is_next = |t: &&Task| !before.contains(&t.id) && t.after.iter().all(|a| before.contains(a));
            let next = self.tasks.iter().find(is_next)?;
            if hands_on(next) {
                return Some(before);
            }
            before.insert(next.id);
        }
    }
}

impl Task {
    /// Whether it commits or pushes what the steps before it did, by what it says of itself.
    fn hands_on(&self, words: &Classifier) -> bool {
        let said = self.said();
        let runs = || HANDS_ON.iter().any(|line| said.contains(line));
        self.node == IntentNode::Execute && (runs() || words.hands_on(&self.title))
    }

    /// Whether it names a tool of a source that does more than read, whole or by its words: "Close the tickets" for
    /// `close_ticket`. A step with files changes these.
    fn acts_through(&self, sources: &SeenTools) -> bool {
        let said = self.said();
        let words = stems(&said);
        let names = |tool: &str| {
            let parts = stems(tool);
            said.contains(&tool.to_lowercase()) || parts.len() > 1 && parts.is_subset(&words)
        };
        self.files.is_empty() && sources.iter().any(|tool| !tool.reads && names(&tool.name))
    }

    fn said(&self) -> String {
        format!("{}\n{}", self.title, self.detail).to_lowercase()
    }
}

/// The words of a text in lower case, of several as of one.
fn stems(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::{
        blob::BlobId,
        ids::{TaskId, TurnId},
        plan::{GateDraft, PlanDraft},
        source::{SeenTools, SourceTool},
    };

    fn tool(name: &str, reads: bool) -> SourceTool {
        let (about, hash) = (String::new(), BlobId::of(name.as_bytes()));
        let (name, required) = (name.to_owned(), Vec::new());
        SourceTool { name, about, hash, reads, free: false, hides: false, required, changed: false }
    }

    #[test]
    fn a_gate_that_was_found_stands_before_the_first_step_that_changes_something_through_a_source() {
        let mut sources = SeenTools::default();
        sources.saw("tickets", &[tool("get_ticket", true), tool("close_ticket", false)], &[]);
        for (tasks, after) in [
            (r#"[{"title": "Fix T-1"}, {"title": "Close the tickets", "kind": "execute"}]"#, &[1][..]),
            (r#"[{"title": "Fix T-1"}, {"title": "Tidy up", "detail": "call tickets__close_ticket"}]"#, &[1]),
            // What comes first of a step through a source and a commit counts.
            (
                r#"[{"title": "Fix it"}, {"title": "Close the ticket", "kind": "execute"}, {"title": "Commit", "kind": "execute"}]"#,
                &[1],
            ),
            (
                r#"[{"title": "Fix it"}, {"title": "Commit", "kind": "execute"}, {"title": "Close the ticket", "kind": "execute"}]"#,
                &[1],
            ),
            // A look, a change of a file, and what is none of the source's stand before the gates as ever.
            (r#"[{"title": "Get the tickets", "kind": "read"}, {"title": "Fix it"}]"#, &[]),
            (r#"[{"title": "Close the ticket window", "files": ["a.ts"]}, {"title": "Fix it"}]"#, &[]),
            (r#"[{"title": "Fix it"}, {"title": "Close the file", "kind": "execute"}]"#, &[]),
        ] {
            let text = format!(r#"{{"title": "P", "tasks": {tasks}}}"#);
            let draft: PlanDraft = serde_json::from_str(&text).unwrap();
            let found = |found| GateDraft { command: "npm test".to_owned(), found, ..GateDraft::default() };
            let plan = draft.with_gates(&[found(true), found(false)]).build(TurnId(1), 1).unwrap();
            let plan = plan.with_found_before_sources(&sources);
            let ids: Vec<TaskId> = after.iter().map(|n| TaskId(*n)).collect();
            assert_eq!(plan.gates[0].after, ids, "{tasks}");
            assert_eq!(plan.gates[1].after, [], "{tasks}: what the model gave stands where it put it");
        }
    }
}
