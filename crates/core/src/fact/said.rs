//! The words of the user: what they wrote and what they picked.
//!
//! Owns whether a text is in them. Of a message that is too long to be carried whole only its ends are known.

use std::{collections::BTreeSet, sync::Arc};

use super::answer::{content, words};
use crate::{blob::Excerpt, ids::TurnId};

/// All words that the user said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserWords {
    /// In order, each once; a copy shares them: one is made for each key that is foretold.
    words: Vec<Arc<str>>,
    in_part: BTreeSet<TurnId>,
}

impl UserWords {
    /// They said this.
    pub fn add(&mut self, text: &str) {
        for word in words(text) {
            if let Err(at) = self.place(&word) {
                self.words.insert(at, word.into());
            }
        }
    }

    /// They said this as a message.
    pub fn add_message(&mut self, turn: TurnId, text: &Excerpt) {
        self.add(&text.head);
        if let Some(cut) = &text.cut {
            self.add(&cut.tail);
            self.in_part.insert(turn);
        }
    }

    /// The messages of which not all is known.
    pub fn in_part(&self) -> impl Iterator<Item = TurnId> {
        self.in_part.iter().copied()
    }

    /// Whether all words that count of a text are among them.
    pub fn hold(&self, text: &str) -> bool {
        let counts = content(text);
        let wanted = if counts.is_empty() { words(text).collect() } else { counts };
        !wanted.is_empty() && wanted.iter().all(|word| self.place(word).is_ok())
    }

    fn place(&self, word: &str) -> Result<usize, usize> {
        self.words.binary_search_by(|known| known.as_ref().cmp(word))
    }
}
