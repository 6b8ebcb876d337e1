//! What stood whole on the screen: a word in the composer says yes to nothing else.
//!
//! Owns what a frame is told once it was drawn, since when each question has stood whole, and what becomes of a word that
//! came before. What the list and the diff take for read is theirs.

use std::{collections::BTreeMap, time::Instant};

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint},
    ids::CheckpointId,
    intent::{Control, Source, Turn},
    question::{Lone, Place},
    session::{Deed, Foretold},
};

use super::App;
use crate::{
    bar,
    overlay::{Prompt, approvals},
    pane::{Focus, conversation, diff},
    standing::{DEAF, Standing},
};

/// What stood there before a line was written.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Since when each question that waits has stood whole on the screen.
    whole: BTreeMap<CheckpointId, Instant>,
    /// When the first key of the draft came.
    draft: Option<Instant>,
    /// Whether some of the draft was pasted.
    pasted: bool,
}

impl Seen {
    /// What was drawn counts as not seen.
    pub(super) fn covered(&mut self) {
        self.whole.clear();
    }

    /// A key or a paste came, and left something in the draft or nothing.
    pub(super) fn wrote(&mut self, empty: bool, came: Instant, pasted: bool) {
        self.draft = if empty { None } else { self.draft.or(Some(came)) };
        self.pasted = !empty && (self.pasted || pasted);
    }
}

/// What a line would be said to, were it sent.
#[derive(Debug, Default)]
pub(super) struct Answering {
    /// The questions that it would answer, in their order.
    given: Vec<(CheckpointId, Answer)>,
    /// Whether the plan that waits would begin.
    starts: bool,
    /// Whether it is a word to the changes that wait, which no word decides.
    review: bool,
    /// Whether it is a yes to that.
    takes: bool,
    /// Whether it says yes or to go on, where what waits wants a word of its own.
    agrees: bool,
}

/// Why a line is not sent as the answer that it would be.
enum Early {
    /// The question that holds the run did not stand there long enough.
    Asked,
    /// Not all of what it would agree to was read; this shows it.
    Unread(CheckpointId),
    /// What waits wants a word, which is asked for beside it.
    Word(CheckpointId),
    /// The changes are decided where they stand.
    Review,
}

impl App {
    /// What was drawn has been on the screen since `now`.
    pub fn drew(&mut self, now: Instant) {
        let in_bar = bar::question(self.world.state()).filter(|_| !self.panes.areas.bar.is_empty());
        let bare = self.overlays.is_empty();
        let plan =
            |id: &CheckpointId| self.world.state().open.get(id).is_some_and(|c| c.kind.is_confirmation());
        let in_bar = in_bar.filter(|id| (bare || !plan(id)) && self.stands_drawn(*id));
        self.asked.drew(in_bar, now);
        let ctx = ctx!(self, now);
        let top = self.overlays.len().saturating_sub(1);
        for (n, overlay) in self.overlays.iter_mut().enumerate() {
            overlay.drew(n == top, &ctx, now);
        }
        // Neither a page, nor a list, nor the keys that can follow lie over the panes.
        let listed = self.composer.popup.is_some() || self.keying.alarm().is_some_and(|due| due <= now);
        let clear = bare && !listed && !self.panes.welcome(self.world.state());
        let seen: Vec<bool> =
            self.panes.iter().map(|(n, ..)| clear && !self.panes.outer(n).is_empty()).collect();
        for ((_, pane), seen) in self.panes.all().zip(seen) {
            pane.drew(seen, &ctx, now);
        }
        self.note_whole(now);
        self.drew_offer(now);
    }

