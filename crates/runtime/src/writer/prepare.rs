//! Working out what an approved write makes of each file as it is on disk now.
//!
//! Owns the reading and the selection of hunks. Never writes to the workspace.

use std::{collections::BTreeSet, io};

use pilothouse_core::{
    blob::{Blob, BlobId},
    diff,
    event::{FileChange, Rest},
    ids::ProposalId,
    input::WriteFault,
    tool::{ChangeKind, ProposalDraft},
    work::Take,
};

use super::{fault, stale};
use crate::{
    blobs::Blobs,
    disk::{Disk, Root, Snapshot, retry_on_eintr},
};

/// Said of a file where the two changes meet.
const MEETS: &str =
    "the same place: - is what stands there now, + is what is proposed; c asks for another proposal";

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
    let taken = || changes.iter().filter(|t| t.hunks.is_empty() || !t.taken.is_empty());
    let mut files = Vec::new();
    let mut contents = Vec::new();
    for take in taken() {
        let now = match read(disk, root, take) {
            Ok(now) => now,
            Err(mut fault) => {
                // Every file of the write that moved on gets its change carried over, not only this.
                for (id, draft, met) in taken().filter_map(|t| rebase(disk, root, blobs, t)) {
                    if met {
                        fault.message.push_str(&format!("; in {} both changed {MEETS}", draft.path));
                    }
                    fault.rebased.push((id, draft));
                }
                return Err(fault);
            }
        };
        let after = content(blobs, take, now.as_ref(), &take.taken)?;
        let mut file = change(take, now.as_ref(), after.as_ref());
        if let Some((rest, content)) = rest(blobs, take, now.as_ref(), after.as_ref())? {
            file.rest = Some(rest);
            contents.push(content);
        }
        files.push(file);
        contents.extend(now.map(|f| Blob::new(f.bytes)));
        contents.extend(after);
    }
    Ok((files, contents))
}

fn current(disk: &dyn Disk, root: &Root, take: &Take) -> io::Result<Option<Snapshot>> {
    let at = root.locate(&take.path)?;
    if at.missing.is_empty() { retry_on_eintr(|| disk.read(&at.spot)) } else { Ok(None) }
}

fn read(disk: &dyn Disk, root: &Root, take: &Take) -> Result<Option<Snapshot>, WriteFault> {
    let now = current(disk, root, take).map_err(|e| fault(&take.path, &e))?;
    match (now.as_ref().map(|f| BlobId::of(&f.bytes)), take.before) {
        (now, before) if now == before => Ok(()),
        (None, _) => Err(stale(&take.path, "is gone")),
        (Some(_), None) => Err(stale(&take.path, "has come into being")),
        (Some(_), Some(_)) => Err(stale(&take.path, "has changed")),
    }?;
    Ok(now)
}

/// The proposed change against what the file holds now, and whether the two meet: there the change takes back what
/// others did, which is seen in it.
fn rebase(
    disk: &dyn Disk,
    root: &Root,
    blobs: &Blobs,
    take: &Take,
) -> Option<(ProposalId, ProposalDraft, bool)> {
    let now = current(disk, root, take).ok()?.map(|f| f.bytes);
    if now.as_deref().map(BlobId::of) == take.before {
        return None;
    }
    let proposed = take.after.and_then(|id| blobs.get(id));
    let (kind, after, met) = match (take.kind, &now, proposed) {
        (ChangeKind::Delete, Some(_), _) => (ChangeKind::Delete, None, true),
        (ChangeKind::Create | ChangeKind::Modify, None, Some(whole)) => {
            (ChangeKind::Create, Some(whole), true)
        }
        (ChangeKind::Create, Some(_), Some(whole)) => (ChangeKind::Modify, Some(whole), true),
        (ChangeKind::Modify, Some(now), Some(proposed)) => {
            let carried = diff::rebase(&blobs.get(take.before?)?, &proposed, now);
            (ChangeKind::Modify, Some(carried.text), carried.conflicts > 0)
        }
        (ChangeKind::Delete, None, _) | (ChangeKind::Create | ChangeKind::Modify, _, None) => return None,
    };
    let hunks = diff::hunks(now.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    let (before, after) = (now.map(Blob::new), after.map(Blob::new));
    let draft = ProposalDraft { path: take.path.clone(), kind, before, after, hunks };
    (!draft.hunks.is_empty()).then_some((take.proposal, draft, met))
}

/// What of it is undecided, as a change of what is written.
fn rest(
    blobs: &Blobs,
    take: &Take,
    now: Option<&Snapshot>,
    written: Option<&Blob>,
) -> Result<Option<(Rest, Blob)>, WriteFault> {
    let Some(written) = written.filter(|_| !take.undecided.is_empty()) else { return Ok(None) };
    let wanted = take.taken.union(&take.undecided).copied().collect();
    let Some(whole) = content(blobs, take, now, &wanted)? else { return Ok(None) };
    let hunks = diff::hunks(written.bytes(), whole.bytes());
    Ok((!hunks.is_empty()).then(|| (Rest { after: whole.id(), hunks }, whole)))
}

/// The content with these hunks taken.
fn content(
    blobs: &Blobs,
    take: &Take,
    now: Option<&Snapshot>,
    taken: &BTreeSet<usize>,
) -> Result<Option<Blob>, WriteFault> {
    if take.kind == ChangeKind::Delete {
        return Ok(None);
    }
    let lost = || fault(&take.path, &io::Error::other("its proposed content is not stored"));
    let after = take.after.and_then(|id| blobs.get(id)).ok_or_else(lost)?;
    let before = now.map(|f| f.bytes.as_slice()).unwrap_or_default();
    if take.hunks.is_empty() {
        return Ok(Some(Blob::new(after)));
    }
    Ok(Some(Blob::new(diff::select(before, &after, &take.hunks, taken))))
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
        rest: None,
    }
}
