//! Writing files: several at once, all or nothing, and the same machine backwards for an undo.
//!
//! Owns the order of calls that makes each file whole at every instant. Never chooses what is
//! written: it takes hashes, and refuses when the disk holds something else than was approved.

mod form;
pub mod prepare;
pub mod record;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use pilothouse_core::{
    blob::BlobId,
    event::FileChange,
    input::{Found, WriteFault},
    relpath::RelPath,
};

use crate::{
    blobs::Blobs,
    disk::{Disk, Located, Root, Spot, retry_on_eintr},
    error::cause,
};

/// How the names of files begin that exist only while a write is under way.
pub const TEMP_PREFIX: &str = ".pilothouse-tmp-";

/// One file's content replaced by another; `None` is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The file.
    pub path: RelPath,
    /// What must be there.
    pub expect: Option<BlobId>,
    /// What shall be there.
    pub to: Option<BlobId>,
    /// Permission bits for a file that comes back.
    pub mode: Option<u32>,
    /// Whether folders that become empty go as well: they came with the file.
    pub prune: bool,
    /// What else it is, where a link is not followed and the permission bits count.
    pub forms: Option<Box<Forms>>,
}

/// What stands at a path and what shall, beside the contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// Whether they are links.
    pub links: (bool, bool),
    /// Where these lead.
    pub targets: (Option<String>, Option<String>),
    /// Permission bits of files.
    pub modes: (Option<u32>, Option<u32>),
}

impl Swap {
    /// The swap that a change asks for.
    pub fn forward(change: &FileChange) -> Self {
        let FileChange { path, before, after, mode, .. } = change;
        Self { path: path.clone(), expect: *before, to: *after, mode: *mode, prune: false, forms: None }
    }

    /// The swap that takes a change back.
    pub fn backward(change: &FileChange) -> Self {
        let FileChange { path, before, after, mode, .. } = change;
        Self {
            path: path.clone(),
            expect: *after,
            to: *before,
            mode: *mode,
            prune: before.is_none(),
            forms: None,
        }
    }

    /// The swap that takes this one back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let forms = self.forms.as_ref().map(|f| {
            let Forms { links, targets, modes } = f.as_ref().clone();
            Box::new(Forms {
                links: (links.1, links.0),
                targets: (targets.1, targets.0),
                modes: (modes.1, modes.0),
            })
        });
        let mode = forms.as_ref().map_or(self.mode, |f| f.modes.1);
        Self { expect: self.to, to: self.expect, mode, forms, ..self.clone() }
    }

    fn locate(&self, root: &Root) -> io::Result<Located> {
        if self.forms.is_some() { root.locate_unfollowed(&self.path) } else { root.locate(&self.path) }
    }

    /// Where the link leads that is to be there.
    fn target(&self) -> Option<&str> {
        self.forms.as_ref().filter(|f| f.links.1)?.targets.1.as_deref()
    }

    fn was_link(&self) -> bool {
        self.forms.as_ref().is_some_and(|f| f.links.0)
    }
}

/// A write in the making.
struct Job<'a> {
    disk: &'a dyn Disk,
    root: &'a Root,
    made: Vec<Spot>,
    staged: Vec<Staged<'a>>,
}

/// One file with everything made ready beside it.
struct Staged<'a> {
    swap: &'a Swap,
    spot: Spot,
    /// The new content.
    fresh: Option<Spot>,
    /// The old file under a second name.
    backup: Option<Spot>,
    done: bool,
}

/// Does all swaps or none. At every instant each file is whole: as before or as after.
///
/// # Errors
/// A [`WriteFault`] naming path and cause; then every file is as before (where putting back
/// failed as well, the message says so).
pub fn swap_all(disk: &dyn Disk, root: &Root, blobs: &Blobs, swaps: &[Swap]) -> Result<(), WriteFault> {
    let mut job = Job { disk, root, made: Vec::new(), staged: Vec::new() };
    let result = job.stage(blobs, swaps).and_then(|()| job.commit());
    match result {
        Ok(()) => {
            job.clean();
            job.prune();
            Ok(())
        }
        Err(fault) => Err(job.put_back(fault)),
    }
}

