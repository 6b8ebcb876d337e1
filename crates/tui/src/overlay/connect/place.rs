//! Where a model is: what is said of a place, and what it wants to be told.
//!
//! Owns the words. What is picked the page knows.

use std::net::Ipv4Addr;

use pilothouse_core::{port::ModelPlace, redact::Handed};

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
                let address = if place.address.is_empty() { "at your own address" } else { &place.address };
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

/// Where the path of an address begins, or what stands in its place.
const PATH: [char; 4] = ['/', '?', '#', '\\'];

/// An address as it is asked: one of this machine needs no scheme.
///
/// # Errors
/// What stands there to be mended, and what is wrong with it.
pub(super) fn spoken(address: &str) -> Result<String, (String, &'static str)> {
    if address.is_empty() {
        return Ok(String::new());
    }
    let (scheme, rest) = address.split_at(address.find("://").map_or(0, |at| at + "://".len()));
    let scheme = scheme.to_ascii_lowercase();
    let (server, path) = rest.split_at(rest.find(PATH).unwrap_or(rest.len()));
    if let Some((_, server)) = server.rsplit_once('@') {
        return Err((format!("{scheme}{server}{path}"), "without its user and password: they are not kept"));
    }
    let is_web = matches!(scheme.as_str(), "http://" | "https://");
    let spoken = if is_web && (server.is_empty() || server.starts_with(':')) {
        return Err((address.to_owned(), "it names no server"));
    } else if is_web {
        format!("{scheme}{rest}")
    } else if scheme.is_empty() && is_local(server) && (path.is_empty() || path.starts_with('/')) {
        format!("http://{rest}")
    } else {
        return Err((address.to_owned(), "an address begins with https:// (or http://)"));
    };
    // It may look like a name as long as nothing stands before it.
    if Handed::of(&spoken) == Handed::Nothing { Ok(spoken) } else { Err((String::new(), "it held a key")) }
}

/// Whether a server, with its port or without one, is this machine.
fn is_local(server: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let name = server.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(server, |(name, _)| name);
    name.eq_ignore_ascii_case("localhost")
        || name == "[::1]"
        || name.parse::<Ipv4Addr>().is_ok_and(|at| at.is_loopback())
}

/// How an address is spoken to, and with whom: all of it but the path.
pub(super) fn host(address: &str) -> &str {
    let from = address.find("://").map_or(0, |at| at + "://".len());
    let path = address.match_indices(PATH).find(|(at, _)| *at >= from);
    path.and_then(|(at, _)| address.get(..at)).unwrap_or(address)
}
