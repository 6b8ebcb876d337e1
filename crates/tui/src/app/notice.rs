//! What the user is told in a row beside the draft.
//!
//! Owns that none of it is cut off and nowhere else.

use std::time::{Duration, Instant};

use super::App;
use crate::{
    row::{coded, wrap},
    theme::Slot,
};

/// So long stands what only tells of something that was done.
const STANDS: Duration = Duration::from_secs(8);

/// One line for the user, until the next key; what was done is told for a few seconds at most.
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
    /// Whether it says only what a key did or would do: the row below is its as well.
    of_key: bool,
    /// When it was drawn first.
    since: Option<Instant>,
}

impl Notice {
    pub(super) fn new(text: impl Into<String>, bad: bool, until: Option<u64>) -> Self {
        Self { text: text.into(), bad, until, kept: false, of_key: false, since: None }
    }

    /// The same of what is said to a key, and gone with the next one.
    pub(super) fn of_key(text: impl Into<String>, bad: bool) -> Self {
        Self { of_key: true, ..Self::new(text, bad, None) }
    }

    /// Whether it says only what a key did or would do.
    pub(super) const fn is_of_key(&self) -> bool {
        self.of_key
    }

    /// When it goes by itself: what was not done stays until a key, and what tells of progress as long as that goes on.
    fn goes(&self) -> Option<Instant> {
        self.since.filter(|_| !self.bad && self.until.is_none()).map(|since| since + STANDS)
    }
}

impl App {
    /// What a key did or would do.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::of_key(text, false));
    }

    /// Why a key did nothing.
    pub(super) fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::of_key(text, true));
    }

    /// What happened.
    pub(crate) fn announce(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::new(text, false, None));
    }

    /// What was wrong at the start is told in one line, the first of it, with how much there is and where all of it stands.
    pub(super) fn counted(&self, what: String) -> String {
        let warnings = &self.world.surroundings.warnings;
        match warnings.first() {
            Some(first) if warnings.len() > 1 && warnings.contains(&what) => {
                format!("{} warnings, /status lists them: {first}", warnings.len())
            }
            Some(_) | None => what,
        }
    }

    /// When what is told goes by itself.
    pub(super) fn notice_goes(&self) -> Option<Instant> {
        self.notice.as_ref().and_then(Notice::goes)
    }

    /// What was told long enough goes; what is new stands from now on.
    pub(super) fn age_notice(&mut self, now: Instant) {
        self.notice = self.notice.take().filter(|notice| notice.goes().is_none_or(|goes| now < goes));
        if let Some(notice) = &mut self.notice {
            notice.since.get_or_insert(now);
        }
    }

    /// A notice that is longer than where it is drawn stands whole in the conversation as well: it has a row of so many
    /// columns, and what a key does the one below too where there is one and no draft is written.
    pub(super) fn keep_notice(&mut self, columns: u16, below: bool, now: Instant) {
        let at = self.world.time(now);
        let below = below && self.composer.draft.is_empty();
        let Some(notice) = self.notice.as_mut().filter(|n| !n.kept && n.until.is_none()) else { return };
        let rows = if below && notice.of_key { 2 } else { 1 };
        if wrap(&coded(&notice.text, Slot::Info).pieces, usize::from(columns)).len() > rows {
            notice.kept = true;
            self.panes.told(at, &notice.text);
        }
    }
}
