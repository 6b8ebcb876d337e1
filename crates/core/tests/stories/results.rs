//! The loop ends in a result: plans in prose, goals that need a change, commands tried while planning.

use std::sync::Arc;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::Answer,
    event::{CallStatus, Event, Level, RunStatus},
    input::{Input, Opening},
    intent::{IntentNode, Phase},
    plan::GateDraft,
    policy::{Origin, Places, Policy, Rule},
    scope::PermissionMode,
    session::{Bounds, Session},
    tool::Advice,
    trust::{Standing, Trust},
    work::Work,
};
use serde_json::{Value, json};

use crate::support::*;

fn last_end(b: &Bench) -> (CallStatus, String) {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status, result, notes, .. } => Some((*status, Advice::below(notes, &result.head))),
        _ => None,
    });
    end.unwrap()
}

fn nudges(b: &Bench) -> usize {
    b.log.iter().filter(|e| matches!(e.event, Event::LaneNudged { .. })).count()
}

#[test]
fn a_plan_in_prose_gets_one_nudge_and_then_it_is_said_that_none_came() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply("I would change a.txt.", &[]);
    assert_eq!((b.session.state().phase, nudges(&b)), (Phase::Planning, 1));
    b.plan(&[("One", "modify")], &[]);
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval);

    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply("I would change a.txt.", &[]);
    b.reply("As I said.", &[]);
    assert_eq!((b.session.state().phase, nudges(&b)), (Phase::Idle, 1));
    let told = |e: &Event| matches!(e, Event::Notice { level: Level::Error, text } if text.starts_with("No plan was made"));
    assert!(b.log.iter().any(|e| told(&e.event)));
}

#[test]
fn a_planning_that_wants_a_secret_file_is_told_that_this_is_why() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply("", &[("run", json!({"command": "cat .env"}))]);
    let (status, text) = last_end(&b);
    assert_eq!(status, CallStatus::Refused);
    assert!(text.contains("keeps secrets") && !text.contains("may only read"), "{text}");
}

fn asks_for_modify(b: &mut Bench) {
    b.reply("", &[("request_path", json!({"node": "modify", "reason": "the test is wrong"}))]);
}

#[test]
fn a_goal_may_change_files_after_one_consent_and_in_auto_after_none() {
    for auto in [false, true] {
        let mut b = Bench::new();
        if auto {
            b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        }
        b.say("run the tests");
        asks_for_modify(&mut b);
        if !auto {
            b.answer(is_transition, Answer::Approve).unwrap();
        }
        assert_eq!(last_end(&b).0, CallStatus::Done, "{auto}: {:?}", last_end(&b));
        let lane = b.session.state().lanes.values().next().unwrap();
        assert_eq!(
            (lane.node, b.names().iter().filter(|n| *n == "run_started").count()),
            (IntentNode::Modify, 1)
        );
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        b.reply("Done.", &[]);
        if !auto {
            b.approve_all(None).unwrap();
        }
        b.write();
        assert_eq!(b.session.state().phase, Phase::Idle, "auto: {auto}");
        assert_eq!(b.session.state().ledger().len(), 1);
    }
}

#[test]
fn before_an_order_to_run_something_stands_what_asks_in_this_mode() {
    let modes = [(PermissionMode::Ask, "asks before a command"), (PermissionMode::Auto, "may change files")];
    for (mode, words) in modes {
        let mut b = Bench::new();
        b.input(Input::SetPermission(mode)).ok();
        assert_eq!(b.session.state().permission, mode);
        let told = b.session.foretell("run the tests");
        let (turn, path) = told.meant.clone().unwrap();
        let said = told.words((&turn, &path), false, b.session.state());
        assert!(said.contains(words), "{mode:?}: {said}");
    }
}

#[test]
fn a_goal_that_may_not_change_files_is_told_why() {
    let mut b = Bench::new();
    b.say("run the tests, but do not change anything");
    if b.session.state().lanes.values().any(|l| l.thinking.is_some()) {
        asks_for_modify(&mut b);
        let (status, text) = last_end(&b);
        assert!(status == CallStatus::Refused && text.contains("forbids"), "{text}");
    }
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("what is in a.txt?");
    let beside = b.session.state().lanes.values().next_back().unwrap().thinking.unwrap();
    b.reply_to(beside, "", &[("request_path", json!({"node": "modify", "reason": "r"}))]).unwrap();
    assert!(
        last_end(&b).1.contains("beside a run") || last_end(&b).1.contains("read-only"),
        "{:?}",
        last_end(&b)
    );
}

