//! From keys to what they do: the topmost thing first, then the pane, then the composer.
//!
//! Owns the order. Letters act only outside the composer, and a key that came before the thing it
//! would answer stood on the screen for 300 ms answers nothing.

use std::time::Instant;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind};
use pilothouse_core::{checkpoint::Answer, ids::CheckpointId, input::Input, question::Act};

use super::{App, stood::Pressed};
use crate::{
    approvals::Approvals,
    composer,
    conversation::ConversationAction,
    frame,
    keymap::{Action, Chord, DiffKey, Found, Place, PlanKey},
    overlay::Overlay,
    pace::Urgency,
    pane::Focus,
    prompt::{Prompt, Purpose, Typed},
    standing::Stamp,
};

pub(super) const TOO_EARLY: &str =
    "that key was pressed before this stood here; press it again if you mean it";

impl App {
    /// Takes what came from the terminal; `None` when it changes nothing.
    pub fn terminal(&mut self, event: &TerminalEvent, stamp: impl Into<Stamp>) -> Option<Urgency> {
        let stamp = stamp.into();
        match event {
            TerminalEvent::Key(key) if key.kind == KeyEventKind::Release => None,
            TerminalEvent::Key(key) => {
                self.key(*key, stamp);
                Some(Urgency::Now)
            }
            TerminalEvent::Paste(text) => {
                self.paste(text, stamp.came);
                Some(Urgency::Now)
            }
            TerminalEvent::Resize(..) => Some(Urgency::Now),
            TerminalEvent::FocusGained | TerminalEvent::FocusLost => {
                self.watching.focus(matches!(event, TerminalEvent::FocusGained));
                None
            }
            TerminalEvent::Mouse(_) => None,
        }
    }

    /// Takes one key press.
    pub fn key(&mut self, key: KeyEvent, stamp: impl Into<Stamp>) {
        let Stamp { came, since } = stamp.into();
        self.watching.key(came);
        self.notice = None;
        let chord = Chord::of(key);
        let began = self.held.pressed(chord, key.kind == KeyEventKind::Repeat, came);
        // What comes without a pause counts from its beginning, however long it is.
        let began = since.map_or(began, |since| began.min(since));
        self.pressed = Pressed { began: Some(began), pasted: since.is_none() };
        self.prefix.push(chord);
        match self.keymap.find(self.places(), &self.prefix) {
            Found::Action(action) => {
                self.end_prefix();
                if !self.typed_into_overlay(action, key, came) {
                    self.act(action, came);
                }
            }
            Found::Prefix => {
                let _ = self.prefix_since.get_or_insert(came);
            }
            Found::Nothing if self.prefix.len() > 1 => {
                let keys: Vec<String> = self.prefix.iter().map(ToString::to_string).collect();
                self.end_prefix();
                self.say(format!("{} means nothing here; F1 shows the keys", keys.join(" ")));
            }
            Found::Nothing => {
                self.end_prefix();
                self.unbound(key, chord, came);
            }
        }
    }

    fn end_prefix(&mut self) {
        self.prefix.clear();
        self.prefix_since = None;
    }

