//! Wrapping of styled text at words.

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

use super::{Ink, Piece, Row};

/// Breaks `pieces` into rows of at most `columns`: at spaces where there are any, else between
/// graphemes. Never returns no row; a grapheme that is wider than a whole row becomes `?`.
pub fn wrap(pieces: &[Piece], columns: usize) -> Vec<Row> {
    let mut w = Wrapper { columns: columns.max(1), rows: Vec::new(), row: Row::new(), used: 0 };
    let mut word: Vec<(&str, Ink)> = Vec::new();
    let mut word_width = 0;
    for piece in pieces {
        for g in piece.text().graphemes(true) {
            if g == " " {
                w.word(&word, word_width);
                word.clear();
                word_width = 0;
                w.space(piece.ink);
            } else {
                let one = usize::from(g.cell_width());
                let (g, one) = if one > w.columns { ("?", 1) } else { (g, one) };
                word.push((g, piece.ink));
                word_width += one;
            }
        }
    }
    w.word(&word, word_width);
    w.rows.push(w.row);
    w.rows
}

struct Wrapper {
    columns: usize,
    rows: Vec<Row>,
    row: Row,
    used: usize,
}

impl Wrapper {
    fn word(&mut self, word: &[(&str, Ink)], width: usize) {
        if self.used > 0 && self.used + width > self.columns && width > 0 {
            self.end_row();
        }
        let mut run = String::new();
        let mut ink = None;
        for (g, i) in word {
            let one = usize::from(g.cell_width());
            if self.used + one > self.columns {
                self.flush(&mut run, ink);
                self.end_row();
            }
            if ink != Some(*i) {
                self.flush(&mut run, ink);
                ink = Some(*i);
            }
            run.push_str(g);
            self.used += one;
        }
        self.flush(&mut run, ink);
    }

    fn flush(&mut self, run: &mut String, ink: Option<Ink>) {
        if let Some(ink) = ink {
            match self.row.pieces.last_mut().filter(|p| p.ink == ink) {
                Some(last) => *last = Piece::new(&format!("{}{run}", last.text()), ink),
                None => self.row.push(run, ink),
            }
        }
        run.clear();
    }

    fn space(&mut self, ink: Ink) {
        if self.used < self.columns {
            self.used += 1;
            let mut run = " ".to_owned();
            self.flush(&mut run, Some(ink));
        } else {
            self.end_row();
        }
    }

    fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
        self.used = 0;
    }
}
