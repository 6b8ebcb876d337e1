//! What comes of work on the machine: how a process ended, what became of a file.
//!
//! Owns these facts. Never knows who asked for the work.

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    diff::{Change, Hunk},
    ids::{Millis, Process, ProposalId},
    relpath::RelPath,
};

/// What a proposed change does to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file is new.
    Create,
    /// The file exists and changes.
    Modify,
    /// The file goes.
    Delete,
}

/// How a command ended; of one that could not even be started it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal, if one ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether it ran into its time limit and was stopped.
    #[serde(default)]
    pub timed_out: bool,
    /// How long it ran.
    pub took: Millis,
    /// The process that ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// Whether it changed what it may not, and that was put back: it failed, whatever its code says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub put_back: bool,
}

impl Exit {
    /// Whether it ended with code 0, and with what it may do.
    pub const fn ok(&self) -> bool {
        matches!(self.code, Some(0)) && !self.put_back
    }

    /// How it ended, in words after the command.
    pub fn words(&self) -> String {
        match (self.timed_out, self.code, self.signal) {
            (true, ..) => "hit its time limit".to_owned(),
            (false, Some(code), _) if self.put_back => {
                format!("ended with exit {code}, but changed what it may not, which was put back")
            }
            (false, Some(code), _) => format!("ended with exit {code}"),
            (false, None, Some(signal)) => format!("was ended by signal {signal}"),
            (false, None, None) => "ended".to_owned(),
        }
    }
}

/// One file of a write, by hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The proposal it comes from.
    pub proposal: ProposalId,
    /// The file.
    pub path: RelPath,
    /// What happens to it.
    pub kind: ChangeKind,
    /// The content before; `None` when there was no file.
    pub before: Option<BlobId>,
    /// The content after; `None` when there will be none.
    pub after: Option<BlobId>,
    /// Permission bits before, to put back with the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Lines added.
    #[serde(default)]
    pub added: usize,
    /// Lines removed.
    #[serde(default)]
    pub removed: usize,
    /// Lines of the content after.
    #[serde(default)]
    pub lines: usize,
    /// What of the proposal is undecided: it is proposed again, against what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// The lines that a command changed, in their order; empty where they are too many, and of what was proposed, which says
    /// that itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

impl FileChange {
    /// What takes it back.
    #[must_use]
    pub(crate) fn inverse(self) -> Self {
        let Self { before, after, added, removed, changes, .. } = self;
        let changes = changes.into_iter().map(|Change { old, new }| Change { old: new, new: old }).collect();
        Self { before: after, after: before, added: removed, removed: added, changes, ..self }
    }
}

/// The undecided hunks of a file of which others are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The content with them.
    pub after: BlobId,
    /// The hunks that lead there from the content that is written.
    pub hunks: Vec<Hunk>,
}
