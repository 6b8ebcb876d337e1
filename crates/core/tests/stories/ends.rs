//! What an end says: of a gate that is a pipe, of a step in which nothing was done, of a yes to an offer.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    ids::Millis,
    input::Input,
    intent::Phase,
    plan::{GateStatus, TaskStatus, Workspace},
    relpath::RelPath,
    tool::{Advice, Tool},
};
use serde_json::{Value, json};

use crate::{phase, reviewing, support::*};

fn submit(gates: &Value) -> (&'static str, Value) {
    ("submit_plan", json!({"title": "P", "tasks": [{"title": "One", "files": ["a.txt"]}], "gates": gates}))
}

fn gate(b: &Bench) -> (String, String) {
    let gate = &b.session.state().plan.as_ref().unwrap().gates[0];
    (gate.name.clone(), gate.command.clone())
}

/// What the last call was told.
fn told(b: &Bench) -> String {
    let told = b.log.iter().rev().find_map(|e| match &e.event {
        pilothouse_core::event::Event::CallEnded { result, notes, .. } => {
            Some(Advice::below(notes, &result.head))
        }
        _ => None,
    });
    told.unwrap()
}

#[test]
fn a_pipe_that_only_shortens_is_cut_off_a_gate_and_that_is_told() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply("", &[submit(&json!([{"command": "python3 -m unittest 2>&1 | tail -5"}]))]);
    let line = "python3 -m unittest";
    assert_eq!(gate(&b), (line.to_owned(), line.to_owned()));
    assert!(told(&b).contains("run as `python3 -m unittest`"), "{}", told(&b));
}

#[test]
fn a_gate_that_ends_as_something_else_does_is_refused_with_the_part_that_decides() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    for (line, part) in [("pytest | grep -v warn", "`grep -v warn`"), ("pytest || true", "`true`")] {
        b.reply("", &[submit(&json!([{"name": "t", "command": line}]))]);
        assert_eq!(phase(&b), Phase::Planning, "{line}");
        assert!(told(&b).starts_with("gate 1: ") && told(&b).contains(part), "{}", told(&b));
    }
}

#[test]
fn a_gate_is_meant_by_its_name_by_its_command_or_as_the_only_one() {
    for word in ["tests", " Tests ", "make   test", "gate 1"] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("tests", "make test")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        let change = json!({"gate": word, "command": "pytest 2>&1 | tail -3", "description": "no make here"});
        b.reply("", &[("change_gate", change)]);
        b.answer(|k| matches!(k, CheckpointKind::GateChange(_)), Answer::Approve).unwrap();
        assert_eq!(gate(&b), ("tests".to_owned(), "pytest".to_owned()), "{word}");
    }
}

#[test]
fn a_gate_that_is_called_like_its_command_is_renamed_with_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply(
        "",
        &[submit(&json!([{"command": "make test"}, {"command": "make lint", "description": "style"}]))],
    );
    assert_eq!(b.session.state().plan.as_ref().unwrap().gates[1].name, "style");
    b.answer(is_plan, Answer::Approve).unwrap();
    let change = json!({"gate": "make test", "command": "pytest", "reason": "no make here"});
    b.reply("", &[("change_gate", change)]);
    b.answer(|k| matches!(k, CheckpointKind::GateChange(_)), Answer::Approve).unwrap();
    assert_eq!(gate(&b), ("pytest".to_owned(), "pytest".to_owned()));
}

/// The step of an approved plan ends without any call.
fn idle(text: &str) -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let call = b.thinking();
    b.reply_to(call, text, &[]).unwrap();
    b
}

fn status(b: &Bench) -> TaskStatus {
    let state = b.session.state();
    state.plan.as_ref().or(state.suspended.as_ref()).unwrap().tasks[0].status
}

#[test]
fn a_step_in_which_nothing_was_done_is_asked_about_once_and_then_not_done() {
    let mut b = idle("I fixed it.");
    assert_eq!((phase(&b), status(&b)), (Phase::Executing, TaskStatus::Running), "it is told so");
    let call = b.thinking();
    b.reply_to(call, "It is fixed.", &[]).unwrap();
    assert_eq!((phase(&b), status(&b)), (Phase::Idle, TaskStatus::NotDone));
    assert!(b.notices().contains(&"Step 1: nothing changed.".to_owned()), "{:?}", b.notices());
}

