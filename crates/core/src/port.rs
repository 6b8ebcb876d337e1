//! What passes between the driver and a screen: requests one way, updates the other.
//!
//! Owns the message types. The channels themselves belong to the runtime and the binary.

use std::sync::Arc;

use crate::{
    blob::BlobId,
    compaction::Mark,
    event::Stamped,
    ids::{Millis, Seq},
    input::{Input, Refusal, RefusalKind},
    knowledge::{IndexStatus, Passage},
    memory::MemoryOwner,
    money::{Configured, thousands},
    policy::{Policy, Rehearsal},
    recipe::Recipes,
    redact::Redactor,
    relpath::RelPath,
    session::Session,
    source::SourceState,
    talk::Delta,
};

/// What a screen sends to the driver.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a few wait at a time, and most of them are inputs")]
pub enum Request {
    /// Something for the session.
    Input(Input),
    /// A question to the read port.
    Ask(u64, Ask),
    /// Tell the user on the desktop; the words are the program's own.
    Tell(Attention),
    /// What is being written and was not sent, to be kept for the next time; empty: nothing is.
    Draft(String),
    /// The user looks here again: what others may have changed meanwhile is looked at anew.
    Focused,
    /// Work on the session here, which another process held and holds no more.
    TakeOver,
    /// Close the session and stop.
    Quit,
}

/// Why the user's eye is wanted. Its words are fixed: nothing of a session stands in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attention {
    /// A run ended well.
    Ended,
    /// A question waits.
    Asked,
    /// A run failed.
    Failed,
}

impl Attention {
    /// What is told.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Ended => "a run ended",
            Self::Asked => "a question is waiting for you",
            Self::Failed => "a run failed",
        }
    }
}

/// How the user is told when the terminal is not in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notify {
    /// By the terminal; what is known of it decides when nothing is said.
    pub terminal: Option<NotifyBy>,
    /// On the desktop as well.
    pub desktop: bool,
    /// Also while the terminal is in front.
    pub always: bool,
}

/// What is sent to a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifyBy {
    /// OSC 9, with a bell.
    Osc9,
    /// OSC 777, with a bell.
    Osc777,
    /// OSC 99, with a bell.
    Osc99,
    /// A bell alone.
    Bell,
    /// Nothing.
    Off,
}

/// A question to the read port; answered with the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Up to `count` events before `before`, oldest first.
    History {
        /// The first event that is already here.
        before: Seq,
        /// At most this many.
        count: usize,
    },
    /// A stored content.
    Blob(BlobId),
    /// Of a stored text, in pieces: it may be too long to be held.
    Text(BlobId, TextAsk),
    /// Files of the workspace, for completion: those with these letters in this order, at most so many.
    Files {
        /// What is typed of a name; empty for all.
        like: String,
        /// How many.
        count: usize,
    },
    /// What these rules would have done to the commands of past sessions in this folder.
    Rehearse(Vec<String>),
    /// What the model is told next, part by part.
    Context,
    /// What a memory holds, for the user's editor.
    Memory(MemoryOwner),
    /// How the sources are.
    Sources,
    /// Whether a source answers; how all of them are then.
    TestSource(String),
    /// Lets the user sign in to a source; how all of them are while that is waited for, and then.
    SignIn(String),
    /// Turns a source on or off, until the session is left; how all of them are then.
    EnableSource(String, bool),
    /// What a source has, for people.
    SourceTools(String),
    /// Keeps what was typed as the user's value of this variable; how the sources are then.
    KeepKey(String, Hidden),
    /// Of the knowledge index.
    Knowledge(KnowledgeAsk),
    /// Of what the user sets on the screen.
    Setup(SetupAsk),
    /// Nobody waits any more for the answer to the question of this number; this itself has none.
    Withdraw(u64),
}

/// A place where models live, as it can be picked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelPlace {
    /// Its name in configuration files; empty for a server that only its address names.
    pub name: String,
    /// Its address, where it is known.
    pub address: String,
    /// Whether it is of no use without a key.
    pub wants_key: bool,
    /// Where a key for it lies already.
    pub key_from: Option<String>,
}

/// A model as it was picked on the screen: what is to answer from now on, and what it is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelPick {
    /// The name of its place; empty for a server that its address names, and for the built-in engine.
    pub place: String,
    /// Its address, where the place has none of its own.
    pub address: String,
    /// The key that was typed for it.
    pub key: Option<Hidden>,
    /// The model, as the server calls it; [`OFFLINE`](crate::talk::OFFLINE) for the built-in engine.
    pub model: String,
}

