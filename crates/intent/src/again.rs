//! Words of another try: "retry", "do that again".
//!
//! Owns whether they want one, or deny it, ask about it, or tell of it. Never says what is tried again.

use super::{
    answer::{is_asked, is_polite},
    lexicon::{Hit, Tag},
    structure::{Clause, Form, Structure},
    text::{Doc, Token},
    words::List,
};

/// What a message says of another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It holds no such word.
    Unsaid,
    /// It names one, and wants none.
    Denied,
    /// It wants one; with a phrase of several words, which says so beside other words as well.
    Wanted { plainly: bool },
}

/// What a message says of another try.
pub(crate) fn again(doc: &Doc, s: &Structure<'_>) -> Again {
    let mut said = Again::Unsaid;
    let hits = || s.hits.iter().filter(|h| h.tag == Tag::WRedo);
    // "again" of "try again" says nothing besides.
    let inner = |h: &Hit| {
        let wider = |o: &Hit| o.len > h.len && o.start <= h.start && h.start + h.len <= o.start + o.len;
        hits().any(wider)
    };
    for h in hits().filter(|h| !inner(h)) {
        let wanted = s.clauses.iter().position(|c| c.start <= h.start && h.start < c.end);
        let wanted = wanted.is_none_or(|at| !denies(doc, s, at, h));
        let plainly = h.len > 1 || h.bytes > 6;
        said = match (said, wanted) {
            (Again::Wanted { plainly: true }, _) => return said,
            (Again::Wanted { .. }, false) => said,
            (Again::Unsaid | Again::Denied, false) => Again::Denied,
            (Again::Unsaid | Again::Denied | Again::Wanted { .. }, true) => Again::Wanted { plainly },
        };
    }
    said
}

/// Whether a clause keeps from the try that a phrase in it names.
fn denies(doc: &Doc, s: &Structure<'_>, at: usize, h: &Hit) -> bool {
    let Some(c) = s.clauses.get(at) else { return false };
    let tokens = |from: usize, to: usize| doc.tokens.get(from..to.max(from)).unwrap_or_default();
    let is = |list, t: &Token| s.known.is(list, &t.text);
    let (before, behind) = (tokens(c.start, h.start), tokens(h.start + h.len, c.end));
    if h.bytes > 0 {
        let within = |word: &str| before.iter().chain(tokens(h.start, c.end)).any(|t| t.text.contains(word));
        return c.marked || s.known.words.list(List::AgainNotRun).iter().any(|word| within(word));
    }
    let negated = before.iter().enumerate().any(|(i, t)| {
        let told = i.checked_sub(1).and_then(|b| before.get(b)).is_some_and(|b| is(List::AgainTold, b));
        is(List::AgainNot, t) && !(told && t.text == "not") && !ends_before(doc, s, (c.start + i, h))
    });
    let invites = before.windows(2).any(|w| match w {
        [why, not] if is(List::AgainWhy, why) => is(List::AgainNot, not),
        [not, you] => is(List::AgainCant, not) && is(List::AgainYou, you),
        _ => false,
    });
    let behind_it = behind.iter().any(|t| is(List::NotAfter, t) || is(List::AgainSelf, t));
    let own = || {
        let at = before.iter().rposition(|t| !is(List::AgainGap, t));
        let let_me = |at: usize| at > 0 && before.get(at - 1).is_some_and(|t| t.text == "let");
        at.is_some_and(|at| {
            before.get(at).is_some_and(|t| is(List::AgainOwn, t) || t.text == "me" && let_me(at))
        })
    };
    let held = before.iter().any(|t| is(List::AgainBefore, t));
    let opens = h.start <= c.head;
    let asks = is_asked(doc, s, c) || !opens && matches!(c.form, Form::Question(_)) && !is_polite(doc, s, c);
    !invites && (negated || behind_it || held || own() || asks || left_open(doc, s, at))
}

/// "they dont build try again": what a negation is said of ends before the phrase, which is a clause of its own. Only a
/// word that is known to end it does: whatever else stands there ("wanna", "always") may carry the negation on.
fn ends_before(doc: &Doc, s: &Structure<'_>, (at, h): (usize, &Hit)) -> bool {
    let is = |list, t: &Token| s.known.is(list, &t.text);
    let own = h.len > 1 && doc.tokens.get(h.start).is_some_and(|t| is(List::AgainDo, t));
    let Some(between) = doc.tokens.get(at + 1..h.start).filter(|_| own) else { return false };
    match between {
        // "no try again" answers
        [] => doc.tokens.get(at).is_some_and(|t| t.text == "no") && s.clauses.iter().any(|c| c.start == at),
        [first, ..] => {
            let reaches = |t: &Token| is(List::AgainReach, t) || is(List::Frame, t);
            between.last().is_some_and(|t| is(List::AgainEnd, t))
                && !is(List::Preposition, first)
                && !between.iter().any(reaches)
        }
    }
}

/// "do not, under any circumstances, try again": an earlier clause of the sentence ends in the negation.
fn left_open(doc: &Doc, s: &Structure<'_>, at: usize) -> bool {
    let before = s.clauses.get(..at).unwrap_or_default().iter().rev().take_while(|c| !c.last);
    let ends = |c: &Clause| c.end.checked_sub(1).and_then(|last| doc.tokens.get(last));
    before.filter_map(ends).any(|t| t.text != "no" && s.known.is(List::ForbidNot, &t.text))
}
