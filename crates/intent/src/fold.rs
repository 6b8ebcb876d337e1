//! Folds a message of several parts: a later part may withdraw an earlier one (C-36).
//!
//! Owns which clauses and segments survive. Never reorders the writer's words.

use super::{
    lexicon::{Hit, Tag},
    parts::Rule,
    structure::{Clause, Form, Structure},
    text::{Doc, Kind},
    words::List,
};

/// One part of a message between full stops, semicolons and line ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Bytes of the message.
    pub from: usize,
    pub to: usize,
    /// Clauses from..to of the structure.
    pub first: usize,
    pub end: usize,
}

/// The parts of a message.
pub(crate) fn parts(doc: &Doc, s: &Structure<'_>) -> Vec<Part> {
    let mut out = Vec::new();
    let mut first = 0;
    for (i, c) in s.clauses.iter().enumerate() {
        if !c.last && i + 1 < s.clauses.len() {
            continue;
        }
        let from = s.clauses.get(first).and_then(|c| doc.tokens.get(c.start)).map_or(0, |t| t.start);
        let to = doc.tokens.get(c.end.saturating_sub(1)).map_or(from, |t| t.end).max(from);
        out.push(Part { from, to, first, end: i + 1 });
        first = i + 1;
    }
    out
}

/// A marker at the head of a clause, fillers aside.
fn marker(s: &Structure<'_>, c: &Clause, tag: Tag) -> Option<Hit> {
    s.hits
        .iter()
        .copied()
        .filter(|h| {
            h.tag == tag
                && h.start >= c.start
                && h.start < c.end
                && h.start <= c.start + 2
                && (h.bytes == 0 || h.offset == 0)
        })
        .max_by_key(|h| h.len)
}

fn speaks(c: &Clause) -> bool {
    matches!(c.form, Form::Order | Form::Request | Form::Wish | Form::Ought | Form::Question(_))
}

/// Clauses that survive, and whether the message ends in a withdrawal of everything.
pub(crate) fn survivors(doc: &Doc, s: &Structure<'_>) -> (Vec<usize>, bool) {
    if !s.known.on(Rule::Withdrawal) {
        return ((0..s.clauses.len()).collect(), false);
    }
    if taken_back(doc, s) {
        return ((0..s.clauses.len()).collect(), true);
    }
    let mut kept: Vec<usize> = Vec::new();
    let mut withdrawn = false;
    for (i, c) in s.clauses.iter().enumerate() {
        let also = c.tokens(doc).iter().any(|t| s.known.is(List::Also, &t.text));
        let before = kept.iter().any(|k| s.clauses.get(*k).is_some_and(speaks));
        let cancel = marker(s, c, Tag::InMsgCancel).filter(|h| {
            !(h.start + h.len < c.end
                && h.len == 1
                && doc.tokens.get(h.start).is_some_and(|t| t.text == "or"))
        });
        // "no wait, forget it": the second takes back no less than the first.
        let strong = (before || withdrawn) && (cancel.is_some() || is_dont(doc, s, c));
        let weak = before && !also && marker(s, c, Tag::Correct).is_some_and(|h| corrects(doc, s, c, i, h));
        if strong || weak {
            kept.clear();
            withdrawn = true;
        }
        if speaks(c) && !is_dont(doc, s, c) && !(strong && cancel.is_some_and(|h| h.start + h.len >= c.end)) {
            withdrawn = false;
        }
        kept.push(i);
    }
    let left = kept.iter().any(|k| {
        s.clauses.get(*k).is_some_and(|c| {
            speaks(c)
                && !is_dont(doc, s, c)
                && marker(s, c, Tag::InMsgCancel).is_none_or(|h| h.start + h.len < c.end)
        })
    });
    (kept, withdrawn && !left)
}

/// "don't", and nothing of what: what was said before it is not to be done.
fn is_dont(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let words = c.tokens(doc).iter().map(|t| t.text.as_str());
    let said = |w: &&str| !s.known.is(List::Tie, w) && !s.known.is(List::But, w) && *w != "please";
    let words: Vec<&str> = words.filter(said).collect();
    !c.marked && matches!(words.as_slice(), ["dont"] | ["do", "not"] | ["no" | "actually", "dont"])
}

/// "delete foo, no wait, keep it": an order, a word that takes it back, and that nothing is to happen; what is wanted
/// behind it is another thing.
fn taken_back(doc: &Doc, s: &Structure<'_>) -> bool {
    let orders = |c: &&Clause| {
        matches!(c.form, Form::Order | Form::Request | Form::Wish) && c.verb.is_some_and(Tag::acts)
    };
    let Some(order) = s.clauses.iter().find(orders) else { return false };
    let places = |tag: Tag| s.hits.iter().filter(move |h| h.tag == tag).map(|h| (h.start, h.offset));
    let Some(keep) = places(Tag::Keep).max() else { return false };
    let mut markers = places(Tag::Correct).chain(places(Tag::InMsgCancel));
    let behind = |c: &&Clause| c.start > keep.0;
    markers.any(|at| at > (order.head, 0) && at < keep)
        && !s.clauses.iter().filter(behind).any(|c| orders(&c) || opens_anew(doc, s, c))
}

/// Whether a clause begins with a word that corrects and wants another thing: "actually call it sums". One that
/// forbids wants none.
fn opens_anew(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let back = |h: &Hit| h.tag == Tag::InMsgCancel && h.start >= c.start && h.start < c.end;
    let negated = c.tokens(doc).iter().any(|t| s.known.is(List::Not, &t.text));
    let more = marker(s, c, Tag::Correct).is_some_and(|h| h.start + h.len < c.end);
    more && !negated && !s.hits.iter().any(back)
}

/// A weak marker corrects only when this clause, or the next one, asks for something else.
fn corrects(doc: &Doc, s: &Structure<'_>, c: &Clause, i: usize, h: Hit) -> bool {
    let word = doc.tokens.get(h.start).map_or("", |t| t.text.as_str());
    let sentence_start = c.start == 0 || doc.tokens.get(c.start - 1).is_none_or(|t| t.kind == Kind::Punct);
    let firm = h.bytes > 0 || h.len > 1 || s.known.is(List::Correction, word);
    let next = s.clauses.get(i + 1).is_some_and(speaks) && !c.last;
    let content = speaks(c) && h.start + h.len < c.end;
    let noted = s.known.is(List::Better, word) && h.len == 1;
    sentence_start && firm && !noted && (content || next)
}
