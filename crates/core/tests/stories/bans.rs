//! How long what the user forbade holds: for every version of the plan, for its gates, and while it waits.

use pilothouse_core::{
    checkpoint::Answer, event::Event, input::Input, intent::Phase, plan::GateStatus, session::What,
    tool::Tool, work::Work,
};
use serde_json::json;

use crate::{phase, phases::running, spared::told, support::*};

fn works(b: &Bench, tool: Tool) -> bool {
    b.session
        .pending()
        .into_values()
        .any(|work| matches!(work, Work::Tool { permit, .. } if permit.tool() == tool))
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

/// A run with a gate whose step was told that nothing is to run, and ends.
fn told_to_run_nothing() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("fmt", "make check")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("no, call it Shelf, and don't run anything");
    assert_eq!(phase(&b), Phase::Executing, "{:?}", b.notices());
    b
}

fn ends(b: &mut Bench) {
    while b.session.state().run_lane().is_some_and(|l| l.thinking.is_some()) {
        b.reply("done", &[]);
    }
}

#[test]
fn a_ban_on_running_that_comes_in_a_run_holds_its_gates_too() {
    let mut b = told_to_run_nothing();
    ends(&mut b);
    assert!(
        !works(&b, Tool::Run) && !b.session.state().open.values().any(|c| is_risk(&c.kind)),
        "{:?}",
        b.names()
    );
    assert_eq!(phase(&b), Phase::Idle, "{:?}", b.notices());
    let said = "[Gate: fmt] is skipped: you said not to run anything.";
    assert!(b.notices().iter().any(|n| n == said), "{:?}", b.notices());
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    assert!(end.as_ref().unwrap().contains("Not checked: gate fmt (skipped)"), "{end:?}");

    // An order to run something takes it back.
    let mut b = told_to_run_nothing();
    b.input(Input::Tell("run the tests".to_owned())).unwrap();
    ends(&mut b);
    let gate = b.session.state().plan.as_ref().map(|p| p.gates[0].status);
    assert_ne!(gate, Some(GateStatus::Skipped), "{:?}", b.notices());
    b.question(is_risk);
}

#[test]
fn a_gate_that_the_user_lets_run_again_runs_whatever_was_forbidden() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("fmt", "make check")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    ends(&mut b);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "error: no"));
    b.say("no, call it Shelf, and don't run anything");
    // The repair changes nothing, so that the gate asks again.
    ends(&mut b);
    b.answer(is_failure, Answer::Again).unwrap();
    b.question(is_risk);
}

#[test]
fn what_a_message_that_waits_to_change_the_plan_forbids_holds_at_once() {
    let said = "skip step 2 and leave src/a.rs alone";
    let mut b = running();
    b.reply("", &[("edit", edit_of("src/a.rs"))]);
    b.propose("src/a.rs", "1\n", "2\n");
    b.say(said);
    assert_eq!(b.session.state().queue.works().count(), 1, "{:?}", b.notices());
    assert_eq!(b.session.state().set_aside().count(), 1, "{:?}", b.notices());
    b.reply("", &[("edit", edit_of("src/a.rs"))]);
    assert!(told(&b).contains("the user said not to touch src/a.rs"), "{}", told(&b));

    // Taken out of the queue, or said anew, it forbids nothing any more.
    for word in ["/queue drop 1", "/queue edit 1 skip step 2"] {
        let mut b = running();
        b.say(said);
        b.say(word);
        b.reply("", &[("edit", edit_of("src/a.rs"))]);
        assert!(works(&b, Tool::Edit), "{word}: {}", told(&b));
    }
}

#[test]
fn of_several_messages_that_change_the_plan_each_goes_on_from_the_one_before() {
    let mut b = running();
    b.say("without step 2 please");
    b.say("make it only src/lib.rs");
    let waiting: Vec<_> = b.session.state().queue.works().collect();
    b.reply("one", &[]);
    let state = b.session.state();
    let planning = state.planning_lane().unwrap();
    assert_eq!((planning.turn, state.turns[&waiting[1]].continues), (waiting[1], Some(waiting[0])));
    let told: Vec<_> = state.transcript.of(planning.id).map(|e| e.what).collect();
    assert!(waiting.iter().all(|turn| told.contains(&What::User(*turn))), "{told:?}");
}

#[test]
fn a_message_that_waits_to_change_the_plan_still_does_once_it_is_said_anew() {
    let mut b = running();
    b.say("remove the third step");
    b.say("/queue edit 1 skip step 2");
    b.reply("one", &[]);
    let state = b.session.state();
    assert_eq!((phase(&b), state.queue.is_empty()), (Phase::Planning, true), "{:?}", b.notices());
    let turn = state.planning_lane().unwrap().turn;
    assert_eq!(state.turns[&turn].head, "skip step 2");
}
