//! Sentence vectors behind one trait: the built-in one hashes, others may call a model.
//!
//! Owns the trait, the built-in embedder and the nearest exemplar. Never touches a file or network.

use super::{exemplars::Exemplars, features::features, reading::Message};

/// Turns a text into a unit vector.
pub trait Embedder {
    /// A name for caches and the inspector.
    fn name(&self) -> &str;

    /// A vector of length one; all zeros when the text has nothing in it.
    fn embed(&self, text: &str) -> Vec<f32>;
}

/// The built-in embedder: features of words, letters and structure, folded into a short vector.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

/// Length of the built-in vectors.
pub const HASHED_LEN: usize = 512;

impl Embedder for Hashed {
    fn name(&self) -> &'static str {
        "hashed"
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut out = vec![0f32; HASHED_LEN];
        for (bucket, value) in features(&Message { text, ..Message::default() }) {
            let sign = if bucket & 0x4000 == 0 { 1.0 } else { -1.0 };
            if let Some(slot) = out.get_mut(bucket as usize % HASHED_LEN) {
                *slot += sign * value;
            }
        }
        let norm = out.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm > 0.0 {
            for x in &mut out {
                *x /= norm;
            }
        }
        out
    }
}

/// An exemplar near a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// primary, sub or leaves.
    pub section: String,
    /// The intent.
    pub name: String,
    /// The phrase.
    pub phrase: String,
    /// Cosine, -1 to 1.
    pub score: f32,
}

/// The exemplar of a section that is nearest to a text.
pub fn nearest(embedder: &dyn Embedder, set: &Exemplars, section: &str, text: &str) -> Option<Nearest> {
    let wanted = embedder.embed(text);
    let score = |phrase: &str| embedder.embed(phrase).iter().zip(&wanted).map(|(a, b)| a * b).sum::<f32>();
    set.iter()
        .filter(|(s, _, _)| *s == section)
        .map(|(s, n, p)| Nearest {
            section: s.to_owned(),
            name: n.to_owned(),
            phrase: p.to_owned(),
            score: score(p),
        })
        .max_by(|a, b| a.score.total_cmp(&b.score))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_exemplar_is_nearest_to_itself() {
        let set = Exemplars::parse(crate::intent::exemplars::BUILTIN).unwrap();
        for (section, _, phrase) in set.iter() {
            let found = nearest(&Hashed, &set, section, phrase).unwrap();
            assert!(found.score > 0.999 && found.phrase == phrase, "{phrase:?} → {found:?}");
        }
    }
}
