//! Phrases with a known reading, and the small file format that holds them.
//!
//! Owns parsing and the match word for word. Never learns by itself.

use std::collections::HashMap;

use super::IntentNode;

/// What is wrong with an exemplar file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ExemplarError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// A set of phrases by section and name, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exemplars {
    entries: Vec<(String, String, String)>,
    leaves: HashMap<String, IntentNode>,
}

/// The exemplars that come with the program.
pub const BUILTIN: &str = include_str!("../../../../assets/intent/exemplars.yaml");

/// Lower case, single spaces, no closing marks.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(['.', '!', '?']).to_lowercase()
}

impl Exemplars {
    /// Parses `section:` / `  name:` / `    - phrase`.
    ///
    /// # Errors
    /// At the first line that is none of these, or that names no known section or intent.
    pub fn parse(yaml: &str) -> Result<Self, ExemplarError> {
        let mut out = Self::default();
        let (mut section, mut name) = (String::new(), String::new());
        for (i, line) in yaml.lines().enumerate() {
            let fail = |column: usize, message: &str| ExemplarError {
                line: i + 1,
                column,
                message: message.to_owned(),
            };
            let body = line.trim_end();
            let indent = body.chars().take_while(|c| *c == ' ').count();
            let text = body.trim_start();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some(tab) = line.chars().position(|c| c == '\t') {
                return Err(fail(tab + 1, "a tab; indent with spaces"));
            }
            if let Some(phrase) = text.strip_prefix('-') {
                if name.is_empty() {
                    return Err(fail(indent + 1, "a phrase outside an intent"));
                }
                let phrase = unquote(phrase.trim()).map_err(|m| fail(indent + 3, m))?;
                if phrase.is_empty() {
                    return Err(fail(indent + 2, "an empty phrase"));
                }
                if section == "leaves"
                    && let Ok(node) = name.parse()
                {
                    out.leaves.insert(normal(&phrase), node);
                }
                out.entries.push((section.clone(), name.clone(), phrase));
                continue;
            }
            let Some(key) = text.strip_suffix(':') else {
                return Err(fail(
                    indent + text.chars().count() + 1,
                    "expected a key with a colon, or \"- phrase\"",
                ));
            };
            if indent == 0 {
                if !matches!(key, "primary" | "sub" | "leaves") {
                    return Err(fail(1, "a section is one of primary, sub, leaves"));
                }
                (section, name) = (key.to_owned(), String::new());
            } else {
                known(&section, key).map_err(|m| fail(indent + 1, m))?;
                key.clone_into(&mut name);
            }
        }
        Ok(out)
    }

    /// Section, name and phrase of each exemplar.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.entries.iter().map(|(s, n, p)| (s.as_str(), n.as_str(), p.as_str()))
    }

    /// The leaf of a phrase that is `text` word for word.
    pub fn exact(&self, text: &str) -> Option<IntentNode> {
        self.leaves.get(&normal(text)).copied()
    }
}

fn known(section: &str, key: &str) -> Result<(), &'static str> {
    let subs = [
        "query.detail",
        "query.provenance",
        "query.summary",
        "query.lookup",
        "plan_new.compare",
        "plan_new.predict",
        "control.mode_switch",
        "control.reset",
        "control.redo_cmd",
        "control.help",
        "control.status",
        "control.exit",
        "control.cancel",
        "control.replan",
    ];
    match section {
        "primary" if matches!(key, "query" | "plan_new" | "plan_continue" | "control") => Ok(()),
        "primary" => Err("a primary intent is one of query, plan_new, plan_continue, control"),
        "sub" if subs.contains(&key) => Ok(()),
        "sub" => Err("no such sub intent"),
        "leaves" if key.parse::<IntentNode>().is_ok() => Ok(()),
        "leaves" => Err("no intent node has this name"),
        _ => Err("an intent outside a section"),
    }
}

fn unquote(text: &str) -> Result<String, &'static str> {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return rest.strip_suffix(quote).map(str::to_owned).ok_or("the quote is not closed");
        }
    }
    Ok(text.to_owned())
}
