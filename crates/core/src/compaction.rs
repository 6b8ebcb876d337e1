//! Compaction: what a summary takes the place of, and what the user keeps or drops by hand.
//!
//! Owns the shapes only. Never a part of plan, gates, ledger or state: a summary is told, not believed.

use serde::{Deserialize, Serialize};

/// What a summary took the place of, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Messages that are not sent any more.
    pub messages: u64,
    /// Tokens of what was sent before; an estimate.
    pub before: u64,
    /// Tokens of what is sent instead; an estimate.
    pub after: u64,
}

/// What the user wants of one entry of the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It is never shrunk, and stays when the rest is summed up.
    Pinned,
    /// One line takes its place.
    Dropped,
}
