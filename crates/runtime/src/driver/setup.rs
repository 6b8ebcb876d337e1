//! What the user sets on the screen: who answers, with which key, and the theme.
//!
//! Owns the order: what would not hold is not kept, a key goes to the credentials alone, and what is kept holds at once.
//! Nobody is asked for their models but the place that the user picked.

use std::{
    fs::{self, File},
    path::PathBuf,
};

use pilothouse_core::{
    connection::MAIN,
    port::{Hidden, ModelPick, ModelPlace, Reply, SetupAsk, SetupReply, Update},
};
use pilothouse_model::{Preset, openai::models};
use pilothouse_tools::atomic;
use secrecy::ExposeSecret;

use super::{Driver, Inbound};
use crate::{
    config::{Config, Credentials, Layer, Provider, keep, keys},
    error::RuntimeError,
    headless::auth,
    home::{Environment, Home, make_private},
    own, secrets,
};

/// What is kept in the user's files by now.
#[derive(Debug)]
pub(super) enum Kept {
    /// Who answers, and the key that was typed for it.
    Model(Provider, Option<Hidden>),
    /// The theme of this name.
    Theme(String),
}

impl Driver {
    /// Answers what is asked where the user picks who answers and how the screen looks.
    pub(super) fn ask_setup(&mut self, number: u64, ask: SetupAsk) {
        match ask {
            SetupAsk::Places => {
                let reply =
                    Reply::Setup(SetupReply::Places(places(&self.setup.home, &self.setup.environment)));
                self.outbox.send(Update::Answered(number, reply));
            }
            SetupAsk::Models(pick) => self.ask_models(number, pick),
            SetupAsk::Connect(pick) => {
                self.hide_key(&pick);
                self.keep_set(number, move |home, environment| {
                    connect(&pick, home, environment).map(|voice| Kept::Model(voice, pick.key))
                });
            }
            SetupAsk::Theme(name) => self.keep_set(number, move |home, _| {
                let (file, _held) = held(home)?;
                let text = own::text(&file)?.unwrap_or_default();
                own::replace(&file, &keep::with_theme(&text, &name)?)?;
                Ok(Kept::Theme(name))
            }),
        }
    }

    /// A key that was typed stands nowhere from here on.
    fn hide_key(&mut self, pick: &ModelPick) {
        if let Ok(voice) = keep::provider(&named(pick), &self.setup.home, &self.setup.environment) {
            let config = &self.at.config;
            let known = secrets::known(
                &self.setup.environment,
                &Credentials::default(),
                [&voice],
                &config.intent.embedder,
            );
            self.secrets_are(config.secrets.and(&known));
        }
    }

    fn ask_models(&mut self, number: u64, pick: ModelPick) {
        self.hide_key(&pick);
        let voice = keep::provider(&named(&pick), &self.setup.home, &self.setup.environment);
        let (inbound, secrets) = (self.inbound.clone(), self.at.config.secrets.clone());
        self.tasks.spawn(async move {
            let told = match voice {
                Ok(Provider::Endpoint(endpoint)) => models(&endpoint).await.map_err(|fault| fault.message),
                Ok(Provider::Offline | Provider::Script(_)) => Ok(Vec::new()),
                Err(e) => Err(e.to_string()),
            };
            let told = told.map_err(|why| secrets.mask(&why).into_owned());
            let reply = Reply::Setup(SetupReply::Models(pick, told));
            drop(inbound.send(Inbound::Answered(number, reply)).await);
        });
    }

    /// Keeps something in the user's files, beside the loop.
    fn keep_set(
        &mut self,
        number: u64,
        what: impl FnOnce(&Home, &Environment) -> Result<Kept, RuntimeError> + Send + 'static,
    ) {
        let (home, environment) = (self.setup.home.clone(), self.setup.environment.clone());
        let (tasks, inbound) = (self.tasks.clone(), self.inbound.clone());
        self.tasks.spawn(async move {
            let kept =
                tasks.blocking(move || what(&home, &environment).map_err(|e| format!("{e} ({})", e.hint())));
            let kept = kept.await.map_err(|e| e.to_string()).and_then(|kept| kept);
            drop(inbound.send(Inbound::Kept(number, kept)).await);
        });
    }

