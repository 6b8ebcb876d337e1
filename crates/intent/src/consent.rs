//! A yes or a no in own words to a question that asks leave for one thing: "yes, run it", "commit it", "don't run it".
//!
//! Owns that the whole line says so. Never knows which question waits, nor what follows.

mod instead;

use super::{Classifier, steer::normal, words::List};

/// What a question asks leave for: its verb says yes to it as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// A command to be run.
    Run,
    /// A commit to be made.
    Commit,
    /// Files to be changed.
    Change,
    /// A tool to be called.
    Call,
    /// Anything else.
    Else,
}

/// What a line says to such a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Yes, and nothing else.
    Yes,
    /// Yes, and the rest says what is to be otherwise: what is asked about is not wanted as it stands.
    YesBut,
    /// No, and nothing else.
    No,
    /// No, and the rest says why, or what instead.
    NoBut,
    /// The question is called off, where nothing runs that this could be said of.
    Off,
}

/// The most words that a phrase of these lists has.
const LONGEST: usize = 4;

impl Leave {
    const fn verbs(self) -> Option<List> {
        match self {
            Self::Run => Some(List::ConsentRun),
            Self::Commit => Some(List::ConsentCommit),
            Self::Change => Some(List::ConsentChange),
            Self::Call => Some(List::ConsentCall),
            Self::Else => None,
        }
    }
}

impl Classifier {
    /// What a line says to a question for leave, if it speaks to that: a yes or a no with its verb and what it is about, or
    /// the verb alone. One that asks says neither.
    pub fn consents(&self, line: &str, to: Leave) -> Option<Consent> {
        if line.contains(['?', '？']) {
            return None;
        }
        let said = normal(line).replace(['\'', '’'], "");
        let words = parts(&said);
        if self.lists(List::ConsentOff, line) {
            return Some(Consent::Off);
        }
        if let Some(rest) = self.forbidden(&words, to, &marks(line)) {
            return Some(if rest.is_empty() { Consent::No } else { Consent::NoBut });
        }
        let head = line.split_once([',', ';', '.', ':']).filter(|(_, rest)| !rest.trim().is_empty());
        if head.is_some_and(|(head, _)| self.lists(List::ConsentHead, head)) {
            return Some(Consent::NoBut);
        }
        match self.behind_yes(&words, to) {
            [] if words.is_empty() => None,
            [] => Some(Consent::Yes),
            // "yes, only this once" is a yes to what is asked, as it stands.
            _ => self.otherwise(line, to).map(|more| {
                if self.tables().is(List::ConsentOnce, &more) { Consent::Yes } else { Consent::YesBut }
            }),
        }
    }

    /// What a yes wants otherwise: of "yes, but run the tests first" the last four words.
    pub fn otherwise(&self, line: &str, to: Leave) -> Option<String> {
        let said = normal(line).replace(['\'', '’'], "");
        let words = parts(&said);
        let rest = self.behind_yes(&words, to);
        let option = || (to == Leave::Run && self.is_option(rest)).then_some(rest);
        let more = self.past(rest, List::ConsentBut).or_else(option).filter(|_| rest.len() < words.len())?;
        (!more.is_empty()).then(|| more.join(" "))
    }

    /// Whether words give or take an option of a command, and nothing else: "with -v", "without --fix -q".
    fn is_option(&self, words: &[&str]) -> bool {
        let more = self.past(words, List::ConsentWith).unwrap_or_default();
        let mut more = more.iter().filter(|word| !self.tables().is(List::AgreeBeside, word)).peekable();
        more.peek().is_some() && more.all(|word| word.len() > 1 && word.starts_with('-'))
    }

