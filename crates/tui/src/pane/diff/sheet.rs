//! The sheet that asks once more before files are written.
//!
//! Owns what it says: how much is written by which key, what of the review is not, and each file, in the order of the review.

use pilothouse_core::{proposal::Proposal, tool::ChangeKind};

use super::{DiffPane, Sheet};
use crate::{
    pane::Ctx,
    row::{Ink, Row, count, fit_path, width, wrap},
    theme::Slot,
};

/// The key that closes a sheet.
const BACK: (&str, &str) = ("any other key", "goes back");

/// The rows of a sheet.
struct Rows {
    head: Vec<Row>,
    /// A file each, and whether all of it is written as it was planned.
    files: Vec<(bool, Row)>,
    tail: Vec<Row>,
}

impl DiffPane {
    /// What the keys do while the sheet lies open.
    pub(super) fn sheet_keys(&self, ctx: &Ctx<'_>) -> Vec<(&'static str, String)> {
        if self.sheet == Sheet::Whole {
            return vec![("a", "applies it".to_owned())];
        }
        let decided = self.decided_alone(ctx);
        if decided.is_empty() {
            let key = if self.is_decided(ctx) { "A a" } else { "A" };
            return vec![(key, "applies them".to_owned())];
        }
        let sum = |of: &[_], hunks: &dyn Fn(&Proposal) -> usize| -> usize {
            of.iter().filter_map(|(id, _)| Self::proposal(ctx, *id)).map(hunks).sum()
        };
        let all = sum(&self.asked_all, &|p| p.not_left().len());
        let taken = sum(&decided, &|p| p.chosen().len());
        let rest =
            if taken == 1 { "the 1 taken hunk".to_owned() } else { format!("the {taken} taken hunks") };
        vec![
            ("A", format!("applies all {all} hunks, undecided ones too")),
            ("a", format!("applies {rest}; the rest stays undecided")),
        ]
    }

    /// The same in a row that stands elsewhere.
    pub(super) fn short_sheet_keys(&self, ctx: &Ctx<'_>) -> Vec<(&'static str, &'static str)> {
        let keys = match (self.sheet, self.decided_alone(ctx).is_empty()) {
            (Sheet::Whole, _) => &[("a", "applies it"), BACK][..],
            (Sheet::All, true) if self.is_decided(ctx) => &[("A a", "applies them"), BACK],
            (Sheet::All, true) => &[("A", "applies them"), BACK],
            (Sheet::All, false) => &[("A", "applies all"), ("a", "what is taken"), BACK],
        };
        keys.to_vec()
    }

    /// The open sheet in at most `room` rows, parted from the lines below it where those have room. Where not every file
    /// has a row, those that are written whole go first, and how many have none is told.
    pub(super) fn sheet_above(&self, ctx: &Ctx<'_>, columns: usize, room: usize) -> Vec<Row> {
        let Rows { head, files, tail } = self.sheet(ctx, columns);
        let left = room.saturating_sub(head.len() + tail.len());
        let more = files.len().saturating_sub(left.saturating_sub(1));
        let cut = left > 0 && files.len() > left;
        let mut order: Vec<usize> = (0..files.len()).collect();
        if cut {
            order.sort_by_key(|n| files.get(*n).is_some_and(|(whole, _)| *whole));
            order.truncate(left - 1);
            order.sort_unstable();
        }
        let mut rows = head;
        rows.extend(order.into_iter().filter_map(|n| files.get(n)).map(|(_, row)| row.clone()));
        if cut {
            let more = format!("  {} and {}", ctx.glyphs.ellipsis, count(more, "more file"));
            rows.push(Row::of(&more, Slot::Warn));
        }
        rows.extend(tail);
        if rows.len() + 2 < room {
            let [across, _] = ctx.glyphs.rule;
            rows.push(Row::of(&across.repeat(columns), Slot::Line));
        }
        rows
    }

