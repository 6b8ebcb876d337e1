//! Looking after sessions that nobody works on: another title, labels, put away, mended, deleted.
//!
//! Owns that each of these holds the session while it is done, and is done whole or not at all. Never touches one that a
//! process holds.

use std::fs;

use pilothouse_core::{
    about::{self, AboutChange},
    ids::{Millis, Seq},
    input::Input,
    session::Session,
};
use pilothouse_tools::atomic::sync_folder;

use super::{Place, Summary, meta_of};
use crate::{
    disk::RealDisk,
    error::RuntimeError,
    log::{self, Log, Meta},
};

/// Keeps what the user says of a session; returns how it stands then.
///
/// # Errors
/// When a process holds it, what is said cannot be kept, or the log cannot be read or written.
pub fn describe(place: &Place, change: AboutChange) -> Result<Summary, RuntimeError> {
    let (mut log, mut session) = held(place)?;
    let state = session.state();
    if state.seq == Seq(0) {
        return Err(RuntimeError::NoRecord(place.slug.clone()));
    }
    // It was not used by that, so it does not come before others that were.
    let at = state.at;
    let step = session
        .step(at, Input::Describe(change))
        .map_err(|refusal| RuntimeError::Setting { what: place.slug.clone(), message: refusal.reason })?;
    log.append(&RealDisk, &[step.events])?;
    summed_up(place, &log, &session)
}

/// Cuts a torn end of the log into a file beside it and sums the session up anew; returns what there is to be told of the
/// log.
///
/// # Errors
/// When a process holds it, or the log cannot be read at all.
pub fn repair(place: &Place) -> Result<Vec<String>, RuntimeError> {
    let (log, session) = held(place)?;
    summed_up(place, &log, &session)?;
    Ok(log.report().warnings())
}

/// Deletes a session with all that is kept of it; what it wrote in the workspace stays as it is. With `heard`, one that
/// gave a sign of life since then stays.
///
/// # Errors
/// When a process holds it, it ended while it wrote files and that is to be settled first, it was used since, or the file
/// system says no.
pub fn delete(place: &Place, heard: Option<Millis>) -> Result<(), RuntimeError> {
    let _held = log::hold(&place.folder)?;
    if let Ok(summary) = super::summary(place) {
        let busy = |why: &str| Err(RuntimeError::Kept { slug: place.slug.clone(), why: why.to_owned() });
        if summary.writing {
            return busy("it ended while writing files; open it first to settle that");
        }
        if heard.is_some_and(|heard| heard.0 != summary.updated) {
            return busy("it was used since you saw it");
        }
    }
    // Without its log it is no session any more, whatever happens to the rest.
    let path = place.folder.join(log::FILE);
    fs::remove_file(&path).map_err(RuntimeError::io("delete", &path))?;
    sync_folder(&place.folder).map_err(RuntimeError::io("sync", &place.folder))?;
    if let Err(e) = fs::remove_dir_all(&place.folder) {
        tracing::warn!(error = %e, "the folder of a deleted session could not be emptied");
    }
    Ok(())
}

/// What deleting it means, a line each.
pub fn stake(place: &Place) -> Vec<String> {
    let summary = super::summary(place).ok();
    let mut lines = about::deletion(summary.as_ref().is_some_and(|s| s.applied > 0));
    let unfinished = summary.is_some_and(|s| s.unfinished);
    lines.extend(unfinished.then(|| "its unfinished work and open questions are deleted too".to_owned()));
    lines
}

/// The log, held until it is dropped, and what it tells.
fn held(place: &Place) -> Result<(Log, Session), RuntimeError> {
    match place.folder.join(log::FILE).metadata() {
        Ok(meta) if meta.is_file() && meta.len() > 0 => {}
        Ok(_) => return Err(RuntimeError::NoRecord(place.slug.clone())),
        Err(_) => return Err(RuntimeError::NoSession(place.slug.clone())),
    }
    let mut log = Log::open(&place.folder, &Meta::default())?;
    let mut session = Session::new();
    log.replay(|event| session.apply(&event))?;
    Ok((log, session))
}

fn summed_up(place: &Place, log: &Log, session: &Session) -> Result<Summary, RuntimeError> {
    let summary = Summary::of(session.state(), &meta_of(place, log.report()), log.report().bytes);
    summary.save(&place.folder).map_err(RuntimeError::io("write", &place.folder))?;
    Ok(summary)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{path::Path, sync::Arc};

    use pilothouse_core::port::Request;

    use super::*;
    use crate::{Environment, Home, Setup, driver::drive, host, sessions};

    /// A session in which something was said, left again.
    async fn left(home: &Home, folder: &Path, text: &str) -> Place {
        let setup = Setup {
            clock: Arc::new(|| Millis(1_700_000_000_000)),
            ..Setup::new(home.clone(), folder, Environment::default())
        };
        let ((requests, mut updates), (asked, told)) = host::line();
        let driven = tokio::spawn(drive(setup, asked, told));
        requests.send(Request::Input(Input::say(text))).await.unwrap();
        requests.send(Request::Quit).await.unwrap();
        while updates.recv().await.is_some() {}
        let report = driven.await.unwrap().unwrap();
        sessions::find(home, folder, &report.slug).unwrap()
    }

    #[tokio::test]
    async fn what_is_said_of_a_session_stands_in_its_log_and_survives_its_summary() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, root) = (Home::under(home.path()), folder.path().canonicalize().unwrap());
        let place = left(&home, &root, "what is a note?").await;
        let used = sessions::summary(&place).unwrap().updated;
        let change = AboutChange {
            labels: Some(["Release".to_owned()].into()),
            archived: Some(true),
            ..AboutChange::title("The  store\nrenamed")
        };
        describe(&place, change).unwrap();
        fs::remove_file(place.folder.join("meta.json")).unwrap();
        let summary = sessions::summary(&place).unwrap();
        assert_eq!((summary.title.as_str(), summary.archived), ("The store renamed", true));
        assert_eq!(summary.labels.iter().collect::<Vec<_>>(), ["release"]);
        assert_eq!(summary.updated, used);
        assert!(sessions::verify(&place).unwrap().sound());
        assert!(describe(&place, AboutChange::title("x".repeat(400))).is_err());
        assert_eq!(sessions::summary(&place).unwrap().title, "The store renamed");
    }

    #[tokio::test]
    async fn a_session_that_is_held_or_was_used_since_stays() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, root) = (Home::under(home.path()), folder.path().canonicalize().unwrap());
        let place = left(&home, &root, "what is a note?").await;
        let held = log::hold(&place.folder).unwrap();
        assert!(matches!(delete(&place, None), Err(RuntimeError::Locked { .. })));
        assert!(matches!(describe(&place, AboutChange::archived(true)), Err(RuntimeError::Locked { .. })));
        drop(held);
        assert!(matches!(delete(&place, Some(Millis(1))), Err(RuntimeError::Kept { .. })));
        assert!(place.folder.is_dir());
        let heard = Millis(sessions::summary(&place).unwrap().updated);
        delete(&place, Some(heard)).unwrap();
        assert!(!place.folder.exists() && sessions::all(&home).is_empty());
    }
}
