//! The secrets of this process, and what it says without them: log file, panic reports, last words.
//!
//! Owns which values count as secrets, and the one redactor of everything that is written past the
//! session. Never gives a value out.

use std::sync::{LazyLock, PoisonError, RwLock};

use pilothouse_core::redact::{Redactor, is_worth_hiding};
use secrecy::ExposeSecret;

use crate::{
    config::{Credentials, Vectors, Voice},
    home::Environment,
};

static IN_USE: LazyLock<RwLock<Redactor>> = LazyLock::new(RwLock::default);

/// From here on these are kept out of everything that this process writes by itself.
pub fn keep(redactor: &Redactor) {
    *IN_USE.write().unwrap_or_else(PoisonError::into_inner) = redactor.clone();
}

/// The text without the secrets of this process.
pub fn mask(text: &str) -> String {
    in_use().mask(text).into_owned()
}

/// The same for bytes.
pub(crate) fn mask_bytes(bytes: &[u8]) -> Vec<u8> {
    in_use().mask_bytes(bytes).into_owned()
}

fn in_use() -> Redactor {
    IN_USE.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The secrets that stand in the environment.
pub fn of_environment(environment: &Environment) -> Redactor {
    Redactor::knowing(in_environment(environment))
}

/// Everything that may stand nowhere: variables, stored keys, and what the endpoint is asked with.
pub(crate) fn known(
    environment: &Environment,
    stored: &Credentials,
    voice: &Voice,
    vectors: &Vectors,
) -> Redactor {
    let mut all: Vec<&str> = in_environment(environment).collect();
    all.extend(stored.values().map(ExposeSecret::expose_secret).filter(|k| is_worth_hiding("key", k)));
    let speaks = match voice {
        Voice::Endpoint(endpoint) => Some(endpoint),
        Voice::Offline | Voice::Script(_) => None,
    };
    let compares = match vectors {
        Vectors::Remote(endpoint) => Some(endpoint),
        Vectors::BuiltIn | Vectors::Local(_) => None,
    };
    let asked = speaks.into_iter().chain(compares).flat_map(|e| e.secrets());
    all.extend(asked.filter(|(name, value)| is_worth_hiding(name, value)).map(|(_, value)| value));
    Redactor::knowing(all)
}

fn in_environment(environment: &Environment) -> impl Iterator<Item = &str> {
    environment.all().filter(|(name, value)| is_worth_hiding(name, value)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_the_environment_are_known_by_name_and_look() {
        let environment: Environment = [
            ("CI_JOB_TOKEN", "quiet-harbour-at-dawn"),
            ("DB_PASSWORD", "hunter2"),
            ("LM_API_KEY", "lm-studio"),
            ("OTHER_KEY", "not-needed"),
            ("SESSION", "9aB8cD7eF6gH5iJ4"),
            ("KEYMAP", "dvorak12"),
            ("PATH", "/usr/bin:/opt/x64v2/bin3/a1"),
        ]
        .into_iter()
        .collect();
        let redactor = of_environment(&environment);
        for hidden in ["quiet-harbour-at-dawn", "hunter2", "9aB8cD7eF6gH5iJ4"] {
            assert_eq!(redactor.mask(&format!("x {hidden} y")), "x [secret: in use] y");
        }
        for shown in ["lm-studio", "not-needed", "dvorak12", "/usr/bin:/opt/x64v2/bin3/a1"] {
            assert_eq!(redactor.mask(shown), shown);
        }
    }
}
