//! Lines of the diff as rows.
//!
//! Owns numbers, signs, grounds and word emphasis. The sign, the numbers and the ground all say
//! what happens to a line; long lines wrap, none is cut.

use std::{ops::Range, sync::Arc};

use pilothouse_core::{
    clean::Clean,
    diff::Lines,
    money::count,
    proposal::{Decision, Proposal, ProposalStatus},
    tool::ChangeKind,
};

use super::{
    CONTEXT_LINES, DiffPane, Laid,
    around::{self, Cut},
    doc::{Content, File, Line, Sides},
    heading, tabs,
    words::{LONGEST_BYTES, Words},
};
use crate::{
    highlight::{Colours, LONGEST_LINE_BYTES},
    markdown::inked,
    pane::Ctx,
    row::{Ink, Piece, Row, fit_path, hang, wrap_code},
    theme::Slot,
};

/// With fewer columns a line has one number.
const BOTH_NUMBERS_FROM: usize = 60;
/// Columns of a line that is named beside a hunk.
const NAMED_COLUMNS: usize = 24;

/// One side of a line that is to be drawn.
struct Side<'a> {
    file: &'a File,
    content: &'a Content,
    line: usize,
    hide_cr: bool,
    before: bool,
    /// What changed in it.
    marked: &'a [Range<usize>],
    /// Whether its tabs are to be seen.
    tabs: bool,
}

impl DiffPane {
    /// The rows of one line at `width` columns. A long line is laid out once: it has neither colours nor marked words
    /// that could come later, and a key costs the same beside it.
    pub(super) fn rows_of(&self, ctx: &Ctx<'_>, line: Line, width: usize) -> Laid {
        #[cfg(test)]
        self.drawn.set(self.drawn.get() + 1);
        if !self.is_long(line) {
            return Arc::new(self.lay(ctx, line, width));
        }
        if let Some(rows) = self.long.borrow().get(&(line, width)) {
            return Arc::clone(rows);
        }
        let rows = Arc::new(self.lay(ctx, line, width));
        #[cfg(test)]
        self.laid.set(self.laid.get() + 1);
        let mut long = self.long.borrow_mut();
        long.retain(|(_, other), _| *other == width);
        long.insert((line, width), Arc::clone(&rows));
        rows
    }

    fn is_long(&self, line: Line) -> bool {
        let (at, old, new) = match line {
            Line::Blank | Line::Wait | Line::Lost | Line::File(_) | Line::Hunk(..) => return false,
            Line::Same(at, old, new) => (at, Some(old), Some(new)),
            Line::Old(at, _, old) => (at, Some(old), None),
            Line::New(at, _, new) => (at, None, Some(new)),
            Line::Both(at, _, old, new) => (at, old, new),
        };
        let Some((_, before, after, _)) = self.contents(at) else { return false };
        let long = |content: &Content, n: usize| content.line(n).0.len() > LONGEST_LINE_BYTES;
        old.is_some_and(|n| long(before, n)) || new.is_some_and(|n| long(after, n))
    }

