//! The system's keyring, where the program was built with it.
//!
//! Owns the one name under which keys are kept there, and the patience: a keyring that asks its user
//! something holds nobody up.

use secrecy::SecretString;

use super::KeySource;

/// What is found: a key with its source, none, or why it cannot be said.
type Answer = Result<Option<(SecretString, KeySource)>, String>;

/// The key stored under `name`.
pub(crate) fn get(name: &str) -> Answer {
    let key = backend::get(name)?;
    Ok(key.map(|k| (k, KeySource::Keyring(name.to_owned()))))
}

/// Stores a key.
///
/// # Errors
/// When there is no keyring, or it says no.
pub(crate) fn set(name: &str, key: &SecretString) -> Result<(), String> {
    backend::set(name, key)
}

/// Removes a key; whether there was one.
///
/// # Errors
/// When the keyring says no.
pub(crate) fn remove(name: &str) -> Result<bool, String> {
    backend::remove(name)
}

/// Whether the program was built with it.
pub(crate) const fn is_built_in() -> bool {
    cfg!(feature = "keyring")
}

#[cfg(not(feature = "keyring"))]
mod backend {
    use secrecy::SecretString;

    #[expect(clippy::unnecessary_wraps, reason = "the other one can fail")]
    pub(super) const fn get(_: &str) -> Result<Option<SecretString>, String> {
        Ok(None)
    }

    pub(super) fn set(_: &str, _: &SecretString) -> Result<(), String> {
        Err("this program was built without the keyring; build it with `--features keyring`".to_owned())
    }

    #[expect(clippy::unnecessary_wraps, reason = "the other one can fail")]
    pub(super) const fn remove(_: &str) -> Result<bool, String> {
        Ok(false)
    }
}

#[cfg(feature = "keyring")]
mod backend {
    use std::{sync::mpsc::sync_channel, time::Duration};

    use keyring::{Entry, Error};
    use secrecy::{ExposeSecret, SecretString};

    /// How long an answer is waited for: a locked keyring asks its user first.
    const PATIENCE: Duration = Duration::from_secs(3);

    pub(super) fn get(name: &str) -> Result<Option<SecretString>, String> {
        ask(name, |entry| match entry.get_password() {
            Ok(key) => Ok(Some(SecretString::from(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(e) => Err(e.to_string()),
        })
    }

    pub(super) fn set(name: &str, key: &SecretString) -> Result<(), String> {
        let key = key.clone();
        ask(name, move |entry| entry.set_password(key.expose_secret()).map_err(|e| e.to_string()))
    }

    pub(super) fn remove(name: &str) -> Result<bool, String> {
        ask(name, |entry| match entry.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(e) => Err(e.to_string()),
        })
    }

    fn ask<T: Send + 'static>(
        name: &str,
        what: impl FnOnce(Entry) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let (name, (tell, told)) = (name.to_owned(), sync_channel(1));
        std::thread::spawn(move || {
            let answer = Entry::new("pilothouse", &name).map_err(|e| e.to_string()).and_then(what);
            // Who asked may have gone on already.
            drop(tell.send(answer));
        });
        let answer = told.recv_timeout(PATIENCE).map_err(|_| "it did not answer in time".to_owned());
        answer.flatten().map_err(|e| format!("the keyring: {e}"))
    }
}
