//! Bubblewrap: name spaces of its own around a command.
//!
//! Owns its arguments. What they cannot hold, the stage inside holds.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use crate::sandbox::policy::Policy;

/// The arguments up to the program.
pub(super) fn arguments(policy: &Policy) -> Vec<OsString> {
    let mut line = Line::default();
    line.words(&["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
    if !policy.network {
        line.words(&["--unshare-net"]);
    }
    line.words(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    policy.left_out().for_each(|path| line.cover(path));
    for path in policy.write.iter().filter(|p| p.exists() && !p.starts_with("/dev")) {
        line.path(&["--bind"], path, true);
    }
    policy.covered().for_each(|path| line.cover(path));
    for path in policy.kept.iter().filter(|p| p.exists()) {
        line.path(&["--ro-bind"], path, true);
    }
    line.words(&["--"]);
    line.0
}

#[derive(Default)]
struct Line(Vec<OsString>);

impl Line {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|w| OsStr::new(w).to_owned()));
    }

    /// Hides what is at a path: a device there is none, and nothing is written in an empty folder.
    fn cover(&mut self, path: &Path) {
        if path.is_dir() {
            self.path(&["--tmpfs"], path, false);
            self.path(&["--remount-ro"], path, false);
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
