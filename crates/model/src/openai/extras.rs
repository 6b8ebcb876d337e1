//! What a request carries beyond what every server knows: the count of tokens, the effort, hints for a
//! cache, thinking that goes back.
//!
//! Owns which of it an endpoint gets. What a server refuses is left out of the next attempt, and from then
//! on if that helped. Hints for a cache go to places that are known to take them and to nobody else.

use pilothouse_core::{
    blob::BlobId,
    talk::{Fault, ModelRequest, Purpose, Role},
};
use serde_json::{Map, Value, json};

use super::{
    echo::Thoughts,
    endpoint::{Effort, Endpoint, Preset},
};

/// Digits of the key by which requests of one session are known.
const KEY_DIGITS: usize = 32;

/// What of it is still sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extras {
    uncounted: bool,
    unhinted: bool,
    /// Which of the names for the most tokens is sent: the place's own, the other one, none.
    unbounded: u8,
    refused: Vec<Effort>,
    pub thoughts: Thoughts,
}

/// How a place takes hints for its cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hints {
    /// A key for the requests that begin alike.
    Key,
    /// Marks behind what will be sent again.
    Marks,
}

impl Extras {
    /// Puts into a request what its messages do not hold already.
    pub fn put(&self, body: &mut Map<String, Value>, request: &ModelRequest, endpoint: &Endpoint) {
        if !self.uncounted {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        if let Some(effort) = self.effort(request, endpoint) {
            let (name, value) = match endpoint.place {
                Some(Preset::OpenRouter) => ("reasoning", json!({"effort": effort.name()})),
                _ => ("reasoning_effort", effort.name().into()),
            };
            body.insert(name.to_owned(), value);
        }
        if let Some((name, most)) = self.bound(endpoint).zip(request.most_tokens) {
            body.insert(name.to_owned(), most.into());
        }
        match self.hints(endpoint) {
            Some(Hints::Key) => drop(body.insert("prompt_cache_key".to_owned(), key(request).into())),
            Some(Hints::Marks) => mark(body),
            None => {}
        }
    }

    /// What is tried after a refusal; `None` where it names nothing that was sent.
    pub fn without(&self, fault: &Fault, request: &ModelRequest, endpoint: &Endpoint) -> Option<Self> {
        let says = |words: &[&str]| words.iter().any(|w| fault.message.contains(w));
        let effort = self.effort(request, endpoint);
        let fewer = |effort| Self { refused: [self.refused.as_slice(), &[effort]].concat(), ..self.clone() };
        if !self.uncounted && says(&["stream_options"]) {
            return Some(Self { uncounted: true, ..self.clone() });
        }
        if request.most_tokens.is_some() && self.bound(endpoint).is_some_and(|name| says(&[name])) {
            return Some(Self { unbounded: self.unbounded + 1, ..self.clone() });
        }
        if self.hints(endpoint).is_some() && says(&["prompt_cache_key", "cache_control"]) {
            return Some(Self { unhinted: true, ..self.clone() });
        }
        if let Some(effort) = effort.filter(|_| says(&["reasoning_effort", "reasoning.effort", "effort"])) {
            return Some(fewer(effort));
        }
        let called = request.messages.iter().any(|m| m.role == Role::Assistant && !m.calls.is_empty());
        if called && says(&["reasoning_content", "reasoning_details", "extra_content", "thinking block"]) {
            return self.thoughts.next().map(|thoughts| Self { thoughts, ..self.clone() });
        }
        // Nobody asked for the effort of a reading, so nothing may fail for it.
        let own = effort.filter(|_| matches!(request.purpose, Purpose::Classify | Purpose::Title));
        own.filter(|_| matches!(fault.status, Some(400 | 422))).map(fewer)
    }

    /// The effort of a reply: the least for reading a message, else what the user set.
    fn effort(&self, request: &ModelRequest, endpoint: &Endpoint) -> Option<Effort> {
        let wanted = match request.purpose {
            Purpose::Classify | Purpose::Title => {
                Some(endpoint.effort.map_or(Effort::Low, |e| e.min(Effort::Low)))
            }
            Purpose::Answer
            | Purpose::Plan
            | Purpose::Task
            | Purpose::Goal
            | Purpose::Compact
            | Purpose::Child
            | Purpose::Stage => endpoint.effort,
        };
        wanted.filter(|e| !self.refused.contains(e))
    }

    /// What the most tokens of a reply are called: the newer name where it is known to be understood.
    fn bound(&self, endpoint: &Endpoint) -> Option<&'static str> {
        let newer = matches!(endpoint.place, Some(Preset::OpenAi | Preset::Azure));
        match self.unbounded {
            0 | 1 if newer == (self.unbounded == 0) => Some("max_completion_tokens"),
            0 | 1 => Some("max_tokens"),
            _ => None,
        }
    }

    fn hints(&self, endpoint: &Endpoint) -> Option<Hints> {
        match endpoint.place.filter(|_| !self.unhinted) {
            Some(Preset::OpenAi) => Some(Hints::Key),
            Some(Preset::OpenRouter) => endpoint.model.contains("claude").then_some(Hints::Marks),
            // They cache by themselves, or not at all through this interface.
            Some(_) | None => None,
        }
    }
}

/// The same for all requests that begin alike.
fn key(request: &ModelRequest) -> String {
    let first = request.messages.first().map_or("", |m| m.text.as_str());
    BlobId::of(format!("{}\n{first}", request.system).as_bytes()).short(KEY_DIGITS)
}

/// Marks the prompt, and what stands before the last message: that one is new in every request.
fn mark(body: &mut Map<String, Value>) {
    let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) else { return };
    let is_text = |m: &Value| m.get("content").and_then(Value::as_str).is_some_and(|t| !t.is_empty());
    let first = messages.iter().position(|m| m.get("role").and_then(Value::as_str) == Some("system"));
    let before = messages.len().saturating_sub(1);
    let last = messages.iter().take(before).rposition(is_text);
    for at in first.into_iter().chain(last.filter(|at| Some(*at) != first)) {
        let Some(content) = messages.get_mut(at).and_then(|m| m.get_mut("content")) else { continue };
        *content = json!([{"type": "text", "text": content, "cache_control": {"type": "ephemeral"}}]);
    }
}

#[cfg(test)]
mod tests;
