//! `auth set`, `remove` and `list`: keys put away, taken back and told by their place.
//!
//! Owns which names a key may have and the lines. Never shows a value.

use std::{collections::BTreeMap, io::Write};

use pilothouse_model::Preset;
use secrecy::{ExposeSecret, SecretString};

use crate::{
    config::{Credentials, KeySource, keyring},
    error::RuntimeError,
    home::{Environment, Home},
};

/// Checks a name before anybody types a key for it; returns it as it is stored.
///
/// # Errors
/// When it is neither a preset that wants a key, nor a host, nor `custom`, nor the `NAME_OF_A_VARIABLE` of a source.
pub fn name(provider: &str) -> Result<String, RuntimeError> {
    let variable = provider.trim();
    if is_variable(variable) {
        return Ok(variable.to_owned());
    }
    let name = variable.to_ascii_lowercase();
    let wants = |p: &Preset| !p.key_variables().is_empty();
    let host = name.contains(['.', ':']) || name == "localhost";
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]_".contains(c));
    if Preset::named(&name).as_ref().is_some_and(wants) || name == "custom" || (host && plain) {
        return Ok(name);
    }
    let known: Vec<&str> = Preset::ALL.iter().filter(|p| wants(p)).map(|p| p.name()).collect();
    Err(RuntimeError::Setting {
        what: "provider".to_owned(),
        message: format!(
            "name one of {}, the host that the key is for, such as api.example.org, or a source's variable, such as GITHUB_TOKEN",
            known.join(", ")
        ),
    })
}

/// Whether a word is the `NAME_OF_A_VARIABLE`.
pub(crate) fn is_variable(word: &str) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    word.starts_with(|c: char| c.is_ascii_uppercase()) && word.contains('_') && word.chars().all(capital)
}

/// Stores a key in the credentials file, or in the system's keyring.
///
/// # Errors
/// When it cannot be a key, or the place says no.
pub fn set(
    home: &Home,
    name: &str,
    key: &SecretString,
    in_keyring: bool,
    err: &mut dyn Write,
) -> Result<(), RuntimeError> {
    let key = key.expose_secret().trim();
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_graphic()) {
        let message = "a key is one word of plain characters; nothing was stored".to_owned();
        return Err(RuntimeError::Setting { what: "key".to_owned(), message });
    }
    let key = SecretString::from(key);
    if in_keyring {
        keyring::set(name, &key)
            .map_err(|message| RuntimeError::Setting { what: "keyring".to_owned(), message })?;
        drop(writeln!(err, "stored the key for {name} in the keyring"));
        return Ok(());
    }
    let path = Credentials::place(home);
    for told in Credentials::store(&path, name, &key)? {
        drop(writeln!(err, "{told}"));
    }
    drop(writeln!(err, "stored the key for {name} in {}, readable by you alone", path.display()));
    Ok(())
}

/// Removes a stored key from the file and from the keyring; whether there was one.
///
/// # Errors
/// When a place says no.
pub fn remove(home: &Home, name: &str, err: &mut dyn Write) -> Result<bool, RuntimeError> {
    let from_file = Credentials::remove(&Credentials::place(home), name)?;
    let from_keyring = keyring::remove(name)
        .map_err(|message| RuntimeError::Setting { what: "keyring".to_owned(), message })?;
    let told = match (from_file, from_keyring) {
        (false, false) => format!("no key is stored for {name}"),
        (true, true) => format!("removed the key for {name} from the file and the keyring"),
        (true, false) => format!("removed the key for {name}"),
        (false, true) => format!("removed the key for {name} from the keyring"),
    };
    drop(writeln!(err, "{told}"));
    Ok(from_file || from_keyring)
}

/// Lists who has a key and from where; the first place of a line is the one that is used.
///
/// # Errors
/// When the credentials cannot be read or nothing can be printed.
pub fn list(
    home: &Home,
    environment: &Environment,
    json: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<(), RuntimeError> {
    let stored = Credentials::read(&Credentials::place(home))?;
    let mut all: BTreeMap<String, Vec<KeySource>> = BTreeMap::new();
    for &preset in Preset::ALL {
        let set = preset.key_variables().iter().filter(|v| environment.get(v).is_some());
        let sources: Vec<KeySource> = set.map(|v| KeySource::Environment((*v).to_owned())).collect();
        if !preset.key_variables().is_empty() {
            all.insert(preset.name().to_owned(), sources);
        }
    }
    for name in stored.names() {
        all.entry(name.to_owned()).or_default().push(KeySource::File(name.to_owned()));
    }
    for (name, sources) in all.iter_mut().filter(|_| keyring::is_built_in()) {
        match keyring::get(name) {
            Ok(found) => sources.extend(found.map(|(_, source)| source)),
            Err(why) => {
                drop(writeln!(err, "{why}"));
                break;
            }
        }
    }
    all.retain(|_, sources| !sources.is_empty());
    if all.is_empty() {
        drop(writeln!(err, "no key is stored; `pilothouse auth set openai` stores one"));
    }
    let width = all.keys().map(String::len).max().unwrap_or_default();
    for (name, sources) in &all {
        let places: Vec<String> = sources.iter().map(ToString::to_string).collect();
        let line = if json {
            serde_json::json!({"name": name, "sources": places}).to_string()
        } else {
            format!("{name:<width$}  {}", places.join(", then "))
        };
        writeln!(out, "{line}").map_err(RuntimeError::io("write", "standard output"))?;
    }
    Ok(())
}
