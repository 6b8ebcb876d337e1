//! Orders that are put off in the same breath: "delete the branch. hmm, is it merged?".
//!
//! Owns what of a message counts then. What that means is for the vote above.

use crate::{
    classify::Parsed,
    lexicon::Tag,
    structure::{Clause, Form},
    text::{Kind, Token},
    turn::Phase,
    words::List,
};

/// The most words of a hesitation, and of what stands before "first" at a clause's head.
const HEAD: usize = 4;

/// The rest of a message that orders something and then hesitates, or wants a look first: what it asks or wants to see.
pub(super) fn put_off<'p>(p: &'p Parsed<'_>, phase: Phase) -> Option<&'p str> {
    let clauses = &p.structure.clauses;
    if phase != Phase::Idle || p.withdrawn {
        return None;
    }
    let at = (1..clauses.len()).find(|at| {
        let (before, behind) =
            (clauses.get(..*at).unwrap_or_default(), clauses.get(*at..).unwrap_or_default());
        let ordered = |tag: fn(Tag) -> bool| before.iter().any(|c| orders(p, c) && c.verb.is_some_and(tag));
        let stops = behind.first().is_some_and(|c| hesitates(p, c)) && ordered(Tag::acts)
            || behind
                .first()
                .is_some_and(|c| looks(p, c) && says_first(p, c, ordered(|t| t == Tag::VDelete)))
                && ordered(|t| matches!(t, Tag::VDelete | Tag::VExecute));
        stops
            && behind.iter().any(|c| asks(c) || looks(p, c))
            && !behind.iter().any(|c| orders(p, c) || c.form == Form::Ought)
    })?;
    let from = clauses.get(at).and_then(|c| p.doc.tokens.get(c.start))?.start;
    p.text.get(from..)
}

/// Whether a clause orders a change or a run.
fn orders(p: &Parsed<'_>, c: &Clause) -> bool {
    let head = p.doc.tokens.get(c.head).map_or("", |t| &t.text);
    matches!(c.form, Form::Order | Form::Request)
        && c.verb.is_some_and(Tag::acts)
        && !p.structure.known.is(List::SpareLeave, head)
}

fn asks(c: &Clause) -> bool {
    c.marked || matches!(c.form, Form::Question(_))
}

/// Whether a clause orders a look, or talk.
fn looks(p: &Parsed<'_>, c: &Clause) -> bool {
    let told = matches!(c.form, Form::Order | Form::Request | Form::Wish | Form::Statement);
    let see = c.verb.is_some_and(|v| v.is_verb() && !v.acts());
    // "or let's first see if it is used"
    let within = || {
        p.structure
            .hits
            .iter()
            .any(|h| h.start >= c.start && h.start < c.end && h.tag.is_verb() && !h.tag.acts())
    };
    told && (see || c.verb.is_none() && within())
}

/// "hmm", "let me think", "or let's first" at a clause's head.
fn hesitates(p: &Parsed<'_>, c: &Clause) -> bool {
    let said: Vec<&str> = c
        .tokens(&p.doc)
        .iter()
        .take(HEAD)
        .filter(|t| t.kind != Kind::Punct)
        .map(|t| t.text.as_str())
        .collect();
    (1..=said.len())
        .any(|n| said.get(..n).is_some_and(|head| p.structure.known.is(List::Hesitate, &head.join(" "))))
}

/// Whether a clause says "first": at its head, and before a removal at its end as well.
fn says_first(p: &Parsed<'_>, c: &Clause, removal: bool) -> bool {
    let words = c.tokens(&p.doc);
    let first = |t: &Token| p.structure.known.is(List::First, &t.text);
    let opens = |t: &Token| [List::But, List::Tie].iter().any(|l| p.structure.known.is(*l, &t.text));
    let head = words.iter().position(|t| !opens(t) && t.kind != Kind::Punct).unwrap_or(0);
    words.get(head..).unwrap_or_default().iter().take(2).any(first)
        || removal && words.last().is_some_and(first)
}
