//! What the user set on the screen, put into their file: the model that answers, the theme.
//!
//! Owns which lines that changes: all others stay as they are, comments too. Never writes a key there.

use pilothouse_core::{connection::MODEL_CHARS, port::ModelPick};
use pilothouse_model::Preset;
use secrecy::SecretString;
use toml_edit::{DocumentMut, Item, TableLike, value};

use super::{Credentials, Provider, layer::ModelLayer};
use crate::{
    error::RuntimeError,
    home::{Environment, Home},
};

/// Keys of `[model]` that hold of every model: all others were said of the one before, and its headers go nowhere else.
const LASTING: [&str; 4] = ["also", "effort", "connect_seconds", "silence_seconds"];

impl ModelLayer {
    /// What a pick says; its key is asked with and never stored here.
    fn of(pick: &ModelPick) -> Self {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            preset: some(&pick.place),
            name: some(&pick.model),
            base_url: some(&pick.address).map(SecretString::from),
            key: pick.key.as_ref().map(|key| key.0.as_str().into()),
            ..Self::default()
        }
    }
}

/// Who would answer, were this picked.
///
/// # Errors
/// When it is not known where that is, or the name can be none.
pub(crate) fn provider(
    pick: &ModelPick,
    home: &Home,
    environment: &Environment,
) -> Result<Provider, RuntimeError> {
    let stored = Credentials::read(&Credentials::place(home))?;
    Provider::choose(&ModelLayer::of(pick), environment, &stored).map(|(voice, _)| voice)
}

/// The name under which the key of a pick is stored: its preset's, else the host that it is for.
pub(crate) fn key_name(pick: &ModelPick, voice: &Provider) -> Option<String> {
    let Provider::Endpoint(endpoint) = voice else { return None };
    Preset::named(&pick.place).map(|preset| preset.name().to_owned()).or_else(|| endpoint.host())
}

/// The text of the user's file with this model as the one that answers.
///
/// # Errors
/// When the file is no TOML, or the pick names no model.
pub(crate) fn with_model(text: &str, pick: &ModelPick) -> Result<String, RuntimeError> {
    let named = !pick.model.is_empty() && pick.model.chars().count() <= MODEL_CHARS;
    if !named || pick.model.chars().any(char::is_control) {
        return Err(wrong("a model is named in one line of at most 200 characters"));
    }
    let mut document = read(text)?;
    let table = section(&mut document, "model")?;
    let gone: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in gone.iter().filter(|key| !LASTING.contains(&key.as_str())) {
        let kept = match key.as_str() {
            "name" => true,
            "preset" => !pick.place.is_empty(),
            "base_url" => !pick.address.is_empty(),
            _ => false,
        };
        if !kept {
            table.remove(key);
        }
    }
    for (key, said) in [("preset", &pick.place), ("base_url", &pick.address), ("name", &pick.model)] {
        if !said.is_empty() {
            set(table, key, said);
        }
    }
    Ok(document.to_string())
}

/// The text of the user's file with this theme.
///
/// # Errors
/// When the file is no TOML.
pub(crate) fn with_theme(text: &str, theme: &str) -> Result<String, RuntimeError> {
    let mut document = read(text)?;
    set(section(&mut document, "screen")?, "theme", theme);
    Ok(document.to_string())
}

fn read(text: &str) -> Result<DocumentMut, RuntimeError> {
    text.parse().map_err(|_| wrong("it is no TOML; `pilothouse config show` says where"))
}

fn section<'d>(document: &'d mut DocumentMut, name: &str) -> Result<&'d mut dyn TableLike, RuntimeError> {
    let item = document.entry(name).or_insert_with(toml_edit::table);
    item.as_table_like_mut().ok_or_else(|| wrong("what stands there is no section"))
}

/// Sets a value, with what stands around the old one.
fn set(table: &mut dyn TableLike, key: &str, to: &str) {
    let mut item = value(to);
    let around = table.get(key).and_then(Item::as_value).map(|old| old.decor().clone());
    if let (Some(around), Some(new)) = (around, item.as_value_mut()) {
        *new.decor_mut() = around;
    }
    table.insert(key, item);
}

fn wrong(why: &str) -> RuntimeError {
    RuntimeError::Setting { what: "config.toml".to_owned(), message: why.to_owned() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn pick(place: &str, address: &str, model: &str) -> ModelPick {
        let [place, address, model] = [place, address, model].map(str::to_owned);
        ModelPick { place, address, model, key: None }
    }

    #[test]
    fn a_model_is_put_into_the_file_and_all_else_stays() {
        let first = with_model("", &pick("openai", "", "m-1")).unwrap();
        assert_eq!(first, "[model]\npreset = \"openai\"\nname = \"m-1\"\n");
        let text = "# mine\n[session]\nmode = \"proof\" # always\n\n[model]\neffort = \"low\"\nname = \"old\" # was good\n\
                    base_url = \"http://127.0.0.1:9/v1\"\nheaders = { x = \"y\" }\nwindow = 9\n\n[model.also.small]\nname = \"s\"\n";
        assert_eq!(
            with_model(text, &pick("openrouter", "", "a/b")).unwrap(),
            "# mine\n[session]\nmode = \"proof\" # always\n\n[model]\neffort = \"low\"\nname = \"a/b\" # was good\n\
             preset = \"openrouter\"\n\n[model.also.small]\nname = \"s\"\n"
        );
        let server = with_model(text, &pick("", "http://10.0.0.1/v1", "x")).unwrap();
        assert!(
            server.contains("base_url = \"http://10.0.0.1/v1\"") && !server.contains("preset"),
            "{server}"
        );
        assert_eq!(
            with_model("[model.also.small]\nname = \"s\"\n", &pick("", "", "offline")).unwrap(),
            "[model]\nname = \"offline\"\n[model.also.small]\nname = \"s\"\n"
        );
    }

    #[test]
    fn what_cannot_be_read_or_named_is_not_written() {
        assert!(with_model("[model", &pick("openai", "", "m")).is_err());
        assert!(with_model("model = 3", &pick("openai", "", "m")).is_err());
        for name in ["", "two\nlines", &"m".repeat(201)] {
            assert!(with_model("", &pick("openai", "", name)).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_theme_is_put_into_the_file_and_all_else_stays() {
        assert_eq!(with_theme("", "nord").unwrap(), "[screen]\ntheme = \"nord\"\n");
        let text = "[screen]\nmouse = false\ntheme = \"haze\" # quiet\n";
        assert_eq!(with_theme(text, "nord").unwrap(), "[screen]\nmouse = false\ntheme = \"nord\" # quiet\n");
    }
}
