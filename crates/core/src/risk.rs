//! How dangerous a command line is. Placeholder until the classifier lands in this module.

use serde::{Deserialize, Serialize};

/// How dangerous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Only reads.
    Low,
    /// Changes inside the project.
    Medium,
    /// Anything that cannot be taken back.
    High,
}

/// What was found about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The risk.
    pub risk: Risk,
    /// The part that caused it.
    pub part: String,
    /// Why.
    pub why: String,
    /// The rule.
    pub rule: String,
}

/// Judges a command line.
pub fn assess(line: &str) -> Verdict {
    Verdict { risk: Risk::Medium, part: line.to_owned(), why: "not judged yet".into(), rule: "none".into() }
}
