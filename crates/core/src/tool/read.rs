//! The reading of arguments: JSON text into the shape of its tool, or what does not fit and how to mend it.
//!
//! Owns the words of that and the checks that a type alone does not make. Knows no tool but by name.

use std::{fmt, sync::Arc};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, Error, IntoDeserializer, MapAccess, Unexpected, Visitor,
        value::MapAccessDeserializer,
    },
};

use super::{Tool, ToolCall, facts::Facts, spelling};
use crate::{intent::IntentNode, shell::MAX_LINE_BYTES};

/// The longest that a command may be given, in seconds.
pub(super) const MOST_SECONDS: u64 = 1_800;

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

/// A struct that is written as an object, and never as a list of its values.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        from.deserialize_map(Fields(std::marker::PhantomData)).map(Self)
    }
}

/// A list of objects.
pub(crate) fn objects<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Vec::<Object<T>>::deserialize(from)?.into_iter().map(|o| o.0).collect())
}

/// A list of objects that may be left out.
pub(crate) fn objects_if_any<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = Option::<Vec<Object<T>>>::deserialize(from)?;
    Ok(list.into_iter().flatten().map(|o| o.0).collect())
}

/// A list of objects with one at least.
pub(super) fn some_objects<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = objects(from)?;
    if list.is_empty() { Err(D::Error::custom("it is empty, expected one at least")) } else { Ok(list) }
}

/// A value that may be left out; `null` leaves it out as well.
pub(crate) fn if_any<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// One word of a list that may be left out.
pub(crate) fn word_if_any<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    match Option::<String>::deserialize(from)? {
        Some(word) => T::deserialize(word.into_deserializer()),
        None => Ok(T::default()),
    }
}

/// A path that says something.
pub(super) fn path<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    filled(String::deserialize(from)?, "a path relative to the workspace")
}

/// A path that may be left out.
pub(super) fn path_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let path = Option::<String>::deserialize(from)?;
    path.map(|p| filled(p, "a path relative to the workspace; leave it out for the root")).transpose()
}

/// Text that says something.
pub(crate) fn words<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    filled(String::deserialize(from)?, "some words")
}

/// A command line without blanks around it, as the user is shown it.
pub(super) fn line<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let line = filled(String::deserialize(from)?.trim().to_owned(), "the line to run")?;
    if line.contains('\0') {
        return Err(D::Error::custom("a command may hold no NUL"));
    }
    if line.len() > MAX_LINE_BYTES {
        return Err(D::Error::custom(format_args!(
            "a command may have {MAX_LINE_BYTES} bytes; put long text into a file"
        )));
    }
    Ok(line)
}

/// A folder without blanks around it; empty for the root.
pub(super) fn folder<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(if_any::<String, D>(from)?.trim().to_owned())
}

/// A number of things.
pub(super) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let whole = Option::<Whole>::deserialize(from)?;
    whole.map(|n| usize::try_from(n.0).map_err(D::Error::custom)).transpose()
}

/// A time limit.
pub(super) fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<Whole>::deserialize(from)?.map(|n| n.0) {
        Some(n) if !(1..=MOST_SECONDS).contains(&n) => {
            let wanted = format!("1 to {MOST_SECONDS} seconds");
            Err(D::Error::invalid_value(Unexpected::Unsigned(n), &wanted.as_str()))
        }
        seconds => Ok(seconds),
    }
}

/// A node by its name.
pub(super) fn node<'de, D: Deserializer<'de>>(from: D) -> Result<IntentNode, D::Error> {
    let name = String::deserialize(from)?;
    name.parse().map_err(|_| {
        let names: Vec<&str> = IntentNode::ALL.iter().map(|n| n.name()).collect();
        let wanted = format!("one of {}", names.join(", "));
        D::Error::invalid_value(Unexpected::Str(&name), &wanted.as_str())
    })
}

fn filled<E: Error>(text: String, wanted: &str) -> Result<String, E> {
    if text.trim().is_empty() {
        return Err(E::custom(format_args!("it is empty, expected {wanted}")));
    }
    Ok(text)
}

/// A whole number, called so where something else is given.
struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_u64<E: Error>(self, n: u64) -> Result<Whole, E> {
                Ok(Whole(n))
            }
        }

        from.deserialize_u64(Number)
    }
}
