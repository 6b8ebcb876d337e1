//! Hooks as rows: what runs, how it ended, and what it wrote.

use pilothouse_core::{
    event::{CallStatus, Event, Stamped},
    hook::{HookMode, HookStatus},
};

use super::Log;
use crate::pane::conversation::entry::{Body, CallState, Entry, Text};

impl Log {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_hook(&mut self, stamped: &Stamped) {
        match &stamped.event {
            Event::HooksKnown { hooks } => {
                let named = hooks.iter().map(|h| (h.id, (h.name.clone(), h.way == HookMode::Background)));
                self.hooks = named.collect();
            }
            Event::HookStarted { call, hook, .. } => {
                // What runs in the background is told of when it ended.
                if let Some((name, false)) = self.hooks.get(hook).cloned() {
                    self.names.insert(*call, ("hook".to_owned(), String::new()));
                    self.call(stamped.at, *call, None, &name, CallState::Running);
                }
            }
            Event::HookEnded { call, name, status, summary, output, took, .. } => {
                if !self.calls.contains_key(call) {
                    self.names.insert(*call, ("hook".to_owned(), String::new()));
                    self.call(stamped.at, *call, None, name, CallState::Running);
                }
                self.names.remove(call);
                let Some(key) = self.calls.remove(call) else { return };
                let Some(Entry { body: Body::Call(c), dirty, open, .. }) = self.get_mut(key) else { return };
                let ended = match status {
                    HookStatus::Passed => CallStatus::Done,
                    HookStatus::Failed | HookStatus::TimedOut | HookStatus::Unable => CallStatus::Failed,
                    HookStatus::Stopped => CallStatus::Interrupted,
                };
                (c.state, c.took) = (CallState::Ended(ended), Some(took.0));
                c.summary.clone_from(summary);
                c.result = Text::of(output);
                *open = ended == CallStatus::Failed && !c.result.shown.trim().is_empty();
                *dirty = true;
            }
            _ => {}
        }
    }
}
