//! The list above the composer: files after `@`, commands after `/`, what was written before.
//!
//! Owns what is offered and what is chosen. Never changes the draft.

use pilothouse_core::{
    intent::{SlashCommand, command::Arguments},
    picture,
};

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

/// At most this many rows are kept after matching.
const KEEP: usize = 200;

/// What a popup offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Files of the workspace, and nodes at the beginning of a message.
    Files,
    /// Slash commands.
    Commands,
    /// Texts that were written before.
    History,
}

/// What can be offered: a text, what a command of that name takes, and what is said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What is taken, and shown on the left.
    pub text: String,
    /// What follows it, in a column of its own.
    pub takes: String,
    /// Shown beside it.
    pub note: String,
}

impl Entry {
    /// One that nothing follows.
    pub fn new(text: String, note: String) -> Self {
        Self { text, note, ..Self::default() }
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is taken, and shown on the left.
    pub text: String,
    /// What follows it.
    pub takes: String,
    /// Shown beside it.
    pub note: String,
    /// Where it came from in the list that was searched.
    pub index: usize,
}

/// An open list.
#[derive(Debug)]
pub struct Popup {
    /// What it offers.
    pub offer: Offer,
    /// What was typed.
    pub query: String,
    /// What fits, best first.
    pub rows: Vec<Row>,
    /// The lists that the rows came from, one after the other: what each holds, and how much.
    lists: Vec<(&'static str, usize)>,
    /// The chosen row.
    pub at: usize,
    /// Whether it was gone to.
    moved: bool,
}

/// A name as one word of a message: in quotes, where it holds blanks or quotes itself. A picture keeps its `@`: by that
/// it is told that it is not sent.
pub(super) fn as_word(name: &str) -> String {
    let sign = if picture::is(name) { "@" } else { "" };
    format!("{sign}{}", quoted(name))
}

fn quoted(name: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"\"'`“”«»".contains(c);
    if name.chars().all(plain) {
        return name.to_owned();
    }
    let pairs = [('"', '"'), ('`', '`'), ('“', '”'), ('«', '»')];
    let fit = pairs.into_iter().find(|(open, close)| !name.contains([*open, *close]));
    fit.map_or_else(|| name.to_owned(), |(open, close)| format!("{open}{name}{close}"))
}

impl Popup {
    /// A list of what fits `query` best.
    pub fn new(offer: Offer, query: &str, from: &[Entry]) -> Self {
        let order = fuzzy(query, from.iter().map(|entry| entry.text.as_str()), offer == Offer::Files);
        let rows = order
            .into_iter()
            .take(KEEP)
            .filter_map(|index| {
                let Entry { text, takes, note } = from.get(index)?.clone();
                Some(Row { text, takes, note, index })
            })
            .collect();
        Self { offer, query: query.to_owned(), rows, lists: Vec::new(), at: 0, moved: false }
    }

    /// The commands for what was typed after the slash: one of exactly that name or alias first, then what begins so,
    /// then what is like it; each command once, by its name where that fits.
    pub fn commands(query: &str, names: &[Entry], aliases: &[Entry]) -> Self {
        if query.is_empty() {
            return Self::new(Offer::Commands, query, names);
        }
        let all: Vec<Entry> = names.iter().chain(aliases).cloned().collect();
        let typed = format!("/{}", query.to_lowercase());
        let like = Self::new(Offer::Commands, typed.trim_start_matches('/'), &all);
        let mut popup = Self { query: query.to_owned(), ..like };
        popup.rows.sort_by_key(|row| {
            let name = row.text.to_lowercase();
            let like = if name == typed { 0 } else { 1 + usize::from(!name.starts_with(&typed)) };
            (like, row.index >= names.len())
        });
        let mut seen = Vec::new();
        popup.rows.retain(|row| {
            let does = SlashCommand::of_line(&row.text).map(|(command, _)| command.does);
            let again = does.is_some_and(|does| seen.contains(&does));
            seen.extend(does);
            !again
        });
        popup
    }

    /// Whether Enter sends the chosen row as it stands: a word that is written out, or a command that takes nothing.
    pub fn sends(&self) -> bool {
        let Some(row) = self.chosen() else { return false };
        match self.offer {
            Offer::Commands => {
                let name = row.text.trim_start_matches('/').to_lowercase();
                let written = self.query.to_lowercase();
                let bare =
                    SlashCommand::of_line(&row.text).is_some_and(|(c, _)| c.arguments == Arguments::None);
                name == written || (bare && (self.moved || name.starts_with(&written)))
            }
            Offer::Files => self.is_called() || row.text == self.query,
            Offer::History => false,
        }
    }

