//! Why nothing is lost by a command whose words alone would say so.
//!
//! Owns the look: what lies where it removes or writes, whether that is saved before it runs or made again, what the
//! sandbox keeps from it. Looks at names only and changes nothing; what is not certain is lost.

use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use pilothouse_core::{
    redact::Redactor,
    resolved::Unlost,
    shell::{self, Act, Reading, Stake, Use, control::control, secrets::is_secret},
};

use crate::{
    made,
    pattern::{self, DEEP, UNKNOWN},
    walk::{self, Heed},
};

/// More names are not looked at: then it is lost.
const MOST_NAMES: usize = 100_000;

/// What is known of the place that a command runs in: the sandbox holds it, without a network, and what it could destroy
/// is saved before.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The workspace.
    pub root: PathBuf,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Whether the sandbox keeps its signals from other programs.
    pub signals: bool,
    /// The variables that it gets.
    pub environment: Vec<(OsString, OsString)>,
    /// What is known to be secret.
    pub redactor: Redactor,
    /// When the session began: what shows that a tool makes a folder again must be older.
    pub since: Option<SystemTime>,
}

impl Around {
    /// Why nothing is lost by a line, if that is so; `None` where its words do not say that anything is.
    pub fn unlost(&self, line: &str) -> Option<Unlost> {
        let reading = shell::read(line.trim());
        let found = reading.stakes.iter().map(|stake| match stake {
            Stake::Files => self.files(&reading),
            Stake::History => Some(Unlost::Undone),
            Stake::Processes => self.signals.then_some(Unlost::Held),
            Stake::Environment => self.shows_no_secret().then_some(Unlost::Held),
        });
        found.collect::<Option<Vec<Unlost>>>()?.into_iter().max()
    }

    fn shows_no_secret(&self) -> bool {
        self.environment.iter().all(|(name, value)| {
            let shown = format!("{}={}", name.to_string_lossy(), value.to_string_lossy());
            self.redactor.secrets(&shown).is_empty()
        })
    }

    /// What becomes of the files that it removes and writes over.
    fn files(&self, reading: &Reading) -> Option<Unlost> {
        let git = reading.calls.iter().any(|c| c.program == "git" && c.risk == shell::Risk::High);
        // What git throws away it does not name: anything but its own.
        let mut worst = if git { self.below(&self.root, true)? } else { Unlost::MadeAgain };
        for used in reading.uses.iter().filter(|u| u.act != Act::Read && !u.path.starts_with("/dev/")) {
            for path in self.places(used)? {
                worst = worst.max(self.lost_at(&path)?);
            }
        }
        Some(worst)
    }

    /// Everything that a path of the line may mean here.
    fn places(&self, used: &Use) -> Option<Vec<PathBuf>> {
        let mut all = Vec::new();
        // All below a folder may be meant; what else is not shown may lead anywhere.
        let shown = used.path.strip_suffix(UNKNOWN).filter(|rest| rest.ends_with('/')).unwrap_or(&used.path);
        for from in used.from.as_deref()? {
            if used.path.starts_with('~') || from.starts_with('~') || shown.contains(UNKNOWN) {
                return None;
            }
            let whole = self.folder.join(from).join(&used.path);
            let some = used.wild || pattern::is_pattern(&used.path);
            all.extend(if some { spread(&whole)? } else { vec![whole] });
        }
        Some(all)
    }

    /// What would be lost with what is at a path.
    fn lost_at(&self, path: &Path) -> Option<Unlost> {
        let Ok(parent) = path.parent()?.canonicalize() else {
            return self.is_nowhere(path).then_some(Unlost::MadeAgain);
        };
        let path = parent.join(path.file_name()?);
        let below = path.strip_prefix(&self.root).ok().filter(|below| !below.as_os_str().is_empty())?;
        let Ok(meta) = path.symlink_metadata() else { return Some(Unlost::MadeAgain) };
        let mut parts = below.ancestors().filter(|p| !p.as_os_str().is_empty()).collect::<Vec<_>>();
        parts.reverse();
        let mut hidden = false;
        for part in parts {
            let (at, folder) = (self.root.join(part), part != below || meta.is_dir());
            match self.made(&at, folder, hidden) {
                Made::Again => return Some(Unlost::MadeAgain),
                Made::Unsaved => return None,
                Made::Saved => hidden = true,
                Made::ByHand => {}
            }
        }
        if hidden {
            return self.is_saved(&path).then_some(Unlost::Undone);
        }
        if meta.is_dir() {
            return self.below(&path, false);
        }
        self.keeps(&path, false).then_some(Unlost::Undone)
    }

