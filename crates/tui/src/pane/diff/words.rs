//! Which words of a changed line changed.
//!
//! Owns the pairing of removed with added lines. Says nothing where more than half of a line is
//! another: then the whole line is the news.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use pilothouse_core::diff::{DiffOp, Hunk, operations};
use unicode_segmentation::UnicodeSegmentation;

use super::doc::Content;

/// Lines of one change that are paired by likeness; longer ones pair by position.
const PAIRED: usize = 24;
/// Of a longer line only what stands between its unchanged ends is looked into.
pub(super) const LONGEST_BYTES: usize = 512;
/// What is longer between them counts as changed as a whole; where one line became one line more is looked into.
const LONGEST_MIDDLE: usize = 4 * LONGEST_BYTES;
const LONGEST_ALONE: usize = 16 * LONGEST_MIDDLE;
/// So many words may come and go in what is longer than most; what that takes grows with their square.
const MOST_EDITS: usize = 400;

/// Changed byte ranges of the drawn lines of one hunk, by line number; of a long line also the places at which
/// something comes or goes, as empty ones.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) old: HashMap<usize, Vec<Range<usize>>>,
    pub(super) new: HashMap<usize, Vec<Range<usize>>>,
    /// Lines that look like one of the other side, and differ in their tabs: before, and after.
    pub(super) tabs: (HashSet<usize>, HashSet<usize>),
}

impl Words {
    pub(super) fn of(hunk: &Hunk, before: &Content, after: &Content, hide_cr: bool) -> Self {
        let mut words = Self::default();
        for change in hunk.changes.iter().take(200) {
            let mut next = change.new.start;
            let most =
                if (change.old.len, change.new.len) == (1, 1) { LONGEST_ALONE } else { LONGEST_MIDDLE };
            for old in (change.old.start..change.old.end()).take(PAIRED) {
                let a = before.clean(old, hide_cr);
                let alike =
                    |new: &usize| after.clean(*new, hide_cr) == a && after.line(*new) != before.line(old);
                if let Some(new) = (change.new.start..change.new.end()).take(PAIRED).find(alike) {
                    words.tabs.0.insert(old);
                    words.tabs.1.insert(new);
                }
                let best = (next..change.new.end())
                    .take(PAIRED)
                    .filter_map(|new| pair(&a, &after.clean(new, hide_cr), most).map(|p| (new, p)))
                    .max_by(|(_, x), (_, y)| x.likeness.total_cmp(&y.likeness));
                if let Some((new, found)) = best {
                    next = new + 1;
                    words.old.insert(old, found.old);
                    words.new.insert(new, found.new);
                }
            }
        }
        words
    }
}

struct Pair {
    likeness: f64,
    /// Bytes of words that stand in both.
    same: usize,
    old: Vec<Range<usize>>,
    new: Vec<Range<usize>>,
}

/// The changed words of two lines; `None` when more than half of either changed.
fn pair(a: &str, b: &str, most: usize) -> Option<Pair> {
    if a.trim().is_empty() || b.trim().is_empty() {
        return None;
    }
    let long = a.len() > LONGEST_BYTES || b.len() > LONGEST_BYTES;
    let (head, tail) = if long { same_ends(a, b) } else { (0, 0) };
    let middle = |s: &str| s.len() - tail;
    let (mid_a, mid_b) = (a.get(head..middle(a))?, b.get(head..middle(b))?);
    let longest = mid_a.len().max(mid_b.len());
    let edits = if longest > LONGEST_MIDDLE { MOST_EDITS } else { usize::MAX };
    let found = if longest > most { None } else { between(mid_a, mid_b, long, edits) };
    let as_a_whole = || Pair { likeness: 0.0, same: 0, old: whole(mid_a), new: whole(mid_b) };
    let mut found = found.unwrap_or_else(as_a_whole);
    found.same += bare(a.get(..head)?) + bare(a.get(middle(a)..)?);
    let half = |s: &str| found.same * 2 >= bare(s).max(1);
    if !half(a) || !half(b) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "lines are short")]
    let likeness = found.same as f64 / bare(a).max(bare(b)).max(1) as f64;
    for range in found.old.iter_mut().chain(&mut found.new) {
        *range = range.start + head..range.end + head;
    }
    Some(Pair { likeness, ..found })
}

/// A text as one range.
fn whole(text: &str) -> Vec<Range<usize>> {
    std::iter::once(0..text.len()).collect()
}

/// What of a line is no blank, in bytes.
fn bare(s: &str) -> usize {
    s.split_whitespace().map(str::len).sum()
}

