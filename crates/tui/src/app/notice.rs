//! What the user is told in a row beside the draft.
//!
//! Owns that none of it is cut off and nowhere else.

use std::time::Instant;

use super::App;
use crate::{row::coded, theme::Slot};

/// One line for the user, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What.
    pub text: String,
    /// Whether something was not done.
    pub bad: bool,
    /// The question whose answer it tells the progress of: it goes with that.
    pub(super) until: Option<u64>,
    /// Whether all of it stands in the conversation.
    pub(super) kept: bool,
}

impl Notice {
    pub(super) fn new(text: impl Into<String>, bad: bool, until: Option<u64>) -> Self {
        Self { text: text.into(), bad, until, kept: false }
    }
}

impl App {
    /// A notice that is longer than its row of so many columns stands whole in the conversation as well.
    pub(super) fn keep_notice(&mut self, columns: u16, now: Instant) {
        let at = self.world.time(now);
        let Some(notice) = self.notice.as_mut().filter(|n| !n.kept && n.until.is_none()) else { return };
        if coded(&notice.text, Slot::Info).width() > usize::from(columns) {
            notice.kept = true;
            self.panes.told(at, &notice.text);
        }
    }
}
