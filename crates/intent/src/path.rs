//! Paths through the intent DAG; only valid ones can be made.
//!
//! Owns validity, depth and retreat. Never knows who asked.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::IntentNode;
use crate::scope::{Approval, ToolScope};

/// A walk from the root to a node, each step parent to child.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<IntentNode>", into = "Vec<IntentNode>")]
pub struct IntentPath(Vec<IntentNode>);

/// The nodes do not form a walk from the root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a path of the intent DAG: {0:?}")]
pub struct InvalidPath(pub Vec<IntentNode>);

impl IntentPath {
    /// The path that is only the root.
    pub fn root() -> Self {
        Self(vec![IntentNode::Conversation])
    }

    /// The one path from the root to `node`.
    pub fn to(node: IntentNode) -> Self {
        let mut nodes = vec![node];
        let mut at = node;
        while let Some(parent) = at.parent() {
            nodes.push(parent);
            at = parent;
        }
        nodes.reverse();
        Self(nodes)
    }

    /// Checks a list of nodes.
    ///
    /// # Errors
    /// When the list is empty, does not start at the root, or has a step that is no edge.
    pub fn try_new(nodes: Vec<IntentNode>) -> Result<Self, InvalidPath> {
        let starts = nodes.first() == Some(&IntentNode::Conversation);
        let walks = nodes.iter().zip(nodes.iter().skip(1)).all(|(a, b)| b.parent() == Some(*a));
        if starts && walks { Ok(Self(nodes)) } else { Err(InvalidPath(nodes)) }
    }

    /// The nodes, root first; never empty.
    pub fn nodes(&self) -> &[IntentNode] {
        &self.0
    }

    /// Steps below the root: 0 for the root, 3 for delete.
    pub fn depth(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The last node.
    pub fn current(&self) -> IntentNode {
        self.0.last().copied().unwrap_or(IntentNode::Conversation)
    }

    /// What the last node may do by itself.
    pub fn scope(&self) -> ToolScope {
        self.current().scope()
    }

    /// The approval that the last node needs.
    pub fn approval(&self) -> Approval {
        self.current().approval()
    }

    /// The path one step up; the root stays the root.
    #[must_use]
    pub fn up(&self) -> Self {
        self.current().parent().map_or_else(Self::root, Self::to)
    }

    /// The nearest ancestor that needs no approval: where a refused path falls back to.
    #[must_use]
    pub fn retreat(&self) -> Self {
        let mut at = self.up();
        while at.approval() != Approval::None {
            at = at.up();
        }
        at
    }
}

impl TryFrom<Vec<IntentNode>> for IntentPath {
    type Error = InvalidPath;

    fn try_from(nodes: Vec<IntentNode>) -> Result<Self, Self::Error> {
        Self::try_new(nodes)
    }
}

impl From<IntentPath> for Vec<IntentNode> {
    fn from(path: IntentPath) -> Self {
        path.0
    }
}

impl From<IntentNode> for IntentPath {
    fn from(node: IntentNode) -> Self {
        Self::to(node)
    }
}

impl fmt::Display for IntentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, node) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(" → ")?;
            }
            f.write_str(node.title())?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use IntentNode as N;
    use proptest::prelude::*;

    #[test]
    fn depths_and_children_are_those_of_the_table() {
        let depth = |n| IntentPath::to(n).depth();
        assert_eq!(depth(N::Conversation), 0);
        for n in [N::Understand, N::Analyze, N::Plan, N::Act] {
            assert_eq!(depth(n), 1);
        }
        for n in [N::Explain, N::Review, N::Design, N::Read, N::Execute, N::Write] {
            assert_eq!(depth(n), 2);
        }
        for n in [N::Create, N::Modify, N::Delete] {
            assert_eq!(depth(n), 3);
        }
        let leaves = N::ALL.iter().filter(|n| n.children().next().is_none()).count();
        assert_eq!(leaves, 11);
    }

    #[test]
    fn invalid_walks_are_rejected() {
        for bad in [vec![], vec![N::Act, N::Write], vec![N::Conversation, N::Understand, N::Write]] {
            assert!(IntentPath::try_new(bad).is_err());
        }
    }

    #[test]
    fn retreat_from_a_write_is_act() {
        for n in [N::Write, N::Create, N::Modify, N::Delete] {
            assert_eq!(IntentPath::to(n).retreat(), IntentPath::to(N::Act));
        }
    }

    proptest! {
        #[test]
        fn a_walk_is_valid_exactly_when_each_step_is_an_edge(ix in prop::collection::vec(0usize..17, 0..5)) {
            let nodes: Vec<N> = ix.iter().map(|i| N::ALL[*i]).collect();
            let expected = nodes.first() == Some(&N::Conversation)
                && nodes.windows(2).all(|w| w[1].parent() == Some(w[0]));
            prop_assert_eq!(IntentPath::try_new(nodes).is_ok(), expected);
        }
    }
}