impl<'a> Job<'a> {
    fn stage(&mut self, blobs: &Blobs, swaps: &'a [Swap]) -> Result<(), WriteFault> {
        // Everything is looked at before anything is made.
        let mut targets = BTreeSet::new();
        for swap in swaps {
            let at = swap.locate(self.root).map_err(|e| fault(&swap.path, &e))?;
            if let Some(why) = self.root.spares(&at) {
                return Err(fault(&swap.path, &io::Error::other(why)));
            }
            if !targets.insert((at.spot.shown().to_owned(), at.missing.clone(), at.name.clone())) {
                let twice = io::Error::other("two changes in one write are for it; apply them one by one");
                return Err(fault(&swap.path, &twice));
            }
            if at.linked && swap.to.is_none() {
                return Err(fault(&swap.path, &io::Error::other("it is a link; remove it with a command")));
            }
            if at.missing.is_empty() {
                check(self.disk, swap, &at.spot)?;
            } else if swap.expect.is_some() {
                return Err(stale(&swap.path, "has been removed"));
            }
        }
        for swap in swaps {
            self.stage_one(blobs, swap).map_err(|e| fault(&swap.path, &e))?;
        }
        Ok(())
    }

    fn stage_one(&mut self, blobs: &Blobs, swap: &'a Swap) -> io::Result<()> {
        let at = swap.locate(self.root)?;
        let mut spot = at.spot;
        for (n, _) in at.missing.iter().enumerate() {
            match retry_on_eintr(|| self.disk.mkdir(&spot)) {
                Ok(()) => self.made.push(spot.clone()),
                // Another write made it meanwhile.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
            retry_on_eintr(|| self.disk.sync_dir(&spot))?;
            spot = Root::enter(&spot, at.missing.get(n + 1).unwrap_or(&at.name))?;
        }
        let staged = Staged { swap, spot: spot.clone(), fresh: None, backup: None, done: false };
        self.staged.push(staged);
        let Some(staged) = self.staged.last_mut() else { return Ok(()) };
        if let Some(target) = swap.target() {
            let temp = spot.beside(temp_name());
            staged.fresh = Some(temp.clone());
            retry_on_eintr(|| self.disk.symlink(target, &temp))?;
        } else if let Some(id) = swap.to {
            let bytes = blobs.get(id).ok_or_else(|| io::Error::other("its new content is not stored"))?;
            let temp = spot.beside(temp_name());
            staged.fresh = Some(temp.clone());
            let like = (swap.expect.is_some() && !swap.was_link()).then_some(&spot);
            stage_content(self.disk, &temp, &bytes, like, swap.mode)?;
            if let Some(bits) = swap.mode.filter(|_| swap.forms.is_some()) {
                retry_on_eintr(|| self.disk.chmod(&temp, bits))?;
            }
        }
        // A removal moves the old file aside when its turn comes.
        if swap.expect.is_some() && swap.to.is_some() {
            let temp = spot.beside(temp_name());
            staged.backup = Some(temp.clone());
            keep(self.disk, &spot, &temp)?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), WriteFault> {
        for staged in &self.staged {
            check(self.disk, staged.swap, &staged.spot)?;
        }
        for staged in &mut self.staged {
            staged.turn(self.disk).map_err(|e| {
                if e.kind() == io::ErrorKind::AlreadyExists {
                    return stale(&staged.swap.path, "has been created");
                }
                fault(&staged.swap.path, &e)
            })?;
        }
        for staged in &self.staged {
            retry_on_eintr(|| self.disk.sync_dir(&staged.spot)).map_err(|e| fault(&staged.swap.path, &e))?;
        }
        Ok(())
    }

    fn put_back(mut self, mut fault: WriteFault) -> WriteFault {
        let mut folders = BTreeSet::new();
        for staged in self.staged.iter_mut().rev().filter(|s| s.done) {
            folders.insert(staged.spot.shown().parent().map(PathBuf::from));
            if let Err(e) = staged.turn_back(self.disk) {
                let text = format!("; {} could not be put back: {}", staged.swap.path, cause(&e));
                fault.message.push_str(&text);
            }
        }
        for staged in self.staged.iter().filter(|s| s.done) {
            if folders.remove(&staged.spot.shown().parent().map(PathBuf::from)) {
                drop(retry_on_eintr(|| self.disk.sync_dir(&staged.spot)));
            }
        }
        self.clean();
        for folder in self.made.iter().rev() {
            drop(retry_on_eintr(|| self.disk.rmdir(folder)));
        }
        fault
    }

    fn clean(&self) {
        for temp in self.staged.iter().flat_map(|s| [&s.fresh, &s.backup]).flatten() {
            if let Err(e) = retry_on_eintr(|| self.disk.unlink(temp))
                && e.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(path = %temp.shown().display(), error = %e, "a temporary file is left");
            }
        }
    }

    fn prune(&self) {
        for staged in self.staged.iter().filter(|s| s.swap.prune && s.swap.to.is_none()) {
            let mut parts: Vec<&str> = staged.swap.path.as_str().split('/').collect();
            while parts.pop().is_some() && !parts.is_empty() {
                let folder = RelPath::new(&parts.join("/")).ok().and_then(|p| self.root.locate(&p).ok());
                let gone = folder.filter(|f| f.missing.is_empty() && !f.linked);
                if gone.is_none_or(|f| self.disk.rmdir(&f.spot).is_err()) {
                    break;
                }
            }
        }
    }
}

impl Staged<'_> {
    /// The one call that makes the new content the file's.
    fn turn(&mut self, disk: &dyn Disk) -> io::Result<()> {
        match (&self.fresh, self.swap.expect) {
            (Some(fresh), Some(_)) => retry_on_eintr(|| disk.rename(fresh, &self.spot))?,
            (Some(fresh), None) => match retry_on_eintr(|| disk.link(fresh, &self.spot)) {
                Err(e) if lacks_links(&e) => retry_on_eintr(|| disk.rename(fresh, &self.spot))?,
                other => other?,
            },
            (None, _) => {
                let aside = self.spot.beside(temp_name());
                retry_on_eintr(|| disk.rename(&self.spot, &aside))?;
                self.backup = Some(aside);
            }
        }
        self.done = true;
        Ok(())
    }

