//! Where a model is: what is said of a place, and what it wants to be told.
//!
//! Owns the words. What is picked the page knows.

use pilothouse_core::port::ModelPlace;

/// What a server is called that no preset names.
pub(super) const SERVER: &str = "another server";
/// What the built-in engine is called.
const ENGINE: &str = "offline engine";

/// Where the model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Known(ModelPlace),
    Server,
    Engine,
}

impl Place {
    pub fn name(&self) -> &str {
        match self {
            Self::Known(place) => &place.name,
            Self::Server => SERVER,
            Self::Engine => ENGINE,
        }
    }

    pub fn about(&self) -> String {
        match self {
            Self::Known(place) => {
                let address =
                    if place.address.is_empty() { "at an address of yours" } else { &place.address };
                let key = place.key_from.as_ref().map(|from| format!("; key: {from}"));
                format!("{address}{}", key.unwrap_or_default())
            }
            Self::Server => "any OpenAI-compatible one, by its address".to_owned(),
            Self::Engine => "no model: nothing leaves this machine".to_owned(),
        }
    }

    pub fn wants_address(&self) -> bool {
        matches!(self, Self::Server) || matches!(self, Self::Known(place) if place.address.is_empty())
    }

    pub fn takes_key(&self) -> bool {
        matches!(self, Self::Server) || matches!(self, Self::Known(place) if place.wants_key)
    }

    /// Where a key lies that need not be typed.
    pub fn key_from(&self) -> Option<&str> {
        if let Self::Known(place) = self { place.key_from.as_deref() } else { None }
    }
}

/// How an address is spoken to, and with whom: all of it but the path.
pub(super) fn host(address: &str) -> &str {
    let from = address.find("://").map_or(0, |at| at + "://".len());
    let path = address.match_indices(['/', '?', '#', '\\']).find(|(at, _)| *at >= from);
    path.and_then(|(at, _)| address.get(..at)).unwrap_or(address)
}
