//! Whether a line can prove something by its exit code.
//!
//! Owns the one form in which it can: programs that work, joined by `&&`. Never judges risk, and never says whether
//! what they check is enough.

use super::parse;
use super::programs::{self, Role};
use super::syntax::{Joined, Kind, Node, Span};
use super::{Effect, Risk, effect};

/// Options by which an interpreter is given its program on the line.
const CODE: [&str; 6] = ["-c", "-e", "-p", "-r", "--eval", "--print"];

/// Whether a line ends well only where every program in it did, and one of them does more than look or print.
///
/// `cargo test`, `cd web && npm test` can; `true`, `echo ok`, `pytest || true`, `pytest; echo done`, `pytest | tail`,
/// `! pytest` and `bash -c …` cannot: another program's end, or none, would decide.
pub fn proves(line: &str) -> bool {
    let Some(nodes) = ends_together(line) else { return false };
    let mut works = false;
    for node in &nodes {
        let Kind::Simple { words, .. } = &node.kind else { return false };
        match words.first().map(|word| parse::bare(word)) {
            None | Some(Some("cd" | "export")) => {}
            Some(_) if counts(line, node.span) => works = true,
            Some(_) => return false,
        }
    }
    works
}

/// Sub-commands by which the program of a project formats it, file by file.
const FORMATS: [&str; 2] = ["fmt", "format"];

/// Whether a line checks each file by itself, as formatters and the linters of single files do: a file that it finds
/// fault with had that fault whatever became of the others.
pub fn checks_each_file(line: &str) -> bool {
    let Some(nodes) = ends_together(line) else { return false };
    let each = |call: &super::Call| {
        let formats = call.words.first().is_some_and(|w| FORMATS.contains(&w.text.as_str()));
        programs::is(&call.program, Role::Each) || formats && programs::is(&call.program, Role::Project)
    };
    let parts = nodes.iter().filter_map(|node| line.get(node.span.start..node.span.end));
    let mut calls = parts.flat_map(|part| super::read(part).calls).filter(|c| c.program != "cd").peekable();
    calls.peek().is_some() && calls.all(|call| each(&call))
}

/// Whether the end of a line says how each program in it ended: one program, or several joined by `&&`.
pub fn ends_as_one(line: &str) -> bool {
    ends_together(line).is_some()
}

/// The parts of a line whose end is that of each of them.
fn ends_together(line: &str) -> Option<Vec<Node>> {
    let (mut nodes, mut end) = (Vec::new(), 0);
    let mut joined = Joined::Always;
    for pipeline in parse::parse(line).ok()? {
        let [node] = <[Node; 1]>::try_from(pipeline.nodes).ok()?;
        let between = line.get(end..node.span.start).unwrap_or("!");
        if pipeline.background || pipeline.joined != joined || between.contains('!') {
            return None;
        }
        (end, joined) = (node.span.end, Joined::And);
        nodes.push(node);
    }
    Some(nodes)
}

/// Whether a command does something, and by itself: not through a shell or code on the line, which may end as they like.
fn counts(line: &str, span: Span) -> bool {
    let Some(part) = line.get(span.start..span.end) else { return false };
    let reading = super::read(part);
    let hides = |call: &super::Call| {
        let is = |role| programs::is(&call.program, role);
        let option = call.words.first().is_some_and(|w| w.text.starts_with('-'));
        let code = call.words.iter().any(|w| CODE.contains(&w.text.as_str()));
        is(Role::Builtin) || is(Role::Shell) && option || is(Role::Interpreter) && code
    };
    !reading.calls.iter().any(hides) && reading.verdict.risk > Risk::Low && effect(part) >= Effect::Runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_proves_something_where_every_end_in_it_counts() {
        for line in [
            "cargo test",
            "cargo test --workspace -q",
            "cd web && npm test",
            "python3 -m unittest discover -s tests",
            "python3 -m pytest -q",
            "FOO=1 timeout 60 pytest",
            "go vet ./... && go test ./...",
            "make check > /dev/null",
            "./scripts/check.sh",
            "bash scripts/check.sh",
        ] {
            assert!(proves(line) && ends_as_one(line), "{line}");
        }
        for line in ["ls | head", "pytest; echo done", "pytest || true", "pytest &", "! pytest", "("] {
            assert!(!ends_as_one(line), "{line}");
        }
    }

    #[test]
    fn formatters_and_linters_of_single_files_check_each_by_itself() {
        for line in [
            "cargo fmt --check",
            "ruff check .",
            "prettier --check src",
            "cd web && eslint src",
            "gofmt -l .",
        ] {
            assert!(checks_each_file(line), "{line}");
        }
        for line in [
            "cargo clippy",
            "cargo test",
            "cargo fmt --check && cargo test",
            "make fmt",
            "mypy .",
            "cd x",
            "",
            "(",
        ] {
            assert!(!checks_each_file(line), "{line}");
        }
    }

    #[test]
    fn a_line_proves_nothing_where_it_ends_well_by_itself_or_something_else_decides() {
        for line in [
            "",
            "true",
            ":",
            "echo ok",
            "printf done",
            "exit 0",
            "A=1",
            "cd src",
            "ls",
            "cat src/main.rs",
            "pytest || true",
            "pytest || echo no",
            "pytest; echo done",
            "pytest\ntrue",
            "pytest | tail -5",
            "pytest &",
            "! pytest",
            "cd web && ! npm test",
            "(pytest)",
            "if pytest; then true; fi",
            "bash -c 'pytest || true'",
            "timeout 9 sh -c 'pytest; true'",
            "exit 0 && pytest",
            "pytest() { :; } && pytest",
            "eval true",
            "python3 -c pass",
            "python3 -c 'import sys; sys.exit(0)'",
            "node -e 0",
            "ruby -e 1",
            "'unclosed",
        ] {
            assert!(!proves(line), "{line}");
        }
    }
}
