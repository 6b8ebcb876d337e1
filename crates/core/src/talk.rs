//! What is said to a model and what comes back: requests, replies, deltas, faults.
//!
//! Owns the shapes only. Never knows a wire format, a key or an address.

use serde::{Deserialize, Serialize};

use crate::{fact::Checked, ids::CallId, scope::Capability};

/// The name of the built-in engine, by which it is picked and says who answered.
pub const OFFLINE: &str = "offline";

/// Why a model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Answer a question.
    Answer,
    /// Make a plan and submit it.
    Plan,
    /// Do one task of an approved plan.
    Task,
    /// Reach a goal by commands.
    Goal,
    /// Look into something for another line of work.
    Child,
    /// Say what a message means.
    Classify,
    /// Sum up what was said and done so far.
    Compact,
    /// Give the session a title.
    Title,
    /// Do one stage of a pipeline.
    Stage,
}

/// Everything a model gets for one reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Why it is asked.
    pub purpose: Purpose,
    /// The pinned system prompt.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools of this turn.
    pub tools: Vec<ToolSpec>,
    /// Most tokens of the reply, where it is to be short.
    pub most_tokens: Option<u32>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user, or the workbench in a context block.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// One message of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub text: String,
    /// Calls that the assistant made with it.
    pub calls: Vec<ModelCall>,
    /// For a tool's result: the provider's id of the call that it answers.
    pub answers: Option<String>,
    /// For a tool's result: whether the call failed, was refused or was stopped. No endpoint is told so.
    pub failed: bool,
    /// For a reply: the thinking that goes back with it.
    pub thought: Option<Box<Thought>>,
}

/// The thinking behind a reply, for the endpoint that wants it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The thinking in words; may be empty.
    pub text: String,
    /// How it goes back.
    pub echo: Echo,
}

/// How the thinking behind a reply goes back to who thought it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo<T = String> {
    /// The endpoint and the model as one opaque mark: nobody else gets it.
    pub origin: String,
    /// The field that takes the thinking in words; empty where they do not go back.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What else came with the reply, as JSON; empty where nothing did.
    #[serde(default)]
    pub kept: T,
    /// What came with its calls, as a list in JSON; empty where nothing did.
    #[serde(default)]
    pub calls: T,
}

impl Thought {
    /// What of it must go back also where room is short: what came with the calls.
    #[must_use]
    pub fn least(&self) -> Self {
        let echo = Echo { kept: String::new(), ..self.echo.clone() };
        Self { text: String::new(), echo }
    }

    /// Its bytes.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.echo.kept.len() + self.echo.calls.len()
    }
}

impl Message {
    /// A message without calls.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), calls: Vec::new(), answers: None, failed: false, thought: None }
    }
}

/// A tool call as a model made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The provider's id; made up by us when the provider sent none.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments as JSON text, as the model wrote them.
    pub args: String,
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: serde_json::Value,
    /// What it needs, `None` when it has no effect outside the session.
    pub needs: Option<Capability>,
}

/// One finished reply of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelReply {
    /// The text.
    pub text: String,
    /// What it thought aloud, if the provider tells.
    pub reasoning: String,
    /// How that goes back with the calls.
    pub echo: Option<Echo>,
    /// The calls that it wants.
    pub calls: Vec<ModelCall>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub finish: Finish,
    /// The model that answered, as it names itself.
    pub model: String,
    /// What came of looking at the evidence that it names, where that was done.
    pub checked: Option<Checked>,
}

/// Tokens and money of one reply or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Of these, read from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Tokens written.
    pub output: u64,
    /// Of these, thinking.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// Millionths of a US dollar; `None` when the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
    /// Whether the numbers are an estimate of ours.
    #[serde(default)]
    pub estimated: bool,
}

/// As serde asks.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Bytes of text that are taken for one token where nobody counts.
const TOKEN_BYTES: u64 = 4;

