//! Where a name comes from that the line does not show, and what operators make of a value: `${x#a}`, `${x/a/b}`, `${x:1}`.
//!
//! Owns working these out, so far as to tell whether a secret is named so. Never gives a value on: shells differ in what
//! they make of one.

use super::expand::Feed;
use super::path::glob;
use super::secrets::names_secret;
use super::value::Value;

/// Longest value that is looked at.
const MAX_BYTES: usize = 256;

/// Where a name comes from that the line does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listed {
    /// From nowhere that is looked at: a search gave it, or the environment.
    #[default]
    No,
    /// A file holds it.
    InFile,
    /// A program or an operator made it of a text that the line shows.
    Made,
}

impl Feed {
    /// Where names come from that are taken from this.
    pub(super) const fn listed(&self) -> Listed {
        match self {
            Self::File(_) | Self::Lines { shown: false } => Listed::InFile,
            Self::Lines { shown: true } => Listed::Made,
            Self::Inherit | Self::Text(_) | Self::Fetched | Self::Other => Listed::No,
        }
    }
}

/// Where what an operator makes of a known value comes from: it counts where it is a secret's name, or may be a part of one.
pub(super) fn listed(value: &Value, operator: &str) -> Listed {
    let Some(made) = made(&value.text, operator) else { return Listed::Made };
    if made.len() < 4 || names_secret(&made) { Listed::Made } else { Listed::No }
}

fn made(value: &str, operator: &str) -> Option<String> {
    if value.len() > MAX_BYTES || operator.len() > MAX_BYTES {
        return None;
    }
    let ends = || value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let cut = |at: usize| value.split_at_checked(at);
    let head = |pattern: &str, at: &usize| cut(*at).is_some_and(|(head, _)| glob(pattern, head));
    let tail = |pattern: &str, at: &usize| cut(*at).is_some_and(|(_, tail)| glob(pattern, tail));
    let (first, last) = (|at: Option<usize>| at.unwrap_or(0), |at: Option<usize>| at.unwrap_or(value.len()));
    if let Some(pattern) = operator.strip_prefix("##") {
        return cut(first(ends().rev().find(|at| head(pattern, at)))).map(|(_, tail)| tail.to_owned());
    }
    if let Some(pattern) = operator.strip_prefix('#') {
        return cut(first(ends().find(|at| head(pattern, at)))).map(|(_, tail)| tail.to_owned());
    }
    if let Some(pattern) = operator.strip_prefix("%%") {
        return cut(last(ends().find(|at| tail(pattern, at)))).map(|(head, _)| head.to_owned());
    }
    if let Some(pattern) = operator.strip_prefix('%') {
        return cut(last(ends().rev().find(|at| tail(pattern, at)))).map(|(head, _)| head.to_owned());
    }
    if let Some(rest) = operator.strip_prefix('/') {
        let (all, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
        let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = !from.is_empty() && !from.contains(['*', '?', '[', '#', '%', '\\']);
        return plain.then(|| if all { value.replace(from, to) } else { value.replacen(from, to, 1) });
    }
    if let Some(range) = operator.strip_prefix(':') {
        let (from, count) = range.split_once(':').map_or((range, None), |(from, count)| (from, Some(count)));
        let count = count.map_or(Some(usize::MAX), |count| count.trim().parse().ok())?;
        return Some(value.chars().skip(from.trim().parse().ok()?).take(count).collect());
    }
    // Only the case changes: a name of a secret counts in any.
    matches!(operator, "," | ",," | "^" | "^^" | "~" | "~~" | "@L" | "@U" | "@u").then(|| value.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_worked_out_as_bash_does() {
        for (value, operator, made_so) in [
            ("x.env", "#x", ".env"),
            ("a.b.c", "#*.", "b.c"),
            ("a.b.c", "##*.", "c"),
            ("a.b.c", "%.*", "a.b"),
            ("a.b.c", "%%.*", "a"),
            ("a", "#b", "a"),
            (".axnv", "/ax/e", ".env"),
            ("a.a", "//a/b", "b.b"),
            ("xx.envyy", ":2:4", ".env"),
            ("x.env", ":1", ".env"),
        ] {
            assert_eq!(made(value, operator).unwrap(), made_so, "{value} {operator}");
        }
        assert_eq!(made("a", "/[a]/b"), None);
    }

    #[test]
    fn a_made_name_counts_where_it_may_be_a_secrets() {
        for (value, operator, from) in [
            ("x.env", "#x", Listed::Made),
            (".ENV", ",,", Listed::Made),
            ("xnv", "#x", Listed::Made),
            ("src/a.rs", "%.rs", Listed::No),
            ("src/main.rs", "##*/", Listed::No),
        ] {
            assert_eq!(listed(&Value::of(value), operator), from, "{value} {operator}");
        }
    }
}
