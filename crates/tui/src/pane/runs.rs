//! The runs: every session of this window, what was left unfinished, and below them the sessions of before.
//!
//! Owns the cursor, what is looked for and the line that is asked for. Never reaches another session: it says what
//! the window shall do.

mod open;
mod rows;
mod tidy;

use std::ops::Range;

use pilothouse_core::{
    clean::Clean,
    event::Stamped,
    intent::Slash,
    runs::{RunStatus, SessionWish, WorktreeEnd},
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect, Size},
    text::Line,
};

pub(crate) use self::open::attach;
use self::{open::begin, rows::Extent};
use super::{Ctx, Outcome, Pane, PaneId, PaneKind, Stand, Title, empty_state, hint_line, inside};
use crate::{
    frame,
    keymap::{Action, action::actions},
    overlay::{Prompt, prompt::Looking},
    row::Row,
    theme::Slot,
    window::{Berth, Number, RowKey, RunRow, Then, WindowWish},
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
        /// A page of runs on.
        PageDown "page-down", "a page on", "the choice";
        /// A page of runs back.
        PageUp "page-up", "a page back", "the choice";
        /// Show it; take up one that was left.
        Attach "attach", "show it here", "this window; every run goes on";
        /// Show its diff.
        Review "review", "review its changes", "this window; decides nothing";
        /// Its conversation.
        Log "log", "read its conversation", "this window; every run goes on";
        /// Say something in it.
        Message "message", "message this run", "that session; a run reads it with its next request";
        /// Stop it.
        Stop "stop", "stop it", "that run; asks first, sets aside what is undecided";
        /// A new session here.
        New "new", "new session here", "this folder; this session goes on";
        /// A new session in a worktree.
        Worktree "worktree", "new session in a worktree", "a folder of its own next to this one";
        /// Merge its worktree back.
        Merge "merge", "merge its worktree", "this folder; shows what would be merged first";
        /// Call it so.
        Rename "rename", "rename it", "its name in lists";
        /// Put it away.
        Archive "archive", "put it away", "hidden from lists; sessions list --archived shows it";
        /// Delete it.
        Delete "delete", "delete it", "its conversation and log; asks first";
        /// Look for one.
        Find "find", "find a session", "this list";
        /// Drop its worktree.
        Drop "drop", "drop its worktree", "that folder; shows what would be lost first";
    }
}

impl RunsAction {
    /// Whether it does nothing but choose another row.
    const fn moves(self) -> bool {
        matches!(self, Self::Down | Self::Up | Self::PageDown | Self::PageUp)
    }
}

/// From so many rows on, what is said of the chosen one has room of its own.
const DETAILS_FROM: usize = 20;

/// What a line is asked for.
#[derive(Clone, Debug)]
enum Wanted {
    Message(Number),
    Worktree,
    Title(Berthed),
    Find,
}

/// The session that is to be called so.
#[derive(Clone, Debug)]
enum Berthed {
    /// One of this window.
    Here(Number),
    /// One that nobody works on.
    Left(String),
}

/// The pane.
#[derive(Debug, Default)]
pub struct RunsPane {
    /// As it was laid out last.
    drawn: List,
    /// The row that was chosen, and where it stood then.
    cursor: Option<(RowKey, usize)>,
    /// The row that the screen marks.
    marked: Option<RowKey>,
    /// The first row of the screen that is shown.
    offset: usize,
    wanted: Option<Wanted>,
    /// What is looked for; every one is listed where it is empty.
    sought: String,
    size: Size,
}

