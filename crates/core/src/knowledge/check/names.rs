//! Names in sentences: whether they exist, and whether one does something to another.
//!
//! Owns which words of a sentence are names. A plain word is none: only what is written as code is.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::Ground;
use crate::{
    knowledge::{EntityVerdict, Lines, Relation, RelationClaim, RelationVerdict, Score, Standing, Verdict},
    relpath::RelPath,
};

/// Most names of one text.
const MOST: usize = 64;

static TICKED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"`([^`\n]{1,120})`").ok());
/// Written as code wherever it stands: `a_b`, `aB`, `A::b`, `a()`, `SOME_NAME`, a path with an ending.
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\b(?:(?:[\w.-]+/)+[\w.-]+\.\w+ | [A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)+(?:\(\))? | [A-Za-z_]\w*\(\)
          | [a-z]+(?:_[a-z0-9]+)+\b | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b | [a-z]+[A-Z]\w* | (?:[A-Z][a-z0-9]+){2,}\b)",
    )
    .ok()
});
/// Abbreviations with dots in them.
const WORDS: [&str; 2] = ["e.g", "i.e"];

/// The names of a text, each once, in its order.
fn names(text: &str) -> Vec<String> {
    let (Some(ticked), Some(code)) = (&*TICKED, &*CODE) else { return Vec::new() };
    let mut found: Vec<(usize, String)> = Vec::new();
    for inner in ticked.captures_iter(text).filter_map(|c| c.get(1)) {
        found.extend(in_ticks(inner.as_str()).into_iter().map(|name| (inner.start(), name)));
    }
    let plain = ticked.replace_all(text, |m: &Captures<'_>| " ".repeat(m.get(0).map_or(0, |m| m.len())));
    let said = code.find_iter(&plain).map(|m| (m.start(), m.as_str().trim_end_matches("()").to_owned()));
    found.extend(said.filter(|(_, name)| !WORDS.contains(&name.as_str())));
    found.sort();
    let mut out: Vec<String> = Vec::new();
    for (_, name) in found {
        if !out.contains(&name) && out.len() < MOST {
            out.push(name);
        }
    }
    out
}

/// What of the words between ticks is a name: the whole where it is one, else the names in it.
fn in_ticks(inner: &str) -> Vec<String> {
    let name = inner.trim().trim_end_matches("()").trim_end_matches('!');
    let sign = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '/' | '-' | '#');
    if !name.is_empty() && name.chars().all(sign) {
        let counts = name.chars().any(char::is_alphabetic) && !name.starts_with('-') && !is_place(name);
        return if counts { vec![name.to_owned()] } else { Vec::new() };
    }
    let words = inner.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|w| w.contains('_') && w.chars().any(char::is_alphabetic)).map(str::to_owned).collect()
}

/// Whether it is a place with its line rather than a name: that is for the check of citations.
fn is_place(name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit()))
}

/// Where a name is to be found: its definition, a file of that name, or where it stands at all.
fn find(name: &str, ground: &dyn Ground) -> Option<Lines> {
    if name.contains('/') || name.rsplit_once('.').is_some_and(|(_, ending)| ending.len() <= 4) {
        let file = ground.files(name).into_iter().next();
        if file.is_some() || name.contains('/') {
            return file.map(|path| Lines { path, from: 1, to: 1 });
        }
    }
    let parts: Vec<&str> = name.split([':', '.', '#']).filter(|p| !p.is_empty()).collect();
    let (first, last) = (parts.first().copied().unwrap_or(name), parts.last().copied().unwrap_or(name));
    let stands = || {
        // `outer::name` exists where both stand in one place; each alone says nothing of the other.
        let places = if first == last { ground.mentioned(first) } else { ground.together(first, last) };
        places.into_iter().next()
    };
    ground.defined(name).into_iter().next().or_else(stands).or_else(|| {
        let path = (first == last).then(|| ground.files(first).into_iter().next()).flatten()?;
        Some(Lines { path, from: 1, to: 1 })
    })
}

/// Whether the names in a text exist.
pub fn entities(text: &str, ground: &dyn Ground) -> EntityVerdict {
    let names: Vec<(String, Option<Lines>)> =
        names(text).into_iter().map(|name| (name.clone(), find(&name, ground))).collect();
    let missing: Vec<&str> = names.iter().filter(|(_, at)| at.is_none()).map(|(n, _)| n.as_str()).collect();
    let verdict = match (names.len(), missing.as_slice()) {
        (0, _) => {
            let why = "no name is written as code; there is nothing to look for";
            Verdict { standing: Standing::Unknown, score: Score::FULL, reason: why.to_owned() }
        }
        (count, []) => Verdict::holds(format!("all names exist: {count}")),
        (count, missing) => Verdict {
            standing: Standing::Fails,
            score: Score::share(count - missing.len(), count),
            reason: format!("nowhere in the workspace: {}", missing.join(", ")),
        },
    };
    EntityVerdict { verdict, names }
}

