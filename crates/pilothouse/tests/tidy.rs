//! The house rules that a machine can hold: who may depend on whom, how large a file may be, and
//! that every module says what it owns.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Lines of a source file without its trailing test module.
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
    assert!(siblings("intent").is_empty());
    assert_eq!(siblings("core"), ["intent", "shell"]);
    for name in ["model", "tools", "tui"] {
        assert_eq!(siblings(name), ["core"], "{name}");
    }
    assert_eq!(siblings("runtime"), ["core", "model", "tools"]);
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
    none("tools", &["ratatui", "crossterm", "async-openai", "reqwest"]);
    none("runtime", &["ratatui", "crossterm", "async-openai", "syntect"]);
    none("tui", &["async-openai", "reqwest", "ignore", "process-wrap", "directories", "tempfile"]);
    for name in ["shell", "intent", "core", "model", "tools", "runtime", "tui", "pilothouse"] {
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
            let text = fs::read_to_string(&p).unwrap();
            let lines = text.split("#[cfg(test)]").next().unwrap().lines().count();
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

#[test]
fn git_is_started_in_one_place_only() {
    let elsewhere: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|p| !test_module(p) && !p.components().any(|c| c.as_os_str() == "tests"))
        .filter(|p| fs::read_to_string(p).unwrap().contains("Command::new(\"git\")"))
        .collect();
    assert!(elsewhere.is_empty(), "use the tools' `git` module: {elsewhere:#?}");
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
