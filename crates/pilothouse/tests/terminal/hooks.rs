//! Hooks through the real program: the user's own, a trusted project's, and what they can stop.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

use crate::support;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};

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
    desk.go(&["run", RENAME, "--auto-confirm"])
        .with(0)
        .tells(&["inactive, because this folder is not trusted"]);
    desk.go(&["undo"]).with(0);
    let before = desk.tree();
    let held = desk.go(&["run", RENAME, "--auto-confirm", "--trust", "--json"]).with(3);
    assert_eq!(desk.tree(), before, "nothing was written");
    let events = held.events();
    let types = types(&events);
    assert!(!types.contains(&"run_started"), "{types:?}");
    assert_eq!(
        types.iter().filter(|t| **t == "move_blocked").count(),
        1,
        "nobody says yes a second time: {types:?}"
    );
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
fn a_hook_that_writes_a_file_named_in_its_own_line_keeps_its_trust() {
    let desk = Desk::new();
    desk.project_hooks(&PLAN_TO_ACT.replace("confirm-action.sh", "confirm-action.sh >> asked.log"));
    desk.script("scripts/confirm-action.sh", "echo asked");
    let shown = desk.go(&["trust", "--show"]).with(0);
    let hash = shown.out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
    desk.go(&["trust", "--hash", &hash]).with(0);
    for times in 1..=2 {
        let ended = desk.go(&["run", RENAME, "--auto-confirm"]).with(0);
        assert!(!ended.err.contains("inactive, because this folder is not trusted"), "{}", ended.err);
        assert_eq!(desk.file("asked.log"), "asked\n".repeat(times));
        desk.go(&["undo"]).with(0);
    }
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

fn mode(path: impl AsRef<Path>, bits: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
}

/// A way in which a file of one's own can be somebody else's: what is done to the folder of the configuration that has
/// `hooks.toml` in it.
type Way = (&'static str, fn(&Path));

/// Moves the file to `elsewhere` and leaves a link to it.
fn moved(home: &Path, name: &str) -> PathBuf {
    let to = home.join("elsewhere").join(name);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    mode(home.join("elsewhere"), 0o755);
    fs::rename(home.join("hooks.toml"), &to).unwrap();
    symlink(&to, home.join("hooks.toml")).unwrap();
    to
}

const WAYS: [Way; 20] = [
    ("all may write", |h| mode(h.join("hooks.toml"), 0o666)),
    ("the group may write", |h| mode(h.join("hooks.toml"), 0o664)),
    ("others may write", |h| mode(h.join("hooks.toml"), 0o646)),
    ("others may only write", |h| mode(h.join("hooks.toml"), 0o602)),
    ("the group may only write", |h| mode(h.join("hooks.toml"), 0o620)),
    ("all may do all", |h| mode(h.join("hooks.toml"), 0o777)),
    ("group and others may write", |h| mode(h.join("hooks.toml"), 0o622)),
    ("its owner may not write, all others may", |h| mode(h.join("hooks.toml"), 0o422)),
    ("it starts as its owner and all may write", |h| mode(h.join("hooks.toml"), 0o4666)),
    ("all may write its folder", |h| mode(h, 0o777)),
    ("all may only write its folder", |h| mode(h, 0o733)),
    ("a link to what the group may write", |h| mode(moved(h, "file"), 0o660)),
    ("a link to what others may only write", |h| mode(moved(h, "file"), 0o602)),
    ("the group may write its folder", |h| mode(h, 0o775)),
    ("others may write its folder", |h| mode(h, 0o707)),
    ("a link to what all may write", |h| mode(moved(h, "file"), 0o666)),
    ("a link into a folder that all may write", |h| mode(moved(h, "file").parent().unwrap(), 0o777)),
    ("a link into a folder that the group may write", |h| mode(moved(h, "file").parent().unwrap(), 0o775)),
    ("a link below a folder that all may write", |h| {
        let to = moved(h, "in/file");
        mode(to.parent().unwrap(), 0o755);
        mode(h.join("elsewhere"), 0o777);
    }),
    ("a link over a folder that all may write", |h| {
        let to = moved(h, "file");
        fs::create_dir(h.join("middle")).unwrap();
        symlink(to, h.join("middle/step")).unwrap();
        fs::remove_file(h.join("hooks.toml")).unwrap();
        symlink("middle/step", h.join("hooks.toml")).unwrap();
        mode(h.join("middle"), 0o777);
    }),
];

/// Needs root.
const OWNERS: [Way; 4] = [
    ("another owner", |h| chown(h.join("hooks.toml"), Some(12_345), None).unwrap()),
    ("another owner, and nobody may write", |h| {
        mode(h.join("hooks.toml"), 0o444);
        chown(h.join("hooks.toml"), Some(12_345), None).unwrap();
    }),
    ("another owner of the folder", |h| chown(h, Some(12_345), None).unwrap()),
    ("a link to another owner's", |h| chown(moved(h, "file"), Some(12_345), None).unwrap()),
];

#[test]
fn a_hook_of_ones_own_that_others_could_have_written_does_not_run() {
    let owners = if rustix::process::geteuid().is_root() { &OWNERS[..] } else { &[] };
    if owners.is_empty() {
        support::alone::not_run(
            "hooks of another owner need root; run `cargo test --test terminal hooks` as root",
        );
    }
    let mut ran = Vec::new();
    for (way, spoil) in WAYS.iter().chain(owners) {
        let desk = Desk::new();
        let fired = desk.path().join("fired");
        desk.own_hooks(&format!("[hooks.on_intent_classified]\nrun = \"touch {}\"\n", fired.display()));
        spoil(desk.home.path());
        let ended = desk.go(&["run", "where is x?"]);
        if fired.exists() {
            ran.push(*way);
            continue;
        }
        ended.with(2).tells(&["hooks.toml is not used: ", "ch"]);
    }
    support::alone::tell(&format!("checked={} violations={}", WAYS.len() + owners.len(), ran.len()));
    assert!(ran.is_empty(), "hooks ran: {ran:?}");
    // The user's own runs, whoever may read it.
    for bits in [0o600, 0o644] {
        let desk = Desk::new();
        desk.own_hooks("[hooks.on_intent_classified]\nrun = \"touch fired\"\n");
        mode(desk.home.path().join("hooks.toml"), bits);
        desk.go(&["run", "where is x?"]);
        assert!(desk.path().join("fired").exists(), "{bits:o}");
    }
}

#[test]
fn no_file_that_widens_what_is_allowed_is_taken_when_others_could_have_written_it() {
    for (name, text) in [
        ("config.toml", "[session]\npermission = \"auto\"\n"),
        ("permissions.toml", "[[allow]]\ncommand = \"touch\"\n"),
        ("credentials.toml", "[keys]\nopenai = \"hunter22\"\n"),
    ] {
        for bits in [0o666, 0o664] {
            let desk = Desk::new();
            fs::write(desk.home.path().join(name), text).unwrap();
            mode(desk.home.path().join(name), bits);
            desk.go(&["run", "where is x?"]).with(2).tells(&[name, "chmod"]);
            let found = desk.go(&["doctor"]);
            assert!(found.exit == 1 && found.out.contains(name), "{}", found.out);
        }
    }
    let desk = Desk::new();
    fs::write(desk.home.path().join("keymap.toml"), "").unwrap();
    mode(desk.home.path().join("keymap.toml"), 0o666);
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("keymap.toml is not used");
    terminal.kill();
    // A folder that was trusted is not, when others could have written that.
    let desk = Desk::new();
    desk.project_hooks("[hooks.on_intent_classified]\nrun = \"touch fired\"\n");
    let shown = desk.go(&["trust", "--show"]).with(0);
    let hash = shown.out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
    desk.go(&["trust", "--hash", &hash]).with(0);
    let store = desk.home.path().join("state/trust");
    mode(fs::read_dir(&store).unwrap().next().unwrap().unwrap().path(), 0o666);
    desk.go(&["run", "where is x?"]);
    assert!(!desk.path().join("fired").exists());
}

#[test]
fn own_hooks_that_change_while_a_session_is_open_hold_from_the_next_message() {
    let desk = Desk::new();
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("[EXPLORE] idle");
    // The first frame is drawn before anything is read: after an answer the session is open.
    terminal.say("where is find_notes used?");
    terminal.see("src/search.rs");
    let refuses = "[hooks.on_node_transition]\nfrom = \"plan\"\nto = \"act\"\nrun = \"echo no; exit 1\"\nblock_if_fails = true\n";
    desk.own_hooks(refuses);
    let before = desk.tree();
    terminal.say(RENAME);
    terminal.see("hooks.toml changed: 1 hook of yours from now on");
    terminal.see("Proceed?");
    terminal.answer("y");
    terminal.see("stays at plan, not to act");
    assert_eq!(desk.tree(), before, "nothing was written");
}
