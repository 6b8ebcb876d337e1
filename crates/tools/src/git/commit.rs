//! Committing what is named, and nothing else.
//!
//! Owns what is looked at before, and the two calls of git that write. It runs under the same settings as every
//! other call of ours: no hook, filter, signing program or editor runs. What would have is told before, or refused
//! where the commit would not be the same without it.

mod merge;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use pilothouse_core::{
    blob::BlobId,
    commit::{CommitFile, CommitTree, Committed, MOST_FILES, Merge, SoughtFile},
    money::count,
    tool::ChangeKind,
};

use super::{Said, changed_lines, held, say};
use crate::{jail::Jail, program, regular};
use merge::{Begun, Parts};

/// Most bytes of what git keeps of a merge that are read.
const MERGE_BYTES: u64 = 1024 * 1024;

/// Hooks that a commit would call.
const HOOKS: [&str; 5] =
    ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"];

/// What is under way, by the file in git's folder that says so.
const UNDER_WAY: [(&str, &str); 4] = [
    (
        "CHERRY_PICK_HEAD",
        "a cherry-pick is in progress; `!git cherry-pick --continue` finishes it, `--abort` drops it",
    ),
    ("REVERT_HEAD", "a revert is in progress; `!git revert --continue` finishes it, `--abort` drops it"),
    ("rebase-merge", "a rebase is in progress; `git rebase --continue` or `--abort` ends it"),
    ("rebase-apply", "a rebase or `git am` is in progress; `--continue` or `--abort` ends it"),
];

/// How git commits: by the message that was shown, and without anything of the repository's that runs.
const MAKE: [&str; 5] = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace"];

/// How git is asked for all that it has and that is not as it was committed last.
const TRACKED: [&str; 5] = ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no"];

/// Where the folder stands in its repository.
struct Place {
    /// Its path from the root on.
    prefix: String,
    /// What is to be known before a commit there.
    notes: Vec<String>,
    /// The merge that is under way.
    merge: Option<Begun>,
}

/// git in one folder.
struct Git<'a> {
    program: std::path::PathBuf,
    folder: &'a Path,
    aside: Vec<(String, String)>,
}

impl<'a> Git<'a> {
    async fn find(folder: &'a Path) -> Result<Self, String> {
        let program = program::find("git", folder).ok_or("git is not installed here")?;
        let aside = held::here(&program, folder).await;
        let aside = aside.ok_or("what this repository's settings make git run cannot be told")?;
        Ok(Self { program, folder, aside })
    }

    async fn say(&self, args: &[&str]) -> Result<Said, String> {
        let said = say(&self.program, self.folder, args, &self.aside).await;
        said.ok_or_else(|| "git could not be run, or did not end".to_owned())
    }

    /// What git answers, without its last newline; nothing when it fails.
    async fn ask(&self, args: &[&str]) -> Result<Option<String>, String> {
        let said = self.say(args).await?;
        let text = String::from_utf8_lossy(&said.out).trim_end_matches('\n').to_owned();
        Ok((said.code == 0).then_some(text))
    }

    /// Whether a file that holds `now` is all the session's, as far as its last commit is from one of the states that it
    /// had; one that is too large to be read is not said to be.
    async fn is_own(&self, file: &SoughtFile, new: bool, prefix: &str, now: Option<BlobId>) -> bool {
        if file.states.last() != Some(&now) {
            return false;
        }
        if new {
            return file.states.contains(&None);
        }
        // As it would be checked out.
        let name = format!("HEAD:{prefix}{}", file.path);
        let last = self.say(&["cat-file", "--filters", &name]).await;
        last.is_ok_and(|said| said.code == 0 && file.states.contains(&Some(BlobId::of(&said.out))))
    }

    /// What git answers.
    ///
    /// # Errors
    /// What it complains of, where it fails.
    async fn must(&self, args: &[&str], names: &[&str]) -> Result<Vec<u8>, String> {
        let all: Vec<&str> = args.iter().chain(names).copied().collect();
        let said = self.say(&all).await?;
        if said.code == 0 { Ok(said.out) } else { Err(said.complaint()) }
    }
}

