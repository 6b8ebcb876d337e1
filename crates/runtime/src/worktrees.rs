//! git worktrees for sessions: made beside the repository, listed, merged back, dropped.
//!
//! Owns their names and places and what is at stake when one goes. Nothing in one is ever lost: what is not
//! committed is committed on its branch first, and a branch that holds more than the rest stays.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use pilothouse_core::{
    blob::BlobId,
    money::count,
    runs::{Worktree, WorktreeEnd, WorktreeStake},
};
use pilothouse_tools::git;

use self::held::{message, sessions_in, unfinished};
use crate::home::Home;

mod held;

/// Branches of worktrees begin so.
const BRANCHES: &str = "refs/heads/pilothouse/";
/// Longest name.
const MOST_NAME: usize = 40;
/// Most names in one line about files.
const MOST_FILES: usize = 4;

/// A worktree that stands, with what the user should know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The worktree.
    pub worktree: Worktree,
    /// The folder in it that is the one it was made from.
    pub folder: PathBuf,
    /// What is not in it.
    pub note: Option<String>,
}

/// How bringing one to its end went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user has to see first what is at stake.
    Asks(WorktreeStake),
    /// Done, in words.
    Done(Worktree, String),
}

/// The worktree called `name` of the repository of `folder`; made where there is none.
///
/// # Errors
/// Why there is none, in words; nothing of it is left then.
pub async fn make(folder: &Path, name: &str) -> Result<Made, String> {
    check(name)?;
    let top = line(folder, &["rev-parse", "--show-toplevel"]).await;
    let top =
        top.map(PathBuf::from).ok_or("a worktree needs a git repository, and this folder is not in one")?;
    let prefix = prefix(folder).await;
    if let Some(worktree) = list(folder).await.into_iter().find(|w| w.name == name) {
        let folder = Path::new(&worktree.path).join(&prefix);
        return Ok(Made { worktree, folder, note: None });
    }
    line(folder, &["rev-parse", "--verify", "--quiet", "HEAD"])
        .await
        .ok_or("a worktree starts from a commit, and there is none here yet")?;
    let worktree = Worktree {
        name: name.to_owned(),
        path: beside(folder, &top, name).await?.to_string_lossy().into_owned(),
        branch: format!("pilothouse/{name}"),
    };
    add(&top, &worktree).await?;
    let left = files(&top).await.map_or(0, |files| files.len());
    let note = (left > 0).then(|| {
        format!("it starts from the last commit: {} not committed here, and not in it", files_are(left))
    });
    Ok(Made { folder: Path::new(&worktree.path).join(prefix), worktree, note })
}

/// The worktrees of the repository of `folder` that were made here.
pub async fn list(folder: &Path) -> Vec<Worktree> {
    let told = git::ask(folder, &["worktree", "list", "--porcelain", "-z"]).await.unwrap_or_default();
    let told = String::from_utf8_lossy(&told).into_owned();
    let ours = told.split("\0\0").filter_map(|entry| {
        let field = |name: &str| entry.split('\0').find_map(|f| f.strip_prefix(name));
        let branch = field("branch ")?;
        let name = branch.strip_prefix(BRANCHES)?.to_owned();
        let path = field("worktree ")?.to_owned();
        Some(Worktree { branch: format!("pilothouse/{name}"), name, path })
    });
    ours.collect()
}

/// Where in its repository a folder is.
pub(crate) async fn prefix(folder: &Path) -> String {
    line(folder, &["rev-parse", "--show-prefix"]).await.unwrap_or_default()
}

