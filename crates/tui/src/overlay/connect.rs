//! How a model is connected, on one page.
//!
//! Owns its words. Never acts.

use pilothouse_core::intent::Slash;
use ratatui::buffer::Buffer;

use super::{Caret, Overlay, OverlayKind, page::frame};
use crate::{
    ctx::Ctx,
    keymap::Entry,
    row::{Row, wrap},
    theme::Slot,
};

/// The page.
pub const KIND: OverlayKind = OverlayKind {
    entry: Entry { name: "connect", label: "connect a model", reach: "opens a page" },
    command: Some(Slash::Connect),
    actions: &[],
    heading: "",
    open: |_| Ok(Box::new(Connect)),
};

/// How a model is connected.
#[derive(Debug)]
struct Connect;

impl Overlay for Connect {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        draw(ctx, buf);
        None
    }
}

fn draw(ctx: &Ctx<'_>, buf: &mut Buffer) {
    let lines = [
        ("Any OpenAI-compatible endpoint is a model: a provider, or a server on this machine.", Slot::Text),
        ("", Slot::Text),
        ("  PILOTHOUSE_BASE_URL   https://host/v1, or http://127.0.0.1:11434/v1", Slot::Info),
        ("  PILOTHOUSE_API_KEY    the key, where one is needed", Slot::Info),
        ("  PILOTHOUSE_MODEL      the model's name", Slot::Info),
        ("", Slot::Text),
        (
            "Set them, then start pilothouse again. For good: `pilothouse config path` names the file, `pilothouse \
             auth set HOST` stores a key, `pilothouse config show` says what holds.",
            Slot::Text,
        ),
        ("Until then the offline engine answers, and nothing leaves this machine.", Slot::Soft),
    ];
    let columns = usize::from(ctx.body.width.min(88).saturating_sub(4));
    let rows: Vec<Row> =
        lines.iter().flat_map(|(text, slot)| wrap(&Row::of(text, *slot).pieces, columns)).collect();
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(4);
    let area = super::centred(ctx.body, 88, height);
    let inner = frame(ctx, area, "Connect a model", "", &[("Esc", "close")], buf);
    for (row, y) in rows.iter().zip(inner.top() + 1..inner.bottom()) {
        row.paint(ctx.theme, buf, inner, y);
    }
}
