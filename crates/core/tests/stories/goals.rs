//! Goals: one command at a time, what the user makes of it, and how it ends.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event, RunStatus},
    goal::{GoalStatus, GoalSummary, PlannerError},
    ids::{CallId, Seq},
    input::Input,
    intent::Phase,
    question::CommandQuestion,
    scope::PermissionMode,
    shell::Risk,
    tool::{Advice, Tool},
};
use serde_json::json;

use crate::support::*;

/// A goal whose model proposed this command.
fn proposing_goal(command: &str) -> Bench {
    let mut b = Bench::new();
    b.say("run the tests");
    propose(&mut b, command);
    b
}

fn propose(b: &mut Bench, command: &str) {
    b.reply("", &[("run", json!({ "command": command }))]);
}

fn submit(b: &mut Bench, line: &str) {
    b.answer(is_risk, Answer::Line(line.into())).unwrap();
}

/// The model proposes a command, the user lets it run, it ends like this.
fn round(b: &mut Bench, command: &str, code: i32) {
    propose(b, command);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(code, &format!("exit {code}, took 0.1 s\nstdout:\nx")));
}

fn waiting(b: &Bench) -> (String, Risk) {
    let kind = b.session.state().open.values().find(|c| is_risk(&c.kind)).map(|c| c.kind.clone());
    let Some(CheckpointKind::Risk(CommandQuestion { command, risk, .. })) = kind else {
        panic!("no command waits: {:?}", b.session.state().open)
    };
    (command, risk)
}

/// What the model reads of the last call that ended.
fn last_result(b: &Bench) -> (CallStatus, String) {
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status, result, notes, .. } => Some((*status, Advice::below(notes, &result.head))),
        _ => None,
    });
    ended.unwrap()
}

fn ended(b: &Bench) -> (RunStatus, GoalSummary) {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { status, goal, .. } => Some((*status, goal.clone().unwrap())),
        _ => None,
    });
    end.unwrap()
}

/// The command lines that were started.
fn started(b: &Bench) -> Vec<String> {
    let starts = b.log.iter().filter_map(|e| match &e.event {
        Event::CallStarted { tool: Tool::Run, subject, .. } => Some(subject.clone()),
        _ => None,
    });
    starts.collect()
}

#[test]
fn journey_7_from_an_edited_command_to_a_planner_error() {
    let mut b = proposing_goal("cargo tset");
    assert_eq!(b.session.state().phase, Phase::Executing);
    assert_eq!(waiting(&b), ("cargo tset".into(), Risk::Medium));
    submit(&mut b, "cargo test");
    assert_eq!(started(&b), ["cargo test"]);
    b.end_tool(exited(101, "exit 101, took 0.1 s\nstderr:\nno Cargo.toml"));
    let (status, told) = last_result(&b);
    assert_eq!(status, CallStatus::Failed);
    assert!(told.contains("the user changed the command; this was run: cargo test"), "{told}");
    assert!(!told.contains("do not repeat"));
    round(&mut b, "cargo  test", 101);
    let (_, told) = last_result(&b);
    assert!(told.starts_with("exit 101, took 0.1 s\n(it failed twice in a row: do not repeat it"), "{told}");
    assert!(b.notices().iter().any(|n| n.contains("failed twice")));
    propose(&mut b, "cargo test");
    assert_eq!(started(&b).len(), 2, "the third is not run");
    assert_eq!(b.session.state().phase, Phase::Failed);
    let failure = b.session.state().failure.clone().unwrap();
    assert_eq!(failure.planner, Some(PlannerError::Repeated));
    let (status, goal) = ended(&b);
    assert_eq!((status, goal.status), (RunStatus::Failed, GoalStatus::PlannerError));
    assert_eq!((goal.ran, goal.failed, goal.skipped), (2, 2, 1));
    let told: Vec<_> =
        goal.attempts.iter().map(|a| (a.command.as_str(), a.changed, a.exit.is_some())).collect();
    assert_eq!(
        told,
        [("cargo test", true, true), ("cargo  test", false, true), ("cargo test", false, false)]
    );
    assert!(goal.attempts.iter().all(|a| a.risk == Risk::Medium));
}

