//! The list of files beside the lines.
//!
//! Owns its rows: where all of them have room every file with its hunks, else a row a file, with the hunks of the one at
//! the cursor. Never more than are seen.

use pilothouse_core::{
    ids::ProposalId,
    proposal::{Decision, Proposal},
    tool::ChangeKind,
};

use super::{DiffPane, doc::File, lines::counts};
use crate::{
    pane::Ctx,
    row::{Ink, Row, count, fit_path},
    theme::Slot,
};

impl DiffPane {
    /// The files, and below them the counts.
    pub(super) fn list(&self, ctx: &Ctx<'_>, columns: usize, height: usize) -> Vec<Row> {
        let foot = self.list_foot(ctx);
        let room = height.saturating_sub(foot.len() + 1);
        let mut rows = self.whole_list(ctx, columns, room).unwrap_or_else(|| self.folded(ctx, columns, room));
        if height > foot.len() + 3 {
            rows.resize(height - foot.len(), Row::new());
            rows.extend(foot);
        }
        rows
    }

    /// Every file with its hunks, where all of it has room.
    fn whole_list(&self, ctx: &Ctx<'_>, columns: usize, room: usize) -> Option<Vec<Row>> {
        let least = |file: &File| 2 + file.hunks.len();
        if self.files.iter().map(least).sum::<usize>() > room + 1 {
            return None;
        }
        let mut rows = Vec::new();
        for (n, file) in self.files.iter().enumerate() {
            if n > 0 {
                rows.push(Row::new());
            }
            let (added, removed) = file.counts();
            rows.push(named(ctx, file, counts(added, removed), columns));
            rows.extend(
                Self::marks(ctx, file.id).into_iter().map(|row| row.cut(columns, ctx.glyphs.ellipsis)),
            );
            rows.extend((0..file.hunks.len()).map(|hunk| self.hunk_in_list(ctx, (n, hunk), columns)));
        }
        (rows.len() <= room).then_some(rows)
    }

    /// A row a file, and below that at the cursor its hunks; the one at the cursor is among the rows, and what is not says
    /// how many files those are.
    fn folded(&self, ctx: &Ctx<'_>, columns: usize, room: usize) -> Vec<Row> {
        let here = self.file();
        let marks = here.map(|file| Self::marks(ctx, file.id)).unwrap_or_default();
        let hunks = self.current + 1 + marks.len();
        let behind = hunks + here.map_or(0, |file| file.hunks.len());
        let all = behind + self.files.len().saturating_sub(self.current + 1);
        let at = (hunks + self.hunk).min(all.saturating_sub(1));
        let from = (at + 1).saturating_sub(room * 2 / 3).min(all.saturating_sub(room));
        let row = |n: usize| {
            if let Some(mark) = n.checked_sub(self.current + 1).and_then(|n| marks.get(n)) {
                return mark.clone().cut(columns, ctx.glyphs.ellipsis);
            }
            if (hunks..behind).contains(&n) {
                return self.hunk_in_list(ctx, (self.current, n - hunks), columns);
            }
            let file = if n < hunks { n } else { n - behind + self.current + 1 };
            self.files.get(file).map(|file| tallied(ctx, file, columns)).unwrap_or_default()
        };
        let to = all.min(from + room);
        let mut rows: Vec<Row> = (from..to).map(row).collect();
        let more =
            |n: usize| Row::of(&format!("{} {}", ctx.glyphs.ellipsis, count(n, "more file")), Slot::Soft);
        // What is not seen, the row of the sign itself among it.
        let above = (from + 1).min(self.current + 1);
        if let Some(first) = rows.first_mut().filter(|_| from > 0 && at > from) {
            *first = more(above);
        }
        let below = self.files.len().saturating_sub(self.current + 1).min(all - to + 1);
        if let Some(last) = rows.last_mut().filter(|_| to < all && at + 1 < to && below > 0) {
            *last = more(below);
        }
        rows
    }

