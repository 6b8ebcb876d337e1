//! Steps at work at the same time: who has a file, and whose turn it is to change the tree.
//!
//! Owns that no two of them change a file, and that one at a time changes the tree: what a command changed could not be
//! told from what another step wrote meanwhile. Never decides which steps begin.

use super::{Apply, ApplyStatus, Lane, LaneKind, OpenCall, State};
use crate::{
    event::Event,
    ids::{ApplyId, CallId, LaneId},
    intent::Phase,
    plan::{Plan, Task},
    relpath::RelPath,
    sandbox::Confine,
    scope::Capability,
    tool::{SessionCall, Tool, ToolCall},
};

/// Something of a step that was let and changes the tree until it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hand {
    /// A command that may write.
    Command(LaneId, CallId),
    /// A write of what it proposed.
    Write(LaneId, ApplyId),
}

impl Hand {
    const fn lane(self) -> LaneId {
        match self {
            Self::Command(lane, _) | Self::Write(lane, _) => lane,
        }
    }

    const fn is_of(self, lane: LaneId) -> bool {
        self.lane().0 == lane.0
    }
}

impl State {
    /// The lanes of the run that are at work, the oldest first.
    pub fn run_lanes(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.values().filter(|l| l.kind.of_run())
    }

    /// The first lane of the run that is at work, if any.
    pub fn run_lane(&self) -> Option<&Lane> {
        self.run_lanes().next()
    }

    /// The lane of the foreground: the run's, else the planning, else the last answer.
    pub fn front_lane(&self) -> Option<&Lane> {
        self.run_lane().or_else(|| self.lanes.values().rfind(|l| l.kind.parent().is_none()))
    }

    /// The lane of another step at work whose end this one's next call waits for: that has the file which it would
    /// change, or asks the user something. Never itself in the end.
    pub fn waits_beside(&self, lane: &Lane) -> Option<LaneId> {
        let other = self.in_other_hands(lane).or_else(|| self.asks_before(lane))?;
        let mut next = Some(other);
        for _ in 0..self.lanes.len() {
            let Some(on) = next.and_then(|id| self.lanes.get(&id)) else { break };
            if on.id == lane.id {
                return None;
            }
            next = self.in_other_hands(on).or_else(|| self.asks_before(on));
        }
        Some(other)
    }

    /// The lane of another step at work that has the file which this one's next call would change.
    pub(super) fn in_other_hands(&self, lane: &Lane) -> Option<LaneId> {
        self.step_with(lane, &changed_by(next_call(lane)?)?)
    }

    /// The lane of another step at work that has this file.
    pub(super) fn step_with(&self, lane: &Lane, path: &RelPath) -> Option<LaneId> {
        self.other_tasks(lane).find(|l| self.has_file(l, path)).map(|l| l.id)
    }

    /// The lane of another step at work that asks the user, where this one would as well.
    fn asks_before(&self, lane: &Lane) -> Option<LaneId> {
        let asked = next_call(lane)?.asked.as_deref().ok()?;
        let asks = matches!(asked, ToolCall::Session(SessionCall::AskUser(_)));
        let call = self.phase_question().filter(|_| asks)?.kind.call()?;
        let (asking, _) = self.open_call(call)?;
        self.other_tasks(lane).map(|l| l.id).find(|id| *id == asking.id)
    }

    /// The number in the plan of the step that a step's lane waits for, to begin a call or to go on with it.
    pub fn step_before(&self, lane: &Lane) -> Option<usize> {
        let own = self.hands.iter().position(|h| h.is_of(lane.id));
        let hands = || self.hands.iter().take(own?).find(|h| !h.is_of(lane.id)).map(|h| h.lane());
        Some(self.step_of(self.waits_beside(lane).or_else(hands)?))
    }

    /// Whether it is work of the run that began under a wider ceiling than there is now: what would go beyond that waits.
    pub fn is_lowered(&self, lane: &Lane) -> bool {
        (lane.kind.of_run() || self.has_own_run(lane)) && !self.ceiling().contains(lane.most)
    }

    /// Whether its next call waits until the user raises the ceiling that they lowered.
    pub fn waits_for_ceiling(&self, lane: &Lane) -> bool {
        let begins = |c: &OpenCall| c.allowed.is_none() && self.question_of_call(c.call).is_none();
        self.is_lowered(lane) && lane.head().is_some_and(begins) && self.waits_beside(lane).is_none()
    }

    /// What of the run waits until the user raises the ceiling, in words; nothing where all goes on.
    pub fn waits_below_ceiling(&self) -> Option<String> {
        let run =
            self.run.as_ref().filter(|_| self.phase == Phase::Executing && self.phase_question().is_none());
        run?;
        let step = |lane: &Lane| match lane.kind.task() {
            Some(_) => format!("step {}", self.step_of(lane.id)),
            None => "the run".to_owned(),
        };
        let what = self.lanes.values().find(|l| self.waits_for_ceiling(l)).map(step);
        let rests = self.run_lanes().next().is_none() && !self.ceiling().allows(Capability::Execute);
        let what = what.or_else(|| rests.then(|| "the run".to_owned()))?;
        Some(format!("read-only: {what} waits; Shift-Tab lets it go on"))
    }

    fn other_tasks(&self, lane: &Lane) -> impl Iterator<Item = &Lane> {
        let id = lane.id;
        self.run_lanes().filter(move |l| l.id != id && matches!(l.kind, LaneKind::Task(_)))
    }

