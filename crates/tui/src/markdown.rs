//! Markdown that grows while it is read: finished blocks are frozen, only the open one is parsed
//! again.
//!
//! Owns the cutting of a growing text into blocks and the rows of each. Never opens a link, never
//! loads an image and never draws a half row of a table.

mod blocks;
mod render;
mod table;

use std::sync::Arc;

use blocks::{Blocks, Part};

use crate::{
    highlight::Highlighter,
    row::{Ink, Piece, Row, wrap},
    theme::{Glyphs, Slot},
};

/// A text with its rows at one width.
#[derive(Debug, Default)]
pub struct Markdown {
    blocks: Blocks,
    rows: Vec<Row>,
    width: usize,
    /// Frozen parts whose rows stand, and how many rows those are.
    solid: (usize, usize),
    /// Whether some code has no colours yet, and the highlighter's version then.
    plain: Option<u64>,
    /// A code block that was drawn before its end was known: its first part, its first row, its number.
    unended: Option<(usize, usize, usize)>,
}

impl Markdown {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A whole text.
    pub fn of(text: &str) -> Self {
        let mut it = Self::new();
        it.settle(text);
        it
    }

    /// Adds streamed text; constant time in what is there already.
    pub fn push(&mut self, text: &str) {
        self.blocks.push(text);
    }

    /// Takes the final text; what was streamed stays when it is the same.
    pub fn settle(&mut self, text: &str) {
        if let Some(rest) = text.strip_prefix(self.blocks.source()) {
            self.blocks.push(rest);
        } else {
            *self = Self::new();
            self.blocks.push(text);
        }
        self.blocks.finish();
    }

    /// The source: what is copied.
    pub fn source(&self) -> &str {
        self.blocks.source()
    }

    /// The rows at `width` columns; costs what came since the last time.
    pub fn lay(&mut self, width: usize, glyphs: &Glyphs, colours: &Highlighter) -> &[Row] {
        let coloured = self.plain.is_some_and(|v| v != colours.version());
        if self.width != width || coloured {
            self.rows.clear();
            (self.width, self.solid, self.plain, self.unended) = (width, (0, 0), None, None);
        }
        self.blocks.advance();
        if let Some((part, row, block)) = self.unended
            && self.blocks.code.get(block).is_some_and(|c| c.key.is_some())
        {
            (self.solid, self.unended) = ((part, row), None);
        }
        self.rows.truncate(self.solid.1);
        let draw = Draw { width, glyphs, colours, blocks: &self.blocks };
        for (n, part) in self.blocks.parts.iter().enumerate().skip(self.solid.0) {
            if let Part::Fence { block, .. } = part
                && self.blocks.code.get(*block).is_some_and(|c| c.key.is_none())
            {
                self.unended = Some((n, self.rows.len(), *block));
            }
            if !draw.part(part, &mut self.rows) {
                self.plain = Some(colours.version());
            }
        }
        self.solid = (self.blocks.parts.len(), self.rows.len());
        if let Some(part) = self.blocks.open_part() {
            draw.part(&part, &mut self.rows);
        }
        &self.rows
    }

    /// Forgets the rows; the next [`Markdown::lay`] makes them again.
    pub fn forget(&mut self) {
        self.rows = Vec::new();
        self.width = usize::MAX;
    }

    /// The rows of the last [`Markdown::lay`].
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

struct Draw<'a> {
    width: usize,
    glyphs: &'a Glyphs,
    colours: &'a Highlighter,
    blocks: &'a Blocks,
}

impl Draw<'_> {
    /// Appends the rows of one part; `false` when it is still without its colours.
    fn part(&self, part: &Part, rows: &mut Vec<Row>) -> bool {
        match part {
            Part::Prose { range, gap } => {
                blank_before(*gap, rows);
                let text = self.blocks.source().get(range.clone()).unwrap_or_default();
                rows.extend(render::prose(text, self.width, self.glyphs));
                true
            }
            Part::Fence { lang, .. } => {
                blank_before(true, rows);
                if !lang.is_empty() {
                    rows.push(
                        Row::of("  ", Slot::Soft).and(lang, Slot::Soft).cut(self.width, self.glyphs.ellipsis),
                    );
                }
                true
            }
            Part::Code { range, block, line } => {
                let text = self.blocks.source().get(range.clone()).unwrap_or_default();
                let clean = pilothouse_core::clean::Clean::line(text);
                let code = self.blocks.code.get(*block);
                let colours = code.and_then(|c| {
                    let key = c.key?;
                    self.colours.line(key, &c.lang, *line, || Arc::from(self.blocks.code_text(c)))
                });
                let known = code.is_none_or(|c| c.key.is_none()) || colours.is_some();
                let pieces = inked(&clean, colours.as_deref(), Slot::Text.into());
                code_rows(&pieces, self.width, rows);
                known
            }
        }
    }
}

fn blank_before(gap: bool, rows: &mut Vec<Row>) {
    if gap && !rows.is_empty() {
        rows.push(Row::new());
    }
}

/// `text` in the colours of its parts; `base` where there are none.
pub fn inked(text: &str, colours: Option<&[(usize, Slot)]>, base: Ink) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (end, slot) in colours.unwrap_or_default() {
        if let Some(part) = text.get(at..*end).filter(|p| !p.is_empty()) {
            pieces
                .push(Piece::new(part, if *slot == Slot::Text { base } else { Ink { slot: *slot, ..base } }));
            at = *end;
        }
    }
    if let Some(rest) = text.get(at..).filter(|p| !p.is_empty()) {
        pieces.push(Piece::new(rest, base));
    }
    pieces
}

fn code_rows(pieces: &[Piece], width: usize, rows: &mut Vec<Row>) {
    for row in wrap(pieces, width.saturating_sub(4).max(1)) {
        let mut out = Row::of("  ", Slot::Text).on(Slot::Surface);
        out.pieces.extend(row.pieces);
        rows.push(out);
    }
}

#[cfg(test)]
mod tests;
