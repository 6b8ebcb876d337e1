//! One session among those of its window: how it stands, and what the window has it do.
//!
//! Owns what a window may ask of a screen. Never knows the other sessions.

use std::time::{Duration, Instant};

use pilothouse_core::{
    about::AboutChange,
    clean::Clean,
    input::Input,
    port::{Attention, Request, Update},
    runs::{RunInfo, RunStatus},
};

use super::{App, stray::Stray};
use crate::{
    ctx::Ctx,
    overlay::{Overlay, Told, approvals},
    pane::{Focus, conversation, diff, runs},
    status::{SILENT_FROM, shorten},
    window::{TITLE_CELLS, Then, WindowWish},
};

impl App {
    /// What a list of runs says of it, without how long it was quiet.
    pub(crate) fn info(&self) -> &RunInfo {
        &self.world.info
    }

    /// How long it has been quiet, in milliseconds.
    pub(crate) fn quiet(&self, now: Instant) -> u64 {
        self.world.time(now).0.saturating_sub(self.world.info.heard.0)
    }

    /// How long the model has sent nothing while one is waited for.
    pub(super) fn silent(&self, now: Instant) -> u64 {
        if self.world.info.status == RunStatus::Thinking { self.quiet(now) } else { 0 }
    }

    /// When what is said of that is another.
    pub(crate) fn silence_grows(&self, now: Instant) -> Option<Instant> {
        if self.world.info.status != RunStatus::Thinking {
            return None;
        }
        let served = self.world.waits_for_server(now);
        if served > 0 {
            return Some(now + Duration::from_millis((served - 1) % 1000 + 1));
        }
        let quiet = self.quiet(now);
        let unit = if quiet < 60_000 { 1_000 } else { 60_000 };
        let left = SILENT_FROM.checked_sub(quiet).filter(|left| *left > 0).unwrap_or(unit - quiet % unit);
        Some(now + Duration::from_millis(left))
    }

    /// When it will have been quiet for that long.
    pub(crate) fn quiet_for(&self, ms: u64) -> Option<Instant> {
        self.world.instant(pilothouse_core::ids::Millis(self.world.info.heard.0.saturating_add(ms)))
    }

    /// What surrounds it, in a word: its folder.
    pub(crate) fn folder(&self) -> &str {
        &self.world.surroundings.folder
    }

    /// The next wish for the window.
    pub(crate) fn window_wish(&mut self) -> Option<WindowWish> {
        self.outbox.window.pop_front()
    }

    /// Whether its session is another window's, or was: it is only read here.
    pub(crate) fn only_follows(&self) -> bool {
        self.world.surroundings.read_only
    }