impl RunsPane {
    /// Those that are listed.
    fn listed<'a>(&self, ctx: &Ctx<'a>) -> Vec<&'a RunRow> {
        let holds = |text: &str| text.to_lowercase().contains(&self.sought.to_lowercase());
        let found = |r: &&RunRow| {
            [r.title(), &r.info.folder, &r.info.session, r.info.status.name(), &r.info.doing]
                .into_iter()
                .any(holds)
        };
        ctx.runs.iter().filter(|r| !r.is_nothing()).filter(found).collect()
    }

    fn chosen<'a>(&self, ctx: &Ctx<'a>) -> Option<&'a RunRow> {
        let listed = self.listed(ctx);
        listed.get(self.at(&listed)).copied()
    }

    fn at(&self, listed: &[&RunRow]) -> usize {
        let last = listed.len().saturating_sub(1);
        // What waits for the user comes first; who has said nothing here yet comes for what was left, unless others are open.
        let place = |is: &dyn Fn(&RunRow) -> bool| listed.iter().position(|r| is(r));
        let shown = place(&|r| matches!(r.berth, Berth::Shown(_)));
        let idle = |at: usize| listed.get(at).is_some_and(|r| r.info.status == RunStatus::Idle);
        let fresh = shown.is_some_and(idle) && listed.iter().filter(|r| r.is_of_window()).count() == 1;
        // The one that comes after a row that is gone takes its place.
        let cursor = self.cursor.as_ref().map(|(key, at)| place(&|r| r.key() == *key).unwrap_or(*at));
        let at = cursor.or_else(|| place(&|r| r.waits()));
        let at = at.or_else(|| place(&|r| r.was_left()).filter(|_| fresh)).or(shown);
        at.unwrap_or_default().min(last)
    }

    fn carry_out(&mut self, action: RunsAction, ctx: &Ctx<'_>) -> Outcome {
        let listed = self.listed(ctx);
        let at = self.at(&listed);
        if action == RunsAction::Find {
            self.wanted = Some(Wanted::Find);
            return Outcome::open(Prompt::sought(ID, Looking::Find, "Find a session; empty lists all"));
        }
        let Some(row) = listed.get(at).copied() else { return Outcome::none() };
        let choose = |at: usize| listed.get(at).map(|row| (row.key(), at));
        let last = listed.len().saturating_sub(1);
        if !action.moves() && self.marked.as_ref().is_some_and(|marked| *marked != row.key()) {
            return Outcome::notice("the list has changed; look again");
        }
        match action {
            RunsAction::Down => self.cursor = choose((at + 1).min(last)),
            RunsAction::Up => self.cursor = choose(at.saturating_sub(1)),
            RunsAction::PageDown => self.cursor = choose((at + self.page()).min(last)),
            RunsAction::PageUp => self.cursor = choose(at.saturating_sub(self.page())),
            RunsAction::Attach => return attach(row, Then::Draft),
            RunsAction::Review | RunsAction::Log if !row.is_of_window() => return tidy::not_open(),
            RunsAction::Review if !tidy::has_changes(row) => return Outcome::notice(tidy::UNCHANGED),
            RunsAction::Review => return attach(row, Then::Diff),
            RunsAction::Log => return attach(row, Then::Conversation),
            RunsAction::Message | RunsAction::Stop | RunsAction::Rename if row.follows.is_some() => {
                return row.follows.map_or_else(Outcome::none, Outcome::notice);
            }
            RunsAction::Message => return self.message(row),
            RunsAction::Stop => return tidy::stop(row),
            RunsAction::Rename => return self.rename(row),
            RunsAction::Archive => return tidy::archive(row),
            RunsAction::Delete => return tidy::delete(row),
            RunsAction::New => return begin(SessionWish { front: true, ..SessionWish::default() }),
            RunsAction::Worktree => {
                self.wanted = Some(Wanted::Worktree);
                let question = "Name of the worktree, then what to do in it";
                return Outcome::open(Prompt::of_pane(ID, "Worktree", question, ""));
            }
            RunsAction::Find => {}
            RunsAction::Merge => return tidy::end(WorktreeEnd::Merge, row, ctx.runs),
            RunsAction::Drop => return tidy::end(WorktreeEnd::Drop, row, ctx.runs),
        }
        Outcome::none()
    }

    fn rename(&mut self, row: &RunRow) -> Outcome {
        let of = match row.number() {
            Some(number) => Berthed::Here(number),
            None if row.was_left() => Berthed::Left(row.info.session.clone()),
            None => return Outcome::notice(tidy::HELD),
        };
        self.wanted = Some(Wanted::Title(of));
        let question = format!("What \"{}\" is called", crate::status::shorten(row.title(), 40));
        let title = Clean::line(&row.info.title);
        Outcome::open(Prompt::of_pane(ID, "Rename", question, title.as_str()))
    }

    fn message(&mut self, row: &RunRow) -> Outcome {
        let Some(number) = row.number() else {
            return tidy::not_open();
        };
        self.wanted = Some(Wanted::Message(number));
        let question = format!("Say to \"{}\"", crate::status::shorten(row.title(), 40));
        Outcome::open(Prompt::of_pane(ID, "Message", question, ""))
    }

    /// Whether the columns are named above the list: not in the rows that runs could have.
    fn has_heading(&self, columns: usize) -> bool {
        let least = if columns >= rows::TABLE_FROM { 1 } else { 8 };
        columns >= rows::FIGURES_FROM && self.size.height > least
    }

    /// Rows of the screen that the list may take, its heading left out, beside what is said of the chosen one.
    fn room(&self, details: usize, columns: usize) -> usize {
        let heading = usize::from(self.has_heading(columns));
        let height = usize::from(self.size.height).saturating_sub(heading);
        if height < DETAILS_FROM { height.max(1) } else { height.saturating_sub(details + 1).max(1) }
    }

    /// As many runs as stand on the screen, by the rows of the chosen one.
    fn page(&self) -> usize {
        let columns = usize::from(inside(Rect::from((Position::ORIGIN, self.size))).width);
        let List { chosen, details, .. } = &self.drawn;
        (self.room(details.len(), columns) / chosen.len().max(1)).max(1)
    }

    /// What is drawn: as much of each run as there is room for.
    fn list(&self, listed: &[&RunRow], ctx: &Ctx<'_>, columns: usize) -> List {
        let height = usize::from(self.size.height);
        let details = listed.get(self.at(listed)).map_or_else(Vec::new, |run| {
            let whole = rows::details(run, Extent::Whole, ctx, columns);
            if whole.len() <= height / 2 { whole } else { rows::details(run, Extent::Cut, ctx, columns) }
        });
        let earlier = usize::from(listed.iter().any(|r| r.is_earlier()));
        let room = self.room(details.len(), columns);
        let (whole, cut) = (Extent::Whole, Extent::Cut);
        let drawn = |shape| self.rows(listed, shape, false, ctx, columns);
        // Of a list that is scrolled in any case neither is tried.
        for airy in [true, false].into_iter().filter(|_| listed.len() <= room) {
            let shape = ((whole, whole), airy);
            let (rows, chosen) = drawn(shape);
            if (!airy || rows.len() + 1 + earlier < height) && rows.len() <= room {
                return List { shape, chosen, details };
            }
        }
        // Where not all have room whole, the chosen one has, unless it has none alone.
        let shape = ((cut, whole), false);
        let (_, chosen) = drawn(shape);
        if chosen.len() <= room {
            return List { shape, chosen, details };
        }
        let shape = ((cut, cut), false);
        List { shape, chosen: drawn(shape).1, details }
    }

    /// The rows of the list, and those that the chosen one takes.
    fn rows(
        &self,
        listed: &[&RunRow],
        ((others, own), airy): ((Extent, Extent), bool),
        focused: bool,
        ctx: &Ctx<'_>,
        columns: usize,
    ) -> (Vec<Row>, Range<usize>) {
        let at = self.at(listed);
        let (mut rows, mut chosen) = (Vec::new(), 0..1);
        let live = listed.iter().filter(|r| !r.is_earlier()).count();
        for (n, run) in listed.iter().enumerate() {
            if n == live {
                rows.extend((n > 0 && !airy).then(Row::new));
                rows.push(rows::earlier_heading(ctx, columns));
            }
            let from = rows.len();
            let extent = if n == at { own } else { others };
            rows.extend(rows::run(run, focused && n == at, extent, ctx, columns));
            chosen = if n == at { from..rows.len() } else { chosen };
            rows.extend((n < live && airy).then(Row::new));
        }
        (rows, chosen)
    }
}

