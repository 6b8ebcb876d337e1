//! Sessions looked after from outside: renamed, labelled, put away, deleted, searched, written out; never one in use.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::support::{
    Desk,
    alone::Running,
    server::{Server, Turn},
};

const QUESTION: &str = "where is find_notes?";

/// A desk with one session, and its name.
fn asked() -> (Desk, String) {
    let desk = Desk::new();
    desk.go(&["run", QUESTION]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    (desk, slug)
}

fn folder_of(desk: &Desk, slug: &str) -> PathBuf {
    let all = fs::read_dir(desk.home.path().join("state/sessions")).unwrap();
    all.map(|e| e.unwrap().path().join(slug)).find(|p| p.is_dir()).unwrap()
}

#[test]
fn a_session_is_renamed_and_labelled_in_its_log_and_says_how_it_stands() {
    let (desk, slug) = asked();
    desk.go(&["run", "where is Store?"]).with(0);
    desk.go(&["sessions", "rename", &slug, "  Looking for \n the search "]).with(0);
    desk.go(&["sessions", "label", &slug, "Release", "ui"]).with(0);
    desk.go(&["sessions", "label", &slug, "--remove", "ui"]).with(0);
    desk.go(&["sessions", "label", &slug, "two words"]).with(2).tells(&["a label is a word"]);
    desk.go(&["sessions", "label", &slug]).with(2);
    // The summary beside the log is a cache: what was said stands in the log.
    fs::remove_file(folder_of(&desk, &slug).join("meta.json")).unwrap();
    let listed = desk.go(&["sessions", "list", "--label", "release", "--json"]).with(0).events();
    assert_eq!(listed.len(), 1, "{listed:?}");
    let found = &listed[0];
    assert_eq!(
        (found["slug"].as_str(), found["title"].as_str()),
        (Some(slug.as_str()), Some("Looking for the search"))
    );
    assert_eq!(found["labels"], serde_json::json!(["release"]));
    assert_eq!((found["permission"].as_str(), found["status"].as_str()), (Some("ask"), Some("done")));
    let first = fs::read_to_string(folder_of(&desk, &slug).join("session.jsonl")).unwrap();
    assert!(!first.lines().next().unwrap().contains("Looking"), "the first line stays as it is");
    // It goes on as any other, by the name it had, and the other one is the last that was used.
    desk.go(&["run", "/title", "--session", &slug]).with(0).tells(&["title: Looking for the search"]);
    desk.go(&["run", "/title Renamed inside", "--session", &slug]).with(0);
    let title = |desk: &Desk| {
        let all = desk.sessions();
        all.into_iter().find(|s| s["slug"] == slug.as_str()).unwrap()["title"].as_str().unwrap().to_owned()
    };
    assert_eq!(title(&desk), "Renamed inside");
    desk.go(&["sessions", "rename", &slug, ""]).with(0);
    assert_eq!(title(&desk), QUESTION);
    desk.verified();
}

#[test]
fn what_is_put_away_is_in_no_list_until_it_is_asked_for() {
    let (desk, slug) = asked();
    desk.go(&["sessions", "archive", &slug]).with(0);
    assert!(desk.sessions().is_empty() && desk.go(&["runs", "--json"]).with(0).out.is_empty());
    let all = desk.go(&["sessions", "list", "--archived"]).with(0);
    assert!(all.out.contains(&slug) && all.out.contains("archived"), "{}", all.out);
    desk.go(&["sessions", "show", &slug]).with(0);
    desk.go(&["sessions", "archive", &slug, "--undo"]).with(0);
    assert_eq!(desk.sessions().len(), 1);
}

#[test]
fn one_is_deleted_when_nobody_works_on_it_and_its_files_stay() {
    let desk = Desk::new();
    desk.go(&["run", "rename find_notes to search_notes", "--auto-confirm"]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let tree = desk.tree();
    desk.go(&["sessions", "delete", &slug]).with(3).tells(&["--yes"]);
    let server = Server::start(vec![Turn::Hang("Let me see")]);
    let mut held = Running::start(desk.with_model(&server.base, &["run", QUESTION, "--session", &slug]));
    server.wait_requests(1);
    for what in [
        ["sessions", "delete", &slug, "--yes"],
        ["sessions", "rename", &slug, "Mine"],
        ["sessions", "label", &slug, "mine"],
        ["sessions", "repair", &slug, "--"],
    ] {
        let words: Vec<&str> = what.into_iter().filter(|w| *w != "--").collect();
        desk.go(&words).with(2).tells(&["is open in another process"]);
    }
    held.child.kill().unwrap();
    held.child.wait().unwrap();
    let folder = folder_of(&desk, &slug);
    desk.go(&["sessions", "delete", &slug, "--yes"]).with(0);
    assert!(!folder.exists() && desk.sessions().is_empty());
    assert_eq!(desk.tree(), tree, "what it wrote stays");
    desk.go(&["sessions", "show", &slug]).with(2);
    // Whoever works here next is not in the way of what is gone.
    desk.go(&["run", "where is search_notes?"]).with(0);
    desk.verified();
}

#[test]
fn a_session_is_found_by_its_words_and_written_out() {
    let (desk, slug) = asked();
    let found = desk.go(&["sessions", "search", "FIND_NOTES", "--json"]).with(0).events();
    assert!(found.iter().any(|h| h["session"] == slug.as_str() && h["who"] == "user"), "{found:?}");
    assert!(found.iter().any(|h| h["who"] == "agent"), "{found:?}");
    desk.go(&["sessions", "search", "nobody said this"]).with(1);
    let text = desk.go(&["sessions", "export", &slug]).with(0).out;
    for part in ["# where is find_notes?", "## You", QUESTION, "## Pilothouse", "src/search.rs"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let file = desk.home.path().join("notes.md");
    let name = file.to_str().unwrap();
    desk.go(&["sessions", "export", &slug, "--out", name]).with(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    desk.go(&["sessions", "export", &slug, "--out", name]).with(2).tells(&["does not exist yet"]);
    let events = desk.go(&["sessions", "export", &slug, "--json"]).with(0).events();
    assert_eq!(events[0]["type"], Value::from("session_opened"));
}

#[test]
fn a_torn_log_is_repaired_without_going_on_with_it() {
    let (desk, slug) = asked();
    let log = folder_of(&desk, &slug).join("session.jsonl");
    let mut bytes = fs::read(&log).unwrap();
    bytes.extend_from_slice(b"0 0 {\"seq\":9999,\"at");
    fs::write(&log, bytes).unwrap();
    let told = desk.go(&["sessions", "repair", &slug]).with(0).out;
    assert!(told.contains("session.jsonl.torn-1"), "{told}");
    assert!(!String::from_utf8_lossy(&fs::read(&log).unwrap()).contains("9999"));
    let again = desk.go(&["sessions", "repair", &slug]).with(0).out;
    assert!(again.contains("nothing was torn"), "{again}");
    assert_eq!(desk.verified()[0]["events"], desk.go(&["sessions", "show", &slug, "--json"]).events().len());
}
