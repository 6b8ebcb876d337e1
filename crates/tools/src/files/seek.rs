//! Looking into files for lines that match, many at once.
//!
//! Owns how a file is read for it: opened through the jail, once, and no further than is shown.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use pilothouse_core::encoding::{Encoding, text_of};
use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

use super::walk::Kind;
use crate::{
    executor::BlobSource,
    jail::Jail,
    parallel::{Places, on_all},
};

/// In a longer file each line is looked at for secrets by itself, in bytes.
pub(super) const MASKED_BYTES: u64 = 4 * 1024 * 1024;
/// A NUL within this many bytes makes a file binary.
const SNIFF_BYTES: usize = 8 * 1024;
/// A line longer than this is not searched, and so much of what was found is held, in bytes.
const HEAP_BYTES: usize = 16 * 1024 * 1024;

/// A line of a file: one that was found, or one around it.
pub(super) struct Line {
    pub n: u64,
    pub text: Vec<u8>,
    pub found: bool,
}

/// The lines of one file that are shown, as far as there is room.
#[derive(Default)]
struct Lines {
    all: Vec<Line>,
    room: usize,
    found: usize,
    held: usize,
}

impl Lines {
    fn take(&mut self, n: Option<u64>, text: &[u8], found: bool) -> bool {
        self.held += text.len();
        self.found += usize::from(found);
        self.all.push(Line { n: n.unwrap_or_default(), text: text.to_vec(), found });
        self.found <= self.room && self.held <= HEAP_BYTES
    }
}

impl Sink for Lines {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.take(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.take(around.line_number(), around.bytes(), false))
    }
}

/// What is looked for, and where.
#[derive(Clone, Copy)]
pub(super) struct Seek<'a> {
    pub jail: &'a Jail,
    pub blobs: &'a dyn BlobSource,
    pub matcher: &'a RegexMatcher,
    /// Lines shown around a match.
    pub context: usize,
    pub cancel: &'a CancellationToken,
}

/// What one file has, and how looking into it ended.
pub(super) type Found = (Vec<Line>, io::Result<()>);

impl Seek<'_> {
    /// Looks into files on every processor at once; gives what the first of them have, in their order: no more than until
    /// there are more matches than there is room for, or until as much is held as may be.
    pub fn files(self, files: &[(&Path, Kind)], room: usize) -> Vec<Found> {
        let (matches, held) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let is_enough = || {
            matches.load(Ordering::Relaxed) > room
                || held.load(Ordering::Relaxed) > HEAP_BYTES
                || self.cancel.is_cancelled()
        };
        let work = |places: &Places| {
            let (mut searcher, mut buffer, mut all) = (self.searcher(), Vec::new(), Vec::new());
            while !is_enough() {
                let at = places.next();
                let Some((real, kind)) = files.get(at) else { break };
                let mut lines = Lines { room, ..Lines::default() };
                let ended = self.file((real, *kind), (&mut searcher, &mut buffer), &mut lines);
                matches.fetch_add(lines.found, Ordering::Relaxed);
                held.fetch_add(lines.held, Ordering::Relaxed);
                all.push((at, (lines.all, ended)));
            }
            all
        };
        let mut all = on_all(files.len(), work);
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, found)| found).collect()
    }

    fn searcher(self) -> Searcher {
        SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .heap_limit(Some(HEAP_BYTES))
            .build()
    }

    fn file(
        self,
        (real, kind): (&Path, Kind),
        (searcher, buffer): (&mut Searcher, &mut Vec<u8>),
        lines: &mut Lines,
    ) -> io::Result<()> {
        match kind {
            Kind::Folder | Kind::NewFolder | Kind::Link | Kind::Special => Ok(()),
            Kind::Proposed(id) => {
                let content = self.blobs.blob(id).ok_or(io::ErrorKind::NotFound)?;
                searcher.search_slice(self.matcher, text_of(&content).as_bytes(), lines)
            }
            Kind::File => {
                let mut file = open(self.jail, real)?;
                if !file.metadata()?.is_file() {
                    return Ok(());
                }
                buffer.clear();
                if !beginning(&mut file, buffer)? {
                    let rest = Stoppable { file, cancel: self.cancel };
                    return searcher.search_reader(self.matcher, buffer.as_slice().chain(rest), lines);
                }
                match Encoding::of(buffer).filter(|e| *e == Encoding::Windows1252) {
                    Some(encoding) => {
                        searcher.search_slice(self.matcher, encoding.decode(buffer).as_bytes(), lines)
                    }
                    // Of what has a NUL only a reader is looked at byte by byte, and ends there.
                    None if buffer.contains(&0) => {
                        searcher.search_reader(self.matcher, buffer.as_slice(), lines)
                    }
                    None => searcher.search_slice(self.matcher, buffer, lines),
                }
            }
        }
    }
}

/// Opens a file of the workspace.
pub(super) fn open(jail: &Jail, real: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(jail.open_real(real, flags)?))
}

/// Reads the beginning of a file: all of it where it is a text that is not huge, else so much that this is known. Tells
/// whether that was all.
fn beginning(file: &mut File, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let whole = fill(file, buffer, SNIFF_BYTES)?;
    if whole || buffer.contains(&0) {
        return Ok(whole);
    }
    // One byte more than there is says that no more comes, without another question.
    let size = file.metadata()?.len().min(MASKED_BYTES);
    fill(file, buffer, usize::try_from(size).unwrap_or(SNIFF_BYTES).max(SNIFF_BYTES) + 1)
}

/// Reads until so many bytes are there; tells whether the file ended before.
fn fill(file: &mut File, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    let mut read = buffer.len();
    buffer.resize(most, 0);
    let whole = loop {
        match buffer.get_mut(read..).filter(|room| !room.is_empty()).map(|room| file.read(room)) {
            None => break false,
            Some(Ok(0)) => break true,
            Some(Ok(n)) => read += n,
            Some(Err(e)) if e.kind() == io::ErrorKind::Interrupted => {}
            Some(Err(e)) => return Err(e),
        }
    };
    buffer.truncate(read);
    Ok(whole)
}

/// A file whose reading ends when the call is stopped.
struct Stoppable<'a> {
    file: File,
    cancel: &'a CancellationToken,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("stopped by the user"));
        }
        self.file.read(buf)
    }
}
