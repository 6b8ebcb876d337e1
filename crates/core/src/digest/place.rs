//! Places that a check names: a file of the workspace and a line, in the forms in which tools print them.

use std::path::Path;

use super::cargo;
use crate::relpath::RelPath;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

/// What was said about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// Where.
    pub place: Place,
    /// What, in a line.
    pub text: String,
}

/// How a frame of a Python trace begins.
const FRAME: &str = "File \"";

/// The places that an output names, each once, in their order.
pub fn places(output: &str) -> Vec<Diagnosis> {
    let mut found: Vec<Diagnosis> = Vec::new();
    let mut last = "";
    let mut of_trace = false;
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    for (at, line) in lines.iter().copied().enumerate() {
        // Below a frame of a trace stands its line of code, which names nothing.
        let code = std::mem::replace(&mut of_trace, line.starts_with(FRAME));
        let named = if code && !of_trace { None } else { place_in(line) };
        if let Some((place, text)) = named {
            let text = if says(text) { text } else { last };
            if !found.iter().any(|d| d.place == place) {
                let panic = cargo::panic(line, lines.get(at + 1..).unwrap_or_default());
                found.push(Diagnosis { place, text: panic.unwrap_or_else(|| text.trim().to_owned()) });
            }
        }
        if says(line) {
            last = line;
        }
    }
    found
}

/// Whether a check of single files speaks of others alone: it names files of the kind of each of these, and none of
/// them. One by which it may be told what to check, or whose name it may print in other letters, is never cleared.
pub fn names_others(output: &str, these: &[&RelPath]) -> bool {
    let named: Vec<&Path> = output.split(parts_paths).filter_map(file).collect();
    let clears = |path: &RelPath| {
        let this = Path::new(path.as_str());
        let mut alike = named.iter().filter(|other| other.extension() == this.extension()).peekable();
        let printed = path.as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+@=".contains(&b));
        let settings =
            path.as_str().split('/').any(|p| p.starts_with('.')) || path.name().contains(".config.");
        printed
            && !settings
            && alike.peek().is_some()
            && !alike.any(|other| this.ends_with(other) || other.ends_with(this))
    };
    !these.is_empty() && these.iter().all(|path| clears(path))
}

fn parts_paths(c: char) -> bool {
    c.is_whitespace() || "\"'`;:,()[]<>".contains(c)
}

/// A word as the path of a file.
fn file(word: &str) -> Option<&Path> {
    let path = Path::new(word.trim_start_matches("./").trim_end_matches('.'));
    path.extension()?.to_str().filter(|ending| says(ending)).map(|_| path)
}

/// Whether there are words in it.
fn says(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// The first place in a line, and what else the line says of it.
fn place_in(line: &str) -> Option<(Place, &str)> {
    if let Some(rest) = line.strip_prefix(FRAME) {
        let (path, rest) = rest.split_once("\", line ")?;
        let (number, rest) = number(rest)?;
        return Some((place(path, number)?, rest.trim_start_matches(", in ")));
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '[' | ']' | '<' | '>');
    let mut words =
        line.split(ends).flat_map(|w| [Some(w), w.split_once('(').map(|(_, inner)| inner)]).flatten();
    let (word, place) = words.find_map(|word| Some((word, named(word)?)))?;
    let rest = line.strip_prefix(word).or_else(|| line.strip_suffix(word)).unwrap_or(line);
    Some((place, rest.trim_start_matches([':', ' ', '-']).trim_end_matches([' ', '('])))
}

/// `src/a.rs:3:5`, `src/a.ts(3,5)`, `a.cpp(3):`; a call in code has neither a column nor a colon behind it.
fn named(word: &str) -> Option<Place> {
    let (path, rest, bracket) = match word.split_once('(') {
        Some((path, rest)) if !path.is_empty() => (path, rest, true),
        Some(_) | None => word.split_once(':').map(|(path, rest)| (path, rest, false))?,
    };
    let (number, rest) = number(rest)?;
    let column = rest.strip_prefix(',').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if bracket && !column && !rest.starts_with("):") {
        return None;
    }
    // What follows the line is a column or the end of the word.
    let ended = rest.is_empty() || rest.starts_with([':', ',', ')', '.']);
    place(path, number).filter(|_| ended)
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok().filter(|n| *n > 0)?, rest))
}

/// A path with a file's name in it; `12:30:45` and `localhost:80` are none.
fn place(path: &str, line: u32) -> Option<Place> {
    let path = RelPath::new(path.trim_start_matches(['-', '(']).trim()).ok()?;
    let (stem, ending) = path.name().rsplit_once('.')?;
    let named = !ending.is_empty() && ending.chars().all(char::is_alphanumeric) && says(ending);
    (named && (!stem.is_empty())).then_some(Place { path, line })
}

#[cfg(test)]
mod tests;
