//! The lines of an output that are here: pieces of a stored one, or the last of one that still comes.
//!
//! Owns how many are held, however long the output is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pilothouse_core::{
    blob::BlobId,
    port::{Ask, TextAsk, TextFound, TextLines, holds},
};

/// Lines that are asked for at once.
const PIECE: usize = 400;
/// Pieces that are held.
const MOST_PIECES: usize = 6;
/// Lines that are held of a command that runs.
const MOST_COMING: usize = 4_000;
/// A longer one is held by its beginning, in bytes.
const LONGEST: usize = 4_096;

/// Lines.
#[derive(Debug)]
pub(super) struct Lines {
    /// Where the rest is.
    text: Option<BlobId>,
    /// How many there are; 0 before the first answer.
    total: usize,
    /// Whether an answer came.
    here: bool,
    gone: bool,
    pieces: BTreeMap<usize, Vec<String>>,
    coming: VecDeque<String>,
    /// Whether the last line that came is whole.
    whole: bool,
    asks: Vec<Ask>,
    asked: BTreeSet<usize>,
}

impl Lines {
    /// Of a stored text: its ends are asked for.
    pub fn stored(text: BlobId) -> Self {
        let lines = Self { text: Some(text), ..Self::coming(std::iter::empty()) };
        let first = Ask::Text(text, TextAsk::Lines { from: 0, count: PIECE });
        Self { asks: vec![first], asked: BTreeSet::from([0]), ..lines }
    }

    /// Of what still comes, after these lines; the last one may not be whole.
    pub fn coming(tail: impl Iterator<Item = String>) -> Self {
        let mut whole = true;
        let line = |line: String| {
            whole = line.ends_with('\n');
            line.trim_end_matches('\n').to_owned()
        };
        let coming = tail.map(line).collect();
        Self {
            text: None,
            total: 0,
            here: false,
            gone: false,
            pieces: BTreeMap::new(),
            coming,
            whole,
            asks: Vec::new(),
            asked: BTreeSet::new(),
        }
    }

    pub fn is_of(&self, text: BlobId) -> bool {
        self.text == Some(text)
    }

    pub const fn is_stored(&self) -> bool {
        self.text.is_some()
    }

    /// Whether anything of it came yet, so that it is known how many there are.
    pub const fn is_here(&self) -> bool {
        self.here
    }

    /// Whether the store has lost it.
    pub const fn is_gone(&self) -> bool {
        self.gone
    }

    pub fn lost(&mut self) {
        self.gone = true;
    }

    pub fn total(&self) -> usize {
        if self.text.is_some() { self.total } else { self.coming.len() }
    }

    pub fn get(&self, line: usize) -> Option<&str> {
        if self.text.is_none() {
            return self.coming.get(line).map(String::as_str);
        }
        self.pieces.get(&(line / PIECE))?.get(line % PIECE).map(String::as_str)
    }

    /// Asks for the pieces with these lines that are not here.
    pub fn want(&mut self, from: usize, count: usize) {
        let Some(text) = self.text.filter(|_| self.total > 0) else { return };
        let last = (from + count).min(self.total.saturating_sub(1));
        for piece in from / PIECE..=last / PIECE {
            if !self.pieces.contains_key(&piece) && self.asked.insert(piece) {
                let lines = TextAsk::Lines { from: piece * PIECE, count: PIECE };
                self.asks.push(Ask::Text(text, lines));
            }
        }
        let near = from / PIECE;
        while self.pieces.len() > MOST_PIECES {
            let far = self.pieces.keys().copied().max_by_key(|piece| piece.abs_diff(near));
            far.map(|piece| self.pieces.remove(&piece));
        }
    }

    pub fn came(&mut self, part: &TextLines) {
        let piece = part.from / PIECE;
        self.asked.remove(&piece);
        (self.total, self.here) = (part.total, true);
        self.pieces.insert(piece, part.lines.clone());
    }

    /// More of what a command writes that runs; how many lines of before are held no longer.
    pub fn goes_on(&mut self, text: &str) -> usize {
        for part in text.split_inclusive('\n') {
            let line = part.trim_end_matches('\n');
            match self.coming.back_mut().filter(|_| !self.whole) {
                Some(last) if last.len() < LONGEST => last.push_str(line),
                Some(_) => {}
                None => self.coming.push_back(line.to_owned()),
            }
            self.whole = part.ends_with('\n');
        }
        let dropped = self.coming.len().saturating_sub(MOST_COMING);
        self.coming.drain(..dropped);
        dropped
    }

    /// Where words stand: at once in what still comes, else the store is asked.
    pub fn find(&mut self, words: &str, from: usize, back: bool) -> Option<TextFound> {
        if let Some(text) = self.text {
            self.asks.push(Ask::Text(text, TextAsk::Find { words: words.to_owned(), from, back }));
            return None;
        }
        let with = (0..).zip(&self.coming).filter(|(_, line)| holds(line, words));
        let hits: Vec<usize> = with.map(|(n, _)| n).collect();
        let place = if back {
            hits.iter().rposition(|n| *n <= from).or(hits.len().checked_sub(1))
        } else {
            hits.iter().position(|n| *n >= from).or(Some(0).filter(|_| !hits.is_empty()))
        };
        let line = place.and_then(|place| hits.get(place).copied());
        Some(TextFound { line, place: place.map_or(0, |p| p + 1), hits: hits.len(), around: None })
    }

    pub fn asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }
}
