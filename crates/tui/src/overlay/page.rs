//! The frame that overlays share, and the plain pages: where things stand, how to connect.
//!
//! Owns their border and words. Never acts.

use pilothouse_core::{clean::Clean, policy::Policy, port::Surroundings, session::State};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    symbols::border,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::theme::{Glyphs, Slot, Theme};

/// What overlays are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
    /// What is true now.
    pub state: &'a State,
    /// The permission rules.
    pub policy: &'a Policy,
    /// What surrounds the session.
    pub surroundings: &'a Surroundings,
    /// Where overlays may lie.
    pub body: Rect,
}

/// Borders from the glyphs.
pub fn borders(glyphs: &Glyphs) -> border::Set<'static> {
    let [across, down] = glyphs.rule;
    let [top_left, top_right, bottom_right, bottom_left] = glyphs.corners;
    border::Set {
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        vertical_left: down,
        vertical_right: down,
        horizontal_top: across,
        horizontal_bottom: across,
    }
}

/// Draws an overlay's ground and border; returns its inside.
pub fn frame(
    page: &Page<'_>,
    area: Rect,
    title: &str,
    right: &str,
    keys: &[(&str, &str)],
    buf: &mut Buffer,
) -> Rect {
    let theme = page.theme;
    let area = area.intersection(buf.area);
    if area.width < 4 || area.height < 3 {
        Clear.render(area, buf);
        return Rect { height: 0, ..area };
    }
    Clear.render(area, buf);
    buf.set_style(area, theme.fill(Slot::Raised));
    let strong = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mut bottom = vec![Span::raw(" ")];
    for (i, (key, what)) in keys.iter().enumerate() {
        if i > 0 {
            bottom.push(Span::raw("  "));
        }
        bottom.push(Span::styled((*key).to_owned(), theme.style(Slot::Accent).add_modifier(Modifier::BOLD)));
        bottom.push(Span::styled(format!(" {what}"), theme.style(Slot::Soft)));
    }
    bottom.push(Span::raw(" "));
    let block = Block::bordered()
        .border_set(borders(page.glyphs))
        .border_style(theme.style(Slot::Accent))
        .title(Span::styled(format!(" {title} "), strong))
        .title_bottom(Line::from(bottom));
    let block = if right.is_empty() {
        block
    } else {
        let right = Span::styled(format!(" {right} "), theme.style(Slot::Soft));
        block.title(Line::from(right).right_aligned())
    };
    let inner = block.inner(area);
    block.render(area, buf);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// Labels in one column, values in the next.
fn facts(page: &Page<'_>, rows: &[(&str, String)], area: Rect, buf: &mut Buffer) {
    let label = rows.iter().map(|(l, _)| l.len()).max().unwrap_or_default() + 3;
    for ((name, value), y) in rows.iter().zip(area.top()..area.bottom()) {
        let line = Line::from(vec![
            Span::styled(format!("{name:label$}"), page.theme.style(Slot::Soft)),
            Span::styled(value.clone(), page.theme.style(Slot::Text)),
        ]);
        line.render(Rect { y, height: 1, ..area }, buf);
    }
}

/// Where things stand.
pub fn status(page: &Page<'_>, buf: &mut Buffer) {
    let state = page.state;
    let plan = state.plan.as_ref().or(state.suspended.as_ref()).map_or("none".to_owned(), |p| {
        let aside = if state.plan.is_none() { ", set aside" } else { "" };
        format!("{}, {} of {} steps{aside}", Clean::line(&p.title), p.settled(), p.tasks.len())
    });
    let cost = state.usage.cost_micros.map_or("not known".to_owned(), |micros| {
        format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
    });
    let mut rows = vec![
        ("session", Clean::line(&state.slug).into_string()),
        ("mode", format!("{:?}", state.mode).to_lowercase()),
        ("phase", state.phase.name().to_owned()),
        ("permission", state.permission.badge().to_owned()),
        ("sandbox", Clean::line(&state.sandbox.to_string()).into_string()),
        ("plan", plan),
        ("waiting", crate::bar::waiting(state).to_string()),
        ("queued", state.queue.len().to_string()),
        ("written", format!("{} changes can be taken back", state.ledger().len())),
        ("model", Clean::line(&page.surroundings.model).into_string()),
        ("tokens", format!("{} in, {} out", state.usage.input, state.usage.output)),
        ("cost", cost),
    ];
    if let Some(failure) = &state.failure {
        rows.push(("failed", Clean::line(&failure.message).into_string()));
    }
    let height = u16::try_from(rows.len()).unwrap_or(12) + 4;
    let area = super::centred(page.body, 72, height);
    let inner = frame(page, area, "Status", "", &[("Esc", "close")], buf);
    let inner = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    facts(page, &rows, inner.intersection(buf.area), buf);
}

/// How a model is connected.
pub fn connect(page: &Page<'_>, buf: &mut Buffer) {
    let lines = [
        ("Any OpenAI-compatible endpoint is a model: a provider, or a server on this machine.", Slot::Text),
        ("", Slot::Text),
        ("  PILOTHOUSE_BASE_URL   https://host/v1, or http://127.0.0.1:11434/v1", Slot::Info),
        ("  PILOTHOUSE_API_KEY    the key, where one is needed", Slot::Info),
        ("  PILOTHOUSE_MODEL      the model's name", Slot::Info),
        ("", Slot::Text),
        ("Set them, then start pilothouse again. For good: `pilothouse config path` names the", Slot::Text),
        (
            "file, `pilothouse auth set HOST` stores a key, `pilothouse config show` says what holds.",
            Slot::Text,
        ),
        ("Until then the offline engine answers, and nothing leaves this machine.", Slot::Soft),
    ];
    let area = super::centred(page.body, 88, 13);
    let inner = frame(page, area, "Connect a model", "", &[("Esc", "close")], buf);
    for ((text, slot), y) in lines.iter().zip(inner.top() + 1..inner.bottom()) {
        buf.set_stringn(inner.x, y, text, usize::from(inner.width), page.theme.style(*slot));
    }
}
