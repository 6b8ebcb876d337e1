//! The command that waits in the bar, and in the composer once it is to be changed: when it stands there, when it
//! goes, what Enter does with it.
//!
//! Owns what was put aside and what was sent. What is typed begins a draft; a line that is being changed and
//! the draft behind it are the composer's.

use std::time::Instant;

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint},
    ids::{CallId, CheckpointId},
    question::CommandQuestion,
    session::{LaneKind, State},
    shell::Risk,
};

use super::App;
use crate::{
    bar,
    composer::{Withdrawn, is_typable},
    ctx::TOO_EARLY,
    overlay::Prompt,
    pane::Focus,
    standing::Standing,
};

/// What is known of the command in the composer.
#[derive(Debug, Default)]
pub(super) struct Offering {
    /// The one in the bar, which Enter runs while nothing is written.
    at_hand: Option<CheckpointId>,
    /// Since when it stands there whole.
    drawn: Standing<CheckpointId>,
    /// Whether all of it fits where it stands.
    whole: bool,
    /// One that the user put aside: it waits in the list.
    aside: Option<CheckpointId>,
    /// One that was answered, until the session has heard of it.
    sent: Option<CheckpointId>,
    /// A call whose changed line wants its word next.
    rising: Option<CallId>,
}

impl Offering {
    /// The one in the bar.
    pub(super) const fn at_hand(&self) -> Option<CheckpointId> {
        self.at_hand
    }

    /// What was drawn of it counts as not seen.
    pub(super) fn covered(&mut self) {
        self.drawn = Standing::default();
    }
}

impl App {
    /// Puts the command that waits at hand while nothing is written, and takes away one that waits no more.
    pub(super) fn settle_offer(&mut self) {
        self.offering.at_hand = None;
        let gone = self.composer.offered().map(|o| o.question);
        if gone.is_some_and(|id| !self.world.state().open.contains_key(&id))
            && let Some(withdrawn) = self.composer.withdraw()
            && self.offering.sent != Some(withdrawn.question)
        {
            self.tell_kept(withdrawn, "it is no longer being asked");
        }
        let state = self.world.state();
        let Some((id, call, line, word)) = waiting_command(state) else { return };
        let rises = self.offering.rising.is_some_and(|c| c == call) && self.offering.sent != Some(id);
        let free = self.composer.offered().is_none() && self.composer.draft.is_empty();
        let wanted = self.offering.aside != Some(id) && self.composer.popup.is_none();
        let other = state.phase_question().is_some() || self.world.surroundings.read_only;
        if !(free && wanted) || other {
            return;
        }
        // What a line cannot show as it is waits in the list.
        if !rises {
            self.offering.at_hand = is_typable(&line).then_some(id);
        } else if self.composer.offer(id, &line, true) && word {
            self.offering.rising = None;
            self.ask_word(id);
        }
    }

    /// The command in the bar.
    pub(super) fn at_hand(&self) -> Option<&CommandQuestion> {
        let id = self.offering.at_hand?;
        self.world.state().open.get(&id)?.kind.command()
    }

    /// Enter on an empty line: the command in the bar runs.
    pub(super) fn submit_at_hand(&mut self, came: Instant) {
        let line = self.at_hand().map(|waits| waits.command.clone());
        if let Some((id, line)) = self.offering.at_hand.zip(line) {
            self.submit(id, line, came);
        }
    }

    /// The command in the bar goes into the composer, to be changed. False when none stands there.
    pub(super) fn change_at_hand(&mut self, came: Instant) -> bool {
        let at_hand = self.offering.at_hand.filter(|_| self.composer.draft.is_empty());
        at_hand.inspect(|id| self.edit_command(*id, came)).is_some()
    }

    /// Whether all of the command can be seen where it stands.
    pub(super) fn settle_offer_size(&mut self, whole: bool) {
        self.offering.whole = whole;
    }

    pub(super) fn drew_offer(&mut self, now: Instant) {
        let seen = self.composer.offered().map(|o| o.question).or(self.offering.at_hand);
        let seen = seen.filter(|_| self.offering.whole && self.overlays.is_empty());
        self.offering.drawn.drew(seen, now);
    }

    /// Whether all of the command is on the screen.
    pub(super) fn offer_is_whole(&self) -> bool {
        self.offering.whole
    }

    /// What was sent came back refused: it can be sent again.
    pub(super) fn offer_refused(&mut self) {
        (self.offering.sent, self.offering.rising) = (None, None);
    }

    /// Gives the draft back; the command waits in the list. False when there is none.
    pub(super) fn put_aside(&mut self) -> bool {
        let withdrawn = self.composer.withdraw();
        let aside = withdrawn.map(|w| w.question).or(self.offering.at_hand.take());
        self.offering.aside = aside.or(self.offering.aside);
        match withdrawn {
            Some(withdrawn) if withdrawn.kept => self.tell_kept(withdrawn, WAITS),
            Some(_) | None if aside.is_some() => self.say(WAITS),
            Some(_) | None => {}
        }
        aside.is_some()
    }

