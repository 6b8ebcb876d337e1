//! The folder's trust in a running session: looked at when opened, and again when the user asks.
//!
//! Owns handing what is in force to the rest of the driver. Never trusts by itself.

use std::{path::Path, sync::Arc};

use pilothouse_core::{
    blob::BlobId,
    hook::Origin,
    input::Input,
    policy::{Conditions, Rule},
    port::Update,
    redact::Redactor,
    scope::PermissionMode,
    trust::{Standing, Trust, TrustRequest, VARIABLES},
    work::WorkKey,
};
use tokio::time::timeout;

use super::{Driver, Inbound, Setup, hooks, project::LOOK_WAIT};
use crate::{
    config::Config,
    error::RuntimeError,
    hooks::Definition,
    sources::{self, Found, SessionSources},
    trust::{Folder, Survey},
};

/// The folder as it is found when a session is opened in it.
pub(crate) fn found(setup: &Setup, root: &Path) -> (Folder, Survey) {
    let once = setup.trust == Trust::Once;
    let folder = Folder { once, asks: setup.asks, ..Folder::at(&setup.home, root) };
    let survey = folder.look();
    (folder, survey)
}

/// The settings in force, and the sources.
pub(super) fn settings(
    setup: &Setup,
    folder: &Folder,
    survey: &Survey,
) -> Result<(Config, Found), RuntimeError> {
    let config = folder.settings(survey, &setup.home, &setup.environment, setup.flags.clone())?;
    let found = Found::of(&setup.home, &folder.root, survey).beside(&setup.client.all);
    let secrets = config.secrets.and(&sources::secrets(&setup.home, &setup.environment, &found));
    Ok((Config { secrets, ..config }, found))
}

/// What is known of a folder where no session is open, for what the rules decide there, and the rules that its trust brings.
///
/// # Errors
/// When the settings cannot be read.
pub fn place(setup: &Setup, root: &Path) -> Result<(Conditions, Vec<Rule>), RuntimeError> {
    let (folder, survey) = found(setup, root);
    let (config, _) = settings(setup, &folder, &survey)?;
    let held = super::fence(setup, &config, root, None);
    let sandbox = held.found();
    let conditions = Conditions {
        trusted: survey.standing.trust.holds(),
        sandboxed: sandbox.backend.is_some(),
        network: sandbox.network,
        metadata_open: sandbox.metadata_open,
    };
    Ok((conditions, survey.standing.checks.iter().filter_map(|line| Rule::of_check(line)).collect()))
}

/// The sources of a folder where no session is open, and what of them cannot be used.
///
/// # Errors
/// When the folder is none.
pub fn sources_of(setup: &Setup) -> Result<(SessionSources, Vec<String>), RuntimeError> {
    let root = &setup.workspace;
    let (_, survey) = found(setup, root);
    let found = Found::of(&setup.home, root, &survey);
    let notices = found.notices.clone();
    let secrets = setup.secrets.clone();
    let learns = Arc::new(move |known| secrets.learn(&known));
    Ok((super::sources::of(setup, root, &survey, (found, learns)), notices))
}

/// How the folder stands, with the hooks in force.
pub(super) fn standing(survey: &Survey, hooks: &[Definition]) -> Standing {
    Standing { hooks: hooks.iter().map(|d| d.hook.clone()).collect(), ..survey.standing.clone() }
}

/// The variables of the project that commands get, where it is trusted.
pub(super) fn given(survey: &Survey) -> (BlobId, Vec<(String, String)>) {
    let trusted = survey.standing.trust.holds();
    (survey.standing.of, if trusted { survey.brought.variables() } else { Vec::new() })
}

impl Driver {
    /// From here on these are kept out of all that is shown, kept and sent.
    pub(super) fn secrets_are(&mut self, secrets: Redactor) {
        self.at.config.secrets = secrets.clone();
        self.setup.secrets.keep(&secrets);
        self.kit.workshop = self.kit.workshop.clone().hiding(secrets.clone());
        self.kit.knowledge.hide(&secrets);
        self.outbox.hide(secrets.clone());
        self.around_is(|around| around.secrets = secrets);
    }

    /// What is in force now reaches all that is done from here on: variables for commands, and secrets
    /// that nothing shows.
    fn hand_out(&mut self, in_force: bool) {
        self.secrets_are(self.at.config.secrets.clone());
        let (of, mut variables) = given(&self.at.trust.1);
        if !in_force {
            variables.clear();
        }
        self.kit.workshop = self.kit.workshop.clone().giving(of, variables);
        let ended = self.sources_are();
        if !ended.is_empty() {
            let told = format!("stopped, because what applies in this folder changed: {ended}");
            self.outbox.send(Update::Notice(told));
        }
    }

