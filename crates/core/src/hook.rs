//! Hooks: programs of the user's, or of a trusted project's, that run when something happens.
//!
//! Owns on what occasion a hook is called and whether it is. Never runs one, and never knows its
//! command line: a hook changes nothing here but by refusing.

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    ids::{ApplyId, CallId, LaneId, Seq},
    intent::IntentNode,
};

/// A hook as the session knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// The hash of its whole definition.
    pub id: BlobId,
    /// What people know it by: the beginning of its command line.
    pub name: String,
    /// When it is called.
    pub on: Occasion,
    /// Only for transitions out of this node or of one below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<IntentNode>,
    /// Only for transitions to this node or into the branch below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<IntentNode>,
    /// Only after this outcome.
    #[serde(default)]
    pub when: When,
    /// What its end means.
    pub way: HookMode,
    /// Whose it is.
    pub origin: Origin,
}

/// Whose a hook is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user's own.
    User,
    /// The project's: only while the folder is trusted.
    Project,
}

/// What the end of a hook means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookMode {
    /// What it was called for waits for it, and does not happen when it fails.
    Blocks,
    /// It is waited for before the session is at rest, and shown.
    Shown,
    /// Nothing waits for it.
    Background,
}

/// After which outcome a hook is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// After any.
    #[default]
    Always,
    /// Only when it went well.
    Success,
    /// Only when it did not.
    Failure,
}

/// Makes the occasions of a row each, with the name that a hooks file has after `on_`.
macro_rules! occasions {
    ($($(#[$doc:meta])* $on:ident $name:literal;)+) => {
        /// When a hook is called.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Occasion { $($(#[$doc])* $on,)+ }

        impl Occasion {
            /// Every occasion.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$on),+];

            /// The name as a hooks file has it, after `on_`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$on => $name,)+ }
            }
        }
    };
}

occasions! {
    /// A session is opened, or opened again.
    Session "session";
    /// The user said something.
    Turn "turn";
    /// The message got its path.
    IntentClassified "intent_classified";
    /// A lane's live node changes.
    NodeTransition "node_transition";
    /// A task begins.
    TaskStart "task_start";
    /// A task ended.
    TaskEnd "task_end";
    /// A gate begins.
    GateStart "gate_start";
    /// A gate ended.
    GateEnd "gate_end";
    /// A command is about to run.
    Command "command";
    /// A command ended.
    CommandEnd "command_end";
    /// A change is proposed.
    Proposal "proposal";
    /// Approved changes are about to be written.
    Apply "apply";
    /// Approved changes were written, or could not be.
    ApplyEnd "apply_end";
    /// The user is asked.
    Checkpoint "checkpoint";
    /// A run begins.
    RunStart "run_start";
    /// A run ended.
    RunEnd "run_end";
}

impl Occasion {
    /// Whether what it stands for can still be kept from happening.
    pub const fn can_block(self) -> bool {
        matches!(self, Self::NodeTransition | Self::Command | Self::Apply)
    }

    /// Whether it has an outcome, so that `when` means something.
    pub const fn ends(self) -> bool {
        matches!(self, Self::TaskEnd | Self::GateEnd | Self::CommandEnd | Self::ApplyEnd | Self::RunEnd)
    }
}

impl Hook {
    /// Whether it is called on this occasion, after this outcome.
    pub fn is_called(&self, on: Occasion, well: bool) -> bool {
        let wanted = match self.when {
            When::Always => true,
            When::Success => well,
            When::Failure => !well,
        };
        self.on == on && wanted
    }

    /// Whether it is called for this transition: it leaves the branch of `from` and enters that of
    /// `to`, or goes exactly from the one to the other.
    pub fn watches(&self, from: IntentNode, to: IntentNode) -> bool {
        let leaves = |name: IntentNode| name == from || (within(from, name) && !within(to, name));
        let enters = |name: IntentNode| name == to || (within(to, name) && !within(from, name));
        self.on == Occasion::NodeTransition && self.from.is_none_or(leaves) && self.to.is_none_or(enters)
    }
}

/// Whether `node` is `branch` or stands below it.
fn within(node: IntentNode, branch: IntentNode) -> bool {
    let up = std::iter::successors(Some(node), |n| n.parent());
    up.into_iter().any(|n| n == branch)
}

/// A hook that was called and has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRun {
    /// The hook.
    pub hook: Hook,
    /// The event that it was called for.
    pub of: Seq,
    /// What waits for it.
    pub holds: Option<Hold>,
}

/// What waits for a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// A lane's next node.
    Move(LaneId),
    /// A command.
    Call(CallId),
    /// A write.
    Apply(ApplyId),
}

/// How a hook ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookStatus {
    /// Exit code 0.
    Passed,
    /// Another exit code, or a signal.
    Failed,
    /// It ran into its time limit and was stopped.
    TimedOut,
    /// It could not be run at all.
    Unable,
    /// It was stopped, because nothing waits for it any more.
    Stopped,
}

/// What a hook that ended has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookOutcome {
    /// How it ended.
    pub status: HookStatus,
    /// In one line, for people.
    pub summary: String,
    /// What it wrote.
    pub output: String,
    /// How long it ran.
    pub took: crate::ids::Millis,
}

#[cfg(test)]
mod tests {
    use super::*;
    use IntentNode as N;

    fn hook(from: Option<N>, to: Option<N>) -> Hook {
        let id = BlobId::of(b"x");
        let (when, way, origin) = (When::Always, HookMode::Blocks, Origin::User);
        Hook { id, name: "x".into(), on: Occasion::NodeTransition, from, to, when, way, origin }
    }

    #[test]
    fn a_branch_is_left_and_entered_whatever_node_of_it_is_live() {
        let plan_to_act = hook(Some(N::Plan), Some(N::Act));
        for from in [N::Plan, N::Design, N::Decompose] {
            for to in [N::Act, N::Read, N::Modify] {
                assert!(plan_to_act.watches(from, to), "{from} {to}");
            }
        }
        for (from, to) in [(N::Act, N::Modify), (N::Plan, N::Design), (N::Conversation, N::Act)] {
            assert!(!plan_to_act.watches(from, to), "{from} {to}");
        }
        let write = hook(None, Some(N::Write));
        assert!(write.watches(N::Act, N::Modify) && write.watches(N::Read, N::Create));
        assert!(!write.watches(N::Modify, N::Create) && !write.watches(N::Modify, N::Act));
        let exact = hook(Some(N::Modify), Some(N::Delete));
        assert!(exact.watches(N::Modify, N::Delete) && !exact.watches(N::Create, N::Delete));
        assert!(hook(None, None).watches(N::Conversation, N::Read));
    }

    #[test]
    fn every_occasion_has_a_name_of_its_own_and_stands_in_the_guide() {
        let names: std::collections::BTreeSet<_> = Occasion::ALL.iter().map(|o| o.name()).collect();
        assert_eq!(names.len(), Occasion::ALL.len());
        let guide = include_str!("../../../docs/extending.md");
        for name in names {
            assert!(guide.contains(&format!("`on_{name}`")), "on_{name}");
        }
    }
}
