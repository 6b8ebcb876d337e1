//! Up from the diff: back to the plan whose run proposed what is looked at.
//!
//! Owns the way back, by which nothing is written and nothing is lost: what was proposed is set aside with what was decided
//! of it, and the step that goes on takes it up.

use super::{Decided, Draft, terms::RunEnd};
use crate::{
    event::{Event, RunStatus},
    input::Refusal,
    phase::Trigger,
    session::{ApplyStatus, LaneKind, State},
};

impl Draft<'_> {
    pub(super) fn up_to_plan(&mut self) -> Decided {
        let back: Vec<Event> = self.state.run_lanes().filter_map(|l| undone(l.kind)).collect();
        if back.is_empty() {
            return Err(Refusal::new("this diff has no plan to go back to"));
        }
        if !self.state.is_below_plan() {
            return Err(Refusal::new("nothing is proposed"));
        }
        if self
            .state
            .applies()
            .values()
            .any(|a| matches!(a.status, ApplyStatus::Approved | ApplyStatus::Writing))
        {
            return Err(Refusal::new("a change is being written; try again in a moment"));
        }
        self.end_work("back to the plan");
        for event in back {
            self.emit(event);
        }
        self.complete_as(RunEnd::of(RunStatus::Cancelled, "Back to the plan."));
        self.must_go(Trigger::DiffUp);
        self.ask_of_phase();
        Ok(())
    }
}

impl State {
    /// Whether changes of a plan's run are looked at, so that there is a way up to that plan.
    pub fn is_below_plan(&self) -> bool {
        let of_plan = self.run_lanes().any(|l| undone(l.kind).is_some());
        of_plan && self.run_lanes().any(|l| self.diff_of(l.id).is_some())
    }
}

/// What makes the work of a plan's lane one that is still to do.
fn undone(kind: LaneKind) -> Option<Event> {
    match kind {
        LaneKind::Task(task) => Some(Event::TaskReset { task }),
        LaneKind::Repair(gate) => Some(Event::GateReset { gate, skipped: false, why: None }),
        LaneKind::Goal
        | LaneKind::Gate(_)
        | LaneKind::Answer
        | LaneKind::Planning
        | LaneKind::Pipeline
        | LaneKind::Child(_) => None,
    }
}
