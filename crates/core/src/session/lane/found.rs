//! Which lane is meant, and what the session asks of one: its run, its model, its calls.
//!
//! Owns no state of its own: all of it stands in the lanes.

use super::{super::State, Lane, OpenCall};
use crate::{
    checkpoint::CheckpointKind,
    ids::{CallId, LaneId},
    intent::Phase,
    lane::LaneKind,
};

impl State {
    /// Whether this is an answer that was allowed to write: it has a run of its own.
    pub fn has_own_run(&self, lane: &Lane) -> bool {
        let run = self.run.as_ref().filter(|_| self.plan.is_none() && lane.kind == LaneKind::Answer);
        run.is_some_and(|r| r.turn == lane.turn)
    }

    /// Whether a lane is work of a run that has a model to hear what the user says: a command that they typed has none.
    pub fn hears(&self, lane: &Lane) -> bool {
        let works = matches!(lane.kind, LaneKind::Task(_) | LaneKind::Goal | LaneKind::Repair(_));
        (works || self.has_own_run(lane)) && !lane.calls.iter().any(|c| c.typed)
    }

    /// Whether the lane answers beside a run.
    pub(in crate::session) fn beside_run(&self, lane: &Lane) -> bool {
        self.phase == Phase::Executing && !lane.kind.of_run() && !self.has_own_run(lane)
    }

    /// The model that a lane asks: what directs it names it, else the session does.
    pub fn model_of(&self, lane: LaneId) -> Option<&str> {
        self.directed_model(lane).or(self.model.as_deref())
    }

    /// The model that whatever directs a lane asks for: its stage, its agent, else what directs its message.
    fn directed_model(&self, lane: LaneId) -> Option<&str> {
        let lane = self.lanes.get(&lane)?;
        if lane.kind == LaneKind::Pipeline {
            let state = &self.pipeline.as_ref()?.state;
            return state.beginning()?.spec.model(state.open_stage()?.0);
        }
        let turn = self.turns.get(&lane.turn).and_then(|t| t.directed.as_deref());
        let by = [lane.agent.as_deref(), turn];
        by.into_iter().flatten().find_map(|d| d.model.as_deref())
    }

    /// Whether nothing is left of a step's lane, open or closed, but to look at what was proposed.
    pub(in crate::session) fn is_through(&self, lane: LaneId) -> bool {
        self.changes.is_through(lane)
    }

    /// Whether a line of work was left where the user was looking at what it proposed.
    pub(in crate::session) fn was_shown(&self, lane: LaneId) -> bool {
        self.changes.was_shown(lane)
    }

    /// Whether a lane's model asked the user with its last words, and waits for the answer.
    pub(in crate::session) fn asks_in_words(&self, lane: LaneId) -> bool {
        let asks = |kind: &CheckpointKind| {
            let CheckpointKind::Clarification(about) = kind else { return false };
            about.lane == Some(lane) && about.call.is_none()
        };
        self.open.values().any(|c| asks(&c.kind))
    }

    /// The lane that an open model call belongs to.
    pub fn lane_thinking(&self, call: CallId) -> Option<&Lane> {
        self.lanes.values().find(|l| l.thinking == Some(call))
    }

    /// The lane and the call, for an open tool call.
    pub fn open_call(&self, call: CallId) -> Option<(&Lane, &OpenCall)> {
        self.lanes.values().find_map(|l| l.calls.iter().find(|c| c.call == call).map(|c| (l, c)))
    }

    /// The lane that makes the plan, if one does.
    pub fn planning_lane(&self) -> Option<&Lane> {
        self.lanes.values().find(|l| l.kind == LaneKind::Planning)
    }
}
