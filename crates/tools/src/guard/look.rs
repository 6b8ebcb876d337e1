//! One look at all control files: where they are and what they hold.
//!
//! Owns the walk and its cache: a folder is read again only when it changed since. Never follows a
//! link to another folder.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use pilothouse_core::control::{control, of_git};

use super::Root;
use crate::{regular, stamp::Stamp};

/// Folders of build output and dependencies, which are not looked into.
const PASSED_OVER: [&str; 17] = [
    "node_modules",
    "bower_components",
    "target",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".turbo",
    ".terraform",
    "Pods",
    "DerivedData",
];

/// Folders of git that hold data only.
const GITS_DATA: [&str; 5] = ["objects", "refs", "logs", "lfs", "rr-cache"];

/// Most folders that one look takes in, the nearest first.
const MOST_FOLDERS: usize = 50_000;
/// Most things that a sandbox is asked to hold by mounts.
const MOST_HELD: usize = 400;
/// A larger file is compared by its stamp, and cannot be put back.
pub(super) const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// What tells a file or a folder apart from another in its place, wherever it is mounted.
type Place = (u64, u64);

/// What was read of a folder.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    place: Place,
    stamp: Stamp,
    folders: Vec<PathBuf>,
    control: Vec<PathBuf>,
}

/// Folders as they were when they were last read.
pub(super) type Cache = BTreeMap<PathBuf, Folder>;

/// A control file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A file: its content and its permission bits.
    File(Arc<[u8]>, u32),
    /// A file that is too large to be kept in mind.
    Large(Stamp),
    /// A link, and where it leads.
    Link(PathBuf),
    /// Something else of that name.
    Other,
}

/// All control files at one moment.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// What they hold.
    pub entries: BTreeMap<PathBuf, Entry>,
    /// Files that control links lead to, which steer as well.
    led: BTreeMap<PathBuf, Entry>,
    /// Every folder that was looked into.
    pub folders: BTreeMap<PathBuf, Place>,
    /// Folders that hold nothing but control files.
    control: BTreeSet<PathBuf>,
}

impl Look {
    /// Looks at everything below the roots.
    pub fn at(roots: &[Root], cache: &mut Cache) -> Self {
        let mut look = Self::default();
        let mut known = Cache::new();
        let mut queue: VecDeque<(&Root, PathBuf)> = roots.iter().map(|r| (r, r.path.clone())).collect();
        while let Some((root, path)) = queue.pop_front() {
            if look.folders.len() >= MOST_FOLDERS {
                break;
            }
            let Some(meta) = path.symlink_metadata().ok().filter(Metadata::is_dir) else { continue };
            let (place, stamp) = ((meta.dev(), meta.ino()), Stamp::of(&meta));
            if look.folders.insert(path.clone(), place).is_some() {
                continue;
            }
            let read = cache.remove(&path).filter(|f| (f.place, f.stamp) == (place, stamp));
            let folder = read.unwrap_or_else(|| read_folder(root, &path, (place, stamp)));
            let gits = path.file_name().is_some_and(|n| n.eq_ignore_ascii_case(".git"));
            if path != root.path && !gits && root.judges(&path) {
                look.control.insert(path.clone());
            }
            folder.control.iter().for_each(|file| look.take(root, file));
            queue.extend(folder.folders.iter().map(|f| (root, f.clone())));
            if !stamp.is_fresh(SystemTime::now()) {
                known.insert(path, folder);
            }
        }
        *cache = known;
        look
    }

    /// Looks at these files alone.
    pub fn of(files: &[PathBuf]) -> Self {
        let entries = files.iter().filter_map(|path| Some((path.clone(), Entry::of(path)?))).collect();
        Self { entries, ..Self::default() }
    }

