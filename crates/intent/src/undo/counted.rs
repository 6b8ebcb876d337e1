//! What is taken back by its place: steps of the plan by number, files and steps by "the second", "the last".
//!
//! Owns how places are said. Never knows what stands there.

use super::{Nth, TakenBack, Words};
use crate::{text::Kind, words::List};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Step,
    File,
}

impl Words<'_> {
    /// "the README", "a.rs", "step 2", "the second file".
    pub(super) fn thing(self) -> Option<TakenBack> {
        let rest = self.from(self.begins(List::UndoThe).unwrap_or(0));
        rest.counted().or_else(|| rest.one_file())
    }

    /// What the words say that was done: "what you did to the README" the README, "what step 2 did" step 2.
    pub(super) fn did(self) -> Option<Self> {
        if let Some(len) = self.begins(List::UndoDone) {
            return Some(self.from(len));
        }
        let len = self.begins(List::UndoWhich)?;
        self.ends(List::UndoDid).map(|end| self.to(end).from(len))
    }

    /// "step 2", "steps 2 and 3", "second file", "last step".
    pub(crate) fn counted(self) -> Option<TakenBack> {
        let places = self.kind().and_then(|kind| Some((kind, self.from(1).numbers()?)));
        match places {
            Some((Kinds::Step, all)) => return Some(TakenBack::Steps(all)),
            Some((Kinds::File, all)) => {
                return if let [one] = all[..] { Some(TakenBack::FileAt(one)) } else { None };
            }
            None => {}
        }
        let last = self.begins(List::UndoLast).map(|len| (Nth::Last, len));
        let (nth, len) = last.or_else(|| Some((Nth::At(self.ordinal()?), 1)))?;
        let rest = self.from(len);
        let kind = rest.kind().filter(|_| rest.tokens.len() == 1)?;
        Some(match kind {
            Kinds::Step => TakenBack::Steps(vec![nth]),
            Kinds::File => TakenBack::FileAt(nth),
        })
    }

    /// "2", "2 and 3", "1, 2 and step 4".
    fn numbers(self) -> Option<Vec<Nth>> {
        let first = Nth::At(self.number()?);
        let mut all = vec![first];
        let mut rest = self.from(1);
        while !rest.tokens.is_empty() {
            let comma = rest.tokens.first().is_some_and(|t| t.kind == Kind::Punct && t.text == ",");
            let joined = rest.from(usize::from(comma));
            let and = joined.begins(List::UndoAnd).unwrap_or(0);
            let joined = joined.from(and);
            let joined = joined.from(usize::from(joined.kind() == Some(Kinds::Step)));
            all.push(Nth::At(joined.number().filter(|_| comma || and > 0)?));
            rest = joined.from(1);
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// "2", "two".
    pub(super) fn number(self) -> Option<usize> {
        let first = self.tokens.first()?;
        let word = |w: &str| self.of.tables().words.list(List::UndoCount).iter().position(|n| **n == *w);
        first.text.parse().ok().or_else(|| word(&first.text).map(|at| at + 1)).filter(|n| *n > 0)
    }

    /// "second", "zweiten".
    pub(super) fn ordinal(self) -> Option<usize> {
        let first = self.tokens.first().filter(|t| t.kind == Kind::Word)?;
        let lists =
            [(List::UndoNth, &*first.text), (List::UndoNthDe, first.text.trim_end_matches(['n', 's', 'r']))];
        let at =
            |(list, word): (List, &str)| self.of.tables().words.list(list).iter().position(|n| **n == *word);
        lists.into_iter().find_map(at).map(|at| at + 1)
    }

    fn kind(self) -> Option<Kinds> {
        let step = self.begins(List::UndoStep).map(|_| Kinds::Step);
        step.or_else(|| self.begins(List::UndoFile).map(|_| Kinds::File))
    }
}
