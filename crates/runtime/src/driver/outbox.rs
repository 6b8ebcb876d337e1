//! What goes to the screen: in order, never waited for, never lost.
//!
//! Owns the backlog. A screen that lags is caught up from the log, so memory stays bounded.

use std::collections::VecDeque;

use pilothouse_core::{
    event::Stamped,
    ids::Seq,
    port::{Reply, Update},
    redact::Redactor,
    source::SourceHealth,
};
use tokio::sync::mpsc::{Sender, error::TrySendError};

use crate::{error::RuntimeError, log::Log};

/// Most events in one message to a screen that is being caught up.
const PAGE: usize = 500;

enum Waiting {
    Update(Update),
    EventsFrom(Seq),
}

/// The way to the screen.
pub(super) struct Outbox {
    updates: Sender<Update>,
    waiting: VecDeque<Waiting>,
    secrets: Redactor,
}

impl Outbox {
    pub fn new(updates: Sender<Update>, secrets: Redactor) -> Self {
        Self { updates, waiting: VecDeque::new(), secrets }
    }

    /// From here on these are kept out of what is said.
    pub fn hide(&mut self, secrets: Redactor) {
        self.secrets = secrets;
    }

    pub fn sender(&self) -> Sender<Update> {
        self.updates.clone()
    }

    /// Whether something waits for room.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether nobody listens any more.
    pub fn closed(&self) -> bool {
        self.updates.is_closed()
    }

    /// Sends now, or keeps it until there is room.
    pub fn send(&mut self, mut update: Update) {
        let mask = |text: &mut String| *text = self.secrets.mask(text).into_owned();
        if let Update::Refused(reason)
        | Update::Misused(reason)
        | Update::Notice(reason)
        | Update::Page { text: reason, .. } = &mut update
        {
            mask(reason);
        } else if let Update::Answered(_, Reply::SourceTools(_, Ok(text) | Err(text))) = &mut update {
            mask(text);
        } else if let Update::Answered(_, Reply::Sources(all)) = &mut update {
            for source in all {
                mask(&mut source.line);
                mask(&mut source.about);
                if let SourceHealth::Failed(why) = &mut source.health {
                    mask(why);
                }
            }
        }
        if self.waits() {
            return self.waiting.push_back(Waiting::Update(update));
        }
        if let Err(TrySendError::Full(update)) = self.updates.try_send(update) {
            self.waiting.push_back(Waiting::Update(update));
        }
    }

    /// Sends events that are in the log; without room only their place is kept.
    pub fn events(&mut self, events: Vec<Stamped>) {
        let Some(first) = events.first().map(|e| e.seq) else { return };
        if !self.waits() {
            match self.updates.try_send(Update::Events(events)) {
                Err(TrySendError::Full(_)) => {}
                Ok(()) | Err(TrySendError::Closed(_)) => return,
            }
        }
        if !self.waiting.iter().any(|w| matches!(w, Waiting::EventsFrom(_))) {
            self.waiting.push_back(Waiting::EventsFrom(first));
        }
    }

    /// Completes when there is room or nobody listens any more.
    pub async fn room(&self) {
        drop(self.updates.reserve().await);
    }

    /// Sends what waits, as far as there is room.
    pub fn flush(&mut self, log: &Log) -> Result<(), RuntimeError> {
        while let Some(next) = self.waiting.pop_front() {
            let Ok(permit) = self.updates.try_reserve() else {
                self.waiting.push_front(next);
                return Ok(());
            };
            match next {
                Waiting::Update(update) => permit.send(update),
                Waiting::EventsFrom(seq) => {
                    let page = log.since(seq, PAGE)?;
                    let Some(last) = page.last().map(|e| e.seq) else { continue };
                    if last < log.report().last {
                        self.waiting.push_front(Waiting::EventsFrom(Seq(last.0 + 1)));
                    }
                    permit.send(Update::Events(page));
                }
            }
        }
        Ok(())
    }
}
