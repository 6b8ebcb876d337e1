//! Patterns of paths, and whether a path means something that a pattern covers.
//!
//! Owns the syntax and the comparison, component by component, never by text prefix. A path as a shell line has it may
//! hold wildcards and unknown parts itself; then the question is whether it may mean a covered file. Never asks the
//! file system.

mod settle;

use super::fault::Fault;
use settle::{literal, mark, settle};

/// One element of a name pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    One(char),
    Any,
    Run,
    /// In front of a name that begins with a wildcard of the shell: the name has no dot there.
    Shown,
}

impl Mark {
    /// Whether it stands for exactly one character.
    const fn is_one(self) -> bool {
        matches!(self, Self::One(_) | Self::Any)
    }
}

/// One component.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Any number of components.
    Deep,
    Name(Vec<Mark>),
}

/// What a pattern is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Workspace,
    Home,
    Root,
    Anywhere,
}

/// A pattern of paths: `src/**`, `*.pem`, `~/.ssh`, `/etc/hosts`. It covers what it names and everything below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    anchor: Anchor,
    parts: Vec<Part>,
    /// It names files: a folder that a line leaves open is none of them.
    files: bool,
}

/// Where the workspace, the home folder and the program's own folders are, as absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The workspace.
    pub root: String,
    /// The user's home folder; empty when it is not known.
    pub home: String,
    /// The program's own folders.
    pub own: Vec<String>,
}

impl Default for Places {
    /// A workspace that is somewhere: paths below it are told from those outside.
    fn default() -> Self {
        Self { root: "/workspace".to_owned(), home: String::new(), own: Vec::new() }
    }
}

/// A path as absolute components; those of a shell line may be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    parts: Vec<Part>,
    certain: bool,
}

/// What `*`, `?` and `[` in the path of a line stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wild {
    /// For themselves.
    Plain,
    /// For what bash makes of them: at its start a name has no dot that the pattern does not write.
    Shell,
    /// For any text.
    Any,
}

/// No path is longer than this, in bytes, nor need a pattern be.
const MAX_BYTES: usize = 4096;

