//! `[gates]`: what a plan that brings no gates is held to.
//!
//! Owns its shape and layering. Never runs one.

use serde::Deserialize;

use super::layer::settings;

settings! {
    /// What one source says.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct GatesLayer {
        /// Whether the commands that are found are gates.
        pub found: Option<bool>,
        /// Commands in place of what is found.
        pub commands: Option<Vec<String>>,
    }
}

/// The gates of a plan that brings none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gates {
    /// Whether the commands that are found are gates.
    pub found: bool,
    /// Commands in place of what is found.
    pub commands: Vec<String>,
}

impl GatesLayer {
    /// What it comes to.
    pub(super) fn settled(self) -> Gates {
        let commands = self.commands.unwrap_or_default().into_iter().filter(|c| !c.trim().is_empty());
        Gates { found: self.found.unwrap_or(true), commands: commands.collect() }
    }

    /// What a project says over what the user says: it names its own or turns them off.
    pub(super) fn apply(self, gates: Gates) -> Gates {
        match (self.found, self.commands) {
            (Some(false), _) => Gates { found: false, commands: Vec::new() },
            (_, Some(commands)) => Self { found: self.found, commands: Some(commands) }.settled(),
            (Some(true) | None, None) => gates,
        }
    }
}
