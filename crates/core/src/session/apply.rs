//! The one mutator: events folded into the state.
//!
//! Total over every event, however strange the log. Each machine folds its own share and lists it;
//! `fold` sends every event to one of them. Never decides and never refuses.

mod call;
mod change;
mod child;
mod command;
mod commit;
mod compact;
mod fact;
mod hook;
mod lane;
mod memory;
mod pipeline;
mod plan;
mod question;
mod run;
mod session;
mod trust;
mod turns;

pub use pipeline::{Pipeline, StageCall};

use super::{NO_CALLS, state::State};
use crate::{
    event::{Event, Stamped},
    ids::Seq,
};

impl State {
    pub(super) fn apply(&mut self, stamped: &Stamped) {
        self.note_wait(stamped.at);
        self.seq = stamped.seq;
        self.at = stamped.at;
        self.fold(stamped.seq, &stamped.event);
        self.drop_idle_hooks();
        self.note_hands(&stamped.event);
    }

    /// Takes in an id that was given; one that no session comes to is somebody's invention.
    pub(super) fn saw(&mut self, id: u64) {
        const MOST: u64 = 1 << 53;
        if id <= MOST {
            self.last_id = self.last_id.max(id);
        }
    }

    fn fold(&mut self, seq: Seq, event: &Event) {
        self.age(event);
        self.transcript.fold(seq, event, self.phase);
        self.note_facts(event);
        self.note_mishap(event);
        self.note_answer(event);
        self.note_pipeline(event);
        self.fold_candidates(event);
        match event {
            session::session_events!() => self.fold_session(event),
            turns::turn_events!() => self.fold_turn(seq, event),
            trust::trust_events!() => self.fold_trust(event),
            hook::hook_events!() => self.fold_hook(seq, event),
            run::run_events!() => self.fold_run(event),
            plan::plan_events!() => self.fold_plan(seq, event),
            question::question_events!() => self.fold_question(seq, event),
            compact::compact_events!() => self.fold_compaction(event),
            lane::lane_events!() => self.fold_lane(seq, event),
            child::child_events!() => self.fold_child(seq, event),
            call::call_events!() => self.fold_call(seq, event),
            command::command_events!() => self.fold_command(event),
            change::change_events!() => self.fold_change(event),
            commit::commit_events!() => self.fold_commit(event),
            fact::fact_events!() => self.fold_facts(event),
            memory::memory_events!() => self.fold_memory(event),
            pipeline::pipeline_events!() => self.fold_pipeline(event),
            Event::Notice { text, .. } => self.told_no_calls |= text == NO_CALLS,
            Event::CommandStarted { .. } => {}
        }
    }
}
