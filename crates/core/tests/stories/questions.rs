//! Questions: none lost, none answered twice, every answer does something.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::Input,
    intent::Phase,
    scope::PermissionMode,
    session::LaneKind,
    work::Work,
};
use serde_json::json;

use crate::{phase, phases::running, support::*};

fn is_interruption(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Interruption(_))
}

fn is_clarification(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Clarification(_))
}

/// A run that was interrupted by something unclear.
fn interrupted() -> Bench {
    let mut b = running();
    b.mumble();
    b.question(is_interruption);
    b
}

fn answering(b: &Bench) -> String {
    let lane = b.session.state().lanes.values().rfind(|l| l.kind == LaneKind::Answer).unwrap();
    b.session.state().turns[&lane.turn].head.clone()
}

#[test]
fn an_interruption_holds_the_run_at_its_next_safe_point() {
    let mut b = interrupted();
    let step = b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(starts(&step).is_empty(), "nothing begins while the question is open");
    let step = b.answer(is_interruption, Answer::Continue).unwrap();
    assert_eq!(starts(&step), ["edit"]);
}

#[test]
fn an_interruption_holds_the_next_task_and_its_end() {
    let mut b = interrupted();
    b.reply("done", &[]);
    assert!(b.session.pending().is_empty());
    assert_eq!(phase(&b), Phase::Executing);
    let step = b.answer(is_interruption, Answer::Continue).unwrap();
    assert_eq!(starts(&step), ["think"]);
}

#[test]
fn a_red_gate_waits_behind_an_interruption_and_both_are_asked() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.say("y");
    b.reply("", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.mumble();
    b.end_tool(exited(1, "error: line 23"));
    b.answer(is_interruption, Answer::Continue).unwrap();
    b.question(is_failure);
    assert!(b.session.state().failure.as_ref().unwrap().message.contains("line 23"));
    b.say("q");
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn responding_to_an_interruption_answers_what_was_said() {
    let mut b = running();
    let said = b.mumble();
    b.say("what does this function do?");
    b.answer(is_interruption, Answer::Respond).unwrap();
    assert_eq!(answering(&b), said);
}

#[test]
fn abort_at_an_interruption_stops_the_run_also_beside_an_answer() {
    let mut b = interrupted();
    b.say("what does this function do?");
    b.answer(is_interruption, Answer::Abort).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn something_unclear_beside_a_waiting_plan_is_asked_about_and_the_plan_s_question_returns() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.mumble();
    b.answer(is_clarification, Answer::Abort).unwrap();
    b.question(is_plan);
    let said = b.mumble();
    b.answer(is_clarification, Answer::Pick(1)).unwrap();
    b.question(is_plan);
    assert_eq!(answering(&b), said);
    b.say("y");
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn something_unclear_after_a_failure_is_asked_about_and_the_failure_returns() {
    let mut b = running();
    let call = b.thinking();
    let fault = pilothouse_core::talk::Fault {
        kind: pilothouse_core::talk::FaultKind::Stalled,
        message: "silent".into(),
        hint: String::new(),
        status: None,
    };
    b.input(Input::Replied { call, reply: Err(fault) }).unwrap();
    b.mumble();
    b.answer(is_clarification, Answer::Abort).unwrap();
    b.question(is_failure);
    b.say("r");
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn yes_to_an_unclear_message_means_do_it_and_no_drops_it() {
    let mut b = Bench::new();
    b.mumble();
    b.question(is_clarification);
    b.say("no");
    assert!(b.session.state().open.is_empty() && b.session.pending().is_empty());
    b.mumble();
    b.say("yes");
    assert_eq!(phase(&b), Phase::Planning);
}

#[test]
fn a_yes_to_an_unclear_message_never_approves_the_plan_behind_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.mumble();
    b.say("y");
    assert_ne!(phase(&b), Phase::Executing);
}

#[test]
fn stop_is_never_the_answer_to_a_question_of_the_model() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.reply("", &[("ask_user", json!({"question": "Which?", "choices": ["left", "right"]}))]);
    b.say("stop");
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.pending().is_empty() && b.session.state().open.is_empty());
}

#[test]
fn q_at_a_question_of_the_model_stops_what_asked() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("ask_user", json!({"question": "Which?"}))]);
    b.say("q");
    assert!(b.session.state().lanes.is_empty() && b.session.state().open.is_empty());
    let mut b = running();
    b.reply("", &[("ask_user", json!({"question": "Which?"}))]);
    b.say("q");
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn a_forced_task_is_not_taken_for_an_answer() {
    let mut b = Bench::new();
    b.mumble();
    b.say("/agent what a fine day");
    assert_eq!(phase(&b), Phase::Planning);
    let turn = b.session.state().planning_lane().unwrap().turn;
    assert!(b.session.state().turns[&turn].head.contains("what a fine day"));
}

#[test]
fn a_question_opened_before_a_run_reads_only_beside_it() {
    let mut b = Bench::new();
    b.say("where is it?");
    let asked = b.thinking();
    b.say("fix the bug in a.txt");
    let planner = b.session.state().planning_lane().unwrap().thinking.unwrap();
    let plan = json!({"title": "P", "tasks": [{"title": "A", "kind": "modify"}]});
    b.reply_to(planner, "", &[("submit_plan", plan)]).unwrap();
    b.say("y");
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.reply_to(asked, "", &[("run", json!({"command": "make"}))]).unwrap();
    assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })));
    assert!(b.session.state().open.is_empty());
}

