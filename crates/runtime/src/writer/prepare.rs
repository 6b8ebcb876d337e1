//! Working out what an approved write makes of each file as it is on disk now.
//!
//! Owns the reading and the selection of hunks. Never writes to the workspace.

use std::io;

use pilothouse_core::{
    blob::{Blob, BlobId},
    diff,
    event::FileChange,
    input::WriteFault,
    tool::ChangeKind,
    work::Take,
};

use super::{Swap, fault, stale};
use crate::{
    blobs::Blobs,
    disk::{Disk, Root, Snapshot, again},
};

/// The exact files of a write, with the contents before and after.
///
/// # Errors
/// When a file is not what the proposal starts from, or cannot be read.
pub fn prepare(
    disk: &dyn Disk,
    root: &Root,
    blobs: &Blobs,
    changes: &[Take],
) -> Result<(Vec<FileChange>, Vec<Blob>), WriteFault> {
    let mut files = Vec::new();
    let mut contents = Vec::new();
    for take in changes.iter().filter(|t| t.hunks.is_empty() || !t.taken.is_empty()) {
        let now = read(disk, root, take)?;
        let after = content(blobs, take, now.as_ref())?;
        files.push(change(take, now.as_ref(), after.as_ref()));
        contents.extend(now.map(|f| Blob::new(f.bytes)));
        contents.extend(after);
    }
    Ok((files, contents))
}

fn read(disk: &dyn Disk, root: &Root, take: &Take) -> Result<Option<Snapshot>, WriteFault> {
    let at = root.locate(&take.path).map_err(|e| fault(&take.path, &e))?;
    let now = if at.missing.is_empty() {
        again(|| disk.read(&at.spot)).map_err(|e| fault(&take.path, &e))?
    } else {
        None
    };
    let swap = Swap { path: take.path.clone(), expect: take.before, to: None, mode: None, prune: false };
    match (now.as_ref().map(|f| BlobId::of(&f.bytes)), take.before) {
        (now, before) if now == before => {}
        (None, _) => return Err(stale(&swap, "is gone")),
        (Some(_), None) => return Err(stale(&swap, "has come into being")),
        (Some(_), Some(_)) => return Err(stale(&swap, "has changed")),
    }
    Ok(now)
}

fn content(blobs: &Blobs, take: &Take, now: Option<&Snapshot>) -> Result<Option<Blob>, WriteFault> {
    if take.kind == ChangeKind::Delete {
        return Ok(None);
    }
    let lost = || fault(&take.path, &io::Error::other("its proposed content is not stored"));
    let after = take.after.and_then(|id| blobs.get(id)).ok_or_else(lost)?;
    let before = now.map(|f| f.bytes.as_slice()).unwrap_or_default();
    if take.hunks.is_empty() {
        return Ok(Some(Blob::new(after)));
    }
    Ok(Some(Blob::new(diff::select(before, &after, &take.hunks, &take.taken))))
}

fn change(take: &Take, now: Option<&Snapshot>, after: Option<&Blob>) -> FileChange {
    let taken = || take.hunks.iter().enumerate().filter(|(i, _)| take.taken.contains(i)).map(|(_, h)| h);
    FileChange {
        proposal: take.proposal,
        path: take.path.clone(),
        kind: take.kind,
        before: take.before,
        after: after.map(Blob::id),
        mode: now.map(|f| f.mode),
        added: taken().map(diff::Hunk::added).sum(),
        removed: taken().map(diff::Hunk::removed).sum(),
        lines: after.map_or(0, |b| diff::lines(b.bytes()).len()),
    }
}
