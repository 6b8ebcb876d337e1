//! Vectors of passages: made by the built-in embedder or another one, kept as bytes, compared.
//!
//! Owns their form. What the built-in one knows of words is weighed when it is asked, not when it is kept.

use std::collections::BTreeMap;

use pilothouse_core::intent::embed::Hashed;

use crate::words;

/// Stems that stand in a row, with how often each does.
pub(crate) fn counted_stems(stems: &str) -> BTreeMap<String, u16> {
    let mut counts: BTreeMap<String, u16> = BTreeMap::new();
    let says = |s: &&str| !words::is_empty_word(s) && !s.starts_with(|c: char| c.is_ascii_digit());
    for stem in stems.split(' ').filter(says) {
        match counts.get_mut(stem) {
            Some(count) => *count = count.saturating_add(1),
            None => drop(counts.insert(stem.to_owned(), 1)),
        }
    }
    counts
}

/// The built-in vector of counted words.
pub(crate) fn built_in(counts: &BTreeMap<String, u16>) -> Vec<f32> {
    Hashed::words(counts.iter().map(|(word, n)| (word.as_str(), 1.0 + f32::from(*n).ln())))
}

/// A vector as bytes: each number as a step of 127 of the largest one.
#[expect(clippy::cast_possible_truncation, reason = "the number lies within a byte by its making")]
pub(crate) fn packed(vector: &[f32]) -> Vec<u8> {
    let most = vector.iter().fold(0f32, |most, x| most.max(x.abs()));
    let step = if most > 0.0 && most.is_finite() { 127.0 / most } else { 0.0 };
    vector.iter().map(|x| ((x * step).round() as i8).cast_unsigned()).collect()
}

/// How near a kept vector is to one that was asked for, packed too: 1 is the same direction. Nothing where lengths differ.
pub(crate) fn nearness(asked: &[u8], kept: &[u8]) -> f32 {
    if asked.len() != kept.len() {
        return 0.0;
    }
    let (mut dot, mut square, mut own) = (0i32, 0i32, 0i32);
    for (a, k) in asked.iter().zip(kept) {
        let (a, k) = (i32::from(a.cast_signed()), i32::from(k.cast_signed()));
        dot += a * k;
        square += k * k;
        own += a * a;
    }
    #[expect(clippy::cast_precision_loss, reason = "a length need not be exact")]
    let (dot, length) = (dot as f32, (square as f32).sqrt() * (own as f32).sqrt());
    if length > 0.0 { dot / length } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_directions() {
        let one = built_in(&counted_stems("read the header of a frame and parse its length"));
        let other = built_in(&counted_stems("draw a gauge on the screen"));
        assert!(nearness(&packed(&one), &packed(&one)) > 0.99);
        assert!(nearness(&packed(&one), &packed(&other)) < 0.2);
        assert!(
            nearness(&packed(&one), &[1, 2]).abs() < f32::EPSILON
                && nearness(&packed(&one), &packed(&vec![0.0; one.len()])).abs() < f32::EPSILON
        );
    }
}
