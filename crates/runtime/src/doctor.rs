//! What the program finds where it is started: settings, model, folder, sandbox.
//!
//! Owns the checks and their words. Never changes anything and asks no network.

use std::path::Path;

use pilothouse_core::redact::Redactor;
use pilothouse_model::embed;
use serde::Serialize;

use crate::{
    config::{Config, Vectors, origin},
    driver::{Setup, fence, killed, torn},
    hooks, own, permissions, surroundings,
};

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What: `config`, `files`, `model`, `embedder`, `folder`, `git`, `writes`, `sandbox`.
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
    let there = if file.exists() { "" } else { " (missing: the defaults apply)" };
    let model = config.voice.name();
    let connect = "name a model: `/model PRESET:NAME` in a session, such as openai:NAME; or PILOTHOUSE_BASE_URL, PILOTHOUSE_MODEL, \
                   PILOTHOUSE_API_KEY, or config.toml";
    let own = origin::of_user(&setup.home);
    let from = origin::model_from(&setup.home, &own, &setup.environment);
    let no_model = config.voice.is_offline().then(|| connect.to_owned());
    let model_notes = std::iter::once(from).chain(no_model).collect();
    let folder = setup.workspace.canonicalize().unwrap_or_else(|_| setup.workspace.clone());
    let fence = fence(setup, &config, &folder, None);
    let sandbox = fence.found();
    let held = sandbox.held().unwrap_or_else(|| "none: every command asks".to_owned());
    vec![
        check("config", true, format!("{}{there}", file.display()), config.notices.clone()),
        files(setup, &folder),
        check("model", true, model, model_notes),
        embedder(&config),
        place(setup, &folder),
        repository(&folder),
        writes(setup, &folder, &config.secrets),
        check("sandbox", sandbox.backend.is_some(), held, sandbox.notes.clone()),
    ]
}

/// Whether the folder is one, and one for work unasked.
fn place(setup: &Setup, folder: &Path) -> Check {
    let exposed = permissions::places(&setup.home, folder, &setup.environment).exposed();
    let advice =
        "every change and every command that may write asks here, in every mode; open a narrower folder";
    let mut notes = exposed.map(|why| vec![why, advice.to_owned()]).unwrap_or_default();
    let held = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).err();
    notes.extend(held.map(|e| format!("nothing can be written there: {}", std::io::Error::from(e))));
    let found = folder.display().to_string();
    Check { check: "folder", ok: folder.is_dir() && notes.is_empty(), found, notes }
}

/// Whether git works in the folder.
fn repository(folder: &Path) -> Check {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let branch = runtime.map(|runtime| runtime.block_on(surroundings::branch(folder))).unwrap_or_default();
    let found = match (&branch.refused, branch.name) {
        (Some(_), _) => "it refuses this folder".to_owned(),
        (None, Some(name)) => format!("branch {name}"),
        (None, None) => "no repository, or no git".to_owned(),
    };
    Check { check: "git", ok: branch.refused.is_none(), found, notes: branch.refused.into_iter().collect() }
}

/// Whether every write of files in the folder came to its end, and every command.
fn writes(setup: &Setup, folder: &Path, secrets: &Redactor) -> Check {
    let (torn, killed) = (torn(setup, folder), killed(setup, folder));
    let of = |(slug, files): &(String, String)| format!("session {slug} ended while writing {files}");
    let ran = |(slug, line): &(String, String)| {
        format!(
            "session {slug} ended while `{}` was running; what it changed is still there",
            secrets.mask(line)
        )
    };
    let found: Vec<String> = torn.iter().map(of).chain(killed.iter().map(ran)).collect();
    let write = "the next session opened in this folder finishes it, or restores what was there";
    let command = "`pilothouse undo` takes back what the command changed, as `/undo` does in that session";
    let notes = [(torn.is_empty(), write), (killed.is_empty(), command)].into_iter();
    let notes: Vec<String> = notes.filter(|(none, _)| !none).map(|(_, note)| note.to_owned()).collect();
    let ok = found.is_empty();
    let found = if ok { "all ended properly".to_owned() } else { found.join("; ") };
    Check { check: "writes", ok, found, notes }
}

/// Whether the user's own files beside `config.toml` can be used.
fn files(setup: &Setup, folder: &Path) -> Check {
    let rules = permissions::load(&setup.home, folder, &setup.environment).err();
    let hooks = hooks::of_user(&setup.home).err();
    let keymap = own::text(&setup.home.config.join("keymap.toml")).err();
    let faults: Vec<_> = [rules, hooks, keymap].into_iter().flatten().collect();
    let found = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let found =
        if faults.is_empty() { "hooks, permissions and keymap can be used".to_owned() } else { found };
    let notes = faults.iter().map(crate::RuntimeError::hint).collect();
    Check { check: "files", ok: faults.is_empty(), found, notes }
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
