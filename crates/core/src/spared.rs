//! What the user said is to be left alone, held against what a command changed.
//!
//! Owns which file a name of the user's means. Never says what was said: the turns hold that.

use crate::shell::{self, FileKind, is_source};

/// What is to be left alone in the work of one message: files by name, and kinds of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spared(Vec<String>);

impl Spared {
    /// What was said.
    pub const fn of(said: Vec<String>) -> Self {
        Self(said)
    }

    /// Whether nothing is.
    pub const fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// What the user called a file that a command changed, where it is to be left alone. What a command makes (`comes`) is
    /// of a kind only where it is a source: the output of a test is no test.
    pub fn said_of(&self, path: &str, comes: bool) -> Option<&str> {
        let made = comes && (shell::is_made(path) || !is_source(path));
        let holds = |name: &&String| !(made && FileKind::named(name).is_some()) && names(name, path);
        self.0.iter().find(holds).map(String::as_str)
    }
}

/// Whether a file is what somebody calls by this name: its path, the end of it, its name without what follows the
/// dot, or the kind of files that it is of.
pub(crate) fn names(name: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    if let Some(kind) = FileKind::named(name) {
        return kind.holds(path);
    }
    let (name, path) = (name.to_lowercase(), path.to_lowercase());
    let name = name.trim_end_matches('/');
    let file = path.rsplit('/').next().unwrap_or(&path);
    let stem = file.split('.').next().filter(|s| !s.is_empty()).unwrap_or(file);
    let inside = path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    let end = path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    inside || end || stem == name
}