    /// It stands in the user's files: it holds from here on.
    pub(super) fn setup_kept(&mut self, number: u64, kept: Result<Kept, String>) {
        let kept = kept.map_err(|why| format!("not saved: {why}")).and_then(|kept| {
            let holds = self.settings_kept().map(|()| self.words(&kept));
            holds.map_err(|why| format!("saved, but not in force yet: {why}"))
        });
        let kept = kept.map_err(|why| self.at.config.secrets.mask(&why).into_owned());
        self.outbox.send(Update::Answered(number, Reply::Setup(SetupReply::Kept(kept))));
    }

    /// What holds by now, whatever was picked: a variable may go before it.
    fn words(&self, kept: &Kept) -> String {
        let (picked, typed) = match kept {
            Kept::Theme(name) => return format!("theme: {name}, saved in config.toml"),
            Kept::Model(picked, typed) => (picked, typed.as_ref()),
        };
        let other = self.at.session.state().model.as_deref().filter(|name| *name != MAIN);
        if let Some(other) = other {
            return format!("saved for new sessions; this one uses {other} until `/model {MAIN}`");
        }
        let (config, from) = (&self.at.config, &self.around.model_from);
        let name = config.voice.name();
        let (at, same, used) = match (&config.voice, picked) {
            (Provider::Endpoint(now), Provider::Endpoint(picked)) => {
                let key = now.key.as_ref().map(ExposeSecret::expose_secret);
                let at = now.host().map(|host| format!(" at {host}")).unwrap_or_default();
                let same = now.base_url == picked.base_url && now.model == picked.model;
                (at, same, typed.is_none_or(|typed| key == Some(typed.0.trim())))
            }
            (now, picked) => (String::new(), now.name() == picked.name(), true),
        };
        let source = config.key.as_ref().map_or_else(|| "no key".to_owned(), ToString::to_string);
        match (same, used) {
            (true, true) => format!("{name} answers from now on; saved in config.toml"),
            (true, false) => format!(
                "{name} answers from now on, using {source}, which overrides the key you typed; both are saved"
            ),
            (false, _) => format!("saved in config.toml; {name}{at} still answers ({from})"),
        }
    }
}

/// As a place is asked that is picked without a model yet.
fn named(pick: &ModelPick) -> ModelPick {
    let model = if pick.model.is_empty() { "any".to_owned() } else { pick.model.clone() };
    ModelPick { model, ..pick.clone() }
}

/// The places where models live, each with where its key lies.
fn places(home: &Home, environment: &Environment) -> Vec<ModelPlace> {
    let stored = Credentials::read(&Credentials::place(home)).unwrap_or_default();
    let place = |preset: &Preset| ModelPlace {
        name: preset.name().to_owned(),
        address: preset
            .url_variable()
            .and_then(|variable| environment.get(variable))
            .or_else(|| preset.base_url())
            .unwrap_or_default()
            .to_owned(),
        wants_key: !preset.key_variables().is_empty(),
        key_from: keys::of_preset(*preset, environment, &stored).map(|(_, source)| source.to_string()),
    };
    Preset::ALL.iter().map(place).collect()
}

/// Keeps a model as the one that answers, its key for the user alone: both, or neither.
fn connect(pick: &ModelPick, home: &Home, environment: &Environment) -> Result<Provider, RuntimeError> {
    let voice = keep::provider(pick, home, environment)?;
    let (file, _held) = held(home)?;
    let before = own::text(&file)?;
    let text = keep::with_model(before.as_deref().unwrap_or_default(), pick)?;
    // What could not be read again is not written.
    Config::of_text(&text, home, None, environment, Layer::default())?;
    own::replace(&file, &text)?;
    let key = pick.key.as_ref().zip(keep::key_name(pick, &voice));
    let stored =
        key.map(|(key, name)| auth::set(home, &name, &key.0.as_str().into(), false, &mut Vec::new()));
    if let Some(Err(e)) = stored {
        match before {
            Some(before) => own::replace(&file, &before)?,
            None => fs::remove_file(&file).map_err(RuntimeError::io("remove", &file))?,
        }
        return Err(e);
    }
    Ok(voice)
}

/// The user's file, and what keeps every other from writing it meanwhile.
fn held(home: &Home) -> Result<(PathBuf, File), RuntimeError> {
    make_private(&home.config)?;
    let (file, lock) = (home.config.join("config.toml"), home.config.join("config.lock"));
    let held = atomic::lock(&lock).map_err(RuntimeError::io("lock", &lock))?;
    Ok((file, held))
}
