//! Trust: whether what a project brings along has effect here.
//!
//! Owns the vocabulary. Never looks at a file: what the folder holds is told by whoever opens it.

use serde::{Deserialize, Serialize};

use crate::{blob::BlobId, hook::Hook};

/// The file of the variables that commands get of a project.
pub const VARIABLES: &str = ".env";

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

/// How far the folder is trusted, and what it brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How far.
    pub trust: Trust,
    /// The hash over everything in the folder that would take effect.
    pub of: BlobId,
    /// What that is.
    pub parts: Vec<Part>,
    /// The same with every line of it, for reading before an answer.
    pub sheet: String,
    /// Whether the user is to be asked.
    pub asks: bool,
    /// The hooks in force: the user's, and the project's where it is trusted.
    pub hooks: Vec<Hook>,
    /// Names of the variables that its commands get from it; none unless it is trusted.
    pub gives: Vec<String>,
    /// Names of those that they would get from it, were it trusted; none where it is.
    pub withholds: Vec<String>,
    /// Lines of the project's own checks that the question named when it was trusted; none unless it is.
    pub checks: Vec<String>,
    /// Why what was wanted could not be done.
    pub fault: Option<String>,
}

impl Default for Standing {
    /// A folder that nobody has trusted and that brings nothing.
    fn default() -> Self {
        Self {
            trust: Trust::None,
            of: BlobId::of(b""),
            parts: Vec::new(),
            sheet: String::new(),
            asks: false,
            hooks: Vec::new(),
            gives: Vec::new(),
            withholds: Vec::new(),
            checks: Vec::new(),
            fault: None,
        }
    }
}

impl Standing {
    /// The same where nothing of it is in force and nobody is asked, and why.
    #[must_use]
    pub fn off(self, fault: String) -> Self {
        let (gives, checks) = (Vec::new(), Vec::new());
        Self { trust: Trust::None, asks: false, gives, checks, fault: Some(fault), ..self }
    }
}

/// Variables that commands get from a trusted project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Their names.
    pub names: Vec<String>,
    /// The hash over everything that the project brings, their values among it.
    pub of: BlobId,
}

impl Given {
    /// What is given under these names; nothing when there are none.
    pub fn of(names: &[String], of: BlobId) -> Option<Self> {
        (!names.is_empty()).then(|| Self { names: names.to_owned(), of })
    }
}

/// One thing that a project brings and that would take effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Where it stands in the folder.
    pub path: String,
    /// What it would do, a line each, the first few.
    pub would: Vec<String>,
    /// How it differs from what was trusted before.
    pub change: PartChange,
}

/// How a part differs from what was trusted before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartChange {
    /// It was not there.
    New,
    /// It was another.
    Changed,
    /// It is as it was.
    Same,
    /// It is not there any more.
    Gone,
}

/// What the user wants of the folder's trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustRequest {
    /// To be asked about what it brings now.
    Look,
    /// To trust exactly this.
    Keep(BlobId),
    /// To leave exactly this without effect, and not to be asked about it again.
    Decline(BlobId),
    /// To trust nothing of it any more.
    Revoke,
}
