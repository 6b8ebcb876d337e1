//! Steps that were cut off behind their own deeds, and changes that others made first.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::Input,
    intent::Phase,
    plan::{GateStatus, TaskStatus},
    proposal::ProposalStatus,
    session::Session,
    tool::Trees,
};
use serde_json::json;

use crate::{phase, reviewing, support::*};

fn first_step(b: &Bench) -> TaskStatus {
    let state = b.session.state();
    state.plan.as_ref().or(state.suspended.as_ref()).unwrap().tasks[0].status
}

fn nudges(b: &Bench) -> usize {
    b.log.iter().filter(|e| matches!(&e.event, Event::LaneNudged { .. })).count()
}

/// A step of a plan that is at work.
fn working(gates: &[(&str, &str)]) -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], gates);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

/// Its change is written.
fn writes(b: &mut Bench) {
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    if b.session.pending().values().all(|w| !matches!(w, pilothouse_core::work::Work::Think { .. })) {
        b.question(is_diff);
    } else {
        b.reply("written", &[]);
    }
    b.approve_all(None).unwrap();
    b.write();
}

/// A step that was cut off when one of its two edits was written.
fn cut_off_behind_an_edit() -> Bench {
    let mut b = working(&[]);
    b.reply("", &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.propose("b.txt", "1\n", "one\n");
    b.reply("both", &[]);
    let first = b.session.state().open_proposals().next().map(|p| (p.id, p.shown())).unwrap();
    b.input(Input::Apply { proposals: vec![first], word: None, rest: false }).unwrap();
    b.write();
    b.input(Input::Cancel).unwrap();
    b.say("/proposals drop");
    b
}

#[test]
fn what_a_step_did_before_it_was_cut_off_is_its_own_when_it_goes_on() {
    let mut b = cut_off_behind_an_edit();
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    let call = b.thinking();
    b.reply_to(call, "It is done; three tests pass.", &[]).unwrap();
    assert_eq!((nudges(&b), first_step(&b)), (0, TaskStatus::Done));
    // The next step did nothing yet.
    let call = b.thinking();
    b.reply_to(call, "done", &[]).unwrap();
    assert_eq!(nudges(&b), 1);
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn what_was_taken_back_of_a_step_is_no_deed_of_it() {
    let mut b = cut_off_behind_an_edit();
    b.input(Input::Undo).unwrap();
    let apply = b.session.state().applies().keys().next().copied().unwrap();
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    b.say("what is in a.txt?");
    b.reply("a greeting", &[]);
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    let call = b.thinking();
    b.reply_to(call, "It is done.", &[]).unwrap();
    assert_eq!(nudges(&b), 1);
}

#[test]
fn a_change_that_its_file_holds_already_is_made_and_keeps_nothing_back() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    let apply = b.writing();
    b.input(Input::ApplyPrepared { apply, files: Ok((Vec::new(), Vec::new())) }).unwrap();
    let state = b.session.state();
    assert!(state.proposals().values().all(|p| p.status == ProposalStatus::There), "{:?}", state.proposals());
    assert!(state.ledger().is_empty(), "nothing was written by us");
    assert_eq!((phase(&b), first_step(&b)), (Phase::Idle, TaskStatus::Done));
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn beside_a_change_that_is_there_already_the_others_are_written() {
    let mut b = working(&[]);
    b.reply("", &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.propose("b.txt", "1\n", "one\n");
    b.reply("both", &[]);
    b.approve_all(None).unwrap();
    let (apply, mut files) = (b.writing(), b.prepared());
    files.retain(|f| f.path.as_str() == "b.txt");
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    b.input(Input::ApplyEnded { apply, result: Ok(()) }).unwrap();
    let state = b.session.state();
    let there = |p: &str| state.proposals().values().find(|of| of.path.as_str() == p).unwrap().status;
    assert_eq!(there("a.txt"), ProposalStatus::There);
    assert_eq!(there("b.txt"), ProposalStatus::Applied(apply));
    assert_eq!((first_step(&b), state.ledger().len()), (TaskStatus::Done, 1));
}

#[test]
fn a_gate_that_another_took_the_place_of_answers_for_its_old_line() {
    let mut b = working(&[("tests", "make test")]);
    writes(&mut b);
    b.reply("", &[("run", json!({"command": "make test"}))]);
    if b.session.state().open.values().any(|c| c.kind.command().is_some()) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    b.end_tool(exited(2, "no rule"));
    b.reply("", &[("change_gate", json!({"gate": "tests", "command": "pytest", "reason": "no make"}))]);
    b.answer(|k| matches!(k, CheckpointKind::GateChange(_)), Answer::Approve).unwrap();
    b.reply("done", &[]);
    b.answer(is_risk, Answer::Reject(String::new())).unwrap();
    let told: Vec<String> = b
        .log
        .iter()
        .filter_map(|e| match &e.event {
            Event::RunCompleted { summary, .. } => Some(summary.clone()),
            _ => None,
        })
        .collect();
    assert!(told.iter().all(|t| !t.contains("its last check, ")), "{told:?}");
    assert!(!told.is_empty(), "{:?}", b.names());
}

#[test]
fn a_gate_that_is_green_on_these_files_is_held_against_them_and_not_run_again() {
    let mut b = working(&[("tests", "make test")]);
    writes(&mut b);
    b.reply("", &[("run", json!({"command": "make test"}))]);
    if b.session.state().open.values().any(|c| c.kind.command().is_some()) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    let tree = pilothouse_core::blob::BlobId::of(b"tree");
    let trees = Some(Trees { before: tree, after: tree });
    b.end_tool(pilothouse_core::tool::ToolOutcome { trees, ..exited(0, "ok") });
    let gate = |b: &Bench| {
        let state = b.session.state();
        state.plan.as_ref().or(state.suspended.as_ref()).unwrap().gates[0].status
    };
    assert!(matches!(gate(&b), GateStatus::Passed(_)), "{:?}", gate(&b));
    b.input(Input::Cancel).unwrap();
    b.say("/redo");
    assert!(matches!(gate(&b), GateStatus::Passed(_)), "{:?}", gate(&b));
    b.answer(is_plan, Answer::Approve).unwrap();
    let call = b.thinking();
    b.reply_to(call, "It is done.", &[]).unwrap();
    let looks =
        b.session.pending().values().any(|w| matches!(w, pilothouse_core::work::Work::SeeTree { .. }));
    assert!(looks, "it is looked whether the files are those: {:?}", b.session.pending());
}
