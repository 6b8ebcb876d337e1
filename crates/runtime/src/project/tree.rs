//! The top of a project's tree and the languages in it.
//!
//! Owns the bounds of the walk. Never opens a file and never follows a link.

use std::{collections::BTreeMap, path::Path};

use pilothouse_core::{clean::Clean, money::count, shell::fits};
use pilothouse_tools::walk::walk;

use super::commands::KNOWLEDGE;

/// Most names of the top that are told.
const MOST_NAMES: usize = 60;
/// Most names of the top that are looked at.
const MOST_ENTRIES: usize = 4000;
/// Most files and folders that are looked at for their languages.
const MOST_FILES: usize = 4000;
/// Most languages that are told.
const MOST_LANGUAGES: usize = 6;

/// The names at the top of a project, folders with a slash, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Top {
    pub names: Vec<String>,
    /// Whether there were more than were looked at.
    cut: bool,
}

impl Top {
    /// The first of the names that fits a pattern.
    pub fn matching(&self, pattern: &str) -> Option<&String> {
        self.names.iter().find(|name| fits(pattern, name))
    }

    pub fn shown(&self) -> String {
        let names: Vec<&str> = self.names.iter().take(MOST_NAMES).map(String::as_str).collect();
        let more = match self.names.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            n if self.cut => format!(" … and more than {n} more"),
            n => format!(" … and {n} more"),
        };
        if names.is_empty() {
            "empty".to_owned()
        } else {
            Clean::line(&names.join(" ")).into_string() + &more
        }
    }
}

/// What stands at the top, without what is ignored.
pub(super) fn top(root: &Path) -> Top {
    let mut top = Top::default();
    for entry in walk(root, root, Some(1)).skip(1).take(MOST_ENTRIES) {
        let slash = if entry.file_type().is_dir() { "/" } else { "" };
        top.names.push(format!("{}{slash}", entry.file_name().to_string_lossy()));
    }
    top.cut = top.names.len() == MOST_ENTRIES;
    top.names.sort();
    top
}

/// The languages of the files at any depth, the commonest first.
pub(super) fn languages(root: &Path) -> String {
    counted(root, MOST_FILES)
}

fn counted(root: &Path, most: usize) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seen = 0;
    for entry in walk(root, root, None).take(most) {
        seen += 1;
        if !entry.file_type().is_file() {
            continue;
        }
        let ending = entry.path().extension().and_then(|e| e.to_str()).unwrap_or_default();
        if let Some(language) = KNOWLEDGE.languages.get(ending) {
            *counts.entry(*language).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (usize::MAX - count, *name));
    // Of a larger project a part was looked at.
    let least = if seen == most { "at least " } else { "" };
    let told =
        counts.iter().take(MOST_LANGUAGES).map(|(name, n)| format!("{name} ({least}{})", count(*n, "file")));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn files_count_at_any_depth_and_what_was_not_looked_at_is_told() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("packages/a/src/inner/more");
        std::fs::create_dir_all(&deep).unwrap();
        for n in 0..4 {
            std::fs::write(deep.join(format!("{n}.py")), "").unwrap();
        }
        assert_eq!(languages(root.path()), "Python (4 files)");
        assert_eq!(counted(root.path(), 8), "Python (at least 2 files)");
    }
}
