//! Changes to a text as values: lines, hunks, selection, application.
//!
//! Owns the diff of two byte strings and the result of taking some of its hunks. Never reads a
//! file, and never touches a byte outside a taken hunk.

mod rebase;
mod unified;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

pub use rebase::{Rebased, rebase};
use serde::{Deserialize, Serialize};
pub use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};
pub use unified::unified;

use crate::encoding::Endian;

/// Lines of context that hold two changes together in one hunk, on each side.
pub const CONTEXT_LINES: usize = 3;

/// A run of lines, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lines {
    /// First line.
    pub start: usize,
    /// How many.
    pub len: usize,
}

impl Lines {
    /// One past the last line.
    pub const fn end(self) -> usize {
        self.start.saturating_add(self.len)
    }

    /// Where they are, in words.
    pub fn place(self) -> String {
        match self.len {
            0 => format!("after line {}", self.start),
            1 => format!("line {}", self.start + 1),
            _ => format!("lines {}-{}", self.start + 1, self.end()),
        }
    }
}

/// One replaced run of lines; stored as `[old start, old len, new start, new len]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[usize; 4]", into = "[usize; 4]")]
pub struct Change {
    /// The lines that go.
    pub old: Lines,
    /// The lines that come.
    pub new: Lines,
}

impl Change {
    /// Whether nothing lies between it and one behind it.
    const fn touches(&self, next: &Self) -> bool {
        self.old.end() == next.old.start && self.new.end() == next.new.start
    }

    /// It together with one that touches it.
    fn with(self, next: &Self) -> Self {
        let span = |from: Lines, to: Lines| Lines { start: from.start, len: to.end() - from.start };
        Self { old: span(self.old, next.old), new: span(self.new, next.new) }
    }

    /// A part of a change where the whole of it stands elsewhere.
    fn moved(self, whole: Self, there: Self) -> Self {
        let to = |at: Lines, from: Lines, to: Lines| Lines {
            start: at.start - from.start + to.start,
            len: at.len,
        };
        Self { old: to(self.old, whole.old, there.old), new: to(self.new, whole.new, there.new) }
    }
}

impl From<[usize; 4]> for Change {
    fn from([start, len, new_start, new_len]: [usize; 4]) -> Self {
        Self { old: Lines { start, len }, new: Lines { start: new_start, len: new_len } }
    }
}

impl From<Change> for [usize; 4] {
    fn from(c: Change) -> Self {
        [c.old.start, c.old.len, c.new.start, c.new.len]
    }
}

/// The unit of consent: changes that stand close together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hunk {
    /// Its changes in order, at least one.
    pub changes: Vec<Change>,
}

impl Hunk {
    /// From the first to the last changed line of the old text.
    pub fn old(&self) -> Lines {
        Self::span(self.changes.iter().map(|c| c.old))
    }

    /// From the first to the last changed line of the new text.
    pub fn new_lines(&self) -> Lines {
        Self::span(self.changes.iter().map(|c| c.new))
    }

    /// The lines that it is about, as they were when it was proposed, in words.
    pub fn place(&self) -> String {
        self.old().place()
    }

    /// Lines added.
    pub fn added(&self) -> usize {
        self.changes.iter().map(|c| c.new.len).sum()
    }

    /// Lines removed.
    pub fn removed(&self) -> usize {
        self.changes.iter().map(|c| c.old.len).sum()
    }

    /// Its parts: each of its changes, or each line of its only one. One part where nothing can be parted.
    pub fn parts(&self) -> Vec<Self> {
        let changes = if self.changes.len() > 1 { self.changes.clone() } else { self.lines() };
        changes.into_iter().map(|change| Self { changes: vec![change] }).collect()
    }

    /// Each of its lines by itself. A line that goes and one that comes stand for each other as long as there are both.
    pub fn lines(&self) -> Vec<Change> {
        let line = |of: Lines, n: usize| {
            if n < of.len { Lines { start: of.start + n, len: 1 } } else { Lines { start: of.end(), len: 0 } }
        };
        let each = |c: &Change| {
            let c = *c;
            (0..c.old.len.max(c.new.len)).map(move |n| Change { old: line(c.old, n), new: line(c.new, n) })
        };
        self.changes.iter().flat_map(each).collect()
    }

