//! How a run stands in rows: one of this window or left unfinished in two, one of before in one, and what is said of
//! the one that is chosen.
//!
//! Owns the columns and the words. Never acts.

use pilothouse_core::{clean::Clean, money::age, runs::RunStatus};

use crate::{
    ctx::Ctx,
    row::{Ink, Row, count},
    theme::Slot,
    window::{Berth, RunRow},
};

/// From here on a row has columns for step, age, gate and cost.
pub(super) const TABLE_FROM: usize = 96;
/// From here on it has columns for step and age.
const FIGURES_FROM: usize = 56;
/// Columns of a mark and the word of a status.
const STATUS: usize = 19;
/// The longest that is said of what stays in a session of before, in columns.
const MOST_KEPT: usize = 30;

fn padded(text: &str, columns: usize) -> String {
    let text = crate::status::shorten(text, columns);
    let gap = columns.saturating_sub(crate::row::width(&text));
    format!("{text}{}", " ".repeat(gap))
}

/// Columns at the right of a wide row: step, age, gate, cost.
const FIGURES: [usize; 4] = [7, 9, 14, 7];

/// What the columns are.
pub(super) fn heading(columns: usize) -> Row {
    let figures = ["step", "quiet", "next gate", "spend"];
    let right: String = figures.iter().zip(FIGURES).map(|(word, wide)| padded(word, wide)).collect();
    let left = Row::of(&format!("  {}run", padded("  state", STATUS)), Slot::Faint);
    left.ends(Row::of(&right, Slot::Faint), columns, "")
}

/// What stands above the sessions of before.
pub(super) fn earlier_heading(ctx: &Ctx<'_>, columns: usize) -> Row {
    let [across, _] = ctx.glyphs.rule;
    let words = "  earlier here ";
    let rule = across.repeat(columns.saturating_sub(words.len()));
    Row::of(words, Slot::Faint).and(&rule, Slot::Line)
}

/// How it stands, what it is about, and the figures.
pub(super) fn first(run: &RunRow, lit: bool, ctx: &Ctx<'_>, columns: usize) -> Row {
    let (glyph, slot) = run.mark(ctx.glyphs);
    let strong = if lit { Ink::of(Slot::Strong).bold() } else { Ink::of(Slot::Strong) };
    let cursor = if lit { ctx.glyphs.folded } else { " " };
    let row = Row::of(cursor, Slot::Accent).and(" ", Slot::Text);
    let word = if run.berth == Berth::Empty { "worktree" } else { run.info.status.name() };
    let narrow = columns < FIGURES_FROM || run.is_earlier() && columns < TABLE_FROM;
    let row = if narrow {
        row.and(glyph, slot).and(" ", Slot::Text)
    } else {
        row.and(&padded(&format!("{glyph} {word}"), STATUS), Ink::of(slot).bold())
    };
    let row = row.and(Clean::line(run.title()).as_str(), strong);
    row.ends_keeping_right(figures(run, columns), columns, ctx.glyphs.ellipsis)
}

/// What stands at the right of it: step, age, gate and cost, as far as there is room; of a session of before what stays
/// in it in their place.
fn figures(run: &RunRow, columns: usize) -> Row {
    let quiet = if run.berth == Berth::Empty { String::new() } else { age(run.quiet) };
    if columns < FIGURES_FROM {
        return Row::of(&quiet, Slot::Soft);
    }
    let gate = run.info.gate.clone().unwrap_or_default();
    let cost = run.info.usage.cost_micros.map_or_else(String::new, |micros| {
        format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
    });
    let progress = run.info.progress();
    let words = [progress.as_str(), quiet.as_str(), gate.as_str(), cost.as_str()];
    let many = if columns >= TABLE_FROM { 4 } else { 2 };
    let aged = if run.info.status == RunStatus::Stalled { Slot::Warn } else { Slot::Soft };
    let mut right = Row::new();
    for (n, (word, wide)) in words.iter().zip(FIGURES).take(many).enumerate() {
        match n {
            0 | 2 if run.is_earlier() => {}
            1 => right.push(&padded(word, wide), aged),
            _ => right.push(&padded(word, wide), Slot::Soft),
        }
    }
    if !run.is_earlier() || run.info.doing.is_empty() {
        return right;
    }
    let kept = crate::status::shorten(&Clean::line(&run.info.doing), MOST_KEPT);
    let ink = if run.info.status == RunStatus::Failed { Slot::Soft } else { Slot::Warn };
    let mut row = Row::of(&format!("{kept}   "), ink);
    row.pieces.extend(right.pieces);
    row
}

