//! Command goals in the real program: a journey at the terminal, keys held down, and without a screen.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout)]

use crate::support;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{
    Desk, Terminal,
    server::{Server, Turn},
};

const APPROVALS: &str = "\x18a";
const CLEAR: &str = "\x15";

fn run(command: &str) -> Turn {
    Turn::Say("", vec![("run", json!({ "command": command }))])
}

fn open(desk: &Desk, server: &Server) -> Terminal {
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let terminal = Terminal::open(desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    terminal
}

/// The events of the only session.
fn log(desk: &Desk) -> Vec<Value> {
    let (code, out, err) = desk.run(&["sessions", "list", "--json"]);
    assert_eq!(code, 0, "{err}");
    let list: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let slug = list["slug"].as_str().unwrap().to_owned();
    let (_, out, _) = desk.run(&["sessions", "show", &slug, "--json"]);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'a>(log: &'a [Value], kind: &str) -> Vec<&'a Value> {
    log.iter().filter(|e| e["type"] == kind).collect()
}

#[test]
fn journey_7_prefilled_edited_failed_twice_noted_and_ended() {
    let desk = Desk::empty();
    std::fs::write(desk.path().join("check.sh"), "echo checked >> ran\necho broken >&2\nexit 7\n").unwrap();
    let server = Server::start(vec![
        run("sh chekc.sh"),
        run("sh  check.sh"),
        run("sh check.sh"),
        Turn::Say("never said", vec![]),
    ]);
    let mut terminal = open(&desk, &server);
    terminal.say("run the checks");
    terminal.see("$ sh chekc.sh");
    let screen = terminal.see("Enter runs it");
    assert!(screen.contains("⚠ medium"), "{screen}");
    terminal.read();
    terminal.keys("\x1b[C");
    terminal.see("clear + Enter skips");
    terminal.keys(CLEAR);
    terminal.see("Enter skips it");
    terminal.keys("sh check.sh");
    terminal.see("changed");
    assert!(!desk.path().join("ran").exists(), "nothing runs before it is submitted");
    terminal.decide("\r");
    terminal.see("exit 7   changed by you");
    terminal.see("$ sh  check.sh");
    terminal.decide("\r");
    terminal.see("The same command failed twice");
    terminal.see("Planner error. 2 commands, 2 failed, 1 not run");
    assert_eq!(desk.file("ran"), "checked\nchecked\n", "the third is not run");
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let told = |n: usize| requests[n]["messages"].to_string();
    assert!(told(1).contains("the user changed the command; this was run: sh check.sh"), "{}", told(1));
    assert!(told(1).contains("exit 7") && told(1).contains("stderr:\\nbroken"), "{}", told(1));
    let note = "it failed twice in a row: do not repeat it";
    assert!(!told(1).contains(note) && told(2).contains(note), "{}", told(2));
    terminal.answer("q");
    terminal.see("[EXPLORE] idle");
    terminal.keys("\x03\x03");
    assert_eq!(terminal.end(), 0);
    let log = log(&desk);
    let lines: Vec<&str> =
        of(&log, "command_proposed").iter().map(|e| e["command"].as_str().unwrap()).collect();
    assert_eq!(lines, ["sh chekc.sh", "sh check.sh", "sh  check.sh", "sh check.sh"]);
    let end = of(&log, "run_completed")[0];
    assert_eq!((&end["status"], &end["goal"]["status"]), (&json!("failed"), &json!("planner_error")));
    let codes: Vec<&Value> =
        end["goal"]["attempts"].as_array().unwrap().iter().map(|a| &a["exit"]["code"]).collect();
    assert_eq!(codes, [&json!(7), &json!(7), &Value::Null]);
}

/// Sends a key as a terminal does while it is held: at once, after a while, then again and again.
/// Holds a key; whether the machine let it repeat as a held key does. One that rests longer between two
/// repeats was let go, as far as a program can know.
#[must_use]
fn hold(terminal: &mut Terminal, key: &str, time: Duration) -> bool {
    let until = Instant::now() + time;
    terminal.keys(key);
    pause(Duration::from_millis(400));
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    while Instant::now() < until {
        terminal.keys(key);
        pause(Duration::from_millis(33));
        longest = longest.max(last.elapsed());
        last = Instant::now();
    }
    let steady = longest < Duration::from_millis(200);
    if !steady {
        println!("NOT RUN: the machine is so busy that the key rested {} ms", longest.as_millis());
    }
    steady
}

/// A stretch of time is what a held key is made of.
fn pause(time: Duration) {
    let (sender, never) = std::sync::mpsc::sync_channel::<()>(1);
    assert!(never.recv_timeout(time).is_err());
    drop(sender);
}

