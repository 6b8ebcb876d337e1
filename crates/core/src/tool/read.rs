//! The reading of arguments: JSON text into the shape of its tool, or what does not fit and how to mend it.
//!
//! Owns the words of that. Knows no tool but by name.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::{Tool, ToolCall, facts::Facts, spelling};
use crate::args::Object;

/// Why a call cannot be read; the text tells the model how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// There is no tool of that name.
    #[error("there is no tool called {name:?}; the tools are {known}")]
    NoTool {
        /// The name that the model used.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The session itself would have to read more than it takes.
    #[error("the arguments of {tool} have {bytes} bytes; at most {most} are taken: shorten or split them")]
    TooLong {
        /// The tool.
        tool: &'static str,
        /// How long they are.
        bytes: usize,
        /// How long they may be.
        most: usize,
    },
    /// They are no JSON.
    #[error("the arguments of {tool} are not valid JSON ({why}); send them again")]
    NotJson {
        /// The tool.
        tool: &'static str,
        /// Where they break.
        why: String,
    },
    /// They are JSON, but no object.
    #[error("the arguments of {tool} must be a JSON object; expected {example}")]
    NoObject {
        /// The tool.
        tool: &'static str,
        /// How they look when they are right.
        example: &'static str,
    },
    /// A field is missing, unknown or of another kind.
    #[error("the arguments of {tool} do not fit: {what}; expected {example}")]
    Misfit {
        /// The tool.
        tool: &'static str,
        /// Which field, what was given and what is wanted.
        what: String,
        /// How they look when they are right.
        example: &'static str,
    },
    /// Only their ends stand in the log; a call of an earlier process never runs.
    #[error("the arguments of the call are not at hand any more")]
    Gone,
}

/// What a reply asks for, as it was read where the reply ended. It goes with the event in this
/// process and is not stored: a log gives it again where the arguments stand whole in it.
#[derive(Clone, Debug, Default)]
pub struct ReadCall(Option<Result<Arc<ToolCall>, ArgsError>>);

impl ReadCall {
    /// What was read, or why it could not be.
    pub(crate) const fn of(read: Result<Arc<ToolCall>, ArgsError>) -> Self {
        Self(Some(read))
    }

    /// What was read, or why it could not be; `None` when the event comes out of a log.
    pub(crate) fn get(&self) -> Option<Result<Arc<ToolCall>, ArgsError>> {
        self.0.clone()
    }
}

impl ReadCall {
    /// What it acts on, for people; empty where that could not be read.
    pub fn subject(&self) -> &str {
        self.0.as_ref().and_then(|read| read.as_deref().ok()).map(ToolCall::subject).unwrap_or_default()
    }
}

/// It follows from the arguments that stand beside it.
impl PartialEq for ReadCall {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ReadCall {}

/// Reads the arguments of `tool` as a `T`; no text at all is an empty object. What does not fit as it
/// is may be spelled otherwise.
pub(super) fn read<T: DeserializeOwned>(tool: Tool, text: &str) -> Result<T, ArgsError> {
    let Facts { name: tool, example, spellings, .. } = *tool.facts();
    let text = if text.trim().is_empty() { "{}" } else { text };
    strict(tool, example, text).or_else(|misfit| match spelling::respell(spellings, text) {
        Ok(Some(respelled)) => strict(tool, example, &respelled),
        Ok(None) => Err(misfit),
        Err(what) => Err(ArgsError::Misfit { tool, what, example }),
    })
}

fn strict<T: DeserializeOwned>(
    tool: &'static str,
    example: &'static str,
    text: &str,
) -> Result<T, ArgsError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize::<_, Object<T>>(&mut json);
    let misfit = |at: String, e: &serde_json::Error| match serde_json::from_str::<serde::de::IgnoredAny>(text)
    {
        Err(e) => ArgsError::NotJson { tool, why: e.to_string() },
        Ok(_) if !text.trim_start().starts_with('{') => ArgsError::NoObject { tool, example },
        Ok(_) if at == "." => ArgsError::Misfit { tool, what: e.to_string(), example },
        Ok(_) => ArgsError::Misfit { tool, what: format!("{at}: {e}"), example },
    };
    let value = read.map_err(|e| misfit(e.path().to_string(), e.inner()))?;
    json.end().map_err(|e| ArgsError::NotJson { tool, why: e.to_string() })?;
    Ok(value.0)
}
