//! `pilothouse permissions`: the rules, what they decide and why, what a new one would have done.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{
    Desk, Terminal,
    alone::not_run,
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

const APPROVALS: &str = "\x18a";

/// The workbench, its model about to want these commands, one after the other, from a question.
fn wanting(desk: &Desk, commands: &[&str]) -> (Terminal, Server) {
    let run = |command: &&str| Turn::Say("", vec![("run", json!({ "command": command }))]);
    let turns = commands.iter().map(run).chain([Turn::Say("All done.", vec![])]).collect();
    let server = Server::start(turns);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say("where is main?");
    terminal.see("1 waiting");
    terminal.keys(APPROVALS);
    terminal.see("Approvals");
    (terminal, server)
}

#[test]
fn a_rule_for_good_is_previewed_kept_below_what_stands_there_and_spares_the_next_question() {
    let desk = Desk::empty();
    if desk.sandbox().is_none() {
        return not_run("this machine has no sandbox, and without one no rule allows anything");
    }
    let file = desk.home.path().join("permissions.toml");
    fs::write(&file, "# my own rules\n[[deny]]\nread = \"secrets/**\"  # never\n").unwrap();
    let (mut terminal, _server) = wanting(&desk, &["mkdir one", "mkdir two"]);
    terminal.see("allow command mkdir");
    terminal.decide("p");
    terminal.see("Permanent rule");
    terminal.see("1 command of this folder looked at");
    assert!(!fs::read_to_string(&file).unwrap().contains("mkdir"), "nothing is kept before the second yes");
    terminal.decide("y");
    terminal.gone("Permanent rule");
    terminal.keys("q");
    terminal.see("All done.");
    assert!(desk.path().join("one").is_dir() && desk.path().join("two").is_dir(), "the next ran unasked");
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with("# my own rules\n[[deny]]\nread = \"secrets/**\"  # never\n"), "{kept}");
    assert!(kept.contains("[[allow]]\ncommand = \"mkdir\""), "{kept}");
    terminal.keys("\x03\x03");
    assert_eq!(terminal.end(), 0);
    let why = explained(&desk, &["mkdir three"]);
    assert_eq!(
        (&why["outcome"], why["rule"].as_str().unwrap().contains("allow command mkdir")),
        (&json!("run"), true)
    );
}

#[test]
fn what_changes_between_the_look_and_the_yes_is_asked_about_again() {
    for link in [false, true] {
        let desk = Desk::empty();
        let script = desk.path().join("check.sh");
        fs::write(&script, "echo first >> ran\n").unwrap();
        fs::write(desk.path().join("other.sh"), "echo other >> ran\n").unwrap();
        let (mut terminal, _server) = wanting(&desk, &["sh check.sh"]);
        terminal.see("program");
        if link {
            fs::remove_file(&script).unwrap();
            std::os::unix::fs::symlink(desk.path().join("other.sh"), &script).unwrap();
        } else {
            fs::write(&script, "echo second >> ran\n").unwrap();
        }
        terminal.decide("y");
        let screen = terminal.see("since you allowed it:");
        assert!(screen.contains("changed"), "{screen}");
        assert!(!desk.path().join("ran").exists(), "nothing was done");
        terminal.decide("y");
        terminal.gone("since you allowed it");
        terminal.keys("q");
        terminal.see("All done.");
        assert_eq!(desk.file("ran"), if link { "other\n" } else { "second\n" });
        terminal.keys("\x03\x03");
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn headless_and_explain_say_the_same_of_a_command() {
    let desk = Desk::empty();
    for (command, network, outside) in [
        ("ls", false, false),
        ("mkdir one", false, false),
        ("ls", true, false),
        ("mkdir one", false, true),
        ("rm notes.txt", false, false),
        ("git push --force", false, false),
    ] {
        let args = json!({"command": command, "network": network, "outside": outside});
        let server = Server::start(vec![Turn::Say("", vec![("run", args)]), Turn::Say("All done.", vec![])]);
        let flags: Vec<&str> =
            [(network, "--network"), (outside, "--outside")].iter().filter(|f| f.0).map(|f| f.1).collect();
        let why = explained(&desk, &[&[command][..], &flags].concat());
        let ended = desk.ask(&server.base, &["run", "run it", "--json"]);
        let asked = ended
            .events()
            .iter()
            .any(|e| e["type"] == "checkpoint_opened" && e["checkpoint"]["kind"]["kind"] == "risk");
        assert_eq!(why["outcome"] == "ask", asked, "{command} {flags:?}: {why}");
        let proposed = ended.events();
        let proposed = proposed.iter().find(|e| e["type"] == "command_proposed").unwrap();
        assert!(
            why["rule"].as_str().unwrap().starts_with(proposed["ruling"]["by"].as_str().unwrap()),
            "{why}"
        );
    }
}
