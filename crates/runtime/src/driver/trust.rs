//! The folder's trust in a running session: looked at when opened, and again when the user asks.
//!
//! Owns handing what is in force to the rest of the driver. Never trusts by itself.

use std::path::Path;

use pilothouse_core::{
    hook::Origin,
    input::Input,
    trust::{Standing, Trust, TrustWish},
};

use super::{Driver, Inbound, Setup, hooks};
use crate::{
    config::Config,
    error::RuntimeError,
    hooks::Definition,
    trust::{Folder, Survey},
};

/// The folder as it is found when a session is opened in it.
pub(super) fn found(setup: &Setup, root: &Path) -> (Folder, Survey) {
    let once = setup.trust == Trust::Once;
    let folder = Folder { once, asks: setup.asks, ..Folder::at(&setup.home, root) };
    let survey = folder.look();
    (folder, survey)
}

/// The settings in force.
pub(super) fn settings(setup: &Setup, folder: &Folder, survey: &Survey) -> Result<Config, RuntimeError> {
    folder.settings(survey, &setup.home, &setup.environment, setup.flags.clone())
}

/// How the folder stands, with the hooks in force.
pub(super) fn standing(survey: &Survey, hooks: &[Definition]) -> Standing {
    Standing { hooks: hooks.iter().map(|d| d.hook.clone()).collect(), ..survey.standing.clone() }
}

impl Driver {
    /// Looks at the folder beside the loop, after keeping what was decided about it.
    pub(super) fn survey(&self, wish: TrustWish) {
        let (mut folder, inbound) = (self.at.trust.0.clone(), self.inbound.clone());
        let before = self.at.trust.clone();
        tokio::spawn(async move {
            let looked = tokio::task::spawn_blocking(move || {
                let survey = folder.carry_out(wish).unwrap_or_else(|e| {
                    let fault = Some(format!("{e}\n{}", e.hint()).trim_end().to_owned());
                    let survey = folder.look();
                    Survey { standing: Standing { fault, ..survey.standing }, ..survey }
                });
                (folder, survey)
            });
            let found = looked.await.unwrap_or_else(|e| {
                tracing::error!(error = %e, "the folder could not be looked at");
                let (folder, survey) = before;
                let fault = Some("a part of the program failed; nothing is trusted".to_owned());
                let standing = Standing { trust: Trust::None, asks: false, fault, ..survey.standing };
                (folder, Survey { standing, ..survey })
            });
            drop(inbound.send(Inbound::Surveyed(Box::new(found))).await);
        });
    }

    /// The folder was looked at: from here on what it brings is in force, or is not.
    pub(super) fn surveyed(&mut self, found: (Folder, Survey), inputs: &mut Vec<(Input, bool)>) {
        let trusted = found.1.standing.trust.holds();
        let settled = settings(&self.setup, &found.0, &found.1)
            .and_then(|config| Ok((config, hooks::in_force(&self.setup, &found.0, &found.1)?)));
        match settled {
            Ok((config, hooks)) => {
                // Who answers was settled when the session was opened.
                self.at.config = Config { voice: self.at.config.voice.clone(), ..config };
                self.at.hooks = hooks;
                inputs.push((Input::Surveyed(standing(&found.1, &self.at.hooks)), false));
                let project = found.1.brought.settings(&found.0.root).unwrap_or_default();
                // What the project narrows holds at once; it never lifts.
                let lower = project.session.permission.filter(|_| trusted);
                let now = self.at.session.state().permission;
                inputs.extend(lower.filter(|p| *p < now).map(|p| (Input::SetPermission(p), false)));
            }
            Err(e) => {
                // What held before still holds, but for what the project brings.
                self.at.hooks.retain(|d| d.hook.origin == Origin::User);
                let before = standing(&found.1, &self.at.hooks);
                let fault = Some(e.to_string());
                let standing = Standing { trust: Trust::None, asks: false, fault, ..before };
                inputs.push((Input::Surveyed(standing), false));
            }
        }
        self.at.trust = found;
        self.running.remove(&pilothouse_core::work::WorkKey::Survey);
    }
}
