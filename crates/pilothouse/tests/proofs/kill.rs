//! `kill -9` at any instant of a run: nothing acknowledged is lost, every file is whole, the
//! session goes on, and nothing runs by itself. `PILOTHOUSE_PROOF=whole` kills 1,000 times; else a share of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value;
use support::{
    Desk,
    alone::{Dice, Ended, Running, edit, plan, tell},
    proof::share,
    server::{Server, Turn},
};

/// Three tasks, five files, one of them new.
fn script() -> Vec<Turn> {
    let say = |calls| Turn::Say("Working on it, piece by piece.", calls);
    vec![
        say(vec![(
            "submit_plan",
            plan(&[("modify", "src/search.rs"), ("modify", "src/note.rs"), ("create", "src/extra.rs")]),
        )]),
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
        say(vec![(
            "write",
            serde_json::json!({"path": "src/extra.rs", "content": "//! Extra.\n".repeat(400)}),
        )]),
        Turn::Say("The third.", vec![]),
    ]
}

type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn begin(desk: &Desk, server: &Server) -> Running {
    let goal = ["run", "rename score to points_of", "--auto-confirm", "--json"];
    Running::start(desk.with_model(&server.base, &goal))
}

/// A run that nobody kills: the types of the events that it prints, what the files are before and after.
fn whole() -> (Vec<String>, Tree, Tree) {
    let (desk, server) = (Desk::new().one_by_one(), Server::start(script()));
    let before = under(&desk);
    let ended = begin(&desk, &server).end().with(0);
    let after = under(&desk);
    let changed = after.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)).count();
    assert_eq!(changed, 5, "the script changes five files");
    let types = ended.events().iter().map(|e| e["type"].as_str().unwrap().to_owned()).collect();
    (types, before, after)
}

/// The files by their names in the workspace.
fn under(desk: &Desk) -> Tree {
    let root = desk.path().to_owned();
    desk.tree().into_iter().map(|(p, b)| (p.strip_prefix(&root).unwrap().to_owned(), b)).collect()
}

#[test]
fn a_kill_at_any_instant_loses_nothing_that_was_acknowledged() {
    let kills = share(1_000, 24);
    let (types, before, after) = whole();
    // Half of the kills fall anywhere, half where something is about to be written.
    let critical = |t: &&(usize, String)| ["apply_approved", "apply_started"].contains(&t.1.as_str());
    let lines: Vec<(usize, String)> = types.into_iter().enumerate().map(|(n, t)| (n + 1, t)).collect();
    let writes: Vec<usize> = lines.iter().filter(critical).map(|(n, _)| *n).collect();
    assert_eq!(writes.len(), 6, "three writes, each approved and begun");
    let (next, seen) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        loop {
            let n = next.fetch_add(1, Ordering::SeqCst);
            if n >= kills {
                return;
            }
            let mut dice = Dice(0x005e_ed0f_a7e5 + n as u64 * 0x9e37_79b9);
            let (upto, spin) = if n % 2 == 0 {
                (dice.roll(lines.len() as u64 + 1), dice.roll(400_000))
            } else {
                (writes[n / 2 % writes.len()] as u64, dice.roll(3_000_000))
            };
            one_kill(upto, spin, &before, &after, &seen);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(work);
        }
    });
    let seen = seen.into_inner().unwrap();
    tell(&format!(
        "checked={kills} violations=0 killed={} acknowledged={} torn={} within_a_write={} undone={}",
        seen.killed, seen.acknowledged, seen.torn, seen.interrupted, seen.undone
    ));
    assert!(seen.killed > kills / 2, "{} runs were killed", seen.killed);
    assert!(seen.undone > kills / 10, "{} runs had written something", seen.undone);
}

#[derive(Default)]
struct Tally {
    killed: usize,
    acknowledged: usize,
    torn: usize,
    interrupted: usize,
    undone: usize,
}

fn one_kill(upto: u64, spin: u64, before: &Tree, after: &Tree, tally: &Mutex<Tally>) {
    let (desk, server) = (Desk::new().one_by_one(), Server::start(script()));
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
    told.retain(|line| line.ends_with(b"\n"));
    let told: Vec<Value> = told.iter().map(|l| serde_json::from_slice(l).unwrap()).collect();
    let told: Vec<&Value> = told.iter().filter(|e| e["type"] != "run_ended").collect();
    {
        let mut tally = tally.lock().unwrap();
        tally.killed += usize::from(status.signal() == Some(9));
        tally.acknowledged += told.len();
    }
    every_file_is_whole(&desk, before, after);
    let sessions = desk.sessions();
    let Some(slug) = sessions.first().map(|s| s["slug"].as_str().unwrap().to_owned()) else {
        assert!(told.is_empty(), "events were told and there is no session");
        return;
    };
    opened_again(&desk, &slug, &told, tally);
    every_file_is_whole(&desk, before, after);
}

fn every_file_is_whole(desk: &Desk, before: &Tree, after: &Tree) {
    let now = under(desk);
    let names: BTreeSet<&PathBuf> = now.keys().chain(before.keys()).collect();
    for name in names {
        let is = now.get(name);
        let temporary =
            name.file_name().unwrap().to_string_lossy().starts_with('.') && !before.contains_key(name);
        // What a killed write leaves beside a file is swept when the session is opened again.
        assert!(
            is == before.get(name) || is == after.get(name) || temporary,
            "{} is neither as before nor as after",
            name.display()
        );
    }
}

