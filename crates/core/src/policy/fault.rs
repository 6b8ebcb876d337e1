//! What is wrong with a pattern.
//!
//! Owns the place and the words.

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Fault {
    /// The byte at which it is wrong.
    pub at: usize,
    /// What, and what to write instead.
    pub why: String,
}

impl Fault {
    pub(super) fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }
}
