//! The secrets of this process, and what it says without them: log file, panic reports, last words.
//!
//! Owns which values count as secrets, and the redactor of everything that is written past the
//! session, which is handed to whoever writes. Never gives a value out.

use std::sync::{Arc, PoisonError, RwLock};

use pilothouse_core::redact::{Redactor, is_worth_hiding};

use crate::{
    config::{Credentials, Provider, Vectors},
    home::Environment,
};

/// What this process keeps out of everything that it writes by itself; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<RwLock<Redactor>>);

impl Secrets {
    /// Those that stand in the environment; more are kept once the settings are known.
    pub fn in_environment(environment: &Environment) -> Self {
        let secrets = Self::default();
        secrets.keep(&of_environment(environment));
        secrets
    }

    /// From here on these are kept out.
    pub fn keep(&self, redactor: &Redactor) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = redactor.clone();
    }

    /// From here on these are kept out as well.
    pub(crate) fn learn(&self, redactor: &Redactor) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *all = all.and(redactor);
    }

    /// The text without them.
    pub fn mask(&self, text: &str) -> String {
        self.in_use().mask(text).into_owned()
    }

    /// The same for bytes.
    pub(crate) fn mask_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.in_use().mask_bytes(bytes).into_owned()
    }

    fn in_use(&self) -> Redactor {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The secrets that stand in the environment.
fn of_environment(environment: &Environment) -> Redactor {
    Redactor::knowing(in_environment(environment))
}

/// Everything that may stand nowhere: variables, stored keys, and what the endpoint is asked with.
pub(crate) fn known<'a>(
    environment: &Environment,
    stored: &Credentials,
    speak: impl IntoIterator<Item = &'a Provider>,
    vectors: &Vectors,
) -> Redactor {
    let mut all: Vec<&str> = in_environment(environment).collect();
    let stored: Vec<String> = stored.secrets().collect();
    all.extend(stored.iter().map(String::as_str).filter(|k| is_worth_hiding("key", k)));
    let speaks = speak.into_iter().filter_map(|voice| match voice {
        Provider::Endpoint(endpoint) => Some(endpoint),
        Provider::Offline | Provider::Script(_) => None,
    });
    let compares = match vectors {
        Vectors::Remote(endpoint) => Some(endpoint),
        Vectors::BuiltIn | Vectors::Local(_) => None,
    };
    let asked = speaks.chain(compares).flat_map(|e| e.secrets());
    all.extend(asked.filter(|(name, value)| is_worth_hiding(name, value)).map(|(_, value)| value));
    Redactor::knowing(all)
}

/// The secrets among the variables that a project gives, and the passwords inside its addresses.
pub(crate) fn of_variables(all: &[(String, String)]) -> Redactor {
    let password = |value: &str| {
        let (login, _) = value.split_once("://")?.1.rsplit_once('@')?;
        Some(login.split_once(':')?.1.to_owned()).filter(|p| p.len() >= 6)
    };
    let inside: Vec<String> = all.iter().filter_map(|(_, value)| password(value)).collect();
    let whole = all.iter().filter(|(name, value)| is_worth_hiding(name, value)).map(|(_, v)| v.as_str());
    Redactor::knowing(whole.chain(inside.iter().map(String::as_str)))
}

fn in_environment(environment: &Environment) -> impl Iterator<Item = &str> {
    environment.all().filter(|(name, value)| is_worth_hiding(name, value)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_s_variables_hide_their_secrets_and_the_passwords_in_addresses() {
        let all = [
            ("DB", "postgres://me:s3same-Str33t@host/x"),
            ("API_TOKEN", "quiet-harbour-9"),
            ("PORT", "8080"),
        ];
        let redactor = of_variables(&all.map(|(n, v)| (n.to_owned(), v.to_owned())));
        assert_eq!(redactor.mask("with s3same-Str33t"), "with [secret: in use]");
        assert_eq!(redactor.mask("quiet-harbour-9 on 8080"), "[secret: in use] on 8080");
    }

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
