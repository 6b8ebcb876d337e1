//! What stood whole on the screen: a word in the composer says yes to nothing else.
//!
//! Owns since when each question has stood whole, and what becomes of a word that came before. What the list and the diff
//! take for read is theirs.

use std::{collections::BTreeMap, time::Instant};

use pilothouse_core::{
    checkpoint::Answer,
    ids::CheckpointId,
    question::{Lone, Place},
    session::Deed,
};

use super::App;
use crate::{
    bar,
    overlay::approvals,
    pane::{Focus, conversation, diff},
    standing::DEAF,
};

/// What stood there before a line was written.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Since when each question that waits has stood whole on the screen.
    whole: BTreeMap<CheckpointId, Instant>,
    /// When the first key of the draft came.
    draft: Option<Instant>,
}

impl Seen {
    /// What was drawn counts as not seen.
    pub(super) fn covered(&mut self) {
        self.whole.clear();
    }

    /// A key came, and left something in the draft or nothing.
    pub(super) fn wrote(&mut self, empty: bool, came: Instant) {
        self.draft = if empty { None } else { self.draft.or(Some(came)) };
    }
}

/// Why a line is not sent as the answer that it would be.
enum Early {
    /// The question that holds the run did not stand there long enough.
    Asked,
    /// Not all of what it would agree to was on the screen; this shows it.
    Unread(Place),
    /// What waits wants a word, which is asked for beside it.
    Word,
}

impl App {
    /// Keeps which question the bar shows whole.
    pub(super) fn note_whole(&mut self, now: Instant) {
        if self.world.state().open.is_empty() {
            return self.seen.whole.clear();
        }
        let whole = if self.panes.areas.bar.is_empty() || !self.overlays.is_empty() {
            None
        } else if let Some(id) = self.offering.at_hand() {
            let told = |id: &CheckpointId| {
                let state = self.world.state();
                state.open.get(id).is_some_and(|question| state.spec(question).is_told_by_title())
            };
            Some(id).filter(|id| self.offer_is_whole() && told(id))
        } else {
            let keys = self.bar_keys();
            let width = bar::columns(self.panes.areas.bar.width);
            bar::stands_whole(self.world.state(), &self.bar_facts(&keys), width)
        };
        let open = &self.world.state().open;
        self.seen.whole.retain(|id, _| open.contains_key(id));
        if let Some(id) = whole {
            self.seen.whole.entry(id).or_insert(now);
        }
    }

    /// Whether a question is the one that is shown, and all of it was on the screen long enough before the draft was begun.
    fn saw_whole(&self, id: CheckpointId) -> bool {
        let pressed = &self.keying.pressed;
        let began = pressed.began.map(|began| self.seen.draft.map_or(began, |draft| began.min(draft)));
        let since = self.seen.whole.get(&id).map(|since| *since + DEAF);
        let stood = !pressed.pasted && began.zip(since).is_some_and(|(began, since)| began >= since);
        stood && bar::shown(self.world.state()) == Some(id)
    }

    /// Keeps a line back that would answer what was not to be read yet, and shows that; whether it was kept.
    pub(super) fn keeps_back(&mut self, now: Instant) -> bool {
        match self.early() {
            None => return false,
            Some(Early::Asked) => self.unseen(),
            Some(Early::Unread(place)) => {
                let lone = Lone::of(&self.composer.draft.shown()).is_some();
                self.answered_at(place, lone, now);
                self.complain("not all of it was on the screen: this shows it, and y answers here");
            }
            Some(Early::Word) => {
                self.answered_at(Place::List, true, now);
                self.complain("this wants its word: Enter asks for it here");
            }
        }
        true
    }

    /// The question is answered where all of it is shown; a lone word was an answer and is no draft, what says more stays one.
    fn answered_at(&mut self, place: Place, lone: bool, now: Instant) {
        if lone {
            let _ = self.composer.draft.take();
        }
        if place == Place::Diff {
            self.go(Focus::Pane(diff::ID));
        } else {
            self.open(&approvals::KIND, now);
        }
    }

    /// Why the draft answers nothing yet: in the question's own words, or in any that the session takes for an answer.
    fn early(&self) -> Option<Early> {
        let (draft, state) = (&self.composer.draft, self.world.state());
        let writes = !draft.is_empty() && self.composer.offered().is_none() && self.composer.popup.is_none();
        if !writes || state.open.is_empty() {
            return None;
        }
        let text = draft.saved().whole();
        let asked = state.phase_question();
        let early = asked.filter(|question| !self.stood(&self.asked, &question.id));
        if early.is_some_and(|question| question.kind.read(&draft.shown()).is_some()) {
            return Some(Early::Asked);
        }
        // A yes that is not enough by itself wants its word, which the list asks for.
        let word = state.newest_question().and_then(|question| state.spec(question).wants_word());
        if word.is_some_and(|word| text.trim() == word || Lone::of(&text) == Some(Lone::Yes)) {
            return Some(Early::Word);
        }
        self.world.session.foretell(&text).deeds.iter().find_map(|deed| {
            let plan = early.filter(|question| question.kind.is_confirmation() && *deed == Deed::Starts);
            let Deed::Answers(id, answer) = deed else { return plan.map(|_| Early::Asked) };
            if let Some(question) = asked.filter(|question| question.id == *id) {
                let place = state.spec(question).place;
                let unread = *answer == Answer::Approve && self.bar_cuts();
                return early.map(|_| Early::Asked).or(unread.then_some(Early::Unread(place)));
            }
            let unread = *answer == Answer::Approve && !self.saw_whole(*id);
            state.open.get(id).filter(|_| unread).map(|question| Early::Unread(state.spec(question).place))
        })
    }

    /// Whether the bar leaves out words of the question that holds the run; a plan is read elsewhere.
    pub(super) fn bar_cuts(&self) -> bool {
        let state = self.world.state();
        let keys = self.bar_keys();
        let area = self.panes.areas.bar;
        let rows = || bar::rows(state, &self.bar_facts(&keys), bar::columns(area.width));
        let asked = state.phase_question().filter(|question| !question.kind.is_confirmation());
        asked.is_some() && !rows().tells_all(usize::from(area.height))
    }

    /// Says why the draft answers nothing yet, and shows a plan that was not on the screen.
    pub(super) fn unseen(&mut self) {
        let plan = self.world.state().phase_question().filter(|q| q.kind.is_confirmation()).map(|q| q.id);
        if plan.is_some_and(|id| !self.stands_drawn(id)) {
            self.panes.sent();
            self.panes.show(conversation::ID);
            self.complain("the plan was not on the screen: read it (PgUp goes up), then Enter answers");
        } else {
            self.complain("a question appeared while you wrote; press Enter again to answer it");
        }
    }

    /// Whether what this question is about stands on the screen: of a plan the bar says only that it waits.
    pub(super) fn stands_drawn(&self, id: CheckpointId) -> bool {
        let plan = self.world.state().open.get(&id).is_some_and(|c| c.kind.is_confirmation());
        let covered = || self.panes.welcome(self.world.state());
        let mut seen = self.panes.iter().filter(|(n, ..)| !self.panes.outer(*n).is_empty());
        let bare = self.overlays.is_empty();
        !plan || (!covered() && seen.any(|(_, _, pane)| pane.shows(id, bare)))
    }
}
