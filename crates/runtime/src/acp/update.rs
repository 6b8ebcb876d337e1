//! What a client is told of a session, in the protocol's own shapes.
//!
//! Owns those shapes. Which event becomes which of them is decided in `tell`.

use serde::Serialize;
use serde_json::Value;

/// An update of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "a call's update is called so there")]
pub(super) enum Update {
    UserMessageChunk(Chunk),
    AgentMessageChunk(Chunk),
    AgentThoughtChunk(Chunk),
    /// A call that the client does not know yet.
    ToolCall(Call),
    /// What is new of one that it knows.
    #[serde(rename = "tool_call_update")]
    CallUpdate(Call),
    Plan {
        entries: Vec<Entry>,
    },
    #[serde(rename = "current_mode_update")]
    Mode {
        current_mode_id: &'static str,
    },
    #[serde(rename = "config_option_update")]
    Options {
        config_options: Value,
    },
    #[serde(rename = "available_commands_update")]
    Commands {
        available_commands: Vec<Value>,
    },
    #[serde(rename = "session_info_update")]
    Info {
        title: String,
    },
}

impl Update {
    const fn chunk(&self) -> Option<&Chunk> {
        match self {
            Self::UserMessageChunk(chunk)
            | Self::AgentMessageChunk(chunk)
            | Self::AgentThoughtChunk(chunk) => Some(chunk),
            Self::ToolCall(_)
            | Self::CallUpdate(_)
            | Self::Plan { .. }
            | Self::Mode { .. }
            | Self::Options { .. }
            | Self::Commands { .. }
            | Self::Info { .. } => None,
        }
    }

    /// Whether it is a piece of a message.
    pub const fn is_piece(&self) -> bool {
        self.chunk().is_some()
    }

    /// How long its text is, where it is one.
    pub const fn text_len(&self) -> usize {
        match self.chunk() {
            Some(chunk) => chunk.content.text.len(),
            None => 0,
        }
    }

    /// Takes the next piece of the same message; gives whether it is one.
    pub fn join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::UserMessageChunk(chunk), Self::UserMessageChunk(next))
            | (Self::AgentMessageChunk(chunk), Self::AgentMessageChunk(next))
            | (Self::AgentThoughtChunk(chunk), Self::AgentThoughtChunk(next))
                if chunk.message_id == next.message_id =>
            {
                chunk.content.text.push_str(&next.content.text);
                true
            }
            _ => false,
        }
    }
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message_id: String,
    pub content: Text,
}

impl Chunk {
    pub fn new(message: impl Into<String>, text: impl Into<String>) -> Self {
        Self { message_id: message.into(), content: Text::new(text) }
    }
}

/// A text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "text")]
pub(super) struct Text {
    pub text: String,
}

impl Text {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// A call: what there is of it, or what is new.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call {
    pub tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<CallState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<Content>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_output: Option<String>,
}

impl Call {
    /// A call of this name, where it is.
    pub fn new(id: &impl ToString, status: CallState) -> Self {
        Self { tool_call_id: id.to_string(), status: Some(status), ..Self::default() }
    }
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallState {
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// What a call shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Content {
    Content { content: Text },
    Diff { path: String, old_text: Option<String>, new_text: String },
}

impl Content {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Content { content: Text::new(text) }
    }
}

/// A file that a call is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Location {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// A step of a plan, or a check of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    pub content: String,
    pub priority: &'static str,
    pub status: &'static str,
}
