//! Orders that stand by themselves beside a plan that waits: "fix the typo in README", "rename Foo to Bar".
//!
//! Owns which these are by their form. Whether the plan speaks of the same is for whoever knows the plan.

use super::{
    Classifier,
    classify::Parsed,
    forbid::{Ban, Stays},
    lexicon::Tag,
    reading::{Reading, Source},
    structure::{Clause, Form, Object},
    text::{self, Kind},
    turn::{Phase, Turn},
    words::List,
};
use crate::scope::Capability;

impl Classifier {
    /// The reading of an order that stands by itself beside a plan that waits: no change of that, but work of its own.
    /// `speaks` says of what the order is about whether the plan speaks of it.
    #[must_use]
    pub fn beside_plan(
        &self,
        mut reading: Reading,
        phase: Phase,
        speaks: impl FnOnce(&str) -> bool,
    ) -> Reading {
        let class = &mut reading.whole;
        let named = matches!(class.source, Source::Slash | Source::AtNode);
        let scope = class.path.scope();
        let acts = scope.allows(Capability::Write) || scope.allows(Capability::Execute);
        let changes = phase == Phase::AwaitingApproval && class.turn == Turn::PlanContinue && acts && !named;
        if changes && self.stands_apart(&reading.text).is_some_and(|of| !speaks(&of)) {
            class.turn = Turn::PlanNew(None);
            class.reasoning.push_str("; it names nothing of the plan that waits");
        }
        reading
    }

    /// What an order is about that says by none of its words that it changes or extends what was planned; `None` for every
    /// other message.
    pub fn stands_apart(&self, line: &str) -> Option<String> {
        let focus = text::focus(line);
        let parsed = Parsed::within(&focus, line, self.tables());
        let said = self.steers(line) || self.corrects(line) || self.adds(line) || self.replaces(line);
        let kept = parsed.ban == Ban::None && parsed.stays == Stays::Ordered;
        if said || !kept || self.revises(line).is_some() {
            return None;
        }
        let along = |c: &Clause| c.tokens(&parsed.doc).first().is_some_and(|t| comes_along(&t.text));
        let mut spoken = parsed.structure.clauses.iter().filter(|c| c.form != Form::Empty && !along(c));
        let (Some(only), None) = (spoken.next(), spoken.next()) else { return None };
        let hangs = leans(&parsed) || hangs(&parsed, only) || in_a_manner(&parsed, only);
        (works(&parsed, only) && !hangs).then(|| object(&parsed, only)).flatten()
    }
}

/// Whether a clause orders work on a thing that it names; what is only added has to say to what.
fn works(parsed: &Parsed<'_>, clause: &Clause) -> bool {
    let known = parsed.structure.known;
    let tokens = clause.tokens(&parsed.doc);
    let orders = match clause.form {
        Form::Order => !clause.marked,
        Form::Request => true,
        Form::Wish
        | Form::Ought
        | Form::Question(_)
        | Form::Complaint
        | Form::Statement
        | Form::Frame
        | Form::Empty => false,
    };
    let verb = parsed.doc.tokens.get(clause.head).is_some_and(|t| known.is(List::WorkVerb, &t.text));
    let placed = tokens.iter().any(|t| known.is(List::Preposition, &t.text) || is_file(t.kind));
    let named = !matches!(clause.object, Object::Missing | Object::Pronoun);
    orders && verb && named && (clause.verb != Some(Tag::VAdd) || placed)
}

/// Whether a word points at what was spoken of, or at the steps of a plan.
fn leans(parsed: &Parsed<'_>) -> bool {
    let known = parsed.structure.known;
    let lists = [List::Leans, List::Also, List::Steer, List::ReviseStep, List::ReviseTask, List::ReviseOrder];
    let mut words = parsed.doc.tokens.iter().filter(|t| t.kind == Kind::Word);
    words.any(|t| lists.iter().any(|list| known.is(*list, &t.text)))
}

/// Whether an order hangs on what was said or is done: "and rename the class", "… while you are in there", "… and carry on".
fn hangs(parsed: &Parsed<'_>, clause: &Clause) -> bool {
    let known = parsed.structure.known;
    let tied = parsed.doc.tokens.iter().find(|t| t.kind != Kind::Punct);
    let mut behind = parsed.doc.tokens.iter().skip(clause.after);
    tied.is_some_and(|t| known.is(List::Tie, &t.text))
        || behind.any(|t| known.is(List::LeansOn, &t.text))
        || parsed.structure.hits.iter().any(|h| h.tag == Tag::WProceed && h.start > clause.head)
}

/// Whether something is to be run in another manner: "run the tests with coverage".
fn in_a_manner(parsed: &Parsed<'_>, clause: &Clause) -> bool {
    let mut behind = parsed.doc.tokens.iter().skip(clause.after);
    clause.verb == Some(Tag::VExecute) && behind.any(|t| comes_along(&t.text))
}

/// Whether a word begins what an order has with it.
fn comes_along(word: &str) -> bool {
    matches!(word, "with" | "without" | "including")
}

const fn is_file(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Path)
}

/// What stands behind the verb.
fn object(parsed: &Parsed<'_>, clause: &Clause) -> Option<String> {
    let tokens = parsed.doc.tokens.get(clause.after..clause.end)?;
    let (first, last) = (tokens.first()?, tokens.last()?);
    parsed.text.get(first.start..last.end).map(str::to_owned)
}
