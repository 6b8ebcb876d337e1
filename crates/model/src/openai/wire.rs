//! The JSON of chat completions: what is sent, and a reading of what comes that takes nearly
//! anything.
//!
//! Owns the shapes. A field that is missing, null or of another type is as good as absent: servers
//! differ, and one odd field must not cost a reply.

use pilothouse_core::talk::{Message, ModelRequest, Role, Usage};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{endpoint::Endpoint, extras::Extras};

/// The body of a request to `endpoint`, with those extras that it takes.
pub(super) fn body(request: &ModelRequest, endpoint: &Endpoint, extras: &Extras) -> Value {
    let system = (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let origin = endpoint.origin();
    let told = request.messages.iter().map(|m| {
        let mut value = message(m);
        extras.thoughts.put(&mut value, m, &origin);
        value
    });
    let mut body = json!({
        "model": endpoint.model,
        "messages": system.into_iter().chain(told).collect::<Vec<Value>>(),
        "stream": true,
    });
    let Some(map) = body.as_object_mut() else { return body };
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|t| {
            json!({"type": "function", "function": {
                "name": t.name, "description": t.description, "parameters": t.parameters,
            }})
        });
        map.insert("tools".to_owned(), tools.collect());
    }
    extras.put(map, request, endpoint);
    body
}

fn message(message: &Message) -> Value {
    match message.role {
        Role::User => json!({"role": "user", "content": message.text}),
        Role::Tool => json!({
            "role": "tool",
            "tool_call_id": message.answers.as_deref().unwrap_or_default(),
            "content": message.text,
        }),
        Role::Assistant if message.calls.is_empty() => json!({"role": "assistant", "content": message.text}),
        Role::Assistant => {
            let calls = message.calls.iter().map(|c| {
                json!({"id": c.id, "type": "function", "function": {
                    "name": c.name, "arguments": readable(&c.args),
                }})
            });
            let calls: Vec<Value> = calls.collect();
            let text = (!message.text.is_empty()).then_some(&message.text);
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
    }
}

/// Arguments as a server can read them back: some parse the history and refuse a request whose
/// arguments are not a JSON object, so what the model garbled goes in as text.
fn readable(args: &str) -> String {
    if args.trim().is_empty() {
        return "{}".to_owned();
    }
    match serde_json::from_str::<Map<String, Value>>(args) {
        Ok(_) => args.to_owned(),
        Err(_) => json!({"unreadable": args}).to_string(),
    }
}

/// One event of the stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk {
    #[serde(deserialize_with = "lenient")]
    pub model: String,
    #[serde(deserialize_with = "lenient")]
    pub choices: Vec<Choice>,
    #[serde(deserialize_with = "lenient")]
    pub usage: Option<Tokens>,
    #[serde(deserialize_with = "lenient")]
    pub error: Value,
    // Errors in other shapes; only looked at when there are no choices.
    #[serde(deserialize_with = "lenient")]
    pub message: Value,
    #[serde(deserialize_with = "lenient")]
    pub detail: Value,
}

impl Chunk {
    /// The error that it carries, if it does.
    pub fn failure(&self) -> Option<&Value> {
        let bare = self.choices.is_empty() && self.usage.is_none();
        let other = [&self.message, &self.detail].into_iter().find(|v| bare && !v.is_null());
        Some(&self.error).filter(|v| !v.is_null()).or(other)
    }
}

/// One alternative; we ask for one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    #[serde(deserialize_with = "lenient", alias = "message")]
    pub delta: Delta,
    #[serde(deserialize_with = "lenient")]
    pub finish_reason: String,
}

/// What is added.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    #[serde(deserialize_with = "lenient")]
    pub content: Value,
    #[serde(deserialize_with = "lenient")]
    pub refusal: String,
    #[serde(deserialize_with = "lenient")]
    pub reasoning_content: String,
    #[serde(deserialize_with = "lenient")]
    pub reasoning: String,
    #[serde(deserialize_with = "lenient")]
    pub reasoning_details: Vec<Value>,
    #[serde(deserialize_with = "lenient")]
    pub tool_calls: Vec<CallPiece>,
}

impl Delta {
    /// The text: a string, or a list of parts.
    pub fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|p| p.get("text")?.as_str()).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
        }
    }

    /// The thinking and the name of its field; some servers send it under both names.
    pub fn thinking(&self) -> (&'static str, &str) {
        if self.reasoning_content.is_empty() {
            ("reasoning", &self.reasoning)
        } else {
            (REASONING_CONTENT, &self.reasoning_content)
        }
    }
}

/// The field that holds the thinking at most servers that tell it.
pub(super) const REASONING_CONTENT: &str = "reasoning_content";