    /// What stands before some of its [`Hunk::lines`], those, and what stands behind, as far as there is any; and which
    /// of these parts they are. `None` where there are no such lines.
    pub fn cut(&self, chosen: Range<usize>) -> Option<(Vec<Self>, usize)> {
        let lines = self.lines();
        let (before, behind) = (lines.get(..chosen.start)?, lines.get(chosen.end..)?);
        let those = lines.get(chosen).filter(|those| !those.is_empty())?;
        let parts = [before, those, behind].map(Self::joined);
        Some((parts.into_iter().flatten().collect(), usize::from(!before.is_empty())))
    }

    /// Changes as a hunk; those that touch become one.
    fn joined(changes: &[Change]) -> Option<Self> {
        let mut all: Vec<Change> = Vec::new();
        for change in changes {
            match all.last_mut() {
                Some(last) if last.touches(change) => {
                    last.old.len += change.old.len;
                    last.new.len += change.new.len;
                }
                Some(_) | None => all.push(*change),
            }
        }
        (!all.is_empty()).then_some(Self { changes: all })
    }

    fn span(mut runs: impl Iterator<Item = Lines>) -> Lines {
        let Some(first) = runs.next() else { return Lines::default() };
        let end = runs.last().unwrap_or(first).end();
        Lines { start: first.start, len: end.saturating_sub(first.start) }
    }
}

/// Splits into lines, each with its own ending; joined again they are the same bytes.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    Newlines::of(text).lines(text)
}

/// How lines of a text end: one of UTF-16 has a newline of two bytes, either of which may be a part of other characters.
#[derive(Clone, Copy)]
struct Newlines(Option<Endian>);

impl Newlines {
    const fn of(text: &[u8]) -> Self {
        Self(Endian::marked(text))
    }

    /// The lines of a text, or of a run of its lines.
    fn lines(self, text: &[u8]) -> Vec<&[u8]> {
        let Some(endian) = self.0 else { return text.split_inclusive(|b| *b == b'\n').collect() };
        let (mut all, mut from) = (Vec::new(), 0);
        for (n, unit) in text.as_chunks::<2>().0.iter().enumerate() {
            if endian.unit(*unit) == u16::from(b'\n') {
                all.extend(text.get(from..2 * n + 2));
                from = 2 * n + 2;
            }
        }
        all.extend(text.get(from..).filter(|rest| !rest.is_empty()));
        all
    }

    const fn newline(self) -> &'static [u8] {
        match self.0 {
            None => b"\n",
            Some(Endian::Little) => b"\n\0",
            Some(Endian::Big) => b"\0\n",
        }
    }
}

/// How the lines of texts end that become one: that of the first which is not empty goes where an end lacks.
struct Joints(Vec<Newlines>);

impl Joints {
    fn of(texts: &[&[u8]]) -> Self {
        Self(texts.iter().filter(|text| !text.is_empty()).map(|text| Newlines::of(text)).collect())
    }

    /// Appends lines. The last line of a text may lack its end; where another follows now, they stay two.
    fn extend(&self, out: &mut Vec<u8>, lines: Option<&[&[u8]]>) {
        for line in lines.unwrap_or_default() {
            if !out.is_empty() && !self.0.iter().any(|newlines| out.ends_with(newlines.newline())) {
                out.extend_from_slice(self.0.first().map_or(b"\n", |newlines| newlines.newline()));
            }
            out.extend_from_slice(line);
        }
    }
}

/// What leads from one row of pieces to another: the one place that compares texts, since each kind of piece that is
/// compared by itself costs the binary tens of kilobytes.
pub fn operations(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut hook, old, 0..old.len(), new, 0..new.len());
    hook.into_inner().into_inner().into_ops()
}

/// For each line of `new` the place of the line of `old` that it is, if it is one.
pub fn kept(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    let mut places = vec![None; new.len()];
    for op in operations(old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            let same = places.iter_mut().skip(new_index).take(len);
            same.zip(old_index..).for_each(|(place, at)| *place = Some(at));
        }
    }
    places
}

/// The pieces that two rows have in common, as a share of both; 1 where both are empty.
pub fn likeness(old: &[&[u8]], new: &[&[u8]]) -> f32 {
    similar::diff_ratio(&operations(old, new), old.len(), new.len())
}

