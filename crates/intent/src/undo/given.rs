//! Lines that want back what was taken back: "put it back", "undo the undo", "bring the Makefile change back".
//!
//! Owns their grammar: the whole line says so. Never knows whether anything was taken back.

use super::{Classifier, TakenBack, Words, text};
use crate::words::List;

impl Classifier {
    /// What of the changes that were taken back a whole line wants back, where it wants that and nothing else.
    pub fn gives_back(&self, line: &str) -> Option<TakenBack> {
        if self.lists(List::GiveBack, line) {
            return Some(TakenBack::Last);
        }
        let doc = text::tokenize(line);
        let (asked, rest) = Words::of(self, line, &doc).past_mark().closed();
        let (lead, rest) = rest.past_leads();
        if asked && !lead {
            return None;
        }
        let rest = rest.without_tails();
        let whole = || rest.is(List::GiveBack).then_some(TakenBack::Last);
        whole().or_else(|| rest.puts_back()).or_else(|| rest.applies_again())
    }
}

impl Words<'_> {
    /// "put it back", "bring the README change back".
    fn puts_back(self) -> Option<TakenBack> {
        let len = self.begins(List::GiveVerb)?;
        let end = self.tokens.len().checked_sub(1).filter(|end| *end > len)?;
        self.from(end).begins(List::UndoBack)?;
        self.to(end).from(len).what()
    }

    /// "reapply", "reapply that".
    fn applies_again(self) -> Option<TakenBack> {
        let rest = self.from(self.begins(List::GiveAgain)?);
        if rest.tokens.is_empty() { Some(TakenBack::Last) } else { rest.what() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_line_wants_back_what_was_taken_back() {
        let of = |line: &str| Classifier::builtin().gives_back(line);
        for line in [
            "put it back",
            "no, put it back",
            "bring it back",
            "put that back again please",
            "give it back",
            "can you bring that back?",
            "reapply it",
        ] {
            assert_eq!(of(line), Some(TakenBack::That), "{line}");
        }
        for line in
            ["undo the undo", "reapply", "actually keep it", "put the last change back", "Redo the change."]
        {
            assert_eq!(of(line), Some(TakenBack::Last), "{line}");
        }
        assert_eq!(of("put everything back"), Some(TakenBack::All));
        for line in ["put the Makefile change back", "bring the Makefile back"] {
            assert_eq!(of(line), Some(TakenBack::Named("Makefile".into())), "{line}");
        }
        for line in [
            "put it back?",
            "put it back into the list",
            "undo that",
            "take it back",
            "keep it",
            "bring the server up",
            "give me back the old parser and fix it",
            "reapply the fix in another way",
            "don't put it back",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
