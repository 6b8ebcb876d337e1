//! Front matter: the YAML between two lines of `---` at the head of a Markdown file, and the text below it.
//!
//! Owns reading it, with the line and column of everything in it. Never opens a file, never knows what a key means,
//! and never follows an anchor, so a short text cannot grow into a long one.

use std::{collections::BTreeMap, fmt};

use saphyr_parser::Parser;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

mod tree;

/// The line that opens and closes front matter.
const FENCE: &str = "---";
/// The byte order mark that some editors put before a text.
const MARK: char = '\u{feff}';

/// A place in a text, both counted from one; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// Where a text begins.
    pub const START: Self = Self { line: 1, column: 1 };

    /// Where a byte of a text stands.
    pub fn at(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line: before.matches('\n').count() + 1, column }
    }
}

/// Words in a list, or in a line with commas or blanks between them.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected words in a line or a list of words")]
pub(crate) enum Words {
    Line(String),
    List(Vec<String>),
}

impl Words {
    /// Each of them.
    pub(crate) fn all(self) -> Vec<String> {
        match self {
            Self::List(words) => words,
            Self::Line(line) => words(&line),
        }
    }
}

/// Words with commas or blanks between them; what stands in brackets belongs to its word.
fn words(line: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let split = line.split(|c: char| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    split.map(str::trim).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// What is wrong in a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands.
    pub at: Place,
    /// What is wrong, in a sentence without its full stop.
    pub why: String,
}

impl Fault {
    /// What is wrong at a place.
    pub fn new(at: Place, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }

    /// What is wrong in a text of JSON.
    pub fn of_json(error: &serde_json::Error) -> Self {
        let said = error.to_string();
        let why = said.rsplit_once(" at line ").map_or(said.as_str(), |(why, _)| why);
        Self::new(Place { line: error.line().max(1), column: error.column().max(1) }, why)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at.line, self.at.column, self.why)
    }
}

impl std::error::Error for Fault {}

/// A text with its front matter read, whatever keys stand in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front<'a> {
    /// The front matter; empty where the text has none.
    pub fields: Map<String, Value>,
    /// What stands below it, without the empty lines before it.
    pub body: &'a str,
    /// The line of the text that the body begins on.
    pub body_line: usize,
    places: BTreeMap<String, Place>,
}

impl<'a> Front<'a> {
    /// Reads a text; one that does not begin with `---` is all body.
    ///
    /// # Errors
    /// What is wrong in the front matter, and where.
    pub fn read(text: &'a str) -> Result<Self, Fault> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let mut lines = text.split_inclusive('\n');
        if lines.next().is_none_or(|first| first.trim_end() != FENCE) {
            return Ok(Self { body: text, body_line: 1, ..Self::default() });
        }
        let (mut yaml, mut open) = (String::new(), true);
        for line in lines.by_ref() {
            open = line.trim_end() != FENCE;
            if !open {
                break;
            }
            yaml.push_str(line);
        }
        if open {
            return Err(Fault::new(Place::START, "the front matter is not closed by a line `---`"));
        }
        let (fields, places) = tree::read(&mut Parser::new_from_str(&yaml))?;
        let rest: &'a str = lines.next().map_or("", |first| text.get(start_of(text, first)..).unwrap_or(""));
        let body = rest.trim_start_matches(['\n', '\r']);
        let before = text.get(..text.len() - body.len()).unwrap_or_default();
        Ok(Self { fields, body, body_line: before.matches('\n').count() + 1, places })
    }

    /// The front matter as what it should be. Keys that the type does not know are no fault.
    ///
    /// # Errors
    /// Which key is missing or holds something else, and where.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let fields = Value::Object(self.fields.clone());
        serde_path_to_error::deserialize(fields).map_err(|e| {
            let path = e.path().to_string();
            match self.places.get(&path) {
                Some(at) => Fault::new(*at, format!("`{path}`: {}", e.inner())),
                None => Fault::new(Place::START, e.inner().to_string()),
            }
        })
    }

    /// Where a value stands, named as `metadata.version` or `tools[1]`; the head of the text if it does not.
    pub fn place(&self, path: &str) -> Place {
        self.places.get(path).copied().unwrap_or(Place::START)
    }
}

/// Where a slice of a text begins in it.
fn start_of(text: &str, slice: &str) -> usize {
    (slice.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
