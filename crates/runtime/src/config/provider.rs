//! Who answers: an endpoint, a script, or the built-in engine.
//!
//! Owns the choice. An environment variable of another program that holds a key never switches a
//! model on by itself: someone must have named a preset, an address or a model first.

use std::{collections::BTreeMap, path::PathBuf};

use pilothouse_model::{Effort, Endpoint, Preset, Price};

use secrecy::ExposeSecret;

use super::{
    Credentials,
    keys::{self, Found, Place},
    layer::ModelLayer,
    plain::unknown,
    seconds,
};
use crate::{error::RuntimeError, home::Environment};

/// Who answers.
#[derive(Clone, Debug)]
pub enum Provider {
    /// The built-in, rule-based engine.
    Offline,
    /// Replies from a file.
    Script(PathBuf),
    /// A model behind an address.
    Endpoint(Box<Endpoint>),
}

/// One of several models.
#[derive(Clone, Debug)]
pub struct OtherModel {
    /// Who answers.
    pub voice: Provider,
    /// The context window in tokens, if known.
    pub window: Option<u64>,
}

/// Told where a key is all that is said of a model.
const KEY_ALONE: &str = "a key is set but no model is named, so the offline engine answers; set PILOTHOUSE_MODEL or `name` under [model]";

impl Provider {
    /// Whether nobody said what it costs: its server may.
    pub fn is_unpriced(&self) -> bool {
        matches!(self, Self::Endpoint(endpoint) if endpoint.price.is_none())
    }

    /// The other models that can be asked by name; what is wrong with one is told and leaves it out.
    pub(super) fn others(
        model: &ModelLayer,
        environment: &Environment,
        stored: &Credentials,
        notices: &mut Vec<String>,
    ) -> BTreeMap<String, OtherModel> {
        let mut all = BTreeMap::new();
        for (name, layer) in model.also.iter().flatten() {
            let layer = model.other(name, layer);
            match Self::choose(&layer, environment, stored) {
                Ok((voice, found)) => {
                    notices.extend(found.notices);
                    all.insert(name.clone(), OtherModel { voice, window: layer.window });
                }
                Err(e) => notices.push(format!("[model.also.{name}] has no effect: {e}")),
            }
        }
        all
    }

    /// The name for the status line.
    pub fn name(&self) -> String {
        match self {
            Self::Offline => "offline engine".to_owned(),
            Self::Script(path) => {
                format!("script {}", path.file_name().unwrap_or_default().to_string_lossy())
            }
            Self::Endpoint(e) => e.model.clone(),
        }
    }

    /// Whether the built-in engine answers.
    pub const fn is_offline(&self) -> bool {
        matches!(self, Self::Offline)
    }

    /// Who thinks, as one opaque mark: thinking goes back to nobody else; empty where none does.
    pub fn origin(&self) -> String {
        match self {
            Self::Offline | Self::Script(_) => String::new(),
            Self::Endpoint(e) => e.origin(),
        }
    }

    pub(super) fn choose(
        model: &ModelLayer,
        environment: &Environment,
        stored: &Credentials,
    ) -> Result<(Self, Found), RuntimeError> {
        let plain = |voice| Ok((voice, Found::default()));
        let effort = effort_named(model.effort.as_deref())?;
        let (mut preset, mut name) = (preset_named(model.preset.as_deref())?, model.name.clone());
        match name.as_deref().map(read_name) {
            Some(Named::Offline) => return plain(Self::Offline),
            Some(Named::Script(path)) => return plain(Self::Script(path)),
            Some(Named::At(place, rest)) => {
                preset = Some(place);
                name = Some(rest);
            }
            Some(Named::Plain) | None => {}
        }
        if preset.is_none() && name.is_none() && model.base_url.is_none() {
            let alone = model.key.is_some().then(|| KEY_ALONE.to_owned());
            return Ok((Self::Offline, Found { notices: alone.into_iter().collect(), ..Found::default() }));
        }
        let Some(name) = name else {
            return Err(setting("model", "no model is named; set PILOTHOUSE_MODEL or `name` under [model]"));
        };
        if preset.is_none() && model.base_url.is_none() {
            preset = Some(Self::likely(model, environment, stored)?);
        }
        let (mut endpoint, own) = Self::endpoint(preset, model, &name, environment)?;
        let place = Place { preset, endpoint: &endpoint, own };
        let found = keys::find(model.key.as_ref(), place, environment, stored);
        endpoint.key.clone_from(&found.key);
        endpoint.key_from = found.source.as_ref().map(ToString::to_string);
        endpoint.headers.extend(model.headers.clone().unwrap_or_default());
        endpoint.connect_timeout = seconds(model.connect_seconds, 10);
        endpoint.silence_timeout = seconds(model.silence_seconds, 120);
        endpoint.effort = effort;
        endpoint.price = model.price.map(|p| Price {
            input: micros(p.input),
            cached: micros(p.cached.unwrap_or(p.input)),
            output: micros(p.output),
        });
        Ok((Self::Endpoint(Box::new(endpoint)), found))
    }

