//! The keymap: which keys mean which action, and where.
//!
//! Owns reading the default and the user's file, and the search from keys to actions. Never acts,
//! and never sees a text: the composer gets the keys that no binding took.

pub mod action;
pub mod chord;
mod file;

pub use action::{Action, Entry, Table};
pub use chord::{Chord, UnknownKey};
pub use file::KeymapError;

use crate::{
    composer, frame,
    overlay::OVERLAYS,
    pane::{BACK, PANES},
};

const STANDARD: &str = include_str!("../../../assets/keymap.toml");

/// The table of what holds whatever has the focus.
pub const ANYWHERE: &str = frame::Action::TABLE;

/// Every table, in the order of help.
pub fn tables() -> Vec<Table> {
    let table =
        |name, heading: &str, entries: Vec<Entry>| Table { name, heading: heading.to_owned(), entries };
    let opens = OVERLAYS.iter().map(|kind| kind.entry);
    let anywhere = opens.chain(PANES.iter().map(|kind| kind.toggle().entry));
    let anywhere = anywhere.chain(frame::Action::ENTRIES.iter().copied()).collect();
    let mut all = vec![
        table(ANYWHERE, "Anywhere", anywhere),
        table(composer::Action::TABLE, "Composer", composer::Action::ENTRIES.to_vec()),
    ];
    all.extend(PANES.iter().map(|kind| {
        let entries = kind.actions.iter().copied().chain([BACK]).collect();
        table(kind.id.0, &format!("In the {}", kind.id.0), entries)
    }));
    let own = OVERLAYS.iter().filter(|kind| !kind.actions.is_empty());
    all.extend(own.map(|kind| table(kind.entry.name, kind.heading, kind.actions.to_vec())));
    all
}

/// One binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub keys: Vec<Chord>,
    pub action: Action,
    pub yours: bool,
    /// The keys as they are shown: `Ctrl-X d`.
    pub shown: String,
}

impl Binding {
    pub(crate) fn new(keys: Vec<Chord>, action: Action, yours: bool) -> Self {
        let shown = show(&keys, false);
        Self { keys, action, yours, shown }
    }
}

/// A key as it ships that the user's file gave to another action of its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GaveWay {
    pub was: Binding,
    pub to: Action,
}

/// What some keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// This.
    Action(Action),
    /// More keys are to come.
    Prefix,
    /// Nothing.
    Nothing,
}

/// Which keys mean what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
    gave_way: Vec<GaveWay>,
    /// Whether only ASCII can be shown.
    ascii: bool,
}

impl Keymap {
    /// The keymap as it ships.
    pub fn standard() -> Self {
        // A test holds that the shipped file is good; a keymap without keys would only be dull.
        file::read(STANDARD, None).unwrap_or_default()
    }

    /// The keymap as it ships with the user's file over it: an action named there has only the
    /// keys given there, and a key given there has no other meaning in its place.
    ///
    /// # Errors
    /// With line and column, when the file is not TOML, names an unknown place, action or key, or
    /// itself gives one key two meanings.
    pub fn with(user: &str) -> Result<Self, KeymapError> {
        file::read(STANDARD, Some(user))
    }

    pub(crate) fn of(bindings: Vec<Binding>, gave_way: Vec<GaveWay>) -> Self {
        Self { bindings, gave_way, ascii: false }
    }

    /// The same, with every key shown in ASCII.
    #[must_use]
    pub fn in_ascii(mut self) -> Self {
        self.ascii = true;
        for binding in &mut self.bindings {
            binding.shown = show(&binding.keys, true);
        }
        self
    }

    /// What `keys` mean in these tables; the first table that knows them wins.
    pub fn find(&self, tables: &[&str], keys: &[Chord]) -> Found {
        for table in tables {
            let here = self.bindings.iter().filter(|b| b.action.table == *table);
            let mut prefix = false;
            for binding in here {
                if binding.keys == keys {
                    return Found::Action(binding.action);
                }
                prefix |= binding.keys.starts_with(keys);
            }
            if prefix {
                return Found::Prefix;
            }
        }
        Found::Nothing
    }

    /// The keys of an action as they are shown; empty when it has none.
    pub fn keys(&self, action: impl Into<Action>) -> Vec<String> {
        let action = action.into();
        self.bindings.iter().filter(|b| b.action == action).map(|b| b.shown.clone()).collect()
    }

    /// The first key of an action as it is shown, if it has one.
    pub fn key(&self, action: impl Into<Action>) -> Option<&str> {
        let action = action.into();
        self.bindings.iter().find(|b| b.action == action).map(|b| b.shown.as_str())
    }

    /// What can follow `prefix` in these tables: the key and its action.
    pub fn after(&self, tables: &[&str], prefix: &[Chord]) -> Vec<(String, Action)> {
        self.bindings
            .iter()
            .filter(|b| tables.contains(&b.action.table))
            .filter_map(|b| {
                let rest = b.keys.strip_prefix(prefix)?;
                (!rest.is_empty()).then(|| (self.shown(rest), b.action))
            })
            .collect()
    }

    /// These keys as they are shown.
    pub fn shown(&self, keys: &[Chord]) -> String {
        show(keys, self.ascii)
    }

    /// Which keys that ship gave way to the user's file, in words; `None` where none did.
    pub fn given_up(&self) -> Option<String> {
        let of = |gone: &GaveWay| {
            let (keys, place) = (self.shown(&gone.was.keys), gone.to.table);
            let same = |b: &Binding| {
                b.action.entry.name == gone.was.action.entry.name
                    && [place, ANYWHERE].contains(&b.action.table)
            };
            let left = if self.bindings.iter().any(same) { "" } else { ", which has no key now" };
            format!("{keys} in {place} is {}, not {}{left}", gone.to.entry.name, gone.was.action.entry.name)
        };
        let told: Vec<String> = self.gave_way.iter().map(of).collect();
        (!told.is_empty()).then(|| format!("your keymap: {}", told.join("; ")))
    }

    /// Bindings that the user's file gave: the keys and the action.
    pub fn yours(&self) -> impl Iterator<Item = (String, Action)> {
        self.bindings.iter().filter(|b| b.yours).map(|b| (b.shown.clone(), b.action))
    }
}

fn show(keys: &[Chord], ascii: bool) -> String {
    keys.iter().map(|key| if ascii { key.named() } else { key.to_string() }).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