/// Shows, goes on, takes back: all with a model that would be asked if anything ran by itself.
fn opened_again(desk: &Desk, slug: &str, told: &[&Value], tally: &Mutex<Tally>) {
    let kept = desk.go(&["sessions", "show", slug, "--json"]).with(0).events();
    for (n, event) in kept.iter().enumerate() {
        assert_eq!(event["seq"], n as u64 + 1, "no number twice, none left out");
    }
    for event in told {
        let seq = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
        assert_eq!(Some(*event), kept.get(seq - 1), "an acknowledged event is in the log as it was told");
    }
    let question = ["run", "where is find_notes?", "--session", slug, "--json"];
    let first = answered(desk.go(&question));
    let events = first.events();
    let torn = first.err.contains("torn");
    if torn {
        // A torn tail is told once, and cut: afterwards all is sound.
        let second = answered(desk.go(&question));
        assert!(!second.err.contains("torn"), "{}", second.err);
    }
    let unasked = ["call_started", "thinking_started", "apply_started", "command_started", "revert_started"];
    let reopened = events.iter().position(|e| e["type"] == "session_reopened").unwrap_or(0);
    let turn = events.iter().position(|e| e["type"] == "turn_started").unwrap();
    for event in &events[reopened..turn] {
        assert!(!unasked.contains(&event["type"].as_str().unwrap()), "by itself: {event}");
    }
    // A write that was open was looked at on disk, and what was found was written down.
    let begun = |e: &&Value| e["type"] == "apply_started";
    let settled = |e: &&Value| e["type"] == "applied" || e["type"] == "apply_failed";
    let within = kept.iter().filter(begun).count() > kept.iter().filter(settled).count();
    let lost = |e: &Value| settled(&e) || e["type"] == "call_lost";
    // That may be done for the folder before the session is opened, and is not printed then.
    let log = desk.go(&["sessions", "show", slug, "--json"]).with(0).events();
    let since = log.get(kept.len()..).unwrap_or_default();
    let upto = since.iter().position(|e| e["type"] == "turn_started").unwrap_or(since.len());
    assert!(!within || since[..upto].iter().any(lost), "an open write is not settled");
    let undone = taken_back(desk, slug);
    desk.verified();
    let temporary = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().contains("pilothouse-tmp");
    let left: Vec<PathBuf> = under(desk).into_keys().filter(temporary).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    let mut tally = tally.lock().unwrap();
    tally.torn += usize::from(torn);
    tally.interrupted += usize::from(within);
    tally.undone += usize::from(undone);
}

/// The question is answered; what waited for the user before still waits, and is named.
fn answered(ended: Ended) -> Ended {
    assert!(ended.out.contains("src/search.rs:6"), "{}", ended.out);
    if ended.exit == 0 {
        return ended;
    }
    let last = ended.events().pop().unwrap();
    assert_eq!(last["question"]["kind"]["kind"], "diff", "{last}");
    ended.with(3)
}

/// Whether there was something to take back, and it was.
fn taken_back(desk: &Desk, slug: &str) -> bool {
    let undone = desk.go(&["undo", "--session", slug]);
    if undone.exit == 1 {
        undone.tells(&["no applied change"]);
        return false;
    }
    assert!(undone.with(0).out.contains("took back"));
    true
}

#[test]
fn a_log_whose_end_is_torn_off_is_cut_into_a_side_file_and_told_once() {
    let (desk, server) = (Desk::new().one_by_one(), Server::start(script()));
    begin(&desk, &server).end().with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let log = find(desk.home.path(), "session.jsonl");
    let whole = std::fs::read(&log).unwrap();
    let shown = desk.go(&["sessions", "show", &slug, "--json"]).with(0).events();
    let mut dice = Dice(0x007e_a27a_11ed);
    for _ in 0..8 {
        let first = whole.iter().position(|b| *b == b'\n').unwrap() as u64 + 1;
        let at = usize::try_from(first + dice.roll(whole.len() as u64 - first)).unwrap();
        std::fs::write(&log, &whole[..at]).unwrap();
        let kept = desk.go(&["sessions", "show", &slug, "--json"]).with(0).events();
        assert_eq!(kept[..], shown[..kept.len()], "what stands before the tear is there");
        let question = ["run", "where is find_notes?", "--session", &slug, "--json"];
        let (first, second) = (answered(desk.go(&question)), answered(desk.go(&question)));
        // A record that lacks only its line end is whole: nothing is torn off.
        let mid = whole[at - 1] != b'\n' && whole[at] != b'\n';
        assert_eq!(first.err.contains("torn"), mid, "at {at}: {}", first.err);
        assert!(!second.err.contains("torn"), "{}", second.err);
        desk.verified();
        let tail = whole[..at].rsplit(|b| *b == b'\n').next().unwrap().to_vec();
        let beside = std::fs::read_dir(log.parent().unwrap()).unwrap().flatten().map(|e| e.path());
        let sides: Vec<PathBuf> = beside.filter(|p| p.to_string_lossy().contains(".torn-")).collect();
        assert_eq!(sides.len(), usize::from(mid));
        for side in sides {
            assert_eq!(std::fs::read(&side).unwrap(), tail, "the torn part is kept");
            std::fs::remove_file(side).unwrap();
        }
    }
    assert_eq!(server.requests().len(), script().len(), "nothing ran by itself");
}

pub fn find(folder: &std::path::Path, name: &str) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap() == name {
                return path;
            }
        }
    }
    panic!("there is no {name}");
}
