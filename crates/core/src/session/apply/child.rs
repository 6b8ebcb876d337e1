//! Sub-agents folded into the state: started by a call, ended with a report to it.

use std::sync::Arc;

use crate::{
    event::Event,
    ids::{LaneId, Seq},
    recipe::Directed,
    session::{Child, State},
    talk::Usage,
};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_child(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::ChildStarted { lane: child, call, agent, .. } => {
                if let Some(lane) = self.lanes.values_mut().find(|l| l.calls.iter().any(|c| c.call == *call))
                {
                    lane.children += 1;
                    let open = lane.calls.iter_mut().filter(|c| c.call == *call);
                    open.for_each(|c| c.children.push(Child { lane: *child, report: None, done: false }));
                }
                if let Some(lane) = self.lanes.get_mut(child)
                    && let Some(agent) = agent
                {
                    lane.most = lane.most.and(agent.scope);
                    lane.ceiling = lane.ceiling.and(agent.scope);
                    lane.agent = Some(Arc::new(Directed::of_child(seq, agent)));
                }
            }
            Event::ChildEnded { lane: child, report, done, .. } => {
                let calls = self.lanes.values_mut().flat_map(|l| &mut l.calls);
                let child = calls.flat_map(|c| &mut c.children).find(|c| c.lane == *child);
                if let Some(child) = child {
                    (child.report, child.done) = (Some(report.clone()), *done);
                }
            }
            _ => {}
        }
    }

    /// What a sub-agent's reply cost counts for the lane that started it as well.
    pub(super) fn charge_parent(&mut self, lane: LaneId, usage: &Usage) {
        let parent = self.lanes.get(&lane).and_then(|l| l.kind.parent());
        if let Some(parent) = parent.and_then(|id| self.lanes.get_mut(&id)) {
            parent.handed.add(usage);
        }
    }
}