#[test]
fn a_model_is_told_how_many_commands_failed_in_a_row_and_that_one_failed_twice() {
    let mut b = proposing_goal("make a");
    submit(&mut b, "make a");
    b.end_tool(exited(2, "exit 2, took 0.1 s\nstderr:\nno rule"));
    assert!(!last_result(&b).1.contains("in a row"), "the first says it by its exit code");
    round(&mut b, "make b", 2);
    let (_, told) = last_result(&b);
    assert!(told.starts_with("exit 2, took 0.1 s\n(2 commands failed in a row)"), "{told}");
    round(&mut b, "make a", 2);
    let (_, told) = last_result(&b);
    let both = "exit 2, took 0.1 s\n(3 commands failed in a row)\n(it failed twice: do not repeat it";
    assert!(told.starts_with(both), "{told}");
}

#[test]
fn the_word_of_a_risk_answers_it_wherever_it_is_typed() {
    for (command, no) in [("rm -rf ~", "y"), ("cargo test", "what does it do?")] {
        let mut b = proposing_goal(command);
        b.input(Input::say(no)).map(drop).unwrap_or_default();
        assert_eq!(started(&b), [""; 0], "{command}: {no}");
        let before = b.question(is_risk);
        let seen =
            b.log.iter().rev().find(
                |e| matches!(&e.event, Event::CheckpointOpened { checkpoint } if checkpoint.id == before),
            );
        let seen = Seq(seen.unwrap().seq.0 - 1);
        // Typed before the question stood there it answers nothing.
        drop(b.input(Input::Say { text: "proceed".into(), seen }));
        assert_eq!(started(&b), [""; 0], "{command}");
        b.say("proceed");
        assert_eq!(started(&b), [command]);
    }
}

#[test]
fn after_a_planner_error_trying_again_forgets_the_count_and_keeps_what_was_said() {
    let mut b = proposing_goal("make");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(2, "exit 2"));
    round(&mut b, "make", 2);
    propose(&mut b, "make");
    let known = |b: &Bench, lane| b.session.state().transcript.of(lane).copied().collect::<Vec<_>>();
    let lane = b.session.state().transcript.entries().iter().find_map(|e| e.lane).unwrap();
    let said = known(&b, lane);
    b.answer(is_failure, Answer::Retry).unwrap();
    let again = known(&b, b.session.state().run_lane().unwrap().id);
    assert_eq!(again[..said.len()], said[..], "the model still knows all of it");
    round(&mut b, "make", 0);
    b.reply("It builds now.", &[]);
    let (status, goal) = ended(&b);
    assert_eq!((status, goal.status, goal.ran), (RunStatus::Completed, GoalStatus::Completed, 1));
    assert_eq!(b.session.state().phase, Phase::Idle);
}

#[test]
fn a_planner_error_offers_to_try_again_or_to_give_up() {
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("", &[]);
    let failure = b.session.state().failure.clone().unwrap();
    assert_eq!(failure.planner, Some(PlannerError::Empty));
    let kind = &b.session.state().open[&b.question(is_failure)].kind;
    let keys: Vec<_> = kind.choices().iter().map(|c| c.key).collect();
    assert_eq!(keys, ["r", "q"]);
    let labels: Vec<_> = kind.choices().iter().map(|c| c.label).collect();
    assert_eq!(labels, ["retry", "abort"]);
    // There is no plan to be made anew.
    for word in ["p", "replan", "/replan"] {
        let refused = b.input(Input::say(word)).is_err();
        assert!(refused || b.notices().last().unwrap() == "there is no plan to remake", "{word}");
        assert_eq!(b.session.state().phase, Phase::Failed, "{word}");
    }
    b.say("q");
    assert_eq!(b.session.state().phase, Phase::Idle);
}

#[test]
fn an_edited_command_of_high_risk_asks_for_its_word_and_shows_the_edited_line() {
    let mut b = proposing_goal("cargo clean");
    let before = b.question(is_risk);
    submit(&mut b, "rm -rf ~");
    assert_eq!(started(&b), Vec::<String>::new());
    assert_eq!(waiting(&b), ("rm -rf ~".into(), Risk::High));
    let after = b.question(is_risk);
    assert_ne!(before, after, "it is another question");
    for no in [Answer::Approve, Answer::Line("rm -rf ~".into()), Answer::Word("y".into())] {
        assert!(b.answer(is_risk, no).is_err());
    }
    assert_eq!(started(&b), Vec::<String>::new());
    b.answer(is_risk, Answer::Word("proceed".into())).unwrap();
    assert_eq!(started(&b), ["rm -rf ~"]);
}

