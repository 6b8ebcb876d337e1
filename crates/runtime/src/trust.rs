//! Trust: what a project brings that would take effect, and what was decided about it.
//!
//! Owns the list of such files and the hash over them. What is not on the list has no effect in any
//! folder; what is on it has none until the folder is trusted. Never decides to trust.

mod folder;
mod part;
mod scripts;
mod store;

use std::{fs, path::Path};

use pilothouse_core::{blob::BlobId, hook::Origin, relpath::RelPath, trust::VARIABLES};
use pilothouse_tools::Jail;

pub use folder::{Folder, Survey};
pub use part::{Kind, Piece};
pub(crate) use scripts::runs;
pub use store::Store;

use crate::{
    config::ProjectLayer,
    error::RuntimeError,
    hooks::{self, Definition},
    memory, recipes, sources,
};

/// Single files that take effect. Permission rules are not among them: a project's only narrow, and
/// narrow everywhere.
const FILES: [(&str, Kind); 6] = [
    (hooks::PROJECT_FILE, Kind::Hooks),
    (".pilothouse/config.toml", Kind::Settings),
    (".mcp.json", Kind::Servers),
    (".pilothouse/mcp.json", Kind::Servers),
    (VARIABLES, Kind::Variables),
    (memory::PROJECT_FILE, Kind::Memory),
];

/// The most files that are looked at; what is beyond stays without effect.
const MOST_FILES: usize = 400;
/// The most that one file may have, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// How deep folders are looked into.
const MOST_DEPTH: usize = 6;

/// Everything in a folder that would take effect, as it was at one moment.
#[derive(Clone, Debug)]
pub struct Brought {
    /// The pieces, by path.
    pub pieces: Vec<Piece>,
    /// The hash over all of them.
    pub of: BlobId,
}

impl Brought {
    /// Looks at the folder. Nothing in it is run, and no link leads out of it.
    pub fn scan(root: &Path) -> Self {
        Self::scan_for(root, true)
    }

    /// The same, and whether recipes are among it: no hook and no source comes of one, and they are the most.
    fn scan_for(root: &Path, recipes: bool) -> Self {
        let mut pieces = Vec::new();
        if let Ok(jail) = Jail::open(root) {
            for (path, kind) in FILES {
                pieces.extend(look(&jail, path, kind));
            }
            list(&jail, sources::PROJECT, Kind::Servers, MOST_DEPTH, &mut pieces);
            for (path, kind) in recipes::PROJECT.into_iter().filter(|_| recipes) {
                list(&jail, path, Kind::Recipe(kind), MOST_DEPTH, &mut pieces);
            }
            pieces.truncate(MOST_FILES);
            let scripts = scripts::of(&jail, &pieces);
            pieces.extend(scripts);
        }
        pieces.sort_by(|a, b| a.path.cmp(&b.path));
        Self::of(pieces)
    }

    fn of(pieces: Vec<Piece>) -> Self {
        let mut all = b"pilothouse trust 1\0".to_vec();
        for piece in &pieces {
            all.extend(piece.mark());
        }
        let of = if pieces.is_empty() { BlobId::of(b"") } else { BlobId::of(&all) };
        Self { pieces, of }
    }

    /// What is left where a memory is this one: the user agreed to each note of it, so nobody else brings it.
    #[must_use]
    pub fn without_memory(self, own: Option<BlobId>) -> Self {
        let is_own = |p: &Piece| {
            p.kind == Kind::Memory && p.content.as_ref().is_ok_and(|bytes| Some(BlobId::of(bytes)) == own)
        };
        Self::of(self.pieces.into_iter().filter(|p| !is_own(p)).collect())
    }

    /// The text of one piece.
    fn text(&self, path: &str) -> Option<&str> {
        let piece = self.pieces.iter().find(|p| p.path == path)?;
        std::str::from_utf8(piece.content.as_deref().ok()?).ok()
    }

    /// The project's hooks.
    ///
    /// # Errors
    /// What is wrong in the file, with line and column.
    pub fn hooks(&self, root: &Path) -> Result<Vec<Definition>, RuntimeError> {
        let text = self.text(hooks::PROJECT_FILE).unwrap_or_default();
        hooks::parse(&root.join(hooks::PROJECT_FILE), text, Origin::Project)
    }

