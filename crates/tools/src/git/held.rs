//! What a repository's settings would run, and what is put in their place.
//!
//! Owns the listing of such settings, of the repository and of those inside it, and the value that keeps each from
//! running anything. Never runs what a setting names: `git config` only lists names.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
};

use pilothouse_core::shell;

use super::{HELD, SET, Said, run};

/// The most repositories inside one another that are looked at.
const MOST_REPOSITORIES: usize = 64;
/// The most settings that are put aside.
const MOST_SETTINGS: usize = 500;
/// A program that is nowhere: it is not looked for along `PATH`, and runs nothing.
const NO_PROGRAM: &str = "/dev/null";
/// A program that hands its input on.
const AS_IT_IS: &str = "/bin/cat";

/// The program that draws diffs. git takes it for one even when it is empty, and then shows no diff at all.
const DRAWS: &str = "diff.external";

/// Settings whose value is no program, or whose program can never be reached without a transport.
const INERT: [&str; 7] =
    ["include.path", "safe.", "submodule.", "core.worktree", "protocol.", "includeif.", "url."];

/// Whose settings are put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Everybody's.
    All,
    /// Those of the repository; the user's own stay.
    Repository,
}

/// What is put in the place of a setting; `None` where it runs nothing.
pub(super) fn instead(key: &str) -> Option<&'static str> {
    let lower = key.to_ascii_lowercase();
    let ends = |end: &str| lower.ends_with(end);
    if lower.starts_with("filter.") {
        return Some(if ends(".required") { "false" } else { "" });
    }
    if lower == "blame.ignorerevsfile" || lower == "core.attributesfile" {
        // What stands in a file elsewhere would be read, and told in an error.
        return Some("");
    }
    if INERT.iter().any(|i| lower.starts_with(i)) || !shell::git_key_runs(key) {
        return None;
    }
    Some(match () {
        () if ends(".textconv") => AS_IT_IS,
        () if lower.starts_with("alias.") || ends(".helper") || external(key) => "",
        () => NO_PROGRAM,
    })
}

/// Whether a setting names a program that draws diffs: kept from running, it leaves no diff.
fn external(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    lower.starts_with("diff.") && (lower.ends_with(".command") || lower == DRAWS)
}

/// The settings that git runs with in `folder`, by name.
///
/// # Errors
/// When it cannot be told which they are.
async fn settings(program: &Path, folder: &Path, whose: Whose) -> Result<BTreeSet<String>, ()> {
    let listing = ["config", "--null", "--show-scope", "--name-only", "--list"];
    let Said { code, out: said, .. } = run(program, folder, &listing, &[]).await.ok_or(())?;
    if code != 0 {
        // Then git does nothing else here either.
        return Ok(BTreeSet::new());
    }
    let said = String::from_utf8(said).map_err(|_| ())?;
    let mut fields = said.split('\0');
    let mut names = BTreeSet::new();
    while let (Some(scope), Some(name)) = (fields.next(), fields.next()) {
        if whose == Whose::All || matches!(scope, "local" | "worktree") {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// What is put in the place of the settings of all kinds that git has in `folder`, itself alone.
pub(super) async fn here(program: &Path, folder: &Path) -> Option<Vec<(String, String)>> {
    let names = settings(program, folder, Whose::All).await.ok()?;
    let pairs = names.iter().filter_map(|n| Some((n.clone(), instead(n)?.to_owned())));
    Some(pairs.take(MOST_SETTINGS).collect())
}

/// A command of git, as far as it says where it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The folder, not resolved.
    pub folder: PathBuf,
    /// Whether it draws diffs by the program that a setting names.
    pub draws: bool,
}

/// The variables under which git, working in these places, runs nothing that a repository's settings name.
///
/// # Errors
/// What it would run all the same, or that it cannot be told.
pub(crate) async fn away(
    program: &Path,
    root: &Path,
    places: &[Place],
) -> Result<Vec<(OsString, OsString)>, String> {
    let mut names = BTreeSet::new();
    for place in places {
        let found = around(program, root, &place.folder).await?;
        if let Some(name) = found.iter().find(|n| place.draws && external(n)) {
            return Err(format!(
                "git would draw its diffs by the program that {name} of this repository names"
            ));
        }
        names.extend(found);
    }
    let mut pairs: Vec<(String, String)> = HELD
        .iter()
        .filter_map(|setting| setting.split_once('='))
        // Where it was looked and no repository names one, there is nothing to keep from running.
        .filter(|(name, _)| *name != DRAWS || places.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    pairs.extend(names.iter().filter_map(|n| Some((n.clone(), instead(n)?.to_owned()))));
    if pairs.len() > MOST_SETTINGS {
        return Err("git would run more settings of this repository than can be put aside".to_owned());
    }
    let set = SET.iter().filter(|(name, _)| *name != "LC_ALL");
    let mut all: Vec<(OsString, OsString)> = set.map(|(n, v)| (n.into(), v.into())).collect();
    all.extend(variables(&pairs));
    Ok(all)
}

/// The settings of the repository around a folder and of those inside it.
async fn around(program: &Path, root: &Path, folder: &Path) -> Result<BTreeSet<String>, String> {
    let unknown = || "what this repository's settings make git run cannot be told".to_owned();
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        let Ok(next) = next.canonicalize() else { continue };
        if !seen.insert(next.clone()) {
            continue;
        }
        if seen.len() > MOST_REPOSITORIES {
            return Err(unknown());
        }
        let found = settings(program, &next, Whose::Repository).await.map_err(|()| unknown())?;
        let moved = found.contains("core.worktree");
        names.extend(found);
        let Said { code, out: top, .. } =
            run(program, &next, &["rev-parse", "--show-toplevel"], &[]).await.ok_or_else(unknown)?;
        let top = PathBuf::from(String::from_utf8(top).map_err(|_| unknown())?.trim_end_matches('\n'));
        if code != 0 {
            continue;
        }
        if moved && !top.starts_with(root) {
            return Err(format!(
                "git would work on {}, as core.worktree of this repository says",
                top.display()
            ));
        }
        waiting.extend(inside(program, &top).await.ok_or_else(unknown)?);
    }
    Ok(names)
}

/// The repositories that one holds at places of its own; git looks into each of them.
async fn inside(program: &Path, top: &Path) -> Option<Vec<PathBuf>> {
    let Said { code, out: said, .. } = run(program, top, &["ls-files", "--stage", "-z"], &[]).await?;
    if code != 0 {
        return Some(Vec::new());
    }
    let said = String::from_utf8_lossy(&said);
    let links = said.split('\0').filter(|entry| entry.starts_with("160000 "));
    let folders = links.filter_map(|entry| entry.split_once('\t')).map(|(_, path)| top.join(path));
    Some(folders.filter(|folder| folder.join(".git").symlink_metadata().is_ok()).collect())
}

/// Settings as variables, because one may be called anything.
pub(crate) fn variables(pairs: &[(String, String)]) -> Vec<(OsString, OsString)> {
    let mut all = vec![(OsString::from("GIT_CONFIG_COUNT"), OsString::from(pairs.len().to_string()))];
    for (i, (name, value)) in pairs.iter().enumerate() {
        all.push((format!("GIT_CONFIG_KEY_{i}").into(), name.into()));
        all.push((format!("GIT_CONFIG_VALUE_{i}").into(), value.into()));
    }
    all
}
