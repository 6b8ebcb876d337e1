//! What a command wrote, whole, however long it is: read, searched, and followed while the command runs.
//!
//! Owns which lines are here and which of them are shown. The store has the rest; the read port brings it.

mod lines;

use std::cell::Cell;

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    event::Event,
    ids::CallId,
    money::thousands,
    port::{Ask, Reply, TextFound, TextReply},
    talk::{Delta, DeltaKind},
};
use ratatui::{buffer::Buffer, layout::Rect};

use self::lines::Lines;
use super::{
    Caret, Letter, Overlay,
    page::{SCROLLS, frame},
    prompt::Prompt,
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::Action,
    row::{Row, find, underline, wrap_code},
    theme::Slot,
};

/// A row of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: usize,
    row: usize,
}

/// What is looked for in it.
#[derive(Debug, Default)]
struct Sought {
    words: String,
    /// The line that was found last.
    at: Option<usize>,
    /// Which match that is, and of how many; `None` before the answer came.
    of: Option<(usize, usize)>,
    /// What of it is shown instead, where the words stand behind the beginning that is here.
    around: Option<String>,
    /// Whether that line is to be shown once it is here: in how many rows it stands is not known before.
    late: bool,
}

/// The page.
#[derive(Debug)]
pub struct Output {
    title: String,
    /// The command that wrote it, while it runs.
    runs: Option<CallId>,
    lines: Lines,
    top: Place,
    /// Whether its end is shown, whatever comes.
    follows: bool,
    /// The first row that was shown when the command ended, its line counted from the end, until it is known how many there are.
    left: Option<Place>,
    sought: Sought,
    /// Columns of a line and rows of the page, as they were drawn last.
    room: Cell<(usize, usize)>,
}

impl Output {
    /// Of a command that has ended, or of any result that is stored.
    pub fn stored(title: &str, text: BlobId) -> Self {
        let lines = Lines::stored(text);
        Self { lines, ..Self::empty(title) }
    }

    /// Of a command that runs, with the last lines that came.
    pub fn running(title: &str, call: CallId, tail: impl Iterator<Item = String>) -> Self {
        let lines = Lines::coming(tail);
        Self { runs: Some(call), lines, follows: true, ..Self::empty(title) }
    }