/// What git has of the files that a session wrote.
///
/// # Errors
/// Why nothing can be committed here, for people.
pub async fn look(jail: &Jail, wanted: &[SoughtFile]) -> Result<CommitTree, String> {
    let git = Git::find(jail.root()).await?;
    let Place { prefix, mut notes, merge } = place(&git).await?;
    identity(&git).await?;
    let (wanted, inner) = outside_others(jail, wanted);
    if wanted.is_empty() {
        return Err(inner.join("; "));
    }
    notes.extend(inner);
    let all = git.must(&TRACKED, &[]).await?;
    let parts = match &merge {
        Some(merge) => Parts::of(&git, jail, &all, (&prefix, &merge.heads)).await?,
        None => Parts::default(),
    };
    let others = parts.named.iter().filter(|path| !wanted.iter().any(|file| file.path == **path));
    let others: Vec<SoughtFile> =
        others.map(|path| SoughtFile { path: path.clone(), states: Vec::new() }).collect();
    let wanted: Vec<&SoughtFile> = wanted.into_iter().chain(&others).collect();
    if wanted.len() > MOST_FILES {
        return Err(format!("{} files would be committed; use `!git commit` for that many", wanted.len()));
    }
    let names: Vec<&str> = wanted.iter().map(|file| file.path.as_str()).collect();
    unfiltered(&git, &names).await?;
    let args = ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--"];
    let said = git.must(&[&["--literal-pathspecs"], args.as_slice()].concat(), &names).await?;
    let ours = entries(&said, &prefix)?;
    let mut files = Vec::new();
    for file in wanted {
        let path = &file.path;
        let Some(entry) = ours.iter().find(|e| e.path == path.as_str()) else { continue };
        if entry.conflict && merge.is_none() {
            return Err(format!("{path} is in conflict; settle it with git first"));
        }
        files.push(looked(&git, jail, (entry, file), (&prefix, &parts)).await);
    }
    let named: BTreeSet<String> = files.iter().map(|f| format!("{prefix}{}", f.path)).collect();
    let mut foreign = entries(&all, "")?;
    foreign.retain(|e| !named.contains(e.path));
    let (staged, others) = match merge {
        Some(_) => (0, foreign.iter().filter(|e| !e.staged).count()),
        None => (foreign.iter().filter(|e| e.staged).count(), foreign.len()),
    };
    let stays = foreign.iter().filter(|e| merge.is_none() || !e.staged);
    let left = stays.map(|e| e.path.strip_prefix(prefix.as_str()).unwrap_or(e.path).to_owned()).collect();
    let merge = match merge {
        Some(merge) => {
            let state = merge::state(&merge.heads, &all, &named)?;
            Some(Merge { state, message: merge.message, more: parts.more(&named) })
        }
        None => None,
    };
    let (small, on) = (small(&git).await?, standing(&git).await?);
    let lines = changed_lines(jail.root(), &names).await;
    Ok(CommitTree { on, files, others, left, staged, notes, small, lines, merge, seen: None })
}

