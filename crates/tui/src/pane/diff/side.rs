//! What stands around the lines: the list of files, the counts, what `a` would do, the sheet.

use pilothouse_core::{
    checkpoint::Checkpoint,
    clean::Clean,
    ids::ProposalId,
    proposal::{CONTROL_WORD, Decision, OnDisk, Proposal, ProposalStatus, TakeBack},
    tool::ChangeKind,
};

use super::{DiffPane, Sheet, act::in_part, doc::File, lines::counts};
use crate::{
    layout::WIDE,
    pane::Ctx,
    pane::plan::breadcrumb,
    row::{Ink, Row, count, fit_path, hang, width, wrap},
    status::shorten_parts,
    theme::Slot,
};

/// Below this many rows the path and the blank row give way to lines of the change.
const TALL: u16 = 16;

/// So many rows are left for lines of the change before what has to be known of it is cut.
const LEAST_LINES: usize = 4;

/// Rows of a sheet that are no files, and one that tells of more.
const SHEET_ENDS: usize = 5;

impl DiffPane {
    /// Whether a proposal is up for the user's decision.
    pub(super) fn in_review(ctx: &Ctx<'_>, id: ProposalId) -> bool {
        ctx.state.open.values().any(|c| c.kind.review().is_some_and(|r| r.proposals.contains(&id)))
    }

