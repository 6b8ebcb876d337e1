//! Settings: the shipped defaults, the user's file, the environment, the command line.
//!
//! Owns reading, layering and checking. A project's own file arrives here only from a folder that
//! is trusted; it can only narrow, and never names an endpoint or a key.

mod agents;
mod budget;
mod connections;
pub mod credentials;
mod gates;
pub mod intent;
pub(crate) mod keep;
pub(crate) mod keyring;
pub mod keys;
mod layer;
mod notify;
pub mod origin;
mod plain;
mod project;
pub mod provider;
mod shown;
mod wrong;

use std::{collections::BTreeMap, path::Path, time::Duration};

use pilothouse_core::{
    intent::Mode,
    money::Configured,
    plan::Pause,
    port::Notify,
    redact::Redactor,
    scope::PermissionMode,
    session::{AgentBounds, Bounds, MOST_CANDIDATES},
};
use pilothouse_model::Preset;
use pilothouse_tools::sandbox::Settings;

use crate::{
    error::RuntimeError,
    home::{Environment, Home},
    own, secrets,
};
pub use budget::BudgetSetting;
pub use credentials::Credentials;
pub use gates::Gates;
pub use intent::{Intent, Vectors};
pub use keys::KeySource;
pub(crate) use layer::position;
pub use layer::{Confirm, Layer, PriceLayer};
pub use plain::place;
pub(crate) use plain::{all, hinted, meant, plain};
pub use project::ProjectLayer;
pub use provider::{OtherModel, Provider};
pub(crate) use wrong::beyond;

/// The defaults as they are shipped.
pub const DEFAULTS: &str = include_str!("../../../assets/config.toml");

/// The shape of `config.toml` as a JSON schema, for editors.
pub const SCHEMA: &str = include_str!("../../../assets/config.schema.json");

/// Every setting, decided.
#[derive(Clone, Debug)]
pub struct Config {
    /// Who answers.
    pub voice: Provider,
    /// Where the key for it comes from, if it has one.
    pub key: Option<KeySource>,
    /// What may stand nowhere: the keys in use and those that lie ready.
    pub secrets: Redactor,
    /// The model's context window in tokens, if known.
    pub window: Option<u64>,
    /// What was said of the main model: what others are named beside.
    pub(crate) model: layer::ModelLayer,
    /// Other models, by the names that agents and skills ask for them.
    pub others: BTreeMap<String, OtherModel>,
    /// The ceiling of a new session.
    pub permission: PermissionMode,
    /// The mode of a new session.
    pub mode: Mode,
    /// Messages of the user that a model is told of at most, with all that came of them.
    pub history: usize,
    /// Where runs stop to ask, beside what a plan says itself.
    pub pauses: Vec<Pause>,
    /// When a plan asks before it runs.
    pub confirm: Confirm,
    /// Steps of a plan that may be at work at the same time.
    pub max_parallel: usize,
    /// Plans that are made for a message; the best of them is shown.
    pub candidates: usize,
    /// Whether a plan that is complete is proposed as a file.
    pub archive: bool,
    /// What holds commands.
    pub sandbox: Settings,
    /// How messages are read.
    pub intent: Intent,
    /// How the user is told of what wants their eye.
    pub notify: Notify,
    /// Whether the wheel of the mouse scrolls.
    pub mouse: bool,
    /// What a plan that brings no gates is held to.
    pub gates: Gates,
    /// The most that is copied before a command so that it can be taken back, in bytes.
    pub copied: u64,
    /// How much may be handed on to sub-agents.
    pub agents: AgentBounds,
    /// What a session may spend, where nothing is said in it.
    pub budget: Configured,
    /// Whether the machine is kept awake while a run works.
    pub keep_awake: bool,
    /// What goes to the log file.
    pub filter: String,
    /// What the user should know about the settings, a sentence each.
    pub notices: Vec<String>,
}

/// Messages of the user that a model is told of at most; before that its window decides.
const MOST_MESSAGES: usize = 200;
/// The longest time that a setting can ask for, in seconds.
const MAX_SECONDS: u64 = 3600;

/// The theme that the user's settings name, for the first frame: whatever is wrong with them is told by [`Config::load`].
pub fn theme(home: &Home) -> Option<String> {
    let file = home.config.join("config.toml");
    Layer::parse(&file, &own::text(&file).ok()??).ok()?.screen.theme
}

