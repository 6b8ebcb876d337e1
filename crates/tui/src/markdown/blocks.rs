//! Cutting a growing text into blocks that will not change any more.
//!
//! Owns the line scanner. Never parses what is inside a block.

use std::ops::Range;

use pilothouse_core::{blob::BlobId, clean::Clean};

/// A part that will not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A paragraph, heading, list item, quote or table.
    Prose {
        /// Where it stands.
        range: Range<usize>,
        /// Whether a blank row stands before it.
        gap: bool,
    },
    /// The beginning of a code block.
    Fence {
        /// Its language; may be empty.
        lang: String,
        /// Which code block.
        block: usize,
    },
    /// One line of code.
    Code {
        /// Where it stands, without its newline.
        range: Range<usize>,
        /// Which code block.
        block: usize,
        /// Which line of it, from 0.
        line: usize,
    },
}

/// A code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Code {
    /// Its language.
    pub(super) lang: String,
    lines: Range<usize>,
    /// The hash of its text, once it is whole.
    pub(super) key: Option<BlobId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Between blocks.
    #[default]
    None,
    Paragraph,
    Heading,
    List,
    Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: char,
    len: usize,
}

/// The text and what is known of it.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    source: String,
    scanned: usize,
    finished: bool,
    pub(super) parts: Vec<Part>,
    pub(super) code: Vec<Code>,
    start: usize,
    kind: Kind,
    gap: bool,
    blank: bool,
    fence: Option<Fence>,
    inner: Option<Fence>,
}

impl Blocks {
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn push(&mut self, text: &str) {
        self.source.push_str(text);
    }

    /// Nothing more will come.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// The text of a code block, cleaned line by line as it is drawn.
    pub(super) fn code_text(&self, code: &Code) -> String {
        let text = self.source.get(code.lines.clone()).unwrap_or_default();
        text.lines().map(|l| Clean::line(l).into_string() + "\n").collect()
    }

    /// Freezes what the lines that came since the last time have ended.
    pub(super) fn advance(&mut self) {
        while let Some(end) = self.rest().find('\n') {
            let (from, to) = (self.scanned, self.scanned + end);
            self.scanned = to + 1;
            self.line(from, to);
        }
        if self.finished && self.scanned < self.source.len() {
            let (from, to) = (self.scanned, self.source.len());
            self.scanned = to;
            self.line(from, to);
        }
        if self.finished {
            self.freeze(self.source.len());
            self.close_code(self.source.len());
            self.fence = None;
        }
    }

    fn rest(&self) -> &str {
        self.source.get(self.scanned..).unwrap_or_default()
    }

    /// What is still open, as far as it can be drawn.
    pub(super) fn open_part(&self) -> Option<Part> {
        if self.fence.is_some() {
            let rest = self.rest();
            let range = self.scanned..self.source.len();
            let block = self.code.len().saturating_sub(1);
            return (!rest.is_empty() && !rest.starts_with(['`', '~'])).then_some(Part::Code {
                range,
                block,
                line: usize::MAX,
            });
        }
        let tail = self.rest();
        let held = tail.trim_start().starts_with('|') || self.kind == Kind::Table;
        let end = if held { self.scanned } else { self.source.len() };
        let start = if self.kind == Kind::None { self.scanned } else { self.start };
        let text = self.source.get(start..end).unwrap_or_default();
        let lone_head = text.trim_start().starts_with('|') && text.lines().count() < 2;
        let gap = if self.kind == Kind::None { !self.parts.is_empty() } else { self.gap };
        (!text.trim().is_empty() && !lone_head && fence_of(tail).is_none())
            .then_some(Part::Prose { range: start..end, gap })
    }

