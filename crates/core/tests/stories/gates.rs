//! Gates: red is a question, a repair goes through the diff, a ceiling holds.

use std::sync::Arc;

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event, RunStatus, Stamped},
    input::Input,
    intent::{IntentNode, Phase},
    plan::{GateStatus, Pause, TaskStatus, Workspace},
    relpath::RelPath,
    scope::PermissionMode,
    session::{Bounds, Deed, LaneKind, Session},
    tool::Tool,
    work::Work,
};
use serde_json::json;

use crate::{phase, reviewing, support::*};

#[test]
fn a_red_gate_is_a_question_and_a_repair_goes_through_the_diff() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("syntax", "cargo check")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to change", &[]);
    let id = b.question(is_risk);
    assert!(b.session.pending().is_empty(), "a gate asks before it runs");
    assert!(b.input(Input::Answer { checkpoint: id, answer: Answer::Approve, shown: None }).is_err());
    b.answer(is_risk, Answer::Approve).unwrap();
    assert_eq!(b.tool().1, Tool::Run);
    b.end_tool(exited(1, "error: Line 23: undefined name 'x'"));
    assert_eq!(phase(&b), Phase::Executing);
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "x\n", "y\n");
    b.reply("", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
    assert!(matches!(b.session.state().suspended.as_ref().unwrap().gates[0].status, GateStatus::Passed(_)));
}

#[test]
fn a_step_that_came_to_nothing_is_done_where_the_fix_of_its_gate_made_its_change() {
    for (fixed, code, wanted) in
        [("a.txt", 0, TaskStatus::Done), ("b.txt", 0, TaskStatus::NotDone), ("a.txt", 1, TaskStatus::NotDone)]
    {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("syntax", "cargo check")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        for _ in 0..2 {
            let call = b.thinking();
            b.reply_to(call, "Change it like this.", &[]).unwrap();
        }
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "error: Line 23: undefined name 'x'"));
        b.answer(is_failure, Answer::AutoFix).unwrap();
        b.reply("", &[("edit", edit_of(fixed))]);
        b.propose(fixed, "x\n", "y\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(code, "it says so"));
        if code != 0 {
            b.answer(is_failure, Answer::Skip).unwrap();
        }
        let plan = b.session.state().suspended.clone().unwrap();
        assert_eq!(plan.tasks[0].status, wanted, "{fixed} {code}");
        let done = wanted == TaskStatus::Done;
        assert_eq!(plan.unfinished(), !done, "{fixed} {code}");
        let told = b.notices().iter().any(|n| n.starts_with("Step 1 is done"));
        assert_eq!(told, done, "{:?}", b.notices());
        let ended = b.log.iter().find_map(|e| match &e.event {
            Event::RunCompleted { status, .. } => Some(*status),
            _ => None,
        });
        assert_eq!(ended, Some(if done { RunStatus::Completed } else { RunStatus::Ended }), "{fixed} {code}");
    }
}

/// A workspace with one file beside those of the plan.
#[derive(Debug)]
struct Slug;

impl Workspace for Slug {
    fn has(&self, path: &RelPath) -> bool {
        path.as_str() == "src/slug.js"
    }
}

