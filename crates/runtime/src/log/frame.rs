//! The stored form of one record: a line of JSON whose header alone tells length and checksum.
//!
//! Owns bytes in and bytes out. Never touches a file.

use std::ops::Range;

use pilothouse_core::{event::Stamped, ids::Seq};
use serde::{Deserialize, Serialize};

/// The version of the stored form.
pub const FORMAT: u32 = 1;

/// How every record begins; inside JSON text the quotes would be escaped.
pub const MARK: &[u8] = b"{\"n\":";

/// The first line of a log; written once and never changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The session's name.
    pub slug: String,
    /// The workspace's real path.
    pub folder: String,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created: u64,
    /// The version of the program that made it.
    pub version: String,
    /// The session that it is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether it was read from a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// The header of a record, and where in the searched bytes its events stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The sequence number of its first event.
    pub first: Seq,
    /// How many events it has.
    pub count: u32,
    /// Its checksum.
    pub crc: u32,
    /// The checksum of the record before it; 0 for the first.
    pub prev: u32,
    /// The events' JSON array, within the searched bytes.
    pub events: Range<usize>,
    /// One past the record's closing brace.
    pub end: usize,
}

/// The line for these events, with its line ending; and its checksum.
///
/// # Errors
/// When an event has no JSON form.
pub fn encode(prev: u32, events: &[Stamped]) -> Result<(Vec<u8>, u32), serde_json::Error> {
    let payload = serde_json::to_vec(events)?;
    let first = events.first().map_or(0, |e| e.seq.0);
    let crc = checksum(first, events.len() as u64, prev, &payload);
    let head = format!(
        "{{\"n\":{first},\"k\":{},\"len\":{},\"crc\":\"{crc:08x}\",\"prev\":\"{prev:08x}\",\"events\":",
        events.len(),
        payload.len()
    );
    Ok(([head.as_bytes(), &payload, b"}\n"].concat(), crc))
}

fn checksum(first: u64, count: u64, prev: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(format!("{first} {count} {prev:08x} ").as_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// Reads the record at the start of `bytes`; `None` when none stands there whole and undamaged.
pub fn decode(bytes: &[u8]) -> Option<Frame> {
    let mut at = Cursor { bytes, at: 0 };
    at.skip(MARK)?;
    let first = at.number()?;
    at.skip(b",\"k\":")?;
    let count = at.number()?;
    at.skip(b",\"len\":")?;
    let len = usize::try_from(at.number()?).ok()?;
    at.skip(b",\"crc\":\"")?;
    let crc = at.hex()?;
    at.skip(b"\",\"prev\":\"")?;
    let prev = at.hex()?;
    at.skip(b"\",\"events\":")?;
    let events = at.at..at.at.checked_add(len)?;
    let payload = bytes.get(events.clone())?;
    at.at = events.end;
    at.skip(b"}")?;
    (checksum(first, count, prev, payload) == crc).then_some(Frame {
        first: Seq(first),
        count: u32::try_from(count).ok()?,
        crc,
        prev,
        events,
        end: at.at,
    })
}

/// The first line for this session, with its line ending.
///
/// # Errors
/// When it has no JSON form.
pub fn encode_meta(meta: &Meta) -> Result<Vec<u8>, serde_json::Error> {
    let payload = serde_json::to_string(meta)?;
    let crc = crc32fast::hash(payload.as_bytes());
    Ok(format!(
        "{{\"pilothouse\":\"session\",\"format\":{FORMAT},\"crc\":\"{crc:08x}\",\"meta\":{payload}}}\n"
    )
    .into_bytes())
}

/// Reads a first line: its format and what it says; `None` when it is none or damaged.
pub fn decode_meta(line: &[u8]) -> Option<(u32, Meta)> {
    let mut at = Cursor { bytes: line, at: 0 };
    at.skip(b"{\"pilothouse\":\"session\",\"format\":")?;
    let format = u32::try_from(at.number()?).ok()?;
    at.skip(b",\"crc\":\"")?;
    let crc = at.hex()?;
    at.skip(b"\",\"meta\":")?;
    let payload = line.get(at.at..)?.trim_ascii_end().strip_suffix(b"}")?;
    let meta = serde_json::from_slice(payload).ok()?;
    (crc32fast::hash(payload) == crc).then_some((format, meta))
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(text).then(|| self.at += text.len())
    }

    fn number(&mut self) -> Option<u64> {
        let rest = self.bytes.get(self.at..)?;
        let len = rest.iter().take(21).take_while(|b| b.is_ascii_digit()).count();
        self.at += len;
        std::str::from_utf8(rest.get(..len)?).ok()?.parse().ok()
    }

    fn hex(&mut self) -> Option<u32> {
        let text = self.bytes.get(self.at..self.at.checked_add(8)?)?;
        self.at += 8;
        if !text.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b)) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
    }
}