/// Whether it works in the folder of the session that is shown.
fn is_here(run: &RunRow, ctx: &Ctx<'_>) -> bool {
    let shown = ctx.runs.iter().find(|r| matches!(r.berth, Berth::Shown(_)));
    shown.is_some_and(|shown| shown.info.folder == run.info.folder)
}

/// Where it works, and what goes on or waits.
pub(super) fn second(run: &RunRow, ctx: &Ctx<'_>, columns: usize) -> Row {
    let slot = match run.info.status {
        RunStatus::Waiting | RunStatus::Stalled => Slot::Warn,
        RunStatus::Failed | RunStatus::Orphaned => Slot::Bad,
        RunStatus::Idle
        | RunStatus::Thinking
        | RunStatus::Tool
        | RunStatus::Done
        | RunStatus::Ended
        | RunStatus::Stopped => Slot::Soft,
    };
    let mut place = if is_here(run, ctx) { "this folder".to_owned() } else { run.folder().to_owned() };
    if run.worktree.is_some() && columns >= TABLE_FROM {
        place = format!("{place} {} worktree", ctx.glyphs.dot);
    }
    let doing = match (run.berth, run.info.doing.is_empty()) {
        (Berth::Shown(_), true) if came_to.is_none() => "shown now",
        (_, true) if run.info.status == RunStatus::Orphaned => "its process is gone",
        _ => &run.info.doing,
    };
    if columns < FIGURES_FROM {
        let row = Row::of("    ", Slot::Text).and(run.info.status.name(), slot).and("  ", Slot::Text);
        return row.and(doing, Slot::Soft).cut(columns, ctx.glyphs.ellipsis);
    }
    let row = Row::of(&" ".repeat(STATUS + 2), Slot::Text);
    let wide = if columns >= TABLE_FROM { 30 } else { 22 };
    let row = row.and(&padded(&place, wide), Slot::Faint).and("  ", Slot::Text);
    row.and(doing, slot).cut(columns, ctx.glyphs.ellipsis)
}

/// Why it stands as it does, and what is at stake.
pub(super) fn details(run: &RunRow, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
    let [across, _] = ctx.glyphs.rule;
    let quiet = age(run.quiet);
    let why = match run.info.status {
        RunStatus::Idle => "nothing was asked of it yet".to_owned(),
        RunStatus::Thinking => format!("the model is asked; the last sign of life came {quiet} ago"),
        RunStatus::Tool => format!("a tool or command is at work; the last sign of life came {quiet} ago"),
        RunStatus::Waiting => {
            let questions = count(run.info.waiting, "question");
            format!("{questions} of it {} for you", if run.info.waiting == 1 { "waits" } else { "wait" })
        }
        RunStatus::Stalled => {
            format!("it should be at work, and nothing was heard of it for {quiet}")
        }
        RunStatus::Done if run.info.steps == 0 && !run.info.wrote => "answered, nothing changed".to_owned(),
        RunStatus::Done => "what was asked is done".to_owned(),
        RunStatus::Failed => run.info.doing.clone(),
        RunStatus::Stopped => "it is unfinished and nothing works on it".to_owned(),
        RunStatus::Orphaned => "the process that worked on it is gone; its log is whole".to_owned(),
    };
    let held = run.info.pid.map(|pid| format!("process {pid} holds it; here it opens read-only"));
    let kept = Some(run.info.doing.clone()).filter(|kept| !kept.is_empty());
    let kept = kept.filter(|_| run.is_earlier() && run.info.status != RunStatus::Failed);
    let stake = Some(run.info.stake.join(", ")).filter(|s| !run.is_earlier() && !s.is_empty());
    let session = Some(run.info.session.clone()).filter(|s| !s.is_empty());
    let mut rows = vec![Row::of(&across.repeat(columns), Slot::Line)];
    let lines = [
        ("why this state", Some(why)),
        ("held", held),
        ("at stake", stake),
        ("left in it", kept),
        ("folder", Some(run.info.folder.clone())),
        ("session", session),
    ];
    for (label, text) in lines {
        let Some(text) = text else { continue };
        let row = Row::of(&format!("  {label:17}"), Slot::Soft).and(&text, Slot::Text);
        rows.push(row.cut(columns, ctx.glyphs.ellipsis));
    }
    rows
}
    let came_to = run.info.came_to();
        (_, true) if came_to.is_some() => came_to.as_deref().unwrap_or_default(),
        RunStatus::Ended => run.info.came_to().unwrap_or_default(),
