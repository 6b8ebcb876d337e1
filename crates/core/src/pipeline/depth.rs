//! How deep a pipeline goes, in numbers.

use serde::{Deserialize, Serialize};

/// How deep a pipeline goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// A look.
    Quick,
    /// The usual.
    #[default]
    Standard,
    /// Thoroughly.
    Deep,
}

/// What a depth comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthNumbers {
    /// Most questions that the one asked is taken apart into.
    pub queries: usize,
    /// Most passages for each.
    pub passages: usize,
    /// Most rounds of repair.
    pub repairs: u32,
    /// Most tokens of passages that a model is told.
    pub tokens: usize,
    /// Whether the web is asked, where there is a source for it.
    pub web: bool,
}

impl Depth {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Deep];

    /// What it comes to.
    pub const fn numbers(self) -> DepthNumbers {
        let (queries, passages, repairs, tokens, web) = match self {
            Self::Quick => (3, 10, 0, 4_000, false),
            Self::Standard => (8, 20, 2, 12_000, true),
            Self::Deep => (15, 30, 3, 24_000, true),
        };
        DepthNumbers { queries, passages, repairs, tokens, web }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Deep => "deep",
        }
    }

    /// The depth called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name() == name.trim().to_lowercase())
    }
}
