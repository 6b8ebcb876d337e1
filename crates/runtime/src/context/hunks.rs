//! What was written of a file, as a record tells it: which hunks, what was said of them, how it reads there now.
//!
//! Owns the wording. Reads contents, never the disk.

use std::collections::BTreeSet;

use pilothouse_core::{
    diff::{self, Hunk, Lines},
    encoding::text_of,
    event::FileChange,
    proposal::Proposal,
    relpath::RelPath,
    tool::ChangeKind,
};

use super::Texts;

/// Most lines that are shown of a file that the user took in part or changed.
const SHOWN_LINES: usize = 60;
/// Lines shown around a change.
const AROUND: usize = 2;

/// What was written of a file, hunk by hunk where the user took a part or changed it.
pub(super) fn written<'a>(
    texts: &dyn Texts,
    file: &FileChange,
    hunks: &[Hunk],
    (taken, waits, edited): (&BTreeSet<usize>, &BTreeSet<usize>, bool),
    said: impl Fn(usize) -> Option<&'a str>,
) -> String {
    let (path, counts) = (&file.path, format!("(+{} -{})", file.added, file.removed));
    let what = match file.kind {
        ChangeKind::Create => "a new file, ",
        ChangeKind::Delete => "the removal of ",
        ChangeKind::Modify => "",
    };
    let by = if edited { ", as the user edited it" } else { "" };
    let part = taken.len() < hunks.len();
    let which = if part { format!(" {} of {}", numbers(taken), hunks.len()) } else { String::new() };
    let mut text = format!("applied: {what}{path}{which} {counts}{by}");
    for (n, hunk) in hunks.iter().enumerate().filter(|(n, _)| !taken.contains(n)) {
        let what = if waits.contains(&n) { "not decided by the user yet" } else { "left by the user" };
        text.push_str(&format!("\n{what}: {path} hunk {} ({})", n + 1, place_now(hunks, n, hunk, taken)));
    }
    let left = |n: usize| !taken.contains(&n) && !waits.contains(&n);
    text.push_str(&comments(path, hunks, taken, (said, left)));
    if part || edited {
        text.push_str(&now_there(texts, file, taken));
    }
    text
}

/// What the user took back of a file that was written; what they left of that stays as it was told.
pub(super) fn picked(texts: &dyn Texts, file: &FileChange, hunks: usize, taken: &BTreeSet<usize>) -> String {
    let (path, counts) = (&file.path, format!("(+{} -{})", file.added, file.removed));
    let (what, part) = match file.kind {
        ChangeKind::Create => (" is there again", false),
        ChangeKind::Delete => (" is removed again", false),
        ChangeKind::Modify => ("", taken.len() < hunks),
    };
    let of = if part { " in part" } else { "" };
    format!("taken back by the user{of}: {path}{what} {counts}{}", now_there(texts, file, taken))
}

/// Where the hunks of a change that was left meet what was changed in its file since it was proposed, by the user or another
/// program: the lines as they stand there, which are to stay.
pub(super) fn met(texts: &dyn Texts, proposal: &Proposal) -> String {
    let met = proposal.hunks.iter().enumerate().filter(|(n, _)| proposal.meets(*n));
    let places: Vec<Lines> = met.map(|(_, hunk)| hunk.old()).collect();
    let content = proposal.before.filter(|_| !places.is_empty()).and_then(|id| texts.blob(id));
    let Some(content) = content else { return String::new() };
    let content = text_of(&content);
    let lines: Vec<&str> = content.lines().collect();
    let named: Vec<String> = places.iter().map(|lines| lines.place()).collect();
    let mut text = format!(
        "\nthe user or another program changed {} there since, which is why it was left: {} now reads",
        named.join("; "),
        proposal.path
    );
    let shown: BTreeSet<usize> = places
        .iter()
        .flat_map(|at| at.start.saturating_sub(AROUND)..(at.end() + AROUND).min(lines.len()))
        .collect();
    show(&mut text, &lines, &shown);
    text
}

/// Where a hunk stands in the file once those that were taken are written.
fn place_now(hunks: &[Hunk], n: usize, hunk: &Hunk, taken: &BTreeSet<usize>) -> String {
    let before = || hunks.iter().enumerate().filter(|(m, _)| *m < n && taken.contains(m)).map(|(_, h)| h);
    let (came, went) = (before().map(Hunk::added).sum::<usize>(), before().map(Hunk::removed).sum::<usize>());
    let mut lines = hunk.old();
    lines.start = (lines.start + came).saturating_sub(went);
    if taken.contains(&n) {
        lines.len = (lines.len + hunk.added()).saturating_sub(hunk.removed());
    }
    lines.place()
}

/// Told of words to a hunk that was left.
const ANEW: &str = "propose it anew as these words want it, and leave it where they want none";

/// What the user said about hunks, at their places with those written that were taken; of one that was left it says
/// what follows from that.
pub(super) fn comments<'a>(
    path: &RelPath,
    hunks: &[Hunk],
    taken: &BTreeSet<usize>,
    (said, left): (impl Fn(usize) -> Option<&'a str>, impl Fn(usize) -> bool),
) -> String {
    let told = hunks.iter().enumerate().filter_map(|(n, hunk)| Some((n, hunk, said(n)?)));
    let told = told.map(|(n, hunk, text)| {
        let place = place_now(hunks, n, hunk, taken);
        let anew = if left(n) { format!("\n({ANEW})") } else { String::new() };
        format!("\nthe user says to {path} hunk {} ({place}): {text}{anew}", n + 1)
    });
    told.collect::<Vec<_>>().concat()
}

/// The places of the hunks that were written as they stand in the file now, with their line numbers.
fn now_there(texts: &dyn Texts, file: &FileChange, taken: &BTreeSet<usize>) -> String {
    let after = file.after.and_then(|id| texts.blob(id));
    let before = file.before.map_or(Some(Vec::new()), |id| texts.blob(id));
    let (Some(before), Some(after)) = (before, after) else { return String::new() };
    let text_after = text_of(&after);
    let lines: Vec<&str> = text_after.lines().collect();
    let mut shown = BTreeSet::new();
    for hunk in diff::hunks(&before, &after) {
        let at = hunk.new_lines();
        shown.extend(at.start.saturating_sub(AROUND)..(at.end() + AROUND).min(lines.len()));
    }
    let mut text = format!("\n{} reads now, at {}:", file.path, numbers(taken));
    show(&mut text, &lines, &shown);
    text
}

/// Lines of a text with their numbers, so many at most.
fn show(text: &mut String, lines: &[&str], shown: &BTreeSet<usize>) {
    for n in shown.iter().take(SHOWN_LINES) {
        let line = lines.get(*n).copied().unwrap_or_default();
        text.push_str(&format!("\n{:>6}  {}", n + 1, line.trim_end_matches('\r')));
    }
    if shown.len() > SHOWN_LINES {
        text.push_str(&format!("\n… {} lines more; read them", shown.len() - SHOWN_LINES));
    }
}

fn numbers(taken: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = taken.iter().map(|n| (n + 1).to_string()).collect();
    let s = if numbers.len() == 1 { "" } else { "s" };
    format!("hunk{s} {}", numbers.join(", "))
}
