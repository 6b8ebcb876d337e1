//! Evidence: an answer checked before anyone reads it, and facts looked at before they answer.
//!
//! Owns when that is done and with whose eyes. Never judges: the core says what holds.

use std::sync::Arc;

use pilothouse_core::{
    fact::Fact,
    ids::{LaneId, TurnId},
    input::Input,
    intent::Mode,
    policy::PathRules,
    talk::Purpose,
    work::{View, WorkKey},
};
use pilothouse_tools::{BlobSource, ToolExecutor};

use super::Driver;

/// What an answer is checked with.
pub(super) struct Checks {
    /// Whether every statement is to be proven, or only the places that it names are looked at.
    proves: bool,
    workshop: ToolExecutor,
    view: View,
    blobs: Arc<dyn BlobSource>,
}

impl Checks {
    /// Whether nothing is shown of it before.
    pub const fn are_silent(&self) -> bool {
        self.proves
    }

    /// The input, where it is an answer with what came of its evidence.
    pub async fn of(self, input: Input) -> Input {
        let Input::Replied { call, reply: Ok(mut reply) } = input else { return input };
        if reply.calls.is_empty() && !reply.text.trim().is_empty() {
            let text = reply.text.clone();
            reply.checked = if self.proves {
                self.workshop.check(text, self.view, self.blobs).await
            } else {
                let found = self.workshop.astray(text, self.view, self.blobs).await;
                found.filter(|found| !found.marks.is_empty())
            };
        }
        Input::Replied { call, reply: Ok(reply) }
    }
}

impl Driver {
    /// What the words of a lane are checked with: in proof mode, where every one of them is told that they are, all that they
    /// state; else the places in an answer.
    pub(super) fn checks(&self, lane: LaneId, purpose: Purpose) -> Option<Checks> {
        let told = match purpose {
            Purpose::Answer | Purpose::Plan | Purpose::Task | Purpose::Goal | Purpose::Child => true,
            Purpose::Classify | Purpose::Compact | Purpose::Title | Purpose::Stage => false,
        };
        let proves = told && self.at.session.state().mode == Mode::Proof;
        let view = self.at.session.sight(lane).filter(|_| proves || purpose == Purpose::Answer)?;
        Some(Checks {
            proves,
            workshop: self.kit.workshop.clone(),
            view,
            blobs: Arc::new(self.at.blobs.clone()),
        })
    }

    /// Looks whether the facts still stand that answer a question.
    pub(super) fn recall(&self, key: WorkKey, turn: TurnId, facts: Vec<Fact>, rules: PathRules) {
        let workshop = self.kit.workshop.clone();
        let (view, blobs) = (View { rules, ..View::default() }, Arc::new(self.at.blobs.clone()));
        self.spawn(key, None, None, async move {
            let places = workshop.places(facts, view, blobs).await;
            Input::Recalled { turn, places: places.unwrap_or_default() }
        });
    }
}
