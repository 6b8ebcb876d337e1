//! Code in texts of ours: what stands between two backticks.
//!
//! Owns which of them are a pair of marks. A line that runs is no such text: it stands as it is.

use super::{Ink, Row};
use crate::theme::Slot;

/// A text of ours in this ink, code in it as code and without its marks.
pub fn coded(text: &str, ink: impl Into<Ink>) -> Row {
    let ink = ink.into();
    let mut row = Row::new();
    for (part, is_code) in parts(text) {
        row.push(part, if is_code { Ink { slot: Slot::Strong, ..ink } } else { ink });
    }
    row
}

/// The same without ink.
pub fn uncoded(text: &str) -> String {
    parts(text).into_iter().map(|(part, _)| part).collect()
}

/// A text in parts, each with whether it is code.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let (mut out, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('`')).map(|n| at + n) {
        at = open + 1;
        let before = text.get(..open).and_then(|t| t.chars().next_back());
        let behind = text.get(at..).and_then(|t| t.chars().next());
        let begins = behind.is_some_and(|c| !c.is_whitespace() && c != '`');
        if !begins || before.is_some_and(|c| c.is_alphanumeric() || c == '`') {
            continue;
        }
        let Some(close) = closes(text, open) else { continue };
        out.extend([(text.get(from..open), false), (text.get(open + 1..close), true)]);
        (from, at) = (close + 1, close + 1);
    }
    out.push((text.get(from..), false));
    out.into_iter().filter_map(|(part, is_code)| Some((part?, is_code))).collect()
}

/// The mark that closes the code which begins at `open`: behind a word and before no other; what runs may have marks
/// within.
fn closes(text: &str, open: usize) -> Option<usize> {
    let mut within = None;
    for (at, _) in text.match_indices('`').filter(|(at, _)| *at > open) {
        let before = text.get(open + 1..at).and_then(|t| t.chars().next_back())?;
        let behind = text.get(at + 1..).and_then(|t| t.chars().next());
        match behind {
            _ if before.is_whitespace() && within.is_some() => return within,
            _ if before.is_whitespace() => {}
            Some('`') => {}
            Some(c) if c.is_alphanumeric() => within = within.or(Some(at)),
            Some(_) | None => return Some(at),
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_without_its_marks_and_commands_keep_theirs() {
        for (text, shown) in [
            ("`stop` ends the run", "stop ends the run"),
            ("Rename `Store`s to `Shelf`s in `src/`.", "Rename Stores to Shelfs in src/."),
            ("(run `chmod 600 a`): `a`/`b`", "(run chmod 600 a): a/b"),
            ("Run `echo `date``?", "Run echo `date`?"),
            ("one ` alone, and it`s `", "one ` alone, and it`s `"),
            ("``", "``"),
            ("", ""),
        ] {
            assert_eq!(uncoded(text), shown, "{text}");
            assert_eq!(coded(text, Slot::Soft).text(), shown, "{text}");
        }
        let row = coded("`/redo` brings it back", Slot::Soft);
        let inks: Vec<Slot> = row.pieces.iter().map(|piece| piece.ink.slot).collect();
        assert_eq!(inks, [Slot::Strong, Slot::Soft]);
    }
}
