//! The runs: every session of this window and what was left unfinished, each told at a glance.
//!
//! Owns the cursor and the line that is asked for. Never reaches another session: it says what the window shall do.

use pilothouse_core::{
    event::Stamped,
    intent::Slash,
    money::age,
    runs::{HostRequest, RunStatus, SessionWish, WorktreeEnd},
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

use super::{Ctx, Focus, Outcome, Pane, PaneId, PaneKind, Stand, Title, empty_state, hint_line, inside};
use crate::{
    keymap::{Action, action::actions},
    overlay::{Prompt, Stake, prompt::Purpose},
    row::{Ink, Row, count},
    theme::Slot,
    window::{Berth, Number, RunRow, Then, WindowWish},
};

/// The runs' name.
pub const ID: PaneId = PaneId("runs");

/// The runs.
pub const KIND: PaneKind = PaneKind {
    id: ID,
    command: Some(Slash::Runs),
    actions: RunsAction::ENTRIES,
    make: |_| Box::<RunsPane>::default(),
};

actions! {
    /// What can be done in the list of runs.
    RunsAction in "runs" {
        /// The next run.
        Down "down", "next run", "the choice";
        /// The previous run.
        Up "up", "previous run", "the choice";
        /// Show it; take up one that was left.
        Attach "attach", "show it here", "this window; every run goes on";
        /// Show its diff.
        Review "review", "review its changes", "this window; decides nothing";
        /// Its conversation.
        Log "log", "read its conversation", "this window; every run goes on";
        /// Say something in it.
        Message "message", "message this run", "that session; a run hears it at its next step";
        /// Stop it.
        Stop "stop", "stop it", "that run; asks first, sets aside what is undecided";
        /// A new session here.
        New "new", "new session here", "this folder; this session goes on";
        /// A new session in a worktree.
        Worktree "worktree", "new session in a worktree", "a folder of its own beside this one";
        /// Merge its worktree back.
        Merge "merge", "merge its worktree", "this folder; shows first what comes";
        /// Drop its worktree.
        Drop "drop", "drop its worktree", "that folder; shows first what is at stake";
    }
}

/// From here on a row has columns for step, age, gate and cost.
const TABLE_FROM: usize = 96;
/// From here on it has columns for step and age.
const FIGURES_FROM: usize = 56;
/// Columns of a mark and the word of a status.
const STATUS: usize = 19;

/// What a line is asked for.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Message(Number),
    Worktree,
}

/// The pane.
#[derive(Debug, Default)]
pub struct RunsPane {
    /// The row that was chosen.
    cursor: Option<usize>,
    offset: usize,
    wanted: Option<Wanted>,
    size: Size,
}

impl RunsPane {
    fn chosen<'a>(&self, ctx: &Ctx<'a>) -> Option<&'a RunRow> {
        ctx.runs.get(self.at(ctx))
    }

    fn at(&self, ctx: &Ctx<'_>) -> usize {
        let last = ctx.runs.len().saturating_sub(1);
        // Who has said nothing here yet comes for what was left.
        let fresh = ctx.runs.first().is_some_and(|r| r.info.status == RunStatus::Idle);
        let at = self.cursor.or_else(|| ctx.runs.iter().position(RunRow::was_left).filter(|_| fresh));
        at.unwrap_or_default().min(last)
    }

    fn carry_out(&mut self, action: RunsAction, ctx: &Ctx<'_>) -> Outcome {
        let last = ctx.runs.len().saturating_sub(1);
        let Some(row) = self.chosen(ctx) else { return Outcome::none() };
        match action {
            RunsAction::Down => self.cursor = Some((self.at(ctx) + 1).min(last)),
            RunsAction::Up => self.cursor = Some(self.at(ctx).saturating_sub(1)),
            RunsAction::Attach => return attach(row, Then::Draft),
            RunsAction::Review => return attach(row, Then::Diff),
            RunsAction::Log => return attach(row, Then::Conversation),
            RunsAction::Message => return self.message(row),
            RunsAction::Stop => return stop(row),
            RunsAction::New => return begin(SessionWish { front: true, ..SessionWish::default() }),
            RunsAction::Worktree => {
                self.wanted = Some(Wanted::Worktree);
                let question = "Name of the worktree, then what is to be done in it";
                return Outcome::open(Prompt::new(Purpose::Pane(ID), question, None));
            }
            RunsAction::Merge => return end(WorktreeEnd::Merge, row),
            RunsAction::Drop => return end(WorktreeEnd::Drop, row),
        }
        Outcome::none()
    }

    fn message(&mut self, row: &RunRow) -> Outcome {
        let Some(number) = row.number() else {
            return Outcome::notice("it is not open here; Enter takes it up first");
        };
        self.wanted = Some(Wanted::Message(number));
        let question = format!("Say to \"{}\"", crate::status::shorten(row.title(), 40));
        Outcome::open(Prompt::new(Purpose::Pane(ID), question, None))
    }

    /// Rows of the screen that each run takes.
    fn tall(&self, runs: usize) -> usize {
        let room = usize::from(self.size.height).saturating_sub(2);
        if runs * 3 <= room { 3 } else { 2 }
    }

    /// How many runs fit, beside the heading.
    fn fit(&self, runs: usize) -> usize {
        (usize::from(self.size.height).saturating_sub(1) / self.tall(runs)).max(1)
    }
}

