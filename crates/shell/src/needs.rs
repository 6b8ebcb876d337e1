//! Which programs a line cannot do without.
//!
//! Owns the names. Never looks whether they are there.

use super::{
    knowledge::list,
    programs::{self, Role},
    trace::Call,
};

/// The programs that a line needs by name: the first of each of its commands, for what stands in the arguments of that
/// may be brought by it (`uv run pytest`); and what a sub-command of cargo that is not its own is looked up as.
///
/// `cargo nextest run` needs `cargo` and `cargo-nextest`. What is named by a path is no name, nor is a shell's own command.
pub fn needs(line: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for call in leading(line).into_iter().filter(|call| !call.located && !call.given.contains('/')) {
        for name in std::iter::once(call.program.clone()).chain(external(&call)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The first program of each command of a line, past what the shell does itself.
pub(super) fn leading(line: &str) -> Vec<Call> {
    let mut firsts: Vec<Call> = Vec::new();
    for call in super::read(line).calls {
        let own = call.program.is_empty()
            || programs::is(&call.program, Role::Builtin)
            || list("shell words").contains(&call.program.as_str());
        if !own && firsts.last().is_none_or(|last| last.part != call.part) {
            firsts.push(call);
        }
    }
    firsts
}

/// The program that cargo starts for a sub-command which is none of its own.
fn external(call: &Call) -> Option<String> {
    let word = call.words.iter().find(|word| !word.text.starts_with(['+', '-']))?;
    let foreign = call.program == "cargo" && word.certain && !list("cargo own").contains(&word.text.as_str());
    foreign.then(|| format!("cargo-{}", word.text))
}

#[cfg(test)]
mod tests {
    use super::needs;

    #[test]
    fn a_line_needs_the_first_program_of_each_of_its_commands() {
        for (line, names) in [
            ("cargo nextest run", "cargo cargo-nextest"),
            ("cargo +nightly fmt --check && cargo test", "cargo cargo-fmt"),
            ("cargo test -p core", "cargo"),
            ("cd web && npm test", "npm"),
            ("uv run pytest -q", "uv"),
            ("time make check", "make"),
            ("timeout 60 make check", "timeout"),
            ("./check.sh && scripts/lint", ""),
            ("python3 -m pytest -q", "python3"),
            ("RUST_LOG=debug cargo test | tail -3", "cargo tail"),
            ("echo done", ""),
        ] {
            assert_eq!(needs(line).join(" "), names, "{line}");
        }
    }
}
