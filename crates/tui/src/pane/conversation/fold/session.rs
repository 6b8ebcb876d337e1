//! What is told of the session itself: opened again, copied, and what the workbench has to say.
//!
//! Owns these rows. Never looks at the session.

use pilothouse_core::{
    event::{Event, Level},
    ids::{LaneId, Millis},
    plan::Plan,
};

use super::{Log, Mark};
use crate::{pane::conversation::entry::Body, row::count};

/// Told of a message that the agent at work is handed.
pub(super) const REACHES: &str = "Reaches the agent with its next request.";
/// Told of a plan that is set aside, where nothing else says so.
const PAUSED: &str = "plan paused – /redo resumes it";

impl Log {
    /// The process that worked is gone: its lines of work end, and nothing is asked any more.
    fn left(&mut self) {
        let lanes: Vec<LaneId> = self.asking.keys().chain(self.callers.values()).copied().collect();
        for lane in lanes {
            self.lane_closed(lane);
        }
        self.unasked();
    }

    /// Opened again and again without a word in between, it was resumed once.
    fn unresume(&mut self) {
        let Some(key) = self.resumed.take() else { return };
        let said = (key + 1..self.end())
            .filter_map(|k| self.get(k))
            .any(|e| !matches!(e.body, Body::Gone | Body::Waits(..)));
        if !said {
            self.gone(key);
        }
    }

    /// Where a notice says what became of a plan or of a message, the row before it need not.
    fn told_of_plan(&mut self, text: &str) {
        let last = self.end() - 1;
        let row = self.get(last).and_then(|entry| match &entry.body {
            Body::Facts(facts) => facts.lines.first().map(|(row, _)| row.text()),
            Body::Said(_) | Body::Reply(_) | Body::Call(_) | Body::Task { .. } | Body::Plan(_) => None,
            Body::Question(_) | Body::Waits(..) | Body::Gone => None,
        });
        let told = text.contains("`/redo`") || text.contains("/proposals plan");
        // With which answer a message reaches the agent says that it does.
        let answer = text.starts_with("The agent gets that with your answer");
        let says = |words: &str| row.as_ref().is_some_and(|row| row.ends_with(words));
        if told && says(PAUSED) || answer && says(REACHES) {
            self.gone(last);
        }
    }

    /// Another session came to rest.
    pub(in crate::pane::conversation) fn heard_of(&mut self, at: Millis, text: &str) {
        self.mark(at, Mark::Dot, text);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here has no row")]
    pub(super) fn fold_session(&mut self, at: Millis, event: &Event) {
        match event {
            Event::CallLost { found, .. } => self.mark(at, Mark::Warn, found),
            Event::SessionForked { from, imported, .. } => {
                self.left();
                let what = if *imported {
                    "imported; its plans and changes stay where it came from".to_owned()
                } else {
                    format!("forked from session {from}; its plans and changes stay there")
                };
                self.mark(at, Mark::Dot, &what);
            }
            Event::SessionReopened { interrupted, .. } => {
                self.left();
                let calls = if interrupted.is_empty() {
                    String::new()
                } else {
                    format!("; {} interrupted", count(interrupted.len(), "call"))
                };
                self.unresume();
                if calls.is_empty() {
                    self.resumed = Some(self.end());
                }
                self.mark(at, Mark::Dot, &format!("session resumed{calls}, nothing is running"));
            }
            Event::PlanShelved { suspended: true, .. }
                if !self.finished && self.plan.as_ref().is_none_or(Plan::unfinished) =>
            {
                self.mark(at, Mark::Dot, PAUSED);
            }
            Event::Notice { level: Level::Info, text } => {
                self.told_of_plan(text);
                let mark = if std::mem::take(&mut self.reverted) { Mark::Done } else { Mark::Dot };
                self.mark(at, mark, text);
            }
            Event::Notice { level: Level::Warn, text } => self.warn(at, text),
            Event::Notice { level: Level::Error, text } => self.fails(at, text),
            _ => {}
        }
    }
}
