//! The values of a YAML text, each with its place.
//!
//! Owns what a plain scalar means (the core schema), and the bounds of what is taken.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Input, Marker, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

use super::{Fault, Place};

/// How deep values may stand in each other.
const MOST_DEPTH: usize = 16;
/// How many values there may be.
const MOST_VALUES: usize = 2000;

/// Something begun and not yet ended.
enum Open {
    List(Vec<Value>),
    Map { fields: Map<String, Value>, key: Option<String> },
}

#[derive(Default)]
struct Tree {
    open: Vec<(Open, String)>,
    root: Option<Value>,
    places: BTreeMap<String, Place>,
    values: usize,
}

/// The fields of a text, and where each value stands.
type Fields = (Map<String, Value>, BTreeMap<String, Place>);

/// The map that a text holds, and where each value of it stands in a file whose first line is a fence.
pub(super) fn read<T: Input>(parser: &mut Parser<'_, T>) -> Result<Fields, Fault> {
    let mut tree = Tree::default();
    for next in parser.by_ref() {
        let (event, span) =
            next.map_err(|e| Fault::new(place(e.marker()), format!("no YAML: {}", e.info())))?;
        tree.take(event, place(&span.start))?;
    }
    match tree.root {
        Some(Value::Object(fields)) => Ok((fields, tree.places)),
        None | Some(Value::Null) => Ok(<_>::default()),
        Some(_) => {
            Err(Fault::new(Place { line: 2, column: 1 }, "the front matter is no list of `key: value`"))
        }
    }
}

/// A place of the file: the fence is above the text.
fn place(at: &Marker) -> Place {
    Place { line: at.line() + 1, column: at.col() + 1 }
}

impl Tree {
    fn take(&mut self, event: Event<'_>, at: Place) -> Result<(), Fault> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_none() => Ok(()),
            Event::DocumentStart(_) => Err(Fault::new(at, "a second document begins here")),
            Event::Alias(_) => {
                Err(Fault::new(at, "anchors and aliases (`&`, `*`) are not taken; write the value out"))
            }
            Event::Scalar(text, style, _, tag) => {
                if self.is_key() {
                    return self.key(text.into_owned(), at);
                }
                self.begin(at)?;
                let plain = style == ScalarStyle::Plain && tag.as_deref().is_none_or(|t| !is_text(t));
                let value = if plain { scalar(&text) } else { Value::String(text.into_owned()) };
                self.end(value);
                Ok(())
            }
            Event::SequenceStart(..) => self.nest(Open::List(Vec::new()), at),
            Event::MappingStart(..) => self.nest(Open::Map { fields: Map::new(), key: None }, at),
            Event::SequenceEnd | Event::MappingEnd => {
                match self.open.pop() {
                    Some((Open::List(list), _)) => self.end(Value::Array(list)),
                    Some((Open::Map { fields, .. }, _)) => self.end(Value::Object(fields)),
                    None => {}
                }
                Ok(())
            }
        }
    }

    fn is_key(&self) -> bool {
        matches!(self.open.last(), Some((Open::Map { key: None, .. }, _)))
    }

    fn key(&mut self, name: String, at: Place) -> Result<(), Fault> {
        if let Some((Open::Map { fields, key }, _)) = self.open.last_mut() {
            if fields.contains_key(&name) {
                return Err(Fault::new(at, format!("the key `{name}` stands here a second time")));
            }
            *key = Some(name);
        }
        Ok(())
    }

    /// The path of the value that comes next.
    fn path(&self) -> String {
        match self.open.last() {
            None => String::new(),
            Some((Open::List(list), path)) => format!("{path}[{}]", list.len()),
            Some((Open::Map { key, .. }, path)) => {
                let key = key.as_deref().unwrap_or_default();
                if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
            }
        }
    }

    fn begin(&mut self, at: Place) -> Result<String, Fault> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(Fault::new(at, format!("the front matter holds more than {MOST_VALUES} values")));
        }
        let path = self.path();
        self.places.insert(path.clone(), at);
        Ok(path)
    }

    fn nest(&mut self, open: Open, at: Place) -> Result<(), Fault> {
        if self.is_key() {
            return Err(Fault::new(at, "a key has to be a word, not a list or a table"));
        }
        if self.open.len() >= MOST_DEPTH {
            return Err(Fault::new(at, format!("more than {MOST_DEPTH} levels stand in each other")));
        }
        let path = self.begin(at)?;
        self.open.push((open, path));
        Ok(())
    }

    fn end(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((Open::List(list), _)) => list.push(value),
            Some((Open::Map { fields, key }, _)) => {
                fields.insert(key.take().unwrap_or_default(), value);
            }
        }
    }
}

fn is_text(tag: &Tag) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == "str"
}

/// What a scalar without quotes means by YAML's core schema.
fn scalar(text: &str) -> Value {
    let number = || {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let begins = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let based =
            |prefix, radix| text.strip_prefix(prefix).and_then(|t| u64::from_str_radix(t, radix).ok());
        let whole = || text.strip_prefix('+').unwrap_or(text).parse::<i64>().ok();
        let real = || text.parse::<f64>().ok().and_then(Number::from_f64);
        let based = based("0x", 16).or_else(|| based("0o", 8));
        begins.then(|| based.map(Number::from).or_else(|| whole().map(Number::from)).or_else(real)).flatten()
    };
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number().map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}
