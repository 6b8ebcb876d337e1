//! What waited when a session was left is found as it was, and goes on without a request.

use crate::{phase, reviewing, support::*};
use pilothouse_core::{
    checkpoint::Answer, input::Input, intent::Phase, plan::TaskStatus, proposal::Decision, session::Session,
};

/// Decides the first hunk of the one proposal.
fn decide(b: &mut Bench) {
    let p = b.session.state().open_proposals().next().unwrap();
    let (proposal, shown) = (p.id, p.shown());
    b.input(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown }).unwrap();
}

fn aside(b: &Bench) -> usize {
    b.session.state().set_aside().count()
}

fn first_step(b: &Bench) -> TaskStatus {
    let state = b.session.state();
    state.plan.as_ref().or(state.suspended.as_ref()).unwrap().tasks[0].status
}

/// Left by `/exit` and opened again.
fn left(mut b: Bench) -> Bench {
    b.say("/exit");
    b.say("y");
    b.input(Input::Open(opening())).unwrap();
    b
}

#[test]
fn who_leaves_a_review_finds_it_as_they_left_it_and_goes_on_without_the_model() {
    for word in ["", "go on"] {
        let mut b = reviewing();
        decide(&mut b);
        b = left(b);
        if !word.is_empty() {
            let step = b.say(word);
            assert!(starts(&step).is_empty(), "{:?}", starts(&step));
            let told =
                "Its changes wait for your decision, as you left them; once they are decided, it goes on.";
            assert_eq!(b.notices().last().unwrap(), told);
        }
        assert_eq!((aside(&b), phase(&b)), (0, Phase::Idle), "nothing is asked but about the changes");
        b.question(is_diff);
        let open: Vec<_> = b.session.state().open_proposals().collect();
        assert_eq!(open.len(), 1);
        assert_eq!(open[0].decided[&0], Decision::Taken, "what was decided is");
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(first_step(&b), TaskStatus::Done);
        assert!(Session::replay(&b.log) == b.session);
    }
}

#[test]
fn who_leaves_a_step_at_its_command_finds_the_changes_before_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt")), ("run", serde_json::json!({"command": "make x"}))]);
    b.propose("a.txt", "1\n", "one\n");
    b.question(is_diff);
    let mut b = left(b);
    b.say("go on");
    assert_eq!((aside(&b), phase(&b)), (0, Phase::Idle));
    b.approve_all(None).unwrap();
    let step = b.write();
    assert_eq!(starts(&step), ["think"], "its agent was not through");
    // A command that was asked about is asked about again once its agent means it still.
    b.reply("", &[("run", serde_json::json!({"command": "make x"}))]);
    b.question(is_risk);
    let mut b = left(b);
    assert!(b.session.state().open.is_empty() && b.session.pending().is_empty());
    b.say("go on");
    b.thinking();
}

/// A plan of two steps and a gate that was said yes to, cut off in the review of its first step.
fn cut_off(gate: &str) -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", gate)]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.reply("done", &[]);
    b.question(is_diff);
    b.input(Input::Open(opening())).unwrap();
    b
}

fn asks_about_the_plan(b: &Bench) -> bool {
    b.session.state().open.values().any(|c| is_plan(&c.kind))
}

#[test]
fn go_on_said_once_before_a_review_goes_on_once_that_is_decided() {
    for skipped in [false, true] {
        let mut b = cut_off("make test");
        assert!(starts(&b.say("go on")).is_empty());
        // A question meanwhile changes nothing of that.
        b.say("what does it do?");
        b.reply("It greets.", &[]);
        if skipped {
            let proposals = b.session.state().open_proposals().map(|p| p.id).collect();
            b.input(Input::Skip { proposals, reason: String::new() }).unwrap();
        } else {
            b.approve_all(None).unwrap();
            assert_eq!(phase(&b), Phase::Idle, "it is not written yet");
            b.write();
        }
        assert_eq!(phase(&b), Phase::Executing, "{skipped}: {:?}", b.notices());
        assert!(!asks_about_the_plan(&b));
        b.thinking();
        assert!(Session::replay(&b.log) == b.session);
    }
    // Nobody said it: nothing goes on; and a stop takes it back.
    for words in [&[][..], &["go on", "stop"]] {
        let mut b = cut_off("make test");
        for word in words {
            b.say(word);
        }
        if b.session.state().open_proposals().next().is_some() {
            b.approve_all(None).unwrap();
            b.write();
        }
        assert_eq!(phase(&b), Phase::Idle, "{words:?}");
    }
}

#[test]
fn a_plan_that_was_said_yes_to_needs_none_again_unless_a_line_of_it_is_another() {
    let stopped = || {
        let mut b = cut_off("make test");
        b.approve_all(None).unwrap();
        b.write();
        b
    };
    let mut b = stopped();
    b.say("go on");
    b.thinking();
    b.input(Input::Cancel).unwrap();
    for (old, new) in [("`make test`", "`make  test`"), ("Two", "Three"), ("`make test`", "`make test-all`")]
    {
        let mut b = stopped();
        b.say("/redo");
        let plan = b.session.state().plan.as_ref().unwrap();
        let (text, version) = (plan.document().replace(old, new), plan.version);
        b.input(Input::EditPlan { text, version }).unwrap();
        b.input(Input::Cancel).unwrap();
        assert_eq!(phase(&b), Phase::Idle);
        b.say("go on");
        assert!(asks_about_the_plan(&b), "{old} {new}: {:?}", b.notices());
    }
    // A no takes the yes back.
    let mut b = stopped();
    b.say("/redo");
    b.say("q");
    b.say("go on");
    assert!(asks_about_the_plan(&b), "{:?}", b.notices());
    // What was never said yes to asks.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.input(Input::Open(opening())).unwrap();
    b.say("go on");
    assert!(asks_about_the_plan(&b), "{:?}", b.notices());
}
