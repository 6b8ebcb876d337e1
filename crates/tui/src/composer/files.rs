//! The files that are offered behind an `@`: those that are held, and when others are to be looked for.
//!
//! Owns which list answers what is typed. Never reads a folder.

use pilothouse_core::relpath::RelPath;

use super::popup::Entry;

/// At most this many are held; where there are more, those are that are like what is typed.
pub(crate) const MOST: usize = 20_000;

/// The names, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Files {
    held: Option<Vec<Entry>>,
    /// What the names that are held are like; empty where that is all of them.
    like: String,
    /// Whether there may be more like that.
    cut: bool,
    /// What those are to be like that are being looked for.
    sought: Option<String>,
}

impl Files {
    /// What can be offered now.
    pub fn held(&self) -> &[Entry] {
        self.held.as_deref().unwrap_or_default()
    }

    /// Whether others may come.
    pub const fn is_looking(&self) -> bool {
        self.held.is_none() || self.sought.is_some()
    }

    /// Those that were looked for are here.
    pub fn came(&mut self, files: &[RelPath]) {
        self.like = self.sought.take().unwrap_or_default();
        self.cut = files.len() >= MOST;
        self.held = Some(files.iter().map(|f| Entry::new(f.to_string(), String::new())).collect());
    }

    /// What names are to be like that are looked for now: all where a name `begins`, and what is typed where those that are
    /// held may not be all that fit it. One look at a time.
    pub fn wanted(&mut self, query: &str, begins: bool) -> Option<String> {
        let answers = self.like == query || !self.cut && query.starts_with(&self.like);
        let anew = begins && query.is_empty();
        if !anew && (self.sought.is_some() || self.held.is_some() && answers) {
            return None;
        }
        let like = if self.held.is_some() { query } else { "" };
        self.sought = Some(like.to_owned());
        self.sought.clone()
    }
}
