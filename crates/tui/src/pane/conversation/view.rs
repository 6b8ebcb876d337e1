//! Where the conversation stands on the screen: the first visible row, the cursor, following.
//!
//! Walks only over entries that are visible or passed; never adds up the whole conversation.

use std::collections::BTreeMap;

use pilothouse_core::ids::CheckpointId;

use super::{
    ConversationPane,
    entry::{Entry, Kind},
};
use crate::pane::Ctx;

/// A row of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pos {
    pub(super) key: i64,
    pub(super) row: usize,
}

impl ConversationPane {
    /// The last row is followed again.
    pub(super) fn follow(&mut self) {
        (self.held, self.cursor) = (false, None);
        self.unseen.clear();
        self.came.clear();
    }

    /// The screen stays where it is.
    pub(super) fn hold(&mut self) {
        if !self.held {
            self.held = true;
            self.unseen.clear();
            self.came.clear();
        }
    }

    /// Keeps what came or went on below the last row of the screen: what has more rows by it, and any of them there.
    pub(super) fn note_new(&mut self, ctx: &Ctx<'_>) {
        for (key, before) in std::mem::take(&mut self.came) {
            if self.lay(ctx, key) > before {
                self.unseen.insert(key);
            }
        }
        let Some(last) = self.visible(usize::from(self.size.height)).last() else { return };
        let log = &self.log;
        let ends_below = |key: i64| log.get(key).is_some_and(|entry| entry.height() > last.row + 1);
        self.unseen.retain(|key| *key > last.key || (*key == last.key && ends_below(*key)));
    }

    /// How many entries came or went on below what is held.
    pub(super) fn unseen(&self) -> usize {
        let there = |key: &&i64| self.log.get(**key).is_some_and(|e| e.kind != Kind::Gone);
        if self.held { self.unseen.iter().filter(there).count() } else { 0 }
    }

