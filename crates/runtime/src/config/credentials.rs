//! Stored keys: a file beside the configuration that only this user can read.
//!
//! Owns the file, its form and its permissions. Never shows a value: what is wrong in it is told
//! without quoting it.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use pilothouse_sources::SignIn;
use pilothouse_tools::atomic;
use secrecy::{ExposeSecret, SecretString};

use super::layer;
use crate::{
    error::RuntimeError,
    home::{Home, make_private},
    own,
};

/// Keys by preset or by host.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    keys: BTreeMap<String, SecretString>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(default)]
    keys: BTreeMap<String, SecretString>,
}

impl Credentials {
    /// Where the file is.
    pub fn place(home: &Home) -> PathBuf {
        home.config.join("credentials.toml")
    }

    /// Reads the file; none at all when there is no such file.
    ///
    /// # Errors
    /// [`RuntimeError::Exposed`] when others can read it or could put another in its place,
    /// [`RuntimeError::NotOwn`] when another user owns it; what is wrong in it otherwise, without quoting it.
    pub fn read(path: &Path) -> Result<Self, RuntimeError> {
        let exposed =
            |path: &Path, mode: u32| RuntimeError::Exposed { path: path.to_owned(), mode: mode & 0o777 };
        let folder = path.parent().unwrap_or(Path::new("."));
        for (place, mask) in [(path, 0o077), (folder, 0o022)] {
            let mode = fs::metadata(place).map_or(0, |meta| meta.mode());
            if path.exists() && mode & mask != 0 {
                return Err(exposed(place, mode));
            }
        }
        let Some(text) = own::text(path)? else { return Ok(Self::default()) };
        let stored: Stored = toml::from_str(&text).map_err(|e| {
            let (line, column) = layer::position(&text, e.span());
            // The parser's own message may quote the line, and the line may hold a key.
            let message = "not a table of keys".to_owned();
            let hint = "write `[keys]` and below it lines such as `openai = \"…\"`".to_owned();
            RuntimeError::Config { file: path.to_owned(), line, column, message, hint }
        })?;
        Ok(Self { keys: stored.keys })
    }

    /// The key for a preset, for a host, or for `custom`.
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        self.keys.get(name)
    }

    /// The names that have a key.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// What of them must be kept out everywhere: the keys, and the words inside a sign-in.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = String> {
        self.keys.values().flat_map(|kept| {
            let text = kept.expose_secret();
            let signed = serde_json::from_str::<SignIn>(text).ok();
            let inside: Vec<String> = signed.iter().flat_map(SignIn::secrets).map(str::to_owned).collect();
            if inside.is_empty() { vec![text.to_owned()] } else { inside }
        })
    }

    /// Stores a key so that only this user can read it; returns what was tightened for that.
    ///
    /// # Errors
    /// What the file system says, or what is wrong in the file that is there.
    pub fn store(path: &Path, name: &str, key: &SecretString) -> Result<Vec<String>, RuntimeError> {
        let tightened = tighten(path)?;
        let held = lock(path)?;
        let mut all = Self::read(path)?;
        all.keys.insert(name.to_owned(), key.clone());
        all.write(path)?;
        drop(held);
        Ok(tightened)
    }

    /// Removes a key; whether there was one.
    ///
    /// # Errors
    /// What the file system says, or what is wrong in the file that is there.
    pub fn remove(path: &Path, name: &str) -> Result<bool, RuntimeError> {
        if !path.exists() {
            return Ok(false);
        }
        let _held = lock(path)?;
        let mut all = Self::read(path)?;
        let had = all.keys.remove(name).is_some();
        if had {
            all.write(path)?;
        }
        Ok(had)
    }

    fn write(&self, path: &Path) -> Result<(), RuntimeError> {
        let table: toml::Table =
            self.keys.iter().map(|(n, k)| (n.clone(), toml::Value::from(k.expose_secret()))).collect();
        let text = toml::Table::from_iter([("keys".to_owned(), toml::Value::Table(table))]).to_string();
        atomic::replace(path, text.as_bytes(), 0o600).map_err(RuntimeError::io("write", path))
    }
}

/// Keeps other processes from writing at the same time, until it is dropped.
fn lock(path: &Path) -> Result<fs::File, RuntimeError> {
    atomic::lock(&path.with_extension("lock")).map_err(RuntimeError::io("lock", path))
}

/// Makes folder and file private where they are not; says what was changed.
fn tighten(path: &Path) -> Result<Vec<String>, RuntimeError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private(folder)?;
    let mut told = Vec::new();
    for (place, mode) in [(folder, 0o700), (path, 0o600)] {
        let Ok(meta) = fs::metadata(place) else { continue };
        let was = meta.mode() & 0o777;
        if was & 0o077 != 0 {
            fs::set_permissions(place, fs::Permissions::from_mode(mode))
                .map_err(RuntimeError::io("protect", place))?;
            told.push(format!(
                "{} was readable by others (mode {was:o}); it is now {mode:o}",
                place.display()
            ));
        }
    }
    Ok(told)
}
