//! A path inside the workspace as text.
//!
//! Owns the lexical form. Never asks the file system: the jail in the tools crate resolves links.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A path below the workspace root: `/`-separated, no `.`, `..`, empty part or leading slash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

/// The text is no path below the workspace root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a path inside the workspace; give it relative to the workspace root, without `..`")]
pub struct BadRelPath(pub String);

impl RelPath {
    /// Reads a relative path; `./` and doubled slashes are folded.
    ///
    /// # Errors
    /// When it is absolute, climbs with `..`, holds a NUL, or is empty.
    pub fn new(text: &str) -> Result<Self, BadRelPath> {
        let bad = || BadRelPath(text.to_owned());
        if text.starts_with('/') || text.contains('\0') {
            return Err(bad());
        }
        let parts: Vec<&str> = text.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
        if parts.is_empty() || parts.contains(&"..") {
            return Err(bad());
        }
        Ok(Self(parts.join("/")))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RelPath {
    type Error = BadRelPath;

    fn try_from(s: String) -> Result<Self, Self::Error> {
        Self::new(&s)
    }
}

impl From<RelPath> for String {
    fn from(p: RelPath) -> Self {
        p.0
    }
}
