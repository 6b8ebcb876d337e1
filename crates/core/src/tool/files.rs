//! Arguments of the calls that work on files and of commands.
//!
//! Owns their shapes. Never performs one.

use serde::{Deserialize, Serialize};

use crate::args;

/// Arguments of `list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The folder; the root when left out.
    #[serde(default, deserialize_with = "args::path_if_any", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Levels to show.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// Arguments of `read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The file.
    #[serde(deserialize_with = "args::path")]
    pub path: String,
    /// The first line, from 1.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// How many lines.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
}

/// Arguments of `search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The pattern.
    pub pattern: String,
    /// The file or folder; the root when left out.
    #[serde(default, deserialize_with = "args::path_if_any", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The names of the files that are searched; all when left out.
    #[serde(default, deserialize_with = "args::path_if_any", skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Lines shown around a match.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Whether a match must be a word of its own.
    #[serde(default, deserialize_with = "args::if_any")]
    pub whole_word: bool,
    /// Whether the pattern is plain text.
    #[serde(default, deserialize_with = "args::if_any")]
    pub literal: bool,
    /// Most matches.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
}

/// Arguments of `edit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file.
    #[serde(deserialize_with = "args::path")]
    pub path: String,
    /// The replacements, in order; one at least.
    #[serde(deserialize_with = "args::some_objects")]
    pub edits: Vec<Replacement>,
}

/// One replacement of an `edit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The exact text.
    pub old: String,
    /// What comes in its place.
    pub new: String,
    /// Whether every occurrence is replaced.
    #[serde(default, deserialize_with = "args::if_any")]
    pub all: bool,
    /// Whether it counts only as a word of its own.
    #[serde(default, deserialize_with = "args::if_any")]
    pub whole_word: bool,
    /// Whether it counts only as whole lines.
    #[serde(default, deserialize_with = "args::if_any")]
    pub whole_lines: bool,
}

/// Arguments of `write`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The file.
    #[serde(deserialize_with = "args::path")]
    pub path: String,
    /// All that it is to hold.
    pub content: String,
}

/// Arguments of `delete`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// The file.
    #[serde(deserialize_with = "args::path")]
    pub path: String,
}

/// Arguments of `record_fact`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordFact {
    /// What it is called.
    #[serde(deserialize_with = "args::words")]
    pub name: String,
    /// What is so.
    #[serde(deserialize_with = "args::words")]
    pub value: String,
    /// The file in which it stands.
    #[serde(default, deserialize_with = "args::path_if_any", skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The command that printed it.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The words that stand or were printed there.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The facts that it follows from.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// Whether the user said so.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "std::ops::Not::not")]
    pub user: bool,
    /// How sure it is, in percent.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub confidence: Option<usize>,
}

/// Arguments of `run`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The line.
    #[serde(deserialize_with = "args::line")]
    pub command: String,
    /// The folder, relative to the workspace; empty for its root.
    #[serde(default, deserialize_with = "args::folder", skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Its time limit, in seconds.
    #[serde(default, deserialize_with = "args::seconds", skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    /// Whether it asks for the network.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Whether it asks for the user's own rights.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "std::ops::Not::not")]
    pub outside: bool,
    /// Why it asks for more than the sandbox gives.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Run {
    /// A line that asks for nothing more, in the workspace itself.
    pub fn line(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// The arguments of a call that asks for this.
    pub fn args(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
