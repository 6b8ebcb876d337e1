//! A run without a screen ends in work done, or says why not: what asks, gates that fail, plans in prose.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{edit, last_result, not_run, plan},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

fn submit(plan: Value) -> Turn {
    Turn::Say("", vec![("submit_plan", plan)])
}

fn change() -> Turn {
    Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))])
}

fn say(text: &'static str) -> Turn {
    Turn::Say(text, vec![])
}

fn with_gate(command: &str) -> Value {
    let mut plan = plan(&[("modify", "src/search.rs")]);
    plan["gates"] = json!([{"name": "check", "command": command}]);
    plan
}

#[test]
fn a_flat_edit_and_copied_line_numbers_are_understood() {
    let desk = Desk::new();
    let line = desk.file("src/search.rs").lines().position(|l| l.contains("fn score(")).unwrap() + 1;
    let old = format!("{line:>6}  {}", desk.file("src/search.rs").lines().nth(line - 1).unwrap());
    let flat =
        json!({"file_path": "src/search.rs", "old": old, "new": old.replace("fn score(", "fn points_of(")});
    let server = Server::start(vec![
        submit(plan(&[("modify", "src/search.rs")])),
        Turn::Say("", vec![("edit", flat)]),
        say("Done."),
    ]);
    let ended = desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    ended.tells(&["▸ edit src/search.rs: ", "✓ wrote src/search.rs"]);
    let text = desk.file("src/search.rs");
    assert!(text.contains("fn points_of(") && !text.contains(&format!("{line}  ")), "{text}");
}

#[test]
fn what_is_only_foreseen_or_weighed_is_answered_in_words() {
    let desk = Desk::new();
    for order in ["what if we used a queue instead", "predict what happens if the index doubles"] {
        let server = Server::start(vec![say("The order of the results would change.")]);
        let ended = desk.ask(&server.base, &["run", order]).with(0);
        assert!(ended.out.contains("The order of the results would change."), "{order}: {}", ended.out);
        assert!(!ended.err.contains("No plan was made"), "{order}: {}", ended.err);
        let requests = server.requests();
        assert_eq!(requests.len(), 1, "{order}");
        let told = requests[0]["messages"].as_array().unwrap().last().unwrap().to_string();
        assert!(told.contains("Wanted is what would follow from it"), "{order}: {told}");
    }
}

