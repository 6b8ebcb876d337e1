//! Secret files of the workspace: what a command that only reads, and that nobody was asked about, does not see.
//!
//! Owns which they are: files with the name of a secret one that git does not track, and whatever a rule denies to read. A
//! line that names one asks; this is about those that come upon one (`grep -r`, `find | xargs cat`). Hiding is the sandbox's.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pilothouse_core::{
    policy::PathRules,
    relpath::RelPath,
    shell::{self, Act, secrets::is_secret},
};

use crate::git;

/// Most names that are looked at, and most files that are hidden.
const MOST_NAMES: usize = 200_000;
const MOST_HIDDEN: usize = 500;

/// Real paths of the secret files below the workspace.
pub(crate) async fn below(root: &Path, rules: &PathRules) -> Vec<PathBuf> {
    let (top, rules) = (root.to_owned(), rules.clone());
    let looked = tokio::task::spawn_blocking(move || named(&top, &rules)).await;
    let (mut hidden, secret) = looked.unwrap_or_default();
    if !secret.is_empty() {
        let mut args = vec!["--literal-pathspecs", "ls-files", "-z", "--"];
        args.extend(secret.iter().map(RelPath::as_str));
        let tracked = git::ask(root, &args).await.unwrap_or_default();
        let tracked: Vec<&[u8]> = tracked.split(|b| *b == 0).filter(|name| !name.is_empty()).collect();
        let open = |path: &RelPath| tracked.iter().any(|name| name.starts_with(path.as_str().as_bytes()));
        hidden.extend(secret.into_iter().filter(|path| !open(path)));
    }
    hidden.iter().filter_map(|path| root.join(path.as_str()).canonicalize().ok()).collect()
}

/// What a rule denies to read, and what has the name of a secret file; what tools make again is left out.
fn named(root: &Path, rules: &PathRules) -> (Vec<RelPath>, Vec<RelPath>) {
    let (mut denied, mut secret) = (Vec::new(), Vec::new());
    let mut open = vec![root.to_owned()];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            let path = entry.path();
            let name = path.strip_prefix(root).ok().and_then(Path::to_str).and_then(|p| RelPath::new(p).ok());
            let Some(name) = name.filter(|name| name.as_str() != ".git") else { continue };
            if seen > MOST_NAMES || denied.len() + secret.len() >= MOST_HIDDEN {
                return (denied, secret);
            }
            if rules.denies(Act::Read, &name) {
                denied.push(name);
            } else if is_secret(name.as_str()) {
                secret.push(name);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !shell::is_made(name.as_str()) {
                open.push(path);
            }
        }
    }
    (denied, secret)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn secret_files_are_found_wherever_they_lie_but_for_what_tools_make() {
        let dir = tempfile::tempdir().unwrap();
        for name in [".env", ".env.example", "sub/deep/id_rsa", "node_modules/x/.env", "src/env.rs"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let (denied, mut secret) = named(dir.path(), &PathRules::default());
        secret.sort();
        let names: Vec<&str> = secret.iter().map(RelPath::as_str).collect();
        assert_eq!(names, [".env", "sub/deep/id_rsa"]);
        assert!(denied.is_empty());
    }
}
