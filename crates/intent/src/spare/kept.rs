//! Clauses that only leave something alone, as the reader of prohibitions asks for them.
//!
//! Owns which clauses order nothing but that. What is left alone is for the module above.

use super::{Kind, List, Reader, Token};
use crate::parts::Tables;

/// Where a clause begins to say that files or kinds of them are left alone, where it does; what it orders before that is
/// for the caller.
pub(crate) fn keeps(text: &str, tokens: &[Token], known: &Tables) -> Option<usize> {
    let reader = Reader { known, text, tokens, rest: &[], asks: false };
    if !reader.may_keep() {
        return None;
    }
    if reader.says_nobody() {
        return Some(0);
    }
    (!reader.left_alone().is_empty()).then(|| reader.first())
}

/// Whether words only name files or kinds of them: "the tests and the docs".
pub(crate) fn names_only(text: &str, tokens: &[Token], known: &Tables) -> bool {
    let (names, end) = Reader { known, text, tokens, rest: &[], asks: false }.object(0);
    !names.is_empty() && end == tokens.len()
}

impl Reader<'_> {
    /// "nobody is supposed to change the snapshot tests": what is meant is no kind as a whole, and left alone all the same.
    fn says_nobody(&self) -> bool {
        let Some(who) = (1..=2).find(|len| {
            let end = len - 1;
            self.phrase(0, List::SpareNever) == Some(*len) && !self.is(end, List::SpareNot)
        }) else {
            return false;
        };
        let verb = (who..self.tokens.len()).find(|at| !self.is(*at, List::SpareGap)).unwrap_or(who);
        verb > who && self.is_deed(verb)
    }

    /// Where what keeps from it begins: with a negation, or with what is named.
    fn first(&self) -> usize {
        let keeps = [List::Not, List::ForbidNot, List::SpareLeave, List::SpareNot, List::FramedStop];
        let opens = |at: &usize| {
            let named =
                self.tokens.get(*at).is_some_and(|t| t.kind != Kind::Punct) && self.named(*at).is_some();
            let phrase = [List::SpareNever, List::SpareOff, List::SpareOut];
            named
                || self.word(*at) == "let"
                || keeps.iter().any(|list| self.is(*at, *list))
                || phrase.iter().any(|list| self.phrase(*at, *list).is_some())
        };
        (0..self.tokens.len()).find(opens).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Classifier, Message, Phase, Turn, scope::Capability};

    #[test]
    fn what_only_leaves_files_alone_begins_nothing_and_stops_nothing() {
        for text in [
            "nobody should edit the tests",
            "the tests are off limits",
            "hands off src/a.rs",
            "stop editing src/a.rs",
            "I don't want the tests changed",
            "tests stay as they are",
            "let the tests be",
            "no more changes to the tests, and leave the docs alone",
            "nobody is supposed to change the snapshot tests",
            "no one should touch the old fixtures",
            "niemand soll die Tests ändern",
            "ich will nicht, dass die Tests geändert werden",
        ] {
            let idle = Classifier::builtin().read(&Message { text, ..Message::default() });
            assert!(idle.forbids_change && matches!(idle.whole.turn, Turn::Query(_)), "{text}: {idle:?}");
            let phase = Phase::Executing;
            let beside =
                Classifier::builtin().read(&Message { text, phase, plan_active: true, ..Message::default() });
            assert_eq!(beside.whole.turn, Turn::PlanContinue, "{text}");
            assert!(!beside.whole.scope().allows(Capability::Write), "{text}");
        }
    }

    #[test]
    fn an_order_beside_what_is_left_alone_stays_one() {
        for text in [
            "rename fetch to load without touching the tests",
            "make the parser faster, nobody should edit the tests",
            "fix the parser. The tests are off limits.",
            "add a flag to wcount; hands off the tests",
            "Tests nicht anfassen, aber benenne fetch in load um",
            "benenne fetch in load um, niemand soll die Tests ändern",
            "mach die Tests grün, niemand soll die Doku ändern",
            "same for decode, leave the tests alone",
            "now the same in decode, tests stay as they are",
            "yes but leave the tests alone",
            "go ahead, leave the docs alone",
            "try again but don't change the lockfile",
        ] {
            let read = Classifier::builtin().read(&Message { text, ..Message::default() });
            assert!(matches!(read.whole.turn, Turn::PlanNew(_)) && !read.forbids_change, "{text}: {read:?}");
        }
    }
}