/// A file that a commit would hold, as it lies there.
async fn looked(
    git: &Git<'_>,
    jail: &Jail,
    (entry, file): (&Entry<'_>, &SoughtFile),
    (prefix, parts): (&str, &Parts),
) -> CommitFile {
    let path = &file.path;
    let content = jail.read(path).ok().map(|bytes| BlobId::of(&bytes));
    let new = entry.untracked || entry.added;
    let kind = match (new, content) {
        (_, None) => ChangeKind::Delete,
        (true, Some(_)) => ChangeKind::Create,
        (false, Some(_)) => ChangeKind::Modify,
    };
    let whole = format!("{prefix}{path}");
    let mixed = if file.states.is_empty() {
        parts.is_mixed(&whole)
    } else if parts.brings(&whole) {
        // In a merge what others wrote is what it brings.
        file.states.last() != Some(&content)
    } else {
        !git.is_own(file, new, prefix, content).await
    };
    CommitFile { path: path.clone(), kind, content, untracked: entry.untracked, mixed }
}

/// Whether most of the last first lines of the log begin with a small letter, behind what they are about: `core: mend it`.
async fn small(git: &Git<'_>) -> Result<bool, String> {
    let log = git.ask(&["log", "-10", "--no-merges", "--format=%s"]).await?.unwrap_or_default();
    let says = |line: &str| line.split_once(": ").map_or(line, |(_, says)| says).chars().next();
    let heads: Vec<char> = log.lines().filter_map(says).collect();
    let of = |is: fn(char) -> bool| heads.iter().filter(|c| is(**c)).count();
    Ok(of(char::is_lowercase) > of(char::is_uppercase))
}

/// Commits exactly these files, as they were looked at; where that ends a merge, with what the other side brings.
///
/// # Errors
/// Why nothing was committed, for people.
pub async fn commit(
    jail: &Jail,
    files: &[CommitFile],
    message: &str,
    merge: Option<&str>,
) -> Result<Committed, String> {
    if message.contains('\0') || message.trim().is_empty() {
        return Err("the message is empty or holds a zero byte".to_owned());
    }
    let git = Git::find(jail.root()).await?;
    let place = place(&git).await?;
    let named: BTreeSet<String> = files.iter().map(|f| format!("{}{}", place.prefix, f.path)).collect();
    let now = match &place.merge {
        Some(merge) => Some(merge::state(&merge.heads, &git.must(&TRACKED, &[]).await?, &named)?),
        None => None,
    };
    if now.as_deref() != merge {
        return Err(
            "the merge that git is in the middle of is not what was shown; /commit checks again".to_owned()
        );
    }
    for file in files {
        let now = jail.read(&file.path).ok().map(|bytes| BlobId::of(&bytes));
        if now != file.content {
            return Err(format!("{} changed since it was shown; /commit checks again", file.path));
        }
    }
    let names: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
    unfiltered(&git, &names).await?;
    let text = format!("--message={message}");
    if merge.is_some() {
        // Without a name it would be everything.
        if !names.is_empty() {
            git.must(&["--literal-pathspecs", "add", "--all", "--"], &names).await?;
        }
        git.must(&[&MAKE[..], &[&text]].concat(), &[]).await?;
    } else {
        commit_only(&git, files, &names, &text).await?;
    }
    let id = git.ask(&["rev-parse", "--short", "HEAD"]).await?.unwrap_or_default();
    let args = ["diff-tree", "--no-commit-id", "--name-only", "--no-renames", "-r", "-z", "--root", "HEAD"];
    let held = git.must(&args, &[]).await?;
    let held: BTreeSet<String> = fields(&held).map(str::to_owned).collect();
    let mut on = standing(&git).await?;
    if merge.is_none() && held != named {
        on.push_str("; git says that it holds other files than were named, look at it");
    }
    Ok(Committed { id, on })
}

/// Commits what these files hold, whatever is staged.
async fn commit_only(git: &Git<'_>, files: &[CommitFile], names: &[&str], text: &str) -> Result<(), String> {
    let new: Vec<&str> = files.iter().filter(|f| f.untracked).map(|f| f.path.as_str()).collect();
    if !new.is_empty() {
        git.must(&["--literal-pathspecs", "add", "--intent-to-add", "--"], &new).await?;
    }
    let args = [&["--literal-pathspecs"], &MAKE[..], &["--only", text, "--"]].concat();
    if let Err(why) = git.must(&args, names).await {
        if !new.is_empty() {
            // What git did not know it need not know.
            let undone = ["--literal-pathspecs", "rm", "--cached", "--quiet", "--ignore-unmatch", "--"];
            drop(git.must(&undone, &new).await);
        }
        return Err(why);
    }
    Ok(())
}

/// The files of this repository, and what is to be said of those that lie in another one below it.
fn outside_others<'f>(jail: &Jail, wanted: &'f [SoughtFile]) -> (Vec<&'f SoughtFile>, Vec<String>) {
    let mut inner: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut own, mut known) = (Vec::new(), BTreeMap::new());
    for file in wanted {
        let path = file.path.as_str();
        let folders = path.match_indices('/').rev().filter_map(|(at, _)| path.get(..at));
        let mut others = folders.filter(|folder| {
            let is_other = || jail.root().join(folder).join(".git").symlink_metadata().is_ok();
            *known.entry(*folder).or_insert_with(is_other)
        });
        match others.next() {
            Some(folder) => *inner.entry(folder).or_default() += 1,
            None => own.push(file),
        }
    }
    let told = inner.into_iter().map(|(folder, files)| {
        let files = count(files, "file");
        format!(
            "{files} below {folder}, a repository of its own: commit there (`!git -C {folder} add -p`, then `!git -C \
             {folder} commit`)"
        )
    });
    (own, told.collect())
}