/// Stands for text that a shell line does not show.
pub(super) const UNKNOWN: char = '\u{1a}';

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// With the byte at which it is wrong.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let at = |at, why: &str| Err(Fault::new(at, why));
        if text.trim().is_empty() {
            return at(0, "the path is empty; give one such as `secrets/**`");
        }
        if let Some((i, c)) = text.char_indices().find(|(_, c)| "[]{}!\\".contains(*c) || c.is_control()) {
            return at(
                i,
                &format!(
                    "{c:?} means nothing in a path; there are `*`, `?` and `**`, and a rule for each name"
                ),
            );
        }
        if text.len() > MAX_BYTES {
            return at(MAX_BYTES, "the pattern is longer than any path");
        }
        let (anchor, rest, offset) = match text {
            "~" => (Anchor::Home, "", 1),
            t if t.starts_with("~/") => (Anchor::Home, t.get(2..).unwrap_or(""), 2),
            t if t.starts_with('~') => return at(0, "only the own home folder has a short name, `~/`"),
            t if t.starts_with('/') => (Anchor::Root, t.get(1..).unwrap_or(""), 1),
            t if t.trim_end_matches('/').contains('/') => (Anchor::Workspace, t, 0),
            t => (Anchor::Anywhere, t, 0),
        };
        let mut parts = Vec::new();
        let mut position = offset;
        for name in rest.split('/') {
            match name {
                "" | "." => {}
                ".." => return at(position, "`..` is not followed; write the path that it means"),
                "**" => parts.push(Part::Deep),
                n if n.contains("**") => return at(position, "`**` stands alone between slashes"),
                n => parts.push(Part::Name(n.chars().map(mark).collect())),
            }
            position += name.len() + 1;
        }
        Ok(Self { anchor, parts, files: false })
    }

    /// The same where nothing but files has that name.
    pub(super) fn of_files(self) -> Self {
        Self { files: true, ..self }
    }

    /// The pattern of just this absolute path, whatever signs are in it.
    pub(super) fn literal(path: &str) -> Self {
        Self { anchor: Anchor::Root, parts: literal(path), files: false }
    }

    /// Whether the target means, or may mean, something that the pattern covers. `fold` leaves case out of account.
    pub fn covers(&self, target: &Target, places: &Places, fold: bool) -> bool {
        // Nearly every path is told apart by the last name of the pattern alone.
        let last = self.parts.iter().rev().find_map(|p| if let Part::Name(n) = p { Some(n) } else { None });
        let fits = |n: &Vec<Mark>| {
            target.parts.iter().any(|p| match p {
                Part::Deep => true,
                Part::Name(theirs) => name_meets(n, theirs, fold),
            })
        };
        if !last.is_none_or(fits) {
            return false;
        }
        let mut parts = match self.anchor {
            Anchor::Workspace => literal(&places.root),
            Anchor::Home if places.home.is_empty() => return false,
            Anchor::Home => literal(&places.home),
            Anchor::Root => Vec::new(),
            Anchor::Anywhere => vec![Part::Deep],
        };
        parts.extend(self.parts.iter().cloned());
        meets(&parts, &target.parts, fold, self.files)
    }

    /// Whether every name that an open target may mean ends as the pattern says: `*.rs` of `src/*.rs`.
    pub(super) fn ends(&self, target: &Target) -> bool {
        let ([Part::Name(mine)], Some(Part::Name(theirs))) = (self.parts.as_slice(), target.parts.last())
        else {
            return false;
        };
        let Some((Mark::Run, end)) = mine.split_first() else { return false };
        let written = |m: &Mark| matches!(m, Mark::One(_));
        self.anchor == Anchor::Anywhere && end.iter().all(written) && theirs.ends_with(end)
    }

    /// Whether it is about a place that the whole workspace lies in, and so not about the workspace's own files.
    pub(super) fn is_around(&self, places: &Places) -> bool {
        let root = Target { parts: literal(&places.root), certain: true };
        matches!(self.anchor, Anchor::Root | Anchor::Home) && self.covers(&root, places, false)
    }

    /// How many components at the end of the target agree with the pattern's last ones, to find what nearly matched.
    pub fn likeness(&self, target: &Target) -> usize {
        let names = |parts: &[Part]| -> Vec<Vec<Mark>> {
            let name = |p: &Part| if let Part::Name(n) = p { Some(n.clone()) } else { None };
            parts.iter().filter_map(name).collect()
        };
        let (mine, theirs) = (names(&self.parts), names(&target.parts));
        theirs.iter().filter(|t| mine.iter().any(|m| name_meets(m, t, true))).count()
    }
}

impl Target {
    /// The target of a path of the workspace, or of an absolute or `~/` path, exactly as it is written.
    pub fn exact(path: &str, places: &Places) -> Self {
        Self::read(path, "", Some(&[String::new()]), places, Wild::Plain)
            .pop()
            .unwrap_or(Self { parts: vec![Part::Deep], certain: false })
    }

    /// What a path of a shell line may mean: relative to `start` and one of `from`.
    pub fn of_line(
        path: &str,
        start: &str,
        from: Option<&[String]>,
        places: &Places,
        wild: Wild,
    ) -> Vec<Self> {
        Self::read(path, start, from, places, wild)
    }

    fn read(path: &str, start: &str, from: Option<&[String]>, places: &Places, wild: Wild) -> Vec<Self> {
        let certain = wild == Wild::Plain && from.is_some();
        let one = |text: &str, base: Vec<Part>| Self { parts: settle(text, base, places, wild), certain };
        match from {
            None => vec![one(path, vec![Part::Deep])],
            Some(from) => from
                .iter()
                .map(|folder| {
                    let base = settle(start, literal(&places.root), places, Wild::Plain);
                    let base = settle(folder, base, places, Wild::Plain);
                    one(path, base)
                })
                .collect(),
        }
    }

