//! Arguments of the tools, as a model writes them.
//!
//! Owns their shapes and what to say when they do not fit. Never acts on them.

use serde::{Deserialize, de::DeserializeOwned};

/// Arguments of one tool, and how they look when they are right.
pub(crate) trait Shape: DeserializeOwned {
    /// An example for the model.
    const EXAMPLE: &'static str;
}

/// Reads the arguments of a call.
///
/// # Errors
/// When they do not fit; the text quotes the shape that does.
pub(crate) fn parse<T: Shape>(args: &str) -> Result<T, String> {
    let args = if args.trim().is_empty() { "{}" } else { args };
    serde_json::from_str(args).map_err(|e| format!("the arguments do not fit: {e}; expected {}", T::EXAMPLE))
}

/// Arguments of `list`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    #[serde(default = "here")]
    pub path: String,
    pub depth: Option<usize>,
}

/// Arguments of `read`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    pub path: String,
    pub from: Option<usize>,
    pub lines: Option<usize>,
}

/// Arguments of `search`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    pub pattern: String,
    #[serde(default = "here")]
    pub path: String,
    #[serde(default)]
    pub whole_word: bool,
    #[serde(default)]
    pub literal: bool,
    pub max: Option<usize>,
}

/// Arguments of `edit`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    pub path: String,
    pub edits: Vec<Replacement>,
}

/// One replacement of an `edit`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replacement {
    pub old: String,
    pub new: String,
    #[serde(default)]
    pub all: bool,
    #[serde(default)]
    pub whole_word: bool,
}

/// Arguments of `write`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    pub path: String,
    pub content: String,
}

/// Arguments of `delete`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Delete {
    pub path: String,
}

/// Arguments of `run`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub command: String,
    #[serde(default)]
    pub folder: String,
    pub timeout_s: Option<u64>,
    /// Read by the session, which decides how it runs: the permit says so.
    #[serde(default, rename = "network")]
    pub _network: bool,
    #[serde(default, rename = "outside")]
    pub _outside: bool,
    #[serde(default, rename = "reason")]
    pub _reason: String,
}

impl Shape for List {
    const EXAMPLE: &'static str = r#"{"path": "src", "depth": 2}, both optional"#;
}

impl Shape for Read {
    const EXAMPLE: &'static str = r#"{"path": "src/main.rs", "from": 1, "lines": 400}; only path is needed"#;
}

impl Shape for Search {
    const EXAMPLE: &'static str = r#"{"pattern": "fn main", "path": "src", "whole_word": false, "literal": false, "max": 200}; only pattern is needed"#;
}

impl Shape for Edit {
    const EXAMPLE: &'static str = r#"{"path": "src/main.rs", "edits": [{"old": "exact text", "new": "its replacement", "all": false, "whole_word": false}]}; all and whole_word are optional"#;
}

impl Shape for Write {
    const EXAMPLE: &'static str = r#"{"path": "src/main.rs", "content": "the whole file"}"#;
}

impl Shape for Delete {
    const EXAMPLE: &'static str = r#"{"path": "src/old.rs"}"#;
}

impl Shape for Run {
    const EXAMPLE: &'static str = r#"{"command": "cargo test", "folder": "crates/a", "timeout_s": 120, "network": true, "outside": true, "reason": "why it needs more"}; only command is needed"#;
}

fn here() -> String {
    ".".to_owned()
}
