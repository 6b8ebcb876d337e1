//! A removal that is ordered of what is not to be edited: "don't edit the tests, delete them".
//!
//! Owns when one is. What was named so is not left alone: its removal is asked about.

use super::{List, Reader, Token, clauses};
use crate::parts::Tables;

/// Whether a message orders the removal of what it says is not to be edited.
pub(crate) fn removes(text: &str, tokens: &[Token], known: &Tables) -> bool {
    clauses(text, tokens, known).any(|reader| {
        let names = reader.kept_by_word();
        !reader.asks && reader.removes(&names)
    })
}

impl Reader<'_> {
    /// Whether the removal of what is named is ordered behind it, in the same sentence or as the next one.
    pub(super) fn removes(&self, names: &[String]) -> bool {
        let next = Reader { tokens: self.rest, rest: &[], ..*self };
        !names.is_empty()
            && ((1..self.tokens.len()).any(|at| self.removal(at, names)) || next.removal(0, names))
    }

    /// Whether a clause that opens there orders that.
    fn removal(&self, at: usize, names: &[String]) -> bool {
        let lead = |at: &usize| self.is(*at, List::SpareFreeLead) || self.is(*at, List::SpareSo);
        let verb = (at..self.tokens.len()).find(|at| !lead(at)).unwrap_or(at);
        // "don't edit or delete them": the same negation keeps from both.
        let named = |end: usize| (0..end).any(|at| self.named(at).is_some());
        let joined = at > 1 && self.is_deed(at - 2) && !named(at - 2);
        let opens = at == 0 || self.is(at - 1, List::But) || self.ties(at - 1) && !joined;
        if !opens || !self.is(verb, List::SpareGone) {
            return false;
        }
        let (gone, end) = self.object(verb + 1);
        let them = self.is(verb + 1, List::Pronoun) || self.is(verb + 1, List::SpareIs);
        let over = |at: usize| self.tokens.get(at).is_none_or(super::ends_clause) || self.ends(at);
        gone.iter().any(|name| names.contains(name)) && over(end)
            || them && over(self.past_so(verb + 2))
            || over(verb + 1)
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_shell::FileKind;

    use crate::{Classifier, IntentNode, Message, Turn, scope::Approval};

    #[test]
    fn what_is_to_be_removed_is_not_left_alone() {
        for said in [
            "don't edit the tests, delete them",
            "don't change src/a.rs, remove it",
            "do not edit the tests but delete them instead",
            "Don't edit the tests. Delete them.",
            "don't edit the tests, just delete the tests",
            "die Tests nicht ändern, löschen",
            "ändere die Tests nicht, lösche sie",
            "die Tests nicht anfassen, sondern entfernen",
        ] {
            assert_eq!(Classifier::builtin().spares(said), Vec::<String>::new(), "{said}");
            let read = Classifier::builtin().read(&Message { text: said, ..Message::default() });
            assert_eq!(read.whole.path.current(), IntentNode::Delete, "{said}");
            assert_eq!(read.whole.approval(), Approval::Explicit, "{said}");
        }
        let tests = FileKind::Tests.name();
        for said in [
            "don't edit the tests, don't delete them",
            "don't edit or delete the tests",
            "don't edit the tests, delete src/b.rs",
            "don't touch the tests, delete the old cache",
            "don't touch the tests. Delete the dead code",
            "don't edit the tests, remove them from the list",
        ] {
            assert_eq!(Classifier::builtin().spares(said), [tests], "{said}");
        }
    }

    #[test]
    fn a_question_whether_to_remove_removes_nothing() {
        for text in [
            "should I leave the tests alone or delete them?",
            "do we keep the tests as they are or delete them?",
            "is it better to leave src/a.rs alone or remove it?",
            "I was told: don't edit the tests, delete them. Is that sensible?",
        ] {
            let read = Classifier::builtin().read(&Message { text, ..Message::default() });
            assert!(matches!(read.whole.turn, Turn::Query(_)), "{text}: {:?}", read.whole);
        }
    }
}
