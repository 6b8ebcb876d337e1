//! What was written: by run, by message or in the whole session, file by file; Enter shows the diff.
//!
//! Owns the list, the file that is chosen and the page of its diff. Reads the ledger by the one function
//! that there is for it, and never changes anything: what is to go is asked for, and decided in the diff.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    clean::Clean,
    completion::tally,
    input::Input,
    intent::Slash,
    port::{Ask, Reply},
    session::{Extent, Written, WrittenFile},
    tool::ChangeKind,
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, OverlayKind,
    page::{SCROLLS, choose, first_shown, frame, paint, place},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{self, Entry, action::actions},
    pane::{
        Focus,
        diff::{self, WrittenDiff, counts},
    },
    row::{Ink, Row, count, fit_path, time_of_day},
    theme::Slot,
};

/// The list.
pub const KIND: OverlayKind = OverlayKind {
    entry: Entry { name: Action::TABLE, label: "changes", reach: "opens a page" },
    command: Some(Slash::Changes),
    actions: Action::ENTRIES,
    heading: "In the page of changes",
    open: |ctx| {
        let list = Changes::of(ctx, Extent::Session);
        if list.groups.is_empty() { Err("nothing was changed in this session") } else { Ok(Box::new(list)) }
    },
};

actions! {
    /// What can be done with what was written.
    Action in "changes" {
        /// Take a file back hunk by hunk.
        TakeBack "take-back", "take back, hunk by hunk", "this file: the diff asks what to take back";
    }
}

/// Columns from which the footer names what every list does.
const NAMES_ALL: u16 = 76;

/// Wants what was written to a file taken back: the review of that takes the place of the page.
fn take_back(file: &WrittenFile, ctx: &Ctx<'_>) -> Outcome {
    if let Err(refusal) = ctx.state.may_take_back(&file.path, &file.writes) {
        return Outcome::complaint(refusal.reason);
    }
    let wanted = Input::UndoFile { path: file.path.clone(), writes: file.writes.clone() };
    Outcome { leave: true, ..Outcome { focus: Some(Focus::Pane(diff::ID)), ..Outcome::input(wanted) } }
}

/// What was written within an extent, and which file is chosen.
#[derive(Debug)]
pub(super) struct Changes {
    extent: Extent,
    groups: Vec<Written>,
    /// So many files with so many lines in all.
    total: String,
    /// How many files that are.
    distinct: usize,
    at: usize,
}

