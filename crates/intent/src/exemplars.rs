//! Phrases with a known reading, and the small file format that holds them.
//!
//! Owns parsing, writing and the match word for word. Never learns by itself: what a model
//! resolved is only suggested, in a file of its own.

use std::{collections::HashMap, fmt::Write as _, sync::LazyLock};

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

/// What a phrase is an example of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// The turn.
    Primary,
    /// The kind of turn, scoped to it.
    Sub,
    /// The path.
    Leaves,
}

impl Section {
    /// Every section, in the order in which a file is written.
    pub const ALL: [Self; 3] = [Self::Primary, Self::Sub, Self::Leaves];

    /// The name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Sub => "sub",
            Self::Leaves => "leaves",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// One phrase and what it is an example of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exemplar {
    /// What it tells.
    pub section: Section,
    /// The intent, such as `plan_new`, `control.cancel`, `modify`.
    pub name: String,
    /// The words.
    pub phrase: String,
    /// Whether the user wrote it.
    pub own: bool,
}

/// A set of phrases in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exemplars {
    entries: Vec<Exemplar>,
    own: HashMap<String, Vec<usize>>,
}

/// The exemplars that come with the program.
pub const BUILTIN: &str = include_str!("../../../assets/intent/exemplars.yaml");

/// Most phrases of a file of the user, and most characters of a phrase.
pub const MOST: (usize, usize) = (5000, 500);

static SHIPPED: LazyLock<Exemplars> = LazyLock::new(|| {
    let mut set = Exemplars::parse(BUILTIN).unwrap_or_default();
    for entry in &mut set.entries {
        entry.own = false;
    }
    set.own.clear();
    set
});

/// Lower case, single spaces, no closing marks.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(['.', '!', '?']).to_lowercase()
}

impl Exemplars {
    /// Those that come with the program.
    pub fn builtin() -> &'static Self {
        &SHIPPED
    }

    /// Parses `section:` / `  name:` / `    - phrase` as phrases of the user.
    ///
    /// # Errors
    /// At the first line that is none of these, or that names no known section or intent.
    pub fn parse(yaml: &str) -> Result<Self, ExemplarError> {
        let mut out = Self::default();
        let (mut section, mut name): (Option<Section>, String) = (None, String::new());
        for (i, line) in yaml.trim_start_matches('\u{feff}').lines().enumerate() {
            let fail = |column: usize, message: &str| ExemplarError {
                line: i + 1,
                column,
                message: message.to_owned(),
            };
            let body = line.trim_end();
            let indent = body.chars().take_while(|c| *c == ' ').count();
            let text = body.trim_start();
            if text.is_empty() || text.starts_with('#') || (text == "---" && out.entries.is_empty()) {
                continue;
            }
            if let Some(tab) = line.chars().position(|c| c == '\t') {
                return Err(fail(tab + 1, "a tab; indent with spaces"));
            }
            if let Some(phrase) = text.strip_prefix('-') {
                let Some(section) = section.filter(|_| !name.is_empty()) else {
                    return Err(fail(indent + 1, "a phrase outside an intent"));
                };
                let phrase = scalar(phrase.trim()).map_err(|m| fail(indent + 3, m))?;
                if normal(&phrase).is_empty() {
                    return Err(fail(indent + 2, "an empty phrase"));
                }
                if phrase.chars().count() > MOST.1 || out.entries.len() >= MOST.0 {
                    return Err(fail(indent + 3, "too long; at most 5000 phrases of 500 characters"));
                }
                out.add(section, &name, &phrase);
                continue;
            }
            let key = text.split_once(" #").map_or(text, |(key, _)| key.trim_end());
            let Some(key) = key.strip_suffix(':') else {
                return Err(fail(
                    indent + text.chars().count() + 1,
                    "expected a key with a colon, or \"- phrase\"",
                ));
            };
            if indent == 0 {
                let known = Section::named(key);
                (section, name) = (
                    Some(known.ok_or_else(|| fail(1, "a section is one of primary, sub, leaves"))?),
                    String::new(),
                );
            } else {
                known(section, key).map_err(|m| fail(indent + 1, m))?;
                key.clone_into(&mut name);
            }
        }
        Ok(out)
    }

    /// Whether some section has an intent of this name.
    pub fn knows(name: &str) -> bool {
        Section::ALL.into_iter().any(|s| known(Some(s), name).is_ok())
    }

    /// Adds a phrase of the user, unless the same one stands under the same intent.
    pub fn add(&mut self, section: Section, name: &str, phrase: &str) -> bool {
        let same = self.own.entry(normal(phrase)).or_default();
        let stands =
            |at: &usize| self.entries.get(*at).is_some_and(|e| e.section == section && e.name == name);
        if same.iter().any(stands) {
            return false;
        }
        same.push(self.entries.len());
        let (name, phrase) = (name.to_owned(), phrase.to_owned());
        self.entries.push(Exemplar { section, name, phrase, own: true });
        true
    }

    /// As [`Self::add`], and the phrase stands under no other intent of that section from then on.
    pub fn add_alone(&mut self, section: Section, name: &str, phrase: &str) -> bool {
        let key = normal(phrase);
        let kept = |e: &Exemplar| e.section != section || e.name == name || normal(&e.phrase) != key;
        let before = self.entries.len();
        let kept: Vec<Exemplar> = self.entries.drain(..).filter(kept).collect();
        self.refill(kept);
        let dropped = self.entries.len() < before;
        self.add(section, name, phrase) || dropped
    }

    fn refill(&mut self, entries: Vec<Exemplar>) {
        self.own.clear();
        for e in entries {
            self.add(e.section, &e.name, &e.phrase);
        }
    }

    /// Keeps the newest `most` phrases.
    pub fn forget_oldest(&mut self, most: usize) {
        let old = self.entries.len().saturating_sub(most);
        let kept: Vec<Exemplar> = self.entries.drain(..).skip(old).collect();
        self.refill(kept);
    }

    /// The shipped phrases and these.
    #[must_use]
    pub fn over_builtin(mut self) -> Self {
        self.entries.extend(SHIPPED.entries.iter().cloned());
        self
    }

    /// Section, name and phrase of each exemplar.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.entries.iter().map(|e| (e.section.name(), e.name.as_str(), e.phrase.as_str()))
    }

    /// The exemplars in their order.
    pub fn entries(&self) -> &[Exemplar] {
        &self.entries
    }

    /// The phrases of the user that are `text` word for word.
    pub fn exact(&self, text: &str) -> impl Iterator<Item = &Exemplar> {
        let found = if self.own.is_empty() { None } else { self.own.get(&normal(text)) };
        found.into_iter().flatten().filter_map(|at| self.entries.get(*at))
    }

    /// The file that holds these phrases.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        for section in Section::ALL {
            let mut names: Vec<&str> =
                self.entries.iter().filter(|e| e.section == section).map(|e| e.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            if !names.is_empty() {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{}:", section.name());
            }
            for name in names {
                let _ = writeln!(out, "  {name}:");
                for e in self.entries.iter().filter(|e| e.section == section && e.name == name) {
                    let _ = writeln!(out, "    - {}", quoted(&e.phrase));
                }
            }
        }
        out
    }
}

