//! Work that meets what it cannot use comes to its end all the same: gates that cannot work here, goals that need a
//! change, tests that the order asked for.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{Running, edit, last_result, not_run, plan, processes},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";
const TRUSTED: [&str; 4] = ["run", GOAL, "--auto-confirm", "--trust"];

fn call(name: &'static str, args: Value) -> Turn {
    Turn::Say("", vec![(name, args)])
}

fn say(text: &'static str) -> Turn {
    Turn::Say(text, vec![])
}

fn submit(command: &str) -> Turn {
    let mut plan = plan(&[("modify", "src/search.rs")]);
    plan["gates"] = json!([{"name": "check", "command": command}]);
    call("submit_plan", plan)
}

fn rename(new: &str) -> Turn {
    call("edit", edit("src/search.rs", "fn score(", new))
}

fn other_gate(command: &str) -> Turn {
    call("change_gate", json!({"gate": "check", "command": command, "reason": "it is not installed"}))
}

/// A desk with a script that says whether the function has its new name; nothing where no sandbox can be had.
fn desk() -> Option<Desk> {
    let desk = Desk::new();
    std::fs::write(desk.path().join("check.sh"), "grep -q 'fn points_of(' src/search.rs\n").unwrap();
    if desk.sandbox().is_none() {
        not_run("gates that run unasked: no sandbox can be had here");
        return None;
    }
    Some(desk)
}

#[test]
fn a_gate_whose_program_is_missing_gets_one_that_is_here() {
    let Some(desk) = desk() else { return };
    let server = Server::start(vec![
        submit("no-such-checker --all"),
        rename("fn points_of("),
        say("Done."),
        other_gate("true"),
        other_gate("sh check.sh || true"),
        other_gate("sh check.sh"),
        say("The gate runs what is here."),
    ]);
    let ended = desk.ask(&server.base, &TRUSTED).with(0);
    ended.tells(&["✓ gate sh check.sh"]);
    let told = server.requests()[3]["messages"].to_string();
    assert!(
        told.contains("its program, or what that needs, is missing") && told.contains("change_gate"),
        "{told}"
    );
    for hollow in [4, 5] {
        assert!(last_result(&server, hollow).contains("proves nothing"), "{}", last_result(&server, hollow));
    }
    desk.verified();
}

#[test]
fn a_gate_gets_no_command_that_would_ask() {
    let Some(desk) = desk() else { return };
    let server = Server::start(vec![
        submit("no-such-checker --all"),
        rename("fn points_of("),
        say("Done."),
        other_gate("sudo make check"),
        say("It cannot be checked here."),
        say("Nothing else can be done."),
    ]);
    let ended = desk.ask(&server.base, &TRUSTED);
    assert_ne!(ended.exit, 0, "out:\n{}\nerr:\n{}", ended.out, ended.err);
    assert!(last_result(&server, 4).contains("nobody is there"), "{}", last_result(&server, 4));
}

#[test]
fn a_deep_run_repairs_three_times_and_another_twice() {
    for (depth, tries) in [("deep", 3), ("standard", 2)] {
        let Some(desk) = desk() else { return };
        let mut script = vec![submit("sh check.sh"), rename("fn points0("), say("Done.")];
        for n in 0..tries {
            let old = format!("fn points{n}(");
            let new = if n == 2 { "fn points_of(".to_owned() } else { format!("fn points{}(", n + 1) };
            script.push(call("edit", edit("src/search.rs", &old, &new)));
            script.push(say("Mended?"));
        }
        let server = Server::start(script);
        let mut args = TRUSTED.to_vec();
        args.extend(["--depth", depth]);
        let ended = desk.ask(&server.base, &args).with(i32::from(tries == 2));
        let ended = ended.tells(&["✗ gate sh check.sh"]);
        assert!(!ended.err.contains("doesn't answer this question"), "{depth}: {}", ended.err);
        assert_eq!(server.requests().len(), 3 + 2 * tries, "{depth}");
        desk.verified();
    }
}

#[test]
fn gates_whose_repairs_undo_each_other_end_with_what_is_asked() {
    let Some(desk) = desk() else { return };
    let mut steps = plan(&[("modify", "src/search.rs")]);
    steps["gates"] = json!([
        {"name": "new", "command": "sh check.sh"},
        {"name": "old", "command": "grep -q 'fn score(' src/search.rs"},
    ]);
    let mut script = vec![call("submit_plan", steps)];
    // What makes one green makes the other red, as often as it is asked.
    for turn in 0..20 {
        let [old, new] =
            if turn % 2 == 0 { ["fn score(", "fn points_of("] } else { ["fn points_of(", "fn score("] };
        script.extend([call("edit", edit("src/search.rs", old, new)), say("Done.")]);
    }
    let server = Server::start(script);
    let ended = desk.ask(&server.base, &TRUSTED).with(1);
    let ended = ended.tells(&["? [Gate: old] failed"]);
    assert!(server.requests().len() < 16, "{}\n{}", server.requests().len(), ended.err);
    desk.verified();
}

