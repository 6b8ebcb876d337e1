//! What a driver is started with.
//!
//! Owns the form of it, and which session is meant. Never opens one.

use std::{path::PathBuf, sync::Arc};

use pilothouse_core::{
    ids::Millis, intent::Mode, pipeline::Depth, scope::PermissionMode, session::Bounds, trust::Trust,
};

use crate::{
    config::Layer,
    disk::{Disk, RealDisk},
    home::{Environment, Home},
    secrets::Secrets,
    surroundings,
};

/// Which session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// A new one.
    New,
    /// The newest of the workspace.
    Last,
    /// The newest of all.
    LastAnywhere,
    /// By name, or the beginning of it.
    Named(String),
}

/// What a driver is started with.
#[derive(Clone)]
pub struct Setup {
    /// Where the program's own files are.
    pub home: Home,
    /// The folder to work in.
    pub workspace: PathBuf,
    /// Which session.
    pub which: Which,
    /// The ceiling, where it was said.
    pub permission: Option<PermissionMode>,
    /// Whether every change asks even where the settings would allow it.
    pub asking: bool,
    /// How far the folder is trusted whatever is kept about it: `--trust` says once.
    pub trust: Trust,
    /// Whether somebody is there to be asked, about the folder and about hunks.
    pub asks: bool,
    /// Whether nobody is there to answer anything, so that the agent is told not to ask.
    pub unattended: bool,
    /// The mode, where it was said.
    pub mode: Option<Mode>,
    /// The environment.
    pub environment: Environment,
    /// Settings of the command line.
    pub flags: Layer,
    /// The clock; only a label, never an order.
    pub clock: Arc<dyn Fn() -> Millis + Send + Sync>,
    /// The file layer.
    pub disk: Arc<dyn Disk>,
    /// The program that sets up the sandbox of a command when it is started as its helper; none, no
    /// sandbox, and every command asks.
    pub helper: Option<PathBuf>,
    /// What is kept out of the log file and the last words; the session's own are added to it.
    pub secrets: Secrets,
    /// Whether a session that another process holds is refused; else it is shown read-only.
    pub writing: bool,
    /// Repairs of a failed gate.
    pub repairs: u32,
    /// How deep pipelines go, where somebody said.
    pub depth: Option<Depth>,
    /// The servers that the client of the session names.
    pub client: crate::sources::ClientServers,
}

impl Setup {
    /// A new session in `workspace` with the real clock and disk.
    pub fn new(home: Home, workspace: impl Into<PathBuf>, environment: Environment) -> Self {
        Self {
            home,
            workspace: workspace.into(),
            which: Which::New,
            permission: None,
            asking: false,
            trust: Trust::None,
            asks: false,
            unattended: false,
            mode: None,
            environment,
            flags: Layer::default(),
            clock: Arc::new(surroundings::millis),
            disk: Arc::new(RealDisk),
            helper: None,
            secrets: Secrets::default(),
            writing: false,
            repairs: Bounds::default().repairs,
            depth: None,
            client: crate::sources::ClientServers::default(),
        }
    }
}
