//! What a word that stops is said of: of the run as a whole, or of a part of the work.
//!
//! Owns that difference. "stop", "cancel the run" end what runs; "stop adding comments", "cancel step 3", "wrong file" name
//! something else, and narrow it. Owns as well what takes work up again: "go on with the plan". Never says whether a
//! message stops anything: that is for the vote and the session.

mod ground;

use super::{
    answer,
    classify::Parsed,
    lexicon::{Hit, Tag},
    structure::{Clause, Form},
    text::{Kind, Token},
    words::List,
};

/// What a clause says with a word that stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// It holds no such word where one begins it.
    Nothing,
    /// Of the run, or of nothing in particular.
    Run,
    /// Of something else.
    Part,
}

/// Whether a message says a word that stops of a part of the work, and none of the run itself.
pub(crate) fn of_part(p: &Parsed<'_>) -> bool {
    let clauses = &p.structure.clauses;
    let mut part = false;
    for (i, c) in clauses.iter().enumerate() {
        // "hör auf, Kommentare zu schreiben": the comma belongs to the verb.
        let goes_on = clauses.get(i + 1).filter(|_| !c.last).is_some_and(|next| infinitive(p, next));
        match said(p, c) {
            Said::Run if goes_on => part = true,
            Said::Run => return false,
            Said::Part => part = true,
            Said::Nothing => {}
        }
    }
    part
}

/// Whether a message plainly stops the run, and orders nothing else: each clause does, or says why, or asks.
pub(crate) fn of_run(p: &Parsed<'_>) -> bool {
    let clauses = || p.structure.clauses.iter();
    // "quit, I have a train to catch": the writer leaves.
    let quits = |c: &Clause| c.tokens(&p.doc).iter().any(|t| t.text == "quit");
    let beside = |c: &Clause| c.form == Form::Empty || !clauses().any(quits);
    clauses().any(|c| halts(p, c)) && clauses().all(|c| halts(p, c) || ground::is_beside(p, c) && beside(c))
}

/// Whether a clause of a message plainly stops the run; one that takes back what was said before it does not.
pub(crate) fn stops(p: &Parsed<'_>) -> bool {
    let within = |c: &Clause, h: &Hit| h.start >= c.start && h.start < c.end;
    let back = |c: &Clause| p.structure.hits.iter().any(|h| h.tag == Tag::InMsgCancel && within(c, h));
    p.structure.clauses.iter().any(|c| halts(p, c) && !back(c))
}

fn halts(p: &Parsed<'_>, c: &Clause) -> bool {
    let holds = |list| c.tokens(&p.doc).iter().any(|t| is_listed(p, list, t));
    // "stop?!" shouts
    let shouts = p.doc.tokens.get(c.end + 1).is_some_and(|t| t.text == "!");
    let asks = !shouts && answer::is_asked(&p.doc, &p.structure, c);
    let negated = || {
        let head = c.tokens(&p.doc).iter().take_while(|t| !is_listed(p, List::HaltPlain, t));
        head.into_iter().any(|t| t.text != "no" && p.structure.known.is(List::ForbidNot, &t.text))
    };
    said(p, c) == Said::Run && holds(List::HaltPlain) && !asks && !negated() && !ground::at_place(p, c)
}

/// Whether a message takes work up again, and says nothing besides but how things stand: "I fixed it, go on".
pub(crate) fn resumes(p: &Parsed<'_>) -> bool {
    let Some((last, before)) = p.structure.clauses.split_last() else { return false };
    let told = |c: &Clause| {
        let form = matches!(c.form, Form::Statement | Form::Complaint | Form::Empty);
        form && !c.marked && said(p, c) == Said::Nothing
    };
    let small = [List::HaltOf, List::HaltRun, List::ResumeOf];
    let asked = |h: &Hit| h.tag == Tag::QWhat && h.start >= last.start && h.start < last.end;
    let asks = last.marked || p.structure.hits.iter().any(asked);
    !asks && begins(p, last, List::Resume, &small) == Said::Run && before.iter().all(told)
}

/// Whether what takes work up again names the plan or the run.
pub(crate) fn resumes_run(p: &Parsed<'_>) -> bool {
    let named = |t: &Token| is_listed(p, List::ResumeRun, t);
    resumes(p) && p.structure.clauses.last().is_some_and(|c| c.tokens(&p.doc).iter().any(named))
}

/// Whether a token is a word of a list, or holds one where words are not set apart.
fn is_listed(p: &Parsed<'_>, list: List, token: &Token) -> bool {
    let words = &p.structure.known.words;
    let within = || words.list(list).iter().any(|w| !w.is_ascii() && token.text.contains(&**w));
    words.has(list, &token.text) || (token.kind == Kind::Cjk && within())
}