    /// What of the review the sheet of all files would leave as it is: control files, and hunks that want a decision of their
    /// own.
    fn sheet_leaves<'a>(&self, ctx: &Ctx<'a>) -> Vec<&'a Proposal> {
        let all = self.files.iter().filter(|f| Self::in_review(ctx, f.id));
        let waits = |p: &&Proposal| p.control.is_some() || met(p) > 0;
        all.filter_map(|f| Self::proposal(ctx, f.id)).filter(waits).collect()
    }

    /// What the sheet does, in a line: where something waits, how much it writes and what that is.
    fn sheet_head(&self, ctx: &Ctx<'_>) -> String {
        if self.sheet == Sheet::Whole {
            return "Apply the whole file".to_owned();
        }
        let leaves = self.sheet_leaves(ctx);
        let Some(first) = leaves.first() else { return "Apply all files atomically".to_owned() };
        let listed = |p: &&&Proposal| self.asked_all.iter().any(|(id, _)| *id == p.id);
        let (written, left) = (self.asked_all.len(), leaves.iter().filter(|p| !listed(p)).count());
        let part = match left {
            0 => "Apply a part".to_owned(),
            left => format!("Apply {written} of {}", count(written + left, "file")),
        };
        match leaves.as_slice() {
            [_] => format!("{part}; {} waits", first.path),
            more => format!("{part}; {} wait", count(more.len(), "file")),
        }
    }

    /// How much is decided, and what the user left out; of one file alone its row says that.
    fn totals(&self, ctx: &Ctx<'_>) -> Option<String> {
        let listed: Vec<&Proposal> =
            self.asked_all.iter().filter_map(|(id, _)| Self::proposal(ctx, *id)).collect();
        if self.sheet == Sheet::Whole || listed.len() < 2 {
            return None;
        }
        let all: usize = listed.iter().map(|p| p.not_left().len()).sum();
        let taken: usize = listed.iter().map(|p| p.tally().0).sum();
        let files =
            count(listed.iter().filter(|p| p.hunks.is_empty() || !p.not_left().is_empty()).count(), "file");
        let hunks = |n: usize| if n == 1 { "hunk" } else { "hunks" };
        let what = match (all - taken.min(all), taken) {
            (n, 0) => format!("{n} undecided {} in {files} will be written", hunks(n)),
            (0, n) => format!("{n} taken {} in {files} will be written", hunks(n)),
            (n, taken) => format!("{} taken, {n} undecided in {files}", count(taken, "hunk")),
        };
        let out: Vec<usize> = listed.iter().map(|p| p.tally().1).filter(|n| *n > 0).collect();
        Some(match out[..] {
            [] => what,
            [1] => format!("{what}; 1 file has a hunk left out"),
            [n] => format!("{what}; 1 file has {n} hunks left out"),
            _ => format!("{what}; {} files have hunks left out", out.len()),
        })
    }

    /// What the sheet would write, file by file.
    fn sheet(&self, ctx: &Ctx<'_>, columns: usize) -> Rows {
        let g = ctx.glyphs;
        let cut = |rows: Vec<Row>| rows.into_iter().map(|r| r.cut(columns, g.ellipsis)).collect();
        let strong = Ink::of(Slot::Accent).bold();
        let mut head =
            vec![Row::of(g.star, Slot::Accent).and(" ", Slot::Text).and(&self.sheet_head(ctx), strong)];
        let totals = self.totals(ctx).map(|words| wrap(&Row::of(&words, Slot::Text).pieces, columns));
        head.extend(totals.unwrap_or_else(|| vec![Row::new()]));
        let listed = |id| self.asked_all.iter().any(|(of, _)| *of == id);
        let all = self.files.iter().filter_map(|f| Self::proposal(ctx, f.id));
        let told = all.filter_map(|p| match listed(p.id) {
            true => Some(written_row(ctx, p, columns)),
            false if p.waits_whole() && self.sheet != Sheet::Whole => {
                Some((false, waiting_row(ctx, p, columns)))
            }
            false => None,
        });
        let files = told.map(|(whole, row)| (whole, row.cut(columns, g.ellipsis))).collect();
        let mut tail = vec![Row::new()];
        let keys = self.sheet_keys(ctx);
        let told = |key: &str, does: &str| Row::of(key, strong).and(&format!(" {does}"), Slot::Soft);
        match keys.as_slice() {
            [(key, does)] => tail.push(told(key, does).and("   ", Slot::Soft).with(told(BACK.0, BACK.1))),
            keys => {
                let rows = keys.iter().map(|(key, does)| told(key, does)).chain([told(BACK.0, BACK.1)]);
                tail.extend(rows.flat_map(|row| wrap(&row.pieces, columns)));
            }
        }
        Rows { head: cut(head), files, tail: cut(tail) }
    }
}

/// How many hunks want a decision of their own, since others changed the same lines.
fn met(p: &Proposal) -> usize {
    p.undecided().difference(&p.not_left()).count()
}

fn met_by_both(hunks: usize) -> String {
    format!("{} changed by both", count(hunks, "hunk"))
}

/// What is written of a file, and whether that is all of it as it was planned.
fn written_row(ctx: &Ctx<'_>, p: &Proposal, columns: usize) -> (bool, Row) {
    let (taken, left, _) = p.tally();
    let (goes, met) = (p.not_left().len(), met(p));
    let undecided = goes - taken.min(goes);
    let all = count(p.hunks.len(), "hunk");
    let out = if left > 0 { format!(", {left} left out") } else { String::new() };
    let out = if met > 0 { format!("{out}, waits: {}", met_by_both(met)) } else { out };
    let what = match p.kind {
        _ if goes == 0 && !p.hunks.is_empty() => "nothing".to_owned(),
        ChangeKind::Create if left + met == 0 && taken * undecided == 0 => "new file".to_owned(),
        ChangeKind::Delete => "removed".to_owned(),
        _ if taken == 0 && out.is_empty() && goes == 1 => "1 hunk (undecided)".to_owned(),
        _ if taken == 0 && out.is_empty() => format!("all {all} (undecided)"),
        _ if undecided > 0 && taken > 0 => format!("{taken} of {all} taken, {undecided} undecided{out}"),
        ChangeKind::Create | ChangeKind::Modify => format!("{goes} of {all}{out}"),
    };
    let off = ctx.state.off_plan(p).is_some();
    let whole = left + met == 0 && taken * undecided == 0 && !off && p.kind != ChangeKind::Delete;
    let what = if off { format!("off-plan  {what}") } else { what };
    let what = if p.back.is_some() { format!("take-back  {what}") } else { what };
    let ink = if off || p.kind == ChangeKind::Delete { Slot::Warn } else { Slot::Soft };
    (whole, told_row(ctx, (p, Slot::Text), (&what, ink), columns))
}

/// A file of which nothing is written.
fn waiting_row(ctx: &Ctx<'_>, p: &Proposal, columns: usize) -> Row {
    told_row(ctx, (p, Slot::Soft), (&format!("waits: {}", met_by_both(met(p))), Slot::Warn), columns)
}

/// A file has one row, whatever stands in it.
fn told_row(ctx: &Ctx<'_>, (p, ink): (&Proposal, Slot), (what, slot): (&str, Slot), columns: usize) -> Row {
    let room = columns.saturating_sub(width(what) + 4).max(6);
    let path = fit_path(p.path.as_str(), room, ctx.glyphs.ellipsis);
    let row = Row::of("  ", Slot::Text).and(&path, ink);
    row.ends_keeping_right(Row::of(what, slot), columns, ctx.glyphs.ellipsis)
}
