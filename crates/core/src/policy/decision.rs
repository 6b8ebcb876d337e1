//! What a decision is made from and what comes of it.
//!
//! Owns the vocabulary: conditions, setting, outcome, ruling, reason. Never weighs a rule.

use serde::{Deserialize, Serialize};

use super::rule::Rule;
use crate::{sandbox::Confine, scope::PermissionMode, shell::Risk};

/// What the session knows of the place it works in. Commands of low risk run without a question in a sandbox; the
/// built-in rules allow something only where the folder is trusted as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The user trusts the folder.
    #[serde(default)]
    pub trusted: bool,
    /// Commands run in a sandbox.
    #[serde(default)]
    pub sandboxed: bool,
    /// The user's settings open the network to every command.
    #[serde(default)]
    pub network: bool,
    /// The sandbox does not hold modes, owners, times and attributes of files outside the workspace.
    #[serde(default)]
    pub metadata_open: bool,
}

impl Conditions {
    /// A trusted folder with a sandbox and no network.
    pub const CALM: Self = Self { trusted: true, sandboxed: true, network: false, metadata_open: false };

    /// Whether the folder is trusted and commands are held.
    pub const fn is_calm(self) -> bool {
        self.trusted && self.sandboxed
    }
}

/// What a decision depends on beside the rules.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The mode.
    pub mode: PermissionMode,
    /// The place.
    pub conditions: Conditions,
    /// What the user allowed for this session.
    pub granted: &'a [Rule],
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It goes on without a question.
    Run,
    /// The user is asked.
    Ask,
    /// It is refused.
    Refuse,
}

/// What decided, and where it stands: kept with what it decided about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// What happens.
    pub outcome: Outcome,
    /// The rule, or what holds where no rule does.
    pub by: String,
    /// Where the rule stands, as `file:line`; empty where no rule decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// The part of the request that decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
}

impl std::fmt::Display for Ruling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.at.is_empty() { f.write_str(&self.by) } else { write!(f, "{} ({})", self.by, self.at) }
    }
}

/// What a decision rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionReason {
    /// A rule.
    Rule,
    /// It is too long to be looked at as a whole.
    TooLong,
    /// Its risk is high.
    High,
    /// It deletes.
    Delete,
    /// The mode.
    Mode,
    /// It only reads, in a sandbox.
    Low,
    /// The line is the user's own.
    User,
    /// It is a gate, and the folder is not trusted.
    Untrusted,
    /// It asks to run outside the sandbox.
    Outside,
    /// There is no sandbox.
    Bare,
    /// It writes, and the sandbox does not hold metadata.
    Metadata,
    /// It asks for the network.
    Network,
    /// Something that the project brings would run in place of what it names.
    Brought,
    /// The path of the turn; no rule is about it.
    Scope,
    /// It touches a reserved place.
    Reserved,
}

/// A decision with what it rests on.
#[derive(Clone, Debug)]
pub struct Decision<'p> {
    /// What decided.
    pub ruling: Ruling,
    /// The rule, where one did.
    pub rule: Option<&'p Rule>,
    /// What it rests on.
    pub ground: DecisionReason,
    /// The risk, for a command.
    pub risk: Option<Risk>,
    /// Whether it deletes something.
    pub deletes: bool,
    /// How it runs, for a command.
    pub confine: Option<Confine>,
}

impl<'p> Decision<'p> {
    pub(super) fn by_rule(outcome: Outcome, rule: &'p Rule, part: &str) -> Self {
        let ruling =
            Ruling { outcome, by: rule.to_string(), at: rule.origin.to_string(), part: part.to_owned() };
        Self {
            ruling,
            rule: Some(rule),
            ground: DecisionReason::Rule,
            risk: None,
            deletes: false,
            confine: None,
        }
    }

    pub(super) fn without_rule(
        outcome: Outcome,
        ground: DecisionReason,
        by: impl Into<String>,
        part: &str,
    ) -> Self {
        let ruling = Ruling { outcome, by: by.into(), at: String::new(), part: part.to_owned() };
        Self { ruling, rule: None, ground, risk: None, deletes: false, confine: None }
    }
}
