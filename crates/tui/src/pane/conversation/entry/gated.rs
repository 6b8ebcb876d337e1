//! A gate that a command was run for, as the row of that command tells of it.
//!
//! Owns the words of its end. Never runs or judges one.

use crate::{row::Row, theme::Slot};

/// How the gate stands that a command ran for.
#[derive(Debug)]
pub(in super::super) struct Gated {
    pub(in super::super) name: String,
    pub(in super::super) green: bool,
    /// The lines that say what is wrong.
    pub(in super::super) diagnostics: String,
}

impl Gated {
    /// `[Gate: tests] ✓ passed`, with these signs.
    pub(in super::super) fn row(&self, done: &str, failed: &str) -> Row {
        let (sign, word, ink) =
            if self.green { (done, "passed", Slot::Ok) } else { (failed, "failed", Slot::Bad) };
        let name = Row::of(&format!("[Gate: {}] ", self.name), Slot::Soft);
        name.and(sign, ink).and(" ", ink).and(word, ink)
    }
}