    fn lay(&self, ctx: &Ctx<'_>, line: Line, width: usize) -> Vec<Row> {
        let g = ctx.glyphs;
        match line {
            Line::Blank => vec![Row::new()],
            Line::Wait => vec![Row::of("reading the texts", Slot::Soft).and(g.ellipsis, Slot::Soft)],
            Line::Lost => {
                vec![Row::of("the text is no longer stored; u goes back to the plan", Slot::Warn)]
            }
            Line::File(at) => vec![self.file_row(ctx, at, width)],
            Line::Hunk(at, n) => {
                let said = self.comment_rows(ctx, at, n, width);
                std::iter::once(self.hunk_row(ctx, at, n, width)).chain(said).collect()
            }
            Line::Same(at, old, new) => {
                let Some((file, a, b, hide)) = self.contents(at) else { return Vec::new() };
                if self.side_by_side {
                    let left = Side {
                        file,
                        content: a,
                        line: old,
                        hide_cr: hide,
                        before: true,
                        marked: &[],
                        tabs: false,
                    };
                    let right = Side { content: b, line: new, before: false, ..left };
                    return self.halves(ctx, (Some(left), Some(right)), Slot::Soft, width);
                }
                let side = Side {
                    file,
                    content: b,
                    line: new,
                    hide_cr: hide,
                    before: false,
                    marked: &[],
                    tabs: false,
                };
                let numbers = self.numbers(Some(old), Some(new), (at, width), Slot::Faint);
                self.wrapped(ctx, &numbers, (" ", Slot::Soft), &side, None, width)
            }
            Line::Old(at, n, old) => self.changed(ctx, (at, n), old, true, width),
            Line::New(at, n, new) => self.changed(ctx, (at, n), new, false, width),
            Line::Both(at, n, old, new) => {
                let Some((file, a, b, hide)) = self.contents(at) else { return Vec::new() };
                let words = self.words(at, n, file, a, b, hide);
                let left = old.map(|line| {
                    let marked = words.old.get(&line).map(Vec::as_slice).unwrap_or_default();
                    let tabs = words.tabs.0.contains(&line);
                    Side { file, content: a, line, hide_cr: hide, before: true, marked, tabs }
                });
                let right = new.map(|line| {
                    let marked = words.new.get(&line).map(Vec::as_slice).unwrap_or_default();
                    let tabs = words.tabs.1.contains(&line);
                    Side { file, content: b, line, hide_cr: hide, before: false, marked, tabs }
                });
                self.halves(ctx, (left, right), Slot::Text, width)
            }
        }
    }

    /// What the user said of a hunk, and when the agent hears it.
    fn comment_rows(&self, ctx: &Ctx<'_>, at: usize, n: usize, width: usize) -> Vec<Row> {
        let g = ctx.glyphs;
        let said = self.files.get(at).and_then(|file| ctx.state.transcript.comment(file.id, n));
        let lead = Row::of("       you: ", Slot::Info);
        let said = said.map(|said| hang(&lead, &Row::of(said, Slot::Text).pieces, width));
        let mut said = said.unwrap_or_default();
        let open = self.files.get(at).and_then(|file| Self::proposal(ctx, file.id));
        if let Some(last) = said.last_mut().filter(|_| open.is_some_and(|p| p.status == ProposalStatus::Open))
        {
            let when = Row::of("goes with your decision", Slot::Faint);
            *last = std::mem::take(last).ends(when, width, g.ellipsis);
        }
        said
    }

    /// A line that goes (`before`) or comes.
    fn changed(
        &self,
        ctx: &Ctx<'_>,
        (at, n): (usize, usize),
        line: usize,
        before: bool,
        width: usize,
    ) -> Vec<Row> {
        let Some((file, a, b, hide_cr)) = self.contents(at) else { return Vec::new() };
        let words = self.words(at, n, file, a, b, hide_cr);
        let (content, marked) = if before { (a, words.old.get(&line)) } else { (b, words.new.get(&line)) };
        let marked = marked.map(Vec::as_slice).unwrap_or_default();
        let tabs = if before { words.tabs.0.contains(&line) } else { words.tabs.1.contains(&line) };
        let side = Side { file, content, line, hide_cr, before, marked, tabs };
        let (sign, grounds, numbers) = if before {
            (
                ("-", Slot::Bad),
                (Slot::Rem, Slot::RemWord),
                self.numbers(Some(line), None, (at, width), Slot::Bad),
            )
        } else {
            (
                ("+", Slot::Ok),
                (Slot::Add, Slot::AddWord),
                self.numbers(None, Some(line), (at, width), Slot::Ok),
            )
        };
        self.wrapped(ctx, &numbers, sign, &side, Some(grounds), width)
    }

    fn contents(&self, at: usize) -> Option<(&File, &Content, &Content, bool)> {
        let file = self.files.get(at)?;
        match self.texts.sides(file, &self.nothing) {
            Sides::Here(a, b) => {
                let old = file.before.is_none() || a.crlf;
                let new = file.after.is_none() || b.crlf;
                Some((file, a, b, old && new))
            }
            Sides::Missing | Sides::Lost => None,
        }
    }

    fn words(
        &self,
        at: usize,
        n: usize,
        file: &File,
        a: &Content,
        b: &Content,
        hide: bool,
    ) -> std::sync::Arc<Words> {
        let mut cache = self.words.borrow_mut();
        let make = || file.hunks.get(n).map(|h| Words::of(h, a, b, hide)).unwrap_or_default();
        std::sync::Arc::clone(cache.entry((at, n)).or_insert_with(|| std::sync::Arc::new(make())))
    }

