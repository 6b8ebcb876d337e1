//! Commands: finds out which one is meant, runs it and reports how it ended.
//!
//! Owns the guess from a project's files to its commands, where none is told that was found here. Every command is
//! shown and asked about by the session before it runs.

use pilothouse_core::digest::{digest, is_verdict};
use serde_json::json;

use super::{
    browse::names,
    found::count,
    pattern::{Pattern, group},
    request::Job,
    scene::{Move, Scene},
    trade,
};

/// Lines of output that are repeated in the report.
const TAIL: usize = 12;
/// Lines of what git shows, which begins with what matters.
const HEAD: usize = 40;

/// A file that says how a project is worked on: tests, build, lint, format.
const MANIFESTS: [(&str, [&str; 4]); 17] = [
    ("Cargo.toml", ["cargo test", "cargo build", "cargo clippy --all-targets", "cargo fmt"]),
    ("pnpm-lock.yaml", ["pnpm test", "pnpm run build", "pnpm run lint", "pnpm run format"]),
    ("yarn.lock", ["yarn test", "yarn build", "yarn lint", "yarn format"]),
    ("bun.lock", ["bun test", "bun run build", "bun run lint", "bun run format"]),
    ("package.json", ["npm test", "npm run build", "npm run lint", "npm run format"]),
    ("uv.lock", ["uv run pytest", "uv build", "uv run ruff check .", "uv run ruff format ."]),
    ("pyproject.toml", PYTHON),
    ("setup.py", PYTHON),
    ("pytest.ini", PYTHON),
    ("go.mod", ["go test ./...", "go build ./...", "go vet ./...", "gofmt -w ."]),
    ("gradlew", ["./gradlew test", "./gradlew build", "./gradlew check", ""]),
    ("pom.xml", ["mvn test", "mvn package", "mvn verify", ""]),
    ("mix.exs", ["mix test", "mix compile", "mix credo", "mix format"]),
    ("Package.swift", ["swift test", "swift build", "", ""]),
    ("Rakefile", ["rake test", "rake build", "", ""]),
    ("justfile", ["just test", "just build", "just lint", "just format"]),
    ("Makefile", ["make test", "make", "make lint", "make format"]),
];

const PYTHON: [&str; 4] = ["python -m pytest", "python -m build", "ruff check .", "ruff format ."];

static EXIT: Pattern = Pattern::new(
    r"(?i)^(?:.{0,40}\b)?exit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))?\s*[:=]?\s*(?<code>-?\d+)\b",
);

/// The exit code that the result of `run` names in its first or else its last line.
pub(super) fn exit_code(text: &str) -> Option<i64> {
    let line = |l: &str| group(&EXIT.captures(l)?, "code").parse().ok();
    text.lines().next().and_then(line).or_else(|| text.trim_end().lines().next_back().and_then(line))
}

/// The command line of a job.
pub(super) fn line(scene: &Scene<'_>, job: &Job) -> Result<String, Move> {
    let (which, purpose, name) = match job {
        Job::Command(command) => return Ok(command.clone()),
        Job::Start => return starts(scene)?.map(|(_, line)| line.to_owned()).ok_or_else(no_start),
        Job::Install(package) => return install(scene, package),
        Job::Tests => (0, "test", "run the tests"),
        Job::Build => (1, "build", "build"),
        Job::Lint => (2, "lint", "lint"),
        Job::Format => (3, "format", "format"),
    };
    let heard = scene.ask("list", json!({"path": ".", "depth": 1}))?;
    if let Some(why) = heard.failed {
        return Err(Move::Say(format!("I couldn't look for the project's files: {why}")));
    }
    let files: Vec<&str> = heard.text.lines().map(|l| l.trim().trim_start_matches("./")).collect();
    let found = scene.commands().find(|(what, _)| *what == purpose).map(|(_, line)| line);
    let usual = || {
        let there = MANIFESTS.iter().filter(|(file, _)| files.contains(file));
        there.filter_map(|(_, commands)| commands.get(which).copied()).find(|line| !line.is_empty())
    };
    match found.or_else(usual) {
        Some(command) => Ok(command.to_owned()),
        None => Err(Move::Say(format!(
            "I can't tell how to {name} here: this folder has no Cargo.toml, package.json, pyproject.toml, go.mod, Makefile or the like. Give the command itself: run `…`."
        ))),
    }
}

