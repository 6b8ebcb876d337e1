//! Leaving a session: what runs is stopped or waited for, and everything is put in order; the summary beside its log.
//!
//! Never tears a write from its work.

use std::time::Duration;

use pilothouse_core::{ids::Seq, input::Input, port::Update, session::State, work::WorkKey};
use tokio::{sync::mpsc, time::Instant};

use super::{Driver, FAREWELL, Inbound};
use crate::sessions::Summary;

/// How long a write that is still under way then is waited for.
const LAST: Duration = Duration::from_secs(1);

/// How long after something happened the summary is put beside the log.
const SUMMED_UP: Duration = Duration::from_millis(500);

/// How a session was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShutdownReport {
    /// Its name, to take it up again.
    pub slug: String,
    /// Whether everything that happened is on disk.
    pub saved: bool,
    /// Whether it holds anything worth taking up again.
    pub kept: bool,
    /// The last sequence number.
    pub last: Seq,
}

/// Comes back then; at once where there is no such time.
pub(super) async fn until(then: Option<Instant>) {
    if let Some(then) = then {
        tokio::time::sleep_until(then).await;
    }
}

impl Driver {
    /// Something happened that the summary beside the log does not say yet.
    pub(super) fn sum_up_soon(&mut self) {
        self.summary_due.get_or_insert_with(|| Instant::now() + SUMMED_UP);
    }

    /// Puts a summary beside the log, behind what was queued for the disk.
    pub(super) fn keep_summary(&mut self) {
        self.summary_due = None;
        let Some(summary) = self.summary().filter(|_| self.is_worth_keeping()) else { return };
        let folder = self.at.folder.clone();
        drop(self.disk.run(move || {
            if let Err(e) = summary.save(&folder) {
                tracing::warn!(error = %e, "the summary of the session could not be kept");
            }
        }));
    }

    /// What lists say of the session.
    fn summary(&self) -> Option<Summary> {
        let report = self.at.log.report();
        Some(Summary::of(self.at.session.state(), report.meta.as_ref()?, report.bytes))
    }

    /// Whether there is anything to come back to: opening and the folder's trust alone are not.
    fn is_worth_keeping(&self) -> bool {
        let state = self.at.session.state();
        !(state.history.is_empty() && state.turns.is_empty() && state.ledger().is_empty())
    }

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
            let inputs = inputs.into_iter().map(|(input, _)| input);
            let inputs: Vec<Input> = if whole {
                inputs.collect()
            } else {
                inputs.filter_map(|input| changed(self.at.session.state(), input)).collect()
            };
            for input in inputs {
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
        if !self.takes_over {
            self.outbox.send(Update::Closed(None));
        }
        let last = self.at.session.state().seq;
        tracing::info!(saved, kept, %last, "session closed");
        ShutdownReport { slug: self.at.slug.clone(), saved, kept, last }
    }

    /// Leaves a summary beside the log; a session in which nothing was said leaves nothing.
    fn tidy(&self) -> bool {
        if self.at.read_only() {
            return true;
        }
        if !self.is_worth_keeping() {
            drop(std::fs::remove_dir_all(&self.at.folder));
            return false;
        }
        if let Some(Err(e)) = self.summary().map(|summary| summary.save(&self.at.folder)) {
            tracing::warn!(error = %e, "the summary of the session could not be kept");
        }
        true
    }
}

/// What a command had changed that the leaving stops: it is told though the command is not.
fn changed(state: &State, input: Input) -> Option<Input> {
    let Input::ToolEnded { call, outcome } = input else { return None };
    let line = state.open_call(call)?.1.run()?.command.clone();
    Some(Input::Recovered { call, line, wrote: outcome.wrote? })
}