#[test]
fn what_is_ordered_at_a_red_gate_is_what_its_repair_hears() {
    for line in [
        "fix it",
        "please fix",
        "fix now",
        "fix a.txt, the test is right",
        "no, use a loop instead",
        "no, floor the whole quotient: Math.floor(a / b)",
        "no, do the floor over the whole quotient",
        "no! floor, then add the rest",
        "不，用循环",
        "make it return 3",
        "change the timeout to 2.5 seconds",
        "handle I/O errors in the reader",
        "replace eval by json.loads",
        "add a jest.config.js with the ts preset",
    ] {
        let mut b = red("make test", "a.txt", "assertion failed");
        b.session.set_files(Arc::new(Slug));
        assert!(b.session.foretell(line).does(&Deed::Tells), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        let repair = b.session.state().lanes.values().find(|l| matches!(l.kind, LaneKind::Repair(_)));
        assert!(repair.is_some_and(|l| l.thinking.is_some()), "{line}: {:?}", b.names());
        assert!(b.session.state().queue.is_empty(), "{line}");
        let told = b.session.state().turns.values().last().unwrap();
        assert!(told.told.is_some(), "{line}: {told:?}");
    }
    // Work on files of which neither the plan nor the gate speaks waits for its turn, and the gate asks on.
    for line in [
        "add a --json flag to the CLI, with tests and a section in docs/usage.md",
        "write a CHANGELOG.md with an entry for 0.4",
        "rename slug to slugify in src/slug.js",
    ] {
        let mut b = red("make test", "a.txt", "assertion failed");
        b.session.set_files(Arc::new(Slug));
        b.say(line);
        assert_eq!(b.session.state().queue.len(), 1, "{line}: {:?}", b.names());
        b.question(is_failure);
    }
    // What only opens like a correction mends nothing, and a no that says to go on does not say what is meant.
    for line in ["no idea, what do you think", "no, later", "no, lowercase"] {
        let mut b = red("make test", "a.txt", "assertion failed");
        assert!(!b.session.foretell(line).does(&Deed::Tells), "{line}: {:?}", b.session.foretell(line));
        drop(b.input(Input::say(line)));
        assert!(!b.session.state().lanes.values().any(|l| matches!(l.kind, LaneKind::Repair(_))), "{line}");
    }
    for line in ["no but keep it", "nope, go on with the second", "no, go on", "no, go ahead with the plan"] {
        let mut b = red("make test", "a.txt", "assertion failed");
        assert_eq!(b.session.foretell(line).deeds, [], "{line}");
        let why = b.input(Input::say(line)).unwrap_err().reason;
        assert!(why.starts_with("that doesn't say which one"), "{line}: {why}");
        b.question(is_failure);
    }
    // What comes on top of it becomes a step of the plan, a question stays one, and the gate asks on.
    let mut b = red("make test", "a.txt", "assertion failed");
    b.say("also add a changelog entry");
    assert!(b.names().contains(&"task_added".into()), "{:?}", b.names());
    b.question(is_failure);
    let mut b = red("make test", "a.txt", "assertion failed");
    b.say("why did it fail?");
    b.question(is_failure);
}

#[test]
fn what_is_to_be_left_as_it_is_at_a_red_gate_is_neither_mended_nor_queued() {
    for line in [
        "those failed before, leave them for now",
        "these failures were there before, skip them",
        "test_case is another matter, that is fine for now",
        "ignore that",
        "der war schon rot, lass es so",
    ] {
        let mut b = red("make test", "a.txt", "assertion failed");
        b.say(line);
        let state = b.session.state();
        assert!(
            state.queue.is_empty() && state.phase_question().is_none(),
            "{line}: {:?} {:?}",
            b.names(),
            b.notices()
        );
        let skipped = |e: &Stamped| matches!(e.event, Event::GateReset { skipped: true, .. });
        assert!(b.log.iter().any(skipped), "{line}: {:?}", b.names());
        assert!(!b.names().contains(&"repair_started".into()), "{line}");
    }
}

#[test]
fn what_is_not_to_be_left_at_a_red_gate_skips_nothing() {
    for line in ["don't skip the tests", "do not ignore that", "it was not there before"] {
        let mut b = red("make test", "a.txt", "assertion failed");
        b.say(line);
        let skipped = |e: &Stamped| matches!(e.event, Event::GateReset { skipped: true, .. });
        assert!(!b.log.iter().any(skipped), "{line}: {:?}", b.names());
    }
}

#[test]
fn repairs_are_bounded() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    for (was, now) in [("1\n", "2\n"), ("2\n", "3\n")] {
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "no"));
        b.answer(is_failure, Answer::AutoFix).unwrap();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", was, now);
        b.reply("tried", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "no"));
    assert!(b.answer(is_failure, Answer::AutoFix).is_err());
    b.say("s");
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn in_auto_mode_a_red_gate_is_repaired_unasked_as_often_as_it_may_be() {
    let begun = |pauses: Vec<Pause>| {
        let mut b = Bench::new();
        b.session.set_bounds(Bounds { pauses, ..Bounds::default() });
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", "make test")]);
        b.reply("", &[]);
        b.answer(is_risk, Answer::Approve).ok();
        b
    };
    let mut b = begun(Vec::new());
    for (was, now) in [("1\n", "2\n"), ("2\n", "3\n")] {
        b.end_tool(exited(1, "no"));
        assert!(b.session.state().open.is_empty(), "{:?}", b.session.state().open);
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", was, now);
        b.reply("tried", &[]);
        b.write();
        b.answer(is_risk, Answer::Approve).ok();
    }
    b.end_tool(exited(1, "no"));
    assert!(b.answer(is_failure, Answer::AutoFix).is_err(), "repairs are used up");
    let mut b = begun(vec![Pause::FailedGate]);
    b.end_tool(exited(1, "no"));
    b.question(is_failure);
}

