//! A removal that is forbidden, and nothing ordered beside it: "don't delete foo.rs" changes nothing.
//!
//! Owns which clauses say so. A prohibition of everything is for the module above.

use super::super::{
    framed::framed,
    lexicon::{Hit, Tag},
    structure::{Clause, Form, Structure},
    text::{Doc, Kind},
    words::List,
};

/// Whether all that is wanted is that something is not removed or touched.
pub(crate) fn alone(doc: &Doc, s: &Structure<'_>) -> bool {
    let orders =
        |c: &Clause| matches!(c.form, Form::Order | Form::Request | Form::Wish | Form::Ought | Form::Frame);
    let denied = |number: usize, c: &Clause| denies(doc, s, c) || super::framed::denied(doc, s, number);
    let (denied, rest): (Vec<_>, Vec<_>) = s.clauses.iter().enumerate().partition(|(n, c)| denied(*n, c));
    !denied.is_empty() && !rest.into_iter().any(|(_, c)| orders(c) || super::commands(doc, s, c))
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