    /// Columns of one line number in a file.
    fn digits(&self, at: usize) -> usize {
        let most = self.contents(at).map_or(0, |(_, a, b, _)| a.len().max(b.len()));
        most.to_string().len().max(3)
    }

    /// The numbers of a line before and after; where it is narrow the one that it has, the one after before the other.
    fn numbers(
        &self,
        old: Option<usize>,
        new: Option<usize>,
        (at, width): (usize, usize),
        slot: Slot,
    ) -> Row {
        let w = self.digits(at);
        let text = |n: Option<usize>| n.map_or_else(|| " ".repeat(w), |n| format!("{:>w$}", n + 1));
        if width < BOTH_NUMBERS_FROM {
            return Row::of(&text(new.or(old)), slot).and(" ", Slot::Text);
        }
        Row::of(&text(old), slot).and("  ", Slot::Text).and(&text(new), slot).and("  ", Slot::Text)
    }

    /// A line with its numbers and sign; what does not fit goes on below, on the same ground.
    fn wrapped(
        &self,
        ctx: &Ctx<'_>,
        numbers: &Row,
        (sign, ink): (&str, Slot),
        side: &Side<'_>,
        grounds: Option<(Slot, Slot)>,
        width: usize,
    ) -> Vec<Row> {
        let lead = numbers.width();
        let numbers = if lead + 12 > width { Row::new() } else { numbers.clone() };
        let lead = numbers.width();
        let room = width.saturating_sub(lead + 3).max(1);
        let on = |i: Ink| grounds.map_or(i, |(g, _)| i.on(g));
        let pieces = self.cut(ctx, self.pieces(ctx, side, grounds), side.marked, grounds.map(|g| g.0));
        let mut rows = wrap_code(&pieces, room);
        if self.previews
            && let Some((_, word)) = grounds
        {
            changed_part(&mut rows, word, (ctx.glyphs.ellipsis, on(Ink::of(Slot::Faint))), room);
        }
        let rows = rows.into_iter().enumerate();
        rows.map(|(n, text)| {
            let mut row = if n == 0 { numbers.clone() } else { Row::of(&" ".repeat(lead), Slot::Text) };
            let sign = if n == 0 { sign } else { " " };
            row.push(" ", on(Ink::of(ink)));
            row.push(sign, on(Ink::of(ink).bold()));
            row.push(" ", on(Ink::of(ink)));
            row.pieces.extend(text.pieces);
            if grounds.is_some() {
                row.push(&" ".repeat(width.saturating_sub(row.width())), on(Ink::of(Slot::Text)));
            }
            row.cut(width, "")
        })
        .collect()
    }

    /// A very long line cut around what changed in it, unless more was asked to be shown.
    fn cut(
        &self,
        ctx: &Ctx<'_>,
        pieces: Vec<Piece>,
        marked: &[Range<usize>],
        on: Option<Slot>,
    ) -> Vec<Piece> {
        let whole = self.context.is_some_and(|lines| lines > CONTEXT_LINES);
        if whole || pieces.iter().map(|piece| piece.text().len()).sum::<usize>() <= LONGEST_BYTES {
            return pieces;
        }
        let faint = Ink::of(Slot::Faint);
        let ink = on.map_or(faint, |ground| faint.on(ground));
        let key = ctx.keymap.key(super::DiffAction::MoreContext);
        around::cut(pieces, marked, on.is_some(), Cut { ellipsis: ctx.glyphs.ellipsis, ink, key })
    }

