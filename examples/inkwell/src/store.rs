//! The file that keeps the notes.

use std::{fs, io, path::PathBuf};

use crate::{note::Note, search::find_notes};

/// A plain text file with one note a paragraph.
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// Keeps notes in `path`; the file is made by the first note.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// All notes, oldest first.
    pub fn load(&self) -> io::Result<Vec<Note>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(text
                .split("\n\n")
                .filter(|paragraph| !paragraph.trim().is_empty())
                .map(Note::new)
                .collect()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(e),
        }
    }

    /// Adds a note at the end.
    pub fn add(&self, note: &Note) -> io::Result<()> {
        let mut text = fs::read_to_string(&self.path).unwrap_or_default();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&note.text);
        fs::write(&self.path, text)
    }

    /// How many notes hold every word of `query`.
    pub fn count(&self, query: &str) -> io::Result<usize> {
        Ok(find_notes(&self.load()?, query).len())
    }
}
