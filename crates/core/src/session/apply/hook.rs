//! Hooks folded into the state: which are known, which run, and what they hold.

use crate::{
    event::Event,
    hook::{Hold, HookRun},
    ids::Seq,
    session::{State, lane::HeldMove},
};

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
}
