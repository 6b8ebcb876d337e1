//! What may be spent: judged before a request leaves, told in clear words, taken up again.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{Running, edit, ended, plan, processes},
    server::{Server, Turn, sorts},
};

const ORDER: &str = "rename find_notes to search_notes";
const OLD: &str = "The notes that hold every word of `query`, in any case, best first.";
const PRICED: &str = "[model]\nprice = { input = 1000.0, output = 1000.0 }\n";

/// The plan, its one edit, and the last word: 980 tokens each.
fn script() -> Vec<Turn> {
    vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
        Turn::Say("", vec![("edit", edit("src/search.rs", OLD, "Notes."))]),
        Turn::Say("Done.", vec![]),
    ]
}

/// A model that reads for ever, other lines each time.
fn reads() -> Server {
    let asked = AtomicUsize::new(1);
    Server::answering(move |request| {
        if sorts(request) {
            return Some(Turn::Say("I cannot tell.", vec![]));
        }
        let lines = asked.fetch_add(1, Ordering::Relaxed);
        Some(Turn::Say("", vec![("read", json!({"path": "src/search.rs", "lines": lines}))]))
    })
}

fn last(events: &[Value]) -> &Value {
    events.last().unwrap()
}

#[test]
fn a_spent_budget_ends_with_four_and_the_way_to_go_on_ends_the_work() {
    for (flag, most, told) in [
        ("--budget", "900t", "980 of 900 tokens"),
        ("--max-calls", "1", "1 of 1 call"),
        ("--budget", "0.50", "$0.98 of $0.50"),
    ] {
        let desk = Desk::new();
        desk.configure(PRICED);
        let before = desk.tree();
        // The step goes on each time with what it had.
        let server = Server::start(script());
        let ended = desk.ask(&server.base, &["run", ORDER, "--auto-confirm", "--json", flag, most]).with(4);
        let events = ended.events();
        let end = last(&events);
        assert!(end["reason"].as_str().unwrap().contains(told), "{end}");
        assert_eq!(end["question"]["kind"]["kind"], "budget", "{end}");
        assert_eq!((server.requests().len(), desk.tree()), (1, before), "{flag}");
        // The line as it stands: the same again, from where it stood.
        let go_on = end["go_on"].as_str().unwrap();
        assert!(go_on.contains(flag), "{go_on}");
        let words: Vec<&str> = go_on
            .split('"')
            .flat_map(|part| match part.trim() {
                whole if whole.starts_with('-') || whole.starts_with("pilothouse") => {
                    whole.split_whitespace().collect()
                }
                whole => vec![whole],
            })
            .filter(|w| !w.is_empty())
            .skip(1)
            .collect();
        desk.ask(&server.base, &words).with(4);
        let slug = end["session"].as_str().unwrap();
        desk.ask(&server.base, &["run", "/redo", "--session", slug, "--auto-confirm"]).with(0);
        assert!(desk.file("src/search.rs").contains("/// Notes."), "{flag}");
        assert_eq!(server.requests().len(), 3, "nothing is asked twice");
        desk.verified();
    }
}

