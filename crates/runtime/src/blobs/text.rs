//! A stored text read from its beginning to its end, of which a part is wanted.
//!
//! Owns its lines and what is looked for in them. Holds a few lines at a time, however many there are.

use std::io::{self, Read};

use pilothouse_core::{
    blob::{BlobId, Hasher},
    port::{TextAsk, TextFound, TextLines, TextReply, holds},
};

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;
/// Most lines in one answer.
const MOST_LINES: usize = 1000;
/// As much of a line is told, in bytes.
const LINE: usize = 4 * 1024;
/// A longer line is looked through in pieces of this size.
const WINDOW: usize = 256 * 1024;

/// What is asked of a text, and what its content is called.
pub(super) fn part(mut file: impl Read, ask: &TextAsk) -> io::Result<(BlobId, TextReply)> {
    let mut reading = Reading::of(ask);
    let (mut hasher, mut chunk) = (Hasher::default(), vec![0; CHUNK]);
    loop {
        let many = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(many) => many,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let bytes = chunk.get(..many).unwrap_or_default();
        hasher.take(bytes);
        reading.take(bytes);
    }
    Ok((hasher.id(), reading.finish()))
}

/// A text as far as it was read.
struct Reading<'a> {
    ask: &'a TextAsk,
    /// The beginning of the line that is read, or its last piece.
    line: Vec<u8>,
    /// Bytes of that line so far.
    length: usize,
    hit: bool,
    read: TextLines,
    found: TextFound,
}

impl<'a> Reading<'a> {
    fn of(ask: &'a TextAsk) -> Self {
        let from = if let TextAsk::Lines { from, .. } = ask { *from } else { 0 };
        let read = TextLines { from, ..TextLines::default() };
        Self { ask, line: Vec::new(), length: 0, hit: false, read, found: TextFound::default() }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let (text, ends) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                Some(_) | None => (piece, false),
            };
            self.goes_on(text);
            if ends {
                self.end();
            }
        }
    }

    fn goes_on(&mut self, text: &[u8]) {
        self.length += text.len();
        match self.ask {
            TextAsk::Lines { .. } => {
                let room = LINE.saturating_sub(self.line.len());
                self.line.extend(text.iter().take(room));
            }
            TextAsk::Find { words, .. } => {
                self.line.extend(text);
                if self.line.len() > WINDOW {
                    self.look();
                    // What two pieces share may hold the words as well.
                    let from = self.line.len().saturating_sub(4 * words.len());
                    self.line.drain(..from);
                }
            }
        }
    }

    fn look(&mut self) {
        if let TextAsk::Find { words, .. } = self.ask {
            self.hit |= holds(&String::from_utf8_lossy(&self.line), words);
        }
    }

    /// A line is whole.
    fn end(&mut self) {
        let at = self.read.total;
        self.read.total += 1;
        match self.ask {
            TextAsk::Lines { from, count } => {
                let wanted = *from..from.saturating_add((*count).min(MOST_LINES));
                if wanted.contains(&at) {
                    self.read.lines.push(self.told());
                }
            }
            TextAsk::Find { from, back, .. } => {
                self.look();
                if self.hit {
                    self.takes(at, *from, *back);
                }
            }
        }
        self.line.clear();
        (self.length, self.hit) = (0, false);
    }

    /// Towards the end the first hit from there on, else the first of all; towards the beginning the last one.
    fn takes(&mut self, at: usize, from: usize, back: bool) {
        self.found.hits += 1;
        let nearer = match (self.found.line, back) {
            (None, _) => true,
            (Some(before), false) => before < from && at >= from,
            (Some(before), true) => at <= from || before > from,
        };
        if nearer {
            (self.found.line, self.found.place) = (Some(at), self.found.hits);
        }
    }

    fn told(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.line).into_owned();
        let more = self.length - self.line.len();
        if more > 0 {
            text.push_str(&format!(" [… {more} more bytes of this line …]"));
        }
        text
    }

    fn finish(mut self) -> TextReply {
        if self.length > 0 {
            self.end();
        }
        match self.ask {
            TextAsk::Lines { .. } => TextReply::Lines(self.read),
            TextAsk::Find { .. } => TextReply::Found(self.found),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    fn said(text: &str, ask: &TextAsk) -> TextReply {
        let (id, part) = part(text.as_bytes(), ask).unwrap();
        assert_eq!(id, BlobId::of(text.as_bytes()));
        part
    }

    fn of(text: &str, from: usize, count: usize) -> TextLines {
        let TextReply::Lines(lines) = said(text, &TextAsk::Lines { from, count }) else {
            return TextLines::default();
        };
        lines
    }

    fn found(text: &str, words: &str, from: usize, back: bool) -> (Option<usize>, usize, usize) {
        let reply = said(text, &TextAsk::Find { words: words.into(), from, back });
        let TextReply::Found(found) = reply else { return (None, 0, 0) };
        (found.line, found.place, found.hits)
    }

    #[test]
    fn lines_come_in_pieces_and_a_very_long_one_by_its_beginning() {
        let text = (1..=10_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
        let part = of(&text, 4_999, 2);
        assert_eq!((part.total, part.lines), (10_000, vec!["line 5000".to_owned(), "line 5001".to_owned()]));
        assert_eq!(of(&text, 0, usize::MAX).lines.len(), MOST_LINES);
        let last = of("a\nb", 1, 9);
        assert_eq!((last.total, last.lines), (2, vec!["b".to_owned()]));
        let long = format!("{}end\nb\n", "x".repeat(1_000_000));
        let part = of(&long, 0, 2);
        assert!(part.lines[0].len() < LINE + 60 && part.lines[0].ends_with("more bytes of this line …]"));
        assert_eq!(part.lines[1], "b");
        assert_eq!(found(&long, "xend", 0, false), (Some(0), 1, 1));
    }

    #[test]
    fn words_are_found_in_both_directions_and_around_the_ends() {
        let text = "one\ntwo\nOne\ntwo\none\n";
        assert_eq!(found(text, "one", 0, false), (Some(0), 1, 3));
        assert_eq!(found(text, "one", 1, false), (Some(2), 2, 3));
        assert_eq!(found(text, "one", 5, false), (Some(0), 1, 3), "on from the beginning");
        assert_eq!(found(text, "one", 3, true), (Some(2), 2, 3));
        assert_eq!(found(text, "one", 2, true), (Some(2), 2, 3));
        assert_eq!(found("two\none\n", "one", 0, true), (Some(1), 1, 1), "on from the end");
        assert_eq!(found(text, "One", 0, false), (Some(2), 1, 1), "a capital counts");
        assert_eq!(found(text, "four", 0, false), (None, 0, 0));
        // The words lie across what is read at a time.
        let long = format!("{}\n", "ab".repeat(200_000));
        assert_eq!(found(&long, "abab", 0, true).0, Some(0));
    }
}
