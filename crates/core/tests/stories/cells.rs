//! The tables of the design through the session: what each class of input does in each phase (§1.7), and what each
//! trigger of the phase machine that a user or a model can pull does (§1.5), one row a line, one column a phase.
//!
//! The bare table of phases, with the cells that mean nothing, is held cell by cell in `core/src/phase/tests.rs`; what
//! a cell does beyond its deeds and its phase has stories of its own (`phases`, `steer`, `aside`, `modes`, `hearing`,
//! `questions`, `gates`). Here every cell stands once more, so that the tables can be compared line by line.

use crate::{phase, support::*};
use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    intent::Phase,
    session::{Deed, Foretold},
    talk::{Fault, FaultKind},
};

fn at(phase: Phase) -> Bench {
    let mut b = Bench::new();
    if phase == Phase::Idle {
        return b;
    }
    b.say("fix the bug in a.txt");
    if phase == Phase::Planning {
        return b;
    }
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    if phase == Phase::AwaitingApproval {
        return b;
    }
    b.answer(is_plan, Answer::Approve).unwrap();
    if phase == Phase::Failed {
        fails(&mut b);
    }
    b
}

fn fails(b: &mut Bench) {
    let fault = Fault {
        kind: FaultKind::Unreachable,
        message: "no connection".into(),
        hint: "check it".into(),
        status: None,
    };
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault) }).unwrap();
}

/// The phase after it, and before that what was done; a line that does nothing says why.
fn cell(b: &Bench, done: &Foretold) -> String {
    let name = |deed: &Deed| match deed {
        Deed::Answers(..) => "answers".to_owned(),
        Deed::Word(word) => {
            format!("word {}", serde_json::to_value(word).unwrap()).replace(['"', '{', '}'], "")
        }
        other => format!("{other:?}").to_lowercase(),
    };
    let deeds: Vec<String> = done.deeds.iter().map(name).collect();
    let deeds = if done.refused.is_some() { "refused".to_owned() } else { deeds.join("+") };
    format!("{deeds} > {}", phase(b).name())
}

/// What a line does in a session: foretold and done, which is the same.
fn said(mut b: Bench, line: &str) -> String {
    let told = b.session.foretell(line);
    let (before, seen) = (b.session.state().clone(), b.session.state().seq);
    match b.input(Input::Say { text: line.into(), seen }) {
        Ok(step) => assert_eq!(told, Foretold::of(&before, &step.events), "{line}"),
        Err(_) => assert!(told.refused.is_some(), "{line}"),
    }
    cell(&b, &told)
}

/// Idle, planning, awaiting approval, executing, failed.
fn check(line: &str, wanted: [&str; 5]) {
    let got: Vec<String> = Phase::ALL.into_iter().map(|phase| said(at(phase), line)).collect();
    assert_eq!(got, wanted, "{line}");
}

