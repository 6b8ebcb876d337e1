//! What a message says nobody is to change, or does not want changed.
//!
//! Owns which negation is said of a verb, and where it stands: "nobody should edit the tests", "stop changing the tests",
//! "I don't want the tests changed", "hör auf, die Tests zu ändern".

use super::{List, Reader};

/// How many words may stand between a negation and its verb: "I don't want you to be allowed to edit the tests".
const FAR: usize = 6;

impl Reader<'_> {
    /// Whether the verb behind this word is negated.
    pub(super) fn negates(&self, at: usize) -> bool {
        let asks = at.checked_sub(1).is_some_and(|before| self.is(before, List::SpareWhy));
        let direct = !asks && (self.is(at, List::ForbidNot) || self.is(at, List::Not));
        direct && !self.is_either(at) || self.kept_back(at)
    }

    /// "whether or not to change them".
    fn is_either(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is(before, List::Or))
    }

    /// Whether a negation of several words ends there, or one of nobody.
    fn never_ends(&self, at: usize) -> bool {
        (0..=2).any(|back| {
            at.checked_sub(back).and_then(|from| self.phrase(from, List::SpareNever)) == Some(back + 1)
        })
    }

    /// Whether a negation stands before words that only say who may and how: "nobody should", "don't want you to", "not
    /// allowed to", "stop".
    fn kept_back(&self, at: usize) -> bool {
        let mut not = at;
        while not > 0 && at - not < FAR {
            let tied = not > 1 && self.ties(not) && self.is_deed(not - 1);
            let gap = usize::from(self.is(not, List::SpareGap)) + 2 * usize::from(tied);
            if gap == 0 {
                break;
            }
            not -= gap;
        }
        let why = || not.checked_sub(1).is_some_and(|before| self.is(before, List::SpareWhy));
        let forbids = self.is(not, List::ForbidNot) && self.word(not) != "no";
        let told = self.word(at + 1).ends_with("ed");
        // "did nobody change the tests?" asks.
        let nobody = self.never_ends(not) && !told && !self.asks;
        let stops = not == at
            && self.is(at, List::FramedStop)
            && self.word(at + 1).ends_with("ing")
            && self.opens(at);
        !why() && (not < at && forbids && !self.is_either(not) || nobody || stops)
    }

    /// Whether nothing stands before in the clause but what only opens one.
    pub(super) fn opens(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        self.ties(before)
            || self.is(before, List::But)
            || self.is(before, List::SpareFreeLead) && self.opens(before)
    }

    /// Past the verbs tied to one that changes: "edit or delete".
    pub(super) fn past_verbs(&self, verb: usize) -> usize {
        let mut at = verb + 1;
        while self.ties(at) && self.is_deed(at + 1) {
            at += 2;
        }
        at
    }

    /// A verb that changes or removes.
    pub(super) fn is_deed(&self, at: usize) -> bool {
        self.is(at, List::Touch) || self.stem(at, List::SpareStem) || self.is(at, List::SpareGone)
    }

    /// "I don't want the tests changed", "… to be touched", "don't let the tests change".
    pub(super) fn unwanted(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in (1..self.tokens.len()).filter(|at| self.is(*at, List::SpareWant) && !self.asks) {
            let (names, end) = self.object(at + 1);
            let passive =
                (end..self.tokens.len()).find(|at| !self.is(*at, List::SparePassive)).unwrap_or(end);
            let changed = self.stem(passive, List::SpareStem) || self.is(passive, List::Touch);
            if !names.is_empty() && changed && self.negates(at - 1) && self.ends(passive + 1) {
                out.extend(names);
            }
        }
        out
    }

    /// Whether what stands before a thing says that the verb behind it is not to be: "niemand soll", "hör auf,", "ich will
    /// nicht, dass du".
    pub(super) fn led(&self, at: usize) -> bool {
        let mut not = at;
        while not > 0 && (self.is_comma(not - 1) || self.is(not - 1, List::SpareLed)) {
            not -= 1;
        }
        let Some(last) = not.checked_sub(1) else { return false };
        let wished = || last > 0 && not < at && self.is(last - 1, List::SpareWish);
        self.never_ends(last) || self.is(last, List::SpareNot) && wished()
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_shell::FileKind;

    use crate::Classifier;

    #[test]
    fn what_nobody_is_to_change_and_nobody_wants_changed_is_left_alone() {
        let tests = FileKind::Tests.name();
        for said in [
            "nobody should edit the tests",
            "no one may touch the tests",
            "nobody is to change the tests",
            "nobody touches the tests",
            "make it green, but nobody should edit the tests",
            "stop changing the tests",
            "please stop changing the tests and fix the parser",
            "quit touching the tests",
            "no more edits to the tests",
            "no more changes to the tests",
            "no more test changes",
            "no further edits to the tests please",
            "there should be no changes to the tests",
            "I don't want the tests changed",
            "i dont want any tests touched",
            "I do not want the tests to change",
            "I don't want the tests to be changed",
            "I don't want you to touch the tests",
            "I don't want you changing the tests",
            "don't let anyone edit the tests",
            "don't let the tests change",
            "you are not allowed to change the tests",
            "you're not to touch the tests",
            "don't edit or delete the tests",
            "don't delete or edit the tests",
            "stay out of the tests",
            "keep away from the tests, fix the code",
            "leave the tests be",
            "let the tests be",
            "niemand soll die Tests ändern",
            "niemand darf die Tests anfassen",
            "hör auf, die Tests zu ändern",
            "hör auf die Tests zu ändern",
            "keine weiteren Änderungen an den Tests",
            "keine Änderungen mehr an den Tests",
            "ich will nicht, dass die Tests geändert werden",
            "ich möchte nicht, dass du die Tests änderst",
        ] {
            assert_eq!(Classifier::builtin().spares(said), [tests], "{said}");
        }
        for said in [
            "hands off src/a.rs",
            "stop editing src/a.rs",
            "you're not to touch src/a.rs",
            "stay out of src/a.rs",
        ] {
            assert_eq!(Classifier::builtin().spares(said), ["src/a.rs"], "{said}");
        }
    }

    #[test]
    fn what_is_told_or_wished_of_something_else_spares_nothing() {
        for said in [
            "nobody edited the tests",
            "did nobody change the tests?",
            "nobody should have to edit the tests by hand",
            "nobody should be able to edit config.toml through the api",
            "why did you stop changing the tests?",
            "why don't you change the tests",
            "you don't have to change the tests",
            "you don't need to change the tests",
            "the linter should stop changing the tests",
            "stop running the tests",
            "stop changing the subject",
            "no more tests",
            "I don't want the tests to fail",
            "I don't want the tests skipped",
            "I don't want the tests changed without a reason",
            "don't let the tests change the database",
            "don't let the CLI accept multiple files",
            "decide whether or not to change the tests",
            "the generated files should stay out of the docs",
            "let the tests be green",
            "no, you should edit the tests",
            "hör auf, die Tests zu überspringen",
            "niemand hat die Tests geändert",
            "ich weiß nicht, ob du die Tests ändern willst",
        ] {
            assert_eq!(Classifier::builtin().spares(said), Vec::<String>::new(), "{said}");
        }
    }
}