/// The hunks that lead from `before` to `after`; none when they are equal.
pub fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    let (old, new) = (lines(before), lines(after));
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in operations(&old, &new) {
        let change = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, new_index } => (old_index, old_len, new_index, 0),
            DiffOp::Insert { old_index, new_index, new_len } => (old_index, 0, new_index, new_len),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (old_index, old_len, new_index, new_len)
            }
        };
        let change = Change {
            old: Lines { start: change.0, len: change.1 },
            new: Lines { start: change.2, len: change.3 },
        };
        match hunks.last_mut() {
            Some(h) if change.old.start.saturating_sub(h.old().end()) <= 2 * CONTEXT_LINES => {
                h.changes.push(change);
            }
            _ => hunks.push(Hunk { changes: vec![change] }),
        }
    }
    hunks
}

/// `before` with the hunks in `taken` (indices into `hunks`) replaced by what `after` has there.
pub fn select(before: &[u8], after: &[u8], hunks: &[Hunk], taken: &BTreeSet<usize>) -> Vec<u8> {
    let (old, new, joints) = (lines(before), lines(after), Joints::of(&[before, after]));
    let mut out = Vec::with_capacity(before.len().max(after.len()));
    let mut at = 0;
    let changes = hunks.iter().enumerate().filter(|(i, _)| taken.contains(i)).flat_map(|(_, h)| &h.changes);
    for change in changes {
        joints.extend(&mut out, old.get(at..change.old.start));
        joints.extend(&mut out, new.get(change.new.start..change.new.end()));
        at = change.old.end();
    }
    joints.extend(&mut out, old.get(at..));
    out
}

/// Where lines stand after changes of the same text, the oldest position first, and the lines that the changes bring.
pub(crate) fn carried(known: &[Lines], changes: &[Change]) -> Vec<Lines> {
    let moved = |at: usize, by: isize| at.saturating_add_signed(by);
    let grown = |c: &Change| c.new.len.cast_signed() - c.old.len.cast_signed();
    let mut out = Vec::new();
    for lines in known {
        let (mut at, mut by) = (lines.start, 0);
        for change in changes {
            if change.old.start >= lines.end() {
                break;
            }
            if change.old.start > at {
                out.push(Lines { start: moved(at, by), len: change.old.start - at });
            }
            at = at.max(change.old.end());
            by += grown(change);
        }
        if at < lines.end() || lines.len == 0 && at == lines.start {
            out.push(Lines { start: moved(at, by), len: lines.end() - at });
        }
    }
    let mut by = 0;
    for change in changes {
        out.push(Lines { start: moved(change.old.start, by), len: change.new.len });
        by += grown(change);
    }
    out
}

/// Two texts and the hunks between them.
#[derive(Clone, Copy, Debug)]
pub struct Version<'t> {
    /// The text before.
    pub before: &'t [u8],
    /// The text after.
    pub after: &'t [u8],
    /// The hunks that lead from one to the other.
    pub hunks: &'t [Hunk],
}

/// The hunks from `before` to `after`, and which of an older version each of them is: the same lines at the same place,
/// wherever others moved it. One that is whole as it was keeps the bounds that it had there; what is not is of `None`.
pub fn hunks_since(older: Version<'_>, before: &[u8], after: &[u8]) -> Vec<(Hunk, Option<usize>)> {
    let known = Known::new(older, before);
    let (old, new) = (lines(before), lines(after));
    let hunks = hunks(before, after);
    let found: Vec<Vec<Whence>> = hunks
        .into_iter()
        .map(|hunk| hunk.changes.into_iter().map(|c| (c, known.parts_of(c, &old, &new))).collect())
        .collect();
    let mut all = Vec::new();
    for hunk in &found {
        // One that came apart is in no hunk whole.
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for (n, _) in hunk.iter().flat_map(|(_, parts)| parts) {
            *counts.entry(*n).or_default() += 1;
        }
        let is_whole = |n: usize| older.hunks.get(n).map(|h| h.changes.len()) == counts.get(&n).copied();
        let mut parts: Vec<(Hunk, Option<usize>)> = Vec::new();
        for (change, same) in hunk {
            if same.is_empty() || !same.iter().all(|(n, _)| is_whole(*n)) {
                add(&mut parts, *change, None);
            } else {
                for (n, part) in same {
                    add(&mut parts, *part, Some(*n));
                }
            }
        }
        all.extend(parts);
    }
    all
}

/// A change, and what it was before: itself, or the parts of which hunks.
type Whence = (Change, Vec<(usize, Change)>);

/// The changes of an older version, and where each stands in the text that others made of it.
struct Known<'t> {
    was: Vec<&'t [u8]>,
    became: Vec<&'t [u8]>,
    /// Of which hunk, the change, and its first line now; those that others' changes meet are not here.
    changes: Vec<(usize, Change, usize)>,
}

