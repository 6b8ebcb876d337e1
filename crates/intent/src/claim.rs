//! What an answer claims of checks: "all tests pass", "the build is green again".
//!
//! Owns which lines claim that. Whether it is so is for whoever knows what ran.

use super::{Classifier, words::List};

/// So many words may stand between what was checked and how it went: "the tests of the parser and the store all pass".
const BETWEEN: usize = 7;

impl Classifier {
    /// Whether a line of an answer claims that checks pass; what is only wished, awaited or denied claims nothing.
    pub fn claims_green(&self, line: &str) -> bool {
        line.split_inclusive(['.', ';', '!', '?', ':']).any(|sentence| self.claims(sentence))
    }

    fn claims(&self, sentence: &str) -> bool {
        let text = sentence.to_lowercase().replace(['\'', '’'], "");
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let is = |word: &&str, list: List| self.tables().is(list, word);
        if sentence.ends_with('?') || words.iter().any(|w| is(w, List::ClaimHedge)) {
            return false;
        }
        let goes_on = |at: usize| words.get(at + 1).is_some_and(|w| is(w, List::ClaimObject));
        let green = |at: usize| words.get(at).is_some_and(|w| is(w, List::ClaimGreen)) && !goes_on(at);
        let checks = words.iter().enumerate().filter(|(_, w)| is(w, List::ClaimOf)).map(|(at, _)| at);
        checks.flat_map(|at| at + 1..=at + 1 + BETWEEN).any(green)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_claims_that_checks_pass_only_where_it_says_so_plainly() {
        let claims = |line: &str| Classifier::builtin().claims_green(line);
        for line in [
            "All tests pass.",
            "All 19 tests pass.",
            "Mended store and server; all tests are green now.",
            "All 31 tests are green; I ran them just now.",
            "The tests of the parser and the store all pass",
            "The build succeeds again.",
            "Done: `npm test` passes.",
            "the suite is green, and the README says so",
        ] {
            assert!(claims(line), "{line}");
        }
        for line in [
            "All tests should pass now.",
            "The tests do not pass yet.",
            "Run the tests to see whether they pass.",
            "One test fails, the others pass.",
            "Do the tests pass?",
            "Once the tests pass it can be committed.",
            "The tests pass the locale to the parser.",
            "Added a test for the parser.",
            "The store passes the key on.",
            "I could not run the tests.",
            "make the build green",
            "",
        ] {
            assert!(!claims(line), "{line}");
        }
    }
}
