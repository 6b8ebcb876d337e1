//! Arguments of the calls that the session itself answers.
//!
//! Owns their shapes. Never answers one: the deciders do.

use serde::{Deserialize, Serialize};

use crate::args;
use crate::{intent::IntentNode, lane::ChildWork};

/// Arguments of `ask_user`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskUser {
    /// The question.
    #[serde(deserialize_with = "args::words")]
    pub question: String,
    /// Answers to choose from.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// Arguments of `request_path`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestPath {
    /// Where to.
    #[serde(deserialize_with = "args::node")]
    pub node: IntentNode,
    /// Why.
    pub reason: String,
}

/// Arguments of `change_gate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeGate {
    /// The gate, by its name.
    #[serde(deserialize_with = "args::words")]
    pub gate: String,
    /// The line that is to stand in place of its own.
    #[serde(deserialize_with = "args::line")]
    pub command: String,
    /// Why its own cannot work here.
    #[serde(deserialize_with = "args::words")]
    pub reason: String,
}

/// Arguments of `commit_message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitMessage {
    /// The message, its title in the first line.
    #[serde(deserialize_with = "args::words")]
    pub message: String,
}

/// Arguments of `delegate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delegate {
    /// A task for each sub-agent.
    #[serde(deserialize_with = "args::objects")]
    pub tasks: Vec<ChildTask>,
}

/// A task for a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildTask {
    /// What it is for.
    #[serde(default, deserialize_with = "args::word_if_any")]
    pub kind: ChildKind,
    /// The task, whole: it is told what stands above, and nothing else.
    #[serde(deserialize_with = "args::words")]
    pub task: String,
}

/// Who does a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChildKind {
    /// A sub-agent of the workbench, for this.
    Own(ChildWork),
    /// An agent of the user's files, by its name.
    Agent(String),
}

impl Default for ChildKind {
    fn default() -> Self {
        Self::Own(ChildWork::default())
    }
}

impl ChildKind {
    /// The name, as a call has it.
    pub fn name(&self) -> &str {
        match self {
            Self::Own(work) => work.name(),
            Self::Agent(name) => name,
        }
    }

    /// What it is for.
    pub fn work(&self) -> ChildWork {
        match self {
            Self::Own(work) => *work,
            Self::Agent(_) => ChildWork::default(),
        }
    }
}

impl CommitMessage {
    /// Its title.
    pub fn title(&self) -> &str {
        self.message.trim().lines().next().unwrap_or_default()
    }
}

impl Delegate {
    /// What it is about, for people: the first task's first line.
    pub fn subject(&self) -> &str {
        self.tasks.first().and_then(|t| t.task.lines().next()).unwrap_or_default()
    }
}
