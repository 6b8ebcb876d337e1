//! The folder for temporary files of commands: one a session, gone with it, and with the next one where it was killed.
//!
//! Owns its name and its lock. A folder whose lock is free belongs to nobody that still lives.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::process::geteuid;
use tempfile::TempDir;

const PREFIX: &str = "pilothouse-";
/// A younger one may not be locked yet by whoever makes it.
const YOUNG: Duration = Duration::from_mins(1);

/// A folder for temporary files, held by a lock as long as it is used.
#[derive(Debug)]
pub(super) struct Scratch {
    dir: TempDir,
    _lock: File,
}

impl Scratch {
    /// A new one among the system's temporary files, where those of killed sessions are removed.
    pub(super) fn new() -> io::Result<Self> {
        Self::below(&std::env::temp_dir())
    }

    fn below(parent: &Path) -> io::Result<Self> {
        for left in abandoned(parent) {
            // Another session may be at it too; what cannot be removed stays.
            let _ = fs::remove_dir_all(left);
        }
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::open(dir.path())?;
        lock.try_lock()?;
        Ok(Self { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// The user's own folders of this kind that nobody holds.
fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|e| e.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    named.map(|e| e.path()).filter(|path| is_abandoned(path)).collect()
}

fn is_abandoned(path: &Path) -> bool {
    let Ok(is) = fs::symlink_metadata(path) else { return false };
    let old = is.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > YOUNG);
    let own = is.is_dir() && is.uid() == geteuid().as_raw() && is.mode().trailing_zeros() >= 6;
    old && own && File::open(path).is_ok_and(|dir| dir.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::FileTimes, os::unix::fs::PermissionsExt, time::SystemTime};

    /// Lets a folder look as if it had not been changed for an hour.
    fn age(path: &Path) {
        let then = SystemTime::now() - Duration::from_secs(3600);
        File::open(path).unwrap().set_times(FileTimes::new().set_modified(then)).unwrap();
    }

    fn folder(parent: &Path, name: &str, mode: u32) -> PathBuf {
        let path = parent.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("file"), "left").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        age(&path);
        path
    }

    #[test]
    fn what_a_killed_session_left_goes_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let killed = folder(parent.path(), "pilothouse-killed", 0o700);
        let others = folder(parent.path(), "pilothouse-notes", 0o755);
        let unlike = folder(parent.path(), "mypilothouse-x", 0o700);
        let young = parent.path().join("pilothouse-young");
        fs::create_dir(&young).unwrap();
        fs::set_permissions(&young, fs::Permissions::from_mode(0o700)).unwrap();
        let outside = folder(parent.path(), "elsewhere", 0o700);
        std::os::unix::fs::symlink(&outside, parent.path().join("pilothouse-link")).unwrap();
        let held = Scratch::below(parent.path()).unwrap();
        age(held.path());
        let next = Scratch::below(parent.path()).unwrap();
        assert!(!killed.exists(), "what a killed session left is gone");
        for kept in [&others, &unlike, &young, &outside.join("file"), &held.path().to_owned()] {
            assert!(kept.exists(), "{} stays", kept.display());
        }
        let path = next.path().to_owned();
        drop(next);
        assert!(!path.exists(), "its own folder goes with a session");
    }
}
