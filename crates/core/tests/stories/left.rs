//! What waited when a session was left is found as it was, and goes on without a request.

use crate::{phase, reviewing, support::*};
use pilothouse_core::{
    checkpoint::Answer, input::Input, intent::Phase, plan::TaskStatus, proposal::Decision,
    scope::PermissionMode, session::Session, work::Work,
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
            let told = "Its changes are still waiting for you: review them, and the plan continues.";
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

/// A step whose change waits, with a command behind it.
fn at_its_command() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt")), ("run", serde_json::json!({"command": "make x"}))]);
    b.propose("a.txt", "1\n", "one\n");
    b
}

#[test]
fn who_leaves_a_step_at_its_command_finds_the_changes_before_it() {
    let b = at_its_command();
    b.question(is_diff);
    let mut b = left(b);
    b.say("go on");
    assert_eq!((aside(&b), phase(&b)), (0, Phase::Idle));
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::Executing, "once they are decided the plan goes on by itself");
    assert!(b.session.pending().values().any(Work::asks_model), "its agent was not through");
    assert!(!b.session.state().open.values().any(|c| is_plan(&c.kind)), "and nobody is asked again");
    // A command that was asked about is asked about again once its agent means it still.
    b.reply("", &[("run", serde_json::json!({"command": "make x"}))]);
    b.question(is_risk);
    let mut b = left(b);
    assert!(b.session.state().open.is_empty() && b.session.pending().is_empty());
    b.say("go on");
    assert_eq!(phase(&b), Phase::Executing);
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_plan_that_began_goes_on_without_another_yes_as_long_as_it_is_the_same() {
    let begun = || {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        left(b)
    };
    let mut b = begun();
    let told = b.session.foretell("go on");
    let (turn, path) = told.meant.clone().unwrap();
    let words = told.words((&turn, &path), false, b.session.state());
    assert_eq!(words, "resumes the plan");
    b.say("go on");
    assert_eq!((phase(&b), b.session.state().run_lanes().count() > 0), (Phase::Executing, true));
    // Shown again and not agreed to, it waits for a yes as any other.
    let mut b = begun();
    b.say("/redo");
    b.question(is_plan);
    b.say("/abort");
    b.say("go on");
    b.question(is_plan);
    // One that nobody said yes to is shown first.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    let mut b = left(b);
    b.say("go on");
    b.question(is_plan);
    // What began unasked goes on unasked, as long as the mode lets it.
    for (mode, then) in
        [(PermissionMode::Auto, Phase::Executing), (PermissionMode::Ask, Phase::AwaitingApproval)]
    {
        let mut b = Bench::new();
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        assert_eq!(phase(&b), Phase::Executing);
        let mut b = left(b);
        if b.session.state().permission != mode {
            b.input(Input::SetPermission(mode)).unwrap();
        }
        b.say("go on");
        assert_eq!(phase(&b), then, "{mode:?}");
    }
    // What may not run now does not.
    let mut b = begun();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.say("go on");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn what_was_allowed_for_a_session_that_was_left_is_said_to_be_forgotten() {
    let rules = || vec!["allow command make x".to_owned()];
    let told = |answer: Answer| {
        let mut b = Bench::new();
        b.say("run make x");
        b.reply("", &[("run", serde_json::json!({"command": "make x"}))]);
        b.answer(is_risk, answer).unwrap();
        let b = left(b);
        b.notices().iter().find(|n| n.contains("ended with it")).cloned()
    };
    let all = "What you allowed for the session ended with it: command make x. It asks again.";
    assert_eq!(told(Answer::Approve), None);
    assert_eq!(told(Answer::Grant { rules: rules(), lasting: false }).as_deref(), Some(all));
}

#[test]
fn what_the_user_left_out_stays_out_where_the_plan_goes_on() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify"), ("Three", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("skip step 3");
    b.input(Input::Cancel).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    b.say("go on");
    assert_eq!(phase(&b), Phase::Executing, "{:?}", b.notices());
    b.reply("nothing to change: one", &[]);
    b.reply("nothing to change: two", &[]);
    assert_eq!(phase(&b), Phase::Idle, "{:?}", b.notices());
    let plan = b.session.state().suspended.clone().unwrap();
    let steps: Vec<_> = plan.tasks.iter().map(|t| t.status).collect();
    assert_eq!(steps, [TaskStatus::Done, TaskStatus::Done, TaskStatus::Skipped]);
}

#[test]
fn a_stop_ends_that_a_plan_goes_on_by_itself_and_a_question_does_not() {
    for (said, goes_on) in [("/abort", false), ("what is in a.txt?", true)] {
        let mut b = left(at_its_command());
        b.say("go on");
        b.say(said);
        if goes_on {
            b.reply("one", &[]);
        }
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(phase(&b) == Phase::Executing, goes_on, "{said}: {:?}", b.notices());
    }
}