/// A step of this kind that ran a command, which ended so, and then says nothing, asked again neither.
fn silent(kind: &str, code: i32) -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", kind)], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("I run them.", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(code, "3 tests"));
    b.reply("", &[]);
    assert_eq!((phase(&b), status(&b)), (Phase::Executing, TaskStatus::Running), "it is asked once");
    let asked = b.log.iter().rev().find_map(|e| match &e.event {
        Event::LaneNudged { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert!(asked.unwrap().starts_with("Your reply is empty"));
    b.reply(" ", &[]);
    b
}

#[test]
fn a_step_that_ran_something_and_says_nothing_is_told_by_what_it_ran() {
    for (kind, code, wanted) in [
        ("execute", 0, TaskStatus::Done),
        ("modify", 0, TaskStatus::Done),
        ("execute", 2, TaskStatus::NotDone),
        ("modify", 2, TaskStatus::NotDone),
    ] {
        let b = silent(kind, code);
        let told = format!("Step 1: the model said nothing about it; `make test` ended with exit {code}.");
        assert!(b.notices().contains(&told), "{kind} {code}: {:?}", b.notices());
        assert_eq!(status(&b), wanted, "{kind} {code}");
    }
}

#[test]
fn a_step_that_ran_something_and_says_what_came_of_it_ends_with_that() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "execute")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(2, "3 tests"));
    b.reply("Two of three tests fail, as they did before.", &[]);
    assert_eq!(status(&b), TaskStatus::Done);
    assert!(!b.notices().iter().any(|n| n.starts_with("Step 1")), "{:?}", b.notices());
}

#[test]
fn a_step_that_says_why_nothing_is_to_be_changed_is_done_and_told_once() {
    for first in ["It is so.", "Nothing to change: the sum is right already."] {
        let mut b = idle(first);
        if phase(&b) == Phase::Executing {
            let call = b.thinking();
            b.reply_to(call, "nothing to change: the sum is right already.", &[]).unwrap();
        }
        assert_eq!((phase(&b), status(&b)), (Phase::Idle, TaskStatus::Done), "{first}");
        let again = b.notices().iter().any(|n| n.contains("nothing changed"));
        assert!(!again, "its own words stand beside its end, and nothing else: {:?}", b.notices());
    }
}

/// A folder without a test.
#[derive(Debug)]
struct Untested;

impl Workspace for Untested {
    fn has(&self, path: &RelPath) -> bool {
        path.as_str() == "a.txt"
    }
}

/// The second of two steps, with this file, of which its model says that nothing is to be changed.
fn let_off(order: &str, file: &str) -> Bench {
    let mut b = Bench::new();
    b.session.set_files(std::sync::Arc::new(Untested));
    b.say(order);
    let tasks = json!([{"title": "Flags", "files": ["a.txt"]}, {"title": "Integration tests", "files": [file], "after": [1]}]);
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks, "gates": []}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("The flags are in.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let call = b.thinking();
    b.reply_to(call, "nothing to change: the flags are tested already", &[]).unwrap();
    b
}

#[test]
fn a_step_whose_file_is_not_there_or_that_the_order_names_is_asked_once_more_and_told_at_the_end() {
    for (order, file, told) in [
        ("fix the flags in a.txt", "tests/cli.rs", "was to make tests/cli.rs, which does not exist"),
        ("fix the flags in a.txt; tests too", "a.txt", "the order names it (`tests`)"),
    ] {
        let mut b = let_off(order, file);
        assert_eq!(phase(&b), Phase::Executing, "{order}");
        let asked = nudge(&b).unwrap();
        assert!(asked.contains(told), "{asked}");
        let call = b.thinking();
        b.reply_to(call, "nothing to change: no test is wanted", &[]).unwrap();
        assert_eq!(phase(&b), Phase::Idle, "it is asked once");
        let end = b.log.iter().rev().find_map(|e| match &e.event {
            Event::RunCompleted { summary, .. } => Some(summary.clone()),
            _ => None,
        });
        let end = end.unwrap();
        assert!(end.contains("1 of 2 steps changed nothing: Integration tests."), "{end}");
    }
    let b = let_off("fix the flags in a.txt", "a.txt");
    assert_eq!((phase(&b), nudge(&b)), (Phase::Idle, None), "nothing says that there is something to do");
}

