//! Trust: whether what a project brings along has effect here.
//!
//! Owns the vocabulary. Never looks at a file: what the folder holds is told by whoever opens it.

use serde::{Deserialize, Serialize};

use crate::blob::BlobId;

/// Whether hooks, settings and programs that the project brings have effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// They are inert; gates ask in every mode.
    #[default]
    None,
    /// They have effect in this process only.
    Once,
    /// They have effect until they change.
    Kept,
}

impl Trust {
    /// Whether they have effect.
    pub const fn holds(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// How far the folder is trusted, and for what content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How far.
    pub trust: Trust,
    /// The hash over everything in the folder that would take effect.
    pub of: BlobId,
}

impl Default for Standing {
    /// A folder that nobody has trusted and that holds nothing of the kind.
    fn default() -> Self {
        Self { trust: Trust::None, of: BlobId::of(b"") }
    }
}
