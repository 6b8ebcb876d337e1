//! The commands of a project: what its files say, and what of it is found on this machine.
//!
//! Owns the list, `assets/knowledge/projects.txt`, and the readers of the files that say it themselves. Never runs
//! anything, and never takes a program of the project for one of the machine.

use std::{collections::BTreeMap, fmt, os::unix::fs::PermissionsExt, path::Path, sync::LazyLock};

use pilothouse_core::clean::Clean;
use pilothouse_tools::Jail;

use super::{
    Grounds, MANIFEST_BYTES, beginning,
    environment::{Environments, Found, Kept},
    packages,
    tree::Top,
};

/// Most names of a folder of tests that are looked at.
const MOST_TESTS: usize = 200;

/// What is known of projects.
pub(super) static KNOWLEDGE: LazyLock<Knowledge> =
    LazyLock::new(|| Knowledge::read(include_str!("../../../../assets/knowledge/projects.txt")));

/// Most bytes of a command that a file names.
const LINE_BYTES: usize = 120;

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// It tests.
    Test,
    /// It builds.
    Build,
    /// It checks.
    Lint,
    /// It formats.
    Format,
}

impl Purpose {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
            Self::Lint => "lint",
            Self::Format => "format",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Test, Self::Build, Self::Lint, Self::Format].into_iter().find(|p| p.name() == name)
    }

    /// The purpose that a script, target or recipe of that name has.
    fn of_target(name: &str) -> Option<Self> {
        match name {
            "test" | "tests" | "check" | "spec" => Some(Self::Test),
            "build" | "compile" => Some(Self::Build),
            "lint" | "clippy" | "typecheck" | "type-check" | "tsc" => Some(Self::Lint),
            "fmt" | "format" => Some(Self::Format),
            _ => None,
        }
    }
}

/// A command of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it is for.
    pub purpose: Purpose,
    /// The line.
    pub line: String,
    /// What of it is not found here; none when all is.
    pub missing: Option<String>,
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.purpose.name(), Clean::line(&self.line).as_str())?;
        match &self.missing {
            None => f.write_str(" (found)"),
            Some(what) => write!(f, " (not found here: {})", Clean::line(what).as_str()),
        }
    }
}

/// How a command comes to be known.
#[derive(Clone, Debug)]
enum Way {
    /// As it is written.
    Says { purpose: Purpose, line: &'static str, programs: Vec<&'static str>, files: Vec<&'static str> },
    /// The file is read.
    From { reader: &'static str, program: &'static str },
}

/// A kind of project: the files that show it and its commands.
#[derive(Clone, Debug)]
struct Kind {
    files: Vec<&'static str>,
    ways: Vec<Way>,
}

/// The list.
pub(super) struct Knowledge {
    kinds: Vec<Kind>,
    pub instructions: Vec<&'static str>,
    pub languages: BTreeMap<&'static str, &'static str>,
    pub environments: Vec<Kept>,
}

impl Knowledge {
    fn read(text: &'static str) -> Self {
        let mut read = Self {
            kinds: Vec::new(),
            instructions: Vec::new(),
            languages: BTreeMap::new(),
            environments: Vec::new(),
        };
        let mut head = "";
        for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
            let Some(inside) = line.strip_prefix("  ") else {
                head = line;
                if !matches!(head, "instructions" | "languages" | "environments") {
                    read.kinds.push(Kind { files: head.split_whitespace().collect(), ways: Vec::new() });
                }
                continue;
            };
            match head {
                "instructions" => read.instructions.extend(inside.split_whitespace()),
                "languages" => read.languages.extend(inside.split_once(' ')),
                "environments" => read.environments.extend(Kept::read(inside)),
                _ => {
                    if let Some(kind) = read.kinds.last_mut() {
                        kind.ways.extend(way(inside));
                    }
                }
            }
        }
        read
    }
}

fn way(line: &'static str) -> Option<Way> {
    let (first, rest) = line.split_once(' ')?;
    if first == "from" {
        let (reader, program) = rest.split_once(' ').unwrap_or((rest, ""));
        return Some(Way::From { reader, program });
    }
    let end = rest.find(" ~").or_else(|| rest.find(" ^")).unwrap_or(rest.len());
    let (line, needs) = (rest.get(..end)?, rest.get(end..)?);
    let marked = |sign: char| needs.split_whitespace().filter_map(|w| w.strip_prefix(sign)).collect();
    Some(Way::Says { purpose: Purpose::named(first)?, line, programs: marked('~'), files: marked('^') })
}

/// A kind of project that a folder is, with the files that show it.
pub(super) struct Marker {
    kind: &'static Kind,
    pub files: Vec<String>,
}