    /// What commands are given is looked at before anything goes on that may have changed it: the next one gets it as it is
    /// by then, or nothing of it before the user trusts that. Where nobody can be asked, what was trusted is what they get.
    pub(super) async fn see_given(&mut self, inputs: &mut Vec<(Input, bool)>) {
        let Some(at) = inputs.iter().position(|(input, _)| may_change_given(input)) else { return };
        let (folder, survey) = self.at.trust.clone();
        let can_renew = survey.standing.trust == Trust::Once || folder.asks;
        if !can_renew || self.running.contains_key(&WorkKey::Survey) {
            return;
        }
        let setup = self.setup.clone();
        let look = self.tasks.blocking(move || {
            let now = folder.look_at_variables(&survey)?;
            Some(Surveyed::of(&setup, folder, now))
        });
        if let Ok(Ok(Some(found))) = timeout(LOOK_WAIT, look).await {
            let mut first = vec![(Input::BroughtChanged { path: VARIABLES.to_owned() }, false)];
            self.surveyed(found, &mut first);
            inputs.splice(at..at, first);
        }
    }

    /// Looks at the folder beside the loop, after keeping what was decided about it.
    pub(super) fn survey(&self, wish: TrustRequest) {
        let (mut folder, inbound) = (self.at.trust.0.clone(), self.inbound.clone());
        folder.checks = self.at.session.state().shown_checks().to_vec();
        let (before, setup) = (self.at.trust.clone(), self.setup.clone());
        let (theirs, tasks) = (setup.clone(), self.tasks.clone());
        self.tasks.spawn(async move {
            let looked = tasks.blocking(move || {
                let survey = folder.carry_out(wish).unwrap_or_else(|e| {
                    let fault = Some(format!("{e}\n{}", e.hint()).trim_end().to_owned());
                    let survey = folder.look();
                    Survey { standing: Standing { fault, ..survey.standing }, ..survey }
                });
                Surveyed::of(&theirs, folder, survey)
            });
            let found = looked.await.unwrap_or_else(|e| {
                tracing::error!(error = %e, "the folder could not be looked at");
                let (folder, survey) = before;
                let fault = "a part of the program failed; nothing is trusted".to_owned();
                let survey = Survey { standing: survey.standing.clone().off(fault), ..survey };
                Surveyed::of(&setup, folder, survey)
            });
            drop(inbound.send(Inbound::Surveyed(Box::new(found))).await);
        });
    }

    /// The folder was looked at: from here on what it brings is in force, or is not.
    pub(super) fn surveyed(&mut self, found: Surveyed, inputs: &mut Vec<(Input, bool)>) {
        let Surveyed { folder, mut survey, settled } = found;
        let trusted = survey.standing.trust.holds();
        let in_force = trusted && settled.is_ok();
        match settled {
            Ok(Settled { config, hooks, lower }) => {
                // Who answers was settled when the session was opened; what was a secret stays one.
                let secrets = config.secrets.and(&self.at.config.secrets);
                let Config { voice, others, .. } = self.at.config.clone();
                self.at.config = Config { voice, secrets, others, ..config };
                self.at.hooks = hooks;
                self.rebound();
                inputs.push((Input::Surveyed(standing(&survey, &self.at.hooks)), false));
                // What the project narrows holds at once; it never lifts.
                let now = self.at.session.state().permission;
                let lower = lower.filter(|p| trusted && *p < now);
                inputs.extend(lower.map(|p| (Input::SetPermission(p), false)));
            }
            Err(e) => {
                // What held before still holds, but for what the project brings.
                self.at.hooks.retain(|d| d.hook.origin == Origin::User);
                survey.standing = survey.standing.off(e.to_string());
                inputs.push((Input::Surveyed(standing(&survey, &self.at.hooks)), false));
            }
        }
        self.at.trust = (folder, survey);
        self.hand_out(in_force);
        self.servers_stand(inputs);
        self.set_gates();
        self.look_at_memory();
        self.look_at_recipes();
        self.running.remove(&WorkKey::Survey);
    }
}

/// Whether files may have changed before this, or a command may follow at once.
fn may_change_given(input: &Input) -> bool {
    matches!(
        input,
        Input::Say { .. }
            | Input::Answer { .. }
            | Input::ToolEnded { .. }
            | Input::HookEnded { .. }
            | Input::ApplyEnded { .. }
            | Input::RevertEnded { .. }
    )
}

/// The folder as it was looked at again, with all that is in force there.
pub(super) struct Surveyed {
    folder: Folder,
    survey: Survey,
    settled: Result<Settled, RuntimeError>,
}

/// What is in force.
struct Settled {
    config: Config,
    hooks: Vec<Definition>,
    /// The ceiling that the project asks for.
    lower: Option<PermissionMode>,
}

impl Surveyed {
    /// Reads what is in force now; from the disk, so on the loop only where nothing may go on before.
    pub fn of(setup: &Setup, folder: Folder, survey: Survey) -> Self {
        let settled = settings(setup, &folder, &survey).and_then(|(config, _)| {
            let hooks = hooks::in_force(setup, &folder, &survey)?;
            let project = survey.brought.settings(&folder.root).unwrap_or_default();
            Ok(Settled { config, hooks, lower: project.session.permission })
        });
        Self { folder, survey, settled }
    }
}
