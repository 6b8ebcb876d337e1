//! From keys to what they do: the topmost overlay first, then the pane, then the composer.
//!
//! Owns the order, and the carrying out of what panes and overlays want. Letters act only outside the composer, and
//! a key that came before the thing it would answer stood on the screen for 300 ms answers nothing.

use std::time::Instant;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, MouseEventKind};
use pilothouse_core::{
    checkpoint::Answer,
    ids::{CheckpointId, TurnId},
    input::Input,
    port::Request,
    question::Place,
};
use ratatui::layout::Position;

use super::{App, AppCommand, Editing, Outcome, enter::Enter, keying::Taken, stray::Stroke};
use crate::{
    composer,
    ctx::Wanted,
    frame,
    keymap::{ANYWHERE, Action, Chord},
    overlay::{Letter, OVERLAYS, Overlay, OverlayKind, Written, approvals, help},
    pace::Urgency,
    pane::{BACK, Focus, PANES, PaneId},
    standing::Stamp,
};

/// Rows that one notch of the wheel scrolls.
const NOTCH: i64 = 3;

impl App {
    /// Takes what came from the terminal; `None` when it changes nothing.
    pub fn terminal(&mut self, event: &TerminalEvent, stamp: impl Into<Stamp>) -> Option<Urgency> {
        let stamp = stamp.into();
        match event {
            TerminalEvent::Key(key) if key.kind == KeyEventKind::Release => None,
            TerminalEvent::Key(key) => {
                self.key(*key, stamp);
                self.wrote(stamp.came);
                Some(Urgency::Now)
            }
            TerminalEvent::Paste(text) => {
                self.paste(text, stamp.came);
                self.wrote(stamp.came);
                Some(Urgency::Now)
            }
            TerminalEvent::Resize(..) => Some(Urgency::Now),
            TerminalEvent::FocusGained | TerminalEvent::FocusLost => {
                let gained = matches!(event, TerminalEvent::FocusGained);
                self.watching.focus(gained);
                if gained {
                    self.outbox.send(Request::Focused);
                }
                None
            }
            TerminalEvent::Mouse(mouse) => {
                let rows = if mouse.kind == MouseEventKind::ScrollUp {
                    -NOTCH
                } else if mouse.kind == MouseEventKind::ScrollDown {
                    NOTCH
                } else {
                    return None;
                };
                self.wheel(Position::new(mouse.column, mouse.row), rows, stamp.came);
                Some(Urgency::Now)
            }
        }
    }

    /// Scrolls what lies there: the topmost overlay, else the pane. It moves no focus and decides nothing.
    fn wheel(&mut self, at: Position, rows: i64, came: Instant) {
        if !self.overlays.is_empty() {
            let code = if rows < 0 { KeyCode::Up } else { KeyCode::Down };
            self.type_into_overlay(code.into(), came);
            return;
        }
        let under = self.panes.iter().map(|(n, ..)| n).find(|n| self.panes.outer(*n).contains(at));
        let ctx = ctx!(self, came);
        if let Some((_, pane)) = self.panes.all().find(|(n, _)| Some(*n) == under) {
            pane.wheel(rows, &ctx);
        }
        self.collect_asks();
    }

    /// Takes one key press.
    pub fn key(&mut self, key: KeyEvent, stamp: impl Into<Stamp>) {
        let stamp = stamp.into();
        let came = stamp.came;
        self.watching.key(came);
        self.notice = None;
        let taken = self.keying.press(key, stamp, &self.tables());
        if let Some(stroke) = self.letter_of_pane(key, &taken, came) {
            return self.stroke(stroke, came);
        }
        if let Some(letter) = self.part_of_pane(key, &taken) {
            return self.part(letter, matches!(taken, Taken::Unknown(_)), came);
        }
        if self.other_key(key.code == KeyCode::Enter, came) {
            return;
        }
        match taken {
            Taken::Action(action) => {
                if !self.typed_into_overlay(action, (key, came)) {
                    self.act(action, came);
                }
            }
            Taken::More => {}
            Taken::Unknown(keys) => self.say(format!("{keys} is not bound; F1 shows the keys")),
            Taken::Free(chord) => self.unbound(key, chord, came),
        }
    }