    /// Takes a control file in; where it is a link, what it leads to steers as well.
    fn take(&mut self, root: &Root, path: &Path) {
        let Some(entry) = Entry::of(path) else { return };
        if let Entry::Link(_) = entry
            && let Some(real) = path.canonicalize().ok().filter(|r| r.starts_with(&root.path) && r.is_file())
            && let Some(led) = Entry::of(&real)
        {
            self.led.insert(real, led);
        }
        self.entries.insert(path.to_owned(), entry);
    }

    /// What was at a path that this look took in.
    pub fn was(&self, path: &Path) -> Option<&Entry> {
        self.entries.get(path).or_else(|| self.led.get(path))
    }

    /// Control files that are not the same in both looks. What a link leads to counts where the link
    /// was there before.
    pub fn differences<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = &'a Path> {
        let all: BTreeSet<&PathBuf> = self.entries.keys().chain(after.entries.keys()).collect();
        let named = all.into_iter().filter(|p| self.entries.get(*p) != after.entries.get(*p));
        let led = self
            .led
            .iter()
            .filter(|(p, e)| !self.entries.contains_key(*p) && Entry::of(p).as_ref() != Some(*e));
        named.chain(led.map(|(p, _)| p)).map(PathBuf::as_path)
    }

    /// Whether a file was there and is there in the very same folders.
    pub fn same_place(&self, after: &Self, path: &Path) -> bool {
        let file = |look: &Self| matches!(look.was(path), Some(Entry::File(..) | Entry::Large(_)));
        let folder = |dir: &Path| match (self.folders.get(dir), after.folders.get(dir)) {
            (Some(was), Some(is)) => was == is,
            (None, None) => true,
            _ => false,
        };
        file(self) && file(after) && path.ancestors().skip(1).all(folder)
    }

    /// What a sandbox can hold by mounts: folders of control files, and files that lie in no such.
    pub fn holdable(&self) -> Vec<PathBuf> {
        let below = |p: &Path| p.ancestors().skip(1).any(|a| self.control.contains(a));
        let files = self
            .entries
            .iter()
            .chain(&self.led)
            .filter(|(_, e)| matches!(e, Entry::File(..) | Entry::Large(_)));
        let all = self.control.iter().chain(files.map(|(p, _)| p));
        all.filter(|p| !below(p)).take(MOST_HELD).cloned().collect()
    }
}

impl Entry {
    /// What is at a path now, if anything is.
    pub fn of(path: &Path) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
        if meta.is_symlink() {
            return Some(Self::Link(fs::read_link(path).ok()?));
        }
        if !meta.is_file() {
            return Some(Self::Other);
        }
        if meta.len() > MOST_BYTES {
            return Some(Self::Large(Stamp::of(&meta)));
        }
        Some(
            regular::read_in_place(path, MOST_BYTES)
                .map_or(Self::Large(Stamp::of(&meta)), |b| Self::File(b.into(), meta.mode() & 0o7777)),
        )
    }
}

impl Root {
    /// Whether what is at this path may not be changed by a command.
    pub(super) fn judges(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.path) else { return false };
        let names: Vec<_> = below.iter().map(|n| n.to_string_lossy()).collect();
        let parts = names.iter().map(AsRef::as_ref);
        let found = if self.git { Some(of_git(parts)) } else { control(parts) };
        found.is_some_and(|c| !c.gits)
    }
}

/// Reads one folder: the folders below that are worth a look, and the control files in it.
fn read_folder(root: &Root, path: &Path, (place, stamp): (Place, Stamp)) -> Folder {
    let mut folder = Folder { place, stamp, folders: Vec::new(), control: Vec::new() };
    let in_git = root.git || path.iter().any(|n| n == ".git");
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
        let passed = |list: &[&str]| list.iter().any(|p| name == *p);
        if !is_folder {
            folder.control.extend(root.judges(&path).then_some(path));
        } else if !(passed(&PASSED_OVER) || (in_git && passed(&GITS_DATA))) {
            folder.folders.push(path);
        }
    }
    folder
}
