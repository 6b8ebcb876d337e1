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
    let (mut out, mut from) = (Vec::new(), 0);
    for (open, close) in pairs(text) {
        if open >= from {
            out.extend([(text.get(from..open), false), (text.get(open + 1..close), true)]);
            from = close + 1;
        }
    }
    out.push((text.get(from..), false));
    out.into_iter().filter_map(|(part, is_code)| Some((part?, is_code))).collect()
}

/// Each mark that may begin code, and the one that closes it: behind a word and before no other; what runs may have marks
/// within.
fn pairs(text: &str) -> Vec<(usize, usize)> {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // From the end: what closes code that begins further ahead, and what does where marks within it were met.
    let (mut lone, mut within) = (None, None);
    let mut pairs = Vec::new();
    for (at, _) in text.rmatch_indices('`') {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let behind = text.get(at + 1..).and_then(|t| t.chars().next());
        let begins = behind.is_some_and(|c| !c.is_whitespace() && c != '`');
        let opens = begins && !is_word(before) && before != Some('`');
        pairs.extend(lone.filter(|_| opens).map(|close| (at, close)));
        if before.is_none_or(char::is_whitespace) {
            within = None;
        } else if behind == Some('`') {
            // The next of them may close it.
        } else if is_word(behind) {
            lone = within.or(Some(at));
            within = within.filter(|_| !opens);
        } else {
            lone = Some(at);
            within = lone.filter(|_| !before.is_some_and(|c| "([{".contains(c)));
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_never_close_are_read_in_one_pass() {
        let long = " `a".repeat(300_000);
        assert_eq!(uncoded(&long), long);
    }

    #[test]
    fn code_stands_without_its_marks_and_commands_keep_theirs() {
        for (text, shown) in [
            ("`stop` ends the run", "stop ends the run"),
            ("Rename `Store`s to `Shelf`s in `src/`.", "Rename Stores to Shelfs in src/."),
            ("(run `chmod 600 a`): `a`/`b`", "(run chmod 600 a): a/b"),
            ("Run `echo `date``?", "Run echo `date`?"),
            ("one ` alone, and it`s `", "one ` alone, and it`s `"),
            ("Rename `Store`s (`src/store.rs`)", "Rename Stores (src/store.rs)"),
            ("Rename `Store`s (`/src/store.rs`), then `go`", "Rename Stores (/src/store.rs), then go"),
            ("`a`s and ` alone", "as and ` alone"),
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
