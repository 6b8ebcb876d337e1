//! Signing in to sources: what is kept of it, beside the stored keys, and for whom.
//!
//! Owns under which name it is kept. Never opens a browser, and never gives a token to anything but its source.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use pilothouse_core::redact::Redactor;
use pilothouse_sources::{AuthFault, Definition, How, Invitation, Keeper, SignIn, sign_in};
use secrecy::{ExposeSecret, SecretString};

use super::SessionSources;
use crate::{config::Credentials, error::RuntimeError, home::Home};

/// How long somebody may take to sign in when nothing is said.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// Who must know new secrets before they can stand anywhere.
pub type Learns = Arc<dyn Fn(Redactor) + Send + Sync>;

/// Who waits for the user to sign in, and where.
pub(super) type Invited = Arc<Mutex<BTreeMap<String, String>>>;

/// What is kept for the sources of this user.
pub(super) struct Kept {
    pub home: Home,
    pub learns: Learns,
}

/// The name of what is kept for a source: for where it stands now, and for nothing that is called the same.
fn key(source: &Definition) -> String {
    format!("source {} {}", source.name, source.line())
}

impl Keeper for Kept {
    fn kept(&self, source: &Definition) -> Option<SignIn> {
        let all = Credentials::read(&Credentials::place(&self.home)).ok()?;
        let kept: SignIn = serde_json::from_str(all.get(&key(source))?.expose_secret()).ok()?;
        (self.learns)(hides(&kept));
        Some(kept)
    }

    fn keep(&self, source: &Definition, new: &SignIn) {
        (self.learns)(hides(new));
        if let Err(e) = store(&self.home, source, new) {
            tracing::warn!(source = source.name, error = %e, "that the user is signed in could not be kept");
        }
    }
}

fn hides(signed: &SignIn) -> Redactor {
    Redactor::knowing(signed.secrets())
}

fn store(home: &Home, source: &Definition, new: &SignIn) -> Result<Vec<String>, RuntimeError> {
    let text: SecretString = serde_json::to_string(new)?.into();
    Credentials::store(&Credentials::place(home), &key(source), &text)
}

/// How somebody is to sign in.
pub fn invitation(to: &Invitation) -> String {
    match &to.code {
        None => to.address.clone(),
        Some(code) => format!("{}  and type the code {code}", to.address),
    }
}

impl SessionSources {
    /// Lets the user sign in to a source, within `limit`, and keeps that they did; `told` says what they are to do.
    ///
    /// # Errors
    /// Why nobody is signed in, or why that could not be kept.
    pub async fn sign_in(
        &self,
        name: &str,
        (how, limit): (How, Duration),
        told: &(dyn Fn(Invitation) + Send + Sync),
    ) -> Result<Vec<String>, String> {
        let source = self.to_sign_in(name)?;
        let waits = Waits { all: Arc::clone(&self.invited), name };
        let told = |to: Invitation| {
            waits.all().insert(name.to_owned(), invitation(&to));
            told(to);
        };
        let value = Arc::clone(&self.value);
        let signed =
            sign_in(&source, &value, (how, limit), &told).await.map_err(|e: AuthFault| e.to_string());
        drop(waits);
        let signed = signed?;
        (self.learns)(hides(&signed));
        let (home, of) = (self.home.clone(), source);
        let kept = tokio::task::spawn_blocking(move || store(&home, &of, &signed)).await;
        let told = kept.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        self.pool.reopen(name).await;
        Ok(told)
    }

    /// Ends one; it starts again where it is needed and may.
    pub(crate) async fn end(&self, name: &str) {
        self.pool.reopen(name).await;
    }

    /// Opens an address in the user's browser, where there is one.
    pub fn browse(&self, address: &str) {
        let (root, address) = (self.root.clone(), address.to_owned());
        drop(tokio::task::spawn_blocking(move || {
            if let Err(why) = pilothouse_tools::desktop::browse(&root, &address) {
                tracing::debug!(why, "no browser was opened");
            }
        }));
    }

    /// Forgets that the user signed in to a source; whether they had.
    ///
    /// # Errors
    /// When there is no such source, or the file cannot be written.
    pub fn sign_out(&self, name: &str) -> Result<bool, String> {
        let source = self.to_sign_in(name)?;
        Credentials::remove(&Credentials::place(&self.home), &key(&source)).map_err(|e| e.to_string())
    }

    fn to_sign_in(&self, name: &str) -> Result<Definition, String> {
        let named = |d: &&Definition| d.name == name;
        match self.found.all.iter().find(named) {
            Some(source) => Ok(source.clone()),
            None if self.found.untrusted.iter().any(|d| d.name == name) => {
                Err(pilothouse_sources::SourceFault::Untrusted.to_string())
            }
            None => Err(pilothouse_sources::SourceFault::Unknown(name.to_owned()).to_string()),
        }
    }

    /// What the user is to do for a source that waits for it.
    pub(super) fn invited(&self, name: &str) -> Option<String> {
        all(&self.invited).get(name).cloned()
    }
}

/// Somebody who waits, until it is dropped.
struct Waits<'a> {
    all: Invited,
    name: &'a str,
}

impl Waits<'_> {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        all(&self.all)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.all().remove(self.name);
    }
}

fn all(invited: &Invited) -> MutexGuard<'_, BTreeMap<String, String>> {
    invited.lock().unwrap_or_else(PoisonError::into_inner)
}