/// A row of the list.
enum Line<'a> {
    Head(&'a Written),
    File(usize, &'a WrittenFile),
}

impl Changes {
    pub(super) fn of(ctx: &Ctx<'_>, extent: Extent) -> Self {
        // The newest first, as one looks for it.
        let groups: Vec<Written> = ctx.state.written(extent).into_iter().rev().collect();
        // A file of several groups counts once.
        let all = ctx.state.written_files(extent);
        let (added, removed) = all.iter().fold((0, 0), |(a, r), f| (a + f.added, r + f.removed));
        let total = format!("{} {}", count(all.len(), "file"), tally(added, removed));
        Self { extent, groups, total, distinct: all.len(), at: 0 }
    }

    fn files(&self) -> impl Iterator<Item = &WrittenFile> {
        self.groups.iter().flat_map(|g| &g.files)
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        let mut number = 0;
        for group in &self.groups {
            lines.push(Line::Head(group));
            for file in &group.files {
                lines.push(Line::File(number, file));
                number += 1;
            }
        }
        lines
    }

    fn head(group: &Written, ctx: &Ctx<'_>, width: usize) -> Row {
        let what = if group.origin.run.is_some() { "run" } else { "turn" };
        let goal = Clean::line(group.goal.lines().next().unwrap_or_default());
        let time = time_of_day(group.origin.at, ctx.surroundings.utc_offset_minutes);
        let left = Row::of(what, Slot::Soft)
            .and(&format!(" {} ", ctx.glyphs.dot), Slot::Faint)
            .and(goal.as_str(), Ink::of(Slot::Strong).bold());
        left.ends_keeping_right(Row::of(&time, Slot::Faint), width, ctx.glyphs.ellipsis)
    }

    fn file(file: &WrittenFile, chosen: bool, ctx: &Ctx<'_>, width: usize) -> Row {
        let g = ctx.glyphs;
        let word = match file.kind() {
            ChangeKind::Create => "new  ",
            ChangeKind::Delete => "removed  ",
            ChangeKind::Modify => "",
        };
        let writes = file.writes.len();
        let times = if writes > 1 { format!("{writes} writes  ") } else { String::new() };
        let mut right = Row::of(&times, Slot::Faint).and(word, Slot::Soft);
        right.pieces.extend(counts(file.added, file.removed).pieces);
        let name = Clean::line(file.path.as_str());
        let room = width.saturating_sub(right.width() + 5).max(8);
        let ink = if chosen { Ink::of(Slot::Accent).bold() } else { Ink::of(Slot::Text) };
        let left = Row::of(if chosen { g.folded } else { " " }, Slot::Accent)
            .and(" ", Slot::Text)
            .and(&fit_path(name.as_str(), room, g.ellipsis), ink);
        let mut row = left.ends_keeping_right(right, width, g.ellipsis);
        row.ground = chosen.then_some(Slot::Select);
        row
    }
}

impl Overlay for Changes {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn weighs(&self, letter: char, action: Option<keymap::Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(match action.and_then(Action::of) {
            Some(Action::TakeBack) => Letter::Acts,
            None => Letter::of(letter, &['j', 'k', 'g', 'G', 's'], &['q']),
        })
    }

    fn act(&mut self, _action: keymap::Action, ctx: &Ctx<'_>) -> Outcome {
        self.files().nth(self.at).map_or_else(Outcome::none, |file| take_back(file, ctx))
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        let files = self.files().count();
        if choose(key, &mut self.at, files) {
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Char('g') {
            self.at = 0;
        } else if key.code == KeyCode::Char('G') {
            self.at = files.saturating_sub(1);
        } else if key.code == KeyCode::Char('s') {
            *self = Self::of(ctx, self.extent.next());
        } else if key.code == KeyCode::Enter {
            let file = self.files().nth(self.at)?;
            let page = Diff {
                written: WrittenDiff::new(file, ctx.colours, &ctx.surroundings.secrets),
                file: file.clone(),
                name: Clean::line(file.path.as_str()).into_string(),
                tally: tally(file.added, file.removed),
                top: 0,
            };
            let asks = page.written.asks();
            return Some(Outcome { asks, ..Outcome::open(page) });
        } else if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let lines = self.lines();
        let height = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX).max(8);
        let area = super::centred(ctx.body, 110, height);
        let files = self.files().count();
        let back = ctx.keymap.key(Action::TakeBack).filter(|_| files > 0);
        let chooses = (files > 1 && area.width >= NAMES_ALL).then_some(("j k", "choose"));
        let own = chooses.into_iter().chain((files > 0).then_some(("Enter", "diff")));
        let own = own.chain(back.map(|key| (key, "take back")));
        let keys: Vec<_> = own.chain([("s", shows(self.extent.next())), ("Esc", "close")]).collect();
        let title = match self.extent {
            Extent::Session => "Written in this session",
            Extent::Run => "Written by the last run",
            Extent::Turn => "Written for the last message",
            Extent::Since(_) => "Written since that message",
        };
        // Which file that is is said where the list is longer than its room.
        let scrolls = usize::from(area.height) < lines.len() + 3;
        let right = match place(self.at, files) {
            place if place.is_empty() || !scrolls => self.total.clone(),
            _ if files == self.distinct => format!("{} of {}", self.at + 1, self.total),
            place => format!("{place}  {}", self.total),
        };
        let inner = frame(ctx, area, title, &right, &keys, buf);
        let width = usize::from(inner.width);
        let mut rows: Vec<(Row, bool)> = Vec::new();
        for line in &lines {
            rows.push(match line {
                Line::Head(group) => (Self::head(group, ctx, width), false),
                Line::File(n, file) => (Self::file(file, *n == self.at, ctx, width), *n == self.at),
            });
        }
        if rows.is_empty() {
            rows.push((Row::of("nothing; s shows more", Slot::Soft), false));
        }
        let room = usize::from(inner.height.saturating_sub(1)).max(1);
        let here = rows.iter().position(|(_, chosen)| *chosen).unwrap_or_default();
        let top = first_shown(here, room);
        paint(rows.iter().skip(top).map(|(row, _)| row), ctx, inner, buf);
        None
    }
}

/// What the key that changes the extent does.
const fn shows(next: Extent) -> &'static str {
    match next {
        Extent::Session => "show the session",
        Extent::Run => "show the last run",
        Extent::Turn | Extent::Since(_) => "show the last message",
    }
}

