//! What a gate was green on: the files as one hash, looked at before a run ends and before a message is heard.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{Event, RunStatus},
    input::Input,
    intent::Phase,
    plan::GateStatus,
    session::Session,
    tool::{Advice, ToolOutcome, Trees},
    work::Work,
};
use serde_json::json;

use crate::{gates::gated, phase, support::*};

/// The end of a gate that is green, with the workspace before and after it.
fn green_on(before: &str, after: &str) -> ToolOutcome {
    let of = |tree: &str| BlobId::of(tree.as_bytes());
    ToolOutcome { trees: Some(Trees { before: of(before), after: of(after) }), ..exited(0, "ok") }
}

/// What the runtime finds when it is asked to look at the files.
fn see(b: &mut Bench, tree: Option<&str>) {
    let pending = b.session.pending();
    let looks = pending.values().find_map(|w| match w {
        Work::SeeTree { call } => Some(*call),
        _ => None,
    });
    let call = looks.unwrap_or_else(|| panic!("nobody looks: {pending:?}"));
    b.input(Input::TreeSeen { call, tree: tree.map(|t| BlobId::of(t.as_bytes())) }).unwrap();
}

/// A run of one step whose gates are asked about.
fn run_with(gates: &[(&str, &str)]) -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], gates);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    b
}

fn ended(b: &Bench) -> (RunStatus, String) {
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { status, summary, .. } => Some((*status, summary.clone())),
        _ => None,
    });
    ended.unwrap()
}

#[test]
fn files_that_were_changed_by_hand_make_a_green_gate_stale_and_it_runs_again() {
    let mut b = run_with(&[("t", "make test")]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on("1", "1"));
    assert_eq!(phase(&b), Phase::Executing, "it is not complete before it was looked");
    see(&mut b, Some("changed by hand"));
    assert!(b.names().contains(&"gate_went_stale".into()));
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on("changed by hand", "changed by hand"));
    see(&mut b, Some("changed by hand"));
    assert_eq!((phase(&b), ended(&b).0), (Phase::Idle, RunStatus::Completed));
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn what_an_editor_saves_later_is_seen_before_the_next_message_and_the_same_files_are_green_again() {
    let mut b = run_with(&[("t", "make test")]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on("1", "1"));
    see(&mut b, Some("1"));
    assert_eq!(ended(&b).0, RunStatus::Completed);
    let gate = |b: &Bench| {
        let state = b.session.state();
        state.plan.as_ref().or(state.suspended.as_ref()).unwrap().gates[0].status
    };
    let told = |b: &Bench| b.session.state().facts.stale("gate t").is_some();
    let tree = |name: &str| Input::FilesSeen { tree: BlobId::of(name.as_bytes()) };
    assert!(b.session.state().rests_on_files());
    b.input(tree("1")).unwrap();
    assert!(matches!(gate(&b), GateStatus::Passed(_)) && !told(&b), "nobody changed anything");
    b.input(tree("2")).unwrap();
    assert!(matches!(gate(&b), GateStatus::Stale(_)) && told(&b), "what is told of it is stale as well");
    b.input(tree("1")).unwrap();
    assert!(matches!(gate(&b), GateStatus::Passed(_)) && !told(&b), "undone and done again");
    let names = b.names();
    let of = |name: &str| names.iter().filter(|n| **n == name).count();
    assert_eq!((of("gate_went_stale"), of("gate_holds")), (1, 1), "each is told once");
    assert!(Session::replay(&b.log) == b.session);
    b.say("fix the bug in b.txt");
    assert!(b.input(tree("2")).is_err(), "a run looks by itself, and changes them");
}

#[test]
fn gates_beside_which_files_changed_run_once_more_and_are_believed_then() {
    let mut b = run_with(&[("t", "make test"), ("cover", "make cover")]);
    for [was, report] in [["1", "2"], ["2", "3"]] {
        for (before, after) in [(was, was), (was, report)] {
            b.answer(is_risk, Answer::Approve).unwrap();
            b.end_tool(green_on(before, after));
        }
        see(&mut b, Some(report));
    }
    assert_eq!((phase(&b), ended(&b).0), (Phase::Idle, RunStatus::Completed));
}

