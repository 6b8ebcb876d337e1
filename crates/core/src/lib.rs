//! `pilothouse-core` decides: given what has happened and what just arrived, it says what is now
//! true and what should be done.
//!
//! It owns the intent DAG, the phase machine, plans, checkpoints, proposals and the [`Session`]
//! fold. It never does I/O, reads a clock or the environment, spawns anything or awaits anything.
//!
//! [`Session`]: crate::session::Session

pub mod session;

pub mod event;
pub mod input;
pub mod work;

pub mod checkpoint;
pub mod commit;
pub mod compaction;
pub mod completion;
pub mod fact;
pub mod goal;
pub mod hook;
pub mod knowledge;
pub mod memory;
pub mod outcome;
pub mod phase;
pub mod pipeline;
pub mod plan;
pub mod proposal;
pub mod question;
pub mod resolved;

pub mod policy;
pub mod sandbox;
pub mod source;
pub mod tool;
pub mod trust;

pub mod about;
mod args;
pub mod blob;
pub mod clean;
pub mod connection;
pub mod diff;
pub mod digest;
pub mod embed;
pub mod encoding;
pub mod front;
pub mod ids;
pub mod lane;
pub mod mark;
pub mod money;
pub mod picture;
pub mod port;
pub mod recipe;
pub mod redact;
pub mod refusal;
pub mod relpath;
pub mod runs;
pub mod spared;
pub mod talk;

pub use pilothouse_intent::{self as intent, scope};
pub use pilothouse_shell::{self as shell, control};
