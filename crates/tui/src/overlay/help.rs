//! The keys, written from the keymap: what it says here is what a key does.
//!
//! Owns which pane's keys are shown and the scroll. Never acts.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::intent::{SLASH_COMMANDS, Slash};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::{
    Caret, Letter, Overlay, OverlayKind,
    page::{Scroll, frame},
};
use crate::{
    composer,
    ctx::{Ctx, Outcome},
    keymap::{ANYWHERE, Action, Entry, Keymap, Table, tables},
    pane::{Focus, plan},
    status::shorten,
    theme::Slot,
};

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "help", label: "keys", reach: "opens a page" },
    Some(Slash::Help),
    |_| Ok(Box::<Help>::default()),
);

/// What can be said, and every command; `keys` opens the page of the keys.
pub fn words(keys: Option<&str>) -> String {
    let keys = keys.map(|key| format!("; {key} shows the keys")).unwrap_or_default();
    let commands = SLASH_COMMANDS.iter().map(|c| {
        let call = format!("/{} {}", c.name, c.arguments.shown());
        format!("- {}: {}", call.trim_end(), c.help)
    });
    let commands = commands.collect::<Vec<_>>().join("\n");
    format!(
        "Say what you want in your own words; Enter sends it.\n\n\
         A question changes nothing:\n\
         - where is the config read?\n\
         - what does src/main.rs do?\n\n\
         A change shows its diff, and nothing is written before you take it; a larger one shows its plan first:\n\
         - rename score to points in src/search.rs\n\
         - add a test for an empty list\n\n\
         A command asks first where it could do harm:\n\
         - run the tests\n\
         - !git status (your own shell line, as it stands)\n\n\
         To the workbench itself:\n\
         - status, undo, stop, what did you change?\n\
         - /connect (which model answers; without one the built-in engine finds, reads and runs, and makes simple changes)\n\n\
         Every command (/ lists them as you type{keys}):\n{commands}"
    )
}

/// The keys.
#[derive(Debug, Default)]
pub struct Help {
    /// How many parts on from the one that has the keys.
    pane: i32,
    scroll: Scroll,
}

/// Columns for keys.
const KEY_COLUMN: usize = 16;
/// Columns of the whole at most, and of what stands around the keys.
const MOST_WIDE: u16 = 140;
const BORDER: usize = 4;
/// Where a page is narrower, its title's right says only how far it is scrolled.
const NARROW: u16 = 70;
/// Columns between two tables.
const GAP: usize = 3;

impl Help {
    /// Scrolls, or goes to the next part's keys.
    fn take(&mut self, key: KeyEvent) {
        if matches!(key.code, KeyCode::Tab | KeyCode::Right) {
            self.pane = self.pane.wrapping_add(1);
        } else if matches!(key.code, KeyCode::BackTab | KeyCode::Left) {
            self.pane = self.pane.wrapping_sub(1);
        } else {
            self.scroll.take(key);
        }
    }

    /// The tables of what has the keys, of what holds anywhere, and of what has them next.
    fn shown(&self, focus: Focus) -> [Option<Table>; 3] {
        let (fixed, parts): (Vec<Table>, Vec<Table>) =
            tables().into_iter().partition(|t| t.name == ANYWHERE || t.name == composer::Action::TABLE);
        // Beside the composer the plan's keys are the ones that answer.
        let here = match focus {
            Focus::Composer => parts.iter().position(|t| t.name == plan::ID.0),
            Focus::Pane(id) => parts.iter().position(|t| t.name == id.0),
        };
        let count = i32::try_from(parts.len()).unwrap_or(1).max(1);
        let at = (i32::try_from(here.unwrap_or_default()).unwrap_or_default() + self.pane).rem_euclid(count);
        let part = parts.into_iter().nth(usize::try_from(at).unwrap_or_default());
        let [anywhere, composer] = [0, 1].map(|n| fixed.get(n).cloned());
        // Whoever has turned to another part's keys has seen the composer's.
        if focus == Focus::Composer && self.pane == 0 {
            [composer, part, anywhere]
        } else {
            [part, anywhere, composer]
        }
    }

