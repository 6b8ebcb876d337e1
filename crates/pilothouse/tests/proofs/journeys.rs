//! The acceptance journeys (T-08) and the worked trace of the design (§1.8) on the real runtime, event by event.
//!
//! The seventh is told at the terminal as well (`terminal/goals.rs`), the eighth in `journeys/pipeline.rs`. The same
//! trace is a story of the session alone in `core/tests/stories/gates.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value
)]

mod continuity;
mod pipeline;
mod review;
mod stage;
mod web;

use pilothouse_core::{checkpoint::Answer, event::Event, intent::Phase, plan::TaskStatus};
use serde_json::{Value, json};

use self::stage::Stage;

fn say(text: &str) -> Value {
    json!({ "text": text })
}

fn call(name: &str, args: Value) -> Value {
    json!({"calls": [{"name": name, "args": args}]})
}

fn write(path: &str) -> Value {
    call("write", json!({"path": path, "content": "def f():\n    pass\n"}))
}

/// A plan of tasks, each of which creates the file it is called after.
fn plan(files: &[&str], gates: Value) -> Value {
    let tasks: Vec<Value> = files
        .iter()
        .map(|f| json!({"title": format!("Write {f}"), "kind": "create", "files": [f]}))
        .collect();
    call("submit_plan", json!({"title": "Auth", "tasks": tasks, "gates": gates}))
}

/// A question, then an order whose plan waits for a yes.
fn asked_and_planned(s: &mut Stage) {
    s.say("What's in this codebase?");
    s.rest();
    s.tells("> What's in this codebase? · intent explain · node conversation > explain · said A small demo.");
    s.say("Add user authentication");
    s.asked("confirmation");
    s.tells(
        "> Add user authentication · intent modify · phase idle > planning · node conversation > plan · \
         plan v1: 4 tasks, 2 gates · phase planning > awaiting_approval · ask confirmation",
    );
}

#[test]
fn journey_1_a_question_a_feature_and_a_polite_follow_up() {
    let gates = json!([
        {"name": "syntax", "command": "grep -q def token.py", "after": [2]},
        {"name": "lint", "command": "test -s auth.py", "after": [2]},
    ]);
    let files = ["auth.py", "token.py", "login.py", "test_auth.py"];
    let mut script = vec![say("A small demo."), plan(&files, gates)];
    for file in files {
        script.extend([write(file), say("done")]);
    }
    script.push(plan(&["limit.py", "test_limit.py"], json!([])));
    let mut s = Stage::new(&[("main.py", "print(1)\n")], &json!(script));
    asked_and_planned(&mut s);
    s.say("y");
    for _ in files {
        s.apply(None);
    }
    s.rest();
    s.tells(
        "answer approve · node plan > act · phase awaiting_approval > executing · run started · \
         task 1 starts · node conversation > act · node act > create · proposes create auth.py · said done · \
         ask diff · wrote · question closed · task 1 done · task 2 starts · node conversation > act · \
         node act > create · proposes create token.py · said done · ask diff · wrote · question closed · \
         task 2 done · node conversation > execute · gate started · $ grep -q def token.py · exit 0 · \
         gate passed · node conversation > execute · gate started · $ test -s auth.py · exit 0 · \
         gate passed · task 3 starts · node conversation > act · node act > create · \
         proposes create login.py · said done · ask diff · wrote · gate went stale · gate went stale · \
         question closed · task 3 done · task 4 starts · node conversation > act · node act > create · \
         proposes create test_auth.py · said done · ask diff · wrote · question closed · task 4 done · \
         gate reset · gate reset · node conversation > execute · gate started · $ grep -q def token.py · \
         exit 0 · gate passed · node conversation > execute · gate started · $ test -s auth.py · exit 0 · \
         gate passed · run completed: Complete. 4 files created/modified. · plan shelved · \
         phase executing > idle",
    );
    s.say("Can you also add rate limiting to the login endpoint?");
    s.asked("confirmation");
    s.tells(
        "> Can you also add rate limiting to the login endpoint? · intent modify · phase idle > planning · \
         node conversation > plan · plan v1: 2 tasks, 0 gates · phase planning > awaiting_approval · \
         ask confirmation",
    );
}