/// How the program is started, where a file of the folder says it.
pub(super) fn start(scene: &Scene<'_>) -> Result<String, Move> {
    let (file, line) = starts(scene)?.ok_or_else(no_start)?;
    Ok(format!(
        "According to {file}, `{line}` starts it. Say `run {line}` and I'll run it; you are asked first."
    ))
}

/// The file that says how the program is started, and its line.
fn starts(scene: &Scene<'_>) -> Result<Option<(&'static str, &'static str)>, Move> {
    let heard = scene.ask("list", json!({"path": ".", "depth": 1}))?;
    let files: Vec<&str> = names(heard.text).collect();
    Ok(STARTS.iter().find(|(file, _)| files.contains(file)).copied())
}

fn no_start() -> Move {
    Move::Say("I can't tell how this is started: no file I know in this folder says so. Its README may. Give the command itself: run `…`.".to_owned())
}

/// The line that adds a package.
fn install(scene: &Scene<'_>, package: &str) -> Result<String, Move> {
    let heard = scene.ask("list", json!({"path": ".", "depth": 1}))?;
    let files: Vec<&str> = names(heard.text).collect();
    let command = trade::adds(&files).ok_or_else(|| {
        Move::Say(format!(
            "I can't tell how {package} is installed here: no file I know in this folder says so. Give the command itself: run `…`."
        ))
    })?;
    Ok(format!("{command} {package}"))
}

/// Files that say how a project's program is started.
const STARTS: [(&str, &str); 11] = [
    ("Cargo.toml", "cargo run"),
    ("go.mod", "go run ."),
    ("pnpm-lock.yaml", "pnpm start"),
    ("yarn.lock", "yarn start"),
    ("package.json", "npm start"),
    ("manage.py", "python manage.py runserver"),
    ("main.py", "python main.py"),
    ("app.py", "python app.py"),
    ("gradlew", "./gradlew run"),
    ("mix.exs", "mix run"),
    ("Package.swift", "swift run"),
];

/// Runs a job and reports.
pub(super) fn run(scene: &Scene<'_>, job: &Job) -> Result<String, Move> {
    let command = line(scene, job)?;
    let heard = scene.ask("run", json!({"command": command}))?;
    Ok(report(&command, heard.text, heard.failed))
}

/// How a command ended, with the end of what it printed.
pub(super) fn report(command: &str, output: &str, failed: Option<&str>) -> String {
    let code = exit_code(output);
    let first = output.lines().next().unwrap_or_default();
    let verdict = match (code, failed) {
        (Some(0), _) => match passed(output) {
            0 => "succeeded (exit 0)".to_owned(),
            n => return format!("`{command}` passed: {}.", count(n, "test")),
        },
        (Some(code), _) => format!("failed (exit {code})"),
        (None, _) if first.starts_with("stopped after") => format!("was {first}"),
        (None, Some(why)) => return format!("`{command}` did not run: {why}"),
        (None, None) if first.starts_with("ended by signal") => first.to_owned(),
        (None, None) => "ended with an unknown exit code".to_owned(),
    };
    if let Some(told) = digest(output).filter(|_| code != Some(0)) {
        let (head, rest) = told.split_once('\n').unwrap_or((&told, ""));
        let rest = rest.trim_matches('\n').replace("```", "'''");
        let block = if rest.is_empty() { String::new() } else { format!("\n\n```text\n{rest}\n```") };
        return format!("`{command}` {verdict}: {head}{block}");
    }
    // The first line says how it ended, which stands in the verdict.
    let head = usize::from(exit_code(first).is_some() || failed.is_some());
    let lines: Vec<&str> = output.lines().skip(head).collect();
    // What stands before the first stream is the workbench's own.
    let heading = lines.iter().position(|l| is_heading(l)).unwrap_or_default();
    let (told, lines) = lines.split_at(heading);
    let held = told.iter().any(|l| l.contains("\"outside\": true") || l.contains("\"network\": true"));
    let (out, err): (Vec<&str>, Vec<&str>) = streams(lines.iter().copied());
    if code == Some(0) && command.starts_with("git ") && !out.is_empty() {
        return printed(command, &out);
    }
    let tail = |lines: &[&str]| lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default().join("\n");
    // What went well is told on one stream; a failure may stand on either.
    let tail = match (tail(&out), tail(&err)) {
        (out, err) if out.is_empty() => err,
        (out, err) if err.is_empty() || code == Some(0) => out,
        (out, err) => format!("{out}\n{err}"),
    };
    let mut text = match tail.as_str() {
        "" => format!("`{command}` {verdict}, without output."),
        tail => {
            format!("`{command}` {verdict}. Its last lines:\n\n```text\n{}\n```", tail.replace("```", "'''"))
        }
    };
    if held {
        text.push_str(&format!(
            "\n\nIt ran in the sandbox, which may be the reason; `!!{command}` runs it outside."
        ));
    }
    text
}

