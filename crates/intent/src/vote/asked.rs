//! Orders whose verb says less than what they name: what is asked of a source is read, what is described in a document is
//! written there.
//!
//! Owns their grammar: the whole message says so and nothing else.

use pilothouse_shell::is_prose;

use crate::{
    classify::Parsed,
    structure::{Clause, Form},
    text::{Kind, Token},
    words::List,
};

/// Whether a message asks a source for something: "ask the tickets source for T-1", "get ticket T-1 from tickets", "list
/// the open tickets". "list the tickets in the sidebar" says what a program is to show.
pub(super) fn of_source(p: &Parsed<'_>) -> bool {
    let Some(words) = Said::only(p) else { return false };
    let first = |list| words.phrase(0, list).unwrap_or_default();
    if first(List::SourceAsk) > 0 {
        let at = words.past(1, List::SourceWhich);
        if (at..at + 2).any(|at| words.is(at, List::SourceItself)) {
            return true;
        }
    }
    let verb = first(List::SourceVerb);
    let thing = words.past(verb, List::SourceWhich);
    let Some(len) = words.phrase(thing, List::SourceThing).filter(|_| verb > 0) else { return false };
    let named = words.past_names(thing + len);
    if words.ends(named) {
        return true;
    }
    let of = words.past(named + 1, List::SourceWhich);
    let itself = of + 1 + usize::from(words.is(of + 1, List::SourceItself));
    // "list the issues in the footer" names a place; a source is called by its name alone.
    let place = words.word(named) == "in" && itself == of + 1;
    words.is(named, List::SourceOf) && !place && words.ends(itself)
}

/// Whether a message describes something in a document: "in the README, describe discount in one line".
pub(super) fn writes_it_down(p: &Parsed<'_>) -> bool {
    if p.text.contains(['?', '？']) {
        return false;
    }
    let spoken = || p.structure.clauses.iter().filter(|c| c.form != Form::Empty);
    let mut described = spoken().filter(|c| matches!(c.form, Form::Order | Form::Request) && describes(p, c));
    let Some(clause) = described.next() else { return false };
    // "in the README," stands before it.
    let place = |c: &Clause| c.end <= clause.start && is_place(Said { p, tokens: c.tokens(&p.doc) });
    if !spoken().all(|c| c.start == clause.start || place(c)) {
        return false;
    }
    let words = Said { p, tokens: p.doc.tokens.get(clause.head..clause.end).unwrap_or_default() };
    let asks = words.is(1, List::FramedTells);
    let part = (1..words.tokens.len()).any(|at| words.is(at, List::DocumentPart));
    let within = (2..words.tokens.len()).any(|at| words.places(at).is_some());
    !asks && !part && (within || spoken().any(place) || led(p, clause))
}

fn describes(p: &Parsed<'_>, c: &Clause) -> bool {
    p.doc.tokens.get(c.head).is_some_and(|t| t.text == "describe")
}

/// Whether a clause says first where: "in README.md describe …".
fn led(p: &Parsed<'_>, c: &Clause) -> bool {
    is_place(Said { p, tokens: p.doc.tokens.get(c.start..c.head).unwrap_or_default() })
}

fn is_place(words: Said<'_>) -> bool {
    words.places(0).is_some_and(|end| words.ends(end))
}

/// Words of a message.
#[derive(Clone, Copy)]
struct Said<'a> {
    p: &'a Parsed<'a>,
    tokens: &'a [Token],
}

impl<'a> Said<'a> {
    /// The only clause of a message that orders, without what leads it.
    fn only(p: &'a Parsed<'a>) -> Option<Self> {
        let mut spoken = p.structure.clauses.iter().filter(|c| c.form != Form::Empty);
        let clause = spoken.next().filter(|c| !c.marked && !matches!(c.form, Form::Question(_)))?;
        let tokens = p.doc.tokens.get(clause.head..clause.end)?;
        spoken.next().is_none().then_some(Self { p, tokens })
    }

    fn word(self, at: usize) -> &'a str {
        self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text)
    }

    fn is(self, at: usize, list: List) -> bool {
        self.p.structure.known.is(list, self.word(at))
    }

    /// How many words a phrase of a list takes here.
    fn phrase(self, at: usize, list: List) -> Option<usize> {
        (1..=2).rev().find(|len| {
            let words: Vec<&str> = (at..at + len).map(|at| self.word(at)).collect();
            self.p.structure.known.is(list, &words.join(" "))
        })
    }

    fn past(self, mut at: usize, list: List) -> usize {
        while self.is(at, list) {
            at += 1;
        }
        at
    }

    /// Past what things are called by: numbers, identifiers.
    fn past_names(self, mut at: usize) -> usize {
        let name = |t: &Token| !matches!(t.kind, Kind::Word | Kind::Punct | Kind::Cjk) || t.text == "#";
        let letters =
            |at: usize| self.word(at).bytes().any(|b| b.is_ascii_digit()) || self.word(at).len() == 1;
        while self.tokens.get(at).is_some_and(name) || letters(at) {
            at += 1;
        }
        at
    }

    fn ends(self, at: usize) -> bool {
        self.tokens.get(at..).unwrap_or_default().iter().all(|t| t.kind == Kind::Punct)
    }

    /// The end of "in the README", "to docs/guide.md" here.
    fn places(self, at: usize) -> Option<usize> {
        let leads = matches!(self.word(at), "in" | "into" | "to");
        let at = at + 1 + usize::from(self.is(at + 1, List::Article));
        let file = |t: &&Token| matches!(t.kind, Kind::File | Kind::Path) && is_prose(&t.text);
        let file = self.tokens.get(at).filter(file).map(|_| 1);
        leads.then(|| file.or_else(|| self.phrase(at, List::Document)))?.map(|len| at + len)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Classifier, IntentNode, Message, Reading, Turn, scope::Capability};

    fn read(text: &str) -> Reading {
        Classifier::builtin().read(&Message { text, ..Message::default() })
    }

    #[test]
    fn what_is_asked_of_a_source_is_read() {
        for text in [
            "ask the tickets source for T-1",
            "get ticket T-1 from tickets",
            "get ticket T-1 from the tickets source",
            "list the open tickets",
            "fetch issue 12 from github",
            "please show me the latest pull requests",
        ] {
            let whole = read(text).whole;
            assert!(matches!(whole.turn, Turn::Query(_)) && whole.confidence > 0.8, "{text}: {whole:?}");
        }
        for text in
            ["list the tickets in the sidebar", "add a tickets source", "get the tickets page to load faster"]
        {
            let whole = read(text).whole;
            assert_ne!(whole.reasoning, "asks a source for something", "{text}");
        }
    }

    #[test]
    fn what_is_described_in_a_document_is_written_there() {
        for text in [
            "in the README, describe discount in one line",
            "describe discount in the README",
            "describe the discount function in README.md",
            "describe the options in docs/cli.md",
        ] {
            let whole = read(text).whole;
            assert!(whole.path.scope().allows(Capability::Write), "{text}: {whole:?}");
        }
        for text in [
            "describe the function in src/cart.ts",
            "describe what is in the README",
            "describe the README",
            "describe the first section in README.md",
            "describe how main works in src/main.rs",
        ] {
            let whole = read(text).whole;
            assert!(!whole.path.scope().allows(Capability::Write), "{text}: {whole:?}");
        }
        assert_eq!(read("describe discount").whole.path.current(), IntentNode::Explain);
    }
}
