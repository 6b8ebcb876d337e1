//! Secret files of the workspace, and of folders beside it: what a command that nobody was asked about does not see, whether it only reads or writes.
//!
//! Owns which they are: files with the name of a secret one that git does not track, and whatever a rule denies to read. A
//! line that names one asks; this is about those that come upon one (`grep -r`, `find | xargs cat`, a test that reads its
//! settings). What is too much to be looked through or hidden is told, and then nothing runs unasked. Hiding is the sandbox's.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use pilothouse_core::{
    policy::PathRules,
    relpath::RelPath,
    shell::{self, Act, secrets::is_secret},
    tool::Run,
};

use crate::{git, stamp::Stamp};

mod beside;

/// Most names that are looked at.
const MOST_NAMES: usize = 1_000_000;
/// Most files that are hidden, and most bytes of their paths: the helper is told them in one argument.
const MOST_HIDDEN: usize = 500;
const MOST_BYTES: usize = 48 * 1024;
/// Most names that are looked at beside the workspace.
const MOST_BESIDE: usize = 100_000;
/// So many folders beside it are kept in mind.
const KEPT_BESIDE: usize = 8;

/// Where secret files of a workspace lie; clones share what the last look found.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecretFiles {
    last: Arc<Mutex<Last>>,
    /// The same of folders beside it.
    beside: Arc<Mutex<HashMap<PathBuf, Last>>>,
}

/// What the last look found, folder by folder: one that did not change since is not listed again.
#[derive(Debug, Default)]
struct Last {
    rules: PathRules,
    folders: HashMap<PathBuf, Folder>,
}

/// One folder.
#[derive(Clone, Debug, Default)]
struct Folder {
    stamp: Option<Stamp>,
    names: usize,
    /// What a rule denies to read.
    denied: Vec<PathBuf>,
    /// What has the name of a secret file.
    secret: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

/// What is denied, and what has the name of a secret file: paths below the workspace.
type Named = (Vec<PathBuf>, Vec<PathBuf>);

impl SecretFiles {
    /// Real paths of the secret files that a command could come upon: below the workspace, and below the folders beside it
    /// that its line looks through.
    ///
    /// # Errors
    /// Why not all of them can be hidden, in words.
    pub async fn within(&self, root: &Path, rules: &PathRules, run: &Run) -> Result<Vec<PathBuf>, String> {
        let mut found = self.below(root, rules).await?;
        for folder in beside::folders(root, run)? {
            let (top, beside) = (folder.clone(), Arc::clone(&self.beside));
            let look = move || {
                let mut beside = beside.lock().unwrap_or_else(PoisonError::into_inner);
                if beside.len() >= KEPT_BESIDE && !beside.contains_key(&top) {
                    beside.clear();
                }
                beside.entry(top.clone()).or_default().named(&top, &PathRules::default(), MOST_BESIDE)
            };
            let looked = tokio::task::spawn_blocking(look).await;
            let looked = looked.map_err(|_| "secret files could not be looked for".to_owned())?;
            let (_, secret) = looked.map_err(|why| format!("{why} in {}", folder.display()))?;
            found.extend(real(&folder, &untracked(&folder, secret).await));
        }
        found.sort();
        found.dedup();
        bounded(found)
    }

