//! How messages are read: thresholds, the user's exemplars, the tiers beside the built-in ones.
//!
//! Owns the `[intent]` and `[embedder]` sections and the exemplar file. A file with an error costs
//! the user's exemplars, never the session: the built-in set is used and the error is told.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use pilothouse_core::intent::{Classifier, Exemplars, Thresholds};
use pilothouse_model::{Endpoint, embed};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, de::Error};

use super::{Credentials, Preset, layer::settings, seconds};
use crate::{error::RuntimeError, home::Home, own};

/// How messages are read.
#[derive(Clone)]
pub struct Intent {
    /// The deterministic tiers with what the user added.
    pub classifier: Classifier,
    /// The user's exemplars.
    pub exemplars: PathBuf,
    /// Phrases that a model resolved, for review.
    pub pending: PathBuf,
    /// Whether a configured model is asked where the rules are not sure.
    pub model: bool,
    /// The longest wait for the later tiers.
    pub wait: Duration,
    /// Whose vectors are compared.
    pub embedder: Vectors,
}

impl std::fmt::Debug for Intent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let own = self.classifier.exemplars().entries().iter().filter(|e| e.own).count();
        f.debug_struct("Intent")
            .field("thresholds", self.classifier.thresholds())
            .field("exemplars", &self.exemplars)
            .field("own_exemplars", &own)
            .field("pending", &self.pending)
            .field("model", &self.model)
            .field("wait", &self.wait)
            .field("embedder", &self.embedder)
            .finish()
    }
}

/// Whose vectors messages and exemplars are compared by.
#[derive(Clone, Debug, Default)]
pub enum Vectors {
    /// The built-in embedder's alone.
    #[default]
    BuiltIn,
    /// Those of a sentence model in a folder.
    Local(PathBuf),
    /// Those of an endpoint.
    Remote(Box<Endpoint>),
}

settings! {
    /// What one source says about `[intent]`.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct IntentLayer {
        /// The threshold of turns and paths.
        pub primary: Option<Share>,
        /// The threshold of kinds of turn.
        pub sub: Option<Share>,
        /// Thresholds of single intents.
        pub thresholds: Option<BTreeMap<Name, Share>>,
        /// Whether a configured model is asked.
        pub model: Option<bool>,
        /// The longest wait for a later tier.
        pub wait_seconds: Option<u64>,
    }
}

impl IntentLayer {
    fn thresholds(&self) -> Thresholds {
        let usual = Thresholds::default();
        let own = self.thresholds.iter().flatten().map(|(name, share)| (name.0.clone(), share.0)).collect();
        Thresholds {
            primary: self.primary.map_or(usual.primary, |s| s.0),
            sub: self.sub.map_or(usual.sub, |s| s.0),
            own,
        }
    }
}

/// A score between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f32);

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = f32::deserialize(from)?;
        let fits = number > 0.0 && number <= 1.0;
        fits.then_some(Self(number)).ok_or_else(|| D::Error::custom("a threshold is above 0 and at most 1"))
    }
}

/// The name of an intent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let known = Exemplars::knows(&name);
        known.then_some(Self(name.clone())).ok_or_else(|| {
            D::Error::custom(format!(
                "no intent is called {name:?}; it is a turn, a turn with its kind, or a node"
            ))
        })
    }
}

/// What the user's own file says about `[embedder]`; no other source can.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedderLayer {
    /// A folder with a sentence model.
    pub folder: Option<PathBuf>,
    /// A usual place.
    pub preset: Option<String>,
    /// An address that serves `/embeddings`.
    pub base_url: Option<SecretString>,
    /// The model's name there.
    pub name: Option<String>,
}

