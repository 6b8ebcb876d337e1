//! How a session is opened, and what a copy of one is.
//!
//! Owns what the first input of a process says.

use crate::{ids::ApplyId, intent::Mode, sandbox::Sandbox, scope::PermissionMode, trust::Standing};

/// What a copy of a session is from its end on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Its own name.
    pub slug: String,
    /// Its workspace, as the user would name it.
    pub folder: String,
    /// Whether the copy was read from a file rather than from this machine's own sessions.
    pub imported: bool,
}

/// How a session is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Its name.
    pub slug: String,
    /// The workspace, as the user would name it.
    pub folder: String,
    /// The version of the program.
    pub version: String,
    /// The mode, where it was said.
    pub mode: Option<Mode>,
    /// The ceiling, where it was said.
    pub permission: Option<PermissionMode>,
    /// The sandbox that commands can have.
    pub sandbox: Sandbox,
    /// How far the folder is trusted.
    pub standing: Standing,
    /// For each write or revert that was open: what is on disk.
    pub found: Vec<(ApplyId, Found)>,
}

/// What is on disk of a write that was open when the process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Every file is as before.
    Before,
    /// Every file is as after.
    After,
    /// Some are as before, some as after, or something else was written.
    Mixed,
}
