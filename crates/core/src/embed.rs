//! Sentence vectors behind one trait: the built-in one hashes, others ask a model.
//!
//! Owns the trait. Never touches a file or the network.

use crate::{intent::embed::Hashed, talk::Fault};

/// Turns texts into unit vectors.
pub trait Embedder: Send + Sync {
    /// Its identity, for caches and the inspector: the same name gives the same vectors.
    fn name(&self) -> &str;

    /// A vector of length one for each text; all zeros where there is nothing in it.
    ///
    /// # Errors
    /// When it cannot be reached or says nonsense; the next tier takes over.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault>;
}

impl Embedder for Hashed {
    fn name(&self) -> &'static str {
        "hashed"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault> {
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}