/// The diff of one file.
#[derive(Debug)]
struct Diff {
    written: WrittenDiff,
    file: WrittenFile,
    name: String,
    tally: String,
    top: usize,
}

impl Diff {
    /// Columns and rows of its inside.
    fn room(ctx: &Ctx<'_>) -> (usize, usize) {
        let area = super::centred(ctx.body, 140, ctx.body.height);
        (usize::from(area.width.saturating_sub(4)), usize::from(area.height.saturating_sub(3)))
    }

    /// Whether there is more of it than is seen at once.
    fn goes(&self, ctx: &Ctx<'_>) -> bool {
        let (columns, room) = Self::room(ctx);
        self.written.is_longer(ctx, columns, room)
    }
}

impl Overlay for Diff {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn asks(&self) -> Vec<Ask> {
        self.written.asks()
    }

    fn answered(&mut self, _number: u64, reply: &Reply) {
        self.written.answered(reply);
    }

    fn weighs(&self, letter: char, action: Option<keymap::Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(match action.and_then(Action::of) {
            Some(Action::TakeBack) => Letter::Acts,
            None => Letter::of(letter, SCROLLS, &['q']),
        })
    }

    fn act(&mut self, _action: keymap::Action, ctx: &Ctx<'_>) -> Outcome {
        take_back(&self.file, ctx)
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        let page = usize::from(ctx.body.height.saturating_sub(6)).max(1);
        let last = self.written.lines().saturating_sub(1);
        if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        if !self.goes(ctx) || choose(key, &mut self.top, self.written.lines()) {
            return Some(Outcome::none());
        }
        if matches!(key.code, KeyCode::PageDown | KeyCode::Char(' ')) {
            self.top = (self.top + page).min(last);
        } else if matches!(key.code, KeyCode::PageUp | KeyCode::Char('b')) {
            self.top = self.top.saturating_sub(page);
        } else if key.code == KeyCode::Char('g') {
            self.top = 0;
        } else if key.code == KeyCode::Char('G') {
            self.top = last;
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = super::centred(ctx.body, 140, ctx.body.height);
        let back = ctx.keymap.key(Action::TakeBack).map(|key| (key, "take back, hunk by hunk"));
        let scrolls = [("j k", "scroll")].into_iter().filter(|_| self.goes(ctx));
        let keys: Vec<_> = scrolls.chain(back).chain([("q", "back to the list")]).collect();
        let inner = frame(ctx, area, &self.name, &self.tally, &keys, buf);
        let room = usize::from(inner.height.saturating_sub(1));
        let mut rows = self.written.rows(ctx, self.top, usize::from(inner.width), room);
        if rows.is_empty() {
            let why = match (self.written.asks().is_empty(), self.written.is_large()) {
                (false, _) => "reading the texts",
                (true, true) => "too large to compare here; git diff shows it",
                (true, false) => "its content is unchanged",
            };
            rows.push(Row::of(why, Slot::Soft));
        }
        paint(&rows, ctx, inner, buf);
        None
    }
}