#[test]
fn gates_whose_repairs_undo_each_other_in_auto_mode_end_with_a_question() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("a", "make a"), ("b", "make b")]);
    b.reply("", &[]);
    // What makes one green makes the other red.
    let (mut red, mut repairs) = ("make a", 0);
    let is_open = |b: &Bench, of: fn(&CheckpointKind) -> bool| {
        let open = &b.session.state().open;
        open.values().any(|c| of(&c.kind))
    };
    while !is_open(&b, is_failure) && repairs < 12 {
        if is_open(&b, is_risk) {
            b.answer(is_risk, Answer::Approve).unwrap();
        }
        let gates = &b.session.state().plan.as_ref().unwrap().gates;
        if let Some(gate) = gates.iter().find(|g| g.status == GateStatus::Running) {
            let code = i32::from(gate.command == red);
            b.end_tool(exited(code, "said"));
            continue;
        }
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", &format!("{repairs}\n"), &format!("{}\n", repairs + 1));
        b.reply("tried", &[]);
        b.write();
        repairs += 1;
        red = if red == "make a" { "make b" } else { "make a" };
    }
    assert_eq!(repairs, 4, "each as often as it may be: {:?}", b.names());
    let asked = b.question(is_failure);
    assert!(Session::replay(&b.log) == b.session);
    let CheckpointKind::Failure(failure) = &b.session.state().open[&asked].kind else { panic!() };
    assert!(failure.spent, "no repair is offered that is none");
    assert!(b.answer(is_failure, Answer::AutoFix).is_err(), "repairs are used up");
    // What the user says of it is tried, and after it as often as it may be.
    b.say("use a loop instead");
    for attempt in 1..=2 {
        let begun = b.log.iter().rev().find_map(|e| match e.event {
            Event::RepairStarted { attempt, .. } => Some(attempt),
            _ => None,
        });
        assert_eq!(begun, Some(attempt));
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", &format!("{repairs}\n"), &format!("{}\n", repairs + 1));
        b.reply("tried", &[]);
        b.write();
        repairs += 1;
        if is_open(&b, is_risk) {
            b.answer(is_risk, Answer::Approve).unwrap();
        }
        b.end_tool(exited(1, "said"));
    }
    b.question(is_failure);
    assert!(Session::replay(&b.log) == b.session);
}

/// A plan with this gate that wrote a file; the gate then ended red with this output.
pub fn red(command: &str, file: &str, output: &str) -> Bench {
    let mut b = Bench::new();
    b.say(&format!("fix the bug in {file}"));
    b.plan(&[("One", "modify")], &[("style", command)]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of(file))]);
    b.propose(file, "1\n", "2\n");
    b.reply("", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, &format!("exit 1, took 0.1 s\nstdout:\n{output}\n")));
    b
}

#[test]
fn a_check_of_single_files_that_names_none_that_was_changed_failed_before() {
    let told = |b: &Bench| b.session.state().failure.as_ref().unwrap().message.clone();
    let b = red("cargo fmt --check", "src/a.rs", "Diff in /w/src/old.rs:3:");
    b.question(is_failure);
    assert!(told(&b).contains("(it fails on the untouched tree too: it names no file"), "{}", told(&b));
    assert!(b.notices().iter().any(|n| n.starts_with("`cargo fmt --check` fails on the untouched tree too")));
    for (command, file, output) in [
        ("cargo fmt --check", "src/a.rs", "Diff in /w/src/a.rs:3:"),
        // By what was changed here it may find fault with any.
        ("cargo fmt --check", "rustfmt.toml", "Diff in /w/src/old.rs:3:"),
        ("npx eslint src", "eslint.config.js", "src/old.js:3:5 no-var"),
        // What hangs together may fail elsewhere because of what was changed here.
        ("cargo test", "src/a.rs", "panicked at tests/old.rs:3"),
        ("cargo clippy", "src/a.rs", "error: unused import\n --> src/old.rs:3:5"),
    ] {
        let b = red(command, file, output);
        assert!(!told(&b).contains("untouched"), "{command}: {}", told(&b));
    }
}