#[test]
fn a_plan_in_prose_is_asked_for_once_more_and_then_is_a_failure() {
    let desk = Desk::new();
    let server = Server::start(vec![
        say("I would rename the function."),
        submit(plan(&[("modify", "src/search.rs")])),
        change(),
        say("Done."),
    ]);
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    let told = server.requests()[1]["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(told.contains("submit_plan"), "{told}");

    let desk = Desk::new();
    let server = Server::start(vec![say("I would rename the function."), say("As I said.")]);
    let ended = desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(1);
    ended.tells(&["No plan was made", "nothing came of it"]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_asks_is_refused_to_the_model_and_the_run_goes_on() {
    let desk = Desk::new();
    let server = Server::start(vec![
        submit(plan(&[("modify", "src/search.rs")])),
        Turn::Say("", vec![("run", json!({"command": "rm -rf src/gone"}))]),
        change(),
        say("Done; the folder is still there."),
    ]);
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    let told = last_result(&server, 2);
    assert!(told.starts_with("not allowed: nobody is there to allow it; go on without it"), "{told}");
    assert!(desk.file("src/search.rs").contains("fn points_of("));
    desk.verified();
}

#[test]
fn what_was_refused_because_nobody_was_there_is_named_at_the_end_each_thing_once() {
    for json in [false, true] {
        let desk = Desk::new();
        let run = |line: &str| Turn::Say("", vec![("run", json!({"command": line}))]);
        let server = Server::start(vec![
            submit(plan(&[("modify", "src/search.rs")])),
            run("rm -rf src/gone"),
            run("rm README.md"),
            run("rm -rf src/gone"),
            change(),
            say("Done; the folder is still there."),
        ]);
        let mut args = vec!["run", GOAL, "--auto-confirm"];
        args.extend(json.then_some("--json"));
        let mut ended = desk.ask(&server.base, &args).with(0);
        let lines = ["rm -rf src/gone (removes files)", "rm README.md (removes files)"];
        if json {
            assert_eq!(ended.events().pop().unwrap()["refused"], json!(lines));
        } else {
            ended = ended.tells(&["not allowed, because nobody was there to ask:\n  rm -rf src/gone"]);
            assert!(lines.iter().all(|line| ended.err.matches(line).count() == 1), "{}", ended.err);
        }
        assert!(!ended.err.contains("denied by the user"), "{}", ended.err);
    }
}

#[test]
fn a_failing_gate_is_repaired_as_on_the_screen() {
    let script = || {
        vec![
            submit(with_gate("cat Cargo.toml && grep -q 'fn points_of(' src/search.rs")),
            Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points("))]),
            say("Done."),
            Turn::Say("", vec![("edit", edit("src/search.rs", "fn points(", "fn points_of("))]),
            say("Mended."),
        ]
    };
    let desk = Desk::new();
    let server = Server::start(script());
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm", "--trust"]).with(0).tells(&["✓ gate cat"]);
    desk.verified();

    let desk = Desk::new();
    let server = Server::start(script());
    let ended =
        desk.ask(&server.base, &["run", GOAL, "--auto-confirm", "--trust", "--depth", "quick"]).with(1);
    assert!(!ended.err.contains("│ [package]"), "what a gate says is its verdict: {}", ended.err);
    ended.tells(&["[Gate: check] failed", "to continue: pilothouse run \""]);
}

#[test]
fn the_way_to_go_on_after_a_gate_that_nobody_could_allow_does_not_end_the_same() {
    let desk = Desk::new();
    std::fs::write(desk.path().join("check.sh"), "exit 0\n").unwrap();
    let server = Server::start(vec![submit(with_gate("sh check.sh")), change(), say("Done.")]);
    let ended = desk.ask(&server.base, &["run", GOAL, "--auto-confirm", "--json"]).with(3);
    let way = ended.events().pop().unwrap()["go_on"].as_str().unwrap().to_owned();
    assert!(way.ends_with(" --auto-confirm --trust"), "{way}");
    let slug = way.split_whitespace().nth(4).unwrap();
    let again = desk.ask(&server.base, &["run", "/redo", "--session", slug, "--auto-confirm", "--trust"]);
    again.with(0).tells(&["✓ gate sh check.sh"]);
}

#[test]
fn a_question_of_the_model_is_answered_that_nobody_is_there() {
    let desk = Desk::new();
    let server = Server::start(vec![
        Turn::Say("", vec![("ask_user", json!({"question": "Which one?"}))]),
        submit(plan(&[("modify", "src/search.rs")])),
        change(),
        say("Done."),
    ]);
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    assert!(last_result(&server, 1).contains("nobody is there to ask; choose the safest reading"));
}

#[test]
fn calls_and_tokens_are_limits_that_end_a_run_with_four() {
    for (flag, most) in [("--max-calls", "2"), ("--budget", "1t")] {
        let desk = Desk::new();
        let server =
            Server::start(vec![submit(plan(&[("modify", "src/search.rs")])), change(), say("Done.")]);
        let ended = desk.ask(&server.base, &["run", GOAL, "--auto-confirm", flag, most]).with(4);
        ended.tells(&["to continue: pilothouse run "]);
        desk.verified();
    }
    let desk = Desk::new();
    for wrong in ["x", "-1", "1.2345678"] {
        desk.go(&["run", GOAL, &format!("--budget={wrong}")]).with(2);
    }
}

#[test]
fn a_picture_that_is_named_is_told_as_not_sent() {
    let desk = Desk::new();
    std::fs::write(desk.path().join("shot.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    let server = Server::start(vec![say("I cannot see it."), say("Two files.")]);
    desk.ask(&server.base, &["run", "what does @shot.png show?"]).with(0);
    desk.ask(&server.base, &["run", "what is in src?"]).with(0);
    let requests = server.requests();
    assert!(requests[0].to_string().contains("not sent: shot.png (pictures"), "{}", requests[0]);
    assert!(!requests[1].to_string().contains("not sent:"), "{}", requests[1]);
}

#[test]
fn nothing_is_no_success() {
    let desk = Desk::new();
    let before = desk.tree();
    desk.go(&["run", "delete src/no-such-file.rs", "--auto-confirm"]).with(1);
    let said = desk.go(&["run", "add a cache in front of the store", "--auto-confirm"]).with(2).out;
    assert!(said.contains("needs a model"), "{said}");
    desk.go(&["run", "", "--auto-confirm"]).with(2).tells(&["there is no goal"]);
    let idle = |last: &'static str| {
        Server::start(vec![
            submit(plan(&[("modify", "src/search.rs")])),
            say("It is so already."),
            Turn::Say(last, vec![]),
        ])
    };
    let server = idle("It is so already.");
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm"])
        .with(1)
        .tells(&["Step 1: nothing changed", "0 of 1 done"]);
    let server = idle("nothing to change: it is called so already");
    let needless = desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    let needless = needless.tells(&["nothing changed: it is called so already"]);
    let told = needless.out.lines().chain(needless.err.lines());
    assert_eq!(told.filter(|l| l.contains("called so already")).count(), 1, "it is told once");
    assert_eq!(desk.tree(), before);
}

#[test]
fn the_first_request_without_a_screen_says_where_git_stands() {
    let desk = Desk::new();
    if std::process::Command::new("git")
        .args(["init", "-q", "-b", "trunk"])
        .arg(desk.path())
        .status()
        .is_err()
    {
        return not_run("the line of git: there is no git");
    }
    let server = Server::start(vec![say("It ranks.")]);
    desk.ask(&server.base, &["run", "what does score do?"]).with(0);
    let first = server.requests()[0]["messages"].to_string();
    assert!(first.contains("git: branch trunk, "), "{first}");
}

#[test]
fn a_yes_to_what_the_agent_offered_lets_it_change_files_where_nobody_is_there() {
    let desk = Desk::new();
    let server = Server::start(vec![
        say("It could be renamed. Shall I do it?"),
        Turn::Say("", vec![("request_path", json!({"node": "modify", "reason": "the user said yes"}))]),
        change(),
        say("Done."),
    ]);
    let asked = desk.ask(&server.base, &["run", "could score be called otherwise?", "--json"]).with(0);
    let slug = asked.events().pop().unwrap()["session"].as_str().unwrap().to_owned();
    desk.ask(&server.base, &["run", "yes", "--session", &slug, "--auto-confirm"]).with(0);
    assert!(desk.file("src/search.rs").contains("fn points_of("));
}

#[test]
fn words_about_the_program_print_an_answer() {
    let desk = Desk::new();
    for words in ["status", "/help", "what can you do?"] {
        assert!(!desk.go(&["run", words]).with(0).out.trim().is_empty(), "{words}");
    }
}

#[test]
fn an_open_plan_is_gone_on_with_without_a_terminal() {
    let desk = Desk::new();
    let server = Server::start(vec![submit(plan(&[("modify", "src/search.rs")])), change(), say("Done.")]);
    let last = desk.ask(&server.base, &["run", GOAL, "--json", "--plan"]).with(0).events().pop().unwrap();
    let slug = last["session"].as_str().unwrap().to_owned();
    desk.ask(&server.base, &["run", "/redo", "--session", &slug, "--auto-confirm"]).with(0);
    assert!(desk.file("src/search.rs").contains("fn points_of("));
}

#[test]
fn sub_agents_look_at_the_same_time_and_their_reports_reach_the_agent() {
    let desk = Desk::new();
    let server = Server::answering(|request| {
        let messages = request["messages"].to_string();
        let tools = request["tools"].to_string();
        Some(if !tools.contains("\"delegate\"") {
            // A sub-agent: it looks, then reports.
            if messages.contains("search.rs:") {
                Turn::Say("fn score stands in src/search.rs.", vec![])
            } else {
                Turn::Say("", vec![("search", json!({"pattern": "fn score", "path": "src"}))])
            }
        } else if messages.contains("2 reports") {
            say("It is in src/search.rs.")
        } else {
            let tasks = json!({"tasks": [{"task": "find fn score"}, {"kind": "review", "task": "judge it"}]});
            Turn::Say("", vec![("delegate", tasks)])
        })
    });
    let ended = desk.ask(&server.base, &["run", "where is score?"]).with(0);
    let said = ended.out.clone();
    ended.tells(&[
        "▸ sub-agent, search: find fn score",
        "▸ sub-agent, review: judge it",
        "✓ sub-agent: fn score stands in src/search.rs.",
        "▸ delegate find fn score: 2 reports",
    ]);
    assert!(said.contains("It is in src/search.rs.") && !said.contains("fn score stands"));
    let requests = server.requests();
    assert_eq!(requests.len(), 6, "two of the agent, two of each sub-agent");
    let offered = |r: &Value| {
        let names =
            r["tools"].as_array().unwrap().iter().map(|t| t["function"]["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let below: Vec<_> =
        requests.iter().filter(|r| r["messages"].to_string().contains("<handed_on")).collect();
    assert_eq!(below.len(), 4);
    assert!(
        below.iter().all(|r| offered(r) == ["list", "read", "search", "record_fact"]),
        "{:?}",
        offered(below[0])
    );
}

#[test]
fn a_document_names_the_steps_the_files_and_the_commands_and_says_where_the_diffs_are() {
    let desk = Desk::new();
    let server = Server::start(vec![
        submit(plan(&[("modify", "src/search.rs")])),
        Turn::Say("", vec![("read", json!({"path": "src/search.rs"}))]),
        change(),
        say("Done."),
    ]);
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let text = desk.go(&["sessions", "export", &slug]).with(0).out;
    for part in [
        "## Plan: ",
        "\n1. ",
        "### Step 1: ",
        "- read src/search.rs: ",
        "- written: src/search.rs",
        "Every diff: ",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("apply-"), "{text}");
}
