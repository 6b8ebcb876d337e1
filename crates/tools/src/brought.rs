//! What the project brings that a command which nobody was asked about would run in place of what its line names.
//!
//! Owns the look at it, just before such a command begins: a program of the project, or of a folder that others may
//! write, under the name of a known one; settings of a repository that make git run a program; a link that leads out. What a variable can
//! keep from running is kept so, anything else is told, and then nothing begins. Never runs anything of it.

mod links;

use std::{
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use pilothouse_core::shell::{self, Call, Reading, Risk, Role};

use crate::{
    git::held::{self, Place},
    program, resolved,
};

/// A command that nobody was asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unasked<'a> {
    pub line: &'a str,
    /// The folder that it starts in.
    pub folder: &'a Path,
    /// The workspace.
    pub root: &'a Path,
    /// What it gets.
    pub environment: &'a [(OsString, OsString)],
    /// What commands may write.
    pub writable: &'a [PathBuf],
    /// Whether it can only read.
    pub reads: bool,
    /// Whether the user trusts the folder.
    pub trusted: bool,
}

/// The variables that keep what the project brings from running.
///
/// # Errors
/// What the project brings that would run all the same, in words.
pub(crate) async fn hold(unasked: Unasked<'_>) -> Result<Vec<(OsString, OsString)>, String> {
    let (mut all, places) = look(&unasked)?;
    if let Some(places) = places
        && let Some(git) = program::find("git", unasked.folder)
    {
        all.extend(held::away(&git, unasked.root, &places).await?);
    }
    Ok(all)
}

/// The variables that keep programs of the project from running, and where git works if it is to be held as well.
type Looked = (Vec<(OsString, OsString)>, Option<Vec<Place>>);

/// Looks at the programs of a command, and where git works in it.
fn look(unasked: &Unasked<'_>) -> Result<Looked, String> {
    let reading = shell::read(unasked.line.trim());
    let path = unasked.environment.iter().rev().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.clone()).unwrap_or_default();
    let loose = Loose::around(unasked);
    loose.programs(&reading, unasked.folder, &path)?;
    links::look(unasked, &reading)?;
    let mut all = Vec::new();
    if unasked.reads {
        // Nor do the programs that it names start those of the project.
        all.push((OsString::from("PATH"), loose.without(&path)));
    }
    if unasked.trusted && !unasked.reads {
        return Ok((all, None));
    }
    if !unasked.reads && !reading.calls.iter().any(is_git) {
        return Ok((all, None));
    }
    let places = places(&reading, unasked.line, unasked.folder)?;
    Ok((all, Some(places)))
}

fn is_git(call: &Call) -> bool {
    call.program == "git"
}

/// Where programs lie that are not what everybody knows by their names.
struct Loose {
    below: Vec<PathBuf>,
}

impl Loose {
    fn around(unasked: &Unasked<'_>) -> Self {
        let mut below = vec![unasked.root.to_owned()];
        below.extend(program::project(unasked.root));
        below.extend(unasked.writable.iter().cloned());
        Self { below }
    }

    /// Whether a resolved path is one of the project's, or one that others may write.
    fn holds(&self, real: &Path) -> bool {
        self.below.iter().any(|folder| real.starts_with(folder)) || open_to_all(real)
    }

    /// Looks where the programs are that a line names and that are known only to read.
    fn programs(&self, reading: &Reading, folder: &Path, path: &OsStr) -> Result<(), String> {
        for call in reading.calls.iter().filter(|c| c.risk == Risk::Low && !c.given.is_empty()) {
            let from = call.from.as_deref().unwrap_or(&[]);
            let from = from.iter().map(|f| folder.join(f)).chain(std::iter::once(folder.to_owned()));
            for from in from {
                let Ok(real) = resolved::found(&call.given, &from, path).canonicalize() else { continue };
                if self.holds(&real) {
                    let shown = real.strip_prefix(folder).unwrap_or(&real).display();
                    return Err(format!(
                        "{} is {shown} here, a program of the project or of others",
                        call.given
                    ));
                }
            }
        }
        Ok(())
    }

    /// A search path without such folders.
    fn without(&self, path: &OsStr) -> OsString {
        let kept = std::env::split_paths(path).filter(|p| p.canonicalize().is_ok_and(|p| !self.holds(&p)));
        let kept = std::env::join_paths(kept).unwrap_or_default();
        if kept.is_empty() { OsString::from("/usr/bin:/bin") } else { kept }
    }
}

/// Whether anybody may write this path, or put something else there.
fn open_to_all(path: &Path) -> bool {
    let all_write = |p: &Path| p.metadata().is_ok_and(|m| m.permissions().mode() & 0o002 != 0);
    all_write(path) || path.parent().is_some_and(all_write)
}

/// Where git works in a line.
///
/// # Errors
/// When the line does not say it, or touches what keeps git from running other programs.
fn places(reading: &Reading, line: &str, folder: &Path) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    let mut calls = reading.calls.iter().filter(|c| is_git(c)).peekable();
    if calls.peek().is_some() && (line.contains("GIT_") || reading.calls.iter().any(strips)) {
        return Err(
            "git would run with variables of the line's own; its repository may name programs".to_owned()
        );
    }
    for call in calls {
        let unknown = || "which repository git would work in cannot be told; it may name programs".to_owned();
        let from = call.from.as_deref().ok_or_else(unknown)?;
        let (aside, rest) = globals(call).ok_or_else(unknown)?;
        let texts: Vec<&str> = rest.iter().map(|w| w.text.as_str()).collect();
        let draws = texts.first() == Some(&"diff") && !texts.contains(&"--no-ext-diff")
            || texts.contains(&"--ext-diff");
        for from in from {
            if from.starts_with('~') {
                return Err(unknown());
            }
            let at = folder.join(from).join(&aside);
            let plain = plain(&at);
            places.extend([at, plain].map(|folder| Place { folder, draws }));
        }
    }
    Ok(places)
}

/// Whether a command may take away or change what git is told by variables.
fn strips(call: &Call) -> bool {
    let name = call.program.as_str();
    let texts = || call.words.iter().map(|w| w.text.as_str());
    match name {
        "env" => texts().any(|t| t.starts_with('-')),
        "exec" => texts().any(|t| t.starts_with('-') && t.contains('c')),
        _ if shell::is(name, Role::Setter) => {
            let sets = name != "printf" || texts().next().is_none_or(|t| t.starts_with("-v"));
            sets && (texts().any(|t| t.contains("GIT")) || call.words.iter().any(|w| !w.certain))
        }
        _ => false,
    }
}

/// The folder that the options before a sub-command name, and what follows them; `None` where it cannot be told.
fn globals(call: &Call) -> Option<(PathBuf, &[shell::Word])> {
    let (mut aside, mut rest) = (PathBuf::new(), call.words.as_slice());
    while let Some((word, after)) = rest.split_first() {
        if !word.certain {
            return None;
        }
        match word.text.as_str() {
            "-C" => {
                let (to, after) = after.split_first()?;
                let open = to.text.starts_with('~') || to.text.contains(['*', '?', '[', '{']);
                if !to.certain || open {
                    return None;
                }
                aside.push(&to.text);
                rest = after;
            }
            "-c" | "--namespace" | "--config-env" | "--attr-source" => rest = after.split_first()?.1,
            text if text.starts_with("--git-dir") || text.starts_with("--work-tree") => return None,
            text if text.starts_with('-') => rest = after,
            _ => return Some((aside, rest)),
        }
    }
    Some((aside, rest))
}

/// A path as the shell reads it, which goes back by name and not by link.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
