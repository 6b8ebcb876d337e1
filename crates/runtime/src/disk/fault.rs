//! A disk for tests that fails, or stops for good, at its n-th call.
//!
//! Owns the counting. Never fails a call that was not asked for.

use std::{
    fs::File,
    io,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use super::{Disk, RealDisk, Snapshot, Spot};

/// How the chosen call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// It returns this error once.
    Once(i32),
    /// Half is written, then the error is returned.
    Short(i32),
    /// From here on nothing works: the process is gone.
    Gone,
}

/// The disk.
#[derive(Debug)]
pub struct FaultyDisk {
    at: usize,
    how: Failing,
    calls: AtomicUsize,
    gone: AtomicBool,
}

impl FaultyDisk {
    /// Fails at call `at`, from 0.
    pub fn new(at: usize, how: Failing) -> Self {
        Self { at, how, calls: AtomicUsize::new(0), gone: AtomicBool::new(false) }
    }

    /// Calls so far.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn due(&self) -> Option<io::Error> {
        if self.gone.load(Ordering::SeqCst) {
            return Some(io::Error::other("gone"));
        }
        if self.calls.fetch_add(1, Ordering::SeqCst) != self.at {
            return None;
        }
        Some(match self.how {
            Failing::Once(code) | Failing::Short(code) => io::Error::from_raw_os_error(code),
            Failing::Gone => {
                self.gone.store(true, Ordering::SeqCst);
                io::Error::other("gone")
            }
        })
    }

    fn through<T>(&self, call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.due().map_or_else(call, Err)
    }
}

impl Disk for FaultyDisk {
    fn read(&self, at: &Spot) -> io::Result<Option<Snapshot>> {
        self.through(|| RealDisk.read(at))
    }
    fn create(&self, at: &Spot, mode: u32) -> io::Result<File> {
        self.through(|| RealDisk.create(at, mode))
    }
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        match self.due() {
            None => RealDisk.write(file, bytes),
            Some(e) => {
                if self.how != Failing::Once(rustix::io::Errno::INTR.raw_os_error()) {
                    RealDisk.write(file, bytes.get(..bytes.len() / 2).unwrap_or_default())?;
                }
                Err(e)
            }
        }
    }
    fn sync(&self, file: &File) -> io::Result<()> {
        // Whether it reached the platter cannot be seen from here; only the answer matters.
        self.through(|| file.metadata().map(drop))
    }
    fn link(&self, from: &Spot, to: &Spot) -> io::Result<()> {
        self.through(|| RealDisk.link(from, to))
    }
    fn rename(&self, from: &Spot, to: &Spot) -> io::Result<()> {
        self.through(|| RealDisk.rename(from, to))
    }
    fn unlink(&self, at: &Spot) -> io::Result<()> {
        self.through(|| RealDisk.unlink(at))
    }
    fn mkdir(&self, at: &Spot) -> io::Result<()> {
        self.through(|| RealDisk.mkdir(at))
    }
    fn rmdir(&self, at: &Spot) -> io::Result<()> {
        self.through(|| RealDisk.rmdir(at))
    }
    fn sync_dir(&self, _: &Spot) -> io::Result<()> {
        self.through(|| Ok(()))
    }
    fn symlink(&self, to: &str, at: &Spot) -> io::Result<()> {
        self.through(|| RealDisk.symlink(to, at))
    }
    fn copy_metadata(&self, from: &Spot, to: &File) {
        RealDisk.copy_metadata(from, to);
    }
}