#[test]
fn a_key_that_is_held_runs_nothing_and_the_same_key_pressed_anew_does() {
    let desk = Desk::empty();
    let server = Server::start(vec![run("touch mark"), Turn::Say("Done.", vec![])]);
    let mut terminal = open(&desk, &server);
    terminal.keys("run the checks");
    terminal.see("run the checks");
    // The Enter that sends the message stays down while the command appears under it.
    if !hold(&mut terminal, "\r", Duration::from_millis(2_500)) {
        return;
    }
    terminal.see("$ touch mark");
    assert!(!desk.path().join("mark").exists());
    terminal.decide("\r");
    terminal.see("Complete. 1 command");
    assert!(desk.path().join("mark").exists());
}

#[test]
fn a_held_letter_answers_nothing_in_the_plan_or_the_list() {
    let desk = Desk::empty();
    desk.configure("[plan]\nconfirm = \"always\"\n");
    let plan = json!({"title": "T", "tasks": [{"title": "a", "kind": "create", "files": ["a.txt"]}]});
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan)]),
        // Asked once whether it really is, since no such file is there.
        Turn::Say("nothing to change: it is there", vec![]),
        Turn::Say("nothing to change: it is there", vec![]),
        run("touch mark"),
        Turn::Say("Denied, then.", vec![]),
    ]);
    let mut terminal = open(&desk, &server);
    terminal.say("create a.txt");
    terminal.keys("\x14");
    if !hold(&mut terminal, "y", Duration::from_secs(2)) {
        return;
    }
    terminal.see("awaiting_approval");
    terminal.decide("y");
    // The plan's pane has given the keys back.
    terminal.see("[EXPLORE] idle");
    terminal.say("run the checks");
    terminal.see("touch mark");
    terminal.keys(APPROVALS);
    if !hold(&mut terminal, "y", Duration::from_secs(2)) {
        return;
    }
    terminal.see("nothing runs without you");
    assert!(!desk.path().join("mark").exists());
    terminal.decide("n");
    terminal.see("tell the agent why");
    terminal.keys("not now\r");
    terminal.see("not run: denied by the user");
    assert!(!desk.path().join("mark").exists());
}

#[test]
fn the_users_own_command_streams_and_a_cancel_ends_all_that_it_started() {
    let desk = Desk::empty();
    let server = Server::start(vec![]);
    let mut terminal = open(&desk, &server);
    terminal.say("!echo begun; echo bad >&2; (while :; do date +%N > beat; sleep 0.05; done) & wait");
    terminal.see("│ begun");
    terminal.see("! bad");
    terminal.until("a beat", |_| desk.path().join("beat").exists());
    terminal.keys("\x03");
    terminal.see("[EXPLORE] idle");
    let last = desk.file("beat");
    pause(Duration::from_millis(400));
    assert_eq!(desk.file("beat"), last, "what it started is gone");
    assert!(server.requests().is_empty(), "no model is asked");
}

#[test]
fn without_a_screen_a_goal_ends_with_its_code_and_its_summary() {
    let desk = Desk::empty();
    let go = |script: Value, args: &[&str]| {
        let path = desk.home.path().join("script.json");
        std::fs::write(&path, script.to_string()).unwrap();
        let mut all = vec!["run"];
        all.extend(args);
        let out = desk
            .command(&all)
            .env("PILOTHOUSE_MODEL", format!("script:{}", path.display()))
            .output()
            .unwrap();
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let call = |command: &str| json!({"calls": [{"name": "run", "args": {"command": command}}]});
    let (code, _, err) = go(json!([call("make x")]), &["run the checks"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("? Run `make x`?") && err.contains("pilothouse resume"), "{err}");
    let (code, out, err) = go(
        json!([call("sh -c 'echo out; echo err >&2'"), {"text": "Fine."}]),
        &["run the checks", "--auto-confirm"],
    );
    assert_eq!((code, out.as_str()), (Some(0), "Fine.\n"), "{err}");
    assert!(
        err.contains("  │ out\n") && err.contains("  ! err\n") && err.contains("Complete. 1 command"),
        "{err}"
    );
    let (code, out, _) =
        go(json!([call("false"), {"text": "It fails."}]), &["run the checks", "--auto-confirm", "--json"]);
    assert_eq!(code, Some(1));
    let lines: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let end = of(&lines, "run_completed")[0];
    assert_eq!((&end["status"], &end["goal"]["status"]), (&json!("failed"), &json!("failed")));
    let (code, _, err) =
        go(json!([{"text": "```json\n{\"mode\": \"command\"}\n```"}]), &["run the checks", "--auto-confirm"]);
    assert_eq!(code, Some(3), "its question is open: {err}");
    assert!(err.contains("the model's reply is neither an answer nor a command"), "{err}");
    let (code, _, err) = go(json!([]), &["!exit 4"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("Failed: `exit 4` ended with exit 4."), "{err}");
}