    /// The place of a model that was named without one: where a key is at hand.
    fn likely(
        model: &ModelLayer,
        environment: &Environment,
        stored: &Credentials,
    ) -> Result<Preset, RuntimeError> {
        if model.key.is_some() {
            return Ok(Preset::OpenAi);
        }
        let known = |p: &Preset| keys::of_preset(*p, environment, stored).is_some();
        Preset::ALL.iter().copied().find(known).ok_or_else(|| {
            setting(
                "model",
                "a model is named but not its address; set PILOTHOUSE_BASE_URL, or `preset` under [model]",
            )
        })
    }

    /// The endpoint, and whether its address came with the preset.
    fn endpoint(
        preset: Option<Preset>,
        model: &ModelLayer,
        name: &str,
        environment: &Environment,
    ) -> Result<(Endpoint, bool), RuntimeError> {
        let given = model.base_url.as_ref().map(ExposeSecret::expose_secret);
        let from_environment = || preset.and_then(Preset::url_variable).and_then(|v| environment.get(v));
        let url = given.or_else(from_environment);
        if let Some(url) = url
            && !url.starts_with("http://")
            && !url.starts_with("https://")
        {
            return Err(setting("base_url", "an address begins with http:// or https://"));
        }
        let endpoint = match (preset, url) {
            (Some(Preset::Azure), Some(url)) => {
                let version = model.api_version.as_deref().unwrap_or(Preset::AZURE_API_VERSION);
                Ok(Endpoint::azure(url, name, version))
            }
            (_, Some(url)) => Ok(Endpoint::new(url.trim_end_matches('/'), name)),
            (Some(preset), None) => preset.endpoint(name).ok_or_else(|| {
                setting(
                    "base_url",
                    "Azure needs the address of your resource: AZURE_OPENAI_ENDPOINT or `base_url`",
                )
            }),
            (None, None) => Err(setting("model", "no address is known; set PILOTHOUSE_BASE_URL")),
        };
        // A variable of the preset's own is the place that its key is for.
        endpoint.map(|e| (e, given.is_none()))
    }
}

/// Whether a model's name says where it is.
pub(super) fn names_a_place(name: &str) -> bool {
    !matches!(read_name(name), Named::Plain)
}

/// The place that a model's name says.
pub(super) fn place_in(name: &str) -> Option<Preset> {
    match read_name(name) {
        Named::At(place, _) => Some(place),
        Named::Offline | Named::Script(_) | Named::Plain => None,
    }
}

enum Named {
    Offline,
    Script(PathBuf),
    At(Preset, String),
    Plain,
}

fn read_name(name: &str) -> Named {
    match name.split_once(':') {
        None if name == "offline" => Named::Offline,
        Some(("script", path)) => Named::Script(PathBuf::from(path)),
        Some((place, rest)) => Preset::named(place).map_or(Named::Plain, |p| Named::At(p, rest.to_owned())),
        None => Named::Plain,
    }
}

fn effort_named(name: Option<&str>) -> Result<Option<Effort>, RuntimeError> {
    let Some(name) = name else { return Ok(None) };
    let all: Vec<&str> = Effort::ALL.iter().map(|e| e.name()).collect();
    Effort::named(name).map(Some).ok_or_else(|| setting("effort", &unknown("effort", name, &all)))
}

pub(super) fn preset_named(name: Option<&str>) -> Result<Option<Preset>, RuntimeError> {
    let Some(name) = name else { return Ok(None) };
    let all: Vec<&str> = Preset::ALL.iter().map(|p| p.name()).collect();
    Preset::named(name).map(Some).ok_or_else(|| setting("preset", &unknown("preset", name, &all)))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn micros(dollars: f64) -> u64 {
    (dollars.clamp(0.0, 1e6) * 1e6).round() as u64
}

fn setting(what: &str, message: &str) -> RuntimeError {
    RuntimeError::Setting { what: what.to_owned(), message: message.to_owned() }
}