    fn hunk_in_list(&self, ctx: &Ctx<'_>, (at, hunk): (usize, usize), columns: usize) -> Row {
        let g = ctx.glyphs;
        let Some(file) = self.files.get(at) else { return Row::new() };
        let proposal = Self::proposal(ctx, file.id);
        let (mark, ink) = match proposal.and_then(|p| p.decided.get(&hunk)) {
            Some(Decision::Taken) => (g.taken, Slot::Ok),
            Some(Decision::Left) => (g.left, Slot::Soft),
            None => (g.undecided, Slot::Soft),
        };
        let here = (self.current, self.hunk) == (at, hunk);
        let what = match file.kind {
            ChangeKind::Create => "new file".to_owned(),
            ChangeKind::Delete => "removal".to_owned(),
            ChangeKind::Modify => format!("hunk {}", hunk + 1),
        };
        let text = if here { Ink::of(Slot::Strong).bold() } else { Ink::of(Slot::Soft) };
        let pointer = if here { g.folded } else { " " };
        let row = Row::of(pointer, Slot::Accent).and(" ", Slot::Text).and(mark, ink).and(" ", Slot::Text);
        let said = ctx.state.transcript.comment(file.id, hunk).map_or("", |_| "  commented");
        let both = if proposal.is_some_and(|p| p.meets(hunk)) { "  changed by both" } else { "" };
        let row = row.and(&what, text).and(both, Slot::Warn);
        let mut row = row.and(said, Slot::Info).cut(columns, g.ellipsis);
        row.ground = here.then_some(Slot::Select);
        row
    }

    /// What is said of a file beside its hunks.
    fn marks(ctx: &Ctx<'_>, id: ProposalId) -> Vec<Row> {
        let back = Self::proposal(ctx, id).is_some_and(|p| p.back.is_some());
        let off =
            || Row::of("  ", Slot::Text).and(ctx.glyphs.off_plan, Slot::Warn).and(" off-plan", Slot::Warn);
        let edited = ctx.state.transcript.was_edited(id);
        let marks = [
            back.then(|| Row::of("  take-back", Slot::Info)),
            Self::off_plan(ctx, id).map(|_| off()),
            edited.then(|| Row::of("  edited by you", Slot::Info)),
        ];
        marks.into_iter().flatten().collect()
    }

    fn list_foot(&self, ctx: &Ctx<'_>) -> Vec<Row> {
        let g = ctx.glyphs;
        let (taken, left, undecided) = self.tally(ctx);
        let line = |label: &str, mark: &str, ink: Slot, n: usize| {
            let pad = " ".repeat(11_usize.saturating_sub(label.len()));
            Row::of(label, Slot::Soft).and(&pad, Slot::Text).and(mark, ink).and(&format!(" {n}"), Slot::Text)
        };
        vec![
            line("taken", g.taken, Slot::Ok, taken),
            line("left", g.left, Slot::Soft, left),
            line("undecided", g.undecided, Slot::Soft, undecided),
        ]
    }
}

/// The name of a file, and what stands at its right.
fn named(ctx: &Ctx<'_>, file: &File, right: Row, columns: usize) -> Row {
    let g = ctx.glyphs;
    let path = fit_path(&file.path, columns.saturating_sub(right.width() + 2).max(6), g.ellipsis);
    let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(f, n)| (f, n));
    let slash = if folder.is_empty() { "" } else { "/" };
    let row = Row::of(folder, Slot::Soft).and(slash, Slot::Soft).and(name, Slot::Strong);
    row.ends(right, columns, g.ellipsis)
}

/// A file with how far it is decided: `✓2 –1 ○5`.
fn tallied(ctx: &Ctx<'_>, file: &File, columns: usize) -> Row {
    let g = ctx.glyphs;
    let proposal = DiffPane::proposal(ctx, file.id);
    let (taken, left, undecided) = proposal.map(Proposal::tally).unwrap_or_default();
    let off = proposal.is_some_and(|p| ctx.state.off_plan(p).is_some());
    let kind = match file.kind {
        ChangeKind::Create => "new",
        ChangeKind::Delete => "removal",
        ChangeKind::Modify => "",
    };
    let parts = [
        (off, g.off_plan.to_owned(), Slot::Warn),
        (!kind.is_empty(), kind.to_owned(), Slot::Soft),
        (taken > 0, format!("{}{taken}", g.done), Slot::Ok),
        (left > 0, format!("{}{left}", g.skipped), Slot::Soft),
        (undecided > 0, format!("{}{undecided}", g.pending), Slot::Soft),
    ];
    let right = parts.into_iter().filter(|(told, ..)| *told).fold(Row::new(), |row, (_, text, slot)| {
        let gap = if row.pieces.is_empty() { "" } else { " " };
        row.and(gap, Slot::Text).and(&text, slot)
    });
    named(ctx, file, right, columns)
}
