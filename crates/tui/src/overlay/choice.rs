//! A list of names from which one is picked for the page below it; where the list may not have it, it is typed.
//!
//! Owns what is found and the choice. What follows from it, the page below knows.

use crossterm::event::KeyEvent;
use pilothouse_core::{
    port::{ModelPick, Reply, SetupReply},
    redact::Handed,
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay, entry,
    finder::{Finder, Found},
    page::{first_shown, frame},
};
use crate::{
    composer::popup::closest,
    ctx::{Ctx, Outcome},
    keymap::Action,
    row::{Row, wrap},
    theme::Slot,
};

/// Columns of the list at most.
const WIDTH: u16 = 88;
/// Columns and rows beside the list: borders, the line that is typed and its rule.
const BESIDE: usize = 5;
/// Fewest rows of the list.
const LEAST: usize = 6;

/// The list.
#[derive(Debug)]
pub(super) struct Choice {
    title: &'static str,
    rows: Vec<(String, String)>,
    finder: Finder,
    found: Vec<usize>,
    /// Whose models these are; a name that the list does not have can be typed.
    models_of: Option<ModelPick>,
    /// What is said where the list is empty.
    none: String,
    /// The row that is meant where no other one is, with further words by which it is found. It stays whatever is typed, but
    /// where that may be a message.
    stays: Option<(&'static str, &'static str)>,
    /// What is said where it has nothing like what was typed.
    unlike: String,
    /// Whether words that it has nothing like are a message.
    lets_on: bool,
}

impl Choice {
    /// Names, each with what is said of it.
    pub fn of(title: &'static str, rows: Vec<(String, String)>) -> Self {
        let found = (0..rows.len()).collect();
        Self {
            title,
            rows,
            finder: Finder::default(),
            found,
            models_of: None,
            none: String::new(),
            stays: None,
            unlike: "No match".to_owned(),
            lets_on: false,
        }
    }

    /// The models of a place, which may not be all; `none` is said where there are none.
    pub fn models(of: ModelPick, names: &[String], none: String) -> Self {
        Self { models_of: Some(of), none, ..Self::of("Model", named(names)) }
    }

    /// Keeps this row in the list whatever is typed, and finds it by these words as well; says this of it where it cannot stay.
    pub fn keeps(mut self, name: &'static str, words: &'static str, unlike: String) -> Self {
        (self.stays, self.unlike) = (Some((name, words)), unlike);
        self
    }

    /// Lets a message through that is typed into it: words that it has nothing like.
    pub const fn lets_on(mut self, lets_on: bool) -> Self {
        self.lets_on = lets_on;
        self
    }

    /// A message that was typed into it: it goes on as the draft. One word may become a name or a key yet.
    fn message(&self, ended: bool) -> Option<Outcome> {
        let query = &self.finder.query;
        let words = ended || query.trim_start().contains(' ');
        let message = self.lets_on
            && self.found.is_empty()
            && words
            && !query.trim().is_empty()
            && Handed::of(query) == Handed::Nothing;
        message.then(|| Outcome { call: Some(query.clone()), leave: true, ..Outcome::none() })
    }

    /// With this one chosen.
    pub fn at(mut self, name: &str) -> Self {
        self.finder.at = self.rows.iter().position(|(of, _)| of == name).unwrap_or_default();
        self
    }

    fn search(&mut self) {
        let query = self.finder.query.trim().to_lowercase();
        self.found = closest(self.finder.query.trim(), self.rows.iter().map(|(name, _)| name.as_str()));
        let Some((kept, words)) = self.stays else { return };
        let at = self.rows.iter().position(|(name, _)| name == kept);
        let meant = words.split(' ').any(|word| word.starts_with(&query));
        self.found.extend(at.filter(|at| (meant || !self.lets_on) && !self.found.contains(at)));
    }

