//! What stands below a folded command of what it wrote.
//!
//! Owns which lines these are: the end of one that ended well, and of one that failed what says that it did.

use pilothouse_core::{clean::Clean, digest::is_verdict};

use super::{Call, Env, lines_below, wrapped};
use crate::row::{self, Row};
use crate::theme::Slot;

/// Lines at the end of each stream that come first of one that failed.
const LAST: usize = 2;
/// Lines behind one that says what failed: they say where, and why.
const BEHIND: usize = 2;
/// Lines that sum up what one found, at most, that come first where it ended well.
const VERDICTS: usize = 2;
/// What a line holds that says what failed, and what one holds that tells more of it.
const FAILED: [&str; 6] = ["FAILED", "FAIL:", "FAIL ", "panicked at", "--- FAIL", "✗"];
const TELLS: [&str; 5] = ["error", "Error", "ERROR", "failed", "Traceback"];

/// Some lines of a command's output in at most so many rows, and what is folded away. Where it ended well they are of its
/// result, beside which its progress went to the other stream.
pub(super) fn peek(call: &Call, (most, well): (usize, bool), env: &Env<'_>, rows: &mut Vec<Row>) {
    let clean = Clean::text(&call.result.shown);
    let lines: Vec<&str> = clean.lines().collect();
    let high = |n: &usize| lines.get(*n).map_or(0, |line| wrapped(line, env).len());
    let all = (0..lines.len()).map(|n| high(&n)).sum::<usize>();
    // A row that says that a line is folded away takes as much room as that.
    if all <= most || all == most + 1 && !call.is_long() && !lines.iter().any(|line| is_cut(line)) {
        lines_below(&lines, env, rows);
        if call.is_long() && !env.opens.is_empty() {
            let row = format!("  {} {} opens all of it", env.glyphs.folded, env.opens);
            rows.push(Row::of(&row, Slot::Faint).cut(env.width, env.glyphs.ellipsis));
        }
        return;
    }
    let split = lines.iter().position(|line| *line == "stderr:").unwrap_or(lines.len());
    let result = lines.get(..split).unwrap_or_default().iter().any(|line| !line.trim().is_empty());
    let of_result = well && result && split < lines.len();
    let order: Vec<usize> = match (of_result, well) {
        (true, _) => summed_up(&lines, (0..split).rev()),
        (false, true) => summed_up(&lines, (0..lines.len()).rev()),
        (false, false) => failing(&lines, split),
    };
    let mut chosen: Vec<usize> = order.into_iter().take(most).collect();
    while chosen.len() > 1 && chosen.iter().map(high).sum::<usize>() + gaps(&chosen, &lines).len() > most {
        chosen.pop();
    }
    let gaps = gaps(&chosen, &lines);
    chosen.sort_unstable();
    let hidden = lines.len() - chosen.len();
    let ends = chosen.last().is_some_and(|n| n + 1 == lines.len()) && gaps.is_empty();
    // Of what was cut before it came here nobody counted the lines.
    let cut = lines.iter().any(|line| is_cut(line));
    let fold = match (of_result, ends) {
        (_, true) if cut => format!("more than {} above", row::count(hidden, "line")),
        _ if cut => format!("more than {} folded", row::count(hidden, "line")),
        (true, _) => row::count(hidden, "more line"),
        (false, true) => format!("{} above", row::count(hidden, "line")),
        (false, false) => format!("{} folded", row::count(hidden, "line")),
    };
    let does = match (call.is_long(), cut) {
        (true, _) => "opens all",
        (false, true) => "shows more",
        (false, false) => "shows all",
    };
    let opens = if env.opens.is_empty() { String::new() } else { format!(", {} {does}", env.opens) };
    let fold = format!("  {} {fold}{opens}", env.glyphs.folded);
    rows.push(Row::of(&fold, Slot::Faint).cut(env.width, env.glyphs.ellipsis));
    let end = rows.len() + most;
    for n in chosen {
        if gaps.contains(&n) {
            let gutter = Row::of("  ", Slot::Text).and(env.glyphs.column, Slot::Line);
            rows.push(gutter.and(&format!(" {}", env.glyphs.ellipsis), Slot::Faint));
        }
        lines_below(lines.get(n..=n).unwrap_or_default(), env, rows);
    }
    rows.truncate(end);
}

/// The lines of a command that ended well: first the last of those that sum up what it found, on whichever stream they
/// stand, then its result from its end.
fn summed_up(lines: &[&str], result: impl Iterator<Item = usize>) -> Vec<usize> {
    let verdicts = (0..lines.len()).rev().filter(|n| lines.get(*n).is_some_and(|line| is_verdict(line)));
    let mut order: Vec<usize> = verdicts.take(VERDICTS).collect();
    let first = order.clone();
    order.extend(result.filter(|n| !first.contains(n)));
    order
}

/// Whether a line stands for text that was left out.
fn is_cut(line: &str) -> bool {
    line.starts_with("[… ") && line.contains(" bytes left out; read ")
        || line.starts_with("[... ") && line.ends_with(" bytes in all ...]")
}

/// The lines of a command that failed, what matters most first: what it counted, what failed first and the lines behind
/// that, how each stream ends, what else failed, what tells more of it, then the lines before both ends.
fn failing(lines: &[&str], split: usize) -> Vec<usize> {
    let is_text = |n: &usize| lines.get(*n).is_some_and(|line| !line.trim().is_empty());
    let passed =
        |line: &str| line.ends_with("... ok") || line.contains(" 0 failed") && !line.contains("FAILED");
    let with = |words: &[&str]| -> Vec<usize> {
        let holds = |line: &str| !passed(line) && words.iter().any(|word| line.contains(word));
        (0..lines.len()).filter(|n| lines.get(*n).is_some_and(|line| holds(line))).collect()
    };
    let (out, err) = (0..split, (split + 1).min(lines.len())..lines.len());
    let counts = (0..lines.len()).rev().filter(|n| lines.get(*n).is_some_and(|line| is_verdict(line)));
    let mut order: Vec<usize> = counts.take(1).collect();
    let (failed, tells) = (with(&FAILED), with(&TELLS));
    let behind = |n: usize| (n + 1..lines.len()).filter(is_text).take(BEHIND);
    let first = failed.iter().chain(&tells).min().copied();
    order.extend(first.into_iter().flat_map(|n| std::iter::once(n).chain(behind(n))));
    order.extend(err.clone().rev().filter(is_text).take(LAST));
    order.extend(out.clone().rev().filter(is_text).take(LAST));
    order.extend(failed.iter().chain(&tells).flat_map(|n| std::iter::once(*n).chain(behind(*n))));
    let longest = out.len().max(err.len());
    let (mut out, mut err) = (out.rev(), err.rev());
    for _ in 0..longest {
        order.extend(err.next().into_iter().chain(out.next()));
    }
    let mut seen = std::collections::BTreeSet::new();
    order.retain(|n| seen.insert(*n));
    order
}

/// The chosen lines before which others with something on them are left out, but the first.
fn gaps(chosen: &[usize], lines: &[&str]) -> Vec<usize> {
    let mut sorted = chosen.to_vec();
    sorted.sort_unstable();
    let blank = |line: &&str| line.trim().is_empty();
    let left_out = |from: usize, to: usize| !lines.get(from + 1..to).unwrap_or_default().iter().all(blank);
    sorted
        .windows(2)
        .filter_map(|pair| match *pair {
            [from, to] => left_out(from, to).then_some(to),
            _ => None,
        })
        .collect()
}
