//! The words of one passage by where they stand in it: what an order of candidates is made from.
//!
//! Owns the form in which they are kept. Never finds a candidate.

use std::collections::BTreeMap;

use crate::words;

/// Where a word stands: the name that is defined, what that stands in, the path, what is said first, what else is said, the lines
/// that define, the other code, and what is said of what it stands in.
pub(crate) const NAME: u8 = 1;
pub(crate) const OUTER: u8 = 2;
pub(crate) const PATH: u8 = 4;
pub(crate) const SAID: u8 = 8;
pub(crate) const NOTES: u8 = 16;
pub(crate) const DEFINES: u8 = 32;
pub(crate) const CODE: u8 = 64;
pub(crate) const ABOUT: u8 = 128;
/// Bytes of one word: its hash, its places, how often it stands there.
const BYTES: usize = 6;

/// The words of a passage.
#[derive(Debug, Default)]
pub(crate) struct Bag(BTreeMap<u32, (u8, u8)>);

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stands {
    pub places: u8,
    pub often: u8,
}

/// A word as it is kept.
pub(crate) fn hash(stem: &str) -> u32 {
    stem.bytes().fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

impl Bag {
    /// Adds stems that stand in a row.
    pub fn add(&mut self, stems: &str, place: u8) {
        for stem in stems.split(' ').filter(|s| !s.is_empty() && !words::is_empty_word(s)) {
            let (places, often) = self.0.entry(hash(stem)).or_default();
            *places |= place;
            *often = often.saturating_add(1);
        }
    }

    /// As bytes, in the order of the hashes.
    pub fn packed(&self) -> Vec<u8> {
        let of = |(hash, (places, often)): (&u32, &(u8, u8))| {
            let [a, b, c, d] = hash.to_be_bytes();
            [a, b, c, d, *places, *often]
        };
        self.0.iter().flat_map(of).collect()
    }
}

/// A kept bag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(Vec<(u32, Stands)>);

impl Kept {
    pub fn of(bytes: &[u8]) -> Self {
        let one = |[a, b, c, d, places, often]: &[u8; BYTES]| {
            (u32::from_be_bytes([*a, *b, *c, *d]), Stands { places: *places, often: *often })
        };
        Self(bytes.as_chunks().0.iter().map(one).collect())
    }

    /// Where a word stands.
    pub fn get(&self, hash: u32) -> Option<Stands> {
        let at = self.0.binary_search_by_key(&hash, |(h, _)| *h).ok()?;
        self.0.get(at).map(|(_, stands)| *stands)
    }

    /// Which share of the words of both stands in both.
    #[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
    pub fn like(&self, other: &Self) -> f32 {
        let both = self.0.iter().filter(|(hash, _)| other.get(*hash).is_some()).count();
        both as f32 / (self.0.len() + other.0.len() - both).max(1) as f32
    }

    pub fn iter(&self) -> impl Iterator<Item = Stands> {
        self.0.iter().map(|(_, stands)| *stands)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_comes_back_as_it_was_kept() {
        let mut bag = Bag::default();
        bag.add("read head", NAME);
        bag.add("read the size", SAID);
        let kept = Kept::of(&bag.packed());
        assert_eq!(kept.get(hash("read")), Some(Stands { places: NAME | SAID, often: 2 }));
        assert_eq!((kept.get(hash("the")), kept.iter().count()), (None, 3));
        assert!((kept.like(&kept) - 1.0).abs() < f32::EPSILON);
        assert!(
            Kept::of(&[1, 2, 3]).iter().next().is_none() && Kept::default().like(&Kept::default()) == 0.0
        );
    }
}
