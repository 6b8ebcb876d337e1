//! The house rules that a machine can hold: who may depend on whom, how large a file may be, and
//! that every module says what it owns.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Lines of a source file, with the tests in it. Functions are held by clippy (`.clippy.toml`).
const MOST_LINES: usize = 500;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn dependencies(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]").nth(1).unwrap();
    let section = section.split("\n[dev-dependencies]").next().unwrap();
    section
        .lines()
        .filter(|l| l.contains('=') && !l.starts_with('#'))
        .map(|l| l.split(['.', ' ', '=']).next().unwrap().to_owned())
        .collect()
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![crates()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().unwrap() != "target" {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_arrow_points_down_to_core() {
    let siblings = |name: &str| -> Vec<String> {
        let all = dependencies(name);
        let mut own: Vec<String> =
            all.iter().filter_map(|d| d.strip_prefix("pilothouse-")).map(str::to_owned).collect();
        own.sort();
        own
    };
    assert!(siblings("shell").is_empty());
    assert_eq!(siblings("intent"), ["shell"]);
    assert_eq!(siblings("core"), ["intent", "shell"]);
    for name in ["model", "tools", "tui"] {
        assert_eq!(siblings(name), ["core"], "{name}");
    }
    for name in ["sources", "index"] {
        assert_eq!(siblings(name), ["core", "tools"], "{name}");
    }
    assert_eq!(siblings("runtime"), ["core", "index", "model", "sources", "tools"]);
    assert_eq!(siblings("pilothouse"), ["core", "runtime", "tui"]);
}

#[test]
fn crates_do_without_what_is_not_theirs() {
    let none = |name: &str, never: &[&str]| {
        let has: Vec<String> =
            dependencies(name).into_iter().filter(|d| never.contains(&d.as_str())).collect();
        assert!(has.is_empty(), "{name} must not depend on {has:?}");
    };
    for name in ["shell", "intent", "core"] {
        none(
            name,
            &["tokio", "ratatui", "crossterm", "async-openai", "reqwest", "directories", "tempfile", "jiff"],
        );
    }
    none("model", &["ratatui", "crossterm", "ignore", "process-wrap", "directories"]);
    for name in ["tools", "index"] {
        none(name, &["ratatui", "crossterm", "async-openai", "reqwest"]);
    }
    none("sources", &["ratatui", "crossterm", "async-openai", "directories", "process-wrap"]);
    none("runtime", &["rmcp", "ratatui", "crossterm", "async-openai", "syntect"]);
    none("tui", &["async-openai", "reqwest", "ignore", "process-wrap", "directories", "tempfile"]);
    for name in
        ["shell", "intent", "core", "model", "tools", "sources", "index", "runtime", "tui", "pilothouse"]
    {
        none(name, &["openssl", "native-tls", "aws-lc-rs"]);
    }
}

#[test]
fn files_stay_readable() {
    let long: Vec<String> = sources()
        .into_iter()
        .filter(|p| !p.components().any(|c| c.as_os_str() == "tests" || c.as_os_str() == "examples"))
        .filter(|p| !test_module(p))
        .filter_map(|p| {
            let lines = fs::read_to_string(&p).unwrap().lines().count();
            (lines > MOST_LINES && !allowed(&p)).then(|| format!("{} {lines}", p.display()))
        })
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// The tests of a module, beside it.
fn test_module(path: &Path) -> bool {
    let inside = path.components().skip_while(|c| c.as_os_str() != "src");
    path.file_name().unwrap() == "tests.rs" || inside.into_iter().any(|c| c.as_os_str() == "tests")
}

/// One list that is long because the thing is: the vocabulary of events.
fn allowed(path: &Path) -> bool {
    path.ends_with("core/src/event.rs")
}

#[test]
fn every_module_says_what_it_owns() {
    let silent: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|p| !test_module(p))
        .filter(|p| {
            let text = fs::read_to_string(p).unwrap();
            !text.trim_start().starts_with("//!")
        })
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

/// Lists that say something else with the same names, and why.
const OTHER_LISTS: [(&str, &str); 5] = [
    ("model/src/offline/command.rs", "what the offline engine runs in which kind of project"),
    ("model/src/offline/sentence.rs", "endings of files"),
    ("pilothouse/src/workbench.rs", "how editors are told of a line"),
    ("shell/src/state.rs", "what the shell's own variables hold"),
    ("tools/src/command/environment.rs", "what of our environment a command gets"),
];

/// The names in some files of `assets/knowledge`; those with wildcards are left out.
fn names_in(files: &[&str], indented: bool) -> BTreeSet<String> {
    let folder = crates().parent().unwrap().join("assets/knowledge");
    let mut names = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(folder.join(file).with_extension("txt")).unwrap();
        let lines = text.lines().filter(|l| !l.starts_with('#') && l.starts_with("  ") == indented);
        let words = lines.flat_map(str::split_whitespace).map(plain_name);
        names.extend(words.filter(|w| w.len() > 2 && !w.contains(['*', '{', ':'])));
    }
    names
}

fn plain_name(word: &str) -> String {
    word.trim_start_matches("~/").trim_start_matches("**/").to_owned()
}

/// Where more than `most` of the names stand close together in string literals.
fn lists_of(names: &BTreeSet<String>, most: usize, path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("\nmod tests {").next().unwrap();
    let mut known: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//")) {
        let literals = line.split('"').skip(1).step_by(2);
        let words = literals.flat_map(|l| l.split([' ', '|', '(', ')'])).map(plain_name);
        known.extend(words.filter(|w| names.contains(w)).map(|w| (number, w)));
    }
    let mut lists = Vec::new();
    for run in known.chunk_by(|(a, _), (b, _)| b - a <= 1) {
        let distinct: BTreeSet<&String> = run.iter().map(|(_, word)| word).collect();
        if distinct.len() > most {
            lists.push(format!("{}:{} {distinct:?}", path.display(), run[0].0 + 1));
        }
    }
    lists
}

#[test]
fn knowledge_of_files_variables_and_programs_stands_in_one_place() {
    let named = names_in(&["control", "private", "variables"], true);
    let programs = names_in(&["base", "git", "dev", "net", "system", "mac", "exec", "roles"], false);
    assert!(named.len() > 250 && programs.len() > 2_000, "{} {}", named.len(), programs.len());
    let other = |p: &Path| OTHER_LISTS.iter().any(|(end, _)| p.ends_with(end));
    let source = |p: &PathBuf| {
        !test_module(p) && !p.components().any(|c| c.as_os_str() == "tests" || c.as_os_str() == "examples")
    };
    let all: Vec<PathBuf> = sources().into_iter().filter(|p| source(p) && !other(p)).collect();
    let assets = crates().parent().unwrap().join("assets");
    let settings = ["permissions.toml", "config.toml"].map(|name| assets.join(name));
    let mut second: Vec<String> = all.iter().chain(&settings).flat_map(|p| lists_of(&named, 4, p)).collect();
    // The reader of shell lines asks for programs by their names: its judges are no lists.
    let readers = all.iter().filter(|p| !p.starts_with(crates().join("shell")));
    second.extend(readers.flat_map(|p| lists_of(&programs, 7, p)));
    assert!(second.is_empty(), "put these into assets/knowledge: {second:#?}");
    for (path, why) in OTHER_LISTS {
        let path = crates().join(path);
        let lists = lists_of(&named, 4, &path).len() + lists_of(&programs, 7, &path).len();
        assert!(lists > 0 && !why.is_empty(), "{} needs no exception", path.display());
    }
}

#[test]
fn git_is_started_in_one_place_only() {
    let elsewhere: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|p| !test_module(p) && !p.components().any(|c| c.as_os_str() == "tests"))
        .filter(|p| fs::read_to_string(p).unwrap().contains("Command::new(\"git\")"))
        .collect();
    assert!(elsewhere.is_empty(), "use the tools' `git` module: {elsewhere:#?}");
}

