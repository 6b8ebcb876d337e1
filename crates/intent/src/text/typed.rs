//! Words as they were meant: two letters the wrong way round, one that is missing.
//!
//! Owns the few words by which a message asks, orders and forbids, and which slips of the hand still mean them. Never
//! mends any other word, and makes no word an order: `rname` may be a name.

use std::{collections::HashMap, sync::LazyLock};

/// Words whose loss turns a message into another thing.
const WORDS: &[&str] = &[
    "what", "which", "where", "when", "why", "how", "does", "should", "would", "could", "without", "explain",
    "review", "check", "not", "dont", "never", "stop", "nothing", "anything", "please",
];

/// Words that order a change or a run: only behind a negation a slip means them.
const DEEDS: &[&str] = &[
    "touch", "edit", "change", "modify", "delete", "remove", "rename", "update", "write", "build", "run",
    "fix",
];

/// Words behind which one of these is forbidden.
const NEGATIONS: &[&str] = &["not", "dont", "never"];

/// What a slip makes of one of them and is a word of its own, or of another language.
const OTHERS: &[&str] =
    &["were", "ont", "urn", "dose", "odes", "cold", "noting", "bild", "tuch", "toch", "neer", "hwy", "rview"];

/// Letters from which on a word may miss one.
const LONG: usize = 5;

static SLIPS: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let mut slips = HashMap::new();
    for word in WORDS.iter().chain(DEEDS) {
        let letters: Vec<char> = word.chars().collect();
        let swapped = (1..letters.len()).map(|at| {
            let mut slip = letters.clone();
            slip.swap(at - 1, at);
            slip
        });
        let missing = (1..letters.len() - 1).filter(|_| letters.len() >= LONG).map(|at| {
            let mut slip = letters.clone();
            slip.remove(at);
            slip
        });
        for slip in swapped.chain(missing) {
            let slip: String = slip.into_iter().collect();
            let own = [WORDS, DEEDS, OTHERS].iter().any(|words| words.contains(&slip.as_str()));
            if !own {
                slips.entry(slip).or_insert(*word);
            }
        }
    }
    slips
});

/// A folded word, or the one that it is a slip of, behind another.
pub(crate) fn mended<'a>(word: &'a str, before: Option<&str>) -> &'a str {
    let denied = || before.is_some_and(|before| NEGATIONS.contains(&before));
    let meant = SLIPS.get(word).copied().filter(|meant| !DEEDS.contains(meant) || denied());
    meant.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classifier, Message, Turn};

    #[test]
    fn a_slip_means_its_word_and_other_words_mean_themselves() {
        for (slip, word) in [("waht", "what"), ("wich", "which"), ("nto", "not")] {
            assert_eq!(mended(slip, None), word);
        }
        for (slip, word) in [("tocuh", "touch"), ("delte", "delete"), ("edti", "edit")] {
            assert_eq!((mended(slip, Some("not")), mended(slip, Some("the"))), (word, slip));
        }
        for word in ["were", "hat", "urn", "form", "flies", "dose", "noting", "crate", "neer", "hwy"] {
            assert_eq!(mended(word, Some("not")), word);
        }
    }

    #[test]
    fn a_name_that_looks_like_a_slip_orders_nothing() {
        for text in ["rname", "the value of udate", "show me udate"] {
            let read = Classifier::builtin().read(&Message { text, ..Message::default() });
            assert!(matches!(read.whole.turn, Turn::Query(_)), "{text}: {:?}", read.whole);
        }
    }

    #[test]
    fn a_slip_loses_no_question_and_no_prohibition() {
        let by = Classifier::builtin();
        for text in
            ["wich modul holds the color constants", "whcih file has the parser", "wehre is the limit set"]
        {
            let read = by.read(&Message { text, ..Message::default() });
            assert!(matches!(read.whole.turn, Turn::Query(_)), "{text}: {:?}", read.whole);
        }
        for text in [
            "explain the parser, do nto change anything",
            "dont tuoch anything, why is it red",
            "edti nothing, explain it",
        ] {
            assert!(by.read(&Message { text, ..Message::default() }).forbids_change, "{text}");
        }
        assert_eq!(by.spares("do nto tocuh README.md"), ["README.md"]);
    }
}
