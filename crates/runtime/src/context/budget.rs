//! The budget: what a model can hold, and what gives way when the transcript outgrows it.
//!
//! Owns the sizes and the order in which old results shrink. Works out the same from the beginning for
//! each request, in big steps, so that what was sent stays as it was between two of them.

use pilothouse_core::{
    blob::BlobId,
    compaction::Mark,
    session::Entry,
    talk::{Message, ModelCall, ToolSpec},
};
use serde_json::Value;

use crate::config::Provider;

/// Bytes of text that count as a token.
const TOKEN_BYTES: usize = 4;
/// What a model is taken to hold when nobody says, in tokens.
const DEFAULT_TOKENS: usize = 200_000;
/// The same of one on this machine, where memory is dear and what is too long is often cut without a word.
const LOCAL_TOKENS: usize = 128_000;
/// Most tokens that are kept free for the reply.
const REPLY_TOKENS: usize = 16_000;
/// Bytes that a message costs beside its text.
const FRAME_BYTES: usize = 32;
/// The transcript gets at least this many bytes.
const LEAST_BYTES: usize = 2 * 1024;
/// Over this share of the room old results shrink …
const FULL_PERCENT: usize = 90;
/// … until this share is left.
const DOWN_TO_PERCENT: usize = 60;
/// What the user said may take this share of a request.
const SAID_PERCENT: usize = 40;
/// Strings of old arguments keep this many bytes.
const ARGUMENT_BYTES: usize = 200;
/// Old words of the model keep this many bytes.
const WORDS_BYTES: usize = 1024;
/// At the very last every text keeps this many bytes, then this many.
const LAST_BYTES: [usize; 2] = [1024, 160];
/// What the user dropped is named by this many bytes.
const DROPPED_BYTES: usize = 80;

/// How much a model can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    tokens: usize,
}

impl Window {
    /// A window of this many tokens, or of the usual number.
    pub fn of(tokens: Option<u64>) -> Self {
        Self { tokens: tokens.and_then(|t| usize::try_from(t).ok()).unwrap_or(DEFAULT_TOKENS) }
    }

    /// The window of this model: as said, else the usual one for where it is.
    pub fn of_model((voice, tokens): (&Provider, Option<u64>)) -> Self {
        let local = matches!(voice, Provider::Endpoint(endpoint) if endpoint.is_loopback());
        Self::of(tokens.or_else(|| local.then_some(LOCAL_TOKENS as u64)))
    }

    /// How many tokens it is.
    pub fn tokens(self) -> usize {
        self.tokens
    }

    /// Bytes for the transcript beside the reply and this many bytes of other things; `None` where that is
    /// too little to work with.
    pub fn room(self, fixed: usize) -> Option<usize> {
        Some(self.input().saturating_sub(fixed)).filter(|room| *room >= LEAST_BYTES)
    }

    /// Most bytes that what the user said may take together.
    pub fn said(self) -> usize {
        self.input() / 100 * SAID_PERCENT
    }

    /// Bytes of a whole request.
    pub fn input(self) -> usize {
        let reply = (self.tokens / 4).min(REPLY_TOKENS);
        (self.tokens - reply).saturating_mul(TOKEN_BYTES)
    }
}

/// A message of the transcript, and how it gives way.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub message: Message,
    pub slim: Slim,
    /// What it tells, where it is an entry of the transcript.
    pub entry: Option<Entry>,
}

/// How a message gives way when room is short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slim {
    /// Orders, decisions, plans: it stays, and only its middle goes where nothing else helps.
    Stays,
    /// What the user said: it gives way last, by the name under which the whole of it is kept, if it is.
    Said(Option<BlobId>),
    /// The user wants it as it is.
    Pinned,
    /// The result of a call: this line takes its place.
    Line(String),
    /// A reply: long arguments and words are cut.
    Reply,
}

impl Piece {
    /// One that stays as it is.
    pub fn stays(message: Message) -> Self {
        Self { message, slim: Slim::Stays, entry: None }
    }

    /// As the user wants it: never shrunk, or one line.
    pub fn marked(self, mark: Option<Mark>) -> Self {
        match mark {
            None => self,
            Some(Mark::Pinned) => Self { slim: Slim::Pinned, ..self },
            Some(Mark::Dropped) => {
                let text = self.left_out();
                let calls = self.message.calls.iter().map(slim_call).collect();
                let thought = self.message.thought.as_ref().map(|t| Box::new(t.least()));
                Self { message: Message { text, calls, thought, ..self.message }, slim: Slim::Pinned, ..self }
            }
        }
    }

    /// What stands in the place of a text that the user dropped: of these the first that takes no more room than it did.
    fn left_out(&self) -> String {
        let text = &self.message.text;
        let head = text.lines().next().unwrap_or_default();
        let head = head.get(..head.floor_char_boundary(DROPPED_BYTES)).unwrap_or_default();
        let whole = match &self.slim {
            Slim::Line(line) => line.clone(),
            Slim::Stays | Slim::Said(_) | Slim::Pinned | Slim::Reply => {
                format!("[left out by the user: {head}]")
            }
        };
        let words = [whole.as_str(), "[left out by the user]", "[left out]", "-"];
        words.into_iter().find(|words| words.len() <= text.len()).unwrap_or_default().to_owned()
    }

