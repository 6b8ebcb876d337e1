//! What Enter does where the keys are now: worked out once, done and named from that.
//!
//! Owns the order and the words for it. Bar, placeholder and hints ask here, so that none of them names something else.

use std::time::Instant;

use pilothouse_core::{
    ids::CheckpointId,
    input::Input,
    question::{Choice, Place, Spec},
    session::State,
};

use super::App;
use crate::{
    bar,
    ctx::only_reads,
    overlay::approvals,
    pane::{Focus, diff},
    preview::Preview,
    window::RunRow,
};

/// What Enter does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enter {
    /// What the pane or the overlay with the keys has for it.
    Pane,
    /// What the list above the composer has for it.
    List,
    /// Hands in the line that is being changed.
    Line,
    /// Sends the draft.
    Send,
    /// Runs the command in the bar, or asks for its word first.
    Command,
    /// Sets the rejected plan aside.
    Shelve,
    /// Gives the answer that the question in the bar has for it.
    Answer(CheckpointId),
    /// Brings what the question in the bar is about to the screen.
    Show,
    /// Opens what waits.
    Open(Place),
    /// Takes the session over that nobody holds any more.
    TakeOver,
    /// Nothing: there is nothing to send.
    Nothing,
}

/// What Enter does in what is drawn, with the words for it: worked out once a frame.
#[derive(Debug)]
pub(super) struct Entered {
    pub(super) enter: Enter,
    /// A verb for the key; `None` where something else says it, or there is nothing to say.
    pub(super) hint: Option<&'static str>,
    /// What stands in the place of a draft; `None` where nothing is asked.
    pub(super) invites: Option<String>,
}

impl Default for Entered {
    fn default() -> Self {
        Self { enter: Enter::Nothing, hint: None, invites: None }
    }
}

impl App {
    /// What Enter does now, and the words for it.
    pub(super) fn entered(&self) -> Entered {
        let enter = self.enter();
        Entered { enter, hint: self.enter_hint(enter), invites: self.enter_invites(enter) }
    }

    /// What Enter does now.
    pub(super) fn enter(&self) -> Enter {
        if self.panes.focus != Focus::Composer || !self.overlays.is_empty() {
            return Enter::Pane;
        }
        if self.composer.popup.is_some() {
            return Enter::List;
        }
        if self.composer.offered().is_some() {
            return Enter::Line;
        }
        if self.world.surroundings.free {
            return Enter::TakeOver;
        }
        if self.composer.draft.is_blank() { self.empty_enter() } else { Enter::Send }
    }

    /// What it does on an empty line.
    pub(super) fn empty_enter(&self) -> Enter {
        if self.world.surroundings.read_only {
            return Enter::Nothing;
        }
        if self.at_hand().is_some() {
            return Enter::Command;
        }
        if self.guiding() {
            return Enter::Shelve;
        }
        let state = self.world.state();
        if let Some(question) = state.phase_question() {
            return match state.spec(question).default_answer() {
                None => Enter::Nothing,
                Some(_) if self.stands_drawn(question.id) => Enter::Answer(question.id),
                Some(_) => Enter::Show,
            };
        }
        self.what_waits().map_or(Enter::Nothing, Enter::Open)
    }

    /// Does what Enter does on an empty line.
    pub(super) fn enter_empty(&mut self, now: Instant) {
        match self.empty_enter() {
            Enter::Command => self.submit_at_hand(now),
            Enter::Shelve => self.input(Input::say("")),
            Enter::Answer(id) if self.stood(&self.asked, &id) => {
                let state = self.world.state();
                let answer = state.open.get(&id).and_then(|q| state.spec(q).default_answer());
                if let Some(answer) = answer {
                    self.answer_read(id, answer, false, now);
                }
            }
            Enter::Show => {
                self.panes.sent();
                self.say("the plan was not on the screen; read it (PgUp scrolls up), then Enter approves it");
            }
            Enter::Open(Place::Diff) => self.go(Focus::Pane(diff::ID)),
            Enter::Open(Place::List | Place::Composer) => self.open(&approvals::KIND, now),
            Enter::Answer(_)
            | Enter::Pane
            | Enter::List
            | Enter::Line
            | Enter::Send
            | Enter::TakeOver
            | Enter::Nothing => {}
        }
    }

