//! Asked before the window closes while other sessions are at work: stop them, or wait for them.
//!
//! Owns the words and the keys. Never closes anything itself.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay,
    page::{frame, paint},
};
use crate::{
    ctx::{Ctx, Outcome, TOO_EARLY},
    keymap::Action,
    row::{Row, count},
    standing::Standing,
    theme::Slot,
    window::{Farewell, Number, RunRow, Then, WindowWish},
};

/// The question.
#[derive(Debug, Default)]
pub struct Alive {
    drawn: Standing<()>,
}

/// The session whose question would keep the window open for ever: nothing works any more, and it waits for an answer.
fn asks(ctx: &Ctx<'_>) -> Option<Number> {
    let mut alive = ctx.runs.iter().filter(|r| r.holds_the_window());
    if alive.clone().any(|r| r.info.status.works()) {
        return None;
    }
    alive.find(|r| r.info.waiting > 0).and_then(RunRow::number)
}

impl Overlay for Alive {
    fn name(&self) -> &'static str {
        "alive"
    }

    fn drew(&mut self, top: bool, _ctx: &Ctx<'_>, now: Instant) {
        self.drawn.drew(top.then_some(()), now);
    }

    fn covered(&mut self) {
        self.drawn = Standing::default();
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::among(&['s', 'w', 'a', 'q'], letter))
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        let asks = asks(ctx);
        if let (KeyCode::Char('a'), Some(number)) = (key.code, asks) {
            return Some(Outcome::window(WindowWish::Show(number, Then::Approvals)).and_close());
        }
        let mut keys = vec![(KeyCode::Char('s'), Farewell::Stop)];
        keys.extend(asks.is_none().then_some((KeyCode::Char('w'), Farewell::Wait)));
        let Some((_, how)) = keys.into_iter().find(|(code, _)| *code == key.code) else {
            let back = key.code == KeyCode::Char('q');
            return Some(if back { Outcome::close() } else { Outcome::none() });
        };
        if !ctx.stood(&self.drawn, &()) {
            return Some(Outcome::complaint(TOO_EARLY));
        }
        Some(Outcome::window(WindowWish::Leave(how)).and_close())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let alive: Vec<&RunRow> = ctx.runs.iter().filter(|r| r.holds_the_window()).collect();
        let at_stake = alive.iter().filter(|r| !r.info.stake.is_empty()).count();
        let height = u16::try_from(alive.len() + at_stake + 8).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, 76, height);
        let waits = if asks(ctx).is_some() { ("a", "answer what waits") } else { ("w", "wait, then leave") };
        let keys = [("s", "stop them and leave"), waits, ("Esc", "stay")];
        let inner = frame(ctx, area, "Leave?", "", &keys, buf);
        let columns = usize::from(inner.width);
        let head = format!("{} in this window would be left:", count(alive.len(), "session"));
        let mut rows = vec![Row::of(&head, Slot::Strong), Row::new()];
        for row in alive {
            let (glyph, slot) = row.mark(ctx.glyphs);
            let left = Row::of(glyph, slot).and(" ", slot).and(row.title(), Slot::Text);
            let right = Row::of(row.info.status.name(), slot);
            rows.push(left.ends_keeping_right(right, columns, ctx.glyphs.ellipsis));
            let stake = row.info.stake.join(", ");
            if stake.is_empty() {
                continue;
            }
            rows.push(Row::of("  ", Slot::Soft).and(&stake, Slot::Soft).cut(columns, ctx.glyphs.ellipsis));
        }
        // The last word stands apart where there is room for it.
        let apart = rows.len() + 3 <= usize::from(inner.height);
        rows.extend(apart.then(Row::new));
        let last = Row::of("What stops is set aside and offered at the next start.", Slot::Soft);
        rows.push(last.cut(columns, ctx.glyphs.ellipsis));
        paint(&rows, ctx, inner, buf);
        None
    }
}
