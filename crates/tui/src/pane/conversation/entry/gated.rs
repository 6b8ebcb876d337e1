//! A gate that a command was run for, as the row of that command tells of it.
//!
//! Owns the words of its end. Never runs or judges one.

use crate::{row::Row, theme::Slot};

/// Columns of a name, at least.
const LEAST_NAME: usize = 8;

/// How the gate stands that a command ran for.
#[derive(Debug)]
pub(in super::super) struct Gated {
    pub(in super::super) name: String,
    pub(in super::super) green: bool,
    /// The lines that say what is wrong.
    pub(in super::super) diagnostics: String,
}

impl Gated {
    /// `[Gate: tests] ✓ passed`, with these signs; the name gives way to so many columns, and how it ended does not.
    pub(in super::super) fn row(&self, (done, failed): (&str, &str), (room, ellipsis): (usize, &str)) -> Row {
        let (sign, word, ink) =
            if self.green { (done, "passed", Slot::Ok) } else { (failed, "failed", Slot::Bad) };
        let ended = Row::of("] ", Slot::Soft).and(sign, ink).and(" ", ink).and(word, ink);
        let room = room.saturating_sub("[Gate: ".len() + ended.width()).max(LEAST_NAME);
        let name = Row::of(&self.name, Slot::Soft).cut(room, ellipsis);
        Row::of("[Gate: ", Slot::Soft).with(name).with(ended)
    }
}
