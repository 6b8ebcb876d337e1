//! What can go wrong with the index.
//!
//! Owns the error type.

use std::path::PathBuf;

use pilothouse_core::knowledge::Lines;
use pilothouse_tools::JailError;

/// Why the index cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Its files cannot be made or read.
    #[error("the index in {path} cannot be used: {source}")]
    Store {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The database does not do what it should.
    #[error("the database of the index: {0}")]
    Database(#[from] rusqlite::Error),
    /// The workspace cannot be opened.
    #[error(transparent)]
    Workspace(#[from] JailError),
    /// It was made by another version of the program.
    #[error("it is of another version ({0})")]
    Old(i64),
    /// It holds vectors of another embedder.
    #[error("it holds vectors of another embedder ({0})")]
    Embedder(String),
    /// There are no such lines to be read.
    #[error("{0} cannot be read; search for it first")]
    Missing(Lines),
    /// The user stopped it.
    #[error("stopped by the user")]
    Stopped,
}