    /// Where an empty Enter finds what the bar names: a change in the diff, all else in the list; nowhere while it is found
    /// out what a command would run, since it means something else right after.
    fn what_waits(&self) -> Option<Place> {
        let state = self.world.state();
        let Some(named) = bar::shown(state).and_then(|id| state.open.get(&id)) else {
            let waits = !state.open.is_empty() || self.runs.iter().any(RunRow::waits_elsewhere);
            return waits.then_some(Place::List);
        };
        let found_out = named.kind.command().is_none_or(|command| command.meant.is_some());
        found_out.then(|| if state.spec(named).place == Place::Diff { Place::Diff } else { Place::List })
    }

    /// What Enter does, as a verb for the key; `None` where something else says it, or there is nothing to say.
    fn enter_hint(&self, enter: Enter) -> Option<&'static str> {
        match enter {
            Enter::Answer(id) => {
                let state = self.world.state();
                state.open.get(&id).and_then(|q| state.spec(q).default_choice().map(|c| c.verb))
            }
            Enter::Send if self.world.surroundings.read_only => None,
            Enter::Send if matches!(self.previewed.2, Some(Preview::Refused(_))) => None,
            Enter::Send => Some("sends"),
            Enter::Shelve => Some("sets the plan aside"),
            Enter::TakeOver => Some("takes the session over"),
            Enter::Show => Some("shows the plan"),
            Enter::Open(Place::Diff) => Some("reviews"),
            Enter::Open(Place::List | Place::Composer) => Some("opens what waits"),
            Enter::Pane | Enter::List | Enter::Line | Enter::Command | Enter::Nothing => None,
        }
    }

    /// What Enter does and what can be written instead, in the place of a draft; `None` where nothing is asked.
    fn enter_invites(&self, enter: Enter) -> Option<String> {
        if let Some(why) = only_reads(&self.world.surroundings) {
            let there = self.world.surroundings.free && enter == Enter::Pane;
            return Some(if there { why.replace("Enter", "Esc, then Enter") } else { why.to_owned() });
        }
        let state = self.world.state();
        let question = state.phase_question().map(|q| state.spec(q));
        let said = match (enter, question) {
            (Enter::Command, _) => match self.at_hand() {
                _ if !self.offer_is_whole() => "type a message; the list shows the whole command",
                // The line below names the key.
                Some(_) | None => "Answer the command above, or type a message",
            },
            (Enter::Shelve, _) => "Say what to change, or Enter sets the plan aside",
            (Enter::Answer(_), Some(spec)) => return invites(&spec),
            (Enter::Show, _) => "Enter shows the plan, or describe a change",
            (_, Some(spec)) if spec.free && spec.options.is_empty() => "Answer in your own words",
            (_, Some(spec)) if spec.free => "Answer by a number above or in your own words",
            (_, Some(spec)) => {
                let keys: Vec<&str> = spec.choices.iter().map(|c| c.key).filter(|k| !k.is_empty()).collect();
                let (last, before) = keys.split_last()?;
                let or = if before.is_empty() { String::new() } else { format!("{} or ", before.join(", ")) };
                return Some(format!("{or}{last}, as above; or say something else"));
            }
            // While something runs, what is typed steers it; the line below names the key.
            (Enter::Open(_), None) if state.busy() => return None,
            (Enter::Open(Place::Diff), None) => "Enter reviews the changes, or type a message",
            (Enter::Open(_), None) => "Enter opens what is waiting, or type a message",
            (_, None) => return None,
        };
        Some(said.to_owned())
    }
}

/// Whether a line is a key of the question that words answer, or a number where it has numbers: pressed rather than written.
pub(super) fn is_key(line: &str, state: &State) -> bool {
    let line = line.trim_end_matches('.');
    let number = !line.is_empty() && line.chars().all(|c| c.is_ascii_digit());
    let is = |c: &Choice| [c.key, c.label].contains(&line) || number && c.has_key('1');
    state.phase_question().is_some_and(|question| question.kind.choices().iter().any(is))
}

/// What Enter does to a question, what the other keys that are named do, and that something else can be said.
fn invites(spec: &Spec) -> Option<String> {
    let taken = spec.default_choice()?;
    let others = spec.choices.iter().filter(|c| !c.verb.is_empty() && c.key != taken.key);
    let others: Vec<String> = others.map(|c| format!("{} {}", c.key, c.verb)).collect();
    Some(if others.is_empty() {
        format!("Enter {} the {}, or describe a change", taken.verb, spec.tag)
    } else {
        format!("Enter {}, {}; or say what to change", taken.verb, others.join(", "))
    })
}
