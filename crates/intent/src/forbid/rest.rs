//! What a message says beside its prohibition.
//!
//! Owns the cut; the ban itself stays with the message that was cut.

use super::super::{
    lexicon::{Hit, Tag},
    parts::Rule,
    structure::Structure,
    text::{Doc, Kind},
    words::List,
};

/// The message without the clauses that forbid; `None` when nothing goes, or no more than so many letters would be left.
pub(crate) fn rest(doc: &Doc, s: &Structure<'_>, text: &str, least: usize) -> Option<String> {
    if !s.known.on(Rule::ForbidRest) {
        return None;
    }
    let mut gone: Vec<(usize, usize)> =
        s.hits.iter().filter(|h| cuts(doc, s, h)).filter_map(|h| span(doc, s, h)).collect();
    gone.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in gone {
        if from >= at {
            out.push_str(text.get(at..from)?);
            out.push(' ');
        }
        at = at.max(to);
    }
    if at == 0 {
        return None;
    }
    out.push_str(text.get(at..)?);
    let letters = out.chars().filter(|c| c.is_alphabetic()).count();
    let ascii = out.chars().filter(char::is_ascii_alphabetic).count();
    (letters > least || letters > ascii + 2).then_some(out)
}

fn cuts(doc: &Doc, s: &Structure<'_>, h: &Hit) -> bool {
    h.tag == Tag::Forbid
        && (h.bytes > 0
            || !doc
                .tokens
                .get(h.start..h.start + h.len)
                .unwrap_or(&[])
                .iter()
                .any(|t| s.known.is(List::Wanted, &t.text)))
}

/// The bytes that go with a prohibition: its clause, or less when the clause asks for something, too.
fn span(doc: &Doc, s: &Structure<'_>, h: &Hit) -> Option<(usize, usize)> {
    let first = doc.tokens.get(h.start)?;
    let last = doc.tokens.get(h.start + h.len - 1)?;
    let (from, to) = if h.bytes > 0 {
        (first.start + h.offset, first.start + h.offset + h.bytes)
    } else {
        (first.start, last.end)
    };
    if h.bytes > 0 && first.text.len() != first.end - first.start {
        return None;
    }
    let c = s.clauses.iter().find(|c| c.start <= h.start && h.start < c.end)?;
    let free = |o: &&Hit| {
        o.start >= c.start
            && o.start < c.end
            && o.tag != Tag::Forbid
            && !s.hits.iter().any(|f| {
                f.tag == Tag::Forbid
                    && o.start < f.start + f.len
                    && o.start + o.len > f.start
                    && (f.bytes == 0 || (o.offset < f.offset + f.bytes && o.offset + o.bytes > f.offset))
            })
    };
    let place = (h.start, h.offset);
    let before =
        s.hits.iter().filter(free).any(|o| (o.start, o.offset) < place && (o.tag.is_verb() || o.tag.asks()));
    let after = s
        .hits
        .iter()
        .filter(free)
        .any(|o| (o.start, o.offset) > place && (o.tag.asks() || (o.tag.is_verb() && !o.tag.acts())));
    let (begin, end) = (doc.tokens.get(c.start)?.start, doc.tokens.get(c.end.checked_sub(1)?)?.end);
    let end = doc.tokens.get(c.end).filter(|t| t.kind == Kind::Punct && t.text == ",").map_or(end, |t| t.end);
    Some(match (before, after) {
        (_, true) => (from, to),
        (true, false) => (from, end.max(to)),
        (false, false) => (begin, end.max(to)),
    })
}
