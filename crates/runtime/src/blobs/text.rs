//! A stored text read from its beginning to its end, of which a part is wanted.
//!
//! Owns its lines, where they begin, and what is looked for in them. Holds a few lines at a time, however many there are.

use std::io::{self, Read, Seek, SeekFrom};

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

/// Of so many lines the first one's place is kept.
const STEP: usize = 256;
/// What is told of a line before and behind words that stand deep in it, in bytes.
const AROUND: (usize, usize) = (200, 600);

/// Where the lines of a text begin that was read to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    total: usize,
    /// The first of each [`STEP`] lines, in bytes.
    starts: Vec<u64>,
}

/// Some lines of a text of which it is known where they begin: nothing before them is read.
pub(super) fn lines(
    mut file: impl Read + Seek,
    marks: &Marks,
    (from, count): (usize, usize),
) -> io::Result<TextLines> {
    let none = TextLines { total: marks.total, from, lines: Vec::new() };
    let (step, rest) = (from / STEP, from % STEP);
    let Some(start) = marks.starts.get(step) else { return Ok(none) };
    file.seek(SeekFrom::Start(*start))?;
    let ask = TextAsk::Lines { from: rest, count };
    let (mut reading, mut chunk) = (Reading::of(&ask), vec![0; CHUNK]);
    let last = rest.saturating_add(count.min(MOST_LINES));
    while reading.read.total < last {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(many) => reading.take(chunk.get(..many).unwrap_or_default()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let TextReply::Lines(read) = reading.finish().0 else { return Ok(none) };
    Ok(TextLines { lines: read.lines, ..none })
}

/// What is asked of a text, what its content is called, and where its lines begin.
pub(super) fn part(mut file: impl Read, ask: &TextAsk) -> io::Result<(BlobId, TextReply, Marks)> {
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
    let (reply, marks) = reading.finish();
    Ok((hasher.id(), reply, marks))
}

/// A text as far as it was read.
struct Reading<'a> {
    ask: &'a TextAsk,
    /// The beginning of the line that is read, or its last piece.
    line: Vec<u8>,
    /// Bytes of that line so far.
    length: usize,
    hit: bool,
    /// Where in that line the words stand, with what stands around them, where that is deep in it.
    deep: Option<(usize, String)>,
    /// Bytes of the lines before.
    before: u64,
    starts: Vec<u64>,
    read: TextLines,
    found: TextFound,
}

impl<'a> Reading<'a> {
    fn of(ask: &'a TextAsk) -> Self {
        let from = if let TextAsk::Lines { from, .. } = ask { *from } else { 0 };
        let read = TextLines { from, ..TextLines::default() };
        let (line, starts, found) = (Vec::new(), Vec::new(), TextFound::default());
        Self { ask, line, length: 0, hit: false, deep: None, before: 0, starts, read, found }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let (text, ends) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                Some(_) | None => (piece, false),
            };
            if self.length == 0
                && self.read.total.is_multiple_of(STEP)
                && self.starts.len() == self.read.total / STEP
            {
                self.starts.push(self.before);
            }
            self.goes_on(text);
            if ends {
                self.before += self.length as u64 + 1;
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
        let TextAsk::Find { words, .. } = self.ask else { return };
        let text = String::from_utf8_lossy(&self.line);
        if self.hit || !holds(&text, words) {
            return;
        }
        self.hit = true;
        let at = place(&text, words);
        let from = self.length - self.line.len() + at;
        if from + words.len() > LINE {
            let start = text.floor_char_boundary(at.saturating_sub(AROUND.0));
            let end = text.floor_char_boundary((at + AROUND.1).min(text.len()));
            self.deep = Some((from - (at - start), text.get(start..end).unwrap_or_default().to_owned()));
        }
    }

    /// What is told of a line in which the words stand behind its beginning.
    fn around(&mut self) -> Option<String> {
        let (from, text) = self.deep.take()?;
        let behind = self.length.saturating_sub(from + text.len());
        let more = if behind > 0 { format!(" [… {behind} more bytes …]") } else { String::new() };
        Some(format!("[… {from} bytes of this line …] {text}{more}"))
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
        (self.length, self.hit, self.deep) = (0, false, None);
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
            self.found.around = self.around();
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

    fn finish(mut self) -> (TextReply, Marks) {
        if self.length > 0 {
            self.end();
        }
        let marks = Marks { total: self.read.total, starts: self.starts };
        let reply = match self.ask {
            TextAsk::Lines { .. } => TextReply::Lines(self.read),
            TextAsk::Find { .. } => TextReply::Found(self.found),
        };
        (reply, marks)
    }
}

/// Where in a text that holds them words stand, in bytes; capitals count only where the words have one.
fn place(text: &str, words: &str) -> usize {
    if let Some(at) = text.find(words) {
        return at;
    }
    let lower = text.to_lowercase();
    let letters = lower.find(words).and_then(|at| lower.get(..at)).map_or(0, |before| before.chars().count());
    text.char_indices().nth(letters).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
    use super::*;

    fn said(text: &str, ask: &TextAsk) -> TextReply {
        let (id, part, _) = part(text.as_bytes(), ask).unwrap();
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
    fn lines_are_read_from_where_they_begin_once_that_is_known() {
        let text = (1..=10_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        let (_, _, marks) = part(text.as_bytes(), &TextAsk::Lines { from: 0, count: 1 }).unwrap();
        for (from, count) in [(0, 3), (255, 3), (256, 400), (4_999, 2), (9_990, 50), (10_000, 5), (20_000, 5)]
        {
            let read = lines(io::Cursor::new(&text), &marks, (from, count)).unwrap();
            assert_eq!(read, of(&text, from, count), "{from}");
        }
        // What stands before them is not read.
        let broken = format!("{}{}", "?".repeat(5_000), text.get(5_000..).unwrap());
        let read = lines(io::Cursor::new(&broken), &marks, (9_000, 2)).unwrap();
        assert_eq!(read.lines, ["line 9001", "line 9002"]);
    }

    #[test]
    fn words_deep_in_a_long_line_come_with_what_stands_around_them() {
        let long = format!("{} the Needle is here {}\n", "x".repeat(700_000), "y".repeat(9_000));
        for text in [&long, &format!("a\n{long}b\n")] {
            let TextReply::Found(found) =
                said(text, &TextAsk::Find { words: "needle".into(), from: 0, back: false })
            else {
                panic!("no answer")
            };
            let around = found.around.unwrap();
            assert!(around.contains("the Needle is here yy") && around.len() < 1_000, "{around}");
            assert!(around.starts_with("[… 699") && around.ends_with("more bytes …]"), "{around}");
        }
        let near = said("a needle\n", &TextAsk::Find { words: "needle".into(), from: 0, back: false });
        assert!(matches!(near, TextReply::Found(TextFound { around: None, line: Some(0), .. })), "{near:?}");
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
