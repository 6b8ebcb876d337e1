//! What the user said is to be left alone, held against what a command changed.
//!
//! Owns which file a name of the user's means, here and where one is taken back. Never says what was said: the turns hold that.

use crate::shell::{self, FileKind, is_source};

/// What is to be left alone in the work of one message: files by name, and kinds of files; and the files that were freed of
/// these by their own names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spared {
    said: Vec<String>,
    freed: Vec<String>,
}

impl Spared {
    /// What was said.
    pub const fn of(said: Vec<String>) -> Self {
        Self { said, freed: Vec::new() }
    }

    /// Whether nothing is.
    pub const fn is_none(&self) -> bool {
        self.said.is_empty()
    }

    /// A later message: what it frees as it was said is left alone no more, what it spares is again, and a file that it frees
    /// by name is apart from what it lies in.
    pub(crate) fn then(&mut self, spares: &[String], frees: &[String]) {
        self.said.retain(|name| !frees.contains(name));
        self.freed.retain(|file| !spares.iter().any(|name| names(name, file)));
        self.said.extend(spares.iter().cloned());
        let apart = |file: &&String| self.said.iter().any(|name| names(name, file));
        self.freed.extend(frees.iter().filter(apart).cloned());
    }

    /// What the user called a file, or what it lies in, by which it is to be left alone.
    pub(crate) fn names(&self, path: &str) -> Option<&str> {
        self.by(path, |name| names(name, path))
    }

    /// The first of what was said that holds of a path, where that was not freed by its own name.
    pub(crate) fn by(&self, path: &str, holds: impl Fn(&str) -> bool) -> Option<&str> {
        let freed = self.freed.iter().any(|file| names(file, path));
        self.said.iter().map(String::as_str).find(|name| !freed && holds(name))
    }

    /// Whether something of what is to be left alone is meant by a name.
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.said.iter().any(|said| said == name) || self.names(name).is_some()
    }

    /// What the user called a file that a command changed, where it is to be left alone. What a command makes (`comes`) is
    /// of a kind only where it is a source: the output of a test is no test.
    pub fn said_of(&self, path: &str, comes: bool) -> Option<&str> {
        let made = comes && (shell::is_made(path) || !is_source(path));
        self.by(path, |name| !(made && FileKind::named(name).is_some()) && names(name, path))
    }
}

/// How a name means a file, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Means {
    /// It is its path.
    Path,
    /// Its path ends so.
    End,
    /// It is that but for the last ending: `parser` of `src/parser.rs`.
    Stem,
    /// It is that but for several endings: `parser` of `src/parser.test.ts`.
    Root,
}

/// How a name that somebody says means a file, in any case, by the parts that it names from the end; the one rule for it.
///
/// Endings are what people leave out, one or all of them, so a name means what it is with any of its endings left out: who
/// looks for one file takes the nearest (`index` is `index.ts` before `index.test.ts`), and who holds something to be left
/// alone holds all of them, since one too many is a question and one too few is a loss. A name is never cut itself:
/// `parser.test` means `parser.test.ts` and not `parser.ts`.
pub(crate) fn means(name: &str, path: &str) -> Option<Means> {
    let (name, path) = (name.to_lowercase(), path.to_lowercase());
    let name = name.trim_start_matches("./").trim_end_matches('/');
    let path = path.trim_start_matches("./");
    if name == path {
        return Some(Means::Path);
    }
    let whole = |head: &str| head.is_empty() || head.ends_with('/');
    if name.is_empty() || path.strip_suffix(name).is_some_and(whole) {
        return Some(Means::End).filter(|_| !name.is_empty());
    }
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (within, called) = name.rsplit_once('/').unwrap_or(("", name));
    let lies = within.is_empty() || folder.strip_suffix(within).is_some_and(whole);
    let ending = file.strip_prefix(called).filter(|_| lies && !called.is_empty())?.strip_prefix('.')?;
    Some(if ending.contains('.') { Means::Root } else { Means::Stem })
}

/// Whether a file is what somebody calls by this name: that which it means, what lies in a folder of this name, or the kind
/// of files that it is of.
pub(crate) fn names(name: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    if let Some(kind) = FileKind::named(name) {
        return kind.holds(path);
    }
    let folder = name.to_lowercase();
    let inside =
        path.to_lowercase().strip_prefix(folder.trim_end_matches('/')).is_some_and(|r| r.starts_with('/'));
    inside || means(name, path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_a_file_by_the_parts_that_it_names() {
        use Means::{End, Path, Root, Stem};
        for (name, path, how) in [
            ("src/parser.rs", "src/parser.rs", Some(Path)),
            ("./SRC/Parser.rs", "src/parser.rs", Some(Path)),
            ("parser.rs", "src/parser.rs", Some(End)),
            ("readme.md", "docs/README.md", Some(End)),
            ("README", "README.md", Some(Stem)),
            ("parser", "src/parser.rs", Some(Stem)),
            ("src/parser", "lib/src/parser.rs", Some(Stem)),
            ("parser.test", "src/parser.test.ts", Some(Stem)),
            ("parser", "src/parser.test.ts", Some(Root)),
            ("src/parser", "src/parser.test.ts", Some(Root)),
            ("Makefile", "Makefile", Some(Path)),
            ("gitignore", ".gitignore", None),
            (".eslintrc", ".eslintrc.json", Some(Stem)),
            ("parser.test", "src/parser.ts", None),
            ("parse", "src/parser.rs", None),
            ("arser.rs", "src/parser.rs", None),
            ("src", "src/parser.rs", None),
            ("lib/parser", "src/parser.rs", None),
            ("b/parser", "ab/parser.rs", None),
            ("", "src/parser.rs", None),
            ("/", "src/parser.rs", None),
        ] {
            assert_eq!(means(name, path), how, "{name} of {path}");
            assert!(names(name, path) || how.is_none(), "{name} of {path}: what is meant is held");
        }
        assert!(
            names("src", "src/parser.rs")
                && names("src/", "./src/parser.rs")
                && !names("sr", "src/parser.rs")
        );
    }
}
