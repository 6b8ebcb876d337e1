//! What is said beside a word that stops: why, what the writer is about to do, or a question.
//!
//! Owns which clauses order nothing else. Never says of what something stops.

use super::{Said, is_listed, said};
use crate::{
    answer,
    classify::Parsed,
    lexicon::{Hit, Tag},
    parts::Tables,
    structure::{Clause, Form},
    text::{Kind, Token},
    words::List,
};

/// How many words may stand between an article and the verb that is said of its noun.
const NOUN: usize = 4;

/// Whether what follows a word that stops is another clause that says why: "please i need the terminal", "you are on the
/// wrong branch", "my disk is full".
pub(super) fn begins(known: &Tables, tokens: &[Token]) -> bool {
    let past = |t: &&Token| t.kind == Kind::Punct || known.is(List::HaltPast, &t.text);
    let from = tokens.iter().take_while(past).count();
    let rest = tokens.get(from..).unwrap_or_default();
    let [first, behind @ ..] = rest else { return false };
    let two = behind.first().map(|second| format!("{} {}", first.text, second.text));
    // "stop this id check"
    let why = known.is(List::HaltWhy, &first.text) && !(from > 0 && first.text == "id");
    let told = || (0..=from).any(|at| tokens.get(at..).is_some_and(|rest| is_told(known, rest)));
    why || two.is_some_and(|two| known.is(List::HaltWhy, &two)) || told()
}

/// "my disk is full", "the build my laptop is overheating": a noun of which something is said, and none that a clause of its
/// own narrows: "the process my app is using", "the port the server is on".
fn is_told(known: &Tables, tokens: &[Token]) -> bool {
    let Some((first, rest)) = tokens.split_first() else { return false };
    let closes = [List::Preposition, List::Frame, List::Tie, List::But];
    let said = rest.iter().take(NOUN).position(|t| known.is(List::Aux, &t.text));
    let noun = said.and_then(|at| rest.get(..at)).unwrap_or_default();
    let of_it = said.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
    let says = match of_it {
        [] => false,
        [only] => !known.is(List::Preposition, &only.text),
        _ => true,
    };
    let narrows = noun.iter().any(|t| known.is(List::Article, &t.text)) && lacks_object(known, of_it);
    known.is(List::Determiner, &first.text)
        && said.is_some_and(|at| at > 0 || matches!(first.text.as_str(), "this" | "that"))
        && says
        && !narrows
        && noun.iter().all(|t| t.kind == Kind::Word && !closes.iter().any(|list| known.is(*list, &t.text)))
}

/// Whether what is said has its object before it, which it narrows: "using", "held by", "using on port 3000".
fn lacks_object(known: &Tables, said: &[Token]) -> bool {
    let small = |t: &&Token| t.kind == Kind::Punct || known.is(List::HaltPast, &t.text);
    let said = said.get(..said.len() - said.iter().rev().take_while(small).count()).unwrap_or_default();
    let leads = |t: &Token| known.is(List::Preposition, &t.text);
    let takes = said.iter().position(|t| known.is(List::HaltTakes, &t.text));
    said.last().is_some_and(leads) || takes.is_some_and(|at| said.get(at + 1).is_none_or(leads))
}

/// Whether a clause names where all of the work is done, and nothing else: "stop the server", not "stop, that is prod".
pub(super) fn at_place(p: &Parsed<'_>, c: &Clause) -> bool {
    let known = p.structure.known;
    let words = c.tokens(&p.doc);
    let told = (1..words.len()).any(|at| words.get(at..).is_some_and(|rest| begins(known, rest)));
    !told && words.iter().any(|t| is_listed(p, List::HaltGround, t))
}

/// Whether a clause beside a stop orders nothing: it is empty, tells, asks, or says what the writer will do.
pub(super) fn is_beside(p: &Parsed<'_>, c: &Clause) -> bool {
    let within = |h: &&Hit| h.start >= c.start && h.start < c.end;
    let has = |tag: fn(Tag) -> bool| p.structure.hits.iter().filter(within).any(|h| tag(h.tag));
    if said(p, c) != Said::Nothing {
        return false;
    }
    if c.form == Form::Empty {
        return true;
    }
    let words = c.tokens(&p.doc);
    let is = |list, t: &Token| p.structure.known.is(list, &t.text);
    let keeps = has(|t| matches!(t, Tag::Forbid | Tag::ForbidAll | Tag::Keep | Tag::Correct))
        || words.iter().any(|t| is(List::SpareLeave, t) || is(List::Also, t))
        || words.first().is_some_and(|t| is(List::Not, t) || is(List::ForbidNot, t));
    if keeps {
        return false;
    }
    if speaks(p, c, List::HaltSelf) || (speaks(p, c, List::HaltWant) && !has(Tag::acts)) {
        return true;
    }
    let ought = has(|t| t == Tag::Shall);
    let tells = words.first().is_some_and(|t| is(List::HaltWhy, t)) || words.iter().any(|t| is(List::Aux, t));
    match c.form {
        Form::Complaint => !ought,
        Form::Statement => tells && !ought && c.verb.is_none(),
        Form::Question(tag) => {
            // "shouldn't it be in lib?", "how about tabs?" want something else
            let wants = words.iter().any(|t| t.text.starts_with("should")) || has(|t| t == Tag::QHowDesign);
            let invites =
                words.windows(2).any(|w| matches!(w, [a, b] if is(List::AgainWhy, a) && is(List::Not, b)));
            tag != Tag::QWay && !wants && !invites && !answer::is_polite(&p.doc, &p.structure, c)
        }
        Form::Order | Form::Request | Form::Wish | Form::Ought | Form::Frame | Form::Empty => false,
    }
}

/// Whether a clause begins with a phrase of a list, small words aside.
fn speaks(p: &Parsed<'_>, c: &Clause, list: List) -> bool {
    let known = p.structure.known;
    let words = c.tokens(&p.doc);
    let small = |t: &&Token| {
        t.kind == Kind::Punct || known.is(List::HaltPast, &t.text) || known.is(List::Tie, &t.text)
    };
    let from = words.iter().take_while(small).count();
    let words: Vec<&str> = words.get(from..).unwrap_or_default().iter().map(|t| t.text.as_str()).collect();
    let opens = |n: &usize| words.get(..*n).is_some_and(|head| known.is(list, &head.join(" ")));
    let run = || c.tokens(&p.doc).iter().any(|t| t.kind == Kind::Cjk && is_listed(p, list, t));
    (1..=4).any(|n| opens(&n)) || run()
}
