//! What a message is about: the name in it, what its verb is applied to, or what its question asks about (INT-31).
//!
//! Owns which words these are. Never says what becomes of them.

use super::{
    classify::Parsed,
    lexicon::Tag,
    reading::Segment,
    rules,
    structure::{Clause, Form},
    text::{Kind, Token},
    words::List,
};

/// The longest that is told.
const LONGEST: usize = 120;

/// The first name in the message: a file, a path, something between backticks; else what its main clause is about.
pub(super) fn of(parsed: &Parsed<'_>) -> Option<String> {
    let tokens = &parsed.doc.tokens;
    let named = tokens
        .iter()
        .find(|t| matches!(t.kind, Kind::File | Kind::Path | Kind::Tick))
        .or_else(|| tokens.iter().find(|t| matches!(t.kind, Kind::Ident | Kind::Quote)));
    if let Some(token) = named {
        let raw = parsed.text.get(token.start..token.end)?;
        return Some(raw.trim_matches(['`', '"', '\'', '“', '”']).to_owned());
    }
    let clause = parsed.guess().and_then(|g| parsed.structure.clauses.get(g.clause))?;
    let asked = match clause.form {
        Form::Question(_) => subject(parsed, clause),
        Form::Order
        | Form::Request
        | Form::Wish
        | Form::Ought
        | Form::Complaint
        | Form::Statement
        | Form::Frame
        | Form::Empty => None,
    };
    let words = asked.or_else(|| tokens.get(clause.after..clause.end))?;
    let text = parsed.text.get(words.first()?.start..words.last()?.end)?.trim();
    (!text.is_empty() && text.len() < LONGEST).then(|| text.to_owned())
}

/// What several orders of one message are about, each once.
pub(super) fn of_orders(segments: &[Segment]) -> Option<String> {
    let orders = segments.iter().filter(|s| !s.dropped && rules::is_action(s.class.path.current()));
    let mut targets: Vec<&str> = Vec::new();
    for target in orders.filter_map(|s| s.class.target.as_deref()) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    (targets.len() > 1).then(|| targets.join(", ")).filter(|t| t.len() < LONGEST)
}

/// What stands between the helping verb of a question and its main verb, "how does (authentication) work?"; behind the main
/// verb where somebody of the talk is the subject, "how do I run (the tests)?".
fn subject<'t>(parsed: &'t Parsed<'_>, clause: &Clause) -> Option<&'t [Token]> {
    let known = parsed.structure.known;
    let is = |t: &Token, list| known.is(list, &t.text);
    let tokens = &parsed.doc.tokens;
    let at = |at: usize| tokens.get(at);
    let helps = |t: &Token| is(t, List::BeOrHave) || is(t, List::DoOrMay);
    let before = clause.after.checked_sub(1)?;
    // "how do i" is one phrase of the tables.
    let first = if at(clause.after).is_some_and(helps) {
        clause.after + 1
    } else if at(before).is_some_and(|t| is(t, List::Subject)) {
        before
    } else {
        clause.after
    };
    let helper = at(first.checked_sub(1)?).filter(|t| helps(t))?;
    let rest = tokens.get(first..clause.end)?;
    let rest = rest.get(..rest.iter().position(|t| t.kind == Kind::Punct).unwrap_or(rest.len()))?;
    if rest.first().is_some_and(|t| is(t, List::Subject)) {
        // "are there tests?": no main verb stands behind it.
        let behind = if is(helper, List::BeOrHave) { 1 } else { 2 };
        return rest.get(behind..).filter(|behind| !behind.is_empty());
    }
    // "what does it do": a preposition elsewhere.
    let binds = |t: &Token| is(t, List::Preposition) && !is(t, List::DoOrMay);
    let bound = rest.iter().skip(1).position(binds).map_or(rest.len(), |at| at + 1);
    let phrase = rest.get(..bound)?;
    let pointed = phrase.first().is_some_and(|t| is(t, List::Pronoun)) && phrase.len() == 2;
    let verb = if is(helper, List::BeOrHave) {
        let said = phrase.last().filter(|_| phrase.len() > 1)?;
        let says = |t: &Token| t.text.ends_with("ing") || t.text.ends_with("ed");
        let faulty = parsed
            .structure
            .hits
            .iter()
            .any(|h| h.tag == Tag::Fault && tokens.get(h.start).is_some_and(|t| t.start == said.start));
        (pointed || says(said) || faulty).then(|| phrase.len() - 1)?
    } else {
        let last = phrase.len().checked_sub(1)?;
        let raw = |t: &Token| parsed.text.get(t.start..t.end).unwrap_or_default();
        let name = |t: &Token| t.kind != Kind::Word || raw(t).starts_with(char::is_uppercase);
        let governs = |(n, t): &(usize, &Token)| (*n < last && is(t, List::Determiner)) || name(t);
        let object = phrase.iter().enumerate().skip(2).find(governs).map(|(n, _)| n);
        object.unwrap_or(phrase.len()).checked_sub(1).filter(|at| *at > 0).unwrap_or(phrase.len())
    };
    phrase.get(..verb)
}
