//! Sub-agents: told below the call that started them, and nowhere else.

use pilothouse_core::{
    event::{Event, Stamped},
    ids::LaneId,
    talk::FaultKind,
};

use super::Log;
use crate::pane::conversation::entry::{Agent, Body, Text};

impl Log {
    /// Takes in what sub-agents begin, do and find; whether that was it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is told by others")]
    pub(super) fn fold_agents(&mut self, stamped: &Stamped) -> bool {
        let at = stamped.at;
        match &stamped.event {
            Event::ChildStarted { lane, call, work, task, agent } => {
                let task = Text::of(task).shown;
                let agent = Agent {
                    lane: *lane,
                    work: agent.as_ref().map_or(work.name(), |a| &a.name).to_owned(),
                    task: task.lines().next().unwrap_or_default().to_owned(),
                    now: String::new(),
                    calls: 0,
                    usage: pilothouse_core::talk::Usage::default(),
                    since: at,
                    ended: None,
                    failed: None,
                };
                if let Some((c, dirty)) = self.known(*call) {
                    c.children.push(agent);
                    *dirty = true;
                }
            }
            Event::ChildEnded { lane, done, .. } => {
                self.agent(*lane, |a| a.ended = Some((at.0.saturating_sub(a.since.0), *done)));
            }
            Event::ThinkingStarted { lane, .. } if self.is_agent(*lane) => {
                self.agent(*lane, |a| (a.calls, a.now) = (a.calls + 1, String::new()));
            }
            Event::MessageCompleted { lane, usage, .. } if self.is_agent(*lane) => {
                self.agent(*lane, |a| a.usage.add(usage));
            }
            Event::CallStarted { lane, tool, subject, .. } if self.is_agent(*lane) => {
                let now = format!("{} {subject}", tool.name());
                self.agent(*lane, |a| a.now = now);
            }
            Event::ThinkingFailed { lane, fault, .. } if self.is_agent(*lane) => {
                if fault.kind != FaultKind::Cancelled {
                    self.agent(*lane, |a| a.failed = Some(fault.message.clone()));
                }
            }
            Event::CallEnded { lane, .. } => return self.is_agent(*lane),
            _ => return false,
        }
        true
    }

    fn is_agent(&self, lane: LaneId) -> bool {
        self.kind(lane).is_some_and(|kind| kind.parent().is_some())
    }

    fn agent(&mut self, lane: LaneId, change: impl FnOnce(&mut Agent)) {
        let calls = self.entries.iter_mut().rev().filter_map(|e| {
            let Body::Call(c) = &mut e.body else { return None };
            Some((c, &mut e.dirty))
        });
        for (call, dirty) in calls {
            if let Some(agent) = call.children.iter_mut().find(|a| a.lane == lane) {
                *dirty = true;
                return change(agent);
            }
        }
    }
}
