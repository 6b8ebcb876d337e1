//! `kill -9` at any instant of a run: nothing acknowledged is lost, every file is whole, the
//! session goes on, and nothing runs by itself.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    os::unix::process::ExitStatusExt,
    path::PathBuf,
};

use serde_json::Value;
use support::{
    Desk,
    alone::{Running, edit, plan},
    server::{Server, Turn},
};

const KILLS: usize = 60;

/// xorshift64*: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % below
    }
}

/// Three tasks, five files, one of them new.
fn script() -> Vec<Turn> {
    let say = |calls| Turn::Say("Working on it, piece by piece.", calls);
    vec![
        say(vec![("submit_plan", plan(&[("modify", "src/search.rs"), ("modify", "src/note.rs"), ("create", "src/extra.rs")]))]),
        say(vec![
            ("edit", edit("src/search.rs", "fn score(", "fn points_of(")),
            ("edit", edit("src/lib.rs", "pub mod note;", "pub mod note; // one")),
        ]),
        Turn::Say("The first.", vec![]),
        say(vec![
            ("edit", edit("src/note.rs", "//! One note", "//! A note")),
            ("edit", edit("src/store.rs", "//! The file", "//! A file")),
        ]),
        Turn::Say("The second.", vec![]),
        say(vec![("write", serde_json::json!({"path": "src/extra.rs", "content": "//! Extra.\n".repeat(400)}))]),
        Turn::Say("The third.", vec![]),
    ]
}

type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn begin(desk: &Desk, server: &Server) -> Running {
    let goal = ["run", "rename score to points_of", "--auto-confirm", "--json"];
    Running::start(desk.with_model(&server.base, &goal))
}

/// A run that nobody kills: what it prints, what the files are before and after.
fn whole() -> (usize, Tree, Tree) {
    let (desk, server) = (Desk::new(), Server::start(script()));
    let before = under(&desk);
    let ended = begin(&desk, &server).end().with(0);
    let after = under(&desk);
    let changed = after.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)).count();
    assert_eq!(changed, 5, "the script changes five files");
    (ended.out.lines().count(), before, after)
}

/// The files by their names in the workspace.
fn under(desk: &Desk) -> Tree {
    let root = desk.path().to_owned();
    desk.tree().into_iter().map(|(p, b)| (p.strip_prefix(&root).unwrap().to_owned(), b)).collect()
}

#[test]
fn a_kill_at_any_instant_loses_nothing_that_was_acknowledged() {
    let (lines, before, after) = whole();
    let mut dice = Dice(0x005e_ed0f_a7e5);
    let mut seen = Tally::default();
    for _ in 0..KILLS {
        // Some kills fall before the first line, some when all is said.
        let upto = dice.roll(lines as u64 + 2);
        let spin = dice.roll(400_000);
        one_kill(upto, spin, &before, &after, &mut seen);
    }
    writeln!(
        std::io::stderr(),
        "\nchecked={KILLS} violations=0 killed={} acknowledged={} torn={} interrupted_writes={} undone={}",
        seen.killed, seen.acknowledged, seen.torn, seen.interrupted, seen.undone
    )
    .unwrap();
    assert!(seen.killed > KILLS / 2, "{} runs were killed", seen.killed);
    assert!(seen.undone > KILLS / 10, "{} runs had written something", seen.undone);
}

#[derive(Default)]
struct Tally {
    killed: usize,
    acknowledged: usize,
    torn: usize,
    interrupted: usize,
    undone: usize,
}

