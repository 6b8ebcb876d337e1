//! Working out what an approved write makes of each file as it is on disk now.
//!
//! Owns the reading, the selection of hunks, and what becomes of a change where its file moved on.

use std::{borrow::Cow, collections::BTreeSet, io};

use pilothouse_core::{
    blob::{Blob, BlobId},
    diff::{self, Lines, Version},
    encoding::Encoding,
    event::{FileChange, Rest},
    input::{Rebased, Reversal, WriteFault},
    proposal::OnDisk,
    tool::{ChangeKind, ProposalDraft, Redraft},
    work::{Moved, Take},
};

use super::{Swap, fault, form::in_form, stale, swap_all};
use crate::{
    blobs::Blobs,
    disk::{Disk, Root, Snapshot, retry_on_eintr},
    error::cause,
};

/// A larger file is not taken back hunk by hunk.
const MOST_COMPARED: usize = 512 * 1024;

/// The exact files of a write, with the contents before and after; none of those that hold what was taken already.
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
            // Others made the same change: nothing is to be written, and it keeps nothing back.
            Err(fault) if fault.stale && is_there(disk, root, blobs, take) => continue,
            Err(mut fault) => {
                // Every file of the write that moved on gets its change carried over, not only this.
                let moved = |t: &&Take| current(disk, root, t).is_ok_and(|f| hash(f.as_ref()) != t.before);
                carry_over(disk, root, blobs, taken().filter(moved), &mut fault);
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
    match (hash(now.as_ref()), take.before) {
        (now, before) if now == before => Ok(()),
        (None, _) => Err(stale(&take.path, "has been removed")),
        (Some(_), None) => Err(stale(&take.path, "has been created")),
        (Some(_), Some(_)) => Err(stale(&take.path, "has changed")),
    }?;
    Ok(now)
}

/// Whether a file holds what was taken of a change, and nothing of that waits on.
fn is_there(disk: &dyn Disk, root: &Root, blobs: &Blobs, take: &Take) -> bool {
    let Ok(now) = current(disk, root, take) else { return false };
    let (Some(after), Some(now)) = (take.after, &now) else { return take.after.is_none() && now.is_none() };
    let before = take.before.map(|id| blobs.get(id));
    let (Some(after), false) = (blobs.get(after), before == Some(None) || !take.undecided.is_empty()) else {
        return false;
    };
    let before = before.flatten();
    let base = side(before.as_deref());
    let wanted =
        if take.hunks.is_empty() { after } else { diff::select(base, &after, &take.hunks, &take.taken) };
    let holds = || {
        let (base, wanted) = (in_form(base, base, &now.bytes)?, in_form(&wanted, base, &now.bytes)?);
        Some(diff::rebase(&base, &wanted, &now.bytes).text == now.bytes)
    };
    now.bytes == wanted || before.is_some() && holds() == Some(true)
}

/// What is looked at of a review.
pub struct Glance {
    take: Take,
    /// The hash of what is shown of it.
    shown: BlobId,
    /// What its file held when it was last looked at.
    held: Option<BlobId>,
}

impl Glance {
    /// A proposal as it is shown: its file held then what it starts from.
    pub const fn new(take: Take, shown: BlobId) -> Self {
        Self { held: take.before, take, shown }
    }
}

/// How the files of a review stand that is shown, and those that are to be looked at once more; of those that cannot be
/// read nothing is said.
///
/// A file that is written in place is empty for a moment, and no change is carried over to that: one that moved on must
/// hold at two looks what it is taken to hold.
pub fn look(disk: &dyn Disk, root: &Root, blobs: &Blobs, all: Vec<Glance>) -> (Vec<Moved>, Vec<Glance>) {
    let (mut moved, mut again) = (Vec::new(), Vec::new());
    for of in all {
        let Ok(now) = current(disk, root, &of.take) else { continue };
        let held = hash(now.as_ref());
        if held != of.take.before && held != of.held {
            again.push(Glance { held, ..of });
            continue;
        }
        let (on_disk, carried) = stands(blobs, &of.take, now.map(|f| f.bytes));
        moved.push(Moved { proposal: of.take.proposal, shown: of.shown, on_disk, carried });
    }
    (moved, again)
}