#[test]
fn a_step_whose_edits_did_not_fit_did_nothing() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.end_tool(pilothouse_core::tool::ToolOutcome::failure("not found".to_owned()));
    let call = b.thinking();
    b.reply_to(call, "Done.", &[]).unwrap();
    assert_eq!(phase(&b), Phase::Executing, "it is told so");
}

fn nudge(b: &Bench) -> Option<String> {
    b.log.iter().rev().find_map(|e| match &e.event {
        Event::LaneNudged { text, .. } => Some(text.clone()),
        _ => None,
    })
}

/// What is put off behind a change that did not fit, and what did not fit itself, is no denial.
#[test]
fn a_step_whose_calls_did_not_fit_is_asked_once() {
    let put_off = vec![("edit", edit_of("a.txt")), ("run", json!({"command": "make test"}))];
    for calls in [put_off, vec![("run", json!({"timeout_s": 5}))]] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &calls);
        let edits = calls.len() > 1;
        if edits {
            b.end_tool(pilothouse_core::tool::ToolOutcome::failure("old occurs 2 times".to_owned()));
        }
        let call = b.thinking();
        b.reply_to(call, "Change the line to 2.", &[]).unwrap();
        assert_eq!(phase(&b), Phase::Executing, "it is told so: {calls:?}");
        let told = nudge(&b).unwrap();
        assert!(told.contains("You changed nothing"), "{told}");
        assert_eq!(told.contains("Your change to a.txt was refused (old occurs 2 times)"), edits, "{told}");
        let call = b.thinking();
        b.reply_to(call, "It is so.", &[]).unwrap();
        assert_eq!(status(&b), TaskStatus::NotDone);
    }
}

