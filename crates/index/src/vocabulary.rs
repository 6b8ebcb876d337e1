//! The words of an index: how common each is, and which are put together from others.
//!
//! Owns questions about words alone, before any passage is looked for.

use rusqlite::Statement;
use std::{cell::RefCell, collections::HashMap};

use crate::{error::IndexError, store::Store, words};

/// Most words with one beginning that are looked at.
const MOST: usize = 300;

/// The words of a store.
pub(crate) struct Vocabulary<'a> {
    store: &'a Store,
    passages: f32,
    count: RefCell<Statement<'a>>,
    /// What was asked before.
    known: RefCell<HashMap<String, f32>>,
}

impl<'a> Vocabulary<'a> {
    pub fn of(store: &'a Store) -> Result<Self, IndexError> {
        let passages: f64 = store.db.query_row("SELECT count(*) FROM passage", [], |r| r.get(0))?;
        let count = RefCell::new(store.db.prepare("SELECT doc FROM vocabulary WHERE term=?1")?);
        #[expect(clippy::cast_possible_truncation, reason = "a share need not be exact")]
        Ok(Self { store, passages: passages.max(1.0) as f32, count, known: RefCell::default() })
    }

    /// The share of passages with a stem in them; 0 for one that stands nowhere.
    pub fn share(&self, stem: &str) -> f32 {
        if let Some(known) = self.known.borrow().get(stem) {
            return *known;
        }
        let count: f64 = self.count.borrow_mut().query_row([stem], |r| r.get(0)).unwrap_or(0.0);
        #[expect(clippy::cast_possible_truncation, reason = "a share need not be exact")]
        let share = count as f32 / self.passages;
        self.known.borrow_mut().insert(stem.to_owned(), share);
        share
    }

    /// The share of a word that stands in one passage.
    pub fn least(&self) -> f32 {
        1.0 / self.passages
    }

    /// Words that are put together from this word and one of the others, or one like it: `gitconfig`, `filesize`; and the
    /// words that this one is put together from.
    pub fn joined<'w>(
        &self,
        word: &str,
        others: impl Iterator<Item = &'w String>,
    ) -> Result<Vec<String>, IndexError> {
        let stem = words::stem(word);
        if stem.len() < 3 || !word.is_ascii() {
            return Ok(Vec::new());
        }
        let mut ends: Vec<&str> = Vec::new();
        for other in others {
            ends.push(words::stem(other));
            ends.extend(words::like(other).iter().map(|(w, _)| words::stem(w)));
        }
        ends.retain(|end| end.len() >= 3);
        let mut found = self.split(word);
        let mut asked =
            self.store.db.prepare("SELECT term FROM vocabulary WHERE term > ?1 AND term < ?2 LIMIT ?3")?;
        let rows =
            asked.query_map(rusqlite::params![stem, format!("{stem}{{"), MOST], |r| r.get::<_, String>(0))?;
        for term in rows {
            let term = term?;
            let rest = term.strip_prefix(stem).unwrap_or_default();
            // What the stem lost may stand between: `referer`, `filesize`.
            let after = ["", "e", "er", "y"].into_iter().filter_map(|lost| rest.strip_prefix(lost));
            if !term.contains('_') && after.into_iter().any(|r| r.len() >= 3 && ends.contains(&r)) {
                found.push(term);
            }
        }
        Ok(found)
    }

    /// Two words that this one is put together from, as they stand beside each other: `keepalive` in `keep_alive`.
    fn split(&self, word: &str) -> Vec<String> {
        let pairs = (3..word.len().saturating_sub(2)).filter_map(|at| word.split_at_checked(at));
        let stems = pairs.map(|(one, other)| (words::stem(one), words::stem(other)));
        let known = |(one, other): &(&str, &str)| {
            one.len() > 2 && other.len() > 2 && self.share(one) > 0.0 && self.share(other) > 0.0
        };
        stems.filter(known).map(|(one, other)| format!("{one} {other}")).collect()
    }
}