/// How a file stands that holds `now`, with the change against that where nothing of it is lost by it: carried over to what
/// it starts from it is the same one again, so that whoever goes back there finds all of it.
fn stands(
    blobs: &Blobs,
    take: &Take,
    now: Option<Vec<u8>>,
) -> (Option<OnDisk>, Option<(Redraft, Vec<Lines>)>) {
    let id = now.as_deref().map(BlobId::of);
    if id == take.before {
        return (None, None);
    }
    if id == take.after {
        return (Some(OnDisk::Already), None);
    }
    let carried = || {
        let (before, now) = (blobs.get(take.before?)?, now?);
        let Carried { kind, after, meets, .. } = carry(blobs, take, Some(&now))?;
        let wanted = take.after.map(|id| blobs.get(id));
        let back = match after.as_deref() {
            None => None,
            Some(after) => {
                let (now, after) = (in_form(&now, &now, &before)?, in_form(after, &now, &before)?);
                Some(diff::rebase(&now, &after, &before).text)
            }
        };
        if wanted.map(Option::unwrap_or_default) != back || after.as_ref() == Some(&now) {
            return None;
        }
        Some((redraft(blobs, take, kind, Some(now), after), meets))
    };
    carried().map_or((Some(OnDisk::Apart), None), |carried| (Some(OnDisk::Carried), Some(carried)))
}

fn id(content: Option<&Blob>) -> Option<BlobId> {
    content.map(Blob::id)
}

fn hash(now: Option<&Snapshot>) -> Option<BlobId> {
    now.map(|f| BlobId::of(&f.bytes))
}

/// Takes changes back (`redo: false`) or puts them back, all or nothing; what is as wanted already is left alone.
///
/// # Errors
/// A [`WriteFault`]; where files changed since, with what takes the same lines back as they stand there now.
pub fn revert(
    disk: &dyn Disk,
    root: &Root,
    blobs: &Blobs,
    files: &[FileChange],
    redo: bool,
) -> Result<bool, WriteFault> {
    let ways: Vec<Take> = files.iter().map(|f| way(f, redo)).collect();
    let left = |t: &&Take| current(disk, root, t).map_or(true, |f| hash(f.as_ref()) != t.after);
    let swap = if redo { Swap::forward } else { Swap::backward };
    let swaps: Vec<Swap> = files.iter().zip(&ways).filter(|(_, t)| left(t)).map(|(f, _)| swap(f)).collect();
    let Err(mut fault) = swap_all(disk, root, blobs, &swaps) else { return Ok(!swaps.is_empty()) };
    // Whoever changed them may have taken the same lines back.
    let nothing = fault.stale && !carry_over(disk, root, blobs, ways.iter().filter(left), &mut fault);
    if nothing { Ok(false) } else { Err(fault) }
}

/// A change, or what takes it back, as one that is to be made of the whole file. What takes back that a file was made
/// is no removal: it is what was written that goes.
fn way(file: &FileChange, redo: bool) -> Take {
    let (before, after) = if redo { (file.before, file.after) } else { (file.after, file.before) };
    let kind = match (before, after) {
        (_, None) if redo => ChangeKind::Delete,
        (None, Some(_)) => ChangeKind::Create,
        (_, None) | (Some(_), Some(_)) => ChangeKind::Modify,
    };
    Take {
        proposal: file.proposal,
        path: file.path.clone(),
        kind,
        before,
        after,
        hunks: Vec::new(),
        taken: BTreeSet::new(),
        undecided: BTreeSet::new(),
        mode: file.mode,
    }
}

