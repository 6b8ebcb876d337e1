//! The themes, each shown as it is chosen.
//!
//! Owns the choice and what was there before. What a theme is, the app knows.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::port::{Ask, SetupAsk};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, entry,
    page::{CHOOSES_ENDS, choose_ends, first_shown, frame},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::Action,
    row::Row,
    theme::Slot,
};

/// The list.
#[derive(Debug)]
pub struct Themes {
    /// Each with whether it has colours for a dark background, and for a light one.
    names: Vec<(String, (bool, bool))>,
    at: usize,
    before: String,
}

impl Themes {
    /// The themes with these names; the one called `now` is shown.
    pub fn new(names: Vec<(String, (bool, bool))>, now: &str) -> Self {
        let at = names.iter().position(|(name, _)| name == now).unwrap_or_default();
        Self { names, at, before: now.to_owned() }
    }

    /// Shows the one that is chosen.
    fn shown(&self) -> Outcome {
        Outcome { theme: self.names.get(self.at).map(|(name, _)| name.clone()), ..Outcome::none() }
    }
}

impl Overlay for Themes {
    fn name(&self) -> &'static str {
        "themes"
    }

    fn left(&self) -> Outcome {
        Outcome { theme: Some(self.before.clone()), ..Outcome::none() }
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, CHOOSES_ENDS, &['q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        Some(if choose_ends(key, &mut self.at, self.names.len()) {
            self.shown()
        } else if key.code == KeyCode::Enter {
            let name = self.names.get(self.at).map(|(name, _)| name.clone()).unwrap_or_default();
            Outcome { asks: vec![Ask::Setup(SetupAsk::Theme(name))], ..Outcome::close() }
        } else if key.code == KeyCode::Char('q') {
            self.left().and_close()
        } else {
            Outcome::none()
        })
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let height = u16::try_from(self.names.len() + 3).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, 44, height);
        let keys = [("j k", "try"), ("Enter", "choose"), ("Esc", "cancel")];
        let dark = ctx.theme.is_dark();
        let shown = if dark { "on a dark background" } else { "on a light background" };
        let title = format!("Themes {} {} of {}", ctx.glyphs.dot, self.at + 1, self.names.len());
        let inner = frame(ctx, area, &title, shown, &keys, buf);
        let columns = usize::from(inner.width);
        let rows = usize::from(inner.height.saturating_sub(1)).max(1);
        let first = first_shown(self.at, rows);
        let shown = self.names.iter().enumerate().skip(first);
        for ((n, (name, has)), y) in shown.zip(inner.top() + 1..inner.bottom()) {
            let mut row = entry(n == self.at, ctx.glyphs).and(name, Slot::Text);
            if *name == self.before {
                row = row.and("  now", Slot::Faint);
            }
            let mark = |there: bool, word, used| match (there, used) {
                (false, _) => Row::of(&" ".repeat(crate::row::width(word)), Slot::Text),
                (true, true) => Row::of(word, Slot::Strong),
                (true, false) => Row::of(word, Slot::Faint),
            };
            let mut marks = mark(has.0, "dark", dark).and(" ", Slot::Text);
            marks.pieces.extend(mark(has.1, "light", !dark).pieces);
            row = row.ends_keeping_right(marks, columns, ctx.glyphs.ellipsis);
            row.ground = (n == self.at).then_some(Slot::Select);
            row.paint(ctx.theme, buf, inner, y);
        }
        None
    }
}
