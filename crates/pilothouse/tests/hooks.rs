//! Hooks through the real program: the user's own, a trusted project's, and what they can stop.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

mod support;

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use support::*;

const RENAME: &str = "rename find_notes to search_notes";
const PLAN_TO_ACT: &str = "[hooks.on_node_transition]\nfrom = \"plan\"\nto = \"act\"\nrun = \"./scripts/confirm-action.sh\"\nblock_if_fails = true\n";

trait Hooked {
    fn own_hooks(&self, text: &str);
    fn project_hooks(&self, text: &str);
    fn script(&self, name: &str, text: &str);
}

impl Hooked for Desk {
    fn own_hooks(&self, text: &str) {
        fs::write(self.home.path().join("hooks.toml"), text).unwrap();
    }
    fn project_hooks(&self, text: &str) {
        fs::create_dir_all(self.path().join(".pilothouse")).unwrap();
        fs::write(self.path().join(".pilothouse/hooks.toml"), text).unwrap();
    }
    fn script(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|e| e["type"].as_str()).collect()
}

#[test]
fn the_hook_of_the_project_confirms_the_way_from_plan_to_act() {
    let desk = Desk::new();
    desk.project_hooks(PLAN_TO_ACT);
    desk.script("scripts/confirm-action.sh", "echo \"$PILOTHOUSE_FROM to $PILOTHOUSE_TO\"; exit 1");
    // Not trusted: it is not called, and nothing of it is run.
    desk.go(&["run", RENAME, "--auto-confirm"]).with(0).tells(&["without effect"]);
    desk.go(&["undo"]).with(0);
    let before = desk.tree();
    let held = desk.go(&["run", RENAME, "--auto-confirm", "--trust", "--json"]).with(3);
    assert_eq!(desk.tree(), before, "nothing was written");
    let events = held.events();
    let types = types(&events);
    assert!(types.contains(&"move_blocked") && !types.contains(&"run_started"), "{types:?}");
    let why = events.iter().find(|e| e["type"] == "move_blocked").unwrap()["why"].as_str().unwrap();
    assert!(why.contains("plan to act"), "{why}");
    // The script says yes now: what was trusted once is trusted for one run, whatever it holds.
    desk.script("scripts/confirm-action.sh", "exit 0");
    desk.go(&["run", RENAME, "--auto-confirm", "--trust"]).with(0);
    assert_ne!(desk.tree(), before);
    desk.verified();
}

#[test]
fn a_script_that_changed_after_it_was_trusted_is_not_run_and_blocks() {
    let desk = Desk::new();
    desk.project_hooks(PLAN_TO_ACT);
    desk.script("scripts/confirm-action.sh", "exit 0");
    let shown = desk.go(&["trust", "--show"]).with(0);
    let hash = shown.out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
    desk.go(&["trust", "--hash", &hash]).with(0);
    desk.go(&["run", RENAME, "--auto-confirm"]).with(0);
    desk.go(&["undo"]).with(0);
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("[EXPLORE] idle");
    terminal.say(RENAME);
    terminal.see("Proceed?");
    desk.script("scripts/confirm-action.sh", "touch fired");
    terminal.answer("y");
    terminal.see("could not run:");
    terminal.see("/trust shows what");
    terminal.see("Proceed?");
    terminal.kill();
    assert!(!desk.path().join("fired").exists());
}

#[test]
fn a_hook_gets_the_event_on_its_input_and_its_fields_as_variables() {
    let desk = Desk::new();
    let out = desk.home.path().join("told");
    let out = out.display();
    desk.own_hooks(&format!(
        "[hooks.on_intent_classified]\nrun = \"cat > {out}; env | grep ^PILOTHOUSE_ | sort >> {out}\"\n\
         [hooks.on_run_end]\nrun = \"echo $EVENT_TYPE $PILOTHOUSE_STATUS >> {out}.end\"\nbackground = true\n"
    ));
    desk.go(&["run", RENAME, "--auto-confirm"]).with(0);
    let told = fs::read_to_string(desk.home.path().join("told")).unwrap();
    let (json, env) = told.split_once('\n').unwrap();
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!((&json["type"], &json["event"]), (&json!("intent_classified"), &json!("intent_classified")));
    for line in [
        "PILOTHOUSE_EVENT=intent_classified",
        "PILOTHOUSE_SESSION=",
        "PILOTHOUSE_PATH=",
        "PILOTHOUSE_FOLDER=",
    ] {
        assert!(env.contains(line), "{line} is not in\n{env}");
    }
    let end = fs::read_to_string(desk.home.path().join("told.end")).unwrap();
    assert_eq!(end, "run_end completed\n");
}

#[test]
fn each_way_of_not_passing_is_said_and_blocks() {
    for (line, says) in [
        ("exit 7", "exit 7"),
        ("./no-such-script.sh", "no such program"),
        ("touch plain; ./plain", "no such program"),
        ("sleep 60", "time limit"),
    ] {
        let desk = Desk::new();
        let before = desk.tree();
        desk.own_hooks(&format!(
            "[hooks.on_node_transition]\nto = \"act\"\nfrom = \"plan\"\nrun = \"{line}\"\nblock_if_fails = true\ntimeout = 1\n"
        ));
        desk.go(&["run", RENAME, "--auto-confirm"]).with(3).tells(&["✗ not from plan to act", says]);
        let mut after = desk.tree();
        after.remove(&desk.path().join("plain"));
        assert_eq!(after, before, "{line}");
    }
}

#[test]
fn a_command_and_a_write_can_be_refused_and_what_cannot_be_blocked_is_an_error_by_line() {
    let desk = Desk::new();
    let before = desk.tree();
    desk.own_hooks("[hooks.on_apply]\nrun = \"exit 1\"\nblock_if_fails = true\n");
    desk.go(&["run", RENAME, "--auto-confirm"]).with(3).tells(&["refused it (exit 1)"]);
    assert_eq!(desk.tree(), before);
    desk.own_hooks(
        "[hooks.on_command]\nrun = 'test \"$PILOTHOUSE_COMMAND\" = \"touch fine\"'\nblock_if_fails = true\n",
    );
    desk.go(&["run", "!touch bad", "--auto-confirm"]);
    desk.go(&["run", "!touch fine", "--auto-confirm"]);
    assert!(!desk.path().join("bad").exists() && desk.path().join("fine").exists());
    desk.own_hooks("[hooks.on_run_end]\nrun = \"true\"\nblock_if_fails = true\n");
    desk.go(&["run", RENAME]).with(2).tells(&["hooks.toml:3:18", "nothing left to block"]);
    desk.go(&["config", "validate"]).with(2).tells(&["hooks.toml:3:18"]);
}

#[test]
fn the_screen_shows_what_a_hook_wrote_and_keeps_the_plan_when_it_refuses() {
    let desk = Desk::new();
    let gate = desk.home.path().join("open");
    desk.own_hooks(&format!(
        "[hooks.on_node_transition]\nfrom = \"plan\"\nto = \"act\"\nrun = \"test -e {} || {{ printf 'not on a \\\\033[31mFriday\\\\033[0m\\\\n'; exit 1; }}\"\nblock_if_fails = true\n",
        gate.display()
    ));
    let before = desk.tree();
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("[EXPLORE] idle");
    terminal.say(RENAME);
    terminal.see("Proceed?");
    terminal.answer("y");
    terminal.see("not on a Friday");
    terminal.see("Proceed?");
    assert_eq!(desk.tree(), before);
    fs::write(&gate, "").unwrap();
    terminal.answer("y");
    terminal.see("hunk 1/");
    terminal.kill();
    desk.verified();
}
