//! What the user said is to be left alone, held against what a command changed.
//!
//! Owns which file a name of the user's means. Never says what was said: the turns hold that.

use crate::shell::{self, FileKind, is_source};

/// What is to be left alone in the work of one message: files by name, and kinds of files; and the files that were freed of
/// these by their own names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spared {
    said: Vec<String>,
    freed: Vec<String>,
}

impl Spared {
    /// What was said.
    pub const fn of(said: Vec<String>) -> Self {
        Self { said, freed: Vec::new() }
    }

    /// Whether nothing is.
    pub const fn is_none(&self) -> bool {
        self.said.is_empty()
    }

    /// A later message: what it frees as it was said is left alone no more, what it spares is again, and a file that it frees
    /// by name is apart from what it lies in.
    pub(crate) fn then(&mut self, spares: &[String], frees: &[String]) {
        self.said.retain(|name| !frees.contains(name));
        self.freed.retain(|file| !spares.iter().any(|name| names(name, file)));
        self.said.extend(spares.iter().cloned());
        let apart = |file: &&String| self.said.iter().any(|name| names(name, file));
        self.freed.extend(frees.iter().filter(apart).cloned());
    }

    /// What the user called a file, or what it lies in, by which it is to be left alone.
    pub(crate) fn names(&self, path: &str) -> Option<&str> {
        self.by(path, |name| names(name, path))
    }

    /// The first of what was said that holds of a path, where that was not freed by its own name.
    pub(crate) fn by(&self, path: &str, holds: impl Fn(&str) -> bool) -> Option<&str> {
        let freed = self.freed.iter().any(|file| names(file, path));
        self.said.iter().map(String::as_str).find(|name| !freed && holds(name))
    }

    /// Whether something of what is to be left alone is meant by a name.
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.said.iter().any(|said| said == name) || self.names(name).is_some()
    }

    /// What the user called a file that a command changed, where it is to be left alone. What a command makes (`comes`) is
    /// of a kind only where it is a source: the output of a test is no test.
    pub fn said_of(&self, path: &str, comes: bool) -> Option<&str> {
        let made = comes && (shell::is_made(path) || !is_source(path));
        self.by(path, |name| !(made && FileKind::named(name).is_some()) && names(name, path))
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
