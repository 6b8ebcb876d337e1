//! Sessions that an earlier version wrote: each is sound, can be read, and goes on.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use crate::support;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use support::Desk;

/// Every session of an earlier version.
fn sessions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/0.1.0");
    let mut all: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    assert!(all.len() >= 5, "{all:?}");
    all
}

#[test]
fn old_sessions_are_sound_and_can_be_read() {
    for session in sessions() {
        let shown = session.display().to_string();
        let (exit, out, err) = Desk::empty().run(&["sessions", "verify", &shown, "--json"]);
        assert_eq!(exit, 0, "{shown}: {out}{err}");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(report["sound"], true, "{shown}: {out}");
        let (exit, out, err) = Desk::empty().run(&["sessions", "show", &shown]);
        assert_eq!(exit, 0, "{shown}: {err}");
        assert!(out.contains("you: "), "{shown}: {out}");
    }
}

#[test]
fn old_sessions_go_on() {
    let desk = Desk::new();
    desk.go(&["run", "where is Store?"]).with(0);
    let listed = desk.go(&["sessions", "list", "--json"]).with(0).events();
    let first = listed[0]["slug"].as_str().unwrap().to_owned();
    let own = find(desk.home.path(), &first);
    let folder = own.parent().unwrap();
    for (number, session) in sessions().into_iter().enumerate() {
        let slug = format!("20200101-00000{number}-0000");
        copy(&session, &folder.join(&slug));
        move_to(&folder.join(&slug), desk.path());
        let before = lines(&folder.join(&slug));
        let ended = desk.go(&["run", "--session", &slug, "where is find_notes?"]);
        assert!(ended.out.contains("find_notes"), "{}: {}{}", session.display(), ended.out, ended.err);
        let after = lines(&folder.join(&slug));
        assert!(after.len() > before.len() && after.starts_with(&before), "{}", session.display());
    }
    desk.verified();
}

fn lines(session: &Path) -> Vec<String> {
    fs::read_to_string(session.join("session.jsonl")).unwrap().lines().map(str::to_owned).collect()
}

/// Rewrites the log as its program would have written it for a project in `project`, checksums and all:
/// a session goes on in the folder that it names, and that folder is not here.
fn move_to(session: &Path, project: &Path) {
    let project = project.canonicalize().unwrap();
    let moved = |text: &str| text.replace("/tmp/inkwell", project.to_str().unwrap());
    let (mut log, mut prev) = (String::new(), 0);
    for line in lines(session) {
        if let Some((_, meta)) = line.split_once("\"meta\":") {
            let meta = moved(meta.strip_suffix('}').unwrap());
            let crc = crc32fast::hash(meta.as_bytes());
            writeln!(
                log,
                "{{\"pilothouse\":\"session\",\"format\":1,\"crc\":\"{crc:08x}\",\"meta\":{meta}}}"
            )
            .unwrap();
            continue;
        }
        let (head, events) = line.split_once(",\"events\":").unwrap();
        let head: serde_json::Value = serde_json::from_str(&format!("{head}}}")).unwrap();
        let (first, count, events) = (&head["n"], &head["k"], moved(events.strip_suffix('}').unwrap()));
        let crc = crc32fast::hash(format!("{first} {count} {prev:08x} {events}").as_bytes());
        let len = events.len();
        writeln!(
            log,
            "{{\"n\":{first},\"k\":{count},\"len\":{len},\"crc\":\"{crc:08x}\",\"prev\":\"{prev:08x}\",\"events\":{events}}}"
        )
        .unwrap();
        prev = crc;
    }
    fs::write(session.join("session.jsonl"), log).unwrap();
}

/// The folder of that name, somewhere below.
fn find(folder: &Path, name: &str) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() == name {
                return path;
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    panic!("no session {name}")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
