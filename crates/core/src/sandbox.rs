//! What holds a command: the sandbox that this machine has, and how one command runs in it.
//!
//! Owns the words. Never sets a sandbox up: the tools do, as the permit says.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{control::control, relpath::RelPath};

/// What a sandbox is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Landlock and seccomp, which the Linux kernel has.
    Landlock,
    /// Bubblewrap, with Landlock and seccomp inside where the kernel has them.
    Bubblewrap,
    /// Seatbelt, which macOS has.
    Seatbelt,
}

impl Backend {
    /// The lowercase name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Landlock => "landlock",
            Self::Bubblewrap => "bubblewrap",
            Self::Seatbelt => "seatbelt",
        }
    }
}

/// The sandbox of a session, as it was found when a process opened it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// What it is made of; `None` when there is none.
    pub backend: Option<Backend>,
    /// Why there is none, or what it leaves open and why it is not stronger; a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether the user's settings open the network to every command.
    #[serde(default)]
    pub network: bool,
    /// Whether a command that writes could change modes, owners, times and attributes of files outside of what it may
    /// write: then every such command asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub metadata_open: bool,
    /// Folders of the program itself that lie in the workspace; what is in them is a control file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<RelPath>,
}

impl Sandbox {
    /// None at all, and why.
    pub fn none(why: impl Into<String>) -> Self {
        Self { notes: vec![why.into()], ..Self::default() }
    }
}

impl Sandbox {
    /// Why a file of the workspace is a control file, if it is one.
    pub fn control_file(&self, path: &RelPath) -> Option<&'static str> {
        let own = |o: &RelPath| {
            path.as_str().strip_prefix(o.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
        };
        let ours = self.own.iter().any(own).then_some("belongs to this program");
        ours.or_else(|| control(path.as_str().split('/')).map(|c| c.why))
    }
}

impl Sandbox {
    /// What it is and what it holds, without the notes; `None` when there is none.
    pub fn held(&self) -> Option<String> {
        let network = if self.network { "on" } else { "off" };
        let metadata = if self.metadata_open { "not protected" } else { "protected" };
        self.backend.map(|b| format!("{}, network {network}, metadata {metadata}", b.name()))
    }
}

impl fmt::Display for Sandbox {
    /// In one line, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.held().as_deref().unwrap_or("none"))?;
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

/// How one command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confine {
    /// With the user's own rights, because there is no sandbox; control files are put back.
    #[default]
    Bare,
    /// With the user's own rights, because that was asked for: the whole machine, control files
    /// included, and the network.
    Outside,
    /// In the sandbox.
    Inside {
        /// Whether it may write to the workspace and the listed caches, not only to its scratch folder.
        write: bool,
        /// Whether it reaches the network.
        network: bool,
    },
}

impl Confine {
    /// In the sandbox, able to look and nothing else.
    pub const READING: Self = Self::Inside { write: false, network: false };

    /// Whether it is [`Confine::Bare`], which old logs do not say.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
    pub(crate) const fn is_bare(&self) -> bool {
        matches!(self, Self::Bare)
    }

    /// What is beyond the usual about it, for people; `None` for a command in the sandbox without the
    /// network.
    pub const fn beyond(self) -> Option<&'static str> {
        match self {
            Self::Outside => Some("outside the sandbox"),
            Self::Inside { network: true, .. } => Some("with the network"),
            Self::Bare | Self::Inside { network: false, .. } => None,
        }
    }

    /// What that means, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Bare => "without a sandbox: with all your rights and the network",
            Self::Outside => "outside the sandbox: all your rights, control files, the network",
            Self::Inside { write: false, network: false } => "in the sandbox: reads only, no network",
            Self::Inside { write: false, network: true } => "in the sandbox: reads only, with the network",
            Self::Inside { write: true, network: false } => {
                "in the sandbox: writes the workspace, no network"
            }
            Self::Inside { write: true, network: true } => {
                "in the sandbox: writes the workspace, with the network"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_says_whether_metadata_is_protected_in_the_words_of_the_questions() {
        for (metadata_open, said) in [(true, "not protected"), (false, "protected")] {
            let sandbox = Sandbox { backend: Some(Backend::Landlock), metadata_open, ..Sandbox::default() };
            assert_eq!(sandbox.to_string(), format!("landlock, network off, metadata {said}"));
        }
    }
}
