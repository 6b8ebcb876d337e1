//! The event log: one file a session, appended step by step and synced before anything is shown.
//!
//! Owns the file, its lock and access by sequence number. Never rewrites what was written: a torn
//! end is cut into a side file, and damage elsewhere is reported and left as it is.

mod follow;
pub mod frame;
pub mod scan;
#[cfg(test)]
mod tests;

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use pilothouse_core::{event::Stamped, ids::Seq};
use pilothouse_tools::{atomic::sync_folder, regular};

pub use frame::Meta;
pub use scan::Report;
use scan::{Index, Place};

use crate::{
    disk::{Disk, retry_on_eintr},
    error::RuntimeError,
};

/// The name of the log in a session's folder.
pub const FILE: &str = "session.jsonl";
const LOCK: &str = "session.lock";

/// An open log.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    places: Vec<Place>,
    report: Report,
    end: u64,
    prev: u32,
    fresh: bool,
    lock: Option<File>,
    /// What others did to the file while it was open, and nobody was told yet.
    touched: Option<String>,
}

impl Log {
    /// Opens or creates the log in `folder` for writing and keeps it locked until dropped.
    ///
    /// # Errors
    /// [`RuntimeError::Locked`] when another process holds it, or what the file system says.
    pub fn open(folder: &Path, meta: &Meta) -> Result<Self, RuntimeError> {
        let lock = hold(folder)?;
        let path = folder.join(FILE);
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = open.and_then(regular::checked).map_err(RuntimeError::io("open", &path))?;
        let mut log = Self::indexed(&path, file)?;
        log.lock = Some(lock);
        if log.end == 0 {
            let line = frame::encode_meta(meta)?;
            log.put(&crate::disk::RealDisk, &line).map_err(RuntimeError::io("write", &path))?;
            log.report.meta = Some(meta.clone());
            sync_folder(folder).map_err(RuntimeError::io("sync", folder))?;
        }
        Ok(log)
    }

    /// Opens a log to read it; whoever writes it is not disturbed and nothing is cut.
    ///
    /// # Errors
    /// When there is none, or what the file system says.
    pub fn read(folder: &Path) -> Result<Self, RuntimeError> {
        let path = folder.join(FILE);
        let file = regular::open(&path).map_err(RuntimeError::io("open", &path))?;
        let (mut log, torn) = Self::build(path.clone(), file).map_err(RuntimeError::io("read", &path))?;
        log.report.torn_bytes = torn.map(|at| log.report.bytes.saturating_sub(at));
        log.end = torn.unwrap_or(log.end);
        Ok(log)
    }

    fn indexed(path: &Path, file: File) -> Result<Self, RuntimeError> {
        let (mut log, torn) = Self::build(path.to_owned(), file).map_err(RuntimeError::io("read", path))?;
        // Neither cut nor appended to: what it means is known to who wrote it.
        if let Some(format) = log.report.newer {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            return Err(RuntimeError::Newer { slug: folder.to_string_lossy().into_owned(), format });
        }
        if let Some(at) = torn {
            // Without room for the side file nothing is cut: the next record starts on a fresh line.
            match log.cut(at) {
                Ok(name) => log.report.torn = Some(name),
                Err(e) => tracing::warn!(error = %e, "the torn end of the log could not be set aside"),
            }
        }
        Ok(log)
    }

    fn build(path: PathBuf, file: File) -> io::Result<(Self, Option<u64>)> {
        let index = Index::read(BufReader::with_capacity(1 << 18, &file))?;
        let prev = index.places.last().map_or(0, |p| p.crc);
        let end = index.report.bytes;
        let log = Self {
            path,
            file,
            places: index.places,
            report: index.report,
            end,
            prev,
            fresh: !index.unended,
            lock: None,
            touched: None,
        };
        Ok((log, index.torn_at))
    }

    fn cut(&mut self, at: u64) -> io::Result<String> {
        let mut tail = Vec::new();
        self.file.seek(SeekFrom::Start(at))?;
        Read::by_ref(&mut self.file).take(scan::MAX_LINE_BYTES as u64).read_to_end(&mut tail)?;
        let (mut side, name) = (1_u32..)
            .find_map(|n| {
                let name = format!("{FILE}.torn-{n}");
                let made = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(self.path.with_file_name(&name));
                match made {
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => None,
                    other => Some(other.map(|f| (f, name))),
                }
            })
            .unwrap_or_else(|| Err(io::Error::other("too many side files")))?;
        side.write_all(&tail)?;
        side.sync_all()?;
        self.file.set_len(at)?;
        self.file.sync_all()?;
        self.end = at;
        self.fresh = true;
        self.report.bytes = at;
        Ok(name)
    }

