//! Facts and proof mode through the program itself: what an answer cites is looked at before anyone reads
//! it, and what is known is told without a model.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::{fs, sync::Arc};

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{Ended, edit, plan},
    server::{Server, Turn},
};

const FILE: &str = "src/search.rs";
const QUESTION: &str = "where is find_notes?";

fn say(text: String) -> Turn {
    Turn::Say(Box::leak(text.into_boxed_str()), vec![])
}

fn read() -> Turn {
    Turn::Say("", vec![("read", json!({"path": FILE}))])
}

/// The lines of the file that a citation can quote, with their numbers.
fn lines(desk: &Desk) -> Vec<(usize, String)> {
    let text = desk.file(FILE);
    let plain = text.lines().enumerate().filter(|(_, l)| l.trim().len() > 12 && !l.contains('`'));
    plain.map(|(n, l)| (n + 1, l.trim().to_owned())).collect()
}

/// The marks of an answer that a mind gives after it read the file.
fn marks(desk: &Desk, answer: Turn) -> Vec<Value> {
    let server = Server::start(vec![read(), answer]);
    let ended = desk.ask(&server.base, &["run", QUESTION, "--mode", "proof", "--json"]).with(0);
    let events = ended.events();
    let checked: Vec<&Value> = events.iter().filter(|e| e["type"] == "answer_checked").collect();
    assert_eq!(checked.len(), 1, "{}", ended.out);
    let at = |kind: &str| events.iter().position(|e| e["type"] == kind && e["intermediate"] != json!(true));
    assert!(at("answer_checked") < events.iter().rposition(|e| e["type"] == "message_completed"));
    checked[0]["marks"].as_array().cloned().unwrap_or_default()
}

#[test]
fn of_forty_answers_the_ten_that_lie_are_marked_and_no_other() {
    let desk = Desk::new();
    let known = lines(&desk);
    let (mut caught, mut wronged) = (0, Vec::new());
    for n in 0..30 {
        let (at, text) = &known[n % known.len()];
        let told = marks(&desk, say(format!("- `{text}` stands at {FILE}:{at}.\n")));
        if !told.is_empty() {
            wronged.push(told);
        }
    }
    for n in 0..10 {
        let desk = Desk::new();
        let (at, text) = known[n * 2].clone();
        let (other, _) = known.iter().find(|(_, t)| !t.contains(&text)).unwrap();
        let answer = match n % 4 {
            0 => say(format!("`{text}` stands at {FILE}:{other}.")),
            1 => say(format!("The tests pass: `$ cargo test` printed \"{n} passed\".")),
            2 => {
                let path = desk.path().join(FILE);
                let change =
                    move || fs::write(&path, format!("{}\n", fs::read_to_string(&path).unwrap())).unwrap();
                Turn::After(Arc::new(change), Box::new(say(format!("`{text}` stands at {FILE}:{at}."))))
            }
            _ => say("This is sorted by how often a word is found.".to_owned()),
        };
        caught += usize::from(!marks(&desk, answer).is_empty());
    }
    crate::support::alone::tell(&format!("checked=40 marked={caught} wrongly={}", wronged.len()));
    assert_eq!((caught, wronged), (10, Vec::new()));
}

#[test]
fn a_mark_stands_beside_its_line_for_people() {
    let desk = Desk::new();
    let server = Server::start(vec![read(), say("It is fast.\n\nUnproven: it may be slow.".to_owned())]);
    let ended = desk.ask(&server.base, &["run", QUESTION, "--mode", "proof"]).with(0);
    assert!(ended.out.contains("It is fast.  ⚠ not proven: no evidence is named\n"), "{}", ended.out);
    assert!(ended.out.contains("Unproven: it may be slow.\n"), "{}", ended.out);
}

#[test]
fn the_last_words_of_a_step_are_checked_as_an_answer_is() {
    let desk = Desk::new();
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", FILE)]))]),
        Turn::Say("", vec![("edit", edit(FILE, "fn score(", "fn points_of("))]),
        say("It is faster than before.".to_owned()),
    ]);
    let order = "rename score to points_of in src/search.rs";
    let ended = desk.ask(&server.base, &["run", order, "--auto-confirm", "--mode", "proof", "--json"]);
    let checked: Vec<Value> = ended.events().into_iter().filter(|e| e["type"] == "answer_checked").collect();
    assert_eq!(checked.len(), 1, "{}", ended.out);
    assert_eq!(checked[0]["marks"].as_array().map(Vec::len), Some(1), "{}", checked[0]);
}

fn session(ended: &Ended) -> String {
    ended.events().last().unwrap()["session"].as_str().unwrap().to_owned()
}

#[test]
fn what_was_noted_is_told_without_a_model_as_long_as_it_stands() {
    let desk = Desk::new();
    let (at, text) = lines(&desk)[3].clone();
    let note =
        |text: &str| json!({"name": "search entry", "value": "find_notes", "file": FILE, "text": text});
    let server = Server::start(vec![
        Turn::Say("", vec![("record_fact", note("nothing says this"))]),
        Turn::Say("", vec![("record_fact", note(&text))]),
        say("Noted.".to_owned()),
    ]);
    let ended = desk.ask(&server.base, &["run", QUESTION, "--json"]).with(0);
    let noted = ended.events().iter().filter(|e| e["type"] == "fact_recorded").count();
    assert_eq!(noted, 1, "what the file does not say is not noted: {}", ended.out);
    let slug = session(&ended);

    let none = Server::start(vec![]);
    let again = ["run", "what is the search entry?", "--session", &slug];
    let ended = desk.ask(&none.base, &again).with(0);
    assert!(ended.out.contains(&format!("search entry: find_notes ({FILE}:{at}")), "{}", ended.out);
    assert!(none.requests().is_empty() && none.sorted().is_empty(), "no model is asked");

    fs::write(desk.path().join(FILE), "// empty\n").unwrap();
    let asked = Server::start(vec![say("It is gone.".to_owned())]);
    let ended = desk.ask(&asked.base, &again).with(0);
    assert!(ended.out.contains("It is gone.") && asked.requests().len() == 1, "{}", ended.out);
}
