//! Vectors by an embedder beside the built-in one: asked for what is missing, one batch after the other.
//!
//! Owns who asks, and for what. Never asks about what nobody may read.

use std::sync::TryLockError;

use crate::{
    error::IndexError,
    ground::Seen,
    index::{Index, Watch},
    search::{May, Placed, places},
    vectors,
};

/// So many texts are given to an embedder at once.
const EMBEDDED: usize = 32;

impl Index {
    /// Asks the embedder for the vectors that are missing; what keeps it from answering is told.
    pub(crate) fn embed_missing(
        &self,
        may: May<'_>,
        watch: &dyn Watch,
    ) -> Result<Option<String>, IndexError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        // One at a time: whoever comes in between answers by what there is.
        let _alone = match self.embedding.try_lock() {
            Ok(alone) => alone,
            Err(TryLockError::Poisoned(alone)) => alone.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(Some("vectors are still being made".to_owned())),
        };
        let mut last = 0;
        loop {
            if watch.stopped() {
                return Err(IndexError::Stopped);
            }
            let which = "WHERE p.vector IS NULL AND p.id>?1 ORDER BY p.id LIMIT ?2";
            let asked = places(&self.store(), which, rusqlite::params![last, EMBEDDED])?;
            let Some(end) = asked.last() else { return Ok(None) };
            last = end.id;
            let seen = Seen::new(self, may, watch);
            // Another session may have put in what nobody may read here; what changed is not what is asked about.
            let (asked, passages): (Vec<&Placed>, Vec<String>) = asked
                .iter()
                .filter_map(|place| {
                    let passage = seen.shown(place).filter(|p| may(&p.lines.path))?;
                    Some((place, format!("{}\n{}", place.title, passage.text)))
                })
                .unzip();
            if asked.is_empty() {
                continue;
            }
            let given: Vec<&str> = passages.iter().map(String::as_str).collect();
            let made = match embedder.embed(&given) {
                Ok(made) if made.len() == asked.len() => made,
                Ok(_) => return Ok(Some("the embedder gave too few vectors".to_owned())),
                Err(fault) => return Ok(Some(format!("the embedder cannot be used: {}", fault.message))),
            };
            let store = self.store();
            store.begin()?;
            for (place, vector) in asked.iter().zip(&made) {
                store.give_vector(place, &vectors::packed(vector))?;
            }
            store.commit()?;
        }
    }
}
