//! What was said to a session from the list of runs, and what became of it.
//!
//! Owns the words for that. Never sends anything.

use pilothouse_core::{event::Event, port::Update};

use super::{Number, Window};
use crate::status::shorten;

/// What was said to a session, of which no word came back yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Words, which are in its history.
    Words,
    /// What it is called.
    Title,
}

impl Window {
    /// What an update says of what was said to that session: what became of it, or why it was refused.
    pub(super) fn became(&mut self, to: Number, update: &Update) -> Option<Result<String, String>> {
        let said = self.seat(to)?.told?;
        let told = if let Update::Refused(why) | Update::Misused(why) = update {
            Err(why)
        } else if let Update::Events(events) = update {
            Ok(events.iter().map(|e| &e.event))
        } else {
            return None;
        };
        let title = match self.seat(to)?.info().title.as_str() {
            "" => "there".to_owned(),
            title => shorten(title, 40),
        };
        let told = match (said, told) {
            (Said::Words, Err(why)) => Err(format!("{title}: {why}; your line is in its history")),
            (Said::Title, Err(why)) => Err(format!("{title}: {why}")),
            (Said::Words, Ok(mut events)) => {
                let heard = events.any(|e| matches!(e, Event::TurnTold { .. }));
                let what = if heard { "its run reads that at the next step" } else { "said there" };
                Ok(format!("{title}: {what}"))
            }
            (Said::Title, Ok(mut events)) => {
                let name =
                    |e: &Event| if let Event::Described { change } = e { change.title.clone() } else { None };
                // Other things may happen there before.
                let name = events.find_map(name)?;
                Ok(format!("renamed to \"{}\"", shorten(&name, 60)))
            }
        };
        self.seat(to)?.told = None;
        Some(told)
    }
}