fn run_end(b: &Bench) -> Option<(RunStatus, String)> {
    b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { status, summary, .. } => Some((*status, summary.clone())),
        _ => None,
    })
}

#[test]
fn a_goal_whose_wider_path_was_refused_is_not_told_as_complete() {
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    asks_for_modify(&mut b);
    b.answer(is_transition, Answer::Reject("not now".into())).unwrap();
    b.reply("Then I cannot mend it.", &[]);
    let told = "Not done: what it asked for was not allowed. 1 command".to_owned();
    assert_eq!(run_end(&b), Some((RunStatus::Ended, told)));
    // One that was allowed in the end is complete.
    let mut b = Bench::new();
    b.say("run the tests");
    asks_for_modify(&mut b);
    b.answer(is_transition, Answer::Reject("not now".into())).unwrap();
    asks_for_modify(&mut b);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    b.reply("There is nothing to change.", &[]);
    assert_eq!(run_end(&b).unwrap().0, RunStatus::Completed);
}

#[test]
fn of_tests_that_pass_the_agent_is_told_the_counts_and_where_the_rest_is() {
    let passed: String = (1..=30).map(|n| format!("ok {n} - does {n}\n")).collect::<Vec<_>>().concat();
    let text = format!("exit 0, took 0.1 s\nstdout:\nTAP version 13\n{passed}1..30\n# pass 30\n");
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": "make test"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    let output = pilothouse_core::blob::Blob::new(passed.into_bytes());
    let named = output.id().output_name();
    b.end_tool(pilothouse_core::tool::ToolOutcome { output: Some(output), ..exited(0, &text) });
    let told = last_end(&b).1;
    let wanted = format!(
        "exit 0, took 0.1 s\n(30 lines of tests that passed are left out; read {named} has them)\nstdout:\nTAP version 13\n1..30\n# pass 30"
    );
    assert_eq!(told.trim_end(), wanted);
}

/// A word in one file costs the user one decision, the hunk, and the agent three calls: the plan, the edit, its end.
/// The plan stays for it: it says beforehand which files are reached, it is what a gate hangs on and what `/undo` and
/// `/redo` go by, and one call is less than a second question. Only `[plan] confirm = "always"` asks about it.
#[test]
fn a_word_in_one_file_takes_three_calls_and_one_decision() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { small_plans: true, ..Bounds::default() });
    b.say("in CHANGELOG.md change 'hex digits' to 'hexadecimal digits'");
    let plan = json!({"title": "Word", "tasks": [{"title": "Word", "files": ["CHANGELOG.md"]}]});
    b.reply("", &[("submit_plan", plan)]);
    b.reply("", &[("edit", edit_of("CHANGELOG.md"))]);
    b.propose("CHANGELOG.md", "1\n", "2\n");
    b.reply("Changed.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(run_end(&b).unwrap().0, RunStatus::Completed);
    let count = |name: &str| b.names().iter().filter(|n| *n == name).count();
    assert_eq!((count("thinking_started"), count("checkpoint_opened")), (3, 1), "{:?}", b.names());
}

fn planning(trust: Trust) -> Bench {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    let standing = Standing { trust, ..Standing::default() };
    let rule = Rule::parse("allow command cargo test", Origin::SESSION).unwrap();
    b.session.set_policy(Arc::new(Policy::new(vec![rule], Places::default())));
    b.input(Input::Open(Opening { standing, ..opening() })).unwrap();
    b.say("fix the bug in a.txt");
    b
}

fn tries(b: &mut Bench, args: Value) {
    b.reply("", &[("run", args)]);
}

#[test]
fn a_planning_tries_out_what_a_rule_lets_run_in_a_trusted_folder_and_nothing_that_asks() {
    let mut b = planning(Trust::Once);
    tries(&mut b, json!({"command": "cargo test"}));
    assert_eq!(b.tool().1, pilothouse_core::tool::Tool::Run);
    b.end_tool(exited(1, "exit 1"));
    assert_eq!(b.session.state().phase, Phase::Planning);
    for command in ["cargo run", "rm -rf target", "touch x"] {
        tries(&mut b, json!({"command": command}));
        assert!(last_end(&b).1.contains("only read"), "{command}: {:?}", last_end(&b));
        assert!(last_end(&b).1.contains("put it into the plan"), "{command}: {:?}", last_end(&b));
    }
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert!(last_end(&b).1.contains("put the change into the plan"), "{:?}", last_end(&b));
    tries(&mut b, json!({"command": "cargo test", "network": true}));
    assert!(last_end(&b).1.contains("only read"), "{:?}", last_end(&b));
    b.plan(&[("One", "modify")], &[]);
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval);

    let mut b = planning(Trust::None);
    tries(&mut b, json!({"command": "cargo test"}));
    assert!(last_end(&b).1.contains("only read"), "{:?}", last_end(&b));
}

