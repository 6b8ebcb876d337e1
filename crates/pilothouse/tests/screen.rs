//! Two stories at a real terminal: the offline engine, and a model behind a loopback server.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use serde_json::json;
use support::{
    Desk, Terminal,
    server::{Server, Turn},
};

const DIFF: &str = "\x18d";
const CTRL_C: &str = "\x03";

/// Lines of `new` that are not in `old` at the same place.
fn changed(old: &str, new: &str) -> Vec<String> {
    assert_eq!(old.lines().count(), new.lines().count());
    old.lines().zip(new.lines()).filter(|(a, b)| a != b).map(|(_, b)| b.to_owned()).collect()
}

#[test]
fn a_rename_without_a_model_from_the_sentence_to_the_bytes_and_back() {
    let desk = Desk::new();
    let before = desk.tree();
    let (main, search) = (desk.file("src/main.rs"), desk.file("src/search.rs"));
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("[EXPLORE] idle");
    terminal.say("rename find_notes to search_notes");
    terminal.see("Plan ready (1 task, 0 validation gates)");
    terminal.see("awaiting_approval");
    assert_eq!(desk.tree(), before, "nothing is written by a plan");
    terminal.answer("y");
    terminal.see("5 files wait");
    assert_eq!(desk.tree(), before, "nothing is written by an approved plan");
    terminal.keys(DIFF);
    terminal.see("Proposed changes to src/lib.rs");
    terminal.keys("}");
    terminal.see("Proposed changes to src/main.rs");
    terminal.decide("y");
    terminal.see("1 taken hunk of main.rs");
    terminal.decide("n");
    terminal.see("Proposed changes to src/search.rs");
    terminal.keys("{");
    terminal.see("[–] 1");
    terminal.decide("a");
    terminal.see("edited src/main.rs");
    let now = desk.file("src/main.rs");
    assert_eq!(changed(&main, &now), ["use inkwell::{search_notes, Note, Store};"]);
    for left in ["src/search.rs", "src/store.rs", "tests/round_trip.rs", "src/lib.rs"] {
        terminal.see(&format!("Proposed changes to {left}"));
        terminal.decide("s");
    }
    terminal.see("Complete. 1 file created/modified.");
    assert_eq!(desk.file("src/search.rs"), search);
    let mut expected = before.clone();
    expected.insert(desk.path().join("src/main.rs"), now.into_bytes());
    assert_eq!(desk.tree(), expected, "only the taken hunk changed");
    terminal.say("/undo");
    terminal.see("Took back");
    assert_eq!(desk.tree(), before);
    terminal.keys(CTRL_C);
    terminal.keys(CTRL_C);
    assert_eq!(terminal.end(), 0);
    let last = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(last.contains("\x1b[?1049l") && last.contains("Session saved."), "the terminal is given back");
}

#[test]
fn a_model_that_streams_asks_is_stopped_and_edits() {
    let desk = Desk::empty();
    std::fs::write(desk.path().join("greet.txt"), "hello\nworld\n").unwrap();
    let plan = json!({"title": "Friendlier greeting", "tasks": [
        {"title": "Say good morning", "detail": "Replace hello", "kind": "modify", "files": ["greet.txt"]}]});
    let edit = json!({"path": "greet.txt", "edits": [{"old": "hello", "new": "good morning"}]});
    let server = Server::start(vec![
        Turn::Hang("The file greets the"),
        Turn::Say("", vec![("read", json!({"path": "greet.txt"}))]),
        Turn::Say("", vec![("ask_user", json!({"question": "Which tone?", "choices": ["warm", "formal"]}))]),
        Turn::Say("", vec![("submit_plan", plan)]),
        Turn::Say("On it.", vec![("edit", edit)]),
        Turn::Say("It says good morning now.", vec![]),
    ]);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say("what does greet.txt do?");
    terminal.see("The file greets");
    terminal.keys(CTRL_C);
    server.wait_hung_up();
    terminal.see("Stopped.");
    terminal.see("The file greets");
    terminal.say("replace hello with good morning in greet.txt");
    terminal.see("Which tone?");
    terminal.answer("1");
    terminal.see("Plan ready (1 task");
    terminal.answer("y");
    terminal.see("1 file waits");
    assert_eq!(desk.file("greet.txt"), "hello\nworld\n");
    terminal.keys(DIFF);
    terminal.see("Proposed changes to greet.txt");
    terminal.decide("a");
    terminal.see("Complete. 1 file created/modified.");
    assert_eq!(desk.file("greet.txt"), "good morning\nworld\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    let answered = requests[3]["messages"].as_array().unwrap().iter().any(|m| m["content"] == "warm");
    assert!(answered, "the model hears the answer: {}", requests[3]["messages"]);
    let names = |r: &serde_json::Value| -> Vec<String> {
        r["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["function"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(!names(&requests[0]).contains(&"edit".to_owned()), "a question is offered no edits");
    assert!(names(&requests[4]).contains(&"edit".to_owned()));
}