/// An approved plan whose gate is red and is being repaired.
fn repairing() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "no"));
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b
}

#[test]
fn a_repair_without_a_change_is_told_once_and_its_gate_is_not_run_again() {
    let mut b = repairing();
    b.reply("it is a flaky test", &[]);
    let told = b.log.iter().filter(
        |e| matches!(&e.event, Event::LaneNudged { text, .. } if text.contains("gate t is as red as before")),
    );
    assert_eq!(told.count(), 1);
    b.reply("it is a flaky test", &[]);
    // The user is asked anew; no command ran and none waits.
    b.question(is_failure);
    let gates = b.names().iter().filter(|n| *n == "gate_started").count();
    assert_eq!(gates, 1, "{:?}", b.names());
    assert!(!b.names().iter().any(|n| n == "gate_reset"));
    b.answer(is_failure, Answer::Skip).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    b.say("did the tests pass?");
    assert!(format!("{:?}", b.log).contains("gate t: failed (exit 1), skipped by you"), "{:?}", b.log.last());
}

#[test]
fn a_repair_that_changes_something_in_its_second_try_has_its_gate_run() {
    let mut b = repairing();
    b.reply("it is a flaky test", &[]);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
    // A command that may write may mend it as well: what it installs is no file of the tree.
    let mut b = repairing();
    b.reply("", &[("run", json!({"command": "make deps"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    b.reply("installed", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    assert_eq!(b.names().iter().filter(|n| *n == "gate_started").count(), 2);
}

#[test]
fn a_command_waits_for_its_lane_s_proposals() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt")), ("run", json!({"command": "make"}))]);
    b.propose("a.txt", "1\n", "2\n");
    assert!(b.session.state().open.values().any(|c| is_diff(&c.kind)));
    assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)));
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    assert_eq!(b.tool().1, Tool::Run);
}

#[test]
fn under_a_read_only_ceiling_plans_are_made_but_not_run() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    assert!(b.answer(is_plan, Answer::Approve).is_err());
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    b.answer(is_plan, Answer::Approve).unwrap();
}

#[test]
fn lowering_the_ceiling_stops_what_it_forbids() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    let (call, _) = b.tool();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })));
    assert!(b.input(Input::ToolEnded { call, outcome: proposing("a.txt", "1\n", "2\n") }).is_err());
}

