//! Finding the records in the bytes of a log, damaged or not.
//!
//! Owns the index and the report of what is wrong. Never writes.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, Read},
};

use pilothouse_core::{ids::Seq, money::count};

use super::frame::{self, FORMAT, MARK, Meta};

/// The longest line that is looked at; a longer one counts as damage.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// Where a record stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The sequence number of its first event.
    pub first: Seq,
    /// How many events it has.
    pub count: u32,
    /// Offset of its events' JSON array, in bytes.
    pub at: u64,
    /// Length of that array, in bytes.
    pub len: u32,
    /// Its checksum.
    pub crc: u32,
    /// The checksum of the record that was written before it.
    pub prev: u32,
}

impl Place {
    /// One past its last event.
    pub fn end(&self) -> u64 {
        self.first.0.saturating_add(u64::from(self.count))
    }
}

/// What was found in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What the first line says, if it can be read.
    pub meta: Option<Meta>,
    /// Length of the file, in bytes.
    pub bytes: u64,
    /// Readable records.
    pub records: usize,
    /// Events in them.
    pub events: u64,
    /// The last sequence number.
    pub last: Seq,
    /// Stretches of bytes that cannot be read: offset, length, and what they are.
    pub damage: Vec<(u64, u64, &'static str)>,
    /// Sequence numbers that are missing, from and to, inclusive.
    pub gaps: Vec<(u64, u64)>,
    /// Records that stood twice, or out of order.
    pub stray: usize,
    /// The name of the side file into which a torn end was cut.
    pub torn: Option<String>,
    /// How many bytes stand at the end that are no whole record, where they were not cut.
    pub torn_bytes: Option<u64>,
    /// Events of kinds that this program does not know.
    pub unknown: usize,
    /// The format, when it is newer than this program.
    pub newer: Option<u32>,
}

impl Report {
    /// Whether everything that was written is there.
    pub fn sound(&self) -> bool {
        self.damage.is_empty() && self.gaps.is_empty() && self.torn.is_none() && self.torn_bytes.is_none()
    }

    /// What a user should know, a sentence each; empty when all is well.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.bytes == 0 {
            all.push("the log is empty: its contents are gone".to_owned());
        }
        if let Some(file) = &self.torn {
            all.push(format!(
                "the log ended in a torn record, which was moved to {file}; nothing before it is lost"
            ));
        }
        if let Some(bytes) = self.torn_bytes {
            all.push(format!(
                "the log ends in a torn record, {}; nothing before it is lost, and `pilothouse sessions repair` cuts it off",
                count(bytes, "byte")
            ));
        }
        if let Some((at, len, what)) = self.damage.first() {
            let more = self.damage.len().saturating_sub(1);
            let more = if more == 0 { String::new() } else { format!(", and {}", count(more, "more place")) };
            all.push(format!("the log is damaged: {len} bytes at offset {at} ({what}){more}; the rest was read and the file is kept"));
        }
        if let Some((from, to)) = self.gaps.first() {
            all.push(format!("events #{from} to #{to} are missing"));
        }
        if let Some(format) = self.newer {
            all.push(format!(
                "the log was written by a newer version (format {format}); what this version does not understand is skipped"
            ));
        }
        if self.unknown > 0 {
            all.push(format!("{} events of unknown kinds were skipped", self.unknown));
        }
        all
    }
}

/// The records of a log in order of their sequence numbers.
#[derive(Debug, Default)]
pub struct Index {
    /// Where they stand.
    pub places: Vec<Place>,
    /// What was found.
    pub report: Report,
    /// Offset of an unfinished last line that holds no whole record.
    pub torn_at: Option<u64>,
    /// Whether the last line has no line ending.
    pub unended: bool,
}

