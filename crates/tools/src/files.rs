//! Tools that work on files: who performs which, and those that only look: names, lines, matches.
//!
//! Owns what is shown of the files and how much of it. Never changes anything.

mod list;
mod near;
mod read;
mod search;
mod seek;
mod walk;

use pilothouse_core::{
    relpath::RelPath,
    tool::{FileCall, ToolOutcome},
};
use tokio_util::sync::CancellationToken;

use crate::{change, evidence, sight::LaneView};

pub(crate) use near::missing;
pub(crate) use pilothouse_core::money::count;
pub(crate) use read::unreadable;

/// Performs a call of a file tool; blocks.
///
/// # Errors
/// When it cannot be done; the text says how to mend the call.
pub(crate) fn perform(
    call: &FileCall,
    eyes: LaneView<'_>,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, String> {
    match call {
        FileCall::List(list) => list::list(eyes, list, cancel),
        FileCall::Read(read) => read::read(eyes, read),
        FileCall::Search(search) => search::search(eyes, search, cancel),
        FileCall::Edit(edit) => change::edit(eyes, edit),
        FileCall::Write(write) => change::write(eyes, write),
        FileCall::Delete(delete) => change::delete(eyes, delete),
        FileCall::RecordFact(fact) => evidence::record(eyes, fact),
    }
}

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
            format!("{head}… ({})", count(rest.chars().count(), "more character"))
        }
    }
}

#[cfg(test)]
mod tests;