    fn turn_back(&mut self, disk: &dyn Disk) -> io::Result<()> {
        match &self.backup {
            Some(backup) => retry_on_eintr(|| disk.rename(backup, &self.spot))?,
            None => retry_on_eintr(|| disk.unlink(&self.spot))?,
        }
        self.backup = None;
        Ok(())
    }
}

fn stage_content(
    disk: &dyn Disk,
    temp: &Spot,
    bytes: &[u8],
    like: Option<&Spot>,
    mode: Option<u32>,
) -> io::Result<()> {
    let mut file = retry_on_eintr(|| disk.create(temp, mode.unwrap_or(0o666)))?;
    retry_on_eintr(|| {
        file.set_len(0)?;
        io::Seek::rewind(&mut file)?;
        disk.write(&mut file, bytes)
    })?;
    match (like, mode) {
        (Some(old), _) => disk.copy_metadata(old, &file),
        (None, Some(mode)) => {
            let bits = std::os::unix::fs::PermissionsExt::from_mode(mode);
            file.set_permissions(bits)?;
        }
        (None, None) => {}
    }
    retry_on_eintr(|| disk.sync(&file))
}

/// Keeps the old file under a second name, so that putting it back needs no room.
fn keep(disk: &dyn Disk, spot: &Spot, backup: &Spot) -> io::Result<()> {
    match retry_on_eintr(|| disk.link(spot, backup)) {
        Err(e) if lacks_links(&e) => {
            let old = retry_on_eintr(|| disk.read(spot))?
                .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
            stage_content(disk, backup, &old.bytes, Some(spot), Some(old.mode))
        }
        other => other,
    }
}

fn lacks_links(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(code, Some(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK | Errno::XDEV))
}

fn temp_name() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let moment = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |d| d.subsec_nanos());
    format!("{TEMP_PREFIX}{}-{n}-{moment:x}", std::process::id()).into()
}

