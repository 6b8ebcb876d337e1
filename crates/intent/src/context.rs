//! What the last messages add: "update it" means something once there is an "it".
//!
//! Owns when a short order refers back. Never makes an order out of a question.

use std::cmp::Ordering;

use super::{
    IntentPath,
    classify::Parsed,
    lexicon::Tag,
    reading::{Message, Reading},
    rules,
    structure::{Form, Object},
    text::{Kind, Token},
    turn::{Phase, Turn},
    words::List,
};

/// A verb of change whose object is a pronoun, or missing; what is pasted beside it is one.
pub(super) fn bare(parsed: &Parsed<'_>) -> bool {
    if parsed.doc.tokens.iter().any(|t| t.kind == Kind::Code) {
        return false;
    }
    // Without spaces the object stands in the verb's own run of signs, or before it.
    let spelled: usize =
        parsed.doc.tokens.iter().filter(|t| t.kind == Kind::Cjk).map(|t| t.text.chars().count()).sum();
    if spelled > 4
        || (spelled > 0 && parsed.doc.tokens.iter().any(|t| t.kind != Kind::Cjk && t.kind != Kind::Punct))
    {
        return false;
    }
    let clause = parsed.guess().and_then(|g| parsed.structure.clauses.get(g.clause));
    clause.is_some_and(|c| {
        matches!(c.object, Object::Missing | Object::Pronoun)
            && c.verb.is_some_and(Tag::acts)
            && c.verb != Some(Tag::VExecute)
    })
}

/// A verb of change and nothing else, "update", "please fix": no word says of what, and none points at what was talked about.
/// Beside a failure it may be meant, and beside what is pasted it is.
pub(crate) fn alone(parsed: &Parsed<'_>, m: &Message<'_>) -> bool {
    if m.paused || m.phase == Phase::Failed || parsed.text.trim() != m.text.trim() {
        return false;
    }
    let known = parsed.structure.known;
    let mut spoken = parsed.structure.clauses.iter().filter(|c| c.form != Form::Empty);
    let (Some(only), None) = (spoken.next(), spoken.next()) else { return false };
    let mut words = parsed.doc.tokens.iter().enumerate().filter(|(_, t)| t.kind != Kind::Punct);
    let says = |at: usize, t: &Token| match at.cmp(&only.head) {
        Ordering::Less => t.kind == Kind::Word,
        Ordering::Equal => known.is(List::BareVerb, &t.text),
        Ordering::Greater => known.is(List::AgreeBeside, &t.text),
    };
    matches!(only.form, Form::Order | Form::Request) && words.all(|(at, t)| says(at, t))
}

/// Whether the conversation holds something that a pronoun can stand for.
pub(super) fn refers(context: &[String]) -> bool {
    let words =
        |line: &String| line.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count();
    let dense = |line: &String| line.chars().filter(|c| !c.is_ascii()).count() >= 6;
    context.iter().any(|line| words(line) >= 3 || dense(line))
}

/// Raises a short order that refers to what was talked about (INT-21, T-02).
pub(super) fn follow(mut reading: Reading, parsed: &Parsed<'_>, m: &Message<'_>) -> Reading {
    let one = parsed.structure.clauses.len() == 1 && !parsed.asks() && !reading.forbids_change;
    if m.phase != Phase::Idle || !one || alone(parsed, m) || !bare(parsed) || !refers(m.context) {
        return reading;
    }
    let Some(guess) = parsed.guess().filter(|g| rules::is_action(g.leaf)) else { return reading };
    if !rules::is_action(reading.whole.path.current()) {
        reading.whole.path = IntentPath::to(guess.leaf);
    }
    reading.whole.turn = Turn::PlanNew(None);
    reading.whole.confidence = reading.whole.confidence.max(REFERS);
    reading.whole.scope_confidence = reading.whole.scope_confidence.max(REFERS);
    reading.whole.reasoning.push_str("; refers to what was just talked about");
    reading.clarify = None;
    if let [only] = reading.segments.as_mut_slice() {
        only.class = reading.whole.clone();
    }
    reading
}

/// How sure an order is whose object stands in the conversation.
const REFERS: f32 = 0.85;
