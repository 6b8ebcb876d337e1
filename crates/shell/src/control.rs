//! Control files: what steers an agent or makes a program run by itself.
//!
//! Owns the one list of them, `assets/knowledge/control.txt`. A tool never changes one under an ordinary approval: a file tool asks
//! a question of its own, a command's change is put back. Judges names only, in any folder, for a
//! file that exists or not; never asks the file system.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::knowledge::groups;

/// What a control file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Why it is one: `it holds …`, without its subject.
    pub why: &'static str,
    /// Whether a command may change it all the same: what git itself writes in its folder.
    pub gits: bool,
    /// Whether it makes something run, rather than steer an agent.
    pub runs: bool,
}

const TEXT: &str = include_str!("../../../assets/knowledge/control.txt");

/// What the list is called in a file of rules.
pub const FILES: &str = "<control files>";

static CONTROLS: LazyLock<Controls> = LazyLock::new(Controls::read);

type Named = HashMap<String, Control>;

#[derive(Default)]
struct Controls {
    /// Folders, with everything in them.
    folders: Named,
    /// Files, in whatever folder.
    files: Named,
    /// What counts in a folder of that name, with everything in it.
    within: HashMap<String, Named>,
    /// All of it as patterns of paths, in the order of the list and in the usual case.
    patterns: Vec<String>,
}

impl Controls {
    fn read() -> Self {
        let mut read = Self::default();
        for (head, lines) in groups(TEXT) {
            let (kind, why) = head.split_once(": ").unwrap_or((head, ""));
            let (place, what) = kind.rsplit_once(' ').unwrap_or((kind, ""));
            let control = Control { why, gits: false, runs: what == "runs" };
            for name in lines.iter().flat_map(|line| line.split_whitespace()) {
                let (named, pattern) = match place.strip_prefix("in ") {
                    Some(folder) => {
                        (read.within.entry(folded(folder)).or_default(), format!("**/{folder}/{name}"))
                    }
                    None if place == "folders" => (&mut read.folders, name.to_owned()),
                    None => (&mut read.files, name.to_owned()),
                };
                named.insert(folded(name), control);
                read.patterns.push(pattern);
            }
        }
        read
    }
}

/// What stands for the list in a rule about paths.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    std::iter::once(".git").chain(CONTROLS.patterns.iter().map(String::as_str))
}

/// Says whether a file is a control file, from the parts of its path in the workspace, and why.
pub fn control<'a>(parts: impl IntoIterator<Item = &'a str>) -> Option<Control> {
    let parts: Vec<String> = parts.into_iter().map(folded).collect();
    let mut rest = parts.iter().map(String::as_str);
    while let Some(part) = rest.next() {
        let found = if part == ".git" { Some(of_git(rest.clone())) } else { named(part, rest.clone()) };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn named<'a>(part: &str, mut rest: impl Iterator<Item = &'a str>) -> Option<Control> {
    let all = &*CONTROLS;
    let below = || match rest.next() {
        None => all.files.get(part),
        Some(next) => all.within.get(part)?.get(next),
    };
    all.folders.get(part).or_else(below).copied()
}

/// What lies at this place of a git folder, given by the parts below it.
pub fn of_git<'a>(rest: impl IntoIterator<Item = &'a str>) -> Control {
    let rest: Vec<String> = rest.into_iter().map(folded).collect();
    let parts: Vec<&str> = rest.iter().map(String::as_str).collect();
    let Some(why) = git_why(&parts) else {
        return Control { why: "belongs to git", gits: true, runs: true };
    };
    Control { why, gits: false, runs: true }
}

fn git_why(parts: &[&str]) -> Option<&'static str> {
    match parts {
        [] => Some("says where git keeps its files"),
        ["config" | "config.worktree"] => Some("configures git, which runs programs named there"),
        ["commondir" | "gitdir"] => Some("says where git keeps its files"),
        ["hooks", ..] => Some("holds git hooks"),
        ["info", "attributes"] => Some("makes git run filters"),
        ["modules", inner @ ..] => inner_why(inner),
        ["worktrees", _, inner @ ..] => (!inner.is_empty()).then(|| git_why(inner)).flatten(),
        _ => None,
    }
}

/// A submodule's folder may have any depth: what its last parts say.
fn inner_why(parts: &[&str]) -> Option<&'static str> {
    let last = |n: usize| parts.get(parts.len().saturating_sub(n)..).and_then(git_why);
    let hook = parts.iter().position(|p| *p == "hooks").and_then(|at| parts.get(at..)).and_then(git_why);
    hook.or_else(|| if parts.len() > 1 { last(1).or_else(|| last(2)) } else { None })
}

/// A name as file systems that ignore case and invisible characters compare it.
fn folded(name: &str) -> String {
    let invisible = |c: &char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    name.chars().filter(|c| !invisible(c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
