//! Letters in a pane or an overlay: keys of it, or the beginning of a line that was typed into the wrong place.
//!
//! Owns telling the two apart. A letter acts after a pause; at once only where a key takes back what it does, or it moves
//! what is looked at. Letters in one go that make a word are a line: they go to the draft, and what they decided is as it was.

use std::time::Instant;

use crossterm::event::KeyCode;
use pilothouse_core::{input::Input, session::State};

use super::App;
use crate::{
    ctx::Outcome,
    keymap::Action,
    overlay::{Letter, Overlay, Written},
    pane::{BACK, Focus},
    standing::{DEAF, Pressed},
};

/// More letters in one go are a key that is held down.
const MOST_HELD: usize = 64;

/// What was typed into a pane in one go.
#[derive(Debug, Default)]
pub(super) struct Stray {
    letters: String,
    /// What takes the decisions back, the first decision first.
    back: Vec<Input>,
    /// Letters that act only once nothing more is typed.
    held: Vec<Stroke>,
    /// A letter that begins a longer binding.
    part: Option<Stroke>,
    last: Option<Instant>,
}

/// A letter that was pressed, and what it is bound to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) letter: char,
    pub(super) action: Option<Action>,
    pub(super) pressed: Pressed,
}

impl Stray {
    /// Whether letters wait for what follows them.
    pub(super) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether a longer binding was begun by a letter.
    pub(super) fn has_parts(&self) -> bool {
        self.part.is_some()
    }

    /// A key came: after a pause it begins anew.
    fn came(&mut self, now: Instant) {
        if self.last.is_none_or(|last| now.saturating_duration_since(last) >= DEAF) {
            self.forget();
        }
        self.last = Some(now);
    }

    /// A letter did something by itself, and may be the first of a line.
    pub(super) fn begins(&mut self, letter: char, now: Instant) {
        self.came(now);
        self.letters.push(letter);
    }

    /// Whether a letter that comes now goes on with a word.
    pub(super) fn goes_on(&self, now: Instant) -> bool {
        let soon = self.last.is_some_and(|last| now.saturating_duration_since(last) < DEAF);
        soon && self.is_word()
    }

    /// A letter was a key of the pane that led to this; `state` has heard nothing of it yet.
    fn keep(&mut self, letter: char, led_to: &Outcome, state: &State) {
        let back: Option<Vec<Input>> = led_to.inputs.iter().map(|input| taken_back(input, state)).collect();
        match back.filter(|_| led_to.only_moves()) {
            Some(back) => {
                self.letters.push(letter);
                self.back.extend(back);
            }
            None => self.forget(),
        }
    }

    /// What was typed before was keys.
    fn forget(&mut self) {
        self.letters.clear();
        self.back.clear();
    }

    /// The letters in one go, those that are held too.
    fn line(&self) -> String {
        self.letters.chars().chain(self.held.iter().map(|stroke| stroke.letter)).collect()
    }

    /// Whether a blank behind the letters ends a word: they are not one key pressed again and again.
    fn is_word(&self) -> bool {
        differ(self.line().chars())
    }

    /// Whether the letters that are held are such a word.
    fn holds_word(&self) -> bool {
        differ(self.held.iter().map(|stroke| stroke.letter))
    }
}

/// Whether these are more than one letter again and again.
fn differ(letters: impl Iterator<Item = char>) -> bool {
    let mut letters = letters.filter(|c| !c.is_whitespace());
    letters.next().is_some_and(|first| letters.any(|c| c != first))
}

/// What takes an input back by itself, if something does: a hunk is as it was before.
fn taken_back(input: &Input, state: &State) -> Option<Input> {
    let Input::Decide { proposal, hunk, shown, .. } = input else { return None };
    let decision = state.proposals().get(proposal)?.decided.get(hunk).copied();
    Some(Input::Decide { proposal: *proposal, hunk: *hunk, decision, shown: *shown })
}

