//! The word lists of the rules, by name.
//!
//! Owns the parsed `assets/intent/words.txt`. Never knows what a list is for: that is with the rule.

mod list;

use std::collections::{HashMap, HashSet};

pub(crate) use self::list::List;
use super::text::fold;

/// Lists that one part of a word's bits holds.
const BITS: usize = u128::BITS as usize;
/// Parts in which there is a bit for every list.
const PARTS: usize = List::ALL.len().div_ceil(BITS);

/// The parsed lists.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The lists in which a word stands, as bits.
    places: HashMap<Box<str>, [u128; PARTS]>,
    lists: Vec<Vec<Box<str>>>,
    /// Words without one of which nothing is left alone.
    keeping: HashSet<Box<str>>,
}

impl Words {
    /// Reads the file, without the lists that are left out.
    pub(crate) fn parse(source: &str, left_out: &[List]) -> Self {
        let mut words = Self { lists: vec![Vec::new(); List::ALL.len()], ..Self::default() };
        for line in source.lines().filter(|l| !l.starts_with('#')) {
            let Some((name, rest)) = line.split_once(": ") else { continue };
            let Some(list) = List::ALL.iter().copied().find(|l| l.name() == name) else { continue };
            if left_out.contains(&list) {
                continue;
            }
            for word in rest.split(" | ") {
                let word: Box<str> = word.trim().chars().filter_map(fold).collect::<String>().into();
                let bits = words.places.entry(word.clone()).or_default();
                if let Some(part) = bits.get_mut(list as usize / BITS) {
                    *part |= 1 << (list as usize % BITS);
                }
                if let Some(own) = words.lists.get_mut(list as usize) {
                    own.push(word);
                }
            }
        }
        words.keeping = words.keeping_words();
        words
    }

    fn keeping_words(&self) -> HashSet<Box<str>> {
        let alone = [
            List::Not,
            List::ForbidNot,
            List::SpareNot,
            List::SpareMayNot,
            List::SpareWithout,
            List::SpareLeave,
            List::SpareStay,
            List::FramedStop,
            List::FramedNobody,
        ];
        let phrases = [List::SpareNever, List::SpareOff, List::SpareOut, List::SpareTaboo];
        let longest = |phrase: &str| phrase.split(' ').max_by_key(|word| word.len()).map(Box::from);
        let alone = alone.iter().flat_map(|list| self.list(*list).iter().cloned());
        let phrases = phrases.iter().flat_map(|list| self.list(*list)).filter_map(|phrase| longest(phrase));
        alone.chain(phrases).chain(["let".into(), "not".into()]).collect()
    }

    /// Whether a word may say that something is left alone: a negation, "leave", "stay", "off".
    pub(crate) fn may_keep(&self, word: &str) -> bool {
        self.keeping.contains(word)
    }

    /// Whether a word stands in a list.
    pub(crate) fn has(&self, list: List, word: &str) -> bool {
        let part = self.places.get(word).and_then(|bits| bits.get(list as usize / BITS));
        part.is_some_and(|part| part >> (list as usize % BITS) & 1 == 1)
    }

    /// The words of a list.
    pub(crate) fn list(&self, list: List) -> &[Box<str>] {
        self.lists.get(list as usize).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests;
