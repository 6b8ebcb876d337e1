//! Orders in the dress of a question that the statistics take for one: "est-ce que tu peux ajouter un test ?", "can't you
//! just cast it? do that".
//!
//! Owns which forms of words are such an order. Which of two readings counts is for the vote above.

use super::FORBIDS;
use crate::{
    IntentNode as N,
    classify::Parsed,
    lexicon::Tag,
    reading::Message,
    stats::Guard,
    structure::{Clause, Form},
    text::Kind,
    turn::Phase,
    words::List,
};

/// The most words of a phrase that asks politely.
const LONGEST: usize = 7;

/// The change that a message politely asks for, and nothing besides.
pub(super) fn politely(p: &Parsed<'_>, guard: Guard, m: &Message<'_>) -> Option<N> {
    let spoken: Vec<&Clause> = p.structure.clauses.iter().filter(|c| c.form != Form::Empty).collect();
    let free = m.phase == Phase::Idle && !m.paused && !p.forbids(m.phase) && guard.forbids < FORBIDS;
    let (last, before) = spoken.split_last()?;
    let told = free && p.kept.len() == p.structure.clauses.len();
    if before.is_empty() {
        return changed(p, last).filter(|_| told && (opens(p, last) || in_run(p, last)));
    }
    let [asked] = before else { return None };
    let proposes = matches!(
        asked.form,
        Form::Question(Tag::QWay | Tag::QAux | Tag::QHow | Tag::QHowDesign | Tag::QOther)
    );
    let harms = |tag| matches!(tag, Tag::VDelete | Tag::VExecute);
    (told && proposes && do_that(p, last) && !has(p, asked, harms)).then_some(N::Modify)
}

fn has(p: &Parsed<'_>, c: &Clause, tag: impl Fn(Tag) -> bool) -> bool {
    p.structure.hits.iter().any(|h| h.start >= c.start && h.start < c.end && tag(h.tag))
}

/// What a clause changes by its verb, where none of its verbs looks, removes or runs.
fn changed(p: &Parsed<'_>, c: &Clause) -> Option<N> {
    let adds = |tag| matches!(tag, Tag::VModify | Tag::VAdd);
    let other = |tag: Tag| tag.is_verb() && !adds(tag) && tag != Tag::VCreate;
    let leaf = if has(p, c, adds) { N::Modify } else { N::Create };
    (has(p, c, |t| adds(t) || t == Tag::VCreate) && !has(p, c, other)).then_some(leaf)
}

/// "est-ce que tu peux", "dá para", "tem como" at a clause's head.
fn opens(p: &Parsed<'_>, c: &Clause) -> bool {
    let said: Vec<&str> = c.tokens(&p.doc).iter().map(|t| t.text.as_str()).collect();
    (2..=LONGEST)
        .any(|n| said.get(..n).is_some_and(|head| p.structure.known.is(List::PoliteOpens, &head.join(" "))))
}

/// "고쳐줄 수 있어?", "可以修一下吗": the same in a run without spaces.
fn in_run(p: &Parsed<'_>, c: &Clause) -> bool {
    c.tokens(&p.doc).iter().filter(|t| t.kind == Kind::Cjk).any(|t| {
        let holds = |list| p.structure.known.words.list(list).iter().any(|w| t.text.contains(&**w));
        holds(List::PoliteRun) || holds(List::PoliteMay) && holds(List::PoliteBit)
    })
}

/// "do it", "please do", "can you do that": what was asked about is to be done.
fn do_that(p: &Parsed<'_>, c: &Clause) -> bool {
    let said = c.tokens(&p.doc).iter().map(|t| t.text.as_str());
    let said: Vec<&str> =
        said.filter(|w| !matches!(*w, "please" | "pls" | "plz" | "then" | "just")).collect();
    p.structure.known.is(List::DoThat, &said.join(" "))
}
