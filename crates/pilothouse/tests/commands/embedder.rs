//! An embedder beside the built-in one, as a user has it: an endpoint on loopback that is right, slow,
//! down, of the wrong size or full of nonsense; a folder that is no model; an exemplar file with a
//! mistake. Each time it is told, the next tier takes over, and nothing waits for it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use serde_json::{Value, json};
use support::{
    Desk, Terminal,
    alone::Ended,
    server::{Server, Turn},
};

/// A message that the rules read as a question to be answered from the code, and not surely.
const ASK: &str = "how ready is the launchpad";
/// What the user wrote: near to it by meaning, and by nothing that the built-in embedder sees.
const EXEMPLARS: &str = "leaves:\n  review:\n    - judge the rocket please\n";
const CTRL_C: &str = "\x03";

fn configure(desk: &Desk, base: &str) {
    desk.configure(&format!(
        "[embedder]\nbase_url = \"{base}\"\nname = \"small\"\n[intent]\nthresholds = {{ query = 1.0 }}\nwait_seconds = 1\n"
    ));
    std::fs::write(beside_config(desk, "exemplars.yaml"), EXEMPLARS).unwrap();
}

fn beside_config(desk: &Desk, name: &str) -> std::path::PathBuf {
    let path = desk.go(&["config", "path"]).with(0).out;
    std::path::Path::new(path.trim()).with_file_name(name)
}

/// A vector of `length` numbers: one direction for everything about rockets, others for other words.
fn vector(text: &str, length: usize) -> Vec<f32> {
    let mut numbers = vec![0.0; length];
    for word in text.split_whitespace() {
        let rocket = ["rocket", "launchpad"].contains(&word);
        let sum = word.bytes().fold(7usize, |sum, b| sum * 31 % 1_000_003 + usize::from(b));
        numbers[if rocket { 0 } else { 1 + sum % (length - 1) }] += if rocket { 9.0 } else { 1.0 };
    }
    numbers
}

/// An endpoint whose vectors have as many numbers as `length` says for so many texts at once.
fn vectors(length: impl Fn(usize) -> usize + Send + Sync + 'static) -> Server {
    Server::answering(move |request| {
        let texts: Vec<&str> = request["input"].as_array()?.iter().filter_map(Value::as_str).collect();
        let row = |(index, text): (usize, &&str)| json!({"index": index, "embedding": vector(text, length(texts.len()))});
        let data: Vec<Value> = texts.iter().enumerate().map(row).collect();
        Some(raw(&json!({"data": data}).to_string()))
    })
}

