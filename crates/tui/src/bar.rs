//! The bar above the composer: the question that stands, its answers, and what else waits.
//!
//! Owns its words. It has no focus and takes no key: it names the keys of those that do.

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind, Choice},
    clean::Clean,
    ids::{CheckpointId, ProposalId},
    proposal::{Proposal, ProposalStatus},
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use crate::{
    risk::risk_name,
    status::shorten,
    theme::{Glyphs, Slot, Theme},
};

/// What the bar needs to know besides the state.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
    /// Whether something is being written.
    pub drafting: bool,
    /// The command that stands in the composer.
    pub offered: Option<CheckpointId>,
    /// The key that goes to the plan.
    pub plan_key: &'a str,
    /// The key that goes to the diff.
    pub diff_key: &'a str,
    /// The key that opens the list of what waits.
    pub approvals_key: &'a str,
}

/// The bar's rows at this width, without padding; empty while nothing waits.
pub fn rows(state: &State, facts: &Facts<'_>, width: u16) -> Vec<Line<'static>> {
    let width = usize::from(width);
    if let Some(question) = state.phase_question() {
        return question_rows(question, facts, width);
    }
    let Some(first) = state.open.values().find(|c| things(state, c) > 0) else { return Vec::new() };
    vec![waiting_row(state, first, facts, width)]
}

/// How many things wait on the user: every question is one, but of a review every file is.
pub fn waiting(state: &State) -> usize {
    state.open.values().map(|c| things(state, c)).sum()
}

/// Hunks without decision, when nothing waits but reviews.
pub fn undecided(state: &State) -> Option<usize> {
    let mut hunks = 0;
    for question in state.open.values() {
        let CheckpointKind::Diff { proposals, .. } = &question.kind else { return None };
        hunks += open_of(state, proposals).map(|p| p.tally().2).sum::<usize>();
    }
    (hunks > 0).then_some(hunks)
}

fn open_of<'a>(state: &'a State, proposals: &'a [ProposalId]) -> impl Iterator<Item = &'a Proposal> {
    let all = proposals.iter().filter_map(|id| state.proposals.get(id));
    all.filter(|p| p.status == ProposalStatus::Open)
}

fn things(state: &State, question: &Checkpoint) -> usize {
    match &question.kind {
        CheckpointKind::Diff { proposals, .. } => open_of(state, proposals).count(),
        CheckpointKind::Confirmation
        | CheckpointKind::Clarification { .. }
        | CheckpointKind::Failure(_)
        | CheckpointKind::Interruption { .. }
        | CheckpointKind::Exit
        | CheckpointKind::PipelinePause { .. }
        | CheckpointKind::Breakout { .. }
        | CheckpointKind::Risk { .. }
        | CheckpointKind::Access { .. }
        | CheckpointKind::Trust { .. }
        | CheckpointKind::Transition { .. } => 1,
    }
}

/// The question that a key could answer while the bar shows it.
pub fn question(state: &State) -> Option<CheckpointId> {
    state.phase_question().map(|q| q.id)
}

/// Draws the rows on the bar's ground.
pub fn render(rows: &[Line<'_>], facts: &Facts<'_>, bad: bool, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    buf.set_style(area, facts.theme.fill(Slot::Raised));
    let edge = facts.theme.style(if bad { Slot::Bad } else { Slot::Accent });
    for y in area.top()..area.bottom() {
        buf.set_string(area.x, y, facts.glyphs.bar, edge);
    }
    let room = usize::from(area.height);
    let pad = u16::from(room >= rows.len() + 2);
    for (row, y) in rows.iter().zip(area.top() + pad..area.bottom()) {
        let inner = Rect { x: area.x + 2, y, width: area.width.saturating_sub(3), height: 1 };
        row.render(inner.intersection(buf.area), buf);
    }
}

fn question_rows(question: &Checkpoint, facts: &Facts<'_>, width: usize) -> Vec<Line<'static>> {
    let theme = facts.theme;
    let strong = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let soft = theme.style(Slot::Soft);
    let (glyph, slot, words, suffix) = heading(question, facts.glyphs);
    let mut head = vec![
        Span::styled(format!("{glyph} "), theme.style(slot)),
        Span::styled(words.clone(), strong),
        Span::styled(suffix.to_owned(), soft),
    ];
    let used = |spans: &[Span<'_>]| spans.iter().map(|s| s.content.width()).sum::<usize>();
    let how = how(question, facts);
    if let CheckpointKind::Clarification { choices, .. } = &question.kind {
        let mut rows = vec![closed(head, &how, theme, width)];
        rows.extend(choices.iter().take(9).zip(1..).map(|(choice, n)| {
            let text = shorten(&Clean::line(choice), width.saturating_sub(5));
            Line::from(vec![
                Span::raw("  "),
                Span::styled(format!("{n}  "), key_style(theme)),
                Span::styled(text, theme.style(Slot::Text)),
            ])
        }));
        return rows;
    }
    let choices = choice_spans(&question.kind.choices(), theme, true);
    let room = width.saturating_sub(3 + used(&choices));
    if used(&head) <= room {
        head.push(Span::raw("   "));
        head.extend(choices);
        return vec![closed(head, &how, theme, width)];
    }
    let text = shorten(&words, width.saturating_sub(glyph.width() + 1 + suffix.width()));
    let first = Line::from(vec![
        Span::styled(format!("{glyph} "), theme.style(slot)),
        Span::styled(text, strong),
        Span::styled(suffix.to_owned(), soft),
    ]);
    let mut second = vec![Span::raw("  ")];
    let short = used(&choices) + 2 > width;
    second.extend(if short { choice_spans(&question.kind.choices(), theme, false) } else { choices });
    vec![first, closed(second, &how, theme, width)]
}

/// The row with what is said at its right end, where there is room for it.
fn closed(mut left: Vec<Span<'static>>, right: &str, theme: &Theme, width: usize) -> Line<'static> {
    let used: usize = left.iter().map(|s| s.content.width()).sum();
    if !right.is_empty() && used + right.width() + 3 <= width {
        left.push(Span::raw(" ".repeat(width - used - right.width())));
        left.push(Span::styled(right.to_owned(), theme.style(Slot::Soft)));
    }
    Line::from(left)
}

fn key_style(theme: &Theme) -> ratatui::style::Style {
    theme.style(Slot::Accent).add_modifier(Modifier::BOLD)
}

fn choice_spans(choices: &[Choice], theme: &Theme, words: bool) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for (i, choice) in choices.iter().enumerate() {
        if i > 0 {
            spans.push(Span::raw(if words { "   " } else { "  " }));
        }
        spans.push(Span::styled(choice.key, key_style(theme)));
        if words {
            spans.push(Span::styled(format!(" {}", choice.label), theme.style(Slot::Text)));
        }
    }
    spans
}

/// Glyph, its colour, the question, and what is said softly after it.
fn heading(question: &Checkpoint, glyphs: &Glyphs) -> (&'static str, Slot, String, &'static str) {
    let message = Clean::line(question.message.lines().next().unwrap_or_default()).into_string();
    match &question.kind {
        CheckpointKind::Confirmation => (glyphs.star, Slot::Accent, "Proceed?".to_owned(), " [Y/n/edit]"),
        CheckpointKind::Clarification { .. } => (glyphs.waits, Slot::Warn, message, ""),
        CheckpointKind::Failure(failure) => {
            (glyphs.failed, Slot::Bad, Clean::line(&failure.message).into_string(), "")
        }
        CheckpointKind::Interruption { text } => {
            (glyphs.waits, Slot::Warn, format!("You said: \"{}\"", Clean::line(text)), "")
        }
        CheckpointKind::Exit
        | CheckpointKind::PipelinePause { .. }
        | CheckpointKind::Breakout { .. }
        | CheckpointKind::Diff { .. }
        | CheckpointKind::Risk { .. }
        | CheckpointKind::Access { .. }
        | CheckpointKind::Trust { .. }
        | CheckpointKind::Transition { .. } => (glyphs.waits, Slot::Warn, message, ""),
    }
}

/// How it is answered from where the keys are now.
fn how(question: &Checkpoint, facts: &Facts<'_>) -> String {
    let plan = facts.plan_key;
    match (&question.kind, facts.drafting) {
        (CheckpointKind::Clarification { .. }, _) => "or say it in your own words".to_owned(),
        (CheckpointKind::Confirmation, true) => format!("your draft keeps the keys  {plan} y"),
        (CheckpointKind::Confirmation, false) => format!("Enter approves  {plan} y"),
        (_, true) => format!("your draft keeps the keys  {plan}"),
        (_, false) => "type it, then Enter".to_owned(),
    }
}

fn waiting_row(state: &State, first: &Checkpoint, facts: &Facts<'_>, width: usize) -> Line<'static> {
    let theme = facts.theme;
    let (what, key, opens) = match &first.kind {
        CheckpointKind::Diff { .. } => {
            let files = things(state, first);
            let what = if files == 1 { "1 file waits".to_owned() } else { format!("{files} files wait") };
            (format!("{what} for your decision"), facts.diff_key, "review")
        }
        CheckpointKind::Risk { .. } if facts.offered == Some(first.id) => {
            ("Run this command?".to_owned(), facts.approvals_key, "review")
        }
        CheckpointKind::Risk { command, risk, confine, .. } => {
            let risk = risk_name(*risk, facts.glyphs.waits == "!");
            let how = confine.beyond().map_or(String::new(), |beyond| format!(", {beyond}"));
            (format!("{risk}{how}  {}", Clean::line(command)), facts.approvals_key, "review")
        }
        CheckpointKind::Access { request, .. } => {
            (format!("may it {}?", Clean::line(&request.to_string())), facts.approvals_key, "review")
        }
        CheckpointKind::Transition { from, to, .. } => {
            let what = format!("may it go from {} to {}?", from.title(), to.title());
            (what, facts.approvals_key, "review")
        }
        CheckpointKind::Trust { parts, .. } => {
            let files = match parts.len() {
                0 => "its gates".to_owned(),
                1 => Clean::line(&parts.first().map(|p| p.path.clone()).unwrap_or_default()).into_string(),
                n => format!("{n} files"),
            };
            (format!("Trust this folder? ({files})"), facts.approvals_key, "review")
        }
        CheckpointKind::Confirmation
        | CheckpointKind::Clarification { .. }
        | CheckpointKind::Failure(_)
        | CheckpointKind::Interruption { .. }
        | CheckpointKind::Exit
        | CheckpointKind::PipelinePause { .. }
        | CheckpointKind::Breakout { .. } => {
            (Clean::line(&first.message).into_string(), facts.approvals_key, "review")
        }
    };
    let more = match waiting(state).saturating_sub(things(state, first)) {
        0 => String::new(),
        n => format!("   and {n} more"),
    };
    let head = facts.glyphs.waits.width() + 1;
    let whole = head + what.width() + more.width() + 3;
    // What the key does goes before words are cut, and the key itself where there is no room.
    let opens =
        if whole + key.width() + 1 + opens.width() <= width { format!(" {opens}") } else { String::new() };
    let key = if width >= 16 + key.width() { key } else { "" };
    let ends = key.width() + opens.width();
    let what = shorten(&what, width.saturating_sub(head + more.width() + 3 + ends));
    let used = head + what.width() + more.width();
    let gap = width.saturating_sub(used + ends);
    Line::from(vec![
        Span::styled(format!("{} ", facts.glyphs.waits), theme.style(Slot::Warn)),
        Span::styled(what, theme.style(Slot::Strong)),
        Span::styled(more, theme.style(Slot::Soft)),
        Span::raw(" ".repeat(gap)),
        Span::styled(key.to_owned(), key_style(theme)),
        Span::styled(opens, theme.style(Slot::Soft)),
    ])
}
