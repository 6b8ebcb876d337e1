//! Permission rules: which commands, paths, tools and hosts are denied, asked about or allowed.
//!
//! Owns the rules and their weighing: deny beats ask beats allow, in every mode and for every tool; high risk and
//! removals are never allowed by a rule, and what cannot be read with certainty neither. Never reads a file (the
//! runtime does), never asks anybody, and is consulted in one place: the session's gate.

mod always;
mod decide;
mod decision;
mod fault;
mod glob;
mod held;
mod manner;
mod offer;
mod preview;
mod rehearse;
mod request;
mod reserved;
mod rule;
mod why;
mod words;

pub use decision::{Conditions, Decision, DecisionReason, Outcome, Ruling, Setting};
pub use fault::Fault;
pub use glob::Places;
pub use held::{Held, PathRules};
pub use manner::{By, Manner};
pub use preview::Example;
pub use rehearse::{Found, Past, Rehearsal};
pub use request::Request;
pub use reserved::OF_SYSTEM;
pub use rule::{About, Effect, KINDS, Origin, Rule, Source};
pub use why::Why;

/// All rules that are in force for a workspace, in the order in which they are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<Rule>,
    places: Places,
    exposed: Option<String>,
}

impl Policy {
    /// These rules, for a workspace and home at these places.
    pub fn new(rules: Vec<Rule>, places: Places) -> Self {
        let exposed = places.exposed();
        Self { rules, places, exposed }
    }

    /// Why the workspace is none for work unasked, if it is.
    pub fn exposed(&self) -> Option<&str> {
        self.exposed.as_deref()
    }

    /// Why a path is reserved, if it is, in a workspace that holds such places.
    pub fn reserved(&self, path: &str) -> Option<&'static str> {
        self.exposed().and_then(|_| self.places.reserved(path))
    }

    /// Every rule.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Where the workspace and the home folder are.
    pub const fn places(&self) -> &Places {
        &self.places
    }
}
