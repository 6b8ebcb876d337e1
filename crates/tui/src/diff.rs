//! The diff: proposals, decided hunk by hunk.
//!
//! Owns the cursor, the scroll, the texts that were asked for and what is drawn of them. Never
//! writes and never decides: decisions leave as inputs bound to the hash of what was shown.

mod act;
mod doc;
mod edit;
mod lines;
mod side;
mod words;

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use pilothouse_core::{
    blob::BlobId,
    event::{Event, Stamped},
    ids::ProposalId,
    port::{Ask, Reply},
    redact::Redactor,
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

pub use self::edit::Editing;
use self::{
    doc::{Content, Doc, File, Shape, Spot, Texts},
    words::Words,
};
use crate::{
    highlight::Highlighter,
    pane::{Ctx, Outcome, Title, empty_state, hint_line, inside},
    row::{Ink, Row},
    theme::Slot,
};

/// From here on the files stand at the left.
const LIST_FROM: u16 = 100;
/// Columns of the list of files.
const LIST_COLUMNS: u16 = 32;
/// From here on two columns can stand side by side: inside the border of a screen of 120.
const SIDE_BY_SIDE_FROM: u16 = 118;

/// What can be done in the diff; while nothing is proposed every one is a no-op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiffAction {
    /// Take the hunk and go to the next undecided one (`y`).
    Take,
    /// Leave the hunk and go to the next undecided one (`n`).
    Leave,
    /// Taken, left, undecided in turn (Space).
    Toggle,
    /// The next hunk (`]`).
    NextHunk,
    /// The previous hunk (`[`).
    PreviousHunk,
    /// The next file (`}`).
    NextFile,
    /// The previous file (`{`).
    PreviousFile,
    /// Write what is taken of this file; all of it when nothing was decided (`a`).
    Apply,
    /// Show what would be written of every file; a second time: write it, all or nothing (`A`).
    ApplyAll,
    /// Nothing of this file (`s`).
    Skip,
    /// Drop the proposals and go up to the plan (`u`).
    Up,
    /// All files in one scroll, or one again (`d`).
    DiffAll,
    /// Unified or side by side (`t`).
    SideBySide,
    /// More context (`+`).
    MoreContext,
    /// Less context (`-`).
    LessContext,
    /// One row down (`j`).
    LineDown,
    /// One row up (`k`).
    LineUp,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// To the top (`g`).
    Top,
    /// To the end (`G`).
    Bottom,
    /// Edit the proposal (`e`).
    Edit,
}

/// The pane.
#[derive(Debug)]
pub struct DiffPane {
    colours: Highlighter,
    files: Vec<File>,
    texts: Texts,
    nothing: Content,
    doc: Doc,
    words: RefCell<HashMap<(usize, usize), Arc<Words>>>,
    /// Whether the files must be read from the state again.
    stale: bool,
    current: usize,
    hunk: usize,
    /// The first visible line and how many of its rows are above.
    top: (usize, usize),
    all: bool,
    side_by_side: bool,
    context: usize,
    size: Size,
    body: Size,
    header: Vec<Row>,
    rows: Vec<Row>,
    /// What the open sheet shows: the proposals with the hashes shown; empty when it is closed.
    asked_all: Vec<(ProposalId, BlobId)>,
    failed: Vec<(ProposalId, String)>,
    asks: Vec<Ask>,
    asked: BTreeSet<BlobId>,
}

impl Default for DiffPane {
    fn default() -> Self {
        Self {
            colours: Highlighter::off(),
            files: Vec::new(),
            texts: Texts::default(),
            nothing: Content::default(),
            doc: Doc::default(),
            words: RefCell::default(),
            stale: true,
            current: 0,
            hunk: 0,
            top: (0, 0),
            all: false,
            side_by_side: false,
            context: pilothouse_core::diff::CONTEXT_LINES,
            size: Size::ZERO,
            body: Size::ZERO,
            header: Vec::new(),
            rows: Vec::new(),
            asked_all: Vec::new(),
            failed: Vec::new(),
            asks: Vec::new(),
            asked: BTreeSet::new(),
        }
    }
}

impl DiffPane {
    /// Nothing proposed; code without colours.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing proposed; code in colours.
    pub fn with_highlighter(colours: Highlighter) -> Self {
        Self { colours, ..Self::default() }
    }