impl std::fmt::Debug for EmbedderLayer {
    /// An address may hold a secret and is left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbedderLayer")
            .field("folder", &self.folder)
            .field("preset", &self.preset)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Intent {
    pub(super) fn read(
        home: &Home,
        layer: &IntentLayer,
        embedder: Vectors,
        notices: &mut Vec<String>,
    ) -> Self {
        let exemplars = home.config.join("exemplars.yaml");
        let own = own_exemplars(&exemplars).unwrap_or_else(|why| {
            notices.push(format!("{why}; the built-in exemplars are used"));
            None
        });
        let embedder = match embedder {
            Vectors::Local(folder) if !embed::HAS_LOCAL => {
                notices.push(format!(
                    "the built-in embedder is used: this build cannot read the sentence model in {}; build with --features local-embedder",
                    folder.display()
                ));
                Vectors::BuiltIn
            }
            Vectors::Local(folder) => match embed::lacking(&folder) {
                Some(what) => {
                    notices.push(format!("the built-in embedder is used: {what}"));
                    Vectors::BuiltIn
                }
                None => Vectors::Local(folder),
            },
            as_said @ (Vectors::BuiltIn | Vectors::Remote(_)) => as_said,
        };
        Self {
            classifier: Classifier::configured(own, layer.thresholds()),
            pending: home.config.join("exemplars.pending.yaml"),
            exemplars,
            model: layer.model.unwrap_or(true),
            wait: seconds(layer.wait_seconds, 8),
            embedder,
        }
    }
}

/// The user's exemplars, if there is such a file.
fn own_exemplars(path: &Path) -> Result<Option<Exemplars>, String> {
    let shown = path.display();
    let Some(bytes) = own::read(path).map_err(|e| format!("{e}; {}", e.hint()))? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes().iter().take(good).filter(|b| **b == b'\n').count() + 1;
        format!("{shown}:{line}: not text in UTF-8")
    })?;
    let set =
        Exemplars::parse(&text).map_err(|e| format!("{shown}:{}:{}: {}", e.line, e.column, e.message))?;
    Ok(Some(set))
}

/// Whose vectors, as the user's own file says.
pub(super) fn vectors(
    layer: &EmbedderLayer,
    environment: &crate::home::Environment,
    stored: &Credentials,
) -> Result<Vectors, RuntimeError> {
    let wrong = |message: &str| RuntimeError::Setting { what: "embedder".into(), message: message.into() };
    let remote = layer.preset.is_some() || layer.base_url.is_some();
    if let Some(folder) = &layer.folder {
        if remote {
            return Err(wrong("give a folder or an address under [embedder], not both"));
        }
        let home = environment.get("HOME").map(PathBuf::from);
        let folder = match (folder.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => folder.clone(),
        };
        return Ok(Vectors::Local(folder));
    }
    if !remote {
        return match layer.name {
            Some(_) => Err(wrong("a name alone is not enough: add `folder`, `preset` or `base_url`")),
            None => Ok(Vectors::BuiltIn),
        };
    }
    let name =
        layer.name.as_deref().ok_or_else(|| wrong("no model is named; set `name` under [embedder]"))?;
    let preset = super::provider::preset_named(layer.preset.as_deref())?;
    let mut endpoint = match layer.base_url.as_ref().map(ExposeSecret::expose_secret) {
        Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => {
            return Err(wrong("an address begins with http:// or https://"));
        }
        Some(url) => Endpoint::new(url.trim_end_matches('/'), name),
        None => preset
            .and_then(|p| Preset::endpoint(p, name))
            .ok_or_else(|| wrong("this preset needs an address as `base_url`"))?,
    };
    // A key of its own goes first; that of another program goes only to the place it is for.
    endpoint.key = stored.get("embedder").cloned().or_else(|| {
        let own = preset.filter(|_| layer.base_url.is_none());
        let key = own.and_then(|p| super::keys::of_preset(p, environment, stored)).map(|(key, _)| key);
        key.or_else(|| stored.get(&endpoint.host()?).cloned())
    });
    Ok(Vectors::Remote(Box::new(endpoint)))
}
