//! Why an input changed nothing.
//!
//! Owns the reason, in a sentence for people.

/// Why an input changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// In a sentence, for people.
    pub reason: String,
}

impl Refusal {
    /// A refusal with this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