    /// Takes one event in, in order; `state` has it folded already.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what changes proposals matters here")]
    pub fn fold(&mut self, state: &State, event: &Stamped) {
        match &event.event {
            Event::HunkDecided { proposal, .. } => self.failed.retain(|(id, _)| id != proposal),
            Event::Proposed { .. }
            | Event::ProposalEdited { .. }
            | Event::ProposalClosed { .. }
            | Event::ApplyApproved { .. }
            | Event::Applied { .. }
            | Event::LaneClosed { .. }
            | Event::SessionReopened { .. } => self.stale = true,
            Event::ApplyFailed { apply, message, stale } => {
                self.stale = true;
                let why = if *stale {
                    "the file changed on disk; look at the change again"
                } else {
                    "nothing was written"
                };
                let of = state.applies().get(apply).map(|a| a.take.iter().map(|t| t.0).collect::<Vec<_>>());
                for id in of.unwrap_or_default() {
                    self.failed.retain(|(f, _)| *f != id);
                    self.failed.push((id, format!("Not written: {message}. {why}")));
                }
            }
            _ => {}
        }
    }

    /// Settles sizes and scroll for this inner area; before every render.
    pub fn layout(&mut self, ctx: &Ctx<'_>, size: Size) {
        self.size = size;
        if self.stale {
            self.read(ctx.state);
        }
        self.ask();
        let width = self.body_area(Rect::from((ratatui::layout::Position::ORIGIN, size))).width;
        if width < SIDE_BY_SIDE_FROM - LIST_COLUMNS && self.side_by_side {
            self.side_by_side = false;
            self.rebuild();
        }
        let room = usize::from(size.height / 3);
        self.header = self.header(ctx, usize::from(width), room);
        let taken = u16::try_from(self.header.len()).unwrap_or(0) + self.footer_rows();
        self.body = Size { width, height: size.height.saturating_sub(taken) };
        self.settle(ctx);
    }

