//! What git's rules hide where a line removes or changes things: somebody's own work may lie there, and no look sees it.
//!
//! Owns which of it is looked at from then on: all but what tools make again. What is too much to be looked at is named,
//! so that the line asks before it runs.

use std::path::{Path, PathBuf};

use pilothouse_core::shell::Act;
use walkdir::WalkDir;

use super::{doubt, tree::Tree};
use crate::{
    made::is_made_again,
    pattern::fits,
    stamp::Stamp,
    walk::{self, Heed},
};

/// More names in one folder are not looked at.
const MOST_NAMES: usize = 10_000;

/// What is hidden where a line says that it changes something.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    /// Folders, with all that lies in them.
    pub folders: Vec<String>,
    /// Single files.
    pub files: Vec<String>,
    /// Folders that are too much, with why.
    pub beyond: Vec<(String, String)>,
}

impl Hidden {
    /// What there is of it in the places of a line, and in folders out of which it removes what has a name, or anything.
    pub fn of(tree: &Tree, places: &[(String, Act)], within: &[(String, Option<String>)]) -> Self {
        let mut found = Self::default();
        for (path, act) in places {
            for at in found.below(tree, path, *act) {
                found.take(tree, &at);
            }
        }
        for (path, name) in within {
            // A file that is looked through may be what is looked for.
            found.files.extend(doubt::reached(&tree.root, path));
            for at in found.below(tree, path, Act::Delete) {
                match name {
                    Some(name) => found.take_named(tree, &at, name),
                    None => found.take(tree, &at),
                }
            }
        }
        found
    }

    /// A folder that is hidden; of one that is seen what is hidden in it, as far as that goes with it.
    fn below(&mut self, tree: &Tree, path: &str, act: Act) -> Vec<PathBuf> {
        let at = tree.root.join(path);
        if tree.is_gits(path) || !Stamp::at(&at).is_some_and(Stamp::is_folder) || lies_in_made(tree, path) {
            return Vec::new();
        }
        if !path.is_empty() && tree.folder(path).is_none() {
            return vec![at];
        }
        if act != Act::Delete {
            return Vec::new();
        }
        let Some((_, mut out)) = walk::parted(&tree.root, &at, Heed::Git, usize::MAX) else {
            let name = if path.is_empty() { "." } else { path };
            self.beyond.push((name.to_owned(), "not all in it can be read".to_owned()));
            return Vec::new();
        };
        out.retain(|at| at.file_name().is_some_and(|n| n != ".git"));
        out
    }

    /// Takes what is at a place, a folder with all in it.
    fn take(&mut self, tree: &Tree, at: &Path) {
        let Some(path) = text(tree, at) else { return };
        if !Stamp::at(at).is_some_and(Stamp::is_folder) {
            self.files.push(path);
        } else if !is_made_again(at, tree.since) {
            match by_hand(tree, at).nth(MOST_NAMES) {
                Some(_) => self.beyond.push((path, format!("more than {MOST_NAMES} files that git ignores"))),
                None => self.folders.push(path),
            }
        }
    }

    /// Takes what has a name.
    fn take_named(&mut self, tree: &Tree, at: &Path, name: &str) {
        let named = |at: &Path| fits(name, &at.file_name().unwrap_or_default().to_string_lossy());
        let found: Vec<PathBuf> = by_hand(tree, at).filter(|at| named(at)).take(MOST_NAMES + 1).collect();
        if found.len() > MOST_NAMES {
            let why = format!("more than {MOST_NAMES} files of that name that git ignores");
            self.beyond.extend(text(tree, at).map(|path| (path, why)));
        } else {
            for at in found {
                self.take(tree, &at);
            }
        }
    }
}

fn text(tree: &Tree, at: &Path) -> Option<String> {
    at.strip_prefix(&tree.root).ok()?.to_str().map(str::to_owned)
}

/// What is at a place and below it, without what a tool makes again.
fn by_hand(tree: &Tree, at: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let since = tree.since;
    let all = WalkDir::new(at).into_iter();
    let all = all.filter_entry(move |e| !e.file_type().is_dir() || !is_made_again(e.path(), since));
    all.flatten().map(walkdir::DirEntry::into_path)
}

fn lies_in_made(tree: &Tree, path: &str) -> bool {
    let mut around = Path::new(path).ancestors().filter(|p| !p.as_os_str().is_empty());
    around.any(|p| is_made_again(&tree.root.join(p), tree.since))
}
