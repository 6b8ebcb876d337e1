//! What gets no answer: stopped, failed, or answered with nothing; how it is asked again.

use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    intent::Phase,
    runs::{RunInfo, RunStatus},
    session::LaneKind,
    talk::{Fault, FaultKind},
    tool::ToolOutcome,
};

use crate::{
    phase,
    phases::{answer_lane, fault},
    support::*,
};

#[test]
fn an_answer_that_was_stopped_is_asked_again_where_no_plan_has_something_left() {
    let mut b = Bench::new();
    let stop = |b: &mut Bench, by_user: bool| {
        b.say("and the ranking?");
        let (asked, call) = (answer_lane(b).turn, b.thinking());
        if by_user {
            b.input(Input::Cancel).unwrap();
        } else {
            let stopped = Fault { kind: FaultKind::Cancelled, ..fault() };
            b.input(Input::Replied { call, reply: Err(stopped) }).unwrap();
        }
        asked
    };
    for by_user in [true, false] {
        let asked = stop(&mut b, by_user);
        b.say("/retry");
        assert_eq!(answer_lane(&b).turn, asked);
        b.reply("by the index", &[]);
        assert!(b.input(Input::say("/retry")).unwrap_err().reason.contains("no earlier plan"));
    }
    // So is one that was stopped while a call of it was made.
    b.say("and the ranking?");
    let asked = answer_lane(&b).turn;
    b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.input(Input::Cancel).unwrap();
    b.say("/retry");
    assert_eq!(answer_lane(&b).turn, asked);
    b.reply("by the index", &[]);
    b.say("fix the bug in a.txt");
    b.plan(&[("A", "modify")], &[]);
    b.input(Input::say("/abort")).unwrap();
    stop(&mut b, true);
    b.say("/retry");
    assert_eq!(phase(&b), Phase::AwaitingApproval, "the plan that waits comes first");
}

#[test]
fn what_a_crash_cut_short_is_asked_again() {
    for order in [false, true] {
        let mut b = Bench::new();
        b.say(if order { "fix the bug in a.txt" } else { "how does the search work?" });
        let turn = *b.session.state().turns.keys().next_back().unwrap();
        if order {
            b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
        }
        b.input(Input::Open(opening())).unwrap();
        let told = b.notices().pop().unwrap();
        assert!(told.contains("was not answered when the program ended; `/retry` asks it again"), "{told}");
        assert_eq!(RunInfo::of(b.session.state()).status, RunStatus::Failed);
        b.say(if order { "go on" } else { "/retry" });
        let lane = b.session.state().lanes.values().next().unwrap();
        assert_eq!((lane.turn, lane.kind == LaneKind::Planning), (turn, order));
    }
}

#[test]
fn an_answer_that_did_not_come_beside_a_plan_that_was_left_is_not_what_the_session_came_to() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::Cancel).unwrap();
    b.say("how does the search work?");
    b.reply(" \n", &[]);
    assert!(b.session.state().unanswered.is_some());
    assert_eq!(RunInfo::of(b.session.state()).status, RunStatus::Stopped);
}

#[test]
fn an_empty_reply_to_a_question_is_no_answer() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    let asked = answer_lane(&b).turn;
    b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.end_tool(ToolOutcome::text("1", "1 line"));
    b.reply(" \n", &[]);
    let told = b.notices().pop().unwrap();
    assert!(told.contains("reply is empty") && told.ends_with("/retry asks it again"), "{told}");
    assert!(b.session.state().unanswered.is_some());
    assert_eq!(RunInfo::of(b.session.state()).status, RunStatus::Failed);
    b.say("/retry");
    assert_eq!(answer_lane(&b).turn, asked);
    b.reply("By an index.\nShall I go on?", &[]);
    let info = RunInfo::of(b.session.state());
    assert_eq!((info.status, info.asks.as_deref()), (RunStatus::Done, Some("Shall I go on?")));
    assert!(b.session.state().unanswered.is_none());
    // What was said before a last call is an answer.
    b.say("and the ranking?");
    b.reply("By age.", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.end_tool(ToolOutcome::text("1", "1 line"));
    b.reply("", &[]);
    assert!(b.session.state().unanswered.is_none());
}

#[test]
fn a_step_that_only_looks_and_says_nothing_is_not_done() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Look", "read"), ("Mend", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    b.reply("", &[]);
    assert!(b.names().contains(&"task_skipped".to_owned()));
    assert!(b.notices().iter().any(|n| n.starts_with("Step 1: the model's reply is empty")));
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Look", "read"), ("Mend", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    b.reply("The bug is in line 1.", &[]);
    assert!(b.names().contains(&"task_completed".to_owned()));
}

#[test]
fn a_command_behind_a_change_that_failed_goes_back_to_the_model() {
    let commit = ("run", serde_json::json!({"command": "git commit -am done"}));
    for failed in [true, false] {
        let mut b = crate::phases::running();
        b.reply("", &[("edit", edit_of("a.txt")), commit.clone()]);
        if failed {
            let step = b.end_tool(ToolOutcome::failure("a.txt changed since you read it"));
            assert_eq!(starts(&step), ["think"], "nothing is asked, and the model hears of it");
            // Once it is mended the same command is asked about.
            b.reply("", &[("edit", edit_of("a.txt"))]);
        }
        b.propose("a.txt", "1", "2");
        if failed {
            b.reply("", std::slice::from_ref(&commit));
        }
        b.approve_all(None).unwrap();
        b.write();
        b.question(is_risk);
    }
}
