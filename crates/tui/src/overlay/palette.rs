//! The palette: every action, every slash command and every recipe by name, with its key and what it reaches or may.
//!
//! Owns what is found and the choice. Never acts: it hands the chosen action back, and a command to the draft.

use crossterm::event::KeyEvent;
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
    finder::{Finder, Found},
    page::{first_shown, frame},
};
use crate::{
    composer::{self, popup::closest},
    ctx::{Ctx, Outcome},
    keymap::{ANYWHERE, Action, Entry, Keymap, Table, tables},
    pane::BACK,
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
/// Columns of the mark and the names; a longer name takes more.
const NAMES: usize = 24;
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
        let told =
            SLASH_COMMANDS.iter().find(|command| command.name == name).map_or(reach, |command| command.help);
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
    finder: Finder,
    entries: Vec<Item>,
    found: Vec<usize>,
}

impl Palette {
    /// Every command and recipe, and every action that the keymap knows but those of overlays: they act on what is
    /// chosen there.
    fn new(keymap: &Keymap, recipes: &Recipes) -> Self {
        let here = |table: &Table| !OVERLAYS.iter().any(|kind| kind.entry.name == table.name);
        let tables: Vec<Table> = tables().into_iter().filter(here).collect();
        let other = |action: &Action| *action != KIND.action() && action.entry != BACK;
        let actions = tables.iter().flat_map(Table::actions).filter(other);
        let actions = actions.map(|action| Item::act(action, keymap));
        let calls = SLASH_COMMANDS.iter().map(Item::call).chain(recipes.usable().map(Item::recipe));
        let mut entries: Vec<_> = actions.chain(calls).collect();
        entries.sort_by_key(Item::is_writing);
        let found = (0..entries.len()).collect();
        Self { finder: Finder::default(), entries, found }
    }

    /// Takes a key; returns what was chosen with it.
    fn choose(&mut self, key: KeyEvent) -> Option<Choice> {
        match self.finder.key(key, self.found.len()) {
            Found::Taken => {
                let index = self.found.get(self.finder.at)?;
                return self.entries.get(*index).map(|item| item.choice.clone());
            }
            Found::Anew => self.search(),
            Found::Same => {}
        }
        None
    }

    fn search(&mut self) {
        let names: Vec<String> = self.entries.iter().map(Item::words).collect();
        // Keys of the caret are known by heart: they are found behind all else.
        let others = self.entries.iter().position(Item::is_writing).unwrap_or(names.len());
        let (first, last) = names.split_at(others.min(names.len()));
        self.found = closest(&self.finder.query, first.iter().map(String::as_str));
        let behind = closest(&self.finder.query, last.iter().map(String::as_str));
        self.found.extend(behind.into_iter().map(|n| n + others));
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
        let reach = shorten(&item.reach, width.saturating_sub(NAMES.max(used + 2) + ends));
        let mut spans =
            vec![Span::styled(format!("{mark} "), theme.style(Slot::Accent)), Span::styled(label, text)];
        if width >= 56 && !reach.is_empty() {
            spans.push(Span::raw(" ".repeat(NAMES.saturating_sub(used).max(2))));
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
        let chosen = self.found.get(self.finder.at).and_then(|i| self.entries.get(*i));
        let enter = chosen.map(|item| match item.choice {
            Choice::Act(_) => ("Enter", "run"),
            Choice::Call(_) => ("Enter", "type it in the draft"),
        });
        let moves = [(ctx.glyphs.moves, "move")].into_iter().filter(|_| self.found.len() > 1);
        let keys: Vec<_> = enter.into_iter().chain(moves).chain([("Esc", "close")]).collect();
        let inner = frame(ctx, area, "Commands", &count, &keys, buf);
        let (list, caret) = self.finder.draw(ctx, inner, buf)?;
        let rows = usize::from(list.height);
        let top = first_shown(self.finder.at, rows);
        for (row, index) in self.found.iter().enumerate().skip(top).take(rows) {
            let Some(item) = self.entries.get(*index) else { continue };
            let y = list.y + u16::try_from(row - top).unwrap_or_default();
            Self::row(ctx, item, row == self.finder.at, Rect { y, height: 1, ..list }, buf);
        }
        if self.found.is_empty() {
            let text = format!("No match for {:?}", self.finder.query);
            buf.set_stringn(list.x, list.y + 1, text, usize::from(list.width), ctx.theme.style(Slot::Soft));
        }
        caret
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
        self.finder.paste(text);
        self.search();
    }

    fn readable(&self) -> Option<&str> {
        Some(&self.finder.query)
    }
}
