//! The first glance of a look: which folders and files have another stamp than before.
//!
//! Owns how the system is asked about each of them: names seen from their folder, which is held open, on every
//! processor at once. Nearly always nothing changed, and then this is all that a look does.

use std::{collections::HashMap, path::Path};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::tree::Tree;
use crate::{
    parallel::{Places, on_all},
    stamp::Stamp,
};

/// What was seen of a folder.
#[derive(Debug)]
pub(super) struct Seen {
    /// Its stamp.
    pub stamp: Stamp,
    /// Of the files that are known in it those that are not as they were.
    pub changed: Vec<String>,
}

/// Glances at every folder that is known; one that cannot be opened is left out.
pub(super) fn glance(tree: &Tree) -> HashMap<String, Seen> {
    let folders: Vec<&String> = tree.known_folders().collect();
    let work = |places: &Places| {
        let mut found = Vec::new();
        while let Some(path) = folders.get(places.next()) {
            found.extend(seen(tree, path).map(|seen| ((*path).clone(), seen)));
        }
        found
    };
    on_all(folders.len(), work).into_iter().collect()
}

fn seen(tree: &Tree, path: &str) -> Option<Seen> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let folder = rustix::fs::open(tree.root.join(path).as_path(), flags, Mode::empty()).ok()?;
    let stamp = Stamp::of_stat(&rustix::fs::fstat(&folder).ok()?);
    let now = |name: &str| {
        let stat = rustix::fs::statat(&folder, Path::new(name), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Stamp::of_stat(&stat))
    };
    let changed = tree.changed_in(path, now);
    Some(Seen { stamp, changed })
}
