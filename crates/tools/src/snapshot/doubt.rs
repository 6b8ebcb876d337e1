//! Whose work it is that changed while a command ran: an editor saves when it likes.
//!
//! Owns the rule. Nothing tells who wrote a file, so that only this is the command's for certain: what its own line
//! names as written or removed, what git took from older objects where the line runs git, and of git's own files what
//! changed then. What changed after its end, and all that is told after a crash, is not.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::SystemTime,
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use pilothouse_core::{
    shell::{self, Act},
    tool::Doubt,
};

use super::{
    State, objects,
    record::{Change, Thing},
};
use crate::{
    pattern::{UNKNOWN, is_deep, is_pattern},
    stamp::Stamp,
    unlost::spread,
};

/// Changes that are named.
const MOST_NAMED: usize = 6;

/// What a line says of what it changes.
#[derive(Debug)]
pub(super) struct Named {
    /// Files that it writes or removes.
    files: Gitignore,
    /// Folders that it makes or removes with all in them.
    folders: Gitignore,
    /// Whether it runs git.
    git: bool,
    /// Whether it removes all that there is.
    whole: bool,
    /// Whether it looks for what it removes.
    finds: bool,
    /// Whether it has git remove what its rules ignore.
    cleans: bool,
    /// The paths, whether they hold wildcards, and what is done to them.
    paths: Vec<(String, bool, Act)>,
    /// What it removes of what is there.
    pub gone: Vec<String>,
    /// Folders of it that are too much to be saved, with why.
    pub beyond: Vec<(String, String)>,
}

impl Named {
    /// What a line says that starts in a folder of the workspace.
    pub fn of(line: &str, folder: &str, workspace: &Path) -> Self {
        let reading = shell::read(line);
        let (mut paths, mut whole) = (Vec::new(), false);
        for used in reading.uses.iter().filter(|u| u.act != Act::Read) {
            // Where the line does not show from where it goes, it names nothing.
            if used.from.as_ref().is_some_and(|from| from.len() == 1) {
                whole |= used.act == Act::Delete
                    && used.places(folder).iter().any(|p| Path::new(p) == workspace || p.is_empty());
                let below = used.places(folder).into_iter().filter_map(|p| below(&p, workspace));
                paths.extend(below.map(|path| (path, used.wild, used.act)));
            }
        }
        let build = |end: &str| {
            let mut builder = GitignoreBuilder::new("");
            for (path, wild, _) in &paths {
                // A name that is no pattern names nothing.
                let _ = builder.add_line(None, &format!("/{}{end}", pattern(path, *wild)));
            }
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        };
        let runs = |program: &str| reading.calls.iter().any(|call| call.program == program);
        let (git, finds) = (runs("git"), runs("find"));
        let cleans = reading.calls.iter().any(cleans_ignored);
        let (files, folders) = (build(""), build("/**"));
        Self { files, folders, git, whole, finds, cleans, paths, gone: Vec::new(), beyond: Vec::new() }
    }

    /// The places in the workspace that they mean, and what is done there; notes those that are too many.
    pub fn places(&mut self, root: &Path) -> Vec<(String, Act)> {
        let mut all = if self.whole { vec![(String::new(), Act::Delete)] } else { Vec::new() };
        for (path, wild, act) in &self.paths {
            let wild = *wild || is_pattern(path);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let whole = wild && name.starts_with(UNKNOWN) && (self.finds || !folder.is_empty());
            let path = if whole { folder } else { path };
            if !wild || is_deep(path) || path.contains(UNKNOWN) {
                all.push((path.to_owned(), *act));
                continue;
            }
            match meant(root, path) {
                Some(found) => all.extend(found.into_iter().map(|path| (path, *act))),
                None => self.beyond.push(too_many(path)),
            }
        }
        all
    }

    /// Folders out of which it removes what has a name at any depth, or anything that git ignores.
    pub fn within(&mut self, root: &Path) -> Vec<(String, Option<String>)> {
        let mut all = Vec::new();
        for (path, ..) in self.paths.iter().filter(|(_, wild, act)| *wild && *act == Act::Delete) {
            // From where stars stand for folders on, any name may be meant below.
            let parts: Vec<&str> = path.split('/').collect();
            let Some(at) = parts.iter().position(|part| is_deep(part)) else { continue };
            let (folder, name) = (parts.get(..at).unwrap_or_default().join("/"), parts.last());
            if folder.contains(UNKNOWN) {
                continue;
            }
            match meant(root, &folder) {
                Some(found) => all.extend(found.into_iter().map(|f| (f, name.map(|n| (*n).to_owned())))),
                None => self.beyond.push(too_many(path)),
            }
        }
        all.extend(self.cleans.then(|| (String::new(), None)));
        all
    }

    /// Whether a change may be somebody else's; `stamp` is what stands there, and the command ended `ended`.
    fn doubts(&self, change: &Change, stamp: Option<Stamp>, ended: Option<SystemTime>) -> bool {
        let empty = |thing: &Thing| matches!(thing, Thing::Nothing | Thing::Folder(_));
        let (comes, goes) = (empty(&change.before), empty(&change.after));
        if change.is_note() || (comes && goes) {
            return false;
        }
        if ended.is_none_or(|ended| stamp.is_some_and(|s| s.changed() > ended)) {
            return true;
        }
        if change.gits {
            return !self.git;
        }
        let path = change.path.as_str();
        let named = self.files.matched(path, false).is_ignore();
        !named && !((comes || goes) && self.folders.matched(path, false).is_ignore()) && !(goes && self.git)
    }
}