    fn empty(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            runs: None,
            lines: Lines::coming(std::iter::empty()),
            top: Place::default(),
            follows: false,
            left: None,
            sought: Sought::default(),
            room: Cell::new((76, 20)),
        }
    }

    /// Columns of the numbers before the lines; of what only came nobody knows how many there were.
    fn gutter(&self) -> usize {
        if self.lines.is_stored() { self.lines.total().to_string().len() + 2 } else { 0 }
    }

    fn rows_of(&self, line: usize) -> Vec<Row> {
        let (columns, _) = self.room.get();
        let deep = self.sought.around.as_deref().filter(|_| self.sought.at == Some(line));
        match deep.or_else(|| self.lines.get(line)) {
            Some(text) => wrap_code(&Row::of(Clean::line(text).as_str(), Slot::Text).pieces, columns),
            None => vec![Row::of("…", Slot::Faint)],
        }
    }

    /// The furthest that it is scrolled: there its last row stands at the bottom.
    fn furthest(&self) -> Place {
        let (_, room) = self.room.get();
        let mut left = room;
        for line in (0..self.lines.total()).rev() {
            let rows = self.rows_of(line).len();
            if rows >= left {
                return Place { line, row: rows - left };
            }
            left -= rows;
        }
        Place::default()
    }

    /// Where the page begins.
    fn first(&self) -> Place {
        let last = self.furthest();
        if self.follows { last } else { self.top.min(last) }
    }

    /// So many rows on, or back.
    fn moved(&self, by: isize) -> Place {
        let mut at = self.first();
        for _ in 0..by.unsigned_abs() {
            at = match (by > 0, at.row) {
                (true, row) if row + 1 < self.rows_of(at.line).len() => Place { row: row + 1, ..at },
                (true, _) if at.line + 1 < self.lines.total() => Place { line: at.line + 1, row: 0 },
                (true, _) => return at,
                (false, 0) if at.line == 0 => return at,
                (false, 0) => {
                    let line = at.line - 1;
                    Place { line, row: self.rows_of(line).len().saturating_sub(1) }
                }
                (false, row) => Place { row: row - 1, ..at },
            };
        }
        at
    }

    fn go(&mut self, to: Place) {
        (self.top, self.follows, self.left) = (to, false, None);
        // Who comes to the end of what still comes follows it.
        self.follows = self.runs.is_some() && to >= self.furthest();
        self.want();
    }

    /// Whether a key scrolls it.
    fn scrolls(&mut self, code: KeyCode) -> bool {
        let (_, room) = self.room.get();
        let page = isize::try_from(room.saturating_sub(2).max(1)).unwrap_or(1);
        let to = if matches!(code, KeyCode::Down | KeyCode::Char('j')) {
            self.moved(1)
        } else if matches!(code, KeyCode::Up | KeyCode::Char('k')) {
            self.moved(-1)
        } else if matches!(code, KeyCode::PageDown | KeyCode::Char(' ')) {
            self.moved(page)
        } else if matches!(code, KeyCode::PageUp | KeyCode::Char('b')) {
            self.moved(-page)
        } else if matches!(code, KeyCode::Home | KeyCode::Char('g')) {
            Place::default()
        } else if matches!(code, KeyCode::End | KeyCode::Char('G')) {
            (self.follows, self.left) = (true, None);
            self.want();
            return true;
        } else {
            return false;
        };
        self.sought.late = false;
        self.go(to);
        true
    }

    /// Asks for what is shown and is not here.
    fn want(&mut self) {
        let (_, room) = self.room.get();
        let from = self.first().line;
        self.lines.want(from, room);
    }

    /// To the next line that has the words, or the one before.
    fn seek(&mut self, back: bool) {
        let from = match self.sought.at {
            Some(at) if back => at.checked_sub(1).unwrap_or(usize::MAX),
            Some(at) => at + 1,
            None => self.first().line,
        };
        self.sought.of = None;
        if let Some(found) = self.lines.find(&self.sought.words, from, back) {
            self.found(found);
        }
    }

    fn found(&mut self, found: TextFound) {
        self.sought.of = Some((found.place, found.hits));
        let Some(line) = found.line else { return };
        self.sought.around = found.around;
        self.sought.at = Some(line);
        self.sought.late = self.lines.get(line).is_none();
        let (_, room) = self.room.get();
        let (first, last) = (self.first(), self.moved(isize::try_from(room).unwrap_or(1)));
        if !self.sought.late && (Place { line, row: 0 }) >= first && line < last.line {
            return;
        }
        self.go(self.around(line));
    }

    /// The page on which a match is seen: at its top, or below lines before it that are here, a third of the page at most.
    fn around(&self, line: usize) -> Place {
        let (_, room) = self.room.get();
        let mut above = room / 3;
        let row = self.rows_of(line).iter().position(|row| find(&row.text(), &self.sought.words).is_some());
        if let Some(row) = row.filter(|row| *row >= room) {
            return Place { line, row: row - above };
        }
        let mut first = line;
        while let Some(before) = first.checked_sub(1).filter(|before| self.lines.get(*before).is_some()) {
            let rows = self.rows_of(before).len();
            if rows > above {
                break;
            }
            (first, above) = (before, above - rows);
        }
        Place { line: first, row: 0 }
    }

    /// What was asked for is here: the page begins where it is to.
    fn settle(&mut self) {
        if let Some(left) = self.left.take() {
            self.go(Place { line: self.lines.total().saturating_sub(left.line), ..left });
        }
        let late = self.sought.at.filter(|at| self.sought.late && self.lines.get(*at).is_some());
        if let Some(line) = late {
            self.sought.late = false;
            self.go(self.around(line));
        }
        self.want();
    }

    /// What stands at the right of its upper border.
    fn standing(&self) -> String {
        let shown = Clean::line(&self.sought.words);
        match self.sought.of {
            Some((_, 0)) => return format!("no match for \"{}\"", shown.as_str()),
            Some((place, of)) => return format!("match {place} of {}", thousands(of as u64)),
            None => {}
        }
        if self.runs.is_some() {
            return if self.follows { "still running; its end is shown" } else { "still running; G follows" }
                .to_owned();
        }
        if !self.lines.is_stored() {
            return "stopped; its last lines are shown".to_owned();
        }
        if self.lines.is_gone() {
            return String::new();
        }
        if !self.lines.is_here() {
            return "reading".to_owned();
        }
        let line = (self.first().line + 1).min(self.lines.total());
        format!("line {} of {}", thousands(line as u64), thousands(self.lines.total() as u64))
    }
}

