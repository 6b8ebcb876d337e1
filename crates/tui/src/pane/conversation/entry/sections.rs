//! An answer in sections, of which the beginning stands in the conversation until it is unfolded.
//!
//! Owns where it is cut. What stands in it is the answer's.

use pilothouse_core::clean::Clean;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};

use crate::{
    markdown::Markdown,
    row::{self, Row},
    theme::{Glyphs, Slot},
};

/// Passages that stand open where they are the answer.
const OPEN_PASSAGES: usize = 3;
/// What stands before the text of a section.
const INDENT: &str = "  ";

/// A section below the beginning.
#[derive(Debug)]
struct Part {
    title: String,
    text: Markdown,
}

/// A text in sections.
#[derive(Debug, Default)]
pub(in crate::pane::conversation) struct Sections {
    pub(in crate::pane::conversation) whole: String,
    /// How many stand open where it is folded.
    open: usize,
    /// Where the first section begins that may be folded.
    first: usize,
    /// It and those behind it.
    parts: Vec<Part>,
    /// Whether some of them is folded at the width of the last [`Sections::below`].
    pub(in crate::pane::conversation) hides: bool,
}

impl Sections {
    /// The sections of a text, each below a heading of the second level.
    pub(in crate::pane::conversation) fn of(text: &str) -> Self {
        Self::opened(text, 0)
    }

    /// The same of an answer of passages: no model summed them up, so that they are what was asked for.
    pub(in crate::pane::conversation) fn of_passages(text: &str) -> Self {
        Self::opened(text, OPEN_PASSAGES)
    }

    /// The same of the whole text, of which only a part was here.
    pub(in crate::pane::conversation) fn of_whole(&self, text: &str) -> Self {
        Self::opened(text, self.open)
    }

    fn opened(text: &str, open: usize) -> Self {
        let heads: Vec<(usize, usize)> = Parser::new(text)
            .into_offset_iter()
            .filter(|(event, _)| matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. })))
            .map(|(_, at)| (at.start, at.end))
            .collect();
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let heads = heads.get(open.min(heads.len().saturating_sub(1))..).unwrap_or_default();
        let ends = heads.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
        let parts = heads.iter().zip(ends).map(|((start, end), next)| {
            let title = part(*start, *end).trim().trim_start_matches('#').trim().to_owned();
            Part { title, text: Markdown::of(part(*end, next).trim()) }
        });
        let parts: Vec<Part> = parts.collect();
        let first = heads.first().map_or(text.len(), |(start, _)| *start);
        Self { hides: !parts.is_empty(), parts, first, open, whole: text.to_owned() }
    }

    /// Appends what stands below the beginning while it is folded: a section's heading with its size, or all of one
    /// that takes no more than a row.
    pub(in crate::pane::conversation) fn below(&mut self, width: usize, g: &Glyphs, rows: &mut Vec<Row>) {
        self.hides = false;
        for Part { title, text } in &mut self.parts {
            let title = Clean::line(title);
            let all = text.lay(width.saturating_sub(INDENT.len()), g);
            let folded = all.len() > 1;
            self.hides |= folded;
            let (mark, size) =
                if folded { (g.folded, row::count(all.len(), "line")) } else { (g.open, String::new()) };
            let head = Row::of(mark, Slot::Soft).and(" ", Slot::Text).and(title.as_str(), Slot::Strong);
            rows.push(head.ends(Row::of(&size, Slot::Faint), width, g.ellipsis));
            for one in all.iter().filter(|_| !folded) {
                let mut row = Row::of(INDENT, Slot::Text);
                row.pieces.extend(one.pieces.iter().cloned());
                rows.push(row);
            }
        }
    }

    /// What stands below the beginning and not there while it is folded.
    pub(in crate::pane::conversation) fn folded(&self) -> String {
        let folded = self.parts.iter().filter(|part| part.text.rows().len() != 1);
        folded.map(|part| part.text.source()).collect::<Vec<&str>>().join("\n")
    }

    /// Forgets its rows, to be laid out when it is seen again.
    pub(in crate::pane::conversation) fn forget(&mut self) {
        self.parts.iter_mut().for_each(|part| part.text.forget());
    }

    /// What stands while it is folded, or whole.
    pub(in crate::pane::conversation) fn shown(&self, open: bool) -> &str {
        let end = if open { self.whole.len() } else { self.first };
        self.whole.get(..end).unwrap_or_default().trim_end()
    }
}