/// What kinds of project a folder is, by the names at its top.
pub(super) fn markers(top: &Top) -> Vec<Marker> {
    let marker = |kind: &'static Kind| {
        let files: Vec<String> = kind.files.iter().filter_map(|f| top.matching(f)).cloned().collect();
        (!files.is_empty()).then_some(Marker { kind, files })
    };
    KNOWLEDGE.kinds.iter().filter_map(marker).collect()
}

/// The commands of a project, each tried to be found, in the order of their purposes.
pub(super) fn found(jail: &Jail, markers: &[Marker], top: &Top, grounds: &Grounds<'_>) -> Vec<Command> {
    let mut all: Vec<Command> = Vec::new();
    let here = Here { jail, top, grounds, own: Environments::of(grounds) };
    for marker in markers {
        for way in &marker.kind.ways {
            let commands = match way {
                Way::Says { purpose, line, programs, files } => {
                    let there = files.iter().all(|f| top.matching(f).is_some());
                    there.then(|| here.command(*purpose, line, programs)).into_iter().collect()
                }
                Way::From { reader, program } => here.read(reader, program, &marker.files),
            };
            for command in commands {
                if !all.iter().any(|known| known.line == command.line) {
                    all.push(command);
                }
            }
        }
    }
    all.sort_by_key(|c| (c.purpose, c.missing.is_some()));
    all
}

/// A project, for those who read its files.
struct Here<'a> {
    jail: &'a Jail,
    top: &'a Top,
    grounds: &'a Grounds<'a>,
    own: Environments,
}

