//! Thinking that a server wants back: what is kept of a reply, and how it stands in a later request.
//!
//! Owns the form. Only replies with calls carry it, for nothing else is continued, and only the endpoint
//! and model that said it gets it; it goes back as it came or not at all, since it may be signed.

use pilothouse_core::talk::{Echo, Message, Role};
use serde_json::{Map, Value, json};

use super::{endpoint::Endpoint, wire::REASONING_CONTENT};

/// The field of a message that holds thinking in parts, some of them signed or encrypted.
const DETAILS: &str = "reasoning_details";
/// The field of a call that holds what the server wants back with it.
const EXTRA: &str = "extra_content";
/// Parts of one kind and place are one part: these of their strings go on.
const GROWING: [&str; 3] = ["text", "summary", "data"];

/// What is heard of it while a reply comes.
#[derive(Default)]
pub(super) struct Heard {
    origin: String,
    /// The field that held the thinking in words.
    pub field: &'static str,
    details: Vec<Map<String, Value>>,
    /// Bytes of the parts that came.
    pub bytes: usize,
}

impl Heard {
    pub fn at(endpoint: &Endpoint) -> Self {
        Self { origin: endpoint.origin(), ..Self::default() }
    }

    /// Takes in parts, or pieces of parts.
    pub fn take_details(&mut self, pieces: &[Value]) {
        for piece in pieces.iter().filter_map(Value::as_object) {
            self.bytes += piece.iter().map(|(k, v)| k.len() + v.to_string().len()).sum::<usize>();
            let same = |d: &Map<String, Value>| {
                ["type", "index"].iter().all(|k| d.get(*k) == piece.get(*k))
                    && (piece.contains_key("index") || d.get("id") == piece.get("id"))
            };
            match self.details.iter_mut().rfind(|d| same(d)) {
                Some(known) => grow(known, piece),
                None => self.details.push(piece.clone()),
            }
        }
    }

    /// What goes back with the reply, if it brought anything; `extra` is that of its calls.
    pub fn whole(self, extra: &[Value]) -> Option<Echo> {
        // A part that ought to be signed and is not would be refused.
        let unsigned = |d: &Map<String, Value>| {
            let is = |name: &str, value: &str| d.get(name).and_then(Value::as_str) == Some(value);
            is("type", "reasoning.text")
                && is("format", "anthropic-claude-v1")
                && !d.contains_key("signature")
        };
        let details: Vec<_> = self.details.into_iter().filter(|d| !unsigned(d)).collect();
        // The parts hold the words as well.
        let field = if details.is_empty() { self.field } else { "" };
        let kept = if details.is_empty() { String::new() } else { json!(details).to_string() };
        let calls = if extra.iter().all(Value::is_null) { String::new() } else { json!(extra).to_string() };
        let any = !(field.is_empty() && kept.is_empty() && calls.is_empty());
        any.then(|| Echo { origin: self.origin, field: field.to_owned(), kept, calls })
    }
}

fn grow(known: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (name, value) in piece.iter().filter(|(_, v)| !v.is_null()) {
        match (known.get_mut(name), value) {
            (Some(Value::String(old)), Value::String(new)) if GROWING.contains(&name.as_str()) => {
                old.push_str(new);
            }
            _ => drop(known.insert(name.clone(), value.clone())),
        }
    }
}

/// How thinking stands in the messages of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Thoughts {
    /// With the replies that brought some.
    #[default]
    Own,
    /// And an empty one with those that brought none, as from another model.
    Filled,
    /// Nowhere.
    LeftOut,
}

impl Thoughts {
    /// What is tried after this was refused.
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::Own => Some(Self::Filled),
            Self::Filled => Some(Self::LeftOut),
            Self::LeftOut => None,
        }
    }

    /// Puts what a reply brought into its message.
    pub fn put(self, message: &mut Value, of: &Message, origin: &str) {
        let Some(map) = message.as_object_mut() else { return };
        if self == Self::LeftOut || of.role != Role::Assistant || of.calls.is_empty() {
            return;
        }
        if let Some(thought) = of.thought.as_ref().filter(|t| t.echo.origin == origin) {
            if !thought.echo.field.is_empty() {
                map.insert(thought.echo.field.clone(), thought.text.as_str().into());
            }
            if let Ok(details) = serde_json::from_str::<Vec<Value>>(&thought.echo.kept) {
                map.insert(DETAILS.to_owned(), details.into());
            }
            let extra: Vec<Value> = serde_json::from_str(&thought.echo.calls).unwrap_or_default();
            let calls = map.get_mut("tool_calls").and_then(Value::as_array_mut);
            for (call, extra) in calls.into_iter().flatten().zip(extra).filter(|(_, e)| !e.is_null()) {
                if let Some(call) = call.as_object_mut() {
                    call.insert(EXTRA.to_owned(), extra);
                }
            }
        }
        if self == Self::Filled {
            map.entry(REASONING_CONTENT).or_insert_with(|| "".into());
        }
    }
}
