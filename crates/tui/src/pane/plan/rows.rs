//! The rows of the plan pane, made from the state.

mod drawn;
mod footer;
mod gates;
mod path;
mod reach;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    event::Proof,
    ids::{GateId, Millis, ProposalId, TaskId},
    intent::IntentNode,
    money::clock,
    plan::{Change, Plan, Revision, Task, TaskStatus},
    proposal::{Proposal, ProposalStatus},
    relpath::RelPath,
    session::{LaneKind, State},
};

use crate::{
    pane::Ctx,
    row::{self, Ink, Row, hang, wrap_to},
    theme::Slot,
};

pub(super) use drawn::Drawn;
pub(super) use footer::{footer, is_of_plan};
pub(super) use gates::{ended, progress};
pub use path::breadcrumb;
use path::path;
pub(crate) use reach::beyond;
pub(super) use reach::{all_beyond, within};
use written::{is_taken_back, with_back};

/// Columns that a title of more than one row has at least beside what stands at its right.
const TITLE_ROOM: usize = 20;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Task(TaskId),
    Gate(GateId),
    Proposal(ProposalId),
    /// A place that a red gate names.
    Place(GateId, usize),
}

/// One row.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) row: Row,
    pub(super) target: Option<Target>,
    /// Whether it is a heading, and nothing without what follows it.
    pub(super) heads: bool,
}

impl Item {
    /// A row that cannot be chosen.
    fn plain(row: Row) -> Self {
        Self { row, target: None, heads: false }
    }

    /// A row that can be chosen.
    fn of(target: Target, row: Row) -> Self {
        Self { row, target: Some(target), heads: false }
    }
}

/// The plan to show, and whether it is the active one.
pub(super) fn plan_of(state: &State) -> Option<(&Plan, bool)> {
    let active = state.plan.as_ref().map(|p| (p, true));
    active.or_else(|| state.suspended.as_ref().map(|p| (p, false)))
}

const fn change_ink(change: Change) -> Slot {
    match change {
        Change::Added => Slot::Ok,
        Change::Reworded | Change::Changed => Slot::Info,
        Change::Moved => Slot::Soft,
    }
}

/// Rows that it takes at least, with the files below the steps at work and what stands around its steps and gates.
pub(super) fn least(plan: &Plan, state: &State) -> usize {
    let works = |id: TaskId| plan.task(id).is_some_and(|t| t.status == TaskStatus::Running);
    let nested = state.proposals().values().filter(|p| p.task.is_some_and(works));
    let files: BTreeSet<&RelPath> = nested.map(|p| &p.path).collect();
    plan.tasks.len() + plan.gates.len() + files.len() + 12
}

/// Whether every task was done or left out.
pub(crate) fn finished(plan: &Plan) -> bool {
    plan.tasks.iter().all(|t| t.status.at_rest())
}

/// What is drawn: a version of a plan, and what it changed of the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Version<'a> {
    pub(super) plan: &'a Plan,
    pub(super) before: Option<&'a Plan>,
    /// The version that there is now, where this is an earlier one.
    pub(super) now: Option<u32>,
}

/// The version to draw: the plan as it is, or an earlier one that is looked at.
pub(super) fn version_of(state: &State, back: Option<u32>) -> Option<Version<'_>> {
    let (plan, _) = plan_of(state)?;
    let mut all = state.versions_before(plan);
    let at = all.iter().position(|p| Some(p.version) == back).unwrap_or(all.len());
    let now = (at < all.len()).then_some(plan.version);
    all.push(plan);
    let before = at.checked_sub(1).and_then(|n| all.get(n)).copied();
    Some(Version { plan: all.get(at)?, before, now })
}