    /// Both sides beside each other.
    fn halves(
        &self,
        ctx: &Ctx<'_>,
        (left, right): (Option<Side<'_>>, Option<Side<'_>>),
        base: Slot,
        width: usize,
    ) -> Vec<Row> {
        let half = width.saturating_sub(3) / 2;
        let changed = base == Slot::Text;
        let side = |s: Option<Side<'_>>| {
            let Some(s) = s else { return Vec::new() };
            let w = 4.max(s.content.len().to_string().len());
            let (sign, slot, grounds) = match (changed, s.before) {
                (false, _) => (" ", Slot::Faint, None),
                (true, true) => ("-", Slot::Bad, Some((Slot::Rem, Slot::RemWord))),
                (true, false) => ("+", Slot::Ok, Some((Slot::Add, Slot::AddWord))),
            };
            let numbers = Row::of(&format!("{:>w$} ", s.line + 1), slot);
            self.wrapped(ctx, &numbers, (sign, slot), &s, grounds, half)
        };
        let (left, right) = (side(left), side(right));
        let rows = left.len().max(right.len());
        (0..rows)
            .map(|n| {
                let mut row = left.get(n).cloned().unwrap_or_default();
                row.push(&" ".repeat(half.saturating_sub(row.width())), Slot::Text);
                row.push(&format!(" {} ", ctx.glyphs.column), Slot::Line);
                row.pieces.extend(right.get(n).cloned().unwrap_or_default().pieces);
                row
            })
            .collect()
    }

    fn pieces(&self, ctx: &Ctx<'_>, side: &Side<'_>, grounds: Option<(Slot, Slot)>) -> Vec<Piece> {
        let text = side.content.clean(side.line, side.hide_cr);
        let base = match grounds {
            Some((ground, _)) => Ink::of(Slot::Text).on(ground),
            None => Ink::of(Slot::Soft),
        };
        let id = if side.before { side.file.before } else { side.file.after };
        let colours: Option<Colours> = id.and_then(|id| {
            self.colours.line(id, side.file.lang(), side.line, || side.content.code(side.hide_cr))
        });
        let mut pieces =
            emphasised(&inked(&text, colours.as_deref(), base), side.marked, grounds.map(|g| g.1));
        let (raw, ended) = side.content.line(side.line);
        if side.tabs {
            pieces = tabs::shown(&pieces, raw, ctx.glyphs.arrow);
        }
        if !ended {
            let note = Ink { slot: Slot::Faint, ..base };
            pieces.push(Piece::new("  (no newline at the end)", note));
        }
        pieces
    }

    fn file_row(&self, ctx: &Ctx<'_>, at: usize, width: usize) -> Row {
        let Some(file) = self.files.get(at) else { return Row::new() };
        let (added, removed) = file.counts();
        let left = Row::of(
            &fit_path(&file.path, width.saturating_sub(16).max(8), ctx.glyphs.ellipsis),
            Ink::of(Slot::Strong).bold(),
        );
        let edited = if ctx.state.transcript.was_edited(file.id) { "edited  " } else { "" };
        let mut right = Row::of(edited, Slot::Info);
        right.pieces.extend(counts(added, removed).pieces);
        left.ends_keeping_right(right, width, ctx.glyphs.ellipsis)
    }

    fn hunk_row(&self, ctx: &Ctx<'_>, at: usize, n: usize, width: usize) -> Row {
        let g = ctx.glyphs;
        let (Some(file), Some((_, a, b, _))) = (self.files.get(at), self.contents(at)) else {
            return Row::new();
        };
        let Some(hunk) = file.hunks.get(n) else { return Row::new() };
        let proposal = ctx.state.proposals().get(&file.id);
        let decision = proposal.and_then(|p| p.decided.get(&n).copied());
        let here = !self.written && self.spot().is_some_and(|s| (s.file, s.hunk) == (at, n));
        let (mark, ink, word) = match decision {
            Some(Decision::Taken) => (g.taken, Slot::Ok, "taken"),
            Some(Decision::Left) => (g.left, Slot::Soft, "left"),
            None if self.written => (" ", Slot::Soft, ""),
            None => (g.undecided, Slot::Soft, ""),
        };
        let (before, behind) = super::doc::context(file, n, a.len(), self.context());
        let range = |l: Lines| {
            let (start, len) = (l.start.saturating_sub(before), l.len + before + behind);
            format!("{},{len}", if len == 0 { start } else { start + 1 })
        };
        let (old, new) = match file.kind {
            ChangeKind::Create => ("0,0".to_owned(), range(hunk.new_lines())),
            ChangeKind::Delete => (range(hunk.old()), "0,0".to_owned()),
            ChangeKind::Modify => (range(hunk.old()), range(hunk.new_lines())),
        };
        let head = if here { Ink::of(Slot::Accent).bold() } else { Ink::of(Slot::Soft) };
        let place = heading::of(&file.path, hunk, a, b);
        let pointer = if here { g.folded } else { " " };
        let row = Row::of(pointer, Slot::Accent)
            .and(" ", Slot::Text)
            .and(mark, ink)
            .and("  ", Slot::Text)
            .and(&format!("@@ -{old} +{new} @@"), head)
            .and("  ", Slot::Text)
            .and(&place, if here { Slot::Text } else { Slot::Soft });
        let said = match (ctx.state.transcript.comment(file.id, n), word) {
            (None, _) => "",
            (Some(_), "") => "commented",
            (Some(_), _) => "commented, ",
        };
        let met = proposal.filter(|p| p.meets(n) && !self.written);
        let mut both = met.map(|p| both(p, n, a, g.ellipsis)).unwrap_or_default();
        if met.is_some() && !(said.is_empty() && word.is_empty()) {
            both.push(", ", Slot::Warn);
        }
        let right = both.and(said, Slot::Info).and(word, ink);
        let mut row = row.ends_keeping_right(right, width, g.ellipsis);
        row.ground = here.then_some(Slot::Select);
        row
    }
}

