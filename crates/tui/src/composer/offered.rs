//! A proposed command or message in the place of the draft, to be changed before a yes.
//!
//! Owns its line and the draft that it stands in for. Never runs it, and gives the draft
//! back whatever happens.

use pilothouse_core::ids::CheckpointId;

use super::{Composer, Saved, draft::legible};

/// A proposed command that stands in the composer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The question that it answers.
    pub question: CheckpointId,
    /// The line as it was proposed.
    pub line: String,
    /// The draft that was there.
    own: Saved,
}

impl Composer {
    /// Puts a proposed command in place of the draft, which is kept. False when it holds what a line
    /// for typing cannot show.
    pub fn offer(&mut self, question: CheckpointId, line: &str) -> bool {
        if legible(line) != line || line.contains('\r') {
            return false;
        }
        self.withdraw();
        let _ = self.close_popup();
        self.dismissed = false;
        let own = self.draft.take();
        self.draft.set(Saved::plain(line));
        self.offered = Some(Offered { question, line: line.to_owned(), own });
        true
    }

    /// The command that stands there.
    pub fn offered(&self) -> Option<&Offered> {
        self.offered.as_ref()
    }

    /// Whether the user changed the command that stands there.
    pub fn changed_offer(&self) -> bool {
        self.offered.as_ref().is_some_and(|o| self.draft.saved().whole().trim() != o.line.trim())
    }

    /// Takes the command away and gives the draft back; a changed line goes to history.
    pub fn withdraw(&mut self) -> Option<CheckpointId> {
        let changed = self.changed_offer();
        let offered = self.offered.take()?;
        let line = self.draft.take().whole();
        if changed && !line.trim().is_empty() {
            self.history.keep(Saved::plain(format!("!{}", line.trim())));
        }
        self.draft.set(offered.own);
        Some(offered.question)
    }
}