    /// What stands behind a no at the head: "don't", "no, not yet", "don't run it", "no, don't". `None` without one, and where
    /// it says no to something else: "don't run the linter", "skip the slow tests".
    fn forbidden<'a>(&self, words: &'a [&'a str], to: Leave, marks: &[usize]) -> Option<&'a [&'a str]> {
        let (mut rest, mut says) = (words, false);
        let ends = |next: &[&str]| {
            next.is_empty()
                || marks.contains(&(words.len() - next.len()))
                || self.past(next, List::ReviseWhy).is_some()
        };
        loop {
            let no = match self.past(rest, List::ConsentNot).map(|verb| (verb, self.verb(verb, to))) {
                Some((_, Some(deed))) => {
                    let named = self.past(deed, List::ConsentWhat);
                    Some(named.or_else(|| ends(deed).then_some(deed))?)
                }
                Some((verb, None)) if !ends(verb) && !says => None,
                _ => self.past(rest, List::ConsentNo).filter(|next| {
                    // One word may be the verb of an order.
                    rest.len() - next.len() > 1 && rest.get(1) != Some(&"way") || ends(next)
                }),
            };
            let courtesy = || self.past(rest, List::AgreeBeside).filter(|_| says);
            match no {
                Some(next) => (rest, says) = (next, true),
                None if !says && rest.len() > 1 && matches!(rest.first(), Some(&("no" | "nope"))) => {
                    rest = rest.get(1..)?;
                }
                None => match courtesy() {
                    Some(next) => rest = next,
                    None => return says.then_some(rest),
                },
            }
        }
    }

    /// What stands behind words that say yes, or name the deed; all of them where none do.
    fn behind_yes<'a>(&self, words: &'a [&'a str], to: Leave) -> &'a [&'a str] {
        let (mut rest, mut says) = (words, false);
        while !rest.is_empty() {
            let yes = self.past(rest, List::Agree).or_else(|| self.past(rest, List::ConsentYes));
            if let Some(next) = yes.or_else(|| self.deed(rest, to)) {
                (rest, says) = (next, true);
                continue;
            }
            let beside = self.past(rest, List::AgreeBeside).or_else(|| self.past(rest, List::ConsentLead));
            match beside {
                Some(next) => rest = next,
                None => break,
            }
        }
        if says { rest } else { words }
    }

    /// Past the verb of the deed and what it is about.
    fn deed<'a>(&self, words: &'a [&'a str], to: Leave) -> Option<&'a [&'a str]> {
        let rest = self.verb(words, to)?;
        Some(self.past(rest, List::ConsentWhat).unwrap_or(rest))
    }

    fn verb<'a>(&self, words: &'a [&'a str], to: Leave) -> Option<&'a [&'a str]> {
        let verb = to.verbs().and_then(|list| self.past(words, list));
        verb.or_else(|| self.past(words, List::ConsentDo))
    }

    /// Past the longest phrase of a list at the beginning.
    pub(crate) fn past<'a>(&self, words: &'a [&'a str], list: List) -> Option<&'a [&'a str]> {
        let known = |n: &usize| words.get(..*n).is_some_and(|head| self.tables().is(list, &head.join(" ")));
        (1..=words.len().min(LONGEST)).rev().find(known).and_then(|n| words.get(n..))
    }
}

/// Behind how many words of a line a mark stands.
fn marks(line: &str) -> Vec<usize> {
    let clauses = line.split([',', ';', '.', ':', '!', '–']).map(|clause| {
        let said = normal(clause).replace(['\'', '’'], "");
        parts(&said).len()
    });
    let behind = clauses.scan(0, |before, len| {
        *before += len;
        Some(*before)
    });
    behind.collect()
}

fn parts(said: &str) -> Vec<&str> {
    said.split([' ', '.', '!', ';', ':']).filter(|w| !w.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_of_the_question_says_yes_or_no_to_it() {
        let of = |line: &str, to: Leave| Classifier::builtin().consents(line, to);
        for (to, lines) in [
            (Leave::Run, ["yes, run it", "run it", "go", "fine, run it", "ok run the command", "Run."]),
            (Leave::Commit, ["yes, commit it", "commit it", "commit", "looks good, commit", "go", "do it"]),
            (Leave::Change, ["yes, change it", "change it", "yes change the files", "edit it", "go", "ok"]),
        ] {
            for line in lines {
                assert_eq!(of(line, to), Some(Consent::Yes), "{line}");
            }
        }
        for (to, lines) in [
            (Leave::Run, ["don't run it", "don't", "no, not yet", "not now", "skip it", "Don't do it."]),
            (
                Leave::Commit,
                ["don't commit", "don't", "no, not yet", "do not commit it yet", "no, don't", "nah"],
            ),
            (
                Leave::Change,
                ["don't change anything", "don't", "no, don't edit it", "not now", "skip", "rather not"],
            ),
        ] {
            for line in lines {
                assert_eq!(of(line, to), Some(Consent::No), "{line}");
            }
        }
        for (to, lines) in [
            (Leave::Run, ["yes, but with -v", "yes but only for src/a.rs", "run it, but not as root"]),
            (Leave::Run, ["run it with -v", "run that without --fix -q", "yes, with --nocapture please"]),
            (
                Leave::Commit,
                ["yes, but not the README", "ok, but mention the cache", "commit it but without b.txt"],
            ),
            (
                Leave::Change,
                ["change it, but only the check", "yes, but not the tests", "go, but keep the name"],
            ),
        ] {
            for line in lines {
                assert_eq!(of(line, to), Some(Consent::YesBut), "{line}");
            }
        }
        for line in ["yes, only this once", "yes, only this time", "run it, but only once"] {
            assert_eq!(of(line, Leave::Run), Some(Consent::Yes), "{line}");
        }
        for line in ["yes, but", "!", "", "…"] {
            assert_eq!(of(line, Leave::Run), None, "{line}");
        }
        assert_eq!(of("don't run it, use make check", Leave::Run), Some(Consent::NoBut));
        assert_eq!(of("not now, the tests are red", Leave::Commit), Some(Consent::NoBut));
        assert_eq!(of("no, just answer", Leave::Change), Some(Consent::NoBut));
        assert_eq!(of("forget it", Leave::Commit), Some(Consent::Off));
    }

    #[test]
    fn what_says_no_to_something_else_says_none_to_what_is_asked() {
        let of = |line: &str, to: Leave| Classifier::builtin().consents(line, to);
        for line in [
            "don't run the linter",
            "never run the migrations",
            "don't run the tests in parallel",
            "don't try to fix the flaky test",
            "skip the slow tests",
            "no way around that, run it",
            "don't change the tests",
            "don't edit the Makefile",
            "don't commit the README",
        ] {
            for to in [Leave::Run, Leave::Commit, Leave::Change] {
                assert_eq!(of(line, to), None, "{line}");
            }
        }
        for line in [
            "don't run, use make check",
            "don't, the tests are red",
            "not yet because it is red",
            "skip, too slow",
        ] {
            assert_eq!(of(line, Leave::Run), Some(Consent::NoBut), "{line}");
        }
    }

    #[test]
    fn what_says_something_else_is_neither() {
        for line in [
            "run it?",
            "with -v",
            "run it with the new fixtures",
            "run the tests with -v",
            "run the tests first",
            "commit it with another message",
            "don't touch the tests",
            "don't forget the README",
            "but not the tests",
            "why run it",
            "fine",
            "and",
            "no",
            "do the README first",
            "it",
            "skipping tests is bad",
        ] {
            for to in [Leave::Run, Leave::Commit, Leave::Change, Leave::Else] {
                assert_eq!(Classifier::builtin().consents(line, to), None, "{line}");
            }
        }
    }
}