/// Of a line in several rows those that hold what changed in it, where that is marked; what is left out before is told.
fn changed_part(rows: &mut Vec<Row>, word: Slot, (ellipsis, ink): (&str, Ink), room: usize) {
    let marked = |row: &Row| row.pieces.iter().any(|piece| piece.ink.ground == Some(word));
    let Some(from) = rows.iter().position(marked).filter(|_| rows.len() > 1) else { return };
    let to = rows.iter().rposition(marked).unwrap_or(from);
    rows.truncate(to + 1);
    rows.drain(..from);
    if let Some(first) = rows.first_mut().filter(|_| from > 0) {
        let text = std::mem::take(first);
        *first = Row::of(ellipsis, ink).with(text).cut(room, "");
    }
}

/// Said of a hunk whose lines others changed as well: which of theirs it takes away.
fn both(proposal: &Proposal, hunk: usize, before: &Content, ellipsis: &str) -> Row {
    let gone: Vec<usize> = proposal.takes_away(hunk).collect();
    let Some(first) = gone.first() else { return Row::of("changed by both", Slot::Warn) };
    let text = String::from_utf8_lossy(before.line(*first).0).trim().to_owned();
    let more = match gone.len() - 1 {
        0 => "\"".to_owned(),
        n => format!("\" and {} more", count(n, "line")),
    };
    let line = Row::of(&Clean::line(&text), Slot::Warn).cut(NAMED_COLUMNS, ellipsis);
    Row::of("changed by both: removes \"", Slot::Warn).with(line).and(&more, Slot::Warn)
}

/// `+9 -3`, each in its colour.
pub(crate) fn counts(added: usize, removed: usize) -> Row {
    let mut row = Row::new();
    if added > 0 || removed == 0 {
        row.push(&format!("+{added}"), Slot::Ok);
    }
    if removed > 0 {
        if added > 0 {
            row.push(" ", Slot::Text);
        }
        row.push(&format!("-{removed}"), Slot::Bad);
    }
    row
}

/// The pieces with another ground where a range of their joined text is marked.
fn emphasised(pieces: &[Piece], marked: &[Range<usize>], ground: Option<Slot>) -> Vec<Piece> {
    let Some(ground) = ground.filter(|_| !marked.is_empty()) else { return pieces.to_vec() };
    let mut out = Vec::new();
    let mut at = 0;
    for piece in pieces {
        let text = piece.text();
        let end = at + text.len();
        let mut from = at;
        while from < end {
            let inside = marked.iter().find(|r| r.contains(&from));
            let next = marked.iter().map(|r| r.start).filter(|s| *s > from).min();
            let to = inside.map_or_else(|| next.unwrap_or(end), |r| r.end).min(end);
            let ink = if inside.is_some() { piece.ink.on(ground) } else { piece.ink };
            if let Some(part) = text.get(from - at..to - at) {
                out.push(Piece::new(part, ink));
            }
            from = to;
        }
        at = end;
    }
    out
}
