//! Replies of models that write JSON instead of making calls, however they wrap it.
//!
//! Owns the reading of `{"mode": "chat" | "command", …}`. Never guesses a command out of prose.

use std::{cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::PlannerError;
use crate::tool::Run;

/// At most this many opening braces are tried from each end.
const MOST_BRACES: usize = 64;

/// What a model means by a reply without calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannerReply {
    /// An answer, which ends the goal.
    Chat(String),
    /// The next command.
    Command(Run),
}

impl PlannerReply {
    /// Reads a reply: JSON alone, in a fence, or after prose. Text without such JSON is an answer.
    ///
    /// # Errors
    /// When it is empty, or JSON that says neither.
    pub fn read(text: &str) -> Result<Self, PlannerError> {
        if text.trim().is_empty() {
            return Err(PlannerError::Empty);
        }
        let Some((object, _)) = object(text) else {
            // An object that broke off, or was never closed.
            return if begun(text) { Err(PlannerError::Invalid) } else { Ok(Self::Chat(text.to_owned())) };
        };
        let field =
            |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let mode = field("mode").to_lowercase();
        let flag = |name: &str| object.get(name).and_then(Value::as_bool).unwrap_or_default();
        let (message, command) = (field("message"), field("command"));
        match mode.as_str() {
            "chat" if !message.is_empty() => Ok(Self::Chat(message)),
            "command" if !command.is_empty() => Ok(Self::Command(Run {
                command,
                folder: field("folder"),
                network: flag("network"),
                outside: flag("outside"),
                reason: field("reason"),
                timeout_s: None,
            })),
            _ => Err(PlannerError::Invalid),
        }
    }

    /// What of a reply is for people: an answer as it is, of a command what stands before it.
    pub fn spoken(text: &str) -> &str {
        match (Self::read(text), object(text)) {
            (Ok(Self::Command(_)), Some((_, at))) => {
                let prose = text.get(..at).unwrap_or_default().trim_end();
                prose
                    .strip_suffix("```json")
                    .or_else(|| prose.strip_suffix("```"))
                    .unwrap_or(prose)
                    .trim_end()
            }
            (Ok(Self::Command(_) | Self::Chat(_)) | Err(_), _) => text,
        }
    }
}

/// The first object with a mode in a text, and where it begins.
fn object(text: &str) -> Option<(Map<String, Value>, usize)> {
    object_that(text, |map| map.contains_key("mode"))
}

/// The first object in a reply that is like this, however it is wrapped: alone, in a fence, or in prose.
pub fn first_object(text: &str, is: impl Fn(&Map<String, Value>) -> bool) -> Option<Map<String, Value>> {
    object_that(text, is).map(|(map, _)| map)
}

fn object_that(text: &str, is: impl Fn(&Map<String, Value>) -> bool) -> Option<(Map<String, Value>, usize)> {
    let braces = text.match_indices('{').map(|(at, _)| at).take(MOST_BRACES);
    braces.filter_map(|at| Some((first_value(text.get(at..)?)?, at))).find_map(|(value, at)| match value {
        Value::Object(map) if is(&map) => Some((map, at)),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(_) | Value::Array(_) => None,
    })
}

/// Whether a text holds an object with a mode that broke off, or was never closed.
fn begun(text: &str) -> bool {
    let braces = || text.match_indices('{').map(|(at, _)| at);
    let ends = braces().take(MOST_BRACES).chain(braces().rev().take(MOST_BRACES));
    ends.filter_map(|at| text.get(at..)).any(|rest| {
        let seen = Cell::new(false);
        // How it ends does not matter: it was tried as a whole before.
        let _ = serde_json::Deserializer::from_str(rest).deserialize_map(Keys(&seen));
        seen.get()
    })
}

/// Notes whether an object names a mode, as far as it goes.
struct Keys<'a>(&'a Cell<bool>);

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.set(self.0.get() || key == "mode");
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

fn first_value(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}