/// Everything but the footer.
pub(super) fn items(
    ctx: &Ctx<'_>,
    (version, revision): (Version<'_>, &Revision),
    (width, whole): (usize, bool),
    open: &BTreeSet<Target>,
    proofs: &BTreeMap<GateId, (Millis, Proof)>,
) -> Drawn {
    let Version { plan, before, now } = version;
    let awaiting = now.is_none() && ctx.state.open.values().any(|c| c.kind.is_confirmation());
    let before = before.filter(|_| (awaiting || now.is_some()) && !revision.words().is_empty());
    let revised = before.map(|before| (before, revision));
    let back = with_back(ctx.state);
    let mut d =
        Drawer { ctx, plan, width, whole, open, awaiting, revised, back, barred: false, items: Vec::new() };
    if let Some(now) = now {
        let text = format!("Version {} of {now}, as it was; v shows the others", plan.version);
        d.plain(Row::of(&text, Slot::Warn));
    } else if let Some(row) = path(plan, ctx.state, awaiting, width, ctx.glyphs) {
        d.plain(row);
    }
    if let Some((before, revision)) = revised {
        d.labelled(&format!("Since v{}", before.version), &revision.words(), Slot::Text);
    }
    if !d.items.is_empty() {
        d.plain(Row::new());
    }
    for (task, n) in plan.tasks.iter().zip(1..) {
        d.task(task, n);
    }
    d.removed();
    if plan.tasks.iter().any(|t| t.status != TaskStatus::Pending) {
        d.plain(Row::new());
        for row in gates::standing(plan, ctx, width, d.barred) {
            d.plain(row);
        }
    }
    if !plan.gates.is_empty() {
        d.plain(Row::new());
        let hint = if awaiting { gates::covered(plan, ctx) } else { String::new() };
        d.plain(Row::of("Gates", Slot::Soft).and(&hint, Slot::Faint));
        d.items.iter_mut().next_back().into_iter().for_each(|item| item.heads = true);
        let pad = gates::name_columns(plan);
        for gate in &plan.gates {
            d.gate(gate, plan, pad, proofs.get(&gate.id).filter(|_| now.is_none()));
        }
    }
    d.removed_gates();
    if !plan.pauses.is_empty() {
        let all: Vec<String> = plan.pauses.iter().map(|p| p.words()).collect();
        d.plain(Row::new());
        d.labelled("Pauses", &all.join(", "), Slot::Text);
    }
    let mut reach = (Vec::new(), 0);
    if awaiting {
        d.candidates(plan);
        reach = (reach::blocks(plan, ctx, width), d.items.len());
        d.note(&plan.notes());
    }
    Drawn { items: d.items, reach }
}

struct Drawer<'a> {
    ctx: &'a Ctx<'a>,
    plan: &'a Plan,
    width: usize,
    /// Whether titles of what is done are read whole as well.
    whole: bool,
    open: &'a BTreeSet<Target>,
    awaiting: bool,
    /// The version before, and what was changed of it.
    revised: Option<(&'a Plan, &'a Revision)>,
    /// Of each step that wrote something: how many proposals, and how many of them were taken back since.
    back: BTreeSet<TaskId>,
    /// Whether the row of a step has a bar.
    barred: bool,
    items: Vec<Item>,
}

impl<'a> Drawer<'a> {
    fn plain(&mut self, row: Row) {
        let row = row.cut(self.width, self.ctx.glyphs.ellipsis);
        self.items.push(Item::plain(row));
    }

    fn task(&mut self, task: &Task, n: usize) {
        let g = self.ctx.glyphs;
        let (mark, ink, title) = match task.status {
            TaskStatus::Pending if self.is_added(task) => (g.star, Slot::Accent, Ink::of(Slot::Text)),
            TaskStatus::Pending => (g.pending, Slot::Soft, Ink::of(Slot::Text)),
            TaskStatus::Running => (g.active, Slot::Accent, Ink::of(Slot::Accent).bold()),
            TaskStatus::Done if task.unchanged => (g.skipped, Slot::Soft, Ink::of(Slot::Soft)),
            TaskStatus::Done => (g.done, Slot::Ok, Ink::of(Slot::Soft)),
            TaskStatus::Failed => (g.failed, Slot::Bad, Ink::of(Slot::Text)),
            TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::TakenBack | TaskStatus::NotDone => {
                (g.skipped, Slot::Soft, Ink::of(Slot::Soft))
            }
        };
        let change = self.change(task).map(|(change, _)| change);
        let lead = self.gutter(change.map(|c| (c.sign(), change_ink(c))));
        let lead = lead.and(mark, ink).and(" ", Slot::Text).and(&format!("{n} "), title);
        let lead = if task.pause { lead.and(g.pause, Slot::Warn).and(" ", Slot::Text) } else { lead };
        let nested = self.nested(task);
        let right = self.task_right(task, &nested);
        // A title is read whole: what stands at its right gives way first.
        let room = |right: &Row| self.width.saturating_sub(lead.width() + right.width() + 2);
        // What is to be approved is seen: files that find no place beside the title stand below it.
        let asked = self.awaiting && task.status == TaskStatus::Pending;
        let named = row::uncoded(&task.title);
        let words = Row::of(&named, title).pieces;
        let strip = |right: &Row| wrap_to(&words, room(right), room(right)).len();
        let breaks = row::width(named.split(' ').next().unwrap_or_default()) > room(&right);
        let beside = strip(&right);
        let narrow = beside > 1 && (breaks || room(&right) < TITLE_ROOM || beside > strip(&Row::new()));
        let below = asked && (task.files.len() > 1 || narrow);
        // A bar takes no word of the title: where it has no room, that of the whole plan stands below.
        let bar = task.status == TaskStatus::Running && !nested.is_empty();
        let taken = bar && beside > strip(&Row::new());
        self.barred |= bar && !taken && !breaks && room(&right) >= TITLE_ROOM;
        let right = if below || taken || breaks || room(&right) < TITLE_ROOM { Row::new() } else { right };
        // What is at the right has its columns in the first row alone.
        let titled = |right: &Row| wrap_to(&words, room(right), room(&Row::new()));
        let open = self.open.contains(&Target::Task(task.id));
        let rests = task.status.at_rest() && task.status != TaskStatus::Failed && !open && !self.whole;
        // What is done leaves the room to what is not.
        let lines =
            if rests { vec![Row::of(&named, title).cut(room(&right), g.ellipsis)] } else { titled(&right) };
        let mut lines = lines.into_iter();
        let mut left = lead.clone();
        left.pieces.extend(lines.next().unwrap_or_default().pieces);
        let row = left.ends_keeping_right(right, self.width, g.ellipsis);
        self.items.push(Item::of(Target::Task(task.id), row));
        for line in lines {
            let mut row = Row::of(&" ".repeat(lead.width()), Slot::Text);
            row.pieces.extend(line.pieces);
            self.plain(row);
        }
        if open {
            self.task_detail(task);
        } else if below {
            self.files(task, lead.width());
        }
        let files = written::by_file(&nested, self.ctx.state);
        for (n, (p, wrote)) in files.iter().enumerate() {
            self.proposal(p, *wrote, if n + 1 == files.len() { g.branch } else { g.fork });
        }
    }