fn raw(body: &str) -> Turn {
    let length = body.len();
    Turn::Raw(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"))
}

/// An address at which nobody listens.
const NOBODY: &str = "http://127.0.0.1:9/v1";

const CANNOT: &str = "The embedder cannot be used, so the next tier decides";

/// Fails unless a notice among the events has every part.
#[track_caller]
fn told(ended: &Ended, parts: &[&str]) {
    let events = ended.events();
    let notices: Vec<&str> =
        events.iter().filter(|e| e["type"] == "notice").filter_map(|e| e["text"].as_str()).collect();
    assert!(notices.iter().any(|n| parts.iter().all(|p| n.contains(p))), "{parts:?} in {notices:?}");
}

/// Asks, and gives how the message was classified. To answer it takes a model, and none is connected.
#[track_caller]
fn asked(desk: &Desk) -> (Ended, String, String) {
    let ended = desk.go(&["run", ASK, "--json"]).with(2);
    let class = ended.events().into_iter().find(|e| e["type"] == "intent_classified").unwrap();
    let leaf = class["path"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();
    let why = class["reasoning"].as_str().unwrap().to_owned();
    (ended, leaf, why)
}

#[test]
fn an_endpoint_finds_the_users_phrase_by_meaning_and_its_vectors_are_kept() {
    let desk = Desk::new();
    let server = vectors(|_| 32);
    configure(&desk, &server.base);
    for known in [false, true] {
        let before = server.requests().len();
        let (ended, leaf, why) = asked(&desk);
        assert_eq!(leaf, "review", "{why}");
        assert!(why.contains("judge the rocket please"), "{why}");
        assert!(!ended.err.contains("embedder"), "{}", ended.err);
        let texts = server.requests().into_iter().skip(before).map(|r| r["input"].as_array().unwrap().len());
        assert_eq!(texts.clone().next_back(), Some(1), "the message itself");
        assert_eq!(texts.filter(|n| *n > 1).count() == 0, known, "the phrases are asked about once");
    }
}

#[test]
fn an_endpoint_with_another_model_under_the_same_name_is_asked_about_the_phrases_again() {
    let desk = Desk::new();
    let first = vectors(|_| 32);
    configure(&desk, &first.base);
    asked(&desk);
    // The address is part of what vectors are kept by: the same one has to answer otherwise.
    let grown = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(32));
    let now = std::sync::Arc::clone(&grown);
    let server = vectors(move |_| now.load(std::sync::atomic::Ordering::SeqCst));
    configure(&desk, &server.base);
    asked(&desk);
    grown.store(48, std::sync::atomic::Ordering::SeqCst);
    let (ended, leaf, _) = asked(&desk);
    assert_eq!(leaf, "review");
    assert!(!ended.err.contains("embedder"), "{}", ended.err);
}

#[test]
fn an_endpoint_that_cannot_be_used_is_told_and_the_rules_decide() {
    let stuck = Server::answering(|_| Some(Turn::Mute));
    let garbage = Server::answering(|_| Some(raw("<html><title>Welcome</title></html>")));
    let uneven = vectors(|texts| if texts == 1 { 48 } else { 32 });
    for (base, why) in [
        (NOBODY.to_owned(), "cannot reach http://127.0.0.1:"),
        (stuck.base.clone(), "within 1 s"),
        (garbage.base.clone(), "its answer holds no embeddings: a web page, \"Welcome\""),
        (uneven.base.clone(), "its vectors have 32 numbers for phrases and 48 for a message"),
    ] {
        let desk = Desk::new();
        configure(&desk, &base);
        let (ended, leaf, reason) = asked(&desk);
        told(&ended, &[CANNOT, why, " under ["]);
        assert_ne!(leaf, "review");
        assert!(reason.contains("the best guess of the rules stands"), "{reason}");
    }
}

#[test]
fn the_screen_waits_for_no_embedder() {
    let stuck = Server::answering(|_| Some(Turn::Mute));
    let desk = Desk::new();
    configure(&desk, &stuck.base);
    let patient = std::fs::read_to_string(beside_config(&desk, "config.toml")).unwrap();
    desk.configure(&patient.replace("wait_seconds = 1", "wait_seconds = 3600"));
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("[EXPLORE] idle");
    stuck.wait_requests(1);
    terminal.say(ASK);
    terminal.see("classifying");
    terminal.say("/keys");
    terminal.see("In the plan");
    terminal.keys("\x1b");
    terminal.gone("In the plan");
    terminal.keys(CTRL_C);
    terminal.see("your message was not acted on");
    terminal.keys(CTRL_C);
    terminal.keys(CTRL_C);
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_screen_says_at_once_that_an_embedder_cannot_be_used() {
    let desk = Desk::new();
    configure(&desk, NOBODY);
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see(CANNOT);
    terminal.say("where is find_notes?");
    terminal.see("src/search.rs:6");
}

#[test]
fn a_folder_that_is_no_model_is_told_and_the_built_in_embedder_is_used() {
    let desk = Desk::new();
    let (file, empty) = (desk.path().join("Cargo.toml"), desk.home.path().join("empty"));
    std::fs::create_dir(&empty).unwrap();
    for folder in [file, empty, desk.path().join("nowhere")] {
        desk.configure(&format!("[embedder]\nfolder = '{}'\n", folder.display()));
        let what = folder.display().to_string();
        let told = [what.as_str(), "the built-in embedder is used"];
        desk.go(&["run", "where is find_notes?"]).with(0).tells(&told);
        desk.go(&["classify", "where is find_notes?"]).with(0).tells(&told);
        let said = desk.go(&["config", "validate"]).with(0);
        assert!(said.err.contains(told[1]) || said.out.contains(told[1]), "{}{}", said.out, said.err);
        let terminal = Terminal::open(&desk, &["."], &[]);
        terminal.see("the built-in embedder is used");
    }
}

/// Files that look right from outside; only a build that reads them can say what is wrong.
#[cfg(feature = "local-embedder")]
#[test]
fn a_model_that_is_cut_off_is_told_and_the_rules_decide() {
    let desk = Desk::new();
    let folder = desk.home.path().join("model");
    std::fs::create_dir(&folder).unwrap();
    for (name, text) in [
        (
            "config.json",
            r#"{"hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":8}"#,
        ),
        ("tokenizer.json", r#"{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2}}}"#),
        ("model.safetensors", "cut"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    desk.configure(&format!(
        "[embedder]\nfolder = '{}'\n[intent]\nthresholds = {{ query = 1.0 }}\n",
        folder.display()
    ));
    let (ended, _, reason) = asked(&desk);
    told(&ended, &[CANNOT, "model.safetensors cannot be read"]);
    assert!(reason.contains("the best guess of the rules stands"), "{reason}");
    let terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("model.safetensors cannot be read");
    let doctor = desk.go(&["doctor", "--json"]).events();
    let found = doctor.iter().find(|c| c["check"] == "embedder").unwrap();
    assert!(found["ok"] == false && found["found"].as_str().unwrap().contains("safetensors"), "{found}");
}

#[test]
fn an_exemplar_file_with_a_mistake_is_named_by_line_and_column_and_costs_only_itself() {
    let desk = Desk::new();
    desk.configure("[intent]\nprimary = 0.8\n");
    let path = beside_config(&desk, "exemplars.yaml");
    for (text, place, why) in [
        ("leaves:\n  review:\n    - judge it\n   oops\n", ":4:8:", "expected a key with a colon"),
        ("leaves:\n  banana:\n    - judge it\n", ":2:3:", "no intent node has this name"),
        ("leaves:\n\treview:\n", ":2:1:", "a tab"),
        ("- judge it\n", ":1:1:", "a phrase outside an intent"),
    ] {
        std::fs::write(&path, text).unwrap();
        let told = [&format!("exemplars.yaml{place}"), why, "the built-in exemplars are used"];
        desk.go(&["run", "where is find_notes?"]).with(0).tells(&told);
        desk.go(&["classify", "run the tests"]).with(0).tells(&told);
    }
    let terminal = Terminal::open(&desk, &["."], &[]);
    terminal.see("the built-in exemplars are used");
}
