//! How a run stands in rows: one of this window or left unfinished in two, one of before in one, and what is said of
//! the one that is chosen.
//!
//! Owns the columns and the words. Never acts.

use pilothouse_core::{
    clean::Clean,
    money::{age, dollars},
    runs::RunStatus,
};

use crate::{
    ctx::Ctx,
    row::{self, Ink, Row, count, hang, wrap_to},
    theme::Slot,
    window::{Berth, RunRow},
};

/// From here on a row has columns for step, age, gate and cost.
pub(super) const TABLE_FROM: usize = 96;
/// From here on it has columns for step and age.
pub(super) const FIGURES_FROM: usize = 56;
/// Columns of a mark and the word of a status.
const STATUS: usize = 19;
/// With fewer columns a title is cut and not wrapped.
const LEAST_TITLE: usize = 8;
/// The longest that is said of what stays in a session of before, in columns.
const MOST_KEPT: usize = 30;

fn padded(text: &str, columns: usize) -> String {
    pad(&crate::status::shorten(text, columns), columns)
}

/// With blanks up to `columns`; longer ones stay as they are.
fn pad(text: &str, columns: usize) -> String {
    let gap = columns.saturating_sub(row::width(text));
    format!("{text}{}", " ".repeat(gap))
}

/// Columns at the right of a wide row: step, age, gate, cost.
const FIGURES: [usize; 4] = [7, 9, 14, 7];

/// Those of a narrower one: step and age.
const FEW_FIGURES: [usize; 2] = [6, 6];

/// Columns of the figures in a row of so many.
const fn figure_columns(columns: usize) -> &'static [usize] {
    if columns >= TABLE_FROM { &FIGURES } else { &FEW_FIGURES }
}

/// What the columns are.
pub(super) fn heading(columns: usize) -> Row {
    let figures = ["step", "quiet", "next gate", "spend"].iter().zip(figure_columns(columns));
    let right: String = figures.map(|(word, wide)| padded(word, *wide)).collect();
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

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is longer than its place is cut.
    #[default]
    Cut,
    /// What is longer than its place goes on below.
    Whole,
}

/// How it stands, what it is about, and the figures; then where it works and what goes on or waits.
pub(super) fn run(run: &RunRow, lit: bool, extent: Extent, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
    let mut rows = first(run, lit, extent, ctx, columns);
    if !run.is_earlier() {
        rows.extend(second(run, extent, ctx, columns));
    }
    rows
}

/// How it stands, what it is about, and the figures.
fn first(run: &RunRow, lit: bool, extent: Extent, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
    let g = ctx.glyphs;
    let (glyph, slot) = run.mark(g);
    let strong = if lit { Ink::of(Slot::Strong).bold() } else { Ink::of(Slot::Strong) };
    let cursor = if lit { g.folded } else { " " };
    let row = Row::of(cursor, Slot::Accent).and(" ", Slot::Text);
    let word = run.word();
    let narrow = columns < FIGURES_FROM || run.is_earlier() && columns < TABLE_FROM;
    let row = if narrow {
        row.and(glyph, slot).and(" ", Slot::Text)
    } else {
        row.and(&padded(&format!("{glyph} {word}"), STATUS), Ink::of(slot).bold())
    };
    let title = Clean::line(run.title());
    let indent = row.width();
    let (kept, figures) = (kept(run), figures(run, columns));
    let beside = |right: &Row| columns.saturating_sub(indent + right.width() + 2);
    let both = Row { pieces: [kept.pieces.clone(), figures.pieces.clone()].concat(), ..Row::new() };
    let whole = row::width(title.as_str()) <= beside(&both);
    if whole || extent == Extent::Cut || beside(&figures) < LEAST_TITLE {
        return vec![row.and(title.as_str(), strong).ends_keeping_right(both, columns, g.ellipsis)];
    }
    // What is kept in it goes below before the title is broken.
    let room = columns.saturating_sub(indent);
    let mut lines = hanging(title.as_str(), beside(&figures), room).into_iter();
    let head = row.and(&lines.next().unwrap_or_default(), strong);
    let mut rows = vec![head.ends_keeping_right(figures, columns, g.ellipsis)];
    rows.extend(lines.map(|line| below(indent).and(&line, strong)));
    if let Some(ink) = kept.pieces.first().map(|piece| piece.ink) {
        let lines = hanging(&Clean::line(&run.info.doing), room, room);
        rows.extend(lines.iter().map(|line| below(indent).and(line, ink)));
    }
    rows
}

/// The beginning of a row that goes on with the one above.
fn below(indent: usize) -> Row {
    Row::of(&" ".repeat(indent), Slot::Text)
}

