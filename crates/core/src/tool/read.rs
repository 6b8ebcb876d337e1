//! The reading of arguments: JSON text into the shape of its tool, or what does not fit and how to mend it.
//!
//! Owns the words of that. Knows no tool but by name.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::{Tool, ToolCall, facts::Facts, spelling};
use crate::args::Object;

/// Most faults of one call that are told.
const MOST_FAULTS: usize = 12;
/// Where a fault stands that is of the call itself.
const TOP: &str = "at the top";

/// Why a call cannot be read; the text tells the model how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// There is no tool of that name.
    #[error("there is no tool called {name:?}")]
    NoTool {
        /// The name that the model used.
        name: String,
        /// The arguments, where the tool takes them that is meant.
        fits: Option<String>,
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
    /// Fields are missing, unknown or of another kind: all of them.
    #[error("the arguments of {tool} do not fit: {what}; expected {example}")]
    Misfit {
        /// The tool.
        tool: &'static str,
        /// Which fields, what was given and what is wanted.
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
    let Facts { name, example, spellings, .. } = *tool.facts();
    let text = if text.trim().is_empty() { "{}" } else { text };
    let schema = || schema(tool).unwrap_or_default();
    strict(name, example, text).or_else(|misfit| match spelling::respell(spellings, &schema(), text) {
        Ok(Some(respelled)) => {
            strict(name, example, &respelled).map_err(|e| whole::<T>(tool, &respelled).unwrap_or(e))
        }
        Ok(None) => Err(whole::<T>(tool, text).unwrap_or(misfit)),
        Err(what) => Err(ArgsError::Misfit { tool: name, what, example }),
    })
}

/// What the arguments of a tool are to be.
fn schema(tool: Tool) -> Option<Value> {
    serde_json::from_str::<Value>(tool.spec()).ok()?.get_mut("parameters").map(Value::take)
}

/// All that does not fit, told at once: what is wrong first gives way to something that fits by the tool's schema, till
/// the rest can be read. `None` where the text as such is at fault.
fn whole<T: DeserializeOwned>(tool: Tool, text: &str) -> Option<ArgsError> {
    let mut args: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
    let schema = schema(tool)?;
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for _ in 0..MOST_FAULTS {
        let Err(e) = serde_path_to_error::deserialize::<_, Object<T>>(&args) else { break };
        let why = e.inner().to_string();
        let place = e.path().to_string();
        let place = if place == "." { TOP.to_owned() } else { place };
        match told.iter_mut().find(|(said, _)| *said == why) {
            Some((_, places)) => places.push(place),
            None => told.push((why.clone(), vec![place])),
        }
        if !mend(&mut args, &schema, e.path(), &why) {
            break;
        }
    }
    let line = |(why, places): (String, Vec<String>)| match places.join(", ") {
        top if top == TOP => why,
        places => format!("{places}: {why}"),
    };
    let what = told.into_iter().map(line).collect::<Vec<_>>().join("; ");
    (!what.is_empty()).then(|| ArgsError::Misfit { tool: tool.name(), what, example: tool.facts().example })
}

/// Puts something that fits in the place of a fault; whether that could be done.
fn mend(args: &mut Value, schema: &Value, at: &Path, why: &str) -> bool {
    let (mut slot, mut schema) = (args, schema);
    for step in at {
        let (inner, known) = match step {
            Segment::Map { key } => {
                let Some(known) = schema.pointer("/properties").and_then(|p| p.get(key)) else {
                    return slot.as_object_mut().is_some_and(|fields| fields.remove(key).is_some());
                };
                (slot.get_mut(key), Some(known))
            }
            Segment::Seq { index } => (slot.get_mut(*index), schema.get("items")),
            Segment::Enum { .. } | Segment::Unknown => return false,
        };
        let (Some(inner), Some(known)) = (inner, known) else { return false };
        (slot, schema) = (inner, known);
    }
    let named = why.split('`').nth(1).filter(|_| why.contains(" field `"));
    if let (Some(fields), Some(name)) = (slot.as_object_mut(), named) {
        return match schema.pointer("/properties").and_then(|p| p.get(name)) {
            Some(known) => fields.insert(name.to_owned(), fitting(known)).is_none(),
            None => fields.remove(name).is_some(),
        };
    }
    let fits = fitting(schema);
    let other = *slot != fits;
    *slot = fits;
    other
}

/// A value that a schema allows.
fn fitting(schema: &Value) -> Value {
    if let Some(word) = schema.pointer("/enum/0") {
        return word.clone();
    }
    let of = |name: &str| schema.pointer("/properties").and_then(|p| p.get(name)).map(fitting);
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => Value::from(1),
        Some("boolean") => Value::from(false),
        Some("array") => Value::Array(schema.get("items").map(fitting).into_iter().collect()),
        Some("object") => {
            let needed = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let needed = needed.filter_map(Value::as_str);
            Value::Object(needed.filter_map(|name| Some((name.to_owned(), of(name)?))).collect())
        }
        // A node's name fits every field that is a text.
        Some(_) | None => Value::from("read"),
    }
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
