//! What the user set on the screen, put into their file: the model that answers, the theme.
//!
//! Owns which lines that changes: all others stay as they are, comments too. Never writes a key there.

use pilothouse_core::{connection::MODEL_CHARS, port::ModelPick};
use pilothouse_model::Preset;
use secrecy::SecretString;
use toml_edit::{DocumentMut, Item, TableLike, value};

use super::{Credentials, Provider, keys, layer::ModelLayer};
use crate::{
    error::RuntimeError,
    home::{Environment, Home},
};

/// Keys of `[model]` that hold of every model: all others were said of the one before.
const LASTING: [&str; 4] = ["also", "effort", "connect_seconds", "silence_seconds"];
/// Those that hold of every model of one place; they go nowhere else.
const OF_PLACE: [&str; 2] = ["headers", "api_version"];

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

/// The name under which the key of a pick is stored: its preset's where the address is the preset's own, else the host that
/// it is for.
pub(crate) fn key_name(pick: &ModelPick, voice: &Provider) -> Option<String> {
    let Provider::Endpoint(endpoint) = voice else { return None };
    let host = endpoint.host();
    let belongs = |preset| host.as_deref().is_some_and(|host| keys::belongs(preset, host));
    let own = Preset::named(&pick.place).filter(|preset| pick.address.is_empty() || belongs(*preset));
    own.map(|preset| preset.name().to_owned()).or(host)
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
    let said =
        |table: &dyn TableLike, key| table.get(key).and_then(Item::as_str).unwrap_or_default().to_owned();
    let before = ModelPick {
        place: said(table, "preset"),
        address: said(table, "base_url"),
        model: said(table, "name"),
        key: None,
    };
    if before == (ModelPick { key: None, ..pick.clone() }) {
        return Ok(text.to_owned());
    }
    let stays = (&before.place, &before.address) == (&pick.place, &pick.address);
    if !stays {
        others_stay(table, &before);
    }
    let keeps = |key: &str| match key {
        "name" => true,
        "preset" => !pick.place.is_empty(),
        "base_url" => !pick.address.is_empty(),
        _ => LASTING.contains(&key) || (stays && OF_PLACE.contains(&key)),
    };
    let gone: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).filter(|key| !keeps(key)).collect();
    let mut notes = String::new();
    for key in gone {
        notes.push_str(&comments(table, &key));
        table.remove(&key);
    }
    for (key, said) in [("preset", &pick.place), ("base_url", &pick.address), ("name", &pick.model)] {
        if !said.is_empty() {
            set(table, key, said);
        }
    }
    notes.push_str(&comments(table, "name"));
    if let Some(mut name) = table.key_mut("name").filter(|_| !notes.is_empty()) {
        name.leaf_decor_mut().set_prefix(notes);
    }
    Ok(document.to_string())
}

/// The other models of the section that named no place were of this one: from now on they say so.
fn others_stay(table: &mut dyn TableLike, before: &ModelPick) {
    let also = table.get_mut("also").and_then(Item::as_table_like_mut);
    for (_, other) in also.into_iter().flat_map(TableLike::iter_mut) {
        let Some(other) = other.as_table_like_mut() else { continue };
        if other.contains_key("preset") || other.contains_key("base_url") {
            continue;
        }
        for (key, said) in [("preset", &before.place), ("base_url", &before.address)] {
            if !said.is_empty() {
                set(other, key, said);
            }
        }
    }
}

/// What stands above a key.
fn comments(table: &dyn TableLike, key: &str) -> String {
    let prefix = table.key(key).and_then(|key| key.leaf_decor().prefix()).and_then(|raw| raw.as_str());
    prefix.unwrap_or_default().to_owned()
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
    text.parse().map_err(|_| wrong("it is not valid TOML; `pilothouse config show` says where"))
}

fn section<'d>(document: &'d mut DocumentMut, name: &str) -> Result<&'d mut dyn TableLike, RuntimeError> {
    let item = document.entry(name).or_insert_with(toml_edit::table);
    item.as_table_like_mut().ok_or_else(|| wrong("that entry is not a section"))
}

/// Sets a value, in place of the old one where there is one: what stands around it and above its key stays.
fn set(table: &mut dyn TableLike, key: &str, to: &str) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let around = old.decor().clone();
            *old = to.into();
            *old.decor_mut() = around;
        }
        None => drop(table.insert(key, value(to))),
    }
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
             preset = \"openrouter\"\n\n[model.also.small]\nname = \"s\"\nbase_url = \"http://127.0.0.1:9/v1\"\n"
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
    fn what_stands_above_a_line_stays_whatever_becomes_of_the_line() {
        let text =
            "[model]\n# quick enough\nname = \"old\"\n# of the house\nbase_url = \"http://127.0.0.1:9/v1\"\n";
        let picked = with_model(text, &pick("", "http://127.0.0.1:9/v1", "new")).unwrap();
        assert_eq!(picked, text.replace("old", "new"));
        let moved = with_model(text, &pick("openai", "", "new")).unwrap();
        assert!(moved.contains("# of the house\n# quick enough\nname = \"new\"\n"), "{moved}");
        let themed = with_theme("[screen]\n# for the eyes\ntheme = \"haze\"\n", "nord").unwrap();
        assert_eq!(themed, "[screen]\n# for the eyes\ntheme = \"nord\"\n");
    }

    #[test]
    fn what_is_said_of_a_place_stays_with_it() {
        let text = "[model]\npreset = \"ollama\"\nname = \"old\"\nheaders = { x = \"y\" }\nwindow = 9\n\n[model.also.small]\nname = \"s\"\n";
        assert_eq!(with_model(text, &pick("ollama", "", "old")).unwrap(), text, "a key alone was typed");
        let other = with_model(text, &pick("ollama", "", "new")).unwrap();
        assert!(other.contains("headers") && !other.contains("window"), "{other}");
        let moved = with_model(text, &pick("openai", "", "new")).unwrap();
        assert!(moved.ends_with("[model.also.small]\nname = \"s\"\npreset = \"ollama\"\n"), "{moved}");
        assert!(!moved.contains("headers"), "{moved}");
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