/// Adds to a fault the same changes against what the files hold now, and says where the two meet: there a change
/// takes back what others did, which is seen in it. Says whether
/// anything is left to be made.
fn carry_over<'t>(
    disk: &dyn Disk,
    root: &Root,
    blobs: &Blobs,
    takes: impl Iterator<Item = &'t Take>,
    fault: &mut WriteFault,
) -> bool {
    let (mut left, mut both) = (false, Vec::new());
    for take in takes {
        let again = rebase(disk, root, blobs, take);
        // An empty file has no lines, and is something all the same.
        if again
            .as_ref()
            .is_some_and(|(a, _)| id(a.redraft.draft.before.as_ref()) == id(a.redraft.draft.after.as_ref()))
        {
            continue;
        }
        left = true;
        let Some((again, place)) = again else { continue };
        both.extend(place.map(|place| format!("{} ({place})", again.redraft.draft.path)));
        fault.rebased.push(again);
    }
    if !both.is_empty() {
        fault.message.push_str(&format!("; the two changes overlap in {}", both.join(", ")));
    }
    left
}

/// A change against what its file holds now, and where the two meet.
fn rebase(disk: &dyn Disk, root: &Root, blobs: &Blobs, take: &Take) -> Option<(Rebased, Option<String>)> {
    let now = current(disk, root, take).ok()?.map(|f| f.bytes);
    let Carried { kind, after, place, meets } = carry(blobs, take, now.as_deref())?;
    let redraft = redraft(blobs, take, kind, now, after);
    let again = Rebased { proposal: take.proposal, redraft, meets };
    Some((again, place))
}

/// A change made anew of what its file holds now.
fn redraft(
    blobs: &Blobs,
    take: &Take,
    kind: ChangeKind,
    now: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
) -> Redraft {
    let was = |id: Option<BlobId>| id.and_then(|id| blobs.get(id)).unwrap_or_default();
    let (base, wanted) = (was(take.before), was(take.after));
    // In another form its lines are the same ones.
    let alike = |text: &[u8]| {
        let now = now.as_deref().filter(|_| take.before.is_some());
        now.and_then(|now| in_form(text, &base, now)).map_or_else(|| text.to_vec(), Cow::into_owned)
    };
    let (older_before, older_after) = (alike(&base), alike(&wanted));
    let older = Version { before: &older_before, after: &older_after, hunks: &take.hunks };
    let draft = ProposalDraft::of(take.path.clone(), kind, (now, after), Vec::new());
    Redraft::since(older, draft)
}

/// What a change makes of another content than the one that it was made of.
struct Carried {
    kind: ChangeKind,
    after: Option<Vec<u8>>,
    /// Where it changes lines that are others now.
    place: Option<String>,
    /// The same in lines of what the file holds now.
    meets: Vec<Lines>,
}

/// What a change makes of what its file holds now, in the form that this has; `None` where there is nothing to make, where it
/// cannot be put into that form, or its texts are not stored.
fn carry(blobs: &Blobs, take: &Take, now: Option<&[u8]>) -> Option<Carried> {
    let proposed = take.after.and_then(|id| blobs.get(id));
    let (mut kind, mut after, mut place, mut meets) = (take.kind, proposed, None, Vec::new());
    let same = now.map(BlobId::of) == take.before;
    match (take.kind, now, &after) {
        (_, None, None) => return None,
        (ChangeKind::Create | ChangeKind::Modify, _, None) if take.after.is_some() => return None,
        (..) if same => {}
        (ChangeKind::Modify, Some(now), proposed) => {
            let was = blobs.get(take.before?)?;
            let before = in_form(&was, &was, now)?;
            let carried = match proposed {
                Some(proposed) => diff::rebase(&before, &in_form(proposed, &was, now)?, now),
                None => diff::added_to(&before, now),
            };
            let places: Vec<String> = carried.meets.iter().map(|lines| lines.place()).collect();
            place = (!places.is_empty()).then(|| places.join(", "));
            meets = carried.meets;
            after = Some(carried.text).filter(|text| proposed.is_some() || !text.is_empty());
        }
        (_, now, _) => {
            place = Some("all of it".to_owned());
            meets = vec![Lines { start: 0, len: diff::lines(now.unwrap_or_default()).len() }];
            kind = match (take.kind, now) {
                (ChangeKind::Delete, _) => ChangeKind::Delete,
                (ChangeKind::Create | ChangeKind::Modify, None) => ChangeKind::Create,
                (ChangeKind::Create | ChangeKind::Modify, Some(_)) => ChangeKind::Modify,
            };
        }
    }
    if after.is_none() {
        kind = ChangeKind::Delete;
    }
    Some(Carried { kind, after, place, meets })
}

