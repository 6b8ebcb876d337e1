//! How the list of what waits is drawn: the exact command to its end, its folder, risk and reason.
//!
//! Owns the drawing. The choice and its keys are the list's.

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind},
    clean::Clean,
    trust::PartChange,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::{
    ctx::Ctx,
    overlay::{centred, page::frame},
    reach::reaches,
    risk::{risk_name, risk_slot},
    theme::Slot,
};

/// Rows of the list that stay in view above the answers.
const LEAST: usize = 5;

/// Draws the list; below it how far each answer to the chosen item reaches, where there is room for that.
pub fn render(item: Option<&Checkpoint>, ctx: &Ctx<'_>, buf: &mut Buffer) {
    let chosen = item.map(|c| c.id);
    let width = columns(ctx.body);
    let mut rows: Vec<(Line<'static>, bool)> = Vec::new();
    let mut at = 0;
    for item in ctx.state.open.values() {
        let is_chosen = Some(item.id) == chosen;
        if is_chosen {
            at = rows.len();
        }
        rows.extend(item_rows(item, is_chosen, ctx, width));
    }
    if rows.is_empty() {
        rows.push((Line::from(format!("{}  Nothing waits on you.", ctx.glyphs.inner)), false));
    }
    let shows = item.filter(|item| fits(item, ctx));
    let answers = shows.map_or_else(Vec::new, |item| answer_rows(item, ctx, width));
    let height = u16::try_from(rows.len() + answers.len() + if answers.is_empty() { 4 } else { 3 })
        .unwrap_or(u16::MAX)
        .max(8);
    let area = centred(ctx.body, 120, height);
    let count = format!("{} waiting · nothing runs without you", ctx.state.open.len());
    let count = if ctx.body.width < 70 { ctx.state.open.len().to_string() } else { count };
    let inner = frame(ctx, area, "Approvals", &count, keys(item, !answers.is_empty(), ctx.body.width), buf);
    let below = u16::try_from(answers.len()).unwrap_or(inner.height).min(inner.height);
    let room = usize::from(inner.height.saturating_sub(1 + below));
    // The chosen item begins in view, whatever its length.
    let top = if rows.len() <= room { 0 } else { at.min(rows.len() - room) };
    for ((line, lit), y) in rows.iter().skip(top).zip(inner.top() + 1..inner.bottom() - below) {
        let area = Rect { y, height: 1, ..inner };
        if *lit {
            buf.set_style(area, ctx.theme.fill(Slot::Select));
        }
        line.render(area, buf);
    }
    let hidden = rows.len().saturating_sub(top + room);
    if hidden > 0 && room > 0 {
        let last = Rect { y: inner.bottom() - below - 1, height: 1, ..inner };
        let whole = match item.map(|c| &c.kind) {
            Some(CheckpointKind::Trust { .. }) => "; Enter shows every line",
            Some(_) | None => "",
        };
        let rest = format!("  {} more rows{whole}", hidden + 1);
        buf.set_style(last, ctx.theme.style(Slot::Warn));
        let rest = format!("{rest:width$}", width = usize::from(last.width));
        Line::from(Span::styled(rest, ctx.theme.style(Slot::Warn))).render(last, buf);
    }
    for (line, y) in answers.iter().zip(inner.bottom() - below..inner.bottom()) {
        line.render(Rect { y, height: 1, ..inner }, buf);
    }
}

/// Columns of the list's text on a body.
fn columns(body: Rect) -> usize {
    usize::from(body.width.min(120).saturating_sub(6))
}

/// Whether the reach of every answer to an item can be drawn in full beside its key.
pub fn fits(item: &Checkpoint, ctx: &Ctx<'_>) -> bool {
    let (state, policy, body) = (ctx.state, ctx.session.policy(), ctx.body);
    let width = columns(body).saturating_sub(REACH).max(4);
    let rows: usize = reaches(item, state, policy).iter().map(|r| words(&r.reach, width).len()).sum();
    columns(body) >= REACH + 12 && rows + 1 + LEAST + 3 <= usize::from(body.height)
}

/// The keys that the border names: those that do not stand above it with their reach.
fn keys(item: Option<&Checkpoint>, above: bool, width: u16) -> &'static [(&'static str, &'static str)] {
    const OTHER: [(&str, &str); 4] =
        [("j k", "item"), ("w", "why"), ("e", "edit the command"), ("q", "close (stays pending)")];
    const PLAIN: [(&str, &str); 3] = [("j k", "item"), ("w", "why"), ("q", "close (stays pending)")];
    const SHORT: [(&str, &str); 5] =
        [("j k", "item"), ("y", "once"), ("n", "deny"), ("w", "why"), ("q", "close (stays pending)")];
    const TRUST: [(&str, &str); 5] =
        [("j k", "item"), ("y", "trust"), ("n", "don't trust"), ("Enter", "view"), ("q", "back")];
    const NARROW: [(&str, &str); 4] = [("j k", "item"), ("w", "why"), ("e", "edit"), ("q", "back")];
    const LEAST: [(&str, &str); 2] = [("y", "once"), ("n", "deny")];
    const NONE: [(&str, &str); 1] = [("q", "back")];
    match item.map(|c| &c.kind) {
        None => &NONE,
        Some(CheckpointKind::Trust { .. }) if width >= 60 => &TRUST,
        Some(CheckpointKind::Risk { gate: None, .. }) if above && width < 70 => &NARROW,
        Some(CheckpointKind::Risk { gate: None, .. }) if above => &OTHER,
        _ if above => &PLAIN,
        _ if width >= 60 => &SHORT,
        _ => &LEAST,
    }
}