#[test]
fn a_goal_that_turns_out_to_need_a_change_makes_it_and_tries_again() {
    let Some(desk) = desk() else { return };
    let check = || call("run", json!({"command": "sh check.sh"}));
    let server = Server::start(vec![
        check(),
        call("request_path", json!({"node": "modify", "reason": "the name is wrong"})),
        rename("fn points_of("),
        check(),
        say("It passes now."),
    ]);
    desk.ask(&server.base, &["run", "run the checks", "--auto-confirm", "--trust"]).with(0);
    assert!(desk.file("src/search.rs").contains("fn points_of("));
    desk.verified();
}

#[test]
fn an_order_to_change_and_to_test_does_both() {
    let Some(desk) = desk() else { return };
    let version = desk.file("Cargo.toml").lines().find(|l| l.starts_with("version")).unwrap().to_owned();
    std::fs::write(
        desk.path().join("test.sh"),
        "grep -q 'version = \"0.2.0\"' Cargo.toml && echo 1 passed\n",
    )
    .unwrap();
    let server = Server::start(vec![
        call("edit", edit("Cargo.toml", &version, "version = \"0.2.0\"")),
        call("run", json!({"command": "sh test.sh"})),
        say("The version is 0.2.0, and the tests pass."),
    ]);
    let goal = ["run", "bump the version to 0.2.0 and run the tests", "--auto-confirm", "--trust"];
    desk.ask(&server.base, &goal).with(0).tells(&["✓ wrote Cargo.toml"]);
    assert!(last_result(&server, 2).contains("1 passed"), "the run sees the edit before it");
    assert!(desk.file("Cargo.toml").contains("version = \"0.2.0\""));
    desk.verified();
}

#[test]
fn a_gate_that_went_stale_runs_again_before_the_end() {
    let Some(desk) = desk().map(Desk::one_by_one) else { return };
    let mut steps = plan(&[("modify", "src/search.rs"), ("modify", "Cargo.toml")]);
    steps["gates"] = json!([{"name": "check", "command": "sh check.sh", "after": [1]}]);
    let version = desk.file("Cargo.toml").lines().find(|l| l.starts_with("version")).unwrap().to_owned();
    let server = Server::start(vec![
        call("submit_plan", steps),
        rename("fn points_of("),
        say("One."),
        call("edit", edit("Cargo.toml", &version, "version = \"0.2.0\"")),
        say("Two."),
    ]);
    let goal = ["run", GOAL, "--auto-confirm", "--trust", "--json"];
    let events = desk.ask(&server.base, &goal).with(0).events();
    let of = |kind: &str| events.iter().filter(|e| e["type"] == kind).count();
    assert_eq!((of("gate_passed"), of("gate_went_stale")), (2, 1));
    desk.verified();
}

#[test]
fn files_that_are_changed_by_hand_while_gates_run_are_checked_again() {
    let Some(desk) = desk() else { return };
    let wait = "while [ ! -e target/go ]; do sleep 0.05; done\n";
    std::fs::write(desk.path().join("wait.sh"), wait).unwrap();
    std::fs::create_dir_all(desk.path().join("target")).unwrap();
    let mut steps = plan(&[("modify", "src/search.rs")]);
    steps["gates"] =
        json!([{"name": "check", "command": "sh check.sh"}, {"name": "wait", "command": "sh wait.sh"}]);
    let server = Server::start(vec![call("submit_plan", steps), rename("fn points_of("), say("Done.")]);
    let goal = ["run", GOAL, "--auto-confirm", "--trust", "--json"];
    let mut run = Running::start(desk.with_model(&server.base, &goal));
    let mut begun = 0;
    while begun < 2 {
        let line = run.line();
        let event: Value = serde_json::from_slice(&line).unwrap();
        assert_ne!(event["type"], "run_ended", "{event}");
        begun += usize::from(event["type"] == "command_started");
    }
    // The first gate is green, the second one at work: somebody saves a file meanwhile.
    let note = desk.file("src/note.rs") + "\n// by hand\n";
    std::fs::write(desk.path().join("src/note.rs"), note).unwrap();
    std::fs::write(desk.path().join("target/go"), "").unwrap();
    let ended = run.end().with(0);
    let events = ended.events();
    let of = |kind: &str| events.iter().filter(|e| e["type"] == kind).count();
    assert_eq!((of("gate_went_stale"), of("tree_seen")), (2, 2), "{}", ended.out);
    assert!(desk.file("src/note.rs").ends_with("// by hand\n"));
    desk.verified();
}

#[test]
fn a_gate_that_hangs_is_ended_with_all_that_it_started_and_is_never_green() {
    let Some(desk) = desk() else { return };
    let mark = format!("97{}", std::process::id());
    let server = Server::start(vec![
        submit(&format!("sh -c 'sleep {mark} & sleep {mark}; true'")),
        rename("fn points_of("),
        say("Done."),
    ]);
    let mut limited = TRUSTED.to_vec();
    limited.extend(["--timeout", "20", "--json"]);
    let ended = desk.ask(&server.base, &limited).with(1);
    let events = ended.events();
    let has = |kind: &str| events.iter().any(|e| e["type"] == kind);
    assert!(has("gate_started") && !has("gate_passed"), "{}", ended.out);
    let last = events.last().unwrap();
    assert!(last["reason"].as_str().unwrap().contains("time limit of 20 s"), "{last}");
    assert!(processes(&format!("sleep {mark}")).is_empty());
    // The change that it was to prove is written, and the session knows that nothing proved it.
    assert!(desk.file("src/search.rs").contains("fn points_of("));
    desk.verified();
}
