//! The host: the sessions of one window, each with its own driver, and what a window asks besides.
//!
//! Owns who drives and when all have ended. Never decides and never shows anything.

use std::path::{Path, PathBuf};

use pilothouse_core::{
    port::{Request, Update},
    runs::{ForkUpTo, HostRequest, HostUpdate, SessionWish, WorktreeEnd},
};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinSet,
};

use crate::{
    driver::{Setup, ShutdownReport, Which, drive},
    error::RuntimeError,
    runs,
    sessions::{
        self, Place,
        copies::{self, Target},
        upkeep,
    },
    worktrees,
};

/// A window's end of the line to a session.
pub type Line = (Sender<Request>, Receiver<Update>);
/// The driver's end.
pub type End = (Receiver<Request>, Sender<Update>);

/// Both ends of a line to a session.
pub fn line() -> (Line, End) {
    let (requests, driven) = channel(256);
    let (updates, shown) = channel(1024);
    ((requests, shown), (driven, updates))
}

/// How a session ended.
pub type Ended = Result<ShutdownReport, RuntimeError>;

/// Drives the first session at `first`, and others as the window asks for them, until it asks no more and all
/// have ended. Gives how the first ended, and the others.
pub async fn host(
    setup: Setup,
    first: End,
    mut asked: Receiver<HostRequest>,
    told: Sender<HostUpdate<Line>>,
) -> (Ended, Vec<Ended>) {
    let mut drives = JoinSet::new();
    drives.spawn(one(setup.clone(), first, true));
    let mut ended = Vec::new();
    let host = Host { setup, told };
    loop {
        tokio::select! {
            request = asked.recv() => match request {
                Some(HostRequest::Open(wish)) => {
                    if let Some((setup, end)) = host.open(wish).await {
                        drives.spawn(one(setup, end, false));
                    }
                }
                Some(HostRequest::List) => host.list().await,
                Some(HostRequest::Describe { session, change }) => {
                    let done = change.done();
                    host.tend(session, move |place| upkeep::describe(place, change).map(|_| done)).await;
                }
                Some(HostRequest::Delete { session, heard }) => {
                    host.tend(session, move |place| upkeep::delete(place, Some(heard)).map(|()| "deleted")).await;
                }
                Some(HostRequest::End { end, name, seen }) => host.end(end, &name, seen).await,
                None => break,
            },
            Some(done) = drives.join_next(), if !drives.is_empty() => ended.push(done),
        }
    }
    while let Some(done) = drives.join_next().await {
        ended.push(done);
    }
    let lost = || RuntimeError::Opening("the driver failed; the log file has the details".to_owned());
    let ended = ended.into_iter().map(|done| done.unwrap_or_else(|_| (false, Err(lost()))));
    let (mut first, others): (Vec<_>, Vec<_>) = ended.partition(|(first, _)| *first);
    let first = first.pop().map_or_else(|| Err(lost()), |(_, ended)| ended);
    (first, others.into_iter().map(|(_, ended)| ended).collect())
}

/// Drives one session to its end and says so; `first` is handed back.
pub(crate) async fn one(setup: Setup, (requests, updates): End, first: bool) -> (bool, Ended) {
    let secrets = setup.secrets.clone();
    let ended = drive(setup, requests, updates.clone()).await;
    let message = ended.as_ref().err().map(|e| secrets.mask(&format!("{e}\n{}", e.hint())));
    // The screen may be gone already; then nobody is left to tell.
    drop(updates.send(Update::Closed(message)).await);
    (first, ended)
}

struct Host {
    setup: Setup,
    told: Sender<HostUpdate<Line>>,
}

impl Host {
    async fn tell(&self, update: HostUpdate<Line>) {
        // The window may be gone.
        drop(self.told.send(update).await);
    }

