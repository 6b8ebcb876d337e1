//! Keys on their way to an action: the keymap, what was pressed of a longer binding, and since when a key is held.
//!
//! Owns the search. Never acts.

use std::time::{Duration, Instant};

use crossterm::event::{KeyEvent, KeyEventKind};

use crate::{
    keymap::{Action, Chord, Found, Keymap},
    keys::decoder::AFTER_PASTE,
    overlay::Written,
    standing::{Held, Pressed, Stamp},
};

/// After this long the keys that can follow are shown.
pub const WHICH_KEY: Duration = Duration::from_millis(400);

/// What a key press came to.
pub(super) enum Taken {
    /// This action.
    Action(Action),
    /// More keys are to come.
    More,
    /// These keys mean nothing together.
    Unknown(String),
    /// No binding begins with this key.
    Free(Chord),
}

/// The keys that were pressed.
pub(super) struct Keying {
    pub(super) keymap: Keymap,
    prefix: Vec<Chord>,
    since: Option<Instant>,
    held: Held<Chord>,
    /// When a paste came last.
    paste: Option<Instant>,
    /// The key that is being taken.
    pub(super) pressed: Pressed,
    /// How it was written: what no hand types was pasted, also where the terminal marks no paste.
    pub(super) written: Written,
}

impl Keying {
    pub(super) fn new(ascii: bool) -> Self {
        let keymap = Keymap::standard();
        Self {
            keymap: if ascii { keymap.in_ascii() } else { keymap },
            prefix: Vec::new(),
            since: None,
            held: Held::default(),
            paste: None,
            pressed: Pressed::default(),
            written: Written::Typed,
        }
    }

    /// Takes one key press, looked up in these tables.
    pub(super) fn press(&mut self, key: KeyEvent, stamp: Stamp, tables: &[&str]) -> Taken {
        let Stamp { came, since, burst } = stamp;
        self.written = if burst { Written::Pasted } else { Written::Typed };
        let chord = Chord::of(key);
        let began = self.held.pressed(chord, key.kind == KeyEventKind::Repeat, came);
        // What comes without a pause counts from its beginning, however long it is.
        let began = since.map_or(began, |since| began.min(since));
        self.pressed = Pressed { began: Some(began), pasted: since.is_none() };
        self.prefix.push(chord);
        match self.keymap.find(tables, &self.prefix) {
            Found::Prefix => {
                let _ = self.since.get_or_insert(came);
                Taken::More
            }
            Found::Action(action) => {
                self.end_prefix();
                Taken::Action(action)
            }
            Found::Nothing if self.prefix.len() > 1 => {
                let keys = self.keymap.shown(&self.prefix);
                self.end_prefix();
                Taken::Unknown(keys)
            }
            Found::Nothing => {
                self.end_prefix();
                Taken::Free(chord)
            }
        }
    }

    /// A paste came: it ends what was pressed before. Whether it is the next piece of the one before.
    pub(super) fn pasted(&mut self, came: Instant) -> bool {
        let before = self.paste.replace(came);
        self.held.released();
        self.pressed = Pressed { began: Some(came), pasted: true };
        self.end_prefix();
        before.is_some_and(|before| came.saturating_duration_since(before) < AFTER_PASTE)
    }

    fn end_prefix(&mut self) {
        self.prefix.clear();
        self.since = None;
    }

    /// When the keys that can follow the pressed ones are to be shown.
    pub(super) fn alarm(&self) -> Option<Instant> {
        self.since.map(|since| since + WHICH_KEY)
    }

    /// What was pressed of a longer binding.
    pub(super) fn prefix(&self) -> &[Chord] {
        &self.prefix
    }
}
