//! `pilothouse-model` thinks: it turns a [`ModelRequest`] into a stream of deltas and one final
//! reply.
//!
//! It owns three voices behind one trait: an OpenAI-compatible endpoint, replies from a file, and
//! the built-in rule-based engine. It never runs a tool, reads a workspace or decides what may be
//! done: a call in a reply is a wish, and the session judges it.
//!
//! [`ModelRequest`]: pilothouse_core::talk::ModelRequest

pub mod client;
pub mod embed;

pub mod offline;
pub mod openai;
pub mod scripted;

mod outlet;

pub use client::{ModelClient, Unfinished};
pub use offline::Offline;
pub use openai::{Effort, Endpoint, OpenAi, Patience, Preset, Price};
pub use scripted::Scripted;

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The script file could not be read.
    #[error("cannot read the script {path}: {source}; name a JSON file with a list of replies")]
    ScriptUnread {
        /// The file, as it was named.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The script is not the JSON it should be; the source names line and column.
    #[error(
        "the script {path} cannot be used: {source}; it must be a list of {{\"text\", \"calls\": [{{\"name\", \"args\"}}]}}"
    )]
    ScriptMalformed {
        /// The file, as it was named.
        path: String,
        /// Where and why.
        source: serde_json::Error,
    },
}
