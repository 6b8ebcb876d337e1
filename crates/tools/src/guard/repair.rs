//! Putting control files back as they were.
//!
//! Owns the repair. What a command had written is kept beside the session, never thrown away; a folder
//! in the way is renamed. Never writes through a link.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::{
    Guard,
    look::{Entry, Look},
};
use crate::atomic;

/// What was put back.
#[derive(Debug, Default)]
pub(crate) struct Repair {
    /// Control files that are as before again.
    pub files: Vec<String>,
    /// Those that could not be put back.
    pub lost: Vec<String>,
    /// Where what was in their places is kept.
    pub kept: Option<PathBuf>,
}

pub(super) fn repair(guard: &Guard, was: &Look, after: &Look, stays: &dyn Fn(&Path) -> bool) -> Repair {
    let paths: Vec<PathBuf> = was.differences(after).filter(|p| !stays(p)).map(Path::to_owned).collect();
    let mut repair = Repair::default();
    let again = moved_back(was, after).then(|| guard.look());
    for path in was.differences(again.as_ref().unwrap_or(after)).filter(|p| !stays(p)) {
        take_away(guard, &mut repair, path);
        if let Some(entry) = was.was(path) {
            write_back(path, entry);
        }
    }
    let wrong = |path: &Path| Entry::of(path).as_ref() != was.was(path);
    for path in paths {
        let list = if wrong(&path) { &mut repair.lost } else { &mut repair.files };
        list.push(guard.name(&path));
    }
    repair
}

/// Renames folders back that held control files and stand elsewhere now.
fn moved_back(was: &Look, after: &Look) -> bool {
    let mut any = false;
    for gone in was.entries.keys().filter(|p| was.entries.get(*p) != after.entries.get(*p)) {
        for dir in gone.ancestors().skip(1).collect::<Vec<_>>().into_iter().rev() {
            let Some(place) = was.folders.get(dir).filter(|p| after.folders.get(dir) != Some(p)) else {
                continue;
            };
            let Some((elsewhere, _)) = after.folders.iter().find(|(_, p)| *p == place) else { continue };
            if elsewhere.is_dir() && out_of_the_way(dir) && fs::rename(elsewhere, dir).is_ok() {
                any = true;
                break;
            }
        }
    }
    any
}

/// Renames what is at a path, if anything is, to a name beside it that is free.
fn out_of_the_way(path: &Path) -> bool {
    if path.symlink_metadata().is_err() {
        return path.parent().is_some_and(|p| fs::create_dir_all(p).is_ok());
    }
    let beside = |n: u32| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".set-aside-{n}"));
        path.with_file_name(name)
    };
    let free = (0..1_000).map(beside).find(|p| p.symlink_metadata().is_err());
    free.is_some_and(|to| fs::rename(path, to).is_ok())
}

/// Keeps what is at a path in the folder for it, and removes it there.
fn take_away(guard: &Guard, repair: &mut Repair, path: &Path) {
    if path.symlink_metadata().is_ok_and(|m| m.is_dir()) {
        out_of_the_way(path);
        return;
    }
    if repair.kept.is_none() {
        repair.kept = guard.set_aside();
    }
    if let Some(kept) = &repair.kept {
        let flat: String = guard.name(path).chars().map(|c| if c == '/' { '_' } else { c }).collect();
        let to = kept.join(flat);
        let saved = match Entry::of(path) {
            Some(Entry::File(bytes, _)) => fs::write(to, bytes),
            Some(Entry::Link(target)) => fs::write(to, target.as_os_str().as_encoded_bytes()),
            Some(Entry::Large(_)) => fs::copy(path, to).map(drop),
            Some(Entry::Other) | None => Ok(()),
        };
        if saved.is_err() {
            tracing::warn!(path = %path.display(), "what a command wrote could not be kept");
        }
    }
    let _ = fs::remove_file(path);
}

/// Writes a file as it was: into the real folder of its name, never through a link.
fn write_back(path: &Path, entry: &Entry) {
    let Some(parent) = path.parent() else { return };
    for dir in parent.ancestors().collect::<Vec<_>>().into_iter().rev() {
        let meta = dir.symlink_metadata();
        if meta.as_ref().is_ok_and(|m| !m.is_dir()) {
            out_of_the_way(dir);
        }
    }
    let written = fs::create_dir_all(parent).and_then(|()| match entry {
        Entry::File(bytes, mode) => atomic::replace(path, bytes, *mode),
        Entry::Link(target) => symlink(target, path),
        Entry::Large(_) | Entry::Other => Ok(()),
    });
    if let Err(e) = written {
        tracing::warn!(path = %path.display(), error = %e, "a control file could not be put back");
    }
}