#[test]
fn an_agent_whose_budget_is_spent_goes_on_by_its_name() {
    let desk = Desk::new();
    let server = Server::answering(|request| {
        let text = request.to_string();
        Some(if text.contains("<claims>") {
            Turn::Say(r#"{"unsupported": []}"#, vec![])
        } else if text.contains("<passages>") {
            Turn::Say(r#"{"summary": "`find_notes` finds them [1].", "sections": []}"#, vec![])
        } else {
            Turn::Say(r#"{"scope": "notes", "sub_queries": ["find_notes"]}"#, vec![])
        })
    });
    let run = [
        "run",
        "--agent",
        "research",
        "what does find_notes do?",
        "--auto-confirm",
        "--max-calls",
        "1",
        "--json",
    ];
    let ended = desk.ask(&server.base, &run).with(4);
    let end = last(&ended.events()).clone();
    let slug = end["session"].as_str().unwrap();
    let go_on = format!("pilothouse run \"/research\" --session {slug} --auto-confirm --max-calls 1");
    assert_eq!(end["go_on"], go_on);
    let run = ["run", "/research", "--session", slug, "--auto-confirm", "--max-calls", "5"];
    desk.ask(&server.base, &run).with(0).tells(&["Research complete"]);
    assert_eq!(server.requests().len(), 3, "nothing is asked twice");
}

#[test]
fn a_budget_of_the_settings_holds_over_all_runs_of_a_session_until_it_is_taken_off() {
    let desk = Desk::new();
    desk.configure("[session]\nbudget = \"3 calls\"\n");
    let server = reads();
    let ask = |words: &str, session: &str, exit| {
        desk.ask(&server.base, &["run", words, "--session", session]).with(exit)
    };
    desk.ask(&server.base, &["run", "what does find_notes do?"]).with(4).tells(&["3 of 3 calls"]);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    ask("what does find_notes do?", &slug, 4);
    assert_eq!(server.requests().len(), 3, "nothing left for a second run");
    let told = ask("/budget", &slug, 0);
    assert!(told.err.contains("budget: 3 of 3 calls, nothing left"), "{}", told.err);
    assert!(ask("status", &slug, 0).out.contains("3 of 3 calls, nothing left"));
    ask("/budget 2 calls", &slug, 0).tells(&["Budget: 2 calls from now on."]);
    ask("what does find_notes do?", &slug, 4);
    assert_eq!(server.requests().len(), 5);
    ask("/budget off", &slug, 0);
    ask("what does find_notes do?", &slug, 1).tells(&["80 rounds"]);
    desk.verified();
}

#[test]
fn a_project_can_lower_a_budget_and_never_raise_it() {
    for (user, project, most) in [("4 calls", "2 calls", 2), ("2 calls", "9 calls", 2), ("off", "2 calls", 2)]
    {
        let desk = Desk::new();
        desk.configure(&format!("[session]\nbudget = \"{user}\"\n"));
        fs::create_dir_all(desk.path().join(".pilothouse")).unwrap();
        fs::write(
            desk.path().join(".pilothouse/config.toml"),
            format!("[session]\nbudget = \"{project}\"\n"),
        )
        .unwrap();
        let server = reads();
        desk.ask(&server.base, &["run", "what does find_notes do?", "--trust"]).with(4);
        assert_eq!(server.requests().len(), most, "{user} and {project}");
    }
}

#[test]
fn an_unknown_price_is_said_and_tokens_hold_instead() {
    let desk = Desk::new();
    let server = reads();
    let ended = desk.ask(&server.base, &["run", "what does find_notes do?", "--budget", "5"]).with(2);
    ended.tells(&["The price of this model is not known", "--budget 50000t"]);
    assert_eq!(server.requests().len(), 1);
    desk.ask(&server.base, &["run", "what does find_notes do?", "--budget", "1500t"])
        .with(4)
        .tells(&["1,960 of 1,500 tokens"]);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_budget_of_nothing_is_said_at_once_and_nothing_begins() {
    let desk = Desk::new();
    for flag in ["--budget=0", "--budget=0t", "--max-calls=0"] {
        let ended = desk.go(&["run", ORDER, flag]).with(2);
        assert!(ended.err.contains('0'), "{}", ended.err);
    }
    desk.go(&["run", ORDER, "--budget=0"]).with(2).tells(&["leaves nothing to spend"]);
    desk.configure("[session]\nbudget = \"0\"\n");
    desk.go(&["run", ORDER]).with(2).tells(&["config.toml", "leaves nothing to spend"]);
    desk.configure("");
    assert!(desk.sessions().is_empty());
    let server = reads();
    desk.ask(&server.base, &["run", "/budget 0"]).with(2).tells(&["leaves nothing to spend"]);
    assert!(server.requests().is_empty());
}

/// A program under a name that the system would have, which notes its process and does what the real one does.
fn fake(folder: &Path, name: &str, marks: &Path) {
    let path = folder.join(name);
    fs::write(
        &path,
        format!("#!/bin/sh\necho $$ >> {}\nfor last; do :; done\nexec \"$last\"\n", marks.display()),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The processes that were noted, once there is one.
fn noted(marks: &Path) -> Vec<u32> {
    loop {
        let text = fs::read_to_string(marks).unwrap_or_default();
        if text.ends_with('\n') {
            return text.lines().map(|l| l.parse().unwrap()).collect();
        }
        std::thread::yield_now();
    }
}

#[test]
fn on_request_the_machine_is_kept_awake_while_a_run_works_and_by_nobody_left_behind() {
    let bin = tempfile::tempdir().unwrap();
    let marks = bin.path().join("held");
    for name in ["systemd-inhibit", "caffeinate"] {
        fake(bin.path(), name, &marks);
    }
    let awake = || {
        let desk = Desk::new();
        desk.configure("[session]\nkeep_awake = true\n");
        desk
    };
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let start = |desk: &Desk, server: &Server| {
        let mut command = desk.with_model(&server.base, &["run", ORDER, "--auto-confirm"]);
        command.env("PATH", &path);
        Running::start(command)
    };
    // Killed in the middle: its holder ends with it.
    let desk = awake();
    let server = Server::start(vec![Turn::Mute]);
    let running = start(&desk, &server);
    let held = noted(&marks);
    running.signal(Signal::KILL);
    drop(running.end());
    held.into_iter().for_each(ended);
    // Done: let go, and nobody else is left.
    fs::remove_file(&marks).unwrap();
    let server = Server::start(script());
    let desk = awake();
    assert_eq!(start(&desk, &server).end().exit, 0);
    noted(&marks).into_iter().for_each(ended);
    assert!(processes(&bin.path().display().to_string()).is_empty());
    // Not asked for: nobody is started.
    fs::remove_file(&marks).unwrap();
    let desk = Desk::new();
    assert_eq!(start(&desk, &Server::start(script())).end().exit, 0);
    assert!(!marks.exists());
}
