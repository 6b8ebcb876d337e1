//! Programs that the workbench itself starts: which file a name stands for.
//!
//! Owns the search. Never takes one from a relative folder of `PATH`, nor one that the workspace, or
//! the repository around it, brings.

use std::path::{Path, PathBuf};

/// The program of this name on `PATH` that does not stand in the project of `folder`.
pub(crate) fn find(name: &str, folder: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let project = project(folder)?;
    let foreign = |p: &Path| p.canonicalize().is_ok_and(|p| !p.starts_with(&project));
    std::env::split_paths(&path)
        .filter(|p| p.is_absolute() && foreign(p))
        .map(|p| p.join(name))
        .find(|program| program.is_file() && foreign(program))
}

/// Where the project of a folder begins: the outermost repository around it, a home never.
pub fn project(folder: &Path) -> Option<PathBuf> {
    Some(around(&folder.canonicalize().ok()?, home().as_deref()))
}

/// The repository that a folder is a part of, where it is not the top of one: its top.
pub fn larger(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    nearest(&folder, home().as_deref()).filter(|top| *top != folder).map(Path::to_owned)
}

pub(crate) fn home() -> Option<PathBuf> {
    PathBuf::from(std::env::var_os("HOME")?).canonicalize().ok()
}

/// The innermost repository around a folder, a home never.
fn nearest<'f>(folder: &'f Path, home: Option<&Path>) -> Option<&'f Path> {
    let inside = |p: &&Path| home.is_none_or(|home| !home.starts_with(p));
    folder.ancestors().take_while(inside).find(|p| p.join(".git").exists())
}

/// The outermost repository around a folder, or the folder itself; a home under version control is
/// nobody's project.
fn around(folder: &Path, home: Option<&Path>) -> PathBuf {
    let inside = |p: &Path| home.is_none_or(|home| !home.starts_with(p));
    let repositories = folder.ancestors().filter(|p| inside(p) && p.join(".git").exists());
    repositories.last().unwrap_or(folder).to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_the_outermost_repository_but_never_the_home() {
        let dir = tempfile::tempdir().unwrap();
        let (home, repo) = (dir.path().join("home"), dir.path().join("home/repo"));
        let nested = repo.join("vendor/lib");
        for folder in [home.join(".git"), repo.join(".git"), nested.join(".git"), nested.join("src")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        for folder in [&repo, &nested, &nested.join("src")] {
            assert_eq!(around(folder, Some(&home)), repo);
        }
        assert_eq!(nearest(&nested.join("src"), Some(&home)), Some(nested.as_path()));
        assert_eq!(nearest(&repo.join("a"), Some(&home)), Some(repo.as_path()));
        let plain = home.join("plain");
        assert_eq!(nearest(&plain, Some(&home)), None);
        assert_eq!(around(&plain, Some(&home)), plain);
    }
}