impl Here<'_> {
    /// A command, with what of it is not found; its program is that of the project's environment where one has it.
    fn command(&self, purpose: Purpose, line: &str, programs: &[&str]) -> Command {
        let (first, rest) = line.split_once(' ').map_or((line, ""), |(first, rest)| (first, rest));
        let found = self.find(first);
        let missing = programs.iter().find_map(|p| self.find(p).err());
        let blank = if rest.is_empty() { "" } else { " " };
        let line = found.as_ref().map_or_else(|_| line.to_owned(), |first| format!("{first}{blank}{rest}"));
        Command { purpose, line, missing: found.err().or(missing) }
    }

    /// A program as a line names it, else what is missing.
    fn find(&self, name: &str) -> Result<String, String> {
        match self.own.find(name) {
            Found::There(path) => Ok(path),
            Found::Lacking(missing) => Err(missing),
            Found::Elsewhere if on_path(name, self.grounds.path, Some(self.grounds.root)) => {
                Ok(name.to_owned())
            }
            Found::Elsewhere if name.contains('/') && runs(&self.grounds.root.join(name)) => {
                Ok(name.to_owned())
            }
            Found::Elsewhere => Err(name.to_owned()),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.top.matching(name).is_some()
    }

    fn text(&self, name: &str) -> String {
        beginning(self.jail, name, MANIFEST_BYTES).map_or_else(String::new, |(text, _)| text)
    }

    fn read(&self, reader: &str, program: &str, files: &[String]) -> Vec<Command> {
        let Some(file) = files.first() else { return Vec::new() };
        match reader {
            "scripts" => self.scripts(file),
            "python" => self.python(),
            "unittest" => self.unittest().into_iter().collect(),
            "targets" => self.targets(file, program),
            _ => Vec::new(),
        }
    }

    /// The scripts of a `package.json`, by the package manager whose lock file is there.
    fn scripts(&self, file: &str) -> Vec<Command> {
        let manager = packages::manager(|lock| self.has(lock));
        let text = self.text(file);
        let Ok(package) = serde_json::from_str::<serde_json::Value>(&text) else { return Vec::new() };
        let lacking = packages::needed(&package) && !packages::installed(self.grounds.root);
        let scripts = package.get("scripts").and_then(|s| s.as_object()).into_iter().flatten();
        let mut all = Vec::new();
        for (name, runs) in scripts {
            let none = runs.as_str().is_none_or(|r| r.contains("no test specified"));
            let Some(purpose) = Purpose::of_target(name).filter(|_| !none) else { continue };
            let line =
                if name == "test" { format!("{manager} test") } else { format!("{manager} run {name}") };
            let mut command = self.command(purpose, &line, &[]);
            if command.missing.is_none() && lacking {
                command.missing = Some("node_modules; its packages are not installed".to_owned());
            }
            all.push(command);
        }
        // Of the scripts with one purpose the one called so goes first.
        all.sort_by_key(|c| !c.line.ends_with(c.purpose.name()));
        all
    }

    /// The tests of a Python project that says nothing of its tools, where one of them is a case of `unittest`.
    fn unittest(&self) -> Option<Command> {
        let folder = ["tests", "test"].into_iter().find(|folder| self.has(&format!("{folder}/")))?;
        let entries = self.grounds.root.join(folder).read_dir().ok()?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MOST_TESTS).collect();
        names.sort_unstable();
        let test = |name: &&String| name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test"));
        let mut tests = names.iter().filter(test).map(|name| self.text(&format!("{folder}/{name}")));
        if !tests.any(|text| text.contains("unittest")) {
            return None;
        }
        // A package is found from the top, where its own names are what they are.
        let package = names.iter().any(|name| name == "__init__.py");
        let line = if package {
            "python3 -m unittest".to_owned()
        } else {
            format!("python3 -m unittest discover -s {folder}")
        };
        Some(self.command(Purpose::Test, &line, &[]))
    }

    /// What a Python project says of its tools.
    fn python(&self) -> Vec<Command> {
        let text = self.text("pyproject.toml");
        let table = text.parse::<toml::Table>().unwrap_or_default();
        let tool = |name: &str| table.get("tool").and_then(|t| t.get(name)).is_some();
        let wrap = match () {
            () if self.has("uv.lock") => "uv run ",
            () if tool("poetry") || self.has("poetry.lock") => "poetry run ",
            () => "",
        };
        // Without the program that would begin it, the environment that it made is there all the same.
        let begins = |wrap: &str| self.find(wrap.trim_end_matches(" run ")).is_ok();
        let wrap = if !self.own.is_empty() && !begins(wrap) { "" } else { wrap };
        let names = ["requirements.txt", "requirements-dev.txt", "setup.cfg", "tox.ini", "Pipfile"];
        let said = names.iter().map(|n| self.text(n)).collect::<String>() + &text;
        let mut all = Vec::new();
        let pytest = self.has("pytest.ini") || self.has("conftest.py") || said.contains("pytest");
        // Tests in a folder that is no package find the project's own modules only where python starts at its top, unless
        // something else sees to that.
        let folders = ["tests", "test"].into_iter().filter(|folder| self.has(&format!("{folder}/")));
        let apart = folders.filter(|f| !self.grounds.root.join(f).join("__init__.py").exists()).count() > 0;
        let finds = self.has("conftest.py") || said.contains("pythonpath") || !wrap.is_empty();
        if pytest && apart && !finds {
            all.push(self.command(Purpose::Test, "python3 -m pytest", &["pytest"]));
        } else if pytest {
            all.push(self.command(Purpose::Test, &format!("{wrap}pytest"), &[]));
        }
        let mut add = |purpose, line: String, wrapped: bool| {
            let line = if wrapped { format!("{wrap}{line}") } else { line };
            all.push(self.command(purpose, &line, &[]));
        };
        if self.has("tox.ini") || tool("tox") {
            add(Purpose::Test, "tox".to_owned(), false);
        }
        if !pytest && (self.has("tests/") || self.has("test/")) {
            let folder = if self.has("tests/") { "tests" } else { "test" };
            add(Purpose::Test, format!("python3 -m unittest discover -s {folder}"), false);
        }
        for (word, purpose, line) in [
            ("ruff", Purpose::Lint, "ruff check ."),
            ("mypy", Purpose::Lint, "mypy ."),
            ("flake8", Purpose::Lint, "flake8"),
            ("black", Purpose::Format, "black ."),
        ] {
            if said.contains(word) {
                add(purpose, line.to_owned(), true);
            }
        }
        all
    }

    /// Targets of a Makefile or Rakefile, recipes of a justfile.
    fn targets(&self, file: &str, program: &str) -> Vec<Command> {
        let text = self.text(file);
        let mut all = Vec::new();
        for line in text.lines() {
            let name = match program {
                "rake" => {
                    line.trim_start().strip_prefix("task ").map(|l| l.trim_start_matches([':', '"', '\'']))
                }
                _ => Some(line),
            };
            let end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            let Some((name, rest)) = name.map(|n| n.split_at(n.find(end).unwrap_or(n.len()))) else {
                continue;
            };
            // `name:`, and never `name := value`; of a recipe what it takes may stand between.
            let opens = match program {
                "make" => rest.trim_start().starts_with(':') && !rest.contains(":="),
                "just" => rest.contains(':') && !rest.contains(":="),
                _ => true,
            };
            if let Some(purpose) = Purpose::of_target(name).filter(|_| opens) {
                all.push(self.command(purpose, &format!("{program} {name}"), &[]));
            }
        }
        all.retain(|c| c.line.len() <= LINE_BYTES);
        all
    }
}

/// Whether a program is on the user's search path, outside this project.
pub(super) fn on_path(name: &str, path: &str, outside: Option<&Path>) -> bool {
    let inside = |folder: &Path| outside.is_some_and(|root| folder.starts_with(root));
    let folders = std::env::split_paths(path).filter(|f| f.is_absolute() && !inside(f));
    !name.contains('/') && folders.map(|f| f.join(name)).any(|p| runs(&p))
}

/// Whether a file is a program.
pub(super) fn runs(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