/// Brings a worktree to its end, once the user has seen what is at stake: `seen` is the hash of that.
///
/// # Errors
/// Why not, in words; then everything is as it was, but for what was committed in the worktree.
pub async fn end(
    home: &Home,
    folder: &Path,
    end: WorktreeEnd,
    name: &str,
    seen: Option<BlobId>,
) -> Result<Ended, String> {
    let worktree = list(folder).await.into_iter().find(|w| w.name == name);
    let worktree = worktree.ok_or_else(|| format!("there is no worktree called {name}"))?;
    let look = Look::at(home, folder, end, &worktree).await?;
    let stake = look.stake(end, &worktree);
    if end == WorktreeEnd::Merge && look.files.is_empty() && look.ahead == 0 {
        return Err(format!("{} contains nothing that is not here", worktree.branch));
    }
    if !stake.lines.is_empty() && seen != Some(stake.shown) {
        return Ok(Ended::Asks(stake));
    }
    if !look.files.is_empty() {
        commit(&worktree, &look.files, &look.message).await?;
    }
    let said = match end {
        WorktreeEnd::Merge => merge(folder, &worktree, &look.into).await,
        WorktreeEnd::Drop => drop_it(folder, &worktree, &look).await,
    };
    let said = said.map_err(|why| match look.files.len() {
        0 => why,
        n => {
            let files = if n == 1 { "1 file was".to_owned() } else { format!("{n} files were") };
            format!("{why}. Before that, {files} committed on {}; that stays", worktree.branch)
        }
    });
    Ok(Ended::Done(worktree, said?))
}

/// What there is in a worktree that is nowhere else.
struct Look {
    head: String,
    /// Where it would be merged into.
    into: String,
    /// Not committed.
    files: Vec<String>,
    /// The message of a commit of these.
    message: String,
    /// Ignored by git.
    ignored: Vec<String>,
    /// Commits that the folder it goes back to does not have.
    ahead: usize,
    /// Files that these change.
    changed: Vec<String>,
    /// Files of the folder it goes back to that are not committed there.
    here: Vec<String>,
    /// Files that both sides changed since they parted, where git cannot be sure to bring both together; none where it
    /// brings nothing together.
    both: Vec<String>,
    /// What its sessions hold that is not finished, a line each.
    unfinished: Vec<String>,
}

impl Look {
    async fn at(home: &Home, folder: &Path, end: WorktreeEnd, worktree: &Worktree) -> Result<Self, String> {
        let path = Path::new(&worktree.path);
        let gone = || format!("{} cannot be read; git worktree prune forgets it", worktree.path);
        let head = line(path, &["rev-parse", "HEAD"]).await.ok_or_else(gone)?;
        let range = format!("HEAD..{}", worktree.branch);
        let ahead = line(folder, &["rev-list", "--count", &range]).await.and_then(|n| n.parse().ok());
        let ahead =
            ahead.ok_or_else(|| format!("{} cannot be compared with this folder", worktree.branch))?;
        let both = format!("HEAD...{}", worktree.branch);
        let changed = git::ask(folder, &["diff", "--name-only", "-z", &both]).await.unwrap_or_default();
        let ignored = ["status", "--porcelain", "-z", "--ignored", "--ignore-submodules=all"];
        let ignored = git::ask(path, &ignored).await.ok_or_else(gone)?;
        let (here, files) = (files(folder).await.unwrap_or_default(), files(path).await.ok_or_else(gone)?);
        let ignored = fields(&ignored).filter_map(|f| Some(f.strip_prefix("!! ")?.to_owned())).collect();
        let mut changed: BTreeSet<String> = fields(&changed).collect();
        changed.extend(files.iter().cloned());
        let both = match end {
            WorktreeEnd::Merge => on_both_sides(folder, &worktree.branch, &changed, &files).await,
            WorktreeEnd::Drop => Vec::new(),
        };
        let lines = if files.is_empty() { String::new() } else { git::changed_lines(path, &[]).await };
        let (home, of, not_committed) = (home.clone(), worktree.clone(), files.clone());
        let told = move || {
            let sessions = sessions_in(&home, &of);
            (message(&sessions, &of, (&not_committed, &lines)), unfinished(&sessions))
        };
        let (message, unfinished) = tokio::task::spawn_blocking(told).await.unwrap_or_default();
        let into = branch(folder).await;
        Ok(Self {
            head,
            into,
            files,
            message,
            ignored,
            ahead,
            changed: changed.into_iter().collect(),
            here,
            both,
            unfinished,
        })
    }

