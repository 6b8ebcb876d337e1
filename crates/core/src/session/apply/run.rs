//! Runs folded into the state.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    event::{Event, RunStatus},
    ids::Millis,
    session::state::{Run, State},
};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_run(&mut self, event: &Event) {
        match event {
            Event::RunStarted { run, turn, approval } => {
                self.saw(run.0);
                (self.repairs, self.detours) = (0, 0);
                self.asked_last = None;
                self.note_begun(false);
                self.accounts.run = self.spent_in_stages(*turn);
                let (id, turn, began, approval) = (*run, *turn, self.at, *approval);
                let waited = Millis(0);
                let files = BTreeSet::new();
                let (lines, tried, fault, refused, stopped) = (0, None, None, false, false);
                let (looking, overtaken, writing_gates) = (None, 0, BTreeSet::new());
                let (red, replaced) = (Vec::new(), Vec::new());
                let (reds, repairs, called) = (BTreeMap::new(), BTreeMap::new(), 0);
                self.run = Some(Run {
                    id,
                    turn,
                    began,
                    waited,
                    approval,
                    files,
                    lines,
                    tried,
                    fault,
                    refused,
                    stopped,
                    looking,
                    overtaken,
                    writing_gates,
                    red,
                    after: None,
                    broke: None,
                    replaced,
                    reds,
                    repairs,
                    called,
                });
            }
            Event::RunCompleted { status, came_to, .. } => {
                let stopped = *status == RunStatus::Cancelled && self.plan.is_none();
                self.stopped_after = came_to.as_ref().filter(|_| stopped).map(|facts| facts.took);
                let run = self.run.take();
                let turn = run.map(|r| r.turn);
                if *status == RunStatus::Failed {
                    self.failed = turn;
                } else if self.failed == turn {
                    self.failed = None;
                }
            }
            _ => {}
        }
    }
}
