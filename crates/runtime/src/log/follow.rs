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
        let (index, end) = self.read_on().map_err(RuntimeError::io("read", &self.path))?;
        let Some(index) = index else { return Ok(Vec::new()) };
        let (mut new, mut all, mut unknown) = (Vec::new(), Vec::new(), 0);
        // What cannot be read now is read the next time: until then nothing counts as read.
        for place in index.places {
            if place.first > self.report.last {
                let (events, odd) = self.record(&place)?;
                unknown += odd;
                all.extend(events);
                new.push(place);
            }
        }
        for place in new {
            self.report.records += 1;
            self.report.events += u64::from(place.count);
            self.report.last = Seq(place.end() - 1);
            self.places.push(place);
        }
        self.report.unknown += unknown;
        self.report.bytes = index.report.bytes;
        self.end = end;
        Ok(all)
    }

    /// What stands behind that which was read, and where that ends.
    fn read_on(&mut self) -> io::Result<(Option<Index>, u64)> {
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
            return Ok((None, len));
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        let mut index = Index::default();
        index.take(BufReader::new(&self.file), self.end)?;
        let end = index.torn_at.unwrap_or(index.report.bytes);
        Ok((Some(index), end))
    }
}