    /// The project's settings.
    ///
    /// # Errors
    /// What is wrong in the file, with line and column.
    pub fn settings(&self, root: &Path) -> Result<ProjectLayer, RuntimeError> {
        let path = ".pilothouse/config.toml";
        ProjectLayer::parse(&root.join(path), self.text(path).unwrap_or_default())
    }

    /// Variables of the project's `.env` for the commands that run in it; none that would make a
    /// program run another, and none of ours.
    pub fn variables(&self) -> Vec<(String, String)> {
        part::variables(self.text(VARIABLES).unwrap_or_default())
    }

    /// The same with the file of variables as it is now; `None` where that is the same as well.
    pub fn with_variables_of(&self, root: &Path) -> Option<Self> {
        let now = Jail::open(root).ok().and_then(|jail| look(&jail, VARIABLES, Kind::Variables));
        let is_other = |p: &&Piece| p.kind != Kind::Variables;
        if now.as_ref() == self.pieces.iter().find(|p| !is_other(p)) {
            return None;
        }
        let mut pieces: Vec<Piece> = self.pieces.iter().filter(is_other).cloned().chain(now).collect();
        pieces.sort_by(|a, b| a.path.cmp(&b.path));
        Some(Self::of(pieces))
    }

    /// Whether the hooks, the sources and the files that they name are still as they are here.
    ///
    /// # Errors
    /// The path of the first that is not.
    pub fn still_holds(&self, root: &Path) -> Result<(), String> {
        let runs = |p: &&Piece| matches!(p.kind, Kind::Hooks | Kind::Script | Kind::Servers);
        let now = Self::scan_for(root, false);
        let missing = |from: &Self, of: &Self| {
            let mut pieces = from.pieces.iter().filter(runs);
            // What is a recipe here as well was looked at as one.
            let same = |p: &Piece| of.pieces.iter().any(|q| q.path == p.path && q.content == p.content);
            pieces.find(|p| !same(p)).map(|p| p.path.clone())
        };
        missing(self, &now).or_else(|| missing(&now, self)).map_or(Ok(()), Err)
    }
}

fn look(jail: &Jail, path: &str, kind: Kind) -> Option<Piece> {
    let rel = RelPath::new(path).ok()?;
    let link = fs::symlink_metadata(jail.root().join(path)).is_ok_and(|m| m.is_symlink());
    let recipe = matches!(kind, Kind::Recipe(_));
    let content = match jail.metadata(&rel) {
        // What it leads to could be another by the time it is used.
        Ok(_) if link && recipe => Err("it is a link; only a file of its own folder counts".to_owned()),
        Ok(meta) if !meta.is_file() => Err("it is not a regular file".to_owned()),
        Ok(meta) if kind == Kind::Script && meta.len() > MOST_BYTES => scripts::hashed(jail, &rel),
        Ok(meta) if meta.len() > MOST_BYTES => Err(format!("it has more than {MOST_BYTES} bytes")),
        Ok(_) => jail.read(&rel).map_err(|e| e.to_string()),
        // A link that leads nowhere or out of the folder is there all the same.
        Err(e) if fs::symlink_metadata(jail.root().join(path)).is_ok() => Err(e.to_string()),
        Err(_) => return None,
    };
    Some(Piece { path: path.to_owned(), kind, content })
}

fn list(jail: &Jail, path: &str, kind: Kind, depth: usize, into: &mut Vec<Piece>) {
    let Ok(rel) = RelPath::new(path) else { return };
    if !jail.metadata(&rel).is_ok_and(|m| m.is_dir()) {
        into.extend(look(jail, path, kind));
        return;
    }
    // Whether it still is the same folder is of no matter: what is in it is read by its own path.
    let Ok(entries) = fs::read_dir(jail.root().join(path)) else { return };
    let mut names: Vec<String> =
        entries.flatten().take(4 * MOST_FILES).filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    for name in names {
        if into.len() > MOST_FILES {
            return;
        }
        let below = format!("{path}/{name}");
        let folder = fs::symlink_metadata(jail.root().join(&below)).is_ok_and(|m| m.is_dir());
        if folder && depth > 0 {
            list(jail, &below, kind, depth - 1, into);
        } else if !folder {
            into.extend(look(jail, &below, kind));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
mod tests;