/// What is asked where the user picks who answers, and how the screen looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupAsk {
    /// The places where models live.
    Places,
    /// The models that a place has.
    Models(ModelPick),
    /// Keeps this model as the one that answers, and its key for the user alone.
    Connect(ModelPick),
    /// Keeps this theme.
    Theme(String),
}

/// What is answered there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupReply {
    /// The places.
    Places(Vec<ModelPlace>),
    /// The models of the place that was asked about, foreign text, or why they are not known.
    Models(ModelPick, Result<Vec<String>, String>),
    /// What holds now in words for people, or why nothing was kept.
    Kept(Result<String, String>),
}

/// A question about a stored text; lines count from zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextAsk {
    /// Some of its lines.
    Lines {
        /// The first one.
        from: usize,
        /// At most so many.
        count: usize,
    },
    /// The nearest line with these words, beyond its end from its other end on.
    Find {
        /// The words; capitals count only where they have one.
        words: String,
        /// The first line that is looked at.
        from: usize,
        /// Whether towards the beginning.
        back: bool,
    },
}

/// What is answered about a stored text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextReply {
    /// Some of its lines.
    Lines(TextLines),
    /// Where in it the words stand.
    Found(TextFound),
}

/// Lines of a stored text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLines {
    /// How many it has.
    pub total: usize,
    /// The first one that is here.
    pub from: usize,
    /// The lines, foreign text; of a very long one the beginning.
    pub lines: Vec<String>,
}

/// Where in a text words stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextFound {
    /// The line; `None` where no line has them.
    pub line: Option<usize>,
    /// Which of those that have them it is, from one on.
    pub place: usize,
    /// How many lines have them.
    pub hits: usize,
    /// What stands around them, foreign text, where that is behind the beginning of a very long line.
    pub around: Option<String>,
}

/// Whether words stand in a text: capitals count only where the words have one.
pub fn holds(text: &str, words: &str) -> bool {
    if words.chars().any(char::is_uppercase) {
        text.contains(words)
    } else {
        text.to_lowercase().contains(words)
    }
}

/// Something that was typed and is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// A question to the knowledge index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnowledgeAsk {
    /// Passages that answer this.
    Search(String),
    /// What is in it.
    Status,
}

/// What the knowledge index answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnowledgeReply {
    /// The best passages, the best first.
    Passages(Vec<Passage>),
    /// What is in it.
    Status(IndexStatus),
}

/// An answer of the read port.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Events, oldest first.
    History(Vec<Stamped>),
    /// The content; `None` when it is not there.
    Blob(BlobId, Option<Vec<u8>>),
    /// Of a stored text; `None` when it is not there, or not what its name says.
    Text(BlobId, Option<TextReply>),
    /// Paths.
    Files(Vec<RelPath>),
    /// What the rules would have done.
    Rehearsed(Box<Rehearsal>),
    /// What the model is told next.
    Context(Box<ContextSheet>),
    /// What a memory holds, or why it cannot be edited.
    Memory(MemoryOwner, Result<String, String>),
    /// How the sources are.
    Sources(Vec<SourceState>),
    /// What a source has, or why that is not known.
    SourceTools(String, Result<String, String>),
    /// Of the knowledge index, or why it has no answer.
    Knowledge(Box<Result<KnowledgeReply, String>>),
    /// Of what the user sets on the screen.
    Setup(SetupReply),
}

/// What the next request to the model holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextSheet {
    /// Its parts, in the order in which they are sent.
    pub parts: Vec<ContextPart>,
    /// Tokens of all of it; bytes by four, an estimate.
    pub tokens: usize,
    /// What the model can hold.
    pub window: usize,
    /// Why no request can be made, where that is so.
    pub trouble: Option<String>,
}

/// A part of the next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextPart {
    /// The event that it tells, where it can be pinned or dropped.
    pub entry: Option<Seq>,
    /// What it is, in a word.
    pub kind: &'static str,
    /// Its beginning, foreign text.
    pub head: String,
    /// Tokens of it as it is sent; an estimate.
    pub tokens: usize,
    /// Tokens that it had before it was shrunk.
    pub before: usize,
    /// What the user wants of it.
    pub mark: Option<Mark>,
    /// Why it is there.
    pub why: &'static str,
}