/// A step over two files that proposed the one, while its change to the other did not fit.
fn half_done() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let tasks = json!([{"title": "One", "kind": "modify", "files": ["a.txt", "b.txt", "c.txt"]}]);
    b.reply("", &[("submit_plan", json!({"title": "Plan", "tasks": tasks, "gates": []}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.end_tool(pilothouse_core::tool::ToolOutcome::failure("old occurs 3 times".to_owned()));
    let call = b.thinking();
    b.reply_to(call, "Renamed in both.", &[]).unwrap();
    b
}

#[test]
fn a_change_that_did_not_fit_is_asked_for_once_before_the_review() {
    let untouched = |b: &Bench| {
        let told = b.log.iter().find_map(|e| match &e.event {
            Event::FilesUntouched { files, .. } => Some(files.clone()),
            _ => None,
        });
        told.unwrap_or_default().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let mut b = half_done();
    assert!(b.session.state().open.is_empty(), "the review comes after it");
    let told = nudge(&b).unwrap();
    assert!(
        told.starts_with("Your change to b.txt was refused (old occurs 3 times) and not made again"),
        "{told}"
    );
    b.reply("I leave it.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(status(&b), TaskStatus::Done);
    assert_eq!(untouched(&b), ["b.txt"]);

    let mut b = half_done();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.end_tool(pilothouse_core::tool::ToolOutcome::failure("old occurs 3 times".to_owned()));
    b.reply("nothing to change: they are other names.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert!(!b.notices().iter().any(|n| n.contains("not made again")), "a reason was given");

    let mut b = half_done();
    b.reply("", &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt"))]);
    b.end_tool(pilothouse_core::tool::ToolOutcome::failure("old occurs 2 times".to_owned()));
    b.propose("b.txt", "1\n", "2\n");
    b.reply("Now both.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let told = "Step 1: a change to a.txt was refused and not made again.";
    assert!(b.notices().iter().any(|n| n == told), "{:?}", b.notices());
    assert!(untouched(&b).is_empty());

    let mut b = half_done();
    b.reply("", &[("edit", edit_of("b.txt"))]);
    b.propose("b.txt", "1\n", "2\n");
    b.reply("Now both.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(status(&b), TaskStatus::Done);
    assert!(untouched(&b).is_empty());
}

#[test]
fn a_yes_to_an_offer_lets_its_path_ask_for_changes_and_not_for_removals() {
    let after = |said: &str, node: &str| {
        let mut b = Bench::new();
        b.say("could add be typed?");
        b.reply(said, &[]);
        b.say("yes");
        b.reply("", &[("request_path", json!({"node": node, "reason": "the user said yes"}))]);
        let state = b.session.state();
        state.open.values().find_map(|c| match &c.kind {
            CheckpointKind::Transition(deeper) => Some(state.agreed(deeper)),
            _ => None,
        })
    };
    // What plainly offers a change is begun by the yes; this is about what offers more than words say.
    let asks = "It could, with types of its own. Shall I?";
    assert_eq!(after(asks, "modify"), Some(true));
    assert_ne!(after(asks, "delete"), Some(true));
    assert_eq!(after("It is typed already.", "modify"), Some(false), "the last answer offers nothing");
    let long = format!("{}\n\nLet me know if you want that.", "It takes some time. ".repeat(600));
    assert_eq!(after(&long, "modify"), Some(true), "its end counts, however long it is");
    let mut b = Bench::new();
    b.say("could add be typed?");
    b.reply("", &[("request_path", json!({"node": "modify", "reason": "so"}))]);
    let state = b.session.state();
    let asked = state.open.values().find_map(|c| match &c.kind {
        CheckpointKind::Transition(deeper) => Some(state.agreed(deeper)),
        _ => None,
    });
    assert_ne!(asked, Some(true), "a question is no yes");
}

#[test]
fn a_line_that_was_allowed_for_the_session_is_not_asked_again_as_a_gate() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "python3 -m unittest")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("run", json!({"command": "python3 -m unittest 2>&1 | tail -4"}))]);
    let rules = vec!["allow command python3 -m unittest".to_owned(), "allow command unittest $".to_owned()];
    b.answer(is_risk, Answer::Grant { rules, lasting: false }).unwrap();
    b.end_tool(exited(0, "ok"));
    b.reply("It is so.", &[]);
    assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)), "{:?}", b.session.state().open);
    assert_eq!(b.tool().1, Tool::Run);
    b.end_tool(exited(0, "ok"));
    let state = b.session.state();
    let plan = state.plan.as_ref().or(state.suspended.as_ref()).unwrap();
    assert!(matches!(plan.gates[0].status, GateStatus::Passed(_)));
}

#[test]
fn any_other_text_behind_queue_waits_as_work() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for (line, waits) in [("/queue add a test for names", 1), ("/queue drop the old cache", 2)] {
        b.say(line);
        assert_eq!(b.session.state().queue.works().count(), waits, "{line}");
    }
    b.say("/queue drop 1");
    assert_eq!(b.session.state().queue.works().count(), 1);
    assert!(b.input(pilothouse_core::input::Input::say("/queue drop 7")).is_err());
}

#[test]
fn what_a_run_waited_for_the_user_is_no_time_that_it_worked() {
    let mut b = reviewing();
    b.clock += 660_000;
    let waiting = b.session.state().spell(Millis(b.clock)).unwrap();
    assert!(waiting.worked.0 < 100 && waiting.waited.0 >= 660_000, "while it waits: {waiting:?}");
    b.approve_all(None).unwrap();
    b.clock += 5_000;
    b.write();
    let came_to = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, .. } => came_to.clone(),
        _ => None,
    });
    let spell = came_to.unwrap().spell();
    assert!((5_000..6_000).contains(&spell.worked.0), "{spell:?}");
    assert!((660_000..661_000).contains(&spell.waited.0), "{spell:?}");
    let took = b.log.iter().find_map(|e| match &e.event {
        Event::TaskCompleted { took, .. } => Some(took.0),
        _ => None,
    });
    assert!((5_000..6_000).contains(&took.unwrap()), "{took:?}");
}

#[test]
fn a_step_that_was_taken_back_and_is_done_again_without_a_write_is_done() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    b.write();
    b.input(Input::Undo).unwrap();
    let apply = b.session.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    assert_eq!(b.session.state().suspended.as_ref().unwrap().tasks[0].status, TaskStatus::TakenBack);
    b.say("what is in a.txt?");
    b.reply("a greeting", &[]);
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to change: it was mended by hand", &[]);
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    assert!(ended.as_deref().is_some_and(|s| s.starts_with("Complete")), "{ended:?}");
    let plan = b.session.state().suspended.as_ref().unwrap();
    assert!(plan.complete() && plan.offer().is_none(), "{:?}", plan.tasks[0].status);
}