impl Index {
    /// Reads a whole log; memory grows with the number of records, not with their size.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(reader: impl BufRead) -> io::Result<Self> {
        let mut index = Self::default();
        index.take(reader, 0)?;
        index.settle();
        Ok(index)
    }

    /// Takes the lines in as they stand, the first of which begins there.
    pub(super) fn take(&mut self, mut reader: impl BufRead, mut at: u64) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            let (len, ended, over) = next_line(&mut reader, &mut line)?;
            if len == 0 {
                break;
            }
            self.unended = !ended;
            if over {
                self.report.damage.push((at, len, "a line too long to be a record"));
            } else {
                self.line(at, &line, ended);
            }
            at += len;
        }
        self.report.bytes = at;
        Ok(())
    }

    fn line(&mut self, at: u64, line: &[u8], ended: bool) {
        let (skip, body) = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if at == 0 => (3, rest),
            _ => (0, line),
        };
        if let Some(f) = frame::decode(body)
            && body.get(f.end..).is_some_and(|rest| rest.trim_ascii().is_empty())
        {
            self.found(at + skip, &f);
            return;
        }
        if body.trim_ascii().is_empty() {
            return;
        }
        if at == 0
            && let Some((format, meta)) = frame::decode_meta(body)
        {
            self.report.newer = (format > FORMAT).then_some(format);
            self.report.meta = Some(meta);
            return;
        }
        let before = self.places.len();
        let lost = self.salvage(at, line);
        if self.places.len() == before && !ended {
            self.torn_at = Some(at);
        } else {
            self.report.damage.extend(lost);
        }
    }

    /// Looks for whole records anywhere in a line that is none by itself; what lies between is lost.
    fn salvage(&mut self, at: u64, line: &[u8]) -> Vec<(u64, u64, &'static str)> {
        let what = if at == 0 { "the first line" } else { "not a whole record" };
        let mut lost = Vec::new();
        let mut lose = |from: usize, to: usize| {
            let bytes = line.get(from..to).unwrap_or_default();
            if !bytes.trim_ascii().is_empty() {
                lost.push((at + from as u64, bytes.len() as u64, what));
            }
        };
        let (mut from, mut read) = (0, 0);
        while let Some(found) = find(line.get(from..).unwrap_or_default(), MARK) {
            from += found;
            match frame::decode(line.get(from..).unwrap_or_default()) {
                Some(f) => {
                    self.found(at + from as u64, &f);
                    lose(read, from);
                    from += f.end;
                    read = from;
                }
                None => from += MARK.len(),
            }
        }
        lose(read, line.len());
        lost
    }

    fn found(&mut self, at: u64, f: &frame::Frame) {
        let (Ok(start), Ok(len)) = (u64::try_from(f.events.start), u32::try_from(f.events.len())) else {
            return;
        };
        let place = Place { first: f.first, count: f.count, at: at + start, len, crc: f.crc, prev: f.prev };
        self.places.push(place);
    }

    /// Puts records in order, drops doubles, and names what is missing.
    fn settle(&mut self) {
        let ordered: BTreeMap<u64, Place> = self.places.iter().rev().map(|p| (p.first.0, *p)).collect();
        let sorted = self.places.is_sorted_by_key(|p| p.first);
        let doubles = self.places.len() - ordered.len();
        self.report.stray = doubles + usize::from(!sorted);
        self.places.clear();
        let mut next = 1;
        for place in ordered.into_values() {
            if place.first.0 < next {
                self.report.stray += 1;
                continue;
            }
            if place.first.0 > next {
                self.report.gaps.push((next, place.first.0 - 1));
            }
            next = place.end();
            self.report.events += u64::from(place.count);
            self.places.push(place);
        }
        self.report.records = self.places.len();
        self.report.last = Seq(next - 1);
    }
}

/// The next line with its ending; its length, whether it is ended, whether it was too long to keep.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<(u64, bool, bool)> {
    line.clear();
    let len = reader.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', line)? as u64;
    if line.ends_with(b"\n") || len < MAX_LINE_BYTES as u64 {
        return Ok((len, line.ends_with(b"\n"), false));
    }
    line.clear();
    // Whether such a line is ended does not matter: the next record starts on a line of its own.
    Ok((len + reader.skip_until(b'\n')? as u64, false, true))
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|w| w == mark)
}