    async fn open(&self, wish: SessionWish) -> Option<(Setup, End)> {
        let session = match (wish.session.clone(), wish.fork) {
            (Some(session), Some(upto)) => Some(self.fork(session, upto).await?),
            (session, _) => session,
        };
        let which = session.map_or(Which::New, Which::Named);
        let mut setup = Setup { which, ..self.setup.clone() };
        // It was picked from a list that says where it works.
        if let Which::Named(name) = &setup.which
            && let Ok(found) = sessions::find(&setup.home, &setup.workspace, name)
        {
            setup.workspace = found.workspace;
        }
        if let Some(name) = &wish.worktree {
            match worktrees::make(&self.setup.workspace, name).await {
                Ok(made) => {
                    setup.workspace = made.folder;
                    if let Some(note) = made.note {
                        self.tell(HostUpdate::Done(format!("{}: {note}", made.worktree.path))).await;
                    }
                }
                Err(why) => {
                    self.tell(HostUpdate::Refused(why)).await;
                    return None;
                }
            }
        }
        let (line, end) = line();
        self.tell(HostUpdate::Opened(line, wish)).await;
        Some((setup, end))
    }

    /// Copies a session, and gives the name of the copy.
    async fn fork(&self, session: String, upto: ForkUpTo) -> Option<String> {
        let (home, workspace, now) =
            (self.setup.home.clone(), self.setup.workspace.clone(), (self.setup.clock)());
        let upto = match upto {
            ForkUpTo::End => None,
            ForkUpTo::Message(number) => Some(number),
        };
        let copied = tokio::task::spawn_blocking(move || {
            let place = sessions::find(&home, &workspace, &session)?;
            copies::fork(&place, upto, Target { home: &home, workspace: &place.workspace, now })
        });
        let why = match copied.await {
            Ok(Ok(copy)) => return Some(copy.slug),
            Ok(Err(e)) => self.setup.secrets.mask(&e.to_string()),
            Err(_) => "a part of the program failed".to_owned(),
        };
        self.tell(HostUpdate::Refused(why)).await;
        None
    }

    async fn list(&self) {
        let (worktrees, folders) = runs::folders(&self.setup.workspace).await;
        let home = self.setup.home.clone();
        let found = tokio::task::spawn_blocking(move || runs::survey_with_earlier(&home, &folders)).await;
        let own = Some(std::process::id());
        let mut runs = found.unwrap_or_default();
        runs.retain(|run| run.pid != own);
        self.tell(HostUpdate::Listed(worktrees, runs)).await;
    }

    /// Does something about a session that nobody works on, and lists what there is then.
    async fn tend(
        &self,
        session: String,
        does: impl FnOnce(&Place) -> Result<&'static str, RuntimeError> + Send + 'static,
    ) {
        let (home, workspace) = (self.setup.home.clone(), self.setup.workspace.clone());
        let done = tokio::task::spawn_blocking(move || {
            sessions::find(&home, &workspace, &session).and_then(|place| does(&place))
        });
        self.tell(match done.await {
            Ok(Ok(done)) => HostUpdate::Done(done.to_owned()),
            Ok(Err(e)) => HostUpdate::Refused(self.setup.secrets.mask(&format!("{e} ({})", e.hint()))),
            Err(_) => HostUpdate::Refused("a part of the program failed".to_owned()),
        })
        .await;
        self.list().await;
    }

    async fn end(&self, end: WorktreeEnd, name: &str, seen: Option<pilothouse_core::blob::BlobId>) {
        let ended = match self.held_elsewhere(name).await {
            Some(why) => Err(why),
            None => worktrees::end(&self.setup.home, &self.setup.workspace, end, name, seen).await,
        };
        self.tell(match ended {
            Ok(worktrees::Ended::Asks(stake)) => HostUpdate::AtStake(end, stake),
            Ok(worktrees::Ended::Done(worktree, said)) => HostUpdate::Ended(end, worktree, said),
            Err(why) => HostUpdate::NotEnded(name.to_owned(), why),
        })
        .await;
        self.list().await;
    }

    /// Why a worktree is to be left alone: another process works in it.
    async fn held_elsewhere(&self, name: &str) -> Option<String> {
        let found = worktrees::list(&self.setup.workspace).await.into_iter().find(|w| w.name == name)?;
        let (home, path) = (self.setup.home.clone(), PathBuf::from(&found.path));
        let runs = tokio::task::spawn_blocking(move || runs::survey(&home, None)).await.ok()?;
        let inside = |folder: &str| Path::new(folder).starts_with(&path);
        let own = std::process::id();
        let pid = runs.iter().filter(|r| inside(&r.folder)).filter_map(|r| r.pid).find(|pid| *pid != own)?;
        Some(format!("process {pid} is working in {}; end it there first", found.path))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
mod tests;
