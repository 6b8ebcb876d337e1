//! The policy of one command: what it may write, what it may not read, what it reaches, its limits.
//!
//! Owns the lists and their form on the way to the helper. Never applies them.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use pilothouse_core::{relpath::RelPath, sandbox::Confine};
use serde::{Deserialize, Serialize};

use super::{Places, Settings, gitdir};

/// Limits of one command; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads at once.
    pub processes: u64,
    /// Bytes of one file that it writes.
    pub file_bytes: u64,
    /// Bytes of private memory of one process.
    pub memory_bytes: u64,
}

/// What stands around the commands of one workspace, whatever the command.
#[derive(Clone, Debug, Default)]
pub(super) struct SandboxRules {
    /// What a command may write that writes at all: workspace, git's folders, caches.
    write: Vec<PathBuf>,
    /// Those of them that are git's, outside of the workspace.
    git: Vec<PathBuf>,
    /// The folder for its temporary files, which every command may write.
    scratch: PathBuf,
    /// What no command reads.
    hidden: Vec<PathBuf>,
}

impl SandboxRules {
    /// The walls that the settings and the places ask for; what does not exist is left out.
    pub fn around(settings: &Settings, places: &Places, scratch: &Path) -> Self {
        let real = |path: &PathBuf| path.canonicalize().ok();
        let mut write = without_reserved(places);
        let git = gitdir::outside(&places.workspace);
        write.extend(git.iter().cloned());
        let own: Vec<PathBuf> = places.own.iter().filter_map(real).collect();
        // A folder that holds the program's own files, or lies in them, is never given away.
        let free = |path: &PathBuf| !own.iter().any(|o| o.starts_with(path) || path.starts_with(o));
        write.extend(settings.writable.iter().filter_map(real).filter(free));
        let hidden = own.iter().cloned().chain(settings.hidden.iter().filter_map(real)).collect();
        Self { write, git, scratch: scratch.canonicalize().unwrap_or_else(|_| scratch.to_owned()), hidden }
    }

    /// Git's folders outside of the workspace.
    pub fn git(&self) -> &[PathBuf] {
        &self.git
    }

    /// Everything that a command may write.
    pub fn writable(&self) -> Vec<PathBuf> {
        self.write(Confine::Inside { write: true, network: false })
    }

    fn write(&self, confine: Confine) -> Vec<PathBuf> {
        let all = matches!(confine, Confine::Inside { write: true, .. });
        let scratch = std::iter::once(self.scratch.clone());
        scratch.chain(self.write.iter().filter(|_| all).cloned()).collect()
    }

    /// The profile for macOS, where the last word on a path counts.
    pub fn seatbelt(&self, confine: Confine, hidden: &[PathBuf]) -> String {
        let mut policy = Policy::new(confine, self, Limits::default());
        policy.hidden.extend(hidden.iter().cloned());
        let quoted = |p: &Path| format!("{:?}", p.to_string_lossy());
        let each = |list: &[&Path]| {
            list.iter().map(|p| [" (subpath ", &quoted(p), ")"].concat()).collect::<Vec<_>>().concat()
        };
        let write: Vec<&Path> = policy.write.iter().map(PathBuf::as_path).collect();
        let shown: Vec<&Path> = policy.shown.iter().map(PathBuf::as_path).collect();
        let both: Vec<&Path> = write.iter().filter(|path| shown.contains(path)).copied().collect();
        let mut text = "(version 1)\n(allow default)\n(deny file-write*)\n(deny mach-lookup (global-name \
            \"com.apple.SecurityServer\"))\n(deny signal (target others))\n"
            .to_owned();
        let devices = "(literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/dtracehelper\")";
        text.push_str(&format!("(allow file-write* {devices}{})\n", each(&write)));
        let (outside, within) = (policy.left_out(), policy.covered());
        for (word, all) in [
            ("deny file-read* file-write*", outside),
            ("allow file-read*", shown),
            ("allow file-write*", both),
            ("deny file-read* file-write*", within),
        ] {
            if !all.is_empty() {
                text.push_str(&format!("({word}{})\n", each(&all)));
            }
        }
        if !matches!(confine, Confine::Inside { network: true, .. }) {
            text.push_str("(deny network*)\n");
        }
        text
    }
}

/// What the helper is told.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Policy {
    /// Whether it is held at all; limits hold in any case.
    pub inside: bool,
    /// Whether Landlock holds it.
    pub landlock: bool,
    /// The program that gives it name spaces of its own.
    pub bwrap: Option<PathBuf>,
    /// Whether the helper gives it name spaces of its own.
    pub spaces: bool,
    /// Whether it may change no mode, owner, time or attribute at all, since nothing holds those outside.
    pub still: bool,
    /// Folders and files that it may write.
    pub write: Vec<PathBuf>,
    /// Folders and files that it may not read.
    pub hidden: Vec<PathBuf>,
    /// What it may read though what lies around it is not there: of what any command may write, what lies in a hidden place,
    /// or in the folder in memory among the devices, which are not the machine's own inside.
    pub shown: Vec<PathBuf>,
    /// Files and folders below `write` that it may not write; only bubblewrap can hold them.
    pub kept: Vec<PathBuf>,
    /// Whether it reaches the network.
    pub network: bool,
    /// Its limits.
    pub limits: Limits,
}

