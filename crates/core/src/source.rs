//! Sources: programs and services whose tools a model may call, as the session knows them.
//!
//! Owns their names and what is known of each tool: what its server said of it, by hash, and whether that is another
//! than when it was called last. Never asks a source anything.

use serde::{Deserialize, Serialize};

use crate::blob::BlobId;

/// What stands between a source's name and a tool's.
const BETWEEN: &str = "__";

/// A tool of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTool {
    /// Its name there.
    pub name: String,
    /// What it is for, in a line.
    pub about: String,
    /// The hash of everything that its server says of it.
    pub hash: BlobId,
    /// Whether its server says that it only reads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads: bool,
    /// Whether the user lets such tools of this source run unasked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Whether what is said of it hides characters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hides: bool,
    /// Whether it is another than when it was called last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// What a tool of a source is called.
pub fn full_name(source: &str, tool: &str) -> String {
    format!("{source}{BETWEEN}{tool}")
}

/// The source and the tool of such a name.
pub fn parts(name: &str) -> Option<(&str, &str)> {
    name.split_once(BETWEEN).filter(|(source, tool)| !source.is_empty() && !tool.is_empty())
}