    /// Whether it is the other one or below it, for certain.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        self.certain
            && self.parts.len() >= other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| a == b)
    }

    /// Whether it takes in whatever lies in a folder of the workspace, or all of one kind, as a shell reads it: `src/*`, `*.json`.
    pub(super) fn takes_any(&self, places: &Places) -> bool {
        let Some((Part::Name(last), above)) = self.parts.split_last() else { return false };
        let root = literal(&places.root);
        let written =
            |part: &Part| matches!(part, Part::Name(n) if n.iter().all(|m| matches!(m, Mark::One(_))));
        let kind = |end: &[Mark]| {
            end.is_empty()
                || end.first() == Some(&Mark::One('.')) && end.iter().all(|m| matches!(m, Mark::One(_)))
        };
        matches!(last.as_slice(), [Mark::Shown, Mark::Run, end @ ..] if kind(end))
            && above.starts_with(&root)
            && above.iter().all(written)
    }

    /// What a line calls a file outside of the workspace, as seen from the home folder where it may lie below it: `~/.foo/*`;
    /// none inside.
    pub(super) fn outside(&self, places: &Places) -> Option<String> {
        let home = literal(&places.home);
        let meets = |(a, b): (&Part, &Part)| match (a, b) {
            (Part::Name(a), Part::Name(b)) => name_meets(a, b, true),
            _ => false,
        };
        let (start, rest) = match self.parts.split_at_checked(home.len()) {
            Some((above, below)) if !home.is_empty() && home.iter().zip(above).all(meets) => ("~", below),
            _ => ("", self.parts.as_slice()),
        };
        (!self.parts.starts_with(&literal(&places.root))).then(|| format!("{start}{}", shown(rest)))
    }

    /// The absolute path; none where a part of it is open.
    pub(super) fn text(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            let Part::Name(marks) = part else { return None };
            text.push('/');
            for mark in marks {
                let Mark::One(c) = mark else { return None };
                text.push(*c);
            }
        }
        Some(text)
    }

    /// Whether it means one file and no other.
    pub const fn certain(&self) -> bool {
        self.certain
    }
}

/// Components as a line has them, with `?` for any one character.
fn shown(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        text.push('/');
        match part {
            Part::Deep => text.push(UNKNOWN),
            Part::Name(marks) => text.extend(marks.iter().filter_map(|mark| match mark {
                Mark::One(c) => Some(*c),
                Mark::Any => Some('?'),
                Mark::Run => Some('*'),
                Mark::Shown => None,
            })),
        }
    }
    text
}

/// Whether some path fits both; the first also covers everything below what it names. Its last name must stand in the
/// target: where a line shows nothing, nothing is taken to stand.
fn meets(rule: &[Part], target: &[Part], fold: bool, files: bool) -> bool {
    let last = rule.iter().rposition(|p| matches!(p, Part::Name(_)));
    // `row[j]`: whether the rest of the rule meets the target from `j` on; the rule's end covers all, of a file what lies below
    // only where the line writes its name.
    let written = |part: &Part| matches!(part, Part::Name(n) if n.iter().all(|m| matches!(m, Mark::One(_))));
    let ends = |j: usize| {
        !files || j == target.len() || j.checked_sub(1).and_then(|at| target.get(at)).is_none_or(written)
    };
    let mut row: Vec<bool> = (0..=target.len()).map(ends).collect();
    for (i, part) in rule.iter().enumerate().rev() {
        let mut next = vec![false; target.len() + 1];
        for j in (0..=target.len()).rev() {
            let get = |row: &[bool], at: usize| row.get(at).copied().unwrap_or(false);
            let theirs = target.get(j);
            let fits = match (part, theirs) {
                (Part::Deep, None) => get(&row, j),
                (Part::Deep, Some(_)) => get(&row, j) || get(&next, j + 1),
                (Part::Name(_), Some(Part::Deep)) => last != Some(i) && get(&row, j) || get(&next, j + 1),
                (Part::Name(a), Some(Part::Name(b))) => name_meets(a, b, fold) && get(&row, j + 1),
                (Part::Name(_), None) => false,
            };
            if let Some(cell) = next.get_mut(j) {
                *cell = fits;
            }
        }
        row = next;
    }
    row.first().copied().unwrap_or(false)
}

