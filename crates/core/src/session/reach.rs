//! Reach: the path is the permission.
//!
//! Owns how far a message reaches, by its path and by the questions that were answered for it, and
//! what of a plan lies beyond that. Never decides what follows.

use std::sync::Arc;

use super::{State, state::TurnInfo};
use crate::{
    checkpoint::{Answer, CheckpointKind},
    ids::TurnId,
    intent::{Classifier, Control, IntentNode, Phase, PlanSub, Turn},
    lane::LaneKind,
    plan::{Plan, Revision, Task, TaskStatus},
    proposal::Proposal,
    question::Transition,
    relpath::RelPath,
    scope::{Capability, PermissionMode, ToolScope},
};

/// Messages that one may go on from, one after the other.
const LONGEST: usize = 100;

/// Whether what a plan needs beyond its message wants an answer.
const fn counts(beyond: ToolScope) -> bool {
    beyond.allows(Capability::Write) || beyond.allows(Capability::Execute)
}

impl TurnInfo {
    /// What it is called: a yes by what it was said to, any other message by its beginning.
    pub fn called(&self) -> &str {
        let yes = matches!(self.class, Turn::Control(Control::Approve | Control::Proceed));
        self.request.as_deref().filter(|_| yes).unwrap_or(&self.head)
    }
}

impl State {
    /// The widest scope that a message has: its path's, that of the work which it goes on with, and
    /// what answered questions added. Reading is open to all.
    pub fn reach(&self, turn: TurnId) -> ToolScope {
        let mut scope = ToolScope::READ_ONLY;
        let mut next = Some(turn);
        for _ in 0..LONGEST {
            let Some(turn) = next else { break };
            scope = scope.or(self.reach_alone(turn));
            next = self.turns.get(&turn).and_then(|info| info.continues);
        }
        scope
    }

    /// The scope that a message has by itself, whatever it goes on with.
    fn reach_alone(&self, turn: TurnId) -> ToolScope {
        let Some(info) = self.turns.get(&turn) else { return ToolScope::READ_ONLY };
        let scope = ToolScope::READ_ONLY.or(info.path.scope()).or(info.widened);
        // In auto mode an order to run something may end in changes: their review is what asks.
        let may_end_in_changes =
            self.permission == PermissionMode::Auto && info.path.current() == IntentNode::Execute;
        if may_end_in_changes { scope.or(ToolScope::SHELL) } else { scope }
    }

    /// Whether the user said yes to what the agent offered, and that leads to this: it may change files, remove none.
    pub fn agreed(&self, deeper: &Transition) -> bool {
        let Some(lane) = self.lanes.get(&deeper.lane).filter(|l| l.kind == LaneKind::Answer) else {
            return false;
        };
        let yes = |t: &Arc<TurnInfo>| {
            matches!(t.class, Turn::Control(Control::Approve | Control::Proceed)) && !t.forbids
        };
        let offered = || Classifier::builtin().offers(&self.last_word);
        deeper.to != IntentNode::Delete && self.turns.get(&lane.turn).is_some_and(yes) && offered()
    }

    /// The message that began the work which this one goes on with.
    pub(super) fn work_of(&self, turn: TurnId) -> TurnId {
        let mut root = turn;
        for _ in 0..LONGEST {
            let Some(of) = self.turns.get(&root).and_then(|t| t.continues) else { break };
            root = of;
        }
        root
    }

    /// The turn that the phase is about: whose plan is made, waits, runs or failed.
    pub fn subject(&self) -> Option<TurnId> {
        let planning = self.planning_lane().map(|l| l.turn);
        let origin = self.failure.as_ref().map(|f| f.origin);
        let failed = self.failed.filter(|_| self.phase == Phase::Failed);
        let planning = planning.or(failed.filter(|_| origin == Some(Phase::Planning)));
        let plan = self.plan.as_ref().map(|p| p.turn);
        planning.or(plan).or(self.run.as_ref().map(|r| r.turn)).or(failed).or(self.turn)
    }

    /// The earlier versions of a plan, the oldest first.
    pub fn versions_before(&self, plan: &Plan) -> Vec<&Plan> {
        let of = self.work_of(plan.turn);
        let mut all: Vec<&Plan> =
            self.former.iter().filter(|p| p.version < plan.version && self.work_of(p.turn) == of).collect();
        all.sort_by_key(|p| p.version);
        all
    }

    /// The version that a plan of this message has: the next one of the plan that is active, or was set aside and is
    /// gone on with.
    pub(super) fn version_after(&self, turn: TurnId) -> u32 {
        self.plan_before(turn).map_or(1, |p| p.version + 1)
    }

    /// The plan that one of this message goes on with.
    pub(super) fn plan_before(&self, turn: TurnId) -> Option<&Plan> {
        let aside = self.suspended.as_ref().filter(|p| self.work_of(p.turn) == self.work_of(turn));
        self.plan.as_ref().or(aside)
    }