/// A folder that the user trusts, asked with this check of the project.
fn trusted_with(check: &str) -> Bench {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    b.session.set_policy(Arc::new(Policy::new(Vec::new(), Places::default())));
    let gate =
        GateDraft { name: "test (found)".into(), command: check.into(), found: true, ..GateDraft::default() };
    b.session.set_gates(vec![gate]);
    b.input(Input::Open(Opening { standing: bringing("x"), ..opening() })).unwrap();
    b.answer(is_trust, Answer::Approve).unwrap();
    let checks = b.session.state().shown_checks().to_vec();
    let of = BlobId::of(b"x");
    b.input(Input::Surveyed(Standing { trust: Trust::Kept, of, checks, ..Standing::default() })).unwrap();
    b
}

#[test]
fn that_a_picture_is_not_sent_is_told_with_its_message() {
    for (line, told) in [
        ("what does @shot.png show?", Some("The picture shot.png itself is not sent, only its name.")),
        ("compare @a.png with @b.jpg", Some("The 2 pictures themselves are not sent, only their names.")),
        ("what does shot.png show?", None),
        ("!ls @shot.png", None),
    ] {
        let mut b = Bench::new();
        b.say(line);
        assert_eq!(b.notices().iter().find(|n| n.contains("not sent")).map(String::as_str), told, "{line}");
    }
}

#[test]
fn a_check_that_the_question_about_the_folder_named_runs_as_the_usual_ones_do() {
    let mut b = trusted_with(".venv/bin/pytest");
    b.say("fix the bug in a.txt");
    for command in [".venv/bin/pytest", ".venv/bin/pytest -q"] {
        tries(&mut b, json!({"command": command}));
        assert_eq!(b.tool().1, pilothouse_core::tool::Tool::Run, "{command}");
        b.end_tool(exited(1, "exit 1"));
    }
    for command in [
        ".venv/bin/pytest -p evil",
        ".venv/bin/pytest --rootdir=/tmp/x",
        "./pytest -q",
        ".venv/bin/python -m pytest",
        "env PYTEST_ADDOPTS=-pevil .venv/bin/pytest",
        ".venv/bin/pytest; touch x",
    ] {
        tries(&mut b, json!({"command": command}));
        let told = last_end(&b).1;
        assert!(
            told.contains("only read") && told.contains("(here: `.venv/bin/pytest`)"),
            "{command}: {told}"
        );
    }
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    tries(&mut b, json!({"command": ".venv/bin/pytest -q"}));
    assert_eq!(b.tool().1, pilothouse_core::tool::Tool::Run);
    b.end_tool(exited(0, "ok"));
    b.say("/trust off");
    b.input(Input::Surveyed(Standing::default())).unwrap();
    // What trust would let run is asked about with that.
    for (command, by_trust) in [(".venv/bin/pytest -q", true), (".venv/bin/python -m pytest", false)] {
        tries(&mut b, json!({"command": command}));
        let id = b.question(is_risk);
        let asked = b.session.state().open[&id].kind.command().unwrap();
        assert_eq!(asked.by_trust, by_trust, "{command}");
        b.answer(is_risk, Answer::Reject(String::new())).unwrap();
    }
}

#[test]
fn a_line_of_the_plan_that_the_question_named_is_no_check_of_the_project() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "./check.sh")]);
    b.say("/trust");
    b.input(Input::Surveyed(bringing("x"))).unwrap();
    b.answer(is_trust, Answer::Approve).unwrap();
    assert!(b.session.state().shown_checks().is_empty());
    // Nor does it become one when the plan is gone before the yes.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "./check.sh")]);
    b.say("/trust");
    b.input(Input::Surveyed(bringing("x"))).unwrap();
    b.answer(is_plan, Answer::Abort).unwrap();
    assert!(b.session.state().plan.is_none());
    b.answer(is_trust, Answer::Approve).unwrap();
    let none: [&str; 0] = [];
    assert_eq!(b.session.state().shown_checks(), none);
    // What a line would allow beyond what it shows is not allowed.
    assert_eq!(Rule::of_check("python3").unwrap().to_string(), "allow command python3 $");
    assert!(Rule::of_check("make test && ./x").is_none());
}

