//! Permission rules on disk: those that come with the program, the user's, the project's.
//!
//! Owns finding and reading them and adding one to the user's file. Never weighs them: `pilothouse_core::policy` does.

mod file;
mod keep;
pub mod tell;

use std::path::{Path, PathBuf};

use pilothouse_core::policy::{Effect, Origin, Places, Policy, Rule, Source};
use pilothouse_tools::regular;

use crate::{
    error::RuntimeError,
    home::{Environment, Home},
    own,
};
pub use keep::keep;

/// The rules as they are shipped.
pub const DEFAULTS: &str = include_str!("../../../assets/permissions.toml");

/// The project's file, relative to the workspace.
pub const PROJECT_FILE: &str = ".pilothouse/permissions.toml";

/// A file of rules longer than this is not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// All rules for a workspace, and what the user should know about them.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The rules.
    pub policy: Policy,
    /// A sentence each.
    pub notices: Vec<String>,
}

/// The user's file.
pub fn user_file(home: &Home) -> PathBuf {
    home.config.join("permissions.toml")
}

/// Reads all rules for `workspace`.
///
/// # Errors
/// When the user's file cannot be read or used, with line and column, or others could have written it. A project's file never keeps a workspace from
/// opening: what is wrong in it is a notice, and then everything asks.
pub fn load(home: &Home, workspace: &Path, environment: &Environment) -> Result<Loaded, RuntimeError> {
    read_all(home, workspace, environment, |error, notices| {
        notices.push(format!("{error}; until it is fixed, everything in this folder asks"));
        Ok(everything_asks())
    })
}

/// The same where rules are in force already.
///
/// # Errors
/// When a file cannot be read or used, the project's as well.
pub fn load_again(home: &Home, workspace: &Path, environment: &Environment) -> Result<Loaded, RuntimeError> {
    read_all(home, workspace, environment, |error, _| Err(error))
}

/// The files of rules that a workspace has of its user and of its project.
pub fn files(home: &Home, workspace: &Path) -> [PathBuf; 2] {
    [user_file(home), workspace.join(PROJECT_FILE)]
}

/// Reads all rules; what is done where the project's cannot be used is said.
fn read_all(
    home: &Home,
    workspace: &Path,
    environment: &Environment,
    unusable: impl FnOnce(RuntimeError, &mut Vec<String>) -> Result<Vec<Rule>, RuntimeError>,
) -> Result<Loaded, RuntimeError> {
    let places = places(home, workspace, environment);
    let mut notices = Vec::new();
    let path = user_file(home);
    let user = match own::text(&path)? {
        Some(text) => file::parse(&text, Source::User, &path, &shown(&path, &places), Some(&places))?,
        None => file::Rules::default(),
    };
    let defaults = defaults()?;
    for dropped in &user.drop {
        if !defaults.iter().any(|r| r.to_string() == dropped.text) {
            return Err(dropped.unknown(&path));
        }
    }
    let kept = defaults.into_iter().filter(|r| !user.drop.iter().any(|d| d.text == r.to_string()));
    let mut rules = user.rules;
    let of_project = project(workspace, &places, &mut notices);
    rules.extend(of_project.or_else(|error| unusable(error, &mut notices))?);
    rules.extend(kept);
    Ok(Loaded { policy: Policy::new(rules, places), notices })
}

/// The rules that come with the program. They never change, so a test checks the examples that they carry.
///
/// # Errors
/// When they cannot be read: a defect of ours.
pub fn defaults() -> Result<Vec<Rule>, RuntimeError> {
    Ok(file::parse(DEFAULTS, Source::BuiltIn, Path::new("assets/permissions.toml"), "built-in", None)?.rules)
}

/// Whether the text of a file of rules can be read; gives the rules in it that let nothing run, with the line of each and
/// why.
///
/// # Errors
/// With line and column of the first thing that is wrong.
pub fn check(path: &Path, text: &str, source: Source) -> Result<Vec<(usize, String)>, RuntimeError> {
    let found = file::parse(text, source, path, &path.to_string_lossy(), None)?;
    let idle = found.rules.iter().filter_map(|rule| {
        rule.without_effect()
            .map(|why| (rule.origin.line, format!("`{rule}` has no effect: {why}; remove it")))
    });
    Ok(idle.collect())
}

/// The project's rules: they may deny and ask, never allow.
fn project(workspace: &Path, places: &Places, notices: &mut Vec<String>) -> Result<Vec<Rule>, RuntimeError> {
    let path = workspace.join(PROJECT_FILE);
    let Some(text) = read(&path).map_err(RuntimeError::io("read", &path))? else { return Ok(Vec::new()) };
    let found = file::parse(&text, Source::Project, &path, PROJECT_FILE, Some(places))?;
    if let Some(first) = found.drop.first() {
        notices
            .push(format!("{PROJECT_FILE}:{}: a project cannot drop rules; this one is ignored", first.line));
    }
    let (wider, narrower): (Vec<Rule>, Vec<Rule>) =
        found.rules.into_iter().partition(|r| r.effect == Effect::Allow);
    if let Some(first) = wider.first() {
        let more = if wider.len() > 1 { format!(" and {} more", wider.len() - 1) } else { String::new() };
        notices.push(format!(
            "{}: `{first}`{more} is ignored: a project may deny and ask but never allow; your own rules can",
            first.origin
        ));
    }
    Ok(narrower)
}

/// What holds while the project's file cannot be read.
fn everything_asks() -> Vec<Rule> {
    let origin = || Origin { source: Source::Project, file: PROJECT_FILE.to_owned(), line: 1 };
    let all = [("command", "*"), ("path", "**"), ("mcp", "*"), ("network", "*")];
    all.into_iter()
        .filter_map(|(kind, pattern)| Rule::new(Effect::Ask, kind, pattern, origin()).ok())
        .collect()
}

/// The text of a file; `None` when there is none.
fn read(path: &Path) -> std::io::Result<Option<String>> {
    match regular::read(path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(std::io::Error::other),
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

/// Where the workspace, the user's home and the program's own folders really are.
pub(crate) fn places(home: &Home, workspace: &Path, environment: &Environment) -> Places {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let real = |path: PathBuf| text(&path.canonicalize().unwrap_or(path));
    let own = home.own().into_iter().map(real).collect();
    let home = environment.get("HOME").map_or_else(String::new, |h| real(PathBuf::from(h)));
    Places { root: text(workspace), home, own }
}

/// A path as the user would name it.
fn shown(path: &Path, places: &Places) -> String {
    let text = path.to_string_lossy();
    let below = text.strip_prefix(&places.home).filter(|r| !places.home.is_empty() && r.starts_with('/'));
    below.map_or_else(|| text.clone().into_owned(), |rest| format!("~{rest}"))
}

#[cfg(test)]
mod tests;
