use std::sync::atomic::{AtomicU64, Ordering};

use pilothouse_core::tool::Tool;
use serde_json::Value;

use super::*;
use crate::{Environment, config::Layer};

/// A small project and its index.
fn project() -> (tempfile::TempDir, Knowledge) {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir_all(work.join("src")).unwrap();
    std::fs::write(work.join("src/retry.rs"), "/// Tries again.\npub fn retry() {\n    back_off();\n}\n")
        .unwrap();
    std::fs::write(work.join("src/wait.rs"), "pub fn back_off() {}\nconst LIMIT: usize = 3;\n").unwrap();
    let home = Home::under(&dir.path().join("home"));
    let none: [(&str, &str); 0] = [];
    let environment: Environment = none.into_iter().collect();
    let config = Config::load(&home, None, &environment, Layer::default()).unwrap();
    let knowledge = Knowledge::new(&work, &home, &config);
    (dir, knowledge)
}

/// What a call of a tool comes to there, and whether it failed.
fn called(tool: Tool, args: &Value) -> (bool, Value) {
    let (_dir, knowledge) = project();
    let ToolCall::Knowledge(call) = ToolCall::read(tool, &args.to_string()).unwrap() else { unreachable!() };
    let outcome = knowledge.call(&call, &PathRules::default(), &|_| ());
    let text = if outcome.failed {
        Value::String(outcome.text)
    } else {
        serde_json::from_str(&outcome.text).unwrap()
    };
    (outcome.failed, text)
}

use pilothouse_core::tool::ToolCall;

#[test]
fn each_tool_answers_in_json() {
    for (tool, args, pointer, said) in [
        (Tool::KbSearch, json!({"query": "try again"}), "/0/path", json!("src/retry.rs")),
        (
            Tool::KbSearch,
            json!({"query": "back off", "within": ["src/wait.rs"]}),
            "/0/path",
            json!("src/wait.rs"),
        ),
        (
            Tool::HopRetrieve,
            json!({"symbol": "retry", "by": ["uses"]}),
            "/0/passage/path",
            json!("src/wait.rs"),
        ),
        (
            Tool::GetPassage,
            json!({"path": "src/retry.rs", "from": 2, "to": 3}),
            "/text",
            json!("pub fn retry() {\n    back_off();"),
        ),
        (
            Tool::CitationVerify,
            json!({"citations": [{"path": "src/retry.rs", "from": 1, "text": "back_off();"}]}),
            "/0/place/moved/to/from",
            json!(3),
        ),
        (Tool::EntityVerify, json!({"text": "`retry` calls `give_up`"}), "/score", json!(500)),
        (
            Tool::RelationVerify,
            json!({"subject": "retry", "relation": "uses", "object": "back_off"}),
            "/standing",
            json!("holds"),
        ),
        (
            Tool::ContradictionCheck,
            json!({"claims": ["LIMIT is 5."], "cited": [{"path": "src/wait.rs"}]}),
            "/found/0/other",
            json!("3"),
        ),
        (Tool::KbStatus, json!({}), "/files", json!(2)),
        (Tool::KbStatus, json!({"path": "src/wait.rs"}), "/file/state", json!("indexed")),
    ] {
        let (failed, text) = called(tool, &args);
        assert_eq!((failed, text.pointer(pointer)), (false, Some(&said)), "{tool:?} {args} {text}");
    }
}

#[test]
fn calls_that_cannot_be_answered_say_why() {
    for (tool, args, said) in [
        (Tool::HopRetrieve, json!({}), "name a place"),
        (Tool::GetPassage, json!({"path": "src/gone.rs"}), "cannot be read"),
        (Tool::KbSearch, json!({"query": "x", "within": ["../other"]}), "not a path inside the workspace"),
    ] {
        let (failed, text) = called(tool, &args);
        assert!(failed && text.as_str().unwrap().contains(said), "{tool:?} {text}");
    }
}

/// Whether something is found.
fn finds(lookup: &Lookup, text: &str) -> Result<bool, String> {
    let query = Query { text: text.to_owned(), within: Vec::new(), most: 5 };
    let found = lookup.search(&query, &PathRules::default(), &|_| ());
    found.map(|(found, _)| !found.is_empty())
}

#[test]
fn files_are_looked_at_again_after_a_moment_or_when_something_happened() {
    let (dir, knowledge) = project();
    let now = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&now);
    let knowledge = knowledge.timed(Arc::new(move || Millis(clock.load(Ordering::Relaxed))));
    let put = |name: &str| {
        std::fs::write(dir.path().join("work").join(name), format!("fn {name}() {{}}\n")).unwrap();
    };
    assert_eq!(finds(&knowledge, "retry"), Ok(true));
    put("quokka");
    assert_eq!(finds(&knowledge, "quokka"), Ok(false));
    knowledge.changed();
    assert_eq!(finds(&knowledge, "quokka"), Ok(true));
    put("numbat");
    now.store(1_999, Ordering::Relaxed);
    assert_eq!(finds(&knowledge, "numbat"), Ok(false));
    now.store(2_000, Ordering::Relaxed);
    assert_eq!(finds(&knowledge, "numbat"), Ok(true));
}

#[test]
fn what_goes_on_ends_with_its_owner_and_when_nobody_waits_for_it() {
    let (_dir, knowledge) = project();
    let lookup = knowledge.lookup();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ask = KnowledgeAsk::Search("retry".to_owned());
    let told = lookup.clone().until(cancel).answer(&ask, &PathRules::default(), &|_| ());
    assert_eq!(told.unwrap_err(), "stopped by the user");
    assert_eq!(finds(&lookup, "retry"), Ok(true));
    drop(knowledge);
    assert_eq!(finds(&lookup, "retry").unwrap_err(), "stopped by the user");
}

#[test]
fn who_stops_waiting_ends_the_first_reading_and_the_next_question_is_answered() {
    let (dir, knowledge) = project();
    for n in 0..1_500 {
        std::fs::write(dir.path().join(format!("work/src/more_{n}.rs")), format!("fn more_{n}() {{}}\n"))
            .unwrap();
    }
    let (cancel, rules) = (CancellationToken::new(), PathRules::default());
    let query = Query { text: "try again".to_owned(), within: Vec::new(), most: 5 };
    let waits = knowledge.lookup().until(cancel.clone());
    let told = AtomicU64::new(0);
    let stopped = waits.search(&query, &rules, &|_| {
        told.fetch_add(1, Ordering::Relaxed);
        cancel.cancel();
    });
    assert!(stopped.is_err(), "{stopped:?}");
    assert_eq!(told.load(Ordering::Relaxed), 1, "nothing was read on");
    let (found, _) = knowledge.search(&query, &rules, &|_| ()).unwrap();
    assert_eq!(found.first().unwrap().lines.path.as_str(), "src/retry.rs");
}
