//! Lets the user know of what wants their eye, when they look elsewhere.

use std::time::Instant;

use pilothouse_core::{event::Stamped, port::Request};

use super::{App, Wish};
use crate::notify;

impl App {
    pub(super) fn tell(&mut self, events: &[Stamped], now: Instant) {
        let Some(what) = notify::wanted(events) else { return };
        let how = self.surroundings.notify;
        if !notify::due(how, &self.watching, now) {
            return;
        }
        let bytes = self.look.hearer.bytes(how.terminal, what);
        if !bytes.is_empty() {
            self.wishes.push(Wish::Tell(bytes));
        }
        if how.desktop {
            self.outbox.push_back(Request::Tell(what));
        }
    }
}
