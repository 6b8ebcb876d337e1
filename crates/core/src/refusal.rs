//! Why an input changed nothing.
//!
//! Owns the reason, in a sentence for people, and of which kind it is.

/// Why an input changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// In a sentence, for people.
    pub reason: String,
    /// Of which kind it is.
    pub kind: RefusalKind,
}

/// Whether another time or only other words would have done something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The session is not such that it could be done now.
    State,
    /// It was said wrongly: no such command, or not as that is written.
    Misuse,
}

impl Refusal {
    /// A refusal with this reason, which lies in how the session stands.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: RefusalKind::State }
    }

    /// A refusal of what was said wrongly.
    pub fn misuse(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: RefusalKind::Misuse }
    }
}