    /// The letter that a key is in the pane, or in the overlay that asks for no line, that has the keys, if it is one.
    fn letter_of_pane(&self, key: KeyEvent, taken: &Taken, came: Instant) -> Option<Stroke> {
        let [table, _] = self.tables();
        let action = match taken {
            Taken::Action(action) if action.table == table => Some(*action),
            Taken::Free(_) => None,
            Taken::Action(_) | Taken::More | Taken::Unknown(_) => return None,
        };
        let letter = Chord::of(key).letter()?;
        let weighed = match (self.overlays.last(), self.panes.focus) {
            (Some(top), _) => top.weighs(letter, action, &self.ctx(came)).is_some(),
            (None, Focus::Pane(_)) => true,
            (None, Focus::Composer) => false,
        };
        let helps = letter == '?' && action.is_none() && !self.stray.goes_on(came);
        (weighed && !helps).then_some(Stroke { letter, action, pressed: self.keying.pressed })
    }

    /// The letter that a key is in the pane that has the keys, where it begins a longer binding of letters or is no part of
    /// the one that was begun.
    fn part_of_pane(&self, key: KeyEvent, taken: &Taken) -> Option<char> {
        let begins = match taken {
            Taken::More => self.keying.prefix().len() == 1,
            Taken::Unknown(_) => self.stray.has_parts(),
            Taken::Action(_) | Taken::Free(_) => return None,
        };
        let pane = self.overlays.is_empty() && matches!(self.panes.focus, Focus::Pane(_));
        Chord::of(key).letter().filter(|_| begins && pane)
    }

    /// The tables in which keys are looked up now, in this order.
    pub(super) fn tables(&self) -> [&'static str; 2] {
        let own = match (self.overlays.last(), self.panes.focus) {
            (Some(overlay), _) => overlay.name(),
            (None, Focus::Composer) => composer::Action::TABLE,
            (None, Focus::Pane(id)) => id.0,
        };
        [own, ANYWHERE]
    }

    /// A key that no binding took.
    fn unbound(&mut self, key: KeyEvent, chord: Chord, came: Instant) {
        let writing = self.panes.focus == Focus::Composer && !self.composer.draft.is_empty();
        let ctx = self.ctx(came);
        let top = self.overlays.last();
        let free = top.map_or(!writing, |top| top.weighs('?', None, &ctx) == Some(Letter::Strange));
        let asks = chord.letter() == Some('?') && free;
        if asks {
            // What is typed behind it without a pause makes it the first letter of a line.
            self.stray.begins('?', came);
        }
        if self.type_into_overlay(key, came) || !self.overlays.is_empty() {
            return;
        }
        if asks {
            return self.open(&help::KIND, came);
        }
        match self.panes.focus {
            Focus::Composer => {
                let wish = self.composer.key(key);
                self.compose(wish, came);
            }
            Focus::Pane(id) => {
                if let Some(pane) = self.panes.get_mut(id) {
                    pane.strange_key();
                }
            }
        }
    }

    /// Keys that lists and lines take although a binding knows them: arrows, Tab, a letter that answers.
    pub(super) fn typed_into_overlay(&mut self, action: Action, (key, came): (KeyEvent, Instant)) -> bool {
        use frame::Action as F;
        let moves =
            matches!(F::of(action), Some(F::NextPane | F::PreviousPane | F::ScrollUp | F::ScrollDown));
        let ctx = ctx!(self, came);
        let top = self.overlays.last();
        let answers = Chord::of(key).letter().is_some_and(|c| top.is_some_and(|top| top.answers(c, &ctx)));
        (moves || answers) && self.type_into_overlay(key, came)
    }

    /// Gives a key to the topmost overlay. False when it means nothing there.
    pub(super) fn type_into_overlay(&mut self, key: KeyEvent, came: Instant) -> bool {
        let ctx = ctx!(self, came);
        let outcome = self.overlays.last_mut().and_then(|overlay| overlay.key(key, &ctx));
        let taken = outcome.is_some();
        self.carry_out(outcome.unwrap_or_default(), came);
        if let Some(line) = self.overlays.last().and_then(|top| top.readable().map(str::to_owned)) {
            self.handed_above(&line, self.keying.written, came);
        }
        taken
    }

    /// An action chosen by name: its pane gets the keys first.
    pub(super) fn run(&mut self, action: Action, came: Instant) {
        if let Some(kind) = PANES.iter().find(|kind| kind.id.0 == action.table) {
            self.go(Focus::Pane(kind.id));
        } else if action.table == composer::Action::TABLE {
            self.go(Focus::Composer);
        }
        self.act(action, came);
    }

