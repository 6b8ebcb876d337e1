//! Since when the things stand on the screen that a key could answer.
//!
//! Owns the telling of what was drawn, and the one question that every answer by a key must pass.

use std::time::Instant;

use super::App;
use crate::{overlay::Overlay, pane::Focus, standing::Standing};

/// The key that is being taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pressed {
    /// When it was pressed; one that is held or came without a pause, when that began.
    pub(super) began: Option<Instant>,
    /// Whether a paste came with it.
    pub(super) pasted: bool,
}

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
        if let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() {
            let _ = prompt.drawn.get_or_insert(now);
        }
    }

    /// What was drawn counts as not seen: more was typed meanwhile than could be taken in.
    pub fn covered(&mut self) {
        self.asked = Standing::default();
        self.listed = Standing::default();
        self.ruled = Standing::default();
        self.proposed = Standing::default();
        self.offering.covered();
    }

    /// Whether a key that is being taken can answer what stands there: it stood long enough before
    /// the key was pressed, and nothing was pasted with it.
    pub(super) fn stood<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        !self.pressed.pasted && self.was_there(place, what)
    }

    /// Whether what stands there stood long enough before what is being taken came.
    pub(super) fn was_there<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        self.pressed.began.is_some_and(|began| place.stood(what, began))
    }
}
