//! What passes between the driver and a screen: requests one way, updates the other.
//!
//! Owns the message types. The channels themselves belong to the runtime and the binary.

use std::sync::Arc;

use crate::{
    blob::BlobId,
    event::Stamped,
    ids::{Millis, Seq},
    input::Input,
    policy::Policy,
    relpath::RelPath,
    session::Session,
    talk::Delta,
};

/// What a screen sends to the driver.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all of them are inputs, and the channel is short")]
pub enum Request {
    /// Something for the session.
    Input(Input),
    /// A question to the read port.
    Ask(u64, Ask),
    /// Close the session and stop.
    Quit,
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
    /// Files of the workspace, for completion; at most this many.
    Files(usize),
}

/// An answer of the read port.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Events, oldest first.
    History(Vec<Stamped>),
    /// The content; `None` when it is not there.
    Blob(BlobId, Option<Vec<u8>>),
    /// Paths.
    Files(Vec<RelPath>),
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
    /// An input changed nothing.
    Refused(String),
    /// What surrounds the session changed.
    Surroundings(Box<Surroundings>),
    /// The driver ended; with a message when it should not have.
    Closed(Option<String>),
}

/// What surrounds the session: shown in the header, never decided on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The workspace's name.
    pub folder: String,
    /// The git branch, if there is one.
    pub branch: Option<String>,
    /// Files that differ from the last commit.
    pub dirty: usize,
    /// The model's name; `offline engine` without one.
    pub model: String,
    /// Whether the built-in engine answers.
    pub offline: bool,
    /// Minutes east of UTC, for times on the screen.
    pub utc_offset_minutes: i32,
    /// The model's context window in tokens, if known.
    pub window: Option<u64>,
    /// Whether another process holds the session and nothing can be changed.
    pub read_only: bool,
    /// The clock when this was said.
    pub now: Millis,
}
