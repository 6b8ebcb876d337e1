//! Stories: a script of inputs in, the events and the work out.
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

#[path = "stories/agents.rs"]
mod agents;
#[path = "stories/agreed.rs"]
mod agreed;
#[path = "stories/as_text.rs"]
mod as_text;
#[path = "stories/aside.rs"]
mod aside;
#[path = "stories/at_rest.rs"]
mod at_rest;
#[path = "stories/bans.rs"]
mod bans;
#[path = "stories/beside.rs"]
mod beside;
#[path = "stories/besides.rs"]
mod besides;
#[path = "stories/budget.rs"]
mod budget;
#[path = "stories/candidates.rs"]
mod candidates;
#[path = "stories/cells.rs"]
mod cells;
#[path = "stories/changes.rs"]
mod changes;
#[path = "stories/closing.rs"]
mod closing;
#[path = "stories/commands.rs"]
mod commands;
#[path = "stories/commit.rs"]
mod commit;
#[path = "stories/compact.rs"]
mod compact;
#[path = "stories/consents.rs"]
mod consents;
#[path = "stories/cut_off.rs"]
mod cut_off;
#[path = "stories/deeper.rs"]
mod deeper;
#[path = "stories/ends.rs"]
mod ends;
#[path = "stories/facts.rs"]
mod facts;
#[path = "stories/gates.rs"]
mod gates;
#[path = "stories/given_back.rs"]
mod given_back;
#[path = "stories/goals.rs"]
mod goals;
#[path = "stories/hearing.rs"]
mod hearing;
#[path = "stories/hooks.rs"]
mod hooks;
#[path = "stories/kept.rs"]
mod kept;
#[path = "stories/left.rs"]
mod left;
#[path = "stories/limits.rs"]
mod limits;
#[path = "stories/memory.rs"]
mod memory;
#[path = "stories/modes.rs"]
mod modes;
#[path = "stories/no_answers.rs"]
mod no_answers;
#[path = "stories/offers.rs"]
mod offers;
#[path = "stories/own_words.rs"]
mod own_words;
#[path = "stories/permissions.rs"]
mod permissions;
#[path = "stories/phases.rs"]
mod phases;
#[path = "stories/pipelines.rs"]
mod pipelines;
#[path = "stories/plans.rs"]
mod plans;
#[path = "stories/promises.rs"]
mod promises;
#[path = "stories/questions.rs"]
mod questions;
#[path = "stories/recap.rs"]
mod recap;
#[path = "stories/recipes.rs"]
mod recipes;
#[path = "stories/repeats.rs"]
mod repeats;
#[path = "stories/results.rs"]
mod results;
#[path = "stories/resume.rs"]
mod resume;
#[path = "stories/retry.rs"]
mod retry;
#[path = "stories/review.rs"]
mod review;
#[path = "stories/rewording.rs"]
mod rewording;
#[path = "stories/sequence.rs"]
mod sequence;
#[path = "stories/shown.rs"]
mod shown;
#[path = "stories/sources.rs"]
mod sources;
#[path = "stories/spared.rs"]
mod spared;
#[path = "stories/steer.rs"]
mod steer;
#[path = "stories/stops.rs"]
mod stops;
mod support;
#[path = "stories/take_back.rs"]
mod take_back;
#[path = "stories/titles.rs"]
mod titles;
#[path = "stories/transcript.rs"]
mod transcript;
#[path = "stories/trust.rs"]
mod trust;
#[path = "stories/undo.rs"]
mod undo;
#[path = "stories/which.rs"]
mod which;
#[path = "stories/witnesses.rs"]
mod witnesses;
#[path = "stories/words.rs"]
mod words;

use pilothouse_core::{
    checkpoint::Answer,
    event::{CallStatus, Event},
    ids::Millis,
    input::{Found, Input, TiersAnswered, WriteFault},
    intent::{IntentNode, Phase},
    plan::TaskStatus,
    proposal::Decision,
    scope::{Capability, PermissionMode},
    session::Session,
    talk::{Fault, FaultKind, ModelReply},
    tool::{Tool, ToolOutcome},
    work::Work,
};
use serde_json::json;
use support::*;

fn phase(b: &Bench) -> Phase {
    b.session.state().phase
}

/// A plan of one task whose edit is proposed and under review.
fn reviewing() -> Bench {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    b.reply("done", &[]);
    b
}