/// Where a file is opened without asking what it is, and why that is right.
const OPENS: [(&str, &str); 10] = [
    ("model/src/scripted.rs", "the user named it for this run"),
    ("model/src/embed/local.rs", "the user's own model, of any size"),
    ("pilothouse/src/workbench.rs", "what the user's editor left in a folder of ours"),
    ("runtime/src/blobs.rs", "a folder, to sync it"),
    ("runtime/src/vectors.rs", "a cache of ours, checked by its sum"),
    ("tools/src/atomic.rs", "a folder, to sync it"),
    ("tools/src/sandbox/scratch.rs", "a folder, to lock it"),
    ("tools/src/snapshot/journal.rs", "in the session's own folder"),
    ("tools/src/snapshot/save.rs", "in the session's own folder"),
    ("tools/src/snapshot/tell.rs", "in the session's own folder"),
];

#[test]
fn a_file_that_others_may_write_is_opened_in_one_way_only() {
    let opens = ["fs::read(", "fs::read_to_string(", "File::open("];
    // The system's own.
    let known = ["\"/proc/", "format!(\"/proc/", "\"/dev/null\""];
    let plain: BTreeSet<PathBuf> = sources()
        .into_iter()
        .filter(|p| !test_module(p) && p.components().any(|c| c.as_os_str() == "src"))
        // The one way, and two files that are there for tests alone.
        .filter(|p| {
            !["tools/src/regular.rs", "runtime/src/rig.rs", "tools/src/fixture.rs"]
                .iter()
                .any(|f| p.ends_with(f))
        })
        .filter(|p| {
            let text = fs::read_to_string(p).unwrap();
            let source = text.split("#[cfg(test)]").next().unwrap().to_owned();
            let mut lines = source.lines().filter(|line| opens.iter().any(|o| line.contains(o)));
            lines.any(|line| !known.iter().any(|k| line.contains(k)))
        })
        .collect();
    let others: Vec<&PathBuf> =
        plain.iter().filter(|p| !OPENS.iter().any(|(known, _)| p.ends_with(known))).collect();
    assert!(others.is_empty(), "use the tools' `regular` module: {others:#?}");
    let gone: Vec<_> = OPENS.iter().filter(|(known, _)| !plain.iter().any(|p| p.ends_with(known))).collect();
    assert!(gone.is_empty(), "these open nothing so any more: {gone:#?}");
}

