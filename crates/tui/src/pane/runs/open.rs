//! Sessions that are shown, taken up or begun.
//!
//! Owns what is asked of the window for that.

use pilothouse_core::runs::{HostRequest, SessionWish};

use crate::{
    ctx::Outcome,
    pane::Focus,
    window::{Berth, RunRow, Then, WindowWish},
};

/// Shows a session of this window, or takes up one that is in none.
pub(crate) fn attach(row: &RunRow, then: Then) -> Outcome {
    let session = Some(row.info.session.clone()).filter(|_| row.berth == Berth::Elsewhere);
    let worktree = row.worktree.clone().filter(|_| row.berth == Berth::Empty);
    let leave = Outcome::focus(Focus::Composer);
    match row.number() {
        Some(number) => Outcome { window: Some(WindowWish::Show(number, then)), ..leave },
        None => begin(SessionWish { session, worktree, front: true, ..SessionWish::default() }),
    }
}

/// Begins or opens one.
pub(super) fn begin(wish: SessionWish) -> Outcome {
    let window = Some(WindowWish::Host(HostRequest::Open(wish)));
    Outcome { window, ..Outcome::focus(Focus::Composer) }
}
