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

/// An address as it is asked: one of this machine needs no scheme.
///
/// # Errors
/// What it lacks.
pub(super) fn spoken(address: &str) -> Result<String, &'static str> {
    let lower = address.to_ascii_lowercase();
    if let Some(scheme) = ["http://", "https://"].into_iter().find(|scheme| lower.starts_with(scheme)) {
        let rest = address.get(scheme.len()..).unwrap_or_default();
        let named = rest.starts_with(|c: char| !matches!(c, '/' | ':' | '?' | '#'));
        return if named { Ok(format!("{scheme}{rest}")) } else { Err("it names no server") };
    }
    let local = ["localhost", "[::1]"].iter().filter_map(|name| lower.strip_prefix(name));
    let mut rests = local.chain(
        lower
            .strip_prefix("127.")
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')),
    );
    let is_local = rests.any(|rest| rest.is_empty() || rest.starts_with([':', '/']));
    if address.is_empty() {
        Ok(String::new())
    } else if is_local {
        Ok(format!("http://{address}"))
    } else {
        Err("an address begins with https:// (or http://)")
    }
}

/// How an address is spoken to, and with whom: all of it but the path.
pub(super) fn host(address: &str) -> &str {
    let from = address.find("://").map_or(0, |at| at + "://".len());
    let path = address.match_indices(['/', '?', '#', '\\']).find(|(at, _)| *at >= from);
    path.and_then(|(at, _)| address.get(..at)).unwrap_or(address)
}