    /// Where keys are looked up now, in this order.
    pub(super) fn places(&self) -> &'static [Place] {
        match self.overlays.last() {
            Some(Overlay::Approvals(_)) => &[Place::Approvals, Place::Anywhere],
            Some(
                Overlay::Palette(_)
                | Overlay::Help(_)
                | Overlay::Status
                | Overlay::Connect
                | Overlay::Why(_)
                | Overlay::Sheet(_)
                | Overlay::Reason(_)
                | Overlay::Rule(_)
                | Overlay::Prompt(_),
            ) => &[Place::Anywhere],
            None => match self.focus {
                Focus::Composer => &[Place::Composer, Place::Anywhere],
                Focus::Conversation => &[Place::Conversation, Place::Anywhere],
                Focus::Plan => &[Place::Plan, Place::Anywhere],
                Focus::Diff => &[Place::Diff, Place::Anywhere],
            },
        }
    }

    /// A key that no binding took.
    fn unbound(&mut self, key: KeyEvent, chord: Chord, came: Instant) {
        if self.type_into_overlay(key, came) {
            return;
        }
        if !self.overlays.is_empty() {
            return;
        }
        if chord.letter() == Some('?') && (self.focus != Focus::Composer || self.composer.draft.is_empty()) {
            self.open_overlay(Overlay::help());
            return;
        }
        match self.focus {
            Focus::Composer => {
                self.yield_to_draft();
                let wish = self.composer.key(key);
                self.compose(wish);
            }
            Focus::Plan => {
                if let Some(letter) = chord.letter() {
                    self.answer_by_letter(letter);
                }
            }
            Focus::Conversation | Focus::Diff => {}
        }
    }

    /// Keys that lists and lines take although a binding knows them: arrows, Tab.
    fn typed_into_overlay(&mut self, action: Action, key: KeyEvent, came: Instant) -> bool {
        let Action::Frame(action) = action else { return false };
        match action {
            frame::Action::NextPane
            | frame::Action::PreviousPane
            | frame::Action::ScrollUp
            | frame::Action::ScrollDown => self.type_into_overlay(key, came),
            frame::Action::Palette
            | frame::Action::Help
            | frame::Action::Plan
            | frame::Action::Diff
            | frame::Action::Approvals
            | frame::Action::Conversation
            | frame::Action::Why
            | frame::Action::Details
            | frame::Action::Undo
            | frame::Action::Redo
            | frame::Action::Redraw
            | frame::Action::Suspend
            | frame::Action::Cancel
            | frame::Action::Back
            | frame::Action::Quit => false,
        }
    }

    /// Gives a key to the topmost list or line. False when there is none that takes keys.
    fn type_into_overlay(&mut self, key: KeyEvent, came: Instant) -> bool {
        match self.overlays.last_mut() {
            Some(Overlay::Palette(palette)) => {
                if let Some(action) = palette.key(key) {
                    self.overlays.pop();
                    self.run(action, came);
                }
                true
            }
            Some(Overlay::Help(help)) => {
                help.key(key);
                true
            }
            Some(Overlay::Sheet(sheet)) => {
                if key.code == KeyCode::Char('q') {
                    self.overlays.pop();
                } else {
                    sheet.key(key);
                }
                true
            }
            Some(Overlay::Reason(_)) => {
                if matches!(key.code, KeyCode::Char('q' | 'w')) {
                    self.overlays.pop();
                }
                true
            }
            Some(Overlay::Rule(_)) => {
                self.rule_key(key);
                true
            }
            // A word counts only from who saw what it lets happen.
            Some(Overlay::Prompt(prompt))
                if prompt.word.is_some()
                    && key.code != KeyCode::Enter
                    && prompt.drawn.is_none_or(|drawn| came < drawn) =>
            {
                self.complain(TOO_EARLY);
                true
            }
            Some(Overlay::Prompt(prompt)) => {
                match prompt.key(key) {
                    Typed::More => {}
                    Typed::Done => self.finish_prompt(came),
                    Typed::Wrong => {
                        let word = prompt.word.clone().unwrap_or_default();
                        self.overlays.pop();
                        self.say(format!("that was not `{word}`: nothing was done"));
                    }
                }
                true
            }
            Some(Overlay::Approvals(_) | Overlay::Status | Overlay::Connect | Overlay::Why(_)) | None => {
                false
            }
        }
    }

    fn finish_prompt(&mut self, came: Instant) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.pop() else { return };
        match prompt.purpose {
            Purpose::Proceed(id) => self.answer(id, Answer::Word(prompt.text.trim().to_owned())),
            Purpose::Deny(id) => self.answer(id, Answer::Reject(prompt.text.trim().to_owned())),
            Purpose::Word(word) => {
                if let Some(input) = word.answer(&prompt.text) {
                    self.input(input);
                }
            }
            Purpose::Search => self.conversation(ConversationAction::Search(prompt.text), came),
        }
    }

    /// An action chosen by name: its pane gets the keys first.
    fn run(&mut self, action: Action, came: Instant) {
        match action.place() {
            Place::Conversation => self.go(Focus::Conversation),
            Place::Plan => self.go(Focus::Plan),
            Place::Diff => self.go(Focus::Diff),
            Place::Composer => self.go(Focus::Composer),
            Place::Approvals => self.open_overlay(Overlay::Approvals(Approvals::default())),
            Place::Anywhere => {}
        }
        if !matches!(action, Action::Approvals(_)) {
            self.act(action, came);
        }
    }

    /// Does what a binding means.
    fn act(&mut self, action: Action, came: Instant) {
        match action {
            Action::Frame(action) => self.frame(action, came),
            Action::Composer(action) => {
                if action == composer::Action::Send && self.would_answer_early() {
                    self.complain("a question appeared while you wrote; press Enter again to answer it");
                    return;
                }
                if action != composer::Action::Send {
                    self.yield_to_draft();
                }
                let wish = self.composer.act(action);
                self.compose(wish);
            }
            Action::Conversation(key) => {
                if let Some(action) = key.action() {
                    self.conversation(action, came);
                } else {
                    let prompt = Prompt::new(Purpose::Search, "Search the conversation", None);
                    self.open_overlay(Overlay::Prompt(prompt));
                }
            }
            Action::Plan(key) => self.plan_key(key, came),
            Action::Diff(key) => self.diff_key(key, came),
            Action::Approvals(action) => self.approvals(action),
        }
    }

    pub(super) fn conversation(&mut self, action: ConversationAction, came: Instant) {
        // The pane borrows what it draws from; it is put back at once.
        let mut pane = std::mem::take(&mut self.conversation);
        let outcome = pane.act(action, &self.ctx(came));
        self.conversation = pane;
        self.carry_out(outcome);
        self.collect_asks();
    }

    pub(super) fn plan_key(&mut self, key: PlanKey, came: Instant) {
        let decides = matches!(key, PlanKey::Approve | PlanKey::Reject);
        if decides {
            let question = self.session.state().phase_question();
            let Some((id, confirms)) = question.map(|q| (q.id, q.kind.is_confirmation())) else { return };
            if !self.stood(&self.asked, &id) {
                self.complain(TOO_EARLY);
                return;
            }
            if !confirms {
                self.answer_by_letter(if key == PlanKey::Approve { 'y' } else { 'n' });
                return;
            }
        }
        let mut pane = std::mem::take(&mut self.plan);
        let outcome = pane.act(key.action(), &self.ctx(came));
        self.plan = pane;
        self.carry_out(outcome);
        self.collect_asks();
        if key == PlanKey::Reject {
            self.go(Focus::Composer);
            self.say("rejected; say what to change, or give it up with an empty Enter");
        }
    }

    fn diff_key(&mut self, key: DiffKey, came: Instant) {
        if key.decides() && self.has_diff() && !self.stood(&self.proposed, &self.proposals()) {
            self.complain(TOO_EARLY);
            return;
        }
        let mut pane = std::mem::take(&mut self.diff);
        let outcome = pane.act(key.action(), &self.ctx(came));
        self.diff = pane;
        self.carry_out(outcome);
        self.collect_asks();
    }

    /// A single letter in the plan answers the question in the bar, when it is one of its keys.
    fn answer_by_letter(&mut self, letter: char) {
        let Some(question) = self.session.state().phase_question() else { return };
        let id = question.id;
        let choices = question.kind.choices();
        let Some(choice) = choices.iter().find(|c| c.has_key(letter)) else { return };
        let Some(answer) = question.kind.read(&letter.to_string()) else {
            if let Act::Say(how) = choice.act {
                self.go(Focus::Composer);
                self.say(how);
            }
            return;
        };
        if self.stood(&self.asked, &id) {
            self.answer(id, answer);
        } else {
            self.complain(TOO_EARLY);
        }
    }

    /// Whether the draft would answer a question that has not stood long enough.
    fn would_answer_early(&self) -> bool {
        let Some(question) = self.session.state().phase_question() else { return false };
        !self.composer.draft.is_empty()
            && self.composer.offered().is_none()
            && self.composer.popup.is_none()
            && question.kind.read(&self.composer.draft.shown()).is_some()
            && !self.stood(&self.asked, &question.id)
    }

    pub(super) fn answer(&mut self, checkpoint: CheckpointId, answer: Answer) {
        let shown = self.session.state().open.get(&checkpoint).and_then(|c| c.kind.shown());
        self.input(Input::Answer { checkpoint, answer, shown });
    }

    fn paste(&mut self, text: &str, came: Instant) {
        self.notice = None;
        self.held.released();
        self.pressed = Pressed { began: Some(came), pasted: true };
        self.end_prefix();
        match self.overlays.last_mut() {
            None => {
                self.focus = Focus::Composer;
                self.yield_to_draft();
                let wish = self.composer.paste(text);
                self.compose(wish);
            }
            Some(Overlay::Palette(palette)) => palette.paste(text),
            // A word that lets something irreversible happen is typed, never pasted.
            Some(Overlay::Prompt(prompt)) if prompt.word.is_none() => {
                prompt.text.extend(text.chars().filter(|c| !c.is_control()));
            }
            Some(
                Overlay::Prompt(_)
                | Overlay::Approvals(_)
                | Overlay::Help(_)
                | Overlay::Status
                | Overlay::Connect
                | Overlay::Why(_)
                | Overlay::Reason(_)
                | Overlay::Rule(_)
                | Overlay::Sheet(_),
            ) => {}
        }
    }
}
