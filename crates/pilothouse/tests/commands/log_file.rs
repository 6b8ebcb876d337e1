//! The log file at its default level: what happened can be told from it, and nothing of what was
//! said, read, written or run stands in it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use crate::support;
use serde_json::json;
use support::{
    Desk,
    alone::{edit, finish, plan},
    server::{Server, Turn},
};

/// Words that stand in the messages, the replies, the files and their names, and the command.
const WORDS: [&str; 7] =
    ["marmalade", "zanzibar", "pelican", "thimbleful", "quagmire", "harpsichord", "oxbow"];

fn log(desk: &Desk) -> String {
    let folder = desk.home.path().join("state/logs");
    let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    files.map(|p| std::fs::read_to_string(p).unwrap()).collect()
}

/// Whether a line holds all of these.
#[track_caller]
fn tells(log: &str, parts: &[&str]) {
    assert!(log.lines().any(|l| parts.iter().all(|p| l.contains(p))), "no line with {parts:?} in\n{log}");
}

#[test]
fn a_session_can_be_followed_in_the_log_file_and_nothing_of_its_contents_stands_there() {
    let desk = Desk::new();
    std::fs::write(desk.path().join("pelican.py"), "limit = 'thimbleful'\n").unwrap();
    std::fs::write(desk.path().join("check.sh"), "echo quagmire >&2; exit 3\n").unwrap();
    let read = ("read", json!({"path": "pelican.py"}));
    let server = Server::start(vec![
        Turn::Say("I plan with a marmalade.", vec![("submit_plan", plan(&[("modify", "pelican.py")]))]),
        Turn::Say("", vec![read, ("edit", edit("pelican.py", "thimbleful", "oxbow"))]),
        Turn::Say("The harpsichord is done.", vec![]),
        Turn::Say("", vec![("run", json!({"command": "sh check.sh harpsichord"}))]),
        Turn::Say("It fails.", vec![("read", json!({"path": "../oxbow"}))]),
        Turn::Say("Done.", vec![]),
        Turn::Raw("HTTP/1.1 401 Unauthorized\r\ncontent-length: 9\r\n\r\nmarmalade".to_owned()),
        Turn::Say("Shall I?", vec![("submit_plan", plan(&[("modify", "pelican.py")]))]),
    ]);
    let ask = |args: &[&str]| finish(desk.with_model(&server.base, args));
    ask(&["run", "change the thimbleful in pelican.py to zanzibar", "--auto-confirm"]).with(0);
    let ran = ask(&["run", "run the checks for the zanzibar", "--auto-confirm"]);
    let failed = ask(&["run", "where is the zanzibar?"]);
    let undone = ask(&["undo"]).with(0);
    ask(&["run", "change the thimbleful in pelican.py to zanzibar"]).with(3);
    let log = log(&desk);
    let started = format!("version=\"{}\"", env!("CARGO_PKG_VERSION"));
    tells(&log, &["program started", &started, "os=\"linux\"", "term=\"xterm-256color\""]);
    tells(&log, &["session created", "session{slug="]);
    tells(&log, &["message received", "turn=turn-"]);
    tells(&log, &["message classified", "class=", "path=", "tier=", "confidence="]);
    tells(&log, &["run{run=run-", "run started"]);
    tells(&log, &["turn{turn=turn-", "call{call=call-", "model call started"]);
    tells(&log, &["model call ended", "input=", "output=", "ms="]);
    tells(&log, &["model call failed", "fault=Unauthorized", "status=401"]);
    tells(&log, &["call{call=call-", "tool call started", "tool=\"read\""]);
    tells(&log, &["tool call ended", "tool=\"edit\"", "status=Done", "ms="]);
    tells(&log, &["apply started", "files=1"]);
    tells(&log, &["apply ended", "apply=apply-"]);
    tells(&log, &["undo ended"]);
    tells(&log, &["run ended", "status=Completed", "files=1"]);
    tells(&log, &["question opened", "kind="]);
    tells(&log, &["session closed", "saved=true"]);
    if desk.sandbox().is_some() {
        tells(&log, &["tool call started", "tool=\"run\""]);
        tells(&log, &["command ended", "code=3"]);
        tells(&log, &["tool call ended", "status=Failed"]);
    }
    for word in WORDS {
        assert!(
            !log.contains(word),
            "{word:?} stands in\n{log}\n{}\n{}\n{}",
            ran.err,
            failed.err,
            undone.err
        );
    }
}

#[test]
fn stages_gates_repairs_and_the_parts_of_a_message_can_be_followed_in_the_log_file() {
    let desk = Desk::new();
    desk.go(&["run", "--agent", "research", "--depth", "quick", "--auto-confirm", "where is the score?"]);
    desk.go(&["run", "summarize what search.rs does; explain main.rs"]);
    let told = log(&desk);
    tells(&told, &["pipeline started", "stages=6", "depth=\"quick\"", "web=false"]);
    tells(&told, &["stage started", "stage=0"]);
    tells(&told, &["stage ended", "stage=0", "queries=", "input=", "output=", "again=false"]);
    tells(&told, &["pipeline waits", "stage=0"]);
    tells(&told, &["pipeline goes on", "changes=false"]);
    tells(&told, &["stage ended", "stage=1", "skipped=true"]);
    tells(&told, &["pipeline ended"]);
    tells(&told, &["message classified", "class=Query", "sub=\"summary\"", "sub_score=", "segments=2"]);
    if desk.sandbox().is_none() {
        return;
    }
    let mut gated = plan(&[("modify", "src/search.rs")]);
    gated["gates"] = json!([{"name": "check", "command": "grep -q points_of src/search.rs"}]);
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", gated)]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn tally("))]),
        Turn::Say("Done.", vec![]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn tally(", "fn points_of("))]),
        Turn::Say("Mended.", vec![]),
    ]);
    let goal = "rename score to points_of in src/search.rs";
    let ran = finish(desk.with_model(&server.base, &["run", goal, "--auto-confirm", "--trust"]));
    let told = log(&desk);
    tells(&told, &["gate started", "gate=", "call="]);
    tells(&told, &["gate failed", "code=1"]);
    tells(&told, &["repair started", "attempt=1", "detour=false"]);
    tells(&told, &["gate passed", "code=0"]);
    assert_eq!(ran.exit, 0, "{}\n{}", ran.out, ran.err);
    assert!(!told.contains("points_of"), "{told}");
}
