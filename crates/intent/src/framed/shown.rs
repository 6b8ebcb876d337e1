//! Orders about what a program puts out: "answer 404 for an unknown id", "print the version with --version", "list the tags
//! in the footer", "count words too".
//!
//! Owns what makes such a verb one: a status, an option, a place on a page, a time, a message. Elsewhere it asks.

use super::Words;
use crate::{
    classify::Parsed,
    structure::{Clause, Form},
    text::Kind,
    words::List,
};

/// Whether a message orders nothing but what the program is to put out.
pub(crate) fn orders(p: &Parsed<'_>) -> bool {
    let mut kept =
        p.kept.iter().filter_map(|k| p.structure.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    let shows = |c: &Clause| {
        let tokens = p.doc.tokens.get(c.head..c.end).unwrap_or_default();
        !c.marked && Words { known: p.structure.known, tokens }.shows()
    };
    kept.next().is_some_and(shows)
        && !kept.any(|c| c.marked || matches!(c.form, Form::Question(_)))
        && !p.text.contains(['?', '？'])
}

impl Words<'_> {
    pub(super) fn shows(self) -> bool {
        let to_me = (1..3).any(|at| self.is(at, List::FramedSelf));
        // "print an error for me".
        let for_me =
            (1..self.tokens.len()).any(|at| self.word(at) == "for" && self.is(at + 1, List::FramedSelf));
        self.is(0, List::FramedShows)
            && !to_me
            && !for_me
            && (self.is_status()
                || self.by_option()
                || self.placed()
                || self.timed()
                || self.too()
                || self.in_a_way())
    }

    /// "answer 404", "answer with a 404".
    fn is_status(self) -> bool {
        let status = |at: usize| {
            let number = self.tokens.get(at).filter(|t| t.kind == Kind::Number);
            number.is_some_and(|t| t.text.len() == 3 && t.text.starts_with(['1', '2', '3', '4', '5']))
        };
        let with = usize::from(self.word(1) == "with");
        let at = 1 + with + usize::from(self.is(1 + with, List::Article));
        self.word(0) == "answer" && status(at)
    }

    /// "print the version with --version"; "print the tests that fail with --verbose" asks.
    fn by_option(self) -> bool {
        let flag = |at: usize| self.tokens.get(at).is_some_and(|t| t.kind == Kind::Flag);
        let which = (1..self.tokens.len()).any(|at| matches!(self.word(at), "that" | "which" | "who"));
        let behind = |at: usize| flag(at) && self.is(at - 1, List::FramedShownTo);
        !which && self.is(0, List::FramedPuts) && (3..self.tokens.len()).any(behind)
    }

    /// "list the tags in the footer", "say how many were skipped at the end of the output".
    fn placed(self) -> bool {
        let phrase = |list, at: usize, len: usize| {
            let words: Vec<&str> = (at..at + len).map(|at| self.word(at)).collect();
            self.known.is(list, &words.join(" "))
        };
        let ends = |at: usize| self.tokens.get(at).is_none_or(|t| t.kind == Kind::Punct);
        let named = |list, at: usize| {
            let at = at + usize::from(self.is(at, List::Determiner));
            (1..=2)
                .any(|len| phrase(list, at, len) && (ends(at + len) || self.is(at + len, List::Preposition)))
        };
        let asks = self.is(1, List::FramedTells) && self.is(0, List::FramedPuts) || self.word(0) == "count";
        let told = self.is(1, List::FramedTells);
        (2..self.tokens.len()).any(|at| {
            let page =
                !asks && !told && matches!(self.word(at), "in" | "on") && named(List::FramedShownIn, at + 1);
            page || phrase(List::FramedShownAt, at, 4) && named(List::FramedShownOf, at + 4)
        })
    }

    /// "answer with an empty list when nothing is found", "print an error for unknown options". One that is there already is
    /// asked for: "print the warnings for src/main.c", "display the diff when you are done".
    fn timed(self) -> bool {
        let at = 1 + usize::from(self.word(1) == "with");
        if self.is(at, List::Determiner) && !matches!(self.word(at), "a" | "an" | "no") {
            return false;
        }
        let noun = self.find(1, List::FramedNotice).filter(|at| *at <= 4);
        let of = |list| move |from: usize| self.find(from, list).is_some_and(|at| at + 1 < self.tokens.len());
        let when = of(List::FramedShownWhen)(3) && !self.is(1, List::FramedTells);
        self.is(0, List::FramedPuts) && (when || noun.is_some_and(|at| of(List::FramedShownTo)(at + 1)))
    }

    /// "print the balance with exactly two decimals", "show errors in red", "show the totals per month"; "show the diff in red",
    /// "show the commits per month" ask for what the workbench has itself.
    fn in_a_way(self) -> bool {
        let end = self.tokens.iter().rposition(|t| t.kind != Kind::Punct).map_or(0, |at| at + 1);
        let phrase = |list, from: usize, to: usize| {
            let words: Vec<&str> = (from..to).map(|at| self.word(at)).collect();
            from < to && self.known.is(list, &words.join(" "))
        };
        let mine = |at: usize| {
            self.is(at, List::FramedShownMine)
                || self.tokens.get(at).is_some_and(|t| matches!(t.kind, Kind::File | Kind::Path | Kind::Url))
        };
        let counted = |from: usize| {
            let exactly =
                (1..=2).find(|len| phrase(List::FramedShownExactly, from, from + len)).unwrap_or_default();
            let number = from + exactly;
            let number_said = self.tokens.get(number).is_some_and(|t| t.kind == Kind::Number)
                || self.is(number, List::UndoCount);
            number_said && phrase(List::FramedShownDigits, number + 1, end)
        };
        let way = |at: usize| match self.word(at) {
            "in" => phrase(List::FramedShownAs, at + 1, end),
            "per" => at + 2 == end && !self.is(at + 1, List::FramedTells),
            "with" => counted(at + 1) || phrase(List::FramedShownWith, at + 1, end),
            _ => false,
        };
        let shows = self.is(0, List::FramedPuts) || self.word(0) == "show";
        let asks = self.is(1, List::FramedTells) || self.is(1, List::Pronoun) && self.word(1) == "me";
        shows && !asks && !(1..end).any(mine) && (2..end).any(way)
    }

    /// "count words too".
    fn too(self) -> bool {
        let said = self.tokens.iter().rposition(|t| t.kind != Kind::Punct).unwrap_or_default();
        let too =
            self.word(said) == "too" || self.word(said) == "well" && said > 0 && self.word(said - 1) == "as";
        let counts = self.is(0, List::FramedPuts) || self.word(0) == "count";
        let thing = !self.is(1, List::Pronoun) && !self.is(1, List::FramedTells);
        counts && thing && too && said > 1
    }
}

