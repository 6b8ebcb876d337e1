//! The workspace as it was last looked at: every file that counts, by its stamp, and how its content
//! can be had again.
//!
//! Owns the look and what it keeps of the last one: a folder is listed again only when it changed. Files that
//! git ignores and folders that a tool makes again do not count, but for files that a line names as written; git's own do,
//! but its objects.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use pilothouse_core::shell;
use serde::{Deserialize, Serialize};
use walkdir::DirEntry;

use super::{glance::glance, kept::rules_in};
use crate::{
    made::is_made_again,
    stamp::Stamp,
    walk::{Heed, walk_heeding},
};

/// Folders of git that hold contents by their hash, which nothing changes.
const CONTENTS: [&str; 3] = ["objects", "lfs", "rr-cache"];
/// Where git lists what it has, from a repository's folder.
pub(super) const INDEX: &str = ".git/index";
/// Folders into which git's own rules apply.
pub(super) const GIT: &str = ".git";
/// The file in a folder that says what git ignores there.
pub(super) const RULES: &str = ".gitignore";

/// How the content of a file can be had again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Cover {
    /// Not yet.
    #[default]
    None,
    /// By the name of its object, from git in the folder that holds it.
    Git(String),
    /// From a copy of this number.
    Copy(u64),
    /// It is a link and leads there.
    Link(String),
    /// Not at all.
    Left,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    pub stamp: Stamp,
    pub cover: Cover,
    /// Whether the stamp may hide a change.
    pub fresh: bool,
}

impl Known {
    /// Whether it is what it was, by a stamp of now.
    fn is_still(&self, now: Stamp) -> bool {
        // What is not saved cannot be compared: its stamp is all that there is.
        !now.is_folder() && self.stamp == now && (!self.fresh || self.cover == Cover::Left)
    }

    /// The same for a session that has not its copies.
    pub fn lent(&self) -> Self {
        let cover = if self.is_lent() { self.cover.clone() } else { Cover::None };
        Self { cover, ..*self }
    }

    /// Whether what stands for it is there for every session.
    pub const fn is_lent(&self) -> bool {
        matches!(self.cover, Cover::Git(_) | Cover::Link(_))
    }

    /// Whether its content can be had again.
    pub const fn is_saved(&self) -> bool {
        !matches!(self.cover, Cover::None | Cover::Left)
    }
}

/// What was there before something changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Was {
    Nothing,
    File(Known),
    Folder(u32),
}

#[derive(Clone, Debug, Default)]
struct Folder {
    stamp: Option<Stamp>,
    /// Its file of git's rules, as all below was listed by it.
    rules: Option<Stamp>,
    files: Vec<String>,
    folders: Vec<String>,
}

/// A root and all in it that counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub root: PathBuf,
    /// Whether it is a folder of git rather than a workspace.
    git: bool,
    pub files: BTreeMap<String, Known>,
    folders: BTreeMap<String, Arc<Folder>>,
    /// Files that git has and its rules ignore.
    pub tracked: BTreeSet<String>,
    /// Files that git's rules ignore and that a line named as written.
    pub named: BTreeSet<String>,
    /// Folders that git's rules ignore and that a line named: all in them counts.
    pub opened: BTreeSet<String>,
    /// Names that are no text.
    pub odd: BTreeSet<PathBuf>,
    /// When the session began.
    pub since: Option<SystemTime>,
    /// Folders that are passed over.
    pub skip: Vec<PathBuf>,
}

/// A folder as it is left to another session: its path and stamp, the files that count, the names of folders.
type Row = (String, Stamp, Vec<(String, Known)>, Vec<String>);
/// A row, and the file in its folder that says what git ignores: git may ignore that as well, and then no look sees it.
pub(super) type Ruled = (Row, Option<Stamp>);

type Changes = Vec<(String, Was)>;
type Listing = (Vec<String>, Vec<String>);

impl Tree {
    pub fn of(root: PathBuf, git: bool, skip: Vec<PathBuf>) -> Self {
        // A repository without a work tree is git's own folder.
        let bare = ["HEAD", "objects", "refs"].iter().all(|n| root.join(n).symlink_metadata().is_ok());
        Self { root, git: git || bare, skip, ..Self::default() }
    }

    /// The same in a session that began then.
    pub fn of_session(self, since: SystemTime) -> Self {
        Self { since: Some(since), ..self }
    }

    /// Whether what is at a path is git's own.
    pub fn is_gits(&self, path: &str) -> bool {
        self.git || path.split('/').any(|part| part == GIT)
    }

    /// The nearest folder around a path in which git keeps a repository.
    pub fn repository(&self, path: &str) -> Option<String> {
        let parents = Path::new(path).ancestors().skip(1).filter_map(Path::to_str);
        let mut parents = parents.filter(|p| {
            self.folders.get(*p).is_some_and(|f| f.folders.iter().chain(&f.files).any(|n| n == GIT))
        });
        parents.next().map(str::to_owned)
    }

