//! How long what the user forbade holds: for every version of the plan, for its gates, and while it waits.

use pilothouse_core::{
    checkpoint::Answer,
    event::{CallStatus, Event},
    intent::Phase,
};
use serde_json::json;

use crate::{phase, phases::running, support::*};

/// How the last call that did not run was answered.
fn told(b: &Bench) -> String {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status: CallStatus::Refused | CallStatus::Failed, result, .. } => {
            Some(result.head.clone())
        }
        _ => None,
    });
    end.unwrap_or_default()
}

#[test]
fn what_is_forbidden_holds_for_every_version_of_the_plan() {
    let runs = "fix the bug in a.rs, but don't run anything";
    let tests = "fix the bug in a.rs, but leave the tests alone";
    for (said, call, refused) in [
        (runs, ("run", json!({"command": "make check"})), "the user said that nothing is to run"),
        (tests, ("edit", edit_of("tests/a.rs")), "the user said not to touch the tests"),
    ] {
        // At the question about the first plan, and between two steps of its run.
        for (later, runs_meanwhile) in [("also change b.rs", false), ("make it only src/lib.rs", true)] {
            let mut b = Bench::new();
            b.say(said);
            b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
            if runs_meanwhile {
                b.answer(is_plan, Answer::Approve).unwrap();
            }
            b.say(later);
            if runs_meanwhile {
                b.reply("one", &[]);
            }
            assert_eq!(phase(&b), Phase::Planning, "{said}: {later}: {:?}", b.notices());
            if said == runs {
                b.plan(&[("One", "modify"), ("Three", "modify")], &[("fmt", "make check")]);
                assert!(told(&b).contains("leave out the gates"), "{later}: {}", told(&b));
            }
            b.plan(&[("One", "modify"), ("Three", "modify")], &[]);
            b.answer(is_plan, Answer::Approve).unwrap();
            assert_eq!(phase(&b), Phase::Executing, "{said}: {later}: {:?}", b.notices());
            b.reply("", std::slice::from_ref(&call));
            assert!(told(&b).contains(refused), "{said}: {later}: {}", told(&b));
        }
    }
}

#[test]
fn what_was_told_to_a_run_holds_once_its_plan_is_changed() {
    let mut b = running();
    b.say("leave the tests alone");
    b.say("make it only src/lib.rs");
    while phase(&b) == Phase::Executing {
        b.reply("one", &[]);
    }
    assert_eq!(phase(&b), Phase::Planning, "{:?}", b.notices());
    let task = json!({"title": "A", "files": ["tests/a.rs"]});
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [task]}))]);
    assert!(told(&b).contains("leave tests/a.rs out"), "{}", told(&b));
}