#[cfg(test)]
mod tests {
    use crate::{Classifier, IntentNode, Message, Phase, Turn, scope::Capability};

    #[test]
    fn what_a_program_is_to_put_out_is_a_change() {
        for text in [
            "answer 404 for an unknown id",
            "answer with 404 when the note is missing",
            "print the version with --version",
            "print an error for unknown options in src/main.c",
            "list the tags in the footer",
            "display the user name in the header",
            "say how many files were skipped at the end of the output",
            "count words too",
            "show the total in the header",
            "print the balance with exactly two decimals",
            "show amounts with 2 decimal places",
            "print errors in red",
            "show the totals per month",
            "display the prices in euros",
        ] {
            let read = Classifier::builtin().read(&Message { text, ..Message::default() });
            assert!(read.whole.path.scope().allows(Capability::Write), "{text}: {:?}", read.whole);
        }
    }

    #[test]
    fn what_is_asked_with_such_a_verb_stays_a_question() {
        for text in [
            "show me the header",
            "list the files in src",
            "count the TODOs",
            "print the functions in src/main.c",
            "list the tests that fail",
            "say what the footer does",
            "show the diff",
            "explain what --version does",
            "list the tags in the footer?",
            "count the lines in the header",
            "tell me when the cache is cleared",
            "what do we answer when the note is missing?",
            "show what is in the header",
            "print the warnings for src/main.c",
            "print the error messages under src",
            "print an error for me",
            "print the tests that fail with --verbose",
            "print the usage for git rebase",
            "display the diff when you are done",
            "show the diff in red",
            "show the commits per month",
            "show me the totals per month",
            "show what is printed in red",
            "show lines of code per language",
        ] {
            let read = Classifier::builtin().read(&Message { text, ..Message::default() });
            let whole = &read.whole;
            let reads =
                !whole.path.scope().allows(Capability::Write) || whole.path.current() == IntentNode::Clarify;
            assert!(reads, "{text}: {whole:?}");
        }
    }

    #[test]
    fn beside_a_run_it_is_work_that_comes_on_top() {
        for text in [
            "also answer 400 when the body of POST /notes is not JSON",
            "and print the version with --version",
        ] {
            let message = Message { text, phase: Phase::Executing, plan_active: true, ..Message::default() };
            let read = Classifier::builtin().read(&message);
            assert!(read.whole.path.scope().allows(Capability::Write), "{text}: {:?}", read.whole);
            assert!(!matches!(read.whole.turn, Turn::Query(_)), "{text}: {:?}", read.whole);
        }
    }
}