    /// Whether nothing can be at a path of the workspace, since a folder on the way is not there.
    fn is_nowhere(&self, path: &Path) -> bool {
        let plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::RootDir));
        let there =
            path.ancestors().find(|p| p.symlink_metadata().is_ok()).and_then(|p| p.canonicalize().ok());
        let shown = !path.to_string_lossy().contains(UNKNOWN);
        plain && shown && there.is_some_and(|there| there.is_dir() && there.starts_with(&self.root))
    }

    /// What would be lost with all that is below a folder.
    fn below(&self, start: &Path, git: bool) -> Option<Unlost> {
        let (kept, out) = walk::parted(&self.root, start, Heed::Git, MOST_NAMES)?;
        let own = |at: &Path| git && at.file_name().is_some_and(|name| name == ".git");
        let goes = |at: &Path| match self.made(at, at.is_dir(), false) {
            Made::Again => true,
            Made::Saved => self.is_saved(at),
            Made::Unsaved | Made::ByHand => false,
        };
        let goes = out.iter().all(|at| own(at) || goes(at));
        let comes = kept.iter().all(|at| at == start || self.keeps(at, git));
        (goes && comes).then_some(Unlost::Undone)
    }

    /// What is known of a path; `hidden` where it lies in what git's rules hide and what is saved.
    fn made(&self, at: &Path, folder: bool, hidden: bool) -> Made {
        let name = at.file_name().unwrap_or_default().to_string_lossy();
        let again = folder && made::is_made_again(at, self.since);
        let named = shell::makes_again(&name);
        let by_name = named && !folder && shell::signs(&name).is_none();
        match hidden || walk::ignores(&self.root, at, folder) {
            true if again || by_name => Made::Again,
            true if hidden || named || shell::is_output(&name) => Made::Saved,
            true => Made::Unsaved,
            false if named || name == ".git" => Made::Unsaved,
            false => Made::ByHand,
        }
    }

    /// Whether all that is at a path which git's rules hide is saved, but what is made again.
    fn is_saved(&self, path: &Path) -> bool {
        let own = |at: &Path| at != path && made::is_made_again(at, self.since);
        let all = walkdir::WalkDir::new(path).into_iter();
        let mut all = all.filter_entry(|e| !e.file_type().is_dir() || !own(e.path()));
        let keeps = |at: &Path| {
            let git = at.file_name().is_some_and(|name| name == ".git");
            !git && (at == path || self.keeps(at, false))
        };
        all.by_ref().take(MOST_NAMES).all(|e| e.is_ok_and(|e| keeps(e.path()))) && all.next().is_none()
    }

    /// Whether something is saved before a command and brought back by an undo as a matter of course. What git throws away
    /// is no control file as such.
    fn keeps(&self, at: &Path, git: bool) -> bool {
        let Ok(below) = at.strip_prefix(&self.root) else { return false };
        let (text, name) = (below.to_string_lossy(), at.file_name().unwrap_or_default().to_string_lossy());
        !shell::makes_again(&name) && !is_secret(&text) && (git || control(text.split('/')).is_none())
    }
}

/// What is known of a path by its name and git's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// A tool makes it again, and git ignores it.
    Again,
    /// Nothing says for certain that it is made again, but it is saved, as far as there is room: else it is asked about
    /// once more.
    Saved,
    /// Nothing of it is saved.
    Unsaved,
    /// It is somebody's work.
    ByHand,
}

/// What a path with wildcards fits, dots in front included: more than the shell would find. `None` where that are too many.
pub(crate) fn spread(path: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    let mut names = 0;
    for part in path.components() {
        let text = part.as_os_str().to_str()?;
        if !matches!(part, Component::Normal(_)) || !pattern::is_pattern(text) {
            for at in &mut found {
                at.push(part);
            }
            continue;
        }
        let deep = pattern::is_deep(text) || text.contains(UNKNOWN);
        let mut next = Vec::new();
        for at in found.into_iter().filter(|at| at.symlink_metadata().is_ok()) {
            let all = walkdir::WalkDir::new(&at).min_depth(1);
            let all = if deep { all } else { all.max_depth(1) };
            for entry in all.into_iter().flatten() {
                names += 1;
                if names > MOST_NAMES {
                    return None;
                }
                if pattern::fits(text, &entry.file_name().to_string_lossy()) {
                    next.push(entry.into_path());
                }
            }
            // Stars for folders may stand for none, and what is looked through may be what is looked for.
            let folder = at.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let own = || pattern::fits(text, &at.file_name().unwrap_or_default().to_string_lossy());
            let sought = text.starts_with(DEEP) || text.contains(UNKNOWN);
            let itself = if sought { !folder && own() } else { pattern::is_deep(text) };
            next.extend(itself.then_some(at));
        }
        found = next;
    }
    Some(found)
}

#[cfg(test)]
mod tests;
