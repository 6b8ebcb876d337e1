//! An answer in sections, of which the beginning stands in the conversation until it is unfolded.
//!
//! Owns where it is cut. What stands in it is the answer's.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};

/// Passages that stand open where they are the answer.
const OPEN_PASSAGES: usize = 3;

/// A text in sections.
#[derive(Debug, Default)]
pub(in crate::pane::conversation) struct Sections {
    pub(in crate::pane::conversation) whole: String,
    /// How many stand open where it is folded.
    open: usize,
    /// Where the first section begins that is folded.
    pub(in crate::pane::conversation) first: usize,
    /// Each of the folded ones with its lines.
    pub(in crate::pane::conversation) titles: Vec<(String, usize)>,
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
        let titles = heads.iter().zip(ends).map(|((start, end), next)| {
            let title = part(*start, *end).trim().trim_start_matches('#').trim();
            (title.to_owned(), part(*end, next).trim().lines().count())
        });
        let first = heads.first().map_or(text.len(), |(start, _)| *start);
        Self { titles: titles.collect(), first, open, whole: text.to_owned() }
    }

    /// What stands while it is folded, or whole.
    pub(in crate::pane::conversation) fn shown(&self, open: bool) -> &str {
        let end = if open { self.whole.len() } else { self.first };
        self.whole.get(..end).unwrap_or_default().trim_end()
    }
}
