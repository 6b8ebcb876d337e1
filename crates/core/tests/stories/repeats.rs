//! A model that makes one call again and again: told so, and ended in the end.

use pilothouse_core::{
    checkpoint::Answer,
    compaction::Dropped,
    event::{CallStatus, Event, Stamped},
    input::Input,
    intent::Phase,
    talk::ModelReply,
    tool::ToolOutcome,
};
use serde_json::json;

use crate::{phase, phases::running, support::*};

fn ends(b: &Bench) -> Vec<(CallStatus, String)> {
    let end = |e: &Stamped| match &e.event {
        Event::CallEnded { status, result, .. } => Some((*status, result.head.clone())),
        _ => None,
    };
    b.log.iter().filter_map(end).collect()
}

fn reads(b: &mut Bench, path: &str, says: &str) {
    b.reply("", &[("read", json!({"path": path}))]);
    b.end_tool(ToolOutcome::text(says, "1 line"));
}

fn failure(b: &Bench) -> Option<String> {
    b.log.iter().rev().find_map(|e| match &e.event {
        Event::TaskFailed { message, .. } => Some(message.clone()),
        _ => None,
    })
}

#[test]
fn the_third_same_answer_is_not_told_again_and_the_sixth_ends_the_step() {
    let mut b = running();
    let long = "a line of the file\n".repeat(40);
    let before = ends(&b).len();
    for _ in 0..5 {
        reads(&mut b, "a.txt", &long);
    }
    let told: Vec<String> = ends(&b).into_iter().skip(before).map(|(_, text)| text).collect();
    assert_eq!((&told[0], &told[1]), (&long, &long));
    for (text, times) in told[2..].iter().zip(2..) {
        assert!(text.starts_with(&format!("(the same call gave the same answer {times} times")), "{text}");
        assert!(text.len() < 300, "{}", text.len());
    }
    assert_eq!(failure(&b), None);
    reads(&mut b, "a.txt", &long);
    let why = failure(&b).unwrap();
    assert!(why.contains("same call 6 times") && why.contains("`read a.txt`"), "{why}");
    assert_eq!(phase(&b), Phase::Failed);
}

#[test]
fn calls_that_take_turns_are_counted_each_and_another_answer_begins_anew() {
    let mut b = running();
    for n in 0..5 {
        reads(&mut b, "a.txt", "one");
        reads(&mut b, "b.txt", &format!("at {n}"));
    }
    let (_, last) = ends(&b).pop().unwrap();
    assert_eq!(last, "at 4", "another answer is told");
    reads(&mut b, "a.txt", "one");
    assert!(failure(&b).unwrap().contains("a.txt"));
}

#[test]
fn what_changed_a_file_makes_the_same_call_another_one() {
    let mut b = running();
    for n in 0..4 {
        reads(&mut b, "b.txt", "one");
        reads(&mut b, "b.txt", "one");
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", &format!("{n}\n"), &format!("{}\n", n + 1));
    }
    assert_eq!(failure(&b), None);
    assert!(ends(&b).iter().all(|(_, text)| !text.starts_with("(the same call")), "{:?}", ends(&b));
}

#[test]
fn what_the_session_itself_answers_is_counted_as_well() {
    // A plan without a step is refused, and a wider path than this one of a step.
    let calls = [
        ("submit_plan", json!({"title": "Nothing", "tasks": []})),
        ("request_path", json!({"node": "delete"})),
    ];
    for (name, args) in calls {
        let mut b = running();
        for n in 0..6 {
            assert_eq!(failure(&b), None, "{name} {n}");
            b.reply("", &[(name, args.clone())]);
        }
        let why = failure(&b).unwrap_or_else(|| panic!("{name}: {:?}", ends(&b)));
        assert!(why.contains("same call 6 times") && why.contains(name), "{why}");
    }
    // A planning that hands in the same plan that is none ends, and its user is told once why.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    for n in 0..6 {
        assert_eq!(phase(&b), Phase::Planning, "{n}");
        b.reply("", &[("submit_plan", json!({"title": "Nothing", "tasks": []}))]);
    }
    assert_eq!(phase(&b), Phase::Idle, "{:?}", b.notices());
    assert_eq!(
        b.notices().iter().filter(|n| n.contains("same call 6 times")).count(),
        1,
        "{:?}",
        b.notices()
    );
}

#[test]
fn a_command_is_the_same_however_long_it_took_and_one_that_waits_is_not_counted() {
    let asks = |b: &mut Bench, line: &str, says: &str| {
        b.reply("", &[("run", json!({"command": line}))]);
        if b.session.state().open.values().any(|c| c.kind.command().is_some()) {
            b.answer(|k| k.command().is_some(), Answer::Approve).unwrap();
        }
        b.end_tool(exited(1, says));
    };
    let mut b = running();
    for n in 0..6 {
        assert_eq!(failure(&b), None, "{n}");
        asks(&mut b, "make test", &format!("exit 2, took 0.{n} s\nstdout:\n1 failed in 0.{n}1s\n"));
    }
    assert!(failure(&b).unwrap().contains("make test"), "{:?}", failure(&b));
    let mut b = running();
    for _ in 0..8 {
        asks(&mut b, "sleep 5; cat out.log", "exit 1, took 5.0 s\nstdout:\nwaiting\n");
    }
    assert_eq!(failure(&b), None);
}

#[test]
fn an_output_that_is_cut_in_the_log_and_in_the_answer_counts_however_long_it_took() {
    let mut b = running();
    for n in 0..6 {
        assert_eq!(failure(&b), None, "{n}");
        b.reply("", &[("run", json!({"command": "make test"}))]);
        if b.session.state().open.values().any(|c| c.kind.command().is_some()) {
            b.answer(|k| k.command().is_some(), Answer::Approve).unwrap();
        }
        let name = pilothouse_core::blob::BlobId::of(&[n]).output_name();
        let lines = "building a part of it\n".repeat(400);
        let says = format!(
            "exit 2, took {n}.5 s\nstdout:\n{lines}cut off at {n}\n[… {n}12 bytes left out; read {name} has them …]\n{n} here\n{lines}1 failed in {n}.1s\n"
        );
        b.end_tool(exited(2, &says));
    }
    assert!(failure(&b).unwrap().contains("make test"), "{:?}", failure(&b));
}

#[test]
fn after_a_summary_the_answer_is_told_again_for_it_stands_above_no_more() {
    let long = "a line of the file\n".repeat(40);
    let again = |summed_up: bool| {
        let mut b = running();
        for _ in 0..2 {
            reads(&mut b, "a.txt", &long);
        }
        if summed_up {
            let call = b.thinking();
            b.input(Input::Crowded { call }).unwrap();
            let of = b.session.state().compacting.clone().unwrap().call;
            let reply = Box::new(ModelReply { text: "it read a.txt".into(), ..ModelReply::default() });
            b.input(Input::Summarized { call: of, result: Ok((reply, Dropped::default())) }).unwrap();
        }
        reads(&mut b, "a.txt", &long);
        ends(&b).pop().unwrap().1
    };
    assert!(again(false).contains("it stands above"));
    assert_eq!(again(true), long);
}

#[test]
fn a_call_that_is_refused_again_and_again_ends_the_step_too() {
    let mut b = running();
    for _ in 0..6 {
        assert_eq!(failure(&b), None);
        b.reply("", &[("read_file", json!({"path": "a.txt"}))]);
    }
    assert!(failure(&b).unwrap().contains("read_file"));
}