#[test]
fn a_check_of_the_project_stays_one_that_the_plan_names_too() {
    let mut b = Bench::new();
    let gate = GateDraft {
        name: "test (found)".into(),
        command: "make test".into(),
        found: true,
        ..GateDraft::default()
    };
    b.session.set_gates(vec![gate]);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test"), ("u", "./check.sh")]);
    b.say("/trust");
    b.input(Input::Surveyed(bringing("x"))).unwrap();
    b.answer(is_trust, Answer::Approve).unwrap();
    assert_eq!(b.session.state().shown_checks(), ["make test"]);
}

/// A session in which small plans begin by themselves, and that was asked for a change.
fn small(words: &str, plan: Value) -> Bench {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { small_plans: true, ..Bounds::default() });
    b.say(words);
    b.reply("", &[("submit_plan", plan)]);
    b
}

fn one_step(kind: &str, files: &[&str]) -> Value {
    json!({"title": "T", "tasks": [{"title": "Do it", "kind": kind, "files": files}]})
}

#[test]
fn a_plan_of_one_step_in_a_file_or_two_begins_without_a_question_and_its_hunks_ask() {
    let mut b = small("fix the bug in a.txt", one_step("modify", &["a.txt"]));
    assert_eq!(b.session.state().phase, Phase::Executing);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("Done.", &[]);
    b.question(is_diff);
    assert!(b.session.state().ledger().is_empty(), "nothing is written before the hunks are taken");
    let two =
        json!({"title": "T", "tasks": [{"title": "a", "files": ["a"]}, {"title": "b", "files": ["b"]}]});
    for plan in [
        two,
        one_step("modify", &["a", "b", "c"]),
        one_step("modify", &[]),
        one_step("delete", &["a.txt"]),
        one_step("execute", &["a.txt"]),
    ] {
        let b = small("fix the bug in a.txt", plan.clone());
        assert_eq!(b.session.state().phase, Phase::AwaitingApproval, "{plan}");
    }
}

#[test]
fn what_a_plan_made_anew_leaves_out_is_asked_about_however_small_it_is() {
    let steps = |titles: &[&str]| {
        let tasks: Vec<Value> =
            titles.iter().map(|t| json!({"title": t, "files": [format!("{t}.txt")]})).collect();
        json!({"title": "T", "tasks": tasks, "gates": [{"name": "t", "command": "make test"}]})
    };
    let mut b = small("fix the bugs in a.txt and b.txt", steps(&["a", "b", "c"]));
    b.say("no, use the other parser in a");
    b.reply("", &[("submit_plan", one_step("modify", &["a.txt"]))]);
    let state = b.session.state();
    assert_eq!((state.phase, state.plan.as_ref().unwrap().version), (Phase::AwaitingApproval, 2));
    let asked = b.session.state().phase_question().unwrap();
    let why = b.session.why_asked(asked).unwrap();
    assert!(why.rows.contains(&("why", "it has 2 steps and 1 gate fewer than v1".to_owned())), "{why:?}");
    // So is one that has no step of it, and before which it is set aside.
    let mut b = small("fix the bugs in a.txt and b.txt", steps(&["a", "b", "c"]));
    b.say("the warning goes into Settings.warnings, never to stderr");
    b.reply("", &[("submit_plan", one_step("modify", &["src/lib.rs"]))]);
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval);
    // One that has all of it begins as before.
    let mut b = small("fix the bug in a.txt", one_step("modify", &["a", "b", "c"]));
    b.say("no, only in a.txt");
    b.reply("", &[("submit_plan", one_step("modify", &["a.txt"]))]);
    assert_eq!(b.session.state().phase, Phase::Executing);
}

#[test]
fn a_small_plan_asks_in_proof_mode_and_where_nothing_may_run() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { small_plans: true, ..Bounds::default() });
    b.say("/proof");
    b.say("fix the bug in a.txt");
    b.reply("", &[("submit_plan", one_step("modify", &["a.txt"]))]);
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval);
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { small_plans: true, ..Bounds::default() });
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.say("fix the bug in a.txt");
    b.reply("", &[("submit_plan", one_step("modify", &["a.txt"]))]);
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval);
}

