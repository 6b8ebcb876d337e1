//! Contents by hash, each a file of its own under the session.
//!
//! Owns storing, reading and checking. Never deletes one and never knows what a content means.

mod text;

use std::{
    collections::BTreeSet,
    fs::File,
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use pilothouse_core::{
    blob::{Blob, BlobId},
    port::{TextAsk, TextReply},
};
use pilothouse_tools::{atomic::sync_folder, regular};

use crate::{
    disk::{Disk, RealDisk, Spot, retry_on_eintr},
    error::RuntimeError,
};

/// So many contents are made to last one by one; of more the whole file system is, with whatever a build left there.
const FEW: usize = 100;

/// The store of one session; clones share it.
#[derive(Clone, Debug)]
pub struct Blobs {
    folder: Arc<Path>,
    /// What was kept and is not settled.
    open: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// Texts that were read whole, the last one first: which file that was, and where its lines begin.
    read: Arc<Mutex<Vec<Read>>>,
}

/// Texts of which it is kept where their lines begin.
const MOST_READ: usize = 4;

/// A text that was read whole.
type Read = (BlobId, (u64, u64, i64, i64), Arc<text::Marks>);

impl Blobs {
    /// The store under a session's folder; nothing is created before the first content.
    pub fn under(session: &Path) -> Self {
        Self { folder: session.join("blobs").into(), open: Arc::default(), read: Arc::default() }
    }

    fn place(&self, id: BlobId) -> (PathBuf, String) {
        let text = id.to_string();
        let (fan, rest) = text.split_at_checked(2).unwrap_or_default();
        (self.folder.join(fan), rest.to_owned())
    }

    /// Stores a content durably; a content that is there already costs nothing.
    ///
    /// # Errors
    /// When it could not be made durable; then nothing is there under its name.
    pub fn put(&self, disk: &dyn Disk, blob: &Blob) -> Result<(), RuntimeError> {
        let (folder, name) = self.place(blob.id());
        let path = folder.join(&name);
        if path.metadata().is_ok_and(|m| m.len() == blob.bytes().len() as u64) {
            return Ok(());
        }
        self.store(disk, blob, &folder, &name).map_err(RuntimeError::io("write", path))
    }

    fn store(&self, disk: &dyn Disk, blob: &Blob, folder: &Path, name: &str) -> io::Result<()> {
        if !folder.is_dir() {
            std::fs::create_dir_all(folder)?;
            sync_folder(&self.folder)?;
            self.folder.parent().map_or(Ok(()), sync_folder)?;
        }
        let spot = Spot::in_folder(folder, name)?;
        let temp = spot.beside(format!("{name}.tmp"));
        let stale = disk.unlink(&temp);
        if let Err(e) = stale
            && e.kind() != io::ErrorKind::NotFound
            && e.kind() != io::ErrorKind::Interrupted
        {
            return Err(e);
        }
        let filled =
            fill(disk, &temp, blob.bytes()).and_then(|()| retry_on_eintr(|| disk.rename(&temp, &spot)));
        if let Err(e) = filled {
            drop(disk.unlink(&temp));
            return Err(e);
        }
        retry_on_eintr(|| disk.sync_dir(&spot))
    }

    /// Stores a content that is to last once all are settled; one that is there already costs nothing.
    ///
    /// # Errors
    /// What the system says; then nothing is there under its name.
    pub fn keep(&self, content: &[u8]) -> io::Result<BlobId> {
        let id = BlobId::of(content);
        let (folder, name) = self.place(id);
        let path = folder.join(&name);
        if !path.metadata().is_ok_and(|m| m.len() == content.len() as u64) {
            Self::fill_later(&folder, &name, content)?;
        }
        // One that was there already may be open still.
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        Ok(id)
    }

    fn fill_later(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let spot = Spot::in_folder(folder, name)?;
        let temp = spot.beside(format!("{name}.tmp"));
        let stored = RealDisk.create(&temp, 0o600).and_then(|mut f| RealDisk.write(&mut f, content));
        let stored = stored.and_then(|()| RealDisk.rename(&temp, &spot));
        stored.inspect_err(|_| drop(RealDisk.unlink(&temp)))
    }

    /// Makes all that was kept last.
    ///
    /// # Errors
    /// What the system says; then it is open still.
    pub fn settle(&self) -> io::Result<()> {
        // Held all the while: what another settles is settled when this comes back.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() > FEW {
            self.settle_everything()?;
        } else {
            let folders: BTreeSet<&Path> = open.iter().filter_map(|path| path.parent()).collect();
            open.iter().try_for_each(|path| File::open(path)?.sync_all())?;
            folders.into_iter().chain([&*self.folder]).try_for_each(sync_folder)?;
            self.folder.parent().map_or(Ok(()), sync_folder)?;
        }
        open.clear();
        Ok(())
    }

    fn settle_everything(&self) -> io::Result<()> {
        let folder = File::open(&self.folder)?;
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&folder)?;
        #[cfg(not(target_os = "linux"))]
        folder.sync_all()?;
        Ok(())
    }

    /// Takes in these contents of another store, as far as it has them; both hold them from then on.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn share(&self, other: &Self, ids: &BTreeSet<BlobId>) -> Result<(), RuntimeError> {
        let mut folders = BTreeSet::new();
        for id in ids {
            let ((there, name), (folder, _)) = (other.place(*id), self.place(*id));
            let (from, to) = (there.join(&name), folder.join(&name));
            if !from.is_file() {
                continue;
            }
            std::fs::create_dir_all(&folder).map_err(RuntimeError::io("create", &folder))?;
            let linked = std::fs::hard_link(&from, &to);
            let shared =
                linked.or_else(|_| std::fs::copy(&from, &to).and_then(|_| File::open(&to)?.sync_all()));
            shared.map_err(RuntimeError::io("write", to))?;
            folders.insert(folder);
        }
        let synced = |folder: PathBuf| sync_folder(&folder).map_err(RuntimeError::io("sync", folder));
        folders.into_iter().try_for_each(synced)
    }

    /// The content; `None` when it is not there, or not what its name says.
    pub fn get(&self, id: BlobId) -> Option<Vec<u8>> {
        let (folder, name) = self.place(id);
        let bytes = regular::read(&folder.join(name), u64::MAX - 1).ok()?;
        if BlobId::of(&bytes) != id {
            tracing::warn!(blob = ?id, "a stored content is damaged");
            return None;
        }
        Some(bytes)
    }

    /// What is asked of a text; `None` as for [`Blobs::get`]. Read piece by piece: it takes no more memory however long
    /// the text is.
    /// The lines of one that was read whole, and is the same file, are read from where they begin.
    pub fn part(&self, id: BlobId, ask: &TextAsk) -> Option<TextReply> {
        let (folder, name) = self.place(id);
        let file = regular::open(&folder.join(name)).ok()?;
        let stamp = file.metadata().ok().map(|m| (m.ino(), m.len(), m.mtime(), m.mtime_nsec()));
        let read = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read().iter().find(|r| r.0 == id && Some(r.1) == stamp).map(|r| Arc::clone(&r.2));
        if let (TextAsk::Lines { from, count }, Some(marks)) = (ask, known) {
            return text::lines(file, &marks, (*from, *count)).ok().map(TextReply::Lines);
        }
        let (found, part, marks) = text::part(file, ask).ok()?;
        if found != id {
            tracing::warn!(blob = ?id, "a stored content is damaged");
            return None;
        }
        if let Some(stamp) = stamp {
            let mut read = read();
            read.retain(|r| r.0 != id);
            read.truncate(MOST_READ - 1);
            read.insert(0, (id, stamp, Arc::new(marks)));
        }
        Some(part)
    }

    /// The one content whose id begins so.
    pub fn named(&self, id: &str) -> Option<BlobId> {
        let (fan, rest) = id.split_at_checked(2).filter(|_| id.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let names = std::fs::read_dir(self.folder.join(fan)).ok()?;
        let names = names.flatten().filter_map(|e| e.file_name().into_string().ok());
        let mut ids = names.filter(|n| n.starts_with(rest)).filter_map(|n| format!("{fan}{n}").parse().ok());
        ids.next().filter(|_| ids.next().is_none())
    }

    /// The content as text, if it is there.
    pub fn text(&self, id: BlobId) -> Option<String> {
        self.get(id).map(|b| String::from_utf8_lossy(&b).into_owned())
    }
}

