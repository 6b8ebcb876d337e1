//! What the user was writing when the session was left: a small file beside its log.
//!
//! Owns that file. Never reads a meaning into it, and never sends it.

use std::{fs, io};

use pilothouse_core::port::Update;
use pilothouse_tools::{atomic, regular};

use super::Driver;

/// The file.
const DRAFT: &str = "draft";
/// Bytes of a draft that is kept; a longer one is a file that was pasted, and stands elsewhere.
const LONGEST: u64 = 256 * 1024;

impl Driver {
    /// Keeps it in place of what was kept before, without secrets that are known.
    pub(super) fn keep_draft(&self, text: &str) {
        if self.at.read_only() {
            return;
        }
        let path = self.at.folder.join(DRAFT);
        let text = self.at.config.secrets.mask(text).into_owned();
        self.disk.run(move || {
            let kept = if text.is_empty() || text.len() as u64 > LONGEST {
                fs::remove_file(&path)
                    .or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
            } else {
                atomic::replace(&path, text.as_bytes(), 0o600)
            };
            if let Err(error) = kept {
                tracing::warn!(%error, "the draft could not be kept");
            }
        });
    }

    /// Tells what was kept.
    pub(super) fn show_draft(&mut self) {
        let path = self.at.folder.join(DRAFT);
        let kept = regular::read(&path, LONGEST).ok().filter(|_| !self.at.read_only());
        if let Some(text) = kept.and_then(|bytes| String::from_utf8(bytes).ok()) {
            self.outbox.send(Update::Draft(text));
        }
    }
}