/// How many bytes two lines have in common at their beginnings and at their ends, up to a blank or a sign: a word that
/// changed in part is not cut apart.
fn same_ends(a: &str, b: &str) -> (usize, usize) {
    let alike = |(x, y): &(char, char)| x == y;
    let parts = |c: char| !c.is_alphanumeric();
    let head = a.chars().zip(b.chars()).take_while(alike).map(|(c, _)| c.len_utf8()).sum::<usize>();
    let common = a.get(..head).unwrap_or_default();
    let whole = head == a.len() || head == b.len();
    let head = if whole { head } else { common.rfind(parts).map_or(0, |at| at + width_at(common, at)) };
    let (rest_a, rest_b) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    let tail = rest_a.chars().rev().zip(rest_b.chars().rev()).take_while(alike);
    let tail = tail.map(|(c, _)| c.len_utf8()).sum::<usize>();
    let common = rest_a.get(rest_a.len() - tail..).unwrap_or_default();
    let whole = tail == rest_a.len() || tail == rest_b.len();
    (head, if whole { tail } else { common.find(parts).map_or(0, |at| tail - at) })
}

fn width_at(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8)
}

/// The words that differ in two texts, if at most `edits` do; `places` keeps where something only comes or goes.
fn between(a: &str, b: &str, places: bool, edits: usize) -> Option<Pair> {
    let words = |line| UnicodeSegmentation::split_word_bounds(line).map(str::as_bytes).collect::<Vec<_>>();
    let (words_a, words_b) = (words(a), words(b));
    if edits < usize::MAX && !within(&words_a, &words_b, edits) {
        return None;
    }
    let (mut at_a, mut at_b) = (0, 0);
    let mut found = Pair { likeness: 0.0, same: 0, old: Vec::new(), new: Vec::new() };
    for op in operations(&words_a, &words_b) {
        let gone = words_a.get(op.old_range()).unwrap_or_default();
        let come = words_b.get(op.new_range()).unwrap_or_default();
        let bytes = |words: &[&[u8]]| words.iter().map(|w| w.len()).sum::<usize>();
        let (end_a, end_b) = (at_a + bytes(gone), at_b + bytes(come));
        if matches!(op, DiffOp::Equal { .. }) {
            found.same += gone.iter().map(|w| w.trim_ascii().len()).sum::<usize>();
        } else {
            join(&mut found.old, at_a..end_a, places);
            join(&mut found.new, at_b..end_b, places);
        }
        (at_a, at_b) = (end_a, end_b);
    }
    Some(found)
}

/// Whether one row of words becomes the other by at most so many that come or go: as far as that many lead on each
/// diagonal (Myers 1986).
fn within(a: &[&[u8]], b: &[&[u8]], edits: usize) -> bool {
    let middle = edits + 1;
    let mut reach = vec![0; 2 * middle + 1];
    for edit in 0..=edits {
        let (low, high) = (middle - edit, middle + edit);
        for diagonal in (low..=high).step_by(2) {
            let of = |n: usize| reach.get(n).copied().unwrap_or_default();
            let down = diagonal == low || diagonal != high && of(diagonal - 1) < of(diagonal + 1);
            let mut x = if edit == 0 {
                0
            } else if down {
                of(diagonal + 1)
            } else {
                of(diagonal - 1) + 1
            };
            let mut y = (x + middle).saturating_sub(diagonal);
            while a.get(x).is_some_and(|word| b.get(y) == Some(word)) {
                (x, y) = (x + 1, y + 1);
            }
            if x >= a.len() && y >= b.len() {
                return true;
            }
            if let Some(far) = reach.get_mut(diagonal) {
                *far = x;
            }
        }
    }
    false
}

fn join(ranges: &mut Vec<Range<usize>>, next: Range<usize>, places: bool) {
    match ranges.last_mut().filter(|l| l.end == next.start) {
        Some(last) => last.end = next.end,
        None if next.is_empty() && !places => {}
        None => ranges.push(next),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_comes_and_goes_is_counted_up_to_the_bound_and_no_further(
            a in proptest::collection::vec(0u8..3, 0..12),
            b in proptest::collection::vec(0u8..3, 0..12),
        ) {
            let words = |of: &[u8]| of.iter().map(|n| [*n]).collect::<Vec<_>>();
            let (a, b) = (words(&a), words(&b));
            let (a, b): (Vec<&[u8]>, Vec<&[u8]>) =
                (a.iter().map(|w| &w[..]).collect(), b.iter().map(|w| &w[..]).collect());
            let differ = |op: &DiffOp| !matches!(op, DiffOp::Equal { .. });
            let edits = |op: &DiffOp| op.old_range().len() + op.new_range().len();
            let least = operations(&a, &b).iter().filter(|op| differ(op)).map(edits).sum::<usize>();
            prop_assert!(within(&a, &b, least));
            prop_assert!(least == 0 || !within(&a, &b, least - 1));
        }
    }
}
