//! Cutting a file into passages: at what it defines, else at blank lines, none too long.
//!
//! Owns where passages begin and end and what they are called. Never opens a file.

use crate::language::{Defined, Language};

/// Shorter pieces go with their neighbours, up to `FULL` lines.
const SMALL: usize = 6;
const FULL: usize = 24;
/// Longer pieces are cut into windows of `WINDOW` lines that overlap by `OVERLAP`.
const LONGEST: usize = 70;
const WINDOW: usize = 44;
const OVERLAP: usize = 6;
/// So many lines above a definition go with it where what is said of it stands in windows of its own.
const LEAD: usize = 10;
/// Most bytes of a passage; of a longer one the rest is not indexed.
pub(crate) const MOST_BYTES: usize = 12 * 1024;

/// What a file consists of.
#[derive(Debug, Default)]
pub(crate) struct Cut {
    pub pieces: Vec<Piece>,
    /// What it imports, and what it links to.
    pub imports: Vec<String>,
    pub links: Vec<String>,
}

/// A passage; lines from 1, the last included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    pub from: usize,
    pub to: usize,
    /// What it defines, with what that stands in.
    pub defines: Vec<Symbol>,
    /// What it stands in, where it defines nothing of its own.
    pub within: String,
    /// Where the passage begins that defines what this one is a part of: its own beginning unless the item is a long one.
    pub item: usize,
}

/// A name that is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub name: String,
    pub outer: String,
    pub kind: String,
    pub line: usize,
}

impl Piece {
    /// What it is called: `Outer::name`, `heading > heading`.
    pub fn title(&self) -> String {
        let full = |s: &Symbol| {
            if s.outer.is_empty() { s.name.clone() } else { format!("{} > {}", s.outer, s.name) }
        };
        let mut names: Vec<String> = self.defines.iter().take(4).map(full).collect();
        names.dedup();
        if names.is_empty() { self.within.clone() } else { names.join(", ") }
    }
}

/// Cuts a text.
pub(crate) fn cut(text: &str, language: Option<&Language>) -> Cut {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader { lines: &lines, language, open: Vec::new(), pieces: Vec::new(), fenced: false };
    let mut out = Cut::default();
    for (at, line) in lines.iter().enumerate().filter(|(_, l)| l.len() < 2_000) {
        reader.line(at, line);
        if let Some(language) = language {
            out.imports.extend(language.imported(line).map(str::to_owned));
            out.links.extend(language.linked(line).into_iter().map(str::to_owned));
        }
    }
    let pieces = reader.pieces;
    out.pieces = windows(joined(ended(pieces, lines.len())), &lines);
    out.imports.sort();
    out.imports.dedup();
    out.links.sort();
    out.links.dedup();
    out
}

struct Reader<'a> {
    lines: &'a [&'a str],
    language: Option<&'a Language>,
    /// What the line stands in, outermost first.
    open: Vec<(usize, String)>,
    pieces: Vec<Piece>,
    fenced: bool,
}

impl Reader<'_> {
    fn line(&mut self, at: usize, line: &str) {
        let Some(language) = self.language else { return self.paragraph(at, line) };
        if language.is_fence(line) {
            self.fenced = !self.fenced;
        }
        if !self.fenced
            && let Some(defined) = language.defined(line)
        {
            let language_leads = |l: &str| !language.prose && language.leads(l);
            let lead = self.lines.iter().take(at).rev().take_while(|l| language_leads(l)).count();
            self.define(at - lead.min(at), at, defined);
        } else if self.pieces.is_empty() && !line.trim().is_empty() {
            self.pieces.push(Piece { from: at, ..Piece::default() });
        }
    }

    /// Without a language a passage begins after a blank line.
    fn paragraph(&mut self, at: usize, line: &str) {
        let after_blank = at == 0 || self.lines.get(at - 1).is_some_and(|l| l.trim().is_empty());
        if after_blank && !line.trim().is_empty() {
            self.pieces.push(Piece { from: at, ..Piece::default() });
        }
    }

    fn define(&mut self, from: usize, at: usize, defined: Defined) {
        self.open.retain(|(level, _)| *level < defined.level);
        let outer = self.open.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" > ");
        self.open.push((defined.level, defined.name.clone()));
        let (name, kind) = (defined.name, defined.kind);
        let symbol = Symbol { name, kind, outer: outer.clone(), line: at + 1 };
        let from = self.pieces.last().map_or(from, |last| from.max(last.from));
        match self.pieces.last_mut() {
            Some(last) if last.from == from => last.defines.push(symbol),
            _ => self.pieces.push(Piece { from, defines: vec![symbol], within: outer, ..Piece::default() }),
        }
    }
}

/// Gives each piece its end: where the next begins. Lines are counted from 1 from here on.
fn ended(mut pieces: Vec<Piece>, count: usize) -> Vec<Piece> {
    let mut next = count;
    for piece in pieces.iter_mut().rev() {
        piece.to = next;
        next = piece.from;
        piece.from += 1;
    }
    pieces.retain(|p| p.to >= p.from);
    pieces
}

/// Small pieces go with what follows.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        let length = |p: &Piece| p.to + 1 - p.from;
        match out.last_mut() {
            Some(last) if length(last) < SMALL && length(last) + length(&piece) <= FULL => {
                last.to = piece.to;
                last.defines.extend(piece.defines);
            }
            Some(_) | None => out.push(piece),
        }
    }
    out
}

/// Long pieces in windows, cut at a blank line where there is one; blank ends are left out. What defines a long item stands in
/// one with the beginning of what it does, not with that of a long explanation above it.
fn windows(pieces: Vec<Piece>, lines: &[&str]) -> Vec<Piece> {
    let blank = |n: usize| lines.get(n.saturating_sub(1)).is_none_or(|l| l.trim().is_empty());
    let mut out = Vec::new();
    for piece in pieces {
        let title = piece.title();
        let long = piece.to + 1 - piece.from > LONGEST;
        let head = piece.defines.first().filter(|_| long).map_or(piece.from, |s| s.line);
        let head = if head > piece.from + WINDOW / 2 { head - LEAD } else { piece.from };
        let first = out.len();
        for (mut from, end) in [(piece.from, head - 1), (head, piece.to)] {
            while from <= end {
                let mut to = end;
                if to + 1 - from > LONGEST {
                    let full = from + WINDOW - 1;
                    to = (full - WINDOW / 3..=full).rev().find(|n| blank(*n)).unwrap_or(full);
                }
                let inside = |s: &&Symbol| (s.line >= from || from == head) && s.line <= to;
                let defines: Vec<Symbol> = piece.defines.iter().filter(inside).cloned().collect();
                let last = (from..=to).rev().find(|n| !blank(*n));
                if let (Some(start), Some(last)) = ((from..=to).find(|n| !blank(*n)), last) {
                    out.push(Piece { from: start, to: last, defines, within: title.clone(), item: from });
                }
                from = if blank(to) || to >= end { to + 1 } else { to + 1 - OVERLAP };
            }
        }
        let of = out.iter().skip(first).find(|p: &&Piece| p.item == head).map_or(0, |p| p.from);
        out.iter_mut().skip(first).for_each(|p| p.item = if of == 0 { p.from } else { of });
    }
    out
}

#[cfg(test)]
mod tests;
