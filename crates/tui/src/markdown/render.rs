//! The rows of one block.
//!
//! Owns what each construct looks like. Images and HTML are text; a link shows where it leads.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use ratatui::style::Modifier;

use super::table::Table;
use crate::{
    row::{Ink, Piece, Row, wrap_in},
    theme::{Glyphs, Slot},
};

/// Deepest nesting of lists and quotes that still moves to the right.
const DEEPEST: usize = 6;

/// The rows of `text` at `width` columns.
pub(super) fn prose(text: &str, width: usize, glyphs: &Glyphs) -> Vec<Row> {
    let mut r = Renderer {
        width: width.max(1),
        glyphs,
        rows: Vec::new(),
        line: Vec::new(),
        nest: Vec::new(),
        modifier: Modifier::empty(),
        heading: false,
        link: None,
        table: None,
        code: false,
        pending_gap: false,
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut spelled = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match spelling(&event, text, range, &mut spelled) {
            Some(underscores) => r.text(underscores),
            None => r.event(event),
        }
    }
    r.flush();
    r.rows
}

/// The underscores that stand here and are letters of a name or a path, not emphasis: `spelled` holds those of what is open.
fn spelling<'t>(
    event: &Event<'_>,
    text: &'t str,
    range: Range<usize>,
    spelled: &mut Vec<Option<&'t str>>,
) -> Option<&'t str> {
    if let Event::Start(tag @ (Tag::Emphasis | Tag::Strong)) = event {
        let count = if matches!(tag, Tag::Strong) { 2 } else { 1 };
        let mark = text.get(range.start..range.start + count).filter(|m| m.starts_with('_'));
        let joined = joins(text.get(..range.start)?, text.get(range.end..)?);
        let mark = mark.filter(|_| joined);
        spelled.push(mark);
        return mark;
    }
    let ends = matches!(event, Event::End(TagEnd::Emphasis | TagEnd::Strong));
    if ends { spelled.pop()? } else { None }
}

/// Whether what stands between these is a part of a name or a path that goes on on either side.
fn joins(before: &str, after: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '/';
    let is_part = |c: char| is_word(c) || matches!(c, '.' | ':');
    let before = before.trim_end_matches('_').chars().next_back();
    let mut after = after.trim_start_matches('_').chars();
    let next = after.next();
    // A full stop or a colon before a blank ends a sentence, not a part of a path.
    before.is_some_and(is_part)
        || next.is_some_and(is_word)
        || next.is_some_and(is_part) && after.next().is_some_and(is_part)
}

/// What stands before the rows of a nested block.
enum Nest {
    /// A quote.
    Quote,
    /// A list; the number that its next item has, if it counts.
    List(Option<u64>),
    /// An item: its marker until it was drawn, and the columns of the marker.
    Item(Option<String>, usize),
}

struct Renderer<'a> {
    width: usize,
    glyphs: &'a Glyphs,
    rows: Vec<Row>,
    line: Vec<Piece>,
    nest: Vec<Nest>,
    modifier: Modifier,
    heading: bool,
    link: Option<(String, usize)>,
    table: Option<Table>,
    code: bool,
    pending_gap: bool,
}

