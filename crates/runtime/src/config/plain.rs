//! What a library says of a file, in plain words: what was probably meant, where it stands, what else is wrong.
//!
//! Owns the words. Never reads a file.

use std::path::Path;

use super::position;
use crate::error::RuntimeError;

/// From this likeness on a name is taken to be meant.
const ALIKE: f64 = 0.5;
/// Types of numbers as a library calls them, and what may be written.
const TYPES: [(&str, &str); 9] = [
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
    ("u16", "a whole number, 0 or more"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a sequence", "a list"),
    ("a map", "a section of settings"),
    ("a boolean", "true or false"),
];

/// What a library says, on one line and without the names of its types.
pub(crate) fn plain(message: &str) -> String {
    let line = message.lines().collect::<Vec<_>>().join("; ");
    let Some((said, expected)) = line.split_once(", expected ") else { return line };
    let shown = TYPES.iter().find(|(name, _)| *name == expected).map_or(expected, |(_, shown)| *shown);
    format!("{said}, expected {shown}")
}

/// The name that was probably meant.
pub(crate) fn meant<'n>(said: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let alike = names.into_iter().map(|name| (strsim::normalized_damerau_levenshtein(name, said), name));
    let near = alike.filter(|(ratio, _)| *ratio >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    near.map(|(_, name)| name)
}

/// That no value of a setting is called so, with the one that was probably meant.
pub(super) fn unknown(what: &str, name: &str, all: &[&str]) -> String {
    let near = meant(name, all.iter().copied());
    let near = near.map_or_else(String::new, |near| format!(" (did you mean {near:?}?)"));
    format!("there is no {what} {name:?}{near}; there are {}", all.join(", "))
}

/// A hint behind what was probably meant, where a library says which names there are.
pub(crate) fn hinted(message: &str, hint: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let listed = message.starts_with("unknown ");
    let near = names.next().filter(|_| listed).and_then(|said| meant(said, names));
    near.map_or_else(|| hint.to_owned(), |name| format!("did you mean `{name}`? {hint}"))
}

/// Line and column of the value of a setting in a section.
pub fn place(text: &str, section: &str, name: &str) -> Option<(usize, usize)> {
    let table = toml::de::DeTable::parse(text).ok()?;
    let section = table.get_ref().get(section)?.get_ref().as_table()?;
    Some(position(text, Some(section.get(name)?.span())))
}

/// A setting that cannot be used, with the place where the user's file says it.
pub(super) fn located(
    error: RuntimeError,
    (file, text): (&Path, &str),
    says: impl Fn(&str) -> bool,
) -> RuntimeError {
    let RuntimeError::Setting { what, message } = &error else { return error };
    let Some((line, column)) = place(text, "model", what).filter(|_| says(what)) else { return error };
    let hint = "correct the value; `pilothouse config schema` has every setting with its values".to_owned();
    RuntimeError::Config { file: file.to_owned(), line, column, message: message.clone(), hint }
}

/// All that is wrong in a text, and what is left of it: where reading ends at a line, that is left out, with its section where
/// it begins one, and the rest is read on. What is no TOML has one mistake: nothing behind that can be told.
pub(crate) fn all<E>(
    text: &str,
    read: impl Fn(&str) -> Option<E>,
    line_of: impl Fn(&E) -> Option<usize>,
) -> (Vec<E>, String) {
    let (mut left, mut found, mut taken) = (text.to_owned(), Vec::new(), Vec::new());
    while let Some(error) = read(&left) {
        let line = line_of(&error);
        // What a section lacks once a line of it is left out is no mistake of the file.
        if !line.is_some_and(|header| section(&left, header).any(|line| taken.contains(&line))) {
            found.push(error);
        }
        taken.extend(line);
        let Some(rest) = line.and_then(|line| without(&left, line)) else { break };
        left = rest;
    }
    (found, left)
}

/// The lines of the section whose header is on a line, that one aside.
fn section(text: &str, header: usize) -> impl Iterator<Item = usize> {
    let is_header = |line: &&str| line.trim_start().starts_with('[');
    let mut lines = text.lines().skip(header.saturating_sub(1));
    let count =
        lines.next().filter(is_header).map_or(0, |_| lines.take_while(|line| !is_header(line)).count());
    (1..=count).map(move |at| header + at)
}

/// A text without a line, or without the section that begins there; its other lines keep their numbers. `None` where there is
/// nothing to leave out, or no TOML is left.
fn without(text: &str, line: usize) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let from = line.checked_sub(1)?;
    let is_header = |line: &&str| line.trim_start().starts_with('[');
    let first = lines.get(from).filter(|line| !line.trim().is_empty())?;
    let count = if is_header(first) {
        1 + lines.get(from + 1..)?.iter().take_while(|line| !is_header(line)).count()
    } else {
        1
    };
    lines.iter_mut().skip(from).take(count).for_each(|line| *line = "");
    let left = lines.join("\n");
    left.parse::<toml::Table>().is_ok().then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_told_in_plain_words_with_what_was_meant() {
        for (said, told) in [
            (
                "invalid value: integer `-3`, expected u64",
                "invalid value: integer `-3`, expected a whole number, 0 or more",
            ),
            (
                "invalid type: string \"x\", expected a boolean",
                "invalid type: string \"x\", expected true or false",
            ),
            ("duplicate key\nin table", "duplicate key; in table"),
        ] {
            assert_eq!(plain(said), told);
        }
        let list = "unknown field `nam`, expected one of `preset`, `name`";
        assert_eq!(hinted(list, "see there"), "did you mean `name`? see there");
        assert_eq!(hinted("unknown field `zzz`, expected `a`", "see there"), "see there");
        assert_eq!(hinted("it is `nam`, not `name`", "see there"), "see there");
    }

    #[test]
    fn every_mistake_of_a_file_is_found_once_and_none_that_is_not_there() {
        let read = |text: &str| super::super::Layer::parse(Path::new("c"), text).err();
        let line_of =
            |e: &RuntimeError| if let RuntimeError::Config { line, .. } = e { Some(*line) } else { None };
        let lines = |text: &str| {
            let (found, _) = all(text, read, line_of);
            found.iter().filter_map(line_of).collect::<Vec<_>>()
        };
        let text =
            "[modle]\nname = \"x\"\n[session]\nhistory = -3\npermission = \"all\"\n[screen]\nmouse = true\n";
        let mut found = lines(text);
        found.sort_unstable();
        assert_eq!(found, [1, 4, 5]);
        assert_eq!(lines("[model\nnam = 1\n"), [1], "behind what is no TOML nothing is known");
        assert!(lines("[model]\nname = \"x\"\n").is_empty());
    }
}