/// The worked trace of the model (§1.8), from the first question to the end of the run.
#[test]
#[expect(clippy::too_many_lines, reason = "one case after the other")]
fn the_worked_trace_from_question_to_completion() {
    let mut b = Bench::new();
    b.say("what's in this codebase?");
    b.reply("a demo", &[]);
    b.say("add user authentication");
    let plan = json!({"title": "Auth", "tasks": [
        {"title": "Write it", "kind": "create"}, {"title": "Drop the old", "kind": "delete", "after": [1]},
    ], "gates": [{"name": "syntax", "command": "cargo check", "after": [1]}]});
    b.reply("", &[("submit_plan", plan)]);
    b.say("y");
    b.reply("", &[("write", json!({"path": "auth.py", "content": "x"}))]);
    b.propose("auth.py", "", "x\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "error: Line 23: undefined name 'hash_password'"));
    b.say("a");
    b.reply("", &[("edit", edit_of("auth.py"))]);
    b.propose("auth.py", "x\n", "y\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    b.reply("", &[("delete", json!({"path": "old.py"}))]);
    b.propose("old.py", "bye\n", "");
    b.reply("done", &[]);
    b.approve_all(Some("delete")).unwrap();
    assert_eq!(b.session.state().node(), IntentNode::Delete);
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    let inner = [
        "lane_opened",
        "lane_closed",
        "call_started",
        "call_ended",
        "call_made",
        "thinking_started",
        "message_completed",
        "command_proposed",
        "command_meant",
        "command_exited",
        "apply_started",
    ];
    let told: Vec<String> = b.names().into_iter().filter(|n| !inner.contains(&n.as_str())).collect();
    let wanted = "session_opened turn_started intent_classified node_transition \
        turn_started intent_classified phase_changed node_transition \
        plan_ready phase_changed checkpoint_opened \
        checkpoint_resolved node_transition phase_changed run_started \
        task_started node_transition node_transition proposed checkpoint_opened \
        apply_approved applied checkpoint_resolved task_completed \
        node_transition gate_started checkpoint_opened checkpoint_resolved gate_failed checkpoint_opened \
        checkpoint_resolved repair_started node_transition node_transition proposed checkpoint_opened \
        apply_approved applied checkpoint_resolved gate_reset \
        node_transition gate_started checkpoint_opened checkpoint_resolved gate_passed \
        task_started node_transition node_transition proposed checkpoint_opened \
        apply_approved node_transition applied gate_went_stale checkpoint_resolved task_completed \
        gate_reset node_transition gate_started checkpoint_opened checkpoint_resolved gate_passed \
        run_completed plan_shelved phase_changed";
    assert_eq!(told.join(" "), wanted);
}

#[test]
fn a_change_of_the_plan_in_the_middle_keeps_what_is_done() {
    let mut b = crate::phases::running();
    b.reply("done", &[]);
    b.say("change the plan: only include Q4");
    assert_eq!(phase(&b), Phase::Planning);
    let statuses = |b: &Bench| {
        b.session.state().plan.iter().flat_map(|p| &p.tasks).map(|t| t.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&b), [TaskStatus::Done, TaskStatus::Cancelled]);
    b.plan(&[("Two, for Q4", "modify")], &[]);
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    assert_eq!(b.session.state().plan.as_ref().unwrap().version, 2);
    b.say("q");
    assert_eq!(b.session.state().suspended.as_ref().unwrap().version, 2);
}

/// A plan with two steps whose gate is asked about after the first.
pub fn gated() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let plan = json!({"title": "P", "tasks": [{"title": "One", "kind": "modify"}, {"title": "Two", "kind": "modify"}],
        "gates": [{"name": "t", "command": "make test", "after": [1]}]});
    b.reply("", &[("submit_plan", plan)]);
    b.say("y");
    b
}

#[test]
fn a_gate_that_went_stale_runs_again_before_the_run_is_complete() {
    let mut b = gated();
    b.reply("done", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "x\n", "y\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::Executing, "not complete on a stale gate");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
    let gate = |b: &Bench| b.session.state().suspended.as_ref().unwrap().gates[0].status;
    assert!(matches!(gate(&b), GateStatus::Passed(_)));
    // What is taken back afterwards takes its proof with it.
    b.input(Input::Undo).unwrap();
    let apply = *b.session.state().ledger().last().unwrap();
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    assert!(matches!(gate(&b), GateStatus::Stale(_)));
}

#[test]
fn a_run_with_skipped_steps_ends_and_is_not_complete() {
    let mut b = reviewing();
    let all = b.session.state().open_proposals().map(|p| p.id).collect();
    b.input(Input::Skip { proposals: all, reason: String::new() }).unwrap();
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { status, summary, .. } => Some((*status, summary.clone())),
        _ => None,
    });
    assert_eq!(ended.unwrap(), (RunStatus::Ended, "Ended: 0 of 1 done, 1 skipped".to_owned()));
}

#[test]
fn after_two_repairs_auto_fix_is_not_offered() {
    let mut b = gated();
    b.reply("done", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "error: no"));
    for (was, now) in [("1\n", "2\n"), ("2\n", "3\n")] {
        assert!(b.session.state().phase_question().unwrap().kind.choices().iter().any(|c| c.key == "a"));
        b.say("a");
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", was, now);
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "error: no"));
    }
    let question = b.session.state().phase_question().unwrap();
    assert!(question.kind.choices().iter().all(|c| c.key != "a"), "{question:?}");
    let before = b.log.len();
    for line in ["a", "auto-fix"] {
        let refused = b.input(Input::say(line)).unwrap_err();
        assert!(refused.reason.contains("tried as often as allowed") && refused.reason.contains("s skip"));
    }
    assert_eq!(b.log.len(), before, "the gate is not run again");
}

#[test]
fn the_depth_that_was_chosen_bounds_the_repairs_of_a_gate() {
    for (depth, offered) in [("quick", false), ("standard", true), ("deep", true)] {
        let mut b = Bench::new();
        b.say(&format!("/depth {depth}"));
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("tests", "pytest")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("nothing to change: it is right", &[]);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "error: no"));
        let question = b.session.state().phase_question().unwrap();
        assert_eq!(question.kind.choices().iter().any(|c| c.key == "a"), offered, "{depth}: {question:?}");
    }
}

