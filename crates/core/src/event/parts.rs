//! What events carry that is nothing but part of them.

use serde::{Deserialize, Serialize};

use crate::{
    blob::{BlobId, Excerpt},
    ids::CallId,
    outcome::Exit,
    tool::{Advice, ReadCall},
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
    /// What is said there of what can be done, in the user's words and in those of a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
    /// The hash over all files of the workspace after it, where nobody could look none. Without the one before it, it is
    /// of an older log, and over the files that the session had changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<BlobId>,
    /// The hash over all files before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<BlobId>,
}

impl Proof {
    /// What is wrong, in the words of a model.
    pub fn told_model(&self) -> String {
        self.advice.iter().fold(self.diagnostics.clone(), |text, advice| {
            text.replacen(&advice.user, &advice.model, usize::from(!advice.user.is_empty()))
        })
    }
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
