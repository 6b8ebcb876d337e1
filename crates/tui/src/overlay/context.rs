//! What the model is told next, part by part: how large each is, why it is there, and what became of it.
//!
//! Owns the list and the line that is chosen. Never counts: the read port brings what the driver would send.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    clean::Clean,
    compaction::Mark,
    input::Input,
    intent::Slash,
    port::{Ask, ContextPart, ContextSheet, Reply},
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, OverlayKind,
    page::{CHOOSES, choose, first_shown, frame, paint, place},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    row::{Row, wrap},
    theme::{Glyphs, Slot},
};

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "context", label: "context", reach: "opens a page" },
    Some(Slash::Context),
    |_| Ok(Box::new(Context::default())),
);

/// The parts, and which one is chosen.
#[derive(Debug, Default)]
struct Context {
    sheet: Option<Box<ContextSheet>>,
    at: usize,
}

impl Context {
    /// The chosen part with this mark, or without it where it has it; then the list is asked for again.
    fn mark(&self, mark: Mark) -> Outcome {
        let part = self.sheet.as_ref().and_then(|s| s.parts.get(self.at));
        let Some((part, entry)) = part.and_then(|p| Some((p, p.entry?))) else {
            return Outcome::complaint("that part is in every request; it can't be pinned or dropped");
        };
        let mark = Some(mark).filter(|m| part.mark != Some(*m));
        Outcome { asks: self.asks(), ..Outcome::input(Input::Mark { entry, mark }) }
    }
}

impl Overlay for Context {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn asks(&self) -> Vec<Ask> {
        vec![Ask::Context]
    }

    fn answered(&mut self, _number: u64, reply: &Reply) {
        if let Reply::Context(sheet) = reply {
            self.at = self.at.min(sheet.parts.len().saturating_sub(1));
            self.sheet = Some(sheet.clone());
        }
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, CHOOSES, &['p', 'd', 'q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        if choose(key, &mut self.at, self.sheet.as_ref().map_or(0, |s| s.parts.len())) {
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Char('p') {
            return Some(self.mark(Mark::Pinned));
        } else if key.code == KeyCode::Char('d') {
            return Some(self.mark(Mark::Dropped));
        } else if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = super::centred(ctx.body, 110, ctx.body.height);
        let part = self.sheet.as_ref().and_then(|s| s.parts.get(self.at));
        let does = |of: Mark, does, undoes| if part.and_then(|p| p.mark) == Some(of) { undoes } else { does };
        let marks =
            [("p", does(Mark::Pinned, "pin", "unpin")), ("d", does(Mark::Dropped, "drop", "tell again"))];
        // What stands in every request has no mark.
        let marks = marks.into_iter().filter(|_| part.is_some_and(|p| p.entry.is_some()));
        let keys: Vec<_> = [("j k", "choose")].into_iter().chain(marks).chain([("Esc", "close")]).collect();
        let offline = ctx.surroundings.offline;
        let title = if offline { "What a model would be told next" } else { "What the model is told next" };
        let place = self.sheet.as_ref().map(|sheet| place(self.at, sheet.parts.len())).unwrap_or_default();
        let inner = frame(ctx, area, title, &place, &keys, buf);
        let Some(sheet) = &self.sheet else {
            Row::of("reading…", Slot::Soft).paint(ctx.theme, buf, inner, inner.top() + 1);
            return None;
        };
        let columns = usize::from(inner.width);
        let said = |text: &str, slot| wrap(&Row::of(text, slot).pieces, columns);
        let mut rows = said(&sheet.total(), Slot::Strong);
        rows.extend(sheet.trouble.iter().flat_map(|why| said(Clean::line(why).as_str(), Slot::Bad)));
        // Why the chosen part is there stands below the list.
        let why = part.map(|p| said(p.why, Slot::Soft)).unwrap_or_default();
        let taken = rows.len() + why.len() + 2;
        let room = usize::from(inner.height).saturating_sub(taken).max(1);
        let top = first_shown(self.at, room);
        let parts = sheet.parts.iter().enumerate().skip(top).take(room);
        rows.extend(
            parts.map(|(n, part)| line(part, n == self.at, ctx.glyphs).cut(columns, ctx.glyphs.ellipsis)),
        );
        rows.push(Row::new());
        rows.extend(why);
        paint(&rows, ctx, inner, buf);
        None
    }
}

fn line(part: &ContextPart, chosen: bool, glyphs: &Glyphs) -> Row {
    let slot = if chosen { Slot::Strong } else { Slot::Text };
    let head = Clean::line(&part.head);
    let text = part.figures() + head.as_str();
    super::entry(chosen, glyphs).and(&text, slot)
}
