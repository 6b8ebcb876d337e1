//! Orders about the message of a commit that waits: "drop the README line from the message", "change the title to …".
//!
//! Owns which orders have that message for their object. Never knows whether a commit waits.

use super::{List, Words, names_place};

impl Words<'_> {
    /// Whether a line orders a change of the message and nothing else.
    pub(super) fn edits_message(self) -> bool {
        // "ok, but add …"
        let said = self.past(List::But).1.past(List::UndoLead).1;
        let reworded = said.begins(List::MessageReword).map(|len| said.from(len));
        if let Some(rest) = reworded {
            return rest.done() || rest.begins(List::RewordTail).is_some();
        }
        let omits = said.begins(List::MessageOmit).is_some();
        said.begins(List::MessageEdit).is_some_and(|len| {
            let said = said.from(len).unended();
            said.of_message()
                || said.made_to_be()
                || said.ends_in(List::MessagePart)
                || omits && said.ends_in(List::MessageLine)
        })
    }

    /// "…" with "from the message" at its end.
    fn of_message(self) -> bool {
        (0..self.tokens.len()).any(|at| {
            let of = self.from(at);
            let behind = of.begins(List::MessageOf).map(|len| of.from(len).past(List::Article).1);
            behind.is_some_and(|named| named.is(List::RewordNoun) || named.is(List::RewordBare))
        })
    }

    /// "the title to …": what is said behind it is the title, as far as it begins like one, and names no place elsewhere.
    fn made_to_be(self) -> bool {
        let named = self.past(List::Article).1;
        let noun = named.begins(List::RewordNoun).or_else(|| named.begins(List::RewordBare));
        noun.map(|len| named.from(len)).is_some_and(|rest| {
            let told = rest.begins(List::MessageTo).map(|len| rest.from(len));
            let first = told.and_then(|told| told.text.get(told.tokens.first()?.start..)?.chars().next());
            told.is_some() && (first.is_some_and(|c| !c.is_lowercase()) || !names_place(rest))
        })
    }

    /// Whether it is one thing of this list and names no place for it.
    fn ends_in(self, list: List) -> bool {
        let elsewhere = |at: usize| {
            [List::MessageOf, List::RewordPlace].iter().any(|list| self.from(at).begins(*list).is_some())
        };
        let one = self.is(list) || self.ends(list).is_some();
        one && !(0..self.tokens.len()).any(elsewhere)
    }

    /// Without what is said for politeness at its end.
    fn unended(self) -> Self {
        self.ends(List::CommitTail).map_or(self, |from| self.to(from).unended())
    }

    fn done(self) -> bool {
        self.unended().tokens.is_empty() || self.is(List::CommitTail)
    }
}

#[cfg(test)]
mod tests {
    use crate::Classifier;

    #[test]
    fn an_order_about_the_message_that_waits_is_told_from_work_on_files() {
        let of = Classifier::builtin();
        for line in [
            "drop the README line from the message",
            "please remove the last bullet from the message",
            "remove the last bullet",
            "leave out the README line",
            "leave out the second point please",
            "add \"closes #12\" to the message",
            "ok, but add a line about the fee to the commit message",
            "mention README.md in the message",
            "change the title to Add late fees",
            "change the title to \"Add late fees\"",
            "change the subject to Read fees in the parser",
            "fix the typo in the title",
            "reword it",
            "no, reword it please",
            "rephrase that",
            "take the last line out of the message",
            "streiche die letzte Zeile aus der Nachricht",
        ] {
            assert!(of.wants_message(line, true), "{line}");
            assert!(
                !of.wants_message(line, false) || line.contains("commit"),
                "only where one waits: {line}"
            );
        }
        for line in [
            "remove the last line",
            "drop the README",
            "add a line about the fee to the README",
            "add a test for the message",
            "add the fee to the message queue",
            "remove the title from the page",
            "change the title to bold on the settings page",
            "drop the README line from the message and push",
            "add a bullet to the README",
            "remove the message",
            "fix the error message",
            "delete the message in a.txt",
            "reword the README",
            "reword it?",
            "drop the README line from the message?",
            "leave out the tests",
        ] {
            assert!(!of.wants_message(line, true), "{line}");
        }
    }
}
