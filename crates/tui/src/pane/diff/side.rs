//! What stands around the lines: what has to be known of a file, the counts, what `a` would do.

use pilothouse_core::{
    checkpoint::Checkpoint,
    clean::Clean,
    ids::ProposalId,
    proposal::{CONTROL_WORD, OnDisk, Proposal, ProposalStatus, TakeBack},
    tool::ChangeKind,
};

use super::{DiffPane, doc::File, lines::counts};
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

/// Said below a refusal, where lines of others go by what is proposed.
const SIGNS: &str = " - is what stands there now, + is what is proposed.";

impl DiffPane {
    /// Whether a proposal is up for the user's decision.
    pub(super) fn in_review(ctx: &Ctx<'_>, id: ProposalId) -> bool {
        ctx.state.open.values().any(|c| c.kind.review().is_some_and(|r| r.proposals.contains(&id)))
    }

    pub(super) fn proposal<'a>(ctx: &Ctx<'a>, id: ProposalId) -> Option<&'a Proposal> {
        ctx.state.proposals().get(&id)
    }

    /// Said of a change in a file that its step did not name.
    pub(super) fn off_plan(ctx: &Ctx<'_>, id: ProposalId) -> Option<String> {
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
        let place = match &self.sought {
            _ if ctx.body.width >= WIDE => String::new(),
            Some(sought) => sought.place() + "  ",
            None => self.place(ctx, false) + "  ",
        };
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
        let signs = if proposal.is_some_and(|p| !p.meets.is_empty()) { SIGNS } else { "" };
        rows.extend(failed.map(|(_, message)| told(g.failed, &format!("{message}{signs}"), Slot::Bad)));
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
        // It is said of the plan: once, above the first file.
        let first = self.files.first().is_some_and(|first| first.id == file.id);
        let of_plan = first && proposal.is_some_and(|p| p.task.is_some());
        let unchecked = ctx.state.began_unchecked().filter(|_| of_plan);
        rows.extend(unchecked.map(|said| warned(g.warn, &Clean::line(said))));
        let off_plan = Self::off_plan(ctx, file.id);
        rows.extend(off_plan.map(|words| warned(g.off_plan, &words)));
        rows
    }

    /// What `a` does now, in words.
    pub(super) fn intended(&self, ctx: &Ctx<'_>) -> String {
        self.applied().map(|file| self.intention(ctx, file)).unwrap_or_default()
    }

    /// What `a` does with this file now, in words.
    pub(super) fn intention(&self, ctx: &Ctx<'_>, file: &File) -> String {
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
                format!("{name} has changed since: y replaces, n keeps, e merges")
            }
            (_, _) if p.control.is_some() => {
                format!("a applies the control file {name}; it asks for its word first")
            }
            (_, ChangeKind::Delete) => format!("a removes {name}; it asks for the name first"),
            (_, ChangeKind::Create) if taken + left == 0 => format!("a asks to apply the new file {name}"),
            (_, ChangeKind::Create) if left + undecided == 0 => format!("a applies the new file {name}"),
            (_, ChangeKind::Modify) if taken + left == 0 => match p.waiting().len() {
                0 => format!("a asks to apply all of {name} ({undecided} undecided)"),
                met => {
                    let rest = hunks(p.chosen().len());
                    format!("a asks to apply {rest} of {name}; {met} changed by both: y, n or e")
                }
            },
            (_, _) if undecided > 0 && taken == 0 => {
                format!("{} of {name} undecided: y or n, then a", hunks(undecided))
            }
            (_, _) if undecided > 0 => {
                let stay = if undecided == 1 { "stays" } else { "stay" };
                format!("a applies {} of {name}; {undecided} {stay} undecided", hunks(taken))
            }
            (_, _) => format!("a applies {} of {name}", hunks_taken(taken)),
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
        let Some(p) = shown.filter(|p| Self::in_review(ctx, p.id)) else { return self.intended(ctx) };
        match p.tally() {
            (_, _, 0) => format!("{} is decided, not applied yet", p.path.name()),
            (_, _, undecided) => format!("{} of {} undecided", count(undecided, "hunk"), p.path.name()),
        }
    }

    /// The row below the lines: what the keys do, and at its end how much of the hunk is below it.
    pub(super) fn footer(&self, ctx: &Ctx<'_>, columns: usize, focused: bool) -> Row {
        let words = if focused { self.intended(ctx) } else { self.standing(ctx) };
        let below = self.told_below(columns.saturating_sub(width(&words) + 2));
        let room = columns.saturating_sub(if below.pieces.is_empty() { 0 } else { below.width() + 2 });
        let row = self.does(ctx, &words, room, focused);
        if below.pieces.is_empty() {
            row
        } else {
            row.ends_keeping_right(below, columns, ctx.glyphs.ellipsis)
        }
    }

    /// How many lines of the hunk are below the last row, in as many words as have room; under a sheet nothing.
    fn told_below(&self, room: usize) -> Row {
        let (below, open) = (self.below, !self.asked_all.is_empty());
        let whole =
            if below == 1 { "1 more line below".to_owned() } else { format!("{below} more lines below") };
        match below {
            0 => Row::new(),
            _ if open => Row::new(),
            _ if width(&whole) <= room => Row::of(&whole, Slot::Soft),
            _ => Row::of(&format!("{below} more below"), Slot::Soft),
        }
    }

    /// What the keys do, and how far all is decided; only where the keys go there does it speak of keys.
    fn does(&self, ctx: &Ctx<'_>, words: &str, columns: usize, focused: bool) -> Row {
        let g = ctx.glyphs;
        // Of words that are too many whole parts go.
        let words = Row::of(&shorten_parts(words, columns), Slot::Soft);
        let room = columns.saturating_sub(words.width() + 2);
        let (taken, left, undecided) = self.tally(ctx);
        let counts = format!("{} {taken}  {} {left}  {} {undecided}", g.taken, g.left, g.undecided);
        let counts = Some(Row::of(&counts, Slot::Faint)).filter(|_| !self.has_list(self.size.width));
        let keys = [("v", "lines"), ("c", "comment"), ("/", "search"), ("S", "split")];
        let file = (ctx.body.width < WIDE && self.files.len() > 1).then_some(("} {", "file"));
        let right = match counts {
            Some(counts) if counts.width() <= room || !focused => counts,
            Some(_) | None if focused => named_keys(file.into_iter().chain(keys), room),
            Some(_) | None => Row::new(),
        };
        words.ends(right, columns, g.ellipsis)
    }
}

/// Keys that are named nowhere else on the screen, or only where there is more room, as many as fit.
fn named_keys(keys: impl Iterator<Item = (&'static str, &'static str)>, room: usize) -> Row {
    keys.fold(Row::new(), |row, (key, what)| {
        let gap = if row.pieces.is_empty() { "" } else { "  " };
        let next =
            row.clone().and(gap, Slot::Text).and(key, Slot::Text).and(&format!(" {what}"), Slot::Faint);
        if next.width() <= room { next } else { row }
    })
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
        OnDisk::Already => "Changed on disk since: the file already has this.",
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

fn hunks_taken(n: usize) -> String {
    match n {
        1 => "1 taken hunk".to_owned(),
        n => format!("{n} taken hunks"),
    }
}
