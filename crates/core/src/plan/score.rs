//! How a plan stands among others for the same message.
//!
//! Owns the points and their words. Never picks one, and never says more of a plan than what stands in it.

use super::{Plan, TaskKind, document::kind_of};
use crate::money::count;

/// Shorter words of a message say too little to be looked for.
const LEAST_WORD: usize = 4;
/// Up to so many steps a plan is small.
const SMALL: usize = 5;

/// How good a plan is, by what can be counted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// Of 100.
    pub points: usize,
    covered: usize,
    named: usize,
    steps: usize,
    gates: usize,
    bare: usize,
}

impl Score {
    /// Of a plan for this message.
    pub fn of(plan: &Plan, message: &str) -> Self {
        let text = plan.document().to_lowercase();
        let all = message.split(|c: char| !c.is_alphanumeric() && !"._/-".contains(c)).map(str::to_lowercase);
        let mut words: Vec<String> = all.filter(|w| w.chars().count() >= LEAST_WORD).collect();
        words.sort_unstable();
        words.dedup();
        let (named, steps, gates) = (words.len(), plan.tasks.len(), plan.gates.len());
        let covered = words.iter().filter(|w| text.contains(w.trim_matches(['.', '/', '-', '_']))).count();
        let bare = plan.tasks.iter().filter(|t| t.files.is_empty()).count();
        let changes =
            plan.tasks.iter().any(|t| !matches!(kind_of(t.node), TaskKind::Read | TaskKind::Execute));
        let proven = gates > 0 || !changes;
        let share = |part: usize, of: usize, most: usize| (most * part).checked_div(of).unwrap_or(most);
        let points = share(covered, named, 50)
            + if proven { 20 } else { 0 }
            + share(steps - bare, steps, 15)
            + share(SMALL, steps.max(SMALL), 15);
        Self { points, covered, named, steps, gates, bare }
    }

    /// It in words: `87 points: 3 of 4 words of the message, 2 steps, 1 gate`.
    pub fn words(&self) -> String {
        let Self { points, covered, named, steps, gates, bare } = *self;
        let gates = if gates == 0 { "no gate".to_owned() } else { count(gates, "gate") };
        let mut out = format!("{points} points: ");
        if named > 0 {
            out.push_str(&format!("{covered} of {} of the message, ", count(named, "word")));
        }
        out.push_str(&format!("{}, {gates}", count(steps, "step")));
        if bare > 0 {
            out.push_str(&format!(", {bare} without a file"));
        }
        out
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::{ids::TurnId, plan::PlanDraft};

    fn score(tasks: &serde_json::Value, gates: &serde_json::Value) -> Score {
        let text = serde_json::json!({"title": "P", "tasks": tasks, "gates": gates});
        let plan = serde_json::from_value::<PlanDraft>(text).unwrap().build(TurnId(1), 1).unwrap();
        Score::of(&plan, "fix the parser in src/notes.rs and test it")
    }

    #[test]
    fn what_covers_the_message_is_proven_small_and_names_its_files_comes_first() {
        let task = |title: &str| serde_json::json!({"title": title, "files": ["src/notes.rs"]});
        let gate = serde_json::json!([{"name": "test", "command": "cargo test"}]);
        let best = score(&serde_json::json!([task("Fix the parser")]), &gate);
        assert_eq!(best.points, 100);
        assert_eq!(best.words(), "100 points: 3 of 3 words of the message, 1 step, 1 gate");
        let bare = score(&serde_json::json!([{"title": "Do something else"}]), &serde_json::json!([]));
        assert_eq!(bare.words(), "15 points: 0 of 3 words of the message, 1 step, no gate, 1 without a file");
        let many: Vec<_> = (0..10).map(|_| task("Fix the parser")).collect();
        assert!(score(&serde_json::json!(many), &gate).points < best.points);
    }
}
