//! What is wrong with a line of `config.toml`, told by the shape that the file has.
//!
//! Owns that shape's use. Never reads what a library says of it.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{SCHEMA, plain::unknown, position};

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It is no TOML.
    Toml,
    /// No setting is called so.
    Name(String),
    /// The setting stands in another section than its own.
    Elsewhere { name: String, within: String },
    /// A section, by its whole name, has one value.
    Section { within: Option<String>, name: String, said: String },
    /// The setting has none of the values that it may have.
    Choice,
    /// The setting has another value than it may.
    Value,
}

/// What is wrong with the line of this number, from 1, at which the reading ended.
pub(super) fn of(text: &str, line: usize) -> Wrong {
    if text.parse::<toml::Table>().is_err() {
        return Wrong::Toml;
    }
    let shape: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let at = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().trim().to_owned();
    if let Some(header) = at.strip_prefix('[') {
        let path = header.split(']').next().unwrap_or_default().trim_start_matches('[').trim();
        return if shape_of(&shape, path).is_some() { Wrong::Value } else { Wrong::Name(last(path)) };
    }
    let Some((name, said)) = at.split_once('=') else { return Wrong::Value };
    let within = header(text, line);
    let path = within.map_or_else(|| name.trim().to_owned(), |within| format!("{within}.{}", name.trim()));
    match shape_of(&shape, &path) {
        None => {
            let name = last(&path);
            match section_of(&shape, &name) {
                Some(within) => Wrong::Elsewhere { name, within },
                None => Wrong::Name(name),
            }
        }
        Some(shape) if shape["type"] == "object" && !said.trim().starts_with('{') => {
            let within = path.rsplit_once('.').map(|(within, _)| within.to_owned());
            Wrong::Section { within, name: last(&path), said: said.trim().to_owned() }
        }
        Some(shape) if shape.get("enum").is_some() => Wrong::Choice,
        Some(_) => Wrong::Value,
    }
}

/// The shape of what has this path.
fn shape_of<'s>(whole: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('.').try_fold(whole, |shape, part| {
        let part = part.trim().trim_matches(['"', '\'']);
        let any = || shape.get("additionalProperties").filter(|any| any.is_object());
        let shape = shape.get("properties").and_then(|all| all.get(part)).or_else(any)?;
        let other = shape.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
        other.map_or(Some(shape), |at| whole.pointer(at))
    })
}

/// The section that alone has a setting of this name.
fn section_of(whole: &Value, name: &str) -> Option<String> {
    let sections = whole["properties"].as_object()?.iter();
    let mut having = sections.filter(|(_, shape)| shape["properties"].get(name).is_some());
    let (within, _) = having.next()?;
    having.next().is_none().then(|| within.clone())
}

/// The section that a line stands in, where it is in one.
fn header(text: &str, line: usize) -> Option<&str> {
    let above = text.lines().take(line.saturating_sub(1));
    let headers = above.filter_map(|line| line.trim().strip_prefix('[')?.split_once(']'));
    headers.last().map(|(name, _)| name.trim())
}

/// Values that can be read and are none that the shape of the file has: line, column, what.
pub fn beyond(text: &str) -> Vec<(usize, usize, String)> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let shape: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let mut found = Vec::new();
    look(text, table.get_ref(), (&shape, ""), &mut found);
    found
}

fn look(
    text: &str,
    table: &DeTable<'_>,
    (whole, above): (&Value, &str),
    found: &mut Vec<(usize, usize, String)>,
) {
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        if let Some(below) = value.get_ref().as_table() {
            look(text, below, (whole, &path), found);
            continue;
        }
        let wrong = shape_of(whole, &path).and_then(|shape| unfit(name, value.get_ref(), shape));
        let (line, column) = position(text, Some(value.span()));
        found.extend(wrong.map(|what| (line, column, what)));
    }
}

/// Why a value is none that a shape has.
fn unfit(name: &str, value: &DeValue<'_>, shape: &Value) -> Option<String> {
    if let Some(said) = value.as_str() {
        let all: Vec<&str> = shape["enum"].as_array()?.iter().filter_map(Value::as_str).collect();
        return (!all.contains(&said)).then(|| unknown(name, said, &all));
    }
    let number: f64 = value.as_integer()?.to_string().parse().ok()?;
    let least = shape["minimum"].as_f64().filter(|least| number < *least)?;
    Some(format!("`{name}` is {number} and must be at least {least}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_judged_by_the_shape_of_the_file() {
        let name = |name: &str| Wrong::Name(name.to_owned());
        let elsewhere =
            |name: &str, within: &str| Wrong::Elsewhere { name: name.to_owned(), within: within.to_owned() };
        for (text, line, wrong) in [
            ("[model\nname = 1", 1, Wrong::Toml),
            ("[modle]\nname = \"x\"", 1, name("modle")),
            ("[model]\nkey = \"sk-1\"", 2, name("key")),
            ("model.key = \"sk-1\"", 1, name("key")),
            ("theme = \"x\"", 1, elsewhere("theme", "screen")),
            ("[model]\nmouse = true", 2, elsewhere("mouse", "screen")),
            ("[model]\nname = 3", 2, Wrong::Value),
            ("[model]\npreset = \"nowhere\"", 2, Wrong::Choice),
            ("[plan]\n# sets\nsuggest = \"x\"\n", 3, name("suggest")),
        ] {
            assert_eq!(of(text, line), wrong, "{text}");
        }
        let section = of("[model]\nname = \"x\"\nprice = 3", 3);
        let (within, said) = (Some("model".to_owned()), "3".to_owned());
        assert_eq!(section, Wrong::Section { within, name: "price".to_owned(), said });
    }
}
