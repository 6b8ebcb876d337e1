//! Models that know no end, and windows that hold next to nothing: clear words, and nothing lost.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{edit, plan},
    server::{Server, Turn, sorts},
};

const ORDER: &str = "rename find_notes to search_notes";
const OLD: &str = "The notes that hold every word of `query`, in any case, best first.";

/// Asks a model that says this whenever it is asked, for the so manieth time; gives what was said, and how often it was asked.
fn always(config: &str, args: &[&str], exit: i32, told: &[&str], say: fn(usize) -> Turn) -> usize {
    let desk = Desk::new();
    desk.configure(config);
    let before = desk.tree();
    let asked = AtomicUsize::new(1);
    let server = Server::answering(move |request| {
        if sorts(request) {
            return Some(Turn::Say("I cannot tell.", vec![]));
        }
        Some(say(asked.fetch_add(1, Ordering::Relaxed)))
    });
    desk.ask(&server.base, args).with(exit).tells(told);
    assert_eq!(desk.tree(), before);
    desk.verified();
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    desk.configure("");
    let again = desk.go(&["run", "where is find_notes?", "--session", &slug]).with(0);
    assert!(again.out.contains("src/search.rs:6"), "{}", again.out);
    server.requests().len()
}

fn a_plan() -> (&'static str, Value) {
    ("submit_plan", plan(&[("modify", "src/search.rs")]))
}

#[test]
fn ten_plans_in_one_reply_are_one_plan() {
    let desk = Desk::new();
    let server = Server::start(vec![
        Turn::Say("", std::iter::repeat_with(a_plan).take(10).collect()),
        Turn::Say("", vec![("edit", edit("src/search.rs", OLD, "Notes."))]),
        Turn::Say("Done.", vec![]),
    ]);
    let ended = desk.ask(&server.base, &["run", ORDER, "--auto-confirm", "--json"]).with(0);
    let ready = ended.events().iter().filter(|e| e["type"] == "plan_ready").count();
    assert_eq!(ready, 1);
    assert!(desk.file("src/search.rs").contains("/// Notes."));
    desk.verified();
}

#[test]
fn a_model_that_only_makes_plans_is_stopped_and_told_of() {
    let args = ["run", ORDER, "--auto-confirm"];
    let same = ["same call 6 times", "submit_plan"];
    let asked = always("", &args, 1, &same, |_| Turn::Say("", vec![a_plan()]));
    assert!(asked <= 10, "{asked} requests");
    // A plan without a step is none, however often it comes.
    let empty = |_| Turn::Say("", vec![("submit_plan", json!({"title": "P", "tasks": []}))]);
    let asked = always("", &args, 1, &same, empty);
    assert!(asked <= 10, "{asked} requests");
    let another = |n| Turn::Say("", vec![("submit_plan", json!({"title": format!("P {n}"), "tasks": []}))]);
    let asked = always("", &args, 1, &["80 rounds"], another);
    assert!(asked <= 90, "{asked} requests");
}

#[test]
fn a_model_that_only_calls_is_stopped_and_told_of() {
    // Other lines each time: the same call is stopped long before.
    let read = |n| Turn::Say("", vec![("read", json!({"path": "src/search.rs", "lines": n}))]);
    let asked = always("", &["run", "what does find_notes do?"], 1, &["80 rounds"], read);
    assert!(asked <= 90, "{asked} requests");
    let asked = always("", &["run", "what does find_notes do?", "--max-calls", "5"], 4, &["5"], read);
    assert_eq!(asked, 5);
}

#[test]
fn words_without_end_are_cut_and_told_of() {
    let words = |_| {
        let piece = json!({"choices": [{"index": 0, "delta": {"content": "and so on ".repeat(2_000)}}]});
        let body = format!("data: {piece}\n\n").repeat(1_200);
        Turn::Raw(format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{body}"))
    };
    always("", &["run", "what does find_notes do?"], 1, &["larger than 16 MiB", "is kept"], words);
}

#[test]
fn a_window_that_holds_no_request_is_told_before_anything_is_sent() {
    let say = |_| Turn::Say("never heard", vec![]);
    let told = ["window of 1000 tokens", "[model] window"];
    assert_eq!(always("[model]\nwindow = 1000\n", &["run", "what does find_notes do?"], 5, &told, say), 0);
}

/// Bytes of what a model has to hold of a request.
fn bytes(request: &Value) -> usize {
    let messages = request["messages"].as_array().unwrap();
    let text = |m: &Value| m["content"].as_str().map_or(0, str::len) + m["tool_calls"].to_string().len();
    messages.iter().map(text).sum::<usize>() + request["tools"].to_string().len()
}

#[test]
fn work_goes_on_in_a_window_of_four_thousand_tokens() {
    let desk = Desk::new();
    desk.configure("[model]\nwindow = 4000\n");
    let read = |path: &str| Turn::Say("", vec![("read", json!({"path": path}))]);
    let server = Server::start(vec![
        Turn::Say("", vec![a_plan()]),
        read("Cargo.toml"),
        read("src/lib.rs"),
        read("src/search.rs"),
        Turn::Say("", vec![("run", json!({"command": "cat src/search.rs src/lib.rs Cargo.toml"}))]),
        Turn::Say("", vec![("edit", edit("src/search.rs", OLD, "Notes."))]),
        Turn::Say("Done.", vec![]),
    ]);
    desk.ask(&server.base, &["run", ORDER, "--auto-confirm"]).with(0);
    assert!(desk.file("src/search.rs").contains("/// Notes."));
    // A reply needs its part of the window as well.
    for (n, request) in server.requests().iter().enumerate() {
        assert!(bytes(request) <= 3_000 * 4, "request {n}: {} bytes", bytes(request));
    }
    desk.verified();
}
