//! Sessions that end, or that nobody works on: stopped, merged, called otherwise, put away, deleted.
//!
//! Owns what is asked before one goes. One that a process holds is left to that.

use pilothouse_core::{
    about::{self, AboutChange},
    question::Exit,
    runs::{HostRequest, WorktreeEnd},
};

use super::Berthed;
use crate::{
    ctx::Outcome,
    overlay::Stake,
    window::{RunRow, WindowWish},
};

/// Told of one that another process works on.
pub(super) const HELD: &str = "another process is using it; change it there";
/// Told of one of this window.
const OPEN: &str = "it is open in this window; leave it first";

/// The session is called so from here on.
pub(super) fn title(of: Berthed, line: &str) -> Outcome {
    let change = AboutChange::title(line);
    match of {
        Berthed::Here(number) => Outcome::window(WindowWish::Describe(number, change)),
        Berthed::Left(session) => describe(session, change),
    }
}

/// Lists leave it out from here on.
pub(super) fn archive(row: &RunRow) -> Outcome {
    match held(row) {
        Some(why) => Outcome::notice(why),
        None => describe(row.info.session.clone(), AboutChange::archived(true)),
    }
}

/// Asks whether it is to go.
pub(super) fn delete(row: &RunRow) -> Outcome {
    if let Some(why) = held(row) {
        return Outcome::notice(why);
    }
    let mut lines = about::deletion(row.info.wrote);
    lines.extend(row.info.stake.iter().cloned());
    let title = format!("Delete \"{}\"?", crate::status::shorten(row.title(), 40));
    let request = HostRequest::Delete { session: row.info.session.clone(), heard: row.info.heard };
    Outcome::open(Stake::new(title, "delete it", lines, WindowWish::Host(request)))
}

fn describe(session: String, change: AboutChange) -> Outcome {
    Outcome::window(WindowWish::Host(HostRequest::Describe { session, change }))
}

/// Why it is left alone, if it is.
fn held(row: &RunRow) -> Option<&'static str> {
    if row.is_of_window() {
        return Some(OPEN);
    }
    if row.info.session.is_empty() {
        return Some("there is no session in it");
    }
    (!row.was_left()).then_some(HELD)
}

/// Told of one that has to be opened first.
pub(super) fn not_open() -> Outcome {
    Outcome::notice("it is not open here; open it with Enter first")
}

/// Told of one that has nothing to look at.
pub(super) const UNCHANGED: &str = "it has changed nothing so far";

/// Whether a session of this window has changes that can be looked at.
pub(super) fn has_changes(row: &RunRow) -> bool {
    row.is_of_window() && (row.info.wrote || row.info.changes > 0)
}

/// Asks whether it is to stop.
pub(super) fn stop(row: &RunRow) -> Outcome {
    let Some(number) = row.number().filter(|_| row.works_here() || row.waits()) else {
        return Outcome::notice("nothing of it is running in this window");
    };
    // What runs has a name here; of what is undecided something is told only where there is such a thing.
    let runs = Some(&row.info.doing).filter(|doing| !doing.is_empty()).map(|doing| format!("ends: {doing}"));
    let named = |stake: &String| if stake == Exit::RUNS { runs.clone() } else { None };
    let mut lines: Vec<String> =
        row.info.stake.iter().map(|stake| named(stake).unwrap_or_else(|| stake.clone())).collect();
    if row.info.stake.iter().any(|stake| Exit::is_kept(stake)) {
        lines.push("what is undecided is set aside; nothing is lost".to_owned());
    } else if lines.is_empty() {
        lines.push("nothing is lost".to_owned());
    }
    let title = format!("Stop \"{}\"?", crate::status::shorten(row.title(), 40));
    Outcome::open(Stake::new(title, "stop it", lines, WindowWish::Stop(number)))
}

/// Merges its worktree back, or drops it, once it was seen what that means and nothing of this window works or waits in it.
pub(super) fn end(end: WorktreeEnd, row: &RunRow, all: &[RunRow]) -> Outcome {
    let Some(name) = row.worktree.clone() else {
        return Outcome::notice("it works in the folder itself, not in a worktree of its own");
    };
    let in_it = || all.iter().filter(|r| r.worktree.as_ref() == Some(&name) && !r.was_left());
    if let Some(why) = in_it().filter(|r| r.info.status.works() || r.info.waiting > 0).find_map(|r| r.follows)
    {
        return Outcome::notice(why);
    }
    if in_it().any(|r| r.info.status.works()) {
        return Outcome::notice("it is still running; x stops it first");
    }
    if in_it().any(RunRow::waits) {
        return Outcome::notice("it is waiting for your answer; x stops it first");
    }
    // git may take a while to look; what comes of it is asked about.
    let looks = match end {
        WorktreeEnd::Merge => format!("checking what {name} would merge; you are asked first"),
        WorktreeEnd::Drop => format!("checking what {name} contains; you are asked before anything is lost"),
    };
    let wish = WindowWish::Host(HostRequest::End { end, name, seen: None });
    Outcome { notice: Some(looks), ..Outcome::window(wish) }
}
