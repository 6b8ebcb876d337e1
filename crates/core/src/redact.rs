//! Secrets in text: found by their shape, or because they are in use, and replaced by marks.
//!
//! Owns what a secret looks like, how it is told by its name, and the mark that stands for one. Never changes the number of
//! lines, never prints what it knows, and hides only runs of inert characters: nothing that a shell
//! or a program would act on disappears behind a mark.

mod entrance;
mod files;
mod handed;
mod named;
mod pem;
mod random;
mod restore;
mod shapes;
mod stream;

use std::{borrow::Cow, fmt, sync::Arc};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use regex::{Regex, RegexBuilder};

use crate::{blob::BlobId, shell::secrets};

pub use entrance::Guarded;
pub(crate) use entrance::{refuse_call, shown_args};
pub use handed::Handed;
pub use random::is_worth_hiding;
pub use restore::{restore_edit, restore_whole};
pub use shapes::{Rule, rules};
pub use stream::Stream;

/// How every mark begins.
const MARK: &str = "[secret: ";

/// Shorter values are words that may stand in any text.
const SHORTEST_KNOWN: usize = 6;
/// Longer ones are no keys.
const LONGEST_KNOWN: usize = 16 * 1024;

/// What kind of secret it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A value that this program uses itself.
    InUse,
    /// A key of a service.
    ApiKey,
    /// A token that stands for a login.
    Token,
    /// A password.
    Password,
    /// A private key.
    PrivateKey,
    /// A cookie of a session.
    Cookie,
}

impl Kind {
    /// The mark that stands for such a secret.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::InUse => "[secret: in use]",
            Self::ApiKey => "[secret: api key]",
            Self::Token => "[secret: token]",
            Self::Password => "[secret: password]",
            Self::PrivateKey => "[secret: private key]",
            Self::Cookie => "[secret: cookie]",
        }
    }

    /// What it is called where it has no name of its own.
    const fn words(self) -> &'static str {
        match self {
            Self::InUse => "a value that is in use here",
            Self::ApiKey => "an API key",
            Self::Token => "a token",
            Self::Password => "a password",
            Self::PrivateKey => "a private key",
            Self::Cookie => "a cookie",
        }
    }

    const ALL: [Self; 6] =
        [Self::InUse, Self::ApiKey, Self::Token, Self::Password, Self::PrivateKey, Self::Cookie];
}

/// Where a secret stands in a text, in bytes, end exclusive; never over the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// Whether a text holds a mark that stands for a secret.
pub fn is_marked(text: &str) -> bool {
    marks(text).next().is_some()
}

/// The marks of a text with their places, in order.
fn marks(text: &str) -> impl Iterator<Item = (usize, Kind)> {
    text.match_indices(MARK).filter_map(move |(at, _)| {
        let rest = text.get(at..)?;
        Kind::ALL.into_iter().find(|k| rest.starts_with(k.mark())).map(|k| (at, k))
    })
}

/// Finds secrets: those of every known shape, and the values that it was told.
///
/// It can be shared and compared, but what it was told never comes out of it again.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Option<Arc<Known>>,
}

struct Known {
    /// What it was told, in every form; for [`Redactor::and`] alone.
    told: Vec<String>,
    values: Regex,
    /// Bytes of the longest value that is more than one word.
    widest: usize,
}

