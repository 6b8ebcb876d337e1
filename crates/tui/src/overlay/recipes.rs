//! Skills, commands and agents of files: where each comes from, what it may, what is wrong with it.
//!
//! Owns the lists and the one that is chosen. Never calls one: its name goes to the composer.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    clean::Clean,
    intent::Slash,
    recipe::{Recipe, RecipeKind},
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, OverlayKind,
    page::{CHOOSES, Page, Reading, SCROLLS, choose, first_shown, frame, paint, place},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    row::{Row, wrap},
    theme::Slot,
};

/// The list of skills and commands.
pub const SKILLS: OverlayKind = OverlayKind::page(
    Entry { name: "skills", label: "skills and commands", reach: "opens a list" },
    Some(Slash::Skills),
    |_| Ok(Box::new(List { agents: false, at: 0 })),
);

/// The list of agents.
pub const AGENTS: OverlayKind = OverlayKind::page(
    Entry { name: "agents", label: "agents", reach: "opens a list" },
    Some(Slash::Agents),
    |_| Ok(Box::new(List { agents: true, at: 0 })),
);

/// Columns of a name, and of where it comes from.
const NAME: usize = 26;
const ORIGIN: usize = 8;

/// One of the two lists.
#[derive(Debug)]
struct List {
    agents: bool,
    at: usize,
}

impl List {
    fn all<'a>(&self, ctx: &'a Ctx<'_>) -> Vec<&'a Recipe> {
        let all = ctx.surroundings.recipes.iter();
        all.filter(|r| (r.kind == RecipeKind::Agent) == self.agents).collect()
    }

    fn none(&self) -> &'static str {
        if self.agents {
            "There are no agents yet. An agent is a file agents/NAME/AGENT.md in your configuration folder or in .pilothouse: name, description, tools and scope at the top, its prompt below. @NAME then calls it."
        } else {
            "There are no skills yet."
        }
    }
}

impl Overlay for List {
    fn name(&self) -> &'static str {
        if self.agents { AGENTS.entry.name } else { SKILLS.entry.name }
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, CHOOSES, &['v', 'q']))
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        let all = self.all(ctx);
        let chosen = all.get(self.at).copied();
        if choose(key, &mut self.at, all.len()) {
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        } else if key.code == KeyCode::Char('v') {
            return chosen.map(|recipe| Outcome::open(View::of(recipe)));
        } else if key.code == KeyCode::Enter {
            return chosen.map(|recipe| match &recipe.fault {
                Some(_) => {
                    Outcome::complaint(format!("{} cannot be used; the reason is shown above", recipe.call()))
                }
                None => Outcome { call: Some(format!("{} ", recipe.call())), ..Outcome::close() },
            });
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = super::centred(ctx.body, 110, ctx.body.height);
        let all = self.all(ctx);
        let keys: &[(&str, &str)] = if all.is_empty() {
            &[("Esc", "close")]
        } else {
            &[("j k", "choose"), ("Enter", "to the composer"), ("v", "view"), ("Esc", "close")]
        };
        let title = if self.agents { "Agents" } else { "Skills and commands" };
        let inner = frame(ctx, area, title, &place(self.at, all.len()), keys, buf);
        let columns = usize::from(inner.width);
        let mut rows = Vec::new();
        match all.get(self.at) {
            None => rows.extend(wrap(&Row::of(self.none(), Slot::Soft).pieces, columns)),
            Some(recipe) => {
                rows.extend(about(recipe, columns));
                rows.push(Row::new());
            }
        }
        let room = usize::from(inner.height).saturating_sub(rows.len() + 1);
        let top = first_shown(self.at, room);
        let list = all.iter().enumerate().skip(top).map(|(n, r)| line(r, n == self.at, ctx));
        rows.extend(list.map(|row| row.cut(columns, ctx.glyphs.ellipsis)));
        paint(&rows, ctx, inner, buf);
        None
    }
}

fn line(recipe: &Recipe, chosen: bool, ctx: &Ctx<'_>) -> Row {
    let (mark, slot) = if chosen { (ctx.glyphs.folded, Slot::Strong) } else { (" ", Slot::Text) };
    let call: String = Clean::line(&recipe.call()).chars().take(NAME).collect();
    let row = Row::of(mark, Slot::Accent)
        .and(&format!(" {call:NAME$} "), slot)
        .and(&format!("{:ORIGIN$} ", recipe.origin.name()), Slot::Soft);
    match &recipe.fault {
        Some(fault) => {
            row.and(&format!("{} {}", ctx.glyphs.failed, Clean::line(&fault.why).as_str()), Slot::Bad)
        }
        None => row.and(Clean::line(&recipe.description).as_str(), Slot::Soft),
    }
}

/// What is said of the one that is chosen.
fn about(recipe: &Recipe, columns: usize) -> Vec<Row> {
    let mut lines = vec![(recipe.description.clone(), Slot::Text)];
    if let Some(fault) = &recipe.fault {
        lines = vec![(
            format!("cannot be used, line {}, column {}: {}", fault.at.line, fault.at.column, fault.why),
            Slot::Bad,
        )];
    } else {
        let hint = if recipe.hint.is_empty() {
            String::new()
        } else {
            format!("{} {}; ", recipe.call(), recipe.hint)
        };
        lines.push((format!("{hint}{}", recipe.may()), Slot::Soft));
    }
    let hides =
        recipe.hides.map_or_else(String::new, |of| format!(", in place of the one that is {}", of.name()));
    let beside = match recipe.beside.names().len() {
        0 => String::new(),
        1 => "; a file beside it".to_owned(),
        n => format!("; {n} files beside it"),
    };
    lines.push((format!("{} {}{hides}{beside}", recipe.kind.name(), recipe.file), Slot::Soft));
    let stages = recipe.stages.iter().flat_map(|agent| agent.outline());
    lines.extend(stages.map(|line| (line, Slot::Soft)));
    if !recipe.sources.is_empty() {
        lines.push((format!("sources: {}", recipe.sources.join(", ")), Slot::Soft));
    }
    lines
        .iter()
        .flat_map(|(text, slot)| wrap(&Row::of(Clean::line(text).as_str(), *slot).pieces, columns))
        .collect()
}

/// The prompt of one, to be read.
#[derive(Debug)]
struct View {
    title: String,
    text: Reading,
}

impl View {
    fn of(recipe: &Recipe) -> Self {
        let body = if recipe.body.is_empty() { "(its text could not be read)" } else { &recipe.body };
        let told = recipe.stages.iter().flat_map(|agent| {
            agent.spec.stages.iter().filter_map(|s| Some((s.shown(), agent.prompts.get(&s.name)?)))
        });
        let text = told.fold(body.to_owned(), |all, (stage, prompt)| {
            format!("{all}\n\n── {stage}\n\n{}", prompt.trim())
        });
        Self { title: Clean::line(&recipe.call()).into_string(), text: Reading::of(&text, Slot::Text) }
    }
}

impl Overlay for View {
    fn name(&self) -> &'static str {
        "recipe"
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let keys: &[(&str, &str)] = &[("q", "back to the list")];
        let page = Page { title: &self.title, right: "", keys, width: 110, height: 8, rows: Vec::new() };
        self.text.draw(&page, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, SCROLLS, &['q']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        Some(self.text.scroll.read(key).unwrap_or_default())
    }
}