    pub(super) fn proposal<'a>(ctx: &Ctx<'a>, id: ProposalId) -> Option<&'a Proposal> {
        ctx.state.proposals().get(&id)
    }

    /// Said of a change in a file that its step did not name.
    fn off_plan(ctx: &Ctx<'_>, id: ProposalId) -> Option<String> {
        let step = ctx.state.off_plan(Self::proposal(ctx, id)?)?;
        let who = if step > 0 { format!("step {step} of the plan") } else { "the plan".to_owned() };
        Some(format!("off-plan: {who} did not name this file"))
    }

    /// Where the review is: `file 1/5 · hunk 1/2`, or `1/5 · 1/2`, of the files that wait.
    pub(super) fn place(&self, ctx: &Ctx<'_>, words: bool) -> String {
        let hunks = self.file().map_or(1, |f| f.hunks.len().max(1));
        let (file, hunk) = if words { ("file ", "hunk ") } else { ("", "") };
        let of = match self.files.len() {
            0 | 1 => String::new(),
            all => format!("{file}{}/{all} {} ", self.current + 1, ctx.glyphs.dot),
        };
        format!("{of}{hunk}{}/{hunks}", self.hunk + 1)
    }

    /// What the review of a proposal asks.
    fn asked(ctx: &Ctx<'_>, id: ProposalId, columns: usize) -> Vec<Row> {
        let of = |c: &&Checkpoint| c.kind.review().is_some_and(|r| r.proposals.contains(&id));
        let review = ctx.state.open.values().rfind(of);
        let words = review.map(|c| Clean::line(&c.message));
        words.map(|w| wrap(&Row::of(w.as_str(), Slot::Soft).pieces, columns)).unwrap_or_default()
    }

    /// The rows above the lines: a third of the room, and more where what has to be known of the change needs more.
    pub(super) fn header(&self, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
        let Some(file) = self.file() else { return Vec::new() };
        let mut rows = self.named(ctx, file, columns);
        let known = self.known(ctx, file, columns);
        let height = usize::from(self.size.height);
        let most = height.saturating_sub(usize::from(self.footer_rows()) + LEAST_LINES).max(height / 3);
        let room = (height / 3).max(known.iter().map(Vec::len).sum::<usize>() + 1).min(most);
        let known = within(known, room.saturating_sub(1), ctx.glyphs.ellipsis);
        // The name of the file stands whatever else has no room.
        let over = (rows.len() + known.len()).saturating_sub(room).min(rows.len().saturating_sub(1));
        rows.drain(..over);
        rows.extend(known);
        if rows.len() < room && self.size.height >= TALL {
            rows.push(Row::new());
        }
        rows
    }

    /// Where one stands, and the file with its counts.
    fn named(&self, ctx: &Ctx<'_>, file: &File, columns: usize) -> Vec<Row> {
        let g = ctx.glyphs;
        let mut rows = Vec::new();
        let path = ctx.state.plan.as_ref().map(|p| p.path.clone());
        let node = ctx.state.node();
        let path = path.unwrap_or_else(|| pilothouse_core::intent::IntentPath::to(node));
        let back = Self::proposal(ctx, file.id).and_then(|p| p.back);
        // What goes back is wanted by the user: no message's path led to it.
        if self.size.height >= TALL && back.is_none() {
            rows.extend(breadcrumb(&path, node, columns, g));
        }
        let (added, removed) = file.counts();
        let lead = lead(back);
        let counts = counts(added, removed);
        // Where no border names the place, it stands here, before the counts.
        let place = if ctx.body.width < WIDE { self.place(ctx, false) + "  " } else { String::new() };
        let edited = if ctx.state.transcript.was_edited(file.id) { "edited  " } else { "" };
        let right = Row::of(edited, Slot::Info).and(&place, Slot::Soft);
        let right = Row { pieces: [right.pieces, counts.pieces].concat(), ..Row::new() };
        let left = columns.saturating_sub(width(lead) + 1 + right.width() + 2);
        let name = fit_path(&file.path, left.max(4), g.ellipsis);
        let row = Row::of(lead, Slot::Text).and(&name, Ink::of(Slot::Strong).bold()).and(":", Slot::Text);
        rows.push(row.ends(right, columns, g.ellipsis));
        rows
    }

    /// What has to be known of a change before it is decided, the weightiest first: all of it is read, whatever the width.
    fn known(&self, ctx: &Ctx<'_>, file: &File, columns: usize) -> Vec<Vec<Row>> {
        let g = ctx.glyphs;
        let proposal = Self::proposal(ctx, file.id);
        let told = |sign, words: &str, slot| {
            let lead = Row::of(sign, slot).and(" ", Slot::Text);
            hang(&lead, &Row::of(words, slot).pieces, columns)
        };
        let warned = |sign, words: &str| told(sign, words, Slot::Warn);
        let mut rows = Vec::new();
        if proposal.is_some_and(|p| p.back.is_some()) {
            rows.push(Self::asked(ctx, file.id, columns));
        }
        rows.extend(ctx.state.on_disk(file.id).map(|how| warned(g.warn, since(how))));
        let failed = self.failed.iter().find(|(id, _)| *id == file.id);
        rows.extend(failed.map(|(_, message)| told(g.failed, message, Slot::Bad)));
        match (proposal.and_then(|p| p.control.as_ref()), file.kind) {
            (Some(why), _) => {
                let words =
                    format!("A control file: it {why}. Applying it asks for the word {CONTROL_WORD}.");
                rows.push(warned(g.warn, &words));
            }
            (None, ChangeKind::Delete) => {
                let words = "The whole file is removed; applying that asks for its name first.";
                rows.push(warned(g.warn, words));
            }
            (None, ChangeKind::Create | ChangeKind::Modify) => {}
        }
        let notes = proposal.map(|p| &p.notes[..]).unwrap_or_default();
        rows.extend(notes.iter().map(|note| warned(g.warn, &Clean::line(note))));
        let off_plan = Self::off_plan(ctx, file.id);
        rows.extend(off_plan.map(|words| warned(g.off_plan, &words)));
        rows
    }

    /// What `a` does now, in words.
    pub(super) fn intention(&self, ctx: &Ctx<'_>) -> String {
        let Some(file) = self.file() else { return String::new() };
        let Some(p) = Self::proposal(ctx, file.id) else { return String::new() };
        // A name that another file of the review has as well says not which.
        let same = |other: &&Proposal| other.path != p.path && other.path.name() == p.path.name();
        let shared = self.files.iter().filter_map(|f| Self::proposal(ctx, f.id)).any(|p| same(&p));
        let name = if shared { p.path.as_str() } else { p.path.name() };
        let (taken, left, undecided) = p.tally();
        let hunks = |n: usize| count(n, "hunk");
        match (p.status, p.kind) {
            (ProposalStatus::Applying(_), _) => format!("{name} is being written"),
            (ProposalStatus::Open, _) if !Self::in_review(ctx, file.id) => {
                format!("{name} is still being drafted; it is not up for review yet")
            }
            (_, _) if left > 0 && taken == 0 && undecided == 0 => {
                format!("a applies nothing of {name}: no hunk is taken")
            }
            (_, _) if taken + left == 0 && undecided > 0 && p.chosen().is_empty() => {
                format!("{name} was changed since: y or n, then a")
            }
            (_, _) if p.control.is_some() => {
                format!("a applies the control file {name}; it asks for its word first")
            }
            (_, ChangeKind::Delete) => format!("a removes {name}; it asks for the name first"),
            (_, ChangeKind::Create) if taken == 0 => format!("a asks to apply the new file {name}"),
            (_, ChangeKind::Create) => format!("a applies the new file {name}"),
            (_, ChangeKind::Modify) if taken + left == 0 => match p.waiting().len() {
                0 => format!("a asks to apply all of {name} ({undecided} undecided)"),
                met => {
                    let rest = hunks(p.chosen().len());
                    format!("a asks to apply {rest} of {name}; {met} changed by both: y or n")
                }
            },
            (_, ChangeKind::Modify) if undecided > 0 && taken == 0 => {
                format!("{} of {name} undecided: y or n, then a", hunks(undecided))
            }
            (_, ChangeKind::Modify) if undecided > 0 => {
                let stay = if undecided == 1 { "stays" } else { "stay" };
                format!("a applies {} of {name}; {undecided} {stay} undecided", hunks(taken))
            }
            (_, ChangeKind::Modify) => format!("a applies {} of {name}", hunks_taken(taken)),
        }
    }

    /// `taken 2  left 1  undecided 4` over all files.
    pub(super) fn tally(&self, ctx: &Ctx<'_>) -> (usize, usize, usize) {
        let all = self.files.iter().filter_map(|f| Self::proposal(ctx, f.id)).map(Proposal::tally);
        all.fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))
    }

    /// How far the file is decided, in words that name no key.
    fn standing(&self, ctx: &Ctx<'_>) -> String {
        let shown = self.file().and_then(|file| Self::proposal(ctx, file.id));
        let Some(p) = shown.filter(|p| Self::in_review(ctx, p.id)) else { return self.intention(ctx) };
        match p.tally() {
            (_, _, 0) => format!("{} is decided, not applied yet", p.path.name()),
            (_, _, undecided) => format!("{} of {} undecided", count(undecided, "hunk"), p.path.name()),
        }
    }

    /// The row below the lines; only where the keys go there does it speak of keys.
    pub(super) fn footer(&self, ctx: &Ctx<'_>, columns: usize, focused: bool) -> Row {
        let g = ctx.glyphs;
        let words = if focused { self.intention(ctx) } else { self.standing(ctx) };
        // Of words that are too many whole parts go.
        let words = Row::of(&shorten_parts(&words, columns), Slot::Soft);
        if self.has_list(self.size.width) {
            return words;
        }
        let (taken, left, undecided) = self.tally(ctx);
        let counts = Row::of(
            &format!("{} {taken}  {} {left}  {} {undecided}", g.taken, g.left, g.undecided),
            Slot::Faint,
        );
        let room = columns.saturating_sub(words.width() + 2);
        let right = if counts.width() <= room || !focused { counts } else { self.moves(room) };
        words.ends(right, columns, g.ellipsis)
    }

    /// The keys that go on and choose lines, as many as fit.
    fn moves(&self, room: usize) -> Row {
        let file = ("} {", "file");
        let keys = [("v", "lines"), ("] [", "hunk"), file].into_iter().rev();
        let keys = keys.filter(|key| *key != file || self.files.len() > 1);
        keys.fold(Row::new(), |row, (key, what)| {
            let gap = if row.pieces.is_empty() { "" } else { "  " };
            let next =
                row.clone().and(gap, Slot::Text).and(key, Slot::Text).and(&format!(" {what}"), Slot::Faint);
            if next.width() <= room { next } else { row }
        })
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

    /// The files with their hunks, and below them the counts.
    pub(super) fn list(&self, ctx: &Ctx<'_>, columns: usize, height: usize) -> Vec<Row> {
        let g = ctx.glyphs;
        let mut rows = Vec::new();
        let mut at = 0;
        for (n, file) in self.files.iter().enumerate() {
            if n > 0 {
                rows.push(Row::new());
            }
            let (added, removed) = file.counts();
            let right = counts(added, removed);
            let path = fit_path(&file.path, columns.saturating_sub(right.width() + 2).max(6), g.ellipsis);
            let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(f, n)| (f, n));
            let slash = if folder.is_empty() { "" } else { "/" };
            let row = Row::of(folder, Slot::Soft).and(slash, Slot::Soft).and(name, Slot::Strong);
            rows.push(row.ends(right, columns, g.ellipsis));
            rows.extend(Self::marks(ctx, file.id).into_iter().map(|row| row.cut(columns, g.ellipsis)));
            let proposal = Self::proposal(ctx, file.id);
            let decided = proposal.map(|p| &p.decided);
            for hunk in 0..file.hunks.len() {
                let (mark, ink) = match decided.and_then(|d| d.get(&hunk)) {
                    Some(Decision::Taken) => (g.taken, Slot::Ok),
                    Some(Decision::Left) => (g.left, Slot::Soft),
                    None => (g.undecided, Slot::Soft),
                };
                let here = self.current == n && self.hunk == hunk;
                let what = match file.kind {
                    ChangeKind::Create => "new file".to_owned(),
                    ChangeKind::Delete => "removal".to_owned(),
                    ChangeKind::Modify => format!("hunk {}", hunk + 1),
                };
                let text = if here { Ink::of(Slot::Strong).bold() } else { Ink::of(Slot::Soft) };
                let pointer = if here { g.folded } else { " " };
                let row =
                    Row::of(pointer, Slot::Accent).and(" ", Slot::Text).and(mark, ink).and(" ", Slot::Text);
                let said = ctx.state.transcript.comment(file.id, hunk).map_or("", |_| "  commented");
                let both = if proposal.is_some_and(|p| p.meets(hunk)) { "  changed by both" } else { "" };
                let row = row.and(&what, text).and(both, Slot::Warn);
                let mut row = row.and(said, Slot::Info).cut(columns, g.ellipsis);
                if here {
                    at = rows.len();
                    row.ground = Some(Slot::Select);
                }
                rows.push(row);
            }
        }
        let foot = self.list_foot(ctx);
        let room = height.saturating_sub(foot.len() + 1);
        let from = (at + 1).saturating_sub(room.saturating_sub(2)).min(rows.len().saturating_sub(room));
        let mut rows: Vec<Row> = rows.into_iter().skip(from).take(room).collect();
        if height > foot.len() + 3 {
            rows.resize(height - foot.len(), Row::new());
            rows.extend(foot);
        }
        rows
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
            let more = format!("  {} and {} more", ctx.glyphs.ellipsis, count(hidden, "file"));
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

    /// What `A` would write, file by file.
    fn sheet(&self, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
        let g = ctx.glyphs;
        let ((_, key, does), head) = (self.sheet.words(), self.sheet_head(ctx));
        let head =
            Row::of(g.star, Slot::Accent).and(" ", Slot::Text).and(&head, Ink::of(Slot::Accent).bold());
        let mut rows = vec![head, Row::new()];
        for (id, _) in &self.asked_all {
            let Some(p) = Self::proposal(ctx, *id) else { continue };
            let (taken, left, _) = p.tally();
            let (chosen, waiting) = (p.chosen().len(), p.waiting().len());
            let what = match p.kind {
                _ if chosen == 0 => "nothing".to_owned(),
                ChangeKind::Create => "new file".to_owned(),
                ChangeKind::Delete => "removed".to_owned(),
                ChangeKind::Modify if waiting > 0 => {
                    let all = count(p.hunks.len(), "hunk");
                    format!("{chosen} of {all}, waits: {}", waits(p))
                }
                ChangeKind::Modify if taken + left == 0 && p.hunks.len() == 1 => {
                    "1 hunk (undecided)".to_owned()
                }
                ChangeKind::Modify if taken + left == 0 => {
                    format!("all {} (undecided)", count(p.hunks.len(), "hunk"))
                }
                ChangeKind::Modify => format!("{chosen} of {}", count(p.hunks.len(), "hunk")),
            };
            let off = ctx.state.off_plan(p).is_some();
            let what = if off { format!("off-plan  {what}") } else { what };
            let what = if p.back.is_some() { format!("take-back  {what}") } else { what };
            let ink = if off || p.kind == ChangeKind::Delete { Slot::Warn } else { Slot::Soft };
            let path = fit_path(p.path.as_str(), columns.saturating_sub(width(&what) + 4).max(6), g.ellipsis);
            let row = Row::of("  ", Slot::Text).and(&path, Slot::Text);
            rows.push(row.ends_keeping_right(Row::of(&what, ink), columns, g.ellipsis));
        }
        // A file has one row, whatever stands in it.
        let listed = |id| self.asked_all.iter().any(|(of, _)| *of == id);
        let others = self.files.iter().filter(|f| !listed(f.id)).filter_map(|f| Self::proposal(ctx, f.id));
        let others = others.filter(|p| in_part(p));
        for p in others.filter(|_| self.sheet != Sheet::Whole) {
            let what = format!("waits: {}", waits(p));
            let path = fit_path(p.path.as_str(), columns.saturating_sub(width(&what) + 4).max(6), g.ellipsis);
            let row = Row::of("  ", Slot::Text).and(&path, Slot::Soft);
            rows.push(row.ends_keeping_right(Row::of(&what, Slot::Warn), columns, g.ellipsis));
        }
        rows.push(Row::new());
        let keys = Row::of(key, Ink::of(Slot::Accent).bold()).and(&format!(" {does}   "), Slot::Soft);
        rows.push(keys.and("any other key", Ink::of(Slot::Accent).bold()).and(" goes back", Slot::Soft));
        rows.into_iter().map(|r| r.cut(columns, g.ellipsis)).collect()
    }
}