impl Redactor {
    /// One that also knows these values, wherever and however they stand. Each is looked for as it
    /// is, as in a URL, as in JSON and in base64.
    pub fn knowing<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self::told(values.into_iter().flat_map(str::lines).flat_map(forms).collect())
    }

    /// One that knows what this one knows, and what the other does.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let known = [self, other].into_iter().filter_map(|r| r.known.as_ref());
        Self::told(known.flat_map(|k| k.told.iter().cloned()).collect())
    }

    fn told(mut all: Vec<String>) -> Self {
        // The longest first: where one begins another, the whole goes.
        all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        if all.is_empty() {
            return Self::default();
        }
        let widest =
            all.iter().filter(|v| !v.chars().all(stream::is_inside)).map(String::len).max().unwrap_or(0);
        let pattern = all.iter().map(|v| regex::escape(v)).collect::<Vec<_>>().join("|");
        let values = RegexBuilder::new(&pattern).size_limit(usize::MAX).build().ok();
        Self { known: values.map(|values| Arc::new(Known { told: all, values, widest })) }
    }

    /// Another one where another value is known, and always the same for the same; too short to tell anything of them.
    pub fn fingerprint(&self) -> String {
        let known = |k: &Arc<Known>| BlobId::of(k.values.as_str().as_bytes()).short(8);
        self.known.as_ref().map(known).unwrap_or_default()
    }

    /// The secrets of a text, in order, none over another.
    pub fn secrets(&self, text: &str) -> Vec<Secret> {
        // What is asked of nothing compiles no rule either: so it is at the start of the screen.
        if text.is_empty() {
            return Vec::new();
        }
        let mut found = shaped(text);
        found.extend(self.known_in(text));
        found.extend(pem::find(text, pem::Where::Outside).0);
        settle(found)
    }

    /// The secrets of a file: where its name says that it keeps secrets, also weak ones.
    pub fn secrets_of_file(&self, path: &str, text: &str) -> Vec<Secret> {
        let mut found = self.secrets(text);
        if secrets::keeps_secrets(path) {
            found.extend(files::weak(text));
            return settle(found);
        }
        found
    }

    /// The text with a mark for every secret.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        mask(text, &self.secrets(text))
    }

    /// A file's text with a mark for every secret.
    pub fn mask_file<'a>(&self, path: &str, text: &'a str) -> Cow<'a, str> {
        mask(text, &self.secrets_of_file(path, text))
    }

    /// Bytes with a mark for every secret; what is no UTF-8 stays as it is.
    pub fn mask_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return match self.mask(text) {
                Cow::Borrowed(_) => Cow::Borrowed(bytes),
                Cow::Owned(masked) => Cow::Owned(masked.into_bytes()),
            };
        }
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.extend_from_slice(self.mask(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
        Cow::Owned(out)
    }

    /// Masks a text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    fn known_in(&self, text: &str) -> Vec<Secret> {
        let Some(known) = &self.known else { return Vec::new() };
        let secret = |m: regex::Match<'_>| Secret { start: m.start(), end: m.end(), kind: Kind::InUse };
        known.values.find_iter(text).map(secret).collect()
    }

    /// Whether no rule matches anywhere: then none does in a line of it either, since every edge that a rule wants also
    /// stands at a line's end.
    fn finds_nothing(&self, text: &str) -> bool {
        let knows = self.known.as_ref().is_some_and(|known| known.values.is_match(text));
        !knows && !shapes::match_any(text) && !named::may_match(text) && !pem::begins(text)
    }

    fn widest(&self) -> usize {
        self.known.as_ref().map_or(0, |k| k.widest)
    }
}

impl fmt::Debug for Redactor {
    /// Says nothing of what it knows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

impl PartialEq for Redactor {
    fn eq(&self, other: &Self) -> bool {
        match (&self.known, &other.known) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.values.as_str() == b.values.as_str(),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }
}

impl Eq for Redactor {}

/// Secrets by their shape and by their name, in no order.
fn shaped(text: &str) -> Vec<Secret> {
    let mut found = shapes::find(text);
    found.extend(named::find(text));
    found
}

/// A value as it is, percent-encoded, escaped as in JSON, and in base64.
fn forms(value: &str) -> Vec<String> {
    let value = value.trim();
    if !(SHORTEST_KNOWN..=LONGEST_KNOWN).contains(&value.len()) {
        return Vec::new();
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~');
    let byte = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    let encoded: String = value.bytes().map(byte).collect();
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    let mut all = vec![value.to_owned(), encoded, escaped];
    all.extend((0..3).flat_map(|before| base64(value, before)).filter(|form| form.len() >= SHORTEST_KNOWN));
    all
}

/// What a value comes to in base64 behind so many other bytes, without the ends that they share; in both alphabets.
fn base64(value: &str, before: usize) -> [String; 2] {
    let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(value.bytes()).collect();
    let shared = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
    [STANDARD_NO_PAD, URL_SAFE_NO_PAD]
        .map(|alphabet| alphabet.encode(&bytes).get(shared.clone()).unwrap_or_default().to_owned())
}

/// In order, and one where several meet: the strongest word for it wins.
fn settle(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|s| (s.start, std::cmp::Reverse(s.end), s.kind));
    let mut out: Vec<Secret> = Vec::with_capacity(found.len());
    for next in found {
        match out.last_mut() {
            Some(last) if next.start < last.end => {
                last.end = last.end.max(next.end);
                last.kind = last.kind.min(next.kind);
            }
            _ => out.push(next),
        }
    }
    out
}

fn mask<'a>(text: &'a str, secrets: &[Secret]) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        out.push_str(text.get(at..secret.start).unwrap_or_default());
        out.push_str(secret.kind.mark());
        at = secret.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
