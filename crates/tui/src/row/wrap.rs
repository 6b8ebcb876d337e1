//! Wrapping of styled text at words.

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

use super::{Ink, Piece, Row, cells, width};
use crate::theme::Slot;

/// Breaks `pieces` into rows of at most `columns`: at spaces where there are any, else between
/// graphemes. Never returns no row; a grapheme that is wider than a whole row becomes `?`.
pub fn wrap(pieces: &[Piece], columns: usize) -> Vec<Row> {
    wrap_hanging(pieces, columns, 0)
}

/// The same with `indent` columns less for every row but the first; whoever draws them puts the blanks before.
pub fn wrap_hanging(pieces: &[Piece], columns: usize, indent: usize) -> Vec<Row> {
    wrap_to(pieces, columns, columns.saturating_sub(indent))
}

/// The same with this many columns for every row but the first.
pub fn wrap_to(pieces: &[Piece], columns: usize, others: usize) -> Vec<Row> {
    wrap_between(pieces, columns, others, |_, _| false)
}

/// The same; a word that is longer than a row may be broken between such graphemes before it is broken anywhere.
fn wrap_between(
    pieces: &[Piece],
    columns: usize,
    others: usize,
    breaks: impl Fn(&str, &str) -> bool,
) -> Vec<Row> {
    let (columns, others) = (columns.max(1), others.max(1));
    let mut w = Wrapper {
        columns,
        others,
        rows: Vec::new(),
        row: Row::new(),
        run: String::new(),
        ink: pieces.first().map_or(Ink::of(Slot::Text), |piece| piece.ink),
        used: 0,
    };
    if pieces.iter().map(Piece::width).sum::<usize>() <= columns.min(others) {
        for piece in pieces {
            w.push(piece.text(), piece.ink);
        }
        w.end_row();
        return w.rows;
    }
    let mut word: Vec<(&str, Ink)> = Vec::new();
    let mut word_width = 0;
    for piece in pieces {
        for g in piece.text().graphemes(true) {
            if g == " " {
                w.words(&word, word_width, &breaks);
                word.clear();
                word_width = 0;
                w.space(piece.ink);
            } else {
                let one = usize::from(g.cell_width());
                let (g, one) = if one > w.others { ("?", 1) } else { (g, one) };
                word.push((g, piece.ink));
                word_width += one;
            }
        }
    }
    w.words(&word, word_width, &breaks);
    w.end_row();
    w.rows
}

/// A line that is read exactly, in rows of at most so many columns, the first of `first`: broken behind blanks, else
/// between graphemes. Nothing of it is lost: a row that is broken at a blank ends in it.
pub fn parts(line: &str, first: usize, others: usize) -> Vec<String> {
    let (first, others) = (first.max(2), others.max(2));
    let (mut rows, mut used, mut room) = (vec![String::new()], 0, first);
    for word in line.split_inclusive(' ') {
        let wide = width(word);
        if used > 0 && used + wide > room && wide <= others {
            rows.push(String::new());
            (used, room) = (0, others);
        }
        for grapheme in word.graphemes(true) {
            if used > 0 && used + cells(grapheme) > room {
                rows.push(String::new());
                (used, room) = (0, others);
            }
            used += cells(grapheme);
            if let Some(row) = rows.last_mut() {
                row.push_str(grapheme);
            }
        }
    }
    rows
}

/// A text behind `lead` in so many columns: what goes on below stands as far in as it begins.
pub fn hang(lead: &Row, pieces: &[Piece], columns: usize) -> Vec<Row> {
    let indent = lead.width();
    let below = Row::of(&" ".repeat(indent), Slot::Text);
    let behind = |(n, text): (usize, Row)| {
        let mut row = if n == 0 { lead.clone() } else { below.clone() };
        row.pieces.extend(text.pieces);
        row
    };
    wrap(pieces, columns.saturating_sub(indent).max(8)).into_iter().enumerate().map(behind).collect()
}

/// Columns that the first row of a line of code keeps for what stands behind its blanks.
const LEAST_CODE: usize = 16;

