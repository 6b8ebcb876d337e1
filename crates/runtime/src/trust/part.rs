//! One file that would take effect: what it would do, and its text as it may be shown and kept.
//!
//! Owns the words and the hiding of values. Never shows or keeps a value of a variable.

use std::collections::BTreeSet;

use pilothouse_core::{
    hook::Origin,
    memory::{Memory, MemoryOwner},
    money::count,
    recipe::RecipeKind,
    redact::Redactor,
    shell::steers_as,
};

use crate::{config::ProjectLayer, hooks, recipes, sources};

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Programs that run when something happens.
    Hooks,
    /// Settings that narrow the user's own.
    Settings,
    /// Tool servers.
    Servers,
    /// Variables for commands.
    Variables,
    /// A skill, a slash command or an agent, or a file beside one.
    Recipe(RecipeKind),
    /// A file that a hook runs.
    Script,
    /// Notes for the agent.
    Memory,
}

/// One file that would take effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands in the folder.
    pub path: String,
    /// What it is for.
    pub kind: Kind,
    /// What it holds, or why that cannot be told; then it has no effect.
    pub content: Result<Vec<u8>, String>,
}

/// Lines of a piece that the question itself shows.
const MOST_LINES: usize = 4;
/// Characters of such a line.
const MOST_CHARS: usize = 120;

impl Piece {
    /// What it adds to the hash over everything.
    pub fn mark(&self) -> Vec<u8> {
        let (sign, bytes): (&[u8], &[u8]) = match &self.content {
            Ok(bytes) => (b"+", bytes),
            Err(why) => (b"-", why.as_bytes()),
        };
        // Decisions are bound to these words.
        let kind = match self.kind {
            Kind::Recipe(kind) => format!("{kind:?}"),
            Kind::Hooks | Kind::Settings | Kind::Servers | Kind::Variables | Kind::Script | Kind::Memory => {
                format!("{:?}", self.kind)
            }
        };
        let head = format!("{}\0{kind}\0{}\0", self.path, bytes.len());
        [head.as_bytes(), sign, bytes].concat()
    }

    /// What it would do, a line each, the first few.
    pub fn would(&self) -> Vec<String> {
        let mut lines = self.all_it_would();
        if lines.len() > MOST_LINES {
            let more = lines.len() - (MOST_LINES - 1);
            lines.truncate(MOST_LINES - 1);
            lines.push(format!("and {more} more"));
        }
        lines.iter().map(|l| shorten(l)).collect()
    }

    fn all_it_would(&self) -> Vec<String> {
        let Ok(bytes) = &self.content else {
            return vec!["cannot be read, so it has no effect".to_owned()];
        };
        let text = String::from_utf8_lossy(bytes);
        match self.kind {
            Kind::Hooks => match hooks::parse(self.path.as_ref(), &text, Origin::Project) {
                Ok(all) if all.is_empty() => vec!["has no hook in it".to_owned()],
                Ok(all) => all.iter().map(hooks::Definition::says).collect(),
                Err(e) => vec![format!("cannot be used: {e}")],
            },
            Kind::Settings => match ProjectLayer::parse(self.path.as_ref(), &text) {
                Ok(_) => settings(&text),
                Err(e) => vec![format!("cannot be used: {e}")],
            },
            Kind::Servers => match sources::of_text(self.path.as_ref(), &text) {
                Some((all, faults)) if all.is_empty() && faults.is_empty() => {
                    vec!["has no source in it".to_owned()]
                }
                Some((all, faults)) => {
                    let unread = faults.iter().map(|e| format!("cannot be used: {e}"));
                    all.iter().map(sources::says).chain(unread).collect()
                }
                None => vec!["stands beside a source".to_owned()],
            },
            Kind::Variables => {
                let names: Vec<String> = variables(&text).into_iter().map(|(name, _)| name).collect();
                let gives = if names.is_empty() {
                    "has no variable that commands would get".to_owned()
                } else {
                    format!("gives commands {}; the values are not shown", names.join(", "))
                };
                let left: BTreeSet<&str> =
                    text.lines().filter_map(pair).filter(|(n, v)| steers_as(n, v)).map(|(n, _)| n).collect();
                let left: Vec<&str> = left.into_iter().collect();
                let out = format!("left out, since they steer programs: {}", left.join(", "));
                std::iter::once(gives).chain((!left.is_empty()).then_some(out)).collect()
            }
            Kind::Recipe(kind) => vec![recipes::would(self, kind)],
            Kind::Script => vec![format!("run by a hook, {}", count(text.lines().count(), "line"))],
            Kind::Memory => {
                let notes = Memory::of([(MemoryOwner::Project, &*text)]).notes().len();
                vec![format!("tells the agent {}; they allow nothing", count(notes, "note"))]
            }
        }
    }