    /// What the user is shown before; no lines where nothing is at stake.
    fn stake(&self, end: WorktreeEnd, worktree: &Worktree) -> WorktreeStake {
        let mut lines: Vec<String> = self.unfinished.clone();
        if !lines.is_empty() && end == WorktreeEnd::Drop {
            lines.push("that belongs to the folder it works in".to_owned());
        }
        let (branch, into) = (&worktree.branch, &self.into);
        if end == WorktreeEnd::Merge {
            let commits = count(self.ahead + usize::from(!self.files.is_empty()), "commit");
            let (files, changed) = (count(self.changed.len(), "file"), named(&self.changed));
            lines.push(format!("{commits} of {branch} with {files} will be merged into {into}: {changed}"));
            if !self.both.is_empty() {
                lines.push(format!(
                    "both sides changed {}; where they changed the same lines, git will not merge",
                    named(&self.both)
                ));
            }
            let (both, rest): (Vec<String>, Vec<String>) =
                self.here.iter().cloned().partition(|file| self.changed.contains(file));
            if !both.is_empty() {
                let (are, both) = (files_are(both.len()), named(&both));
                lines.push(format!(
                    "{are} not committed in {into} and would be overwritten, so git refuses: {both}"
                ));
            }
            if !rest.is_empty() {
                lines.push(format!(
                    "{} not committed in {into}, and left alone: {}",
                    files_are(rest.len()),
                    named(&rest)
                ));
            }
        }
        if !self.files.is_empty() {
            let (are, named) = (files_are(self.files.len()), named(&self.files));
            lines.push(format!("{are} not committed there: {named}"));
            let subject = self.message.lines().next().unwrap_or_default();
            lines.push(format!("committed on {branch} first, so that nothing is lost: \"{subject}\""));
            let below = self.message.lines().skip(1).map(|l| l.trim().trim_start_matches("- "));
            let below: Vec<&str> = below.filter(|l| !l.is_empty()).collect();
            if !below.is_empty() {
                lines.push(format!("below that its message says: {}", below.join("; ")));
            }
        }
        match end {
            WorktreeEnd::Merge => {}
            WorktreeEnd::Drop => {
                if self.ahead > 0 {
                    let commits = count(self.ahead, "commit");
                    lines.push(format!("{commits} not merged; {branch} stays and keeps them"));
                }
                if !self.ignored.is_empty() {
                    lines.push(format!("deleted for good, since git ignores it: {}", named(&self.ignored)));
                }
            }
        }
        let whole = [&self.files, &self.ignored, &self.changed, &self.here, &self.both, &self.unfinished]
            .map(|l| l.join("\0"))
            .join("\0\0");
        let shown = format!("{end:?}\0{}\0{into}\0{}\0{whole}", self.head, self.message);
        let shown = BlobId::of(shown.as_bytes());
        WorktreeStake { worktree: worktree.clone(), into: into.clone(), lines, shown }
    }
}

/// Files that both sides changed since they parted; none where all of it is committed and git merges it on trial.
async fn on_both_sides(
    folder: &Path,
    branch: &str,
    changed: &BTreeSet<String>,
    files: &[String],
) -> Vec<String> {
    let here = git::ask(folder, &["diff", "--name-only", "-z", &format!("{branch}...HEAD")]).await;
    let here = here.unwrap_or_default();
    let both: Vec<String> = fields(&here).filter(|file| changed.contains(file)).collect();
    // The trial knows only what is committed. It writes what the merge itself would, and moves nothing.
    let told_whole = !both.iter().any(|file| files.contains(file));
    let trial = ["merge-tree", "--write-tree", "--name-only", "HEAD", branch];
    if both.is_empty() || told_whole && git::ask(folder, &trial).await.is_some() { Vec::new() } else { both }
}

fn check(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let good = !name.is_empty()
        && name.len() <= MOST_NAME
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("..")
        && !name.to_ascii_lowercase().ends_with(".lock");
    if good {
        return Ok(());
    }
    Err(format!("a worktree's name is made of letters, digits, - _ and ., at most {MOST_NAME} of them"))
}

