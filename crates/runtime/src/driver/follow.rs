//! A session that another process holds: shown as it goes on there, and taken over once nobody holds it.
//!
//! Owns when its log and its lock are looked at, which is only while it is not ours. Never writes and performs nothing.

use std::time::Duration;

use pilothouse_core::port::Update;
use tokio::time::Instant;

use super::{Driver, told::touches};
use crate::log::holder;

/// How often the log of such a session is looked at.
const LOOKED_AT: Duration = Duration::from_millis(300);
/// Why nothing is done here.
pub(super) const HELD: &str = "another process holds this session: it can only be read here";

impl Driver {
    /// Takes in what happened there since, and whether anybody still holds the session.
    pub(super) fn follow(&mut self) {
        self.follow_due = Some(Instant::now() + LOOKED_AT);
        // In this order: what was written before it was let go is read before that is told.
        let free = holder(&self.at.folder).is_none();
        match self.at.log.follow() {
            Ok(events) => {
                for event in &events {
                    self.at.session.apply(event);
                }
                if touches(&events) {
                    self.look_around();
                }
                self.outbox.events(events);
            }
            Err(e) => tracing::debug!(error = %e, "the log that another process writes could not be read"),
        }
        if self.around.free != free {
            self.around_is(|around| around.free = free);
        }
    }

    /// Ends the following, so that the session is opened again, by this process: that is as ever when one is opened.
    pub(super) fn take_over(&mut self) {
        if self.at.read_only() && holder(&self.at.folder).is_none() {
            (self.takes_over, self.leaving) = (true, true);
        } else if self.at.read_only() {
            self.outbox.send(Update::Refused(HELD.to_owned()));
        }
    }
}
