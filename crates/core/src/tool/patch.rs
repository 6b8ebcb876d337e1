//! Patches in the `*** Begin Patch` form: a parser of its whole grammar.
//!
//! Owns the form. What a patch does to a file is an edit like any other: nothing is searched here.
//!
//! ```text
//! patch  = "*** Begin Patch" { file } "*** End Patch"
//! file   = "*** Add File: " path { "+" line }
//!        | "*** Delete File: " path
//!        | "*** Update File: " path [ "*** Move to: " path ] { hunk }
//! hunk   = [ "@@" [ " " where ] ] { ( " " | "-" | "+" ) line } [ "*** End of File" ]
//! ```

use serde_json::{Value, json};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

/// Why a patch cannot be taken; the text tells the model how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatchError {
    #[error("line {0} of the patch is not in its form: {1:?}")]
    Line(usize, String),
    #[error("the patch does not end with `{END}`")]
    NoEnd,
    #[error("the patch is for {0} files; send one call for each")]
    Files(usize),
    #[error("the patch makes a new file: use write with its whole content")]
    Adds,
    #[error("the patch removes a file: use delete")]
    Deletes,
    #[error("the patch renames a file: use write with the new path, then delete the old one")]
    Moves,
    #[error("a hunk of the patch has no line that is there already; give a line before or after it")]
    NoContext,
}

/// What a patch does to the one file that it changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Update {
    pub path: String,
    /// Its hunks, as replacements.
    pub edits: Vec<Value>,
}

/// What a patch does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileChange {
    Add,
    Delete,
    Update { path: String, moved: bool, hunks: Vec<Hunk> },
}

/// The lines that a hunk takes and those that it puts in their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    old: Vec<String>,
    new: Vec<String>,
}

/// Whether a text is meant as a patch.
pub(super) fn begins(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

/// Reads a patch that changes one file.
///
/// # Errors
/// When it is not in its form, or does anything else.
pub(super) fn one_update(text: &str) -> Result<Update, PatchError> {
    let mut files = parse(text)?;
    let count = files.len();
    let Some(file) = files.pop().filter(|_| count == 1) else { return Err(PatchError::Files(count)) };
    match file {
        FileChange::Add => Err(PatchError::Adds),
        FileChange::Delete => Err(PatchError::Deletes),
        FileChange::Update { moved: true, .. } => Err(PatchError::Moves),
        FileChange::Update { path, hunks, .. } => {
            let edits = hunks.into_iter().map(Hunk::replacement).collect::<Result<_, _>>()?;
            Ok(Update { path, edits })
        }
    }
}

fn parse(text: &str) -> Result<Vec<FileChange>, PatchError> {
    let mut files: Vec<FileChange> = Vec::new();
    let mut lines = text.trim().lines().enumerate().skip(1);
    loop {
        let (n, line) = lines.next().ok_or(PatchError::NoEnd)?;
        if line.trim_end() == END {
            return match lines.next() {
                Some((n, line)) => Err(PatchError::Line(n + 1, line.to_owned())),
                None => Ok(files),
            };
        }
        if let Some(file) = header(line) {
            files.push(file);
            continue;
        }
        let fits = files.last_mut().is_some_and(|file| file.take(line));
        if !fits {
            return Err(PatchError::Line(n + 1, line.to_owned()));
        }
    }
}

/// The file that a line begins, if it begins one.
fn header(line: &str) -> Option<FileChange> {
    if line.starts_with("*** Add File: ") {
        return Some(FileChange::Add);
    }
    if line.starts_with("*** Delete File: ") {
        return Some(FileChange::Delete);
    }
    let path = line.strip_prefix("*** Update File: ")?.trim().to_owned();
    Some(FileChange::Update { path, moved: false, hunks: Vec::new() })
}

impl FileChange {
    /// Takes a line of it; `false` when it has no such lines.
    fn take(&mut self, line: &str) -> bool {
        match self {
            Self::Add => line.starts_with('+'),
            Self::Delete => false,
            Self::Update { moved, hunks, .. } => {
                if line.starts_with("*** Move to: ") && hunks.is_empty() && !*moved {
                    *moved = true;
                    return true;
                }
                if line == "@@" || line.starts_with("@@ ") {
                    hunks.push(Hunk::default());
                    return true;
                }
                if line.trim_end() == END_OF_FILE {
                    return !hunks.is_empty();
                }
                // The first hunk may do without its mark.
                if hunks.is_empty() {
                    hunks.push(Hunk::default());
                }
                hunks.last_mut().is_some_and(|hunk| hunk.take(line))
            }
        }
    }
}

impl Hunk {
    fn take(&mut self, line: &str) -> bool {
        let mut rest = line.chars();
        let mark = rest.next();
        let text = rest.as_str().to_owned();
        match mark {
            // An empty line of the file is often written without its mark.
            Some(' ') | None => {
                self.old.push(text.clone());
                self.new.push(text);
            }
            Some('-') => self.old.push(text),
            Some('+') => self.new.push(text),
            Some(_) => return false,
        }
        true
    }

    fn replacement(self) -> Result<Value, PatchError> {
        if self.old.is_empty() {
            return Err(PatchError::NoContext);
        }
        let text = |lines: Vec<String>| lines.into_iter().map(|line| line + "\n").collect::<String>();
        Ok(json!({"old": text(self.old), "new": text(self.new), "whole_lines": true}))
    }
}