/// A line of code: as it stands where it fits. What does not goes on below as far in as it begins, half of the room at most,
/// and what is longer than a row is broken behind a sign or before a full stop, where it has any, and in a name where it has
/// none. How far in a line begins is what the code says: blanks of its first row go only for 16 columns behind them.
pub fn wrap_code(pieces: &[Piece], columns: usize) -> Vec<Row> {
    if pieces.iter().map(Piece::width).sum::<usize>() <= columns {
        return wrap(pieces, columns);
    }
    let blanks = indent(pieces);
    let first = blanks.min(columns.saturating_sub(LEAST_CODE).max(columns / 2));
    let indent = first.min(columns / 2);
    let mut left = blanks;
    let words = pieces.iter().map(|piece| {
        let text = piece.text();
        let gone = left.min(text.len());
        left -= gone;
        Piece::new(text.get(gone..).unwrap_or_default(), piece.ink)
    });
    let words: Vec<Piece> = words.filter(|piece| !piece.text().is_empty()).collect();
    let mut rows =
        wrap_between(&words, columns.saturating_sub(first), columns.saturating_sub(indent), breaks);
    let ink = pieces.first().map_or(Ink::of(Slot::Text), |piece| piece.ink);
    for (n, row) in rows.iter_mut().enumerate() {
        let blanks = Row::of(&" ".repeat(if n == 0 { first } else { indent }), ink);
        row.pieces.splice(..0, blanks.pieces);
    }
    rows
}

/// Whether code can be broken between these.
fn breaks(before: &str, after: &str) -> bool {
    let sign = |g: &str| g != "_" && g.chars().all(|c| c.is_ascii_punctuation());
    (after == "." && !sign(before)) || (sign(before) && before != "." && !sign(after))
}

/// The same with every row as far in as the first word of the first: half of the room at most.
pub fn wrap_in(pieces: &[Piece], columns: usize) -> Vec<Row> {
    let indent = indent(pieces).min(columns / 2);
    let mut rows = wrap_hanging(pieces, columns, indent);
    if let (Some(first), true) = (pieces.first(), indent > 0) {
        let blanks = Piece::new(&" ".repeat(indent), first.ink);
        rows.iter_mut().skip(1).for_each(|row| row.pieces.insert(0, blanks.clone()));
    }
    rows
}

/// Columns of the blanks with which a line begins.
pub fn indent(pieces: &[Piece]) -> usize {
    let blanks = |p: &Piece| p.text().chars().take_while(|c| *c == ' ').count();
    let whole = pieces.iter().take_while(|p| blanks(p) == p.text().len());
    let whole: Vec<usize> = whole.map(blanks).collect();
    whole.iter().sum::<usize>() + pieces.get(whole.len()).map_or(0, blanks)
}

struct Wrapper {
    /// Of the row that is being filled.
    columns: usize,
    /// Of those that follow.
    others: usize,
    rows: Vec<Row>,
    row: Row,
    /// The end of the row that is no piece yet: all of it in one ink.
    run: String,
    ink: Ink,
    used: usize,
}

impl Wrapper {
    /// A word, in parts where it is longer than a row and has any.
    fn words(&mut self, word: &[(&str, Ink)], width: usize, breaks: impl Fn(&str, &str) -> bool) {
        if width <= self.others {
            return self.word(word, width);
        }
        for part in word.chunk_by(|(before, _), (after, _)| !breaks(before, after)) {
            self.word(part, part.iter().map(|(g, _)| usize::from(g.cell_width())).sum());
        }
    }

    fn word(&mut self, word: &[(&str, Ink)], width: usize) {
        if self.used > 0 && self.used + width > self.columns && width > 0 {
            self.end_row();
        }
        for (g, ink) in word {
            let one = usize::from(g.cell_width());
            if self.used + one > self.columns {
                self.end_row();
            }
            self.push(g, *ink);
            self.used += one;
        }
    }

    fn space(&mut self, ink: Ink) {
        if self.used < self.columns {
            self.push(" ", ink);
            self.used += 1;
        } else {
            self.end_row();
        }
    }

    fn push(&mut self, text: &str, ink: Ink) {
        if self.ink != ink {
            self.end_piece();
            self.ink = ink;
        }
        self.run.push_str(text);
    }

    fn end_piece(&mut self) {
        self.row.push(&self.run, self.ink);
        self.run.clear();
    }

    fn end_row(&mut self) {
        self.end_piece();
        self.rows.push(std::mem::take(&mut self.row));
        (self.used, self.columns) = (0, self.others);
    }
}