    fn draw(&self, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let keymap = ctx.keymap;
        let all: Vec<(String, Vec<(String, String)>)> = self
            .shown(ctx.focus)
            .into_iter()
            .flatten()
            .map(|table| (table.heading.clone(), Self::column(keymap, &table)))
            .collect();
        let columns = columns(&all, usize::from(ctx.body.width.min(MOST_WIDE)).saturating_sub(BORDER));
        let total = columns.iter().map(Vec::len).max().unwrap_or_default();
        let height = u16::try_from(total + 5).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, MOST_WIDE, height);
        let yours = keymap.yours().count();
        let mut right = match yours {
            0 => "from the keymap".to_owned(),
            n => format!("from your keymap {} {n} yours", ctx.glyphs.dot),
        };
        // Its border takes two rows, the air above the keys one.
        let room = usize::from(area.height.saturating_sub(3));
        self.scroll.begin();
        let place = self.scroll.place(total, room);
        let scrolls = place.as_ref().map(|_| (ctx.glyphs.moves, "scroll")).into_iter();
        if let Some(place) = place {
            right =
                if ctx.body.width < NARROW { place } else { format!("{right} {} {place}", ctx.glyphs.dot) };
        }
        let keys: Vec<_> =
            [("Tab", "next pane's keys")].into_iter().chain(scrolls).chain([("Esc", "close")]).collect();
        let inner = frame(ctx, area, "Keys", &right, &keys, buf);
        let inner = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        let free = usize::from(inner.width).saturating_sub(columns.iter().map(|c| needed(c)).sum());
        let gap = free / columns.len().max(1);
        let mut x = inner.x;
        for rows in &columns {
            let width =
                u16::try_from(needed(rows)).unwrap_or(inner.width).min(inner.right().saturating_sub(x));
            self.draw_column(ctx, rows, Rect { x, width, ..inner }, buf);
            x = x.saturating_add(width).saturating_add(u16::try_from(gap).unwrap_or_default());
        }
    }

    fn column(keymap: &Keymap, table: &Table) -> Vec<(String, String)> {
        table
            .actions()
            .filter_map(|action| {
                let keys = keymap.keys(action);
                (!keys.is_empty()).then(|| {
                    let both = keys.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
                    let first = keys.into_iter().next().unwrap_or_default();
                    let shown = if both.width() <= KEY_COLUMN { both } else { first };
                    (shown, action.entry.label.to_owned())
                })
            })
            .collect()
    }

    fn draw_column(&self, ctx: &Ctx<'_>, rows: &[(String, String)], area: Rect, buf: &mut Buffer) {
        let theme = ctx.theme;
        let accent = theme.style(Slot::Accent).add_modifier(Modifier::BOLD);
        let area = area.intersection(buf.area);
        let room = usize::from(area.height);
        let top = self.scroll.first(rows.len(), room);
        let keys = keys_of(rows);
        for ((key, label), y) in rows.iter().skip(top).zip(area.top()..area.bottom()) {
            let line = if key.is_empty() {
                Line::from(Span::styled(label.clone(), accent))
            } else {
                let key = shorten(key, keys - 1);
                let gap = " ".repeat(keys.saturating_sub(key.width()));
                let label = shorten(label, usize::from(area.width).saturating_sub(keys));
                Line::from(vec![
                    Span::styled(key, theme.style(Slot::Strong).add_modifier(Modifier::BOLD)),
                    Span::raw(gap),
                    Span::styled(label, theme.style(Slot::Soft)),
                ])
            };
            line.render(Rect { y, height: 1, ..area }, buf);
        }
    }
}

/// Rows of keys with what they do; a heading has no key.
type Rows = Vec<(String, String)>;

/// The tables side by side where no label is cut by that; else some, or all, below each other.
fn columns(tables: &[(String, Rows)], width: usize) -> Vec<Rows> {
    let headed = |(title, rows): &(String, Rows)| -> Rows {
        let head = [(String::new(), title.clone()), Default::default()];
        head.into_iter().chain(rows.iter().cloned()).chain([Default::default()]).collect()
    };
    let below = |tables: &[(String, Rows)]| tables.iter().flat_map(headed).collect::<Rows>();
    let last = tables.len().saturating_sub(1);
    let ways = [
        tables.iter().map(headed).collect(),
        [tables.split_at(last).0, tables.split_at(last).1].map(below).to_vec(),
        vec![below(tables)],
    ];
    let fits = |columns: &Vec<Rows>| columns.iter().map(|c| needed(c) + GAP).sum::<usize>() <= width + GAP;
    ways.into_iter().find(fits).unwrap_or_else(|| vec![below(tables)])
}

/// Columns that rows need.
fn needed(rows: &[(String, String)]) -> usize {
    let keys = keys_of(rows);
    let label = |(key, label): &(String, String)| if key.is_empty() { 0 } else { keys } + label.width();
    rows.iter().map(label).max().unwrap_or_default()
}

/// Columns of the keys and the blanks behind them.
fn keys_of(rows: &[(String, String)]) -> usize {
    rows.iter().map(|(k, _)| k.width()).max().unwrap_or_default().min(KEY_COLUMN) + 2
}

impl Overlay for Help {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        self.draw(ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Scroll::weighs(letter)
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        self.take(key);
        Some(Outcome::none())
    }
}
