//! Two stories at a real terminal: the offline engine, and a model behind a loopback server.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::support;
use serde_json::json;
use support::{
    Desk, Terminal,
    proof::share,
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
    terminal.see("a applies 1 hunk of main.rs; 1 stays undecided");
    terminal.decide("n");
    terminal.see("[–] 1");
    terminal.decide("a");
    terminal.see("edited src/main.rs");
    let now = desk.file("src/main.rs");
    assert_eq!(changed(&main, &now), ["use inkwell::{search_notes, Note, Store};"]);
    for left in ["src/search.rs", "src/store.rs", "tests/round_trip.rs", "src/lib.rs"] {
        terminal.see(&format!("Proposed changes to {left}"));
        terminal.decide("s");
    }
    terminal.see("Complete. 1 file created/modified: src/main.rs.");
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
    // One step in one file: its hunks are what asks, and the plan is not asked about.
    terminal.see("1 file waits");
    assert_eq!(desk.file("greet.txt"), "hello\nworld\n");
    terminal.keys(DIFF);
    terminal.see("Proposed changes to greet.txt");
    terminal.decide("a");
    terminal.see("a applies it");
    terminal.decide("a");
    terminal.see("Complete. 1 file created/modified: greet.txt.");
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

/// A session at the composer whose model proposes `touch proof` to the first goal.
fn proposing(desk: &Desk) -> (Server, Terminal) {
    let run = || vec![("run", json!({"command": "touch proof"}))];
    let server = Server::start(vec![Turn::Say("", run()), Turn::Say("done", vec![])]);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let terminal = Terminal::open(desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    (server, terminal)
}

#[test]
fn a_key_typed_before_the_question_never_answers_it_at_any_length() {
    // About once and four times what a terminal hands over at once, and what follows it.
    let lengths = [1_009, 1_010, 1_011, 2_034, 4_082];
    let triggers = ["\x1b[I", "\x1b[5~", "\x1b[B", "z", "\x1b[O"];
    let all = (0..lengths.len() * triggers.len()).map(|n| (lengths[n % 5], triggers[(n + n / 5) % 5]));
    for (length, trigger) in all.take(share(25, 5)) {
        let desk = Desk::empty();
        let (_server, mut terminal) = proposing(&desk);
        terminal.keys(&format!("run the tests {}\r\r", "x".repeat(length)));
        terminal.see("$ touch proof");
        terminal.read();
        terminal.keys(trigger);
        terminal.keys("\x1b[I");
        terminal.read();
        // What it does next shows that it took all of that in.
        terminal.keys("\x18a");
        terminal.see("nothing runs without you");
        assert!(!desk.path().join("proof").exists(), "{length} {trigger:?}\n{}", terminal.screen());
    }
}

#[test]
fn a_paste_that_holds_its_own_end_runs_nothing_and_enter_by_hand_does() {
    let desk = Desk::empty();
    let (_server, mut terminal) = proposing(&desk);
    terminal.say("run the tests");
    terminal.see("$ touch proof");
    terminal.read();
    let (begin, end) = ("\x1b[200~", "\x1b[201~");
    let mut tried = 0;
    for first in ["", " ", "y\r", "a\n"] {
        for rest in ["\ry\r", "y\r", "\r", "\ny\n", "y\x1b[201~\r"] {
            terminal.keys(&format!("{begin}{first} innocent{end}{rest}{end}"));
            terminal.see("innocent");
            terminal.read();
            terminal.keys("\x1b[I");
            terminal.keys("\x15\x7f\x15\x7f\x15\x7f\x15");
            terminal.gone("innocent");
            tried += 1;
            assert!(!desk.path().join("proof").exists(), "{first:?} {rest:?}\n{}", terminal.screen());
        }
    }
    support::alone::tell(&format!("checked={tried} violations=0"));
    terminal.keys(&format!("{begin} innocent{end}\ry\r{end}"));
    terminal.see("innocent");
    terminal.read();
    assert!(!desk.path().join("proof").exists() && !desk.path().join("innocent").exists());
    // The command waits in the bar; once the line is empty again, Enter is for it.
    terminal.keys("\x15\x7f\x15\x7f\x15");
    terminal.gone("innocent");
    terminal.decide("\r");
    terminal.see("done");
    assert!(desk.path().join("proof").exists());
}

#[test]
fn ten_thousand_keys_in_one_write_are_drawn_without_another_key() {
    let desk = Desk::new();
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("[EXPLORE] idle");
    // No hand types a hundred lines at once: they are a paste, which is shown as one.
    terminal.keys(&format!("{}the end of it", format!("{}\n", "x".repeat(99)).repeat(100)));
    terminal.see("101 lines");
    // What follows a paste without a pause belongs to it.
    terminal.decide(CTRL_C);
    terminal.see("cleared");
}

#[test]
fn the_first_start_offers_a_model_and_its_key_is_kept_where_only_the_user_reads_it() {
    let (desk, key) = (Desk::first(), "sk-quiet-harbour-at-dawn-9");
    let server = Server::answering(|request| {
        if request.is_null() {
            let body = r#"{"object":"list","data":[{"id":"large"},{"id":"small"}]}"#;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            return Some(Turn::Raw(format!("{head}content-length: {}\r\n\r\n{body}", body.len())));
        }
        Some(Turn::Say("Hello from the small one.", vec![]))
    });
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("Welcome to Pilothouse");
    terminal.keys("\r");
    terminal.see("any OpenAI-compatible one, by its address");
    terminal.keys("another\r");
    terminal.see("Address");
    terminal.keys("\r");
    terminal.see("/chat/completions");
    terminal.keys(&format!("{}\r", server.base));
    terminal.see("2 models there");
    // Its key is of use, and is no must: from the model it is one line up.
    terminal.keys("k\r");
    terminal.see("readable by you alone, never shown");
    terminal.keys(&format!("{key}\r"));
    terminal.see("not shown");
    terminal.see("2 models there");
    terminal.keys("\r");
    terminal.see("2 of 2");
    terminal.keys("small\r");
    terminal.see("from now on, here and in new sessions");
    terminal.keys("\r");
    terminal.see("small answers from now on");
    terminal.say("hello there");
    terminal.see("Hello from the small one.");
    terminal.keys("\x18q");
    assert_eq!(terminal.end(), 0);
    assert!(!String::from_utf8_lossy(&terminal.raw()).contains(key), "it was never on the screen");
    let (mut holders, mut folders) = (Vec::new(), vec![desk.home.path().to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if String::from_utf8_lossy(&std::fs::read(&entry).unwrap()).contains(key) {
                holders.push(entry.file_name().unwrap().to_owned());
            }
        }
    }
    assert_eq!(holders, ["credentials.toml"]);
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("Ready when you are.");
    terminal.see("small");
    assert!(!terminal.screen().contains("Welcome to Pilothouse"), "{}", terminal.screen());
    terminal.keys("\x18q");
    assert_eq!(terminal.end(), 0);
}
