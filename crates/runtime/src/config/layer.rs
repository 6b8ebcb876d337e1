//! One layer of settings: everything optional, nothing unknown.
//!
//! Owns the file's shape and where in it something is wrong. Never decides between layers' meaning.

use std::{collections::BTreeMap, ops::Range, path::Path};

use pilothouse_core::{front::Place, intent::Mode, plan::Pause, scope::PermissionMode, shell::secrets};
use pilothouse_tools::sandbox::{Limits, Settings, Wanted, place};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{
    agents::AgentsLayer,
    budget::BudgetSetting,
    gates::GatesLayer,
    intent::{EmbedderLayer, IntentLayer},
    notify::NotifyLayer,
    plain::{hinted, plain},
    wrong::{self, Wrong},
};
use crate::{error::RuntimeError, home::Environment};

/// Settings that a source may leave unsaid, and how one source lies over another.
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$about:meta])* pub $field:ident: Option<$kind:ty>,)* }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$about])* pub $field: Option<$kind>,)*
        }

        impl $name {
            /// This layer where it says something, else `below`.
            #[must_use]
            pub fn over(self, below: Self) -> Self {
                Self { $($field: self.$field.or(below.$field),)* }
            }
        }
    };
}
pub(super) use settings;

/// What one source says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Layer {
    /// `[model]`.
    pub model: ModelLayer,
    /// `[session]`.
    pub session: SessionLayer,
    /// `[plan]`.
    pub plan: PlanLayer,
    /// `[sandbox]`.
    pub sandbox: SandboxLayer,
    /// `[intent]`.
    pub intent: IntentLayer,
    /// `[embedder]`; only the user's own file is asked.
    pub embedder: EmbedderLayer,
    /// `[notify]`.
    pub notify: NotifyLayer,
    /// `[screen]`.
    pub screen: ScreenLayer,
    /// `[gates]`.
    pub gates: GatesLayer,
    /// `[undo]`.
    pub undo: UndoLayer,
    /// `[agents]`.
    pub agents: AgentsLayer,
    /// `[log]`.
    pub log: LogLayer,
}

settings! {
    /// What one source says about the screen.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct ScreenLayer {
        /// The theme's name.
        pub theme: Option<String>,
        /// Whether the wheel of the mouse scrolls.
        pub mouse: Option<bool>,
    }
}

settings! {
    /// What one source says about the model.
    #[derive(Clone, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct ModelLayer {
        /// A usual place.
        pub preset: Option<String>,
        /// The model's name, or `PRESET:NAME`, `script:FILE`, `offline`.
        pub name: Option<String>,
        /// An address instead of a preset.
        pub base_url: Option<SecretString>,
        /// The key; only the environment and the command line can say it here.
        #[serde(skip)]
        pub key: Option<SecretString>,
        /// The version of Azure's interface.
        pub api_version: Option<String>,
        /// How much it is to think.
        pub effort: Option<String>,
        /// The context window in tokens.
        pub window: Option<u64>,
        /// Further headers.
        pub headers: Option<BTreeMap<String, SecretString>>,
        /// The price.
        pub price: Option<PriceLayer>,
        /// The longest wait for a connection.
        pub connect_seconds: Option<u64>,
        /// The longest silence.
        pub silence_seconds: Option<u64>,
        /// Others that agents and skills may ask for, by the name that they use.
        pub also: Option<BTreeMap<String, ModelLayer>>,
    }
}

impl ModelLayer {
    /// As [`Self::over`]; an address and a preset are two answers to one question, so the upper layer's stands alone.
    #[must_use]
    pub fn upon(self, below: Self) -> Self {
        let said = if self.names_a_place() { &self } else { &below };
        let (preset, base_url) = (said.preset.clone(), said.base_url.clone());
        Self { preset, base_url, ..self.over(below) }
    }

    /// Whether what this layer says of a setting is what holds.
    pub(super) fn holds_in(&self, what: &str, all: &Self) -> bool {
        let address = |layer: &Self| layer.base_url.as_ref().map(|url| url.expose_secret().to_owned());
        let of = |layer: &Self| match what {
            "preset" => layer.preset.clone(),
            "effort" => layer.effort.clone(),
            "base_url" => address(layer),
            _ => None,
        };
        of(self).is_some() && of(self) == of(all)
    }

    fn names_a_place(&self) -> bool {
        self.preset.is_some()
            || self.base_url.is_some()
            || self.name.as_deref().is_some_and(super::provider::names_a_place)
    }

