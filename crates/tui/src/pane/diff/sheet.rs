//! The sheet that asks once more before files are written.
//!
//! Owns what it says: how much is written, what of the review is not, and each file, those first of which not everything is.

use pilothouse_core::{proposal::Proposal, tool::ChangeKind};

use super::{DiffPane, Sheet, act::in_part};
use crate::{
    pane::Ctx,
    row::{Ink, Row, count, fit_path, width, wrap},
    theme::Slot,
};

/// Rows of a sheet that are no files, and one that tells of more.
const SHEET_ENDS: usize = 5;

impl DiffPane {
    /// What the keys do while the sheet lies open.
    pub(super) const fn sheet_keys(&self) -> [(&'static str, &'static str); 2] {
        let (_, key, does) = self.sheet.words();
        [(key, does), ("any other key", "goes back")]
    }

    /// The open sheet in at most `room` rows, parted from the lines below it where those have room. Where not every file
    /// has a row, how many more there are is told.
    pub(super) fn sheet_above(&self, ctx: &Ctx<'_>, columns: usize, room: usize) -> Vec<Row> {
        let mut rows = self.sheet(ctx, columns);
        if rows.len() > room && room > SHEET_ENDS {
            let tail = rows.split_off(rows.len() - 2);
            let hidden = rows.len() + 3 - room;
            rows.truncate(room - 3);
            let more = format!("  {} and {}", ctx.glyphs.ellipsis, count(hidden, "more file"));
            rows.push(Row::of(&more, Slot::Warn));
            rows.extend(tail);
        } else if rows.len() + 2 < room {
            let [across, _] = ctx.glyphs.rule;
            rows.push(Row::of(&across.repeat(columns), Slot::Line));
        }
        rows
    }

    /// What of the review the sheet of all files would leave as it is: files of which nothing is written, and the rest of those
    /// of which a part is.
    pub(super) fn sheet_leaves<'a>(&self, ctx: &Ctx<'a>) -> Vec<&'a Proposal> {
        let all = self.files.iter().filter(|f| Self::in_review(ctx, f.id));
        let waits = |p: &&Proposal| in_part(p) || p.control.is_some();
        all.filter_map(|f| Self::proposal(ctx, f.id)).filter(waits).collect()
    }

    /// What the sheet does, in a line: where something waits, how much it writes and what that is.
    fn sheet_head(&self, ctx: &Ctx<'_>) -> String {
        let (head, ..) = self.sheet.words();
        let leaves = self.sheet_leaves(ctx);
        let (Sheet::Part, Some(first)) = (self.sheet, leaves.first()) else { return head.to_owned() };
        let listed = |p: &&&Proposal| self.asked_all.iter().any(|(id, _)| *id == p.id);
        let (written, left) = (self.asked_all.len(), leaves.iter().filter(|p| !listed(p)).count());
        let part = match left {
            0 => head.to_owned(),
            left => format!("Apply {written} of {}", count(written + left, "file")),
        };
        match leaves.as_slice() {
            [_] => format!("{part}; {} waits", first.path),
            more => format!("{part}; {} wait", count(more.len(), "file")),
        }
    }

    /// How much of it is written, and what the user left out; of one file alone its row says that.
    fn totals(&self, ctx: &Ctx<'_>) -> Option<String> {
        let listed: Vec<&Proposal> =
            self.asked_all.iter().filter_map(|(id, _)| Self::proposal(ctx, *id)).collect();
        if self.sheet == Sheet::Whole || listed.len() < 2 {
            return None;
        }
        let chosen = |p: &&Proposal| p.chosen().len();
        let (alone, decided): (Vec<&Proposal>, Vec<&Proposal>) =
            listed.iter().partition(|p| p.decided.is_empty());
        let (undecided, taken): (usize, usize) =
            (alone.iter().map(chosen).sum(), decided.iter().map(chosen).sum());
        let what = match (undecided, taken) {
            (n, 0) => format!("{n} undecided {}", if n == 1 { "hunk" } else { "hunks" }),
            (0, n) => format!("{n} taken {}", if n == 1 { "hunk" } else { "hunks" }),
            (n, taken) => format!("{n} undecided and {taken} taken hunks"),
        };
        let files = count(listed.iter().filter(|p| p.writes()).count(), "file");
        let out: Vec<usize> = listed.iter().map(|p| p.tally().1).filter(|n| *n > 0).collect();
        let out = match out[..] {
            [] => String::new(),
            [1] => "; 1 file has a hunk left out".to_owned(),
            [n] => format!("; 1 file has {n} hunks left out"),
            _ => format!("; {} files have hunks left out", out.len()),
        };
        Some(format!("{what} in {files} will be written{out}"))
    }

    /// What `A` would write, file by file: those first that are not written whole.
    fn sheet(&self, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
        let g = ctx.glyphs;
        let ((_, key, does), head) = (self.sheet.words(), self.sheet_head(ctx));
        let head =
            Row::of(g.star, Slot::Accent).and(" ", Slot::Text).and(&head, Ink::of(Slot::Accent).bold());
        let mut rows = vec![head];
        let totals = self.totals(ctx).map(|words| wrap(&Row::of(&words, Slot::Text).pieces, columns));
        rows.extend(totals.unwrap_or_else(|| vec![Row::new()]));
        let listed = |id| self.asked_all.iter().any(|(of, _)| *of == id);
        let all = self.files.iter().filter_map(|f| Self::proposal(ctx, f.id));
        let told = all.filter_map(|p| match listed(p.id) {
            true => Some(written_row(ctx, p, columns)),
            false if in_part(p) && self.sheet != Sheet::Whole => Some((false, waiting_row(ctx, p, columns))),
            false => None,
        });
        let (parts, whole): (Vec<_>, Vec<_>) = told.partition(|(whole, _)| !whole);
        rows.extend(parts.into_iter().chain(whole).map(|(_, row)| row));
        rows.push(Row::new());
        let keys = Row::of(key, Ink::of(Slot::Accent).bold()).and(&format!(" {does}   "), Slot::Soft);
        rows.push(keys.and("any other key", Ink::of(Slot::Accent).bold()).and(" goes back", Slot::Soft));
        rows.into_iter().map(|r| r.cut(columns, g.ellipsis)).collect()
    }
}