/// What takes back what writes made of a file, the oldest first, and nothing that others did to it since.
///
/// # Errors
/// Why there is nothing to propose, for people.
pub fn reversal(
    disk: &dyn Disk,
    root: &Root,
    blobs: &Blobs,
    files: &[FileChange],
) -> Result<Reversal, String> {
    let path = files.first().map(|f| f.path.clone()).ok_or("none of that is still in the file")?;
    let whole = |why: &str| format!("{path} {why}: only /undo takes it back, with all of that write");
    let unread = |e: io::Error| format!("{path} cannot be read: {}", cause(&e));
    let at = root.locate(&path).map_err(unread)?;
    if at.linked {
        return Err(whole("is a link"));
    }
    let spot = Some(&at.spot).filter(|_| at.missing.is_empty());
    let found = spot.map_or(Ok(None), |spot| retry_on_eintr(|| disk.read(spot))).map_err(unread)?;
    let before = found.map(|f| f.bytes);
    let mut now = before.as_deref().map(Cow::Borrowed);
    let mut meets = Vec::new();
    for take in files.iter().rev().map(|f| way(f, false)) {
        let sides = [take.before, take.after];
        let texts: Vec<_> = sides.into_iter().flatten().map(|id| blobs.get(id)).collect();
        if texts.iter().any(Option::is_none) {
            return Err(whole("was not kept"));
        }
        for text in texts.iter().flatten().map(Vec::as_slice).chain(now.as_deref()) {
            if text.contains(&0) && !matches!(Encoding::of(text), Some(Encoding::Utf16(_))) {
                return Err(whole("is not text"));
            }
            if text.len() > MOST_COMPARED {
                return Err(whole("is too large to be compared line by line"));
            }
        }
        let was = texts.first().and_then(Option::as_ref).filter(|_| take.before.is_some());
        let fits = |now: &[u8]| {
            was.is_none_or(|was| texts.iter().flatten().all(|text| in_form(text, was, now).is_some()))
        };
        if !now.as_deref().is_none_or(fits) {
            return Err(format!("{path} is in another encoding now, which cannot hold what would go back"));
        }
        if let Some(carried) = carry(blobs, &take, now.as_deref()) {
            // Where others changed it is told in lines of the file as it is, and not of what a later write left of it.
            let since = match &now {
                Some(Cow::Borrowed(_)) => Vec::new(),
                so_far => diff::hunks(side(before.as_deref()), side(so_far.as_deref())),
            };
            for lines in carried.meets.into_iter().map(|lines| diff::came_of(lines, &since)) {
                if !meets.contains(&lines) {
                    meets.push(lines);
                }
            }
            now = carried.after.map(Cow::Owned);
        }
    }
    if now.as_deref() == before.as_deref() {
        return Err(format!("none of what was written to {path} is still in it"));
    }
    let after = now.map(Cow::into_owned);
    let kind = match (&before, &after) {
        (None, _) => ChangeKind::Create,
        (_, None) => ChangeKind::Delete,
        (Some(_), Some(_)) => ChangeKind::Modify,
    };
    let hunks = diff::hunks(side(before.as_deref()), side(after.as_deref()));
    Ok(Reversal { draft: ProposalDraft::of(path, kind, (before, after), hunks), meets })
}

/// A side of a change that may not exist.
const fn side(text: Option<&[u8]>) -> &[u8] {
    match text {
        Some(text) => text,
        None => &[],
    }
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
        mode: now.map(|f| f.mode).or(take.mode),
        added: taken().map(diff::Hunk::added).sum(),
        removed: taken().map(diff::Hunk::removed).sum(),
        lines: after.map_or(0, |b| diff::lines(b.bytes()).len()),
        rest: None,
        changes: Vec::new(),
    }
}