    /// The rows on the screen, from the top, as far as they are laid out.
    pub(super) fn visible(&self, height: usize) -> impl Iterator<Item = Pos> + '_ {
        let from = self.top;
        (from.key..self.log.end())
            .flat_map(move |key| {
                let rows = self.log.get(key).map_or(0, super::entry::Entry::height);
                let first = if key == from.key { from.row } else { 0 };
                (first..rows).map(move |row| Pos { key, row })
            })
            .take(height)
    }

    /// Whether the plan that a question is about is on the screen, with every line of its gates, to which a yes is one: they
    /// stand there, where nothing lies over it, or stood there before.
    pub(super) fn shows_plan(&self, question: CheckpointId, bare: bool) -> bool {
        let seen = self.visible(usize::from(self.size.height));
        let of_plan = |pos: &Pos| self.log.get(pos.key).is_some_and(|entry| entry.is_plan_of(question));
        let rows: Vec<Pos> = seen.filter(of_plan).collect();
        let Some(entry) = rows.first().and_then(|pos| self.log.get(pos.key)) else { return false };
        let key = rows.first().map_or(0, |pos| pos.key);
        let read = |row| self.has_read(key, entry, row);
        let shown = |row| (bare && rows.iter().any(|pos| pos.row == row)) || read(row);
        (bare || (0..entry.height()).any(read)) && entry.rows_to_read().all(shown)
    }

    /// Whether every row of the card of a question was on the screen.
    pub(super) fn was_read(&self, question: CheckpointId) -> bool {
        self.read.keys().any(|key| {
            let card = self.log.get(*key).filter(|entry| entry.is_card_of(question));
            card.is_some_and(|entry| {
                let mut rows = entry.rows_to_read();
                !rows.is_empty() && rows.all(|row| self.has_read(*key, entry, row))
            })
        })
    }

    /// Whether a row of an entry was on the screen with these words, at the width that it has.
    fn has_read(&self, key: i64, entry: &Entry, row: usize) -> bool {
        let read = self.read.get(&key).filter(|(width, _)| *width == self.size.width);
        let said = read.and_then(|(_, rows)| rows.get(&row));
        said.is_some_and(|said| entry.row(row).is_some_and(|(now, _)| now.says(said)))
    }

    /// Keeps which rows are on the screen that are to be read before a yes.
    pub(super) fn note_read(&mut self) {
        // What came meanwhile is told in the last row.
        let covered = usize::from(self.unseen() > 0);
        let drawn: Vec<Pos> = self.visible(usize::from(self.size.height).saturating_sub(covered)).collect();
        for Pos { key, row } in drawn {
            let entry = self.log.get(key).filter(|entry| entry.is_to_be_read());
            let Some((said, _)) = entry.and_then(|entry| entry.row(row)) else { continue };
            let (width, rows) = self.read.entry(key).or_default();
            if *width != self.size.width {
                (*width, *rows) = (self.size.width, BTreeMap::new());
            }
            if rows.get(&row).is_none_or(|before| !said.says(before)) {
                rows.insert(row, said.text());
            }
        }
    }

    /// Lays out what is visible and corrects what cannot be: a top beyond the end, a cursor
    /// outside of the screen.
    pub(super) fn settle(&mut self, ctx: &Ctx<'_>) {
        let height = usize::from(self.size.height).max(1);
        self.top.key = self.top.key.clamp(self.log.first(), self.log.end().max(self.log.first()));
        if self.held {
            let rows = self.lay(ctx, self.top.key);
            self.top.row = self.top.row.min(rows.saturating_sub(1));
            let mut below = rows.saturating_sub(self.top.row);
            let mut key = self.top.key + 1;
            // One row beyond the screen tells the end from a page that happens to be full.
            while below <= height && key < self.log.end() {
                below += self.lay(ctx, key);
                key += 1;
            }
            if below < height {
                self.top = self.last_page(ctx, height);
            }
            if below <= height && self.cursor.is_none() {
                self.follow();
            }
        } else {
            self.top = self.last_page(ctx, height);
        }
        if let Some(c) = self.cursor {
            let rows = self.lay(ctx, c.key);
            self.cursor = (rows > 0).then(|| Pos { row: c.row.min(rows - 1), ..c });
        }
    }

    /// The top at which the last row stands at the bottom.
    fn last_page(&mut self, ctx: &Ctx<'_>, height: usize) -> Pos {
        let mut left = height;
        let mut key = self.log.end();
        while key > self.log.first() {
            key -= 1;
            let rows = self.lay(ctx, key);
            if rows >= left {
                return Pos { key, row: rows - left };
            }
            left -= rows;
        }
        Pos { key: self.log.first(), row: 0 }
    }

    /// The row `n` rows on from `pos`, at most the first or last one.
    fn step(&mut self, ctx: &Ctx<'_>, mut pos: Pos, n: i64) -> Pos {
        let mut left = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
        if n >= 0 {
            let mut rows = self.lay(ctx, pos.key);
            let mut best = pos;
            loop {
                if pos.row + left < rows {
                    return Pos { row: pos.row + left, ..pos };
                }
                if rows > pos.row {
                    left -= rows - 1 - pos.row;
                    best = Pos { row: rows - 1, ..pos };
                }
                if pos.key + 1 >= self.log.end() || left == 0 {
                    return best;
                }
                pos = Pos { key: pos.key + 1, row: 0 };
                rows = self.lay(ctx, pos.key);
                left = if rows > 0 { left - 1 } else { left };
                if rows == 0 {
                    pos.row = 0;
                }
            }
        }
        while left > pos.row {
            if pos.key <= self.log.first() {
                return Pos { row: 0, ..pos };
            }
            left -= pos.row;
            pos.key -= 1;
            let rows = self.lay(ctx, pos.key);
            if rows == 0 {
                pos.row = 0;
                continue;
            }
            left -= 1;
            pos.row = rows - 1;
        }
        Pos { row: pos.row - left, ..pos }
    }

    pub(super) fn scroll(&mut self, ctx: &Ctx<'_>, n: i64) {
        if !self.held && n > 0 {
            return;
        }
        self.hold();
        self.top = self.step(ctx, self.top, n);
        self.cursor = None;
    }

    pub(super) fn move_cursor(&mut self, ctx: &Ctx<'_>, n: i64) {
        let height = usize::from(self.size.height).max(1);
        let shown: Vec<Pos> = self.visible(height).collect();
        let Some(last) = shown.last().copied() else { return };
        let from = self.cursor.filter(|c| shown.contains(c));
        let to = match from {
            Some(c) => self.step(ctx, c, n),
            None => last,
        };
        self.hold();
        self.show(ctx, to);
        self.cursor = Some(to);
    }

    /// Brings a row onto the screen with as little movement as can be.
    pub(super) fn show(&mut self, ctx: &Ctx<'_>, pos: Pos) {
        let height = usize::from(self.size.height).max(1);
        if pos < self.top {
            self.top = pos;
        } else {
            let end = self.step(ctx, self.top, i64::try_from(height - 1).unwrap_or(0));
            if pos > end {
                self.top = self.step(ctx, pos, -i64::try_from(height - 1).unwrap_or(0));
            }
        }
    }

    /// Goes to the message that is to be shown, once it is here; what is older is asked for until then.
    pub(super) fn seek_turn(&mut self) {
        let Some(turn) = self.sought else { return };
        let key = (self.log.first()..self.log.end())
            .find(|k| self.log.get(*k).is_some_and(|e| e.turn == Some(turn)));
        if let Some(key) = key {
            self.hold();
            let row = self.log.get(key).map_or(0, |e| usize::from(e.lead));
            self.top = Pos { key, row };
            self.cursor = Some(self.top);
        }
        if key.is_some() || self.log.earliest.is_none_or(|s| s.0 <= 1) {
            self.sought = None;
        }
    }

    /// To the previous or next message of the user or the agent.
    pub(super) fn message(&mut self, ctx: &Ctx<'_>, direction: i64) {
        let from = self.cursor.unwrap_or(self.top);
        let mut key = from.key;
        let is_message = |k: i64| self.log.get(k).is_some_and(|e| matches!(e.kind, Kind::Said | Kind::Reply));
        loop {
            key += direction;
            if key < self.log.first() || key >= self.log.end() {
                break;
            }
            if is_message(key) {
                let row = usize::from(self.log.get(key).is_some_and(|e| e.lead));
                self.hold();
                self.lay(ctx, key);
                self.top = Pos { key, row };
                self.cursor = Some(self.top);
                return;
            }
        }
        if direction > 0 {
            self.follow();
        }
    }
}