#[test]
fn journey_2_a_choice_of_three_before_a_plan_of_six() {
    let ask = json!({"question": "Which style?", "choices": ["Core", "ORM", "Something else"]});
    let files = ["a.py", "b.py", "c.py", "d.py", "e.py", "f.py"];
    let script = json!([call("ask_user", ask), plan(&files, json!([]))]);
    let mut s = Stage::new(&[("db.py", "x = 1\n")], &script);
    s.say("Refactor the database layer to use SQLAlchemy");
    s.asked("clarification");
    s.say("1");
    s.asked("confirmation");
    s.tells(
        "> Refactor the database layer to use SQLAlchemy · intent modify · phase idle > planning · \
         node conversation > plan · ask clarification · answer {\"pick\":0} · plan v1: 6 tasks, 0 gates · \
         phase planning > awaiting_approval · ask confirmation",
    );
    assert_eq!(s.state().plan.as_ref().unwrap().tasks.len(), 6);
}

#[test]
fn journey_3_a_red_gate_is_mended_and_the_run_goes_on() {
    let gate = json!([{"name": "syntax", "command": "grep -q hash_password auth.py || { echo \"Line 23: undefined name 'hash_password'\"; exit 1; }", "after": [2]}]);
    let fix = json!({"path": "auth.py", "edits": [{"old": "def f():", "new": "def hash_password():"}]});
    let script = json!([
        plan(&["auth.py", "token.py", "login.py"], gate),
        write("auth.py"),
        say("one"),
        write("token.py"),
        say("two"),
        call("read", json!({"path": "auth.py"})),
        call("edit", fix),
        say("mended"),
        write("login.py"),
        say("three"),
    ]);
    let mut s = Stage::new(&[], &script);
    s.say("Add user authentication");
    s.asked("confirmation");
    s.say("y");
    s.apply(None);
    s.apply(None);
    s.asked("failure");
    let red = s.events.iter().rev().find(|e| matches!(e.event, Event::GateFailed { .. })).unwrap();
    assert!(serde_json::to_string(red).unwrap().contains("Line 23: undefined name 'hash_password'"));
    s.lines();
    s.say("a");
    s.apply(None);
    s.apply(None);
    s.rest();
    s.tells(
        "answer auto_fix · repair · node conversation > act · node act > modify · proposes modify auth.py · \
         said mended · ask diff · wrote · question closed · gate reset · node conversation > execute · \
         gate started · \
         $ grep -q hash_password auth.py || { echo \"Line 23: undefined name 'hash_password'\"; exit 1; } · \
         exit 0 · gate passed · task 3 starts · node conversation > act · node act > create · \
         proposes create login.py · said three · ask diff · wrote · gate went stale · question closed · \
         task 3 done · gate reset · node conversation > execute · gate started · \
         $ grep -q hash_password auth.py || { echo \"Line 23: undefined name 'hash_password'\"; exit 1; } · \
         exit 0 · gate passed · run completed: Complete. 3 files created/modified. · plan shelved · \
         phase executing > idle",
    );
}

#[test]
fn journey_4_a_question_during_a_run_is_answered_and_the_run_is_not_lost() {
    let script = json!([
        plan(&["auth.py", "token.py"], json!([])),
        write("auth.py"), say("one"),
        {"when": "jwt", "text": "PyJWT."},
        write("token.py"), say("two"),
    ]);
    let mut s = Stage::new(&[], &script);
    s.say("Add user authentication");
    s.asked("confirmation");
    s.say("y");
    s.asked("diff");
    s.lines();
    s.say("Wait, what JWT library are you using?");
    s.until("an answer", |s| s.events.iter().any(|e| serde_json::to_string(e).unwrap().contains("PyJWT.")));
    s.tells(
        "> Wait, what JWT library are you using? · intent explain · node conversation > explain · \
         said PyJWT.",
    );
    s.apply(None);
    s.apply(None);
    s.rest();
    s.tells(
        "wrote · question closed · task 1 done · task 2 starts · node conversation > act · \
         node act > create · proposes create token.py · said two · ask diff · wrote · question closed · \
         task 2 done · run completed: Complete. 2 files created/modified. · plan shelved · \
         phase executing > idle",
    );
}

