//! What is said while a step runs: only plain words stop the run; what names a part of the work, corrects or narrows it,
//! or takes itself back, does not. And what a stop keeps, and leaving names.

use crate::support::*;
use pilothouse_core::{
    blob::BlobId,
    checkpoint::Answer,
    event::Event,
    ids::{CallId, Process, TaskId},
    input::Input,
    intent::{Control, Phase, Turn},
    outcome::Exit,
    session::{Deed, Foretold},
    talk::{Fault, FaultKind},
    tool::{ToolOutcome, Wrote},
};
use serde_json::json;

const STOPS: &str = include_str!("../data/run-stops.txt");
const STEERS: &str = include_str!("../data/run-steers.txt");

fn lines(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter(|l| !l.starts_with('#') && !l.is_empty())
}

fn running() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify"), ("Three", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

/// Whether it is read as a word that stops.
fn cancels(told: &Foretold) -> bool {
    told.meant.as_ref().is_some_and(|(turn, _)| *turn == Turn::Control(Control::Cancel))
}

#[test]
fn plain_words_stop_the_run_at_once() {
    let b = running();
    let left: Vec<&str> =
        lines(STOPS).filter(|line| !b.session.foretell(line).does(&Deed::StopsRun)).collect();
    assert_eq!(left, [""; 0]);
    assert!(lines(STOPS).count() >= 40);
}

#[test]
fn what_steers_stops_nothing_and_is_not_read_as_a_stop() {
    let b = running();
    for line in lines(STEERS) {
        let told = b.session.foretell(line);
        assert!(!told.does(&Deed::StopsRun) && !told.does(&Deed::SetsAside), "{line}: {told:?}");
        assert!(!cancels(&told) && told.refused.is_none(), "{line}: {told:?}");
    }
    assert!(lines(STEERS).count() >= 40);
    // What a user of a day said is told to what runs.
    for line in [
        "also handle a max units argument? no, keep it simple. Actually name it format_duration_brief",
        "please stop adding comments",
        "that's enough comments",
        "nope, wrong file",
        "cancel step 1",
        "forget the README",
    ] {
        assert_eq!(b.session.foretell(line).deeds, [Deed::Tells], "{line}");
    }
}

#[test]
fn a_message_that_takes_itself_back_ends_nothing_else() {
    for line in [
        "also bump the version? hmm no, leave that out",
        "also add a changelog entry. never mind",
        "add a test for it, no wait, forget it",
        "rename it to sums, no, scratch that",
    ] {
        let mut b = running();
        assert_eq!(b.session.foretell(line).deeds, [], "{line}");
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Executing, "{line}");
        assert_eq!(b.session.state().plan.as_ref().unwrap().tasks.len(), 3, "{line}");
    }
    // What stops the run in the same breath stops it.
    for line in ["also add a test. no, stop the run", "no, stop"] {
        assert!(running().session.foretell(line).does(&Deed::StopsRun), "{line}");
    }
}

#[test]
fn a_stop_keeps_a_plan_that_waits_for_words() {
    for stop in [Input::Cancel, Input::say("/abort"), Input::say("stop")] {
        for again in ["/redo", "/proposals plan", "go on"] {
            let mut b = Bench::new();
            b.say("create notes.txt");
            b.plan(&[("Notes", "create")], &[]);
            b.answer(is_plan, Answer::Reject(String::new())).unwrap();
            assert!(!b.session.state().is_at_rest());
            b.input(stop.clone()).unwrap();
            assert_eq!(b.session.state().phase, Phase::Idle, "{stop:?}");
            let told = b.notices().pop().unwrap();
            assert!(told.contains("The plan \"Plan\" is set aside"), "{told}");
            assert!(b.session.state().is_at_rest(), "{stop:?}");
            b.say(again);
            assert_eq!(
                (b.session.state().phase, b.session.state().plan.is_some()),
                (Phase::AwaitingApproval, true),
                "{again}"
            );
        }
    }
}

#[test]
fn who_stops_an_answer_beside_what_waits_is_told_what_stopped_and_what_waits() {
    // Nothing else waits.
    let mut b = Bench::new();
    b.say("why is the sky blue?");
    b.input(Input::Cancel).unwrap();
    assert_eq!(b.notices().last().unwrap(), "Stopped.");
    // A plan.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.say("why is the sky blue?");
    b.input(Input::Cancel).unwrap();
    let told = "Stopped the answer to \"why is the sky blue?\". Still waiting: Plan: a plan of 2 steps waits for your yes.";
    assert_eq!(b.notices().last().unwrap(), told);
    // A run that failed.
    b.answer(is_plan, Answer::Approve).unwrap();
    let fault = Fault { kind: FaultKind::Refused, message: "no".into(), hint: String::new(), status: None };
    b.input(Input::Replied { call: b.thinking(), reply: Err(fault) }).unwrap();
    assert_eq!(b.session.state().phase, Phase::Failed);
    b.say("why is the sky blue?");
    b.input(Input::Cancel).unwrap();
    let told = "Stopped the answer to \"why is the sky blue?\". Still waiting: the run that failed: no.";
    assert_eq!(b.notices().last().unwrap(), told);
}

