//! The settings as people read them.
//!
//! Owns the lines. Never holds a value that could be a secret: of a key it says where it comes from.

use std::fmt;

use pilothouse_core::{
    intent::Thresholds,
    money::{Limits, Unit},
};

use super::{Config, Provider, Vectors};

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: &str| writeln!(f, "{name:<12} {value}");
        line("model", &self.voice.name())?;
        if let Provider::Endpoint(endpoint) = &self.voice {
            line("address", &endpoint.shown_url())?;
            let key = self.key.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
            line("key", &key)?;
            let names: Vec<&str> = endpoint.headers.iter().map(|(name, _)| name.as_str()).collect();
            if !names.is_empty() {
                line("headers", &names.join(", "))?;
            }
            if endpoint.login.is_some() {
                line("login", "in the address; not shown")?;
            }
            line(
                "patience",
                &format!(
                    "{:?} to connect, {:?} of silence",
                    endpoint.connect_timeout, endpoint.silence_timeout
                ),
            )?;
        }
        if let Provider::Endpoint(endpoint) = &self.voice
            && let Some(effort) = endpoint.effort
        {
            line("effort", effort.name())?;
        }
        for (name, other) in &self.others {
            let place = match &other.voice {
                Provider::Endpoint(e) => format!(" at {}", e.shown_url()),
                Provider::Offline | Provider::Script(_) => String::new(),
            };
            line("also", &format!("{name}: {}{place}", other.voice.name()))?;
        }
        if let Some(window) = self.window {
            line("window", &format!("{window} tokens"))?;
        }
        line("permission", self.permission.badge())?;
        line("mode", self.mode.name())?;
        let usual =
            || self.budget.usual.map(|n| format!("{} where the price is known", Unit::Micros.amount(n)));
        let said = Some(self.budget.limits.to_string()).filter(|_| self.budget.limits != Limits::default());
        line("budget", &said.or_else(usual).unwrap_or_else(|| "none".to_owned()))?;
        line("history", &format!("{} messages", self.history))?;
        line("intent", &thresholds(self.intent.classifier.thresholds()))?;
        let own = self.intent.classifier.exemplars().entries().iter().filter(|e| e.own).count();
        line("exemplars", &format!("{own} of yours in {}", self.intent.exemplars.display()))?;
        line("embedder", &self.intent.embedder.to_string())?;
        line("log", &self.filter)?;
        self.notices.iter().try_for_each(|notice| line("note", notice))
    }
}

fn thresholds(of: &Thresholds) -> String {
    let own: Vec<String> = of.own.iter().map(|(name, share)| format!(", {name} {share:.2}")).collect();
    format!("primary {:.2}, sub {:.2}{}", of.primary, of.sub, own.concat())
}

impl fmt::Display for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::Local(folder) => write!(f, "the sentence model in {}", folder.display()),
            Self::Remote(at) => write!(f, "{} at {}", at.model, at.shown_url()),
        }
    }
}
