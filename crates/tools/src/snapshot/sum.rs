//! The workspace as one hash: what a gate was run on, and whether it is that still.
//!
//! Owns what counts: the path, the permission bits and the content of every file that a look sees, but git's own. What
//! did not change since the last time is not read again. Never keeps a content.

use std::{collections::BTreeMap, fs, io::Read, os::unix::ffi::OsStrExt};

use pilothouse_core::blob::BlobId;

use super::{
    State,
    save::open,
    tree::{Known, Tree},
};
use crate::stamp::Stamp;

/// Of a larger file only the stamp counts.
const MOST_READ: u64 = 16 << 20;

impl State {
    /// The hash of the workspace as the last look saw it.
    pub(super) fn sum(&mut self) -> BlobId {
        let known = std::mem::take(&mut self.sums);
        let (mut all, mut sums) = (Vec::new(), BTreeMap::new());
        for tree in self.trees.iter().take(1) {
            for (path, file) in
                tree.files.iter().filter(|(path, _)| !tree.is_gits(path) && !tree.is_hidden(path))
            {
                let before = known.get(path).filter(|(stamp, _)| *stamp == file.stamp && !file.fresh);
                let content = before.map_or_else(|| content(tree, path, file), |(_, content)| *content);
                all.extend_from_slice(format!("{path}\0{:o}\0{content}\n", file.stamp.bits()).as_bytes());
                // What is so young may change without another stamp, and is read the next time.
                if !file.fresh {
                    sums.insert(path.clone(), (file.stamp, content));
                }
            }
        }
        self.sums = sums;
        BlobId::of(&all)
    }
}

/// What a file holds; a link holds where it leads to.
fn content(tree: &Tree, path: &str, file: &Known) -> BlobId {
    let place = tree.root.join(path);
    if file.stamp.is_link() {
        let to = fs::read_link(place).unwrap_or_default();
        return BlobId::of(to.as_os_str().as_bytes());
    }
    let mut bytes = Vec::new();
    let small = file.stamp.is_file() && file.stamp.size <= MOST_READ;
    let read = small.then(|| open(&place).and_then(|f| f.take(MOST_READ).read_to_end(&mut bytes)));
    match read {
        Some(Ok(_)) => BlobId::of(&bytes),
        Some(Err(_)) | None => stamped(file.stamp),
    }
}

fn stamped(stamp: Stamp) -> BlobId {
    BlobId::of(format!("{stamp:?}").as_bytes())
}
