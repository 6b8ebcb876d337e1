//! Reports that begin with a program's name, or with a word that runs: "cargo build fails, tell me why".
//!
//! Owns what is a report and no order, and what is not to be run. Which of two readings counts is for the vote above.

use pilothouse_shell::{Role, is};

use crate::{
    IntentNode as N,
    classify::Parsed,
    lexicon::{Hit, Tag},
    rules,
    structure::{Clause, Form},
    text::{Kind, Token},
    words::List,
};

/// How many words a program's name and its arguments have at most, before what is told of the run.
const NAME: usize = 7;

/// The clause that tells what came of a run, where the message begins with one.
pub(super) fn told<'p>(p: &'p Parsed<'_>) -> Option<&'p Clause> {
    let first = p.structure.clauses.iter().find(|c| c.form != Form::Empty)?;
    (!first.marked && tells(p, first)).then_some(first)
}

fn tells(p: &Parsed<'_>, c: &Clause) -> bool {
    let known = p.structure.known;
    let words = p.doc.tokens.get(c.head..c.end).unwrap_or_default();
    let is_in = |list, t: &Token| known.is(list, &t.text);
    let Some((head, rest)) = words.split_first() else { return false };
    let runs = p.structure.hits.iter().any(|h| h.tag == Tag::VExecute && h.start == c.head);
    let program = || is(&head.text, Role::Typed) || is(&head.text, Role::Project);
    let named = |t: &Token| is_in(List::ReportNoun, t);
    let of = runs && rest.first().is_some_and(|t| t.text == "of");
    if !(runs || program() || rest.first().is_some_and(named)) {
        return false;
    }
    let ends = |t: &Token| {
        t.kind == Kind::Punct
            || [List::Preposition, List::Frame, List::ReportWhen].iter().any(|l| is_in(*l, t))
    };
    let verb = is_in(List::ReportVerb, head);
    // "make login errors clearer", "make buttons red"
    let object = |t: &Token, next: Option<&Token>| {
        let alone =
            |t: &Token| t.kind == Kind::Punct || is_in(List::ReportAfter, t) || t.kind == Kind::Number;
        verb && is_in(List::ReportPlural, t) && !next.is_none_or(alone)
    };
    let made = |at: usize, t: &Token| {
        let run = |t: &Token| is_in(List::Subcommand, t) || is_in(List::ReportNoun, t) || is_option(t);
        let named = rest.get(..at).unwrap_or_default();
        verb && !of && is_in(List::ReportMade, t) && !named.iter().all(run)
    };
    let said = rest.iter().take(NAME).enumerate().position(|(i, t)| {
        let next = rest.get(i + 1);
        // "rerun failed jobs"
        is_in(List::ReportTells, t) && !next.is_some_and(|t| is_in(List::ReportNot, t)) && !object(t, next)
            || is_in(List::ReportPast, t) && next.is_none_or(ends) && !made(i, t)
    });
    let name = said.and_then(|at| rest.get(..at)).unwrap_or_default();
    let other =
        |t: &Token| is_in(List::ReportNot, t) || !of && is_in(List::Article, t) || t.kind == Kind::Punct;
    said.is_some() && !name.iter().any(other)
}

/// Whether a word is an option or a path, as only a line that is typed has them.
fn is_option(t: &Token) -> bool {
    matches!(t.kind, Kind::Path | Kind::File | Kind::Flag)
}

/// Whether what such a report says may not be done: all that acts where it is only asked about or kept from, a run in
/// any case.
pub(super) fn bars(p: &Parsed<'_>, leaf: N) -> bool {
    if !rules::is_action(leaf) {
        return false;
    }
    let Some(told) = told(p) else { return leaf == N::Execute && keeps_from_run(p) };
    let mut rest = p.structure.clauses.iter().filter(|c| c.start > told.start && c.form != Form::Empty);
    if rest.clone().any(|c| orders(p, c)) {
        return false;
    }
    leaf == N::Execute || rest.any(|c| only_looks(p, c))
}

fn hits<'p>(p: &'p Parsed<'_>, c: &Clause) -> impl Iterator<Item = &'p Hit> {
    let (start, end) = (c.start, c.end);
    p.structure.hits.iter().filter(move |h| h.start >= start && h.start < end)
}

/// Whether a clause orders a change or a run.
fn orders(p: &Parsed<'_>, c: &Clause) -> bool {
    let head = p.doc.tokens.get(c.head).map_or("", |t| &t.text);
    let keeps = [List::SpareLeave, List::ForbidNot].iter().any(|list| p.structure.known.is(*list, head));
    let wants = matches!(c.form, Form::Order | Form::Request | Form::Wish | Form::Ought);
    wants
        && c.verb.is_some_and(Tag::acts)
        && !keeps
        && !hits(p, c).any(|h| matches!(h.tag, Tag::Forbid | Tag::ForbidAll))
}

/// Whether a clause asks, looks, or keeps from something.
fn only_looks(p: &Parsed<'_>, c: &Clause) -> bool {
    let looks =
        |tag: Tag| tag.is_verb() && !tag.acts() || tag.asks() || matches!(tag, Tag::Forbid | Tag::ForbidAll);
    let words = c.tokens(&p.doc);
    let keeps = |t: &Token| {
        [List::ForbidNot, List::SpareLeave].iter().any(|list| p.structure.known.is(*list, &t.text))
    };
    c.marked || hits(p, c).any(|h| looks(h.tag)) || words.iter().any(keeps)
}

/// "do not run it again": a clause keeps from running, and none orders anything.
fn keeps_from_run(p: &Parsed<'_>) -> bool {
    let known = p.structure.known;
    let keeps = |c: &Clause| {
        let words = c.tokens(&p.doc);
        let negated = words.iter().take(3).position(|t| t.text != "no" && known.is(List::ForbidNot, &t.text));
        negated.is_some_and(|at| {
            hits(p, c)
                .any(|h| h.tag == Tag::VExecute && (1..=2).contains(&(h.start.saturating_sub(c.start + at))))
        })
    };
    p.structure.clauses.iter().any(keeps) && !p.structure.clauses.iter().any(|c| orders(p, c))
}