/// Where the folder stands in its repository, and what is to be known before a commit there.
async fn place(git: &Git<'_>) -> Result<Place, String> {
    let args =
        ["rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-prefix"];
    let said = git.say(&args).await?;
    let text = String::from_utf8_lossy(&said.out).into_owned();
    let mut lines = text.split('\n');
    let (inside, own, common, prefix) = (lines.next(), lines.next(), lines.next(), lines.next());
    if said.code != 0 || inside != Some("true") {
        return Err(said.refused().unwrap_or_else(|| "this folder is not in a git repository".to_owned()));
    }
    let own = Path::new(own.unwrap_or_default());
    for (file, why) in UNDER_WAY {
        if own.join(file).symlink_metadata().is_ok() {
            return Err(why.to_owned());
        }
    }
    let mut notes = Vec::new();
    let hooks = hooks(git, &git.folder.join(common.unwrap_or_default())).await?;
    if !hooks.is_empty() {
        notes.push(format!(
            "The repository's hooks are not run ({}); `!git commit` runs them.",
            hooks.join(", ")
        ));
    }
    if git.ask(&["config", "--type=bool", "--get", "commit.gpgSign"]).await?.as_deref() == Some("true") {
        notes.push("It is not signed, although commit.gpgSign is on; `!!git commit` signs.".to_owned());
    }
    let text = |name: &str| String::from_utf8(regular::read(&own.join(name), MERGE_BYTES).ok()?).ok();
    let merge = text("MERGE_HEAD")
        .map(|heads| Begun { heads, message: own_lines(&text("MERGE_MSG").unwrap_or_default()) });
    Ok(Place { prefix: prefix.unwrap_or_default().to_owned(), notes, merge })
}

/// The message that git has for a merge, without the lines in which it says something.
fn own_lines(message: &str) -> String {
    let lines: Vec<&str> = message.lines().filter(|line| !line.starts_with('#')).collect();
    let text = lines.join("\n").trim().to_owned();
    if text.is_empty() { "Merge".to_owned() } else { text }
}

