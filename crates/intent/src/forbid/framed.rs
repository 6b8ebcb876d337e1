//! Verbs that order only in a frame ("give X a Y"), where they are kept from that: "you shouldn't give it a flag", "nobody
//! asked you to …", "stop teaching …", and where somebody else wants or says it.
//!
//! Owns which clauses these are. What a prohibition comes to is for the modules above.

use super::super::{
    framed::framed,
    structure::{Clause, Structure},
    text::{Doc, Kind},
    words::List,
};

/// One clause of a message.
#[derive(Clone, Copy)]
struct At<'a> {
    doc: &'a Doc,
    s: &'a Structure<'a>,
    c: &'a Clause,
}

/// Whether the clause of this number has such a verb, and orders nothing by it.
pub(super) fn denied(doc: &Doc, s: &Structure<'_>, number: usize) -> bool {
    let of = |number: usize| Some(At { doc, s, c: s.clauses.get(number)? });
    let Some(at) = of(number) else { return false };
    let quoted = || number.checked_sub(1).and_then(of).is_some_and(|before| before.quotes(at));
    let declined = || s.clauses.len() == number + 2 && of(number + 1).is_some_and(At::is_no);
    at.keeps_from()
        || at.framed(at.c.head) && (quoted() || at.c.marked && declined())
        || at.is_no() && number > 0
}

impl<'a> At<'a> {
    fn word(self, i: usize) -> &'a str {
        let token = self.doc.tokens.get(i).filter(|t| t.kind == Kind::Word);
        token.filter(|_| i >= self.c.start && i < self.c.end).map_or("", |t| t.text.as_str())
    }

    fn is(self, i: usize, list: List) -> bool {
        self.s.known.is(list, self.word(i))
    }

    /// Whether such a verb stands there, in its frame.
    fn framed(self, i: usize) -> bool {
        framed(self.doc.tokens.get(i..self.c.end).unwrap_or_default(), self.s.known)
    }

    fn keeps_from(self) -> bool {
        (self.c.start + 1..self.c.end).any(|i| {
            let gives = [List::FramedTeach, List::FramedGive, List::FramedSwap];
            let verb = gives.iter().any(|list| self.is(i, *list)) && self.framed(i);
            let has = self.is(i, List::FramedHave) && self.framed(i);
            let before = self.c.start..i;
            // "parse must not let it through" says how parse is to be.
            let agent = || before.clone().any(|j| self.is(j, List::FramedAgent));
            let nobody = || before.clone().any(|j| self.is(j, List::FramedNobody));
            (verb || has && agent()) && (self.ought_not(i) || nobody() || self.waits(i))
                || (verb || has) && self.others(i)
                || self.is(i, List::FramedDoing)
                    && before.clone().any(|j| self.is(j, List::FramedStop) && i - j < 3)
        })
    }

    /// "shouldn't", "must not": behind it what is not to be done.
    fn ought_not(self, verb: usize) -> bool {
        let not = |j: usize| self.is(j, List::FramedMay) && self.is(j + 1, List::Not) && j + 1 < verb;
        (self.c.start..verb).any(|j| self.is(j, List::FramedMayNot) || not(j))
    }

    /// "wait before you give parse a flag".
    fn waits(self, verb: usize) -> bool {
        let first = (self.c.start..verb).any(|j| self.is(j, List::FramedWait));
        first && (1..=2).any(|back| verb.checked_sub(back).is_some_and(|j| self.word(j) == "before"))
    }

    /// "he wants to give wcount a --help": another wants it, and says so.
    fn others(self, verb: usize) -> bool {
        let who = self.is(self.c.start, List::FramedOther);
        who && (self.c.start + 1..verb).any(|j| self.is(j, List::FramedSays))
    }

    /// "the docs say:", before what they say.
    fn quotes(self, said: Self) -> bool {
        let colon = self.doc.tokens.get(self.c.end).is_some_and(|t| t.kind == Kind::Punct && t.text == ":");
        let agent = self.is(self.c.start, List::FramedSpeaker) || self.is(self.c.head, List::FramedSays);
        let says = self.c.end.checked_sub(1).is_some_and(|last| self.is(last, List::FramedSays));
        colon && says && !agent && said.c.start == self.c.end + 1
    }

    /// "no thanks", and nothing else.
    fn is_no(self) -> bool {
        let mut words = (self.c.start..self.c.end).map(|i| self.word(i));
        let no = (self.c.start..self.c.end).any(|i| self.is(i, List::Not));
        no && words.all(|word| self.s.known.is(List::Not, word) || self.s.known.is(List::FramedThanks, word))
    }
}
