//! Promises that broke in ordinary use, without a screen: what a message may, what is said of what is left.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use serde_json::Value;

use crate::support::{
    Desk,
    alone::{edit, last_result, plan},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

fn submit(plan: Value) -> Turn {
    Turn::Say("", vec![("submit_plan", plan)])
}

fn change() -> Turn {
    Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))])
}

#[test]
fn a_model_that_plans_changes_for_a_message_that_only_weighs_changes_nothing() {
    for text in [
        "compare these two options",
        "what would happen if we removed src/note.rs?",
        "verify that the store loads its notes",
        "@plan tidy the store",
        "where is find_notes?",
    ] {
        let desk = Desk::new();
        let before = desk.tree();
        let tasks = || plan(&[("modify", "src/search.rs")]);
        let server = Server::start(vec![
            submit(tasks()),
            change(),
            submit(tasks()),
            change(),
            Turn::Say("The first one is smaller.", vec![]),
            Turn::Say("The first one is smaller.", vec![]),
        ]);
        let ended = desk.ask(&server.base, &["run", text, "--auto-confirm"]);
        // Where a plan was asked for it stands there, and goes on by an answer alone; any other is refused to the model.
        if text.starts_with('@') {
            assert_eq!(ended.exit, 3, "{}", ended.err);
        } else {
            assert!(!last_result(&server, 1).is_empty(), "{text}");
        }
        assert_eq!(desk.tree(), before, "{text}: {}", ended.err);
        desk.verified();
    }
}

#[test]
fn that_there_is_no_goal_is_said_once() {
    let desk = Desk::new();
    for goal in ["", "   "] {
        let ended = desk.go(&["run", goal]).with(2);
        assert_eq!(
            ended.err.matches("no goal").count() + ended.out.matches("no goal").count(),
            1,
            "{}",
            ended.err
        );
    }
    assert!(desk.sessions().is_empty());
}

/// A plan of two steps of which the first is done and the second was stopped is listed as unfinished, and what is said of
/// it counts each apart; once it is done there is nothing more of it.
#[test]
fn a_plan_that_was_stopped_is_told_as_unfinished_and_counted_as_it_is() {
    let desk = Desk::new().one_by_one();
    let server = Server::start(vec![
        submit(plan(&[("modify", "src/search.rs"), ("modify", "src/lib.rs")])),
        change(),
        Turn::Say("Done.", vec![]),
        Turn::Hang("Now the"),
        Turn::Say("nothing to change: it is right", vec![]),
    ]);
    let ended = desk.ask(&server.base, &["run", GOAL, "--auto-confirm", "--timeout", "4"]).with(1);
    ended.tells(&["time limit"]);
    let listed = desk.sessions();
    assert_eq!(listed[0]["unfinished"], true, "{listed:?}");
    let slug = listed[0]["slug"].as_str().unwrap().to_owned();
    let list = desk.go(&["sessions", "list"]).with(0).out;
    assert!(list.contains("unfinished"), "{list}");
    let status = desk.go(&["run", "status", "--session", &slug]).with(0).out;
    assert!(status.contains("1 of 2 steps, 1 stopped"), "{status}");
    desk.ask(&server.base, &["run", "/redo", "--session", &slug, "--auto-confirm"]).with(0);
    assert_eq!(desk.sessions()[0]["unfinished"], false);
    let status = desk.go(&["run", "status", "--session", &slug]).with(0).out;
    assert!(status.contains("2 of 2 steps") && !status.contains("stopped"), "{status}");
    desk.verified();
}