#[test]
fn a_question_reads_and_answers_without_touching_the_phase() {
    let mut b = Bench::new();
    let step = b.say("where is main defined?");
    assert_eq!(starts(&step), ["think"]);
    let step = b.reply("", &[("search", json!({"pattern": "fn main"}))]);
    assert_eq!(starts(&step), ["search"]);
    b.end_tool(ToolOutcome::text("src/main.rs:1: fn main", "1 match"));
    b.reply("In src/main.rs:1", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.pending().is_empty() && b.session.state().lanes.is_empty());
    assert!(!b.names().contains(&"phase_changed".into()));
}

#[test]
fn from_a_sentence_to_bytes_on_disk_and_back() {
    let mut b = reviewing();
    let names = b.names();
    let place = |n: &str| names.iter().position(|x| x == n).unwrap_or_else(|| panic!("{n} in {names:?}"));
    assert!(place("intent_classified") < place("plan_ready") && place("plan_ready") < place("task_started"));
    assert!(place("task_started") < place("proposed"));
    let p = b.session.state().open_proposals().next().unwrap().clone();
    assert_eq!(p.hunks.len(), 2);
    b.input(Input::Decide { proposal: p.id, hunk: 0, decision: Some(Decision::Taken), shown: p.shown() })
        .unwrap();
    b.input(Input::Decide { proposal: p.id, hunk: 1, decision: Some(Decision::Left), shown: p.shown() })
        .unwrap();
    let step = b.approve_all(None).unwrap();
    assert_eq!(starts(&step), ["prepare"]);
    b.write();
    assert_eq!(phase(&b), Phase::Idle);
    assert_eq!(b.session.state().ledger().len(), 1);
    assert!(b.names().contains(&"run_completed".into()));
    let step = b.input(Input::Undo).unwrap();
    assert_eq!(starts(&step), ["revert"]);
    let apply = b.session.state().applies().keys().next().copied().unwrap();
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    assert!(b.session.state().ledger().is_empty());
    b.say("what was that?");
    b.reply("a greeting", &[]);
    b.say("/redo");
    assert!(b.notices().iter().any(|told| told.contains("`/unundo` restores")), "{:?}", b.notices());
    b.say("no");
    assert_eq!(starts(&b.input(Input::Redo).unwrap()), ["revert"]);
}

#[test]
fn the_events_of_a_plan_come_in_the_order_of_the_worked_trace() {
    let mut b = Bench::new();
    b.say("add user authentication");
    b.plan(&[("One", "create"), ("Two", "modify")], &[("syntax", "cargo check")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let wanted = [
        "turn_started",
        "intent_classified",
        "phase_changed",
        "lane_opened",
        "node_transition",
        "thinking_started",
        "message_completed",
        "call_ended",
        "plan_ready",
        "phase_changed",
        "checkpoint_opened",
        "checkpoint_resolved",
        "node_transition",
        "lane_closed",
        "phase_changed",
        "run_started",
        "lane_opened",
        "task_started",
        "node_transition",
        "node_transition",
        "thinking_started",
    ];
    assert_eq!(b.names()[1..], wanted);
}

#[test]
fn a_question_beside_a_run_only_reads_and_the_run_keeps_its_own() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let run = b.session.state().run_lane().unwrap().clone();
    b.say("what does this do?");
    let answer = b.session.state().lanes.values().find(|l| l.id != run.id).unwrap().clone();
    assert!(answer.offer().allows(Capability::Read));
    assert!(!answer.offer().allows(Capability::Write) && !answer.offer().allows(Capability::Execute));
    assert!(b.session.state().lanes[&run.id].scope().allows(Capability::Write));
    b.reply_to(answer.thinking.unwrap(), "", &[("edit", edit_of("a.txt"))]).unwrap();
    assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })));
    assert!(b.session.state().open.is_empty(), "beside a run nothing is asked either");
    b.reply_to(run.thinking.unwrap(), "", &[("edit", edit_of("a.txt"))]).unwrap();
    assert_eq!(b.tool().1, Tool::Edit);
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn a_write_asked_from_a_question_opens_a_transition() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(b.session.pending().is_empty());
    b.answer(is_transition, Answer::Reject("just tell me".into())).unwrap();
    let refused = b.log.iter().any(|e| {
        matches!(&e.event, Event::CallEnded { status: CallStatus::Refused, result, .. } if result.head.contains("just tell me"))
    });
    assert!(refused);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    assert!(b.session.state().open.values().any(|c| is_diff(&c.kind)));
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.state().lanes.is_empty() && b.session.state().run.is_none());
}