#[test]
fn a_command_that_waits_for_a_yes_is_at_stake_as_that_and_nothing_runs() {
    let mut b = Bench::new();
    b.say("run git push");
    b.reply("", &[("run", serde_json::json!({"command": "git push"}))]);
    b.question(is_risk);
    let stake = b.session.state().at_stake();
    assert_eq!(stake.len(), 1);
    assert!(stake[0].starts_with("a command is waiting for your yes: `git push` ("), "{stake:?}");
    assert!(stake[0].ends_with(" risk)"), "{stake:?}");
    b.input(Input::say("/exit")).unwrap();
    let state = b.session.state();
    let text = state.spec(state.phase_question().unwrap()).text.into_string();
    assert!(text.starts_with("Leave, although a command is waiting for your yes: `git push` ("), "{text}");
    assert!(!text.contains("Kept") && !text.contains("what is running"), "{text}");
}

/// A command that may write is at work: the user's own, the agent's, or one of a plan's step.
fn at_work(of: &str) -> Bench {
    let mut b = Bench::new();
    match of {
        "user" => drop(b.say("!make all")),
        "agent" => {
            b.say("run make all");
            b.reply("", &[("run", json!({"command": "make all"}))]);
        }
        _ => {
            b.say("fix the bug in a.txt");
            b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
            b.answer(is_plan, Answer::Approve).unwrap();
            b.reply("", &[("run", json!({"command": "make all"}))]);
        }
    }
    if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    b
}

#[test]
fn what_a_command_of_a_step_changed_is_of_that_step() {
    let mut b = at_work("step");
    let wrote = Wrote { count: 2, record: Some(BlobId::of(b"record")), ..Wrote::default() };
    b.end_tool(ToolOutcome { wrote: Some(Box::new(wrote)), ..exited(0, "") });
    let command = b.session.state().applies().values().find_map(|a| a.command.clone()).unwrap();
    assert_eq!(command.task, Some(TaskId(1)));
}

/// The command that is at work, once its process is there.
fn begun(b: &mut Bench) -> CallId {
    let (call, _) = b.tool();
    b.input(Input::CommandStarted { call, process: Process { pid: 7, started: 0 } }).unwrap();
    call
}

/// The end of a command that was stopped when it had changed two files.
fn cut_off() -> ToolOutcome {
    let wrote = Wrote { count: 2, record: Some(BlobId::of(b"record")), ..Wrote::default() };
    let exit = Some(Exit { signal: Some(15), ..Exit::default() });
    ToolOutcome { exit, wrote: Some(Box::new(wrote)), ..ToolOutcome::failure("stopped by the user") }
}

#[test]
fn what_a_stopped_command_changed_comes_with_its_end_and_can_be_taken_back() {
    for (of, stop) in
        [("user", "stop"), ("agent", "stop"), ("step", "stop"), ("user", "/chat"), ("agent", "/chat")]
    {
        let mut b = at_work(of);
        let (call, asked) = (begun(&mut b), b.session.state().turn);
        b.say(stop);
        assert!(b.session.state().open_call(call).is_none(), "{of}: {stop}");
        // Until it has ended nobody knows what it changed.
        let refused = b.input(Input::say("/undo")).unwrap_err().reason;
        assert!(refused.starts_with("`make all` was stopped, and its changes"), "{of}: {refused}");

        b.input(Input::ToolEnded { call, outcome: cut_off() }).unwrap();
        assert_eq!(b.session.state().ledger().len(), 1, "{of}: {stop}");
        let command = b.session.state().applies().values().find_map(|a| a.command.clone()).unwrap();
        assert_eq!((command.call, command.line.as_str(), command.count), (call, "make all", 2), "{of}");
        assert_eq!(command.task.is_some(), of == "step");
        // It is of the message that it was run for, and not of the word that stopped it.
        let origin = b.session.state().writes().next().unwrap().1;
        assert_eq!(Some(origin.turn), asked, "{of}: {stop}");
        b.input(Input::ToolEnded { call, outcome: cut_off() }).unwrap_err();
        if stop == "stop" {
            b.say("/undo");
            let back = |e: &Event| matches!(e, Event::RevertStarted { .. } | Event::CheckpointOpened { .. });
            assert!(b.log.last().is_some_and(|e| back(&e.event)), "{of}");
        }
    }
}

#[test]
fn a_command_that_was_stopped_while_it_ran_is_counted_as_that() {
    let mut b = at_work("agent");
    begun(&mut b);
    b.say("stop");
    let goal = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { goal: Some(goal), .. } => Some(goal.line()),
        _ => None,
    });
    assert_eq!(goal.as_deref(), Some("Cancelled. 1 command, 1 stopped"));
}

#[test]
fn what_waited_for_its_turn_when_it_was_stopped_holds_no_undo_up() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let tasks = json!([
        {"title": "One", "detail": "do it", "kind": "modify", "files": ["a.txt"]},
        {"title": "Two", "detail": "do it", "kind": "modify", "files": ["b.txt"]},
    ]);
    b.reply("", &[("submit_plan", json!({"title": "Both", "tasks": tasks}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let lanes: Vec<CallId> = b.session.state().run_lanes().filter_map(|l| l.thinking).collect();
    assert_eq!(lanes.len(), 2, "both steps are at work");
    for call in lanes {
        b.reply_to(call, "", &[("run", json!({"command": "make all"}))]).unwrap();
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    let call = begun(&mut b);
    b.say("stop");
    b.input(Input::ToolEnded { call, outcome: cut_off() }).unwrap();
    b.say("/undo");
}

#[test]
fn a_stopped_command_that_changed_nothing_holds_nothing_up() {
    let mut b = at_work("agent");
    let call = begun(&mut b);
    b.say("stop");
    b.input(Input::ToolEnded { call, outcome: ToolOutcome::failure("stopped by the user") }).unwrap();
    let refused = b.input(Input::say("/undo")).unwrap_err().reason;
    assert_eq!(refused, "this session has no applied change to take back");
}