impl Config {
    /// Reads all layers. `flags` is what the command line says and goes before everything; `project`
    /// is what the folder says where it is trusted.
    ///
    /// # Errors
    /// When a file cannot be read or holds something unknown (with line and column), when others could
    /// have written it or can read a key in it, or when the settings contradict each other.
    pub fn load(
        home: &Home,
        project: Option<&ProjectLayer>,
        environment: &Environment,
        flags: Layer,
    ) -> Result<Self, RuntimeError> {
        let text = own::text(&home.config.join("config.toml"))?.unwrap_or_default();
        Self::of_text(&text, home, project, environment, flags)
    }

    /// As [`Config::load`], were this the text of the user's file.
    ///
    /// # Errors
    /// As there.
    pub fn of_text(
        text: &str,
        home: &Home,
        project: Option<&ProjectLayer>,
        environment: &Environment,
        flags: Layer,
    ) -> Result<Self, RuntimeError> {
        let defaults = Layer::parse(Path::new("assets/config.toml"), DEFAULTS)?;
        let file = home.config.join("config.toml");
        let user = Layer::parse(&file, text)?;
        let (embedder, said) = (user.embedder.clone(), user.model.clone());
        let all = flags.over(Layer::from_environment(environment)).over(user).over(defaults);
        let stored = Credentials::read(&Credentials::place(home))?;
        let chosen = Provider::choose(&all.model, environment, &stored);
        let in_file = |what: &str| said.holds_in(what, &all.model);
        let (voice, key) = chosen.map_err(|e| plain::located(e, (&file, text), in_file))?;
        let embedder = intent::vectors(&embedder, environment, &stored)?;
        let mut notices = key.notices;
        let others = Provider::others(&all.model, environment, &stored, &mut notices);
        let speak = std::iter::once(&voice).chain(others.values().map(|o| &o.voice));
        let secrets = secrets::known(environment, &stored, speak, &embedder);
        let intent = Intent::read(home, &all.intent, embedder, &mut notices);
        let unpriced = voice.is_unpriced();
        let config = Self {
            voice,
            others,
            key: key.source,
            secrets,
            intent,
            window: all.model.window,
            model: all.model,
            permission: all.session.permission.unwrap_or_default(),
            mode: all.session.mode.unwrap_or_default(),
            sandbox: all.sandbox.settings(environment),
            history: all.session.history.unwrap_or(MOST_MESSAGES).min(MOST_MESSAGES),
            confirm: all.plan.confirm.unwrap_or_default(),
            max_parallel: all.plan.max_parallel.unwrap_or(Bounds::default().max_parallel).max(1),
            candidates: all.plan.candidates.unwrap_or(1).clamp(1, MOST_CANDIDATES),
            archive: all.plan.archive.unwrap_or(false),
            pauses: all.plan.pauses.unwrap_or_default().into_iter().map(|p| p.0).collect(),
            notify: all.notify.settled(),
            mouse: all.screen.mouse.unwrap_or(true),
            gates: all.gates.settled(),
            copied: all.undo.copied(),
            agents: all.agents.settled(),
            budget: Configured { unpriced, ..BudgetSetting::settled(all.session.budget) },
            keep_awake: all.session.keep_awake.unwrap_or(false),
            filter: environment
                .get("PILOTHOUSE_LOG")
                .map(str::to_owned)
                .or(all.log.filter)
                .unwrap_or_else(|| "info".into()),
            notices,
        };
        Ok(project.map_or(config.clone(), |p| p.clone().narrow(config)))
    }
}

impl Config {
    /// Who answers where a model is asked for by name, and its window; the main one where it is not configured.
    pub fn asked(&self, model: Option<&str>) -> (&Provider, Option<u64>) {
        let other = model.and_then(|name| self.others.get(name));
        other.map_or((&self.voice, self.window), |o| (&o.voice, o.window))
    }

    /// What a session may spend that asks this model, the main one where none is named.
    pub fn budget_of(&self, model: Option<&str>) -> Configured {
        Configured { unpriced: self.asked(model).0.is_unpriced(), ..self.budget }
    }
}

fn seconds(value: Option<u64>, default: u64) -> Duration {
    Duration::from_secs(value.unwrap_or(default).clamp(1, MAX_SECONDS))
}

#[cfg(test)]
mod tests;