    /// What can be taken, the best first: what is found, then what was typed.
    fn offers(&self) -> Vec<(&str, &str)> {
        let found = self.found.iter().filter_map(|n| self.rows.get(*n));
        let mut offers: Vec<_> = found.map(|(name, what)| (name.as_str(), what.as_str())).collect();
        let typed = self.finder.query.trim();
        if self.models_of.is_some() && !typed.is_empty() && offers.iter().all(|(name, _)| *name != typed) {
            offers.push((typed, "as it is typed"));
        }
        offers
    }
}

fn named(names: &[String]) -> Vec<(String, String)> {
    names.iter().map(|name| (name.clone(), String::new())).collect()
}

impl Overlay for Choice {
    fn name(&self) -> &'static str {
        "choice"
    }

    fn weighs(&self, _letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        None
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        match self.finder.key(key, self.offers().len()) {
            Found::Taken => {
                let offers = self.offers();
                let Some((name, _)) = offers.get(self.finder.at) else { return self.message(true) };
                return Some(Outcome { below: Some((*name).to_owned()), ..Outcome::close() });
            }
            Found::Anew => {
                self.search();
                if let Some(message) = self.message(false) {
                    return Some(message);
                }
            }
            Found::Same => {}
        }
        Some(Outcome::none())
    }

    fn paste(&mut self, text: &str) {
        self.finder.paste(text);
        self.search();
    }

    fn readable(&self) -> Option<&str> {
        Some(&self.finder.query)
    }

    /// The names came only now; what was chosen before stays chosen.
    fn answered(&mut self, _number: u64, reply: &Reply) {
        let Reply::Setup(SetupReply::Models(of, told)) = reply else { return };
        if self.models_of.as_ref() != Some(of) {
            return;
        }
        match told {
            Ok(names) => {
                let chosen = self.offers().get(self.finder.at).map(|(name, _)| (*name).to_owned());
                self.rows = named(names);
                self.search();
                let at = self.offers().iter().position(|(name, _)| Some(*name) == chosen.as_deref());
                self.finder.at = at.unwrap_or_default();
            }
            Err(why) => self.none.clone_from(why),
        }
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let height = u16::try_from(self.rows.len().max(LEAST) + BESIDE).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, WIDTH, height);
        let offers = self.offers();
        let take = [("Enter", "take it")].into_iter().filter(|_| !offers.is_empty());
        let moves = [(ctx.glyphs.moves, "move")].into_iter().filter(|_| offers.len() > 1);
        let keys: Vec<_> = take.chain(moves).chain([("Esc", "back")]).collect();
        let count = if self.rows.is_empty() {
            String::new()
        } else {
            format!("{} of {}", self.found.len(), self.rows.len())
        };
        let inner = frame(ctx, area, self.title, &count, &keys, buf);
        let (list, caret) = self.finder.draw(ctx, inner, buf)?;
        let columns = usize::from(list.width);
        let widest = offers.iter().map(|(name, _)| crate::row::width(name)).max().unwrap_or_default();
        let top = first_shown(self.finder.at, usize::from(list.height));
        for ((n, (name, what)), y) in offers.iter().enumerate().skip(top).zip(list.top()..list.bottom()) {
            let chosen = n == self.finder.at;
            let gap = " ".repeat(widest.saturating_sub(crate::row::width(name)) + 2);
            let slot = if chosen { Slot::Strong } else { Slot::Text };
            let row = entry(chosen, ctx.glyphs).and(name, slot).and(&gap, Slot::Text).and(what, Slot::Soft);
            let mut row = row.cut(columns, ctx.glyphs.ellipsis);
            row.ground = chosen.then_some(Slot::Select);
            row.paint(ctx.theme, buf, list, y);
        }
        if offers.is_empty() {
            let none = if self.rows.is_empty() { &self.none } else { &self.unlike };
            let rows = wrap(&Row::of(none, Slot::Soft).pieces, columns);
            for (row, y) in rows.iter().zip(list.top()..list.bottom()) {
                row.paint(ctx.theme, buf, list, y);
            }
        }
        caret
    }
}