/// The kinds of turn.
const SUBS: [&str; 14] = [
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

fn known(section: Option<Section>, key: &str) -> Result<(), &'static str> {
    match section {
        Some(Section::Primary) if matches!(key, "query" | "plan_new" | "plan_continue" | "control") => Ok(()),
        Some(Section::Primary) => Err("a primary intent is one of query, plan_new, plan_continue, control"),
        Some(Section::Sub) if SUBS.contains(&key) => Ok(()),
        Some(Section::Sub) => Err("no such sub intent"),
        Some(Section::Leaves) if key.parse::<IntentNode>().is_ok() => Ok(()),
        Some(Section::Leaves) => Err("no intent node has this name"),
        None => Err("an intent outside a section"),
    }
}

/// A phrase as YAML writes it: plain, or between quotes.
fn scalar(text: &str) -> Result<String, &'static str> {
    if let Some(rest) = text.strip_prefix('\'') {
        let (inner, after) = rest.rsplit_once('\'').ok_or("the quote is not closed")?;
        ended(after)?;
        return Ok(inner.replace("''", "'"));
    }
    if let Some(rest) = text.strip_prefix('"') {
        return double(rest);
    }
    if text.starts_with(['[', '{', '&', '*', '|', '>', '%', '@', '`']) {
        return Err("this begins something else in YAML; put the phrase between quotes");
    }
    if text.contains(" #") {
        return Err("a # after a space begins a comment; put the phrase between quotes");
    }
    Ok(text.to_owned())
}

fn double(rest: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                ended(chars.as_str())?;
                return Ok(out);
            }
            '\\' => match chars.next() {
                Some('n' | 't') => out.push(' '),
                Some(c @ ('"' | '\\' | '/')) => out.push(c),
                _ => return Err("only \\\" \\\\ \\n and \\t may follow a backslash"),
            },
            c => out.push(c),
        }
    }
    Err("the quote is not closed")
}

fn ended(after: &str) -> Result<(), &'static str> {
    let rest = after.trim_start();
    if rest.is_empty() || (rest.starts_with('#') && rest.len() < after.len()) {
        return Ok(());
    }
    Err("something stands after the closing quote")
}

fn quoted(phrase: &str) -> String {
    let safe: String = phrase.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", safe.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut set = Exemplars::default();
        for (section, name, phrase) in [
            (Section::Leaves, "execute", "say \"hi\" \\ # twice"),
            (Section::Primary, "query", "what's up: really?"),
            (Section::Sub, "control.cancel", "- stop"),
            (Section::Leaves, "execute", "ship it"),
        ] {
            assert!(set.add(section, name, phrase));
        }
        assert!(!set.add(Section::Leaves, "execute", "Ship  it!"));
        let again = Exemplars::parse(&set.to_yaml()).unwrap();
        let all = |s: &Exemplars| {
            let mut all: Vec<_> = s.entries().to_vec();
            all.sort_by(|a, b| a.phrase.cmp(&b.phrase));
            all
        };
        assert_eq!(all(&again), all(&set));
    }

    #[test]
    fn phrases_may_be_quoted_and_lines_commented() {
        let text = "\u{feff}---\n# mine\nleaves: # paths\n  execute:\n    - 'it''s time'   # yes\n    - \"ship #1\"\n";
        let set = Exemplars::parse(text).unwrap();
        assert!(set.exact("It's time!").next().is_some() && set.exact("ship #1").next().is_some());
        for bad in ["fix #12 now #x", "[a, b]", "\"a\" b", "'a", "\"a\\q\""] {
            assert!(Exemplars::parse(&format!("leaves:\n  modify:\n    - {bad}\n")).is_err(), "{bad}");
        }
    }
}