    /// Does what a binding means.
    pub(super) fn act(&mut self, action: Action, came: Instant) {
        if let Some(action) = frame::Action::of(action) {
            return self.frame(action, came);
        }
        if let Some(action) = composer::Action::of(action) {
            return self.write(action, came);
        }
        if let Some(kind) = OVERLAYS.iter().find(|kind| kind.action() == action) {
            return self.open(kind, came);
        }
        if let Some(kind) = PANES.iter().find(|kind| kind.toggle() == action) {
            return self.toggle(kind.id, came);
        }
        if action.entry == BACK {
            return self.back(came);
        }
        if PANES.iter().any(|kind| kind.id.0 == action.table) {
            return self.act_in(PaneId(action.table), action, came);
        }
        let ctx = ctx!(self, came);
        let top = self.overlays.last_mut().filter(|overlay| overlay.name() == action.table);
        let outcome = top.map(|overlay| overlay.act(action, &ctx));
        self.carry_out(outcome.unwrap_or_default(), came);
    }

    /// Does it in that pane.
    pub(super) fn act_in(&mut self, id: PaneId, action: Action, came: Instant) {
        let ctx = ctx!(self, came);
        let outcome = self.panes.get_mut(id).map(|pane| pane.act(action, &ctx));
        self.carry_out(outcome.unwrap_or_default(), came);
    }

    /// Does it in the composer.
    fn write(&mut self, action: composer::Action, came: Instant) {
        if action == composer::Action::Send && self.keeps_back(came) {
            return;
        }
        if action == composer::Action::Send && self.enter() == Enter::TakeOver {
            return self.outbox.send(Request::TakeOver);
        }
        let queues = self.world.state().is_executing();
        if action == composer::Action::Queue && !queues && self.composer.is_writing() {
            return self.say("Tab queues while a plan is made or runs; Enter sends it now");
        }
        if action == composer::Action::End && self.composer.draft.is_empty() {
            return self.panes.sent();
        }
        if action == composer::Action::Right && self.change_at_hand(came) {
            return;
        }
        let wish = self.composer.act(action);
        self.compose(wish, came);
    }

    /// Opens an overlay by its kind, unless it is on top already.
    pub(super) fn open(&mut self, kind: &OverlayKind, now: Instant) {
        if self.overlays.last().is_some_and(|overlay| overlay.name() == kind.entry.name) {
            return;
        }
        match (kind.open)(&self.ctx(now)) {
            Ok(overlay) => {
                let asks = overlay.asks();
                self.open_overlay(overlay);
                for ask in asks {
                    self.ask(ask);
                }
            }
            Err(why) => self.say(why),
        }
    }

    /// The overlay that a key came from goes, or all of them do; what lies below it takes what was asked for it.
    fn close_for(&mut self, outcome: &Outcome, came: Instant) {
        if outcome.close {
            self.overlays.pop();
        }
        if let (Some(line), Some(overlay)) = (&outcome.below, self.overlays.last_mut()) {
            overlay.typed(line.clone());
        }
        if outcome.leave {
            self.leave_overlays(came);
        }
    }

    /// Carries out what a key led to.
    pub(super) fn carry_out(&mut self, outcome: Outcome, came: Instant) {
        let listed = !self.overlays.is_empty();
        self.close_for(&outcome, came);
        for input in outcome.inputs {
            self.input(input);
        }
        if let Some((question, answer)) = outcome.answer {
            self.answer_read(question, answer, listed, came);
        }
        self.outbox.window.extend(outcome.window);
        if let Some(focus) = outcome.focus {
            self.go(focus);
        }
        if let Some(overlay) = outcome.open {
            self.open_overlay(overlay);
        }
        for ask in outcome.asks {
            let number = self.ask(ask);
            if let Some(overlay) = self.overlays.last_mut() {
                overlay.asked(number);
            }
        }
        if let Some(call) = outcome.call {
            self.begin_with_call(&call);
        }
        if let Some(id) = outcome.change_command {
            self.edit_command(id, came);
        }
        if let Some(text) = outcome.copy {
            self.outbox.wish(AppCommand::Copy(text));
        }
        if let Some(handout) = outcome.edit.filter(|_| !self.world.surroundings.read_only) {
            let what = self.panes.focused().map_or(Editing::Draft, |(id, _)| Editing::Pane(id));
            self.edit(what, handout);
        }
        if let Some(wanted) = outcome.place {
            self.show_place(&wanted, came);
        }
        if let Some(turn) = outcome.turn {
            self.show_turn(turn);
        }
        if let Some(theme) = outcome.theme {
            self.take_theme(&theme);
        }
        outcome.themes.then(|| self.choose_theme());
        outcome.look.then(|| self.look_again());
        outcome.kept.into_iter().for_each(|text| self.keep_written(&text));
        if let Some(notice) = outcome.notice {
            self.say(notice);
        }
        if let Some(complaint) = outcome.complaint {
            self.warn(complaint);
        }
        self.collect_asks();
        if let Some(action) = outcome.run {
            self.run(action, came);
        }
        if let Some((id, line)) = outcome.line {
            self.hand_line(id, line, came);
        }
    }

