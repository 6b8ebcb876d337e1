//! What a message says of files themselves: that they stay as they are.
//!
//! Owns the grammar of that: "the tests must not change", "the docs stay as they are", "die Tests darfst du nicht
//! anfassen". What is only told of them ("the tests did not change") and a question are not of it.

use super::{List, Reader};

impl Reader<'_> {
    /// Files and kinds that are to stay as they are, where a clause is about these.
    pub(super) fn staying(&self) -> Vec<String> {
        let opens = |at: &usize| at.checked_sub(1).is_none_or(|to| self.ties(to) || self.is(to, List::But));
        let mut out = Vec::new();
        for at in (0..self.tokens.len()).filter(|at| !self.asks && opens(at)) {
            let (names, end) = self.object(at);
            if !names.is_empty() && (self.must_not(end) || self.stays(end) || self.is_off(end)) {
                out.extend(names);
            }
        }
        out
    }

    fn is_over(&self, at: usize) -> bool {
        let at = self.past_stress(at);
        at >= self.tokens.len() || self.ties(at) || self.is(at, List::But)
    }

    /// "must not change", "shall not be touched", "dürfen nicht geändert werden", "darfst du nicht anfassen".
    fn must_not(&self, at: usize) -> bool {
        if !self.is(at, List::SpareModal) {
            return false;
        }
        let not = at + 1 + usize::from(self.is(at + 1, List::SpareFreeMay));
        let verb = not + 1 + usize::from(self.is(not + 1, List::SparePassive));
        let changes = self.stem(verb, List::SpareStem) || self.is(verb, List::SpareLast);
        let behind = verb + 1 + usize::from(self.is(verb + 1, List::SparePassive));
        (self.is(not, List::SpareNot) || self.is(not, List::Not)) && changes && self.is_over(behind)
    }

    /// "stay untouched", "must remain as they are", "bleiben wie sie sind".
    fn stays(&self, at: usize) -> bool {
        let stay = at + usize::from(self.is(at, List::SpareModal));
        let how = stay + 1;
        if !self.is(stay, List::SpareStay) || !self.is(how, List::SpareEnd) {
            return false;
        }
        let plain = !self.is(how, List::SpareAs) && self.is_over(how + 1);
        plain || (self.is(how, List::SpareAs) && self.is(how + 1, List::SpareIs) && self.is_over(how + 3))
    }

    /// "are off limits", "sind tabu".
    fn is_off(&self, at: usize) -> bool {
        self.is(at, List::SpareIs)
            && self.phrase(at + 1, List::SpareTaboo).is_some_and(|len| self.is_over(at + 1 + len))
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_shell::FileKind;

    use crate::Classifier;

    #[test]
    fn what_is_said_of_files_themselves_leaves_them_alone() {
        let tests = FileKind::Tests.name();
        for (said, spared) in [
            ("the tests must not change", vec![tests]),
            ("rename foo to bar but the tests stay as they are", vec![tests]),
            ("fix the parser; tests are off limits", vec![tests]),
            ("the tests must stay untouched", vec![tests]),
            ("README.md should not be changed", vec!["README.md"]),
            ("die Tests darfst du nicht anfassen", vec![tests]),
            ("die Tests dürfen nicht geändert werden", vec![tests]),
            ("die Tests bleiben wie sie sind", vec![tests]),
            ("ne touche pas aux tests", vec![tests]),
            ("ne modifie pas les tests", vec![tests]),
            ("sin cambiar las pruebas", vec![tests]),
            ("the tests did not change", vec![]),
            ("die Tests haben sich nicht geändert", vec![]),
            ("warum hast du die Tests nicht geändert?", vec![]),
            ("should the tests not change?", vec![]),
            ("the tests must not change the database", vec![]),
            ("the config must not change at runtime", vec![]),
            ("the tests stay red", vec![]),
            ("the tests are off by one", vec![]),
            ("n'oublie pas de modifier les tests", vec![]),
            ("no te olvides de cambiar las pruebas", vec![]),
        ] {
            assert_eq!(Classifier::builtin().spares(said), spared, "{said}");
        }
    }
}
