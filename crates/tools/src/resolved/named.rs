//! What the files name that say what a program does: files that they take in, and files that their lines would run.
//!
//! Owns the reading of such a file. What a line of it computes is not known here.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use pilothouse_core::shell;
use serde_json::Value;

use super::MOST_READ;
use crate::regular;

/// The files below `from` that `file`, which says there what `program` does, names, and those that these name; only such
/// as are there.
pub(super) fn behind(program: &str, file: &Path, from: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut seen = BTreeSet::from([file.to_owned()]);
    let (mut open, mut opened) = (vec![file.to_owned()], seen.clone());
    while let Some(next) = open.pop() {
        let Ok(bytes) = regular::read(&next, MOST_READ) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let (taken, run) = match next.extension() {
            Some(json) if json == "json" => (Vec::new(), of_scripts(&text)),
            _ => names(program, &text),
        };
        // Some look from the folder that they work in, some from that of the file.
        let beside = next.parent().filter(|beside| *beside != from);
        let there = |name: &String| {
            let is_inside = !name.starts_with(['/', '~']);
            let places = std::iter::once(from).chain(beside).map(|at| at.join(name));
            places.filter(|path| is_inside && path.is_file()).collect::<Vec<_>>()
        };
        // What is taken in says what is done as well.
        open.extend(taken.iter().flat_map(there).filter(|path| opened.insert(path.clone())));
        found.extend(taken.iter().chain(&run).flat_map(there).filter(|path| seen.insert(path.clone())));
    }
    found
}

/// What a text takes in, and what its lines would run.
fn names(program: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let (mut taken, mut run) = (Vec::new(), Vec::new());
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        // Blanks may stand before what is taken in; a tab begins what is run.
        if let Some((word, rest)) = line.trim_start_matches(' ').split_once(char::is_whitespace)
            && shell::takes_in(program).contains(&word)
        {
            let plain = |name: &str| name.trim_matches(['"', '\'']).to_owned();
            taken.extend(rest.split_whitespace().map(plain));
        } else if line.starts_with(char::is_whitespace) {
            run.extend(run_by(line));
        }
    }
    (taken, run)
}

/// What the scripts of a text in JSON would run: each is a line, or several.
fn of_scripts(text: &str) -> Vec<String> {
    let json: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    let all = json.get("scripts").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    let lines = all.flat_map(|one| one.as_array().map_or(std::slice::from_ref(one), Vec::as_slice));
    lines.filter_map(Value::as_str).flat_map(run_by).collect()
}

/// What a line would run, without the signs before it that a tool takes for itself.
fn run_by(line: &str) -> Vec<String> {
    let runs = shell::read(line.trim().trim_start_matches(['@', '-', '+'])).runs;
    runs.iter().flat_map(|used| used.places("")).collect()
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
            "{\"scripts\": {\"build\": \"node scripts/build.js && bash pack.sh\"}, \"other\": \"sh x.sh\"}";
        let run = of_scripts(package);
        assert!(!run.contains(&"x.sh".to_owned()));
        assert!(["scripts/build.js", "pack.sh"].iter().all(|n| run.contains(&(*n).to_owned())), "{run:?}");
        assert_eq!(names("just", "import 'more.just'\n").0, ["more.just"]);
    }
}