    /// Gives a pane the line that was typed for it.
    fn hand_line(&mut self, id: PaneId, line: String, came: Instant) {
        let ctx = ctx!(self, came);
        let outcome = self.panes.get_mut(id).map(|pane| pane.typed(line, &ctx));
        self.carry_out(outcome.unwrap_or_default(), came);
    }

    /// What was written and goes nowhere is not lost.
    fn keep_written(&mut self, text: &str) {
        self.composer.keep(text);
        self.say("what you typed there is in the history; Up brings it back");
    }

    /// Puts a call before what is being written.
    fn begin_with_call(&mut self, call: &str) {
        let text = format!("{call}{}", self.composer.draft.saved().whole());
        self.composer.rewrite(&text);
        self.go(Focus::Composer);
    }

    /// Shows a line of a file: in the pane that has it, else in the editor.
    fn show_place(&mut self, wanted: &Wanted, came: Instant) {
        let ctx = ctx!(self, came);
        let shows = self
            .panes
            .all()
            .find_map(|(n, pane)| (!wanted.editor && pane.show_place(&wanted.place, &ctx)).then_some(n));
        let id = shows.and_then(|n| self.panes.iter().find(|(at, ..)| *at == n)).map(|(_, id, _)| id);
        match id {
            Some(id) => self.go(Focus::Pane(id)),
            None if self.world.surroundings.read_only => {}
            None => self.outbox.wish(AppCommand::Open(wanted.place.clone())),
        }
    }

    /// Shows a message, in the pane that has those.
    fn show_turn(&mut self, turn: TurnId) {
        let shows = self.panes.all().find_map(|(n, pane)| pane.show_turn(turn).then_some(n));
        let id = shows.and_then(|n| self.panes.iter().find(|(at, ..)| *at == n)).map(|(_, id, _)| id);
        if let Some(id) = id {
            self.go(Focus::Pane(id));
        }
    }

    /// Answers a question that was read in the list, or else in the bar: a yes where that leaves out words of it shows all
    /// of it instead.
    pub(super) fn answer_read(
        &mut self,
        checkpoint: CheckpointId,
        answer: Answer,
        listed: bool,
        came: Instant,
    ) {
        let state = self.world.state();
        let asked = state.phase_question().filter(|question| question.id == checkpoint);
        let in_bar = !listed && asked.is_some_and(|question| state.spec(question).place != Place::Diff);
        if answer == Answer::Approve && in_bar && self.bar_cuts() && !self.saw_whole(checkpoint) {
            self.open(&approvals::KIND, came);
        } else {
            self.answer(checkpoint, answer, came);
        }
    }

    /// Answers a question; a yes to a plan is none before that and the lines of its gates were on the screen, from wherever
    /// it comes.
    pub(super) fn answer(&mut self, checkpoint: CheckpointId, answer: Answer, came: Instant) {
        if answer == Answer::Approve && !self.stands_drawn(checkpoint) {
            self.notice = None;
            self.leave_overlays(came);
            let kept = self.notice.take();
            self.unseen();
            // Where a text went that was written in what is left now is told as well.
            if let Some((notice, kept)) = self.notice.as_mut().zip(kept) {
                notice.text = format!("{}; {}", notice.text, kept.text);
            }
            return;
        }
        let shown = self.world.state().open.get(&checkpoint).and_then(|c| c.kind.shown());
        self.input(Input::Answer { checkpoint, answer, shown });
    }

    fn paste(&mut self, text: &str, came: Instant) {
        self.notice = None;
        let goes_on = self.keying.pasted(came);
        self.settle_keys(came);
        if self.paste_above(text, came) {
            return;
        }
        if self.stray.holds() {
            // They are the beginning of the line that is pasted into.
            self.begin_draft(None, came);
        }
        if self.paste_above(text, came) || self.begins_above(text, Written::Pasted, came) {
            return;
        }
        self.leave_overlays(came);
        self.go(Focus::Composer);
        let wish = self.composer.paste(text, goes_on);
        self.compose(wish, came);
    }

    /// Pastes into a line that something over the body asks for; whether one does.
    fn paste_above(&mut self, text: &str, came: Instant) -> bool {
        let ctx = ctx!(self, came);
        let asks = |top: &&mut Box<dyn Overlay>| top.weighs(' ', None, &ctx).is_none();
        let Some(top) = self.overlays.last_mut().filter(asks) else { return false };
        let hidden = top.hidden();
        if !hidden && self.handed_above(text, Written::Pasted, came) {
            return true;
        }
        self.overlays.last_mut().map(|top| top.paste(text)).is_some()
    }
}
