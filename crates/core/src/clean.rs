//! Foreign text made fit to be drawn: the one sanitiser of the screen (invariant I7).
//!
//! Owns the list of what a terminal must never get from a model, a tool, a file or a name, and the
//! visible marks that stand for it. Never draws, never cuts to a width and never hides a character
//! that changes what a text means.

use std::{borrow::Cow, fmt, ops::Deref};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Columns from one tab stop to the next.
pub const TAB_COLUMNS: usize = 4;

/// Zero-width marks that may follow one visible character; further ones are drawn apart.
const MARKS_ON_ONE_BASE: usize = 4;

/// Between two emoji it makes one of them, which is all it can do there.
const JOINER: char = '\u{200d}';

/// Characters of one emoji that is made of several: a family of four has eleven, with a colour for each.
const MOST_OF_AN_EMOJI: usize = 12;

/// Text without anything that could steer a terminal or hide on a screen.
///
/// What is forbidden is drawn: controls as their pictures (`␛`), other invisible characters (but what joins two emoji) as
/// `<U+202E>`, and so is a letter of another script that passes for a Latin one in a Latin word; bytes that are
/// no UTF-8 as `�`. A newline stays only where lines are allowed; tabs
/// become spaces up to the next stop.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clean(String);

impl Clean {
    /// One line: a newline is drawn as `␊`.
    pub fn line(text: &str) -> Self {
        Self(Wash::new(Newline::Drawn).all(text))
    }

    /// Any number of lines: newlines stay, and a carriage return before one is dropped.
    pub fn text(text: &str) -> Self {
        Self(Wash::new(Newline::Kept).all(text))
    }

    /// Any number of lines from bytes; each run of bytes that is no UTF-8 becomes `�`.
    pub fn bytes(bytes: &[u8]) -> Self {
        Self::text(&Self::decode(bytes))
    }

    /// One line from bytes.
    pub fn byte_line(bytes: &[u8]) -> Self {
        Self::line(&Self::decode(bytes))
    }

    fn decode(bytes: &[u8]) -> Cow<'_, str> {
        String::from_utf8_lossy(bytes)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, taken out.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Clean {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Clean> for String {
    fn from(clean: Clean) -> Self {
        clean.0
    }
}

/// Whether a character must never reach the terminal, wherever it stands.
pub const fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'           // C0, DEL, C1
        | '\u{ad}' | '\u{34f}' | '\u{61c}'          // soft hyphen, joiner, Arabic mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // fillers
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' // zero width, separators, bidi
        | '\u{2060}'..='\u{206f}'                   // joiners, isolates, shaping
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'      // variation selectors, byte order mark
        | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'                 // tags, more variation selectors
    ) || (c as u32) & 0xfffe == 0xfffe // non-characters of every plane
}

/// Letters of other scripts that look like one of the Latin alphabet.
const DOUBLES: &str = "\u{430}\u{435}\u{43e}\u{440}\u{441}\u{443}\u{445}\u{455}\u{456}\u{458}\u{4bb}\u{4cf}\u{501}\u{51b}\u{51d}\
    \u{405}\u{406}\u{408}\u{410}\u{412}\u{415}\u{41a}\u{41c}\u{41d}\u{41e}\u{420}\u{421}\u{422}\u{423}\u{425}\u{4ae}\u{4c0}\u{50c}\u{51a}\u{51c}\
    \u{3b9}\u{3bd}\u{3bf}\u{3c1}\u{3c5}\u{3f2}\u{3f3}\
    \u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39a}\u{39c}\u{39d}\u{39f}\u{3a1}\u{3a4}\u{3a5}\u{3a7}\u{3f9}\
    \u{578}\u{57d}\u{570}\u{585}\u{566}\u{13aa}\u{13a2}\u{13b3}\u{ab75}";

/// Whether a letter passes for one of the Latin alphabet without being one.
fn is_double(c: char) -> bool {
    DOUBLES.contains(c)
        || matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Where such letters stand in the middle of a Latin word: there they have no honest use.
fn doubles(text: &str) -> Vec<usize> {
    let mut all = Vec::new();
    let mut word: (bool, Vec<usize>) = (false, Vec::new());
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !c.is_alphanumeric() && c != '_' {
            let (latin, found) = std::mem::take(&mut word);
            all.extend(found.into_iter().filter(|_| latin));
            continue;
        }
        word.0 |= c.is_ascii_alphabetic();
        if is_double(c) {
            word.1.push(at);
        }
    }
    all
}

