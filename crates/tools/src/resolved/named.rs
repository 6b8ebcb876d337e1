//! What the files name that say what a program does: files that they take in, and files that their lines would run.
//!
//! Owns the reading of such a file. What a line of it computes is not known here.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use pilothouse_core::shell;

use super::MOST_READ;
use crate::regular;

/// At most so many files are found behind one.
const MOST_FILES: usize = 32;
/// So many lines of a file are read.
const MOST_LINES: usize = 400;

/// The files below `from` that `file`, which says there what `program` does, names, and those that these name; only such
/// as are there.
pub(super) fn behind(program: &str, file: &Path, from: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut seen = BTreeSet::from([file.to_owned()]);
    let mut open = vec![file.to_owned()];
    while let Some(next) = open.pop() {
        let Ok(bytes) = regular::read(&next, MOST_READ) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let (taken, run) = names(program, &text);
        let there = |name: &String| {
            let path = from.join(name);
            (!name.starts_with(['/', '~']) && path.is_file()).then_some(path)
        };
        // What is taken in says what is done as well.
        open.extend(taken.iter().filter_map(there).filter(|path| !seen.contains(path)));
        for path in taken.iter().chain(&run).filter_map(there) {
            if found.len() < MOST_FILES && seen.insert(path.clone()) {
                found.push(path);
            }
        }
        open.retain(|path| found.contains(path));
    }
    found
}

/// What a text takes in, and what its lines would run.
fn names(program: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let (mut taken, mut run) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES) {
        if line.starts_with(char::is_whitespace) {
            let runs = shell::read(command(line)).runs;
            run.extend(runs.iter().flat_map(|used| used.places("")));
        } else if let Some((word, rest)) = line.split_once(char::is_whitespace)
            && shell::takes_in(program).contains(&word)
        {
            let plain = |name: &str| name.trim_matches(['"', '\'']).to_owned();
            taken.extend(rest.split_whitespace().map(plain));
        }
    }
    (taken, run)
}

/// The command of an indented line: without the signs that a tool takes for itself, and of a text in JSON its value.
fn command(line: &str) -> &str {
    let line = line.trim();
    let value = line.strip_prefix('"').and_then(|rest| rest.split_once(':'));
    value.map_or(line.trim_start_matches(['@', '-', '+']), |(_, value)| value.trim().trim_matches([',', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_what_they_take_in_and_what_they_would_run() {
        let make =
            "include a.mk b.mk\n-include local.mk\nall: x.c\n\t@python3 tools/gen.py --all\n\t-./run.sh\n";
        let (taken, run) = names("make", make);
        assert_eq!(taken, ["a.mk", "b.mk", "local.mk"]);
        assert!(["tools/gen.py", "run.sh"].iter().all(|name| run.contains(&(*name).to_owned())), "{run:?}");
        let package =
            "{\n  \"scripts\": {\n    \"build\": \"node scripts/build.js && bash pack.sh\",\n  }\n}\n";
        let (taken, run) = names("npm", package);
        assert!(taken.is_empty());
        assert!(["scripts/build.js", "pack.sh"].iter().all(|n| run.contains(&(*n).to_owned())), "{run:?}");
        assert_eq!(names("just", "import 'more.just'\n").0, ["more.just"]);
    }
}
