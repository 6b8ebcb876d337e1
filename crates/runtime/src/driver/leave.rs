//! Leaving a session: what runs is stopped or waited for, and everything is put in order.
//!
//! Never tears a write from its work.

use std::time::Duration;

use pilothouse_core::{port::Update, work::WorkKey};
use tokio::sync::mpsc;

use super::{Driver, FAREWELL, Inbound, ShutdownReport};
use crate::sessions::Summary;

/// How long a write that is still under way then is waited for.
const LAST: Duration = Duration::from_secs(1);

impl Driver {
    /// Stops what runs, waits a moment for its last words, and puts everything in order.
    pub(super) async fn leave(&mut self, results: &mut mpsc::Receiver<Inbound>) -> ShutdownReport {
        // A write is never torn from its work; everything else is told to stop.
        self.running.retain(|_, slot| !slot.done);
        for (key, slot) in &self.running {
            if !matches!(key, WorkKey::Write(_) | WorkKey::Revert(..)) {
                slot.cancel.cancel();
            }
        }
        let deadline = tokio::time::Instant::now() + FAREWELL;
        while self.running.values().any(|s| !s.done) {
            let Ok(Some(result)) = tokio::time::timeout_at(deadline, results.recv()).await else { break };
            // What was only stopped because of the leaving is not taken for a whole reply: it is
            // interrupted, and the next opening says so.
            let pending = self.at.session.pending();
            let whole = if let Inbound::Ended(key, _) = &result {
                matches!(key, WorkKey::Write(_) | WorkKey::Revert(..)) || !pending.contains_key(key)
            } else {
                false
            };
            let mut inputs = Vec::new();
            self.result(result, &mut inputs);
            for (input, _) in inputs.into_iter().filter(|_| whole) {
                let step = self.step(input, &mut Vec::new());
                self.unsaved.extend(step);
            }
        }
        self.forms.clear();
        self.tasks.end(deadline.max(tokio::time::Instant::now() + LAST)).await;
        // Nobody asks them any more: each has its own bounds for its end.
        drop(tokio::time::timeout(2 * FAREWELL, self.kit.sources.stop()).await);
        let events = self.save();
        let saved = events.is_ok();
        if let Ok(events) = events {
            self.keep_pipeline(&events);
            self.outbox.events(events);
            drop(self.outbox.flush(&self.at.log));
        }
        self.disk.end();
        let kept = self.tidy();
        self.outbox.send(Update::Closed(None));
        let last = self.at.session.state().seq;
        tracing::info!(saved, kept, %last, "session closed");
        ShutdownReport { slug: self.at.slug.clone(), saved, kept, last }
    }

    /// Leaves a summary beside the log; a session in which nothing was said leaves nothing.
    fn tidy(&self) -> bool {
        let state = self.at.session.state();
        if self.at.read_only() {
            return true;
        }
        // Opening and the folder's trust alone are nothing to come back to.
        if state.history.is_empty() && state.turns.is_empty() && state.ledger().is_empty() {
            drop(std::fs::remove_dir_all(&self.at.folder));
            return false;
        }
        if let Some(meta) = &self.at.log.report().meta
            && let Err(e) = Summary::of(state, meta, self.at.log.report().bytes).save(&self.at.folder)
        {
            tracing::warn!(error = %e, "the summary of the session could not be kept");
        }
        true
    }
}