    /// Draws into `area`, the inside of the border.
    pub fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, _focused: bool) {
        let area = area.intersection(buf.area);
        if self.files.is_empty() {
            let words = [
                "Nothing proposed.",
                "Changes are shown here hunk by hunk;",
                "nothing is written before you take it.",
            ];
            return empty_state(ctx, area, buf, &words);
        }
        let body = self.body_area(area);
        if self.has_list(area.width) {
            let list = Rect { width: LIST_COLUMNS - 3, ..inside(area) };
            let rows = self.list(ctx, usize::from(list.width), usize::from(area.height));
            for (y, row) in (area.top()..area.bottom()).zip(&rows) {
                row.paint(ctx.theme, buf, list, y);
            }
            let rule = Rect { x: body.x - 2, width: 1, ..area };
            let line = ctx.glyphs.rule.last().copied().unwrap_or("|");
            for y in area.top()..area.bottom() {
                Row::of(line, Slot::Line).paint(ctx.theme, buf, rule, y);
            }
        }
        let sheet =
            if self.asked_all.is_empty() { Vec::new() } else { self.sheet(ctx, usize::from(body.width)) };
        let rows: Vec<&Row> = if sheet.is_empty() {
            self.header.iter().chain(&self.rows).collect()
        } else {
            sheet.iter().collect()
        };
        let bottom = area.bottom() - self.footer_rows().min(area.height);
        for (y, row) in (area.top()..bottom).zip(rows) {
            row.paint(ctx.theme, buf, body, y);
        }
        if self.footer_rows() > 0 && area.height > 0 {
            self.footer(ctx, usize::from(body.width)).paint(ctx.theme, buf, body, area.bottom() - 1);
        }
    }

    /// Carries an action out.
    pub fn act(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Outcome {
        if self.stale {
            self.read(ctx.state);
        }
        if self.files.is_empty() {
            return Outcome::none();
        }
        let outcome = self.carry_out(action, ctx);
        self.ask();
        self.settle(ctx);
        outcome
    }

    /// Takes an answer of the read port; of what it brings, `secrets` are not drawn.
    pub fn answered(&mut self, reply: &Reply, secrets: &Redactor) {
        match reply {
            Reply::Blob(id, bytes) if self.asked.remove(id) => {
                self.texts.put(*id, bytes.as_ref(), secrets);
                self.rebuild();
            }
            Reply::Blob(..) | Reply::History(_) | Reply::Files(_) | Reply::Rehearsed(_) => {}
        }
    }

    /// Questions to the read port that came up; each once.
    pub fn asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    /// For the border above.
    pub fn title(&self, ctx: &Ctx<'_>) -> Title {
        let g = ctx.glyphs;
        let Some(file) = self.file() else {
            return Title { left: "Diff".to_owned(), right: Line::default() };
        };
        let hunk = format!("hunk {}/{}", self.hunk + 1, file.hunks.len().max(1));
        let left = format!("Diff {} {} {} {hunk}", g.dot, file.path, g.dot);
        let right = if Self::in_review(ctx, file.id) {
            Row::of(g.waits, Slot::Warn).and(" waits", Slot::Warn)
        } else {
            Row::of("drafted", Slot::Soft)
        };
        Title { left, right: right.line(ctx.theme) }
    }

    /// The keys that act now, for the border below, at most `width` columns.
    pub fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static> {
        if self.files.is_empty() {
            return Line::default();
        }
        let key = Ink::of(Slot::Accent).bold();
        let mut row = Row::new();
        for (letter, rest) in
            [("A", "pply"), ("S", "kip"), ("E", "dit"), ("D", "iff all"), ("U", "p (back to Plan)")]
        {
            let gap = if row.pieces.is_empty() { "" } else { " / " };
            row = row.and(gap, Slot::Soft).and("[", Slot::Text).and(letter, key);
            row = row.and("]", Slot::Text).and(rest, Slot::Text);
        }
        if row.width() <= usize::from(width) {
            return row.line(ctx.theme);
        }
        let keys = [
            ("y", "take"),
            ("n", "leave"),
            ("a", "apply"),
            ("s", "skip"),
            ("u", "up to plan"),
            ("d", "all files"),
        ];
        hint_line(ctx, &keys, width)
    }

    fn file(&self) -> Option<&File> {
        self.files.get(self.current)
    }

    fn spot(&self) -> Option<Spot> {
        self.doc.spots.iter().find(|s| (s.file, s.hunk) == (self.current, self.hunk)).copied()
    }

    fn has_list(&self, width: u16) -> bool {
        width >= LIST_FROM && !self.side_by_side
    }

    fn body_area(&self, area: Rect) -> Rect {
        let inner = inside(area);
        if !self.has_list(area.width) {
            return inner;
        }
        Rect { x: inner.x + LIST_COLUMNS, width: inner.width - LIST_COLUMNS, ..inner }
    }

    fn footer_rows(&self) -> u16 {
        u16::from(self.size.height >= 8)
    }

    /// Reads the files from the state and stays at the same hunk where it still is.
    fn read(&mut self, state: &State) {
        let was = self.file().map(|f| (f.id, f.path.clone()));
        let at = self.current;
        self.stale = false;
        self.files = doc::files(state);
        self.texts.keep(&self.files);
        self.asked_all.clear();
        let same = |f: &File| was.as_ref().is_some_and(|(id, path)| f.id == *id || f.path == *path);
        let found = self.files.iter().position(same);
        self.current = found.unwrap_or_else(|| at.min(self.files.len().saturating_sub(1)));
        if found.is_none() {
            (self.hunk, self.top) = (0, (0, 0));
        }
        let hunks = self.file().map_or(0, |f| f.hunks.len());
        self.hunk = self.hunk.min(hunks.saturating_sub(1));
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.words.borrow_mut().clear();
        let shape = Shape { context: self.context, side_by_side: self.side_by_side };
        let mut doc = Doc::default();
        for (n, file) in self.files.iter().enumerate().filter(|(n, _)| self.all || *n == self.current) {
            if self.all {
                if !doc.lines.is_empty() {
                    doc.lines.push(doc::Line::Blank);
                }
                doc.lines.push(doc::Line::File(n));
            }
            doc.add(n, file, &self.texts.sides(file, &self.nothing), shape);
        }
        self.doc = doc;
    }

    fn ask(&mut self) {
        let wanted = self.files.iter().enumerate().filter(|(n, _)| self.all || *n == self.current);
        let lacking: Vec<BlobId> = wanted.flat_map(|(_, f)| self.texts.lacking(f)).collect();
        for id in lacking {
            if self.asked.insert(id) {
                self.asks.push(Ask::Blob(id));
            }
        }
    }
}

#[cfg(test)]
mod tests;
