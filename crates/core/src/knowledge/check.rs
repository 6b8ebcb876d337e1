//! Checks of what is said about the workspace, as far as code can tell.
//!
//! Owns the verdicts and their words. Looks at files and at the index through [`Ground`] alone.

mod claims;
mod names;
#[cfg(test)]
mod tests;

pub use claims::{contradictions, numbers};
pub use names::{entities, relation};

use super::{Citation, CitationVerdict, CitedPlace, Lines, Score, Standing, Verdict};
use crate::{blob::BlobId, fact::Shown, relpath::RelPath};

/// Where checks look.
pub trait Ground {
    /// A file as it stands; `None` when it cannot be read.
    fn file(&self, path: &RelPath) -> Option<Shown>;
    /// Where a name is defined.
    fn defined(&self, name: &str) -> Vec<Lines>;
    /// Where a name stands, as a word of its own; a few places.
    fn mentioned(&self, name: &str) -> Vec<Lines>;
    /// Where both names stand; a few places.
    fn together(&self, one: &str, other: &str) -> Vec<Lines>;
    /// The files that a file imports or links to.
    fn imports(&self, path: &RelPath) -> Vec<RelPath>;
    /// The files that are called so: by their path, its end, or their name without ending.
    fn files(&self, name: &str) -> Vec<RelPath>;
}

impl Verdict {
    pub(crate) fn new(standing: Standing, score: Score, reason: impl Into<String>) -> Self {
        Self { standing, score, reason: reason.into() }
    }

    pub(crate) fn holds(reason: impl Into<String>) -> Self {
        Self::new(Standing::Holds, Score::FULL, reason)
    }

    pub(crate) fn fails(reason: impl Into<String>) -> Self {
        Self::new(Standing::Fails, Score::NONE, reason)
    }

    pub(crate) fn unknown(reason: impl Into<String>) -> Self {
        Self::new(Standing::Unknown, Score::NONE, reason)
    }
}

/// Least digits of a hash that say which file is meant.
const DIGITS: usize = 8;

/// Whether a cited text stands where it is said to.
pub fn citation(cited: &Citation, ground: &dyn Ground) -> CitationVerdict {
    let Lines { path, from, to } = &cited.lines;
    let missing = |why: String| CitationVerdict { verdict: Verdict::fails(why), place: CitedPlace::Missing };
    let Some(shown) = ground.file(path) else { return missing(format!("{path} cannot be read")) };
    let lines: Vec<&str> = shown.text.lines().collect();
    let at = |place: CitedPlace, why: String| CitationVerdict { verdict: Verdict::holds(why), place };
    let same = is_hash(&cited.hash, shown.hash);
    let here = |reason: String| match same {
        Some(false) => {
            at(CitedPlace::Changed { hash: shown.hash }, format!("{reason}; the file changed since"))
        }
        Some(true) | None => at(CitedPlace::Exact, reason),
    };
    if *from == 0 || *from > lines.len() || to < from {
        if cited.text.trim().is_empty() {
            return missing(format!("{path} has {} lines", lines.len()));
        }
    } else {
        let there: Vec<&str> = lines.iter().skip(from - 1).take(to + 1 - from).copied().collect();
        if stands_in(&cited.text, &there) {
            if cited.text.trim().is_empty() && same == Some(false) {
                return CitationVerdict {
                    verdict: Verdict::unknown(format!(
                        "{path} changed since, and no words are quoted to be looked for"
                    )),
                    place: CitedPlace::Changed { hash: shown.hash },
                };
            }
            if cited.text.trim().is_empty() && *to > lines.len() && *to != usize::MAX {
                return missing(format!("{path} has {} lines", lines.len()));
            }
            return here(format!("it stands at {}", cited.lines));
        }
    }
    match moved(&cited.text, &lines, *from) {
        Some((from, to)) => {
            let to = Lines { path: path.clone(), from, to };
            let why = format!("it stands at {to}, not at {}", cited.lines);
            at(CitedPlace::Moved { to, hash: shown.hash }, why)
        }
        None => missing(format!("{path} does not say so")),
    }
}

/// Whether a hash, or the beginning of one, is that of the file; nothing where none is given.
fn is_hash(given: &str, now: BlobId) -> Option<bool> {
    let given = given.trim().to_ascii_lowercase();
    (given.len() >= DIGITS).then(|| now.to_string().starts_with(&given))
}

/// A text with its blanks as one each: how code is laid out does not count.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn stands_in(text: &str, lines: &[&str]) -> bool {
    squeezed(&lines.join(" ")).contains(&squeezed(text))
}

/// Where a text stands in a file, the nearest place to where it was looked for.
fn moved(text: &str, lines: &[&str], near: usize) -> Option<(usize, usize)> {
    let count = text.lines().filter(|l| !l.trim().is_empty()).count().max(1);
    let first = squeezed(text.lines().find(|l| !l.trim().is_empty())?);
    // Where the first line stands whole; the rest may be laid out over more lines than it was quoted in.
    let starts = |n: &usize| lines.get(*n).is_some_and(|l| squeezed(l).contains(&first));
    let whole = |n: &usize| {
        (count..=count * 2 + 2)
            .find(|c| stands_in(text, lines.get(*n..(n + c).min(lines.len())).unwrap_or_default()))
    };
    let mut starts: Vec<usize> = (0..lines.len()).filter(starts).collect();
    starts.sort_by_key(|n| n.abs_diff(near.saturating_sub(1)));
    if let Some((at, c)) = starts.iter().find_map(|n| whole(n).map(|c| (*n, c))) {
        return Some((at + 1, (at + c).min(lines.len())));
    }
    // The quote may begin in the middle of what was broken into lines.
    if count == 1 {
        let pairs = (0..lines.len())
            .filter(|n| stands_in(text, lines.get(*n..(n + 2).min(lines.len())).unwrap_or_default()));
        return pairs
            .min_by_key(|n| n.abs_diff(near.saturating_sub(1)))
            .map(|n| (n + 1, (n + 2).min(lines.len())));
    }
    None
}
