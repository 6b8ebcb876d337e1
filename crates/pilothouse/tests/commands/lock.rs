//! One session, one writer: a second process is turned away with a reason, a dead one holds nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex},
    time::Duration,
};

use serde_json::Value;
use support::{
    Desk,
    alone::{Dice, Running, tell},
    server::{Server, Turn},
};

const PROCESSES: u64 = 8;
const ROUNDS: u64 = 25;
/// How long another process may take to end.
const PATIENCE: Duration = Duration::from_secs(40);
const QUESTION: &str = "where is find_notes?";

#[test]
fn a_second_process_is_turned_away_until_the_first_is_gone() {
    let desk = Desk::new();
    desk.go(&["run", "rename find_notes to search_notes", "--auto-confirm"]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let server = Server::start(vec![Turn::Hang("Let me see"), Turn::Hang("Again")]);
    let mut first = Running::start(desk.with_model(&server.base, &["run", QUESTION, "--session", &slug]));
    server.wait_requests(1);
    let (before, tree) = (log_of(&desk, &slug), desk.tree());

    let pid = first.child.id().to_string();
    let told = ["is open in another process", &slug, &pid, "close the other one"];
    desk.go(&["run", QUESTION, "--session", &slug]).with(2).tells(&told);
    desk.go(&["run", QUESTION, "--session", &slug, "--json"]).with(2).tells(&told);
    desk.go(&["undo", "--session", &slug]).with(2).tells(&told);
    desk.go(&["redo", "--session", &slug]);
    assert_eq!(log_of(&desk, &slug), before, "the second one wrote nothing");
    assert_eq!(desk.tree(), tree);
    assert_eq!(server.requests().len(), 1, "the second one asked nobody");
    // Reading is free.
    desk.verified();
    assert_eq!(desk.sessions().len(), 1);

    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let answer = desk.go(&["run", "where is search_notes?", "--session", &slug]).with(0);
    assert!(answer.out.contains("src/search.rs:6"), "{}", answer.out);
    desk.go(&["undo", "--session", &slug]).with(0);
    desk.verified();
}

fn log_of(desk: &Desk, slug: &str) -> Vec<Value> {
    desk.go(&["sessions", "show", slug, "--json"]).with(0).events()
}

#[test]
fn eight_processes_with_random_kills_never_mix_their_lines() {
    let desk = Desk::new();
    let slug = {
        desk.go(&["run", QUESTION]).with(0);
        desk.sessions()[0]["slug"].as_str().unwrap().to_owned()
    };
    let all = (Mutex::new(Seen::default()), Condvar::new());
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let (desk, slug, all) = (&desk, &slug, &all);
            scope.spawn(move || {
                let mut dice = Dice(0x10c4_0ff5 + process * 0x9e37_79b9);
                for _ in 0..ROUNDS {
                    // Turned away, it waits until another one has ended, and tries again.
                    for _ in 0..6 {
                        let before = all.0.lock().unwrap().ended;
                        let taken = round(desk, slug, &mut dice, &all.0);
                        all.1.notify_all();
                        if taken {
                            break;
                        }
                        let held = all.0.lock().unwrap();
                        let waits = |s: &mut Seen| s.ended == before && s.under_way > 0;
                        drop(all.1.wait_timeout_while(held, PATIENCE, waits).unwrap());
                    }
                }
            });
        }
    });
    let seen = all.0.into_inner().unwrap();
    let kept = log_of(&desk, &slug);
    for (n, event) in kept.iter().enumerate() {
        assert_eq!(event["seq"], n as u64 + 1, "no number twice, none left out");
    }
    for (seq, event) in &seen.told {
        let at = usize::try_from(*seq).unwrap() - 1;
        assert_eq!(kept.get(at), Some(event), "what a process was told stands in the log");
    }
    tell(&format!(
        "checked={} violations=0 events={} finished={} killed={} turned_away={}",
        PROCESSES * ROUNDS,
        kept.len(),
        seen.finished,
        seen.killed,
        seen.turned_away
    ));
    assert!(seen.finished > 0 && seen.killed > 0 && seen.turned_away > 0);
    // All are gone: it is free at once.
    desk.go(&["run", QUESTION, "--session", &slug]).with(0);
    desk.verified();
}

#[derive(Default)]
struct Seen {
    told: BTreeMap<u64, Value>,
    finished: u64,
    killed: u64,
    turned_away: u64,
    ended: u64,
    under_way: u64,
}

/// Whether it had the session to itself, or was killed.
fn round(desk: &Desk, slug: &str, dice: &mut Dice, all: &Mutex<Seen>) -> bool {
    all.lock().unwrap().under_way += 1;
    let mut run = Running::start(desk.command(&["run", QUESTION, "--session", slug, "--json"]));
    // Two of three are killed, if they live that long.
    let upto = if dice.roll(3) == 0 { u64::MAX } else { dice.roll(18) };
    let mut lines = Vec::new();
    while (lines.len() as u64) < upto {
        let line = run.line();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let killed = lines.len() as u64 == upto;
    if killed {
        drop(run.child.kill());
    }
    let ended = run.end();
    lines.extend(ended.out.split_inclusive('\n').map(|l| l.as_bytes().to_vec()));
    let mut seen = all.lock().unwrap();
    seen.ended += u64::from(ended.exit != 2);
    seen.under_way -= 1;
    match ended.exit {
        0 => seen.finished += 1,
        2 => {
            assert!(ended.err.contains("is open in another process"), "{}", ended.err);
            assert!(lines.is_empty(), "one that was turned away told of events");
            seen.turned_away += 1;
        }
        other => {
            assert!(killed, "ended with {other}: {}", ended.err);
            seen.killed += 1;
        }
    }
    for line in lines.iter().filter(|l| l.ends_with(b"\n")) {
        let event: Value = serde_json::from_slice(line).unwrap();
        if event["type"] != "run_ended" {
            let seq = event["seq"].as_u64().unwrap();
            if let Some(other) = seen.told.insert(seq, event.clone()) {
                assert_eq!(other, event, "two processes were told of different events {seq}");
            }
        }
    }
    ended.exit != 2
}