/// The hooks of the repository that a commit would call.
async fn hooks(git: &Git<'_>, common: &Path) -> Result<Vec<&'static str>, String> {
    use std::os::unix::fs::PermissionsExt;
    let listed = git.ask(&["config", "--show-scope", "--null", "--get-all", "core.hooksPath"]).await?;
    let listed = listed.unwrap_or_default();
    let mut pairs = listed.split('\0');
    let mut folder = common.join("hooks");
    while let (Some(scope), Some(path)) = (pairs.next(), pairs.next()) {
        if scope != "command" {
            folder = git.folder.join(path);
        }
    }
    let runs = |name: &&str| {
        let file = folder.join(name).metadata();
        file.is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    Ok(HOOKS.into_iter().filter(runs).collect())
}

/// Whether git knows who commits, by the repository, the user's settings or the environment; what is missing is told whole,
/// as lines that can be typed as they stand.
async fn identity(git: &Git<'_>) -> Result<(), String> {
    let mut known = true;
    for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        // What git would make up of the machine's name is nobody.
        known &= git.ask(&["-c", "user.useConfigOnly=true", "var", who]).await?.is_some();
    }
    if known {
        return Ok(());
    }
    let mut ways = Vec::new();
    for (key, example) in [("user.name", "Your Name"), ("user.email", "you@example.org")] {
        if git.ask(&["config", "--get", key]).await?.is_none_or(|v| v.trim().is_empty()) {
            ways.push(format!("`!!git config {key} \"{example}\"`"));
        }
    }
    if ways.is_empty() {
        return Ok(());
    }
    Err(format!("git does not know who you are; tell it for this repository: {}", ways.join(", then ")))
}

/// Whether no filter stands between the files and the commit: it would have to run.
async fn unfiltered(git: &Git<'_>, names: &[&str]) -> Result<(), String> {
    if names.is_empty() {
        return Ok(());
    }
    let said = git.must(&["check-attr", "-z", "filter", "--"], names).await?;
    let all: Vec<&str> = fields(&said).collect();
    for entry in all.chunks(3) {
        let (Some(path), Some(value)) = (entry.first(), entry.get(2)) else { continue };
        if !matches!(*value, "unspecified" | "unset") {
            return Err(format!(
                "{path} goes through the filter {value}, which is not run here; `!git commit` runs it"
            ));
        }
    }
    Ok(())
}

/// The branch, or that there is none.
async fn standing(git: &Git<'_>) -> Result<String, String> {
    if let Some(branch) = git.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await? {
        return Ok(branch);
    }
    let at = git.ask(&["rev-parse", "--short", "HEAD"]).await?.unwrap_or_default();
    Ok(format!("no branch (HEAD is detached at {at}; `git switch -c NAME` keeps what is committed there)"))
}

/// A line of git's status.
#[derive(Clone, Debug)]
struct Entry<'a> {
    path: &'a str,
    staged: bool,
    added: bool,
    untracked: bool,
    conflict: bool,
    /// Whether the file is not as it is staged.
    edited: bool,
    /// Its modes, as far as they are told.
    modes: Vec<&'a str>,
    /// What is staged, by git's name for it.
    staged_as: &'a str,
    /// What both sides of a conflict have.
    sides: Vec<&'a str>,
}

impl Entry<'_> {
    /// What is staged, with its mode.
    fn index(&self) -> String {
        format!("{} {}", self.modes.get(1).copied().unwrap_or_default(), self.staged_as)
    }

    /// Whether it is a file wherever it is anything: no link, and no repository.
    fn is_plain(&self) -> bool {
        self.modes.iter().all(|mode| mode.starts_with("100") || *mode == "000000")
    }
}

/// The lines of a status, with paths from `prefix` on.
fn entries<'a>(said: &'a [u8], prefix: &str) -> Result<Vec<Entry<'a>>, String> {
    let mut all = Vec::new();
    for line in fields(said) {
        let kind = line.split(' ').next().unwrap_or_default();
        // Fields before the path, as the format of version 2 has them, and which of them are modes.
        let (before, modes) = match kind {
            "1" => (8, 3..6),
            "u" => (10, 3..7),
            "?" => (1, 0..0),
            _ => continue,
        };
        let parts: Vec<&str> = line.splitn(before + 1, ' ').collect();
        let Some(path) = parts.last() else { continue };
        let path = path.strip_prefix(prefix).ok_or("git names a file outside this folder")?;
        let states = if kind == "?" { "" } else { parts.get(1).copied().unwrap_or_default() };
        let conflict = kind == "u";
        let sides = parts.get(8..10).filter(|_| conflict && matches!(states, "UU" | "AA"));
        all.push(Entry {
            path,
            staged: !states.is_empty() && !states.starts_with('.'),
            added: kind == "1" && states.starts_with('A'),
            untracked: kind == "?",
            conflict,
            edited: kind == "1" && !states.ends_with('.'),
            modes: parts.get(modes).unwrap_or_default().to_vec(),
            staged_as: parts.get(7).copied().unwrap_or_default(),
            sides: sides.unwrap_or_default().to_vec(),
        });
    }
    Ok(all)
}

/// What stands between zero bytes, where it is text.
fn fields(said: &[u8]) -> impl Iterator<Item = &str> {
    said.split(|b| *b == 0).filter(|f| !f.is_empty()).filter_map(|f| std::str::from_utf8(f).ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
