//! The line of a file that comes closest to a text that is not in it.
//!
//! Owns the likeness. Bounded: it looks at so many lines and characters and no more.

use std::collections::BTreeMap;

use crate::files::clip;

/// At most this many lines are compared.
const MOST_LINES: usize = 20_000;
/// At most this many characters of a line are compared.
const MOST_CHARS: usize = 200;
/// At most this many characters of a line are quoted.
const QUOTED_CHARS: usize = 160;

/// Says which line comes closest to `old`, and where it begins to differ; `None` when none does.
pub(super) fn line(content: &[u8], old: &str, number: &impl Fn(usize) -> usize) -> Option<String> {
    let text = String::from_utf8_lossy(content);
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let blank = old.lines().take_while(|l| l.trim().is_empty()).count();
    let wanted: Vec<&str> = old.lines().skip(blank).collect();
    let first = wanted.first()?.trim();
    let pairs = pairs(first);
    let (at, score) = lines
        .iter()
        .enumerate()
        .map(|(n, l)| (n, likeness(&pairs, first, l.trim())))
        .fold((0, 0), |best, next| if next.1 > best.1 { next } else { best });
    if score < 500 {
        return None;
    }
    // The first line fits: tell where the text parts from the file.
    let parted =
        wanted.iter().zip(lines.iter().skip(at)).position(|(w, l)| w != l).unwrap_or(wanted.len() - 1);
    let (n, have) = (at + parted, lines.get(at + parted)?);
    let want = wanted.get(parted)?;
    let quoted = clip(have, QUOTED_CHARS);
    if have.trim() == want.trim() {
        return Some(format!("line {} differs only in blanks at its ends: \"{quoted}\"", number(n + 1)));
    }
    Some(format!("the nearest is line {}: \"{quoted}\"", number(n + 1)))
}

/// Pairs of neighbouring characters, counted.
fn pairs(line: &str) -> BTreeMap<(char, char), u32> {
    let mut counts = BTreeMap::new();
    for pair in line.chars().take(MOST_CHARS).zip(line.chars().skip(1)) {
        *counts.entry(pair).or_default() += 1;
    }
    counts
}

/// How much two lines have in common, from 0 to 1,000.
fn likeness(of: &BTreeMap<(char, char), u32>, a: &str, b: &str) -> u32 {
    if a == b {
        return if a.is_empty() { 0 } else { 1_000 };
    }
    let other = pairs(b);
    let sum: u32 = of.values().chain(other.values()).sum();
    let common: u32 = of.iter().map(|(p, n)| other.get(p).copied().unwrap_or_default().min(*n)).sum();
    (common * 2_000).checked_div(sum).unwrap_or_default()
}
