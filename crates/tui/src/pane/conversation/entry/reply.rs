//! A reply while it comes: what counts of it, and what it waits for.
//!
//! Owns that one number counts down at a time. Never draws.

use pilothouse_core::{ids::Millis, talk::about_tokens};

use super::Reply;
use crate::markdown::Markdown;

impl Reply {
    /// It is asked for once more, as the note says: what came counts no more.
    pub(in crate::pane::conversation) fn begin_again(&mut self, note: &str, until: Option<Millis>) {
        (self.md, self.streamed, self.gap) = (Markdown::default(), 0, false);
        (self.called, self.counted) = ((0, 0), 0);
        self.thinking.clear();
        (self.note, self.until) = (note.to_owned(), until);
    }

    /// What its server is waited for, counted down; short waits want no key.
    pub(in crate::pane::conversation) fn wait(&self, now: Millis, dot: &str) -> Option<String> {
        let left = self.until?.0.checked_sub(now.0)?.div_ceil(1000);
        let mut said = self.note.lines();
        let (what, why) = (said.next()?, said.next().unwrap_or_default());
        let key = if left < 5 { String::new() } else { format!(" {dot} /retry asks at once") };
        (left > 0).then(|| format!("{what} in {left} s{key} {dot} {why}"))
    }

    /// Tokens written so far: counted, or estimated by what came.
    pub(in crate::pane::conversation) fn tokens(&self) -> u64 {
        let bytes = self.streamed + self.thinking.len() as u64 + self.called.0 + self.called.1;
        if self.counted > 0 { self.counted.max(about_tokens(self.streamed)) } else { about_tokens(bytes) }
    }
}
