//! Where decisions about folders are kept: one file a folder, outside every project.
//!
//! Owns the files. A decision is about the resolved path and exactly one content, or what is left of it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use pilothouse_core::blob::BlobId;
use pilothouse_tools::atomic;
use serde::{Deserialize, Serialize};

use super::{Brought, Piece};
use crate::{
    error::RuntimeError,
    home::{Home, make_private},
    own,
};

/// The most that is kept of one text, in bytes, to show later what changed.
const MOST_TEXT: usize = 64 * 1024;

/// The decisions of this user.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// What was decided about one folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The resolved folder.
    pub path: PathBuf,
    /// Whether it is trusted; else the user said no.
    pub trusted: bool,
    /// The content that it was decided for.
    pub of: BlobId,
    /// What that was, as it may be shown.
    pub pieces: Vec<Kept>,
    /// The project's own checks that the question named.
    #[serde(default)]
    pub checks: Vec<String>,
}

impl Record {
    /// Whether the decision is about what is there now: exactly that, or of what is trusted what is left of it, since a file
    /// that is gone brings nothing.
    pub fn covers(&self, brought: &Brought) -> bool {
        let is_kept = |p: &Piece| {
            let hash = BlobId::of(&p.mark());
            self.pieces.iter().any(|kept| kept.path == p.path && kept.hash == hash)
        };
        let left = self.trusted && !brought.pieces.is_empty() && brought.pieces.iter().all(is_kept);
        self.of == brought.of || left
    }
}

/// One file as it was when it was decided about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Where it stood.
    pub path: String,
    /// The hash of what it held.
    pub hash: BlobId,
    /// Its text as it may be shown.
    pub text: String,
}

impl Store {
    /// The decisions kept under this home.
    pub fn of(home: &Home) -> Self {
        Self { folder: home.state.join("trust") }
    }

    /// Where the decision about a folder is kept.
    pub fn file(&self, root: &Path) -> PathBuf {
        let hash = BlobId::of(root.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{hash}.json"))
    }

    /// What was decided about the folder; nothing when nothing was, or when what is there could have
    /// been written by others.
    pub fn read(&self, root: &Path) -> Option<Record> {
        let file = self.file(root);
        if !fs::symlink_metadata(&file).ok()?.is_file() {
            return None;
        }
        let bytes = own::read(&file).unwrap_or_else(|e| {
            tracing::warn!(error = %e, "a decision about trust is not taken");
            None
        })?;
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        (record.path == root).then_some(record)
    }

    /// Keeps a decision.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep(
        &self,
        root: &Path,
        brought: &Brought,
        trusted: bool,
        checks: Vec<String>,
    ) -> Result<(), RuntimeError> {
        let pieces = brought.pieces.iter().map(|p| {
            let mut text = p.legible();
            text.truncate(text.floor_char_boundary(MOST_TEXT));
            Kept { path: p.path.clone(), hash: BlobId::of(&p.mark()), text }
        });
        let (path, of, pieces) = (root.to_owned(), brought.of, pieces.collect());
        let record = Record { path, trusted, of, pieces, checks };
        let bytes = serde_json::to_vec_pretty(&record)?;
        make_private(&self.folder)?;
        let file = self.file(root);
        atomic::replace(&file, &bytes, 0o600).map_err(RuntimeError::io("write", file))
    }

    fn memory_file(&self, root: &Path) -> PathBuf {
        self.file(root).with_extension("memory")
    }

    /// The project's memory that holds nothing but what the user agreed to, by its hash.
    pub fn memory(&self, root: &Path) -> Option<BlobId> {
        serde_json::from_slice(&own::read(&self.memory_file(root)).ok()??).ok()
    }

    /// Notes that the user agreed to all that the project's memory holds now.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep_memory(&self, root: &Path, of: BlobId) -> Result<(), RuntimeError> {
        make_private(&self.folder)?;
        let file = self.memory_file(root);
        let bytes = serde_json::to_vec(&of)?;
        atomic::replace(&file, &bytes, 0o600).map_err(RuntimeError::io("write", file))
    }

    fn servers_file(&self, root: &Path) -> PathBuf {
        self.file(root).with_extension("servers")
    }

    /// The servers of an editor that may always start in this folder, each by the hash of what was shown.
    pub fn servers(&self, root: &Path) -> BTreeSet<BlobId> {
        let read = || serde_json::from_slice(&own::read(&self.servers_file(root)).ok()??).ok();
        read().unwrap_or_default()
    }

    /// Keeps that this one may.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep_server(&self, root: &Path, shown: BlobId) -> Result<(), RuntimeError> {
        make_private(&self.folder)?;
        let file = self.servers_file(root);
        let held = atomic::lock(&file.with_extension("lock")).map_err(RuntimeError::io("write", &file))?;
        let mut all = self.servers(root);
        all.insert(shown);
        let kept = atomic::replace(&file, &serde_json::to_vec(&all)?, 0o600);
        drop(held);
        kept.map_err(RuntimeError::io("write", file))
    }

    /// Takes back whatever was decided about the folder. Returns whether it was trusted.
    ///
    /// # Errors
    /// What the file system says.
    pub fn forget(&self, root: &Path) -> Result<bool, RuntimeError> {
        let trusted = self.read(root).is_some_and(|r| r.trusted);
        for file in [self.servers_file(root), self.memory_file(root), self.file(root)] {
            self.remove(&file)?;
        }
        Ok(trusted)
    }

    fn remove(&self, file: &Path) -> Result<(), RuntimeError> {
        match fs::remove_file(file) {
            Ok(()) => atomic::sync_folder(&self.folder).map_err(RuntimeError::io("write", file))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(RuntimeError::io("remove", file)(e)),
        }
        Ok(())
    }
}
