//! `pilothouse permissions`: the rules, what they decide and why, what a new one would have done.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{
    Desk,
    server::{Server, Turn},
};

fn explained(desk: &Desk, args: &[&str]) -> Value {
    let all: Vec<&str> = ["permissions", "explain", "--json"].iter().chain(args).copied().collect();
    let (code, out, err) = desk.run(&all);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn an_explanation_names_the_rule_its_place_what_nearly_matched_and_what_would_turn_it_round() {
    let desk = Desk::new();
    fs::write(
        desk.home.path().join("permissions.toml"),
        "[[deny]]\nread = \"secrets/**\"\n\n[[allow]]\ncommand = \"just test\"\n",
    )
    .unwrap();
    let asked = explained(&desk, &["just ship"]);
    assert_eq!((&asked["outcome"], &asked["now"]), (&json!("ask"), &json!("asks")));
    assert!(asked["risk"].as_str().unwrap().starts_with("medium"));
    assert!(
        asked["near"]
            .as_str()
            .unwrap()
            .contains("`allow command just test` (~/permissions.toml:5) wants `test`")
    );
    assert_eq!(asked["change"], "pilothouse permissions add 'allow command just ship'");
    let runs = explained(&desk, &["just test -q"]);
    assert_eq!(runs["outcome"], "run");
    assert!(runs["rule"].as_str().unwrap().contains("(~/permissions.toml:5)"));
    for call in
        ["cat secrets/key", "read secrets/key", "sh -c 'cd secrets; cat key'", "read src/../secrets/key"]
    {
        let refused = explained(&desk, &["--mode", "auto", call]);
        assert_eq!(refused["outcome"], "refuse", "{call}");
        assert_eq!(refused["rule"], "deny read secrets/** (~/permissions.toml:2)");
        assert_eq!(refused["change"], "take out ~/permissions.toml:2");
    }
    let high = explained(&desk, &["--mode", "auto", "git push --force"]);
    assert!(high["change"].as_str().unwrap().starts_with("none: high risk"));
    let (code, out, _) = desk.run(&["permissions", "explain", "cargo add serde"]);
    assert!(
        code == 0 && out.contains("change   pilothouse permissions add 'allow command cargo add'"),
        "{out}"
    );
}

#[test]
fn every_rule_is_listed_with_its_place_and_a_mistake_with_line_and_column() {
    let desk = Desk::new();
    fs::create_dir(desk.path().join(".pilothouse")).unwrap();
    fs::write(
        desk.path().join(".pilothouse/permissions.toml"),
        "[[allow]]\ncommand = \"npm test\"\n[[ask]]\ncommand = \"make\"\n",
    )
    .unwrap();
    let (code, out, err) = desk.run(&["permissions", "list", "--json"]);
    assert_eq!(code, 0);
    let rules: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let projects: Vec<_> = rules.iter().filter(|r| r["source"] == "project").map(|r| &r["rule"]).collect();
    assert_eq!(projects, [&json!("ask command make")]);
    assert!(err.contains(".pilothouse/permissions.toml:2") && err.contains("never allow"), "{err}");
    assert!(rules.iter().filter(|r| r["source"] == "built_in").count() > 100);
    let (code, _, err) = desk.run(&["permissions", "add", "allow command a; b"]);
    assert!(code == 2 && err.contains("column 16"), "{err}");
    fs::write(desk.home.path().join("permissions.toml"), "[[deny]]\nread = \"[x]\"\n").unwrap();
    for args in [&["permissions", "list"][..], &["permissions", "explain", "ls"]] {
        let (code, _, err) = desk.run(args);
        assert!(code == 2 && err.contains("permissions.toml:2:9"), "{err}");
    }
}

#[test]
fn a_rehearsal_says_what_a_rule_would_have_let_through_and_warns_of_what_it_names() {
    let desk = Desk::new();
    for command in ["cargo add serde", "cargo add serde", "git push --force", "git pull"] {
        let server = Server::start(vec![Turn::Say("", vec![("run", json!({"command": command}))])]);
        desk.ask(&server.base, &["run", "run it"]).with(3);
    }
    let (code, out, _) = desk.run(&["permissions", "rehearse", "allow command cargo add"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("2 times") && out.contains("medium  cargo add serde"), "{out}");
    let (code, out, _) = desk.run(&["permissions", "rehearse", "allow command git", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &found["advisable"]), (1, &json!(false)), "{out}");
    assert_eq!(found["rehearsal"]["held"][0]["line"], "git push --force");
    assert_eq!(found["rehearsal"]["through"][0]["line"], "git pull");
    let (_, out, _) = desk.run(&["permissions", "rehearse", "deny command git pull"]);
    assert!(out.contains("asked about or denied") && out.contains("git pull"), "{out}");
    let (code, _, err) = desk.run(&["permissions", "add", "allow command cargo add"]);
    assert!(code == 0 && err.contains("permissions.toml"), "{err}");
    let (_, out, _) = desk.run(&["permissions", "rehearse", "allow command cargo add"]);
    assert!(out.contains("spared no question"), "{out}");
}
