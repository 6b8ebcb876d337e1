//! The guard: what a command did to control files is seen, put back and named.
//!
//! Owns the looks before and after a command, and the repair between them. A look judges names by the
//! one list in core; contents are compared, never judged. Never looks into folders of build output
//! and dependencies, where no control file steers anything.

mod look;
mod repair;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use look::{Cache, Look};
pub(crate) use repair::Repair;

/// What of a workspace is guarded, and what is known of it from the last look.
#[derive(Clone, Debug)]
pub struct Guard {
    roots: Arc<[Root]>,
    /// Files that nobody may write until an earlier session's write is settled.
    spared: Arc<[PathBuf]>,
    cache: Arc<Mutex<Cache>>,
    /// Where what is taken away is kept.
    aside: Option<PathBuf>,
}

/// A folder that is guarded.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub path: PathBuf,
    /// Whether it is a folder of git rather than a workspace.
    pub git: bool,
}

/// What control files were before a command.
#[derive(Debug)]
pub(crate) struct Before {
    look: Look,
    spared: Look,
}

impl Guard {
    /// A guard of `workspace` and of git's folders outside of it; what it takes away goes to `aside`.
    pub fn of(workspace: &Path, git: &[PathBuf], aside: Option<PathBuf>) -> Self {
        let outside = git.iter().map(|path| Root { path: path.clone(), git: true });
        let roots = std::iter::once(Root { path: workspace.to_owned(), git: false }).chain(outside).collect();
        Self { roots, spared: Arc::default(), cache: Arc::default(), aside }
    }

    /// The same guard, which also puts these files back.
    #[must_use]
    pub fn sparing(self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { spared: files.into_iter().collect(), ..self }
    }

    /// Looks before a command; reads folders.
    pub(crate) fn before(&self) -> Before {
        Before { look: self.look(), spared: Look::of(&self.spared) }
    }

    fn look(&self) -> Look {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        Look::at(&self.roots, &mut cache)
    }

    /// What a command changed since `before`; nothing is put back.
    pub(crate) fn changed(&self, before: &Before) -> Vec<String> {
        let after = self.look();
        before.look.differences(&after).map(|path| self.name(path)).collect()
    }

    /// Puts back what a command changed since `before`. Where the files of then were held by mounts
    /// (`held`), another content in the same folder is somebody else's and stays.
    pub(crate) fn put_back(&self, before: &Before, held: bool) -> Option<Repair> {
        let after = self.look();
        let stays = |path: &Path| held && before.look.same_place(&after, path);
        before
            .look
            .differences(&after)
            .any(|path| !stays(path))
            .then(|| repair::repair(self, &before.look, &after, &stays))
    }

    /// Puts back what a command, however it ran, changed of the files that nobody may write.
    pub(crate) fn put_back_spared(&self, before: &Before) -> Option<Repair> {
        let after = Look::of(&self.spared);
        let changed = before.spared.differences(&after).next().is_some();
        changed.then(|| repair::repair(self, &before.spared, &after, &|_| false))
    }

    /// A path as people read it.
    fn name(&self, path: &Path) -> String {
        let below = self.roots.iter().filter(|r| !r.git).find_map(|r| path.strip_prefix(&r.path).ok());
        below.unwrap_or(path).to_string_lossy().into_owned()
    }

    /// A new folder for what is taken away.
    fn set_aside(&self) -> Option<PathBuf> {
        let aside = self.aside.as_ref()?;
        (0..1_000)
            .map(|n| aside.join(format!("set-aside-{n}")))
            .find(|dir| fs::create_dir_all(aside).and_then(|()| fs::create_dir(dir)).is_ok())
    }
}

impl Before {
    /// Files and folders that are there, for a sandbox that can hold them as they are.
    pub fn kept(&self) -> Vec<PathBuf> {
        self.look.holdable().into_iter().chain(self.spared.holdable()).collect()
    }
}

#[cfg(test)]
mod tests;
