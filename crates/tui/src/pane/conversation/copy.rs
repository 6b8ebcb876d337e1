//! What the key for copying takes: an entry as text, and the words for it.
//!
//! Owns which entry that is. Never asks the store: what is not here is not copied, and that is said.

use pilothouse_core::{clean::Clean, tool::Tool};

use super::{
    ConversationPane,
    entry::{Body, Call, Entry},
};
use crate::{ctx::Outcome, row::count, status::shorten};

/// Columns of a name in the words about it.
const NAME: usize = 32;

impl ConversationPane {
    /// Copies what is chosen, else the entry at the bottom of what is shown.
    pub(super) fn copy(&self) -> Outcome {
        let some = |key: &i64| self.log.get(*key).is_some_and(|e| !e.copied().is_empty());
        let bottom = || self.visible(usize::from(self.size.height)).map(|pos| pos.key).filter(some).last();
        let key = self.cursor.map(|c| c.key).or_else(bottom);
        let Some(entry) = key.filter(some).and_then(|key| self.log.get(key)) else {
            return Outcome::notice("there is nothing to copy here");
        };
        let text = entry.copied();
        let lines = count(text.lines().count(), "line");
        let notice = format!("copied {}, {lines}", entry.name());
        Outcome { copy: Some(text), notice: Some(notice), ..Outcome::none() }
    }
}

impl Entry {
    /// It as it is copied: a command with what it printed, of which the row below it shows the end.
    fn copied(&self) -> String {
        match &self.body {
            Body::Call(call) if call.tool == Some(Tool::Run) => match call.printed() {
                output if output.is_empty() => call.subject.clone(),
                output => format!("{}\n{output}", call.subject),
            },
            Body::Said(_)
            | Body::Reply(_)
            | Body::Call(_)
            | Body::Facts(_)
            | Body::Task { .. }
            | Body::Plan(_)
            | Body::Question(_)
            | Body::Waits(..)
            | Body::Gone => self.logical(),
        }
    }

    /// What it is called where it is said that it was copied.
    fn name(&self) -> String {
        let short = |text: &str| shorten(&Clean::line(text.lines().next().unwrap_or_default()), NAME);
        match &self.body {
            Body::Said(_) => "your message".to_owned(),
            Body::Reply(_) => "the reply".to_owned(),
            Body::Plan(_) => "the plan".to_owned(),
            Body::Question(_) => "the question".to_owned(),
            Body::Call(call) => {
                let what = match (call.tool == Some(Tool::Run), call.result.blob.is_some()) {
                    (true, _) if call.printed().is_empty() => "",
                    (true, true) => " with both ends of its output",
                    (true, false) => " with its output",
                    (false, _) => "",
                };
                format!("{}{what}", short(&call.subject))
            }
            Body::Facts(_) | Body::Task { .. } | Body::Waits(..) | Body::Gone => {
                format!("\"{}\"", short(&self.logical()))
            }
        }
    }
}

impl Call {
    /// What it printed, as far as that is here.
    fn printed(&self) -> String {
        if self.result.shown.is_empty() {
            self.tail.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
        } else {
            self.result.shown.clone()
        }
    }
}