/// Shows a session of this window, or takes up one that is in none.
fn attach(row: &RunRow, then: Then) -> Outcome {
    let session = Some(row.info.session.clone()).filter(|_| row.berth == Berth::Elsewhere);
    let worktree = row.worktree.clone().filter(|_| row.berth == Berth::Empty);
    let leave = Outcome::focus(Focus::Composer);
    match row.number() {
        Some(number) => Outcome { window: Some(WindowWish::Show(number, then)), ..leave },
        None => begin(SessionWish { session, worktree, message: None, front: true }),
    }
}

fn begin(wish: SessionWish) -> Outcome {
    let window = Some(WindowWish::Host(HostRequest::Open(wish)));
    Outcome { window, ..Outcome::focus(Focus::Composer) }
}

fn stop(row: &RunRow) -> Outcome {
    let Some(number) = row.number().filter(|_| row.info.status.works() || row.info.waiting > 0) else {
        return Outcome::notice("nothing of it runs in this window");
    };
    let mut lines = row.info.stake.clone();
    lines.push("what is undecided is set aside; nothing is lost".to_owned());
    let title = format!("Stop \"{}\"?", crate::status::shorten(row.title(), 40));
    Outcome::open(Stake::new(title, "stop it", lines, WindowWish::Stop(number)))
}

fn end(end: WorktreeEnd, row: &RunRow) -> Outcome {
    let Some(name) = row.worktree.clone() else {
        return Outcome::notice("it works in the folder itself, in no worktree of its own");
    };
    if row.info.status.works() {
        return Outcome::notice("it is still at work; x stops it first");
    }
    Outcome::window(WindowWish::Host(HostRequest::End { end, name, seen: None }))
}

impl Pane for RunsPane {
    fn fold(&mut self, _state: &State, _event: &Stamped) {}

    fn stand(&self, _ctx: &Ctx<'_>, focused: bool) -> Stand {
        if focused { Stand::Alone } else { Stand::Hidden }
    }

    fn tab(&self, ctx: &Ctx<'_>) -> Option<String> {
        // A session that came to rest is there to be gone on with; it is no run.
        let over = |r: &&RunRow| r.was_left() && r.info.status == RunStatus::Done;
        let runs = ctx.runs.len() - ctx.runs.iter().filter(over).count();
        (runs > 1).then(|| format!("Runs {runs}"))
    }

    fn layout(&mut self, ctx: &Ctx<'_>, size: Size) {
        self.size = size;
        let (fit, at) = (self.fit(ctx.runs.len()), self.at(ctx));
        self.offset = self.offset.clamp((at + 1).saturating_sub(fit), at);
    }

    fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool) {
        let area = area.intersection(buf.area);
        if ctx.runs.len() < 2 && ctx.runs.iter().all(|r| r.info.status == RunStatus::Idle) {
            let words = [
                "Only this conversation runs.",
                "/bg TASK begins another beside it, /worktree NAME one in a folder of its own;",
                "each goes on while you look at another.",
            ];
            return empty_state(ctx, area, buf, &words);
        }
        let inner = inside(area);
        let columns = usize::from(inner.width);
        let mut y = area.top();
        if columns >= TABLE_FROM {
            heading(columns).paint(ctx.theme, buf, inner, y);
            y += 1 + u16::from(self.tall(ctx.runs.len()) == 3);
        }
        let at = self.at(ctx);
        let shown = ctx.runs.iter().enumerate().skip(self.offset).take(self.fit(ctx.runs.len()));
        for (n, run) in shown {
            let lit = focused && n == at;
            for (row, y) in [first(run, lit, ctx, columns), second(run, ctx, columns)].iter().zip(y..) {
                if lit && y < area.bottom() {
                    buf.set_style(Rect { y, height: 1, ..area }, ctx.theme.fill(Slot::Select));
                }
                row.paint(ctx.theme, buf, inner, y);
            }
            y = y.saturating_add(u16::try_from(self.tall(ctx.runs.len())).unwrap_or(2));
        }
        let below = self.chosen(ctx).map_or_else(Vec::new, |run| details(run, ctx, columns));
        let room = usize::from(area.bottom().saturating_sub(y));
        if room > below.len() {
            for (row, y) in below.iter().zip(y + 1..) {
                row.paint(ctx.theme, buf, inner, y);
            }
        }
    }

    fn title(&self, ctx: &Ctx<'_>) -> Title {
        let of = |status: RunStatus| ctx.runs.iter().filter(|r| r.info.status == status).count();
        let mut right = Row::of(&ctx.runs.len().to_string(), Slot::Soft);
        for (n, words, slot) in [
            (of(RunStatus::Waiting), "waiting on you", Slot::Warn),
            (of(RunStatus::Failed), "failed", Slot::Bad),
            (of(RunStatus::Stalled), "stalled", Slot::Warn),
            (of(RunStatus::Orphaned), "orphaned", Slot::Bad),
        ] {
            if n > 0 {
                right = right.and(" ", Slot::Text).and(ctx.glyphs.dot, Slot::Faint);
                right = right.and(&format!(" {n} {words}"), slot);
            }
        }
        Title { left: "Runs".to_owned(), right: right.line(ctx.theme) }
    }

    fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static> {
        let Some(run) = self.chosen(ctx) else { return Line::default() };
        let mut keys = vec![("Enter", if run.is_of_window() { "attach" } else { "take up" })];
        if run.is_of_window() {
            keys.extend([("m", "message"), ("d", "review")]);
        }
        if run.is_of_window() && (run.info.status.works() || run.info.waiting > 0) {
            keys.push(("x", "stop"));
        }
        if run.worktree.is_some() && !run.info.status.works() {
            keys.extend([("M", "merge"), ("D", "drop")]);
        }
        keys.extend([("n", "new"), ("t", "worktree"), ("Esc", "back, all keep running")]);
        hint_line(ctx, &keys, width)
    }

    fn act(&mut self, action: Action, ctx: &Ctx<'_>) -> Outcome {
        RunsAction::of(action).map_or_else(Outcome::none, |action| self.carry_out(action, ctx))
    }

    fn acts_at_once(&self, _letter: char, action: Option<Action>, _ctx: &Ctx<'_>) -> bool {
        matches!(action.and_then(RunsAction::of), Some(RunsAction::Down | RunsAction::Up))
    }

    fn typed(&mut self, line: String, _ctx: &Ctx<'_>) -> Outcome {
        let line = line.trim();
        match self.wanted.take().filter(|_| !line.is_empty()) {
            Some(Wanted::Message(number)) => Outcome {
                notice: Some("sent there".to_owned()),
                ..Outcome::window(WindowWish::Say(number, line.to_owned()))
            },
            Some(Wanted::Worktree) => {
                let (name, task) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                let message = Some(task.trim().to_owned()).filter(|task| !task.is_empty());
                let worktree = Some(name.to_owned());
                begin(SessionWish { session: None, worktree, front: message.is_none(), message })
            }
            None => Outcome::none(),
        }
    }
}

fn padded(text: &str, columns: usize) -> String {
    let text = crate::status::shorten(text, columns);
    let gap = columns.saturating_sub(crate::row::width(&text));
    format!("{text}{}", " ".repeat(gap))
}

/// Columns at the right of a wide row: step, age, gate, cost.
const FIGURES: [usize; 4] = [7, 9, 14, 7];

fn heading(columns: usize) -> Row {
    let figures = ["step", "quiet", "next gate", "spend"];
    let right: String = figures.iter().zip(FIGURES).map(|(word, wide)| padded(word, wide)).collect();
    let left = Row::of(&format!("  {}run", padded("  state", STATUS)), Slot::Faint);
    left.ends(Row::of(&right, Slot::Faint), columns, "")
}

/// How it stands, what it is about, and the figures.
fn first(run: &RunRow, lit: bool, ctx: &Ctx<'_>, columns: usize) -> Row {
    let (glyph, slot) = run.mark(ctx.glyphs);
    let strong = if lit { Ink::of(Slot::Strong).bold() } else { Ink::of(Slot::Strong) };
    let cursor = if lit { ctx.glyphs.folded } else { " " };
    let row = Row::of(cursor, Slot::Accent).and(" ", Slot::Text);
    let word = if run.berth == Berth::Empty { "worktree" } else { run.info.status.name() };
    let quiet = if run.berth == Berth::Empty { String::new() } else { age(run.quiet) };
    let cost = run.info.usage.cost_micros.map_or_else(String::new, |micros| {
        format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
    });
    if columns < FIGURES_FROM {
        let row = row.and(glyph, slot).and(" ", Slot::Text).and(run.title(), strong);
        return row.ends_keeping_right(Row::of(&quiet, Slot::Soft), columns, ctx.glyphs.ellipsis);
    }
    let row = row.and(&padded(&format!("{glyph} {word}"), STATUS), Ink::of(slot).bold());
    let row = row.and(run.title(), strong);
    let gate = run.info.gate.clone().unwrap_or_default();
    let progress = run.info.progress();
    let words = [progress.as_str(), quiet.as_str(), gate.as_str(), cost.as_str()];
    let many = if columns >= TABLE_FROM { 4 } else { 2 };
    let aged = if run.info.status == RunStatus::Stalled { Slot::Warn } else { Slot::Soft };
    let mut right = Row::new();
    for (n, (word, wide)) in words.iter().zip(FIGURES).take(many).enumerate() {
        right.push(&padded(word, wide), if n == 1 { aged } else { Slot::Soft });
    }
    row.ends_keeping_right(right, columns, ctx.glyphs.ellipsis)
}

