//! What is wanted in the place of what is asked about: "use make test instead", "rather run make test".
//!
//! Owns which lines say so. What is to be otherwise about something else, "name it bytes instead", says nothing to what is
//! asked.

use pilothouse_shell::is_known;

use super::{Classifier, Leave};
use crate::{classify::Parsed, steer::normal, text, words::List};

/// The word that puts something else behind "instead".
const OF: &str = "of";

impl Classifier {
    /// Whether a line wants something done in the place of what is asked about, which is this line where it is one: the
    /// agent is to do that, and what waits is not wanted. One that asks which is better says nothing yet.
    pub fn wants_instead(&self, line: &str, to: Leave, asked: Option<&str>) -> bool {
        let focus = text::focus(line);
        if Parsed::within(&focus, line, self.tables()).asks() && !self.proposes(line) {
            return false;
        }
        let said = normal(line).replace(['\'', '’', '?'], "");
        let words: Vec<&str> = said.split_whitespace().collect();
        let (rest, rather) = self.behind_rather(&words);
        let does = self.verb(rest, to).or_else(|| self.past(rest, List::ConsentUse));
        let names = match does {
            // "run it instead" may mean what is asked about.
            Some(what) => {
                let what = self.past(what, List::ConsentInstead).unwrap_or(what);
                !what.is_empty() && self.past(what, List::ConsentWhat).is_none()
            }
            None => to == Leave::Run && is_line(rest) && !self.points(rest),
        };
        names && (rather || self.is_instead(rest, asked))
    }

    /// Past what only leads to what is wanted, and whether a word of that says that it is wanted rather.
    fn behind_rather<'a>(&self, words: &'a [&'a str]) -> (&'a [&'a str], bool) {
        let (mut rest, mut rather) = (words, false);
        loop {
            let says =
                [List::ConsentInstead, List::ConsentRather].into_iter().find_map(|l| self.past(rest, l));
            let leads = [List::ConsentPlease, List::ConsentLead, List::AgreeBeside, List::ConsentHead];
            let next = says.filter(|next| next.first() != Some(&OF));
            rather |= next.is_some();
            match next.or_else(|| leads.into_iter().find_map(|list| self.past(rest, list))) {
                Some(next) => rest = next,
                None => return (rest, rather),
            }
        }
    }

    /// Whether these words say "instead", and in the place of nothing but what is asked about.
    fn is_instead(&self, words: &[&str], asked: Option<&str>) -> bool {
        let asked: Vec<&str> = asked.into_iter().flat_map(str::split_whitespace).collect();
        let of_asked = |of: &[&str]| {
            let spoken = of.iter().all(|word| asked.contains(word));
            !of.is_empty() && spoken || self.past(of, List::ConsentWhat).is_some_and(<[&str]>::is_empty)
        };
        (0..words.len()).filter_map(|at| self.past(words.get(at..)?, List::ConsentInstead)).any(|behind| {
            match behind.split_first() {
                Some((&OF, of)) => of_asked(of),
                _ => true,
            }
        })
    }

    /// Whether the word behind a program makes a sentence of it: "make it blue", "find the others".
    fn points(&self, words: &[&str]) -> bool {
        let small = [List::Pronoun, List::Determiner, List::Preposition];
        words.get(1).is_some_and(|word| small.iter().any(|list| self.tables().is(*list, word)))
    }
}

/// Whether words begin with a program that is told more.
fn is_line(words: &[&str]) -> bool {
    words.first().is_some_and(|program| is_known(program)) && words.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Option<&str> = Some("pytest -q");

    #[test]
    fn what_is_wanted_in_the_place_of_what_is_asked_about_is_known() {
        for line in [
            "use python -m pytest instead",
            "try make test instead",
            "instead run make test",
            "instead, run make test",
            "rather run make test",
            "rather make test",
            "I'd rather use make test",
            "run make test instead",
            "use python -m pytest instead of pytest",
            "use make test instead of that",
            "make test instead",
            "better use make test",
            "please use python -m pytest instead",
            "can you use python -m pytest instead?",
            "what about make test instead?",
            "let's use make test instead",
            "no, run make test instead",
            "use make test instead, it sets the path",
            "nimm stattdessen make test",
            "lieber make test",
            "utilise plutôt make test",
            "mejor usa make test",
        ] {
            assert!(Classifier::builtin().wants_instead(line, Leave::Run, ASKED), "{line}");
        }
        assert!(Classifier::builtin().wants_instead("edit b.txt instead", Leave::Change, None));
    }

    #[test]
    fn what_is_to_be_otherwise_elsewhere_or_is_asked_says_nothing_to_it() {
        for line in [
            "use tabs instead of spaces",
            "use unittest instead of pytest in the docs",
            "name it bytes instead",
            "put it in src/b.rs instead",
            "run it instead",
            "make it blue instead",
            "should I use make test instead?",
            "would make test be better instead?",
            "why not before the build?",
            "use make test",
            "run it with -v",
            "run make lint too",
            "better names please",
            "the names could be better",
            "instead",
            "rather",
            "use instead",
            "go on",
            "",
        ] {
            assert!(!Classifier::builtin().wants_instead(line, Leave::Run, ASKED), "{line}");
        }
    }
}
