//! The settings as people read them.
//!
//! Owns the lines. Never holds a value that could be a secret: of a key it says where it comes from.

use std::fmt;

use super::{Config, Voice};

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: &str| writeln!(f, "{name:<12} {value}");
        line("model", &self.voice.name())?;
        if let Voice::Endpoint(endpoint) = &self.voice {
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
        if let Some(window) = self.window {
            line("window", &format!("{window} tokens"))?;
        }
        line("permission", self.permission.badge())?;
        line("history", &format!("{} messages", self.history))?;
        line("log", &self.filter)?;
        self.notices.iter().try_for_each(|notice| line("note", notice))
    }
}
