//! Kinds of files: tests, text for people, settings, lock files.
//!
//! Owns what a file is by its name and the folders that it lies in, by `assets/knowledge/kinds.txt`, and nobody else
//! tells that. Never opens one.

use std::sync::LazyLock;

use pilothouse_shell::{fits, spelled_out};

static TABLE: LazyLock<Vec<Row>> =
    LazyLock::new(|| rows(include_str!("../../../assets/knowledge/kinds.txt")));

/// A kind of files that can be meant as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Tests.
    Tests,
    /// Text for people.
    Docs,
    /// Settings of programs.
    Config,
    /// What tools write down of versions.
    Locks,
}

/// What is known of a kind.
#[derive(Debug, Default)]
struct Row {
    kind: String,
    folders: Vec<String>,
    words: Vec<String>,
    files: Vec<String>,
    not: Vec<String>,
}

impl FileKind {
    /// All.
    pub const ALL: [Self; 4] = [Self::Tests, Self::Docs, Self::Config, Self::Locks];

    /// It as it is told, and kept: no file is called so.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tests => "the tests",
            Self::Docs => "the docs",
            Self::Config => "the configuration",
            Self::Locks => "the lock files",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    const fn key(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Docs => "docs",
            Self::Config => "config",
            Self::Locks => "locks",
        }
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.kind == self.key())
    }

    /// Whether a file or folder is of the kind, by its name or by a folder that it lies in.
    pub fn holds(self, path: &str) -> bool {
        let lies = |row: &Row| {
            let mut parts = path.split('/').map(str::to_lowercase);
            parts.any(|part| row.folders.contains(&part))
        };
        self.is_name_of(path) || self.row().is_some_and(lies)
    }

    /// Whether a file is of the kind by its name alone.
    pub fn is_name_of(self, path: &str) -> bool {
        let file = path.rsplit('/').next().unwrap_or(path);
        self.row().is_some_and(|row| row.names(file))
    }
}

impl Row {
    fn names(&self, file: &str) -> bool {
        let folded = file.to_lowercase();
        // A pattern with capitals means exactly those.
        let like = |pattern: &String| fits(pattern, file) || fits(pattern, &folded);
        let word = || words(file).iter().any(|word| self.words.contains(word));
        !self.not.iter().any(like) && (self.files.iter().any(like) || word())
    }
}

/// The words of a file's name, in small letters: what stands between `_`, `-` and `.`, and between capitals.
fn words(file: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![String::new()];
    let mut before: Option<char> = None;
    let mut chars = file.chars().peekable();
    while let Some(c) = chars.next() {
        let hump = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_numeric()
                    || b.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase())
            });
        if hump || matches!(c, '_' | '-' | '.') {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut().filter(|_| !matches!(c, '_' | '-' | '.')) {
            last.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    all
}

fn rows(text: &str) -> Vec<Row> {
    let mut all: Vec<Row> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if !line.starts_with(' ') {
            all.push(Row { kind: line.trim().to_owned(), ..Row::default() });
            continue;
        }
        let mut said = line.split_whitespace();
        let (what, Some(row)) = (said.next().unwrap_or_default(), all.last_mut()) else { continue };
        let into = match what {
            "folder" => &mut row.folders,
            "word" => &mut row.words,
            "not" => &mut row.not,
            _ => &mut row.files,
        };
        into.extend(said.flat_map(spelled_out));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_its_name_and_its_folders_say() {
        use FileKind::{Config, Docs, Locks, Tests};
        for (kind, files) in [
            (
                Tests,
                "src/FooTest.java src/TestFoo.java foo_test.go test_x.py x.spec.ts conftest.py a/conftest.py \
                 tests/a.rs src/test/java/A.java src/ui/tests.rs app.test.tsx HTTPTest.kt my-test-utils.js x_spec.rb \
                 FooSpec.scala OrderIT.java tests",
            ),
            (Docs, "README.md docs/use.html LICENSE-MIT notes.txt readme docs"),
            (
                Config,
                "Cargo.toml app.yaml .eslintrc .eslintrc.json tsconfig.build.json vite.config.ts package.json \
                 .github/workflows/ci.yml setup.cfg config.json .env web.config .editorconfig",
            ),
            (Locks, "Cargo.lock package-lock.json pnpm-lock.yaml go.sum"),
        ] {
            for file in files.split_whitespace() {
                assert!(kind.holds(file), "{kind:?} {file}");
            }
        }
        for (kind, files) in [
            (
                Tests,
                "src/latest.rs src/Contest.java attest.py src/spec.rs src/testing.go inspect.py openapi-spec.yaml",
            ),
            (Docs, "src/docs.rs requirements.txt CMakeLists.txt src/readme.rs"),
            (
                Config,
                "src/config.rs config.py lib/Config.java src/config/mod.rs pnpm-lock.yaml src/configure.ts data.json",
            ),
            (Locks, "src/lock.rs src/deadlock.c"),
        ] {
            for file in files.split_whitespace() {
                assert!(!kind.holds(file), "{kind:?} {file}");
            }
        }
    }
}
