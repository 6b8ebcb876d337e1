//! A message that orders something and asks something else: a turn for each, in its order.
//!
//! Owns when a message is taken apart so. Which messages these are is for the classifier.

use super::{Decided, Draft};
use crate::{event::Level, ids::Seq, intent::Reading};

impl Draft<'_> {
    /// The texts of the turns that a message is, where it orders and asks; what waits for an answer is given all of it, and
    /// where nothing is ordered it is answered. All of what is said to an agent by its name is for that agent.
    pub(super) fn in_turns(&self, line: &str, reading: &Reading) -> Option<[String; 2]> {
        let named = self.said_to(line) != line || self.pipeline_order(line).is_some();
        let one = named || self.state.phase_question().is_some() || self.state.chat_only;
        self.under.tiers.classifier.sequence(reading).filter(|_| !one)
    }

    /// Says one after the other. That one is refused keeps nothing from the other.
    pub(super) fn say_in_turns(&mut self, texts: &[String; 2], seen: Seq) -> Decided {
        self.each_in_turn(texts, |draft, text| {
            let reading = draft.read(text);
            if !draft.passes(&reading) {
                return draft.wait(text, seen);
            }
            draft.take_message(None, text, &reading, seen)
        })
    }

    /// Does something with one after the other.
    pub(super) fn each_in_turn(
        &mut self,
        texts: &[String; 2],
        mut each: impl FnMut(&mut Self, &str) -> Decided,
    ) -> Decided {
        let (mut refused, mut count) = (None, 0);
        for text in texts {
            if let Err(refusal) = each(self, text) {
                self.notice(Level::Info, refusal.reason.clone());
                (refused, count) = (Some(refusal), count + 1);
            }
        }
        refused.filter(|_| count == texts.len()).map_or(Ok(()), Err)
    }
}
