//! A goal's command in the composer: when it stands there, when it goes, what Enter does with it.
//!
//! Owns what was put aside and what was sent. The line and the draft behind it are the composer's.

use std::time::Instant;

use pilothouse_core::{
    checkpoint::Answer,
    ids::{CallId, CheckpointId},
    session::{LaneKind, State},
    shell::Risk,
};

use super::App;
use crate::{ctx::TOO_EARLY, overlay::Prompt, pane::Focus, standing::Standing};

/// What is known of the command in the composer.
#[derive(Debug, Default)]
pub(super) struct Offering {
    /// Since when it stands there whole.
    drawn: Standing<CheckpointId>,
    /// Whether all of it fits the composer.
    whole: bool,
    /// One that the user put aside: it waits in the list.
    aside: Option<CheckpointId>,
    /// One that was answered, until the session has heard of it.
    sent: Option<CheckpointId>,
    /// A call whose changed line wants its word next.
    rising: Option<CallId>,
}

impl Offering {
    /// What was drawn of it counts as not seen.
    pub(super) fn covered(&mut self) {
        self.drawn = Standing::default();
    }
}

impl App {
    /// Puts the command that waits into the empty composer, and takes away one that waits no more.
    pub(super) fn settle_offer(&mut self) {
        let state = self.world.state();
        if let Some(gone) = self.composer.offered().map(|o| o.question)
            && !state.open.contains_key(&gone)
        {
            self.composer.withdraw();
        }
        let Some((id, call, line, risk)) = goal_command(state) else { return };
        let rises = self.offering.rising.is_some_and(|c| c == call) && self.offering.sent != Some(id);
        let free = self.composer.offered().is_none() && self.composer.draft.is_empty();
        let wanted = self.offering.aside != Some(id) && self.composer.popup.is_none();
        if !(free && wanted) || self.world.surroundings.read_only {
            return;
        }
        if !self.composer.offer(id, &line, rises) {
            self.offering.aside = Some(id);
            return;
        }
        if rises && risk == Risk::High {
            self.offering.rising = None;
            self.ask_word(id);
        }
    }

    /// Whether all of the command can be seen where it stands.
    pub(super) fn settle_offer_size(&mut self, whole: bool) {
        self.offering.whole = whole;
    }

    pub(super) fn drew_offer(&mut self, now: Instant) {
        let seen = self.composer.offered().map(|o| o.question);
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

    /// A key that came while the command had not stood long enough was meant for the draft.
    pub(super) fn yield_to_draft(&mut self) {
        let Some(offered) = self.composer.offered() else { return };
        if !offered.by_hand && !self.keying.pressed.came_after(&self.offering.drawn, &offered.question) {
            self.put_aside();
        }
    }

    /// Gives the draft back; the command waits in the list. False when there is none.
    pub(super) fn put_aside(&mut self) -> bool {
        let aside = self.composer.withdraw();
        self.offering.aside = aside.or(self.offering.aside);
        aside.is_some()
    }

    /// The user wants to change a command that waits.
    pub(super) fn edit_command(&mut self, id: CheckpointId) {
        let item = self.world.state().open.get(&id);
        let Some(waits) = item.and_then(|c| c.kind.command()) else {
            return self.say("only a command can be changed");
        };
        if waits.gate.is_some() {
            return self.say("a gate runs as the plan has it; deny it, or change the plan");
        }
        if !self.composer.offer(id, &waits.command, true) {
            return self.complain("it holds characters that cannot be typed; deny it, with the reason");
        }
        self.overlays.clear();
        self.go(Focus::Composer);
    }

    /// Enter on the command: it runs as it stands, is skipped when it is empty, or wants its word.
    pub(super) fn submit(&mut self, id: CheckpointId, text: String) {
        if self.offering.sent == Some(id) {
            return;
        }
        if !self.stood(&self.offering.drawn, &id) {
            let why = if self.offering.whole { TOO_EARLY } else { TOO_SMALL };
            return self.complain(why);
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
        self.answer(id, Answer::Line(text));
    }

    /// Asks for the word that lets a command run, with the command itself.
    fn ask_word(&mut self, id: CheckpointId) {
        let item = self.world.state().open.get(&id);
        let asked = item.and_then(|c| c.kind.command()).and_then(|c| Some((c.command.clone(), c.word()?)));
        if let Some((command, word)) = asked {
            self.open_overlay(Box::new(Prompt::word(id, &command, word)));
        }
    }
}

const TOO_SMALL: &str = "the screen is too small to show the whole command; the list shows it";

/// The command of a goal that waits for the user: the question, the call, the line, the risk.
fn goal_command(state: &State) -> Option<(CheckpointId, CallId, String, Risk)> {
    state.open.values().find_map(|c| {
        let waits = c.kind.command()?;
        let (lane, _) = state.open_call(waits.call)?;
        (lane.kind == LaneKind::Goal).then(|| (c.id, waits.call, waits.command.clone(), waits.risk))
    })
}
