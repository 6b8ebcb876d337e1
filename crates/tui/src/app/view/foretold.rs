//! What sending the draft would mean, behind the frame that shows it.
//!
//! Owns when it is worked out; what it is, is `preview`'s affair.

use pilothouse_core::{
    clean::Clean,
    intent::{Classifier, IntentPath},
};

use super::App;
use crate::{
    preview::{Preview, preview},
    status::shorten,
};

/// Most characters of the title of a session that is gone on with.
const TITLE_CELLS: usize = 40;

impl App {
    /// Foretells what sending the draft would mean, pastes unfolded, once for each text in each state; returns whether
    /// something else is to be drawn for it. Its time is that of reading the text, so a key is drawn before.
    ///
    /// A message too long to be classified while it is typed gets no preview; a command is judged at any length.
    pub fn foretell(&mut self) -> bool {
        let draft = &self.composer.draft;
        let seq = self.world.state().seq;
        let offered = self.composer.offered().is_some();
        let key = format!("{}{}", if offered { "$ " } else { "" }, draft.shown());
        if self.previewed.0 == key && self.previewed.1 == seq {
            return false;
        }
        let text = draft.saved().whole();
        let mut told = None;
        let meaning = if self.offers_message() {
            None
        } else if offered {
            Some(Preview::judged(&text, &self.world.session))
        } else if let Some(run) = self.goes_on_before(&text) {
            let title = shorten(&Clean::line(run.title()), TITLE_CELLS);
            Some(Preview::Path(IntentPath::root(), format!("goes on with \"{title}\"")))
        } else {
            let (meaning, foretold) = preview(&text, &self.world.session);
            told = foretold;
            let most = self.world.surroundings.told_whole.filter(|most| text.len() > *most);
            let cut =
                most.filter(|_| !text.starts_with(['!', '/'])).map(|most| Preview::cut(text.len(), most));
            cut.or(meaning)
        };
        let was = (self.previewed.2.take(), self.opens_instead());
        self.answering = told.map(|told| self.answering(told, &text)).unwrap_or_default();
        self.previewed = (key, seq, meaning);
        was != (self.previewed.2.clone(), self.opens_instead())
    }

    /// What the draft is read with; `None` for an empty one.
    pub fn reads_with(&self) -> Option<&Classifier> {
        (!self.composer.draft.is_blank()).then(|| &self.world.session.tiers().classifier)
    }

    /// Whether what the draft means stands in the frame that shows the draft: a command must never be seen under another's
    /// risk, and nothing is foretold of an empty line.
    pub(super) fn foretells_at_once(&self) -> bool {
        self.composer.offered().is_some() || self.composer.draft.is_blank()
    }
}
