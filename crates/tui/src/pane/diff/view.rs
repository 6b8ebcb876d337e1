//! Which lines of the diff are seen: scrolling, and the hunk that is brought onto the screen.
//!
//! Owns the first row and the rows from there on. Never moves the cursor but to what is seen.

use pilothouse_core::{blob::BlobId, ids::ProposalId, proposal::Decision};

use super::{DiffPane, Spot, doc::Line, read::Part};
use crate::{
    pane::Ctx,
    row::{self, Ink, Row, count},
    theme::Slot,
};

/// A line that a change takes away or brings: of which proposal, in which content, which line.
pub(super) type Changed = (ProposalId, BlobId, usize);

impl DiffPane {
    pub(super) fn height(&self, ctx: &Ctx<'_>, line: usize) -> usize {
        let width = usize::from(self.body.width);
        self.doc.lines.get(line).map_or(0, |l| self.rows_of(ctx, *l, width).len())
    }

    pub(super) fn scroll(&mut self, ctx: &Ctx<'_>, n: i64) {
        let mut left = usize::try_from(n.unsigned_abs()).unwrap_or(0);
        let (mut line, mut row) = self.top;
        while left > 0 && n > 0 {
            let here = self.height(ctx, line);
            if row + 1 < here {
                row += 1;
            } else if line + 1 < self.doc.lines.len() {
                (line, row) = (line + 1, 0);
            } else {
                break;
            }
            left -= 1;
        }
        while left > 0 && n < 0 {
            if row > 0 {
                row -= 1;
            } else if line > 0 {
                line -= 1;
                row = self.height(ctx, line).saturating_sub(1);
            } else {
                break;
            }
            left -= 1;
        }
        self.top = (line, row).min(self.last_page(ctx));
        self.follow_scroll();
    }

    /// The top at which the last line stands at the bottom.
    pub(super) fn last_page(&self, ctx: &Ctx<'_>) -> (usize, usize) {
        self.page_to(ctx, self.doc.lines.len())
    }

    /// The top at which the line before this one stands at the bottom.
    pub(super) fn page_to(&self, ctx: &Ctx<'_>, mut line: usize) -> (usize, usize) {
        let mut left = usize::from(self.body.height).max(1);
        while line > 0 {
            line -= 1;
            let here = self.height(ctx, line);
            if here >= left {
                return (line, here - left);
            }
            left -= here;
        }
        (0, 0)
    }

    /// After a scroll the current hunk is one that can be seen; while lines of it are chosen it stays.
    pub(super) fn follow_scroll(&mut self) {
        if self.lines.is_some() {
            return;
        }
        self.brings = false;
        self.follow(self.top.0 + usize::from(self.body.height));
    }

    /// Where the current hunk is not among the lines before this one, it is the first that is.
    fn follow(&mut self, to: usize) {
        let from = self.top.0;
        let ends = |n: usize| self.doc.spots.get(n + 1).map_or(self.doc.lines.len(), |s| s.line);
        let seen = |n: &usize, line: usize| line < to && ends(*n) > from;
        let spots: Vec<(usize, Spot)> = self.doc.spots.iter().copied().enumerate().collect();
        let here = spots.iter().find(|(_, s)| (s.file, s.hunk) == (self.current, self.hunk));
        if here.is_some_and(|(n, s)| seen(n, s.line)) {
            return;
        }
        if let Some((_, s)) = spots
            .iter()
            .find(|(n, s)| seen(n, s.line) && s.line >= from)
            .or_else(|| spots.iter().find(|(n, s)| seen(n, s.line)))
        {
            (self.current, self.hunk) = (s.file, s.hunk);
        }
    }

    /// Brings the current hunk onto the screen, its header near the top.
    pub(super) fn show_hunk(&mut self) {
        self.brings = true;
        let Some(spot) = self.spot() else { return };
        let height = usize::from(self.body.height);
        let end =
            self.doc.spots.iter().map(|s| s.line).find(|l| *l > spot.line).unwrap_or(self.doc.lines.len());
        let whole = end <= self.top.0 + height;
        if spot.line < self.top.0 || !whole {
            self.top = (self.above(spot), 0);
        }
    }

    /// The line at the top where this hunk is brought there: the empty one above it, where none stands there already.
    fn above(&self, spot: Spot) -> usize {
        let air = self.header.last().is_some_and(|row| row.pieces.is_empty());
        if air { spot.line } else { spot.line.saturating_sub(1) }
    }

    /// Where the visible lines begin: under a sheet with the hunk, where that would not be seen; nothing moves by it.
    fn seen_from(&self) -> (usize, usize) {
        let hunk = self.spot().filter(|_| !self.asked_all.is_empty()).map(|spot| spot.line);
        let seen = |line: usize| line >= self.top.0 && line + 1 < self.top.0 + usize::from(self.body.height);
        hunk.filter(|line| !seen(*line)).map_or(self.top, |line| (line, 0))
    }

