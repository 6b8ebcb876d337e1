//! The log of a session that another process writes: what comes behind its end.
//!
//! Owns which part of the file was read. Never writes; a line that is not ended yet is being written, and no damage.

use super::scan::Index;
use super::{BufReader, Log, MetadataExt, Path, RuntimeError, Seek, SeekFrom, Seq, Stamped, io, regular};

impl Log {
    /// Opens the log that another process is writing, to read it as it grows.
    ///
    /// # Errors
    /// When there is none, or what the file system says.
    pub fn watch(folder: &Path) -> Result<Self, RuntimeError> {
        let mut log = Self::read(folder)?;
        log.report.torn_bytes = None;
        Ok(log)
    }

    /// Takes in what was written since, and gives its events in order.
    ///
    /// # Errors
    /// When reading fails.
    pub fn follow(&mut self) -> Result<Vec<Stamped>, RuntimeError> {
        let known = self.places.len();
        self.read_on().map_err(RuntimeError::io("read", &self.path))?;
        let mut all = Vec::new();
        for place in self.places.get(known..).unwrap_or_default() {
            let (events, unknown) = self.record(place)?;
            self.report.unknown += unknown;
            all.extend(events);
        }
        Ok(all)
    }

    fn read_on(&mut self) -> io::Result<()> {
        let held = self.file.metadata()?;
        // Whoever writes it puts a file that was taken away there again: the same bytes in another file.
        let there = std::fs::symlink_metadata(&self.path);
        let other = there.is_ok_and(|there| (there.dev(), there.ino()) != (held.dev(), held.ino()));
        if other {
            self.file = regular::open(&self.path)?;
        }
        let len = self.file.metadata()?.len();
        self.end = self.end.min(len);
        if len == self.end {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        let mut index = Index::default();
        index.take(BufReader::new(&self.file), self.end)?;
        for place in index.places {
            if place.first <= self.report.last {
                continue;
            }
            self.report.records += 1;
            self.report.events += u64::from(place.count);
            self.report.last = Seq(place.end() - 1);
            self.places.push(place);
        }
        self.report.bytes = index.report.bytes;
        self.end = index.torn_at.unwrap_or(index.report.bytes);
        Ok(())
    }
}