/// §1.7. In a column in which a line means something else, the classifier takes it for another class there.
#[test]
#[rustfmt::skip]
fn every_class_of_input_does_in_every_phase_what_the_table_says() {
    //                 idle               planning               awaiting approval          executing                       failed
    // Empty, query.
    check("",                            ["refused > idle", "refused > planning", "refused > awaiting_approval", "refused > executing", "refused > failed"]);
    check("what does this function do?", ["talks > idle", "talks > planning", "talks > awaiting_approval", "talks > executing", "talks > failed"]);
    // New work, a goal reached by commands.
    check("create notes.txt",            ["plans > planning", "queues > planning", "setsaside+plans > planning", "queues > executing", "setsaside+plans > planning"]);
    check("!make",                       ["runs > executing", "queues > planning", "queues > awaiting_approval", "queues > executing", "setsaside+runs > executing"]);
    check("!ls",                         ["runs > executing", "talks > planning", "talks > awaiting_approval", "talks > executing", "setsaside+runs > executing"]);
    // A change of the plan; what only adds, and what only corrects, does not stop a run (amendment 3).
    check("change the plan: split step 2", ["plans > planning", "plans > planning", "plans > planning", "stopsrun+plans > planning", "plans > planning"]);
    check("wait, only include Q4",       ["asks > idle", "plans > planning", "plans > planning", "stopsrun+plans > planning", "plans > planning"]);
    check("also add a test",             ["plans > planning", "plans > planning", "plans > planning", "adds > executing", "plans > planning"]);
    check("name it bytes instead",       ["plans > planning", "plans > planning", "plans > planning", "tells > executing", "plans > planning"]);
    // Stop, by word and by command.
    check("stop",                        [" > idle", "setsaside > idle", "setsaside > idle", "stopsrun+setsaside > idle", "setsaside > idle"]);
    check("/abort",                      ["refused > idle", "setsaside > idle", "setsaside > idle", "stopsrun+setsaside > idle", "setsaside > idle"]);
    // Replan, mode, reset, redo: of a fresh session there is no last plan.
    check("/replan",                     ["refused > idle", "word replan+plans > planning", "word replan+plans > planning", "word replan+stopsrun+plans > planning", "word replan+plans > planning"]);
    check("/proof",                      ["word mode_switch:proof > idle", "word mode_switch:proof > planning", "word mode_switch:proof > awaiting_approval", "queues > executing", "word mode_switch:proof > failed"]);
    check("/reset",                      ["word reset > idle", "askstostartover > planning", "askstostartover > awaiting_approval", "queues > executing", "askstostartover > failed"]);
    check("/redo",                       ["refused > idle", "queues > planning", "refused > awaiting_approval", "queues > executing", "answers > executing"]);
    // What is heard at once in every phase; leaving asks once where something is at stake.
    check("/help",                       ["word help > idle", "word help > planning", "word help > awaiting_approval", "word help > executing", "word help > failed"]);
    check("/status",                     ["word status > idle", "word status > planning", "word status > awaiting_approval", "word status > executing", "word status > failed"]);
    check("/exit",                       ["word exit > idle", "askstoleave > planning", "askstoleave > awaiting_approval", "askstoleave > executing", "askstoleave > failed"]);
    // Yes and no: to the open question, else to what the agent said last (amendment 4).
    check("y",                           ["talks > idle", " > planning", "starts > executing", " > executing", "refused > failed"]);
    check("n",                           ["talks > idle", "talks > planning", "answers > planning", "talks > executing", "refused > failed"]);
}

/// The row "unsure" of §1.7.
#[test]
fn what_is_not_understood_is_asked_about_or_waits_for_the_plan() {
    let wanted =
        ["asks > idle", "queues > planning", "asks > awaiting_approval", "asks > executing", "asks > failed"];
    for (phase, wanted) in Phase::ALL.into_iter().zip(wanted) {
        let b = at(phase);
        let line = Bench { session: b.session.clone(), log: Vec::new(), clock: b.clock }.mumble();
        assert_eq!(said(b, &line), wanted, "{line}");
    }
}

/// Ctrl-C, which is no line.
#[test]
fn ctrl_c_stops_whatever_holds_the_phase() {
    for phase in Phase::ALL {
        let mut b = at(phase);
        assert_eq!(b.input(Input::Cancel).is_err(), phase == Phase::Idle, "nothing is running");
        assert_eq!(b.session.state().phase, Phase::Idle);
    }
}

/// A last plan is there again after `/redo`, and made anew after `/replan`.
#[test]
fn idle_with_a_last_plan_takes_it_up_or_makes_it_anew() {
    for (line, wanted) in
        [("/redo", "word redo+shows > awaiting_approval"), ("/replan", "word replan+plans > planning")]
    {
        let mut b = at(Phase::AwaitingApproval);
        b.say("q");
        assert_eq!(said(b, line), wanted);
    }
}