/// Tokens that a text of this many bytes is taken for where nobody counts.
pub const fn about_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(TOKEN_BYTES)
}

impl Usage {
    /// Counts another reply in.
    pub fn add(&mut self, more: &Self) {
        // A sum without one of its parts would be none.
        let costs = self.known_cost().zip(more.known_cost());
        let costs = costs.filter(|_| self.cost_micros.or(more.cost_micros).is_some());
        self.cost_micros = costs.map(|(own, more)| own.saturating_add(more));
        self.input = self.input.saturating_add(more.input);
        self.cached = self.cached.saturating_add(more.cached);
        self.output = self.output.saturating_add(more.output);
        self.reasoning = self.reasoning.saturating_add(more.reasoning);
        self.estimated |= more.estimated;
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    #[default]
    Stop,
    /// It wants calls answered.
    Calls,
    /// It ran into its length limit.
    Length,
    /// The provider held it back.
    Filtered,
    /// It says why what was asked for could not be done.
    Unable,
    /// What was asked for is beyond the engine without a model.
    NoModel,
}

impl Finish {
    /// Whether the reply only says why nothing comes of it.
    pub const fn gives_up(self) -> bool {
        matches!(self, Self::Unable | Self::NoModel)
    }
}

/// A piece of a reply while it comes; lossy, healed by the final reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelDelta {
    /// Text to add.
    Text(String),
    /// Thinking to add.
    Reasoning(String),
    /// A call is being written; `bytes` of its arguments are here.
    Call {
        /// The tool's name so far.
        name: String,
        /// Bytes of arguments so far.
        bytes: usize,
    },
    /// Tokens written so far, as the server counts them.
    Written(u64),
    /// The request is tried again after a wait.
    Retry {
        /// Which try comes next, from 2.
        attempt: u32,
        /// How long it waits, in milliseconds.
        wait_ms: u64,
        /// Whether the server named that time.
        named: bool,
        /// Why.
        reason: String,
    },
    /// The wait is over: the request leaves again.
    Trying {
        /// Which try it is, from 2.
        attempt: u32,
        /// How many there are at most.
        of: u32,
    },
}

/// Why no reply came, as data: shown, logged, told to nobody else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The kind of failure.
    pub kind: FaultKind,
    /// What happened, with the server's own words.
    pub message: String,
    /// What the user can do about it.
    pub hint: String,
    /// The HTTP status, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// Kinds of [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// No connection, or no answer in time.
    Unreachable,
    /// The key was refused.
    Unauthorized,
    /// The server answered with an error.
    Refused,
    /// The answer was not a stream of events.
    NotAStream,
    /// The stream went silent.
    Stalled,
    /// The stream ended before the reply did.
    Cut,
    /// The reply could not be understood.
    Malformed,
    /// The user stopped it.
    Cancelled,
    /// A defect of ours.
    Internal,
}

/// Text, output or progress of a call while it runs; never logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The call it belongs to.
    pub call: CallId,
    /// Where in the call's text it begins, in bytes, so that a gap can be seen.
    pub offset: u64,
    /// What it is.
    pub kind: DeltaKind,
    /// The text.
    pub text: String,
}

impl Delta {
    /// What a wait comes to, where nothing counts it down.
    pub fn wait(&self) -> String {
        let said: Vec<&str> = self.text.lines().skip(1).collect();
        format!("{} in {} s", said.join("; "), self.offset.div_ceil(1000))
    }
}

/// Kinds of [`Delta`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeltaKind {
    /// A model's text.
    Text,
    /// A model's thinking.
    Reasoning,
    /// A call being written; the offset is the bytes of its arguments so far.
    Call,
    /// Tokens written so far, as the server counts them: the offset is their number.
    Written,
    /// A notice, such as a retry.
    Notice,
    /// The server is waited for: the offset is how long still, in milliseconds; the text says what comes then, why, and which
    /// try that is, a line each.
    Wait,
    /// A command's standard output.
    Stdout,
    /// A command's standard error.
    Stderr,
}
