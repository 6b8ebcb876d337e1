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
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::language::Languages;

    fn of(path: &str, text: &str) -> Vec<(usize, usize, String)> {
        let found = cut(text, Languages::builtin().of(path));
        found.pieces.iter().map(|p| (p.from, p.to, p.title())).collect()
    }

    #[test]
    fn items_are_passages_with_what_stands_above_them() {
        let body = "        work();\n".repeat(6);
        let text = format!(
            "//! What it is.\n\nuse a::b;\n\n/// Says hello.\n#[inline]\npub fn hello() {{\n{body}}}\n\nimpl Walk {{\n    /// Steps.\n    fn step(&self) {{\n{body}    }}\n\n    fn stop(&self) {{\n{body}    }}\n}}\n"
        );
        assert_eq!(
            of("a.rs", &text),
            [
                (1, 14, "hello".to_owned()),
                (16, 25, "Walk, Walk > step".to_owned()),
                (27, 35, "Walk > stop".to_owned())
            ]
        );
    }

    #[test]
    fn headings_nest_and_fences_hold_none() {
        let text = "# Top\n\nWords.\n\nMore.\n\nAnd.\n\n## Build\n\n```sh\n# not a heading\nmake\n```\n\nx\ny\nz\n\n# Next\nn\n";
        assert_eq!(
            of("a.md", text),
            [(1, 7, "Top".to_owned()), (9, 18, "Top > Build".to_owned()), (20, 21, "Next".to_owned())]
        );
    }

    #[test]
    fn long_pieces_overlap_and_nothing_is_lost() {
        let text: String = (0..300).map(|n| format!("    line{n}();\n")).collect::<Vec<_>>().concat();
        let text = format!("fn long() {{\n{text}}}\n");
        let pieces = cut(&text, Languages::builtin().of("a.rs")).pieces;
        assert!(pieces.len() >= 6 && pieces.iter().all(|p| p.to + 1 - p.from <= LONGEST));
        assert!(pieces.windows(2).all(|w| w[1].from <= w[0].to + 1 && w[1].from > w[0].from));
        assert!(pieces.iter().all(|p| p.title() == "long"));
        assert_eq!((pieces[0].from, pieces.last().unwrap().to), (1, 302));
    }

    #[test]
    fn texts_without_a_language_are_cut_at_blank_lines() {
        let para = "one line of words\n".repeat(8);
        assert_eq!(of("x.unknown", &format!("{para}\n{para}\n")).len(), 2);
        assert!(of("x.rs", "").is_empty() && of("x", "\n\n").is_empty());
    }

    #[test]
    fn odd_texts_are_cut_without_harm() {
        for text in ["}\n}\n}\n", "\u{feff}fn a() {}", "fn a()\r\n{\r\n}\r\n", "#\n##\n###\n", "\0\0\n"] {
            for path in ["a.rs", "a.md", "a.py", "a.json", "a"] {
                let lines = text.lines().count();
                assert!(
                    cut(text, Languages::builtin().of(path))
                        .pieces
                        .iter()
                        .all(|p| p.from >= 1 && p.to <= lines)
                );
            }
        }
    }
}