    /// The other model of this name: at this place, unless it names one. What a key, a header or a price is for it is not for
    /// another.
    pub(super) fn other(&self, name: &str, layer: &Self) -> Self {
        let named = layer.name.clone().unwrap_or_else(|| name.to_owned());
        let layer = Self { name: Some(named), also: None, ..layer.clone() };
        let waits = Self {
            connect_seconds: self.connect_seconds,
            silence_seconds: self.silence_seconds,
            ..Self::default()
        };
        if layer.names_a_place() {
            return layer.upon(waits);
        }
        let (key, headers, api_version) = (self.key.clone(), self.headers.clone(), self.api_version.clone());
        let place = self.name.as_deref().and_then(super::provider::place_in);
        let preset = place.map(|p| p.name().to_owned()).or_else(|| self.preset.clone());
        layer.upon(Self { preset, base_url: self.base_url.clone(), key, headers, api_version, ..waits })
    }
}

impl std::fmt::Debug for ModelLayer {
    /// Headers and addresses may hold secrets and are left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelLayer")
            .field("preset", &self.preset)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceLayer {
    /// Read.
    pub input: f64,
    /// Read from a cache; as `input` when not said.
    pub cached: Option<f64>,
    /// Written.
    pub output: f64,
}

settings! {
    /// What one source says about sessions.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct SessionLayer {
        /// The ceiling of a new session.
        pub permission: Option<PermissionMode>,
        /// The mode of a new session; exploratory may still be changed by its first task.
        pub mode: Option<Mode>,
        /// Messages that a model gets.
        pub history: Option<usize>,
        /// What it may spend; `off` for no budget.
        pub budget: Option<BudgetSetting>,
        /// Whether the machine is kept awake while a run works.
        pub keep_awake: Option<bool>,
    }
}

settings! {
    /// What one source says about plans.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct PlanLayer {
        /// When a plan asks before it runs.
        pub confirm: Option<Confirm>,
        /// Steps that may be at work at the same time.
        pub max_parallel: Option<usize>,
        /// Plans that are made for a message; the best of them is shown.
        pub candidates: Option<usize>,
        /// Whether a plan that is complete is proposed as a file.
        pub archive: Option<bool>,
        /// Where runs stop to ask, in the words of a plan's document.
        pub pauses: Option<Vec<PauseWords>>,
    }
}

/// A place where runs stop to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PauseWords(pub Pause);

impl TryFrom<String> for PauseWords {
    type Error = String;

    fn try_from(words: String) -> Result<Self, String> {
        let all = "\"before the first change\", \"when a gate fails\", \"past 200 lines\", \"past $1.50\"";
        Pause::of_words(&words)
            .map(Self)
            .ok_or_else(|| format!("{words:?} is not a pause; choose from {all}"))
    }
}

/// When a plan asks before it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// Where it is more than one step in a file or two.
    #[default]
    Auto,
    /// Always.
    Always,
}

settings! {
    /// What one source says about the sandbox of commands.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct SandboxLayer {
        /// Which one.
        pub backend: Option<Wanted>,
        /// Whether every command reaches the network.
        pub network: Option<bool>,
        /// What a command may write besides the workspace.
        pub writable: Option<Vec<String>>,
        /// Caches of builds, which a command may write as well.
        pub caches: Option<Vec<String>>,
        /// What a command may not read.
        pub hidden: Option<Vec<String>>,
        /// Further variables of the environment that a command gets.
        pub env: Option<Vec<String>>,
        /// Processes of one command.
        pub processes: Option<u64>,
        /// The largest file that it writes, in MiB.
        pub file_mb: Option<u64>,
        /// The private memory of each of its processes, in MiB.
        pub memory_mb: Option<u64>,
    }
}

impl SandboxLayer {
    /// What it comes to; a path whose variable is not set is left out.
    pub(super) fn settings(&self, environment: &Environment) -> Settings {
        let list = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
        let path = |text: &String| place(text, |name| environment.get(name).map(str::to_owned));
        let writable = list(&self.writable).into_iter().chain(list(&self.caches));
        Settings {
            wanted: self.backend.unwrap_or_default(),
            network: self.network.unwrap_or_default(),
            writable: writable.filter_map(|t| path(&t)).collect(),
            hidden: list(&self.hidden).into_iter().flat_map(named_places).filter_map(|t| path(&t)).collect(),
            env: list(&self.env),
            limits: Limits {
                processes: self.processes.unwrap_or_default(),
                file_bytes: self.file_mb.unwrap_or_default().saturating_mul(MIB),
                memory_bytes: self.memory_mb.unwrap_or_default().saturating_mul(MIB),
            },
        }
    }
}

