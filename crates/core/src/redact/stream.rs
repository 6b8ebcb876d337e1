//! A text that comes in pieces, masked as it passes: what might still become a secret is held back.
//!
//! Owns the unfinished line. Never holds more than one line, and never lets a secret through that was
//! cut in two.

use super::{
    Redactor, Secret, mask,
    pem::{self, Where},
    settle, shaped,
};

/// A line that is longer is masked in parts.
const LONGEST_LINE: usize = 8 * 1024;

/// Whether a character may stand inside a secret.
pub(super) fn is_inside(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/=_.~@!#%^*-:\\".contains(c)
}

/// Masks pieces of a text.
#[derive(Clone, Debug)]
pub struct Stream {
    redactor: Redactor,
    /// The line that is under way, as it came.
    line: String,
    /// How many bytes of its masked form went on already.
    sent: usize,
    at: Where,
}

impl Stream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { redactor, line: String::new(), sent: 0, at: Where::Outside }
    }

    /// What can be told of the text now that this piece has come.
    pub fn take(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        match piece.rsplit_once('\n') {
            Some((lines, rest)) => {
                let mut lines = lines.splitn(2, '\n');
                lines.next().into_iter().for_each(|first| self.whole_line(first, &mut out));
                lines.next().into_iter().for_each(|more| self.whole_lines(more, &mut out));
                self.line.push_str(rest);
            }
            None => self.line.push_str(piece),
        }
        if self.line.len() > LONGEST_LINE {
            self.cut_line(&mut out);
        }
        // Inside a key nothing is told before its line is whole.
        if self.at == Where::Outside {
            let masked = self.masked(self.words(self.line.len()), self.redactor.widest()).0;
            self.send(&masked, &mut out);
        }
        out
    }

    /// What was held back, now that nothing more comes.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        self.end_line(&mut out);
        self.at = Where::Outside;
        out
    }

    /// Lines after which one ends as well. Where nothing is found in all of them, nothing is in any.
    fn whole_lines(&mut self, lines: &str, out: &mut String) {
        if self.at == Where::Outside && self.redactor.finds_nothing(lines) {
            out.push_str(lines);
            out.push('\n');
        } else {
            lines.split('\n').for_each(|line| self.whole_line(line, out));
        }
    }

    fn whole_line(&mut self, line: &str, out: &mut String) {
        self.line.push_str(line);
        self.line.push('\n');
        self.end_line(out);
    }

    fn end_line(&mut self, out: &mut String) {
        let (masked, at) = self.masked(self.line.len(), 0);
        self.send(&masked, out);
        (self.sent, self.at) = (0, at);
        self.line.clear();
    }

    /// A line without an end: its whole words go, the rest begins a new one.
    fn cut_line(&mut self, out: &mut String) {
        let words = self.words(self.line.len());
        let upto = if words == 0 { self.line.len() } else { words };
        let masked = self.masked(upto, 0).0;
        self.send(&masked, out);
        self.line.drain(..upto);
        self.sent = 0;
    }

    /// The end of the last word within the first `upto` bytes that nothing can lengthen any more.
    fn words(&self, upto: usize) -> usize {
        let text = self.line.get(..self.line.floor_char_boundary(upto)).unwrap_or_default();
        let last = text.char_indices().rfind(|(_, c)| !is_inside(*c));
        last.map_or(0, |(at, c)| at + c.len_utf8())
    }

    /// The beginning of the line, masked: its first `upto` bytes without the last `held`, and where
    /// a key's block stands behind it.
    fn masked(&self, upto: usize, held: usize) -> (String, Where) {
        let text = self.line.get(..upto).unwrap_or_default();
        let mut found: Vec<Secret> = shaped(text);
        found.extend(self.redactor.known_in(text));
        let (keys, at) = pem::find(text, self.at);
        found.extend(keys);
        let mut found = settle(found);
        let room = if held == 0 { upto } else { self.words(self.line.len().saturating_sub(held)).min(upto) };
        let over = found.iter().find(|s| s.start < room && room < s.end);
        let end = over.map_or(room, |s| s.start);
        found.retain(|s| s.end <= end);
        (mask(text.get(..end).unwrap_or_default(), &found).into_owned(), at)
    }

    fn send(&mut self, masked: &str, out: &mut String) {
        let from = masked.ceil_char_boundary(self.sent.min(masked.len()));
        out.push_str(masked.get(from..).unwrap_or_default());
        self.sent = self.sent.max(masked.len());
    }
}
