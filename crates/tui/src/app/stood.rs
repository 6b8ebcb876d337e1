//! Since when the things stand on the screen that a key could answer.
//!
//! Owns the telling of what was drawn, and the one question that every answer by a key must pass.

use std::time::Instant;

use super::App;
use crate::{overlay::Overlay, pane::Focus, standing::Standing};

impl App {
    /// What was drawn has been on the screen since `now`.
    pub fn drew(&mut self, now: Instant) {
        let state = self.session.state();
        let in_bar = crate::bar::question(state).filter(|_| !self.areas.bar.is_empty());
        self.asked.drew(in_bar, now);
        let listed = match self.overlays.last() {
            Some(Overlay::Approvals(list)) => list.chosen(state).map(|c| self.listed(c)),
            _ => None,
        };
        self.listed.drew(listed, now);
        let ruled = match self.overlays.last() {
            Some(Overlay::Rule(offer)) => Some(offer.shown()).filter(|_| offer.fits(self.body())),
            _ => None,
        };
        self.ruled.drew(ruled, now);
        let seen = self.pane_visible(Focus::Diff);
        let proposed = seen.then(|| self.proposals());
        self.proposed.drew(proposed.filter(|p| !p.is_empty()), now);
        self.drew_offer(now);
    }

    /// Whether what stands there stood long enough before the key was pressed that is being taken.
    pub(super) fn stood<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        self.pressed.is_some_and(|pressed| place.stood(what, pressed))
    }
}
