//! What the driver tells the user by itself.
//!
//! Owns that nothing is said twice. Never decides what follows.

use pilothouse_core::{
    port::{Attention, Surroundings, Update},
    session::Bounds,
};

use super::Driver;
use crate::error::RuntimeError;

impl Driver {
    pub(super) fn complain(&mut self, error: &RuntimeError) {
        tracing::error!(error = %error, "the session could not be saved");
        if !self.complained {
            self.complained = true;
            let text = format!(
                "{error}; nothing is lost, but nothing more is done until it can be saved ({})",
                error.hint()
            );
            self.outbox.send(Update::Refused(text));
        }
    }

    /// What the settings of now let a session spend holds from here on, and the screen is told of it.
    pub(super) fn rebound(&mut self) {
        let budget = self.at.config.budget;
        self.at.session.set_bounds(Bounds { budget, ..self.at.session.bounds() });
        if self.around.budget != budget {
            self.around = Surroundings { budget, now: (self.setup.clock)(), ..self.around.clone() };
            self.outbox.send(Update::Surroundings(Box::new(self.around.clone())));
        }
    }

    /// Tells the user on the desktop; that it cannot be done is said once.
    pub(super) fn tell(&mut self, what: Attention) {
        let told = pilothouse_tools::desktop::tell(self.at.root.path(), "pilothouse", what.text());
        if let Err(why) = told
            && !std::mem::replace(&mut self.mute, true)
        {
            self.outbox.send(Update::Notice(format!("the desktop cannot be told: {why}")));
        }
    }
}
