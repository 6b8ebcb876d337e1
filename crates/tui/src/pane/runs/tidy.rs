//! Sessions that nobody works on: called otherwise, put away, deleted.
//!
//! Owns what is asked before one goes. One that a process holds is left to that.

use pilothouse_core::{
    about::{self, AboutChange},
    runs::HostRequest,
};

use super::Berthed;
use crate::{
    ctx::Outcome,
    overlay::Stake,
    window::{RunRow, WindowWish},
};

/// Told of one that another process works on.
pub(super) const HELD: &str = "another process works on it; change it there";
/// Told of one of this window.
const OPEN: &str = "it is open in this window; leave it first";

/// The session is called so from here on.
pub(super) fn title(of: Berthed, line: &str) -> Outcome {
    match of {
        Berthed::Here(number) => Outcome::window(WindowWish::Say(number, format!("/title {line}"))),
        Berthed::Left(session) => describe(session, AboutChange::title(line)),
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