#[test]
fn journey_5_what_is_added_becomes_the_last_step() {
    let files = ["auth.py", "token.py", "login.py", "test_auth.py"];
    let mut script = vec![plan(&files, json!([]))];
    for file in files.into_iter().chain(["reset.py"]) {
        script.extend([write(file), say("done")]);
    }
    let mut s = Stage::new(&[], &json!(script));
    s.say("Add user authentication");
    s.asked("confirmation");
    s.say("y");
    s.apply(None);
    s.asked("diff");
    s.lines();
    s.say("Actually, also add password reset functionality");
    let plan = s.state().plan.clone().unwrap();
    assert_eq!((plan.done(), plan.tasks.len()), (1, 5), "[2/5], the new one last");
    assert_eq!(plan.tasks[4].status, TaskStatus::Pending);
    s.tells("> Actually, also add password reset functionality · intent modify · task added");
    for _ in 0..4 {
        s.apply(None);
    }
    s.rest();
    s.tells(
        "wrote · question closed · task 2 done · task 3 starts · node conversation > act · \
         node act > create · proposes create login.py · said done · ask diff · wrote · question closed · \
         task 3 done · task 4 starts · node conversation > act · node act > create · \
         proposes create test_auth.py · said done · ask diff · wrote · question closed · task 4 done · \
         task 5 starts · node conversation > act · node act > modify · proposes create reset.py · said done · \
         ask diff · wrote · question closed · task 5 done · \
         run completed: Complete. 5 files created/modified. · plan shelved · phase executing > idle",
    );
}

#[test]
fn journey_6_looks_good_approves_and_a_change_stops_keeps_and_replans() {
    let task = |title: &str| json!({"title": title, "kind": "read"});
    let reads = |tasks: Vec<Value>| call("submit_plan", json!({"title": "Sales", "tasks": tasks}));
    let fact = json!({"name": "best region", "value": "north", "file": "sales.csv", "text": "north,9"});
    let script = json!([
        reads(vec![task("Load sales"), task("Sum by region")]),
        {"calls": [{"name": "read", "args": {"path": "sales.csv"}}]},
        call("record_fact", fact), say("North leads."),
        {"text": "Summing the sales of each region", "pieces": 2, "wait_for_cancel": true},
        reads(vec![task("Sum Q4 by region")]),
    ]);
    let mut s = Stage::new(&[("sales.csv", "north,9\n")], &script);
    s.say("/plan analyze sales by region");
    s.asked("confirmation");
    s.say("looks good");
    s.until("the second step", |s| s.count("task_started") == 2 && s.heard.contains("Summing"));
    s.tells(
        "> analyze sales by region · intent decompose · phase idle > planning · node conversation > plan · \
         plan v1: 2 tasks, 0 gates · phase planning > awaiting_approval · ask confirmation · answer approve · \
         node plan > act · phase awaiting_approval > executing · run started · task 1 starts · \
         node conversation > act · node act > read · fact recorded · said North leads. · task 1 done · \
         task 2 starts · node conversation > act · node act > read",
    );
    s.say("wait, only include Q4");
    s.asked("confirmation");
    assert_eq!(s.state().phase, Phase::AwaitingApproval);
    assert_eq!(s.count("fact_forgotten"), 0, "what the first step found holds");
    // What was on its way when the second step was stopped ends by itself, before or after the new plan.
    s.tells_beside(
        "said Summing the sales of each region",
        "> wait, only include Q4 · intent decompose · task 2 cancelled · \
         run cancelled: Completed 1 task before cancel. · phase executing > planning · turn continues · \
         node conversation > plan · plan v2: 2 tasks, 0 gates, 1 done · phase planning > awaiting_approval · \
         ask confirmation",
    );
}

