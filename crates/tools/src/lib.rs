//! `pilothouse-tools` acts: it performs one permitted call against the machine and reports what
//! happened.
//!
//! It owns the file tools, the search, the commands, the jail that finds every path of the workspace
//! without leaving it, and the one way to replace a file at once. It never decides whether a call may run (it wants a [`Permit`]), never writes a
//! file of the workspace (changes are proposals) and never talks to a model or a screen.
//!
//! [`Permit`]: pilothouse_core::tool::Permit

pub mod executor;

mod brought;
mod change;
mod command;
mod descriptors;
mod evidence;
mod files;
mod guard;
mod made;
mod parallel;
mod pattern;
mod program;
mod resolved;
mod sight;
mod stamp;

#[cfg(test)]
mod fixture;

pub mod atomic;
pub mod awake;
pub mod desktop;
pub mod git;
pub mod jail;
pub mod regular;
pub mod sandbox;
pub mod snapshot;
pub mod specs;
pub mod unlost;
pub mod walk;

pub use command::{
    environment::rooted_path,
    hook::HookCall,
    server::{Pipes, ServerLine, ServerProcess},
};
pub use descriptors::keep_descriptors;
pub use executor::{BlobSource, Sink, ToolExecutor};
pub use jail::{Jail, JailError};
pub use sandbox::CommandSandbox;
pub use specs::specs;
