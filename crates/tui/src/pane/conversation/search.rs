//! Searching what is here: the logical text, entry by entry.

use std::cmp::Ordering;

use super::{ConversationPane, entry::Entry, shown, view::Pos};
use crate::{
    frame,
    pane::{Ctx, Outcome},
    row::find,
};

/// Entries with a match that are laid out to count it.
const MOST_COUNTED: usize = 400;

impl ConversationPane {
    /// To the nearest match in this direction; the first search begins at the bottom of the screen
    /// and takes what is there.
    pub(super) fn search(&mut self, ctx: &Ctx<'_>, direction: i64, here: bool) -> Outcome {
        if self.query.is_empty() {
            return Outcome::notice("no search yet; / starts one");
        }
        let last = self.visible(usize::from(self.size.height)).last().unwrap_or(self.top);
        let from = if here { last } else { self.cursor.unwrap_or(last) };
        let mut key = from.key;
        let mut first = true;
        while key >= self.log.first() && key < self.log.end() {
            if let Some(row) = self.match_in(ctx, key, first.then_some((from.row, here)), direction) {
                let pos = Pos { key, row };
                self.hold();
                self.show(ctx, pos);
                self.cursor = Some(pos);
                self.settle(ctx);
                self.counted = self.count_matches(ctx, pos);
                return Outcome::none();
            }
            first = false;
            key += direction;
        }
        let older = self.log.earliest.is_some_and(|s| s.0 > 1) && direction < 0;
        let more = if older { "; older messages are not loaded yet, g loads them" } else { "" };
        let long =
            (self.log.first()..self.log.end()).any(|key| self.log.get(key).is_some_and(Entry::is_long));
        let opens = ctx.keymap.key(frame::Action::Details).filter(|_| long);
        let more = match opens {
            Some(key) => format!("; {key} opens a long output, / searches it there{more}"),
            None => more.to_owned(),
        };
        Outcome::notice(format!("no more matches for \"{}\" in what is shown{more}", shown(&self.query)))
    }

    /// Which match this is, from the first one that is here, and of how many; `None` where they are too many to be counted.
    fn count_matches(&mut self, ctx: &Ctx<'_>, at: Pos) -> Option<(usize, usize)> {
        let here = self.log.first()..self.log.end();
        let has = |key: &i64| self.log.get(*key).is_some_and(|e| find(&e.logical(), &self.query).is_some());
        let keys: Vec<i64> = here.filter(has).take(MOST_COUNTED + 1).collect();
        if keys.len() > MOST_COUNTED {
            return None;
        }
        let (mut place, mut of) = (0, 0);
        for key in keys {
            // What is folded elsewhere is counted as it would be gone to.
            let unfolds = self.unfold_hit(ctx, key).is_some();
            let hits = self.hits(ctx, key);
            if unfolds {
                self.fold_again(ctx, key);
            }
            // One that a line break cuts in two is shown by the entry's first row.
            let many = hits.len().max(1);
            of += many;
            place += match key.cmp(&at.key) {
                Ordering::Less => many,
                Ordering::Equal => hits.iter().filter(|row| **row <= at.row).count().max(1),
                Ordering::Greater => 0,
            };
        }
        Some((place, of))
    }

    /// The row of the nearest match in an entry, beyond `from` when it begins there.
    fn match_in(
        &mut self,
        ctx: &Ctx<'_>,
        key: i64,
        from: Option<(usize, bool)>,
        direction: i64,
    ) -> Option<usize> {
        let entry = self.log.get(key)?;
        find(&entry.logical(), &self.query)?;
        let unfolded = self.unfold_hit(ctx, key);
        // Rows that were below the fold are further down now, and from the fold itself both ways lead into it.
        let from = from.map(|(at, here)| match unfolded {
            Some((fold, more)) => match (at.cmp(&fold), direction < 0) {
                (Ordering::Less, _) => (at, here),
                (Ordering::Equal, false) => (at.saturating_sub(1), here),
                (Ordering::Equal, true) => (at + more + 1, here),
                (Ordering::Greater, _) => (at + more, here),
            },
            None => (at, here),
        });
        let beyond = |row: &usize| match from {
            None => true,
            Some((at, true)) => *row <= at,
            Some((at, false)) if direction < 0 => *row < at,
            Some((at, false)) => *row > at,
        };
        let hits = self.hits(ctx, key);
        let mut found = hits.iter().copied().filter(beyond);
        let found = if direction < 0 { found.next_back() } else { found.next() };
        // A match that a line break cuts in two stands in no row: the entry's first one is shown.
        let found = found.or_else(|| Some(0).filter(|_| from.is_none() && hits.is_empty()));
        if found.is_none() && unfolded.is_some() {
            self.fold_again(ctx, key);
        }
        found
    }

    /// The rows of an entry with a match.
    fn hits(&mut self, ctx: &Ctx<'_>, key: i64) -> Vec<usize> {
        let rows = self.lay(ctx, key);
        let Some(entry) = self.log.get(key) else { return Vec::new() };
        let hit = |row: &usize| entry.row(*row).is_some_and(|(r, _)| find(&r.text(), &self.query).is_some());
        (0..rows).filter(hit).collect()
    }

    /// Unfolds an entry in which a match is folded: at which row it was, and how many came. `None` where it stays as it is.
    fn unfold_hit(&mut self, ctx: &Ctx<'_>, key: i64) -> Option<(usize, usize)> {
        let before = self.lay(ctx, key);
        let entry = self.log.get_mut(key)?;
        find(&entry.folded(), &self.query)?;
        let text = |entry: &Entry, row| entry.row(row).map(|(row, _)| row.text());
        let shown: Vec<Option<String>> = (0..before).map(|row| text(entry, row)).collect();
        entry.unfold(true);
        let rows = self.lay(ctx, key);
        let entry = self.log.get(key)?;
        let fold = shown.iter().enumerate().position(|(row, was)| *was != text(entry, row));
        // What comes below all that stood there moves nothing.
        let fold = fold.unwrap_or(before);
        Some((fold, rows.saturating_sub(before)))
    }

    fn fold_again(&mut self, ctx: &Ctx<'_>, key: i64) {
        if let Some(entry) = self.log.get_mut(key) {
            entry.unfold(false);
        }
        self.lay(ctx, key);
    }
}