fn one_kill(upto: u64, spin: u64, before: &Tree, after: &Tree, tally: &mut Tally) {
    let (desk, server) = (Desk::new(), Server::start(script()));
    let mut run = begin(&desk, &server);
    let mut told: Vec<Vec<u8>> = Vec::new();
    for _ in 0..upto {
        let line = run.line();
        if line.is_empty() {
            break;
        }
        told.push(line);
    }
    for n in 0..spin {
        std::hint::black_box(n);
    }
    drop(run.child.kill());
    // What it had still said before it was killed counts as well.
    loop {
        let line = run.line();
        if line.is_empty() {
            break;
        }
        told.push(line);
    }
    let status = run.child.wait().unwrap();
    tally.killed += usize::from(status.signal() == Some(9));
    told.retain(|line| line.ends_with(b"\n"));
    let told: Vec<Value> = told.iter().map(|l| serde_json::from_slice(l).unwrap()).collect();
    let told: Vec<&Value> = told.iter().filter(|e| e["type"] != "run_ended").collect();
    tally.acknowledged += told.len();

    every_file_is_whole(&desk, before, after);
    let asked = server.requests().len();
    let sessions = desk.sessions();
    let Some(slug) = sessions.first().map(|s| s["slug"].as_str().unwrap().to_owned()) else {
        assert!(told.is_empty(), "events were told and there is no session");
        return;
    };
    tally.torn += usize::from(!is_sound(&desk));
    opened_again(&desk, &slug, &told, tally);
    every_file_is_whole(&desk, before, after);
    assert_eq!(server.requests().len(), asked, "something ran by itself on opening");
}

fn every_file_is_whole(desk: &Desk, before: &Tree, after: &Tree) {
    let now = under(desk);
    let names: BTreeSet<&PathBuf> = now.keys().chain(before.keys()).collect();
    for name in names {
        let is = now.get(name);
        let temporary = name.file_name().unwrap().to_string_lossy().starts_with('.') && !before.contains_key(name);
        // What a killed write leaves beside a file is swept when the session is opened again.
        assert!(
            is == before.get(name) || is == after.get(name) || temporary,
            "{} is neither as before nor as after",
            name.display()
        );
    }
}

fn is_sound(desk: &Desk) -> bool {
    let found = desk.go(&["sessions", "verify", "--all", "--json"]);
    found.events().iter().all(|s| s["sound"] == true)
}

/// Shows, goes on, takes back: all with a model that would be asked if anything ran by itself.
fn opened_again(desk: &Desk, slug: &str, told: &[&Value], tally: &mut Tally) {
    let kept = desk.go(&["sessions", "show", slug, "--json"]).with(0).events();
    for (n, event) in kept.iter().enumerate() {
        assert_eq!(event["seq"], n as u64 + 1, "no number twice, none left out");
    }
    for event in told {
        let seq = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
        assert_eq!(Some(*event), kept.get(seq - 1), "an acknowledged event is in the log as it was told");
    }
    desk.go(&["sessions", "show", slug]).with(0);
    let question = ["run", "where is find_notes?", "--session", slug, "--json"];
    let first = desk.go(&question).with(0);
    assert!(first.out.contains("src/search.rs:6"), "{}", first.out);
    let events = first.events();
    tally.interrupted += usize::from(events.iter().any(|e| e["type"] == "call_lost" && !e["apply"].is_null()));
    // A torn tail is told once, and cut: afterwards all is sound.
    let second = desk.go(&question).with(0);
    assert!(!second.err.contains("torn"), "{}", second.err);
    desk.verified();
    let unasked = ["call_started", "thinking_started", "apply_started", "command_started", "revert_started"];
    let reopened = events.iter().position(|e| e["type"] == "session_reopened").unwrap();
    let turn = events.iter().position(|e| e["type"] == "turn_started").unwrap();
    for event in &events[reopened..turn] {
        assert!(!unasked.contains(&event["type"].as_str().unwrap()), "by itself: {event}");
    }
    taken_back(desk, slug, tally);
    desk.verified();
    let left: Vec<PathBuf> =
        under(desk).into_keys().filter(|p| p.file_name().unwrap().to_string_lossy().contains(".pilothouse")).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

fn taken_back(desk: &Desk, slug: &str, tally: &mut Tally) {
    let changes = desk.go(&["undo", "--list", "--session", slug]).with(0).out.lines().count();
    if changes == 0 {
        desk.go(&["undo", "--session", slug]).with(1).tells(&["no applied change"]);
        return;
    }
    tally.undone += 1;
    let undone = desk.go(&["undo", "--session", slug]).with(0).out;
    assert!(undone.contains("took back"), "{undone}");
}