    /// What was drawn counts as not seen: more was typed meanwhile than could be taken in.
    pub fn covered(&mut self) {
        self.asked = Standing::default();
        self.seen.covered();
        self.overlays.iter_mut().for_each(|overlay| overlay.covered());
        self.panes.all().for_each(|(_, pane)| pane.covered());
        self.offering.covered();
    }

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
            bar::stands_whole(self.world.state(), &self.bar_facts(&keys), self.panes.areas.bar)
        };
        let state = self.world.state();
        let card = |id: &CheckpointId| self.panes.iter().any(|(_, _, pane)| pane.showed_card(*id));
        let told = state.open.values().filter(|c| state.spec(c).is_told_by(&c.message)).map(|c| c.id);
        let whole: Vec<CheckpointId> = told.filter(card).chain(whole).collect();
        self.seen.whole.retain(|id, _| state.open.contains_key(id));
        for id in whole {
            self.seen.whole.entry(id).or_insert(now);
        }
    }

    /// Whether a question is the one that is shown, and all of it was on the screen long enough before the draft was begun.
    pub(super) fn saw_whole(&self, id: CheckpointId) -> bool {
        let pressed = &self.keying.pressed;
        let began = pressed.began.map(|began| self.seen.draft.map_or(began, |draft| began.min(draft)));
        let since = self.seen.whole.get(&id).map(|since| *since + DEAF);
        let stood = !pressed.pasted
            && !self.seen.pasted
            && began.zip(since).is_some_and(|(began, since)| began >= since);
        stood && bar::shown(self.world.state()) == Some(id)
    }

    /// Why a yes to a question is none yet.
    fn why_unread(&self, id: CheckpointId) -> &'static str {
        if self.seen.pasted || self.keying.pressed.pasted {
            "pasted text answers nothing: y answers here"
        } else if !self.seen.whole.contains_key(&id) {
            "not all of it was on the screen: here it is, and y answers"
        } else if bar::shown(self.world.state()) == Some(id) {
            "it came up while you were typing: read it here, then y answers"
        } else {
            "more than one question is waiting: y answers the one you choose here"
        }
    }

    /// Keeps a line back that would answer what was not to be read yet, and shows that; whether it was kept.
    pub(super) fn keeps_back(&mut self, now: Instant) -> bool {
        match self.early() {
            None => return false,
            Some(Early::Asked) => self.unseen(),
            Some(Early::Unread(id)) => {
                let why = self.why_unread(id);
                let lone = Lone::of(&self.composer.draft.shown()).is_some();
                self.answered_at(self.place_of(id), lone, now);
                self.warn(why);
            }
            Some(Early::Word(id)) => self.confirm(id, now),
            Some(Early::Review) => {
                let takes = self.takes(&self.composer.draft.saved().whole());
                self.answered_at(Place::Diff, true, now);
                if takes {
                    self.act(diff::DiffAction::ApplyAll.into(), now);
                } else {
                    self.say("decide here: y takes a hunk, n leaves it, a writes");
                }
            }
        }
        true
    }

    /// Asks for the word of a question, with what it lets happen. Where all of that was read before it was typed it stands there
    /// already.
    fn confirm(&mut self, id: CheckpointId, now: Instant) {
        let state = self.world.state();
        let asks = state.open.get(&id).map(|question| state.spec(question));
        let asks = asks.and_then(|spec| spec.wants_word().map(|word| (spec, word)));
        let Some((spec, word)) = asks.filter(|_| self.saw_whole(id)) else {
            self.answered_at(Place::List, true, now);
            return self.warn("this needs a typed word: Enter asks for it here");
        };
        let typed = self.composer.draft.saved().whole();
        self.composer.clear();
        let prompt = Prompt::word(id, &spec, word);
        self.open_overlay(Box::new(if typed.trim() == word { prompt.in_place() } else { prompt }));
    }

    fn place_of(&self, id: CheckpointId) -> Place {
        let state = self.world.state();
        state.open.get(&id).map_or(Place::List, |question| state.spec(question).place)
    }

    /// What Enter does to the draft in place of giving the answer that it is, in words.
    pub(super) fn opens_instead(&self) -> Option<&'static str> {
        if self.writes_no_answer() || self.composer.draft.shown() != self.previewed.0 {
            return None;
        }
        Some(match self.kept_back(&self.answering)? {
            Early::Asked => return None,
            Early::Review if self.answering.takes => "shows what would be written; one key there writes it",
            Early::Review => "opens the changes",
            Early::Unread(id) if self.place_of(id) == Place::Diff => "opens the changes",
            Early::Unread(_) => "opens the question above",
            Early::Word(id) if self.saw_whole(id) => "opens its confirmation, which wants a typed word",
            Early::Word(_) => "opens the question above",
        })
    }

    /// The question is answered where all of it is shown; a lone word was an answer and is no draft, what says more stays one.
    fn answered_at(&mut self, place: Place, lone: bool, now: Instant) {
        if lone {
            self.composer.clear();
        }
        if place == Place::Diff {
            self.go(Focus::Pane(diff::ID));
        } else {
            self.open(&approvals::KIND, now);
        }
    }

    /// Whether what is written is no line that could answer, or there is nothing to answer.
    fn writes_no_answer(&self) -> bool {
        let writes = self.composer.offered().is_none() && self.composer.popup.is_none();
        self.composer.draft.is_empty() || !writes || self.world.state().open.is_empty()
    }

    /// Why the draft answers nothing yet: in the question's own words, or in any that the session takes for an answer.
    fn early(&self) -> Option<Early> {
        if self.writes_no_answer() {
            return None;
        }
        let draft = &self.composer.draft;
        let early = self.asked_early();
        if early.is_some_and(|question| question.kind.read(&draft.shown()).is_some()) {
            return Some(Early::Asked);
        }
        let text = draft.saved().whole();
        let to = self.answering(self.world.session.foretell(&text), &text);
        let plan = early.is_some_and(|question| question.kind.is_confirmation());
        self.kept_back(&to).or((plan && to.starts).then_some(Early::Asked))
    }

    /// The question that holds the run, where it did not stand there long enough for the key that is being taken.
    fn asked_early(&self) -> Option<&Checkpoint> {
        self.world.state().phase_question().filter(|question| !self.stood(&self.asked, &question.id))
    }

    /// What a line would be said to, by what follows from it.
    pub(super) fn answering(&self, told: Foretold, text: &str) -> Answering {
        let state = self.world.state();
        let mut reviews = state.open.values().filter(|c| c.kind.review().is_some());
        let review = reviews.any(|c| told.refused.as_ref() == Some(&c.kind.how()));
        let starts = told.does(&Deed::Starts);
        let answers = |deed| if let Deed::Answers(id, answer) = deed { Some((id, answer)) } else { None };
        let given = told.deeds.into_iter().filter_map(answers).collect();
        let (takes, agrees) = (review && self.takes(text), self.wants_word().is_some() && self.agrees(text));
        Answering { given, starts, review, takes, agrees }
    }

    /// The question that was asked last, where it wants a typed word, and that.
    fn wants_word(&self) -> Option<(CheckpointId, &'static str)> {
        let state = self.world.state();
        let question = state.newest_question()?;
        Some((question.id, state.spec(question).wants_word()?))
    }

    /// Whether a line says yes, or to go on, and no more than that: what is said beside it is for the session.
    fn agrees(&self, text: &str) -> bool {
        let session = &self.world.session;
        let reading = session.read(text.trim()).whole;
        let yes = matches!(reading.turn, Turn::Control(Control::Approve | Control::Proceed));
        let plain = yes && reading.source == Source::Heuristic;
        plain || Lone::of(text) == Some(Lone::Yes) || session.tiers().classifier.agrees(text.trim())
    }

    /// Whether a word to the changes that wait wants them: whatever is no no, and no key of something else.
    fn takes(&self, text: &str) -> bool {
        if let Some(lone) = Lone::of(text) {
            return lone == Lone::Yes;
        }
        !self.world.session.tiers().classifier.declines(text.trim()) && text.trim().chars().count() > 1
    }

    /// Why a line that would be said to this is kept back.
    fn kept_back(&self, to: &Answering) -> Option<Early> {
        let state = self.world.state();
        // A yes that is not enough by itself wants its word, which the list asks for.
        let typed = |word: &str| to.agrees || self.composer.draft.saved().whole().trim() == word;
        if let Some((id, _)) = self.wants_word().filter(|(_, word)| typed(word)) {
            return Some(Early::Word(id));
        }
        if to.review {
            return Some(Early::Review);
        }
        to.given.iter().find_map(|(id, answer)| {
            let yes = *answer == Answer::Approve;
            if state.phase_question().is_some_and(|question| question.id == *id) {
                let unread = yes && self.bar_cuts() && !self.saw_whole(*id);
                let early = self.asked_early().map(|_| Early::Asked);
                return early.or(unread.then_some(Early::Unread(*id)));
            }
            (yes && state.open.contains_key(id) && !self.saw_whole(*id)).then_some(Early::Unread(*id))
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
            self.warn("the plan was not on the screen: read it (PgUp scrolls up), then Enter answers");
        } else {
            self.warn("a question appeared while you were typing; press Enter again to answer it");
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