/// Whether a call is `git clean` with `-x` or `-X`.
fn cleans_ignored(call: &shell::Call) -> bool {
    let flag =
        |w: &shell::Word| w.text.starts_with('-') && !w.text.starts_with("--") && w.text.contains(['x', 'X']);
    call.program == "git" && call.words.iter().any(|w| w.text == "clean") && call.words.iter().any(flag)
}

/// What a path of a line means below the workspace; `None` where that are too many.
fn meant(root: &Path, path: &str) -> Option<Vec<String>> {
    if !is_pattern(path) {
        return Some(vec![path.to_owned()]);
    }
    let below = |at: &PathBuf| Some(at.strip_prefix(root).ok()?.to_str()?.to_owned());
    Some(spread(&root.join(path))?.iter().filter_map(below).collect())
}

fn too_many(path: &str) -> (String, String) {
    (path.to_owned(), "more names than are looked at".to_owned())
}

/// A path of a line below the workspace; `None` for one outside.
fn below(path: &str, workspace: &Path) -> Option<String> {
    let below =
        if path.starts_with('/') { Path::new(path).strip_prefix(workspace).ok()?.to_str()? } else { path };
    (!below.is_empty() && !below.starts_with('~')).then(|| below.to_owned())
}

/// A path as a pattern.
fn pattern(path: &str, wild: bool) -> String {
    let escaped = |c: char| if wild || c.is_alphanumeric() || c == '/' { vec![c] } else { vec!['\\', c] };
    path.chars().flat_map(escaped).collect()
}

/// The files among places that are there, as they are reached without a link.
pub(super) fn there(root: &Path, places: &[(String, Act)]) -> Vec<String> {
    places.iter().flat_map(|(path, _)| reached(root, path)).collect()
}

/// What is written by a path: itself, and where it leads if it is a link. Nothing outside the workspace.
pub(super) fn reached(root: &Path, path: &str) -> Vec<String> {
    let full = root.join(path);
    let own = full.parent().and_then(|p| p.canonicalize().ok()).zip(full.file_name()).map(|(p, n)| p.join(n));
    let real = full.canonicalize().ok();
    let all = [own, real].into_iter().flatten();
    let there = all.filter(|p| Stamp::at(p).is_some_and(|s| s.is_file() || s.is_link()));
    there.filter_map(|p| Some(p.strip_prefix(root).ok()?.to_str()?.to_owned())).collect()
}

impl State {
    /// Marks the changes that may be somebody else's; those that are marked already stay so.
    pub(super) async fn doubt(
        &self,
        changes: &mut [Change],
        named: &Named,
        (since, ended): (SystemTime, Option<SystemTime>),
    ) {
        let marked: Vec<bool> = changes.iter().map(|c| c.doubted).collect();
        for change in changes.iter_mut() {
            let tree = self.trees.get(change.root);
            let stamp = tree.and_then(|t| t.files.get(change.path.as_str())).map(|k| k.stamp);
            change.doubted |= named.doubts(change, stamp, ended);
        }
        if !named.git || ended.is_none() {
            return;
        }
        let stores: Vec<PathBuf> =
            self.stores().into_iter().map(|(root, store)| self.at(root, &store)).collect();
        let mut groups: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        for change in changes.iter().filter(|c| c.doubted && !c.gits) {
            let Some(tree) = self.trees.get(change.root) else { continue };
            let repository = tree.repository(change.path.as_str()).unwrap_or_default();
            let below = change.path.as_str().strip_prefix(&repository).unwrap_or_default();
            let below = below.trim_start_matches('/').to_owned();
            groups.entry((change.root, repository)).or_default().push(below);
        }
        for ((root, repository), paths) in groups {
            let Some(found) =
                objects::tracked(&self.at(root, &repository), &paths, false, |_, _| false).await
            else {
                continue;
            };
            for change in changes.iter_mut().filter(|c| c.root == root && c.doubted && !c.gits) {
                let below = change.path.as_str().strip_prefix(&repository).unwrap_or_default();
                let object = found.clean.get(below.trim_start_matches('/')).map(|(object, _)| object);
                change.doubted = object.is_none_or(|object| is_new(object, &stores, since));
            }
        }
        for (change, marked) in changes.iter_mut().zip(marked) {
            change.doubted |= marked;
        }
    }

    fn at(&self, root: usize, path: &str) -> PathBuf {
        self.trees.get(root).map(|t| t.root.join(path)).unwrap_or_default()
    }
}

/// Whether git may have made an object since then: from a file, rather than the file from it.
fn is_new(object: &str, stores: &[PathBuf], then: SystemTime) -> bool {
    let Some((folder, name)) = object.split_at_checked(2) else { return true };
    let loose = stores.iter().filter_map(|store| Stamp::at(&store.join(folder).join(name)));
    loose.into_iter().any(|stamp| stamp.changed() >= then)
}

/// What may be somebody else's, as it is told.
pub(super) fn told(changes: &[Change]) -> Doubt {
    let real = |c: &&Change| !c.is_note();
    let doubted = changes.iter().filter(|c| c.doubted);
    let mut names: Vec<String> = Vec::new();
    for change in doubted {
        let name = if change.gits { change.gits_name() } else { Some(change.path.to_string()) };
        names.extend(name.filter(|n| !names.contains(n)));
    }
    let count = names.len();
    names.truncate(MOST_NAMED);
    let content = |c: &&Change| {
        !matches!(
            (&c.before, &c.after),
            (Thing::Nothing | Thing::Folder(_), Thing::Folder(_) | Thing::Nothing)
        )
    };
    let all = changes.iter().filter(real).filter(content).all(|c| c.doubted);
    Doubt { names, count, all }
}