impl App {
    /// When the letters that are held act, unless more is typed.
    pub(super) fn held_until(&self) -> Option<Instant> {
        self.stray.last.filter(|_| !self.stray.held.is_empty()).map(|last| last + DEAF)
    }

    /// Lets the letters that are held act once nothing more was typed for long enough.
    pub fn settle_keys(&mut self, now: Instant) {
        if self.held_until().is_some_and(|at| now >= at) {
            self.let_go(now);
        }
    }

    /// Takes a letter that begins a longer binding, or one that `ends` it and makes a line of what was typed.
    pub(super) fn part(&mut self, letter: char, ends: bool, came: Instant) {
        self.settle_keys(came);
        self.stray.came(came);
        if ends {
            self.stray.held.extend(self.stray.part.take());
            return self.begin_draft(Some(letter), came);
        }
        self.stray.part = Some(Stroke { letter, action: None, pressed: self.keying.pressed });
    }

    /// A key comes that is no letter of a pane: `ends` says that it ends a line. True when it did, and means no more.
    pub(super) fn other_key(&mut self, ends: bool, came: Instant) -> bool {
        self.settle_keys(came);
        self.stray.part = None;
        let line = ends && !self.stray.held.is_empty() && self.stray.is_word();
        if line {
            self.begin_draft(None, came);
        } else {
            self.let_go(came);
            self.stray.forget();
        }
        line
    }

    /// Takes a letter in the pane that has the keys.
    pub(super) fn stroke(&mut self, stroke: Stroke, came: Instant) {
        self.settle_keys(came);
        // What it did may have opened something that has the keys now.
        if !self.overlays.is_empty() {
            return self.stroke_over(stroke, came);
        }
        self.stray.came(came);
        let part = self.stray.part.take();
        let Focus::Pane(id) = self.panes.focus else { return self.unheld(stroke, came) };
        let ctx = ctx!(self, came);
        let Some(pane) = self.panes.get_mut(id) else { return };
        let (letter, action) = (stroke.letter, stroke.action);
        let leaves = action.is_some_and(|action| action.entry == BACK);
        let is_key = leaves || !pane.is_idle(&ctx) && (action.is_some() || pane.takes(letter, &ctx));
        if !is_key || letter == ' ' && self.stray.is_word() {
            pane.strange_key();
            return self.begin_draft(Some(letter), came);
        }
        if part.is_none() && self.stray.held.is_empty() && pane.acts_at_once(letter, action, &ctx) {
            return self.strike(stroke, came);
        }
        if self.stray.held.len() < MOST_HELD {
            self.stray.held.extend(part);
            self.stray.held.push(stroke);
        }
    }

    /// Takes a letter in the overlay that has the keys.
    fn stroke_over(&mut self, stroke: Stroke, came: Instant) {
        let ctx = ctx!(self, came);
        let weight = self.overlays.last().and_then(|top| top.weighs(stroke.letter, stroke.action, &ctx));
        let Some(weight) = weight else { return self.unheld(stroke, came) };
        self.stray.came(came);
        if weight == Letter::Strange || stroke.letter == ' ' && self.stray.is_word() {
            return self.begin_draft(Some(stroke.letter), came);
        }
        if weight == Letter::Moves && self.stray.held.is_empty() {
            self.stray.letters.push(stroke.letter);
            return self.unheld(stroke, came);
        }
        if self.stray.held.len() < MOST_HELD {
            self.stray.held.push(stroke);
        }
    }

    /// Does what a letter means in the pane that has the keys.
    fn strike(&mut self, stroke: Stroke, came: Instant) {
        let Focus::Pane(id) = self.panes.focus else { return };
        let ctx = ctx!(self, came);
        let Some(pane) = self.panes.get_mut(id) else { return };
        let outcome = match stroke.action.filter(|_| !pane.answers(stroke.letter, &ctx)) {
            Some(action) if action.entry == BACK => return self.act(action, came),
            Some(action) => pane.act(action, &ctx),
            None => pane.letter(stroke.letter, &ctx),
        };
        self.stray.keep(stroke.letter, &outcome, self.world.session.state());
        self.carry_out(outcome, came);
    }

