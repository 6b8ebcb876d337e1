//! May a turn go deeper: what is said to the question, in a word or in one's own.

use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    intent::Phase,
    scope::PermissionMode,
    session::{Deed, What},
    tool::Tool,
};
use serde_json::json;

use crate::{phase, support::*};

/// A question turn whose agent asks whether it may change files.
pub fn asked() -> Bench {
    let mut b = Bench::new();
    b.say("why does the test of a.txt fail?");
    b.reply(
        "The check is wrong.",
        &[("request_path", json!({"node": "modify", "reason": "mend the check"}))],
    );
    b.question(is_transition);
    b
}

/// What the newest lane is told of the user, by their turns.
fn heard(b: &Bench) -> Vec<String> {
    let state = b.session.state();
    let lane = state.lanes.values().last().unwrap().id;
    let turns = state.transcript.of(lane).filter_map(|e| match e.what {
        What::User(turn) => Some(state.turns[&turn].head.clone()),
        _ => None,
    });
    turns.collect()
}

#[test]
fn words_of_ones_own_answer_the_question_whether_a_turn_may_go_deeper() {
    for line in ["fix it, but keep the other tests as they are", "fix it without touching the other tests"] {
        let mut b = asked();
        let step = b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}");
        assert!(b.session.state().open.is_empty() && b.session.state().planning_lane().is_none(), "{line}");
        assert_eq!(starts(&step), ["think"], "{line}");
        assert_eq!(heard(&b), ["why does the test of a.txt fail?", line]);
        b.reply("", &[("edit", edit_of("a.txt"))]);
        assert_eq!(b.tool().1, Tool::Edit, "{line}");
    }
}

#[test]
fn a_yes_that_goes_on_is_heard_with_the_answer_and_is_none() {
    for line in [
        "yes, but keep the other tests as they are",
        "Yes please, and leave README.md alone",
        "ok, change it, but only the check",
    ] {
        let mut b = asked();
        assert!(b.session.foretell(line).does(&Deed::Tells), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        b.question(is_transition);
        assert_eq!(phase(&b), Phase::Idle, "{line}");
        b.say("y");
        assert_eq!(phase(&b), Phase::Executing, "{line}");
        assert_eq!(heard(&b), ["why does the test of a.txt fail?", line]);
    }
    let mut b = asked();
    b.say("no, create notes.txt instead");
    b.question(is_transition);
    let mut b = asked();
    b.say("yes, but do not touch a.txt");
    b.say("y");
    let step = b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(starts(&step), ["think"], "what it spares is spared");
}

#[test]
fn other_work_or_a_question_is_no_answer_to_it() {
    for line in ["create notes.txt", "what would you change?", "yes, why does it fail?"] {
        let mut b = asked();
        b.say(line);
        b.question(is_transition);
        assert_ne!(phase(&b), Phase::Executing, "{line}");
    }
}

#[test]
fn what_such_an_answer_spares_is_spared() {
    let mut b = asked();
    b.say("fix it, but do not touch a.txt");
    let step = b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(starts(&step), ["think"], "the edit is refused, and its agent told so");
}

#[test]
fn what_plainly_says_yes_answers_what_waits_as_a_yes_does() {
    for line in
        ["yes go ahead", "Yes, go ahead.", "sure, do it", "go ahead please", "ok", "yes, that's fine, thanks"]
    {
        let mut b = asked();
        b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}");
        let mut b = crate::phases::running();
        b.reply("", &[("run", json!({"command": "make"}))]);
        b.question(is_risk);
        let step = b.say(line);
        assert_eq!(starts(&step), ["run"], "{line}");
    }
}

#[test]
fn what_wants_a_word_takes_no_other_yes() {
    let mut b = crate::phases::running();
    b.reply("", &[("run", json!({"command": "rm -rf build"}))]);
    b.question(is_risk);
    for line in ["yes", "yes go ahead", "sure, do it"] {
        assert!(b.input(pilothouse_core::input::Input::say(line)).is_err(), "{line}");
        b.question(is_risk);
    }
}

#[test]
fn what_only_sounds_like_a_yes_is_none() {
    for line in ["hmm", "great, what does it do?", "run the tests", "1", "keep it"] {
        let mut b = crate::phases::running();
        b.reply("", &[("run", json!({"command": "make"}))]);
        drop(b.input(pilothouse_core::input::Input::say(line)));
        b.question(is_risk);
    }
}

/// A step that runs commands, of a message that asks for a change.
fn executing(order: &str) -> Bench {
    let mut b = Bench::new();
    b.say(order);
    b.plan(&[("Merge it", "execute")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

#[test]
fn a_step_that_was_to_run_commands_may_ask_to_change_what_its_message_asks_to_change() {
    let asks = || ("request_path", json!({"node": "modify", "reason": "the merge left conflicts"}));
    // An edit alone is refused: the step was approved without it.
    let mut b = executing("fix the conflict in a.txt");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(b.session.state().open.is_empty());
    b.reply("", &[asks()]);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(b.tool().1, Tool::Edit);

    let mut b = executing("fix the conflict in a.txt");
    b.reply("", &[asks()]);
    b.answer(is_transition, Answer::Reject("not now".into())).unwrap();
    b.reply("", &[("run", json!({"command": "cargo test"}))]);
    b.question(is_risk);
    let proposed = b.names().iter().filter(|n| *n == "proposed").count();
    assert_eq!(proposed, 0, "a step that may not change files goes on with what it may");

    let mut b = executing("/plan run the tests");
    b.reply("", &[asks()]);
    assert!(b.session.state().open.is_empty(), "its message asks for no change: nobody is asked");
}

#[test]
fn in_auto_such_a_step_is_let_change_files() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the conflict in a.txt");
    b.plan(&[("Merge it", "execute")], &[]);
    b.reply("", &[("request_path", json!({"node": "modify", "reason": "the merge left conflicts"}))]);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(b.tool().1, Tool::Edit);
}