fn check(disk: &dyn Disk, swap: &Swap, spot: &Spot) -> Result<(), WriteFault> {
    let link = if swap.forms.is_some() { disk.read_link(spot) } else { Ok(None) };
    let now = match link.map_err(|e| fault(&swap.path, &e))? {
        Some(_) if !swap.was_link() => return Err(stale(&swap.path, "has changed")),
        Some(to) => Some(BlobId::of(to.as_bytes())),
        None if swap.was_link() => return Err(stale(&swap.path, "has changed")),
        None => {
            let unread = if swap.forms.is_some() { disk.unread(spot) } else { Ok(None) };
            if let Some((now, _)) = unread.map_err(|e| fault(&swap.path, &e))? {
                Some(now)
            } else {
                let now = retry_on_eintr(|| disk.read(spot)).map_err(|e| fault(&swap.path, &e))?;
                now.map(|f| BlobId::of(&f.bytes))
            }
        }
    };
    match (now, swap.expect) {
        (now, expect) if now == expect => Ok(()),
        (None, _) => Err(stale(&swap.path, "has been removed")),
        (Some(_), None) => Err(stale(&swap.path, "has been created")),
        (Some(_), Some(_)) => Err(stale(&swap.path, "has changed")),
    }
}

fn stale(path: &RelPath, what: &str) -> WriteFault {
    let message = format!("{path} {what} since");
    WriteFault { message, stale: true, rebased: Vec::new() }
}

fn fault(path: &RelPath, error: &io::Error) -> WriteFault {
    WriteFault {
        message: format!("{path} could not be written: {}", cause(error)),
        stale: false,
        rebased: Vec::new(),
    }
}

/// What is on disk of these changes: as before them, as after them, or neither.
pub fn look(disk: &dyn Disk, root: &Root, files: &[FileChange]) -> Found {
    let all = |want: fn(&FileChange) -> Option<BlobId>| {
        files.iter().all(|f| current(disk, root, f).is_ok_and(|now| now == want(f)))
    };
    if all(|f| f.after) {
        Found::After
    } else if all(|f| f.before) {
        Found::Before
    } else {
        Found::Mixed
    }
}

/// Brings to its end what the end of a process tore: every file goes the way that those which turned have gone. Where
/// that cannot be they come back. What somebody else changed meanwhile stays, and all of it is left as it is.
pub fn finish(disk: &dyn Disk, root: &Root, blobs: &Blobs, files: &[FileChange], back: bool) -> Found {
    sweep(disk, root, files);
    let found = look(disk, root, files);
    if found != Found::Mixed {
        return found;
    }
    let (mut ahead, mut behind) = (Vec::new(), Vec::new());
    for file in files {
        let (to, from) = if back { (file.before, file.after) } else { (file.after, file.before) };
        match current(disk, root, file) {
            Ok(now) if now == to => ahead.push(file),
            Ok(now) if now == from => behind.push(file),
            Ok(_) | Err(_) => return Found::Mixed,
        }
    }
    let way = |back: bool| if back { Swap::backward } else { Swap::forward };
    let swaps: Vec<Swap> = behind.into_iter().map(way(back)).collect();
    if let Err(fault) = swap_all(disk, root, blobs, &swaps) {
        tracing::warn!(message = fault.message, "a torn write could not be finished; it is taken back");
        let swaps: Vec<Swap> = ahead.into_iter().map(way(!back)).collect();
        drop(swap_all(disk, root, blobs, &swaps));
    }
    look(disk, root, files)
}

fn current(disk: &dyn Disk, root: &Root, file: &FileChange) -> io::Result<Option<BlobId>> {
    let at = root.locate(&file.path)?;
    if !at.missing.is_empty() {
        return Ok(None);
    }
    Ok(retry_on_eintr(|| disk.read(&at.spot))?.map(|f| BlobId::of(&f.bytes)))
}

/// Removes what an interrupted write left beside these files.
pub fn sweep(disk: &dyn Disk, root: &Root, files: &[FileChange]) {
    let spots = files.iter().filter_map(|f| root.locate(&f.path).ok()).map(|l| l.spot);
    let mut done = BTreeSet::new();
    for spot in spots {
        let Some(folder) = spot.shown().parent().map(PathBuf::from) else { continue };
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        if !done.insert(folder) {
            continue;
        }
        let left = entries.flatten().map(|e| e.file_name());
        for name in left.filter(|n| n.to_string_lossy().starts_with(TEMP_PREFIX)) {
            drop(disk.unlink(&spot.beside(name)));
        }
    }
}