#[test]
fn cancel_while_idle_keeps_staged_changes() {
    let mut b = crate::reviewing();
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.state().is_at_rest() && b.input(Input::Cancel).is_err());
    b.question(is_diff);
    assert_eq!(b.session.state().open_proposals().count(), 1);
}

#[test]
fn staged_changes_outlive_another_plan_and_never_settle_its_tasks() {
    let mut b = crate::reviewing();
    b.input(Input::Open(opening())).unwrap();
    let (left, shown) = b.session.state().open_proposals().map(|p| (p.id, p.shown())).next().unwrap();
    b.say("create notes.txt");
    b.plan(&[("Other", "create")], &[]);
    b.say("q");
    b.question(is_diff);
    b.say("create notes.txt");
    b.plan(&[("Other", "create")], &[]);
    b.say("y");
    b.input(Input::Apply { proposals: vec![(left, shown)], word: None, rest: false }).unwrap();
    b.write();
    let done = b.log.iter().any(|e| matches!(&e.event, Event::TaskCompleted { .. }));
    assert!(!done, "the other plan's task is not done by that");
    assert_eq!(phase(&b), Phase::Executing);
    b.input(Input::Cancel).unwrap();
    assert_eq!(b.session.state().ledger().len(), 1);
}

#[test]
fn a_reset_drops_staged_changes_with_their_question() {
    let mut b = crate::reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("/reset");
    b.say("y");
    assert!(b.session.state().open.is_empty());
    assert_eq!(b.session.state().open_proposals().count(), 0);
}

#[test]
fn a_hum_never_approves_a_plan() {
    for line in ["hmm", "so...", "the thing", "maybe q4", "well", "uh"] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[]);
        drop(b.input(Input::say(line)));
        assert_ne!(phase(&b), Phase::Executing, "{line}");
    }
    for line in [
        "y",
        "Yes.",
        "looks good",
        "LGTM",
        "go ahead",
        "ok",
        "sure",
        "do it",
        "proceed",
        "continue",
        "yes, do it",
        "ja, mach das",
        "sí, adelante",
        "好的，开始吧",
        "yes please, go ahead",
    ] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[]);
        b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}");
    }
}

/// Lines that sound like a no, and say none.
const DOUBTFUL: [&str; 36] = [
    "banana",
    "asdf qwer",
    "so...",
    "the thing",
    "maybe not",
    "maybe broken or not",
    "I am not convinced",
    "I doubt it",
    "not sure about this",
    "hmm",
    "well",
    "that looks odd",
    "I would not do that",
    "is that so",
    "really",
    "no idea",
    "not again",
    "ugh",
    "wow, that is a lot",
    "this feels wrong",
    "rather not like this",
    "not so fast, tests first",
    "I had hoped for less",
    "never seen that before",
    "it was better before",
    "not bad",
    "not really what I meant",
    "that is not it",
    "could be wrong",
    "less of it, maybe",
    "weiß nicht",
    "na ja",
    "bof",
    "no sé",
    "也许不",
    "不太确定",
];

#[test]
fn mumbling_never_stops_a_run_nor_drops_a_plan() {
    for line in DOUBTFUL {
        let mut run = running();
        run.reply("", &[("edit", edit_of("a.txt"))]);
        run.propose("a.txt", "1\n", "2\n");
        let mut plan = Bench::new();
        plan.say("fix the bug in a.txt");
        plan.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        run.say(line);
        plan.say(line);
        assert_eq!(phase(&run), Phase::Executing, "{line}");
        assert_eq!(run.session.state().open_proposals().count(), 1, "{line}");
        // What sounds like a wish is taken up by a new version of the plan.
        assert_ne!(phase(&plan), Phase::Executing, "{line}");
        assert!(plan.session.state().plan.is_some(), "{line}: the plan was dropped");
    }
}

#[test]
fn a_part_that_is_to_end_is_told_to_the_run_or_asked_about_and_ends_nothing() {
    for line in ["stop renaming the tests", "stop touching the readme, please", "quit adding comments"] {
        let mut b = running();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}");
        assert_eq!(b.session.state().open_proposals().count(), 1, "{line}");
        let told = b.log.iter().any(|e| matches!(e.event, Event::TurnTold { .. }));
        assert!(told || b.session.state().phase_question().is_some(), "{line}: neither told nor asked about");
    }
}

#[test]
fn a_question_beside_an_answer_that_writes_does_not_end_its_run() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.say("what does this function do?");
    let beside = b.session.state().lanes.values().next_back().unwrap().thinking.unwrap();
    b.reply_to(beside, "this", &[]).unwrap();
    assert_eq!(phase(&b), Phase::Executing);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn stop_beside_an_answer_that_writes_stops_what_writes_first() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.say("what does this function do?");
    b.input(Input::Cancel).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    assert_eq!(answering(&b), "what does this function do?");
    b.input(Input::Cancel).unwrap();
    assert!(b.session.pending().is_empty());
}

#[test]
fn a_question_that_came_up_unseen_refuses_answers_but_neither_stop_nor_commands() {
    let unseen = |text: &str| Input::Say { text: text.into(), seen: pilothouse_core::ids::Seq(1) };
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    for answer in ["y", "n", "q", "looks good"] {
        assert!(b.input(unseen(answer)).is_err(), "{answer}");
    }
    b.input(unseen("/proof")).unwrap();
    assert_eq!(b.session.state().mode, pilothouse_core::intent::Mode::Proof);
    b.input(unseen("stop")).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    let mut b = running();
    b.reply("", &[("ask_user", json!({"question": "Which?"}))]);
    assert!(b.input(unseen("the left one")).is_err());
    b.input(unseen("/abort")).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
}