/// The folder for a new worktree: beside the repository's first one, and outside of one that it lies in. A submodule's
/// first is a folder of git's.
async fn beside(folder: &Path, top: &Path, name: &str) -> Result<PathBuf, String> {
    let told = git::ask(folder, &["worktree", "list", "--porcelain", "-z"]).await.unwrap_or_default();
    let first = fields(&told).find_map(|f| f.strip_prefix("worktree ").map(PathBuf::from));
    let main = first.filter(|path| path.join(".git").exists()).unwrap_or_else(|| top.to_owned());
    let outermost = git::outermost(&main).unwrap_or_else(|| main.clone());
    let (Some(parent), Some(own)) = (outermost.parent(), main.file_name()) else {
        return Err("there is no place for a folder next to this one".to_owned());
    };
    let path = parent.join(format!("{}-{name}", own.to_string_lossy()));
    if path.exists() {
        return Err(format!("{} already exists; choose another name", path.display()));
    }
    Ok(path)
}

async fn add(top: &Path, worktree: &Worktree) -> Result<(), String> {
    let reference = format!("{BRANCHES}{}", worktree.name);
    let known = line(top, &["rev-parse", "--verify", "--quiet", &reference]).await.is_some();
    let fresh = ["worktree", "add", "-b", &worktree.branch, &worktree.path, "HEAD"];
    let again = ["worktree", "add", &worktree.path, &worktree.branch];
    let made = git::change(top, if known { &again } else { &fresh }).await;
    let Err(why) = made else { return Ok(()) };
    let needed = size(top).await;
    // What was begun goes again: the folder was not there before.
    drop(std::fs::remove_dir_all(&worktree.path));
    drop(git::change(top, &["worktree", "prune"]).await);
    if !known {
        drop(git::change(top, &["branch", "--quiet", "-d", &worktree.branch]).await);
    }
    let free = Path::new(&worktree.path).parent().and_then(|parent| rustix::fs::statvfs(parent).ok());
    let free = free.map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let why = match cause(&why) {
        _ if free < needed => {
            format!("the disk is full: it needs {} KB, and {} KB are free", needed / 1024, free / 1024)
        }
        why => why,
    };
    Err(format!("the worktree {} could not be created: {why}; nothing is left of it", worktree.path))
}

/// The bytes of all files of the commit that stands here.
async fn size(top: &Path) -> u64 {
    let told = git::ask(top, &["ls-tree", "-r", "-l", "-z", "HEAD"]).await.unwrap_or_default();
    let sizes = fields(&told).filter_map(|f| f.split_ascii_whitespace().nth(3)?.parse::<u64>().ok());
    sizes.fold(0, u64::saturating_add)
}

/// What git says, in a line.
fn cause(why: &str) -> String {
    if why.contains("No space left on device") {
        return "the disk is full".to_owned();
    }
    let lines = why.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("Preparing "));
    let mut lines: Vec<&str> = lines.map(|l| l.trim_start_matches("fatal: ")).collect();
    lines.truncate(3);
    lines.join("; ")
}

/// The branch that is checked out in a folder, in words.
async fn branch(folder: &Path) -> String {
    match line(folder, &["symbolic-ref", "--quiet", "--short", "HEAD"]).await {
        Some(branch) => branch,
        None => "no branch (HEAD is detached)".to_owned(),
    }
}

/// Commits everything that is not ignored.
async fn commit(worktree: &Worktree, files: &[String], message: &str) -> Result<(), String> {
    let path = Path::new(&worktree.path);
    filtered(path, files).await?;
    let refused = |why: String| {
        format!("{} not committed in {}: {}", files_are(files.len()), worktree.path, cause(&why))
    };
    git::change(path, &["add", "--all"]).await.map_err(refused)?;
    let args = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message];
    git::change(path, &args).await.map(drop).map_err(refused)
}

