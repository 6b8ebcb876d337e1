//! What is being written, on its way to whoever keeps it for the next time.
//!
//! Owns when: once typing rests, every few seconds where it does not, at once where nothing is left of it, and before the
//! program ends, whatever ends it. Between those it wakes nobody.

use std::time::{Duration, Instant};

use pilothouse_core::port::Request;

use super::App;
use crate::composer::Saved;

/// Typing rests when nothing was typed for so long.
const RESTS: Duration = Duration::from_secs(1);
/// Who types on without a rest has what they write kept every so often.
const AT_LATEST: Duration = Duration::from_secs(3);

/// What is kept, and when what stands in the draft is.
#[derive(Debug, Default)]
pub(super) struct Resting {
    kept: String,
    due: Option<Instant>,
    /// When it is due though typing does not rest.
    at_latest: Option<Instant>,
}

impl App {
    /// When typing will have rested for long enough.
    pub(crate) const fn rests_at(&self) -> Option<Instant> {
        self.resting.due
    }

    /// The draft may be another.
    pub(super) fn wrote(&mut self, came: Instant) {
        let blank = self.composer.draft.is_blank();
        self.seen.wrote(blank, came, self.keying.pressed.pasted);
        let writes = !blank && self.composer.offered().is_none();
        self.resting.at_latest = writes.then(|| self.resting.at_latest.unwrap_or(came + AT_LATEST));
        self.resting.due = self.resting.at_latest.map(|latest| latest.min(came + RESTS));
        if blank {
            self.keep_draft();
        }
    }

    /// Hands the draft out to be kept, if it is due.
    pub(crate) fn keep_rested(&mut self, now: Instant) {
        if self.resting.due.take_if(|due| now >= *due).is_some() {
            self.resting.at_latest = None;
            self.keep_draft();
        }
    }

    /// Hands the draft out to be kept, unless it is; a command in its place is no draft.
    pub(crate) fn keep_draft(&mut self) {
        if self.world.surroundings.read_only || self.composer.offered().is_some() {
            return;
        }
        let blank = self.composer.draft.is_blank();
        let text = if blank { String::new() } else { self.composer.draft.saved().whole() };
        if text != self.resting.kept {
            self.resting.kept.clone_from(&text);
            self.outbox.send(Request::Draft(text));
        }
    }

    /// What was being written before stands in the draft again; where something else is written by now it is in the history.
    pub(super) fn drafted_before(&mut self, text: String) {
        let kept = Saved::plain(text.as_str());
        let offered = self.composer.offered().is_some();
        if self.composer.draft.is_blank() && !offered {
            self.composer.draft.set(kept);
        } else if !text.trim().is_empty() && (offered || self.composer.draft.saved().whole() != text) {
            self.composer.history.keep(kept);
            self.say("your earlier draft is not lost: Up brings it back");
        }
        self.resting.kept = text;
    }
}