    /// Whether git's list of what it has lies in the repository itself.
    pub fn lists(&self, repository: &str) -> bool {
        self.files.contains_key(&join(repository, INDEX))
    }

    /// Looks at everything; tells what is not as it was at the last look.
    pub fn look(&mut self) -> Changes {
        let now = SystemTime::now();
        let mut all = if self.folders.is_empty() && !self.git { self.whole() } else { HashMap::new() };
        let mut changes = Vec::new();
        let mut waiting: Vec<String> = self.opened.iter().cloned().chain([String::new()]).collect();
        let mut glance = glance(self);
        while let Some(path) = waiting.pop() {
            let mut seen = glance.remove(&path);
            let stamp = seen.as_ref().map(|s| s.stamp).or_else(|| Stamp::at(&self.root.join(&path)));
            let stamp = stamp.filter(|s| s.is_folder());
            let Some(stamp) = stamp else {
                self.forget(&path, &mut changes);
                continue;
            };
            let old = self.folders.get(&path).cloned().unwrap_or_default();
            if old.stamp != Some(stamp) {
                self.list_again(&path, &old, stamp, now, &mut all, &mut changes);
                seen = None;
            }
            let folder = self.folders.get(&path).cloned().unwrap_or_default();
            for name in seen.as_ref().map_or(&folder.files, |s| &s.changed) {
                self.look_at(join(&path, name), now, &mut changes);
            }
            waiting.extend(folder.folders.iter().map(|n| join(&path, n)));
        }
        for path in self.tracked.union(&self.named).cloned().collect::<Vec<_>>() {
            self.look_at(path, now, &mut changes);
        }
        changes
    }

    /// Takes in files that a line named, where no look sees them; gives those.
    pub fn name(&mut self, paths: impl IntoIterator<Item = String>) -> Vec<String> {
        let new = paths.into_iter();
        let new = new.filter(|p| !self.files.contains_key(p) && !self.is_gits(p) && !self.is_own(p));
        let new: Vec<String> = new.collect();
        self.named.extend(new.iter().cloned());
        new
    }

    /// Whether a path lies in a folder that is passed over.
    fn is_own(&self, path: &str) -> bool {
        self.skip.iter().any(|s| self.root.join(path).starts_with(s))
    }

    /// Takes in folders that a line named, where no look sees them; gives those.
    pub fn open(&mut self, paths: impl IntoIterator<Item = String>) -> Vec<String> {
        let new: Vec<String> = paths.into_iter().filter(|p| !self.is_opened(p) && !self.is_own(p)).collect();
        self.opened.extend(new.iter().cloned());
        new
    }

    /// Whether a path is or lies in a folder that is only looked at because a line named it.
    fn is_opened(&self, path: &str) -> bool {
        let mut around = Path::new(path).ancestors().filter_map(Path::to_str);
        !self.opened.is_empty() && around.any(|p| self.opened.contains(p))
    }

    /// Whether a file is only looked at because a line named it.
    pub fn is_hidden(&self, path: &str) -> bool {
        let listed = |(folder, name): (&str, &str)| {
            self.folders.get(folder).is_some_and(|f| f.files.iter().any(|n| n == name))
        };
        let named = || self.named.contains(path) && !split(path).is_some_and(listed);
        !self.tracked.contains(path) && (self.is_opened(path) || named())
    }

    fn list_again(
        &mut self,
        path: &str,
        old: &Folder,
        stamp: Stamp,
        now: SystemTime,
        all: &mut HashMap<String, Listing>,
        changes: &mut Changes,
    ) {
        if old.stamp.is_none_or(|was| was.bits() != stamp.bits()) {
            let was = old.stamp.map_or(Was::Nothing, |was| Was::Folder(was.bits()));
            changes.push((path.to_owned(), was));
        }
        let (mut files, mut folders) = all.remove(path).unwrap_or_else(|| self.list(path));
        files.sort_unstable();
        folders.sort_unstable();
        for gone in old.files.iter().filter(|n| files.binary_search(n).is_err()) {
            let gone = join(path, gone);
            // What is ignored from now on is not gone; what a folder took the place of is.
            let there = Stamp::at(&self.root.join(&gone)).is_some_and(|s| !s.is_folder());
            if there && self.files.contains_key(&gone) {
                self.tracked.insert(gone);
            } else {
                self.drop_file(&gone, changes);
            }
        }
        for gone in old.folders.iter().filter(|n| folders.binary_search(n).is_err()) {
            self.forget(&join(path, gone), changes);
        }
        if !self.is_opened(path) {
            // What git's rules hide no more is like everything else.
            self.opened.retain(|open| {
                split(open).is_none_or(|(at, n)| at != path || !folders.iter().any(|f| f == n))
            });
        }
        let rules = rules_in(&self.root.join(path), stamp, now);
        // The folders in it were listed by those of before.
        let other = old.stamp.is_some() && old.rules != rules;
        let rules = if other { Some(stamp.doubted()) } else { rules };
        let stamp = Some(stamp.settled(now));
        self.folders.insert(path.to_owned(), Arc::new(Folder { stamp, rules, files, folders }));
    }