    /// Ends of a text of it.
    pub fn cut(&self, text: &str, most: usize) -> String {
        match self.slim {
            Slim::Said(Some(kept)) => super::cut::cut_said(text, most, kept),
            Slim::Said(None) | Slim::Stays | Slim::Pinned | Slim::Line(_) | Slim::Reply => {
                super::cut(text, most)
            }
        }
    }

    fn slimmed(&self) -> Message {
        match &self.slim {
            Slim::Stays | Slim::Said(_) | Slim::Pinned => self.message.clone(),
            Slim::Line(line) if line.len() < self.message.text.len() => {
                Message { text: line.clone(), ..self.message.clone() }
            }
            Slim::Line(_) => self.message.clone(),
            Slim::Reply => Message {
                text: super::cut(&self.message.text, WORDS_BYTES),
                calls: self.message.calls.iter().map(slim_call).collect(),
                thought: self.message.thought.as_ref().map(|t| Box::new(t.least())),
                ..self.message.clone()
            },
        }
    }
}

/// Bytes of a message.
pub(super) fn size(message: &Message) -> usize {
    let calls = message.calls.iter().map(|c| c.id.len() + c.name.len() + c.args.len() + FRAME_BYTES);
    let thought = message.thought.as_ref().map_or(0, |t| t.bytes());
    FRAME_BYTES + message.text.len() + calls.sum::<usize>() + thought
}

/// Bytes of a tool as it is offered.
pub(super) fn tool_size(tool: &ToolSpec) -> usize {
    tool.name.len() + tool.description.len() + tool.parameters.to_string().len() + 2 * FRAME_BYTES
}

/// Tokens that this many bytes are taken for.
pub(super) const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(TOKEN_BYTES)
}

/// The transcript as it fits.
#[derive(Clone, Debug, Default)]
pub(super) struct Fit {
    /// The messages, one for each piece.
    pub messages: Vec<Message>,
    /// Their bytes.
    pub total: usize,
    /// Whether old results gave way and that was not enough.
    pub crowded: bool,
}

/// The messages of the transcript, within `room` bytes: what was sent before is told as then, until the
/// room is nearly full; then the oldest results give way, all at once, and after them old replies.
pub(super) fn fit(pieces: &[Piece], room: usize) -> Fit {
    let mut held = Fit::default();
    let full = room * FULL_PERCENT / 100;
    let mut newest = 0;
    for (at, piece) in pieces.iter().enumerate() {
        if !piece.message.calls.is_empty() {
            newest = at;
        }
        held.push(piece.message.clone());
        if held.total > full {
            let old = pieces.get(..newest).unwrap_or_default();
            let enough = room * DOWN_TO_PERCENT / 100;
            held.shrink(old, enough, |p| matches!(p.slim, Slim::Line(_)));
            if held.total > full {
                held.crowded = true;
                held.shrink(old, enough, |p| p.slim == Slim::Reply);
            }
        }
    }
    // What is new is only cut where there is no other way.
    held.shrink(pieces, room, |p| p.slim != Slim::Stays);
    for most in LAST_BYTES {
        held.cut_texts(pieces, room, most, |p| !matches!(p.slim, Slim::Pinned | Slim::Said(_)));
    }
    for most in LAST_BYTES {
        held.cut_texts(pieces, room, most, |p| matches!(p.slim, Slim::Said(_)));
    }
    held
}

impl Fit {
    fn push(&mut self, message: Message) {
        self.total += size(&message);
        self.messages.push(message);
    }

    /// Lets messages give way, oldest first, until all of it is at most `enough` bytes.
    fn shrink(&mut self, pieces: &[Piece], enough: usize, which: impl Fn(&Piece) -> bool) {
        for (piece, message) in pieces.iter().zip(&mut self.messages) {
            if self.total <= enough {
                return;
            }
            if which(piece) {
                let was = size(message);
                *message = piece.slimmed();
                self.total = (self.total + size(message)).saturating_sub(was);
            }
        }
    }

    /// The last resort: the ends of every long text, oldest first.
    fn cut_texts(&mut self, pieces: &[Piece], room: usize, most: usize, which: impl Fn(&Piece) -> bool) {
        for (piece, message) in pieces.iter().zip(&mut self.messages) {
            if self.total <= room {
                return;
            }
            if which(piece) {
                let was = size(message);
                message.text = piece.cut(&message.text, most);
                self.total = (self.total + size(message)).saturating_sub(was);
            }
        }
    }
}

/// A call whose long strings are cut; a plan stays whole.
fn slim_call(call: &ModelCall) -> ModelCall {
    let plan = call.name == pilothouse_core::tool::Tool::SubmitPlan.name();
    let value = serde_json::from_str::<Value>(&call.args).ok().filter(|_| !plan);
    let args = value.map_or_else(|| call.args.clone(), |v| slim_value(v).to_string());
    ModelCall { args, ..call.clone() }
}

fn slim_value(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > ARGUMENT_BYTES => {
            let head = text.get(..text.floor_char_boundary(ARGUMENT_BYTES / 2)).unwrap_or_default();
            Value::String(format!("{head} [… dropped to save room]"))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(slim_value).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(k, v)| (k, slim_value(v))).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