    /// Whether a step named this file, or changes it or did: until its end it is the one that knows it.
    fn has_file(&self, lane: &Lane, path: &RelPath) -> bool {
        let LaneKind::Task(task) = lane.kind else { return false };
        let named = self.plan.as_ref().and_then(|p| p.task(task)).is_some_and(|t| t.has(path));
        let begun = lane.head().filter(|c| c.allowed.is_some()).and_then(changed_by);
        let proposed = || self.proposals().values().any(|p| p.lane == lane.id && p.path == *path);
        named || begun.as_ref() == Some(path) || proposed()
    }

    /// Steps at work, in the order of the plan: those that do not wait for the user; where the rest of them only waits for
    /// one that does, those that do.
    pub fn steps_at_work(&self) -> Vec<&Task> {
        let asks = |l: &Lane| {
            self.diff_of(l.id).is_some() || l.head().is_some_and(|c| self.question_of_call(c.call).is_some())
        };
        let all: Vec<&Task> = self.plan.iter().flat_map(Plan::running).collect();
        let any = |task: &Task, is: &dyn Fn(&Lane) -> bool| {
            self.run_lanes().filter(|l| l.kind == LaneKind::Task(task.id)).any(is)
        };
        let (asking, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|task| any(task, &asks));
        let stuck = |task: &&Task| any(task, &|l| self.step_before(l).is_some());
        if others.is_empty() || (!asking.is_empty() && others.iter().all(stuck)) { asking } else { others }
    }

    /// The number in the plan of the step that a lane does.
    pub(super) fn step_of(&self, lane: LaneId) -> usize {
        let Some(LaneKind::Task(task)) = self.lanes.get(&lane).map(|l| l.kind) else { return 0 };
        self.plan.as_ref().map_or(0, |p| p.number(task))
    }

    /// Folds who changes the tree.
    pub(super) fn note_hands(&mut self, event: &Event) {
        let task = |lane: &LaneId| {
            self.lanes.get(lane).filter(|l| matches!(l.kind, LaneKind::Task(_))).map(|l| l.id)
        };
        if let Event::CallStarted { call, lane, tool: Tool::Run | Tool::SourceCall, confine, .. } = event {
            let writes = *confine != Some(Confine::READING);
            self.hands.extend(task(lane).filter(|_| writes).map(|lane| Hand::Command(lane, *call)));
        } else if let Event::ApplyApproved { apply, take, .. } = event {
            let of = take.iter().filter_map(|(id, _)| self.proposals().get(id)).find_map(|p| task(&p.lane));
            self.hands.extend(of.map(|lane| Hand::Write(lane, *apply)));
        }
        if !self.hands.is_empty() {
            let hands = std::mem::take(&mut self.hands);
            self.hands = hands.into_iter().filter(|hand| self.at_work(*hand)).collect();
        }
    }

    fn at_work(&self, hand: Hand) -> bool {
        match hand {
            Hand::Command(_, call) => self.open_call(call).is_some_and(|(_, c)| c.allowed.is_some()),
            Hand::Write(_, apply) => {
                let open = |a: &Apply| matches!(a.status, ApplyStatus::Approved | ApplyStatus::Writing);
                self.applies().get(&apply).is_some_and(open)
            }
        }
    }

    /// What was let and may change the tree, of whichever lane: a command, a tool of a source.
    pub(super) fn changing_tree(&self) -> Option<&str> {
        let mut calls = self.lanes.values().flat_map(|l| &l.calls);
        calls
            .find(|c| c.allowed.is_some() && c.changes_tree())
            .and_then(|c| Some(c.asked.as_ref().ok()?.subject()))
    }

    /// Whether a line that the user typed beside a run, and that may change files, has not ended.
    pub fn own_line_at_work(&self) -> bool {
        let own = |l: &Lane| l.kind == LaneKind::Answer && l.most.allows(Capability::Execute);
        self.lanes.values().filter(|l| own(l)).flat_map(|l| &l.calls).any(|c| c.typed)
    }

    /// Whether a change is being taken back or put back.
    fn is_reverting(&self) -> bool {
        self.applies().values().any(|a| matches!(a.status, ApplyStatus::Reverting { .. }))
    }

    /// Whether a command that was let waits until another step, or the user, has changed the tree.
    pub(super) fn waits_for_hands(&self, lane: LaneId, call: &OpenCall) -> bool {
        let others = self.is_reverting() || (!call.typed && self.own_line_at_work());
        self.comes_after(Hand::Command(lane, call.call)) || (call.changes_tree() && others)
    }

    /// Whether an approved write waits until another step, or the user, has changed the tree.
    pub(super) fn write_waits(&self, apply: ApplyId) -> bool {
        if self.is_reverting() || self.own_line_at_work() {
            return true;
        }
        let own = self.hands.iter().find(|h| matches!(h, Hand::Write(_, id) if *id == apply));
        own.is_some_and(|hand| self.comes_after(*hand))
    }

    fn comes_after(&self, hand: Hand) -> bool {
        let Some(at) = self.hands.iter().position(|h| *h == hand) else { return false };
        self.hands.iter().take(at).any(|before| !before.is_of(hand.lane()))
    }
}

impl OpenCall {
    /// Whether it may change files beside what is proposed.
    fn changes_tree(&self) -> bool {
        matches!(self.tool, Some(Tool::Run | Tool::SourceCall)) && self.confine != Some(Confine::READING)
    }
}

/// The call that a step's lane would begin next.
fn next_call(lane: &Lane) -> Option<&OpenCall> {
    lane.head().filter(|c| c.allowed.is_none() && matches!(lane.kind, LaneKind::Task(_)))
}

/// The file that a call would change, if it does.
fn changed_by(call: &OpenCall) -> Option<RelPath> {
    let changes = |tool: Tool| matches!(tool.needs(), Some(Capability::Write | Capability::Delete));
    let file = call.file().filter(|_| call.tool.is_some_and(changes))?;
    RelPath::new(file.path()?).ok()
}