#[test]
fn what_was_changed_by_hand_beside_a_gate_that_writes_nothing_is_never_believed() {
    let mut b = run_with(&[("t", "make test"), ("lint", "make lint")]);
    let mut pass = |ran: [[&str; 2]; 2], now: &str| {
        for [before, after] in ran {
            b.answer(is_risk, Answer::Approve).unwrap();
            b.end_tool(green_on(before, after));
        }
        see(&mut b, Some(now));
        (phase(&b), b.session.state().run.is_some())
    };
    // A file is saved after the gates, another one beside the second gate of the next round.
    assert!(pass([["1", "1"], ["1", "1"]], "2").1);
    assert!(pass([["2", "2"], ["2", "3"]], "3").1, "the first gate never saw the file of the third tree");
    assert_eq!(pass([["3", "3"], ["3", "3"]], "3"), (Phase::Idle, false));
}

#[test]
fn a_run_whose_files_never_stay_as_they_are_ends_and_is_not_complete() {
    let mut b = run_with(&[("t", "make test")]);
    for n in 0..4 {
        assert_eq!(phase(&b), Phase::Executing, "{n}");
        b.answer(is_risk, Answer::Approve).unwrap();
        let tree = n.to_string();
        b.end_tool(green_on(&tree, &tree));
        see(&mut b, Some("another"));
    }
    let (status, summary) = ended(&b);
    assert_eq!((phase(&b), status), (Phase::Idle, RunStatus::Ended));
    assert!(summary.contains("gate t no longer green"), "{summary}");
}

#[test]
fn where_nobody_can_look_at_the_files_that_is_said_and_a_stop_needs_no_look() {
    let mut b = run_with(&[("t", "make test")]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on("1", "1"));
    let mut stopped = Bench { session: b.session.clone(), log: b.log.clone(), clock: b.clock };
    see(&mut b, None);
    assert_eq!((phase(&b), ended(&b).0), (Phase::Idle, RunStatus::Completed));
    assert!(b.notices().iter().any(|n| n.contains("could not be checked")), "{:?}", b.notices());
    stopped.input(Input::Cancel).unwrap();
    assert_eq!((phase(&stopped), stopped.session.pending().len()), (Phase::Idle, 0));
}

#[test]
fn a_gate_of_the_plan_that_a_rule_refuses_leaves_its_run_incomplete_and_is_nobody_s_skip() {
    let mut b = crate::permissions::under(&["deny command make lint"]);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("lint", "make lint")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to change", &[]);
    let (status, told) = ended(&b);
    assert_eq!(status, RunStatus::Ended, "{told}");
    assert_eq!(told, "Ended: 1 of 1 done, gate lint not run (a rule or a hook refuses it)");
    assert!(!b.session.state().suspended.as_ref().unwrap().complete());
    b.say("did the tests pass?");
    let log = format!("{:?}", b.log);
    assert!(!log.contains("skipped by the user") && log.contains("gate lint: not run (a rule"), "{log}");
}

#[test]
fn a_gate_that_the_user_let_not_run_is_waived_by_them() {
    let mut b = gated();
    b.reply("done", &[]);
    b.answer(is_risk, Answer::Reject("not now".into())).unwrap();
    b.reply("done", &[]);
    let (status, told) = ended(&b);
    assert_eq!(
        (status, told.ends_with("Not checked: gate t (skipped).")),
        (RunStatus::Completed, true),
        "{told}"
    );
}

#[test]
fn files_of_tests_that_cannot_be_read_are_no_tests_that_failed() {
    let out = "==== ERRORS ====\n____ ERROR collecting tests/test_cli.py ____\nE   ModuleNotFoundError: No module named 'quota'\n\
               ____ ERROR collecting tests/test_ledger.py ____\nE   ModuleNotFoundError: No module named 'quota'\n\
               ==== short test summary info ====\nERROR tests/test_cli.py\nERROR tests/test_ledger.py\n==== 2 errors in 0.05s ====";
    let told = pilothouse_core::digest::digest(out).unwrap();
    assert!(told.starts_with("2 failed to import: tests/test_cli.py, tests/test_ledger.py\n"), "{told}");
}

/// A run whose one step is at work, with a gate behind it.
fn run_begun() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