    /// Whether Enter leaves the list alone: what only is like what was written may be another command, unless it was
    /// gone to.
    pub fn leaves(&self) -> bool {
        let begins = |row: &Row| {
            row.text.trim_start_matches('/').to_lowercase().starts_with(&self.query.to_lowercase())
        };
        self.offer == Offer::Commands && !self.moved && !self.chosen().is_some_and(begins)
    }

    /// Whether what stands there is an agent or a picture by its whole name, and nothing else was chosen: it stays so.
    pub fn is_called(&self) -> bool {
        let called =
            |row: &Row| row.text.strip_prefix('@').is_some_and(|n| n.eq_ignore_ascii_case(&self.query));
        let keeps = |row: &Row| row.text == self.query && picture::is(&row.text);
        let called = self.at == 0 && self.rows.iter().any(called);
        self.offer == Offer::Files && (called || self.chosen().is_some_and(keeps))
    }

    /// What its keys do, in words.
    pub fn keys(&self) -> &'static str {
        match (self.offer, self.rows.is_empty()) {
            (_, true) => "Esc closes",
            (Offer::Commands, false) if self.leaves() => {
                "Enter sends it as written   Tab inserts   Esc closes"
            }
            (Offer::Commands | Offer::Files, false) if self.sends() => {
                "Enter sends   Tab inserts   Esc closes"
            }
            (Offer::Files | Offer::Commands | Offer::History, false) => "Enter inserts   Esc closes",
        }
    }

    /// What stands where nothing fits.
    pub fn nothing(&self) -> &'static str {
        match self.offer {
            Offer::Commands => "no command of that name",
            Offer::History => "nothing similar was typed before",
            Offer::Files => "looking…",
        }
    }

    /// Moves the choice, round the ends.
    pub fn go(&mut self, down: bool) {
        let last = self.rows.len().saturating_sub(1);
        self.moved = true;
        self.at = match (down, self.at) {
            (true, at) if at >= last => 0,
            (true, at) => at + 1,
            (false, 0) => last,
            (false, at) => at - 1,
        };
    }

    /// The same, from lists that follow each other: what each holds, and how much of it.
    pub fn of_lists(query: &str, from: &[Entry], lists: &[(&'static str, usize)]) -> Self {
        Self { lists: lists.to_vec(), ..Self::new(Offer::Files, query, from) }
    }

    /// What stands above it: what its rows are, and how many there were of that.
    pub fn title(&self) -> String {
        match self.offer {
            Offer::Commands => {
                format!("commands  {} of {}", self.at + usize::from(!self.rows.is_empty()), self.rows.len())
            }
            Offer::History => format!("history   {}", self.query),
            Offer::Files => {
                let (mut names, mut of, mut begins) = (Vec::new(), 0, 0);
                for (name, many) in &self.lists {
                    let ends = begins + many;
                    if self.rows.iter().any(|row| (begins..ends).contains(&row.index)) {
                        names.push(*name);
                        of += many;
                    }
                    begins = ends;
                }
                let names = match names.split_last() {
                    None => "files".to_owned(),
                    Some((last, [])) => (*last).to_owned(),
                    Some((last, before)) => format!("{} and {last}", before.join(", ")),
                };
                format!("{names}  {} of {of}", self.rows.len())
            }
        }
    }

    /// The chosen row.
    pub fn chosen(&self) -> Option<&Row> {
        self.rows.get(self.at)
    }
}

/// The order of what fits `query`, best first; everything in its own order for an empty query.
pub fn fuzzy<'a>(query: &str, list: impl Iterator<Item = &'a str>, paths: bool) -> Vec<usize> {
    scored(query, list, paths).into_iter().map(|(_, i)| i).collect()
}

/// The same without what fits much worse than the best: a few letters scattered over a long line are no find.
pub fn closest<'a>(query: &str, list: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let scored = scored(query, list, false);
    let best = scored.first().map_or(0, |(score, _)| *score);
    scored.into_iter().take_while(|(score, _)| score * 4 >= best * 3).map(|(_, i)| i).collect()
}

/// What fits `query` with how well, best first.
fn scored<'a>(query: &str, list: impl Iterator<Item = &'a str>, paths: bool) -> Vec<(u32, usize)> {
    if query.is_empty() {
        return list.enumerate().map(|(i, _)| (0, i)).collect();
    }
    let config = if paths { Config::DEFAULT.match_paths() } else { Config::DEFAULT };
    let mut matcher = Matcher::new(config);
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut chars = Vec::new();
    let mut scored: Vec<(u32, usize, usize)> = list
        .enumerate()
        .filter_map(|(i, text)| {
            let score = pattern.score(Utf32Str::new(text, &mut chars), &mut matcher)?;
            Some((score, text.len(), i))
        })
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(score, _, i)| (score, i)).collect()
}
