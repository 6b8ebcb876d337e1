//! Many runs in one window, each in its own git worktree, with a model on loopback.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::{path::PathBuf, process::Command};

use crate::support;
use serde_json::{Value, json};
use support::{
    Desk, Terminal,
    alone::finish,
    server::{Server, Turn, sorts},
};

const RUNS: &str = "\x18r";
const CTRL_C: &str = "\x03";

/// A repository with one commit, in a folder of its own so that worktrees have room beside it.
fn repository() -> (Desk, PathBuf) {
    let desk = Desk::empty();
    let repo = desk.path().canonicalize().unwrap().join("inkwell");
    std::fs::create_dir(&repo).unwrap();
    std::fs::write(repo.join("greet.txt"), "hello\n").unwrap();
    git(&repo, &["init", "-q", "-b", "main"]);
    git(&repo, &["config", "user.name", "x"]);
    git(&repo, &["config", "user.email", "x@y"]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "first"]);
    (desk, repo)
}

fn git(folder: &std::path::Path, args: &[&str]) -> String {
    let done = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A model that plays by what is asked: silence, a question, a refusal, an edit, an answer.
fn model() -> Server {
    Server::answering(|request| {
        if sorts(request) {
            return Some(Turn::Say("I cannot tell.", vec![]));
        }
        let messages = request["messages"].to_string();
        let told = request["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "tool").count();
        let refusal =
            json!({"error": {"message": "the model refuses this", "type": "invalid_request_error"}});
        Some(match () {
            () if messages.contains("be silent") => Turn::Hang("Let me see"),
            () if messages.contains("be refused") => Turn::Raw(response(400, &refusal)),
            () if messages.contains("ask me") && told == 0 => {
                let question = json!({"question": "Which tone?", "choices": ["warm", "formal"]});
                Turn::Say("", vec![("ask_user", question)])
            }
            () => Turn::Say("It greets the world.", vec![]),
        })
    })
}

fn response(status: u16, body: &Value) -> String {
    let body = body.to_string();
    let head = "content-type: application/json\r\nconnection: close";
    format!("HTTP/1.1 {status} No\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn six_runs_on_six_worktrees_are_told_apart_and_typing_goes_on() {
    let (desk, repo) = repository();
    let server = model();
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::sized(&desk, &["inkwell"], &model, 140, 42);
    terminal.see("[EXPLORE] idle");
    for (n, (name, task)) in [
        ("one", "where is the greeting? be silent"),
        ("two", "where is the greeting? ask me"),
        ("three", "where is the greeting? be refused"),
        ("four", "where is the greeting?"),
        ("five", "what greets here? be silent"),
        ("six", "what greets here?"),
    ]
    .into_iter()
    .enumerate()
    {
        terminal.say(&format!("/worktree {name} {task}"));
        terminal.see(&format!("bg:{}", n + 1));
    }
    terminal.until("each as it stands", |s| s.contains("1⚑ 1✗") && s.contains("2✦") && s.contains("2✓"));
    assert_eq!(git(&repo, &["worktree", "list"]).lines().count(), 7);
    // 500 characters, and every one of them stands in the draft.
    let text: String = (0..500).map(|n| char::from(b'a' + u8::try_from(n % 26).unwrap())).collect();
    terminal.keys(&text);
    terminal.until("all that was typed", |s| {
        let letters = |c: &char| c.is_ascii_lowercase();
        let draft: String = s.lines().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
        draft.chars().filter(letters).collect::<String>().contains(&text)
    });
    terminal.keys(CTRL_C);
    terminal.keys(RUNS);
    for told in ["waiting on you", "failed", "thinking", "done", "inkwell-three · worktree", "Which tone?"] {
        terminal.see(told);
    }
    // To the one that waits, answered there; then away, and everything is asked for once.
    terminal.keys("jj\r");
    terminal.see("ask me");
    terminal.keys("\x18q");
    terminal.see("would be left");
    terminal.decide("s");
    assert_eq!(terminal.end(), 0);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert_eq!(raw.matches("Session saved.").count(), 6);
}

#[test]
fn a_run_that_was_killed_is_listed_as_orphaned_and_offered_at_the_next_start() {
    let (desk, _repo) = repository();
    let server = model();
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &["inkwell"], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say("/worktree one where is the greeting? be silent");
    terminal.see("bg:1");
    server.wait_requests(1);
    let runs = |desk: &Desk| -> Vec<Value> {
        let out =
            desk.command(&["runs", "--json"]).current_dir(desk.path().join("inkwell")).output().unwrap();
        assert!(out.status.success());
        String::from_utf8(out.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    };
    let alive = runs(&desk);
    let one = alive.iter().find(|r| r["folder"].as_str().unwrap().ends_with("inkwell-one")).unwrap();
    assert_eq!((&one["status"], &one["pid"]), (&json!("thinking"), &json!(terminal.pid())));
    terminal.kill();
    let left = runs(&desk);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!((&left[0]["status"], left[0].get("pid")), (&json!("orphaned"), None));
    let mut terminal = Terminal::open(&desk, &["inkwell"], &model);
    terminal.see("Ctrl-X r lists \"where is the greeting? be silent\", unfinished");
    terminal.keys(RUNS);
    terminal.see("orphaned");
    terminal.keys("j\r");
    terminal.see("where is the greeting? be silent");
    terminal.see("session resumed");
    terminal.keys("\x18q");
    assert_eq!(terminal.end(), 0);
    assert!(runs(&desk).is_empty(), "what was taken up again is not offered any more");
}

#[test]
fn a_session_of_before_is_deleted_and_its_row_goes_without_another_key() {
    let (desk, _repo) = repository();
    let server = model();
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut first = Terminal::open(&desk, &["inkwell"], &model);
    first.see("[EXPLORE] idle");
    first.say("where is the greeting?");
    first.see("It greets the world.");
    first.keys("\x18q");
    assert_eq!(first.end(), 0);
    let mut second = Terminal::open(&desk, &["inkwell"], &model);
    second.see("[EXPLORE] idle");
    second.keys(RUNS);
    second.see("earlier here");
    second.decide("X");
    second.see("Delete \"where is the greeting?\"?");
    second.decide("y");
    second.see("deleted");
    second.gone("where is the greeting?");
    let listed = desk.go(&["sessions", "list", "--all", "--json"]).with(0).events();
    assert!(listed.iter().all(|s| s["title"] != "where is the greeting?"), "{listed:?}");
}

#[test]
fn a_second_window_on_a_session_only_reads_and_says_so() {
    let (desk, _repo) = repository();
    let server = model();
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut first = Terminal::open(&desk, &["inkwell"], &model);
    first.see("[EXPLORE] idle");
    first.say("where is the greeting?");
    first.see("It greets the world.");
    let listed = desk.go(&["sessions", "list", "--all", "--json"]).with(0).events();
    let slug = listed[0]["slug"].as_str().unwrap().to_owned();
    let mut second = Terminal::open(&desk, &["resume", &slug], &model);
    second.see("read only");
    second.see("It greets the world.");
    second.say("what else?");
    second.see("this one only reads");
    second.keys("\x18q");
    assert_eq!(second.end(), 0);
    first.say("what greets here?");
    first.until("a second answer", |s| s.matches("It greets the world.").count() == 2);
}

#[test]
fn resume_goes_on_with_the_session_that_was_used_last_of_this_folder_or_of_any() {
    let desk = Desk::new();
    for question in ["where is find_notes?", "where is Note?", "what is find_notes?"] {
        desk.go(&["run", question]).with(0);
    }
    let made = desk.sessions();
    assert_eq!(made[1]["title"], "where is Note?");
    desk.go(&["run", "where is score?", "--session", made[1]["slug"].as_str().unwrap()]).with(0);
    let mut elsewhere = desk.command(&["run", "where is parse?"]);
    elsewhere.current_dir(desk.path().join("src"));
    finish(elsewhere).with(0);
    for (args, last, other) in [
        (&["resume", "--last"][..], "where is parse?", "where is score?"),
        (&["resume"], "where is score?", "where is parse?"),
    ] {
        let mut terminal = Terminal::open(&desk, args, &[]);
        terminal.see("session resumed");
        let screen = terminal.see(last);
        assert!(!screen.contains(other) && !screen.contains("what is find_notes?"), "{args:?} {screen}");
        let there = "this session works in ";
        if last == "where is parse?" {
            terminal.see(there);
        } else {
            assert!(!screen.contains(there), "{screen}");
        }
        terminal.keys("\x18q");
        assert_eq!(terminal.end(), 0);
    }
    // Nor without a screen, and by its name as well.
    let mut elsewhere =
        desk.command(&["run", "what is Note?", "--session", made[1]["slug"].as_str().unwrap()]);
    elsewhere.current_dir(desk.path().join("src"));
    let folder = desk.path().canonicalize().unwrap();
    finish(elsewhere).with(0).tells(&[&format!("this session works in {}, not here", folder.display())]);
}