/// A run of one step that runs the gate's command itself, green on this tree.
fn ran_itself(command: &str, tree: &str) -> Bench {
    let mut b = run_begun();
    b.reply("", &[("run", json!({"command": command}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on(tree, tree));
    b
}

#[test]
fn a_gate_that_the_last_step_ran_green_itself_is_not_run_again_on_the_same_files() {
    let mut b = ran_itself("make test", "1");
    b.reply("It is green.", &[]);
    see(&mut b, Some("1"));
    assert_eq!((phase(&b), ended(&b).0), (Phase::Idle, RunStatus::Completed));
    assert!(!b.names().contains(&"gate_started".into()));
    // On other files, or by another command, it is run.
    let mut b = ran_itself("make test", "1");
    b.reply("It is green.", &[]);
    see(&mut b, Some("2"));
    b.question(is_risk);
    let mut b = ran_itself("make test", "1");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.question(is_risk);
    let mut b = ran_itself("make test-one", "1");
    b.reply("It is green.", &[]);
    b.question(is_risk);
}

/// Two steps, with a gate that was green behind the first and is stale by what the second changed.
fn stale() -> Bench {
    let mut b = gated();
    b.reply("done", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on("1", "1"));
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b
}

fn gate(b: &Bench) -> GateStatus {
    b.session.state().plan.as_ref().unwrap().gates[0].status
}

#[test]
fn a_stale_gate_whose_line_the_agent_runs_red_is_red_and_its_own_run_decides() {
    let mut b = stale();
    assert!(matches!(gate(&b), GateStatus::Stale(_)), "{:?}", gate(&b));
    let advice = Advice { model: "(give \"outside\": true)".into(), user: "(type `!!` before it)".into() };
    let trees = green_on("2", "2").trees;
    b.end_tool(ToolOutcome { trees, advice: vec![advice], ..exited(1, "no") });
    assert!(matches!(gate(&b), GateStatus::Failed(_)), "{:?}", gate(&b));
    let proof = b.log.iter().rev().find_map(|e| match &e.event {
        Event::GateFailed { proof, .. } => Some(proof.clone()),
        _ => None,
    });
    let proof = proof.unwrap();
    let (user, model) = (proof.diagnostics.clone(), proof.told_model());
    assert!(user.contains("type `!!`") && !user.contains("\": true"), "{user}");
    assert!(model.contains("\": true") && !model.contains("type `!!`"), "{model}");
    assert!(b.session.state().open.is_empty(), "its agent goes on");
    // It mends it itself, or the gate runs in its time.
    let mut green = Bench { session: b.session.clone(), log: b.log.clone(), clock: b.clock };
    green.reply("", &[("run", json!({"command": "make test"}))]);
    green.answer(is_risk, Answer::Approve).unwrap();
    green.end_tool(green_on("2", "2"));
    assert!(matches!(gate(&green), GateStatus::Passed(_)), "{:?}", gate(&green));
    b.reply("I cannot mend it.", &[]);
    see(&mut b, Some("2"));
    b.question(is_failure);
    assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)), "its line is not asked about again");
}

#[test]
fn a_gate_that_was_skipped_while_it_was_red_is_green_once_its_line_is() {
    let mut b = crate::gates::red("make test", "a.txt", "assertion failed");
    b.say("also add a changelog entry");
    b.answer(is_failure, Answer::Skip).unwrap();
    assert!(matches!(gate(&b), GateStatus::Failed(_)), "what was seen stays seen");
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(green_on("3", "3"));
    b.reply("It is green.", &[]);
    see(&mut b, Some("3"));
    let (status, said) = ended(&b);
    assert_eq!(status, RunStatus::Completed);
    assert!(said.starts_with("Complete.") && !said.contains("Not checked"), "{said}");
}

/// A red gate that the user left out, and a step behind it that runs the gate's line with this end.
fn skipped_then(end: ToolOutcome) -> Bench {
    let mut b = crate::gates::red("make test", "a.txt", "assertion failed");
    b.say("also add a changelog entry");
    b.answer(is_failure, Answer::Skip).unwrap();
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(end);
    b
}

