//! Connections: the models that can be asked by name here, and where each comes from.
//!
//! Owns what is told of them. Never holds a key, and never says which one is asked: the state does.

use std::collections::BTreeMap;

/// The name of the connection that is asked unless another was chosen.
pub const MAIN: &str = "main";
/// Most characters of a model's name.
pub const MODEL_CHARS: usize = 200;

/// A model behind an address, as it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// The model, as the server calls it.
    pub model: String,
    /// Where it is; empty where it runs here.
    pub place: String,
    /// Where that was said: a file with its line, a variable.
    pub from: String,
}

impl std::fmt::Display for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.model)?;
        if !self.place.is_empty() {
            write!(f, " at {}", self.place)?;
        }
        if !self.from.is_empty() {
            write!(f, " ({})", self.from)?;
        }
        Ok(())
    }
}

/// The models that can be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// The one that is asked unless another was chosen.
    pub main: Connection,
    /// Others, by name.
    pub others: BTreeMap<String, Connection>,
}
