//! What git's index file says, without what it only remembers of the disk.
//!
//! Owns the reading of versions 2 to 4. Never writes one.

use pilothouse_core::blob::BlobId;

/// Bytes of an entry before its object's name: times, device, inode, mode, owner, size.
const STAT: std::ops::Range<usize> = 0..40;
/// Where in it the mode stands.
const MODE: std::ops::Range<usize> = 24..28;
/// The bit of the flags that says more of them follow.
const EXTENDED: u8 = 0x40;

/// A hash over the entries of an index: equal when two say the same of every file, whenever git last
/// looked at the disk. `None` for what is no index of one file.
pub fn meaning(bytes: &[u8]) -> Option<BlobId> {
    [20, 32].into_iter().find_map(|hash| read(bytes, hash)).map(|said| BlobId::of(&said))
}

fn read(bytes: &[u8], hash: usize) -> Option<Vec<u8>> {
    let end = bytes.len().checked_sub(hash)?;
    let bytes = bytes.get(..end)?;
    let (version, count) = (number(bytes.get(4..8)?)?, number(bytes.get(8..12)?)?);
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut said) = (12, Vec::new());
    for _ in 0..count {
        let entry = bytes.get(at..)?;
        let fixed = STAT.end + hash;
        let flags = entry.get(fixed..fixed + 2)?;
        let more = if flags.first()? & EXTENDED != 0 { 2 } else { 0 };
        let name = fixed + 2 + more;
        // In version 4 the name begins with how much of the one before it goes, in bytes that may be zero.
        let cut = if version == 4 { entry.get(name..)?.iter().position(|b| b & 0x80 == 0)? + 1 } else { 0 };
        let len = cut + entry.get(name + cut..)?.iter().position(|b| *b == 0)?;
        said.extend_from_slice(entry.get(MODE)?);
        said.extend_from_slice(entry.get(STAT.end..name + len)?);
        said.push(0);
        let whole = name + len + 1;
        at += if version == 4 { whole } else { (name + len + 8) & !7 };
    }
    while at < bytes.len() {
        let (kind, size) = (bytes.get(at..at + 4)?, number(bytes.get(at + 4..at + 8)?)?);
        if kind == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(size)?;
    }
    (at == bytes.len()).then_some(said)
}

fn number(bytes: &[u8]) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
}
