//! Kinds of files: tests, text for people, settings, lock files.
//!
//! Owns what a file is by its name and the folders that it lies in, by `assets/knowledge/kinds.txt`, and nobody else
//! tells that. Never opens one.

use std::sync::LazyLock;

use super::{fits, glob, spelled_out};

static TABLE: LazyLock<Vec<Row>> =
    LazyLock::new(|| rows(include_str!("../../../assets/knowledge/kinds.txt")).0);

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
    classes: Vec<String>,
    files: Vec<String>,
    papers: Vec<String>,
    endings: Vec<String>,
    not: Vec<String>,
    sources: Vec<String>,
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

    /// Whether a path with wildcards may lie in a folder of the kind: a part of it that names something may be one.
    pub fn may_be(self, pattern: &str) -> bool {
        let says = |part: &&str| part.contains(char::is_alphanumeric);
        let mut parts = pattern.split('/').filter(says);
        self.row().is_some_and(|row| parts.any(|part| row.folders.iter().any(|folder| glob(part, folder))))
    }

    /// Whether a file or folder is of the kind, by its name or by a folder that it lies in.
    pub fn holds(self, path: &str) -> bool {
        self.row().is_some_and(|row| row.names(file_of(path)) || row.lies(path))
    }
}

/// Whether a file is text for people and nothing that a program reads, so that no check of the code can tell anything of
/// it. What lies among the docs and is not such a text is none.
pub fn is_prose(path: &str) -> bool {
    let file = file_of(path);
    let among = |row: &Row| row.lies(path) && row.ends(file) && !row.excludes(file);
    FileKind::Docs.row().is_some_and(|row| row.names(file) || among(row))
}

/// Whether a file is what people write of a program, by its ending: no output of one.
pub fn is_source(path: &str) -> bool {
    let ending = file_of(path).rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    ending.is_some_and(|ending| TABLE.iter().any(|row| row.sources.contains(&ending)))
}

fn file_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a name is like a pattern; a pattern with capitals means exactly those.
fn like(pattern: &str, file: &str) -> bool {
    fits(pattern, file) || fits(pattern, &file.to_lowercase())
}

impl Row {
    fn names(&self, file: &str) -> bool {
        let words = words(file);
        let of_class = |class: &String| is_of_class(class, file, &words);
        !self.excludes(file)
            && (self.files.iter().any(|pattern| like(pattern, file))
                || words.iter().any(|word| self.words.contains(word))
                || self.classes.iter().any(of_class)
                || self.is_paper(file))
    }

    fn excludes(&self, file: &str) -> bool {
        self.not.iter().any(|pattern| like(pattern, file))
    }

    fn lies(&self, path: &str) -> bool {
        path.split('/').any(|part| self.folders.contains(&part.to_lowercase()))
    }

    /// Whether a name ends as texts of the kind do.
    fn ends(&self, file: &str) -> bool {
        let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        ending.is_some_and(|ending| self.endings.contains(&ending))
    }

    /// LICENSE, readme.txt, LICENSE-MIT, LICENSE-APACHE-2.0.txt; not `license_check` or `todo.py`.
    fn is_paper(&self, file: &str) -> bool {
        let stem = file.rsplit_once('.').filter(|_| self.ends(file)).map_or(file, |(stem, _)| stem);
        let shouted = |rest: &str| {
            // A dot is one of a version, and no ending.
            let plain = rest.split('.').skip(1).all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
            rest.starts_with(['-', '_']) && plain && !stem.contains(char::is_lowercase)
        };
        let folded = stem.to_lowercase();
        self.papers
            .iter()
            .filter_map(|name| folded.strip_prefix(name.as_str()))
            .any(|rest| rest.is_empty() || shouted(rest))
    }
}

/// Whether a name's last word and its ending are these, with other words before, as classes are named.
fn is_of_class(class: &str, file: &str, words: &[String]) -> bool {
    class.split('.').rev().zip(words.iter().rev()).all(|(a, b)| a == b)
        && words.len() > 2
        && file.starts_with(char::is_uppercase)
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

/// The rows of the table, and what begins a line of it that is none of its words.
fn rows(text: &str) -> (Vec<Row>, Vec<String>) {
    let (mut all, mut unknown): (Vec<Row>, Vec<String>) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if !line.starts_with(' ') {
            all.push(Row { kind: line.trim().to_owned(), ..Row::default() });
            continue;
        }
        let mut said = line.split_whitespace();
        let what = said.next().unwrap_or_default();
        match all.last_mut().and_then(|row| row.part(what)) {
            Some(into) => into.extend(said.flat_map(spelled_out)),
            None => unknown.push(what.to_owned()),
        }
    }
    (all, unknown)
}

