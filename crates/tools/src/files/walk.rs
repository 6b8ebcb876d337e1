//! Which files there are for a lane: the disk without what is ignored, under its proposals.
//!
//! Owns the view. Never opens a file and never follows a link.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use pilothouse_core::{blob::BlobId, relpath::RelPath};
use tokio_util::sync::CancellationToken;

use crate::{sight::LaneView, walk::walk};

/// At most this many names are gathered.
pub(super) const MOST_NAMES: usize = if cfg!(test) { 3_000 } else { 200_000 };

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    /// A folder that a proposal makes.
    NewFolder,
    /// A file on disk.
    File,
    Link,
    /// A pipe, socket or device.
    Special,
    /// A file whose content is that of a proposal.
    Proposed(BlobId),
}

/// Names by real path relative to the root, sorted by path components.
pub(super) struct Names {
    pub all: BTreeMap<PathBuf, Kind>,
    /// Whether there were more than could be gathered.
    pub cut: bool,
}

/// Everything below `start` (itself, when it is a file), relative to the root.
pub(super) fn names(
    eyes: LaneView<'_>,
    asked: Option<&RelPath>,
    depth: Option<usize>,
    cancel: &CancellationToken,
) -> Result<Names, String> {
    let (start, exists) = match asked {
        None => (PathBuf::new(), true),
        Some(path) => {
            let resolved = eyes.jail.resolve(path).map_err(|e| e.to_string())?;
            (resolved.real().to_owned(), resolved.exists())
        }
    };
    let mut names = Names { all: BTreeMap::new(), cut: false };
    if exists {
        gather(eyes, &start, depth, cancel, &mut names)?;
    }
    overlay(eyes, &start, depth, &mut names.all);
    if names.all.is_empty() && !exists {
        let path = asked.map_or(".", |p| p.as_str());
        return Err(super::missing(eyes, path, "list its folder to see what does"));
    }
    Ok(names)
}

fn gather(
    eyes: LaneView<'_>,
    start: &Path,
    depth: Option<usize>,
    cancel: &CancellationToken,
    names: &mut Names,
) -> Result<(), String> {
    let root = eyes.jail.root();
    for entry in walk(root, &root.join(start), depth) {
        if cancel.is_cancelled() {
            return Err("stopped by the user".to_owned());
        }
        let Ok(real) = entry.path().strip_prefix(root) else { continue };
        let kind = entry.file_type();
        let kind = match () {
            () if kind.is_dir() => Kind::Folder,
            () if kind.is_file() => Kind::File,
            () if kind.is_symlink() => Kind::Link,
            () => Kind::Special,
        };
        if kind == Kind::Folder && real == start {
            continue;
        }
        if names.all.len() >= MOST_NAMES {
            names.cut = true;
            return Ok(());
        }
        names.all.insert(real.to_owned(), kind);
    }
    Ok(())
}

/// Lays the lane's proposals over what is on disk.
fn overlay(eyes: LaneView<'_>, start: &Path, depth: Option<usize>, all: &mut BTreeMap<PathBuf, Kind>) {
    for (path, after) in &eyes.view.overlay {
        let real = PathBuf::from(path.as_str());
        let Ok(below) = real.strip_prefix(start) else { continue };
        let levels = below.components().count();
        match after {
            None => {
                all.remove(&real);
            }
            Some(id) if depth.is_none_or(|d| levels <= d) => {
                for folder in real.ancestors().skip(1).take(levels.saturating_sub(1)) {
                    all.entry(folder.to_owned()).or_insert(Kind::NewFolder);
                }
                all.insert(real, Kind::Proposed(*id));
            }
            Some(_) => {}
        }
    }
}