    /// The plan that waits and that this one is no version of, but one of another order: it has no step of it, its
    /// message reaches as far by itself, and nothing of the other was stopped on the way.
    pub(super) fn ousted_by(&self, plan: &Plan) -> Option<&Plan> {
        let old = self.plan.as_ref().filter(|old| old.turn != plan.turn)?;
        let pending = |t: &Task| t.status == TaskStatus::Pending;
        let waits = old.tasks.iter().any(pending);
        let stopped = old.tasks.iter().any(|t| !pending(t) && t.status != TaskStatus::Done);
        let alone = !counts(plan.scope().without(self.reach_alone(plan.turn)));
        (waits && !stopped && alone && Revision::of(plan, old).is_another(plan)).then_some(old)
    }

    /// What a plan needs that its message did not ask for. A removal is not counted beside other
    /// changes: its own question, with the typed word, comes for every single one.
    pub fn beyond(&self, plan: &Plan) -> Option<ToolScope> {
        let beyond = plan.scope().without(self.reach(plan.turn));
        counts(beyond).then_some(beyond)
    }

    /// What says which files are changed, where this proposal is none of them: the number of its step, or 0 for the
    /// whole plan. A step that names no file announces nothing.
    pub fn off_plan(&self, proposal: &Proposal) -> Option<usize> {
        let plan = self.plan.as_ref().or(self.suspended.as_ref())?;
        let named = |files: &[RelPath]| {
            let inside = |file: &RelPath| {
                let rest = proposal.path.as_str().strip_prefix(file.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            files.iter().any(inside)
        };
        if let Some(task) = proposal.task {
            let task = plan.task(task).filter(|t| !t.files.is_empty() && !named(&t.files))?;
            return Some(plan.number(task.id));
        }
        let mends = self.lanes.get(&proposal.lane).is_some_and(|l| matches!(l.kind, LaneKind::Repair(_)));
        let whole = mends && plan.tasks.iter().any(|t| !t.files.is_empty());
        (whole && !plan.tasks.iter().any(|t| named(&t.files))).then_some(0)
    }

    /// The same for the active plan.
    pub fn beyond_asked(&self) -> Option<ToolScope> {
        self.plan.as_ref().and_then(|plan| self.beyond(plan))
    }

    /// Whether a message asks for a plan as such, and not only to weigh or to foresee something: then its steps may go further than the message,
    /// because nothing of them begins before the user said yes to the plan.
    pub fn asks_for_a_plan(&self, turn: TurnId) -> bool {
        let asks = |node| matches!(node, IntentNode::Plan | IntentNode::Design | IntentNode::Decompose);
        self.turns.get(&turn).is_some_and(|info| asks(info.path.current())) && !self.weighs(turn)
    }

    /// Whether words are an answer to a message: it only wants something weighed or foreseen, or looked at.
    pub fn is_answered_in_words(&self, turn: TurnId) -> bool {
        let reads = || self.reach(turn).without(ToolScope::READ_ONLY) == ToolScope::NONE;
        self.weighs(turn) || (reads() && !self.asks_for_a_plan(turn))
    }

    /// Whether a message only wants something weighed or foreseen.
    pub fn weighs(&self, turn: TurnId) -> bool {
        let weighs = |class: &Turn| matches!(class, Turn::PlanNew(Some(PlanSub::Compare | PlanSub::Predict)));
        self.turns.get(&turn).is_some_and(|info| weighs(&info.class))
    }

    /// Folds what an answer lets a message do beyond its path.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a kind that is not named widens nothing")]
    pub(super) fn widen(&mut self, kind: &CheckpointKind, approved: bool, answer: Option<&Answer>) {
        let (turn, scope) = match kind {
            CheckpointKind::Confirmation(_) if approved => {
                let Some(plan) = &self.plan else { return };
                (plan.turn, plan.scope())
            }
            CheckpointKind::Transition(asked) if approved => {
                let Some(lane) = self.lanes.get(&asked.lane) else { return };
                (lane.turn, asked.to.scope())
            }
            // "Plan and change files", said of a message that did not sound like it.
            CheckpointKind::Clarification(about)
                if about.call.is_none() && answer == Some(&Answer::Pick(0)) =>
            {
                let Some(turn) = about.turn else { return };
                let runs = self.turns.get(&turn).is_some_and(|t| t.path.current() == IntentNode::Execute);
                (turn, if runs { ToolScope::EXECUTE } else { ToolScope::SHELL })
            }
            _ => return,
        };
        if let Some(info) = self.turns.get_mut(&turn).map(Arc::make_mut) {
            info.widened = info.widened.or(scope);
        }
    }
}