#[test]
fn what_a_turn_can_do_that_hands_in_a_plan_is_told_by_what_it_may() {
    let plan = json!({"title": "P", "tasks": [{"title": "A"}]});
    for (said, told) in [
        ("why does the test fail?", "ask for it with request_path and do it in this turn"),
        ("why does the test fail? only look, change nothing", "this turn only reads: answer in words"),
    ] {
        let mut b = Bench::new();
        b.say(said);
        b.reply("", &[("submit_plan", plan.clone())]);
        assert!(last_end(&b).1.contains(told), "{said}: {:?}", last_end(&b));
    }
}

#[test]
fn what_a_model_wrote_with_a_secret_is_done_to_the_byte_and_kept_without_it() {
    let secret = "ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT";
    let write =
        || ("write", json!({"path": "a.txt", "content": format!("{}{secret}\n", "x\n".repeat(5_000))}));
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(secret);
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.say("what is in a.txt?");
    let refused = b.reply("", &[write()]);
    assert_eq!(last_end(&b).0, CallStatus::Refused);
    b.input(Input::Cancel).unwrap();
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    b.say("add the key to a.txt");
    b.plan(&[("Add it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let allowed = b.reply("", &[write()]);
    for step in [refused, allowed] {
        assert!(
            step.blobs.iter().any(|blob| !holds(blob.bytes()))
                && !step.blobs.iter().any(|b| holds(b.bytes()))
        );
        assert!(!holds(&serde_json::to_vec(&step.events).unwrap()));
    }
    let pending = b.session.pending();
    let does = pending.values().find_map(|work| match work {
        Work::Tool { permit, .. } => Some(format!("{:?}", permit.asked())),
        _ => None,
    });
    assert!(does.unwrap().contains(secret));
}

#[test]
fn that_trust_lets_a_planning_run_the_checks_is_told_once_where_the_folder_is_not_trusted() {
    let hint =
        "While planning, the project's checks run only in a trusted folder; /trust lets the agent run them.";
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    b.session.set_policy(Arc::new(Policy::new(Vec::new(), Places::default())));
    let command = ".venv/bin/pytest".to_owned();
    b.session.set_gates(vec![GateDraft {
        name: "test".into(),
        command,
        found: true,
        ..GateDraft::default()
    }]);
    b.input(Input::Open(opening())).unwrap();
    b.say("fix the failing test");
    let told = |b: &Bench| b.notices().iter().filter(|n| *n == hint).count();
    for (command, count) in [("touch x", 0), (".venv/bin/pytest -q", 1), (".venv/bin/pytest", 1)] {
        tries(&mut b, json!({"command": command}));
        assert!(last_end(&b).1.contains("only read"), "{command}");
        assert_eq!(told(&b), count, "{command}");
    }
    let mut trusted = trusted_with(".venv/bin/pytest");
    trusted.say("fix the failing test");
    tries(&mut trusted, json!({"command": "touch x"}));
    assert_eq!(told(&trusted), 0);
}

#[test]
fn the_end_names_the_agents_last_command_that_failed_where_nothing_answers_for_it() {
    let said = "The agent's last command, `node src/main.js`, failed (exit 1).";
    let runs = |b: &mut Bench, line: &str, code: i32| {
        tries(b, json!({"command": line}));
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(code, "out"));
    };
    for (after, named) in [
        (None, true),
        (Some(("ls", 0)), true),
        (Some(("node src/main.js", 0)), false),
        (Some(("node b.js", 0)), false),
    ] {
        let mut b = trusted_with(".venv/bin/pytest");
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        tries(&mut b, json!({"command": "node src/main.js"}));
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "out"));
        match after {
            Some(("ls", code)) => {
                tries(&mut b, json!({"command": "ls"}));
                b.end_tool(exited(code, "a.txt"));
            }
            Some((line, code)) => runs(&mut b, line, code),
            None => {}
        }
        b.reply("It printed three lines.", &[]);
        b.end_tool(exited(0, "ok"));
        let end = b.log.iter().rev().find_map(|e| match &e.event {
            Event::RunCompleted { summary, came_to, .. } => Some((summary.clone(), came_to.clone()?.broke)),
            _ => None,
        });
        let (summary, broke) = end.unwrap();
        assert_eq!((summary.contains(said), broke.is_some()), (named, named), "{after:?}: {summary}");
    }
}
