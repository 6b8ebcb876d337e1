//! Compaction folded into the state: what is being summed up; the transcript folds the rest.

use crate::{
    event::Event,
    session::{Compacting, State},
};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_compaction(&mut self, event: &Event) {
        match event {
            Event::CompactionStarted { call, upto, keep, again, held } => {
                self.saw(call.0);
                self.accounts.spent.calls += 1;
                let (keep, again, held) = (keep.clone(), *again, *held);
                self.compacting = Some(Compacting { call: *call, upto: *upto, keep, again, held });
            }
            Event::Compacted { usage, model, .. } => {
                self.accounts.answered_by(model);
                self.spent_besides(usage);
                self.compacting = None;
                self.uncompacted = None;
                // What was answered before it does not stand there any more; what runs beside keeps what it was told.
                let beside = |lane| self.transcript.is_beside(lane);
                self.lanes.values_mut().filter(|l| !beside(l.id)).for_each(|l| l.repeats.forget());
                // What stood there is told again when its folder is at hand again.
                self.instructed.clear();
            }
            Event::CompactionFailed { .. } => {
                self.compacting = None;
                self.uncompacted = self.turn;
            }
            _ => {}
        }
    }
}