    fn look_at(&mut self, path: String, now: SystemTime, changes: &mut Changes) {
        let Some(stamp) = Stamp::at(&self.root.join(&path)).filter(|s| !s.is_folder()) else {
            return self.drop_file(&path, changes);
        };
        if self.is_as_known(&path, stamp) {
            return;
        }
        let new = Known { stamp, cover: Cover::None, fresh: stamp.is_fresh(now) };
        let was = self.files.insert(path.clone(), new).map_or(Was::Nothing, Was::File);
        changes.push((path, was));
    }

    /// Whether a stamp shows that a file is what it was.
    fn is_as_known(&self, path: &str, stamp: Stamp) -> bool {
        self.files.get(path).is_some_and(|known| known.is_still(stamp))
    }

    /// Every folder that was listed.
    pub fn known_folders(&self) -> impl Iterator<Item = &String> {
        self.folders.keys()
    }

    /// Of the files that a folder was listed with those that are not what they were, by their stamps of now. They are gone
    /// through as they stand in order: to look each up alone would cost as much as to ask the system about it.
    pub fn changed_in(&self, folder: &str, now: impl Fn(&str) -> Option<Stamp>) -> Vec<String> {
        let mut path = join(folder, "");
        let above = path.len();
        let from = |path: &str| self.files.range::<str, _>((Bound::Included(path), Bound::Unbounded));
        let mut at = from(&path);
        let names = self.folders.get(folder).into_iter().flat_map(|f| &f.files);
        let differs = |name: &&String| {
            path.truncate(above);
            path.push_str(name);
            let known = at.next().filter(|(known, _)| **known == path).or_else(|| {
                at = from(&path);
                at.next().filter(|(known, _)| **known == path)
            });
            !known.is_some_and(|(_, known)| now(name).is_some_and(|stamp| known.is_still(stamp)))
        };
        names.filter(differs).cloned().collect()
    }

    /// A file is gone. What git has of it may come back, by an undo: it is still looked for there.
    fn drop_file(&mut self, path: &str, changes: &mut Changes) {
        if let Some(was) = self.files.remove(path) {
            changes.push((path.to_owned(), Was::File(was)));
        }
    }

    /// A folder is gone, with all in it.
    fn forget(&mut self, path: &str, changes: &mut Changes) {
        let Some(folder) = self.folders.remove(path) else { return };
        if let Some(stamp) = folder.stamp {
            changes.push((path.to_owned(), Was::Folder(stamp.bits())));
        }
        for name in &folder.files {
            self.drop_file(&join(path, name), changes);
        }
        for name in &folder.folders {
            self.forget(&join(path, name), changes);
        }
    }

    /// The permission bits of a folder that is there.
    pub fn folder(&self, path: &str) -> Option<u32> {
        self.folders.get(path)?.stamp.map(Stamp::bits)
    }

    /// Every folder with its permission bits.
    pub fn all_folders(&self) -> impl Iterator<Item = (&String, u32)> {
        self.folders.iter().filter_map(|(p, f)| Some((p, f.stamp?.bits())))
    }

    /// The folders in which git keeps repositories.
    pub fn repositories(&self) -> impl Iterator<Item = &str> {
        let holds = |f: &Folder| f.folders.iter().chain(&f.files).any(|n| n == GIT);
        self.folders.iter().filter(move |(_, f)| holds(f)).map(|(path, _)| path.as_str())
    }

    /// What every look sees without being told, but git's own.
    pub fn rows(&self) -> impl Iterator<Item = Ruled> {
        let seen = self.folders.iter().filter(|(path, _)| !self.is_gits(path) && !self.is_opened(path));
        seen.filter_map(|(path, folder)| {
            let known = |name: &String| Some((name.clone(), self.files.get(&join(path, name))?.lent()));
            let files = folder.files.iter().filter_map(known).collect();
            Some(((path.clone(), folder.stamp?, files, folder.folders.clone()), folder.rules))
        })
    }

    /// Whether what is known of a path stands in a row as well.
    pub fn is_lent(&self, path: &str) -> bool {
        let plain = !self.is_gits(path) && !self.is_opened(path);
        let told = self.tracked.contains(path) || self.named.contains(path);
        plain
            && self.files.get(path).map_or_else(|| self.folders.contains_key(path), |k| k.is_lent() && !told)
    }

