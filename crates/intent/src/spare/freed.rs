//! What a message says may be changed after all.
//!
//! Owns the grammar of that: a plain order or leave, with nothing that narrows it. Never knows what was spared before.

use pilothouse_shell::FileKind;

use super::{Classifier, List, Reader};

impl Classifier {
    /// Files and kinds of files that a message orders or allows to be changed, as wholes: where they were to be left alone,
    /// they are no more.
    pub fn frees(&self, text: &str) -> Vec<String> {
        let spared = self.spares(text);
        self.named_by(text, |reader| {
            let free = |name: &String| !spared.contains(name);
            reader.freed().into_iter().filter(free).collect()
        })
    }
}

impl Reader<'_> {
    /// What it orders or allows to be changed, and what it keeps out of that which is to be left alone: "leave the tests
    /// alone, all but tests/b.rs".
    fn freed(&self) -> Vec<String> {
        let (but, _) = self.but_for();
        let spares = !but.is_empty() && !self.left_alone().is_empty();
        if spares { but } else { self.allowed() }
    }

    /// What is left alone of what may be changed: "you may change the tests, all but tests/b.rs".
    pub(super) fn left_of(&self) -> Vec<String> {
        let (but, _) = self.but_for();
        let free = !but.is_empty() && self.left_alone().is_empty() && !self.allowed().is_empty();
        if free { but } else { Vec::new() }
    }

    /// Files that are told apart from what is named before them, and where they begin to be: "all but tests/b.rs", "except
    /// for a.rs", "außer tests/b.rs".
    fn but_for(&self) -> (Vec<String>, usize) {
        let found = (1..self.tokens.len()).find_map(|at| {
            let but = at + self.phrase(at, List::SpareBut)?;
            let (names, end) = self.object(but);
            let files = !names.is_empty() && names.iter().all(|name| FileKind::named(name).is_none());
            let closes = end >= self.tokens.len() || self.is_comma(end) || self.is(end, List::SpareFreeMay);
            (files && closes).then_some((names, at))
        });
        found.unwrap_or_default()
    }

    /// Where what is kept from it begins, beside what is ordered: "…, not tests/b.rs", "… but no other test".
    fn kept_apart(&self) -> usize {
        let apart = |at: &usize| {
            let before = self.is_comma(at - 1) || self.ties(at - 1) || self.is(at - 1, List::But);
            let not = self.is(*at, List::Not) || self.is(*at, List::SpareNot);
            let named = || !self.object(at + 1).0.is_empty() || self.is(at + 1, List::SpareOther);
            before && not && named()
        };
        (2..self.tokens.len()).find(apart).unwrap_or(self.tokens.len())
    }

    /// "now change the tests as well", "you may edit the docs", "ändere jetzt auch die Tests", "die Tests darfst du jetzt
    /// ändern".
    fn allowed(&self) -> Vec<String> {
        let head = Reader { tokens: self.tokens.get(..self.kept_apart()).unwrap_or_default(), ..*self };
        let all = || 0..head.tokens.len();
        let holds = |at: usize| head.is(at, List::SpareFreeNot) || head.is(at, List::SpareNot);
        if self.asks || all().any(|at| head.negates(at) || holds(at)) {
            return Vec::new();
        }
        // "only change tests/a.rs" allows that file; of a kind it says what is not wanted so.
        let only = all().any(|at| head.is(at, List::SpareOnly));
        let names = all().flat_map(|at| head.ordered(at).into_iter().chain(head.granted(at)));
        names.filter(|name| !only || FileKind::named(name).is_none()).collect()
    }

    fn past_beside(&self, at: usize) -> usize {
        (at..self.tokens.len()).find(|at| !self.is(*at, List::SpareFreeBeside)).unwrap_or(self.tokens.len())
    }

    /// Whether what is named is all of it, but for what is told apart.
    fn frees_whole(&self, at: usize) -> bool {
        let at = self.past_beside(at);
        self.ends(at) || self.phrase(at, List::SpareBut).is_some()
    }

    fn leads(&self, at: usize) -> bool {
        let lead =
            |at: usize| self.is(at, List::SpareFreeLead) || self.is(at, List::SpareOnly) || self.is_comma(at);
        (0..at).all(lead)
    }

    /// "now change the tests", "du darfst die Tests ändern".
    fn ordered(&self, at: usize) -> Vec<String> {
        let told = ["ed", "s", "ing"].iter().any(|end| self.word(at).ends_with(end));
        let verb = self.stem(at, List::SpareStem) && !told || self.is(at, List::SpareFirst);
        let may = self.is(at, List::SpareFreeMay);
        if !self.leads(at) || !verb && !may {
            return Vec::new();
        }
        let from = (at + 1..self.tokens.len()).find(|at| !self.is(*at, List::SpareOnly)).unwrap_or(at + 1);
        let (names, end) = self.object(self.past_beside(from));
        let last = self.past_beside(end);
        let whole =
            verb && self.frees_whole(end) || may && self.is(last, List::SpareLast) && self.ends(last + 1);
        if whole { names } else { Vec::new() }
    }

    /// "the tests may be changed now", "die Tests darfst du ändern".
    fn granted(&self, at: usize) -> Vec<String> {
        let (names, end) = self.object(at);
        let but = self.phrase(end, List::SpareBut).map(|len| self.object(end + len).1);
        let may = but.unwrap_or(end);
        let past = |at: &usize| {
            [List::SpareFreeMay, List::SpareFreeBeside, List::SparePassive]
                .iter()
                .any(|list| self.is(*at, *list))
        };
        let verb = (may..self.tokens.len()).find(|at| !past(at)).unwrap_or(may);
        let granted = self.is(may, List::SpareGrant) || self.is(may, List::SpareFreeMay);
        let verb = if self.is(verb, List::SpareGrant) { verb + 1 } else { verb };
        let verb = (verb..self.tokens.len()).find(|at| !past(at)).unwrap_or(verb);
        let changes = self.stem(verb, List::SpareStem) || self.is(verb, List::SpareLast);
        let over = self.past_beside(verb + 1 + usize::from(self.is(verb + 1, List::SparePassive)));
        if self.leads(at) && !names.is_empty() && granted && changes && self.ends(over) {
            names
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_change_them_frees_files_that_were_left_alone() {
        let tests = FileKind::Tests.name();
        for (said, freed) in [
            ("now change the tests as well", vec![tests]),
            ("ok, you may change the tests now", vec![tests]),
            ("change the tests too", vec![tests]),
            ("please also update README.md", vec!["README.md"]),
            ("feel free to edit the tests", vec![tests]),
            ("ändere jetzt auch die Tests", vec![tests]),
            ("du darfst die Tests jetzt ändern", vec![tests]),
            ("don't change the tests", vec![]),
            ("do not edit the tests yet", vec![]),
            ("only change the tests if they are wrong", vec![]),
            ("ask me before you change the tests", vec![]),
            ("should I change the tests?", vec![]),
            ("can you change the tests?", vec![]),
            ("run the tests", vec![]),
            ("fix the tests of the parser", vec![]),
            ("the tests changed", vec![]),
            ("ändere die Tests nicht", vec![]),
            ("du darfst die Tests nicht ändern", vec![]),
            ("leave the tests alone", vec![]),
            ("fix the parser, not the tests", vec![]),
        ] {
            assert_eq!(Classifier::builtin().frees(said), freed, "{said}");
        }
    }

    #[test]
    fn one_file_of_a_kind_is_freed_or_left_by_its_name() {
        let tests = FileKind::Tests.name();
        let (a, b) = ("tests/a.rs", "tests/b.rs");
        for (said, freed, spared) in [
            ("update tests/a.rs as well", vec![a], vec![]),
            ("only change tests/a.rs", vec![a], vec![]),
            ("you may edit tests/a.rs but no other test", vec![a], vec![]),
            ("tests/a.rs may be changed", vec![a], vec![]),
            ("edit tests/a.rs, not tests/b.rs", vec![a], vec![b]),
            ("du darfst tests/a.rs ändern", vec![a], vec![]),
            ("tests/a.rs darfst du jetzt ändern", vec![a], vec![]),
            ("don't touch the tests, all but tests/b.rs", vec![b], vec![tests]),
            ("don't touch any tests but tests/b.rs", vec![b], vec![tests]),
            ("leave the tests alone, except tests/b.rs", vec![b], vec![tests]),
            ("leave the tests alone, all but tests/b.rs", vec![b], vec![tests]),
            ("fass die Tests nicht an, außer tests/b.rs", vec![b], vec![tests]),
            ("you may change all the tests but tests/b.rs", vec![tests], vec![b]),
            ("change the tests, all but tests/b.rs", vec![tests], vec![b]),
            ("alle Tests außer tests/b.rs darfst du ändern", vec![tests], vec![b]),
            ("don't touch the tests but fix src/a.rs", vec![], vec![tests]),
            ("the tests may be changed by the linter", vec![], vec![]),
            ("which tests may be changed?", vec![], vec![]),
            ("change all but tests/b.rs?", vec![], vec![]),
        ] {
            let by = Classifier::builtin();
            assert_eq!((by.frees(said), by.spares(said)), (owned(&freed), owned(&spared)), "{said}");
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}
