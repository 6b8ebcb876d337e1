//! Sentence vectors of the built-in embedder, which hashes.
//!
//! Owns their making and their length. Never touches a file or the network; other embedders are the
//! caller's.

use super::{
    features::{features, hash},
    parts::Tables,
    reading::Message,
};

/// The built-in embedder: features of words, letters and structure, folded into a short vector.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

/// Length of the built-in vectors.
pub const HASHED_LEN: usize = 512;

/// What three letters of a word weigh against the word.
const LETTERS: f32 = 0.35;

impl Hashed {
    /// The vector of features that are already there.
    pub fn fold(features: &[(u32, f32)]) -> Vec<f32> {
        let mut out = vec![0f32; HASHED_LEN];
        for (bucket, value) in features {
            let sign = if bucket & 0x4000 == 0 { 1.0 } else { -1.0 };
            if let Some(slot) = out.get_mut(*bucket as usize % HASHED_LEN) {
                *slot += sign * value;
            }
        }
        unit(out)
    }

    /// The vector of a text that is no message, by its words and how much each weighs: the words and the letters in
    /// them, nothing of how a sentence is built.
    pub fn words<'a>(words: impl IntoIterator<Item = (&'a str, f32)>) -> Vec<f32> {
        let mut found = Vec::new();
        for (word, weight) in words {
            found.push((hash(0, &["w", word]), weight));
            let letters: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
            let threes = letters.windows(4).filter_map(|w| word.get(*w.first()?..*w.last()?));
            let share = LETTERS * weight;
            found.extend(threes.map(|three| (hash(0, &["c", three]), share)));
        }
        Self::fold(&found)
    }

    /// The vector of one text; zeros where there is nothing in it.
    pub fn vector(text: &str) -> Vec<f32> {
        Self::fold(&features(&Message { text, ..Message::default() }, Tables::builtin()))
    }
}

/// The vector at length one; one that has no length, or is no number somewhere, becomes zeros.
pub fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let factor = if norm.is_finite() && norm > 0.0 { 1.0 / norm } else { 0.0 };
    for x in &mut vector {
        *x = if factor > 0.0 { *x * factor } else { 0.0 };
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_share_letters_are_nearer_than_others() {
        let of = |words: &[&str]| Hashed::words(words.iter().map(|w| (*w, 1.0)));
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        let one = of(&["normalize", "header"]);
        assert!(near(&one, &of(&["normalization"])) > 3.0 * near(&one, &of(&["keyboard"])).abs());
        assert!(near(&one, &of(&["header", "normalize"])) > 0.999);
        assert!(of(&[]).iter().all(|x| x.abs() < f32::EPSILON));
    }

    #[test]
    fn vectors_have_length_one_or_none() {
        let norm = |v: Vec<f32>| v.iter().map(|x| x * x).sum::<f32>();
        assert!((norm(Hashed::vector("fix the bug")) - 1.0).abs() < 1e-4);
        assert!((norm(unit(vec![3.0, 4.0])) - 1.0).abs() < 1e-6);
        assert!(norm(unit(vec![f32::NAN, 1.0])).abs() < f32::EPSILON);
        assert!(norm(unit(vec![0.0, 0.0])).abs() < f32::EPSILON);
    }
}
