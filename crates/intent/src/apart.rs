//! Orders that stand by themselves beside a plan that waits: "fix the typo in README", "rename Foo to Bar".
//!
//! Owns which these are by their form. Whether the plan speaks of the same is for whoever knows the plan.

use super::{
    Classifier,
    classify::Parsed,
    forbid::{Ban, Stays},
    lexicon::Tag,
    structure::{Clause, Form, Object},
    text::{self, Kind},
    words::List,
};

impl Classifier {
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
        let mut spoken = parsed.structure.clauses.iter().filter(|c| c.form != Form::Empty);
        let (Some(only), None) = (spoken.next(), spoken.next()) else { return None };
        (works(&parsed, only) && !leans(&parsed)).then(|| object(&parsed, only)).flatten()
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

const fn is_file(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Path)
}

/// What stands behind the verb.
fn object(parsed: &Parsed<'_>, clause: &Clause) -> Option<String> {
    let tokens = parsed.doc.tokens.get(clause.after..clause.end)?;
    let (first, last) = (tokens.first()?, tokens.last()?);
    parsed.text.get(first.start..last.end).map(str::to_owned)
}
