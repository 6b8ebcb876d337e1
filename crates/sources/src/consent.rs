//! What the user said of the servers that a client names.
//!
//! Owns that a yes is to one line and no other. It lasts as long as the process that asked; what is to last longer is kept by
//! whoever asks, who gives it again here.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use pilothouse_core::blob::BlobId;

use crate::{Definition, Origin, SourceFault};

/// The answers of this session's user, by the hash of what was shown; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Consent(Arc<Mutex<BTreeMap<BlobId, bool>>>);

impl Consent {
    /// The user said yes or no to what has this hash.
    pub fn answer(&self, shown: BlobId, yes: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(shown, yes);
    }

    /// What the user said of what has this hash is taken back: nobody has answered it.
    pub fn forget(&self, shown: BlobId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&shown);
    }

    /// Whether the user has said yes or no to what has this hash.
    pub fn is_answered(&self, shown: BlobId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&shown)
    }

    /// Whether a source may start, as far as that is for the user to say.
    pub(crate) fn lets(&self, source: &Definition) -> Result<(), SourceFault> {
        if source.origin != Origin::Client {
            return Ok(());
        }
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&source.asks().shown).copied();
        match said {
            Some(true) => Ok(()),
            Some(false) => Err(SourceFault::LeftOut),
            None => Err(SourceFault::Unanswered),
        }
    }
}
