//! Folders that tools make and make again: `assets/knowledge/made.txt`.
//!
//! Owns which names they have. Never looks at the disk.

use std::sync::LazyLock;

use super::knowledge::{Names, groups};

static MADE: LazyLock<Names<()>> = LazyLock::new(|| {
    let mut names = Names::new();
    for name in groups(include_str!("../../../assets/knowledge/made.txt"))
        .iter()
        .flat_map(|(_, lines)| lines)
        .flat_map(|line| line.split_whitespace())
    {
        names.add(name.to_owned(), ());
    }
    names
});

/// Whether a path is or lies in a folder that a tool makes again.
pub(super) fn is_made(path: &str) -> bool {
    let inside = !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..");
    inside && path.split('/').any(|part| MADE.has(part))
}
