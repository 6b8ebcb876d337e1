//! What a model is told of a session: which events, in which order, in which line.

use pilothouse_core::{
    event::Event,
    ids::LaneId,
    session::{Entry, What},
    work::Work,
};
use serde_json::json;

use crate::support::*;

/// What a lane's model is told, by the names of the events.
fn told(b: &Bench, lane: LaneId) -> Vec<String> {
    let event = |e: &Entry| &b.log.iter().find(|s| s.seq == e.seq).unwrap().event;
    b.session.state().transcript.of(lane).map(|e| name(event(e))).collect()
}

fn newest(b: &Bench) -> LaneId {
    *b.session.state().lanes.keys().next_back().unwrap()
}

#[test]
fn planning_and_its_tasks_are_one_line_with_every_decision_after_the_fact() {
    let mut b = Bench::new();
    b.say("rename Foo to Bar in src/a.rs");
    b.plan(&[("first", "modify"), ("second", "modify")], &[]);
    b.answer(is_plan, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "a\n", "b\n");
    b.reply("Done.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let lane = newest(&b);
    assert_eq!(
        told(&b, lane),
        [
            "turn_started",
            "message_completed",
            "call_ended",
            "checkpoint_resolved",
            "run_started",
            "task_started",
            "message_completed",
            "call_ended",
            "message_completed",
            "applied",
            "task_started",
        ]
    );
}

#[test]
fn a_word_to_the_workbench_is_nothing_that_a_model_is_told() {
    let mut b = Bench::new();
    b.say("what is in src?");
    b.reply("files", &[]);
    b.say("/status");
    b.say("what is in lib?");
    let said = b.session.state().transcript.entries();
    assert_eq!(said.iter().filter(|e| matches!(e.what, What::User(_))).count(), 2);
    b.reply("more", &[]);
    b.say("/reset");
    b.say("what is in src?");
    assert_eq!(told(&b, newest(&b)), ["turn_started"], "a session that starts over is told anew");
}

#[test]
fn an_answer_that_work_overtakes_goes_on_beside_it_as_it_was() {
    let mut b = Bench::new();
    b.say("what is in src?");
    let answer = newest(&b);
    b.say("rename Foo to Bar in src/a.rs");
    let planning = newest(&b);
    assert_ne!(answer, planning);
    let state = b.session.state();
    assert!(state.transcript.is_beside(answer) && !state.transcript.is_beside(planning));
    assert_eq!((told(&b, answer).len(), told(&b, planning).len()), (1, 1));
    let call = state.lanes[&answer].thinking.unwrap();
    b.reply_to(call, "files", &[]).unwrap();
    let reported = |e: &Entry| matches!(e.what, What::Report(_));
    assert!(b.session.state().transcript.of(planning).any(reported));
    assert!(b.log.iter().any(|e| matches!(e.event, Event::LaneClosed { lane } if lane == answer)));
}

#[test]
fn questions_beyond_a_few_wait_for_the_model_and_one_stop_drops_all_that_wait() {
    let mut b = Bench::new();
    for n in 0..200 {
        b.say(&format!("where is the function f{n}?"));
    }
    let asked = |b: &Bench| {
        let work = b.session.state().pending();
        let calls = work.values().filter_map(|w| match w {
            Work::Think { call, .. } => Some(*call),
            _ => None,
        });
        calls.collect::<Vec<_>>()
    };
    let first = asked(&b);
    assert_eq!(first.len(), 4);
    // Whose turn it is goes by who asked first, and who is being answered keeps it.
    b.reply_to(first[1], "there", &[]).unwrap();
    let then = asked(&b);
    assert_eq!(then.len(), 4);
    assert!([0, 2, 3].iter().all(|n| then.contains(&first[*n])), "{first:?} {then:?}");
    b.say("/cancel");
    assert_eq!(asked(&b), then, "those under way go on");
    let open = b.session.state().lanes.len();
    assert_eq!(open, 4);
    let told = b
        .log
        .iter()
        .any(|e| matches!(&e.event, Event::Notice { text, .. } if text.contains("195 queued questions")));
    assert!(told, "it is said how many");
}

#[test]
fn an_answer_of_the_user_is_told_to_the_plan_that_is_made_anew() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.reply("", &[("ask_user", json!({"question": "Which?", "choices": ["left", "right"]}))]);
    b.say("2");
    let answered = b.log.iter().find_map(|e| match &e.event {
        Event::CallEnded { call, result, .. } if result.head == "right" => Some(*call),
        _ => None,
    });
    b.plan(&[("One", "create")], &[]);
    b.say("/replan");
    let lane = b.session.state().planning_lane().unwrap().id;
    let mut told = b.session.state().transcript.of(lane);
    assert!(told.any(|e| e.what == What::Result(answered.unwrap())));
}
