//! Tables: columns as wide as they need, narrower where they must.

use pulldown_cmark::Alignment;

use crate::{
    row::{Piece, Row, width, wrap},
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

    /// What each column needs; of those that can be narrower with every word whole the widest is cut until all fit, then any.
    fn widths(&self, room: usize) -> Vec<usize> {
        let cell = |c: &Vec<Piece>| c.iter().map(Piece::width).sum::<usize>();
        let word = |c: &Vec<Piece>| {
            let text: String = c.iter().map(Piece::text).collect();
            text.split(' ').map(width).max().unwrap_or_default()
        };
        let most = |of: &dyn Fn(&Vec<Piece>) -> usize| -> Vec<usize> {
            let column = |i| self.rows.iter().filter_map(|r| r.get(i)).map(of).max().unwrap_or(0).max(1);
            (0..self.columns.len()).map(column).collect()
        };
        let (mut widths, words) = (most(&cell), most(&word));
        let gaps = GAP * widths.len().saturating_sub(1);
        let room = room.saturating_sub(gaps).max(widths.len());
        for least in [words, vec![1; widths.len()]] {
            let mut over = widths.iter().sum::<usize>().saturating_sub(room);
            while over > 0 {
                let wide = widths.iter_mut().zip(&least).filter(|(w, least)| **w > **least);
                let Some((widest, _)) = wide.max_by_key(|(w, _)| **w) else { break };
                *widest -= 1;
                over -= 1;
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
