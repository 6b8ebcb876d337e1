//! Tables: columns as wide as they need, narrower where they must.

use pulldown_cmark::Alignment;

use crate::{
    row::{Piece, Row, wrap},
    theme::{Glyphs, Slot},
};

/// Columns between two cells.
const GAP: usize = 2;

/// A table while it is read.
pub(super) struct Table {
    columns: Vec<Alignment>,
    rows: Vec<Vec<Vec<Piece>>>,
}

impl Table {
    pub(super) fn new(columns: Vec<Alignment>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(super) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self, cell: Vec<Piece>) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// The drawn rows in at most `room` columns.
    pub(super) fn rows(self, room: usize, glyphs: &Glyphs) -> Vec<Row> {
        let widths = self.widths(room);
        let mut out = Vec::new();
        for (n, cells) in self.rows.iter().enumerate() {
            let wrapped: Vec<Vec<Row>> = cells.iter().zip(&widths).map(|(cell, w)| wrap(cell, *w)).collect();
            let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
            for line in 0..height {
                let mut row = Row::new();
                for ((cell, w), align) in wrapped.iter().zip(&widths).zip(&self.columns) {
                    let mut part = cell.get(line).cloned().unwrap_or_default();
                    if n == 0 {
                        for p in &mut part.pieces {
                            p.ink = p.ink.bold();
                        }
                    }
                    pad(&mut row, part, *w, *align);
                }
                out.push(row);
            }
            if n == 0 {
                let rule = glyphs.rule.first().copied().unwrap_or("-");
                let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
                out.push(Row::of(&rule.repeat(total.min(room)), Slot::Line));
            }
        }
        out
    }

    /// What each column needs, the widest ones cut until all fit.
    fn widths(&self, room: usize) -> Vec<usize> {
        let cell = |c: &Vec<Piece>| c.iter().map(Piece::width).sum::<usize>();
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|i| self.rows.iter().filter_map(|r| r.get(i)).map(cell).max().unwrap_or(0).max(1))
            .collect();
        let gaps = GAP * widths.len().saturating_sub(1);
        let room = room.saturating_sub(gaps).max(widths.len());
        while widths.iter().sum::<usize>() > room {
            let over = widths.iter().sum::<usize>() - room;
            let widest = widths.iter().max().copied().unwrap_or(1);
            let next = widths.iter().filter(|w| **w < widest).max().copied().unwrap_or(1);
            let many = widths.iter().filter(|w| **w == widest).count().max(1);
            let cut = (widest - next).min(over.div_ceil(many)).max(1);
            let mut left = over;
            for w in widths.iter_mut().filter(|w| **w == widest) {
                let one = cut.min(left).min(w.saturating_sub(1));
                *w -= one;
                left -= one;
            }
            if left == over {
                break;
            }
        }
        widths
    }
}

fn pad(row: &mut Row, cell: Row, columns: usize, align: Alignment) {
    let free = columns.saturating_sub(cell.width());
    let before = match align {
        Alignment::None | Alignment::Left => 0,
        Alignment::Center => free / 2,
        Alignment::Right => free,
    };
    if !row.pieces.is_empty() {
        row.push(&" ".repeat(GAP), Slot::Text);
    }
    row.push(&" ".repeat(before), Slot::Text);
    row.pieces.extend(cell.pieces);
    row.push(&" ".repeat(free - before), Slot::Text);
}