/// As many of these as the room holds, whole; where one does not stand whole it is said how many.
fn within(all: Vec<Vec<Row>>, room: usize, ellipsis: &str) -> Vec<Row> {
    let (mut rows, count) = (Vec::new(), all.len());
    let mut rest: usize = all.iter().map(Vec::len).sum();
    for (n, entry) in all.into_iter().enumerate() {
        let left = room - rows.len();
        if rest > left && entry.len() >= left {
            rows.extend(entry.into_iter().take(left.saturating_sub(1)));
            let more = format!("{ellipsis} {} more in a taller window", count - n);
            rows.extend((left > 0).then(|| Row::of(&more, Slot::Warn)));
            break;
        }
        rest -= entry.len();
        rows.extend(entry);
    }
    rows
}

/// What is said of a file that is not on disk as its change was proposed for it.
const fn since(how: OnDisk) -> &'static str {
    match how {
        OnDisk::Carried => "Changed on disk since; shown against the file as it is now.",
        OnDisk::Already => "Changed on disk since: the file holds this already.",
        OnDisk::Apart => "Changed on disk since; shown against the file as it was.",
    }
}

/// What leads to the name of the file.
fn lead(back: Option<TakeBack>) -> &'static str {
    match back {
        None => "Proposed changes to ",
        Some(back) if back.redo => "Putting back changes to ",
        Some(_) => "Taking back changes to ",
    }
}

/// What of a change would wait on, and why.
fn waits(p: &Proposal) -> String {
    let met = p.waiting().into_iter().filter(|n| p.meets(*n)).count();
    match (p.waiting().len(), met) {
        (all, met) if all == met => format!("{} changed by both", count(all, "hunk")),
        (all, _) => format!("{} undecided", count(all, "hunk")),
    }
}

fn hunks_taken(n: usize) -> String {
    match n {
        1 => "1 taken hunk".to_owned(),
        n => format!("{n} taken hunks"),
    }
}