    /// Its text as it may be shown and kept: values of variables are left out.
    pub fn legible(&self) -> String {
        let bytes = match &self.content {
            Ok(bytes) => bytes,
            Err(why) => return format!("(cannot be read: {why})\n"),
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        match self.kind {
            Kind::Variables => {
                let names = variables(&text);
                let mut lines: Vec<String> =
                    names.iter().map(|(name, _)| format!("{name}=… (not shown)\n")).collect();
                for (name, _) in text.lines().filter_map(pair).filter(|(n, v)| steers_as(n, v)) {
                    lines.push(format!("({name} is left out: it steers programs)\n"));
                }
                lines.concat()
            }
            Kind::Servers => sources::legible(&text),
            Kind::Hooks => match text.parse::<toml::Table>() {
                Ok(mut table) => {
                    if hide(&mut table) {
                        table.to_string()
                    } else {
                        text
                    }
                }
                Err(_) => "(no TOML)\n".to_owned(),
            },
            Kind::Memory => Redactor::default().mask(&text).into_owned(),
            Kind::Settings | Kind::Recipe(_) | Kind::Script => text,
        }
    }
}

fn shorten(line: &str) -> String {
    if line.chars().count() <= MOST_CHARS {
        return line.to_owned();
    }
    let head: String = line.chars().take(MOST_CHARS - 1).collect();
    format!("{head}…")
}

/// What the project's settings do, a line each: of the user's own, those of sessions are only lowered.
fn settings(text: &str) -> Vec<String> {
    let line = |l: &String| match l.strip_prefix("session.").and_then(|rest| rest.split_once(" = ")) {
        Some((key, most)) => format!("lowers session.{key} to {most}, where it is more"),
        None => format!("sets {l}"),
    };
    flat(text).iter().map(line).collect()
}

/// Every value of a TOML file on a line.
fn flat(text: &str) -> Vec<String> {
    fn walk(path: &str, value: &toml::Value, into: &mut Vec<String>) {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    walk(&path, value, into);
                }
            }
            toml::Value::Array(list) => into.extend(list.iter().map(|v| format!("{path}: {v}"))),
            toml::Value::String(_)
            | toml::Value::Integer(_)
            | toml::Value::Float(_)
            | toml::Value::Boolean(_)
            | toml::Value::Datetime(_) => into.push(format!("{path} = {value}")),
        }
    }
    let mut lines = Vec::new();
    walk("", &toml::Value::Table(text.parse().unwrap_or_default()), &mut lines);
    lines
}

/// Hides the values in tables of variables and headers. Returns whether there were any.
fn hide(table: &mut toml::Table) -> bool {
    let mut any = false;
    for (key, value) in table.iter_mut() {
        let secret = matches!(key.as_str(), "env" | "environment" | "headers");
        match value {
            toml::Value::Table(inner) if secret => {
                for (_, value) in inner.iter_mut() {
                    *value = toml::Value::String("… (not shown)".to_owned());
                    any = true;
                }
            }
            toml::Value::Table(inner) => any |= hide(inner),
            toml::Value::Array(list) => {
                for inner in list.iter_mut().filter_map(toml::Value::as_table_mut) {
                    any |= hide(inner);
                }
            }
            toml::Value::String(_)
            | toml::Value::Integer(_)
            | toml::Value::Float(_)
            | toml::Value::Boolean(_)
            | toml::Value::Datetime(_) => {}
        }
    }
    any
}

/// The variables of an `.env` file that commands may get: `NAME=value` lines, `export` before them or
/// not, quotes around the value taken off, nothing expanded.
pub fn variables(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, value) in text.lines().filter_map(pair).filter(|(n, v)| !steers_as(n, v)) {
        all.retain(|(n, _)| n != name);
        all.push((name.to_owned(), value));
    }
    all
}

fn pair(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let mut letters = name.chars();
    let first = letters.next()?;
    let sound = (first.is_ascii_alphabetic() || first == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !sound || value.contains('\0') {
        return None;
    }
    let value = value.trim();
    let quoted = |q: char| value.strip_prefix(q).and_then(|v| v.split_once(q)).map(|(v, _)| v);
    let plain = || value.split(" #").next().unwrap_or_default().trim_end();
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or_else(plain);
    Some((name, value.to_owned()))
}