/// What git shows.
fn printed(command: &str, lines: &[&str]) -> String {
    let shown = lines.get(..lines.len().min(HEAD)).unwrap_or_default().join("\n").replace("```", "'''");
    let more = lines.len().saturating_sub(HEAD);
    let more =
        if more > 0 { format!("\n\n… and {}.", count(more as u64, "more line")) } else { String::new() };
    format!("`{command}` printed:\n\n```text\n{shown}\n```{more}")
}

static PASSED: Pattern =
    Pattern::new(r"\b(?<n>\d+) pass(?:ed|ing)\b|^Ran (?<ran>\d+) tests?\b|^# pass (?<tap>\d+)");

/// How many tests passed, by the lines in which a tool sums that up; what counts files of tests counts no tests.
fn passed(output: &str) -> u64 {
    let sums = output.lines().map(str::trim).filter(|l| is_verdict(l));
    // What hides that something failed has not passed.
    if digest(output).is_some() {
        return 0;
    }
    let tests = sums.filter(|l| !l.starts_with("Test Suites") && !l.starts_with("Test Files"));
    let number = |l: &str| {
        let found = PASSED.captures(l)?;
        ["n", "ran", "tap"].iter().find_map(|name| group(&found, name).parse::<u64>().ok())
    };
    tests.filter_map(number).sum()
}

/// Whether a line says whose output comes after it.
fn is_heading(line: &str) -> bool {
    matches!(line, "stdout:" | "stderr:")
}

/// The lines of both streams; lines before the first heading count as output.
fn streams<'t>(lines: impl Iterator<Item = &'t str>) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut is_error = false;
    for line in lines.filter(|l| !l.trim().is_empty()) {
        match line {
            "stdout:" => is_error = false,
            "stderr:" => is_error = true,
            _ if is_error => err.push(line),
            _ => out.push(line),
        }
    }
    (out, err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_exit_and_the_last_lines() {
        let output = "running 2 tests\ntest a ... ok\n\ntest result: ok\nexit 0";
        assert!(
            report("cargo test", output, None)
                .starts_with("`cargo test` succeeded (exit 0). Its last lines:")
        );
        assert!(report("x", "exit code: 101", None).contains("failed (exit 101)"));
        assert!(
            report("x", "exited with status 2", Some("exited with status 2")).contains("failed (exit 2)")
        );
        let denied = "the user denied the command";
        assert_eq!(report("x", denied, Some(denied)), "`x` did not run: the user denied the command");
        assert!(report("x", "hello", None).contains("ended with an unknown exit code"));
        let real = "exit 0, took 1.2 s\nstdout:\nchild exited with code 3\nbye";
        assert_eq!(
            report("x", real, None),
            "`x` succeeded (exit 0). Its last lines:\n\n```text\nchild exited with code 3\nbye\n```"
        );
        let both = "exit 0, took 1.2 s\nstdout:\n1 file written\nstderr:\n   Compiling a";
        assert!(report("x", both, None).ends_with("```text\n1 file written\n```"));
        let both = both.replace("exit 0", "exit 101");
        assert!(report("x", &both, None).ends_with("```text\n1 file written\n   Compiling a\n```"));
        let held = "exit 1, took 0.1 s\n(it ran in a sandbox; run it again with \"outside\": true)\nstderr:\nread-only";
        assert_eq!(
            report("make", held, None),
            "`make` failed (exit 1). Its last lines:\n\n```text\nread-only\n```\n\nIt ran in the sandbox, which may be the reason; `!!make` runs it outside."
        );
        let slow = "stopped after its time limit of 120 s, took 120.0 s";
        assert!(report("x", slow, Some(slow)).starts_with("`x` was stopped after its time limit"));
    }
}
