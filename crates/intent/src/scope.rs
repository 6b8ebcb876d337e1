//! What a turn may do: capabilities, the scopes made of them, and how a mode caps them.
//!
//! Owns the sets and their order. Never looks at a path in the file system or at a tool's name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One kind of effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// See names of files.
    List,
    /// See contents of files.
    Read,
    /// Propose changes to files.
    Write,
    /// Propose the removal of files.
    Delete,
    /// Run commands.
    Execute,
    /// Reach the network.
    Network,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 6] =
        [Self::List, Self::Read, Self::Write, Self::Delete, Self::Execute, Self::Network];

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The lowercase name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Execute => "execute",
            Self::Network => "network",
        }
    }
}

/// A set of capabilities.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Capability>", into = "Vec<Capability>")]
pub struct ToolScope(u8);

use Capability as C;

impl ToolScope {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Names only.
    pub const DISCOVERY: Self = Self(C::List.bit());
    /// Names and contents.
    pub const READ_ONLY: Self = Self(Self::DISCOVERY.0 | C::Read.bit());
    /// Reading, and commands judged one by one.
    pub const EXECUTE: Self = Self(Self::READ_ONLY.0 | C::Execute.bit());
    /// Reading and proposing changes.
    pub const WORKSPACE: Self = Self(Self::READ_ONLY.0 | C::Write.bit());
    /// Workspace and commands.
    pub const SHELL: Self = Self(Self::WORKSPACE.0 | C::Execute.bit());
    /// Shell and removal.
    pub const DELETE: Self = Self(Self::SHELL.0 | C::Delete.bit());
    /// Everything.
    pub const FULL: Self = Self(Self::DELETE.0 | C::Network.bit());

    /// Whether `capability` is in the set.
    pub const fn allows(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }

    /// Whether every capability of `other` is in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What either set has.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What this set has and the other has not.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The capabilities, in order.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        C::ALL.into_iter().filter(move |c| self.allows(*c))
    }
}

impl From<Vec<Capability>> for ToolScope {
    fn from(list: Vec<Capability>) -> Self {
        Self(list.into_iter().fold(0, |bits, c| bits | c.bit()))
    }
}

impl From<ToolScope> for Vec<Capability> {
    fn from(scope: ToolScope) -> Self {
        scope.iter().collect()
    }
}

impl fmt::Debug for ToolScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Capability::name)).finish()
    }
}

/// How much asking a node needs before its effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// None.
    #[default]
    None,
    /// A plain yes.
    Confirm,
    /// A typed word.
    Explicit,
}

/// The user's ceiling over everything that a turn may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Plans may be made, nothing is changed or run.
    ReadOnly,
    /// Every change asks.
    #[default]
    Ask,
    /// Changes are applied and recorded; deletes and high risk still ask.
    Auto,
}

impl PermissionMode {
    /// The widest scope under this mode.
    pub const fn ceiling(self) -> ToolScope {
        match self {
            Self::ReadOnly => ToolScope::READ_ONLY,
            Self::Ask | Self::Auto => ToolScope::FULL,
        }
    }

    /// The badge in the status line.
    pub const fn badge(self) -> &'static str {
        match self {
            Self::ReadOnly => "ro",
            Self::Ask => "ask",
            Self::Auto => "auto",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rungs_are_cumulative() {
        let rungs = [
            ToolScope::NONE,
            ToolScope::DISCOVERY,
            ToolScope::READ_ONLY,
            ToolScope::WORKSPACE,
            ToolScope::SHELL,
            ToolScope::FULL,
        ];
        for pair in rungs.windows(2) {
            if let [a, b] = pair {
                assert!(b.contains(*a) && a != b);
            }
        }
    }
}