/// Our git runs no filter: a file that wants one would be committed as it must not be.
async fn filtered(path: &Path, files: &[String]) -> Result<(), String> {
    for some in files.chunks(200) {
        let mut args = vec!["check-attr", "-z", "filter", "--"];
        args.extend(some.iter().map(String::as_str));
        let told = git::ask(path, &args).await.unwrap_or_default();
        let told: Vec<String> = fields(&told).collect();
        let wants = told.chunks(3).find(|c| c.get(2).is_some_and(|v| v != "unspecified" && v != "unset"));
        if let Some(file) = wants.and_then(|c| c.first()) {
            return Err(format!(
                "{file} passes through a filter of git; commit it in {} yourself",
                path.display()
            ));
        }
    }
    Ok(())
}

async fn merge(folder: &Path, worktree: &Worktree, into: &str) -> Result<String, String> {
    let branch = worktree.branch.as_str();
    let merging = ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"];
    if line(folder, &merging).await.is_some() {
        return Err("a merge is under way in this folder; finish that first".to_owned());
    }
    let before = line(folder, &["rev-parse", "--short", "HEAD"]).await.unwrap_or_default();
    let args = ["merge", "--no-edit", "--no-gpg-sign", "--no-stat", branch];
    let Err(why) = git::change(folder, &args).await else {
        // It may be read in the worktree, where the same words would take another branch back.
        let at = pilothouse_core::shell::quote(&folder.to_string_lossy());
        return Ok(format!("{branch} is merged into {into}; git -C {at} reset --merge {before} undoes it"));
    };
    let conflicts = git::ask(folder, &["diff", "--name-only", "--diff-filter=U", "-z"]).await;
    let conflicts: Vec<String> = fields(&conflicts.unwrap_or_default()).collect();
    if line(folder, &merging).await.is_some() {
        git::change(folder, &["merge", "--abort"])
            .await
            .map_err(|why| format!("{branch} is half merged, and git cannot undo it: {}", cause(&why)))?;
    }
    let why =
        if conflicts.is_empty() { cause(&why) } else { format!("both sides changed {}", named(&conflicts)) };
    Err(format!("not merged; this folder is unchanged: {why}. To merge by hand: `git merge {branch}`"))
}

async fn drop_it(folder: &Path, worktree: &Worktree, look: &Look) -> Result<String, String> {
    // Not by force: git refuses where anything is left that would be lost.
    let removed = git::change(folder, &["worktree", "remove", &worktree.path]).await;
    removed.map_err(|why| format!("{} stays: {}", worktree.path, cause(&why)))?;
    if look.ahead > 0 || !look.files.is_empty() {
        return Ok(format!("{} is removed; its work is on {}", worktree.path, worktree.branch));
    }
    drop(git::change(folder, &["branch", "--quiet", "-d", &worktree.branch]).await);
    Ok(format!("{} is removed; it had nothing of its own", worktree.path))
}

/// Files that are not committed.
async fn files(folder: &Path) -> Option<Vec<String>> {
    let args =
        ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"];
    let told = git::ask(folder, &args).await?;
    Some(fields(&told).filter_map(|f| f.get(3..).map(str::to_owned)).collect())
}

async fn line(folder: &Path, args: &[&str]) -> Option<String> {
    let told = String::from_utf8(git::ask(folder, args).await?).ok()?;
    Some(told.trim_end_matches('\n').to_owned())
}

fn fields(told: &[u8]) -> impl Iterator<Item = String> {
    let fields: Vec<String> = told
        .split(|b| *b == 0)
        .filter(|f| !f.is_empty())
        .map(|f| String::from_utf8_lossy(f).into_owned())
        .collect();
    fields.into_iter()
}

fn files_are(n: usize) -> String {
    if n == 1 { "1 file is".to_owned() } else { format!("{n} files are") }
}

fn named(files: &[String]) -> String {
    let mut some: Vec<&str> = files.iter().take(MOST_FILES).map(String::as_str).collect();
    let more = format!("{} more", files.len().saturating_sub(MOST_FILES));
    if files.len() > MOST_FILES {
        some.push(&more);
    }
    some.join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