#[test]
fn at_a_named_node_nothing_else_is_reachable() {
    let mut b = Bench::new();
    b.say("@explain how does it work?");
    for (tool, args) in
        [("read", json!({"path": "a"})), ("run", json!({"command": "ls"})), ("edit", edit_of("a"))]
    {
        b.reply("", &[(tool, args)]);
        assert!(b.session.state().open.is_empty());
        b.thinking();
    }
}

#[test]
fn work_said_during_a_run_waits_and_has_its_turn_in_its_order() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::Queue("create first.txt".into())).unwrap();
    b.input(Input::Queue("create second.txt".into())).unwrap();
    assert_eq!(b.session.state().queue.len(), 2);
    b.say("what does this function do?");
    assert_eq!(b.session.state().queue.len(), 2, "questions never queue");
    let answer = b.session.state().lanes.values().next_back().unwrap().thinking.unwrap();
    b.reply_to(answer, "this", &[]).unwrap();
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Planning);
    let planned = |b: &Bench| {
        let turn = b.session.state().planning_lane().unwrap().turn;
        b.session.state().turns[&turn].head.clone()
    };
    assert_eq!(planned(&b), "create first.txt");
    b.plan(&[("Only", "create")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    assert_eq!(planned(&b), "create second.txt");
    assert!(b.session.state().queue.is_empty());
}

#[test]
fn cancel_keeps_what_is_done_and_clears_the_queue() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    b.input(Input::Queue("create other.txt".into())).unwrap();
    let step = b.input(Input::Cancel).unwrap();
    assert!(step.effects.iter().any(|e| matches!(e, pilothouse_core::work::Effect::Cancel(_))));
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.state().queue.is_empty());
    let plan = b.session.state().suspended.as_ref().unwrap();
    assert_eq!(plan.tasks[0].status, TaskStatus::Done);
    assert_eq!(plan.tasks[1].status, TaskStatus::Cancelled);
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    let plan = b.session.state().plan.as_ref().unwrap();
    assert_eq!(
        plan.tasks.iter().map(|t| t.status).collect::<Vec<_>>(),
        [TaskStatus::Done, TaskStatus::Pending]
    );
}

#[test]
fn what_a_stopped_stream_had_said_is_kept() {
    let mut b = Bench::new();
    b.say("where is it?");
    let call = b.thinking();
    b.input(Input::Cancel).unwrap();
    let part = ModelReply { text: "It is in".into(), ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(part) }).unwrap();
    assert!(b.log.iter().any(|e| matches!(&e.event, Event::MessageCompleted { cut: true, .. })));
    assert!(b.input(Input::Replied { call, reply: Ok(ModelReply::default()) }).is_err());
}

#[test]
fn a_model_that_cannot_be_reached_is_a_choice_and_can_be_tried_again() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let call = b.thinking();
    let fault = || Fault {
        kind: FaultKind::Unreachable,
        message: "no connection".into(),
        hint: "check it".into(),
        status: None,
    };
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(phase(&b), Phase::Failed);
    b.say("r");
    assert_eq!(phase(&b), Phase::Planning);
    b.plan(&[("One", "modify")], &[]);
    b.say("y");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(phase(&b), Phase::Failed);
    assert_eq!(b.session.state().failure.as_ref().unwrap().step, 1);
    b.say("try again");
    assert_eq!(phase(&b), Phase::Executing);
    b.thinking();
}

#[test]
fn a_question_of_the_model_waits_for_words() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.reply("", &[("ask_user", json!({"question": "Which?", "choices": ["left", "right"]}))]);
    assert!(b.session.pending().is_empty());
    b.say("2");
    assert!(
        b.log.iter().any(|e| matches!(&e.event, Event::CallEnded { result, .. } if result.head == "right"))
    );
    b.thinking();
}