impl Policy {
    /// What is hidden of what it is given: only mounts hide it from what may be written, since Landlock gives a folder with
    /// all in it. A place that is given itself is not hidden.
    pub fn covered(&self) -> Vec<&Path> {
        outermost(self.hidden_places().filter(|path| self.gives(path)))
    }

    /// What is hidden of everything else.
    pub fn left_out(&self) -> Vec<&Path> {
        outermost(self.hidden_places().filter(|path| !self.gives(path)))
    }

    /// What it may read whatever lies around it.
    fn given(&self) -> impl Iterator<Item = &PathBuf> {
        self.write.iter().chain(&self.shown)
    }

    fn hidden_places(&self) -> impl Iterator<Item = &Path> {
        self.hidden.iter().map(PathBuf::as_path).filter(|path| !self.given().any(|given| given == path))
    }

    /// Whether it is given what is at a path.
    fn gives(&self, path: &Path) -> bool {
        self.given().any(|given| path.starts_with(given))
    }

    pub fn new(confine: Confine, walls: &SandboxRules, limits: Limits) -> Self {
        let inside = matches!(confine, Confine::Inside { .. });
        let network = !matches!(confine, Confine::Inside { network: false, .. });
        let write = if inside { walls.write(confine) } else { Vec::new() };
        let hidden = if inside { walls.hidden.clone() } else { Vec::new() };
        let apart = |path: &PathBuf| in_memory(path) || hidden.iter().any(|place| path.starts_with(place));
        let shown = walls.writable().into_iter().filter(|path| inside && apart(path)).collect();
        Self { inside, write, hidden, shown, network, limits, ..Self::default() }
    }
}

/// Whether a path lies in the folder in memory that stands among the devices; that itself is a new one inside.
pub(super) fn in_memory(path: &Path) -> bool {
    let memory = Path::new("/dev/shm");
    path.starts_with(memory) && path != memory
}

/// Each path once, without those that lie in another: what is hidden takes with it all that it holds.
fn outermost<'p>(paths: impl Iterator<Item = &'p Path>) -> Vec<&'p Path> {
    let mut all: Vec<&Path> = paths.collect();
    all.sort_unstable();
    let mut found: Vec<&Path> = Vec::with_capacity(all.len());
    for path in all {
        if !found.last().is_some_and(|outer| path.starts_with(outer)) {
            found.push(path);
        }
    }
    found
}

/// What of the workspace is given to write: all of it, or its pieces around what is reserved. One that lies in a
/// reserved place was opened for just that.
fn without_reserved(places: &Places) -> Vec<PathBuf> {
    let reserved = |path: &Path| places.reserved.reserved(&path.to_string_lossy()).is_some();
    let within = reserved(&places.workspace);
    let mut found = Vec::new();
    let mut open = vec![places.workspace.clone()];
    while let Some(path) = open.pop() {
        let link = path.symlink_metadata().is_ok_and(|m| m.is_symlink());
        if link || !within && reserved(&path) {
            continue;
        }
        if !within && places.reserved.holds_reserved(&path.to_string_lossy()) {
            open.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
        } else {
            found.push(path);
        }
    }
    found
}

/// The program's own folders that lie in the workspace, or the whole of it.
pub(super) fn own_below(places: &Places) -> Vec<RelPath> {
    let below = |own: &PathBuf| {
        let own = own.canonicalize().unwrap_or_else(|_| own.clone());
        let rest = own.strip_prefix(&places.workspace).ok()?.to_str()?.to_owned();
        RelPath::new(&rest).ok()
    };
    places.own.iter().filter_map(below).collect()
}

/// A path as the settings write it: `~` and `$NAME` at its beginning are read from the environment.
/// `None` when the variable is not set, or the path is not absolute.
pub fn place(text: &str, variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let (head, rest) = text.split_once('/').unwrap_or((text, ""));
    let base = match head.strip_prefix('$') {
        Some(name) => PathBuf::from(variable(name)?),
        None if head == "~" => PathBuf::from(variable("HOME")?),
        None => return Some(PathBuf::from(text)).filter(|p| p.is_absolute()),
    };
    let path = if rest.is_empty() { base } else { base.join(rest) };
    (path.is_absolute() && path.as_os_str() != OsStr::new("/")).then_some(path)
}
