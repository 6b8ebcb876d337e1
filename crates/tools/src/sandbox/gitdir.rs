//! Where git keeps the files of a workspace, also when that lies outside of it.
//!
//! Owns the check that such a folder belongs to this workspace: a link that only one side knows is
//! not followed, since whoever wrote the workspace wrote that side.

use std::path::{Path, PathBuf};

use crate::regular;

/// A pointer of git is one line; more is not read.
const MOST_BYTES: u64 = 64 * 1024;

/// Folders outside the workspace that git writes for it; none when its folder lies inside.
pub(super) fn outside(workspace: &Path) -> Vec<PathBuf> {
    let Some(top) = workspace.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok()) else {
        return Vec::new();
    };
    let entry = top.join(".git");
    let found = match entry.symlink_metadata() {
        Ok(meta) if meta.is_dir() => entry.join("HEAD").is_file().then(|| vec![entry.clone()]),
        Ok(meta) if meta.is_file() => linked(&entry),
        Ok(_) | Err(_) => None,
    };
    let real = found.unwrap_or_default().into_iter().filter_map(|dir| dir.canonicalize().ok());
    real.filter(|dir| !dir.starts_with(workspace)).collect()
}

/// What a `.git` file points at: a worktree's folder with the shared one, or a submodule's.
fn linked(entry: &Path) -> Option<Vec<PathBuf>> {
    let text = read(entry)?;
    let dir = against(entry.parent()?, text.strip_prefix("gitdir:")?.trim());
    let dir = dir.canonicalize().ok()?;
    let back = read(&dir.join("gitdir")).map(|b| against(&dir, b.trim()));
    if back.is_some_and(|b| same(&b, entry)) {
        let common = against(&dir, read(&dir.join("commondir"))?.trim()).canonicalize().ok()?;
        let ours = dir.parent() == Some(&common.join("worktrees")) && common.join("HEAD").is_file();
        return ours.then(|| vec![common]);
    }
    let config = read(&dir.join("config"))?;
    let tree = config.lines().filter_map(|l| l.trim().split_once('=')).find(|(k, _)| k.trim() == "worktree");
    let back = against(&dir, tree?.1.trim().trim_matches('"'));
    (same(&back, entry.parent()?) && dir.join("HEAD").is_file()).then(|| vec![dir])
}

fn read(path: &Path) -> Option<String> {
    regular::read(path, MOST_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

fn against(dir: &Path, path: &str) -> PathBuf {
    dir.join(path)
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