    fn line(&mut self, from: usize, to: usize) {
        let line = self.source.get(from..to).unwrap_or_default().trim_end_matches('\r').to_owned();
        let to = from + line.len();
        if let Some(fence) = self.fence {
            if closes(fence, &line) {
                self.close_code(from);
                self.fence = None;
                self.blank = false;
                return;
            }
            let block = self.code.len().saturating_sub(1);
            let n = match self.parts.last() {
                Some(Part::Code { line, .. }) => line + 1,
                Some(Part::Fence { .. } | Part::Prose { .. }) | None => 0,
            };
            self.parts.push(Part::Code { range: from..to, block, line: n });
            return;
        }
        if let Some(inner) = self.inner {
            if closes(inner, &line) {
                self.inner = None;
            }
            return;
        }
        self.outside(&line, from, to);
    }

    fn outside(&mut self, line: &str, from: usize, to: usize) {
        if line.trim().is_empty() {
            self.blank = true;
            return;
        }
        let indent = line.len() - line.trim_start().len();
        let belongs = self.kind == Kind::List && indent >= 2;
        if let Some((fence, lang)) = fence_of(line) {
            if belongs {
                self.inner = Some(fence);
            } else {
                self.freeze(from);
                self.fence = Some(fence);
                let body = (to + 1).min(self.source.len());
                self.code.push(Code { lang: lang.clone(), lines: body..body, key: None });
                self.parts.push(Part::Fence { lang, block: self.code.len() - 1 });
            }
            self.blank = false;
            return;
        }
        let kind = kind_of(line, indent);
        let item = kind == Kind::List && indent < 2;
        let interrupts = item && (!starts_with_digit(line) || line.trim_start().starts_with("1."));
        let new = match self.kind {
            Kind::None => Some(!self.parts.is_empty()),
            _ if self.blank && !belongs => Some(true),
            Kind::Heading => Some(true),
            _ if kind == Kind::Heading && !belongs => Some(true),
            Kind::List if item => Some(false),
            Kind::Paragraph if interrupts => Some(false),
            Kind::Paragraph | Kind::List | Kind::Table => None,
        };
        if let Some(gap) = new {
            self.freeze(from);
            (self.start, self.kind, self.gap) = (from, kind, gap);
        }
        self.blank = false;
    }

    fn freeze(&mut self, end: usize) {
        if self.kind != Kind::None {
            self.parts.push(Part::Prose { range: self.start..end, gap: self.gap });
            self.kind = Kind::None;
        }
        self.inner = None;
    }

    fn close_code(&mut self, end: usize) {
        if self.fence.is_none() {
            return;
        }
        if let Some(mut code) = self.code.pop() {
            code.lines.end = end.max(code.lines.start);
            let text = self.code_text(&code);
            code.key =
                (!code.lang.is_empty()).then(|| BlobId::of(format!("{}\0{text}", code.lang).as_bytes()));
            self.code.push(code);
        }
    }
}

fn starts_with_digit(line: &str) -> bool {
    line.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

fn kind_of(line: &str, indent: usize) -> Kind {
    let text = line.trim_start();
    let hashes = text.len() - text.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && indent < 4 && text.trim_start_matches('#').starts_with([' ', '\t']) {
        return Kind::Heading;
    }
    if text.starts_with('|') {
        return Kind::Table;
    }
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - after_digits.len();
    let bullet = ["- ", "* ", "+ "].iter().any(|b| text.starts_with(b)) || matches!(text, "-" | "*" | "+");
    let number =
        (1..=9).contains(&digits) && (after_digits.starts_with(". ") || after_digits.starts_with(") "));
    if bullet || number { Kind::List } else { Kind::Paragraph }
}

fn fence_of(line: &str) -> Option<(Fence, String)> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let len = text.len() - rest.len();
    let lang: String = rest.trim().chars().take_while(|c| !c.is_whitespace() && *c != ',').take(40).collect();
    (len >= 3 && !(mark == '`' && rest.contains('`'))).then_some((Fence { mark, len }, lang))
}

fn closes(fence: Fence, line: &str) -> bool {
    let text = line.trim();
    text.len() >= fence.len && text.chars().all(|c| c == fence.mark)
}
