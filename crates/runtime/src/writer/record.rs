//! What a command changed, taken back or put back as a whole: files, links, folders, and git's branches,
//! stash and index.
//!
//! Owns what may be written over: nothing that is neither as before the command nor as after it. What is as wanted
//! already is left alone, so that one that was torn is finished by doing it again.

use std::{collections::BTreeSet, io};

use pilothouse_core::{
    blob::BlobId,
    input::{Found, WriteFault},
    relpath::RelPath,
};
use pilothouse_tools::{
    git::index,
    snapshot::{Change, Record, Thing},
};

use super::{Forms, Swap, fault, swap_all};
use crate::{
    blobs::Blobs,
    disk::{Disk, Root, retry_on_eintr},
};

/// Files that are named of those in the way.
const MOST_NAMED: usize = 5;

/// What to write with.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// The file layer.
    pub disk: &'a dyn Disk,
    /// The workspace.
    pub root: &'a Root,
    /// The contents.
    pub blobs: &'a Blobs,
}

/// One change as it is to be made.
struct Wanted<'a> {
    change: &'a Change,
    expect: &'a Thing,
    to: &'a Thing,
}

impl Tools<'_> {
    /// The record of this name.
    ///
    /// # Errors
    /// When it is not stored whole.
    pub fn record(self, id: BlobId) -> Result<Record, WriteFault> {
        let read = self.blobs.get(id).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        read.ok_or_else(|| plain("what the command changed is no longer stored".to_owned()))
    }

    /// Takes a command back (`redo: false`) or puts it back, wholly or not at all.
    ///
    /// # Errors
    /// A [`WriteFault`] naming the files in the way; then every file is as before.
    pub fn revert(self, record: &Record, redo: bool) -> Result<bool, WriteFault> {
        let roots = self.roots(record)?;
        let wanted = wanted(record, redo);
        let mut open = Vec::new();
        let mut stale = Vec::new();
        for one in wanted {
            let Some(root) = roots.get(one.change.root) else { continue };
            match self.standing(root, &one) {
                Ok(Standing::Done) => {}
                Ok(Standing::Open(expect)) => open.push((one, expect)),
                Ok(Standing::Stale) if one.change.is_note() => {}
                Ok(Standing::Stale) => stale.push(one.change),
                Err(e) => return Err(fault(&one.change.path, &e)),
            }
        }
        if !stale.is_empty() {
            let names: Vec<String> = stale.iter().take(MOST_NAMED).map(|c| c.path.to_string()).collect();
            let more = stale.len().saturating_sub(MOST_NAMED);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            // Of a file of its own the diff takes back what stands as the command left it.
            let own = stale.iter().find(|c| !redo && !c.gits && c.root == 0);
            let way = own.map(|c| format!("; `/undo {}` shows what of it can be taken back", c.path));
            let text = format!(
                "{}{rest} changed since that command; nothing was written{}",
                names.join(", "),
                way.unwrap_or_default()
            );
            return Err(WriteFault { stale: true, ..plain(text) });
        }
        if let Some((one, _)) = open.iter().find(|(one, _)| matches!(one.to, Thing::Unkept(..))) {
            let text = format!(
                "{} was too large to keep and cannot be restored; nothing was written: run the command again",
                one.change.path
            );
            return Err(plain(text));
        }
        if open.iter().any(|(one, _)| one.change.gits) {
            no_lock(&roots)?;
        }
        self.write(&roots, &open).map(|()| !open.is_empty())
    }

    /// What is on disk of it: as before the command, as after it, or neither.
    pub fn look(self, record: &Record) -> Found {
        let Ok(roots) = self.roots(record) else { return Found::Mixed };
        let all = |redo: bool| {
            wanted(record, redo).iter().filter(|w| !w.change.is_note()).all(|w| {
                let root = roots.get(w.change.root);
                root.is_some_and(|r| matches!(self.standing(r, w), Ok(Standing::Done)))
            })
        };
        if all(true) {
            Found::After
        } else if all(false) {
            Found::Before
        } else {
            Found::Mixed
        }
    }

    fn roots(self, record: &Record) -> Result<Vec<Root>, WriteFault> {
        let open = |(n, path): (usize, &std::path::PathBuf)| {
            if n == 0 {
                return Ok(self.root.clone());
            }
            Root::open(path).map_err(|e| plain(format!("{} cannot be opened: {e}", path.display())))
        };
        record.roots.iter().enumerate().map(open).collect()
    }

    /// Where one change stands; what is open comes with the content that is to be replaced.
    fn standing(self, root: &Root, one: &Wanted<'_>) -> io::Result<Standing> {
        let Change { path, gits, .. } = one.change;
        let now = self.now(root, path)?;
        if now == *one.to || (now.bits().is_some() && now.bits() == one.to.bits() && same(&now, one.to)) {
            return Ok(Standing::Done);
        }
        if same(&now, one.expect) || same(&now, one.to) {
            return Ok(Standing::Open(now.content()));
        }
        let (Thing::File(now, _), Thing::File(expect, _)) = (&now, one.expect) else {
            let folders = matches!((&now, one.expect), (Thing::Folder(_), Thing::Folder(_)));
            return Ok(if folders { Standing::Open(None) } else { Standing::Stale });
        };
        let meaning = |id: &BlobId| self.blobs.get(*id).and_then(|bytes| index::meaning(&bytes));
        let of_now = || self.read(root, path).ok().flatten().and_then(|bytes| index::meaning(&bytes));
        if *gits && path.name() == "index" && meaning(expect).is_some_and(|m| of_now() == Some(m)) {
            return Ok(Standing::Open(Some(*now)));
        }
        Ok(Standing::Stale)
    }

    fn read(self, root: &Root, path: &RelPath) -> io::Result<Option<Vec<u8>>> {
        let at = root.locate_unfollowed(path)?;
        Ok(retry_on_eintr(|| self.disk.read(&at.spot))?.map(|f| f.bytes))
    }

    fn now(self, root: &Root, path: &RelPath) -> io::Result<Thing> {
        let at = match root.locate_unfollowed(path) {
            Ok(at) => at,
            // Something that is no folder stands where its folder was.
            Err(e) if e.kind() == io::ErrorKind::NotADirectory => return Ok(Thing::Nothing),
            Err(e) => return Err(e),
        };
        if !at.missing.is_empty() {
            return Ok(Thing::Nothing);
        }
        if let Some(to) = self.disk.read_link(&at.spot)? {
            return Ok(Thing::Link(to));
        }
        if let Some(bits) = self.disk.folder(&at.spot)? {
            return Ok(Thing::Folder(bits));
        }
        if let Some((id, bits)) = self.disk.unread(&at.spot)? {
            return Ok(Thing::Unkept(id, bits));
        }
        let found = retry_on_eintr(|| self.disk.read(&at.spot))?;
        Ok(found.map_or(Thing::Nothing, |f| Thing::File(BlobId::of(&f.bytes), f.mode)))
    }

    /// Writes in rounds: what goes, then folders, then what comes. A round that fails takes back those before it.
    fn write(self, roots: &[Root], open: &[(Wanted<'_>, Option<BlobId>)]) -> Result<(), WriteFault> {
        let mut rounds: Vec<(usize, Vec<Swap>)> = Vec::new();
        let crossed = crossed(open);
        let swaps = |gone: bool, root: usize| {
            let mine = open.iter().filter(move |(w, _)| w.change.root == root);
            let mine = mine.filter(move |(w, _)| !crossed || (w.to.content().is_none() == gone));
            mine.filter_map(|(w, expect)| w.swap(*expect)).collect::<Vec<_>>()
        };
        for root in 0..roots.len() {
            if crossed {
                rounds.push((root, swaps(true, root)));
            }
        }
        let removed = rounds.len();
        for root in 0..roots.len() {
            rounds.push((root, swaps(false, root)));
        }
        let mut done: Vec<(usize, Vec<Swap>)> = Vec::new();
        for (n, (root, swaps)) in rounds.into_iter().enumerate() {
            if n == removed {
                self.folders(roots, open, Folders::Go);
            }
            let Some(at) = roots.get(root) else { continue };
            if let Err(fault) = swap_all(self.disk, at, self.blobs, &swaps) {
                self.folders(roots, open, Folders::Back);
                for (root, swaps) in done.iter().rev() {
                    let back: Vec<Swap> = swaps.iter().map(Swap::inverse).collect();
                    if let Some(at) = roots.get(*root) {
                        drop(swap_all(self.disk, at, self.blobs, &back));
                    }
                }
                return Err(fault);
            }
            done.push((root, swaps));
        }
        self.folders(roots, open, Folders::Go);
        self.folders(roots, open, Folders::Come);
        Ok(())
    }

    /// Folders that are to go or to come; one that is not empty stays, for it holds something else.
    fn folders(self, roots: &[Root], open: &[(Wanted<'_>, Option<BlobId>)], way: Folders) {
        let mut all: Vec<&Wanted<'_>> = open.iter().map(|(w, _)| w).collect();
        all.sort_by_key(|w| w.change.path.as_str().matches('/').count());
        if way == Folders::Go {
            all.reverse();
        }
        for one in all {
            let (from, to) = if way == Folders::Back { (one.to, one.expect) } else { (one.expect, one.to) };
            let Some(root) = roots.get(one.change.root) else { continue };
            let at = || root.locate_unfollowed(&one.change.path).ok().filter(|at| at.missing.is_empty());
            match (way, from, to) {
                (Folders::Go, Thing::Folder(_), Thing::Nothing | Thing::File(..) | Thing::Link(_)) => {
                    if let Some(at) = at() {
                        drop(retry_on_eintr(|| self.disk.rmdir(&at.spot)));
                    }
                }
                (Folders::Come | Folders::Back, _, Thing::Folder(bits)) => {
                    if let Some(at) = at() {
                        drop(retry_on_eintr(|| self.disk.mkdir(&at.spot)));
                        drop(retry_on_eintr(|| self.disk.chmod(&at.spot, *bits)));
                    }
                }
                (Folders::Go | Folders::Come | Folders::Back, ..) => {}
            }
        }
    }
}

/// A git that is at work has the index.
fn no_lock(roots: &[Root]) -> Result<(), WriteFault> {
    let place = |root: &Root| {
        let own = root.path().join(".git");
        if own.is_dir() { own } else { root.path().to_owned() }
    };
    let lock = roots.iter().map(|r| place(r).join("index.lock")).find(|l| l.exists());
    lock.map_or(Ok(()), |l| {
        let text = format!("git is busy ({} exists); nothing was written", l.display());
        Err(plain(text))
    })
}

/// Which folders.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folders {
    Go,
    Come,
    /// As they were, after a failure.
    Back,
}

enum Standing {
    Done,
    Open(Option<BlobId>),
    Stale,
}

impl Wanted<'_> {
    fn swap(&self, expect: Option<BlobId>) -> Option<Swap> {
        let link = |thing: &Thing| matches!(thing, Thing::Link(_));
        let to = self.to.content();
        if expect.is_none() && to.is_none() {
            return None;
        }
        let target = |thing: &Thing| if let Thing::Link(to) = thing { Some(to.clone()) } else { None };
        let mode = |thing: &Thing| thing.bits();
        let forms = Forms {
            links: (link(self.expect), link(self.to)),
            targets: (target(self.expect), target(self.to)),
            modes: (mode(self.expect), mode(self.to)),
        };
        let mode = forms.modes.1;
        let path = self.change.path.clone();
        Some(Swap { path, expect, to, mode, prune: false, forms: Some(Box::new(forms)) })
    }
}

/// Whether a file comes where a folder was, or the other way round: then what goes must go first.
fn crossed(open: &[(Wanted<'_>, Option<BlobId>)]) -> bool {
    let comes: BTreeSet<(usize, &str)> = open
        .iter()
        .filter(|(w, _)| w.to.content().is_some())
        .map(|(w, _)| (w.change.root, w.change.path.as_str()))
        .collect();
    let goes = open.iter().filter(|(w, _)| w.to.content().is_none());
    goes.clone().any(|(w, _)| {
        let (root, path) = (w.change.root, w.change.path.as_str());
        let above =
            path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(|p| comes.contains(&(root, p))));
        let below = || {
            comes
                .range((root, path)..)
                .next()
                .is_some_and(|(r, p)| *r == root && p.starts_with(&format!("{path}/")))
        };
        above || comes.contains(&(root, path)) || below()
    }) || open.iter().any(|(w, _)| matches!(w.expect, Thing::Folder(_)) && w.to.content().is_some())
}

fn wanted(record: &Record, redo: bool) -> Vec<Wanted<'_>> {
    let all = record.changes.iter().map(|change| {
        let (before, after) = (&change.before, &change.after);
        let (expect, to) = if redo { (before, after) } else { (after, before) };
        Wanted { change, expect, to }
    });
    let (gits, plain): (Vec<_>, Vec<_>) = all.partition(|w| w.change.gits);
    // Git's own come last, and its index at the very end: it stands for all others.
    let (index, rest): (Vec<_>, Vec<_>) = gits.into_iter().partition(|w| w.change.path.name() == "index");
    plain.into_iter().chain(rest).chain(index).collect()
}

/// The same thing, whatever its permission bits.
fn same(a: &Thing, b: &Thing) -> bool {
    match (a, b) {
        (Thing::File(a, _) | Thing::Unkept(a, _), Thing::File(b, _) | Thing::Unkept(b, _)) => a == b,
        (Thing::Link(a), Thing::Link(b)) => a == b,
        (Thing::Folder(_), Thing::Folder(_)) | (Thing::Nothing, Thing::Nothing) => true,
        (Thing::File(..) | Thing::Unkept(..) | Thing::Link(_) | Thing::Folder(_) | Thing::Nothing, _) => {
            false
        }
    }
}

fn plain(message: String) -> WriteFault {
    WriteFault { message, stale: false, rebased: Vec::new() }
}
