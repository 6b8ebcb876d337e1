//! What plans need: programs of gates, looked up where commands find them, and files that steps rest on.
//!
//! Owns what counts as there. Starts nothing.

use std::path::{Path, PathBuf};

use pilothouse_core::{
    plan::{Listed, Programs, Workspace},
    relpath::RelPath,
    shell::Target,
};
use pilothouse_tools::regular;

use super::{MANIFEST_BYTES, commands::on_path, packages, targets};
use crate::home::Environment;

/// The search path of commands, and where cargo's own names for sub-commands stand.
#[derive(Clone, Debug)]
pub(crate) struct SearchPath {
    path: String,
    cargo: Vec<PathBuf>,
    root: PathBuf,
}

impl SearchPath {
    /// That of an environment, for a folder.
    pub(crate) fn of(environment: &Environment, root: &Path) -> Self {
        let home = environment.get("HOME").map(|home| Path::new(home).join(".cargo"));
        let own = environment.get("CARGO_HOME").map(PathBuf::from).or(home);
        let cargo = [Some(root.join(".cargo")), own].into_iter().flatten().collect();
        Self { path: environment.get("PATH").unwrap_or_default().to_owned(), cargo, root: root.to_owned() }
    }

    /// Whether cargo was told what a sub-command of that name stands for.
    fn is_alias(&self, name: &str) -> bool {
        let files = self.cargo.iter().flat_map(|folder| ["config.toml", "config"].map(|f| folder.join(f)));
        let text = |file: PathBuf| String::from_utf8(regular::read(&file, MANIFEST_BYTES).ok()?).ok();
        let mut tables = files.filter_map(|file| text(file)?.parse::<toml::Table>().ok());
        tables.any(|table| table.get("alias").and_then(|alias| alias.get(name)).is_some())
    }
}

/// The files of a folder.
#[derive(Clone, Debug)]
pub(crate) struct FolderFiles(pub PathBuf);

impl Workspace for FolderFiles {
    fn has(&self, path: &RelPath) -> bool {
        self.0.join(path.as_str()).symlink_metadata().is_ok()
    }

    fn without(&self, target: &Target) -> Option<Listed> {
        targets::without(&self.0, target)
    }
}

impl Programs for SearchPath {
    fn has(&self, name: &str) -> bool {
        let alias = || name.strip_prefix("cargo-").is_some_and(|name| self.is_alias(name));
        // What is in the project's own folders is there as well: only what is nowhere is told.
        on_path(name, &self.path, None) || alias()
    }

    fn unready(&self, line: &str) -> Option<String> {
        packages::unready(&self.root, line)
    }
}
