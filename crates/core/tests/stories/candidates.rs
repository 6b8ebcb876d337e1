//! Several plans for one message: how many are asked for, which is shown, and that any of them can be taken.

use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    intent::Phase,
    money::Limits,
    plan::TaskStatus,
    session::Bounds,
    talk::{Fault, FaultKind},
};
use serde_json::{Value, json};

use crate::{phase, support::*};

/// A plan with a gate or none, of these steps.
fn draft(title: &str, steps: &[&str], gate: bool) -> (&'static str, Value) {
    let tasks: Vec<_> = steps.iter().map(|t| json!({"title": t, "files": ["a.txt"]})).collect();
    let gates = if gate { json!([{"name": "test", "command": "make test"}]) } else { json!([]) };
    ("submit_plan", json!({"title": title, "tasks": tasks, "gates": gates}))
}

fn shown(b: &Bench) -> String {
    b.session.state().plan.as_ref().map(|p| p.title.clone()).unwrap_or_default()
}

/// The three were handed in, of which the second is the best.
fn three() -> Bench {
    let mut b = Bench::new();
    b.say("/plan candidates 3 fix the greeting in a.txt");
    b.reply("", &[draft("Bare", &["Do it"], false)]);
    assert_eq!((phase(&b), shown(&b).as_str()), (Phase::Planning, ""), "the user sees none yet");
    b.reply("", &[draft("Whole", &["Fix the greeting", "Say so"], true)]);
    b.reply("", &[draft("Long", &["One", "Two", "Three", "Four", "Five", "Six", "Seven"], false)]);
    b
}

#[test]
fn the_best_of_three_waits_and_the_others_are_told_with_their_scores() {
    let mut b = three();
    assert_eq!((phase(&b), shown(&b).as_str()), (Phase::AwaitingApproval, "Whole"));
    let told = b.notices().pop().unwrap();
    assert!(told.starts_with("The best of 3 plans; /plan take N picks another.\n  1. Bare ("), "{told}");
    assert!(told.contains("\n* 2. Whole (100 points: ") && told.contains("\n  3. Long ("), "{told}");
    let state = b.session.state();
    let points: Vec<_> = state.candidates().iter().map(|(_, score)| score.points).collect();
    assert!(points[1] > points[0] && points[0] > points[2], "{points:?}");
    b.say("/plan candidates");
    assert!(b.notices().pop().unwrap().contains("* 2. Whole"));
    b.answer(is_plan, Answer::Approve).unwrap();
    assert!(b.session.state().candidates().is_empty(), "what was not taken is gone when it runs");
}

#[test]
fn another_is_taken_as_the_next_version_and_asked_about_anew() {
    let mut b = three();
    let asked = b.question(is_plan);
    b.say("/plan take 1");
    assert_ne!(b.question(is_plan), asked);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.title.as_str(), plan.version), ("Bare", 2));
    assert!(
        b.input(Input::say("/plan take 1"))
            .unwrap_err()
            .reason
            .contains("that plan is already the one waiting")
    );
    assert!(b.input(Input::say("/plan take 4")).unwrap_err().reason.contains("there are 1 to 3"));
    assert!(b.input(Input::say("/plan take 0")).is_err());
    b.say("/plan take 2");
    assert_eq!((shown(&b).as_str(), b.session.state().plan.as_ref().unwrap().version), ("Whole", 3));
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].status, TaskStatus::Running);
    assert!(b.input(Input::say("/plan take 1")).is_err());
}

#[test]
fn fewer_are_enough_where_no_other_comes() {
    // The model says that there is no other way, hands the same in again, or fails.
    let ends: [fn(&mut Bench); 3] = [
        |b| drop(b.reply("There is no other way.", &[])),
        |b| drop(b.reply("", &[draft("Whole", &["Fix the greeting"], true)])),
        |b| {
            let (kind, message) = (FaultKind::Refused, "no".to_owned());
            let fault = Fault { kind, message, hint: String::new(), status: None };
            let call = b.thinking();
            b.input(Input::Replied { call, reply: Err(fault) }).unwrap();
        },
    ];
    for (n, end) in ends.into_iter().enumerate() {
        let mut b = Bench::new();
        b.session.set_bounds(Bounds { candidates: 3, ..Bounds::default() });
        b.say("fix the greeting in a.txt");
        b.reply("", &[draft("Whole", &["Fix the greeting"], true)]);
        end(&mut b);
        assert_eq!((phase(&b), shown(&b).as_str()), (Phase::AwaitingApproval, "Whole"), "{n}");
        assert!(!b.session.state().busy(), "{n}");
    }
    // No more may be spent: what there is waits, and nobody is asked for money first.
    let mut b = Bench::new();
    b.say("/plan candidates 3 fix the greeting in a.txt");
    b.input(Input::SetBudget(Limits::parse("1 call").unwrap())).unwrap();
    b.reply("", &[draft("Whole", &["Fix the greeting"], true)]);
    b.reply("", &[draft("Bare", &["Do it"], false)]);
    assert_eq!((phase(&b), shown(&b).as_str()), (Phase::AwaitingApproval, "Whole"));
}

#[test]
fn one_plan_is_made_where_nobody_asked_for_more_and_one_reply_may_hold_all() {
    let mut b = Bench::new();
    b.say("fix the greeting in a.txt");
    b.reply("", &[draft("One", &["Do it"], false), draft("Two", &["Do it so"], true)]);
    assert_eq!(shown(&b), "One", "the second is no plan any more");
    assert!(b.session.state().candidates().is_empty());
    assert!(b.input(Input::say("/plan candidates")).unwrap_err().reason.starts_with("no other plans"));
    let mut b = Bench::new();
    b.say("/plan candidates 2 fix the greeting in a.txt");
    b.reply("", &[draft("One", &["Do it"], false), draft("Two", &["Fix the greeting"], true)]);
    assert_eq!((phase(&b), shown(&b).as_str()), (Phase::AwaitingApproval, "Two"));
    // Made anew, the plans of before are gone.
    b.say("/replan");
    assert!(b.session.state().candidates().is_empty());
    b.reply("", &[draft("Three", &["Fix the greeting"], true)]);
    assert_eq!(phase(&b), Phase::Planning, "so many are made anew");
    b.reply("There is no other.", &[]);
    assert_eq!(shown(&b), "Three");
}
