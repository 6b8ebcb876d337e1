//! Markdown that grows while it is read: finished blocks are frozen, only the open one is parsed
//! again.
//!
//! Owns the cutting of a growing text into blocks and the rows of each. Never opens a link, never
//! loads an image and never draws a half row of a table.

mod blocks;
mod render;
mod table;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use blocks::{Blocks, Part};
use pilothouse_core::clean::Clean;

use crate::{
    highlight::Highlighter,
    row::{Ink, Piece, Row, wrap_code},
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
    /// Rows of code that have no colours yet: the part that each is of, and which of its rows.
    plain: BTreeMap<usize, (usize, usize)>,
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

    /// The rows at `width` columns; costs what came since the last time. Code is plain until
    /// [`Markdown::colour`] is asked for it.
    pub fn lay(&mut self, width: usize, glyphs: &Glyphs) -> &[Row] {
        if self.width != width {
            self.rows.clear();
            (self.width, self.solid) = (width, (0, 0));
        }
        self.blocks.advance();
        self.rows.truncate(self.solid.1);
        drop(self.plain.split_off(&self.solid.1));
        let draw = Draw { width, glyphs, blocks: &self.blocks };
        for (n, part) in self.blocks.parts.iter().enumerate().skip(self.solid.0) {
            let from = self.rows.len();
            draw.part(part, &mut self.rows);
            if matches!(part, Part::Code { .. }) {
                self.plain.extend((from..self.rows.len()).map(|row| (row, (n, row - from))));
            }
        }
        self.solid = (self.blocks.parts.len(), self.rows.len());
        if let Some(part) = self.blocks.open_part() {
            draw.part(&part, &mut self.rows);
        }
        &self.rows
    }

    /// Gives these rows the colours of their code, as far as they are known; the others are asked
    /// for, so that only what is seen is ever worked out.
    pub fn colour(&mut self, rows: Range<usize>, colours: &Highlighter) {
        let wanted: Vec<(usize, (usize, usize))> = self.plain.range(rows).map(|(r, at)| (*r, *at)).collect();
        for (row, (part, nth)) in wanted {
            let Some(Part::Code { range, block, line }) = self.blocks.parts.get(part) else { continue };
            let Some(code) = self.blocks.code.get(*block) else { continue };
            let Some(key) = code.key else { continue };
            let text = || Arc::from(self.blocks.code_text(code));
            let Some(known) = colours.line(key, &code.lang, *line, text) else { continue };
            let clean = Clean::line(self.blocks.source().get(range.clone()).unwrap_or_default());
            let pieces = inked(&clean, Some(&known), Slot::Text.into());
            if let (Some(old), Some(new)) = (self.rows.get_mut(row), code_rows(&pieces, self.width).nth(nth))
            {
                *old = new;
            }
            self.plain.remove(&row);
        }
    }

    /// Whether some row of code has no colours yet.
    pub fn is_plain(&self) -> bool {
        !self.plain.is_empty()
    }

    /// Forgets the rows; the next [`Markdown::lay`] makes them again.
    pub fn forget(&mut self) {
        self.rows = Vec::new();
        self.plain.clear();
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
    blocks: &'a Blocks,
}

impl Draw<'_> {
    /// Appends the rows of one part.
    fn part(&self, part: &Part, rows: &mut Vec<Row>) {
        match part {
            Part::Prose { range, gap } => {
                blank_before(*gap, rows);
                let text = self.blocks.source().get(range.clone()).unwrap_or_default();
                rows.extend(render::prose(text, self.width, self.glyphs));
            }
            Part::Fence { lang, .. } => {
                blank_before(true, rows);
                let lang = named(lang);
                if !lang.is_empty() {
                    rows.push(
                        Row::of("  ", Slot::Soft).and(lang, Slot::Soft).cut(self.width, self.glyphs.ellipsis),
                    );
                }
            }
            Part::Code { range, .. } => {
                let text = self.blocks.source().get(range.clone()).unwrap_or_default();
                let pieces = inked(&Clean::line(text), None, Slot::Text.into());
                rows.extend(code_rows(&pieces, self.width));
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

fn code_rows(pieces: &[Piece], width: usize) -> impl Iterator<Item = Row> {
    wrap_code(pieces, width.saturating_sub(4).max(1)).into_iter().map(|row| {
        let mut out = Row::of("  ", Slot::Text).on(Slot::Surface);
        out.pieces.extend(row.pieces);
        out
    })
}

/// What a code block is called: a language by its name and not by its files' ending, plain text not at all.
fn named(lang: &str) -> &str {
    const NAMES: [(&str, &str); 14] = [
        ("rs", "rust"),
        ("py", "python"),
        ("js", "javascript"),
        ("ts", "typescript"),
        ("rb", "ruby"),
        ("kt", "kotlin"),
        ("cs", "c#"),
        ("hs", "haskell"),
        ("md", "markdown"),
        ("yml", "yaml"),
        ("sh", "shell"),
        ("text", ""),
        ("txt", ""),
        ("plaintext", ""),
    ];
    NAMES.iter().find(|(token, _)| *token == lang).map_or(lang, |(_, name)| name)
}

#[cfg(test)]
mod tests;
