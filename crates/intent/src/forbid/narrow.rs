//! An order beside what it is to leave alone: "give parse a flag. Don't touch the tests."
//!
//! Owns which clauses only keep something from an order. Never says that anything is ordered.

use super::super::{
    structure::{Clause, Structure},
    text::{Doc, Kind},
    words::List,
};
use super::alone::spared;

/// Letters that must be left for something to be read in them.
const LETTERS: usize = 6;

/// The message without the clauses that only keep something from what is ordered; `None` where there are none, or
/// nothing is left.
pub(crate) fn narrowed(doc: &Doc, s: &Structure<'_>, text: &str) -> Option<String> {
    let spared = spared(doc, s, text);
    let keeps = |c: &Clause| keeps(doc, s, c) || keeps_else(doc, s, c);
    let aside = |(n, c): &(usize, &Clause)| keeps(c) || spared.get(*n).copied().unwrap_or_default();
    let (gone, kept): (Vec<_>, Vec<_>) = s.clauses.iter().enumerate().partition(aside);
    if gone.is_empty() {
        return None;
    }
    let part = |(_, c): &(usize, &Clause)| {
        let (first, last) = (doc.tokens.get(c.start)?, doc.tokens.get(c.end.checked_sub(1)?)?);
        text.get(first.start..last.end)
    };
    let rest = kept.iter().filter_map(part).collect::<Vec<_>>().join(". ");
    (rest.chars().filter(|c| c.is_alphabetic()).count() > LETTERS).then_some(rest)
}

/// Whether a clause opens with a negation of a change, or leaves something as it is.
fn keeps(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let words = doc.tokens.get(c.start..c.end).unwrap_or_default().iter().filter(|t| t.kind == Kind::Word);
    let words: Vec<&str> = words.map(|t| t.text.as_str()).collect();
    let is = |list, word: &str| s.known.is(list, word);
    let opens = words.iter().position(|w| !(is(List::But, w) || is(List::Tie, w) || *w == "please"));
    let Some(words) = opens.and_then(|at| words.get(at..)) else { return false };
    let stem = |w: &str| s.known.words.list(List::ChangeStem).iter().any(|stem| w.starts_with(&**stem));
    match words {
        ["do", "not", verb, ..] => stem(verb) || is(List::Touch, verb),
        [first, verb, ..] if is(List::ForbidNot, first) => {
            stem(verb) || is(List::Touch, verb) || *first == "no"
        }
        [first, rest @ ..] => is(List::SpareLeave, first) && rest.iter().any(|w| is(List::SpareEnd, w)),
        [] => false,
    }
}

/// "sonst nichts", "больше ничего", "他はそのままで": a clause that keeps all else from an order, in any language.
fn keeps_else(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let tokens = doc.tokens.get(c.start..c.end).unwrap_or_default();
    let words: Vec<&str> = tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text.as_str()).collect();
    let small = |w: &str| s.known.is(List::But, w) || s.known.is(List::Tie, w);
    let opens = words.iter().position(|w| !small(w)).unwrap_or(0);
    let said = words.get(opens..).unwrap_or_default().join(" ");
    let run = tokens.iter().filter(|t| t.kind == Kind::Cjk).any(|t| {
        let holds = |list| s.known.words.list(list).iter().any(|w| t.text.contains(&**w));
        holds(List::ElseRun) && holds(List::StaysRun)
    });
    !c.marked && (s.known.is(List::NothingElse, &said) || run)
}