    /// The files of a step below its title.
    fn files(&mut self, task: &Task, indent: usize) {
        let (new, there): (Vec<&RelPath>, Vec<&RelPath>) =
            task.files.iter().partition(|f| self.is_new(task, f));
        // A path that finds no place in a row gives up its middle: the plan is to be seen down to its gates.
        let room = self.width.saturating_sub(indent);
        let fit = |f: &&RelPath| row::fit_path(f.as_str(), room, self.ctx.glyphs.ellipsis);
        let names = |files: &[&RelPath]| files.iter().map(fit).collect::<Vec<_>>().join(", ");
        let comma = if new.is_empty() || there.is_empty() { "" } else { ", " };
        let mark = if new.is_empty() { "" } else { "new " };
        let names = Row::of(&names(&there), Slot::Soft)
            .and(comma, Slot::Soft)
            .and(mark, Slot::Faint)
            .and(&names(&new), Slot::Soft);
        let lead = Row::of(&" ".repeat(indent), Slot::Text);
        for row in hang(&lead, &names.pieces, self.width) {
            self.plain(row);
        }
    }

    /// Whether a step makes a file: the first that names one that was not there; where nobody looked, one that is to create it
    /// and that was not seen.
    fn is_new(&self, task: &Task, file: &RelPath) -> bool {
        let writes = matches!(task.node, IntentNode::Create | IntentNode::Modify);
        let mut before = self.plan.tasks.iter().take_while(|t| t.id != task.id);
        match &self.plan.missing {
            Some(missing) => writes && missing.contains(file) && !before.any(|t| t.files.contains(file)),
            None => task.node == IntentNode::Create && !self.ctx.state.has_seen(file),
        }
    }

    /// Whether a step was added to what runs, and nothing of it was begun.
    fn is_added(&self, task: &Task) -> bool {
        !self.awaiting && task.turn.is_some()
    }

    /// What became of a step since the version before, and which it was there.
    fn change(&self, task: &Task) -> Option<(Change, Option<&'a Task>)> {
        let (before, revision) = self.revised?;
        let (change, was) = revision.step(task.id)?;
        Some((change, was.and_then(|id| before.task(id))))
    }

    /// The column of signs, where something was changed.
    fn gutter(&self, sign: Option<(char, Slot)>) -> Row {
        match (self.revised, sign) {
            (None, _) => Row::new(),
            (Some(_), None) => Row::of("  ", Slot::Text),
            (Some(_), Some((sign, slot))) => Row::of(&format!("{sign} "), slot),
        }
    }

    /// Steps of the version before that are gone.
    fn removed(&mut self) {
        let Some((before, revision)) = self.revised else { return };
        for task in revision.removed.iter().filter_map(|id| before.task(*id)) {
            self.gone(&row::uncoded(&task.title));
        }
    }