    /// The letters that are held act, in their order; in an overlay nobody decides two things in one go.
    fn let_go(&mut self, came: Instant) {
        if !self.overlays.is_empty() && self.stray.holds_word() {
            return self.begin_draft(None, came);
        }
        for stroke in std::mem::take(&mut self.stray.held) {
            let now = std::mem::replace(&mut self.keying.pressed, stroke.pressed);
            self.unheld(stroke, came);
            self.keying.pressed = now;
        }
    }

    /// A letter acts where the keys are by now: one before it may have moved them.
    fn unheld(&mut self, stroke: Stroke, came: Instant) {
        let key = KeyCode::Char(stroke.letter).into();
        if !self.overlays.is_empty() {
            match stroke.action {
                Some(action) if !self.typed_into_overlay(action, (key, came)) => self.act(action, came),
                Some(_) => {}
                None => _ = self.type_into_overlay(key, came),
            }
            return;
        }
        match self.panes.focus {
            Focus::Pane(_) => self.strike(stroke, came),
            Focus::Composer => {
                let wish = self.composer.key(key);
                self.compose(wish, came);
            }
        }
    }

    /// Leaves whatever lies over the body without an answer: it is as it was. Whether something did.
    pub(super) fn leave_overlays(&mut self, came: Instant) -> bool {
        let left = std::mem::take(&mut self.overlays);
        for overlay in left.iter().rev() {
            self.carry_out(overlay.left(), came);
        }
        !left.is_empty()
    }

    /// A line begins where what lies over the body wants one: it goes there. Whether it did.
    pub(super) fn begins_above(&mut self, line: &str, how: Written, came: Instant) -> bool {
        self.taken_above(|overlay| overlay.begins(line, how), came)
    }

    /// What is written into whatever is asked for above a page that takes keys, and looks like one, goes to that page and
    /// stands nowhere. Whether it did.
    pub(super) fn handed_above(&mut self, text: &str, how: Written, came: Instant) -> bool {
        self.taken_above(|overlay| overlay.handed(text, how), came)
    }

    /// Gives what is written to the topmost overlay that takes it; what lies over that goes. Whether one did.
    fn taken_above(
        &mut self,
        take: impl Fn(&mut Box<dyn Overlay>) -> Option<Outcome>,
        came: Instant,
    ) -> bool {
        let mut places = self.overlays.iter_mut().enumerate().rev();
        let Some((at, outcome)) = places.find_map(|(at, overlay)| Some((at, take(overlay)?))) else {
            return false;
        };
        self.stray.held.clear();
        self.stray.forget();
        for above in self.overlays.split_off(at + 1).iter().rev() {
            self.carry_out(above.left(), came);
        }
        self.carry_out(outcome, came);
        true
    }

    /// What was typed in one go is the beginning of a line, or goes on with the draft: it goes there.
    pub(super) fn begin_draft(&mut self, letter: Option<char>, came: Instant) {
        let before = self.stray.line();
        if before.is_empty() && letter.is_none_or(char::is_whitespace) {
            return;
        }
        // What already moved is no part of a line that is wanted here.
        let line: String = self.stray.held.iter().map(|stroke| stroke.letter).chain(letter).collect();
        if self.begins_above(&line, self.keying.written, came) {
            return;
        }
        let back = std::mem::take(&mut self.stray.back);
        self.stray.held.clear();
        self.stray.forget();
        let decided = !back.is_empty();
        let closed = self.leave_overlays(came);
        back.into_iter().rev().for_each(|input| self.input(input));
        self.go(Focus::Composer);
        for letter in before.chars().chain(letter) {
            let wish = self.composer.key(KeyCode::Char(letter).into());
            self.compose(wish, came);
        }
        if decided {
            self.say("what you type goes to the draft; it decided no hunk");
        } else if closed {
            self.say("what you type goes to the draft; it decided nothing");
        }
    }
}
