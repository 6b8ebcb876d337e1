//! The sandbox: what this machine has, what a command gets of it, and the helper that sets it up.
//!
//! Owns the rules of confinement. Which of them a command runs under is said by its permit; nothing
//! here widens it, and what cannot be set up is an error, never a command without it.

mod gitdir;
mod helper;
mod policy;
mod probe;
mod scratch;
pub(crate) mod secret;

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use pilothouse_core::sandbox::{Backend, Confine, Sandbox};

pub(crate) use helper::talk::{Order, Told};
pub use helper::{HELPER, helper};
pub use policy::{Limits, place};
use policy::{Policy, SandboxRules};
use scratch::Scratch;

/// Which sandbox is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// The strongest that there is.
    #[default]
    Auto,
    /// Landlock alone.
    Landlock,
    /// Bubblewrap.
    Bwrap,
    /// None: every command asks.
    Off,
}

/// What the user's settings say.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which sandbox.
    pub wanted: Wanted,
    /// Whether every command reaches the network.
    pub network: bool,
    /// Folders and files that a command may write besides the workspace.
    pub writable: Vec<PathBuf>,
    /// Folders and files that a command may not read.
    pub hidden: Vec<PathBuf>,
    /// Further variables of the environment that a command gets.
    pub env: Vec<String>,
    /// Limits of one command.
    pub limits: Limits,
}

/// The places that a sandbox is about.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The workspace, its real path.
    pub workspace: PathBuf,
    /// The program's own folders: settings, sessions, logs. A command reads nothing in them.
    pub own: Vec<PathBuf>,
    /// What of the machine is reserved: no command is given it to write because it lies in the workspace.
    pub reserved: pilothouse_core::policy::Places,
    /// Where what a command wrote in place of control files is kept.
    pub aside: Option<PathBuf>,
    /// The program that understands [`HELPER`] as its first argument; none, no sandbox.
    pub helper: Option<PathBuf>,
}

/// What commands of one workspace are held by.
#[derive(Debug, Default)]
pub struct CommandSandbox {
    found: Sandbox,
    helper: Option<PathBuf>,
    bwrap: Option<PathBuf>,
    landlock: bool,
    spaces: bool,
    walls: SandboxRules,
    aside: Option<PathBuf>,
    settings: Settings,
    scratch: Option<Scratch>,
}

/// A program and its arguments.
#[derive(Debug)]
pub(crate) struct Line {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Whether the helper watches it: then its standard input is the line to the watcher.
    pub watched: bool,
}

impl CommandSandbox {
    /// Nothing holds commands here, and why.
    pub fn none(why: &str) -> Self {
        Self { found: Sandbox::none(why), ..Self::default() }
    }

    /// Asks the machine what it has, and chooses as the settings say.
    pub fn find(settings: Settings, places: &Places) -> Self {
        let (mut fence, scratch) = match Scratch::new() {
            Ok(scratch) => (Self::none(""), scratch),
            Err(e) => return Self::none(&format!("a scratch folder cannot be made: {e}")),
        };
        let choice = probe::choose(&settings, places);
        fence.found = Sandbox {
            backend: choice.backend,
            notes: choice.notes,
            network: settings.network,
            metadata_open: choice.metadata_open,
            own: policy::own_below(places),
        };
        (fence.bwrap, fence.landlock, fence.spaces) = (choice.bwrap, choice.landlock, choice.spaces);
        fence.helper.clone_from(&places.helper);
        fence.aside.clone_from(&places.aside);
        fence.walls = SandboxRules::around(&settings, places, scratch.path());
        fence.settings = settings;
        fence.scratch = Some(scratch);
        fence
    }

    /// What was found, for the session.
    pub fn found(&self) -> &Sandbox {
        &self.found
    }

    /// Git's folders outside of the workspace that a command may write.
    pub fn git(&self) -> &[PathBuf] {
        self.walls.git()
    }

    /// What a command may write without a question of its own.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        self.walls.writable()
    }

    /// Whether no signal of a command reaches another program.
    pub(crate) fn holds_signals(&self) -> bool {
        self.bwrap.is_some() || self.landlock && probe::holds_signals()
    }

    /// Where what is taken away from control files is kept.
    pub(crate) fn aside(&self) -> Option<PathBuf> {
        self.aside.clone()
    }

    /// Whether mounts hold what a command may not write.
    pub(crate) fn mounts(&self) -> bool {
        self.found.backend == Some(Backend::Bubblewrap)
    }

    /// Whether files of the workspace can be hidden from a command: from one that writes only mounts can hide them, since
    /// Landlock gives a folder with all in it.
    pub(crate) fn hides(&self, confine: Confine) -> bool {
        match confine {
            Confine::Inside { write: false, .. } => true,
            Confine::Inside { write: true, .. } => {
                self.spaces || self.bwrap.is_some() || self.found.backend == Some(Backend::Seatbelt)
            }
            Confine::Bare | Confine::Outside => false,
        }
    }

    /// The folder for temporary files of commands, if there is one.
    pub fn scratch(&self) -> Option<&Path> {
        self.scratch.as_ref().map(Scratch::path)
    }

    /// Variables that the user's settings pass on.
    pub(crate) fn env(&self) -> &[String] {
        &self.settings.env
    }

    /// Limits of one command.
    pub(crate) fn limits(&self) -> Limits {
        self.settings.limits
    }

    /// How `program` with `args` is started so that it is confined.
    ///
    /// # Errors
    /// When it is to be held and nothing can hold it.
    pub(crate) fn line(
        &self,
        confine: Confine,
        program: &Path,
        args: &[&OsStr],
        (kept, hidden): (&[PathBuf], &[PathBuf]),
    ) -> Result<Line, String> {
        let plain = || args.iter().map(|a| (*a).to_owned());
        let inside = matches!(confine, Confine::Inside { .. });
        if inside && self.found.backend.is_none() {
            return Err("there is no sandbox to run it in; nothing was run".to_owned());
        }
        if self.found.backend == Some(Backend::Seatbelt) && inside {
            let profile = self.walls.seatbelt(confine, hidden);
            let args = ["-p".into(), profile.into(), program.into()].into_iter().chain(plain()).collect();
            return Ok(Line { program: probe::SANDBOX_EXEC.into(), args, watched: false });
        }
        let Some(helper) = self.helper.as_ref().filter(|_| cfg!(target_os = "linux")) else {
            return Ok(Line { program: program.to_owned(), args: plain().collect(), watched: false });
        };
        let mut policy = Policy::new(confine, &self.walls, self.settings.limits);
        policy.landlock = inside && self.landlock;
        policy.bwrap = self.bwrap.clone().filter(|_| inside);
        policy.spaces = inside && self.spaces;
        policy.still = self.found.metadata_open && matches!(confine, Confine::Inside { write: false, .. });
        policy.kept = kept.to_vec();
        policy.hidden.extend(hidden.iter().filter(|_| inside).cloned());
        let policy =
            serde_json::to_string(&policy).map_err(|e| format!("the sandbox cannot be described: {e}"))?;
        let args =
            [HELPER.into(), helper::WATCH.into(), policy.into(), program.into()].into_iter().chain(plain());
        Ok(Line { program: helper.clone(), args: args.collect(), watched: true })
    }
}

#[cfg(test)]
mod tests;