    /// Says where a changed line is that stands there no more.
    fn tell_kept(&mut self, withdrawn: Withdrawn, why: &str) {
        if withdrawn.kept {
            self.say(format!("{why}. Up brings back your edit"));
        }
    }

    /// The user wants to change a command that waits.
    pub(super) fn edit_command(&mut self, id: CheckpointId, came: Instant) {
        let item = self.world.state().open.get(&id);
        if item.and_then(|c| c.kind.command()).is_some_and(|c| c.gate.is_some()) {
            return self.say("a gate runs as written in the plan; deny it, or change the plan");
        }
        let Some(line) = item.and_then(|c| c.kind.line()) else {
            return self.say("only a command or a message can be edited");
        };
        let is_command = item.is_some_and(|c| c.kind.command().is_some());
        let line = line.to_owned();
        if !is_typable(&line) {
            return self.warn("it contains characters that cannot be typed; deny it, with a reason");
        }
        let before = self.composer.withdraw();
        self.composer.offer(id, &line, is_command);
        self.leave_overlays(came);
        self.go(Focus::Composer);
        if let Some(before) = before {
            self.tell_kept(before, "there is another question here now");
        }
    }

    /// Enter on the command: it runs as it stands, is skipped when it is empty, or wants its word.
    pub(super) fn submit(&mut self, id: CheckpointId, text: String, came: Instant) {
        if self.offering.sent == Some(id) {
            return;
        }
        let message = self.message_of(id).is_some();
        // A long message is read in the list; where it is typed it scrolls.
        if !self.stood(&self.offering.drawn, &id) && !message {
            let why = if self.offering.whole { TOO_EARLY } else { TOO_SMALL };
            return self.warn(why);
        }
        if message {
            self.offering.sent = Some(id);
            return self.answer(id, Answer::Line(text), came);
        }
        let item = self.world.state().open.get(&id);
        let Some(waits) = item.and_then(|c| c.kind.command()) else { return };
        let (call, folder) = (waits.call, waits.folder.clone());
        if text.trim() == waits.command && waits.word().is_some() {
            return self.ask_word(id);
        }
        let verdict = self.world.session.policy().verdict(text.trim(), &folder);
        let rises = !text.trim().is_empty() && verdict.risk == Risk::High;
        self.offering.rising = rises.then_some(call);
        self.offering.sent = Some(id);
        self.answer(id, Answer::Line(text), came);
    }

    /// The message that a question is about and that is typed in the composer, if it is about one.
    pub(super) fn message_of(&self, id: CheckpointId) -> Option<&str> {
        let kind = &self.world.state().open.get(&id)?.kind;
        kind.line().filter(|_| kind.command().is_none())
    }

    /// Whether what stands in the composer is such a message.
    pub(super) fn offers_message(&self) -> bool {
        self.composer.offered().is_some_and(|o| self.message_of(o.question).is_some())
    }

    /// Asks for the word that lets a command run, with the command itself.
    fn ask_word(&mut self, id: CheckpointId) {
        let state = self.world.state();
        let spec = state.open.get(&id).filter(|c| c.kind.command().is_some()).map(|c| state.spec(c));
        if let Some((spec, word)) = spec.and_then(|spec| spec.wants_word().map(|word| (spec, word))) {
            self.open_overlay(Box::new(Prompt::word(id, &spec, word)));
        }
    }
}

/// Told of what was put aside.
const WAITS: &str = "postponed; it is waiting in the list";
const TOO_SMALL: &str = "the screen is too small to show the whole command; the list shows it";

/// The command that waits for the user, a goal's before that of a plan's run: the question, the call, the line, whether it
/// wants a word. Before it was looked at what it would run, nothing can be answered; and one that goes by the question about
/// the folder waits behind it.
fn waiting_command(state: &State) -> Option<(CheckpointId, CallId, String, bool)> {
    let of_goal = |c: &Checkpoint| {
        let lane = c.kind.call().and_then(|call| state.open_call(call)).map(|(lane, _)| lane.kind);
        lane == Some(LaneKind::Goal)
    };
    let shown = || bar::shown(state).and_then(|id| state.open.get(&id));
    let asked = state.open.values().find(|c| c.kind.command().is_some() && of_goal(c)).or_else(shown)?;
    let waits = asked.kind.command().filter(|waits| waits.meant.is_some() && !waits.withheld)?;
    // A gate is no line of an agent's: it runs as the plan has it, or is left out.
    if waits.gate.is_some() {
        return None;
    }
    state.open_call(waits.call)?;
    Some((asked.id, waits.call, waits.command.clone(), waits.word().is_some()))
}
