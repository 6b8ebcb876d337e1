//! The palette: every action, every slash command and every recipe by name, with its key and what it reaches or may.
//!
//! Owns the query and the choice. Never acts: it hands the chosen action back, and a command to the draft.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pilothouse_core::{
    clean::Clean,
    intent::{SLASH_COMMANDS, SlashCommand},
    recipe::{Recipe, Recipes},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::{
    Caret, Letter, OVERLAYS, Overlay, OverlayKind,
    page::{first_shown, frame},
};
use crate::{
    composer::{self, popup::closest},
    ctx::{Ctx, Outcome},
    keymap::{ANYWHERE, Action, Entry, Keymap, Table, tables},
    status::shorten,
    theme::Slot,
};

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "palette", label: "find a command", reach: "opens a list" },
    None,
    |ctx| Ok(Box::new(Palette::new(ctx.keymap, &ctx.surroundings.recipes))),
);

/// From so many columns a row says where its action holds.
const WIDE: usize = 70;
/// Columns of the keys.
const KEYS: usize = 9;
/// Where a command holds.
const COMMAND: &str = "command";

/// What can be chosen.
#[derive(Clone, Debug)]
enum Choice {
    /// It is done.
    Act(Action),
    /// It stands before the draft.
    Call(String),
}

/// A row of the list.
#[derive(Debug)]
struct Item {
    choice: Choice,
    label: String,
    aliases: &'static [&'static str],
    reach: String,
    place: String,
    key: Option<String>,
}

impl Item {
    fn act(action: Action, keymap: &Keymap) -> Self {
        let Entry { name, label, reach } = action.entry;
        // A page is told by what stands on it, in the words of the command that opens it too.
        let told = SLASH_COMMANDS.iter().find(|command| command.name == name).map_or(reach, |command| command.help);
        let (choice, key) = (Choice::Act(action), keymap.key(action).map(str::to_owned));
        Self { choice, aliases: &[], key, ..Self::named(label.to_owned(), told, action.table) }
    }

    fn call(command: &'static SlashCommand) -> Self {
        Self { aliases: command.aliases, ..Self::named(format!("/{}", command.name), command.help, COMMAND) }
    }

    /// A recipe, with what it may and where it is from.
    fn recipe(of: &Recipe) -> Self {
        let place = format!("{}, {}", of.kind.name(), of.origin.name());
        Self::named(Clean::line(&of.call()).into_string(), &of.may(), &place)
    }

    fn named(label: String, reach: &str, place: &str) -> Self {
        let choice = Choice::Call(format!("{label} "));
        let (reach, place) = (reach.to_owned(), place.to_owned());
        Self { choice, label, aliases: &[], reach, place, key: None }
    }

    /// Whether it only moves the caret or writes, as keys do everywhere.
    fn is_writing(&self) -> bool {
        let Choice::Act(action) = self.choice else { return false };
        composer::Action::of(action).is_some_and(composer::Action::is_writing)
    }

    /// What a query is looked for in.
    fn words(&self) -> String {
        format!("{} {} {}", self.label, self.aliases.join(" "), self.place)
    }
}

/// Everything by name.
#[derive(Debug)]
pub struct Palette {
    query: String,
    entries: Vec<Item>,
    found: Vec<usize>,
    at: usize,
}

impl Palette {
    /// Every command and recipe, and every action that the keymap knows but those of overlays: they act on what is
    /// chosen there.
    fn new(keymap: &Keymap, recipes: &Recipes) -> Self {
        let here = |table: &Table| !OVERLAYS.iter().any(|kind| kind.entry.name == table.name);
        let tables: Vec<Table> = tables().into_iter().filter(here).collect();
        let other = |action: &Action| *action != KIND.action();
        let actions = tables.iter().flat_map(Table::actions).filter(other);
        let actions = actions.map(|action| Item::act(action, keymap));
        let calls = SLASH_COMMANDS.iter().map(Item::call).chain(recipes.usable().map(Item::recipe));
        let mut entries: Vec<_> = actions.chain(calls).collect();
        entries.sort_by_key(Item::is_writing);
        let found = (0..entries.len()).collect();
        Self { query: String::new(), entries, found, at: 0 }
    }

    /// Takes a key; returns what was chosen with it.
    fn choose(&mut self, key: KeyEvent) -> Option<Choice> {
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        let last = self.found.len().saturating_sub(1);
        if key.code == KeyCode::Enter {
            return self
                .found
                .get(self.at)
                .and_then(|i| self.entries.get(*i))
                .map(|item| item.choice.clone());
        }
        if matches!(key.code, KeyCode::Down | KeyCode::Tab) {
            self.at = if self.at >= last { 0 } else { self.at + 1 };
        } else if matches!(key.code, KeyCode::Up | KeyCode::BackTab) {
            self.at = self.at.checked_sub(1).unwrap_or(last);
        } else if key.code == KeyCode::PageDown {
            self.at = (self.at + 8).min(last);
        } else if key.code == KeyCode::PageUp {
            self.at = self.at.saturating_sub(8);
        } else if key.code == KeyCode::Backspace {
            self.query.pop();
            self.search();
        } else if key.code == KeyCode::Char('u') && key.modifiers == KeyModifiers::CONTROL {
            self.query.clear();
            self.search();
        } else if let KeyCode::Char(c) = key.code
            && plain
        {
            self.query.push(c);
            self.search();
        }
        None
    }

