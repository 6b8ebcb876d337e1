//! What the user says of the session as a whole: `/title`, and what is said from outside.
//!
//! Owns that it is said in a form that can be kept. Nothing that goes on follows from it.

use super::{Decided, Draft};
use crate::{
    about::AboutChange,
    event::{Event, Level},
    input::Refusal,
    intent::Slash,
};

impl Draft<'_> {
    /// Keeps what is said of the session.
    pub(super) fn describe(&mut self, change: AboutChange) -> Decided {
        let change = change.settled().map_err(Refusal::new)?;
        self.emit(Event::Described { change });
        Ok(())
    }

    /// `/title`: what the session is called; `/title TEXT`: from now on.
    pub(super) fn title(&mut self, args: &str) -> Decided {
        if args.trim().is_empty() {
            let own = self.state.about.title.clone();
            let told = own.map_or_else(
                || "title: none of its own, lists show what it is about; /title TEXT gives it one".to_owned(),
                |title| format!("title: {title}"),
            );
            self.listed(Slash::Title, &[told]);
            return Ok(());
        }
        let change = AboutChange::title(args).settled().map_err(Refusal::new)?;
        let told = format!("Title: {}.", change.title.as_deref().unwrap_or_default());
        self.heard(Slash::Title);
        self.emit(Event::Described { change });
        self.notice(Level::Info, told);
        Ok(())
    }
}
