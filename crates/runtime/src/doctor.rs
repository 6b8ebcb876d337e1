//! What the program finds where it is started: settings, model, folder, sandbox.
//!
//! Owns the checks and their words. Never changes anything and asks no network.

use pilothouse_model::embed;
use serde::Serialize;

use crate::{
    config::{Config, Vectors},
    driver::{Setup, fence},
};

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What: `config`, `model`, `embedder`, `folder`, `sandbox`.
    pub check: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found, in one line.
    pub found: String,
    /// What to know or to do about it, a sentence each.
    pub notes: Vec<String>,
}

/// Looks at everything.
pub fn checks(setup: &Setup) -> Vec<Check> {
    let file = setup.home.config.join("config.toml");
    let check = |check, ok, found: String, notes| Check { check, ok, found, notes };
    let config = Config::load(&setup.home, None, &setup.environment, setup.flags.clone());
    let config = match config {
        Ok(config) => config,
        Err(e) => return vec![check("config", false, e.to_string(), vec![e.hint()])],
    };
    let there = if file.exists() { "" } else { " (not there: the defaults hold)" };
    let model = config.voice.name();
    let connect = "name a model: PILOTHOUSE_BASE_URL, PILOTHOUSE_MODEL, PILOTHOUSE_API_KEY, or config.toml";
    let no_model = if config.voice.is_offline() { vec![connect.to_owned()] } else { Vec::new() };
    let folder = setup.workspace.canonicalize().unwrap_or_else(|_| setup.workspace.clone());
    let fence = fence(setup, &config, &folder, None);
    let sandbox = fence.found();
    let held = sandbox.held().unwrap_or_else(|| "none: every command asks".to_owned());
    vec![
        check("config", true, format!("{}{there}", file.display()), config.notices.clone()),
        check("model", true, model, no_model),
        embedder(&config),
        check("folder", folder.is_dir(), folder.display().to_string(), Vec::new()),
        check("sandbox", sandbox.backend.is_some(), held, sandbox.notes.clone()),
    ]
}

/// Whose vectors phrases are compared by; a model in a folder is loaded to see whether it can be.
fn embedder(config: &Config) -> Check {
    let place = &config.intent.embedder;
    let (ok, found, notes) = match place {
        Vectors::BuiltIn => (true, place.to_string(), Vec::new()),
        Vectors::Remote(_) => (true, format!("{place} (not asked here)"), Vec::new()),
        Vectors::Local(folder) => match embed::local(folder) {
            Ok(_) => (true, place.to_string(), Vec::new()),
            Err(fault) => {
                (false, fault.message, vec![fault.hint, "the built-in embedder is used".to_owned()])
            }
        },
    };
    Check { check: "embedder", ok, found, notes }
}
