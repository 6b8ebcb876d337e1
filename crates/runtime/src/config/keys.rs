//! Whose key is sent where: a key goes to the host that it belongs to and to no other.
//!
//! Owns the sources of a key, their order and that rule. Never sends anything.

use std::fmt;

use pilothouse_model::{Endpoint, Preset};
use secrecy::SecretString;

use super::{Credentials, keyring};
use crate::home::Environment;

/// Where a key comes from; never the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A variable of the environment.
    Environment(String),
    /// The credentials file, under this name.
    File(String),
    /// The system's keyring, under this name.
    Keyring(String),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "{name} (environment)"),
            Self::File(name) => write!(f, "{name} (credentials.toml)"),
            Self::Keyring(name) => write!(f, "{name} (keyring)"),
        }
    }
}

/// A key for an endpoint, if there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub key: Option<SecretString>,
    pub source: Option<KeySource>,
    /// What the user should know: a key that was not used, a keyring that is silent.
    pub notices: Vec<String>,
}

impl Found {
    fn of((key, source): (SecretString, KeySource)) -> Self {
        Self { key: Some(key), source: Some(source), notices: Vec::new() }
    }

    fn tell<T>(&mut self, why: String) -> Option<T> {
        self.notices.push(why);
        None
    }
}

/// What the settings say of an endpoint's place.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub preset: Option<Preset>,
    pub endpoint: &'a Endpoint,
    /// Whether the address came with the preset: its own, or its own variable's.
    pub own: bool,
}

/// The key for this place: what was said for this run, else the preset's where the address is the
/// preset's own, else the one stored for the host, else the one for any address of the user's own.
pub(super) fn find(
    given: Option<&SecretString>,
    place: Place<'_>,
    environment: &Environment,
    stored: &Credentials,
) -> Found {
    if let Some(key) = given {
        return Found::of((key.clone(), KeySource::Environment("PILOTHOUSE_API_KEY".to_owned())));
    }
    let host = place.endpoint.host().unwrap_or_default();
    let own = place.preset.filter(|p| place.own || belongs(*p, &host));
    if let Some(key) = own.and_then(|p| of_preset(p, environment, stored)) {
        return Found::of(key);
    }
    let mut found = Found::default();
    let names = [own.map(Preset::name), Some(&host), place.preset.is_none().then_some("custom")];
    let key = names.iter().flatten().find_map(|name| in_file(name, stored));
    let key = key.or_else(|| {
        // A server of this machine needs none: the keyring is not asked for it.
        let mut asked = names.iter().flatten().filter(|_| !place.endpoint.is_loopback());
        asked.find_map(|name| keyring::get(name).unwrap_or_else(|why| found.tell(why)))
    });
    let away = place.preset.filter(|p| own.is_none() && of_preset(*p, environment, stored).is_some());
    if let (None, Some(preset)) = (&key, away) {
        found.notices.push(format!(
            "the key for {} is not sent to {host}; `pilothouse auth set {host}` stores one for it",
            preset.name()
        ));
    }
    if let Some((key, source)) = key {
        (found.key, found.source) = (Some(key), Some(source));
    }
    found
}

/// The key of a preset: its usual variables, then what is stored.
pub(crate) fn of_preset(
    preset: Preset,
    environment: &Environment,
    stored: &Credentials,
) -> Option<(SecretString, KeySource)> {
    let variable = |v: &&str| Some((environment.get(v)?.into(), KeySource::Environment((*v).to_owned())));
    preset.key_variables().iter().find_map(variable).or_else(|| in_file(preset.name(), stored))
}

/// The presets whose key is at hand: of these only the name of a model is missing.
pub(super) fn at_hand(environment: &Environment, stored: &Credentials) -> Vec<Preset> {
    Preset::ALL.iter().copied().filter(|p| of_preset(*p, environment, stored).is_some()).collect()
}

fn in_file(name: &str, stored: &Credentials) -> Option<(SecretString, KeySource)> {
    stored.get(name).map(|k| (k.clone(), KeySource::File(name.to_owned())))
}

/// Whether a host is one of the preset's.
pub(super) fn belongs(preset: Preset, host: &str) -> bool {
    if preset == Preset::Azure {
        let azure = [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"];
        return azure.iter().any(|end| host.ends_with(end));
    }
    let own = preset.endpoint("").and_then(|e| e.host());
    own.is_some_and(|own| own == host)
}