impl Overlay for Output {
    fn name(&self) -> &'static str {
        "output"
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = ctx.body;
        let matches = !self.sought.words.is_empty();
        let keys = [("n N", "match"), ("j k", "scroll"), ("/", "search"), ("g G", "ends"), ("Esc", "close")];
        let keys = keys.get(usize::from(!matches)..).unwrap_or_default();
        let room = usize::from(area.width).saturating_sub(self.standing().len() + 10);
        let title = Row::of(Clean::line(&self.title).as_str(), Slot::Text).cut(room, ctx.glyphs.ellipsis);
        let inner = frame(ctx, area, &title.text(), &self.standing(), keys, buf);
        let gutter = self.gutter();
        self.room
            .set((usize::from(inner.width).saturating_sub(gutter).max(1), usize::from(inner.height).max(1)));
        if self.lines.is_gone() {
            let row = Row::of("its output is no longer stored", Slot::Soft);
            row.paint(ctx.theme, buf, inner, inner.y);
            return None;
        }
        let first = self.first();
        let mut y = inner.top();
        for line in first.line..self.lines.total() {
            let skip = if line == first.line { first.row } else { 0 };
            for (n, row) in self.rows_of(line).into_iter().enumerate().skip(skip) {
                if y >= inner.bottom() {
                    return None;
                }
                let number = if n == 0 { (line + 1).to_string() } else { String::new() };
                let number = if gutter > 0 {
                    format!("{number:>wide$}  ", wide = gutter.saturating_sub(2))
                } else {
                    String::new()
                };
                let left = u16::try_from(gutter).unwrap_or_default().min(inner.width);
                let text = Rect { x: inner.x + left, width: inner.width - left, y, height: 1 };
                Row::of(&number, Slot::Faint).paint(ctx.theme, buf, Rect { width: left, ..inner }, y);
                row.paint(ctx.theme, buf, text, y);
                underline(&row, &self.sought.words, text, y, buf);
                if self.sought.at == Some(line) {
                    buf.set_style(Rect { y, height: 1, ..inner }, ctx.theme.fill(Slot::Select));
                }
                y += 1;
            }
        }
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, &[SCROLLS, &['/', 'n', 'N']].concat(), &['q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        if self.scrolls(key.code) {
            return Some(Outcome::none());
        }
        let KeyCode::Char(letter) = key.code else { return None };
        match letter {
            'q' => Some(Outcome::close()),
            '/' => Some(Outcome::open(Prompt::below("Search this output"))),
            'n' | 'N' if self.sought.words.is_empty() => Some(Outcome::notice("no search yet; / starts one")),
            'n' | 'N' => {
                self.seek(letter == 'N');
                Some(Outcome::none())
            }
            _ => None,
        }
    }

    fn typed(&mut self, line: String) {
        self.sought = Sought { words: line, ..Sought::default() };
        if !self.sought.words.is_empty() {
            self.seek(false);
        }
    }

    fn wants(&mut self) -> Vec<Ask> {
        self.lines.asks()
    }

    fn answered(&mut self, _number: u64, reply: &Reply) {
        let Reply::Text(of, part) = reply else { return };
        if !self.lines.is_of(*of) {
            return;
        }
        match part {
            None => self.lines.lost(),
            Some(TextReply::Found(found)) => self.found(found.clone()),
            Some(TextReply::Lines(part)) => {
                self.lines.came(part);
                self.settle();
            }
        }
    }

    fn delta(&mut self, delta: &Delta) {
        if Some(delta.call) == self.runs && matches!(delta.kind, DeltaKind::Stdout | DeltaKind::Stderr) {
            let dropped = self.lines.goes_on(&delta.text);
            self.top.line = self.top.line.saturating_sub(dropped);
            self.sought.at = self.sought.at.and_then(|at| at.checked_sub(dropped));
        }
    }

    /// Once it has ended all of it is in the store; of one that was stopped there is what came.
    fn told(&mut self, event: &Event) {
        if let Event::CommandExited { call, output: Some(text), .. } = event
            && self.runs == Some(*call)
        {
            let first = self.first();
            let line = self.lines.total().saturating_sub(first.line);
            self.left = Some(Place { line, ..first }).filter(|_| !self.follows);
            self.runs = None;
            self.sought.at = None;
            self.lines = Lines::stored(*text);
        } else if let Event::CallEnded { call, .. } = event
            && self.runs == Some(*call)
        {
            self.runs = None;
        }
    }
}