    async fn below(&self, root: &Path, rules: &PathRules) -> Result<Vec<PathBuf>, String> {
        let (top, rules, last) = (root.to_owned(), rules.clone(), Arc::clone(&self.last));
        let looked = tokio::task::spawn_blocking(move || {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            last.named(&top, &rules, MOST_NAMES)
        });
        let looked = looked.await.map_err(|_| "secret files could not be looked for".to_owned())?;
        let (mut hidden, secret) = looked?;
        hidden.extend(untracked(root, secret).await);
        Ok(real(root, &hidden))
    }
}

/// Where these lie, below a folder.
fn real(root: &Path, found: &[PathBuf]) -> Vec<PathBuf> {
    found.iter().filter_map(|path| root.join(path).canonicalize().ok()).collect()
}

/// As many as can be hidden.
fn bounded(real: Vec<PathBuf>) -> Result<Vec<PathBuf>, String> {
    let bytes: usize = real.iter().map(|path| path.as_os_str().len()).sum();
    if real.len() > MOST_HIDDEN || bytes > MOST_BYTES {
        return Err(format!("{} secret files, more than can be hidden from it", real.len()));
    }
    match real.iter().find(|path| path.to_str().is_none()) {
        Some(odd) => Err(format!("{}, whose name is no text", odd.to_string_lossy())),
        None => Ok(real),
    }
}

/// Those that git does not track; of a folder of which it tracks something, the others in it.
async fn untracked(root: &Path, secret: Vec<PathBuf>) -> Vec<PathBuf> {
    if secret.is_empty() {
        return secret;
    }
    let names: Vec<&str> = secret.iter().filter_map(|path| path.to_str()).collect();
    let mut tracked = Vec::new();
    for some in names.chunks(MOST_HIDDEN) {
        let mut args = vec!["--literal-pathspecs", "ls-files", "-z", "--"];
        args.extend(some);
        tracked.extend(git::ask(root, &args).await.unwrap_or_default());
    }
    let tracked: BTreeSet<&[u8]> = tracked.split(|b| *b == 0).filter(|name| !name.is_empty()).collect();
    let (mut found, mut open) = (Vec::new(), secret);
    open.reverse();
    while let Some(path) = open.pop() {
        let own = path.as_os_str().as_encoded_bytes();
        // What lies in it, not what only begins like it.
        let inner = [own, b"/"].concat();
        if tracked.contains(own) {
            continue;
        }
        if tracked.range(&*inner..).next().is_some_and(|first| first.starts_with(&inner)) {
            open.extend(secret_in(root, &path));
        } else {
            found.push(path);
        }
    }
    found
}

/// What lies in a secret folder: folders, and what is secret of the files.
fn secret_in(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let counts = |entry: &fs::DirEntry, path: &Path| {
        entry.file_type().is_ok_and(|kind| kind.is_dir()) || is_secret(&path.to_string_lossy())
    };
    entries.map(|e| (folder.join(e.file_name()), e)).filter(|(p, e)| counts(e, p)).map(|(p, _)| p).collect()
}

impl Last {
    /// Looks; what lies deep in what tools make again is left out.
    fn named(&mut self, root: &Path, rules: &PathRules, most: usize) -> Result<Named, String> {
        if self.rules != *rules {
            *self = Self { rules: rules.clone(), folders: HashMap::new() };
        }
        let now = SystemTime::now();
        let mut known = std::mem::take(&mut self.folders);
        let (mut denied, mut secret, mut seen) = (Vec::new(), Vec::new(), 0);
        let mut open = vec![PathBuf::new()];
        while let Some(path) = open.pop() {
            let stamp = Stamp::at(&root.join(&path)).filter(|s| s.is_folder());
            let old = known.remove(&path).filter(|old| old.stamp.is_some() && old.stamp == stamp);
            let folder = old.unwrap_or_else(|| Folder {
                stamp: stamp.filter(|s| !s.is_fresh(now)),
                ..list(root, &path, rules)
            });
            seen += folder.names;
            if seen > most {
                return Err(format!("more than {most} files, too many to look for secret ones among them"));
            }
            denied.extend(folder.denied.iter().cloned());
            secret.extend(folder.secret.iter().cloned());
            open.extend(folder.folders.iter().cloned());
            self.folders.insert(path, folder);
        }
        Ok((denied, secret))
    }
}

/// Looks at the names in one folder.
fn list(root: &Path, folder: &Path, rules: &PathRules) -> Folder {
    let mut found = Folder::default();
    // Of a folder that a tool makes again only what lies in it itself: what is below comes from elsewhere.
    let made = folder.to_str().is_some_and(shell::is_made);
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        found.names += 1;
        let path = folder.join(entry.file_name());
        // A name that is no text is judged by what of it is.
        let Ok(name) = RelPath::new(&path.to_string_lossy()) else { continue };
        if name.as_str() == ".git" {
            continue;
        }
        if rules.denies(Act::Read, &name) {
            found.denied.push(path);
        } else if is_secret(name.as_str()) {
            found.secret.push(path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !made {
            found.folders.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests;