fn infinitive(p: &Parsed<'_>, c: &Clause) -> bool {
    c.tokens(&p.doc).iter().skip(1).any(|t| p.structure.known.is(List::HaltTo, &t.text))
}

/// What a clause says with a word that stops.
fn said(p: &Parsed<'_>, c: &Clause) -> Said {
    begins(p, c, List::Halt, &[List::HaltOf, List::HaltRun, List::HaltGround, List::HaltPlain])
}

/// What a clause says that begins with a word of a list; these words behind it are none of something else.
fn begins(p: &Parsed<'_>, c: &Clause, list: List, small: &[List]) -> Said {
    let known = p.structure.known;
    let mut at = c.start;
    while let Some(token) = p.doc.tokens.get(at).filter(|_| at < c.end) {
        if let Some(len) = phrase(p, list, at, c.end) {
            return object(p, at + len, c.end, small);
        }
        if let Some(said) = unspaced(p, (at, c.end), list, small) {
            return said;
        }
        let lead = known.is(List::HaltLead, &token.text) || token.kind == Kind::Punct;
        let led = |h: &&Hit| matches!(h.tag, Tag::Filler | Tag::WReject | Tag::Correct | Tag::Req);
        let hit = p.structure.hits.iter().filter(|h| h.start == at && h.bytes == 0).filter(led);
        let Some(len) = hit.map(|h| h.len).max().or(lead.then_some(1)) else { break };
        at += len.max(1);
    }
    Said::Nothing
}

/// How many tokens the longest phrase of a list takes which begins here.
fn phrase(p: &Parsed<'_>, list: List, at: usize, end: usize) -> Option<usize> {
    let tokens = p.doc.tokens.get(at..end)?;
    let begins = |phrase: &str| {
        let words: Vec<&str> = phrase.split(' ').collect();
        let here = tokens.len() >= words.len() && tokens.iter().zip(&words).all(|(t, w)| t.text == *w);
        here.then_some(words.len())
    };
    p.structure.known.words.list(list).iter().filter_map(|phrase| begins(phrase)).max()
}

/// What is left of a clause behind the word: nothing, words for the run, or something else.
fn object(p: &Parsed<'_>, from: usize, end: usize, small: &[List]) -> Said {
    let known = p.structure.known;
    let tokens = p.doc.tokens.get(from..end).unwrap_or_default();
    // "stop i made a mistake", "stop please thats prod": another clause, for want of a comma.
    if ground::begins(known, tokens) {
        return Said::Run;
    }
    let filled = |i: usize| {
        let of = |h: &&Hit| h.tag == Tag::Filler && h.start <= i && i < h.start + h.len;
        p.structure.hits.iter().any(|h| of(&h))
    };
    let is_small = |t: &Token| small.iter().any(|list| known.is(*list, &t.text));
    let other = (from..)
        .zip(tokens)
        .any(|(i, t)| t.kind != Kind::Punct && !is_small(t) && !filled(i) && !joined(p, t, small));
    if other { Said::Part } else { Said::Run }
}

/// Whether a run without spaces is made of these words.
fn joined(p: &Parsed<'_>, token: &Token, small: &[List]) -> bool {
    token.kind == Kind::Cjk && stripped(p, &token.text, small).is_empty()
}

/// What is left of a run without spaces when these words are taken from its head.
fn stripped<'t>(p: &Parsed<'_>, text: &'t str, small: &[List]) -> &'t str {
    let mut rest = text;
    while let Some(next) = small.iter().find_map(|list| without(p, rest, *list)) {
        rest = next;
    }
    rest
}

/// A run without spaces, without the longest word of a list at its head.
fn without<'t>(p: &Parsed<'_>, text: &'t str, list: List) -> Option<&'t str> {
    let words = p.structure.known.words.list(list).iter().filter(|w| !w.is_ascii());
    words.filter_map(|w| text.strip_prefix(&**w)).min_by_key(|rest| rest.len())
}

/// The same as [`begins`] at a token, where words are not set apart.
fn unspaced(p: &Parsed<'_>, (at, end): (usize, usize), list: List, small: &[List]) -> Option<Said> {
    let token = p.doc.tokens.get(at).filter(|t| t.kind == Kind::Cjk)?;
    let rest = without(p, stripped(p, &token.text, &[List::HaltLead]), list)?;
    let rest = stripped(p, rest, small);
    let rest = stripped(p, rest, &[List::Particle]);
    Some(if rest.is_empty() { object(p, at + 1, end, small) } else { Said::Part })
}
