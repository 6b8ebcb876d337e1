//! Which tools a lane is offered, and what a name is answered that is none of them.

use pilothouse_core::{
    event::Event,
    talk::Purpose::{Answer, Goal, Plan, Task},
    tool::Tool,
};
use serde_json::json;

use crate::support::*;

/// What a call of a tool that does not exist is told.
fn told(b: &mut Bench) -> String {
    b.reply("", &[("bash", json!({"command": "ls"}))]);
    last_end(b)
}

/// What the last call was told.
fn last_end(b: &Bench) -> String {
    let last = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { result, .. } => Some(result.head.clone()),
        _ => None,
    });
    last.unwrap()
}

#[test]
fn a_tool_is_offered_only_where_its_call_can_come_to_something() {
    for (tool, purposes) in [
        (Tool::SubmitPlan, &[Plan][..]),
        (Tool::RequestPath, &[Answer, Task, Goal]),
        (Tool::ChangeGate, &[Task]),
        (Tool::AskUser, &[Plan, Answer, Task, Goal]),
    ] {
        for purpose in [Plan, Answer, Task, Goal] {
            let offered = Tool::of_session(purpose).contains(&tool);
            assert_eq!(offered, purposes.contains(&purpose), "{tool:?} {purpose:?}");
        }
    }
}

#[test]
fn leave_to_go_deeper_is_asked_for_only_where_it_can_be_given() {
    for (said, offered) in [
        ("how does the search work?", true),
        ("how does the search work? don't change anything", false),
        ("@read how does the search work", false),
    ] {
        let mut b = Bench::new();
        b.say(said);
        assert_eq!(told(&mut b).contains("request_path"), offered, "{said}");
    }
    let mut b = Bench::new();
    b.say("/readonly");
    b.say("how does the search work?");
    assert!(!told(&mut b).contains("request_path"), "under a read-only ceiling");
}

#[test]
fn a_name_that_is_no_tool_is_answered_with_those_that_are_offered() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    let question = told(&mut b);
    let step = told(&mut crate::phases::running());
    for (text, has, lacks) in [
        (&question, &["list", "request_path"][..], &["edit", "submit_plan", "change_gate", "kb_search"][..]),
        (&step, &["edit", "run", "change_gate"], &["submit_plan", "source_call", "kb_search"]),
    ] {
        let names: Vec<&str> = text.split_once("of this turn are ").unwrap().1.split(", ").collect();
        assert!(has.iter().all(|name| names.contains(name)), "{text}");
        assert!(!lacks.iter().any(|name| names.contains(name)), "{text}");
    }
}

#[test]
fn a_name_from_elsewhere_is_answered_with_the_tool_that_is_meant_and_its_arguments() {
    let mut b = crate::phases::running();
    let step = told(&mut b);
    assert!(step.contains("call run instead, with {\"command\":"), "{step}");
    let mut b = Bench::new();
    b.say("how does the search work?");
    b.reply("", &[("str_replace", json!({"path": "a.txt", "old_str": "1", "new_str": "2"}))]);
    let question = last_end(&b);
    assert!(question.contains("edit, which does that, is not open to this turn"), "{question}");
    assert!(!question.contains("instead"), "{question}");
}
