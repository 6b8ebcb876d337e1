//! Gates that go wrong: one that hangs, one that prints without end, one that is not there.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use crate::support::{
    Desk,
    alone::{Running, edit, not_run, plan, processes},
    proof,
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

/// A run of one step with this gate; nothing where no sandbox can be had.
fn gated(command: &str) -> Option<(Desk, Running, Server)> {
    let desk = Desk::new();
    if desk.sandbox().is_none() {
        not_run("gates that run unasked: no sandbox can be had here");
        return None;
    }
    let mut plan = plan(&[("modify", "src/search.rs")]);
    plan["gates"] = json!([{"name": "check", "command": command}]);
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan)]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
        Turn::Say("I cannot.", vec![]),
        Turn::Say("I cannot.", vec![]),
    ]);
    let goal = ["run", GOAL, "--auto-confirm", "--trust", "--json"];
    let running = Running::start(desk.with_model(&server.base, &goal));
    Some((desk, running, server))
}

/// What was written stays, whatever the gate says.
fn stays(desk: &Desk) {
    assert!(desk.file("src/search.rs").contains("fn points_of("));
    desk.verified();
}

#[test]
fn a_gate_that_hangs_is_stopped_with_all_of_its_processes() {
    let mark = format!("600.{}", std::process::id());
    let Some((desk, mut running, _server)) = gated(&format!("sleep {mark} & sleep {mark}")) else { return };
    // The sandbox's helper has the line in its own command line as well.
    while !String::from_utf8_lossy(&running.line()).contains("\"command_started\"") {}
    assert!(!processes(&mark).is_empty());
    running.signal(rustix::process::Signal::INT);
    running.end().with(130);
    assert_eq!(processes(&mark), Vec::<u32>::new());
    stays(&desk);
    // Nothing goes on, and the plan is there to be taken up.
    let shown = desk.go(&["run", "/status", "--session", desk.sessions()[0]["slug"].as_str().unwrap()]);
    for told in ["phase    idle", "The change, 1 of 1 step, 0/1 gate"] {
        assert!(shown.out.contains(told), "{}", shown.out);
    }
}

#[test]
fn a_gate_that_prints_a_gigabyte_is_judged_by_its_exit_and_little_of_it_is_kept() {
    let bytes = proof::share(1_000_000_000, 100_000_000);
    let prints = format!("head -c {bytes} /dev/zero | tr '\\0' x");
    let Some((desk, running, _server)) = gated(&prints) else { return };
    let ended = running.end().with(0);
    let events = ended.events();
    assert!(events.iter().any(|e| e["type"] == "gate_passed"), "{}", ended.out);
    let kept: u64 = bytes_below(desk.home.path());
    assert!(kept < 20 << 20, "{kept} bytes are kept");
    stays(&desk);
}

/// The bytes of all files below a folder.
fn bytes_below(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|e| {
            let folder = e.file_type().unwrap().is_dir();
            if folder { bytes_below(&e.path()) } else { e.metadata().unwrap().len() }
        })
        .sum()
}

#[test]
fn a_gate_that_is_not_there_is_red_with_the_words_of_the_shell_and_the_change_stays() {
    let Some((desk, running, _server)) = gated("no-such-checker --all") else { return };
    let ended = running.end();
    let events = ended.events();
    let failed =
        events.iter().find(|e| e["type"] == "gate_failed").unwrap_or_else(|| panic!("{}", ended.out));
    assert_eq!(failed["proof"]["exit"]["code"], 127);
    assert!(failed["proof"]["diagnostics"].as_str().unwrap().contains("no-such-checker"), "{failed}");
    assert!(ended.exit != 0, "a run with a red gate is not complete");
    stays(&desk);
}
