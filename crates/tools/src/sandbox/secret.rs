//! Secret files of the workspace: what a command that nobody was asked about does not see, whether it only reads or writes.
//!
//! Owns which they are: files with the name of a secret one that git does not track, and whatever a rule denies to read. A
//! line that names one asks; this is about those that come upon one (`grep -r`, `find | xargs cat`, a test that reads its
//! settings). What is too much to be looked through or hidden is told, and then nothing runs unasked. Hiding is the sandbox's.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use pilothouse_core::{
    policy::PathRules,
    relpath::RelPath,
    shell::{self, Act, secrets::is_secret},
};

use crate::{git, stamp::Stamp};

/// Most names that are looked at.
const MOST_NAMES: usize = 1_000_000;
/// Most files that are hidden, and most bytes of their paths: the helper is told them in one argument.
const MOST_HIDDEN: usize = 500;
const MOST_BYTES: usize = 48 * 1024;

/// Where secret files of a workspace lie; clones share what the last look found.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecretFiles {
    last: Arc<Mutex<Last>>,
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
    /// Real paths of the secret files below the workspace.
    ///
    /// # Errors
    /// Why not all of them can be hidden, in words.
    pub async fn below(&self, root: &Path, rules: &PathRules) -> Result<Vec<PathBuf>, String> {
        let (top, rules, last) = (root.to_owned(), rules.clone(), Arc::clone(&self.last));
        let looked = tokio::task::spawn_blocking(move || {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            last.named(&top, &rules, MOST_NAMES)
        });
        let looked = looked.await.map_err(|_| "secret files could not be looked for".to_owned())?;
        let (mut hidden, secret) = looked?;
        hidden.extend(untracked(root, secret).await);
        let real: Vec<PathBuf> =
            hidden.iter().filter_map(|path| root.join(path).canonicalize().ok()).collect();
        let bytes: usize = real.iter().map(|path| path.as_os_str().len()).sum();
        if real.len() > MOST_HIDDEN || bytes > MOST_BYTES {
            return Err(format!("{} secret files, more than can be hidden from it", real.len()));
        }
        match real.iter().find(|path| path.to_str().is_none()) {
            Some(odd) => Err(format!("{}, whose name is no text", odd.to_string_lossy())),
            None => Ok(real),
        }
    }
}

/// Those that git does not track.
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
    let tracked: Vec<&[u8]> = tracked.split(|b| *b == 0).filter(|name| !name.is_empty()).collect();
    // Itself, or what lies in it; not what only begins like it.
    let open = |path: &Path| {
        let own = path.as_os_str().as_encoded_bytes();
        tracked.iter().filter_map(|name| name.strip_prefix(own)).any(|rest| matches!(rest, [] | [b'/', ..]))
    };
    secret.into_iter().filter(|path| !open(path)).collect()
}

impl Last {
    /// Looks; what tools make again is left out.
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
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !shell::is_made(name.as_str()) {
            found.folders.push(path);
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn put(root: &Path, name: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }

    fn names(found: &[PathBuf]) -> Vec<String> {
        let mut names: Vec<String> = found.iter().map(|p| p.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn secret_files_are_found_wherever_they_lie_but_for_what_tools_make() {
        let dir = tempfile::tempdir().unwrap();
        for name in [".env", ".env.example", "sub/deep/id_rsa", "node_modules/x/.env", "src/env.rs"] {
            put(dir.path(), name);
        }
        let (mut last, rules) = (Last::default(), PathRules::default());
        let (denied, secret) = last.named(dir.path(), &rules, MOST_NAMES).unwrap();
        assert_eq!(names(&secret), [".env", "sub/deep/id_rsa"]);
        assert!(denied.is_empty());
        // What comes later, and what goes, is seen by the next look.
        put(dir.path(), "sub/deep/.env");
        put(dir.path(), "new/.npmrc");
        fs::remove_file(dir.path().join(".env")).unwrap();
        let (_, secret) = last.named(dir.path(), &rules, MOST_NAMES).unwrap();
        assert_eq!(names(&secret), ["new/.npmrc", "sub/deep/.env", "sub/deep/id_rsa"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_no_text_hides_nothing_from_the_look() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"od\xff"));
        fs::create_dir(&odd).unwrap();
        fs::write(odd.join(".env"), "x").unwrap();
        let (_, secret) = Last::default().named(dir.path(), &PathRules::default(), MOST_NAMES).unwrap();
        assert_eq!(secret.len(), 1);
    }

    #[tokio::test]
    async fn a_tracked_file_shows_none_whose_name_begins_its_own() {
        let dir = tempfile::tempdir().unwrap();
        for name in [".env", ".env.test", "sub/.env", "sub/.env.production"] {
            put(dir.path(), name);
        }
        let git = |args: &[&str]| {
            let mut git = std::process::Command::new("git");
            assert!(git.arg("-C").arg(dir.path()).args(args).output().unwrap().status.success());
        };
        git(&["init", "-q"]);
        git(&["add", ".env.test", "sub/.env.production"]);
        let found = SecretFiles::default().below(dir.path(), &PathRules::default()).await.unwrap();
        let ends = |name: &str| found.iter().any(|p| p.ends_with(name));
        assert_eq!((found.len(), ends(".env"), ends("sub/.env")), (2, true, true), "{found:?}");
    }

    #[tokio::test]
    async fn what_is_too_much_to_look_through_or_to_hide_is_told() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..=MOST_HIDDEN {
            put(dir.path(), &format!("d{n}/.env"));
        }
        let rules = PathRules::default();
        let said = SecretFiles::default().below(dir.path(), &rules).await.unwrap_err();
        assert!(said.contains("501 secret files"), "{said}");
        let said = Last::default().named(dir.path(), &rules, 100).unwrap_err();
        assert!(said.contains("more than 100 files"), "{said}");
        fs::remove_dir_all(dir.path().join("d0")).unwrap();
        assert_eq!(SecretFiles::default().below(dir.path(), &rules).await.unwrap().len(), 500);
    }
}
