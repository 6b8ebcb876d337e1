//! What keys want of the window.
//!
//! Owns the closed list, and the question before a worktree ends.

use pilothouse_core::{
    about::AboutChange,
    runs::{ForkUpTo, HostRequest, SessionWish, WorktreeEnd, WorktreeStake},
};

use super::Number;
use crate::overlay::Stake;

/// Where the user wants to be in a session that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// In the draft.
    Draft,
    /// In its conversation.
    Conversation,
    /// In its diff.
    Diff,
    /// In the list of what waits.
    Approvals,
}

/// How to leave while other sessions are at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// Stop them; what they did is kept.
    Stop,
    /// When all have ended.
    Wait,
}

/// What keys want of the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowWish {
    /// Show this session.
    Show(Number, Then),
    /// Show the next session (`true`), or the one before.
    Step(bool),
    /// Say this in that session.
    Say(Number, String),
    /// Say this of that session as a whole, whatever it does.
    Describe(Number, AboutChange),
    /// Stop what runs in that session.
    Stop(Number),
    /// Something for the host.
    Host(HostRequest),
    /// Leave.
    Leave(Farewell),
}

impl WindowWish {
    /// Show a copy of a session, up to there.
    pub fn fork(session: &str, upto: ForkUpTo) -> Self {
        let (session, fork) = (Some(session.to_owned()), Some(upto));
        Self::Host(HostRequest::Open(SessionWish { session, fork, front: true, ..SessionWish::default() }))
    }
}

impl WindowWish {
    /// What is said while it is done, where that may take a while.
    pub fn under_way(&self) -> Option<String> {
        let Self::Host(HostRequest::End { end, name, .. }) = self else { return None };
        Some(match end {
            WorktreeEnd::Merge => format!("merging the worktree {name}"),
            WorktreeEnd::Drop => format!("dropping the worktree {name}"),
        })
    }
}

/// The question before a worktree ends.
pub(super) fn stake(end: WorktreeEnd, stake: WorktreeStake) -> Stake {
    let name = &stake.worktree.name;
    let (title, does) = match end {
        WorktreeEnd::Merge => (format!("Merge the worktree {name} into {}?", stake.into), "merge it"),
        WorktreeEnd::Drop => (format!("Drop the worktree {name}?"), "drop it"),
    };
    let request = HostRequest::End { end, name: name.clone(), seen: Some(stake.shown) };
    Stake::new(title, does, stake.lines, WindowWish::Host(request))
}
