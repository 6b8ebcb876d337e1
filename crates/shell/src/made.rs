//! Folders that tools make and make again: `assets/knowledge/made.txt`.
//!
//! Owns which names they have. Never looks at the disk.

use std::sync::LazyLock;

use super::knowledge::{Names, groups};

/// Names, and whether a tool makes all that lies there again.
static MADE: LazyLock<Names<bool>> = LazyLock::new(|| {
    let mut names = Names::default();
    for (group, lines) in groups(include_str!("../../../assets/knowledge/made.txt")) {
        for name in lines.iter().flat_map(|line| line.split_whitespace()) {
            names.add(name.to_owned(), group == "made");
        }
    }
    names
});

/// Whether a path is or lies in a folder that a tool makes again.
pub fn is_made(path: &str) -> bool {
    within(path) && path.split('/').any(|part| MADE.get(part) == Some(true))
}

/// Whether a tool makes what lies in a folder of this name again.
pub fn makes_again(name: &str) -> bool {
    MADE.get(name) == Some(true)
}

/// Whether output goes to a path by habit.
pub fn is_output(path: &str) -> bool {
    within(path) && path.split('/').any(|part| MADE.has(part))
}

fn within(path: &str) -> bool {
    !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..")
}
