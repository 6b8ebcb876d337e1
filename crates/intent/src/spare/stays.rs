//! What a message says of files themselves: that they stay as they are.
//!
//! Owns the grammar of that: "the tests must not change", "the docs stay as they are", "die Tests darfst du nicht
//! anfassen". What is only told of them ("the tests did not change") and a question are not of it.

use super::{List, Reader};

impl Reader<'_> {
    /// Files and kinds that are to stay as they are, where a clause is about these.
    pub(super) fn staying(&self) -> Vec<String> {
        let clause = |at: usize| at.checked_sub(1).is_none_or(|to| self.ties(to) || self.is(to, List::But));
        // "an den Tests wird nichts geändert"
        let of = |to: usize| self.word(to) == "an" && clause(to);
        let opens = |at: &usize| clause(*at) || at.checked_sub(1).is_some_and(of);
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

    /// "must not change", "shouldn't be touched", "are not to be changed", "dürfen nicht geändert werden", "darfst du nicht
    /// anfassen", "wird nichts geändert".
    fn must_not(&self, at: usize) -> bool {
        let who = at + 1 + usize::from(self.is(at + 1, List::SpareFreeMay));
        let nothing = self.is(who, List::FramedNobody);
        let denied = nothing || self.is(who, List::SpareNot) || self.is(who, List::Not);
        let may = self.is(at, List::SpareModal) || nothing && self.is(at, List::SparePassive);
        let are = self.is(at, List::SpareIs) && self.word(who + 1) == "to";
        let not = if self.is(at, List::SpareMayNot) {
            at
        } else if denied && (may || are) {
            who
        } else {
            return false;
        };
        let passive = |at: &usize| self.is(*at, List::SparePassive);
        let verb = (not + 1..self.tokens.len()).find(|at| !passive(at)).unwrap_or(not);
        let changes = self.stem(verb, List::SpareStem) || self.is(verb, List::SpareLast);
        let behind = verb + 1 + usize::from(passive(&(verb + 1)));
        changes && self.is_over(behind)
    }

    /// "stay untouched", "must remain as they are", "need to stay the way they are", "bleiben, wie sie sind".
    fn stays(&self, at: usize) -> bool {
        let lead = |at: usize| {
            [List::FramedMay, List::SpareGap, List::Aux].iter().any(|list| self.is(at, *list))
                && !self.is(at, List::Not)
        };
        let stay = (at..at + 3).find(|at| self.is(*at, List::SpareStay));
        let Some(stay) = stay.filter(|stay| (at..*stay).all(lead)) else { return false };
        let how = self.past_so(stay + 1);
        if !self.is(how, List::SpareEnd) {
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
            ("die Tests bleiben, wie sie sind", vec![tests]),
            ("die Tests bleiben so wie sie sind", vec![tests]),
            ("an den Tests wird nichts geändert", vec![tests]),
            ("tests are off-limits", vec![tests]),
            ("the tests are out of bounds", vec![tests]),
            ("the tests stay exactly as they are", vec![tests]),
            ("the tests stay the way they are", vec![tests]),
            ("the tests need to stay as they are", vec![tests]),
            ("the tests shouldn't change", vec![tests]),
            ("the tests aren't to be touched", vec![tests]),
            ("the tests are not to be touched", vec![tests]),
            ("the tests are not changed", vec![]),
            ("the tests have not changed", vec![]),
            ("the tests did not stay as they are", vec![]),
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
