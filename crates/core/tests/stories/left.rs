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
            let told = "Its changes still wait for you: review them, then say go on.";
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
    b.write();
    b.say("go on");
    let step = b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(starts(&step), ["think"], "its agent was not through");
    // A command that was asked about is asked about again once its agent means it still.
    b.reply("", &[("run", serde_json::json!({"command": "make x"}))]);
    b.question(is_risk);
    let mut b = left(b);
    assert!(b.session.state().open.is_empty() && b.session.pending().is_empty());
    b.say("go on");
    b.question(is_plan);
}