    fn search(&mut self) {
        let names: Vec<String> = self.entries.iter().map(Item::words).collect();
        // Keys of the caret are known by heart: they are found behind all else.
        let others = self.entries.iter().position(Item::is_writing).unwrap_or(names.len());
        let (first, last) = names.split_at(others.min(names.len()));
        self.found = closest(&self.query, first.iter().map(String::as_str));
        let behind = closest(&self.query, last.iter().map(String::as_str));
        self.found.extend(behind.into_iter().map(|n| n + others));
        self.at = 0;
    }

    fn row(ctx: &Ctx<'_>, item: &Item, chosen: bool, area: Rect, buf: &mut Buffer) {
        let theme = ctx.theme;
        let mut text = theme.style(Slot::Text);
        if chosen {
            buf.set_style(area, theme.fill(Slot::Select));
            text = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
        }
        let width = usize::from(area.width);
        let mark = if chosen { ctx.glyphs.folded } else { " " };
        let key = item.key.as_deref().unwrap_or_default();
        // Where it holds is said of what does not hold anywhere, and goes before what it reaches is cut.
        let held = width >= WIDE && !matches!(item.place.as_str(), ANYWHERE | COMMAND);
        let place = if held { item.place.as_str() } else { "" };
        let label = shorten(&item.label, width.saturating_sub(4 + key.width()));
        let used = 2 + label.width();
        // Keys stand below each other where there is room for a column of them.
        let keys = if width >= WIDE { KEYS } else { 0 };
        let ends = place.width() + keys.max(key.width()) + 3;
        let reach = shorten(&item.reach, width.saturating_sub(30.max(used + 2) + ends));
        let mut spans =
            vec![Span::styled(format!("{mark} "), theme.style(Slot::Accent)), Span::styled(label, text)];
        if width >= 56 && !reach.is_empty() {
            spans.push(Span::raw(" ".repeat(30usize.saturating_sub(used).max(2))));
            spans.push(Span::styled(reach, theme.style(Slot::Soft)));
        }
        Line::from(spans).render(area, buf);
        let right = Line::from(vec![
            Span::styled(place.to_owned(), theme.style(Slot::Faint)),
            Span::styled(format!("  {key:keys$}"), theme.style(Slot::Accent)),
        ]);
        let wide = u16::try_from(right.width()).unwrap_or(area.width).min(area.width);
        right.render(Rect { x: area.right() - wide, width: wide, ..area }, buf);
    }
}

impl Overlay for Palette {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = super::centred(ctx.body, 110, ctx.body.height.saturating_sub(2).min(24));
        let count = format!("{} of {}", self.found.len(), self.entries.len());
        let chosen = self.found.get(self.at).and_then(|i| self.entries.get(*i));
        let enter = chosen.map(|item| match item.choice {
            Choice::Act(_) => ("Enter", "run"),
            Choice::Call(_) => ("Enter", "write it in the draft"),
        });
        let moves = [(ctx.glyphs.moves, "move")].into_iter().filter(|_| self.found.len() > 1);
        let keys: Vec<_> = enter.into_iter().chain(moves).chain([("Esc", "close")]).collect();
        let inner = frame(ctx, area, "Commands", &count, &keys, buf);
        let theme = ctx.theme;
        if inner.height < 3 {
            return None;
        }
        let air = u16::from(inner.height > 12);
        let inner = Rect { y: inner.y + air, height: inner.height - air, ..inner };
        let query = Line::from(vec![
            Span::styled("› ", theme.style(Slot::Accent)),
            Span::styled(self.query.clone(), theme.style(Slot::Strong)),
        ]);
        query.render(Rect { height: 1, ..inner }, buf);
        let rule = ctx.glyphs.rule.first().copied().unwrap_or("-").repeat(usize::from(inner.width));
        buf.set_stringn(inner.x, inner.y + 1, rule, usize::from(inner.width), theme.style(Slot::Line));
        let list = Rect { y: inner.y + 2, height: inner.height - 2, ..inner };
        let rows = usize::from(list.height);
        let top = first_shown(self.at, rows);
        for (row, index) in self.found.iter().enumerate().skip(top).take(rows) {
            let Some(item) = self.entries.get(*index) else { continue };
            let y = list.y + u16::try_from(row - top).unwrap_or_default();
            Self::row(ctx, item, row == self.at, Rect { y, height: 1, ..list }, buf);
        }
        if self.found.is_empty() {
            let text = format!("No match for {:?}", self.query);
            buf.set_stringn(list.x, list.y + 1, text, usize::from(list.width), theme.style(Slot::Soft));
        }
        let x = inner.x + 2 + u16::try_from(self.query.width()).unwrap_or_default();
        Some((x.min(inner.right().saturating_sub(1)), inner.y))
    }

    fn weighs(&self, _letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        None
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        Some(match self.choose(key) {
            None => Outcome::none(),
            Some(Choice::Act(action)) => Outcome { run: Some(action), ..Outcome::close() },
            Some(Choice::Call(line)) => Outcome { call: Some(line), ..Outcome::close() },
        })
    }

    /// Adds it to the query.
    fn paste(&mut self, text: &str) {
        self.query.extend(text.chars().filter(|c| !c.is_control()).take(80));
        self.search();
    }
}