/// Whether one name does something to another, by definitions, imports and the lines that are cited.
pub fn relation(claim: &RelationClaim, cited: &[Lines], ground: &dyn Ground) -> RelationVerdict {
    let of = |name: &'_ str| name.trim().trim_matches('`').trim_end_matches("()").to_owned();
    let (subject, object) = (of(&claim.subject), of(&claim.object));
    for name in [&subject, &object] {
        if find(name, ground).is_none() {
            return told(Verdict::fails(format!("{name} is nowhere in the workspace")), None);
        }
    }
    match claim.relation {
        Relation::Uses => uses(&subject, &object, cited, ground),
        Relation::UsedBy => uses(&object, &subject, cited, ground),
        Relation::Imports | Relation::Links => imports(&subject, &object, ground),
        Relation::ImportedBy => imports(&object, &subject, ground),
        Relation::Contains => contains(&subject, &object, ground),
    }
}

const fn told(verdict: Verdict, shown: Option<Lines>) -> RelationVerdict {
    RelationVerdict { verdict, shown }
}

/// The last part of a name.
fn last(name: &str) -> &str {
    name.rsplit([':', '.', '#']).next().unwrap_or(name)
}

/// Whether lines hold all of these names, each as a word of its own.
fn hold(lines: &Lines, names: &[&str], ground: &dyn Ground) -> bool {
    let Some(shown) = ground.file(&lines.path) else { return false };
    let count = lines.to.saturating_sub(lines.from).saturating_add(1);
    let of = shown.text.lines().skip(lines.from.saturating_sub(1)).take(count);
    let words: Vec<&str> = of.flat_map(|l| l.split(|c: char| !(c.is_alphanumeric() || c == '_'))).collect();
    names.iter().all(|n| words.contains(n))
}

fn uses(subject: &str, object: &str, cited: &[Lines], ground: &dyn Ground) -> RelationVerdict {
    let (user, used) = (last(subject), last(object));
    let mut places = ground.defined(subject);
    if places.is_empty() {
        let whole = |path| Lines { path, from: 1, to: usize::MAX };
        places = ground.files(subject).into_iter().map(whole).collect();
    }
    // Recursion cannot be told from the definition's own line.
    if user != used
        && let Some(at) = places.iter().find(|at| hold(at, &[used], ground))
    {
        let why = format!("{object} is named where {subject} is defined");
        return told(Verdict::holds(why), Some(at.clone()));
    }
    let both = cited.iter().find(|at| hold(at, &[user, used], ground)).cloned();
    let both = both.or_else(|| ground.together(user, used).into_iter().next());
    match (both, places.is_empty()) {
        (Some(at), _) => {
            told(Verdict::unknown(format!("{at} names both; which uses which, code cannot tell")), Some(at))
        }
        (None, true) => {
            told(Verdict::unknown(format!("{subject} is not defined in the workspace, only named")), None)
        }
        (None, false) => {
            told(Verdict::fails(format!("{object} is not named where {subject} is defined")), None)
        }
    }
}

fn imports(subject: &str, object: &str, ground: &dyn Ground) -> RelationVerdict {
    let files = |name: &str| -> Vec<RelPath> {
        let named = ground.files(name);
        if named.is_empty() { ground.defined(name).into_iter().map(|l| l.path).collect() } else { named }
    };
    let (from, to) = (files(subject), files(object));
    if from.is_empty() || to.is_empty() {
        return told(Verdict::unknown("which files are meant, code cannot tell"), None);
    }
    match from.into_iter().find(|path| ground.imports(path).iter().any(|i| to.contains(i))) {
        Some(path) => {
            let why = format!("{path} imports it");
            told(Verdict::holds(why), Some(Lines { path, from: 1, to: 1 }))
        }
        None => told(Verdict::fails(format!("{subject} does not import {object}")), None),
    }
}

fn contains(subject: &str, object: &str, ground: &dyn Ground) -> RelationVerdict {
    let inner = ground.defined(&format!("{}::{}", last(subject), last(object))).into_iter().next();
    let (files, outer) = (ground.files(subject), ground.defined(subject));
    let stands_in = |at: &Lines| {
        files.iter().any(|f| f == &at.path || below(&at.path, f))
            || outer.iter().any(|o| o.path == at.path && o.from <= at.from && at.to <= o.to)
    };
    match inner.or_else(|| ground.defined(object).into_iter().find(stands_in)) {
        Some(at) => told(Verdict::holds(format!("{object} stands in {subject}")), Some(at)),
        None => told(Verdict::fails(format!("{object} does not stand in {subject}")), None),
    }
}

fn below(path: &RelPath, folder: &RelPath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|r| r.starts_with('/'))
}
