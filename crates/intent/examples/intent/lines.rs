//! Labelled lines of the intent corpus: reading them, splitting them, judging an answer.

use pilothouse_intent::{IntentNode, Message, Phase, scope::ToolScope};
use serde::Deserialize;

/// One labelled line.
#[derive(Clone, Deserialize)]
pub struct Row {
    /// A name for people.
    #[serde(default)]
    pub id: String,
    /// The message.
    pub text: String,
    /// The last node of its path.
    pub leaf: String,
    /// Further leaves that are right.
    #[serde(default)]
    pub also: Vec<String>,
    /// A phase, or `paused`.
    pub phase: String,
    /// The turn.
    pub turn: String,
    /// Of a control turn.
    pub sub: Option<String>,
    /// Further turns that are right.
    #[serde(default)]
    pub also_turn: Vec<String>,
    /// `no_write` or `must_ask`.
    pub guard: Option<String>,
    /// Anything else that is known of it.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The round of writing.
    #[serde(default)]
    pub batch: String,
}

impl Row {
    /// The message as the classifier gets it.
    pub fn message(&self) -> Message<'_> {
        let phase =
            Phase::ALL.into_iter().find(|p| p.name() == self.phase).unwrap_or(Phase::AwaitingApproval);
        Message {
            text: &self.text,
            phase,
            paused: self.phase == "paused",
            plan_active: self.phase != "idle",
            ..Message::default()
        }
    }

    /// Whether a leaf is right.
    pub fn leaf_right(&self, leaf: &str) -> bool {
        self.leaf == leaf || self.also.iter().any(|l| l == leaf)
    }

    /// Whether what a leaf lets a turn do is right; reading is open to all.
    pub fn scope_right(&self, leaf: IntentNode) -> bool {
        let scope = |name: &str| name.parse().map(|n: IntentNode| n.scope().or(ToolScope::READ_ONLY));
        self.leaf_right(leaf.name())
            || std::iter::once(&self.leaf).chain(&self.also).any(|l| scope(l) == scope(leaf.name()))
    }

    /// Whether a turn is right.
    pub fn turn_right(&self, turn: &str, sub: Option<&str>) -> bool {
        if self.turn == turn {
            return turn != "control" || self.sub.as_deref() == sub;
        }
        self.also_turn.iter().any(|t| {
            *t == turn || t.strip_prefix("control.").is_some_and(|s| turn == "control" && Some(s) == sub)
        })
    }

    /// The message only asks.
    pub fn only_asks(&self) -> bool {
        self.guard.as_deref() == Some("no_write")
    }

    /// The message forbids changes in words.
    pub fn forbids(&self) -> bool {
        self.tags.iter().any(|t| t == "forbid")
    }
}

/// Leaves that act.
pub fn acts(leaf: &str) -> bool {
    matches!(leaf, "create" | "modify" | "delete" | "execute" | "write")
}

/// The lines of a file.
pub fn read(path: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).expect("a labelled line"))
        .collect()
}

/// A hash that stays the same for ever.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// One line in ten is for testing.
pub fn is_test(text: &str) -> bool {
    hash(text) >> 40 & 0xff < 26
}

/// Any message, to have the tables loaded.
pub fn load() -> Message<'static> {
    Message { text: "load the tables", ..Message::default() }
}