impl<'t> Known<'t> {
    fn new(older: Version<'t>, now: &[u8]) -> Self {
        let theirs: Vec<Change> = hunks(older.before, now).into_iter().flat_map(|h| h.changes).collect();
        let changes =
            older.hunks.iter().enumerate().flat_map(|(n, h)| h.changes.iter().map(move |c| (n, *c)));
        let (mut grown, mut gone) = (0, 0);
        let mut theirs = theirs.iter().peekable();
        let placed = |(n, c): (usize, Change)| {
            while let Some(before) = theirs.next_if(|their| their.old.end() < c.old.start) {
                (grown, gone) = (grown + before.new.len, gone + before.old.len);
            }
            if theirs.peek().is_some_and(|their| their.old.start <= c.old.end()) {
                return None;
            }
            Some((n, c, (c.old.start + grown).checked_sub(gone)?))
        };
        Self {
            was: lines(older.before),
            became: lines(older.after),
            changes: changes.filter_map(placed).collect(),
        }
    }

    /// What a change was: itself, or the parts that it was cut into. None where it is another one.
    fn parts_of(&self, change: Change, old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, Change)> {
        let begins = self.changes.partition_point(|(.., at)| *at < change.old.start);
        let from = self.changes.get(begins..).unwrap_or_default();
        if from.first().is_none_or(|(.., at)| *at != change.old.start) {
            return Vec::new();
        }
        let mut whole: Option<Change> = None;
        let mut parts = Vec::new();
        for (n, part, at) in from {
            let goes_on = whole.is_none_or(|w| w.touches(part))
                && part.old.start + change.old.start == at + whole.unwrap_or(*part).old.start;
            let next = whole.unwrap_or(*part).with(part);
            if !goes_on || next.old.len > change.old.len || next.new.len > change.new.len {
                break;
            }
            whole = Some(next);
            parts.push((*n, *part));
        }
        let Some(whole) = whole else { return Vec::new() };
        let same = |(a, b): (&[&[u8]], &[&[u8]]), (x, y): (Lines, Lines)| {
            a.get(x.start..x.end()).unwrap_or_default() == b.get(y.start..y.end()).unwrap_or_default()
        };
        if !same((&self.was, old), (whole.old, change.old))
            || !same((&self.became, new), (whole.new, change.new))
        {
            return Vec::new();
        }
        parts.into_iter().map(|(n, part)| (n, part.moved(whole, change))).collect()
    }
}

/// Puts a change behind the others: into the hunk that it was of before, else into one of its own.
fn add(parts: &mut Vec<(Hunk, Option<usize>)>, change: Change, of: Option<usize>) {
    match parts.last_mut().filter(|(_, last)| *last == of) {
        Some((hunk, _)) => hunk.changes.push(change),
        None => parts.push((Hunk { changes: vec![change] }, of)),
    }
}

/// What stays of a text that goes: what others added to it. A line that they changed meets the change, and goes.
pub fn added_to(before: &[u8], now: &[u8]) -> Rebased {
    let theirs = hunks(before, now).into_iter().flat_map(|h| h.changes);
    let joints = Joints::of(&[now]);
    let (now, mut text, mut meets) = (lines(now), Vec::new(), Vec::new());
    for change in theirs.filter(|c| c.new.len > 0) {
        if change.old.len == 0 {
            joints.extend(&mut text, now.get(change.new.start..change.new.end()));
        } else {
            meets.push(change.new);
        }
    }
    Rebased { text, meets }
}

/// The lines of the old text that lines of the new one came of, with all of every change that they touch.
pub fn came_of(lines: Lines, hunks: &[Hunk]) -> Lines {
    let changes = || hunks.iter().flat_map(|h| &h.changes);
    let same = |place: usize| {
        let above = changes().take_while(|c| c.new.end() <= place).last();
        above.map_or(place, |c| c.old.end() + (place - c.new.end()))
    };
    let touched: Vec<&Change> =
        changes().filter(|c| c.new.start <= lines.end() && lines.start <= c.new.end()).collect();
    let first = touched.first().filter(|c| c.new.start <= lines.start);
    let last = touched.last().filter(|c| lines.end() <= c.new.end());
    let start = first.map_or_else(|| same(lines.start), |c| c.old.start);
    let end = last.map_or_else(|| same(lines.end()), |c| c.old.end());
    Lines { start, len: end.saturating_sub(start) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