/// Columns of a key and its name.
const REACH: usize = 18;

/// How far each answer reaches, below a line.
fn answer_rows(item: &Checkpoint, ctx: &Ctx<'_>, width: usize) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let [across, _] = ctx.glyphs.rule;
    let mut rows = vec![Line::from(Span::styled(across.repeat(width + 2), theme.style(Slot::Line)))];
    let key = theme.style(Slot::Accent).add_modifier(Modifier::BOLD);
    for answer in reaches(item, ctx.state, ctx.session.policy()) {
        let none = answer.key.is_empty();
        let room = width.saturating_sub(REACH).max(4);
        for (i, part) in words(&Clean::line(&answer.reach), room).into_iter().enumerate() {
            let (letter, name) = if i == 0 { (answer.key, answer.name) } else { ("", "") };
            let slot = if none { Slot::Faint } else { Slot::Text };
            rows.push(Line::from(vec![
                Span::styled(format!("  {letter:6}"), key),
                Span::styled(format!("{name:10}"), theme.style(if none { Slot::Faint } else { Slot::Soft })),
                Span::styled(part, theme.style(slot)),
            ]));
        }
    }
    rows
}

fn item_rows(item: &Checkpoint, chosen: bool, ctx: &Ctx<'_>, width: usize) -> Vec<(Line<'static>, bool)> {
    let theme = ctx.theme;
    let bold = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mark =
        Span::styled(format!("{} ", if chosen { ctx.glyphs.folded } else { " " }), theme.style(Slot::Accent));
    let (tag, slot, text, details) = facts(item, ctx);
    let tag_width = tag.width().max(10) + 2;
    let mut rows = Vec::new();
    let room = width.saturating_sub(2 + tag_width).max(4);
    // A command is shown to its last blank.
    let exact = matches!(item.kind, CheckpointKind::Risk { .. });
    let parts = if exact { wrap(&text, room) } else { words(&text, room) };
    for (i, part) in parts.into_iter().enumerate() {
        let lead = if i == 0 { format!("{tag:tag_width$}") } else { " ".repeat(tag_width) };
        let mark = if i == 0 { mark.clone() } else { Span::raw("  ") };
        let line = Line::from(vec![mark, Span::styled(lead, theme.style(slot)), Span::styled(part, bold)]);
        rows.push((line, chosen));
    }
    let quiet = if chosen { Slot::Text } else { Slot::Faint };
    for (label, value) in details {
        let room = width.saturating_sub(2 + tag_width + 9).max(4);
        for (i, part) in words(&value, room).into_iter().enumerate() {
            let label = if i == 0 { label } else { "" };
            let line = Line::from(vec![
                Span::raw(" ".repeat(2 + tag_width)),
                Span::styled(format!("{label:9}"), theme.style(Slot::Soft)),
                Span::styled(part, theme.style(quiet)),
            ]);
            rows.push((line, false));
        }
    }
    rows.push((Line::default(), false));
    rows
}

