//! A step was left out that others need.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Spec, Ties, wrong};
use crate::{
    checkpoint::Answer,
    clean::Clean,
    ids::TaskId,
    plan::{Plan, TaskStatus},
    refusal::Refusal,
};

/// Steps that cannot be done as planned, since one that they need was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The steps that were left out.
    pub left: Vec<TaskId>,
    /// The steps that need them, through others too, in their order.
    pub needing: Vec<TaskId>,
}

/// What becomes of the steps behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapAnswer {
    /// They are left out as well.
    Skip,
    /// They are done all the same.
    GoOn,
    /// What was left out is done once more.
    Redo,
    /// The run stops.
    Stop,
}

impl Gap {
    /// What lacks in a plan, if something does.
    pub fn of(plan: &Plan) -> Option<Self> {
        let mut needing = plan.orphans();
        if needing.is_empty() {
            return None;
        }
        let undone =
            |id: &TaskId| plan.task(*id).is_some_and(|t| t.status.settled() && t.status != TaskStatus::Done);
        let direct = |t: &&crate::plan::Task| needing.contains(&t.id);
        let mut left: Vec<TaskId> = plan
            .tasks
            .iter()
            .filter(direct)
            .flat_map(|t| &t.after)
            .filter(|id| undone(id))
            .copied()
            .collect();
        left.sort();
        left.dedup();
        loop {
            let behind =
                plan.tasks.iter().filter(|t| t.status == TaskStatus::Pending && !needing.contains(&t.id));
            let more: Vec<TaskId> =
                behind.filter(|t| t.after.iter().any(|a| needing.contains(a))).map(|t| t.id).collect();
            if more.is_empty() {
                break;
            }
            needing.extend(more);
        }
        needing.sort_by_key(|id| plan.number(*id));
        Some(Self { left, needing })
    }
}

impl Question for Gap {
    fn choices(&self) -> Vec<Choice> {
        let give = |key, label, answer, words| Choice::new(key, label, Act::Give(answer)).words(words);
        vec![
            give("s", "skip them too", Answer::Skip, &["s", "skip", "skip them", "skip them too"]),
            give("g", "go on with them", Answer::Continue, &["g", "go on", "continue", "go on with them"]),
            give("r", "redo it", Answer::Retry, &["r", "redo", "redo it", "retry", "try again"]),
            give("q", "abort", Answer::Abort, &["q", "quit", "abort", "cancel"]),
        ]
    }

    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        let number = |id: &TaskId| asked.plan.map_or(id.0.to_string(), |p| p.number(*id).to_string());
        let all = |ids: &[TaskId]| ids.iter().map(number).collect::<Vec<_>>().join(", ");
        let (left, needing) = (all(&self.left), all(&self.needing));
        let (step, it) = plural(&self.left, ("Step", "it"), ("Steps", "them"));
        let (other, needs) = plural(&self.needing, ("step", "needs"), ("steps", "need"));
        let was = plural(&self.left, "was", "were");
        spec.title =
            Clean::line(&format!("{step} {left} {was} not done, and {other} {needing} {needs} {it}"));
        spec.text = spec.title.clone();
        spec.tag = "steps";
        let titles = asked.plan.into_iter().flat_map(|p| self.needing.iter().filter_map(|id| p.task(*id)));
        spec.facts = titles.map(|t| ("needs it", Clean::line(&t.title))).collect();
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, comes_back: true, ..Ties::default() }
    }
}

fn plural<T>(ids: &[TaskId], one: T, many: T) -> T {
    if ids.len() == 1 { one } else { many }
}

impl Accept for Gap {
    type Answer = GapAnswer;

    fn accept(&self, given: Answer) -> Result<GapAnswer, Refusal> {
        match given {
            Answer::Skip => Ok(GapAnswer::Skip),
            Answer::Continue => Ok(GapAnswer::GoOn),
            Answer::Retry => Ok(GapAnswer::Redo),
            Answer::Abort => Ok(GapAnswer::Stop),
            _ => Err(wrong()),
        }
    }
}
