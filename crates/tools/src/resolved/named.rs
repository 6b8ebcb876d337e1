//! What the files name that say what a program does: files that they take in, and files that their lines would run.
//!
//! Owns the reading of such a file. What a line of it computes is not known here.

use std::{
    collections::BTreeSet,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use pilothouse_core::shell;
use serde_json::Value;

use super::{MOST_READ, identity};
use crate::regular;

/// So many bytes of files are read in one look for what a line takes in.
const MOST_BYTES: u64 = 16 << 20;
/// So many lines are read in one look as lines of a shell, and names followed; a long line counts as several.
const MOST_LINES: usize = 50_000;
/// So many bytes of a line count as one.
const LINE: usize = 100;

/// What is left of what one look may read: the files of the folder say how much that would be.
pub(super) struct Budget {
    bytes: u64,
    lines: usize,
    is_spent: bool,
    left: Vec<u8>,
}

impl Budget {
    pub(super) const fn new() -> Self {
        Self { bytes: MOST_BYTES, lines: MOST_LINES, is_spent: false, left: Vec::new() }
    }

    /// What tells the files that were left out, where something was: their names, sizes and times.
    pub(super) fn left_out(&self) -> Option<&[u8]> {
        self.is_spent.then_some(&self.left)
    }

    /// Leaves a file out.
    pub(super) fn leave(&mut self, path: &Path) {
        self.left.extend(path.as_os_str().as_bytes());
        self.left.push(0);
        self.left.extend(path.metadata().map(|meta| identity(&meta)).unwrap_or_default());
    }

    /// Whether a file may be read yet, for what it holds.
    pub(super) fn reads(&mut self, path: &Path) -> bool {
        // Longer ones are known by their place and times.
        self.spends(path.metadata().map_or(0, |meta| meta.len().min(MOST_READ + 1)))
    }

    /// Whether a file may be read to its end yet, for what it names.
    fn opens(&mut self, path: &Path) -> bool {
        self.spends(path.metadata().map_or(0, |meta| meta.len()))
    }

    fn spends(&mut self, size: u64) -> bool {
        match self.bytes.checked_sub(size).filter(|_| !self.is_spent) {
            Some(rest) => self.bytes = rest,
            None => self.is_spent = true,
        }
        !self.is_spent
    }

    /// Whether so many more lines or names may be looked at.
    fn takes(&mut self, lines: usize) -> bool {
        match self.lines.checked_sub(lines).filter(|_| !self.is_spent) {
            Some(rest) => self.lines = rest,
            None => self.is_spent = true,
        }
        !self.is_spent
    }
}

/// The files below `from` that `file`, which says there what `program` does, names, and those that these name; only such
/// as are there, and as far as the budget goes. With each stands whether it was read here, and is paid for.
pub(super) fn behind(program: &str, file: &Path, from: &Path, budget: &mut Budget) -> Vec<(PathBuf, bool)> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut seen = BTreeSet::from([file.to_owned()]);
    let (mut open, mut opened) = (vec![file.to_owned()], seen.clone());
    let mut paid = BTreeSet::new();
    while let Some(next) = open.pop().filter(|next| budget.opens(next)) {
        paid.insert(next.clone());
        let Ok(bytes) = regular::read(&next, MOST_BYTES) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let (taken, run) = match next.extension() {
            Some(json) if json == "json" => (Vec::new(), of_scripts(&text, budget)),
            _ => names(program, &text, budget),
        };
        if !budget.takes(taken.len() + run.len()) {
            break;
        }
        // Some look from the folder that they work in, some from that of the file.
        let beside = next.parent().filter(|beside| *beside != from);
        let there = |name: &String| {
            let is_inside = !name.starts_with(['/', '~']);
            let places = std::iter::once(from).chain(beside).map(|at| at.join(name));
            places.filter(|path| is_inside && path.is_file()).collect::<Vec<_>>()
        };
        let taken: Vec<PathBuf> = (taken.iter())
            .flat_map(|name| {
                // What lies there under the bare name need not be what is meant.
                let modules = modules(program, name, budget);
                there(name).into_iter().chain(modules.iter().flat_map(there)).collect::<Vec<_>>()
            })
            .collect();
        // What is taken in says what is done as well.
        open.extend(taken.iter().filter(|path| opened.insert((*path).clone())).cloned());
        let all = taken.into_iter().chain(run.iter().flat_map(there));
        found.extend(all.filter(|path| seen.insert(path.clone())));
    }
    let with_paid = |path: PathBuf| {
        let is_paid = paid.contains(&path);
        (path, is_paid)
    };
    found.into_iter().map(with_paid).collect()
}

/// The files that a name which is taken in may mean beside the file of that name: a module of the program's, or what says
/// in a folder of that name what is done.
fn modules(program: &str, name: &str, budget: &mut Budget) -> Vec<String> {
    let work = shell::work_files(program);
    if !budget.takes(work.len()) {
        return Vec::new();
    }
    let own = [format!("{name}.{program}"), format!("{name}/mod.{program}")];
    own.into_iter().chain(work.iter().map(|file| format!("{name}/{file}"))).collect()
}

/// What a text takes in, and what its lines would run.
fn names(program: &str, text: &str, budget: &mut Budget) -> (Vec<String>, Vec<String>) {
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
            run.extend(run_by(line, budget));
        }
    }
    (taken, run)
}

/// What the scripts of a text in JSON would run: each is a line, or several.
fn of_scripts(text: &str, budget: &mut Budget) -> Vec<String> {
    let json: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    let all = json.get("scripts").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    let lines = all.flat_map(|one| one.as_array().map_or(std::slice::from_ref(one), Vec::as_slice));
    lines.filter_map(Value::as_str).flat_map(|line| run_by(line, budget)).collect()
}

/// What a line would run, without the signs before it that a tool takes for itself.
fn run_by(line: &str, budget: &mut Budget) -> Vec<String> {
    if !budget.takes(1 + line.len() / LINE) {
        return Vec::new();
    }
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
        let (taken, run) = names("make", make, &mut Budget::new());
        assert_eq!(taken, ["a.mk", "b.mk", "local.mk"]);
        assert!(["tools/gen.py", "run.sh"].iter().all(|name| run.contains(&(*name).to_owned())), "{run:?}");
        let package =
            "{\"scripts\": {\"build\": \"node scripts/build.js && bash pack.sh\"}, \"other\": \"sh x.sh\"}";
        let run = of_scripts(package, &mut Budget::new());
        assert!(!run.contains(&"x.sh".to_owned()));
        assert!(["scripts/build.js", "pack.sh"].iter().all(|n| run.contains(&(*n).to_owned())), "{run:?}");
        assert_eq!(names("just", "import 'more.just'\n", &mut Budget::new()).0, ["more.just"]);
    }
}
