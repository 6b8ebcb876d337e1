//! The knowledge index through the program itself: who is offered its tools, and what they answer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::last_result,
    server::{Server, Turn},
};

fn agent(desk: &Desk, name: &str, tools: &str) {
    let folder = desk.home.path().join("agents").join(name);
    fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: Finds things\ntools: {tools}\n---\nLook well.\n");
    fs::write(folder.join("AGENT.md"), text).unwrap();
}

fn looks_up() -> Turn {
    Turn::Say("", vec![("kb_search", json!({"query": "how are notes scored"}))])
}

fn offered(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools.map(|t| t["function"]["name"].as_str().unwrap()).filter(|n| n.starts_with("kb_")).collect()
}

#[test]
fn an_agent_that_names_a_tool_of_the_index_is_offered_it_and_gets_its_answer() {
    let desk = Desk::new();
    agent(&desk, "scout", "kb_search");
    agent(&desk, "reader", "Read");
    let server = Server::start(vec![looks_up(), Turn::Say("In src/search.rs.", vec![])]);
    desk.ask(&server.base, &["run", "@scout where are notes scored?"]).with(0);
    assert_eq!(offered(&server.requests()[0]), ["kb_search"]);
    let found: Value = serde_json::from_str(&last_result(&server, 1)).unwrap();
    assert!(found[0]["text"].as_str().unwrap().contains("score"), "{found}");
    for line in ["@reader where are notes scored?", "where are notes scored?"] {
        let server = Server::start(vec![Turn::Say("In src/search.rs.", vec![])]);
        desk.ask(&server.base, &["run", line]).with(0);
        assert!(offered(&server.requests()[0]).is_empty(), "{line}");
    }
}

#[test]
fn a_sub_agent_that_names_a_tool_of_the_index_is_offered_it_alone() {
    let desk = Desk::new();
    agent(&desk, "scout", "kb_search, kb_status");
    let server = Server::answering(|request| {
        let (messages, tools) = (request["messages"].to_string(), request["tools"].to_string());
        let tasks = json!({"tasks": [{"kind": "scout", "task": "find where notes are scored"}]});
        Some(match (tools.contains("\"delegate\""), messages.contains("search.rs")) {
            (false, false) => looks_up(),
            (false, true) => Turn::Say("They are scored in src/search.rs.", vec![]),
            (true, false) => Turn::Say("", vec![("delegate", tasks)]),
            (true, true) => Turn::Say("In src/search.rs.", vec![]),
        })
    });
    desk.ask(&server.base, &["run", "where are notes scored?"]).with(0);
    let requests = server.requests();
    assert_eq!(requests.iter().map(|r| offered(r).len()).collect::<Vec<_>>(), [0, 2, 2, 0]);
}

#[test]
fn what_a_rule_keeps_from_every_reader_is_not_in_the_index() {
    let desk = Desk::new();
    let found = desk.go(&["kb", "search", "how are notes scored"]).with(0);
    assert!(found.out.contains("src/search.rs"), "{}", found.out);
    fs::write(desk.home.path().join("permissions.toml"), "[[deny]]\nread = \"src/search.rs\"\n").unwrap();
    let found = desk.go(&["kb", "search", "how are notes scored"]);
    assert!(!found.out.contains("src/search.rs"), "{}", found.out);
    let status = desk.go(&["kb", "status"]).with(0);
    assert!(status.out.contains("a rule keeps everyone from reading them"), "{}", status.out);
}

#[test]
fn a_script_sees_which_call_is_of_which_stage() {
    let desk = Desk::new();
    let args = ["run", "--agent", "research", "--depth", "quick", "--auto-confirm", "--json"];
    let ended = desk.go(&[&args[..], &["where are notes scored?"]].concat()).with(0);
    let events = ended.events();
    let of = |e: &Value, kind: &str| e["type"] == kind && e["step"].is_string();
    let stages: Vec<&str> =
        events.iter().filter(|e| of(e, "staged")).map(|e| e["step"].as_str().unwrap()).collect();
    assert!(stages.len() >= 10 && stages.iter().all(|s| s.contains("-stage-")), "{stages:?}");
    let made: Vec<&Value> = events.iter().filter(|e| of(e, "call_made")).collect();
    let names: std::collections::BTreeSet<&str> = made.iter().map(|e| e["step"].as_str().unwrap()).collect();
    assert!(names.len() == made.len() && names.iter().any(|n| n.starts_with("orch-kb_search-")), "{names:?}");
    for call in &made {
        assert!(stages.contains(&call["parent"].as_str().unwrap()), "{call}");
        let ended = events.iter().find(|e| of(e, "call_ended") && e["call"] == call["call"]).unwrap();
        assert_eq!((&ended["step"], &ended["parent"]), (&call["step"], &call["parent"]));
    }
    let told = events.iter().rfind(|e| e["type"] == "message_completed").unwrap();
    assert!(told["step"].as_str().unwrap().starts_with("orch-llm-"), "{told}");
}