/// A path, or all places of the list that is named.
fn named_places(text: String) -> Vec<String> {
    if text == secrets::PLACES { secrets::places().map(str::to_owned).collect() } else { vec![text] }
}

const MIB: u64 = 1024 * 1024;

settings! {
    /// What one source says about taking commands back.
    #[derive(Clone, Copy, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct UndoLayer {
        /// The most that is copied before a command, in MiB.
        pub copy_mb: Option<u64>,
    }
}

impl UndoLayer {
    /// The most that is copied before a command, in bytes.
    pub(super) fn copied(self) -> u64 {
        self.copy_mb.unwrap_or(COPY_MB).saturating_mul(MIB)
    }
}

/// As the shipped defaults say.
const COPY_MB: u64 = 512;

settings! {
    /// What one source says about the log file.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct LogLayer {
        /// The filter.
        pub filter: Option<String>,
    }
}

impl Layer {
    /// Reads a file's text.
    ///
    /// # Errors
    /// With the file, line and column of what is wrong, and how to mend it.
    pub fn parse(file: &Path, text: &str) -> Result<Self, RuntimeError> {
        toml::from_str(text).map_err(|e| {
            let (line, column) = position(text, e.span());
            let message = plain(e.message());
            let (message, hint) = match wrong::of(text, line) {
                Wrong::Section { within, name, said } => of_section((within.as_deref(), &name), &said),
                Wrong::Elsewhere { name, within } => {
                    let hint = format!("`{name}` belongs below `[{within}]`");
                    (message, hint)
                }
                wrong @ (Wrong::Toml | Wrong::Name(_) | Wrong::Choice | Wrong::Value) => {
                    let hint = hinted(&message, hint(&wrong));
                    (message, hint)
                }
            };
            RuntimeError::Config { file: file.to_owned(), line, column, message, hint }
        })
    }

    /// What the variables of this program say.
    pub fn from_environment(environment: &Environment) -> Self {
        let get = |name| environment.get(name).map(str::to_owned);
        let model = ModelLayer {
            name: get("PILOTHOUSE_MODEL"),
            base_url: get("PILOTHOUSE_BASE_URL").map(Into::into),
            key: get("PILOTHOUSE_API_KEY").map(Into::into),
            effort: get("PILOTHOUSE_EFFORT"),
            ..ModelLayer::default()
        };
        Self { model, ..Self::default() }
    }

    /// What the command line says of the effort.
    pub fn with_effort(effort: Option<String>) -> Self {
        Self { model: ModelLayer { effort, ..ModelLayer::default() }, ..Self::default() }
    }

    /// This layer where it says something, else `below`.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            model: self.model.upon(below.model),
            session: self.session.over(below.session),
            plan: self.plan.over(below.plan),
            sandbox: self.sandbox.over(below.sandbox),
            intent: self.intent.over(below.intent),
            // No layer but the user's own file may say it, and there it is read.
            embedder: EmbedderLayer::default(),
            notify: self.notify.over(below.notify),
            screen: self.screen.over(below.screen),
            gates: self.gates.over(below.gates),
            undo: self.undo.over(below.undo),
            agents: self.agents.over(below.agents),
            log: self.log.over(below.log),
        }
    }
}

/// Line and column, from 1, of the start of a stretch of text.
pub(crate) fn position(text: &str, span: Option<Range<usize>>) -> (usize, usize) {
    let Place { line, column } = Place::at(text, span.map_or(0, |s| s.start));
    (line, column)
}

/// What is wrong where a section has one value, and how to mend it.
fn of_section((within, name): (Option<&str>, &str), said: &str) -> (String, String) {
    let whole = within.map_or_else(|| name.to_owned(), |within| format!("{within}.{name}"));
    // A model is told by its name.
    let named = whole == "model" || within == Some("model.also");
    let below = if named { format!("`name = {said}`") } else { "its settings".to_owned() };
    let hint = format!("write `[{whole}]` on a line of its own and {below} below it");
    (format!("`{name}` is a section of settings and not one value"), hint)
}

fn hint(wrong: &Wrong) -> &'static str {
    match wrong {
        Wrong::Name(name) if matches!(name.as_str(), "key" | "api_key") => {
            "keys do not belong in this file: store one with `pilothouse auth set openai`, or another name"
        }
        Wrong::Name(_) => "correct the name or remove the line; `pilothouse config schema` has every setting",
        Wrong::Choice => "give one of the values listed",
        Wrong::Value | Wrong::Section { .. } | Wrong::Elsewhere { .. } => {
            "correct the value; `pilothouse config schema` has every setting with its values"
        }
        Wrong::Toml => "the file must be TOML: `name = \"value\"` below a `[section]`",
    }
}
