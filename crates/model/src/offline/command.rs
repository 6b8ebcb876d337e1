//! Commands: finds out which one is meant, runs it and reports how it ended.
//!
//! Owns the guess from a project's files to its commands. Every command is shown and asked about
//! by the session before it runs.

use serde_json::json;

use super::{
    pattern::{Pattern, group},
    scene::{Move, Scene},
    wish::Job,
};

/// Lines of output that are repeated in the report.
const TAIL: usize = 12;

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

static EXIT: Pattern =
    Pattern::new(r"(?i)\bexit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))?\s*[:=]?\s*(?<code>-?\d+)");

/// The command line of a job.
pub(super) fn line(scene: &Scene<'_>, job: &Job) -> Result<String, Move> {
    let (which, name) = match job {
        Job::Command(command) => return Ok(command.clone()),
        Job::Tests => (0, "run the tests"),
        Job::Build => (1, "build"),
        Job::Lint => (2, "lint"),
        Job::Format => (3, "format"),
    };
    let heard = scene.ask("list", json!({"path": ".", "depth": 1}))?;
    if let Some(why) = heard.failed {
        return Err(Move::Say(format!("I could not look for the project's files: {why}")));
    }
    let files: Vec<&str> = heard.text.lines().map(|l| l.trim().trim_start_matches("./")).collect();
    let command = MANIFESTS
        .iter()
        .filter(|(file, _)| files.contains(file))
        .find_map(|(_, commands)| commands.get(which).filter(|c| !c.is_empty()));
    match command {
        Some(command) => Ok((*command).to_owned()),
        None => Err(Move::Say(format!(
            "I cannot tell how to {name} here: there is no Cargo.toml, package.json, pyproject.toml, go.mod, Makefile or the like in this folder. Say the command itself: run `…`."
        ))),
    }
}

/// Runs a job and reports.
pub(super) fn run(scene: &Scene<'_>, job: &Job) -> Result<String, Move> {
    let command = line(scene, job)?;
    let heard = scene.ask("run", json!({"command": command}))?;
    Ok(report(&command, heard.text, heard.failed))
}

fn report(command: &str, output: &str, failed: Option<&str>) -> String {
    let codes = output.lines().rev().find_map(|l| EXIT.captures(l));
    let code = codes.map(|c| group(&c, "code").to_owned());
    if let (None, Some(why)) = (&code, failed) {
        return format!("`{command}` did not run: {why}");
    }
    let verdict = match code.as_deref() {
        Some("0") => "ended well (exit 0)".to_owned(),
        Some(code) => format!("failed (exit {code})"),
        None => "ended; its exit code is not known".to_owned(),
    };
    let lines: Vec<&str> = output.lines().filter(|l| !l.trim().is_empty()).collect();
    let tail = lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default().join("\n");
    if tail.is_empty() {
        return format!("`{command}` {verdict}.");
    }
    format!("`{command}` {verdict}. Its last lines:\n\n```text\n{}\n```", tail.replace("```", "'''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_exit_and_the_last_lines() {
        let output = "running 2 tests\ntest a ... ok\n\ntest result: ok\nexit 0";
        assert!(
            report("cargo test", output, None)
                .starts_with("`cargo test` ended well (exit 0). Its last lines:")
        );
        assert!(report("x", "exit code: 101", None).contains("failed (exit 101)"));
        assert!(
            report("x", "exited with status 2", Some("exited with status 2")).contains("failed (exit 2)")
        );
        let denied = "the user denied the command";
        assert_eq!(report("x", denied, Some(denied)), "`x` did not run: the user denied the command");
        assert!(report("x", "hello", None).contains("not known"));
    }
}
