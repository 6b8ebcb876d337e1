//! What events carry that is nothing but part of them.

use serde::{Deserialize, Serialize};

use crate::{
    blob::{BlobId, Excerpt},
    diff::Hunk,
    ids::{CallId, ProposalId},
    relpath::RelPath,
    scope::ToolScope,
    tool::{ChangeKind, Exit, ReadCall},
};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Everything was done.
    Completed,
    /// It failed.
    Failed,
    /// The user stopped it.
    Cancelled,
    /// The user goes on by hand.
    Manual,
    /// It came to its end, and not everything of it was done.
    Ended,
    /// It was left for something else.
    Breakout,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It did what it should.
    Done,
    /// It failed; the result says how to mend it.
    Failed,
    /// It was not allowed.
    Refused,
    /// It was stopped, or the process ended.
    Interrupted,
}

/// A call as a reply made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallHead {
    /// Our id.
    pub call: CallId,
    /// The provider's id.
    pub provider: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub args: Excerpt,
    /// What they say, as it was read where the reply ended.
    #[serde(skip)]
    pub read: ReadCall,
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
}

/// The undecided hunks of a file of which others are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The content with them.
    pub after: BlobId,
    /// The hunks that lead there from the content that is written.
    pub hunks: Vec<Hunk>,
}

/// An agent of the user's files, as a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildAgent {
    /// What it is called.
    pub name: String,
    /// Its prompt.
    pub prompt: Excerpt,
    /// The tools that it keeps to; left out where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How far it goes at most.
    pub scope: ToolScope,
    /// The model that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a gate's verdict rests on; captured here, never told by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The exact line.
    pub command: String,
    /// How it ended.
    pub exit: Exit,
    /// The hash of its output.
    pub output: BlobId,
    /// The first lines that say what is wrong.
    #[serde(default)]
    pub diagnostics: String,
    /// The hash over the files that the session changed, as they were then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<BlobId>,
}

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Needs an eye.
    Warn,
    /// Went wrong.
    Error,
}
