//! Other spellings of arguments that have one meaning: names of fields, patches, and, by the schema, types of values.
//!
//! Owns how they are brought into the shape of their tool; which there are stands in the list in
//! `call`. What fits as it is never comes here, and what could mean two things stays as it is.

use serde::{Deserialize, Deserializer, de::Error, de::MapAccess, de::SeqAccess, de::Visitor};
use serde_json::{Map, Value};

use super::{
    coerce::{coerce, whole},
    lenient, patch,
};

/// More than this many seconds can only have been meant as milliseconds.
const MOST_SECONDS: u64 = crate::args::MOST_SECONDS;

/// One other spelling of a tool's arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spelling {
    /// A field goes by other names as well.
    Also(&'static str, &'static [&'static str]),
    /// Fields that say nothing to the tool.
    Unheard(&'static [&'static str]),
    /// The fields of a list's only item stand outside.
    Only(&'static str, &'static [&'static str]),
    /// An item of a list is a text, which is all of these fields.
    Bare(&'static str, &'static [&'static str]),
    /// The items of a list have other spellings themselves.
    Each(&'static str, &'static [Self]),
    /// A text that is left out is the first line of another.
    Heads(&'static str, &'static str),
    /// Seconds that are too many are milliseconds.
    Millis(&'static str),
    /// How many there are from the first on, by a field that says which is the last.
    Last(&'static str, &'static str, &'static [&'static str]),
    /// Fields that say nothing where they hold what is so without them.
    Idle(&'static [&'static str], &'static [&'static str]),
    /// The items of a list are numbered by a field: that says nothing where it is their place, or where none is named.
    Numbered(&'static str, &'static str, &'static str),
    /// Whether a pattern takes both cases: a pattern that is a regex says so itself.
    BothCases(&'static str, &'static [&'static str]),
    /// A patch under one of these names stands for the path and the edits.
    Patch(&'static [&'static str]),
}

/// Brings arguments into the shape of their tool; `None` where nothing in them is spelled otherwise.
///
/// # Errors
/// When a patch cannot be read, or says what the tool cannot do.
pub(super) fn respell(spellings: &[Spelling], schema: &Value, text: &str) -> Result<Option<String>, String> {
    let read = || serde_json::from_str::<Once>(text).ok();
    let mended = || serde_json::from_str::<Once>(&lenient::mended(text)?).ok();
    let mut args = match read().or_else(mended) {
        Some(Once(args)) => args,
        None if patch::begins(text) => Value::Object(bare_patch(spellings, text)),
        None => return Ok(None),
    };
    // Lists and objects that are written as text have other spellings themselves, and other names other types.
    coerce(&mut args, schema);
    let Some(fields) = args.as_object_mut() else { return Ok(None) };
    for spelling in spellings {
        spelling.apply(fields)?;
    }
    drop_idle(fields, schema);
    coerce(&mut args, schema);
    let respelled = args.to_string();
    let same = serde_json::from_str::<Value>(text).is_ok_and(|before| before == args);
    Ok((!same).then_some(respelled))
}

/// Drops fields that the tool does not know and that ask for nothing: without them all is as it is with them.
fn drop_idle(fields: &mut Map<String, Value>, schema: &Value) {
    let Some(known) = schema.pointer("/properties").and_then(Value::as_object) else { return };
    let idle = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    };
    fields.retain(|name, value| known.contains_key(name) || !idle(value));
}

/// A patch instead of any JSON.
fn bare_patch(spellings: &[Spelling], text: &str) -> Map<String, Value> {
    let named =
        spellings.iter().find_map(|s| if let Spelling::Patch(names) = s { names.first() } else { None });
    named.map(|name| ((*name).to_owned(), Value::String(text.to_owned()))).into_iter().collect()
}

impl Spelling {
    fn apply(self, fields: &mut Map<String, Value>) -> Result<(), String> {
        match self {
            Self::Also(field, names) => names.iter().for_each(|name| rename(fields, field, name)),
            Self::Unheard(names) => names.iter().for_each(|name| drop(fields.remove(*name))),
            Self::Only(list, names) => only(fields, list, names),
            Self::Bare(list, names) => items(fields, list).for_each(|item| bare(item, names)),
            Self::Each(list, spellings) => {
                for item in items(fields, list).filter_map(Value::as_object_mut) {
                    spellings.iter().try_for_each(|s| s.apply(item))?;
                }
            }
            Self::Heads(head, body) => {
                let first = fields.get(body).and_then(Value::as_str).and_then(|b| b.lines().next());
                if let Some(first) = first.map(str::to_owned).filter(|_| !fields.contains_key(head)) {
                    fields.insert(head.to_owned(), Value::String(first));
                }
            }
            Self::Millis(field) => {
                let given = fields.get(field).and_then(whole).filter(|n| *n > MOST_SECONDS);
                if let Some(millis) = given {
                    fields.insert(field.to_owned(), Value::from(millis.div_ceil(1_000)));
                }
            }
            Self::Last(count, first, names) => {
                let from = fields.get(first).map_or(Some(1), whole).filter(|from| *from > 0);
                let last = names.iter().find_map(|name| Some((*name, whole(fields.get(*name)?)?)));
                let lines = from.zip(last).and_then(|(from, (_, last))| last.checked_sub(from - 1));
                let lines = lines.filter(|lines| *lines > 0);
                if let Some(((name, _), lines)) = last.zip(lines).filter(|_| !fields.contains_key(count)) {
                    fields.remove(name);
                    fields.insert(count.to_owned(), Value::from(lines));
                }
            }
            Self::Idle(names, values) => {
                for name in names {
                    let idle =
                        |v: &Value| v.is_null() || v.as_str().is_some_and(|v| values.contains(&v.trim()));
                    if fields.get(*name).is_some_and(idle) {
                        fields.remove(*name);
                    }
                }
            }
            Self::Numbered(list, number, used) => numbered(fields, list, number, used),
            Self::BothCases(pattern, names) => {
                agree(fields, names)?;
                for name in names {
                    both_cases(fields, pattern, name);
                }
            }
            Self::Patch(names) => names.iter().try_for_each(|name| patched(fields, name))?,
        }
        Ok(())
    }
}

/// Gives a field its own name, unless it is there with another value.
fn rename(fields: &mut Map<String, Value>, field: &str, name: &str) {
    let Some(value) = fields.get(name).cloned() else { return };
    if fields.get(field).is_none_or(|own| *own == value) {
        fields.remove(name);
        fields.insert(field.to_owned(), value);
    }
}

/// Drops the numbers of items that stand where these say, or of which none is meant by its number.
fn numbered(fields: &mut Map<String, Value>, list: &str, number: &str, used: &str) {
    let place =
        |(at, item): (usize, &Value)| item.get(number).is_none_or(|n| n.as_u64() == Some(at as u64 + 1));
    let names = |item: &Value| item.get(used).and_then(Value::as_array).is_some_and(|of| !of.is_empty());
    let Some(all) = fields.get(list).and_then(Value::as_array) else { return };
    if all.iter().any(names) && !all.iter().enumerate().all(place) {
        return;
    }
    items(fields, list).filter_map(Value::as_object_mut).for_each(|item| drop(item.remove(number)));
}

/// Whether a field of this name, with this value, says that both cases are meant.
fn takes_both(name: &str, said: bool) -> bool {
    said != (name == "case_sensitive")
}

/// Refuses spellings of one thing that say the opposite of each other.
fn agree(fields: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    let said = names.iter().filter_map(|name| Some((*name, fields.get(*name)?.as_bool()?)));
    let (both, one): (Vec<_>, Vec<_>) = said.partition(|(name, said)| takes_both(name, *said));
    match (both.first(), one.first()) {
        (Some((both, a)), Some((one, b))) => Err(format!(
            "{both} is {a} and {one} is {b}, which contradict each other: give one of them, or none and `(?i)` in front of \
             the pattern for both cases"
        )),
        (_, _) => Ok(()),
    }
}

/// Puts into a regex that it takes both cases; what a search does anyway is dropped.
fn both_cases(fields: &mut Map<String, Value>, pattern: &str, name: &str) {
    let Some(said) = fields.get(name).and_then(Value::as_bool) else { return };
    let both = takes_both(name, said);
    if !both {
        fields.remove(name);
    } else if fields.get("literal").and_then(Value::as_bool) != Some(true)
        && let Some(Value::String(text)) = fields.get_mut(pattern)
    {
        if !text.starts_with("(?i)") {
            text.insert_str(0, "(?i)");
        }
        fields.remove(name);
    }
}

fn only(fields: &mut Map<String, Value>, list: &str, names: &[&str]) {
    if fields.contains_key(list) || !names.iter().any(|name| fields.contains_key(*name)) {
        return;
    }
    let item = names.iter().filter_map(|name| fields.remove_entry(*name)).collect();
    fields.insert(list.to_owned(), Value::Array(vec![Value::Object(item)]));
}

fn items<'a>(fields: &'a mut Map<String, Value>, list: &str) -> impl Iterator<Item = &'a mut Value> {
    fields.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
}

fn bare(item: &mut Value, names: &[&str]) {
    if item.is_string() {
        *item = Value::Object(names.iter().map(|name| ((*name).to_owned(), item.clone())).collect());
    }
}

/// Puts the one file and the edits of a patch in its place.
fn patched(fields: &mut Map<String, Value>, name: &str) -> Result<(), String> {
    let Some(text) = fields.get(name).and_then(Value::as_str).filter(|t| patch::begins(t)) else {
        return Ok(());
    };
    let update = patch::one_update(text).map_err(|e| e.to_string())?;
    let own = fields.get("path").and_then(Value::as_str);
    if let Some(own) = own.filter(|own| *own != update.path) {
        return Err(format!("path is {own:?}, but the patch is for {:?}: leave path out", update.path));
    }
    fields.remove(name);
    fields.insert("path".to_owned(), Value::String(update.path));
    fields.insert("edits".to_owned(), Value::Array(update.edits));
    Ok(())
}

/// A value in which no field is given twice.
pub(super) struct Once(pub Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }

            fn visit_bool<E: Error>(self, v: bool) -> Result<Value, E> {
                Ok(v.into())
            }

            fn visit_u64<E: Error>(self, v: u64) -> Result<Value, E> {
                Ok(v.into())
            }

            fn visit_i64<E: Error>(self, v: i64) -> Result<Value, E> {
                Ok(v.into())
            }

            fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
                Ok(v.into())
            }

            fn visit_str<E: Error>(self, v: &str) -> Result<Value, E> {
                Ok(v.into())
            }

            fn visit_unit<E: Error>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                let mut all = Vec::new();
                while let Some(Once(item)) = seq.next_element()? {
                    all.push(item);
                }
                Ok(Value::Array(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut all = Map::new();
                while let Some((name, Once(value))) = map.next_entry::<String, Once>()? {
                    if all.insert(name, value).is_some() {
                        return Err(A::Error::custom("a field is given twice"));
                    }
                }
                Ok(Value::Object(all))
            }
        }

        from.deserialize_any(Any).map(Self)
    }
}
