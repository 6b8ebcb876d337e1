//! Walking a folder of the workspace without what git and `.ignore` files leave out.
//!
//! Owns which names are ignored. A file of patterns is read only if it is a regular one of bounded size that no link
//! leads to, as git reads its own: a project must not make us wait for a pipe or read a device.

use std::path::{Path, PathBuf};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use walkdir::{DirEntry, WalkDir};

use crate::regular;

/// A longer file of patterns is left aside.
const MOST_BYTES: u64 = 256 * 1024;

/// Kinds of what is mounted that hold no files: what the kernel tells of processes and devices.
const TOLD: [&str; 5] = ["proc", "sysfs", "devtmpfs", "devpts", "cgroup2"];

/// Which files of patterns are heeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heed {
    /// Git's alone.
    Git,
    /// Git's, and `.ignore` before them.
    All,
}

/// What is below `start`, itself included, in the order of the names; nothing of git's folder, no link is followed.
///
/// `start` lies in `root`, the workspace; what the folders above say of it holds, up to the top of the repository.
pub fn walk(root: &Path, start: &Path, depth: Option<usize>) -> impl Iterator<Item = DirEntry> + use<> {
    walk_heeding(root, start, depth, Heed::All, |_| false)
}

/// As [`walk`], by the files of patterns that are to be heeded and without what is to be skipped.
pub fn walk_heeding(
    root: &Path,
    start: &Path,
    depth: Option<usize>,
    heed: Heed,
    skip: fn(&DirEntry) -> bool,
) -> impl Iterator<Item = DirEntry> + use<> {
    let mut patterns = Patterns::above(root, start, heed);
    let mut keeps = move |entry: &DirEntry| entry.depth() == 0 || (!skip(entry) && patterns.keeps(entry));
    let walk = WalkDir::new(start)
        .follow_root_links(false)
        .max_depth(depth.unwrap_or(usize::MAX))
        .sort_by_file_name()
        .into_iter()
        .filter_entry(move |entry| keeps(entry));
    // A folder that cannot be read is left out, like one that went away while we looked.
    walk.flatten()
}

/// What is below `start`, itself included, and what the patterns leave out of it, each as a whole; `None` where there are
/// more than `most` names, or some cannot be read.
pub fn parted(root: &Path, start: &Path, heed: Heed, most: usize) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut patterns = Patterns::above(root, start, heed);
    let (mut kept, mut out) = (Vec::new(), Vec::new());
    let keeps = |entry: &DirEntry| {
        let keeps = entry.depth() == 0 || patterns.keeps(entry);
        if !keeps {
            out.push(entry.path().to_owned());
        }
        keeps
    };
    for entry in WalkDir::new(start).follow_root_links(false).into_iter().filter_entry(keeps) {
        kept.push(entry.ok()?.into_path());
        if kept.len() > most {
            return None;
        }
    }
    Some((kept, out))
}

/// Whether git's patterns leave out what is at `path`, by its own name; `folder` says what it is.
pub fn ignores(root: &Path, path: &Path, folder: bool) -> bool {
    path.parent().is_some_and(|above| Patterns::above(root, above, Heed::Git).ignores(path, folder))
}

/// The patterns that hold where the walk is.
struct Patterns {
    heed: Heed,
    /// Those of the folders above and of the walk's own way down, outermost first.
    levels: Vec<Level>,
    /// Those of the repository alone, and the user's own.
    last: [Gitignore; 2],
    /// Where nothing is a file.
    told: Vec<PathBuf>,
}

struct Level {
    /// How far below the start of the walk; `None` above it.
    depth: Option<usize>,
    ignore: Gitignore,
    gitignore: Gitignore,
}

impl Patterns {
    /// What holds for what is in `start`.
    fn above(root: &Path, start: &Path, heed: Heed) -> Self {
        let top = root.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok());
        let outermost = top.unwrap_or(root);
        let mut above: Vec<&Path> =
            start.ancestors().skip(1).take_while(|dir| dir.starts_with(outermost)).collect();
        above.reverse();
        let exclude = top.map_or_else(Gitignore::empty, |top| patterns(top, &top.join(".git/info/exclude")));
        let above = above.into_iter().map(|dir| (dir, None)).chain([(start, Some(0))]);
        let levels = above.map(|(dir, depth)| Level::of(dir, depth, heed)).collect();
        let told = told(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default(), start);
        Self { heed, levels, last: [exclude, Gitignore::global().0], told }
    }

    /// Whether the walk goes on with an entry below its start; a folder's own patterns hold from then on.
    fn keeps(&mut self, entry: &DirEntry) -> bool {
        let folder = entry.file_type().is_dir();
        let depth = entry.depth();
        while self.levels.last().is_some_and(|level| level.depth.is_some_and(|d| d >= depth)) {
            self.levels.pop();
        }
        if entry.file_name() == ".git" || self.ignores(entry.path(), folder) {
            return false;
        }
        if folder && self.told.iter().any(|place| place == entry.path()) {
            return false;
        }
        if folder {
            self.levels.push(Level::of(entry.path(), Some(depth), self.heed));
        }
        true
    }

    /// The innermost pattern decides; `.ignore` goes before `.gitignore`.
    fn ignores(&self, path: &Path, folder: bool) -> bool {
        let inner = || self.levels.iter().rev();
        let all = inner().map(|l| &l.ignore).chain(inner().map(|l| &l.gitignore)).chain(&self.last);
        all.map(|patterns| patterns.matched(path, folder))
            .find(|found| !matches!(found, Match::None))
            .is_some_and(|found| found.is_ignore())
    }
}

/// Where below `start` something is mounted that holds no files, by the system's list of mounts.
fn told(mounts: &str, start: &Path) -> Vec<PathBuf> {
    let place = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        let kind = kind.split(' ').next()?;
        let place = Path::new(mount.split(' ').nth(4)?);
        (TOLD.contains(&kind) && place != start && place.starts_with(start)).then(|| place.to_owned())
    };
    mounts.lines().filter_map(place).collect()
}

impl Level {
    fn of(dir: &Path, depth: Option<usize>, heed: Heed) -> Self {
        let of = |name: &str| patterns(dir, &dir.join(name));
        let ignore = if heed == Heed::All { of(".ignore") } else { Gitignore::empty() };
        Self { depth, ignore, gitignore: of(".gitignore") }
    }
}

/// The patterns of a file, for what is in `dir`; none when it is not there or not to be read.
fn patterns(dir: &Path, file: &Path) -> Gitignore {
    let bytes = match regular::read_in_place(file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Gitignore::empty(),
        Err(e) => {
            tracing::warn!(error = %e, "a file of ignore patterns is left aside");
            return Gitignore::empty();
        }
    };
    let mut builder = GitignoreBuilder::new(dir);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A pattern that means nothing ignores nothing, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
