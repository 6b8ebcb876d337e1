//! Reserved places: what of the machine keeps its meaning wherever the workspace lies.
//!
//! Owns the list of them (the program's own folders, what programs and logins read in the home folder, the system) and
//! what makes a workspace none for work unasked. Judges absolute paths only; never asks the file system.

use super::{
    Places,
    glob::{Glob, Target},
};
use crate::shell;

const STARTS: &str = "is read automatically by your programs or at login";
const RUNS: &str = "holds programs that are run by name";
const SYSTEM: &str = "belongs to the system";
const OWN: &str = "belongs to this program";

/// What is reserved below the home folder; each covers what it names and everything below.
const OF_HOME: [(&str, &str); 7] = [
    ("~/.*", STARTS),
    ("~/bin", RUNS),
    ("~/Library/Application Support", STARTS),
    ("~/Library/Keychains", STARTS),
    ("~/Library/LaunchAgents", STARTS),
    ("~/Library/Preferences", STARTS),
    ("~/Library/Services", STARTS),
];

/// Folders of the system.
pub const OF_SYSTEM: [&str; 18] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/var/spool/cron",
    "/Applications",
    "/Library",
    "/System",
    "/private/etc",
    "/run/secrets",
];

/// Folders in them in which people work.
const FOR_WORK: [&str; 3] = ["/dev/shm", "/usr/local/src", "/usr/src"];

impl Places {
    /// Why this workspace is none for work unasked: it holds a reserved place or lies in one. In such a folder every
    /// change asks and no rule allows anything.
    pub fn exposed(&self) -> Option<String> {
        let root = self.root.as_str();
        if let Some(why) = self.boundless() {
            return Some(why.to_owned());
        }
        let near = |own: &&String| is_below(own, root) || is_below(root, own);
        if let Some(own) = self.own.iter().find(near) {
            return Some(format!("this program's own files are in {own}"));
        }
        if OF_SYSTEM.iter().any(|s| is_below(s, root) && !is_below(root, s)) && root != "/var" {
            return Some("it holds folders of the system".to_owned());
        }
        let why = self.why(&Target::exact(".", self))?;
        Some(format!("it {why}"))
    }

    /// Why this workspace is more than anybody works on, if it is: all that a user or a machine has lies in it.
    pub fn boundless(&self) -> Option<&'static str> {
        let (root, home) = (self.root.as_str(), self.home.as_str());
        if root.trim_matches('/').is_empty() {
            return Some("it is the whole machine");
        }
        let same = is_below(root, home);
        is_below(home, root).then_some(if same {
            "it is your home folder"
        } else {
            "it holds your home folder"
        })
    }

    /// Whether a reserved place lies below this absolute path.
    pub fn holds_reserved(&self, path: &str) -> bool {
        let of_home = OF_HOME.iter().filter_map(|(place, _)| place.strip_prefix("~/"));
        let of_home = of_home.map(|name| format!("{}/{}", self.home, name.trim_end_matches(".*")));
        let of_home = of_home.filter(|_| !self.home.is_empty());
        let listed = self.own.iter().map(String::as_str).chain(OF_SYSTEM);
        listed.map(str::to_owned).chain(of_home).any(|place| is_below(&place, path))
    }

    /// Why a path is reserved, if it is: absolute, below `~/`, or of a workspace that holds such places.
    pub fn reserved(&self, path: &str) -> Option<&'static str> {
        self.why(&Target::exact(path, self))
    }

    /// Why a target is, or may be, reserved.
    pub(super) fn why(&self, target: &Target) -> Option<&'static str> {
        let covers = |pattern: &str| Glob::parse(pattern).is_ok_and(|g| g.covers(target, self, true));
        if self.own.iter().any(|own| Glob::literal(own).covers(target, self, true)) {
            return Some(OWN);
        }
        if let Some((_, why)) = OF_HOME.iter().find(|(pattern, _)| covers(pattern)) {
            return Some(why);
        }
        let work = target.certain() && FOR_WORK.iter().any(|pattern| covers(pattern));
        (!work && OF_SYSTEM.iter().any(|pattern| covers(pattern))).then_some(SYSTEM)
    }

    /// Whether what a target holds is private by its place: this program's own files, keys and secrets.
    pub(super) fn private(&self, target: &Target) -> bool {
        let secret = |path: String| {
            let below = path.strip_prefix(&self.home).filter(|_| !self.home.is_empty());
            let path = below.filter(|r| r.starts_with('/')).map_or(path.clone(), |rest| format!("~{rest}"));
            shell::secrets::is_secret(&path)
        };
        match self.why(target) {
            Some(OWN) => true,
            Some(_) => target.text().is_some_and(secret),
            None => false,
        }
    }
}

/// Whether a path is another or lies below it, by its parts; case is left out of account.
fn is_below(path: &str, other: &str) -> bool {
    let parts =
        |p: &str| -> Vec<String> { p.split('/').filter(|p| !p.is_empty()).map(str::to_lowercase).collect() };
    let (path, other) = (parts(path), parts(other));
    !path.is_empty() && path.starts_with(&other)
}

#[cfg(test)]
mod tests;
