//! Where things stand, on one page.
//!
//! Owns its words. Never acts.

use pilothouse_core::clean::Clean;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use super::{Caret, Overlay, OverlayKind, page::frame};
use crate::{ctx::Ctx, keymap::Entry, theme::Slot};

/// The page.
pub const KIND: OverlayKind = OverlayKind {
    entry: Entry { name: "status", label: "status", reach: "opens a page" },
    words: &["status"],
    about: "where things stand",
    actions: &[],
    heading: "",
    open: |_| Ok(Box::new(Status)),
};

/// Where things stand.
#[derive(Debug)]
struct Status;

impl Overlay for Status {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        draw(ctx, buf);
        None
    }
}

fn draw(ctx: &Ctx<'_>, buf: &mut Buffer) {
    let state = ctx.state;
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
        ("written", format!("{} changes can be taken back", state.ledger.len())),
        ("model", Clean::line(&ctx.surroundings.model).into_string()),
        ("tokens", format!("{} in, {} out", state.usage.input, state.usage.output)),
        ("cost", cost),
    ];
    if let Some(failure) = &state.failure {
        rows.push(("failed", Clean::line(&failure.message).into_string()));
    }
    let height = u16::try_from(rows.len()).unwrap_or(12) + 4;
    let area = super::centred(ctx.body, 72, height);
    let inner = frame(ctx, area, "Status", "", &[("Esc", "close")], buf);
    let inner = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    facts(ctx, &rows, inner.intersection(buf.area), buf);
}

/// Labels in one column, values in the next.
fn facts(ctx: &Ctx<'_>, rows: &[(&str, String)], area: Rect, buf: &mut Buffer) {
    let label = rows.iter().map(|(l, _)| l.len()).max().unwrap_or_default() + 3;
    for ((name, value), y) in rows.iter().zip(area.top()..area.bottom()) {
        let line = Line::from(vec![
            Span::styled(format!("{name:label$}"), ctx.theme.style(Slot::Soft)),
            Span::styled(value.clone(), ctx.theme.style(Slot::Text)),
        ]);
        line.render(Rect { y, height: 1, ..area }, buf);
    }
}
