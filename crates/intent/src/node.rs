//! The seventeen nodes of the intent DAG: the one table of what each is.
//!
//! Owns the shape of the graph. Never knows about messages or tools.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::scope::{Approval, ToolScope};

/// Makes the nodes of a row each: the name, the node above, what a turn may do there, what reaching it needs.
macro_rules! nodes {
    ($($(#[$doc:meta])* $node:ident $name:literal: $parent:expr, $scope:ident, $approval:ident;)+) => {
        /// A node of the intent DAG.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum IntentNode { $($(#[$doc])* $node,)+ }

        impl IntentNode {
            /// Every node, parents before children.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$node),+];

            /// The node above; `None` for the root.
            pub const fn parent(self) -> Option<Self> {
                match self { $(Self::$node => $parent,)+ }
            }

            /// What a turn at this node may do by itself.
            pub const fn scope(self) -> ToolScope {
                match self { $(Self::$node => ToolScope::$scope,)+ }
            }

            /// The approval that reaching this node needs.
            pub const fn approval(self) -> Approval {
                match self { $(Self::$node => Approval::$approval,)+ }
            }

            /// The lowercase name, as in `@explain`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$node => $name,)+ }
            }

            /// The name as the breadcrumb shows it.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$node => stringify!($node),)+ }
            }
        }
    };
}

use IntentNode as N;

nodes! {
    /// The root: talk, control, approvals.
    Conversation "conversation": None, NONE, None;
    /// Knowledge is wanted; nothing is looked up by tools unless asked for.
    Understand "understand": Some(N::Conversation), NONE, None;
    /// The message is too vague or asks what was meant.
    Clarify "clarify": Some(N::Understand), NONE, None;
    /// What, how or why of a thing.
    Explain "explain": Some(N::Understand), NONE, None;
    /// Something that exists is to be looked into.
    Analyze "analyze": Some(N::Conversation), READ_ONLY, None;
    /// A judgement on something that exists.
    Review "review": Some(N::Analyze), READ_ONLY, None;
    /// A cause, a trace, a verification, an impact.
    Audit "audit": Some(N::Analyze), READ_ONLY, None;
    /// Thinking ahead.
    Plan "plan": Some(N::Conversation), READ_ONLY, None;
    /// An approach or a choice.
    Design "design": Some(N::Plan), READ_ONLY, None;
    /// Steps, order, estimate.
    Decompose "decompose": Some(N::Plan), READ_ONLY, None;
    /// Tools are needed.
    Act "act": Some(N::Conversation), READ_ONLY, None;
    /// Find, list, show.
    Read "read": Some(N::Act), READ_ONLY, None;
    /// Run something.
    Execute "execute": Some(N::Act), EXECUTE, None;
    /// Change files.
    Write "write": Some(N::Act), SHELL, Confirm;
    /// A new file.
    Create "create": Some(N::Write), SHELL, Confirm;
    /// An edit inside existing files.
    Modify "modify": Some(N::Write), SHELL, Confirm;
    /// Whole things removed.
    Delete "delete": Some(N::Write), DELETE, Explicit;
}

impl IntentNode {
    /// Valid next nodes below this one; none for a leaf.
    pub fn children(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |n| n.parent() == Some(self))
    }

    /// Whether going from this node to `to` needs an answered checkpoint (T-05): more than was approved so far.
    pub fn needs_checkpoint(self, to: Self) -> bool {
        to.approval() > self.approval()
    }
}

impl fmt::Display for IntentNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no node of the intent DAG.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no intent node is called {0:?}")]
pub struct UnknownNode(pub String);

impl FromStr for IntentNode {
    type Err = UnknownNode;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|n| n.name().eq_ignore_ascii_case(s))
            .ok_or_else(|| UnknownNode(s.to_owned()))
    }
}
