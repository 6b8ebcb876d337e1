//! The seventeen nodes of the intent DAG and their children.
//!
//! Owns the shape of the graph. Never knows about messages or tools.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::scope::{Approval, ToolScope};

/// A node of the intent DAG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntentNode {
    /// The root: talk, control, approvals.
    Conversation,
    /// Knowledge is wanted; nothing is looked up by tools unless asked for.
    Understand,
    /// The message is too vague or asks what was meant.
    Clarify,
    /// What, how or why of a thing.
    Explain,
    /// Something that exists is to be looked into.
    Analyze,
    /// A judgement on something that exists.
    Review,
    /// A cause, a trace, a verification, an impact.
    Audit,
    /// Thinking ahead.
    Plan,
    /// An approach or a choice.
    Design,
    /// Steps, order, estimate.
    Decompose,
    /// Tools are needed.
    Act,
    /// Find, list, show.
    Read,
    /// Run something.
    Execute,
    /// Change files.
    Write,
    /// A new file.
    Create,
    /// An edit inside existing files.
    Modify,
    /// Whole things removed.
    Delete,
}

use IntentNode as N;

impl IntentNode {
    /// Every node, parents before children.
    pub const ALL: [Self; 17] = [
        N::Conversation,
        N::Understand,
        N::Clarify,
        N::Explain,
        N::Analyze,
        N::Review,
        N::Audit,
        N::Plan,
        N::Design,
        N::Decompose,
        N::Act,
        N::Read,
        N::Execute,
        N::Write,
        N::Create,
        N::Modify,
        N::Delete,
    ];

    /// Valid next nodes below this one; empty for a leaf.
    pub const fn children(self) -> &'static [Self] {
        match self {
            N::Conversation => &[N::Understand, N::Analyze, N::Plan, N::Act],
            N::Understand => &[N::Clarify, N::Explain],
            N::Analyze => &[N::Review, N::Audit],
            N::Plan => &[N::Design, N::Decompose],
            N::Act => &[N::Read, N::Execute, N::Write],
            N::Write => &[N::Create, N::Modify, N::Delete],
            N::Clarify
            | N::Explain
            | N::Review
            | N::Audit
            | N::Design
            | N::Decompose
            | N::Read
            | N::Execute
            | N::Create
            | N::Modify
            | N::Delete => &[],
        }
    }

    /// The node above; `None` for the root.
    pub const fn parent(self) -> Option<Self> {
        match self {
            N::Conversation => None,
            N::Understand | N::Analyze | N::Plan | N::Act => Some(N::Conversation),
            N::Clarify | N::Explain => Some(N::Understand),
            N::Review | N::Audit => Some(N::Analyze),
            N::Design | N::Decompose => Some(N::Plan),
            N::Read | N::Execute | N::Write => Some(N::Act),
            N::Create | N::Modify | N::Delete => Some(N::Write),
        }
    }

    /// What a turn at this node may do by itself.
    pub const fn scope(self) -> ToolScope {
        match self {
            N::Conversation | N::Understand | N::Clarify | N::Explain => ToolScope::NONE,
            N::Analyze | N::Review | N::Audit | N::Plan | N::Design | N::Decompose | N::Act | N::Read => {
                ToolScope::READ_ONLY
            }
            N::Execute => ToolScope::EXECUTE,
            N::Write | N::Create | N::Modify => ToolScope::SHELL,
            N::Delete => ToolScope::DELETE,
        }
    }

    /// The approval that reaching this node needs.
    pub const fn approval(self) -> Approval {
        match self {
            N::Write | N::Create | N::Modify => Approval::Confirm,
            N::Delete => Approval::Explicit,
            N::Conversation
            | N::Understand
            | N::Clarify
            | N::Explain
            | N::Analyze
            | N::Review
            | N::Audit
            | N::Plan
            | N::Design
            | N::Decompose
            | N::Act
            | N::Read
            | N::Execute => Approval::None,
        }
    }

    /// Whether going from this node to `to` needs an answered checkpoint (T-05).
    pub const fn needs_checkpoint(self, to: Self) -> bool {
        let writes = matches!(to, N::Write | N::Create | N::Modify | N::Delete);
        match self {
            N::Write | N::Create | N::Modify => matches!(to, N::Delete),
            N::Delete => false,
            N::Conversation
            | N::Understand
            | N::Clarify
            | N::Explain
            | N::Analyze
            | N::Review
            | N::Audit
            | N::Plan
            | N::Design
            | N::Decompose
            | N::Act
            | N::Read
            | N::Execute => writes,
        }
    }

    /// The lowercase name, as in `@explain`.
    pub const fn name(self) -> &'static str {
        match self {
            N::Conversation => "conversation",
            N::Understand => "understand",
            N::Clarify => "clarify",
            N::Explain => "explain",
            N::Analyze => "analyze",
            N::Review => "review",
            N::Audit => "audit",
            N::Plan => "plan",
            N::Design => "design",
            N::Decompose => "decompose",
            N::Act => "act",
            N::Read => "read",
            N::Execute => "execute",
            N::Write => "write",
            N::Create => "create",
            N::Modify => "modify",
            N::Delete => "delete",
        }
    }

    /// The name as the breadcrumb shows it.
    pub const fn title(self) -> &'static str {
        match self {
            N::Conversation => "Conversation",
            N::Understand => "Understand",
            N::Clarify => "Clarify",
            N::Explain => "Explain",
            N::Analyze => "Analyze",
            N::Review => "Review",
            N::Audit => "Audit",
            N::Plan => "Plan",
            N::Design => "Design",
            N::Decompose => "Decompose",
            N::Act => "Act",
            N::Read => "Read",
            N::Execute => "Execute",
            N::Write => "Write",
            N::Create => "Create",
            N::Modify => "Modify",
            N::Delete => "Delete",
        }
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