    /// Whether its session was asked to close.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.asked
    }

    /// Whether the list of runs is to be seen.
    pub(crate) fn shows_runs(&self) -> bool {
        self.panes.focus == Focus::Pane(runs::ID)
    }

    /// What was left unfinished: told where nothing is wrong, and the page that greets does not name it already.
    pub(crate) fn mention_left(&mut self, text: impl Into<String>) {
        let greets = self.panes.welcome(self.world.state());
        if !greets && self.notice.as_ref().is_none_or(|notice| !notice.bad) {
            self.announce(text);
        }
    }

    /// Something that was not done, and why: what finds no room in a line is a page of its own.
    pub(crate) fn tell_whole(&mut self, why: String) {
        if crate::row::width(&why) + 5 <= usize::from(self.panes.areas.status.width) {
            return self.complain(why);
        }
        self.lay(Told::new("Not done", &why));
    }

    /// A page that was asked for, in place of one before.
    pub(super) fn page(&mut self, title: &'static str, text: &str) {
        let page = Told::page(title, text);
        if self.overlays.last().is_some_and(|top| top.name() == page.name()) {
            self.overlays.pop();
        }
        self.lay(page);
    }

    /// Says this in its session as soon as that is open: as a task in one that is begun beside another, by whose
    /// classifier it is read.
    pub(crate) fn begin_with(&mut self, text: &str, anew: Option<&Self>) {
        // Of one that is opened again nobody has seen what asks there.
        let seen = pilothouse_core::ids::Seq(if anew.is_some() { u64::MAX } else { 0 });
        let task = anew.map(|beside| crate::preview::as_task(text, &beside.world.session));
        let text = task.unwrap_or_else(|| text.to_owned());
        self.outbox.send(Request::Input(Input::Say { text, seen }));
    }

    /// A message of the user: told to what runs, else said; kept in the history, so that it is there whatever comes of it.
    pub(crate) fn hear(&mut self, text: String) {
        self.composer.keep(&text);
        let seen = self.world.state().seq;
        let runs = self.world.state().is_executing();
        self.input(if runs { Input::Tell(text) } else { Input::Say { text, seen } });
    }

    /// Something that the user says of its session as a whole; nothing that goes on there follows from it.
    pub(crate) fn describe(&mut self, change: AboutChange) {
        self.input(Input::Describe(change));
    }

    /// What others may have changed in its folder is looked at anew.
    pub(crate) fn look_again(&mut self) {
        self.outbox.send(Request::Focused);
    }

    /// The editor that had a file of the workspace has ended: what it wrote is looked at.
    pub(crate) fn came_back(&mut self, opened: std::io::Result<()>) {
        if let Err(error) = opened {
            self.complain(format!("the editor failed: {error}"));
        }
        self.look_again();
    }

    /// Stops what runs in it.
    pub(crate) fn stop(&mut self) {
        self.input(Input::Cancel);
    }

    /// Lays something over the body.
    pub(crate) fn lay(&mut self, overlay: impl Overlay + 'static) {
        self.open_overlay(Box::new(overlay));
    }

    /// Takes how things look, the keys and whether the user looks here from the screen that it replaces.
    pub(crate) fn follow(&mut self, other: &mut Self, now: Instant) {
        other.leave_overlays(now);
        std::mem::swap(&mut self.looks, &mut other.looks);
        std::mem::swap(&mut self.keying, &mut other.keying);
        std::mem::swap(&mut self.watching, &mut other.watching);
        other.stray = Stray::default();
        self.stray = Stray::default();
        other.panes.return_to_draft();
        self.runs = std::mem::take(&mut other.runs);
        self.covered();
    }

    /// Goes where the user wanted to be in it.
    pub(crate) fn arrive(&mut self, then: Then, now: Instant) {
        match then {
            Then::Draft => {}
            Then::Conversation => self.go(Focus::Pane(conversation::ID)),
            Then::Diff => self.go(Focus::Pane(diff::ID)),
            Then::Approvals => self.open(&approvals::KIND, now),
        }
    }

    /// Takes what a driver says while another session is shown; nothing of the terminal is asked for but to tell
    /// the user.
    pub(crate) fn update_behind(&mut self, update: Update, front: &Self, now: Instant) {
        self.watching = front.watching;
        let _ = self.update(update, now);
    }

    /// A session behind this one came to rest: that is told here, and `unheard` says whether nothing was told of it yet.
    pub(crate) fn ends_behind(&mut self, ended: &RunInfo, unheard: bool, now: Instant) {
        if unheard {
            let asks = ended.asks.is_some();
            self.attend(if asks { Attention::Asked } else { Attention::Ended }, now);
        }
        let title = shorten(&Clean::line(&ended.title), TITLE_CELLS);
        let how = match (&ended.asks, ended.status) {
            (Some(question), RunStatus::Done) => format!("asks: {}", Clean::line(question)),
            (_, status) => status.name().to_owned(),
        };
        let key = self.keying.keymap.key(runs::KIND.toggle());
        let key = key.map(|key| format!("; {key} shows it")).unwrap_or_default();
        self.panes.heard_of(self.world.time(now), &format!("beside this: \"{title}\" {how}{key}"));
    }

    pub(crate) fn context(&self, now: Instant) -> Ctx<'_> {
        self.ctx(now)
    }
}
