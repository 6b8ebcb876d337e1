//! Paths as components: what `.`, `..`, wildcards and unknown parts of a line's path come to.
//!
//! Owns how a path is taken apart. Never compares two.

use super::{Mark, Part, Places, UNKNOWN, Wild};

pub(super) fn mark(c: char) -> Mark {
    match c {
        '*' => Mark::Run,
        '?' => Mark::Any,
        c => Mark::One(c),
    }
}

pub(super) fn literal(path: &str) -> Vec<Part> {
    path.split('/')
        .filter(|p| !p.is_empty())
        .map(|p| Part::Name(p.chars().map(Mark::One).collect()))
        .collect()
}

/// `path` as seen from `base`, with `.` and `..` settled by their text.
pub(super) fn settle(path: &str, base: Vec<Part>, places: &Places, wild: Wild) -> Vec<Part> {
    let (mut parts, rest) = if let Some(rest) = path.strip_prefix('/') {
        (Vec::new(), rest)
    } else if path == "~" || path.starts_with("~/") {
        let home = if places.home.is_empty() { vec![Part::Deep] } else { literal(&places.home) };
        (home, path.get(2..).unwrap_or(""))
    } else if path.starts_with('~') {
        (vec![Part::Deep], path.split_once('/').map_or("", |(_, rest)| rest))
    } else {
        (base, path)
    };
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." if parts.last() == Some(&Part::Deep) => {}
            ".." => drop(parts.pop()),
            name => component(name, wild, &mut parts),
        }
    }
    parts
}

/// A component of a shell line's path: unknown text may hold slashes, a `[…]` stands for one character.
fn component(name: &str, wild: Wild, parts: &mut Vec<Part>) {
    if wild == Wild::Plain {
        parts.push(Part::Name(name.chars().map(Mark::One).collect()));
        return;
    }
    if let Some((before, _)) = name.split_once(UNKNOWN) {
        let after = name.rsplit(UNKNOWN).next().unwrap_or("");
        if after.is_empty() {
            if !before.is_empty() {
                parts.push(Part::Name(before.chars().map(mark).chain([Mark::Run]).collect()));
            }
            parts.push(Part::Deep);
        } else {
            parts.push(Part::Deep);
            parts.push(Part::Name([Mark::Run].into_iter().chain(after.chars().map(mark)).collect()));
        }
        return;
    }
    let mut marks = Vec::new();
    if wild == Wild::Shell && hides_no_dot(name) {
        marks.push(Mark::Shown);
    }
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        if c == '[' && chars.clone().any(|c| c == ']') {
            chars.by_ref().find(|c| *c == ']');
            marks.push(Mark::Any);
        } else {
            marks.push(mark(c));
        }
    }
    parts.push(Part::Name(marks));
}

/// Whether bash takes a name for one that begins with no dot: it begins with a wildcard. More stars than a shell has a
/// use for are written where another program reads the pattern.
fn hides_no_dot(name: &str) -> bool {
    let plain = name == "**" || !name.starts_with("**");
    plain && name.starts_with(['*', '?', '['])
}