#[test]
fn no_to_a_plan_waits_for_guidance_and_an_empty_line_drops_it() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    b.say("n");
    assert_eq!(phase(&b), Phase::Planning);
    assert!(b.session.pending().is_empty());
    b.say("create docs/notes.txt");
    b.plan(&[("Two", "create")], &[]);
    b.say("no");
    b.input(Input::say("")).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn bad_calls_are_told_how_to_mend_themselves() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("grep", json!({}))]);
    let call = b.thinking();
    let bad =
        pilothouse_core::talk::ModelCall { id: "x".into(), name: "read".into(), args: "{\"path\": ".into() };
    let reply = ModelReply { calls: vec![bad], ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
    let ends: Vec<String> = b
        .log
        .iter()
        .filter_map(|e| match &e.event {
            Event::CallEnded { result, .. } => Some(result.head.clone()),
            _ => None,
        })
        .collect();
    // A name from elsewhere is answered with the arguments that were sent, where they fit: a weak model copies what it reads.
    for (args, with) in [
        (json!({"path": "src/money.ts"}), r#"call read instead, with {"path":"src/money.ts"};"#),
        (json!({"path": "x".repeat(500)}), "call read instead, with the same arguments;"),
        (json!({"name": "x"}), r#"call read instead, with {"path": "docs/notes.md"}"#),
    ] {
        b.reply("", &[("read_file", args)]);
        let told = b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { result, .. } => Some(result.head.clone()),
            _ => None,
        });
        assert!(told.as_ref().unwrap().contains(with), "{told:?}");
    }
    assert!(ends[0].contains("no tool called \"grep\"") && ends[1].contains("not valid JSON"), "{ends:?}");
    b.thinking();
}

#[test]
fn a_reopened_session_runs_nothing_and_offers_what_was_open() {
    let mut b = reviewing();
    let mut again = Session::replay(&b.log);
    let step = again.step(Millis(99), Input::Open(opening())).unwrap();
    assert!(again.pending().is_empty() && step.effects.is_empty());
    assert!(again.state().open.values().any(|c| is_diff(&c.kind)));
    assert_eq!(again.state().phase, Phase::Idle);
    b.approve_all(None).unwrap();
    let apply = b.writing();
    let files = b.prepared();
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    for (found, ledger) in [(Found::After, 1), (Found::Before, 0), (Found::Mixed, 0)] {
        let mut again = Session::replay(&b.log);
        let mut open = opening();
        open.found = vec![(apply, found)];
        again.step(Millis(99), Input::Open(open)).unwrap();
        assert!(again.pending().is_empty());
        assert_eq!(again.state().ledger().len(), ledger);
    }
}

#[test]
fn one_answer_once() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    let id = b.question(is_plan);
    b.answer(is_plan, Answer::Approve).unwrap();
    assert!(b.input(Input::Answer { checkpoint: id, answer: Answer::Abort, shown: None }).is_err());
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn an_unknown_command_names_its_neighbour() {
    let mut b = Bench::new();
    let refusal = b.input(Input::say("/rest")).unwrap_err();
    assert!(refusal.reason.contains("/reset"), "{refusal}");
}

#[test]
fn of_a_corrected_message_only_what_stands_is_asked() {
    let mut b = Bench::new();
    b.say("create sales.txt. wait, I got that wrong. create revenue.txt instead.");
    let turn = b.session.state().turn.unwrap();
    let request = b.session.state().turns[&turn].request.clone().unwrap();
    assert!(request.contains("revenue.txt") && !request.contains("sales.txt"), "{request}");
    assert_eq!(phase(&b), Phase::Planning);
}

#[test]
fn a_control_word_comes_before_the_work_beside_it() {
    let mut b = Bench::new();
    b.say("switch to proof mode; create totals.txt");
    assert_eq!(b.session.state().mode, pilothouse_core::intent::Mode::Proof);
    assert_eq!(phase(&b), Phase::Planning);
}

#[test]
fn what_was_written_before_a_question_never_answers_it() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    let seen = b.session.state().seq;
    b.plan(&[("One", "create")], &[]);
    for word in ["y", "ok", "looks good", "go ahead", "n"] {
        assert!(b.input(Input::Say { text: word.into(), seen }).is_err(), "{word}");
        assert_eq!(phase(&b), Phase::AwaitingApproval);
    }
    b.input(Input::Say { text: "what does main do?".into(), seen }).unwrap();
    let seen = b.session.state().seq;
    b.input(Input::Say { text: "y".into(), seen }).unwrap();
    assert_eq!(phase(&b), Phase::Executing);
}
