//! The models that can be asked by name, as they are configured, and one more that was named while a session works.
//!
//! Owns what is told of them. A name says no more than where the main one is, unless it names a place itself: then the
//! key is that place's own.

use std::collections::BTreeMap;

use pilothouse_core::connection::{Connection, Connections};

use super::{Config, Credentials, OtherModel, Provider, layer::ModelLayer, origin};
use crate::{
    error::RuntimeError,
    home::{Environment, Home},
    secrets,
};

impl Config {
    /// The models that can be asked by name, and where each was said; `own` is what the user's file says.
    pub(crate) fn connections(&self, own: &origin::Lines, environment: &Environment) -> Connections {
        let line = |section: &str| origin::model_line(own, section).map(|n| format!("config.toml:{n}"));
        let variable =
            ["PILOTHOUSE_MODEL", "PILOTHOUSE_BASE_URL"].into_iter().find(|v| environment.get(v).is_some());
        let from =
            variable.map(str::to_owned).or_else(|| line("model")).unwrap_or_else(|| "default".to_owned());
        let key = self.key.as_ref().map(|k| format!("{from}, key: {k}"));
        let main = connection(&self.voice, key.unwrap_or(from));
        let others = self.others.iter().map(|(name, other)| {
            (name.clone(), connection(&other.voice, line(&format!("model.also.{name}")).unwrap_or_default()))
        });
        Connections { main, others: others.collect::<BTreeMap<_, _>>() }
    }

    /// Lets the model of this name be asked as well: at the place of the main one, or at the one that it names.
    ///
    /// # Errors
    /// When nobody knows where it is.
    pub fn connect(
        &mut self,
        name: &str,
        home: &Home,
        environment: &Environment,
    ) -> Result<(), RuntimeError> {
        let stored = Credentials::read(&Credentials::place(home))?;
        let layer = self.model.other(name, &ModelLayer::default());
        let (voice, found) = Provider::choose(&layer, environment, &stored)?;
        self.notices.extend(found.notices);
        let more = secrets::known(environment, &stored, [&voice], &self.intent.embedder);
        self.secrets = self.secrets.and(&more);
        self.others.insert(name.to_owned(), OtherModel { voice, window: None });
        Ok(())
    }
}

fn connection(voice: &Provider, from: String) -> Connection {
    let place = match voice {
        Provider::Endpoint(endpoint) => endpoint.shown_url(),
        Provider::Offline | Provider::Script(_) => String::new(),
    };
    Connection { model: voice.name(), place, from }
}
