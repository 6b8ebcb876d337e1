//! Patterns that are compiled when they are first needed.
//!
//! Owns the laziness only.

use std::sync::OnceLock;

use regex::{Captures, Regex};

/// A regular expression written in the code.
pub(super) struct Pattern {
    text: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    fn regex(&self) -> Option<&Regex> {
        let compile =
            || Regex::new(self.text).inspect_err(|e| tracing::error!(pattern = self.text, "{e}")).ok();
        self.compiled.get_or_init(compile).as_ref()
    }

    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|r| r.is_match(text))
    }

    /// Whether it can be compiled; asked by tests of every table of patterns.
    #[cfg(test)]
    pub fn is_sound(&self) -> bool {
        self.regex().is_some()
    }
}

/// The text of a group, empty when it took no part.
pub(super) fn group<'t>(found: &Captures<'t>, name: &str) -> &'t str {
    found.name(name).map_or("", |m| m.as_str())
}
