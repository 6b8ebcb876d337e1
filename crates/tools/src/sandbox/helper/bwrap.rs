//! Bubblewrap: name spaces of its own around a command.
//!
//! Owns its arguments. What they cannot hold, the stage inside holds.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use crate::sandbox::policy::{Policy, in_memory};

/// The arguments up to the program, which begins in that folder or not at all.
pub(super) fn arguments(policy: &Policy, folder: &Path) -> Vec<OsString> {
    let mut line = Line::default();
    line.words(&["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
    if !policy.network {
        line.words(&["--unshare-net"]);
    }
    line.words(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    let (outside, within) = (policy.left_out(), policy.covered());
    for path in &outside {
        line.cover(path);
    }
    for path in &policy.shown {
        line.path(&["--ro-bind"], path, true);
    }
    for path in policy.write.iter().filter(|p| p.exists() && (!p.starts_with("/dev") || in_memory(p))) {
        line.path(&["--bind"], path, true);
    }
    // All else cannot be written anyway.
    let written = |path: &Path| policy.write.iter().any(|write| path.starts_with(write));
    for path in policy.kept.iter().filter(|p| p.exists() && written(p)) {
        line.path(&["--ro-bind"], path, true);
    }
    // Only now, since each of those is shown as it is outside, with all that lies in it.
    for path in &within {
        line.cover(path);
    }
    // Only now, since what may be written can lie in what is hidden and needs its folders there.
    for path in outside.iter().chain(&within).filter(|p| p.is_dir()) {
        line.path(&["--remount-ro"], path, false);
    }
    line.path(&["--chdir"], folder, false);
    line.words(&["--"]);
    line.0
}

#[derive(Default)]
struct Line(Vec<OsString>);

impl Line {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|w| OsStr::new(w).to_owned()));
    }

    /// Hides what is at a path: a folder is empty, and of a file there is a device.
    fn cover(&mut self, path: &Path) {
        if path.is_dir() {
            self.path(&["--tmpfs"], path, false);
        } else if path.exists() {
            self.path(&["--ro-bind", "/dev/null"], path, false);
        }
    }

    /// An option about a path, which stands twice where source and place are the same.
    fn path(&mut self, words: &[&str], path: &Path, twice: bool) {
        self.words(words);
        self.0.extend(twice.then(|| path.into()));
        self.0.push(path.into());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_covered_after_all_that_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let (work, control) = (dir.path().join("work"), dir.path().join("work/.devcontainer"));
        let secret = control.join(".env");
        std::fs::create_dir_all(&control).unwrap();
        std::fs::write(&secret, "x").unwrap();
        let all = Policy { kept: vec![control.clone()], hidden: vec![secret.clone()], ..Policy::default() };
        let writing = Policy { write: vec![work.clone()], ..all.clone() };
        let reading = Policy { shown: vec![work.clone()], ..all };
        for policy in [writing, reading] {
            let words = arguments(&policy, &work);
            let covered = words.iter().rposition(|word| word == &secret).unwrap();
            let bound = |words: &[OsString]| words.iter().any(|word| word == &work || word == &control);
            assert!(bound(&words[..covered]) && !words[covered..].iter().any(|word| word == &control));
        }
    }
}
