//! How a model is connected, on one page.
//!
//! Owns its words. Never acts.

use crossterm::event::KeyEvent;
use pilothouse_core::intent::Slash;
use ratatui::{buffer::Buffer, text::Line};

use super::{
    Caret, Letter, Overlay, OverlayKind,
    page::{Page, SCROLLS, Scroll},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    row::{Row, wrap_in},
    theme::Slot,
};

/// Columns of the page at most.
const WIDTH: u16 = 88;

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "connect", label: "connect a model", reach: "opens a page" },
    Some(Slash::Connect),
    |_| Ok(Box::<Connect>::default()),
);

/// How a model is connected.
#[derive(Debug, Default)]
struct Connect {
    scroll: Scroll,
}

impl Overlay for Connect {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let page = Page {
            title: "Connect a model",
            right: "",
            keys: &[("Esc", "close")],
            width: WIDTH,
            height: 0,
            rows: rows(ctx),
        };
        page.draw(&self.scroll, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, SCROLLS, &[]))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        self.scroll.take(key).then(Outcome::none)
    }
}

fn rows(ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let now = format!("Now: {}, by {}.", ctx.surroundings.model, ctx.surroundings.model_from);
    let now =
        (!ctx.surroundings.model_from.is_empty()).then_some([(now.as_str(), Slot::Strong), ("", Slot::Text)]);
    let lines = [
        ("Any OpenAI-compatible endpoint is a model: a provider, or a server on this machine.", Slot::Text),
        ("", Slot::Text),
        ("  PILOTHOUSE_BASE_URL   https://host/v1, or http://127.0.0.1:11434/v1", Slot::Info),
        ("  PILOTHOUSE_API_KEY    the key, where one is needed", Slot::Info),
        ("  PILOTHOUSE_MODEL      the model's name", Slot::Info),
        ("  PILOTHOUSE_EFFORT     how much it thinks: none, minimal, low, medium, high, xhigh", Slot::Info),
        ("", Slot::Text),
        (
            "Set them, then start pilothouse again. For good: `pilothouse config path` names the file, `pilothouse \
             auth set HOST` stores a key, `pilothouse config show` says what holds.",
            Slot::Text,
        ),
        ("Until then the offline engine answers, and nothing leaves this machine.", Slot::Soft),
    ];
    let columns = usize::from(ctx.body.width.min(WIDTH).saturating_sub(4));
    let lines = now.into_iter().flatten().chain(lines);
    let rows = lines.flat_map(|(text, slot)| wrap_in(&Row::of(text, slot).pieces, columns));
    rows.map(|row| row.line(ctx.theme)).collect()
}