impl Row {
    fn part(&mut self, what: &str) -> Option<&mut Vec<String>> {
        Some(match what {
            "folder" => &mut self.folders,
            "word" => &mut self.words,
            "class" => &mut self.classes,
            "file" => &mut self.files,
            "paper" => &mut self.papers,
            "ending" => &mut self.endings,
            "not" => &mut self.not,
            "source" => &mut self.sources,
            _ => return None,
        })
    }
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
                 FooSpec.scala OrderIT.java tests cypress/e2e/x.cy.ts e2e/x.ts src/__mocks__/a.js \
                 t/basic.t fixtures/a.json integration_tests/a.rs src/integration-test/java/A.java unittests/a.cc \
                 a_unittest.cc tests/README.md",
            ),
            (
                Docs,
                "README.md docs/use.html LICENSE-MIT docs/notes.txt readme docs LICENSE-APACHE-2.0 LICENSE_1_0.txt INSTALL \
                 NEWS HISTORY COPYING.LESSER readme.txt todo.org README.de.md",
            ),
            (
                Config,
                "Cargo.toml app.yaml .eslintrc .eslintrc.json tsconfig.build.json vite.config.ts package.json \
                 .github/workflows/ci.yml setup.cfg config.json .env web.config .editorconfig Makefile Dockerfile \
                 go.mod Gemfile pom.xml build.gradle .clang-format biome.json Jenkinsfile",
            ),
            (
                Locks,
                "Cargo.lock package-lock.json pnpm-lock.yaml go.sum gradle.lockfile packages.lock.json Package.resolved",
            ),
        ] {
            for file in files.split_whitespace() {
                assert!(kind.holds(file), "{kind:?} {file}");
            }
        }
        for (kind, files) in [
            (
                Tests,
                "src/latest.rs src/Contest.java attest.py src/spec.rs src/testing.go inspect.py openapi-spec.yaml src/EDIT.java \
                 AUDIT.java splitIT.java It.java test-plan.md",
            ),
            (
                Docs,
                "src/docs.rs requirements.txt CMakeLists.txt src/readme.rs todo_app.py src/todo-list.ts license_check.rs \
                 notice_board.rs readme-gen.js authors_view.tsx changelog-writer.go contributors_api.py src/license-key.c \
                 todo_list license_check notice-board TODO.PY LICENSE-GEN.PY requirements/dev.txt version.txt \
                 data/input.txt expected.txt assets/intent/words.txt out.txt test.log",
            ),
            (
                Config,
                "src/config.rs config.py lib/Config.java src/config/mod.rs pnpm-lock.yaml src/configure.ts data.json",
            ),
            (Locks, "src/lock.rs src/deadlock.c spin-lock.c rw-lock.go mutex-lock.ts read-lock.py"),
        ] {
            for file in files.split_whitespace() {
                assert!(!kind.holds(file), "{kind:?} {file}");
            }
        }
    }

    #[test]
    fn the_table_says_nothing_that_is_not_read() {
        let (all, unknown) = rows(include_str!("../../../assets/knowledge/kinds.txt"));
        assert_eq!(unknown, Vec::<String>::new());
        let keys: Vec<&str> = all.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(keys, FileKind::ALL.map(FileKind::key));
        assert_eq!(rows("tests\n  folders a\n").1, ["folders"]);
    }

    #[test]
    fn code_and_data_are_no_text_for_people_whatever_their_names_begin_with() {
        let papers: Vec<&String> = FileKind::Docs.row().into_iter().flat_map(|row| &row.papers).collect();
        assert!(papers.len() > 9, "{papers:?}");
        for paper in papers {
            for code in ["_x.py", "-x.rs", ".py", "_check", "-board", "x", "_list.txt"] {
                assert!(!is_prose(&format!("{paper}{code}")), "{paper}{code}");
            }
            for text in ["", ".md", ".txt", ".rst", ".adoc"] {
                assert!(is_prose(&format!("{paper}{text}")), "{paper}{text}");
            }
        }
        for text in ["docs/use.txt", "doc/a/use.md", "src/NOTES.md", "LICENSE-MIT"] {
            assert!(is_prose(text), "{text}");
        }
        for other in ["docs/conf.py", "docs/requirements.txt", "words.txt", "docs/Makefile", "data/a.txt"] {
            assert!(!is_prose(other), "{other}");
        }
    }
}