    /// What is not in the plan any more.
    fn gone(&mut self, what: &str) {
        let g = self.ctx.glyphs;
        let lead = self.gutter(Some(('-', Slot::Bad)));
        let row = lead.and(what, Slot::Faint);
        let row = row.ends_keeping_right(Row::of("removed", Slot::Faint), self.width, g.ellipsis);
        self.items.push(Item::plain(row));
    }

    /// Proposals below a task, while it runs.
    fn nested(&self, task: &Task) -> Vec<&'a Proposal> {
        if task.status != TaskStatus::Running {
            return Vec::new();
        }
        let state: &'a State = self.ctx.state;
        let of_task = state.proposals().values().filter(|p| p.task == Some(task.id));
        of_task.filter(|p| !matches!(p.status, ProposalStatus::Dropped | ProposalStatus::SetAside)).collect()
    }

    fn task_right(&self, task: &Task, nested: &[&Proposal]) -> Row {
        let g = self.ctx.glyphs;
        match task.status {
            TaskStatus::Running if !nested.is_empty() => {
                let open =
                    |p: &Proposal| matches!(p.status, ProposalStatus::Open | ProposalStatus::Applying(_));
                // Its parts are its files: those that the plan names, and others that it came to.
                let of_plan = task.files.iter().map(|path| (path, true));
                let mut waits: BTreeMap<&RelPath, bool> = of_plan.collect();
                for path in nested.iter().map(|p| &p.path) {
                    waits.insert(path, nested.iter().any(|p| p.path == *path && open(p)));
                }
                let done = waits.values().filter(|waits| !**waits).count();
                Row::of(&g.underway(done, waits.len()), Slot::Accent)
            }
            TaskStatus::Done if self.back.contains(&task.id) => Row::of("partly taken back", Slot::Warn),
            TaskStatus::Done => task.took.map_or_else(Row::new, |took| Row::of(&clock(took.0), Slot::Faint)),
            TaskStatus::TakenBack => Row::of("taken back", Slot::Warn),
            TaskStatus::NotDone => Row::of("not done", Slot::Warn),
            TaskStatus::Pending if self.awaiting => {
                let [first] = task.files.as_slice() else { return Row::new() };
                let new = if self.is_new(task, first) { "new " } else { "" };
                let path = row::fit_path(first.as_str(), self.width / 2, g.ellipsis);
                let pause = if task.pause { "pause  " } else { "" };
                Row::of(pause, Slot::Warn).and(new, Slot::Faint).and(&path, Slot::Soft)
            }
            TaskStatus::Pending if task.pause => Row::of("pause before it", Slot::Warn),
            TaskStatus::Pending if self.is_added(task) => Row::of("NEW", Slot::Accent),
            TaskStatus::Failed => Row::of("failed", Slot::Bad),
            TaskStatus::Skipped => Row::of("skipped", Slot::Soft),
            TaskStatus::Cancelled => Row::of("stopped", Slot::Soft),
            TaskStatus::Running => {
                let state = self.ctx.state;
                let lane = state.run_lanes().find(|l| l.kind == LaneKind::Task(task.id));
                if lane.is_some_and(|l| state.waits_for_ceiling(l)) {
                    return Row::of("waits: read-only", Slot::Warn);
                }
                lane.and_then(|l| state.step_before(l))
                    .map_or_else(Row::new, |n| Row::of(&format!("waits for step {n}"), Slot::Soft))
            }
            TaskStatus::Pending => Row::new(),
        }
    }

    fn task_detail(&mut self, task: &Task) {
        let mut lines: Vec<(String, Slot)> = Vec::new();
        if task.pause {
            lines.push(("a run pauses before it".to_owned(), Slot::Warn));
        }
        match self.change(task) {
            Some((Change::Reworded, Some(was))) if was.title != task.title => {
                lines.push((format!("was: {}", was.title), Slot::Faint));
            }
            Some((Change::Moved, Some(was))) => {
                let number = self.revised.map_or(0, |(before, _)| before.number(was.id));
                lines.push((format!("was step {number}"), Slot::Faint));
            }
            Some(_) | None => {}
        }
        lines.extend(task.detail.lines().map(|l| (l.to_owned(), Slot::Soft)));
        let room = self.width.saturating_sub(4);
        let fit = |f: &RelPath| row::fit_path(f.as_str(), room, self.ctx.glyphs.ellipsis);
        lines.extend(task.files.iter().map(|f| (fit(f), Slot::Text)));
        lines.push((format!("reaches {}", task.node.title()), Slot::Faint));
        if !task.after.is_empty() {
            let after: Vec<String> = task.after.iter().map(|t| t.0.to_string()).collect();
            lines.push((format!("after {}", after.join(", ")), Slot::Faint));
        }
        if let Some(spent) = self.ctx.state.accounts.tasks.get(&task.id) {
            lines.push((format!("spent {}", spent.spent()), Slot::Faint));
        }
        for (line, slot) in lines {
            self.wrapped(&line, slot);
        }
    }

    /// `wrote` is what was added and removed by it and those before it, where it is written.
    fn proposal(&mut self, p: &Proposal, wrote: Option<(usize, usize)>, branch: &str) {
        let g = self.ctx.glyphs;
        let review =
            self.ctx.state.open.values().filter_map(|c| c.kind.review()).any(|r| r.proposals.contains(&p.id));
        let (taken, left, undecided) = p.tally();
        let chosen = p.chosen();
        let written = || p.hunks.iter().enumerate().filter(|(n, _)| chosen.contains(n)).map(|(_, h)| h);
        let added: usize = written().map(pilothouse_core::diff::Hunk::added).sum();
        let removed: usize = written().map(pilothouse_core::diff::Hunk::removed).sum();
        let (added, removed) = wrote.unwrap_or((added, removed));
        let lines = |(added, removed): (usize, usize)| {
            let lost = if removed > 0 { format!(" -{removed}") } else { String::new() };
            format!("+{added}{lost}")
        };
        let before = wrote.map(|wrote| format!("{}  ", lines(wrote))).unwrap_or_default();
        let (mark, ink, right) = match p.status {
            ProposalStatus::Open if review => {
                let what = match (undecided, taken + left) {
                    (0, _) if taken == 0 => "no hunk taken, still open".to_owned(),
                    (0, _) => format!("{taken} taken, not written yet"),
                    (1, _) => "1 hunk waits".to_owned(),
                    (n, _) => format!("{n} hunks wait"),
                };
                (g.waits, Slot::Warn, Row::of(&before, Slot::Soft).and(&what, Slot::Warn))
            }
            ProposalStatus::Open => (g.inner, Slot::Soft, Row::of("drafted", Slot::Soft)),
            ProposalStatus::Applying(_) => {
                (g.spin(self.ctx.spinner), Slot::Info, Row::of("writing", Slot::Soft))
            }
            ProposalStatus::Applied(_) if is_taken_back(p, self.ctx.state) => {
                (g.skipped, Slot::Soft, Row::of("taken back", Slot::Soft))
            }
            ProposalStatus::Applied(_) => (g.done, Slot::Ok, Row::of(&lines((added, removed)), Slot::Soft)),
            ProposalStatus::There => (g.done, Slot::Ok, Row::of("there already", Slot::Soft)),
            ProposalStatus::SetAside => (g.skipped, Slot::Soft, Row::of("set aside", Slot::Soft)),
            ProposalStatus::Skipped | ProposalStatus::Dropped => {
                (g.skipped, Slot::Soft, Row::of("left", Slot::Soft))
            }
        };
        let lead = Row::of(&format!("   {branch} "), Slot::Faint).and(mark, ink).and(" ", Slot::Text);
        let room = self.width.saturating_sub(lead.width() + right.width() + 2).max(8);
        let left = lead.and(&row::fit_path(p.path.as_str(), room, g.ellipsis), Slot::Text);
        let row = left.ends_keeping_right(right, self.width, g.ellipsis);
        self.items.push(Item::of(Target::Proposal(p.id), row));
    }

    /// A text below a row, whole.
    fn wrapped(&mut self, text: &str, slot: Slot) {
        for row in hang(&Row::of("    ", Slot::Text), &Row::of(text, slot).pieces, self.width) {
            self.plain(row);
        }
    }

    /// How it stands among the plans that were made beside it.
    fn candidates(&mut self, plan: &Plan) {
        let all = self.ctx.state.candidates();
        let at = self.ctx.state.candidate_number(plan).and_then(|n| Some((n, all.get(n.checked_sub(1)?)?.1)));
        let Some((number, score)) = at.filter(|_| all.len() > 1) else { return };
        self.plain(Row::new());
        let text = format!("{number} of {}; {}", all.len(), score.words());
        self.labelled("Plan", &text, Slot::Text);
    }

    fn note(&mut self, note: &str) {
        if !note.trim().is_empty() {
            self.plain(Row::new());
            self.labelled("Note", &row::uncoded(note.trim()), Slot::Text);
        }
    }

    fn labelled(&mut self, label: &str, words: &str, slot: Slot) {
        for row in reach::labelled(label, words, slot, self.width, self.ctx.glyphs.ellipsis) {
            self.plain(row);
        }
    }
}