fn to_gate(b: &mut Bench, command: &str) {
    b.reply("", &[("change_gate", json!({"gate": "tests", "command": command, "reason": "it is missing"}))]);
}

fn refused(b: &Bench) -> String {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status: CallStatus::Refused, result, .. } => Some(result.head.clone()),
        _ => None,
    });
    end.unwrap()
}

#[test]
fn a_gate_whose_program_is_missing_gets_another_command_by_the_user_alone() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("tests", "pytest")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to change", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(127, "bash: pytest: command not found"));
    b.answer(is_failure, Answer::AutoFix).unwrap();
    for hollow in ["true", ":", "echo ok", "pytest || true", "pytest | tee log", "ls"] {
        to_gate(&mut b, hollow);
        assert!(refused(&b).contains("proves nothing"), "{hollow}: {}", refused(&b));
    }
    for same in ["pytest", "pytest 2>&1 | tail"] {
        to_gate(&mut b, same);
        assert!(refused(&b).contains("the command it has"), "{same}: {}", refused(&b));
    }
    to_gate(&mut b, "python3 -m unittest");
    let is_change = |k: &CheckpointKind| matches!(k, CheckpointKind::GateChange(_));
    b.answer(is_change, Answer::Reject("use tox".into())).unwrap();
    assert!(refused(&b).contains("use tox"), "{}", refused(&b));
    let command = |b: &Bench| b.session.state().plan.as_ref().unwrap().gates[0].command.clone();
    assert_eq!(command(&b), "pytest");
    to_gate(&mut b, "tox -q");
    b.answer(is_change, Answer::Approve).unwrap();
    assert_eq!(command(&b), "tox -q");
    let gate = b.session.state().plan.as_ref().unwrap().gates[0].status;
    assert_eq!(gate, GateStatus::Pending, "that command has not run");
    b.reply("The gate is mended.", &[]);
    let id = b.question(is_risk);
    let asked = b.session.state().open[&id].kind.command().unwrap().command.clone();
    assert_eq!(asked, "tox -q", "it runs as the rules say");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn only_a_step_of_the_plan_that_runs_changes_a_gate() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    to_gate(&mut b, "tox -q");
    assert!(refused(&b).contains("submit it with the plan"), "{}", refused(&b));
    b.plan(&[("One", "modify")], &[("lint", "ruff check"), ("style", "ruff format --check")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    to_gate(&mut b, "tox -q");
    assert!(refused(&b).contains("there are: lint, style"), "{}", refused(&b));
}

#[test]
fn a_red_gate_that_is_skipped_is_told_as_failed_wherever_it_is_told() {
    let mut b = red("make test", "a.txt", "assertion failed");
    b.answer(is_failure, Answer::Skip).unwrap();
    let (summary, came_to) = b
        .log
        .iter()
        .find_map(|e| match &e.event {
            Event::RunCompleted { summary, came_to, .. } => Some((summary.clone(), came_to.clone().unwrap())),
            _ => None,
        })
        .unwrap();
    assert_eq!(summary, "Done. 1 file created/modified. Gate style failed (exit 1), skipped by you.");
    assert_eq!(came_to.gates[0].word(), "failed (exit 1), skipped by you");
    let plan = b.session.state().suspended.clone().unwrap();
    assert!(matches!(plan.gates[0].status, GateStatus::Failed(_)) && !plan.unfinished());
    assert_eq!((plan.checks(), plan.fulfilment()), (", 0/1 gate".to_owned(), "Done"));
    b.say("did the tests pass?");
    let told = b.log.iter().find_map(|e| match &e.event {
        Event::FactsAnswered { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(told.as_deref(), Some("gate style: failed (exit 1), skipped by you (`make test`)"));
    b.say("/commit");
    crate::commit::looked(&mut b, Ok(crate::commit::tree(&["a.txt"])));
    let notes = b.session.state().waiting_commit().map(|(_, asked)| asked.tree.notes.clone());
    assert_eq!(notes.unwrap(), ["Gate style failed (exit 1), skipped by you: make test"]);
    assert!(Session::replay(&b.log) == b.session);
}
