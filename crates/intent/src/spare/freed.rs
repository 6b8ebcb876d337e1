//! What a message says may be changed after all.
//!
//! Owns the grammar of that: a plain order or leave, with nothing that narrows it. Never knows what was spared before.

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
    /// "now change the tests as well", "you may edit the docs", "ändere jetzt auch die Tests", "du darfst die Tests ändern".
    fn freed(&self) -> Vec<String> {
        let all = || 0..self.tokens.len();
        let told = |at: usize| ["ed", "s", "ing"].iter().any(|end| self.word(at).ends_with(end));
        let holds = |at: usize| self.is(at, List::SpareFreeNot) || self.is(at, List::SpareNot);
        if self.asks || all().any(|at| self.negates(at) || holds(at)) {
            return Vec::new();
        }
        let beside = |mut at: usize| {
            while self.is(at, List::SpareFreeBeside) {
                at += 1;
            }
            at
        };
        let mut out = Vec::new();
        for at in all() {
            let opens = (0..at).all(|at| self.is(at, List::SpareFreeLead) || self.is_comma(at));
            let verb = self.stem(at, List::SpareStem) && !told(at) || self.is(at, List::SpareFirst);
            if verb && opens {
                let (names, end) = self.object(beside(at + 1));
                out.extend(names.into_iter().filter(|_| self.ends(beside(end))));
            }
            if opens && self.is(at, List::SpareFreeMay) {
                let (names, end) = self.object(beside(at + 1));
                let verb = beside(end);
                out.extend(
                    names.into_iter().filter(|_| self.is(verb, List::SpareLast) && self.ends(verb + 1)),
                );
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_shell::FileKind;

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
}
