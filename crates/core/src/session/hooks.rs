//! Hooks in the state: which are known, which run, and what waits for them.
//!
//! Owns the work that follows. Never decides that one is called.

use super::{Apply, ApplyStatus, State};
use crate::{
    event::{Event, RunStatus},
    hook::{Hold, HookMode, HookRun, Occasion},
    ids::{CallId, LaneId},
    intent::IntentPath,
    tool::Tool,
    work::Work,
};

/// Hooks that nothing waits for and that run at one time; the others wait for their turn.
const MOST_AT_ONCE: usize = 4;

/// What an event is an occasion for, and how it went where it ended something.
#[expect(clippy::wildcard_enum_match_arm, reason = "most events call no hook")]
pub(super) fn occasion(event: &Event) -> Option<(Occasion, bool)> {
    let well = |on| Some((on, true));
    let ill = |on| Some((on, false));
    match event {
        Event::SessionOpened { .. } | Event::SessionReopened { .. } => well(Occasion::Session),
        Event::TurnStarted { .. } => well(Occasion::Turn),
        Event::IntentClassified { .. } => well(Occasion::IntentClassified),
        Event::NodeTransition { .. } => well(Occasion::NodeTransition),
        Event::TaskStarted { .. } => well(Occasion::TaskStart),
        Event::TaskCompleted { .. } => well(Occasion::TaskEnd),
        Event::TaskFailed { .. } | Event::TaskSkipped { .. } | Event::TaskCancelled { .. } => {
            ill(Occasion::TaskEnd)
        }
        Event::GateStarted { .. } => well(Occasion::GateStart),
        Event::GatePassed { .. } => well(Occasion::GateEnd),
        Event::GateFailed { .. } => ill(Occasion::GateEnd),
        Event::CallStarted { tool: Tool::Run, .. } => well(Occasion::Command),
        Event::CommandExited { exit, .. } => Some((Occasion::CommandEnd, exit.ok())),
        Event::Proposed { .. } | Event::ProposalEdited { .. } => well(Occasion::Proposal),
        Event::ApplyApproved { .. } => well(Occasion::Apply),
        Event::Applied { .. } => well(Occasion::ApplyEnd),
        Event::ApplyFailed { .. } => ill(Occasion::ApplyEnd),
        Event::CheckpointOpened { .. } => well(Occasion::Checkpoint),
        Event::RunStarted { .. } => well(Occasion::RunStart),
        Event::RunCompleted { status, .. } => Some((Occasion::RunEnd, *status == RunStatus::Completed)),
        _ => None,
    }
}

impl State {
    /// A hook whose reason fell away is not waited for any more.
    pub(super) fn drop_idle_hooks(&mut self) {
        let idle = |holds: Hold| match holds {
            Hold::Move(lane) => self.lanes.get(&lane).is_none_or(|l| l.moves.is_empty()),
            Hold::Call(call) => self.open_call(call).is_none(),
            Hold::Apply(apply) => {
                self.applies().get(&apply).is_none_or(|a| a.status != ApplyStatus::Approved)
            }
        };
        let gone: Vec<CallId> = self
            .hook_runs
            .iter()
            .filter(|(_, run)| run.holds.is_some_and(idle))
            .map(|(call, _)| *call)
            .collect();
        for call in gone {
            self.hook_runs.remove(&call);
        }
    }

    /// Whether this waits for a hook.
    pub fn is_held(&self, what: Hold) -> bool {
        self.hook_runs.values().any(|run| run.holds == Some(what))
    }

    /// Whether this lane is on its way to a node and waits for hooks.
    pub fn is_moving(&self, lane: LaneId) -> bool {
        self.lanes.get(&lane).is_some_and(|l| !l.moves.is_empty())
    }

    /// Whether this lane is where it was sent: no hook holds it on its way.
    pub(super) fn has_arrived(&self, lane: LaneId) -> bool {
        self.lanes.get(&lane).is_some_and(|l| l.moves.is_empty())
    }

    /// Whether an approved write waits for hooks: its own, or those of a lane on its way.
    pub(super) fn waits_for_hooks(&self, apply: &Apply) -> bool {
        let lanes = apply.take.iter().filter_map(|(id, _)| self.proposals().get(id)).map(|p| p.lane);
        self.is_held(Hold::Apply(apply.id)) || lanes.into_iter().any(|lane| self.is_moving(lane))
    }

    /// The hooks that should be running.
    pub(super) fn hook_work(&self) -> impl Iterator<Item = Work> {
        let held = self.hook_runs.iter().filter(|(_, run)| run.holds.is_some());
        let free = self.hook_runs.iter().filter(|(_, run)| run.holds.is_none()).take(MOST_AT_ONCE);
        held.chain(free).map(|(call, run)| Work::Hook {
            call: *call,
            hook: run.hook.id,
            of: run.of,
            path: IntentPath::to(self.node()),
            way: run.hook.way,
        })
    }

    /// Whether a hook that is no background one runs and holds nothing.
    pub fn shown_hooks(&self) -> impl Iterator<Item = CallId> {
        let shown = |run: &HookRun| run.holds.is_none() && run.hook.way != HookMode::Background;
        self.hook_runs.iter().filter(move |(_, run)| shown(run)).map(|(call, _)| *call)
    }
}
