//! Lines that want what the workbench has at hand: the diff, what printed last, what it cost, a command that is not to be asked
//! about any more.
//!
//! Owns that the whole line says so. Never knows what there is.

use super::{Classifier, steer::normal, words::List};

/// What of the workbench a line wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The changes, those that wait or those that were written.
    Diff,
    /// What a command printed last.
    Output,
    /// What was spent.
    Cost,
    /// That this command is not asked about any more.
    Unasked(String),
}

impl Classifier {
    /// What of the workbench a line wants to see or have settled, where it says nothing else.
    pub fn asks_shown(&self, line: &str) -> Option<Shown> {
        let bare = line.trim().trim_end_matches(['?', '？', '.', '!']).trim_end();
        let all =
            [(List::ShowDiff, Shown::Diff), (List::ShowOutput, Shown::Output), (List::ShowCost, Shown::Cost)];
        let plain = bare.replace(['\'', '’'], "");
        let named = all.into_iter().find(|(list, _)| self.lists(*list, &plain)).map(|(_, shown)| shown);
        named.or_else(|| self.unasked(line).map(Shown::Unasked))
    }

    /// The command that a line wants allowed from now on: "always allow npm test".
    fn unasked(&self, line: &str) -> Option<String> {
        if line.contains(['?', '？', '\n']) {
            return None;
        }
        let words: Vec<&str> = line.trim().trim_end_matches(['.', '!']).split_whitespace().collect();
        let past = |words: &mut &[&str], list| {
            let known = |n: &usize| {
                let head = words.get(..*n).map(|head| normal(&head.join(" ")).replace(['\'', '’'], ""));
                head.is_some_and(|head| self.tables().is(list, &head))
            };
            let found = (1..=LONGEST.min(words.len())).rev().find(known);
            *words = found.and_then(|n| words.get(n..)).unwrap_or(words);
            found.is_some()
        };
        let mut rest = words.as_slice();
        while past(&mut rest, List::UndoLead) {}
        if !past(&mut rest, List::LeaveLead) {
            return None;
        }
        past(&mut rest, List::LeaveNoun);
        let said = rest.join(" ");
        let command = said.trim_matches(['`', '"', '“', '”']);
        // "always allow empty input" is an order about the program.
        let program = command.split_whitespace().next().unwrap_or_default();
        let named = said.starts_with('`') || program.contains('/') || pilothouse_shell::is_known(program);
        let is_command = named || self.tables().is(List::LeaveWhat, &normal(command));
        (is_command && !command.is_empty()).then(|| command.to_owned())
    }
}

/// The most words that a phrase of these lists has.
const LONGEST: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_wants_what_the_workbench_has_says_nothing_else() {
        let of = |line: &str| Classifier::builtin().asks_shown(line);
        for (lines, shown) in [
            (
                &["show me the diff", "Show the diff.", "can I see the diff?", "please show me the changes"]
                    [..],
                Shown::Diff,
            ),
            (&["show the last output again", "show me the output", "What did it print?"], Shown::Output),
            (
                &["how much did that cost?", "how many tokens did that use?", "what's the cost so far?"],
                Shown::Cost,
            ),
            (
                &[
                    "always allow npm test",
                    "don't ask me again for `npm test`",
                    "please always allow npm test.",
                ],
                Shown::Unasked("npm test".to_owned()),
            ),
        ] {
            for line in lines {
                assert_eq!(of(line), Some(shown.clone()), "{line}");
            }
        }
        assert_eq!(of("don't ask me again for tests"), Some(Shown::Unasked("tests".to_owned())));
        for line in [
            "show the diff in the footer",
            "show the output of the parser in red",
            "how much did that cost us in speed?",
            "show me the diff of the parser and fix it",
            "always allow",
            "always allow empty input?",
            "don't ask",
            "allow npm test",
            "print the cost so far at the end",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn an_order_about_the_program_is_no_word_about_its_commands() {
        for line in [
            "don't ask for confirmation when deleting notes",
            "always allow empty input",
            "always allow admins to delete notes",
            "stop asking for the password twice",
            "never ask about the name",
        ] {
            assert_eq!(Classifier::builtin().asks_shown(line), None, "{line}");
        }
    }
}