/// Whether a word fits a pattern with `*` and `?`.
pub(super) fn wild(pattern: &str, text: &str) -> bool {
    let mark = |c| match c {
        '*' => Mark::Run,
        '?' => Mark::Any,
        c => Mark::One(c),
    };
    let pattern: Vec<Mark> = pattern.chars().map(mark).collect();
    name_meets(&pattern, &text.chars().map(Mark::One).collect::<Vec<_>>(), false)
}

/// Whether some name fits both patterns.
fn name_meets(a: &[Mark], b: &[Mark], fold: bool) -> bool {
    let b = match b {
        [Mark::Shown, ..] if a.first() == Some(&Mark::One('.')) => return false,
        [Mark::Shown, rest @ ..] => rest,
        all => all,
    };
    let Some((a, b)) = between_wildcards(a, b, fold) else { return false };
    match (a, b) {
        ([], rest) | (rest, []) => return rest.iter().all(|m| *m == Mark::Run),
        ([Mark::Run], rest) | (rest, [Mark::Run]) if rest.iter().all(|m| m.is_one()) => return true,
        _ => {}
    }
    let mut row: Vec<bool> = (0..=b.len()).map(|j| b.iter().skip(j).all(|m| *m == Mark::Run)).collect();
    for x in a.iter().rev() {
        let mut next = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            let get = |row: &[bool], at: usize| row.get(at).copied().unwrap_or(false);
            let fits = match (x, b.get(j)) {
                (Mark::Run, None) => get(&row, j),
                (Mark::Run, Some(_)) => get(&row, j) || get(&next, j + 1),
                (_, Some(Mark::Run)) => get(&next, j + 1) || get(&row, j),
                (_, None) => false,
                (Mark::One(x), Some(Mark::One(y))) => same(*x, *y, fold) && get(&row, j + 1),
                (_, Some(_)) => get(&row, j + 1),
            };
            if let Some(cell) = next.get_mut(j) {
                *cell = fits;
            }
        }
        row = next;
    }
    row.first().copied().unwrap_or(false)
}

/// What is left of two patterns without the characters before the first wildcard and behind the last one of either; `None`
/// where these differ: nearly all names are told apart there.
fn between_wildcards<'p>(
    mut a: &'p [Mark],
    mut b: &'p [Mark],
    fold: bool,
) -> Option<(&'p [Mark], &'p [Mark])> {
    let meet = |x: &Mark, y: &Mark| match (x, y) {
        (Mark::One(x), Mark::One(y)) => same(*x, *y, fold),
        _ => true,
    };
    while let ([x, behind_x @ ..], [y, behind_y @ ..]) = (a, b)
        && x.is_one()
        && y.is_one()
    {
        if !meet(x, y) {
            return None;
        }
        (a, b) = (behind_x, behind_y);
    }
    while let ([before_x @ .., x], [before_y @ .., y]) = (a, b)
        && x.is_one()
        && y.is_one()
    {
        if !meet(x, y) {
            return None;
        }
        (a, b) = (before_x, before_y);
    }
    Some((a, b))
}

/// Whether two characters are one; `fold` leaves case out of account.
fn same(x: char, y: char, fold: bool) -> bool {
    let folded = || match (x.is_ascii(), y.is_ascii()) {
        (true, true) => x.eq_ignore_ascii_case(&y),
        _ => x.to_lowercase().eq(y.to_lowercase()),
    };
    x == y || fold && folded()
}

#[cfg(test)]
mod tests;
