//! How a model is connected, on one page.
//!
//! Owns its words. Never acts.

use pilothouse_core::intent::Slash;
use ratatui::text::Line;

use super::{OverlayKind, shown::Shown};
use crate::{
    ctx::Ctx,
    keymap::Entry,
    row::{Row, wrap_in},
    theme::Slot,
};

/// Columns of the page at most.
const WIDTH: u16 = 88;

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "connect", label: "connect a model", reach: "opens a page" },
    Some(Slash::Connect),
    |_| Ok(Box::new(Shown::new("connect", "Connect a model", WIDTH, rows))),
);

fn rows(ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let now = format!("Now: {} ({}).", ctx.surroundings.model, ctx.surroundings.model_from);
    let now =
        (!ctx.surroundings.model_from.is_empty()).then_some([(now.as_str(), Slot::Strong), ("", Slot::Text)]);
    let lines = [
        ("Any OpenAI-compatible endpoint is a model: a provider, or a server on this machine.", Slot::Text),
        ("", Slot::Text),
        (
            "For this session: `/model PRESET:NAME`, where the preset is openai, openrouter, anthropic, google, azure, \
             ollama, lmstudio or llamacpp; `/model NAME` is enough once there is a key. `pilothouse auth set openai` \
             stores one.",
            Slot::Strong,
        ),
        ("", Slot::Text),
        ("For every session, by the environment or config.toml:", Slot::Text),
        ("  PILOTHOUSE_BASE_URL   https://host/v1, or http://127.0.0.1:11434/v1", Slot::Info),
        ("  PILOTHOUSE_API_KEY    the key, where one is needed", Slot::Info),
        ("  PILOTHOUSE_MODEL      the model's name", Slot::Info),
        ("  PILOTHOUSE_EFFORT     how much it thinks: none, minimal, low, medium, high, xhigh", Slot::Info),
        ("", Slot::Text),
        (
            "Set them, then start pilothouse again. `pilothouse config path` names the file, `pilothouse auth set HOST` \
             stores the key of another host, `pilothouse config show` says what holds.",
            Slot::Text,
        ),
        ("Until then the offline engine answers, and nothing leaves this machine.", Slot::Soft),
    ];
    let columns = usize::from(ctx.body.width.min(WIDTH).saturating_sub(4));
    let lines = now.into_iter().flatten().chain(lines);
    let rows = lines.flat_map(|(text, slot)| wrap_in(&Row::of(text, slot).pieces, columns));
    rows.map(|row| row.line(ctx.theme)).collect()
}