fn fill(disk: &dyn Disk, at: &Spot, bytes: &[u8]) -> io::Result<()> {
    let mut file = retry_on_eintr(|| disk.create(at, 0o600))?;
    retry_on_eintr(|| {
        file.set_len(0)?;
        io::Seek::rewind(&mut file)?;
        disk.write(&mut file, bytes)
    })?;
    retry_on_eintr(|| disk.sync(&file))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::disk::fault::{Failing, FaultyDisk};

    #[test]
    fn a_content_comes_back_and_a_damaged_one_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let (blobs, blob) = (Blobs::under(dir.path()), Blob::new(b"a\0\xff".to_vec()));
        blobs.put(&RealDisk, &blob).unwrap();
        blobs.put(&RealDisk, &blob).unwrap();
        assert_eq!(blobs.get(blob.id()).unwrap(), blob.bytes());
        let (folder, name) = blobs.place(blob.id());
        std::fs::write(folder.join(name), b"abc").unwrap();
        assert_eq!(blobs.get(blob.id()), None);
    }

    #[test]
    fn a_content_is_whole_or_absent_whatever_fails() {
        for how in [Failing::Once(28), Failing::Once(5), Failing::Short(28), Failing::Gone, Failing::Once(4)]
        {
            for at in 0..8 {
                let dir = tempfile::tempdir().unwrap();
                let (blobs, blob) = (Blobs::under(dir.path()), Blob::new(vec![7; 5000]));
                let disk = FaultyDisk::new(at, how);
                let stored = blobs.put(&disk, &blob);
                assert!(how != Failing::Once(4) || stored.is_ok());
                match blobs.get(blob.id()) {
                    Some(bytes) => assert_eq!(bytes, blob.bytes()),
                    None => assert!(stored.is_err()),
                }
                blobs.put(&RealDisk, &blob).unwrap();
                assert_eq!(blobs.get(blob.id()).unwrap(), blob.bytes());
            }
        }
    }
}
