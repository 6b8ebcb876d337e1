//! An order beside what it is to leave alone: "give parse a flag. Don't touch the tests."
//!
//! Owns which clauses only keep something from an order. Never says that anything is ordered.

use super::super::{
    lexicon::{Hit, Tag},
    structure::{Clause, Structure},
    text::{Doc, Kind, Token, is_cjk},
    words::List,
};
use super::alone::spared;

/// Letters that must be left for something to be read in them.
const LETTERS: usize = 6;

/// The message without the clauses that only keep something from what is ordered; `None` where there are none, or
/// nothing is left.
pub(crate) fn narrowed(doc: &Doc, s: &Structure<'_>, text: &str) -> Option<String> {
    let spared = spared(doc, s, text);
    let keeps = |c: &Clause| keeps(doc, s, c) || keeps_else(doc, s, c) || keeps_thing(doc, s, c);
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
    // A sign of these scripts says as much as some letters.
    let letters = |c: char| if is_cjk(c) { 3 } else { usize::from(c.is_alphabetic()) };
    (rest.chars().map(letters).sum::<usize>() > LETTERS).then_some(rest)
}

/// Whether a clause opens with a negation of a change, or leaves something as it is.
fn keeps(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let words = c.tokens(doc).iter().filter(|t| t.kind == Kind::Word);
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
    let tokens = c.tokens(doc);
    let words: Vec<&str> = tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text.as_str()).collect();
    let small = |w: &str| s.known.is(List::But, w) || s.known.is(List::Tie, w);
    let opens = words.iter().position(|w| !small(w)).unwrap_or(0);
    let said = words.get(opens..).unwrap_or_default().join(" ");
    let run = tokens.iter().filter(|t| t.kind == Kind::Cjk).any(|t| {
        let holds = |list| s.known.words.list(list).iter().any(|w| t.text.contains(&**w));
        (holds(List::ElseRun) || holds(List::ThingRun)) && holds(List::StaysRun)
    });
    !c.marked && (s.known.is(List::NothingElse, &said) || run)
}

/// "но не меняй сигнатуру", "das Verhalten bleibt gleich": a clause whose every verb is denied, or that says of a part of the
/// program that it stays.
fn keeps_thing(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let inside = |h: &&Hit| h.start >= c.start && h.start < c.end;
    let hits = || s.hits.iter().filter(inside);
    let forbids = |h: &Hit| h.tag == Tag::Forbid;
    let within = |verb: &Hit, h: &Hit| {
        let runs = h.bytes == 0 || (h.offset..h.offset + h.bytes).contains(&verb.offset);
        forbids(h) && (h.start..h.start + h.len).contains(&verb.start) && runs
    };
    let is = |i: usize, list| doc.tokens.get(i).is_some_and(|t| s.known.is(list, &t.text));
    let negated = |verb: &Hit| {
        let near = verb.start.saturating_sub(2).max(c.start)..verb.start;
        verb.bytes == 0 && near.into_iter().any(|i| is(i, List::Not) || is(i, List::NotBefore))
    };
    let denied = |verb: &Hit| negated(verb) || hits().any(|h| within(verb, h));
    let stem = |i: usize| {
        let stems = s.known.words.list(List::ChangeStem);
        doc.tokens.get(i).is_some_and(|t| stems.iter().any(|stem| t.text.starts_with(&**stem)))
    };
    let not = |i: usize| is(i, List::Not) || is(i, List::SpareMayNot);
    // "the schema must not be changed"
    let passive = (c.start..c.end).any(|i| not(i) && (i + 1..c.end.min(i + 3)).any(stem));
    let changes = passive || hits().any(|h| h.tag.acts() && h.tag != Tag::VExecute);
    let thing = |t: &str| s.known.words.list(List::Thing).iter().any(|stem| t.starts_with(&**stem));
    let words = c.tokens(doc);
    let elsewhere = |t: &Token| {
        let mut rest = doc.tokens.iter().take(c.start).chain(doc.tokens.iter().skip(c.end));
        rest.any(|o| o.text == t.text)
    };
    let mut things = words.iter().filter(|t| thing(&t.text)).peekable();
    let stays = things.peek().is_some() && (c.start..c.end).any(|i| is(i, List::SpareStay));
    // "fix the api, do not change the api": the same thing is ordered and kept.
    if things.any(elsewhere) {
        return false;
    }
    // "n'en exécute aucune" is said of what is wanted itself.
    let says = changes || hits().any(forbids) || stays;
    says && !c.marked && hits().filter(|h| h.tag.acts()).all(denied)
}
