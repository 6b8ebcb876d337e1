//! Checking: whether what an answer cites is there.
//!
//! Owns the verdicts and their words. Reads files and outputs only through [`Evidence`].

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    Facts,
    cite::{Cited, Statement, places, statements},
};
use crate::blob::BlobId;

/// What stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its text, without secrets.
    pub text: String,
    /// Its hash.
    pub hash: BlobId,
    /// The hash that it had when the agent saw it last.
    pub seen: Option<BlobId>,
}

/// Where evidence is looked at.
pub trait Evidence {
    /// A file by the name that an answer gives it; `None` when it cannot be read.
    fn file(&self, path: &str) -> Option<Shown>;
    /// Whether it is known that there is no file of this name.
    fn lacks(&self, path: &str) -> bool;
    /// What was printed, by its hash.
    fn output(&self, id: BlobId) -> Option<String>;
    /// What is known.
    fn facts(&self) -> &Facts;
}

/// A line of an answer whose evidence does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
}

/// What came of checking an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Statements that were looked at.
    pub statements: usize,
    /// Those whose evidence does not hold.
    pub marks: Vec<Mark>,
}

/// Checks an answer, statement by statement.
pub fn check(answer: &str, evidence: &dyn Evidence) -> Checked {
    let statements = statements(answer);
    let marks = statements.iter().filter_map(|s| {
        let why = doubt(s, evidence)?;
        Some(Mark { line: s.line, why })
    });
    Checked { marks: marks.collect(), statements: statements.len() }
}

/// Looks whether the places that an answer names are there, and at nothing else: no line of code is held against it, and
/// a name without its folder is none that could be missed.
pub fn astray(answer: &str, evidence: &dyn Evidence) -> Checked {
    let (mut checked, mut fenced) = (Checked::default(), false);
    for (n, line) in answer.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let named = if fence || fenced { Vec::new() } else { places(line) };
        checked.statements += named.len();
        let missing = |(path, _, to): &(String, usize, usize)| match evidence.file(path) {
            Some(file) => Some(file.text.lines().count()).filter(|lines| to > lines).map(|lines| {
                let s = if lines == 1 { "" } else { "s" };
                format!("{path} has {lines} line{s}")
            }),
            None if path.contains('/') && evidence.lacks(path) => Some(format!("there is no {path}")),
            None => None,
        };
        let mut whys: Vec<String> = named.iter().filter_map(missing).collect();
        whys.dedup();
        checked.marks.extend(whys.into_iter().map(|why| Mark { line: n + 1, why }));
    }
    checked
}

/// Where a text stands in a file, looked for first where it stood before.
pub fn place(file: &str, text: &str, before: usize) -> Option<usize> {
    let text = squeezed(text);
    let holds = |line: &str| !text.is_empty() && squeezed(line).contains(&text);
    if before.checked_sub(1).and_then(|n| file.lines().nth(n)).is_some_and(holds) {
        return Some(before);
    }
    let mut found = file.lines().enumerate().filter(|(_, line)| holds(line));
    match (found.next(), found.next()) {
        (Some((n, _)), None) => Some(n + 1),
        (_, Some(_)) | (None, None) => None,
    }
}

/// Why the evidence of a statement does not hold.
fn doubt(statement: &Statement, evidence: &dyn Evidence) -> Option<String> {
    if statement.cited.is_empty() {
        return Some("no evidence is named".to_owned());
    }
    let mut texts = Vec::new();
    for cited in &statement.cited {
        match look(cited, evidence) {
            Ok(text) => texts.push(text),
            Err(why) => return Some(why),
        }
    }
    if statement.cited.iter().all(|c| matches!(c, Cited::Fact(_))) {
        return None;
    }
    let cut: Vec<String> = texts.iter().map(|t| squeezed(t)).collect();
    let stands = |quote: &String| cut.iter().any(|t| t.contains(&squeezed(quote)));
    if let Some(first) = statement.quoted.first() {
        let held = statement.quoted.iter().any(stands);
        return (!held).then(|| missing(first, &statement.cited, evidence));
    }
    let exits = statement.cited.iter().any(|c| matches!(c, Cited::Command { exit: Some(_), .. }));
    let said = words(&statement.text, &statement.cited);
    let shared = texts.iter().any(|t| !said.is_disjoint(&words(t, &[])));
    (!exits && !shared).then(|| format!("{} contains no word of this", named(&statement.cited)))
}

/// The text of what is cited, or why there is none.
fn look(cited: &Cited, evidence: &dyn Evidence) -> Result<String, String> {
    match cited {
        Cited::Lines { path, from, to } => {
            let file = evidence.file(path).ok_or_else(|| format!("{path} cannot be read"))?;
            let count = file.text.lines().count();
            if *from == 0 || *to > count {
                return Err(format!("{path} has {count} lines"));
            }
            if file.seen.is_some_and(|seen| seen != file.hash) {
                return Err(format!("{path} changed since it was read"));
            }
            let lines = file.text.lines().skip(from - 1).take(to + 1 - from);
            Ok(lines.collect::<Vec<_>>().join("\n"))
        }
        Cited::Command { line, exit } => {
            let ended = evidence.facts().ended(line).ok_or_else(|| format!("`{line}` was not run"))?;
            if exit.is_some_and(|code| ended.exit.code != Some(code)) {
                return Err(format!("`{line}` {}", ended.exit.words()));
            }
            Ok(ended.output.and_then(|id| evidence.output(id)).unwrap_or_default())
        }
        Cited::Fact(name) => {
            let facts = evidence.facts();
            let fact = facts.get(name).ok_or_else(|| format!("there is no fact {name}"))?;
            if let Some(why) = facts.stale(name) {
                return Err(format!("the fact {name} is stale: {why}"));
            }
            if !facts.is_proven(name) {
                return Err(format!("the fact {name} was not checked"));
            }
            Ok(fact.value.clone())
        }
    }
}

/// What is wrong with a quote, and where it stands instead if that is plain.
fn missing(quote: &str, cited: &[Cited], evidence: &dyn Evidence) -> String {
    let elsewhere = cited.iter().find_map(|c| match c {
        Cited::Lines { path, .. } => Some((path, place(&evidence.file(path)?.text, quote, 0)?)),
        Cited::Command { .. } | Cited::Fact(_) => None,
    });
    let at = elsewhere.map_or_else(String::new, |(path, line)| format!("; {path}:{line} does"));
    format!("{} does not say `{quote}`{at}", named(cited))
}

fn named(cited: &[Cited]) -> String {
    let names = cited.iter().map(|c| match c {
        Cited::Lines { path, from, to } if from == to => format!("{path}:{from}"),
        Cited::Lines { path, from, to } => format!("{path}:{from}-{to}"),
        Cited::Command { line, .. } => format!("the output of `{line}`"),
        Cited::Fact(name) => format!("the fact {name}"),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// One blank where there were several, so that indentation and wrapping do not count.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words and numbers of a text without the evidence that it names.
fn words(text: &str, cited: &[Cited]) -> BTreeSet<String> {
    let mut text = text.to_lowercase();
    for c in cited {
        match c {
            Cited::Lines { path, .. } => text = text.replace(&path.to_lowercase(), " "),
            Cited::Command { line, .. } => text = text.replace(&line.to_lowercase(), " "),
            Cited::Fact(_) => {}
        }
    }
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let counts = |w: &&str| w.chars().count() >= 3 || (w.len() >= 2 && w.chars().all(char::is_numeric));
    parts.filter(counts).map(str::to_owned).collect()
}