    /// Appends the events of each step as a record of its own: one write, one sync for all.
    ///
    /// # Errors
    /// When it could not be made durable; then the log is as before and the call can be repeated.
    pub fn append(&mut self, disk: &dyn Disk, steps: &[Vec<Stamped>]) -> Result<(), RuntimeError> {
        if steps.iter().all(Vec::is_empty) {
            return Ok(());
        }
        self.hold_on().map_err(RuntimeError::io("write", &self.path))?;
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(steps.len());
        let mut prev = self.prev;
        if !self.fresh {
            bytes.push(b'\n');
        }
        for step in steps.iter().filter(|s| !s.is_empty()) {
            let at = self.end + bytes.len() as u64;
            let (line, crc) = frame::encode(prev, step)?;
            if let Some(f) = frame::decode(&line) {
                let len = u32::try_from(f.events.len()).unwrap_or(u32::MAX);
                places.push(Place {
                    first: f.first,
                    count: f.count,
                    at: at + f.events.start as u64,
                    len,
                    crc,
                    prev,
                });
            }
            bytes.extend_from_slice(&line);
            prev = crc;
        }
        if places.is_empty() {
            return Ok(());
        }
        self.put(disk, &bytes).map_err(RuntimeError::io("write", &self.path))?;
        self.prev = prev;
        for place in places {
            self.report.records += 1;
            self.report.events += u64::from(place.count);
            self.report.last = Seq(place.end() - 1);
            self.places.push(place);
        }
        Ok(())
    }

    /// What others did to the file since it was last asked, in words.
    pub fn touched(&mut self) -> Option<String> {
        self.touched.take()
    }