#[test]
fn a_gate_that_the_user_left_out_is_never_asked_for_again_whatever_its_line_shows() {
    let red = || ToolOutcome { trees: green_on("3", "3").trees, ..exited(1, "no") };
    let mut b = skipped_then(red());
    assert!(matches!(gate(&b), GateStatus::Failed(_)), "{:?}", gate(&b));
    b.reply("It was red before.", &[]);
    let (status, said) = ended(&b);
    assert_eq!((phase(&b), status), (Phase::Idle, RunStatus::Completed), "{said}");
    assert!(
        said.starts_with("Done.") && said.ends_with("Gate style failed (exit 1), skipped by you."),
        "{said}"
    );
    // What was green once and is so no more is left out as before.
    let mut b = skipped_then(green_on("3", "3"));
    assert!(matches!(gate(&b), GateStatus::Passed(_)), "{:?}", gate(&b));
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "2\n", "3\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let (status, said) = ended(&b);
    assert_eq!((phase(&b), status), (Phase::Idle, RunStatus::Completed), "{said}");
    assert!(said.contains("gate style (files changed since it was green, skipped)"), "{said}");
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_red_run_of_its_line_marks_a_gate_that_did_not_run_yet_and_one_that_was_green() {
    let red = || ToolOutcome { trees: green_on("1", "1").trees, ..exited(1, "no") };
    for before in [None, Some(green_on("1", "1"))] {
        let mut b = run_begun();
        for end in before.into_iter().chain([red()]) {
            b.reply("", &[("run", json!({"command": "make test"}))]);
            b.answer(is_risk, Answer::Approve).unwrap();
            b.end_tool(end);
        }
        assert!(matches!(gate(&b), GateStatus::Failed(_)), "{:?}", gate(&b));
        assert!(b.session.state().open.is_empty(), "its agent goes on");
        b.reply("I cannot mend it.", &[]);
        see(&mut b, Some("1"));
        b.question(is_failure);
        assert!(!b.names().contains(&"gate_started".into()), "that run was the gate's");
        assert!(Session::replay(&b.log) == b.session);
    }
}

#[test]
fn a_gate_that_a_step_ran_red_runs_again_on_other_files() {
    let red = |tree| ToolOutcome { trees: green_on(tree, tree).trees, ..exited(1, "no") };
    for seen in [Some("2"), None] {
        let mut b = run_begun();
        b.reply("", &[("run", json!({"command": "make test"}))]);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(red("1"));
        b.reply("I cannot mend it.", &[]);
        see(&mut b, seen);
        b.question(is_risk);
    }
    // What its agent ran last counts.
    let mut b = run_begun();
    for tree in ["1", "2"] {
        b.reply("", &[("run", json!({"command": "make test"}))]);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(red(tree));
    }
    b.reply("I cannot mend it.", &[]);
    see(&mut b, Some("2"));
    b.question(is_failure);
}

#[test]
fn a_gate_that_a_step_ran_red_is_so_no_more_once_its_line_is_green_though_a_step_was_added() {
    let mut b = run_begun();
    let run = |b: &mut Bench, end: ToolOutcome| {
        b.reply("", &[("run", json!({"command": "make test"}))]);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(end);
    };
    run(&mut b, red_on("1"));
    assert!(matches!(gate(&b), GateStatus::Failed(_)), "{:?}", gate(&b));
    b.say("also mention it in the README");
    assert!(b.names().contains(&"task_added".into()));
    run(&mut b, exited(1, "no"));
    assert!(matches!(gate(&b), GateStatus::Failed(_)), "{:?}", gate(&b));
    run(&mut b, exited(0, "ok"));
    assert_eq!(gate(&b), GateStatus::Pending);
    // It is run once its time comes.
    b.reply("It is green.", &[]);
    b.reply("It stands there.", &[]);
    assert!(matches!(gate(&b), GateStatus::Pending | GateStatus::Running), "{:?}", gate(&b));
    b.question(is_risk);
}

/// A red gate whose repair changed something and ran its line itself, with this end.
fn repaired(end: ToolOutcome) -> Bench {
    let mut b = run_with(&[("t", "make test")]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(ToolOutcome { trees: green_on("1", "1").trees, ..exited(1, "no") });
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(end);
    b.reply("That is it.", &[]);
    b
}

#[test]
fn what_a_repair_ran_of_its_gate_is_the_gate_s_evidence() {
    let mut b = repaired(green_on("2", "2"));
    see(&mut b, Some("2"));
    assert_eq!((phase(&b), ended(&b).0), (Phase::Idle, RunStatus::Completed));
    let mut b = repaired(ToolOutcome { trees: green_on("2", "2").trees, ..exited(1, "no") });
    see(&mut b, Some("2"));
    b.question(is_failure);
    assert_eq!(b.names().iter().filter(|n| *n == "gate_started").count(), 1);
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_word_that_leaves_a_gate_be_skips_it_while_its_run_asks_and_once_it_is_red() {
    let skipped = |b: &Bench| {
        b.log.iter().any(|e| matches!(e.event, Event::GateReset { skipped: true, why: None, .. }))
    };
    for line in ["leave it", "skip it", "that one is old, leave it", "leave it, it was red before"] {
        let mut asks = run_with(&[("t", "make test")]);
        asks.question(is_risk);
        asks.say(line);
        assert!(skipped(&asks), "{line}: {:?} {:?}", asks.names(), asks.notices());
        assert!(asks.session.state().open.is_empty() && phase(&asks) == Phase::Idle, "{line}");
        assert!(ended(&asks).1.ends_with("Not checked: gate t (skipped)."), "{line}: {}", ended(&asks).1);
        let mut red = run_with(&[("t", "make test")]);
        red.answer(is_risk, Answer::Approve).unwrap();
        red.end_tool(ToolOutcome { trees: green_on("1", "1").trees, ..exited(1, "no") });
        red.question(is_failure);
        red.say(line);
        assert!(skipped(&red), "red, {line}: {:?} {:?}", red.names(), red.notices());
    }
    for line in ["don't skip it", "do not leave it"] {
        let mut b = run_with(&[("t", "make test")]);
        b.say(line);
        assert!(!skipped(&b), "{line}");
    }
}

#[test]
fn a_check_that_the_user_named_at_a_red_gate_is_asked_about_once() {
    let named = |b: &Bench, name: &str| b.names().iter().filter(|n| *n == name).count();
    let change = json!({"gate": "style", "command": "python3 -m pytest -q", "reason": "it is missing"});
    for (said, asks) in [("no, check with pytest instead", false), ("fix it", true)] {
        let mut b = crate::gates::red("mkdocs build --strict", "a.txt", "assertion failed");
        assert!(b.session.state().facts.get("gate style").is_some());
        b.say(said);
        b.reply("", &[("change_gate", change.clone())]);
        let asked = b.session.state().open.values().any(|c| matches!(c.kind, CheckpointKind::GateChange(_)));
        assert_eq!((asked, named(&b, "gate_changed")), (asks, usize::from(!asks)), "{said}");
        if asked {
            continue;
        }
        assert!(b.session.state().facts.get("gate style").is_none(), "that was of another command");
        b.reply("The gate is another one.", &[]);
        let id = b.question(is_risk);
        let line = b.session.state().open[&id].kind.command().unwrap().command.clone();
        assert_eq!(line, "python3 -m pytest -q", "and it is asked before it runs");
    }
}

/// Red on this tree.
fn red_on(tree: &str) -> ToolOutcome {
    ToolOutcome { trees: green_on(tree, tree).trees, ..exited(1, "no") }
}

#[test]
fn of_two_gates_that_a_step_ran_red_each_is_asked_about() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test"), ("l", "make lint")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for line in ["make test", "make lint"] {
        b.reply("", &[("run", json!({"command": line}))]);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(red_on("1"));
    }
    b.reply("I cannot mend it.", &[]);
    for name in ["t", "l"] {
        see(&mut b, Some("1"));
        let asked = b.session.state().open[&b.question(is_failure)].message.clone();
        assert_eq!(asked, format!("[Gate: {name}] failed"));
        b.answer(is_failure, Answer::Skip).unwrap();
    }
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn what_a_repair_ran_red_is_asked_about_only_once_the_files_were_looked_at() {
    let asks = |b: &Bench| b.session.state().open.values().any(|c| is_failure(&c.kind));
    let mut b = repaired(red_on("2"));
    assert!(!asks(&b), "{:?}", b.session.state().open);
    see(&mut b, Some("2"));
    assert!(asks(&b) && b.names().contains(&"gate_stays_red".into()));
    // Of other files it says nothing: the gate runs again.
    let mut b = repaired(red_on("2"));
    see(&mut b, Some("3"));
    assert!(!asks(&b));
    b.question(is_risk);
}

#[test]
fn a_question_of_another_kind_keeps_no_look_at_the_files_going() {
    use pilothouse_core::{
        ids::CallId,
        question::UndoAnswer,
        tool::{Doubt, Wrote},
    };
    let mut b = run_begun();
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(red_on("1"));
    b.reply("I cannot mend it.", &[]);
    let doubt = Doubt { names: vec!["x".into()], count: 1, all: false };
    let wrote = Wrote { count: 2, record: Some(BlobId::of(b"r")), doubt, ..Wrote::default() };
    b.input(Input::Recovered { call: CallId(900), line: "make".into(), wrote: Box::new(wrote) }).unwrap();
    b.input(Input::Undo).unwrap();
    see(&mut b, Some("1"));
    assert!(b.session.pending().is_empty(), "{:?}", b.session.pending());
    b.answer(|k| matches!(k, CheckpointKind::Undo(_)), UndoAnswer::Leave.given()).unwrap();
    b.question(is_failure);
}