#[test]
fn no_task_is_started_without_an_owner() {
    let detached: Vec<String> = sources()
        .into_iter()
        .filter(|p| !test_module(p) && p.components().any(|c| c.as_os_str() == "src"))
        .flat_map(|p| {
            let text = fs::read_to_string(&p).unwrap();
            let source = text.split("#[cfg(test)]\nmod").next().unwrap().to_owned();
            let starts = |line: &&str| line.contains("tokio::spawn(") && !line.trim().starts_with("let ");
            source.lines().filter(starts).map(|line| format!("{}: {line}", p.display())).collect::<Vec<_>>()
        })
        .collect();
    assert!(detached.is_empty(), "the driver's `Tasks` owns them, or a name that is awaited: {detached:#?}");
}

#[test]
fn a_file_is_replaced_in_one_place_only() {
    let elsewhere: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|p| !test_module(p) && p.components().any(|c| c.as_os_str() == "src"))
        // Puts what a command left out of the way, and folders back: nothing is replaced.
        .filter(|p| !p.ends_with("tools/src/atomic.rs") && !p.ends_with("tools/src/guard/repair.rs"))
        // Puts the log that was taken away back from the open file, of any size, and goes on with that.
        .filter(|p| !p.ends_with("runtime/src/log.rs"))
        .filter(|p| {
            let text = fs::read_to_string(p).unwrap();
            text.contains("fs::rename(") || text.contains(".persist(")
        })
        .collect();
    assert!(elsewhere.is_empty(), "use the tools' `atomic` module: {elsewhere:#?}");
}

/// Modules of core that know each other, and why.
const CIRCLES: [(&str, &str); 2] = [
    ("checkpoint", "stores a question with its answer"),
    ("question", "one may hold the stored one whose place it takes"),
];

/// The modules of core that each one names, by what stands behind `crate::`.
fn named_modules() -> BTreeMap<String, BTreeSet<String>> {
    let root = crates().join("core/src");
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources().into_iter().filter(|p| p.starts_with(&root) && !test_module(p)) {
        let place = path.strip_prefix(&root).unwrap().with_extension("");
        let module = place.iter().next().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("\n#[cfg(test)]\n").next().unwrap();
        let mut listed = false;
        for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
            let first = |rest: &str| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
            };
            named.entry(module.clone()).or_default().extend(line.split("crate::").skip(1).map(first));
            listed = listed && line != "};";
            if let Some(rest) = line.strip_prefix("    ").filter(|l| listed && !l.starts_with([' ', '}'])) {
                named.entry(module.clone()).or_default().insert(first(rest));
            }
            listed |= line.ends_with("use crate::{");
        }
    }
    named
}

#[test]
fn modules_of_core_know_each_other_in_one_direction() {
    let mut left = named_modules();
    left.remove("lib");
    assert!(
        left.len() > 30 && left["event"].contains("plan") && left["session"].contains("event"),
        "{left:?}"
    );
    loop {
        let there: BTreeSet<String> = left.keys().cloned().collect();
        let known: BTreeSet<String> =
            left.iter().flat_map(|(name, to)| to.iter().filter(move |t| *t != name)).cloned().collect();
        // What knows none of the rest, or is known by none of it, is in no circle.
        left.retain(|name, to| known.contains(name) && to.iter().any(|t| t != name && there.contains(t)));
        if left.len() == there.len() {
            break;
        }
    }
    let circles: Vec<&str> = left.keys().map(String::as_str).collect();
    assert_eq!(circles, CIRCLES.map(|(name, _)| name), "cut it, or name it with its reason: {left:?}");
}