type Details = Vec<(&'static str, String)>;

fn facts(item: &Checkpoint, ctx: &Ctx<'_>) -> (String, Slot, String, Details) {
    let ascii = ctx.glyphs.waits == "!";
    let clean = |text: &str| Clean::line(text).into_string();
    let waits = ctx.glyphs.waits.to_owned();
    match &item.kind {
        CheckpointKind::Risk { command, risk, .. } => (
            risk_name(*risk, ascii).to_owned(),
            risk_slot(*risk),
            clean(command),
            command_details(&item.kind),
        ),
        CheckpointKind::Access { request, ruling, .. } => {
            let details = vec![("why", clean(&ruling.to_string()))];
            (format!("{waits} asks"), Slot::Warn, clean(&request.to_string()), details)
        }
        CheckpointKind::Transition { from, to, reason, .. } => {
            let text = format!("go from {} to {}", from.title(), to.title());
            let details = vec![("why", clean(reason))];
            (format!("{waits} deeper"), Slot::Warn, text, details)
        }
        CheckpointKind::Trust { parts, .. } => {
            let mut details = Details::new();
            for part in parts {
                details.push((changed(part.change), clean(&part.path)));
                details.extend(part.would.iter().map(|w| ("", format!("  {}", clean(w)))));
            }
            (format!("{waits} trust"), Slot::Warn, clean(&item.message), details)
        }
        CheckpointKind::Diff { proposals, .. } => {
            let files: Vec<String> = proposals
                .iter()
                .filter_map(|id| ctx.state.proposals.get(id))
                .map(|p| clean(&p.path.to_string()))
                .collect();
            let control = proposals.iter().filter_map(|id| ctx.state.proposals.get(id)).filter_map(|p| {
                let why = p.control.as_ref()?;
                Some((
                    "control",
                    format!("{} {}; it is written by its own word", clean(p.path.as_str()), clean(why)),
                ))
            });
            let details = control.collect();
            (format!("{waits} changes"), Slot::Warn, files.join("  "), details)
        }
        CheckpointKind::Confirmation => {
            let title = ctx.state.plan.as_ref().map_or(String::new(), |p| clean(&p.title));
            (format!("{} plan", ctx.glyphs.star), Slot::Accent, title, Details::new())
        }
        CheckpointKind::Failure(failure) => {
            let details = vec![("hint", clean(&failure.hint))];
            (format!("{} failed", ctx.glyphs.failed), Slot::Bad, clean(&failure.message), details)
        }
        CheckpointKind::Clarification { .. }
        | CheckpointKind::Interruption { .. }
        | CheckpointKind::Exit
        | CheckpointKind::PipelinePause { .. }
        | CheckpointKind::Breakout { .. } => {
            (format!("{waits} question"), Slot::Warn, clean(&item.message), Details::new())
        }
    }
}

/// What a command would run as, what it gets, and why it is asked about.
fn command_details(kind: &CheckpointKind) -> Details {
    let CheckpointKind::Risk { folder, why, gate, confine, reason, meant, changed, brought, gives, .. } =
        kind
    else {
        return Details::new();
    };
    let clean = |text: &str| Clean::line(text).into_string();
    let place = if folder.is_empty() { "the workspace".to_owned() } else { clean(folder) };
    let mut details = vec![("folder", place), ("runs", confine.words().to_owned()), ("why", clean(why))];
    if !gives.is_empty() {
        details.push(("gets", format!("{} from the project's .env", clean(&gives.join(", ")))));
    }
    if let Some(meant) = meant {
        details.push(("program", clean(&programs(&meant.places()))));
    }
    if *brought {
        details.push(("really", clean(changed)));
    } else if !changed.is_empty() {
        details.push(("changed", format!("since you allowed it: {}", clean(changed))));
    }
    if !reason.is_empty() {
        details.push(("reason", clean(reason)));
    }
    if gate.is_some() {
        details.push(("used by", "a gate of the plan".to_owned()));
    }
    details
}

/// Where the programs of a command are, the first few by name.
fn programs(places: &[String]) -> String {
    let mut text = places.iter().take(MOST_PROGRAMS).cloned().collect::<Vec<_>>().join("  ");
    if places.len() > MOST_PROGRAMS {
        text.push_str(&format!("  and {} more", places.len() - MOST_PROGRAMS));
    }
    if text.is_empty() { "none that its words name".to_owned() } else { text }
}

/// Programs of one command that are named.
const MOST_PROGRAMS: usize = 6;

/// Every part of the text on rows of at most `width` columns; nothing is left out.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for g in text.graphemes(true) {
        if used + g.width() > width {
            rows.push(String::new());
            used = 0;
        }
        used += g.width();
        if let Some(row) = rows.last_mut() {
            row.push_str(g);
        }
    }
    rows
}

/// Words on rows of at most `width` columns, each as far in as the first; a word that is longer than
/// a row is cut.
fn words(text: &str, width: usize) -> Vec<String> {
    let lead = " ".repeat(text.len() - text.trim_start().len());
    let room = width.saturating_sub(lead.width()).max(1);
    let mut rows: Vec<String> = Vec::new();
    for word in text.trim_start().split(' ') {
        match rows.last_mut() {
            Some(row) if row.width() + 1 + word.width() <= room => {
                row.push(' ');
                row.push_str(word);
            }
            Some(_) | None => rows.extend(wrap(word, room)),
        }
    }
    rows.iter().map(|row| format!("{lead}{row}")).collect()
}

/// How a part of what the folder brings differs from what was trusted before.
const fn changed(change: PartChange) -> &'static str {
    match change {
        PartChange::New => "brings",
        PartChange::Changed => "changed",
        PartChange::Same => "as before",
        PartChange::Gone => "gone",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_break_at_blanks_and_stay_as_far_in_as_they_began() {
        assert_eq!(words("  gives commands A, B", 12), ["  gives", "  commands", "  A, B"]);
        assert_eq!(words("averylongword x", 6), ["averyl", "ongwor", "d x"]);
        assert_eq!(words("", 6), [""]);
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide_and_only_blanks_are_lost(text in "[a-zäß世 ]{0,60}", width in 4_usize..30) {
            let rows = words(text.trim(), width);
            prop_assert!(rows.iter().all(|row| row.width() <= width), "{rows:?}");
            let bare = |s: &str| s.split_whitespace().collect::<String>();
            prop_assert_eq!(bare(&rows.concat()), bare(&text));
        }
    }
}