#[test]
fn journey_7_an_edited_command_fails_twice_and_the_third_is_not_run() {
    let run = |command: &str| call("run", json!({ "command": command }));
    let script = json!([run("sh chekc.sh"), run("sh  check.sh"), run("sh check.sh")]);
    let mut s = Stage::new(&[("check.sh", "echo checked >> ran\nexit 7\n")], &script);
    s.say("run the checks");
    s.answer("risk", Answer::Line("sh check.sh".into()));
    s.answer("risk", Answer::Approve);
    s.asked("failure");
    s.tells(
        "> run the checks · intent execute · phase idle > executing · run started · node conversation > execute · $ sh chekc.sh · ask risk · answer {\"line\":\"sh check.sh\"} · command edited · $ sh check.sh · exit 7 · $ sh  check.sh · ask risk · answer approve · exit 7 · $ sh check.sh · run failed: the model proposed the same command that had failed twice · phase executing > failed · ask failure",
    );
    assert_eq!(s.desk.file("ran"), "checked\nchecked\n");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one step after the other")]
fn the_worked_trace_is_told_event_by_event() {
    let gate = json!([{"name": "syntax", "command": "grep -q hash_password auth.py", "after": [1]}, {"name": "lint", "command": "test -s auth.py"}]);
    let tasks = json!([
        {"title": "Write it", "kind": "create", "files": ["auth.py"]},
        {"title": "Wire it", "kind": "modify", "files": ["main.py"]},
        {"title": "Test it", "kind": "create", "files": ["test_auth.py"]},
        {"title": "Drop the old", "kind": "delete", "files": ["old.py"]},
    ]);
    let edit = |path: &str, old: &str, new: &str| {
        call("edit", json!({"path": path, "edits": [{"old": old, "new": new}]}))
    };
    let read = |path: &str| call("read", json!({ "path": path }));
    let script = json!([
        say("A small demo."),
        call("submit_plan", json!({"title": "Auth", "tasks": tasks, "gates": gate})),
        write("auth.py"),
        say("written"),
        read("auth.py"),
        edit("auth.py", "def f():", "def hash_password():"),
        say("mended"),
        read("main.py"),
        edit("main.py", "print(1)", "print(2)"),
        say("wired"),
        write("test_auth.py"),
        say("tested"),
        read("old.py"),
        call("delete", json!({"path": "old.py"})),
        say("dropped"),
    ]);
    let mut s = Stage::new(&[("main.py", "print(1)\n"), ("old.py", "bye\n")], &script);
    asked_and_planned(&mut s);
    s.say("y");
    s.asked("diff");
    s.tells(
        "answer approve · node plan > act · phase awaiting_approval > executing · run started · \
         task 1 starts · node conversation > act · node act > create · proposes create auth.py · \
         said written · ask diff",
    );
    s.apply(None);
    s.asked("failure");
    s.tells(
        "wrote · question closed · task 1 done · node conversation > execute · gate started · \
         $ grep -q hash_password auth.py · exit 1 · gate red: it ended with exit 1 · ask failure",
    );
    s.say("a");
    s.apply(None);
    s.apply(None);
    s.apply(None);
    s.asked("diff");
    s.tells(
        "answer auto_fix · repair · node conversation > act · node act > modify · proposes modify auth.py · \
         said mended · ask diff · wrote · question closed · gate reset · node conversation > execute · \
         gate started · $ grep -q hash_password auth.py · exit 0 · gate passed · task 2 starts · \
         node conversation > act · node act > modify · proposes modify main.py · said wired · ask diff · \
         wrote · gate went stale · question closed · task 2 done · task 3 starts · node conversation > act · \
         node act > create · proposes create test_auth.py · said tested · ask diff · wrote · \
         question closed · task 3 done · task 4 starts · node conversation > act · node act > modify · \
         proposes delete old.py · said dropped · ask diff",
    );
    s.apply(Some("delete"));
    s.rest();
    s.tells(
        "node modify > delete · wrote · question closed · task 4 done · node conversation > execute · \
         gate started · $ test -s auth.py · exit 0 · gate passed · gate reset · node conversation > execute · \
         gate started · $ grep -q hash_password auth.py · exit 0 · gate passed · \
         run completed: Complete. 3 files created/modified, 1 removed. · plan shelved · phase executing > idle",
    );
    assert!(!s.desk.path().join("old.py").exists());
}

#[test]
fn what_a_stopped_command_had_changed_is_listed_and_taken_back() {
    let mut s = Stage::new(&[("notes.txt", "one\n")], &json!([]));
    s.say(&format!("!rm notes.txt; echo made > made.txt; sleep 600.{}", std::process::id()));
    while !s.desk.path().join("made.txt").exists() {
        std::thread::yield_now();
    }
    s.say("stop");
    s.until("what it had changed", |s| s.count("command_wrote") == 1 && s.count("command_exited") == 1);
    let write = s.state().applies().values().last().unwrap().clone();
    let files: Vec<&str> = write.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(files, ["made.txt", "notes.txt"]);
    s.say("/undo");
    s.until("the way back", |s| s.count("reverted") == 1);
    assert_eq!(s.desk.file("notes.txt"), "one\n");
    assert!(!s.desk.path().join("made.txt").exists());
}
