//! What was written before: sent messages and cleared drafts, newest last.
//!
//! Owns the list and where one is in it. Never forgets the draft that one left to look.

use super::draft::Saved;

/// At most this many texts are kept.
const KEEP: usize = 500;

/// What was written before.
#[derive(Debug, Default)]
pub struct History {
    texts: Vec<Saved>,
    /// Steps back from the newest; 0 at the draft itself.
    back: usize,
    draft: Saved,
}

impl History {
    /// Keeps a text; blanks and repeats of the newest are not kept.
    pub fn keep(&mut self, text: Saved) {
        self.settle();
        self.push(text);
    }

    fn push(&mut self, text: Saved) {
        if text.shown.trim().is_empty() || self.texts.last() == Some(&text) {
            return;
        }
        self.texts.push(text);
        if self.texts.len() > KEEP {
            self.texts.remove(0);
        }
    }

    /// One step back; `now` is what stands in the draft and is kept for the way forward.
    pub fn older(&mut self, now: Saved) -> Option<Saved> {
        let index = self.texts.len().checked_sub(self.back + 1)?;
        if self.back == 0 {
            self.draft = now;
        }
        self.back += 1;
        self.texts.get(index).cloned()
    }

    /// One step forward, at last to the draft that was left.
    pub fn newer(&mut self) -> Option<Saved> {
        self.back = self.back.checked_sub(1)?;
        if self.back == 0 {
            return Some(std::mem::take(&mut self.draft));
        }
        self.texts.get(self.texts.len().checked_sub(self.back)?).cloned()
    }

    /// Editing makes what stands there the draft; the draft that was left for it is kept here.
    pub fn settle(&mut self) {
        if self.back > 0 {
            self.back = 0;
            let left = std::mem::take(&mut self.draft);
            self.push(left);
        }
    }

    /// Everything, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Saved> {
        self.texts.iter().rev()
    }
}
