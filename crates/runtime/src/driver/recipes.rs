//! Skills, commands and agents as the driver's session has them: looked for when it opens, and again when a message comes
//! and a file is another.
//!
//! Owns when they are looked for. Never looks while nothing asks for it.

use std::sync::Arc;

use pilothouse_core::{
    event::{Event, Stamped},
    pipeline::StageEvent,
    port::Update,
    recipe::RecipeKind,
};

use super::Driver;
use crate::recipes::Found;

/// The recipes, as they were found.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    found: Found,
    /// What the user was told of them.
    told: Vec<String>,
}

impl Shelf {
    /// What the user should know of them.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.found.warnings()
    }
}

impl Driver {
    /// Looks for recipes; whoever uses them has them from here on. Whether they are others than before.
    pub(super) fn find_recipes(&mut self) -> bool {
        let found = Found::look(&self.setup.home, self.at.root.path(), &self.at.trust.1);
        let recipes = Arc::new(found.recipes.clone());
        self.shelf.found = found;
        let others = *recipes != *self.around.recipes;
        if others {
            self.at.session.set_recipes(Arc::clone(&recipes));
            self.kit.workshop = self.kit.workshop.clone().knowing(Arc::clone(&recipes));
            self.around.recipes = recipes;
        }
        others
    }

    /// As [`Driver::find_recipes`]; the screen is told.
    pub(super) fn look_at_recipes(&mut self) {
        if self.find_recipes() {
            self.around.now = (self.setup.clock)();
            self.outbox.send(Update::Surroundings(Box::new(self.around.clone())));
        }
        self.warn_of_recipes();
    }

    /// Says what cannot be used of the user's own, and of what a trusted project brings, once.
    pub(super) fn warn_of_recipes(&mut self) {
        let warnings = self.shelf.warnings();
        for warning in warnings.iter().filter(|w| !self.shelf.told.contains(w)) {
            self.outbox.send(Update::Notice(warning.clone()));
        }
        self.shelf.told = warnings;
    }

    /// Says that another model answers than an agent or a skill asks for: that one is not configured.
    pub(super) fn say_of_model(&mut self, event: &Stamped) {
        let (name, kind, models) = if let Event::TurnDirected { name, kind, model, .. } = &event.event {
            (name, *kind, model.iter().map(String::as_str).collect())
        } else if let Event::ChildStarted { agent: Some(agent), .. } = &event.event {
            (&agent.name, RecipeKind::Agent, agent.model.iter().map(String::as_str).collect())
        } else if let Event::Staged { happened: StageEvent::Began(began), .. } = &event.event {
            (&began.agent, RecipeKind::Agent, began.spec.models())
        } else {
            return;
        };
        let (ours, kind) = (self.at.config.voice.name(), kind.name());
        for model in models.into_iter().filter(|m| *m != ours && !self.at.config.others.contains_key(*m)) {
            self.outbox.send(Update::Notice(format!(
                "the {kind} {name} asks for the model {model}, which is not configured, so {ours} answers; add it as [model.also.{model}] in config.toml"
            )));
        }
    }

    /// Looks again where a file or a folder is not what it was.
    pub(super) fn look_at_recipes_again(&mut self) {
        if self.shelf.found.is_stale() {
            self.look_at_recipes();
        }
    }
}
