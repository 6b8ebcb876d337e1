//! The results of `search` and `read` as data again.
//!
//! Owns the reading of their text forms.

use std::collections::BTreeMap;

pub(super) use pilothouse_core::money::count;

use super::pattern::{Pattern, group};

/// One line that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub path: String,
    pub line: u64,
    pub text: String,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub hits: Vec<Hit>,
    /// Matches and files that the search counted; more than the lines here when it was cut.
    pub matches: u64,
    pub files: u64,
    /// Whether the search stopped early, or its result was cut in the middle.
    short: bool,
    /// Whether there are files that were not looked at.
    pub partial: bool,
}

static HIT: Pattern = Pattern::new(r"^(?<path>.+?):(?<line>\d+): ?(?<text>.*)$");
static TALLY: Pattern = Pattern::new(r"(?i)\b(?<matches>\d+)\+? match(?:es)? in (?<files>\d+)\+? files?\b");
static NUMBERED: Pattern = Pattern::new(r"^ *(?<line>\d+)(?:  (?<text>.*)|\s*)$");

impl Found {
    pub fn read(text: &str) -> Self {
        let mut found = Self::default();
        for line in whole_lines(text) {
            if let Some(hit) = HIT.captures(line) {
                found.hits.push(Hit {
                    path: group(&hit, "path").trim_start_matches("./").to_owned(),
                    line: group(&hit, "line").parse().unwrap_or_default(),
                    text: group(&hit, "text").to_owned(),
                });
            } else if let Some(tally) = TALLY.captures(line) {
                found.matches = group(&tally, "matches").parse().unwrap_or_default();
                found.files = group(&tally, "files").parse().unwrap_or_default();
            }
        }
        found.short = text.contains("there are more") || is_cut(text);
        found.partial = text.contains("names were looked at") || text.contains("searched to the end");
        found.matches = found.matches.max(found.hits.len() as u64);
        found.files = found.files.max(found.by_file().len() as u64);
        found
    }

    /// The lines of each file, in order.
    pub fn by_file(&self) -> BTreeMap<&str, Vec<&Hit>> {
        let mut files: BTreeMap<&str, Vec<&Hit>> = BTreeMap::new();
        for hit in &self.hits {
            files.entry(&hit.path).or_default().push(hit);
        }
        files
    }

    /// Whether files are missing from the lines.
    pub fn is_cut(&self) -> bool {
        let files = self.by_file().len() as u64;
        // The matches of one file may be cut without harm: the file is known.
        self.files > files || (self.short && self.files != 1)
    }

    /// Notes that not everything was searched.
    pub fn miss_some(&mut self) {
        self.short = true;
    }

    /// Takes in what another search found.
    pub fn join(&mut self, other: Self) {
        self.hits.extend(other.hits);
        self.matches += other.matches;
        self.files += other.files;
        self.short |= other.short;
        self.partial |= other.partial;
    }
}

impl Hit {
    /// `path:line`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }

    /// One line of an answer.
    pub fn quoted(&self) -> String {
        let text: String = self.text.trim().chars().take(100).collect();
        format!("- {}: `{}`", self.place(), text.replace('`', "'"))
    }
}

/// Whether a long result was cut in its middle before the engine saw it.
pub(super) fn is_cut(text: &str) -> bool {
    text.lines().any(is_cut_mark)
}

fn is_cut_mark(line: &str) -> bool {
    line.starts_with("[…") && line.contains("left out")
}

/// The lines of a result, without the one that a cut may have beheaded.
pub(super) fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut beheaded = false;
    text.lines().filter(move |line| {
        let whole = !beheaded;
        beheaded = is_cut_mark(line);
        whole && !beheaded
    })
}

/// The numbered lines of a `read`.
pub(super) fn numbered(text: &str) -> Vec<(u64, &str)> {
    let lines = whole_lines(text).filter_map(|l| NUMBERED.captures(l));
    lines.filter_map(|c| Some((group(&c, "line").parse().ok()?, group(&c, "text")))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_read_back_and_a_cut_one_is_noticed() {
        let whole = Found::read("src/a.rs:3: fn a() {\nsrc/b c.rs:10:  x: 1: 2\n3 matches in 2 files\n");
        assert_eq!(whole.hits.len(), 2);
        assert_eq!(
            whole.hits.last().map(|h| (h.place(), h.text.as_str())),
            Some(("src/b c.rs:10".into(), " x: 1: 2"))
        );
        assert_eq!((whole.matches, whole.files, whole.is_cut()), (3, 2, false));
        assert!(Found::read("a:1: x\n500 matches in 40 files").is_cut());
        assert!(Found::read("no matches in src").hits.is_empty());
        let cut = Found::read(
            "src/a.rs:1: x\n[… 9000 bytes left out …]\nc/b.rs:7: x\nsrc/c.rs:8: x\n300 matches in 3 files",
        );
        assert_eq!(cut.by_file().into_keys().collect::<Vec<_>>(), ["src/a.rs", "src/c.rs"]);
        assert!(cut.is_cut());
        assert!(
            Found::read("a:1: x\nb:1: x\nthe first 2 matches in 2 files; there are more: narrow it").is_cut()
        );
    }

    #[test]
    fn numbered_lines_are_read_back_with_their_indentation() {
        assert_eq!(
            numbered("     9  fn a() {\n    10\n    11      b\n(more)"),
            [(9, "fn a() {"), (10, ""), (11, "    b")]
        );
    }
}
