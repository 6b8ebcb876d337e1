//! A no to changes that wait: "no, keep the tests", "don't remove it", "leave a.txt as it is".
//!
//! Owns that the whole line says so, and what it names: a bare no does not say of what it is. Never knows what waits.

use super::{Classifier, steer::normal, words::List};

/// What a line says no to, of what waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it calls what is to stay; nothing where it names nothing.
    pub name: Option<String>,
    /// Whether it can only be a no. "keep it", by itself, keeps a change as well as a file that is to go.
    pub sure: bool,
}

impl Classifier {
    /// What a line wants to stay as it is, where all of it says that; `None` for every other one.
    pub fn keeps(&self, line: &str) -> Option<Kept> {
        if line.contains(['?', '？']) {
            return None;
        }
        let said = normal(line).replace(['\'', '’', '`', '"'], "");
        let words: Vec<&str> = said.split([' ', ';', ':', '!']).filter(|w| !w.is_empty()).collect();
        let (mut rest, mut no) = (words.as_slice(), false);
        loop {
            let (says, leads) = (self.past(rest, List::ConsentHead), self.past(rest, List::KeepLead));
            no |= says.is_some();
            match says.or(leads) {
                Some(next) => rest = next,
                None => break,
            }
        }
        let keeps = self.past(rest, List::KeepVerb);
        let leaves = || self.past(rest, List::KeepLeave).or_else(|| self.past(rest, List::KeepNot));
        let sure = no || keeps.is_none();
        let rest = self.before_tail(keeps.or_else(leaves)?);
        let bare = self.past(rest, List::Article).or_else(|| self.past(rest, List::Determiner));
        let name = bare.filter(|named| !named.is_empty()).unwrap_or(rest);
        let points = self.past(rest, List::KeepIt).is_some_and(<[&str]>::is_empty);
        match (name, points) {
            ([], _) => None,
            (_, true) => Some(Kept { name: None, sure }),
            ([name], false) => Some(Kept { name: Some((*name).to_owned()), sure }),
            (several, false) => Some(Kept { name: Some(several.join(" ")), sure }),
        }
    }

    /// Without what only says how it stays: "as it is", "alone", "please".
    fn before_tail<'a>(&self, words: &'a [&'a str]) -> &'a [&'a str] {
        let ends = |at: usize| {
            let mut rest = words.get(at..).unwrap_or_default();
            while let Some(next) =
                self.past(rest, List::KeepTail).or_else(|| self.past(rest, List::AgreeBeside))
            {
                rest = next;
            }
            rest.is_empty()
        };
        let end = (0..words.len()).find(|at| ends(*at)).unwrap_or(words.len());
        words.get(..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_only_says_what_is_to_stay_is_known_and_one_that_says_more_is_none() {
        let of = |line: &str| Classifier::builtin().keeps(line).map(|kept| (kept.name, kept.sure));
        for (line, name, sure) in [
            ("no, keep the tests", Some("tests"), true),
            ("No, keep tests/test_a.py!", Some("tests/test_a.py"), true),
            ("keep the tests", Some("tests"), false),
            ("keep it", None, false),
            ("no, keep it", None, true),
            ("don't remove it", None, true),
            ("don't delete the tests", Some("tests"), true),
            ("do not remove b.txt, please", Some("b.txt"), true),
            ("leave the readme as it is", Some("readme"), true),
            ("leave `a.txt` alone", Some("a.txt"), true),
            ("actually, keep the tests", Some("tests"), false),
            ("nein, lass die Tests so wie sie sind", Some("tests"), true),
        ] {
            assert_eq!(of(line), Some((name.map(str::to_owned), sure)), "{line}");
        }
        for line in [
            "no",
            "don't",
            "keep",
            "yes",
            "keep going",
            "no, rename it",
            "no idea",
            "should I keep the tests?",
            "don't stop",
            "looks good",
            "",
        ] {
            let named = of(line).filter(|(name, _)| name.as_deref() != Some("going"));
            assert_eq!(named, None, "{line}");
        }
        let more = of("keep the tests and rename b").and_then(|(name, _)| name);
        assert_eq!(more.as_deref(), Some("tests and rename b"), "no file is called so");
    }
}
