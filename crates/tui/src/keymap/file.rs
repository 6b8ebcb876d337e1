//! Keymap files: TOML with an entry an action, and one key or a list of keys.
//!
//! Owns reading them and naming the place of a mistake. Never opens a file.

use std::ops::Range;

use pilothouse_core::front::Place;
use toml::de::DeTable;

use super::{Action, Binding, Chord, GaveWay, Keymap, Table, tables};

/// A keymap file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("keymap, line {line}, column {column}: {message}")]
pub struct KeymapError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

struct Source<'a> {
    text: &'a str,
    yours: bool,
}

impl Source<'_> {
    fn error(&self, span: &Range<usize>, message: impl Into<String>) -> KeymapError {
        let Place { line, column } = Place::at(self.text, span.start);
        KeymapError { line, column, message: message.into() }
    }
}

pub(super) fn read(standard: &str, user: Option<&str>) -> Result<Keymap, KeymapError> {
    let standard = Source { text: standard, yours: false };
    let base = parse(&standard)?;
    let Some(user) = user else {
        return bind(&[(&standard, &base)], chord(&standard, base.leader.as_ref())?);
    };
    let user = Source { text: user, yours: true };
    let over = parse(&user)?;
    let leader = match &over.leader {
        Some(_) => chord(&user, over.leader.as_ref())?,
        None => chord(&standard, base.leader.as_ref())?,
    };
    bind(&[(&standard, &base), (&user, &over)], leader)
}

type Spanned = (String, Range<usize>);

#[derive(Default)]
struct Parsed {
    leader: Option<Spanned>,
    entries: Vec<(Action, Vec<Spanned>)>,
}

fn parse(source: &Source<'_>) -> Result<Parsed, KeymapError> {
    let table = DeTable::parse(source.text)
        .map_err(|e| source.error(&e.span().unwrap_or(0..0), e.message().trim().to_owned()))?;
    let mut parsed = Parsed::default();
    let tables = tables();
    for (name, value) in table.get_ref() {
        let (key, span) = (name.get_ref().as_ref(), name.span());
        if let Some(text) = value.get_ref().as_str()
            && key == "leader"
        {
            parsed.leader = Some((text.to_owned(), value.span()));
        } else if let Some(entries) = value.get_ref().as_table() {
            let Some(place) = tables.iter().find(|t| t.name == key) else {
                let known = tables.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
                return Err(source.error(&span, format!("no place is called {key:?}; there are {known}")));
            };
            parse_place(source, place, entries, &mut parsed)?;
        } else {
            let message = format!("{key:?} is no table of keys; write [anywhere] and palette = \"ctrl-p\"");
            return Err(source.error(&span, message));
        }
    }
    Ok(parsed)
}

fn parse_place(
    source: &Source<'_>,
    place: &Table,
    entries: &DeTable<'_>,
    parsed: &mut Parsed,
) -> Result<(), KeymapError> {
    for (name, value) in entries {
        let key = name.get_ref().as_ref();
        let Some(action) = place.actions().find(|a| a.entry.name == key) else {
            let known: Vec<&str> = place.entries.iter().map(|e| e.name).collect();
            let message = format!("{} has no action {key:?}; it has {}", place.name, known.join(", "));
            return Err(source.error(&name.span(), message));
        };
        let one = std::slice::from_ref(value);
        let list = value.get_ref().as_array().map_or(one, |list| &list[..]);
        let keys =
            list.iter()
                .map(|v| match v.get_ref().as_str() {
                    Some(text) => Ok((text.to_owned(), v.span())),
                    None => Err(source
                        .error(&v.span(), "keys are a text or a list of texts, such as [\"f1\", \"?\"]")),
                })
                .collect::<Result<_, _>>()?;
        parsed.entries.push((action, keys));
    }
    Ok(())
}

fn chord(source: &Source<'_>, leader: Option<&Spanned>) -> Result<Option<Chord>, KeymapError> {
    let read = |(name, span): &Spanned| Chord::parse(name).map_err(|e| source.error(span, e.to_string()));
    leader.map(read).transpose()
}

/// A key of the user's file has the meaning that this gives it: what ships gives way. Two meanings in one file are a mistake.
fn bind(files: &[(&Source<'_>, &Parsed)], leader: Option<Chord>) -> Result<Keymap, KeymapError> {
    let mut bindings: Vec<Binding> = Vec::new();
    let mut gave_way = Vec::new();
    for (source, parsed) in files {
        if source.yours {
            let named: Vec<Action> = parsed.entries.iter().map(|(a, _)| *a).collect();
            bindings.retain(|b| !named.contains(&b.action));
        }
        for (action, keys) in &parsed.entries {
            for (text, span) in keys {
                let keys = sequence(source, leader, text, span)?;
                let clashes = |b: &Binding| {
                    b.action.table == action.table && (b.keys.starts_with(&keys) || keys.starts_with(&b.keys))
                };
                if let Some(other) = bindings.iter().find(|b| b.yours == source.yours && clashes(b)) {
                    let message = format!(
                        "{text:?} already means {:?} in {}; give that another key first",
                        other.action.entry.name, action.table
                    );
                    return Err(source.error(span, message));
                }
                gave_way
                    .extend(bindings.extract_if(.., |b| clashes(b)).map(|was| GaveWay { was, to: *action }));
                bindings.push(Binding::new(keys, *action, source.yours));
            }
        }
    }
    Ok(Keymap::of(bindings, gave_way))
}

fn sequence(
    source: &Source<'_>,
    leader: Option<Chord>,
    text: &str,
    span: &Range<usize>,
) -> Result<Vec<Chord>, KeymapError> {
    let keys: Vec<Chord> = text
        .split_whitespace()
        .map(|word| match (word, leader) {
            ("leader", Some(leader)) => Ok(leader),
            _ => Chord::parse(word).map_err(|e| source.error(span, e.to_string())),
        })
        .collect::<Result<_, _>>()?;
    if keys.is_empty() {
        return Err(
            source.error(span, "a key is missing between the quotes; leave the line out to keep the default")
        );
    }
    Ok(keys)
}