#[test]
fn a_high_line_edited_down_runs_as_what_it_is_now() {
    let mut b = proposing_goal("rm -rf ~");
    assert_eq!(waiting(&b).1, Risk::High);
    submit(&mut b, "ls ~");
    assert_eq!(started(&b), ["ls ~"]);
    let (proposed, typed): (Vec<_>, Vec<_>) = b
        .log
        .iter()
        .filter_map(|e| match &e.event {
            Event::CommandProposed { command, typed, .. } => Some((command.clone(), *typed)),
            _ => None,
        })
        .unzip();
    assert_eq!(proposed, ["rm -rf ~", "ls ~"], "the log has both lines");
    assert_eq!(typed, [false, true]);
}

#[test]
fn the_line_as_it_was_shown_runs_and_an_empty_one_is_skipped() {
    let mut b = proposing_goal("make");
    submit(&mut b, " make ");
    assert_eq!(started(&b), ["make"]);
    assert!(!b.names().contains(&"command_edited".into()));
    b.end_tool(exited(0, "exit 0"));
    propose(&mut b, "make install");
    submit(&mut b, "  ");
    let (status, told) = last_result(&b);
    assert_eq!((status, told.contains("skipped")), (CallStatus::Refused, true));
    b.reply("Built, not installed.", &[]);
    let (_, goal) = ended(&b);
    assert_eq!((goal.status, goal.ran, goal.skipped), (GoalStatus::Completed, 1, 1));
}

#[test]
fn goals_end_skipped_failed_or_cancelled_as_they_did() {
    let mut b = proposing_goal("make");
    submit(&mut b, "");
    b.reply("Then nothing.", &[]);
    assert_eq!((ended(&b).0, ended(&b).1.status), (RunStatus::Cancelled, GoalStatus::Skipped));
    let mut b = proposing_goal("make");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(2, "exit 2"));
    b.reply("It does not build.", &[]);
    assert_eq!((ended(&b).0, ended(&b).1.status), (RunStatus::Failed, GoalStatus::Failed));
    assert_eq!(b.session.state().phase, Phase::Idle, "the model has said why; nothing is asked");
    let mut b = proposing_goal("make");
    b.input(Input::Cancel).unwrap();
    assert_eq!((ended(&b).0, ended(&b).1.status), (RunStatus::Cancelled, GoalStatus::Cancelled));
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("There are none.", &[]);
    assert_eq!((ended(&b).0, ended(&b).1.status), (RunStatus::Ended, GoalStatus::Nothing));
}

#[test]
fn a_gate_runs_as_the_plan_has_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("tests", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    assert_eq!(waiting(&b).0, "make test");
    assert!(b.answer(is_risk, Answer::Line("true".into())).is_err());
    submit(&mut b, "make test");
    assert_eq!(started(&b), ["make test"]);
}

#[test]
fn a_command_of_a_question_can_be_changed_as_well() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("run", json!({"command": "make docs", "folder": "sub", "timeout_s": 9}))]);
    submit(&mut b, "make help");
    let (_, open) = b.session.state().open_call(b.tool().0).unwrap();
    assert_eq!(
        open.asked.as_ref().unwrap().to_value(),
        json!({"command": "make help", "folder": "sub", "timeout_s": 9})
    );
    b.end_tool(exited(0, "exit 0"));
    assert!(last_result(&b).1.contains("this was run: make help"));
}

#[test]
fn what_the_user_typed_runs_at_once_and_high_risk_wants_its_word() {
    let mut b = Bench::new();
    b.say("!make -j2");
    assert_eq!(started(&b), ["make -j2"]);
    b.end_tool(exited(0, "exit 0"));
    assert_eq!(b.session.state().phase, Phase::Idle);
    let (status, goal) = ended(&b);
    assert_eq!((status, goal.ran), (RunStatus::Completed, 1));
    b.say("!rm -rf ~");
    assert_eq!(waiting(&b).1, Risk::High);
    assert!(b.answer(is_risk, Answer::Approve).is_err());
    submit(&mut b, "ls");
    assert_eq!(started(&b), ["make -j2", "ls"]);
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert_eq!(b.session.state().phase, Phase::Idle, "nothing runs under a read-only ceiling");
    assert!(b.session.pending().is_empty());
}