/// Symbols whose look one of the two common selectors chooses; only there it says nothing else.
const fn takes_selector(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Whether a zero-width character is drawn on the one before it.
fn joins(base: char, c: char) -> bool {
    let mut pair = [0; 8];
    let first = base.encode_utf8(&mut pair).len();
    let len = first + pair.get_mut(first..).map_or(0, |rest| c.encode_utf8(rest).len());
    let pair = pair.get(..len).and_then(|p| std::str::from_utf8(p).ok()).unwrap_or_default();
    pair.graphemes(true).nth(1).is_none()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Newline {
    Kept,
    Drawn,
}

struct Wash {
    newline: Newline,
    out: String,
    column: usize,
    base: Option<char>,
    marks: usize,
}

impl Wash {
    const fn new(newline: Newline) -> Self {
        Self { newline, out: String::new(), column: 0, base: None, marks: 0 }
    }

    fn all(mut self, text: &str) -> String {
        if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
            return text.to_owned();
        }
        self.out.reserve(text.len() + text.len() / 8);
        let doubles = doubles(text);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\r' if self.newline == Newline::Kept && chars.peek().is_some_and(|(_, c)| *c == '\n') => {}
                '\n' if self.newline == Newline::Kept => self.end_line(),
                '\t' => self.tab(),
                ' '..='~' => self.visible(c, 1),
                '\u{fe0e}' | '\u{fe0f}' if self.marks == 0 && self.base.is_some_and(takes_selector) => {
                    self.marks = 1; // a second one is no longer innocent
                }
                JOINER if chars.peek().is_some_and(|(_, next)| self.makes_one_with(*next)) => {
                    let next = chars.next().map(|(_, next)| next);
                    self.out.extend([c].into_iter().chain(next));
                    (self.base, self.marks) = (next, 0);
                }
                _ if is_forbidden(c) || doubles.contains(&at) => self.mark(c),
                _ => match c.width().unwrap_or(0) {
                    0 if self.marks >= MARKS_ON_ONE_BASE || !self.base.is_some_and(|b| joins(b, c)) => {
                        self.mark(c);
                    }
                    0 => {
                        self.marks += 1;
                        self.out.push(c);
                    }
                    width => self.visible(c, width),
                },
            }
        }
        self.out
    }

    /// Whether what stands last and this are one emoji once they are joined.
    fn makes_one_with(&self, next: char) -> bool {
        let last = self.out.graphemes(true).next_back().unwrap_or_default();
        let emoji = self.base.is_some_and(takes_selector) && takes_selector(next);
        emoji
            && last.chars().count() + 2 <= MOST_OF_AN_EMOJI
            && format!("{last}{JOINER}{next}").graphemes(true).nth(1).is_none()
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        (self.column, self.base, self.marks) = (0, None, 0);
    }

    fn tab(&mut self) {
        let spaces = TAB_COLUMNS - self.column % TAB_COLUMNS;
        self.out.extend(std::iter::repeat_n(' ', spaces));
        self.column += spaces;
        (self.base, self.marks) = (None, 0);
    }

    fn visible(&mut self, c: char, width: usize) {
        self.out.push(c);
        self.column += width;
        (self.base, self.marks) = ((c != ' ').then_some(c), 0);
    }

    fn mark(&mut self, c: char) {
        let code = c as u32;
        let picture = match code {
            0..=0x1f => char::from_u32(0x2400 + code),
            0x7f => Some('\u{2421}'),
            _ => None,
        };
        let before = self.out.len();
        match picture {
            Some(p) => self.out.push(p),
            None => self.out.push_str(&format!("<U+{code:04X}>")),
        }
        self.column += if picture.is_some() { 1 } else { self.out.len() - before };
        (self.base, self.marks) = (None, 0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod hostile;
#[cfg(test)]
mod tests;
