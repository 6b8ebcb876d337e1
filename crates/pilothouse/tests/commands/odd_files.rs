//! Names and files that mean harm, and ways out that are closed: each has a clear end.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::{fs, path::Path};

use crate::support::{Desk, alone::finish};

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    drop(fs::remove_file(path));
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

fn device(path: &Path) {
    drop(fs::remove_file(path));
    std::os::unix::fs::symlink("/dev/zero", path).unwrap();
}

#[test]
fn no_file_of_a_project_is_waited_for_or_read_without_end() {
    for odd in [pipe, device] {
        let desk = Desk::new();
        for name in
            [".gitignore", ".ignore", ".git/info/exclude", "src/.gitignore", "AGENTS.md", "package.json"]
        {
            fs::create_dir_all(desk.path().join(name).parent().unwrap()).unwrap();
            odd(&desk.path().join(name));
        }
        let told = desk.go(&["run", "where is find_notes?"]).with(0);
        assert!(told.out.contains("src/search.rs"), "{}", told.out);
    }
}

#[test]
fn a_session_log_that_is_no_file_hides_no_other() {
    for odd in [pipe, device] {
        let desk = Desk::new();
        desk.go(&["run", "where is find_notes?"]).with(0);
        let known = desk.sessions();
        let logs = desk.path().join("../").join(desk.home.path());
        let log = find(&logs).expect("the session has a log");
        let beside = log.parent().unwrap().with_file_name("20200101-000000-odd0");
        fs::create_dir_all(&beside).unwrap();
        odd(&beside.join("session.jsonl"));
        assert_eq!(desk.sessions(), known);
        desk.verified();
        desk.go(&["undo"]).with(1).tells(&["no applied change"]);
        desk.go(&["run", "where is find_notes?"]).with(0);
    }
}

fn find(folder: &Path) -> Option<std::path::PathBuf> {
    let all: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    all.iter()
        .find(|p| p.ends_with("session.jsonl"))
        .cloned()
        .or_else(|| all.iter().filter(|p| p.is_dir()).find_map(|p| find(p)))
}

#[test]
fn a_folder_with_an_escape_sequence_in_its_name_steers_no_terminal() {
    let desk = Desk::new();
    let odd = desk.path().join("a\x1b]0;owned\x07\u{202e}b");
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("AGENTS.md"), "be brief\n").unwrap();
    let name = odd.to_str().unwrap();
    for args in [
        vec!["doctor", "--dir", name],
        vec!["trust", name, "--show"],
        vec!["trust", name],
        vec!["config", "validate"],
        vec!["config", "show"],
        vec!["permissions", "list"],
        vec!["run", "list the files"],
        vec!["sessions", "list", "--all"],
        vec!["sessions", "show", "nothing\x1b[2J"],
        vec!["undo"],
        vec![name],
    ] {
        let mut command = desk.command(&args);
        command.current_dir(&odd);
        let told = finish(command);
        let all = format!("{}{}", told.out, told.err);
        assert!(!all.contains(['\x1b', '\x07', '\u{202e}']), "{args:?}: {all:?}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_no_success() {
    let desk = Desk::new();
    for args in [
        vec!["run", "where is find_notes?"],
        vec!["run", "where is find_notes?", "--json"],
        vec!["doctor"],
        vec!["permissions", "list"],
        vec!["config", "show"],
        vec!["sessions", "list"],
    ] {
        let mut command = desk.command(&args);
        command.stdout(fs::File::options().write(true).open("/dev/full").unwrap());
        let told = finish(command);
        assert_eq!(told.exit, 1, "{args:?}: {}", told.err);
        assert!(told.err.contains("No space left"), "{args:?}: {}", told.err);
    }
}