/// What is written of a file, and whether that is all of it as it was planned.
fn written_row(ctx: &Ctx<'_>, p: &Proposal, columns: usize) -> (bool, Row) {
    let (taken, left, _) = p.tally();
    let (chosen, waiting) = (p.chosen().len(), p.waiting().len());
    let all = count(p.hunks.len(), "hunk");
    let out = if left > 0 { format!(", {left} left out") } else { String::new() };
    let what = match p.kind {
        _ if chosen == 0 => "nothing".to_owned(),
        ChangeKind::Create if left + waiting == 0 => "new file".to_owned(),
        ChangeKind::Delete => "removed".to_owned(),
        _ if waiting > 0 && left > 0 => format!("{chosen} of {all}{out}, {waiting} wait"),
        _ if waiting > 0 => format!("{chosen} of {all}, waits: {}", waits(p)),
        _ if taken + left == 0 && p.hunks.len() == 1 => "1 hunk (undecided)".to_owned(),
        _ if taken + left == 0 => format!("all {all} (undecided)"),
        ChangeKind::Create | ChangeKind::Modify => format!("{chosen} of {all}{out}"),
    };
    let off = ctx.state.off_plan(p).is_some();
    let whole = left == 0 && waiting == 0 && !off && p.kind != ChangeKind::Delete;
    let what = if off { format!("off-plan  {what}") } else { what };
    let what = if p.back.is_some() { format!("take-back  {what}") } else { what };
    let ink = if off || p.kind == ChangeKind::Delete { Slot::Warn } else { Slot::Soft };
    (whole, told_row(ctx, (p, Slot::Text), (&what, ink), columns))
}

/// A file of which nothing is written.
fn waiting_row(ctx: &Ctx<'_>, p: &Proposal, columns: usize) -> Row {
    told_row(ctx, (p, Slot::Soft), (&format!("waits: {}", waits(p)), Slot::Warn), columns)
}

/// A file has one row, whatever stands in it.
fn told_row(ctx: &Ctx<'_>, (p, ink): (&Proposal, Slot), (what, slot): (&str, Slot), columns: usize) -> Row {
    let room = columns.saturating_sub(width(what) + 4).max(6);
    let path = fit_path(p.path.as_str(), room, ctx.glyphs.ellipsis);
    let row = Row::of("  ", Slot::Text).and(&path, ink);
    row.ends_keeping_right(Row::of(what, slot), columns, ctx.glyphs.ellipsis)
}

/// What of a change would wait on, and why.
fn waits(p: &Proposal) -> String {
    let met = p.waiting().into_iter().filter(|n| p.meets(*n)).count();
    match (p.waiting().len(), met) {
        (all, met) if all == met => format!("{} changed by both", count(all, "hunk")),
        (all, _) => format!("{} undecided", count(all, "hunk")),
    }
}
