//! Which words of a changed line changed.
//!
//! Owns the pairing of removed with added lines. Says nothing where more than half of a line is
//! another: then the whole line is the news.

use std::{collections::HashMap, ops::Range};

use pilothouse_core::diff::{DiffOp, Hunk, operations};
use unicode_segmentation::UnicodeSegmentation;

use super::doc::Content;

/// Lines of one change that are paired by likeness; longer ones pair by position.
const PAIRED: usize = 24;
/// A longer line is not looked into.
const LONGEST_BYTES: usize = 512;

/// Changed byte ranges of the drawn lines of one hunk, by line number.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) old: HashMap<usize, Vec<Range<usize>>>,
    pub(super) new: HashMap<usize, Vec<Range<usize>>>,
}

impl Words {
    pub(super) fn of(hunk: &Hunk, before: &Content, after: &Content, hide_cr: bool) -> Self {
        let mut words = Self::default();
        for change in hunk.changes.iter().take(200) {
            let mut next = change.new.start;
            for old in (change.old.start..change.old.end()).take(PAIRED) {
                let a = before.clean(old, hide_cr);
                let best = (next..change.new.end())
                    .take(PAIRED)
                    .filter_map(|new| pair(&a, &after.clean(new, hide_cr)).map(|p| (new, p)))
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
    old: Vec<Range<usize>>,
    new: Vec<Range<usize>>,
}

/// The changed words of two lines; `None` when more than half of either changed.
fn pair(a: &str, b: &str) -> Option<Pair> {
    if a.len() > LONGEST_BYTES || b.len() > LONGEST_BYTES || a.trim().is_empty() || b.trim().is_empty() {
        return None;
    }
    let words = |line| UnicodeSegmentation::split_word_bounds(line).map(str::as_bytes).collect::<Vec<_>>();
    let (words_a, words_b) = (words(a), words(b));
    let (mut at_a, mut at_b) = (0, 0);
    let (mut old, mut new): (Vec<Range<usize>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    let mut same = 0;
    for op in operations(&words_a, &words_b) {
        let gone = words_a.get(op.old_range()).unwrap_or_default();
        let come = words_b.get(op.new_range()).unwrap_or_default();
        let bytes = |words: &[&[u8]]| words.iter().map(|w| w.len()).sum::<usize>();
        let (end_a, end_b) = (at_a + bytes(gone), at_b + bytes(come));
        if matches!(op, DiffOp::Equal { .. }) {
            same += gone.iter().map(|w| w.trim_ascii().len()).sum::<usize>();
        } else {
            join(&mut old, at_a..end_a);
            join(&mut new, at_b..end_b);
        }
        (at_a, at_b) = (end_a, end_b);
    }
    let bare = |s: &str| s.split_whitespace().map(str::len).sum::<usize>().max(1);
    let half = |s: &str| same * 2 >= bare(s);
    #[expect(clippy::cast_precision_loss, reason = "lines are short")]
    let likeness = same as f64 / bare(a).max(bare(b)) as f64;
    (half(a) && half(b)).then_some(Pair { likeness, old, new })
}

fn join(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut().filter(|l| l.end == next.start) {
        Some(last) => last.end = next.end,
        None if next.is_empty() => {}
        None => ranges.push(next),
    }
}