/// The last row of §1.7: a write that a turn wants which may only read.
#[test]
fn a_write_from_a_reading_turn_asks_first() {
    let mut b = at(Phase::Idle);
    b.say("what does this function do?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.question(is_transition);
    let mut b = at(Phase::AwaitingApproval);
    b.say("what does this function do?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(!b.session.state().open.values().any(|c| is_transition(&c.kind)), "no change beside a plan");
}

/// What pulls a trigger that is no line.
type Pull = fn(&mut Bench);

/// §1.5, the triggers that are no message: from a phase to a phase, with the question that then stands.
#[test]
fn every_trigger_of_a_model_or_an_answer_leads_where_the_table_says() {
    let rows: [(&str, Phase, Pull, Phase, &str); 14] = [
        (
            "plan ready",
            Phase::Planning,
            |b| drop(b.plan(&[("One", "modify")], &[])),
            Phase::AwaitingApproval,
            "confirmation",
        ),
        (
            "plan empty",
            Phase::Planning,
            |b| (drop(b.reply("no", &[])), drop(b.reply("no", &[]))).0,
            Phase::Idle,
            "",
        ),
        ("plan error", Phase::Planning, fails, Phase::Failed, "failure"),
        ("approve", Phase::AwaitingApproval, |b| drop(b.say("y")), Phase::Executing, ""),
        ("reject", Phase::AwaitingApproval, |b| drop(b.say("n")), Phase::Planning, ""),
        (
            "reject, then nothing",
            Phase::AwaitingApproval,
            |b| (drop(b.say("n")), drop(b.say(""))).0,
            Phase::Idle,
            "",
        ),
        (
            "suggest",
            Phase::AwaitingApproval,
            |b| drop(b.say("only the first step, please")),
            Phase::Planning,
            "",
        ),
        ("abandon", Phase::AwaitingApproval, |b| drop(b.say("q")), Phase::Idle, ""),
        (
            "complete",
            Phase::Executing,
            |b| (drop(b.reply("1", &[])), drop(b.reply("2", &[]))).0,
            Phase::Idle,
            "",
        ),
        ("fail", Phase::Executing, fails, Phase::Failed, "failure"),
        ("retry", Phase::Failed, |b| drop(b.say("r")), Phase::Executing, ""),
        ("replan", Phase::Failed, |b| drop(b.say("p")), Phase::Planning, ""),
        ("abandon", Phase::Failed, |b| drop(b.say("q")), Phase::Idle, ""),
        ("diff up", Phase::Executing, up, Phase::AwaitingApproval, "confirmation"),
    ];
    for (name, from, pull, to, question) in rows {
        let mut b = at(from);
        pull(&mut b);
        let asked = b.session.state().phase_question().map(|c| serde_json::to_value(&c.kind).unwrap());
        let asked = asked.map_or(String::new(), |k| k["kind"].as_str().unwrap().to_owned());
        assert_eq!((phase(&b), asked.as_str()), (to, question), "{name}");
    }
}

/// From the diff up to the plan: what was proposed is set aside and not lost (amendment 2).
fn up(b: &mut Bench) {
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.input(Input::Up).unwrap();
    assert_eq!(b.session.state().set_aside().count(), 1);
}

/// A red gate holds the run with its own question, whose answers stay in the run, end it or plan anew.
#[test]
fn a_red_gate_asks_and_each_answer_leads_where_the_table_says() {
    for (word, to) in [
        ("a", Phase::Executing),
        ("s", Phase::Idle),
        ("r", Phase::Executing),
        ("m", Phase::Idle),
        ("q", Phase::Idle),
        ("stop", Phase::Idle),
        ("/replan", Phase::Planning),
    ] {
        let mut b = at(Phase::Planning);
        b.plan(&[("One", "modify")], &[("t", "make test")]);
        b.say("y");
        b.reply("done", &[]);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "error: no"));
        assert!(b.session.state().phase_question().is_some_and(|c| is_failure(&c.kind)));
        assert_eq!(phase(&b), Phase::Executing, "blocked");
        b.say(word);
        assert_eq!(phase(&b), to, "{word}: {:?}", b.notices());
    }
}
