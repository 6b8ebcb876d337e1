//! Tools that only look: names, lines, matches.
//!
//! Owns what is shown of the files and how much of it. Never changes anything.

mod list;
mod read;
mod search;
mod walk;

use pilothouse_core::relpath::RelPath;

use crate::sight::LaneView;

pub(crate) use list::list;
pub(crate) use pilothouse_core::money::count;
pub(crate) use read::{read, unreadable};
pub(crate) use search::search;

/// The file or folder that a call is about; `None` for the workspace itself, also where it names none.
fn place(eyes: LaneView<'_>, path: Option<&str>) -> Result<Option<RelPath>, String> {
    path.map_or(Ok(None), |path| eyes.jail.read_path(path).map_err(|e| e.to_string()))
}

/// The first `chars` characters of a line, and how many were left out.
pub(crate) fn clip(line: &str, chars: usize) -> String {
    match line.char_indices().nth(chars) {
        None => line.to_owned(),
        Some((at, _)) => {
            let (head, rest) = line.split_at(at);
            format!("{head}… ({} more characters)", rest.chars().count())
        }
    }
}

#[cfg(test)]
mod tests;
