//! What surrounds the session: branch, changed files, time zone.
//!
//! Owns the questions put to git, the reading of its answers and of what its folder says of itself. Never polls: it is asked after
//! something may have changed.

use std::path::Path;

use pilothouse_core::{ids::Millis, money::count};
use pilothouse_tools::{git, regular};

use crate::project;

/// What git says about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// The branch, or the short commit when there is none; `None` outside a repository.
    pub name: Option<String>,
    /// Files of the folder that differ from the last commit.
    pub dirty: usize,
    /// Why git refuses the folder and how it would not, where it does.
    pub refused: Option<String>,
}

/// What a folder goes by: its name, behind that of the repository that it is a part of.
pub fn folder(folder: &Path) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    project::larger(folder).map_or_else(|| name(folder), |(top, part)| format!("{}/{part}", name(&top)))
}

/// Asks git about a folder; nothing when there is no git or no repository.
pub async fn branch(folder: &Path) -> Branch {
    let args = ["status", "--porcelain=v2", "-z", "--branch", "--ignore-submodules=all", "--", "."];
    let status = match git::ask_or_refused(folder, &args).await {
        Ok(status) => status,
        Err(why) => return Branch { refused: Some(why), ..Branch::default() },
    };
    let Some(status) = status else { return Branch::default() };
    let Branch { name, dirty, .. } = read(&status);
    let conflicts = String::from_utf8_lossy(&status).split('\0').filter(|f| f.starts_with("u ")).count();
    let name = head(folder).or(name).map(|name| match conflicts {
        0 => name,
        n => format!("{name}, {}{CONFLICT}", count(n, "file")),
    });
    Branch { name, dirty, refused: None }
}

/// Behind the number of files that a merge left to be settled.
const CONFLICT: &str = " in conflict";

/// What git is in the middle of, by what lies in its folder then.
const UNDER_WAY: [(&str, &str); 6] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
];

/// Whether a folder lies in a repository of git, by what lies in it and above it.
pub fn is_repository(folder: &Path) -> bool {
    folder.ancestors().any(|f| f.join(".git").symlink_metadata().is_ok())
}

/// The branch as it is now, or where there is none the commit, and what git is in the middle of; nothing where its files
/// do not say. No program is run for it.
pub fn head(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|f| f.join(".git")).find_map(|at| {
        if at.is_dir() {
            return Some(at);
        }
        let link = text(&at)?;
        Some(at.parent()?.join(link.strip_prefix("gitdir: ")?.trim_end()))
    })?;
    let line = |name: &str| text(&git.join(name)).map(|t| t.trim_end().to_owned());
    let named = |of: &str| of.strip_prefix("refs/heads/").map(str::to_owned);
    let of_rebase = ["rebase-merge/head-name", "rebase-apply/head-name"].into_iter().find_map(line);
    let head = line("HEAD")?;
    let at = match head.strip_prefix("ref: ") {
        // Where refs are kept otherwise it names none.
        Some(name) => named(name).filter(|name| name != ".invalid")?,
        None => of_rebase
            .as_deref()
            .and_then(named)
            .or_else(|| Some(format!("detached at {}", head.get(..7)?)))?,
    };
    let under = UNDER_WAY.iter().find(|(name, _)| git.join(name).exists());
    Some(under.map_or_else(|| at.clone(), |(_, what)| format!("{at}, {what} under way")))
}

/// Most bytes of a file of git that names a branch or a folder.
const MOST_NAME: u64 = 8 * 1024;

fn text(path: &Path) -> Option<String> {
    String::from_utf8(regular::read(path, MOST_NAME).ok()?).ok()
}

/// What was told of the branch, as it is now: what was counted stays where it is the same.
pub fn told(folder: &Path, before: Option<&str>) -> Option<String> {
    let Some(now) = head(folder) else { return before.map(str::to_owned) };
    let rest = before
        .and_then(|b| b.strip_prefix(now.as_str()))
        .filter(|rest| rest.is_empty() || rest.ends_with(CONFLICT) && rest.matches(", ").count() == 1);
    Some(now.clone() + rest.unwrap_or_default())
}

fn read(status: &[u8]) -> Branch {
    let text = String::from_utf8_lossy(status);
    let (mut head, mut commit, mut dirty) = (None, None, 0);
    let mut fields = text.split('\0');
    while let Some(field) = fields.next() {
        if let Some(name) = field.strip_prefix("# branch.head ") {
            head = (name != "(detached)").then(|| name.to_owned());
        } else if let Some(id) = field.strip_prefix("# branch.oid ") {
            commit = id.get(..7).map(str::to_owned);
        } else if let Some(kind) = field.chars().next().filter(|k| *k != '#') {
            dirty += 1;
            // A rename carries its old name as a field of its own.
            if kind == '2' {
                fields.next();
            }
        }
    }
    Branch { name: head.or(commit), dirty, refused: None }
}

/// Minutes east of UTC on this machine now.
pub fn utc_offset_minutes() -> i32 {
    jiff::tz::TimeZone::system().to_offset(now()).seconds() / 60
}

/// The time of now; a clock that no calendar has a date for stands at the calendar's end.
pub(crate) fn now() -> jiff::Timestamp {
    std::time::SystemTime::now().try_into().unwrap_or(jiff::Timestamp::MAX)
}

/// The same as the session counts it.
pub fn millis() -> Millis {
    Millis(u64::try_from(now().as_millisecond()).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