impl Renderer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(t) if self.code => {
                for l in t.lines() {
                    self.line.push(Piece::new(l, Slot::Text));
                    self.flush_on(Some(Slot::Surface));
                }
            }
            Event::Text(t) | Event::Html(t) | Event::InlineHtml(t) => self.text(&t),
            Event::InlineMath(t) | Event::DisplayMath(t) | Event::FootnoteReference(t) => self.text(&t),
            Event::Code(t) => {
                let ink = Ink { modifier: self.modifier, ..Ink::of(Slot::Strong).on(Slot::Surface) };
                self.put(&t, ink);
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.gap();
                let rule = self.glyphs.rule.first().copied().unwrap_or("-").repeat(self.room());
                self.put(&rule, Slot::Line.into());
                self.end_block();
            }
            Event::TaskListMarker(done) => {
                let mark = if done { self.glyphs.taken } else { self.glyphs.undecided };
                self.put(mark, if done { Slot::Ok } else { Slot::Soft }.into());
                self.text(" ");
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.heading = true;
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.gap();
                self.code = true;
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.gap();
                self.nest.push(Nest::Quote);
            }
            Tag::List(from) => {
                self.flush();
                if !self.in_item() {
                    self.gap();
                }
                self.pending_gap = false;
                self.nest.push(Nest::List(from));
            }
            Tag::Item => self.item(),
            Tag::Table(columns) => {
                self.gap();
                self.table = Some(Table::new(columns));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(t) = &mut self.table {
                    t.row();
                }
            }
            Tag::TableCell => self.line.clear(),
            Tag::Emphasis => self.modifier |= Modifier::ITALIC,
            Tag::Strong => self.modifier |= Modifier::BOLD,
            Tag::Strikethrough => self.modifier |= Modifier::CROSSED_OUT,
            Tag::Link { dest_url, .. } => self.link = Some((dest_url.to_string(), self.line.len())),
            Tag::Image { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.line.len()));
                self.put("image: ", Slot::Soft.into());
            }
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.end_block();
                self.heading = false;
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.end_block();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                self.nest.pop();
                self.pending_gap = !self.in_item();
            }
            TagEnd::Item => {
                self.flush();
                if let Some(Nest::Item(Some(_), _)) = self.nest.last() {
                    self.rows.push(Row::new());
                    self.prefix_last();
                }
                self.nest.pop();
                self.pending_gap = false;
            }
            TagEnd::Table => {
                if let Some(t) = self.table.take() {
                    let room = self.room();
                    for row in t.rows(room, self.glyphs) {
                        self.line = row.pieces;
                        self.flush();
                    }
                }
                self.end_block();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(t) = &mut self.table {
                    t.cell(cell);
                }
            }
            TagEnd::Emphasis => self.modifier -= Modifier::ITALIC,
            TagEnd::Strong => self.modifier -= Modifier::BOLD,
            TagEnd::Strikethrough => self.modifier -= Modifier::CROSSED_OUT,
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        let marker = match self.nest.last_mut() {
            Some(Nest::List(Some(n))) => {
                *n += 1;
                format!("{}. ", *n - 1)
            }
            Some(Nest::List(None) | Nest::Quote | Nest::Item(..)) | None => {
                format!("{} ", self.glyphs.bullet)
            }
        };
        let columns = crate::row::width(&marker);
        self.nest.push(Nest::Item(Some(marker), columns));
    }

    /// After a link: where it leads, unless that is what it says.
    fn end_link(&mut self) {
        let Some((target, from)) = self.link.take() else { return };
        let shown: String = self.line.iter().skip(from).map(Piece::text).collect();
        for piece in self.line.iter_mut().skip(from) {
            piece.ink = Ink { slot: Slot::Info, ..piece.ink }.underlined();
        }
        let bare = |s: &str| s.trim_start_matches("mailto:").trim_end_matches('/').to_owned();
        if bare(&shown) != bare(&target) && !target.is_empty() {
            self.line.push(Piece::new(&format!(" ({target})"), Slot::Soft));
        }
    }

    fn text(&mut self, text: &str) {
        let slot = if self.heading {
            Slot::Strong
        } else if self.nest.iter().any(|n| matches!(n, Nest::Quote)) {
            Slot::Soft
        } else {
            Slot::Text
        };
        let bold = if self.heading { Modifier::BOLD } else { Modifier::empty() };
        let slot = if self.modifier.contains(Modifier::BOLD) { Slot::Strong } else { slot };
        self.put(text, Ink::of(slot).with(self.modifier | bold));
    }

    fn put(&mut self, text: &str, ink: Ink) {
        for (n, part) in text.split('\n').enumerate() {
            if n > 0 && self.table.is_none() {
                self.flush();
            }
            if !part.is_empty() {
                self.line.push(Piece::new(part, ink));
            }
        }
    }

    fn in_item(&self) -> bool {
        self.nest.iter().any(|n| matches!(n, Nest::Item(..)))
    }

    fn gap(&mut self) {
        if std::mem::take(&mut self.pending_gap) && !self.rows.is_empty() {
            self.rows.push(Row::new());
            self.prefix_last();
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.pending_gap = true;
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(self.indent()).max(1)
    }

    fn indent(&self) -> usize {
        let columns = self.nest.iter().map(|n| match n {
            Nest::Quote => 2,
            Nest::List(_) => 0,
            Nest::Item(_, columns) => *columns,
        });
        columns.take(2 * DEEPEST).sum::<usize>().min(self.width / 2)
    }

    fn flush(&mut self) {
        self.flush_on(None);
    }

    fn flush_on(&mut self, ground: Option<Slot>) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return;
        }
        let mut rows = wrap_in(&line, self.room());
        // What stands at the left edge as our own rows do says by its form that it is not one.
        let ours = |row: &Row| {
            let text: String = row.pieces.iter().map(Piece::text).collect();
            self.glyphs.passes_for_ours(&text)
        };
        let forged = self.nest.is_empty() && rows.iter().any(ours);
        if forged {
            rows = wrap_in(&line, self.room().saturating_sub(1));
        }
        for mut row in rows {
            if forged && ours(&row) {
                row.pieces.insert(0, Piece::new(self.glyphs.says, Slot::Faint));
            }
            row.ground = ground;
            self.rows.push(row);
            self.prefix_last();
        }
    }

    /// Puts the markers of quotes and items before the last row.
    fn prefix_last(&mut self) {
        let room = self.indent();
        let Some(row) = self.rows.last_mut() else { return };
        let mut prefix = Row::new();
        for nest in &mut self.nest {
            match nest {
                Nest::Quote => prefix.push(&format!("{} ", self.glyphs.quote), Slot::Line),
                Nest::List(_) => {}
                Nest::Item(marker, columns) => match marker.take() {
                    Some(m) => prefix.push(&m, Slot::Accent),
                    None => prefix.push(&" ".repeat(*columns), Slot::Text),
                },
            }
        }
        let mut prefix = prefix.cut(room, "");
        prefix.pieces.append(&mut row.pieces);
        prefix.ground = row.ground;
        *row = prefix;
    }
}
