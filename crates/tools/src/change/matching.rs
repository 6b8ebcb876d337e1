//! Finding a text in a file's bytes, whatever its line endings are.
//!
//! Owns the comparison. A newline in the text sought stands for the file's own ending, unless the
//! text names its endings itself.

/// A match in bytes, end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub start: usize,
    pub end: usize,
}

/// A line ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Lf,
    CrLf,
}

impl Ending {
    /// The ending that most lines of `text` have; `None` when it has none.
    pub fn of(text: &[u8]) -> Option<Self> {
        let all = text.split(|b| *b == b'\n').count() - 1;
        let crlf = text.windows(2).filter(|w| *w == b"\r\n").count();
        match all {
            0 => None,
            all if crlf * 2 >= all => Some(Self::CrLf),
            _ => Some(Self::Lf),
        }
    }

    /// `text`, whose newlines are bare, with this ending.
    pub fn write(self, text: &str) -> String {
        match self {
            Self::Lf => text.to_owned(),
            Self::CrLf => text.replace('\n', "\r\n"),
        }
    }
}

/// What is sought.
#[derive(Debug)]
pub(super) struct Needle {
    text: Vec<u8>,
    /// Whether a newline also stands for CR LF.
    any_ending: bool,
    whole_word: bool,
    whole_lines: bool,
}

impl Needle {
    /// A search for `old` in `content`, wherever it stands.
    pub fn new(content: &[u8], old: &str) -> Self {
        let exact =
            Self { text: old.as_bytes().to_vec(), any_ending: false, whole_word: false, whole_lines: false };
        if !old.contains('\n') || old.contains("\r\n") && exact.next(content, 0).is_some() {
            return exact;
        }
        Self { text: old.replace("\r\n", "\n").into_bytes(), any_ending: true, ..exact }
    }

    /// Only as a word of its own, or as whole lines, where it must be.
    pub fn only(self, whole_word: bool, whole_lines: bool) -> Self {
        Self { whole_word, whole_lines, ..self }
    }

    /// Every match, none overlapping another.
    pub fn all(&self, content: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(hit) = self.next(content, at) {
            at = hit.end.max(hit.start + 1);
            found.push(hit);
        }
        found
    }

    /// Every match, also those that overlap.
    pub fn overlapping(&self, content: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(hit) = self.next(content, at) {
            at = Self::past(content, hit);
            found.push(hit);
        }
        found
    }

    /// Whether there is a match after `first`, also one that overlaps it.
    pub fn more_than_one(&self, content: &[u8], first: Found) -> bool {
        self.next(content, Self::past(content, first)).is_some()
    }

    /// Where to look for the next match: past one line ending, so that its two halves are not two.
    fn past(content: &[u8], hit: Found) -> usize {
        let ending = content.get(hit.start..).is_some_and(|rest| rest.starts_with(b"\r\n"));
        hit.start + if ending { 2 } else { 1 }
    }

    fn next(&self, content: &[u8], from: usize) -> Option<Found> {
        let first = *self.text.first()?;
        let mut at = from;
        loop {
            let rest = content.get(at..)?;
            let candidate = rest
                .iter()
                .position(|b| *b == first || (self.any_ending && first == b'\n' && *b == b'\r'))?;
            let start = at + candidate;
            if let Some(end) = self.matches_at(content, start)
                && (!self.whole_word || stands_alone(content, start, end))
                && (!self.whole_lines || is_lines(content, start, end))
            {
                return Some(Found { start, end });
            }
            at = start + 1;
        }
    }

    fn matches_at(&self, content: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        for want in &self.text {
            if self.any_ending && *want == b'\n' && content.get(at..)?.starts_with(b"\r\n") {
                at += 2;
            } else if content.get(at) == Some(want) {
                at += 1;
            } else {
                return None;
            }
        }
        Some(at)
    }
}

/// Whether the match begins where a line does and ends where one does.
fn is_lines(content: &[u8], start: usize, end: usize) -> bool {
    let before = content.get(..start).unwrap_or_default();
    let (inside, after) =
        (content.get(start..end).unwrap_or_default(), content.get(end..).unwrap_or_default());
    let ends = inside.ends_with(b"\n")
        || [b"".as_slice(), b"\n", b"\r\n"]
            .iter()
            .any(|e| if e.is_empty() { after.is_empty() } else { after.starts_with(e) });
    // The mark of a text is no part of its first line.
    let begins = before.is_empty() || before == "\u{feff}".as_bytes() || before.ends_with(b"\n");
    begins && ends
}

/// Whether no word goes on over either edge of the match.
fn stands_alone(content: &[u8], start: usize, end: usize) -> bool {
    let inside = content.get(start..end).unwrap_or_default();
    let before = content.get(..start).unwrap_or_default();
    let after = content.get(end..).unwrap_or_default();
    let joins = |left: &[u8], right: &[u8]| {
        last_char(left).is_some_and(is_word) && first_char(right).is_some_and(is_word)
    };
    !joins(before, inside) && !joins(inside, after)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn first_char(text: &[u8]) -> Option<char> {
    let head = text.get(..text.len().min(4))?;
    head.utf8_chunks().next()?.valid().chars().next()
}

fn last_char(text: &[u8]) -> Option<char> {
    (1..=4).find_map(|n| {
        let tail = text.get(text.len().checked_sub(n)?..)?;
        std::str::from_utf8(tail).ok()?.chars().next()
    })
}
