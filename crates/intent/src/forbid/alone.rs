//! A removal that is forbidden, and nothing ordered beside it: "don't delete foo.rs" changes nothing.
//!
//! Owns which clauses say so. A prohibition of everything is for the module above.

use super::super::{
    framed::framed,
    lexicon::{Hit, Tag},
    spare::keeps,
    structure::{Clause, Form, Structure},
    text::{Doc, Kind, Token},
    words::List,
};

/// What a message says of what is to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// Nothing, or an order stands beside it.
    Ordered,
    /// All that is wanted is that something is not removed or touched.
    Alone,
    /// It tells that something is not to be changed, and says nothing besides.
    Told,
    /// It names files that are left alone, and says nothing besides.
    Named,
}

/// Whether all that is wanted is that something is not removed or touched.
pub(crate) fn alone(doc: &Doc, s: &Structure<'_>, text: &str) -> Stays {
    let orders =
        |c: &Clause| matches!(c.form, Form::Order | Form::Request | Form::Wish | Form::Ought | Form::Frame);
    let spared = spared(doc, s, text);
    let spares = |number: usize| spared.get(number).copied().unwrap_or_default();
    let clauses = || s.clauses.iter().enumerate();
    let some = spared.contains(&true);
    // "nein, lass die Tests"
    let is_lead = |t: &Token| t.kind == Kind::Punct || s.known.is(List::UndoLead, &t.text);
    let empty = |c: &Clause| c.form == Form::Empty || c.tokens(doc).iter().all(is_lead);
    if some && !goes_on(doc, s) && clauses().all(|(n, c)| spares(n) || empty(c)) {
        return Stays::Named;
    }
    let told = |(n, c): (usize, &Clause)| super::told::denied(doc, s, n) || c.form == Form::Empty;
    if clauses().any(|(n, _)| super::told::denied(doc, s, n)) && clauses().all(told) {
        return Stays::Told;
    }
    // Beside other words what is left alone says nothing of whether these order: "same for decode, leave the tests alone".
    let denied = |number: usize, c: &Clause| {
        denies(doc, s, c) || super::framed::denied(doc, s, number) || super::told::denied(doc, s, number)
    };
    let (denied, rest): (Vec<_>, Vec<_>) = clauses().partition(|(n, c)| denied(*n, c));
    let mut rest = rest.iter().filter(|(n, _)| !spares(*n));
    if denied.is_empty() || rest.any(|(_, c)| orders(c) || super::commands(doc, s, c)) {
        return Stays::Ordered;
    }
    Stays::Alone
}

/// "yes, but leave the tests alone", "go ahead, …", "try again, …": what was spoken of goes on, and only that is kept from it.
fn goes_on(doc: &Doc, s: &Structure<'_>) -> bool {
    let comma = |at: &usize| doc.tokens.get(*at).is_some_and(|t| t.kind == Kind::Punct);
    let but = |h: &Hit| {
        let next = (h.start + h.len..doc.tokens.len()).find(|at| !comma(at));
        next.and_then(|at| doc.tokens.get(at)).is_some_and(|t| s.known.is(List::But, &t.text))
    };
    let goes_on = |h: &Hit| matches!(h.tag, Tag::WProceed | Tag::WRedo) || h.tag == Tag::WApprove && but(h);
    s.hits.iter().any(|h| h.start == 0 && goes_on(h))
}

/// Whether each clause leaves files alone, and orders nothing before it says so: "nobody should edit the tests". One that a comma
/// cuts, "ich will nicht, dass die Tests geändert werden", is read with the next.
pub(super) fn spared(doc: &Doc, s: &Structure<'_>, text: &str) -> Vec<bool> {
    let keeps = |from: usize, to: usize| {
        let ends = s.clauses.get(from).zip(s.clauses.get(to));
        ends.filter(|(first, last)| !last.marked && !matches!(first.form, Form::Question(_))).is_some_and(
            |(first, last)| {
                let orders = |end: usize| {
                    s.hits
                        .iter()
                        .any(|h| h.tag.acts() && h.tag.is_verb() && h.start >= first.start && h.start < end)
                };
                let tokens = doc.tokens.get(first.start..last.end).unwrap_or_default();
                keeps(text, tokens, s.known).is_some_and(|at| !orders(first.start + at))
            },
        )
    };
    let count = s.clauses.len();
    let own: Vec<bool> = (0..count).map(|n| keeps(n, n)).collect();
    let alone = |n: usize| own.get(n).copied().unwrap_or_default();
    let goes_on = |n: usize| s.clauses.get(n).is_some_and(|c| !c.last);
    let cut = |n: usize| goes_on(n) && !alone(n) && !alone(n + 1) && keeps(n, n + 1);
    let cut: Vec<bool> = (0..count).map(cut).collect();
    let is_cut = |n: usize| cut.get(n).copied().unwrap_or_default();
    (0..count).map(|n| alone(n) || is_cut(n) || n.checked_sub(1).is_some_and(is_cut)).collect()
}

/// Whether a clause forbids a removal.
fn denies(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let word = |i: usize| {
        let token = doc.tokens.get(i).filter(|t| t.kind == Kind::Word && i >= c.start && i < c.end);
        token.map_or("", |t| t.text.as_str())
    };
    let is = |i: usize, list: List| s.known.is(list, word(i));
    let negated = |from: usize, to: usize, foreign: bool| {
        let before = (1..=3).filter_map(|d| from.checked_sub(d)).any(|i| is(i, List::Not));
        let inside = (from..to).any(|i| is(i, List::NotAfter));
        let last = is(c.end.saturating_sub(1), List::NotAfter);
        let next = is(to, List::NotAfter) && (word(to) == "pas" || is(to + 1, List::Article));
        before || (foreign && (inside || last || next))
    };
    let inside = |h: &&Hit| h.bytes == 0 && h.start >= c.start && h.start < c.end;
    let verbs = || s.hits.iter().filter(inside).filter(|h| h.tag.acts());
    let denied = |h: &Hit| negated(h.start, h.start + h.len, h.anywhere);
    // "don't teach it about dates" adds nothing; "don't let it accept dates" says how it is to be.
    let gives = [List::FramedTeach, List::FramedGive, List::FramedSwap];
    let adds = |i: usize| {
        let from = || doc.tokens.get(i..c.end).unwrap_or_default();
        gives.iter().any(|list| is(i, *list)) && framed(from(), s.known)
    };
    let touches = |i: usize| is(i, List::Touch) || adds(i);
    let touched = (c.start..c.end).find(|i| touches(*i) && negated(*i, i + 1, true));
    // "delete the cache but don't touch the config" orders something, too
    let ordered = verbs().any(|h| !denied(h) && touched.is_none_or(|t| h.start < t));
    let removes = verbs().any(|h| h.tag == Tag::VDelete && denied(h)) || touched.is_some();
    removes && !ordered && !c.marked && !matches!(c.form, Form::Question(_))
}