    /// Takes in the rows of another session's tree.
    pub fn take_in(&mut self, rows: impl Iterator<Item = Ruled>, tracked: BTreeMap<String, Known>) {
        for ((path, stamp, known, folders), rules) in rows {
            let files = known.iter().map(|(name, _)| name.clone()).collect();
            self.files.extend(known.into_iter().map(|(name, known)| (join(&path, &name), known)));
            self.folders.insert(path, Arc::new(Folder { stamp: Some(stamp), rules, files, folders }));
        }
        self.tracked = tracked.keys().cloned().collect();
        self.files.extend(tracked);
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        (self.files, self.folders) = (BTreeMap::new(), BTreeMap::new());
        (self.tracked, self.odd) = (BTreeSet::new(), BTreeSet::new());
    }

    /// Takes in what a look of an earlier process found; folders are listed again.
    pub fn remember(&mut self, files: BTreeMap<String, Known>, folders: &BTreeMap<String, u32>) {
        for (path, bits) in folders {
            let folder = self.folders.entry(path.clone()).or_default();
            Arc::make_mut(folder).stamp = Some(Stamp::of_folder(*bits));
            if let Some((parent, name)) = split(path).filter(|_| !self.opened.contains(path)) {
                let parent = self.folders.entry(parent.to_owned()).or_default();
                Arc::make_mut(parent).folders.push(name.to_owned());
            }
        }
        for path in files.keys() {
            if let Some((parent, name)) = split(path) {
                let parent = self.folders.entry(parent.to_owned()).or_default();
                Arc::make_mut(parent).files.push(name.to_owned());
            }
        }
        self.files = files;
    }

    /// Everything that counts, folder by folder, in one walk.
    fn whole(&mut self) -> HashMap<String, Listing> {
        let mut all: HashMap<String, Listing> = HashMap::new();
        let root = self.root.clone();
        for entry in walk(&root, &root, None) {
            let Ok(below) = entry.path().strip_prefix(&root) else { continue };
            self.sort(below, entry.file_type().is_dir(), &mut all);
        }
        for (path, (_, folders)) in &mut all {
            if Stamp::at(&root.join(path).join(GIT)).is_some_and(Stamp::is_folder) {
                folders.push(GIT.to_owned());
            }
        }
        all
    }

    /// The names in one folder.
    fn list(&mut self, path: &str) -> Listing {
        let folder = self.root.join(path);
        let mut all = HashMap::new();
        if self.is_gits(path) {
            let names: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
            let top = names.iter().any(|e| e.file_name() == "HEAD");
            for entry in names {
                let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
                let name = entry.file_name();
                let text = name.to_string_lossy();
                let contents = top && is_folder && CONTENTS.contains(&text.as_ref());
                if !contents && !text.ends_with(".lock") && !text.starts_with("fsmonitor") {
                    self.sort(&Path::new(path).join(&name), is_folder, &mut all);
                }
            }
        } else if self.is_opened(path) {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
                if !is_folder || !is_made_again(&entry.path(), self.since) {
                    self.sort(&Path::new(path).join(entry.file_name()), is_folder, &mut all);
                }
            }
        } else {
            for entry in walk(&self.root, &folder, Some(1)).filter(|e| e.depth() > 0) {
                let Ok(below) = entry.path().strip_prefix(&self.root).map(Path::to_owned) else { continue };
                self.sort(&below, entry.file_type().is_dir(), &mut all);
            }
            if Stamp::at(&folder.join(GIT)).is_some_and(Stamp::is_folder) {
                all.entry(path.to_owned()).or_default().1.push(GIT.to_owned());
            }
        }
        all.remove(path).unwrap_or_default()
    }

    fn sort(&mut self, below: &Path, is_folder: bool, all: &mut HashMap<String, Listing>) {
        let Some(text) = below.to_str() else {
            self.odd.insert(below.to_owned());
            return;
        };
        if is_folder && self.skip.iter().any(|s| *s == self.root.join(below)) {
            return;
        }
        if text.is_empty() {
            all.entry(String::new()).or_default();
        } else if let Some((parent, name)) = split(text) {
            let (files, folders) = all.entry(parent.to_owned()).or_default();
            if is_folder { folders } else { files }.push(name.to_owned());
            if is_folder {
                all.entry(text.to_owned()).or_default();
            }
        }
    }
}

/// Walks a folder by git's rules of ignored files; git's own folders and what tools make again are left out.
fn walk(root: &Path, start: &Path, depth: Option<usize>) -> impl Iterator<Item = DirEntry> + use<> {
    walk_heeding(root, start, depth, Heed::Git, |entry| {
        entry.file_type().is_dir() && shell::makes_again(&entry.file_name().to_string_lossy())
    })
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn split(path: &str) -> Option<(&str, &str)> {
    if path.is_empty() { None } else { Some(path.rsplit_once('/').unwrap_or(("", path))) }
}
