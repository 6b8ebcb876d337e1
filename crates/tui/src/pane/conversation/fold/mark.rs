//! What is told in one line behind a sign.
//!
//! Owns the signs, and that no failure is told twice. Never looks at an event.

use pilothouse_core::ids::Millis;

use super::Log;
use crate::{
    pane::conversation::entry::{Body, Facts, Kind},
    row::{Row, coded},
    theme::Slot,
};

/// Signs of a one-line fact.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    Done,
    Failed,
    Warn,
    Stale,
    Skipped,
    Inner,
    Dot,
}

impl Mark {
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Done => "✓",
            Self::Failed => "✗",
            Self::Warn => "⚠",
            Self::Stale => "≈",
            Self::Skipped => "–",
            Self::Inner => "✧",
            Self::Dot => "·",
        }
    }
}

impl Log {
    pub(super) fn mark(&mut self, at: Millis, glyph: Mark, text: &str) {
        let (ink, text_ink) = match glyph {
            Mark::Done => (Slot::Ok, Slot::Text),
            Mark::Failed => (Slot::Bad, Slot::Text),
            Mark::Warn | Mark::Stale => (Slot::Warn, Slot::Text),
            Mark::Skipped | Mark::Dot | Mark::Inner => (Slot::Soft, Slot::Soft),
        };
        let lines = if text.is_empty() { vec![""] } else { text.lines().collect() };
        let line = |(n, line): (usize, &str)| {
            let lead = if n == 0 {
                Row::of(glyph.sign(), ink).and(" ", Slot::Text)
            } else {
                Row::of("  ", Slot::Text)
            };
            (lead.with(coded(line, text_ink)), Row::new())
        };
        let lines = lines.into_iter().enumerate().map(line).collect();
        self.add(at, Kind::Work, Body::Facts(Facts { lines, detail: String::new() }));
    }

    /// A failure, unless it was told already: what happened, and softly below it what can be done.
    pub(super) fn fails(&mut self, at: Millis, text: &str) {
        self.fails_as(at, "", text);
    }

    /// The same of something that is named before it.
    pub(super) fn fails_as(&mut self, at: Millis, name: &str, text: &str) {
        let mut lines = text.lines().filter(|l| !l.trim().is_empty());
        let Some(first) = lines.next() else { return };
        // Of what was told already only what is new is.
        let known = if self.is_told(first) { std::mem::take(&mut self.failed) } else { String::new() };
        if known.is_empty() {
            self.mark(at, Mark::Failed, &format!("{name}{first}"));
        }
        for line in lines.filter(|line| !known.lines().any(|told| told == *line)) {
            self.fact(at, Row::of("  ", Slot::Text).with(coded(line, Slot::Soft)), Row::new());
        }
        text.clone_into(&mut self.failed);
    }

    /// Whether this failure was the last that was told.
    pub(super) fn is_told(&self, text: &str) -> bool {
        !self.failed.is_empty() && text.lines().next() == self.failed.lines().next()
    }
}
