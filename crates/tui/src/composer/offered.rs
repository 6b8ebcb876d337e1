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
    /// Whether it is a command, and no message.
    is_command: bool,
    /// The draft that was there.
    own: Saved,
}

/// A line that was taken out of the composer again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The question that it would have answered.
    pub question: CheckpointId,
    /// Whether it had been changed, so that history holds it now.
    pub kept: bool,
}

/// Whether a line for typing can show it as it is.
pub fn is_typable(line: &str) -> bool {
    legible(line) == line && !line.contains('\r')
}

impl Composer {
    /// Puts a proposed command in place of the draft, which is kept. False when it holds what a line
    /// for typing cannot show.
    pub fn offer(&mut self, question: CheckpointId, line: &str, is_command: bool) -> bool {
        if !is_typable(line) {
            return false;
        }
        self.withdraw();
        let _ = self.close_popup();
        self.dismissed = false;
        let own = self.draft.take();
        self.draft.set(Saved::plain(line));
        // A message is read from its head.
        if !is_command {
            self.draft.to_head();
        }
        self.offered = Some(Offered { question, line: line.to_owned(), is_command, own });
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

    /// Takes the line away and gives the draft back; a changed one goes to history, which the caller tells.
    pub fn withdraw(&mut self) -> Option<Withdrawn> {
        let changed = self.changed_offer();
        let offered = self.offered.take()?;
        let line = self.draft.take().whole();
        let kept = changed && !line.trim().is_empty();
        if kept {
            let mark = if offered.is_command { "!" } else { "" };
            self.history.keep(Saved::plain(format!("{mark}{}", line.trim())));
        }
        self.draft.set(offered.own);
        Some(Withdrawn { question: offered.question, kept })
    }
}
