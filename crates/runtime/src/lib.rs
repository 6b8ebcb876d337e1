//! `pilothouse-runtime` drives: it keeps the log, performs effects and feeds their results back.
//!
//! It owns the event log, blobs, atomic file writes, configuration, what a model is told, and the
//! driver loop. It never decides anything (the session in `pilothouse_core` does) and never draws.

pub mod driver;

pub mod acp;
pub mod headless;
pub mod host;
mod narration;

pub mod context;
pub mod knowledge;
pub mod pending;
pub mod runs;
pub mod sessions;
pub mod tiers;
pub mod vectors;
pub mod worktrees;

pub mod agents;
pub mod blame;
pub mod blobs;
pub mod log;
pub mod writer;

pub mod config;
pub mod doctor;
pub mod home;
pub mod hooks;
pub mod memory;
pub mod models;
pub mod own;
pub mod permissions;
pub mod project;
pub mod recipes;
pub mod secrets;
pub mod sources;
pub mod surroundings;
pub mod trace;
pub mod trust;
pub mod validate;

pub mod disk;

pub mod error;
#[cfg(test)]
mod rig;

pub use config::{Config, Layer};
pub use driver::{Setup, ShutdownReport, Which, drive, place, sources_of};
pub use error::RuntimeError;
pub use home::{Environment, Home};
pub use pilothouse_tools::{keep_descriptors, rooted_path, sandbox::helper};
