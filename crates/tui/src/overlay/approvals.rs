//! How the list of what waits is drawn: the exact command to its end, its folder, risk and reason.
//!
//! Owns the drawing. The choice and its keys are [`crate::approvals`].

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

use super::page::{Page, frame};
use crate::{
    approvals::{Approvals, risk_name, risk_slot},
    theme::Slot,
};

/// Draws the list.
pub fn render(list: &Approvals, page: &Page<'_>, buf: &mut Buffer) {
    let chosen = list.chosen(page.state).map(|c| c.id);
    let width = usize::from(page.body.width.min(120).saturating_sub(6));
    let mut rows: Vec<(Line<'static>, bool)> = Vec::new();
    let mut at = 0;
    for item in page.state.open.values() {
        let is_chosen = Some(item.id) == chosen;
        if is_chosen {
            at = rows.len();
        }
        rows.extend(item_rows(item, is_chosen, page, width));
    }
    if rows.is_empty() {
        rows.push((Line::from(format!("{}  Nothing waits on you.", page.glyphs.inner)), false));
    }
    let height = u16::try_from(rows.len() + 4).unwrap_or(u16::MAX).max(8);
    let area = super::centred(page.body, 120, height);
    let count = format!("{} waiting · nothing here runs by itself", page.state.open.len());
    let count = if page.body.width < 70 { page.state.open.len().to_string() } else { count };
    let command = [
        ("j k", "item"),
        ("y", "once"),
        ("n", "deny"),
        ("e", "edit"),
        ("Enter", "open"),
        ("q", "back, still pending"),
    ];
    let trust = [("j k", "item"), ("y", "trust"), ("n", "leave off"), ("Enter", "view"), ("q", "back")];
    let of_trust = list.chosen(page.state).is_some_and(|c| matches!(c.kind, CheckpointKind::Trust { .. }));
    let keys: &[(&str, &str)] = if of_trust { &trust } else { &command };
    let short = [1, 2].map(|n| keys.get(n).copied().unwrap_or_default());
    let shown: &[(&str, &str)] = if page.body.width < 60 { &short } else { keys };
    let inner = frame(page, area, "Approvals", &count, shown, buf);
    let room = usize::from(inner.height.saturating_sub(1));
    // The chosen item begins in view, whatever its length.
    let top = if rows.len() <= room { 0 } else { at.min(rows.len() - room) };
    for ((line, lit), y) in rows.iter().skip(top).zip(inner.top() + 1..inner.bottom()) {
        let area = Rect { y, height: 1, ..inner };
        if *lit {
            buf.set_style(area, page.theme.fill(Slot::Select));
        }
        line.render(area, buf);
    }
}

fn item_rows(item: &Checkpoint, chosen: bool, page: &Page<'_>, width: usize) -> Vec<(Line<'static>, bool)> {
    let theme = page.theme;
    let bold = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mark = Span::styled(
        format!("{} ", if chosen { page.glyphs.folded } else { " " }),
        theme.style(Slot::Accent),
    );
    let (tag, slot, text, details) = facts(item, page);
    let tag_width = tag.width().max(10) + 2;
    let mut rows = Vec::new();
    for (i, part) in wrap(&text, width.saturating_sub(2 + tag_width).max(4)).into_iter().enumerate() {
        let lead = if i == 0 { format!("{tag:tag_width$}") } else { " ".repeat(tag_width) };
        let mark = if i == 0 { mark.clone() } else { Span::raw("  ") };
        let line = Line::from(vec![mark, Span::styled(lead, theme.style(slot)), Span::styled(part, bold)]);
        rows.push((line, chosen));
    }
    let quiet = if chosen { Slot::Text } else { Slot::Faint };
    for (label, value) in details {
        let room = width.saturating_sub(2 + tag_width + 9).max(4);
        for (i, part) in wrap(&value, room).into_iter().enumerate() {
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

fn facts(item: &Checkpoint, page: &Page<'_>) -> (String, Slot, String, Details) {
    let ascii = page.glyphs.waits == "!";
    let clean = |text: &str| Clean::line(text).into_string();
    let waits = page.glyphs.waits.to_owned();
    match &item.kind {
        CheckpointKind::Risk { command, folder, risk, why, gate, confine, reason, .. } => {
            let slot = risk_slot(*risk);
            let place = if folder.is_empty() { "the workspace".to_owned() } else { clean(folder) };
            let mut details = vec![("in", place), ("runs", confine.words().to_owned()), ("why", clean(why))];
            if !reason.is_empty() {
                details.push(("it says", clean(reason)));
            }
            if gate.is_some() {
                details.push(("for", "a gate of the plan".to_owned()));
            }
            let run = item
                .kind
                .word()
                .map_or("y runs it once".to_owned(), |w| format!("y, then type {w} to run it once"));
            let edit = if gate.is_some() { "" } else { "; e changes it" };
            details.push(("then", format!("{run}{edit}; n denies it")));
            (risk_name(*risk, ascii).to_owned(), slot, clean(command), details)
        }
        CheckpointKind::Access { request, ruling, .. } => {
            let details = vec![
                ("why", clean(&ruling.to_string())),
                ("then", "y allows it once; n denies it".to_owned()),
            ];
            (format!("{waits} asks"), Slot::Warn, clean(&request.to_string()), details)
        }
        CheckpointKind::Transition { from, to, reason, .. } => {
            let text = format!("go from {} to {}", from.title(), to.title());
            let details =
                vec![("why", clean(reason)), ("then", "y allows it for this turn; n denies it".to_owned())];
            (format!("{waits} deeper"), Slot::Warn, text, details)
        }
        CheckpointKind::Trust { parts, .. } => {
            let mut details = Details::new();
            for part in parts {
                details.push((changed(part.change), clean(&part.path)));
                details.extend(part.would.iter().map(|w| ("", format!("  {}", clean(w)))));
            }
            details.push((
                "then",
                "Enter shows every line; y trusts it until it changes; n leaves it off".into(),
            ));
            (format!("{waits} trust"), Slot::Warn, clean(&item.message), details)
        }
        CheckpointKind::Diff { proposals, .. } => {
            let files: Vec<String> = proposals
                .iter()
                .filter_map(|id| page.state.proposals.get(id))
                .map(|p| clean(&p.path.to_string()))
                .collect();
            let control = proposals.iter().filter_map(|id| page.state.proposals.get(id)).filter_map(|p| {
                let why = p.control.as_ref()?;
                Some((
                    "control",
                    format!("{} {}; it is written by its own word", clean(p.path.as_str()), clean(why)),
                ))
            });
            let then = ("then", "Enter opens the diff".to_owned());
            let details = control.chain([then]).collect();
            (format!("{waits} changes"), Slot::Warn, files.join("  "), details)
        }
        CheckpointKind::Confirmation => {
            let title = page.state.plan.as_ref().map_or(String::new(), |p| clean(&p.title));
            let then = ("then", "y runs the plan; n goes to the composer to change it".to_owned());
            (format!("{} plan", page.glyphs.star), Slot::Accent, title, vec![then])
        }
        CheckpointKind::Failure(failure) => {
            let details =
                vec![("hint", clean(&failure.hint)), ("then", "answer it in the composer".to_owned())];
            (format!("{} failed", page.glyphs.failed), Slot::Bad, clean(&failure.message), details)
        }
        CheckpointKind::Clarification { .. }
        | CheckpointKind::Interruption { .. }
        | CheckpointKind::Exit
        | CheckpointKind::PipelinePause { .. }
        | CheckpointKind::Breakout { .. } => {
            let then = ("then", "answer it in the composer".to_owned());
            (format!("{waits} question"), Slot::Warn, clean(&item.message), vec![then])
        }
    }
}

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

/// How a part of what the folder brings differs from what was trusted before.
const fn changed(change: PartChange) -> &'static str {
    match change {
        PartChange::New => "brings",
        PartChange::Changed => "changed",
        PartChange::Same => "as before",
        PartChange::Gone => "gone",
    }
}
