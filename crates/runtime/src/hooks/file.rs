//! The shape of a hook file: `[hooks.on_NAME]`, or `[[hooks.on_NAME]]` for several.
//!
//! Owns nothing but the shape. Never says what a field means.

use std::{collections::BTreeMap, fmt};

use pilothouse_core::hook::When;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use toml::Spanned;

/// A whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub hooks: BTreeMap<Spanned<String>, Entries>,
}

/// One hook as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub run: Spanned<String>,
    pub from: Option<Spanned<String>>,
    pub to: Option<Spanned<String>>,
    pub block_if_fails: Option<Spanned<bool>>,
    pub background: Option<Spanned<bool>>,
    pub timeout: Option<Spanned<u64>>,
    pub when: Option<Spanned<When>>,
    #[serde(default)]
    pub env: BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    pub requires: Vec<String>,
}

/// One hook, or several.
pub(super) struct Entries(pub Vec<Entry>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMany)
    }
}

struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table, or an array of tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entries, A::Error> {
        Entry::deserialize(MapAccessDeserializer::new(map)).map(|e| Entries(vec![e]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Entries, A::Error> {
        let mut all = Vec::new();
        while let Some(entry) = seq.next_element()? {
            all.push(entry);
        }
        Ok(Entries(all))
    }
}
