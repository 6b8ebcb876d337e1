//! Content by hash, and the excerpts of it that events carry.
//!
//! Owns hashing and cutting. Never stores anything.

use std::{fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The SHA-256 of some content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId([u8; 32]);

/// What the name of a stored output begins with, and how many digits of its id follow.
pub const OUTPUT: &str = "output:";
/// Begins what stands where bytes are left out.
const MARK: &str = "[… ";
/// As many as no two outputs of a session share.
pub const OUTPUT_DIGITS: usize = 12;

impl BlobId {
    /// The id of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The name under which `read` shows what was cut from a result: `output:0123456789ab`.
    pub fn output_name(self) -> String {
        format!("{OUTPUT}{}", self.short(OUTPUT_DIGITS))
    }

    /// Stands where so many bytes of this output are left out, and says how they are read.
    pub fn left_out(self, bytes: u64) -> String {
        format!("{MARK}{bytes}{}", self.mark_end())
    }

    /// The marks of [`BlobId::left_out`] in a text: where each stands, and for how many bytes.
    pub fn marks_in(self, text: &str) -> Vec<(Range<usize>, u64)> {
        let end = self.mark_end();
        let marks = text.match_indices(&end).filter_map(|(at, _)| {
            let (before, bytes) = text.get(..at)?.rsplit_once(MARK)?;
            Some((before.len()..at + end.len(), bytes.parse().ok()?))
        });
        marks.collect()
    }

    fn mark_end(self) -> String {
        format!(" bytes left out; read {} has them …]", self.output_name())
    }

    /// The first `chars` hexadecimal digits, for people.
    pub fn short(self, chars: usize) -> String {
        self.to_string().chars().take(chars).collect()
    }
}

/// Hashes a content that comes in pieces.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Its next piece.
    pub fn take(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The id of what came.
    pub fn id(self) -> BlobId {
        BlobId(self.0.finalize().into())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.short(12))
    }
}

/// The text is not a content id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 64 hexadecimal digits: {0:?}")]
pub struct BadBlobId(pub String);

impl FromStr for BlobId {
    type Err = BadBlobId;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let bad = || BadBlobId(s.to_owned());
        let digits: Vec<u8> = s
            .chars()
            .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
            .collect::<Option<_>>()
            .ok_or_else(bad)?;
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|p| p.iter().fold(0, |n, d| n << 4 | d)).collect();
        bytes.try_into().map(Self).map_err(|_| bad())
    }
}

impl TryFrom<String> for BlobId {
    type Error = BadBlobId;

    fn try_from(s: String) -> Result<Self, Self::Error> {
        s.parse()
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        id.to_string()
    }
}

/// Content together with its id.
#[derive(Clone, PartialEq, Eq)]
pub struct Blob {
    id: BlobId,
    bytes: Vec<u8>,
}

impl Blob {
    /// Hashes `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { id: BlobId::of(&bytes), bytes }
    }

    /// The id.
    pub fn id(&self) -> BlobId {
        self.id
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({:?}, {} bytes)", self.id, self.bytes.len())
    }
}

/// Text as an event carries it: whole when short, else head, tail and the id of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Length of the whole in bytes.
    pub bytes: u64,
    /// Lines of the whole.
    pub lines: u64,
    /// The whole, or its beginning.
    pub head: String,
    /// What was left out, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// The rest of an [`Excerpt`] that was too long to carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The end of the whole.
    pub tail: String,
    /// The whole.
    pub blob: BlobId,
}

impl Excerpt {
    /// Up to this many bytes stand whole in the event.
    pub const WHOLE_BYTES: usize = 6 * 1024;
    /// How much of a longer text stands at each end.
    pub const END_BYTES: usize = 1024;

    /// Cuts `text` if it must be; then the whole goes to `blobs`.
    pub fn of(text: impl Into<String>, blobs: &mut Vec<Blob>) -> Self {
        Self::up_to(Self::WHOLE_BYTES, text, blobs)
    }

    /// As [`Excerpt::of`], but whole up to `limit` bytes: for what the session itself must read.
    pub fn up_to(limit: usize, text: impl Into<String>, blobs: &mut Vec<Blob>) -> Self {
        let text = text.into();
        let (bytes, lines) = (text.len() as u64, text.lines().count() as u64);
        if text.len() <= limit {
            return Self { bytes, lines, head: text, cut: None };
        }
        let head = text.get(..text.floor_char_boundary(Self::END_BYTES)).unwrap_or_default().to_owned();
        let from = text.ceil_char_boundary(text.len().saturating_sub(Self::END_BYTES));
        let tail = text.get(from..).unwrap_or_default().to_owned();
        let blob = Blob::new(text.into_bytes());
        let cut = Some(Cut { tail, blob: blob.id() });
        blobs.push(blob);
        Self { bytes, lines, head, cut }
    }

    /// The whole when it is here, else `None`: ask for [`Cut::blob`].
    pub fn whole(&self) -> Option<&str> {
        self.cut.is_none().then_some(self.head.as_str())
    }

    /// The id of the whole text, computed when it stands here.
    pub fn id(&self) -> BlobId {
        self.cut.as_ref().map_or_else(|| BlobId::of(self.head.as_bytes()), |c| c.blob)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_their_text_form() {
        let id = BlobId::of(b"abc");
        assert!(id.to_string().starts_with("ba7816bf"));
        assert_eq!(id.to_string().parse::<BlobId>().unwrap(), id);
        assert!("zz".parse::<BlobId>().is_err());
    }

    #[test]
    fn the_mark_of_what_is_left_out_is_found_again_and_no_other() {
        let (id, other) = (BlobId::of(b"abc"), BlobId::of(b"x"));
        let text = format!("a [… b\n{}\nc {} {}", id.left_out(812), other.left_out(5), id.left_out(3));
        let found: Vec<(&str, u64)> =
            id.marks_in(&text).into_iter().map(|(at, n)| (text.get(at).unwrap(), n)).collect();
        assert_eq!(found, [(&*id.left_out(812), 812), (&*id.left_out(3), 3)]);
    }

    #[test]
    fn a_long_text_is_cut_at_characters_and_kept_whole_beside() {
        let mut blobs = Vec::new();
        let text = "ä".repeat(Excerpt::WHOLE_BYTES);
        let e = Excerpt::of(text.clone(), &mut blobs);
        assert_eq!(e.bytes, text.len() as u64);
        assert_eq!(blobs.first().unwrap().bytes(), text.as_bytes());
        assert!(e.whole().is_none() && e.head.len() <= Excerpt::END_BYTES);
    }
}