    /// Makes the visible rows, the hunk or the lines that a key would decide among them.
    pub(super) fn settle(&mut self, ctx: &Ctx<'_>) {
        if std::mem::take(&mut self.seeks) {
            self.seek_again();
        }
        if self.lines.is_some() {
            self.show_line(ctx);
        } else if self.brings {
            self.show_hunk();
        }
        let to = self.fill(ctx);
        let seen =
            self.lines.is_some() || self.spot().is_none_or(|spot| (self.top.0..to).contains(&spot.line));
        // Under a sheet nothing moves.
        if self.body.height == 0 || seen || !self.asked_all.is_empty() {
            return;
        }
        match self.spot().filter(|_| self.brings) {
            Some(spot) => self.top = (self.above(spot), 0),
            None => self.follow(to),
        }
        self.fill(ctx);
    }

    /// What stands on the screen now counts as seen.
    pub(super) fn saw_lines(&mut self) {
        for part in self.parts.clone() {
            let Some(line) = self.doc.lines.get(part.line).copied() else { continue };
            let changed: Vec<Changed> = self.changes(line).collect();
            for of in changed {
                self.seen.saw(of, &part);
            }
            if let Some(chosen) = &mut self.lines {
                chosen.saw(line, &part);
            }
        }
    }

    /// What a line changes: by the content that it stands in, so that it stays the same where a hunk is split.
    fn changes(&self, line: Line) -> impl Iterator<Item = Changed> {
        let (file, old, new) = match line {
            Line::Old(file, _, n) => (file, Some(n), None),
            Line::New(file, _, n) => (file, None, Some(n)),
            Line::Both(file, _, old, new) => (file, old, new),
            Line::Blank | Line::File(_) | Line::Hunk(..) | Line::Same(..) | Line::Wait | Line::Lost => {
                (0, None, None)
            }
        };
        let of = |side: Option<BlobId>, n: Option<usize>, id| Some((id, side?, n?));
        let file = self.files.get(file);
        let old = file.and_then(|f| of(f.before, old, f.id));
        old.into_iter().chain(file.and_then(|f| of(f.after, new, f.id)))
    }

    /// Brings what was not on the screen yet of the hunk there, and tells how much that is; `None` where all of it was.
    pub(super) fn show_unseen(&mut self, ctx: &Ctx<'_>, decision: Decision, key: &str) -> Option<String> {
        let spot = self.spot()?;
        let own = (spot.line..spot.end).filter_map(|n| Some((n, *self.doc.lines.get(n)?)));
        let unseen = own.filter(|(_, line)| self.changes(*line).any(|of| !self.seen.has(of)));
        let unseen: Vec<(usize, Line)> = unseen.collect();
        let ((first, line), (last, _)) = (*unseen.first()?, *unseen.last()?);
        let all = self.height(ctx, first);
        let left = self.changes(line).filter(|of| !self.seen.has(*of));
        let row = left.map(|of| self.seen.to(of, all)).min().unwrap_or_default();
        (self.top, self.brings) = ((first, row), false);
        self.fill(ctx);
        let ends = self.parts.iter().any(|part| part.line == last && part.ends());
        let does = match decision {
            _ if !ends && first == last => "shows more of it",
            _ if !ends => "shows the next of them",
            Decision::Taken => "again takes the hunk",
            Decision::Left => "again leaves the hunk",
        };
        Some(format!("{}: {key} {does}", count(unseen.len(), "more line")))
    }

    /// Makes the rows from the top on; returns the line behind the last that is seen.
    fn fill(&mut self, ctx: &Ctx<'_>) -> usize {
        let (width, height) = (usize::from(self.body.width), usize::from(self.body.height));
        self.top = self.top.min(self.last_page(ctx));
        let top = self.seen_from();
        let mut rows: Vec<Row> = Vec::new();
        let mut to = top.0;
        self.parts.clear();
        let chosen = self.chosen_changes();
        self.lit.clear();
        for (n, line) in self.doc.lines.iter().enumerate().skip(top.0) {
            let skip = if n == top.0 { top.1 } else { 0 };
            let from = rows.len();
            let laid = self.rows_of(ctx, *line, width);
            rows.extend(laid.iter().skip(skip).take(height).cloned());
            to = n + 1;
            let cut = rows.len() > height;
            rows.truncate(height);
            if cut {
                // A line whose end is below the edge says so, which takes the place of some of its last row.
                let last = rows.pop().map(|row| goes_on(row, width, ctx.glyphs.ellipsis));
                rows.extend(last);
            }
            let drawn = (rows.len() - from).saturating_sub(usize::from(cut));
            self.parts.push(Part { line: n, rows: skip..skip + drawn, all: laid.len() });
            if self.is_of(&chosen, *line) {
                self.lit.extend(from..rows.len());
            }
            if rows.len() >= height {
                break;
            }
        }
        self.rows = rows;
        self.below = self.spot().map_or(0, |spot| spot.end.saturating_sub(to.max(spot.line + 1)));
        to
    }
}

/// A row of a line that goes on below it, out of sight.
fn goes_on(row: Row, width: usize, ellipsis: &str) -> Row {
    let columns = width.saturating_sub(row::width(ellipsis));
    let mut row = row.cut(columns, "");
    let ink = row.pieces.last().map_or(Ink::of(Slot::Soft), |piece| piece.ink);
    row.push(&" ".repeat(columns.saturating_sub(row.width())), ink);
    row.push(ellipsis, Ink { slot: Slot::Soft, ..ink });
    row
}
