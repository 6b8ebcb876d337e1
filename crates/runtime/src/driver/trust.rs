//! The folder's trust in a running session: looked at when opened, and again when the user asks.
//!
//! Owns handing what is in force to the rest of the driver. Never trusts by itself.

use std::path::Path;

use pilothouse_core::{
    input::Input,
    trust::{Standing, Trust, TrustWish},
};

use super::{Driver, Inbound, Setup};
use crate::{
    config::Config,
    error::RuntimeError,
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
        let standing = found.1.standing.clone();
        let trusted = standing.trust.holds();
        match settings(&self.setup, &found.0, &found.1) {
            Ok(config) => {
                // Who answers was settled when the session was opened.
                self.at.config = Config { voice: self.at.config.voice.clone(), ..config };
                inputs.push((Input::Surveyed(standing), false));
                let project = found.1.brought.settings(&found.0.root).unwrap_or_default();
                // What the project narrows holds at once; it never lifts.
                let lower = project.session.permission.filter(|_| trusted);
                let now = self.at.session.state().permission;
                inputs.extend(lower.filter(|p| *p < now).map(|p| (Input::SetPermission(p), false)));
            }
            Err(e) => {
                let fault = Some(e.to_string());
                let standing = Standing { trust: Trust::None, asks: false, fault, ..standing };
                inputs.push((Input::Surveyed(standing), false));
            }
        }
        self.at.trust = found;
        self.running.remove(&pilothouse_core::work::WorkKey::Survey);
    }
}