    /// Makes sure that what is appended is found again: a file that was taken away is put back from the open one, and
    /// one that was cut is gone on with where it ends.
    fn hold_on(&mut self) -> io::Result<()> {
        let held = self.file.metadata()?;
        if held.len() < self.end {
            let lost = self.places.len();
            self.places.retain(|p| p.at + u64::from(p.len) < held.len());
            let lost = lost - self.places.len();
            self.end = held.len();
            self.fresh = false;
            self.touched = Some(format!(
                "another program cut this session's log: {lost} of its records are gone; what follows is kept"
            ));
        }
        let there = std::fs::symlink_metadata(&self.path).ok().map(|m| (m.dev(), m.ino()));
        if there != Some((held.dev(), held.ino())) {
            self.put_again(there.is_some())?;
            self.touched = Some(
                "another program removed this session's log; it was written again, and nothing is lost"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Writes the open file's content to the path again; what stands there is set aside.
    fn put_again(&mut self, other: bool) -> io::Result<()> {
        let aside = |what: &str| self.path.with_file_name(format!("{FILE}.{what}"));
        let anew = aside("anew");
        drop(std::fs::remove_file(&anew));
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&anew)?;
        self.file.rewind()?;
        io::copy(&mut Read::by_ref(&mut self.file).take(self.end), &mut file)?;
        file.sync_all()?;
        if other {
            let free = (1_u32..1_000).map(|n| aside(&format!("other-{n}"))).find(|p| !p.exists());
            std::fs::rename(&self.path, free.unwrap_or_else(|| aside("other")))?;
        }
        std::fs::rename(&anew, &self.path)?;
        self.file = file;
        self.path.parent().map_or(Ok(()), sync_folder)
    }

    /// Writes at the known end; whatever an earlier failure left there is cut off first.
    fn put(&mut self, disk: &dyn Disk, bytes: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() != self.end {
            self.file.set_len(self.end)?;
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        let start = self.end;
        let written = retry_on_eintr(|| {
            self.file.seek(SeekFrom::Start(start))?;
            disk.write(&mut self.file, bytes)
        })
        .and_then(|()| retry_on_eintr(|| disk.sync(&self.file)));
        if let Err(e) = written {
            drop(self.file.set_len(self.end));
            return Err(e);
        }
        self.end += bytes.len() as u64;
        self.report.bytes = self.end;
        self.fresh = true;
        Ok(())
    }

    /// What was found when it was opened, and what it holds now.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Hands every readable event to `take`, in order.
    ///
    /// # Errors
    /// When reading fails.
    pub fn replay(&mut self, mut take: impl FnMut(Stamped)) -> Result<(), RuntimeError> {
        let mut unknown = 0;
        for place in &self.places {
            let (events, left) = self.record(place)?;
            unknown += left;
            events.into_iter().for_each(&mut take);
        }
        self.report.unknown = unknown;
        Ok(())
    }

    /// The event with this number; `None` when it is not there or not understood.
    ///
    /// # Errors
    /// When reading fails.
    pub fn event(&self, seq: Seq) -> Result<Option<Stamped>, RuntimeError> {
        let after = self.places.partition_point(|p| p.first <= seq);
        let Some(place) = after.checked_sub(1).and_then(|i| self.places.get(i)) else { return Ok(None) };
        Ok(self.record(place)?.0.into_iter().find(|e| e.seq == seq))
    }

    /// Up to `count` events before `before`, oldest first.
    ///
    /// # Errors
    /// When reading fails.
    pub fn before(&self, before: Seq, count: usize) -> Result<Vec<Stamped>, RuntimeError> {
        let last = self.places.partition_point(|p| p.first < before);
        let mut pages = Vec::new();
        let mut have = 0;
        for place in self.places.get(..last).unwrap_or_default().iter().rev() {
            if have >= count {
                break;
            }
            let (mut events, _) = self.record(place)?;
            events.retain(|e| e.seq < before);
            have += events.len();
            pages.push(events);
        }
        let mut all: Vec<Stamped> = pages.into_iter().rev().flatten().collect();
        Ok(all.split_off(all.len().saturating_sub(count)))
    }

    /// Events from `from` on, oldest first, whole records until there are `most`.
    ///
    /// # Errors
    /// When reading fails.
    pub fn since(&self, from: Seq, most: usize) -> Result<Vec<Stamped>, RuntimeError> {
        let first = self.places.partition_point(|p| p.end() <= from.0);
        let mut all = Vec::new();
        for place in self.places.get(first..).unwrap_or_default() {
            all.extend(self.record(place)?.0.into_iter().filter(|e| e.seq >= from));
            if all.len() >= most {
                break;
            }
        }
        Ok(all)
    }

    fn record(&self, place: &Place) -> Result<(Vec<Stamped>, usize), RuntimeError> {
        let mut bytes = vec![0; place.len as usize];
        self.file.read_exact_at(&mut bytes, place.at).map_err(RuntimeError::io("read", &self.path))?;
        Ok(parse(&bytes))
    }

    /// Whether this process may write it.
    pub fn writable(&self) -> bool {
        self.lock.is_some()
    }
}

impl Drop for Log {
    /// A child that is being started holds the lock too until it runs its own program: closing
    /// alone would keep others out for that moment.
    fn drop(&mut self) {
        if let Some(lock) = &self.lock {
            drop(lock.unlock());
        }
    }
}

/// The events of one record and how many of them are not understood.
fn parse(bytes: &[u8]) -> (Vec<Stamped>, usize) {
    if let Ok(events) = serde_json::from_slice(bytes) {
        return (events, 0);
    }
    let Ok(values) = serde_json::from_slice::<Vec<serde_json::Value>>(bytes) else { return (Vec::new(), 1) };
    let total = values.len();
    let known: Vec<Stamped> = values.into_iter().filter_map(|v| serde_json::from_value(v).ok()).collect();
    let left = total - known.len();
    (known, left)
}

/// Whether a process holds the session in `folder`, and which. Asking disturbs nobody: as long as the process that
/// is named there lives, the lock is only looked at shared.
pub fn holder(folder: &Path) -> Option<u32> {
    let mut file = regular::open(&folder.join(LOCK)).ok()?;
    let mut text = String::new();
    Read::by_ref(&mut file).take(20).read_to_string(&mut text).ok()?;
    let pid = text.trim().parse::<u32>().ok()?;
    let process = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)?;
    let gone = rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH);
    let held = !gone && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    held.then_some(pid)
}

/// Holds the session in this folder until what is returned is dropped.
///
/// # Errors
/// [`RuntimeError::Locked`] when another process holds it, or what the file system says.
pub fn hold(folder: &Path) -> Result<File, RuntimeError> {
    let path = folder.join(LOCK);
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
    let mut file = open.map_err(RuntimeError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => {
            // Who holds it is only told to people: the lock itself is what counts.
            drop(file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())));
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            drop(file.take(20).read_to_string(&mut text));
            let holder = text.trim().parse::<u32>().map_or(String::new(), |pid| format!(" (process {pid})"));
            let slug = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(RuntimeError::Locked { slug, holder })
        }
        Err(TryLockError::Error(e)) => Err(RuntimeError::io("lock", &path)(e)),
    }
}
