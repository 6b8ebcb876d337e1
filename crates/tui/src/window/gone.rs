//! Worktrees that came to their end, and the sessions that worked in them.
//!
//! Owns what is shown then: a session whose folder is gone makes room for one that stands, and is closed behind it.

use std::{path::Path, time::Instant};

use pilothouse_core::runs::{HostRequest, SessionWish, Worktree, WorktreeEnd};

use super::{Then, Window};
use crate::app::App;

impl Window {
    /// A worktree came to its end, as was said in words.
    pub(super) fn worktree_ended(
        &mut self,
        end: WorktreeEnd,
        worktree: Worktree,
        said: String,
        now: Instant,
    ) {
        self.ending = None;
        self.kept.remove(&worktree.name);
        if end == WorktreeEnd::Merge {
            // How it is taken back is read again in the list of runs.
            self.kept.insert(worktree.name.clone(), said.clone());
        }
        // What git says of a folder may be another for every one of them.
        self.apps().for_each(App::look_again);
        if end == WorktreeEnd::Merge {
            self.front.announce(said);
            return;
        }
        let shown = works_in(&self.front, &worktree);
        self.gone = Some((worktree, said));
        if shown && !self.others.values().any(|app| self.stands(app)) {
            // It is closed once another is there: a window without a session is none.
            let wish = SessionWish { front: true, ..SessionWish::default() };
            self.host.push_back(HostRequest::Open(wish));
            return;
        }
        self.part(now);
    }

    /// Closes what worked in a worktree that is gone, behind a session that works elsewhere.
    pub(super) fn part(&mut self, now: Instant) {
        if self.gone.is_none() {
            return;
        }
        if !self.stands(&self.front) {
            let stands = || self.others.iter().filter(|(_, app)| self.stands(app));
            let waits = stands().find(|(_, app)| app.info().waiting > 0);
            let Some(next) = waits.or_else(|| stands().next()).map(|(number, _)| *number) else { return };
            self.show(next, Then::Draft, now);
        }
        let Some((worktree, said)) = self.gone.take() else { return };
        self.others.values_mut().filter(|app| works_in(app, &worktree)).for_each(App::quit);
        self.front.announce(said);
    }

    /// Whether its folder is there still.
    fn stands(&self, app: &App) -> bool {
        !app.is_leaving() && !self.gone.as_ref().is_some_and(|(worktree, _)| works_in(app, worktree))
    }
}

fn works_in(app: &App, worktree: &Worktree) -> bool {
    let folder = if app.info().folder.is_empty() { app.folder() } else { &app.info().folder };
    Path::new(folder).starts_with(&worktree.path)
}

/// The session that lists leave out once this is done.
pub(super) fn going(request: &HostRequest) -> Option<&str> {
    match request {
        HostRequest::Delete { session, .. } => Some(session),
        HostRequest::Describe { session, change } if change.archived == Some(true) => Some(session),
        HostRequest::Describe { .. } | HostRequest::Open(_) | HostRequest::List | HostRequest::End { .. } => {
            None
        }
    }
}