/// A piece of a tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPiece {
    #[serde(deserialize_with = "lenient")]
    pub index: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub id: String,
    #[serde(deserialize_with = "lenient")]
    pub function: FunctionPiece,
    /// What the server wants back with the call, such as a signature.
    #[serde(deserialize_with = "lenient")]
    pub extra_content: Value,
}

/// The inner part of a [`CallPiece`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionPiece {
    #[serde(deserialize_with = "lenient")]
    pub name: String,
    #[serde(deserialize_with = "lenient")]
    pub arguments: Value,
}

impl FunctionPiece {
    /// The arguments as text; a few servers send them as an object at once.
    pub fn arguments(&self) -> String {
        match &self.arguments {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                other.to_string()
            }
        }
    }
}

/// More tokens than any model reads or writes at once.
const MOST_TOKENS: u64 = 100_000_000;

/// What the server counted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    #[serde(deserialize_with = "lenient", rename = "prompt_tokens")]
    pub input: u64,
    #[serde(deserialize_with = "lenient", rename = "completion_tokens")]
    pub output: u64,
    #[serde(deserialize_with = "lenient", rename = "prompt_tokens_details")]
    pub details: TokenDetails,
    #[serde(deserialize_with = "lenient", rename = "completion_tokens_details")]
    pub written: WrittenDetails,
    #[serde(deserialize_with = "lenient", rename = "total_tokens")]
    pub total: u64,
    /// Read from a cache, where it is told here.
    #[serde(deserialize_with = "lenient", rename = "prompt_cache_hit_tokens")]
    pub hit: u64,
    /// US dollars.
    #[serde(deserialize_with = "lenient")]
    pub cost: Option<f64>,
}

impl Tokens {
    /// Tokens written; some servers leave the thinking out of them, but never out of the sum.
    pub fn written(&self) -> u64 {
        self.output.max(self.total.saturating_sub(self.input))
    }

    /// Whether the numbers can be those of one reply: more is no count, whatever the server says.
    pub fn credible(&self) -> bool {
        let most = self.input.max(self.written());
        most > 0 && most <= MOST_TOKENS
    }

    /// As it is accounted.
    pub fn usage(&self) -> Usage {
        let output = self.written();
        Usage {
            input: self.input,
            cached: self.details.cached.max(self.hit).min(self.input),
            output,
            reasoning: self.written.reasoning.min(output),
            ..Usage::default()
        }
    }
}

/// A part of [`Tokens`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WrittenDetails {
    #[serde(deserialize_with = "lenient", rename = "reasoning_tokens")]
    pub reasoning: u64,
}

/// A part of [`Tokens`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenDetails {
    #[serde(deserialize_with = "lenient", rename = "cached_tokens")]
    pub cached: u64,
}

/// Reads a field if it has the right shape, and takes the default if not.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pilothouse_core::talk::{ModelCall, Purpose};

    #[test]
    fn a_chunk_takes_null_missing_and_wrong_types() {
        let text = r#"{"id":7,"model":null,"choices":[{"index":"0","delta":{"role":1,"content":null,"tool_calls":[
            {"index":null,"id":null,"type":"","function":{"name":"list","arguments":{"path":"."}}}]},
            "finish_reason":null}],"usage":"none","extra":[]}"#;
        let chunk: Chunk = serde_json::from_str(text).unwrap();
        assert!(chunk.failure().is_none() && chunk.usage.is_none());
        let choice = chunk.choices.first().unwrap();
        let call = choice.delta.tool_calls.first().unwrap();
        assert_eq!((call.index, call.function.arguments()), (None, r#"{"path":"."}"#.to_owned()));
        assert_eq!(choice.delta.text(), "");
    }

    #[test]
    fn garbled_arguments_are_sent_back_as_json() {
        let mut reply = Message::text(Role::Assistant, "");
        reply.calls = ["{\"path\": ", "", "{\"a\":1}", "[1]"]
            .iter()
            .map(|args| ModelCall { id: "c".into(), name: "read".into(), args: (*args).into() })
            .collect();
        let request = ModelRequest {
            purpose: Purpose::Answer,
            system: String::new(),
            messages: vec![reply],
            tools: vec![],
            most_tokens: None,
        };
        let body = body(&request, &Endpoint::new("http://h/v1", "m"), &Extras::default());
        assert!(body.get("tools").is_none());
        let args: Vec<String> = (0..4)
            .map(|i| {
                let place = format!("/messages/0/tool_calls/{i}/function/arguments");
                body.pointer(&place).unwrap().as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(args, [r#"{"unreadable":"{\"path\": "}"#, "{}", "{\"a\":1}", r#"{"unreadable":"[1]"}"#]);
        assert_eq!(body.pointer("/messages/0/content").unwrap(), &Value::Null);
    }
}