impl ContextSheet {
    /// How many tokens there are of how many, and how that was counted.
    pub fn total(&self) -> String {
        let share = (self.tokens * 100).checked_div(self.window).unwrap_or_default();
        let [tokens, window] = [self.tokens, self.window].map(grouped);
        format!("about {tokens} of {window} tokens ({share} %), estimated at four bytes each")
    }
}

impl std::fmt::Display for ContextSheet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the model is told next: {}", self.total())?;
        for part in &self.parts {
            write!(f, "\n{}{}", part.figures(), part.head)?;
        }
        self.trouble.iter().try_for_each(|why| write!(f, "\n{why}"))
    }
}

fn grouped(tokens: usize) -> String {
    thousands(u64::try_from(tokens).unwrap_or(u64::MAX))
}

impl ContextPart {
    /// How many tokens it has, what it is and what became of it, in columns.
    pub fn figures(&self) -> String {
        format!("{:>7}  {:8} {:8} ", grouped(self.tokens), self.kind, self.state())
    }

    /// What became of it, for people.
    pub fn state(&self) -> &'static str {
        match self.mark {
            Some(Mark::Pinned) => "pinned",
            Some(Mark::Dropped) => "dropped",
            None if self.tokens < self.before => "shrunk",
            None => "",
        }
    }
}

/// What the driver sends to a screen. Events are never dropped; deltas may be.
#[derive(Clone, Debug)]
pub enum Update {
    /// The session is open; the state to fold on, and the last events.
    Opened(Box<Session>, Vec<Stamped>),
    /// Events of one step, already synced.
    Events(Vec<Stamped>),
    /// A piece of something that runs.
    Delta(Delta),
    /// The answer to a question.
    Answered(u64, Reply),
    /// The permission rules that hold from now on.
    Rules(Arc<Policy>),
    /// An input changed nothing, as the session stands.
    Refused(String),
    /// An input changed nothing, for it was said wrongly.
    Misused(String),
    /// Something that the user should know, which no input brought about.
    Notice(String),
    /// A page that an input asked for.
    Page {
        /// What it is called.
        title: &'static str,
        /// Its lines.
        text: String,
    },
    /// What surrounds the session changed.
    Surroundings(Box<Surroundings>),
    /// What was being written when the session was left.
    Draft(String),
    /// The driver ended; with a message when it should not have.
    Closed(Option<String>),
}

impl From<Refusal> for Update {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind {
            RefusalKind::State => Self::Refused(refusal.reason),
            RefusalKind::Misuse => Self::Misused(refusal.reason),
        }
    }
}

/// What surrounds the session: shown in the header, never decided on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The workspace's name.
    pub folder: String,
    /// The git branch, if there is one.
    pub branch: Option<String>,
    /// Files that differ from the last commit.
    pub dirty: usize,
    /// Why git refuses the folder and how it would not, where it does.
    pub refused: Option<String>,
    /// The model's name; `offline engine` without one.
    pub model: String,
    /// Where that was said, and what goes before it.
    pub model_from: String,
    /// Whether the built-in engine answers.
    pub offline: bool,
    /// Whether the user starts the program for the first time and nothing is set.
    pub first_start: bool,
    /// Minutes east of UTC, for times on the screen.
    pub utc_offset_minutes: i32,
    /// The model's context window in tokens, if known.
    pub window: Option<u64>,
    /// Most bytes of a message that the model is told whole, if known.
    pub told_whole: Option<usize>,
    /// Whether another process holds the session and nothing can be changed.
    pub read_only: bool,
    /// Whether that one has left it, so that it can be taken over here.
    pub free: bool,
    /// What a screen must not show of what it reads by itself.
    pub secrets: Redactor,
    /// The clock when this was said.
    pub now: Millis,
    /// How the user is told of what wants their eye.
    pub notify: Notify,
    /// Whether the wheel of the mouse scrolls.
    pub mouse: bool,
    /// What a session may spend, where nothing is said in it.
    pub budget: Configured,
    /// Why what was done last is not saved; it is tried again until it is, and nothing more is done before.
    pub unsaved: Option<String>,
    /// What was wrong at the start, a sentence each.
    pub warnings: Vec<String>,
    /// The file of the project that tells agents how to work here, if one is read.
    pub instructions: Option<String>,
    /// The skills, commands and agents that there are.
    pub recipes: Arc<Recipes>,
}