/// The list as it is drawn.
#[derive(Debug, Default)]
struct List {
    shape: ((Extent, Extent), bool),
    /// The rows of the chosen one.
    chosen: Range<usize>,
    /// What is said of it below.
    details: Vec<Row>,
}

impl Pane for RunsPane {
    fn fold(&mut self, _state: &State, _event: &Stamped) {}

    fn stand(&self, _ctx: &Ctx<'_>, focused: bool) -> Stand {
        if focused { Stand::Alone } else { Stand::Hidden }
    }

    fn tab(&self, ctx: &Ctx<'_>) -> Option<String> {
        // A session that came to rest is there to be gone on with; it is no run.
        let runs = ctx.runs.iter().filter(|r| !r.is_earlier() && !r.is_nothing()).count();
        (runs > 1).then(|| format!("Runs {runs}"))
    }

    fn layout(&mut self, ctx: &Ctx<'_>, size: Size) {
        self.size = size;
        let columns = usize::from(inside(Rect::from((Position::ORIGIN, size))).width);
        let listed = self.listed(ctx);
        self.drawn = self.list(&listed, ctx, columns);
        self.marked = listed.get(self.at(&listed)).map(|row| row.key());
        let List { chosen, details, .. } = &self.drawn;
        // What stands above the first of a kind is seen with it, and the beginning of a long one before its end.
        let room = self.room(details.len(), columns);
        let first = if chosen.start < 3 && chosen.end <= room { 0 } else { chosen.start };
        self.offset = self.offset.clamp(chosen.end.saturating_sub(room).min(first), first);
    }

    fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool) {
        let area = area.intersection(buf.area);
        let listed = self.listed(ctx);
        if listed.is_empty() && !self.sought.is_empty() {
            let none = format!("No session here has \"{}\".", Clean::line(&self.sought).as_str());
            return empty_state(ctx, area, buf, &[&none, "Esc lists them all."]);
        }
        let told = |r: &RunRow| r.worktree.is_some() && !r.info.doing.is_empty();
        if listed.len() < 2
            && listed.iter().all(|r| r.info.status == RunStatus::Idle)
            && !listed.iter().any(|r| told(r))
        {
            let words = [
                "Only this conversation is running.",
                "/bg TASK starts another beside it, /worktree NAME one in a folder of its own;",
                "each keeps running while you look at another.",
            ];
            return empty_state(ctx, area, buf, &words);
        }
        let inner = inside(area);
        let columns = usize::from(inner.width);
        let mut y = area.top();
        let List { shape, chosen, details: below } = &self.drawn;
        let (all, _) = self.rows(&listed, *shape, focused, ctx, columns);
        if self.has_heading(columns) {
            rows::heading(columns).paint(ctx.theme, buf, inner, y);
            // Where there is air between the runs, there is some above the first.
            y += 1 + u16::from(all.get(2).is_some_and(|row| row.pieces.is_empty()));
        }
        let shown = all.iter().enumerate().skip(self.offset).take(self.room(below.len(), columns));
        for ((n, row), at) in shown.zip(y..area.bottom()) {
            if focused && chosen.contains(&n) {
                buf.set_style(Rect { y: at, height: 1, ..area }, ctx.theme.fill(Slot::Select));
            }
            row.paint(ctx.theme, buf, inner, at);
            y = at + 1;
        }
        if usize::from(area.bottom().saturating_sub(y)) > below.len() {
            for (row, y) in below.iter().zip(y + 1..) {
                row.paint(ctx.theme, buf, inner, y);
            }
        }
    }

    fn seek(&mut self, text: &str) {
        (self.sought, self.cursor) = (text.to_owned(), None);
    }

    fn close(&mut self) -> bool {
        !std::mem::take(&mut self.sought).is_empty()
    }

    fn title(&self, ctx: &Ctx<'_>) -> Title {
        let (earlier, runs): (Vec<&RunRow>, Vec<_>) =
            self.listed(ctx).into_iter().partition(|r| r.is_earlier());
        let of = |status: RunStatus| runs.iter().filter(|r| r.info.status == status).count();
        let mut right = Row::of(&runs.len().to_string(), Slot::Soft);
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
        if !earlier.is_empty() {
            right = right.and(" ", Slot::Text).and(ctx.glyphs.dot, Slot::Faint);
            right = right.and(&format!(" {} earlier", earlier.len()), Slot::Soft);
        }
        let sought = Clean::line(&self.sought);
        let left = if self.sought.is_empty() {
            "Runs".to_owned()
        } else {
            format!("Runs · \"{}\"", sought.as_str())
        };
        Title { left, right: right.line(ctx.theme) }
    }

    fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static> {
        let Some(run) = self.chosen(ctx) else {
            let keys: &[_] = if self.sought.is_empty() { &[] } else { &[("/", "find"), ("Esc", "list all")] };
            return hint_line(ctx, keys, width);
        };
        let does = if matches!(run.berth, Berth::Shown(_)) {
            "back to it"
        } else if run.is_of_window() {
            "attach"
        } else if run.is_earlier() {
            "open"
        } else {
            "take up"
        };
        let mut keys = vec![("Enter", does)];
        if run.is_held_here() {
            keys.push(("m", "message"));
        }
        if tidy::has_changes(run) {
            keys.push(("v", "review"));
        }
        if run.works_here() || run.waits() {
            keys.push(("x", "stop"));
        }
        if run.worktree.is_some() && !run.info.status.works() {
            keys.extend([("M", "merge"), ("D", "drop")]);
        }
        if run.is_held_here() || run.was_left() {
            keys.push(("r", "rename"));
        }
        if run.was_left() {
            keys.extend([("a", "put away"), ("d", "delete")]);
        }
        keys.extend([("/", "find"), ("n", "new"), ("t", "worktree")]);
        keys.push(("Esc", if self.sought.is_empty() { "back, all keep running" } else { "list all" }));
        hint_line(ctx, &keys, width)
    }

    fn act(&mut self, action: Action, ctx: &Ctx<'_>) -> Outcome {
        RunsAction::of(action).map_or_else(Outcome::none, |action| self.carry_out(action, ctx))
    }

    fn meaning(&self, action: frame::Action) -> Option<Action> {
        let keys = [
            (frame::Action::ScrollUp, RunsAction::PageUp),
            (frame::Action::ScrollDown, RunsAction::PageDown),
        ];
        keys.into_iter().find(|(key, _)| *key == action).map(|(_, meant)| meant.into())
    }

    fn acts_at_once(&self, _letter: char, action: Option<Action>, _ctx: &Ctx<'_>) -> bool {
        let action = action.and_then(RunsAction::of);
        action.is_some_and(|action| action.moves() || action == RunsAction::Find)
    }

    fn typed(&mut self, line: String, _ctx: &Ctx<'_>) -> Outcome {
        let line = line.trim();
        let find = |w: &Wanted| matches!(w, Wanted::Find);
        match self.wanted.take().filter(|w| find(w) || !line.is_empty()) {
            Some(Wanted::Find) => {
                self.seek(line);
                Outcome::none()
            }
            Some(Wanted::Message(number)) => Outcome {
                notice: Some("sent there".to_owned()),
                ..Outcome::window(WindowWish::Say(number, line.to_owned()))
            },
            Some(Wanted::Title(of)) => tidy::title(of, line),
            Some(Wanted::Worktree) => {
                let (name, task) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                let message = Some(task.trim().to_owned()).filter(|task| !task.is_empty());
                let worktree = Some(name.to_owned());
                begin(SessionWish { worktree, front: message.is_none(), message, ..SessionWish::default() })
            }
            None => Outcome::none(),
        }
    }
}