#[test]
fn a_model_that_writes_json_is_heard() {
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("Let me see:\n```json\n{\"mode\":\"command\",\"command\":\"make test\"}\n```", &[]);
    assert_eq!(waiting(&b).0, "make test");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "exit 0"));
    b.reply("{\"mode\": \"chat\", \"message\": \"All pass.\"}", &[]);
    let said = b.log.iter().rev().find_map(|e| match &e.event {
        Event::MessageCompleted { text, intermediate, .. } => Some((text.head.clone(), *intermediate)),
        _ => None,
    });
    assert_eq!(said, Some(("All pass.".into(), false)));
    assert_eq!(ended(&b).1.status, GoalStatus::Completed);
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("{\"mode\":\"command\"}", &[]);
    assert_eq!(b.session.state().failure.as_ref().unwrap().planner, Some(PlannerError::Invalid));
}

#[test]
fn json_is_only_a_command_in_a_goal() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("{\"mode\":\"command\",\"command\":\"make\"}", &[]);
    assert!(b.session.state().open.is_empty() && b.session.pending().is_empty());
    assert_eq!(started(&b), Vec::<String>::new());
}

#[test]
fn of_several_commands_in_one_reply_the_next_waits_for_the_one_before_to_succeed() {
    let several = |b: &mut Bench| {
        b.reply("", &[("run", json!({"command": "make a"})), ("run", json!({"command": "make b"}))]);
    };
    let mut b = Bench::new();
    b.say("run the tests");
    several(&mut b);
    assert_eq!(waiting(&b).0, "make a");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "exit 0"));
    assert_eq!(waiting(&b).0, "make b");
    submit(&mut b, "");
    several(&mut b);
    submit(&mut b, "make a");
    b.end_tool(exited(1, "exit 1"));
    assert_eq!(last_result(&b).1, "not run: the command before it failed; one command at a time");
    b.thinking();
    several(&mut b);
    b.answer(is_risk, Answer::Reject("later".into())).unwrap();
    assert!(last_result(&b).1.starts_with("not run: the user did not allow"));
    b.thinking();
}

#[test]
fn what_was_mended_in_between_may_be_tried_again() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("run the tests");
    let mut round = |command: &str, code| {
        propose(&mut b, command);
        b.end_tool(exited(code, "exit"));
    };
    round("make test", 2);
    round("make test", 2);
    round("sed -i s/a/b/ src/a.c", 0);
    round("make test", 2);
    round("cat Makefile", 0);
    round("make test", 2);
    propose(&mut b, "make test");
    assert_eq!(b.session.state().failure.as_ref().unwrap().planner, Some(PlannerError::Repeated));
    assert_eq!(ended(&b).1.ran, 6);
}

#[test]
fn a_build_file_that_the_agent_wrote_unasked_asks_before_it_runs_until_the_user_let_it() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("run the tests");
    propose(&mut b, "make test");
    b.end_tool(exited(2, "exit"));
    propose(&mut b, "sed -i s/a/b/ Makefile");
    b.end_tool(exited(0, "exit"));
    propose(&mut b, "make test");
    let id = b.question(is_risk);
    let question = b.session.state().open[&id].kind.command().unwrap();
    let ruling = question.ruling.clone().unwrap();
    assert!(ruling.by.contains("nobody reviewed") && ruling.part == "Makefile", "{ruling}");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(2, "exit"));
    propose(&mut b, "cat Makefile");
    b.end_tool(exited(0, "exit"));
    propose(&mut b, "make test V=1");
    assert_ne!(b.tool().0, CallId(0));
}

#[test]
fn a_late_or_stale_line_changes_nothing() {
    let mut b = proposing_goal("make");
    let id = b.question(is_risk);
    let other = pilothouse_core::blob::BlobId::of(b"something else");
    let line = |shown| Input::Answer { checkpoint: id, answer: Answer::Line("make x".into()), shown };
    assert!(b.input(line(Some(other))).is_err() && b.input(line(None)).is_err());
    let shown = match &b.session.state().open[&id].kind {
        CheckpointKind::Risk(CommandQuestion { shown, .. }) => *shown,
        _ => unreachable!(),
    };
    b.input(line(Some(shown))).unwrap();
    assert!(b.input(line(Some(shown))).is_err());
    assert_eq!(started(&b), ["make x"]);
    assert_ne!(b.tool().0, CallId(0));
}

#[test]
fn an_order_of_which_nothing_was_done_is_not_complete() {
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("I can't tell how to run the tests here.", &[]);
    let (status, goal) = ended(&b);
    assert_eq!((status, goal.ran), (RunStatus::Ended, 0));
    assert_eq!(goal.line(), "Not done: no command was run.");
}
