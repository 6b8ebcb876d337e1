//! A session whose log is very large: opened, gone on with and listed in bounded memory. `PILOTHOUSE_PROOF=whole` makes it
//! a gigabyte.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Instant,
};

use pilothouse_core::{
    event::{Event, Level, Stamped},
    ids::{Millis, Seq},
};
use pilothouse_runtime::{
    disk::RealDisk,
    log::{Log, Meta},
};

use crate::support::{
    Desk,
    alone::{Running, not_run, tell},
    proof::share,
    server::{Server, Turn},
};

const QUESTION: &str = "where is find_notes?";

/// Makes a log that much longer by notices of 12 KB, a hundred a record.
fn lengthen(folder: &Path, megabytes: usize) {
    let mut log = Log::open(folder, &Meta::default()).unwrap();
    let mut next = log.report().last.0 + 1;
    for _ in 0..megabytes {
        let step = (0..85).map(|n| Stamped {
            seq: Seq(next + n),
            at: Millis(1_700_000_000_000 + next + n),
            run: None,
            event: Event::Notice { level: Level::Info, text: "what was noticed ".repeat(730) },
        });
        log.append(&RealDisk, &[step.collect()]).unwrap();
        next += 85;
    }
}

#[test]
fn a_log_of_a_gigabyte_is_gone_on_with_in_bounded_memory() {
    let desk = Desk::new();
    desk.go(&["run", QUESTION]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let log = super::hostile::find(desk.home.path(), "session.jsonl").unwrap();
    let megabytes = share(1_024, 48);
    lengthen(log.parent().unwrap(), megabytes);
    let bytes = fs::metadata(&log).unwrap().len();
    assert!(bytes > (megabytes as u64) << 20, "{bytes}");
    let peak = Arc::new(Mutex::new((0_u32, None)));
    let theirs = Arc::clone(&peak);
    let look = Arc::new(move || {
        let mut seen = theirs.lock().unwrap();
        let status = fs::read_to_string(format!("/proc/{}/status", seen.0)).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        seen.1 = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    });
    let server = Server::start(vec![Turn::After(look, Box::new(Turn::Say("In src.", vec![])))]);
    let command = desk.with_model(&server.base, &["run", QUESTION, "--session", &slug]);
    // Nobody looks before the program's number is known.
    let mut held = peak.lock().unwrap();
    let start = Instant::now();
    let run = Running::start(command);
    held.0 = run.child.id();
    drop(held);
    run.end().with(0);
    let took = start.elapsed();
    let seen = peak.lock().unwrap().1;
    tell(&format!("a log of {} MB: {took:?}, at most {} MB in memory", bytes >> 20, seen.unwrap_or(0) >> 10));
    match seen {
        Some(kb) => assert!(kb < 250_000, "{kb} kB were in memory at once"),
        None => not_run("the peak of memory: there is no process table to read it from"),
    }
    desk.go(&["sessions", "list"]).with(0);
    desk.verified();
}

#[test]
fn a_log_with_a_hole_of_gigabytes_is_read_past_it() {
    let desk = Desk::new();
    desk.go(&["run", QUESTION]).with(0);
    let log = super::hostile::find(desk.home.path(), "session.jsonl").unwrap();
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    // Sparse: nothing of it is on the disk.
    let file = fs::File::options().write(true).open(&log).unwrap();
    file.set_len((share(4_096, 512) as u64) << 20).unwrap();
    let shown = desk.go(&["sessions", "show", &slug]).with(0);
    assert!(shown.out.contains(QUESTION), "{}", shown.out);
    let checked = desk.go(&["sessions", "verify", &slug]).with(1);
    assert!(checked.out.contains("DAMAGED"), "{}", checked.out);
}
