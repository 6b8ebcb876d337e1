//! What a project may say about settings: what makes them narrower, and which commands prove its work.
//!
//! Owns its shape. A model, an endpoint, a key or a wider ceiling cannot be said here at all.

use std::path::Path;

use pilothouse_core::scope::PermissionMode;
use serde::Deserialize;

use super::{
    BudgetSetting, Config,
    gates::GatesLayer,
    plain::{hinted, plain},
    position,
};
use crate::error::RuntimeError;

/// The project's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectLayer {
    /// `[session]`.
    pub session: ProjectSession,
    /// `[gates]`; they run in the sandbox as every gate does.
    pub gates: GatesLayer,
}

/// What a project says about sessions in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectSession {
    /// The highest ceiling of a new session.
    pub permission: Option<PermissionMode>,
    /// The most messages that a model gets.
    pub history: Option<usize>,
    /// The most that a session may spend.
    pub budget: Option<BudgetSetting>,
}

impl ProjectLayer {
    /// Reads a file's text.
    ///
    /// # Errors
    /// With the file, line and column of what is wrong, and how to mend it.
    pub fn parse(file: &Path, text: &str) -> Result<Self, RuntimeError> {
        toml::from_str(text).map_err(|e| {
            let (line, column) = position(text, e.span());
            let message = plain(e.message());
            let hint = "a project can lower session.permission, session.history and session.budget and name its gates; models, endpoints and keys belong in the user's own configuration";
            RuntimeError::Config { file: file.to_owned(), line, column, hint: hinted(&message, hint), message }
        })
    }

    /// The settings with what the project narrows.
    #[must_use]
    pub fn narrow(self, config: Config) -> Config {
        let gates = self.gates.apply(config.gates);
        let permission = self.session.permission.map_or(config.permission, |p| p.min(config.permission));
        let history = self.session.history.map_or(config.history, |h| h.min(config.history));
        let budget = self.session.budget.map_or(config.budget, |b| b.lower(config.budget));
        Config { permission, history, gates, budget, ..config }
    }
}
