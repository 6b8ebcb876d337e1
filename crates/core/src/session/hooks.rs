//! Hooks in the state: which are known, which run, and what waits for them.
//!
//! Owns their fold and the work that follows. Never decides that one is called.

use super::state::{Apply, ApplyStatus, State};
use crate::{
    event::Event,
    hook::{Hold, HookRun, Way},
    ids::{CallId, LaneId, Seq},
    intent::IntentPath,
    session::lane::HeldMove,
    work::Work,
};

/// Hooks that nothing waits for and that run at one time; the others wait for their turn.
const MOST_AT_ONCE: usize = 4;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_hook(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::HooksKnown { hooks } => self.hooks.clone_from(hooks),
            Event::HookStarted { call, hook, of, holds } => {
                self.saw(call.0);
                let Some(hook) = self.hooks.iter().find(|h| h.id == *hook).cloned() else { return };
                self.hook_runs.insert(*call, HookRun { hook, of: *of, holds: *holds });
                if let Some(Hold::Move(lane)) = holds
                    && let Some(next) = self.lanes.get_mut(lane).and_then(|l| l.moves.first_mut())
                {
                    next.asked = true;
                }
            }
            Event::HookEnded { call, .. } => drop(self.hook_runs.remove(call)),
            Event::MoveHeld { lane, from, to, approval } => {
                self.saw(approval.map_or(0, |a| a.0));
                if let Some(lane) = self.lanes.get_mut(lane) {
                    let (from, to, approval) = (*from, *to, *approval);
                    lane.moves.push(HeldMove { from, to, approval, seq, asked: false });
                }
            }
            Event::MoveBlocked { lane, .. } => {
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.moves.clear();
                }
            }
            _ => {}
        }
    }

    /// A hook whose reason fell away is not waited for any more.
    pub(super) fn drop_idle_hooks(&mut self) {
        let idle = |holds: Hold| match holds {
            Hold::Move(lane) => self.lanes.get(&lane).is_none_or(|l| l.moves.is_empty()),
            Hold::Call(call) => self.open_call(call).is_none(),
            Hold::Apply(apply) => self.applies.get(&apply).is_none_or(|a| a.status != ApplyStatus::Approved),
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
        let lanes = apply.take.iter().filter_map(|(id, _)| self.proposals.get(id)).map(|p| p.lane);
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
        let shown = |run: &HookRun| run.holds.is_none() && run.hook.way != Way::Background;
        self.hook_runs.iter().filter(move |(_, run)| shown(run)).map(|(call, _)| *call)
    }
}
