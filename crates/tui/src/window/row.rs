//! One row of the list of runs: a session of this window, one elsewhere, or a worktree without any.
//!
//! Owns what is known of it and the marks. Never draws.

use std::{path::Path, time::Instant};

use pilothouse_core::runs::{RunInfo, RunStatus, Worktree};

use super::Number;
use crate::{
    app::App,
    theme::{Glyphs, Slot},
};

/// Where a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Berth {
    /// Shown now.
    Shown(Number),
    /// In this window, behind the one that is shown.
    Behind(Number),
    /// Held by no window, or by another.
    Elsewhere,
    /// There is none: a worktree alone.
    Empty,
}

/// Which row it is, wherever it stands in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowKey {
    /// A session of this window.
    Here(Number),
    /// A session that this window does not show.
    Session(String),
    /// A worktree alone.
    Worktree(Option<String>),
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// What the session says of itself; its status as it is now.
    pub info: RunInfo,
    /// Where it is.
    pub berth: Berth,
    /// The worktree in which it works.
    pub worktree: Option<String>,
    /// How long it has been quiet, in milliseconds.
    pub quiet: u64,
    /// Why it is only read here, if it is one of this window that another one holds, or held.
    pub follows: Option<&'static str>,
}

impl RunRow {
    pub(super) fn of_app(app: &App, berth: Berth, worktrees: &[Worktree], now: Instant) -> Self {
        let mut info = app.info().clone();
        let quiet = app.quiet(now);
        info.status = info.status.after(quiet);
        if info.folder.is_empty() {
            app.folder().clone_into(&mut info.folder);
        }
        Self {
            worktree: inside(&info, worktrees),
            info,
            berth,
            quiet,
            follows: app.context(now).only_reads(),
        }
    }

    pub(super) fn elsewhere(info: &RunInfo, worktrees: &[Worktree], now: u64) -> Self {
        let quiet = now.saturating_sub(info.heard.0);
        let worktree = inside(info, worktrees);
        Self { info: info.clone(), berth: Berth::Elsewhere, worktree, quiet, follows: None }
    }

    pub(super) fn of_worktree(worktree: &Worktree) -> Self {
        let info = RunInfo {
            title: worktree.branch.clone(),
            folder: worktree.path.clone(),
            doing: "nothing is running in it".to_owned(),
            ..RunInfo::default()
        };
        Self { info, berth: Berth::Empty, worktree: Some(worktree.name.clone()), quiet: 0, follows: None }
    }

    /// What it is about.
    pub fn title(&self) -> &str {
        if self.info.title.is_empty() { "(nothing said yet)" } else { &self.info.title }
    }

    /// The folder's name.
    pub fn folder(&self) -> &str {
        let name = Path::new(&self.info.folder).file_name().and_then(|n| n.to_str());
        name.unwrap_or(&self.info.folder)
    }

    /// Its number in this window.
    pub const fn number(&self) -> Option<Number> {
        match self.berth {
            Berth::Shown(n) | Berth::Behind(n) => Some(n),
            Berth::Elsewhere | Berth::Empty => None,
        }
    }

    /// Which row it is.
    pub fn key(&self) -> RowKey {
        match self.berth {
            Berth::Shown(n) | Berth::Behind(n) => RowKey::Here(n),
            Berth::Elsewhere => RowKey::Session(self.info.session.clone()),
            Berth::Empty => RowKey::Worktree(self.worktree.clone()),
        }
    }

    /// Whether it is a session of this window.
    pub const fn is_of_window(&self) -> bool {
        self.number().is_some()
    }

    /// Whether it is a session that nobody works on and that can be gone on with: unfinished, or come to rest.
    pub fn was_left(&self) -> bool {
        self.berth == Berth::Elsewhere && self.info.pid.is_none()
    }

    /// Whether it is a session of before, that came to rest.
    pub fn is_earlier(&self) -> bool {
        self.was_left() && !self.info.status.is_left()
    }

    /// Whether it is behind the one that is shown.
    pub const fn is_behind(&self) -> bool {
        matches!(self.berth, Berth::Behind(_))
    }

    /// Whether it is a session of this window that no other one holds.
    pub const fn is_held_here(&self) -> bool {
        self.is_of_window() && self.follows.is_none()
    }

    /// Whether something of it works that this window would stop.
    pub fn works_here(&self) -> bool {
        self.is_held_here() && self.info.status.works()
    }

    /// Whether leaving would stop something of it, or leave a question of it open.
    pub fn is_alive(&self) -> bool {
        self.works_here() || self.waits() || self.is_held_here() && !self.info.stake.is_empty()
    }

    /// Whether the window may not go for it without a question.
    pub fn holds_the_window(&self) -> bool {
        self.is_behind() && self.is_alive()
    }

    /// Whether a question of it waits that the session shown now does not show.
    pub fn waits_elsewhere(&self) -> bool {
        self.is_behind() && self.waits()
    }

    /// Whether a question of it waits for the user of this window.
    pub fn waits(&self) -> bool {
        self.is_held_here() && self.info.waiting > 0
    }

    /// Whether it was left before anything was said in it: there is nothing to go back to.
    pub fn is_nothing(&self) -> bool {
        let left = matches!(self.berth, Berth::Behind(_) | Berth::Elsewhere);
        let rests = self.info.status == RunStatus::Idle && self.info.waiting == 0 && self.info.pid.is_none();
        left && rests && self.info.title.is_empty() && !self.is_alive()
    }

    /// Its mark and the mark's colour.
    pub fn mark(&self, glyphs: &Glyphs) -> (&'static str, Slot) {
        if self.asks() { mark(RunStatus::Waiting, glyphs) } else { mark(self.info.status, glyphs) }
    }

    /// How it stands, in a word.
    pub fn word(&self) -> &'static str {
        match self.berth {
            Berth::Empty => "worktree",
            Berth::Shown(_) | Berth::Behind(_) | Berth::Elsewhere if self.asks() => "asks you",
            Berth::Shown(_) | Berth::Behind(_) | Berth::Elsewhere => self.info.status.name(),
        }
    }

    /// Whether it is behind the one that is shown and its answer ended in a question.
    fn asks(&self) -> bool {
        self.is_behind() && self.info.status == RunStatus::Done && self.info.asks.is_some()
    }
}

fn inside(info: &RunInfo, worktrees: &[Worktree]) -> Option<String> {
    let found = worktrees.iter().find(|w| Path::new(&info.folder).starts_with(&w.path));
    found.map(|w| w.name.clone())
}

/// The mark of a status and its colour.
pub fn mark(status: RunStatus, glyphs: &Glyphs) -> (&'static str, Slot) {
    match status {
        RunStatus::Idle => (glyphs.pending, Slot::Faint),
        RunStatus::Thinking => (glyphs.active, Slot::Ok),
        RunStatus::Tool => (glyphs.inner, Slot::Ok),
        RunStatus::Waiting => (glyphs.waits, Slot::Warn),
        RunStatus::Stalled => (glyphs.stalled, Slot::Warn),
        RunStatus::Done => (glyphs.done, Slot::OkDim),
        RunStatus::Failed | RunStatus::Orphaned => (glyphs.failed, Slot::Bad),
        RunStatus::Stopped | RunStatus::Ended => (glyphs.skipped, Slot::Soft),
    }
}