/// Where it works, and what goes on or waits.
fn second(run: &RunRow, ctx: &Ctx<'_>, columns: usize) -> Row {
    let slot = match run.info.status {
        RunStatus::Waiting | RunStatus::Stalled => Slot::Warn,
        RunStatus::Failed | RunStatus::Orphaned => Slot::Bad,
        RunStatus::Idle | RunStatus::Thinking | RunStatus::Tool | RunStatus::Done | RunStatus::Stopped => {
            Slot::Soft
        }
    };
    let shown = ctx.runs.iter().find(|r| matches!(r.berth, Berth::Shown(_)));
    let here = shown.is_some_and(|shown| shown.info.folder == run.info.folder);
    let mut place = if here { "this folder".to_owned() } else { run.folder().to_owned() };
    if run.worktree.is_some() && columns >= TABLE_FROM {
        place = format!("{place} {} worktree", ctx.glyphs.dot);
    }
    let doing = match (run.berth, run.info.doing.is_empty()) {
        (Berth::Shown(_), true) => "shown now",
        (_, true) if run.info.status == RunStatus::Orphaned => "its process is gone",
        _ => &run.info.doing,
    };
    if columns < FIGURES_FROM {
        let row = Row::of("    ", Slot::Text).and(run.info.status.name(), slot).and("  ", Slot::Text);
        return row.and(doing, Slot::Soft).cut(columns, ctx.glyphs.ellipsis);
    }
    let row = Row::of(&" ".repeat(STATUS + 2), Slot::Text);
    let wide = if columns >= TABLE_FROM { 30 } else { 22 };
    let row = row.and(&padded(&place, wide), Slot::Faint).and("  ", Slot::Text);
    row.and(doing, slot).cut(columns, ctx.glyphs.ellipsis)
}

/// Why it stands as it does, and what is at stake.
fn details(run: &RunRow, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
    let [across, _] = ctx.glyphs.rule;
    let quiet = age(run.quiet);
    let why = match run.info.status {
        RunStatus::Idle => "nothing was asked of it yet".to_owned(),
        RunStatus::Thinking => format!("the model is asked; the last sign of life came {quiet} ago"),
        RunStatus::Tool => format!("a tool or command is at work; the last sign of life came {quiet} ago"),
        RunStatus::Waiting => {
            let questions = count(run.info.waiting, "question");
            format!("{questions} of it {} for you", if run.info.waiting == 1 { "waits" } else { "wait" })
        }
        RunStatus::Stalled => {
            format!("it should be at work, and nothing was heard of it for {quiet}")
        }
        RunStatus::Done if run.info.steps == 0 && !run.info.wrote => "answered, nothing changed".to_owned(),
        RunStatus::Done => "what was asked is done".to_owned(),
        RunStatus::Failed => run.info.doing.clone(),
        RunStatus::Stopped => "it is unfinished and nothing works on it".to_owned(),
        RunStatus::Orphaned => "the process that worked on it is gone; its log is whole".to_owned(),
    };
    let held = run.info.pid.map(|pid| format!("process {pid} holds it; here it opens read-only"));
    let stake = Some(run.info.stake.join(", ")).filter(|s| !s.is_empty());
    let session = Some(run.info.session.clone()).filter(|s| !s.is_empty());
    let mut rows = vec![Row::of(&across.repeat(columns), Slot::Line)];
    let lines = [
        ("why this state", Some(why)),
        ("held", held),
        ("at stake", stake),
        ("folder", Some(run.info.folder.clone())),
        ("session", session),
    ];
    for (label, text) in lines {
        let Some(text) = text else { continue };
        let row = Row::of(&format!("  {label:17}"), Slot::Soft).and(&text, Slot::Text);
        rows.push(row.cut(columns, ctx.glyphs.ellipsis));
    }
    rows
}