/// A text in lines: the first of at most `first` columns, the others of `others`.
fn hanging(text: &str, first: usize, others: usize) -> Vec<String> {
    let rows = wrap_to(&Row::of(text, Slot::Text).pieces, first, others);
    rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

/// What stands at the right of it: step, age, gate and cost, as far as there is room.
fn figures(run: &RunRow, columns: usize) -> Row {
    let quiet = if run.berth == Berth::Empty { String::new() } else { age(run.quiet) };
    if columns < FIGURES_FROM {
        return Row::of(&quiet, Slot::Soft);
    }
    let gate = run.info.gate.clone().unwrap_or_default();
    let cost = run.info.usage.cost_micros.map_or_else(String::new, dollars);
    let progress = run.info.progress();
    let words = [progress.as_str(), quiet.as_str(), gate.as_str(), cost.as_str()];
    let aged = if run.info.status == RunStatus::Stalled { Slot::Warn } else { Slot::Soft };
    let mut right = Row::new();
    for (n, (word, wide)) in words.iter().zip(figure_columns(columns).iter().copied()).enumerate() {
        match n {
            0 if run.is_earlier() => {}
            2 if run.is_earlier() => right.push(&pad("", wide), Slot::Soft),
            1 => right.push(&padded(word, wide), aged),
            _ => right.push(&padded(word, wide), Slot::Soft),
        }
    }
    right
}

/// What stays in a session of before.
fn kept(run: &RunRow) -> Row {
    if !run.is_earlier() || run.info.doing.is_empty() {
        return Row::new();
    }
    let kept = crate::status::shorten(&Clean::line(&run.info.doing), MOST_KEPT);
    let ink = if run.info.status == RunStatus::Failed { Slot::Soft } else { Slot::Warn };
    Row::of(&format!("{kept}   "), ink)
}

/// Whether it works in the folder of the session that is shown.
fn is_here(run: &RunRow, ctx: &Ctx<'_>) -> bool {
    let shown = ctx.runs.iter().find(|r| matches!(r.berth, Berth::Shown(_)));
    shown.is_some_and(|shown| shown.info.folder == run.info.folder)
}

/// Where it works, and what goes on or waits.
fn second(run: &RunRow, extent: Extent, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
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
    let came_to = run.info.came_to();
    let doing = match (run.berth, run.info.doing.is_empty()) {
        (Berth::Shown(_), true) if came_to.is_none() => "shown now",
        (_, true) if run.info.status == RunStatus::Orphaned => "its process is gone",
        (_, true) if came_to.is_some() => came_to.as_deref().unwrap_or_default(),
        _ => &run.info.doing,
    };
    let narrow = columns < FIGURES_FROM;
    let indent = if narrow { 4 } else { STATUS + 2 };
    let (head, ink) = if narrow {
        (Row::of(run.info.status.name(), slot), Slot::Soft)
    } else {
        // What goes on or waits says more than where.
        let wide = match columns {
            TABLE_FROM.. => 30,
            72.. => 22,
            _ => 14,
        };
        let place = if extent == Extent::Whole { pad(&place, wide) } else { padded(&place, wide) };
        (Row::of(&place, Slot::Faint), slot)
    };
    let mut row = below(indent);
    row.pieces.extend(head.pieces);
    let whole = row.clone().and("  ", Slot::Text).and(doing, ink);
    if extent == Extent::Cut || whole.width() <= columns || doing.is_empty() {
        return vec![whole.cut(columns, ctx.glyphs.ellipsis)];
    }
    let room = columns.saturating_sub(indent);
    let mut rows = vec![row.cut(columns, ctx.glyphs.ellipsis)];
    rows.extend(hanging(&Clean::line(doing), room, room).iter().map(|line| below(indent).and(line, ink)));
    rows
}

/// Why it stands as it does, and what is at stake.
pub(super) fn details(run: &RunRow, extent: Extent, ctx: &Ctx<'_>, columns: usize) -> Vec<Row> {
    let [across, _] = ctx.glyphs.rule;
    let quiet = age(run.quiet);
    let why = match run.info.status {
        RunStatus::Idle => "nothing has been asked of it yet".to_owned(),
        RunStatus::Thinking => format!("waiting for the model; last sign of life {quiet} ago"),
        RunStatus::Tool => format!("a tool or command is running; last sign of life {quiet} ago"),
        RunStatus::Waiting => {
            let questions = count(run.info.waiting, "question");
            format!("{questions} {} for you", if run.info.waiting == 1 { "waits" } else { "wait" })
        }
        RunStatus::Stalled => {
            format!("it should be working, but nothing has been heard for {quiet}")
        }
        RunStatus::Done if run.info.steps == 0 && !run.info.wrote => "answered, nothing changed".to_owned(),
        RunStatus::Done => "what was asked is done".to_owned(),
        RunStatus::Ended => run.info.came_to().unwrap_or_default(),
        RunStatus::Failed => run.info.doing.clone(),
        RunStatus::Stopped => "unfinished, and nothing is working on it".to_owned(),
        RunStatus::Orphaned => "the process that worked on it is gone; its log is intact".to_owned(),
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
        let label = Row::of(&format!("  {label:17}"), Slot::Soft);
        if extent == Extent::Cut {
            rows.push(label.and(&text, Slot::Text).cut(columns, ctx.glyphs.ellipsis));
            continue;
        }
        let lines = hang(&label, &Row::of(&text, Slot::Text).pieces, columns).into_iter();
        rows.extend(lines.map(|row| row.cut(columns, ctx.glyphs.ellipsis)));
    }
    rows
}
