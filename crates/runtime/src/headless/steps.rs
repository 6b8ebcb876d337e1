//! Events as scripts see them: one JSON object a line, in which a step of a pipeline says which stage it is of.
//!
//! Owns the names of stages and steps there. What they are is read off the events that came before.

use std::collections::BTreeMap;

use pilothouse_core::{
    event::{Event, Stamped},
    ids::{CallId, LaneId, RunId},
    pipeline::{StageEvent, step_name},
    session::LaneKind,
    tool::Tool,
};

/// The events of one session, on their way out.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// The lane that does the stages.
    lane: Option<LaneId>,
    /// The stage at work.
    stage: Option<(RunId, usize)>,
    /// What its calls are called.
    calls: BTreeMap<CallId, String>,
}

impl Steps {
    /// An event in a line: `run` is always there, `step` and `parent` where it is part of a pipeline, `session` where it
    /// names its own.
    pub fn line(&mut self, event: &Stamped) -> String {
        let text = serde_json::to_string(event).unwrap_or_default();
        let run = if event.run.is_none() { ",\"run\":null" } else { "" };
        let of = self.of(&event.event).map_or_else(String::new, |(step, parent)| {
            let parent = parent.map(|p| format!(",\"parent\":\"{p}\"")).unwrap_or_default();
            format!(",\"step\":\"{step}\"{parent}")
        });
        let session =
            if let Event::SessionOpened { slug, .. } | Event::SessionForked { slug, .. } = &event.event {
                format!(",\"session\":{}", serde_json::json!(slug))
            } else {
                String::new()
            };
        // What stands before the type are numbers: the first such mark is the event's own.
        text.replacen(",\"type\":", &format!("{run}{of}{session},\"type\":"), 1)
    }

    /// The step that an event is about, and what that is a part of.
    fn of(&mut self, event: &Event) -> Option<(String, Option<String>)> {
        if let Event::LaneOpened { lane, kind: LaneKind::Pipeline, .. } = event {
            self.lane = Some(*lane);
        }
        if let Event::Staged { pipeline, happened } = event {
            if let StageEvent::StageStarted { stage, .. } = happened {
                self.stage = Some((*pipeline, *stage));
            }
            let ends = matches!(happened, StageEvent::StageCompleted { .. });
            let begins = matches!(happened, StageEvent::StageStarted { .. });
            return (begins || ends).then(|| (self.parent().unwrap_or_default(), None));
        }
        let (lane, call, tool) = if let Event::CallMade { lane, call, tool, .. }
        | Event::CallStarted { lane, call, tool, .. } = event
        {
            (lane, call, Some(Some(*tool)))
        } else if let Event::CallEnded { lane, call, .. } = event {
            (lane, call, None)
        } else if let Event::MessageCompleted { lane, call, .. } = event {
            (lane, call, Some(None))
        } else {
            return None;
        };
        if self.lane != Some(*lane) {
            return None;
        }
        // The end of a call does not say of what tool it was.
        if let Some(tool) = tool {
            let name = step_name(tool.map(Tool::name)).map_or("call", |name| name.name);
            let name = name.rsplit('_').next().filter(|_| tool.is_none()).unwrap_or(name);
            let name = name.strip_prefix("orch_").unwrap_or(name);
            self.calls.insert(*call, format!("orch-{name}-{}", call.0));
        }
        let step = self.calls.get(call)?.clone();
        Some((step, self.parent()))
    }

    fn parent(&self) -> Option<String> {
        self.stage.map(|(run, stage)| format!("orch-{}-stage-{stage}", run.0))
    }
}
