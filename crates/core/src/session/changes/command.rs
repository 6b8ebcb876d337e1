//! What a command wrote, as the ledger keeps it.

use crate::{
    blob::BlobId,
    ids::{CallId, TaskId},
    tool::Doubt,
};

/// What a command wrote, beside its first files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandWrite {
    /// Its call.
    pub call: CallId,
    /// The step that it is of, if any.
    pub task: Option<TaskId>,
    /// What it was.
    pub line: String,
    /// All that changed.
    pub record: BlobId,
    /// How many files.
    pub count: usize,
    /// What of git, by name.
    pub git: Vec<String>,
    /// What of it may be somebody else's.
    pub doubt: Doubt,
    /// Whether that stayed as it is when the rest was taken back.
    pub kept: bool,
    /// What is to be left alone, where all of it is.
    pub spared: Option<Box<SparedWrite>>,
}

/// What a command wrote that is to be left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparedWrite {
    /// What the user called it.
    pub said: Vec<String>,
    /// What of it could not be saved.
    pub left: Vec<String>,
    /// Whether it was not put back.
    pub lost: bool,
}
