//! Sessions copied, handed to another machine, and told again: what was said goes along, what was changed stays where it was.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use serde_json::Value;

use crate::support::Desk;

const RENAME: &str = "rename find_notes to search_notes";

fn slug(desk: &Desk) -> String {
    desk.sessions()[0]["slug"].as_str().unwrap().to_owned()
}

fn of<'a>(sessions: &'a [Value], slug: &str) -> &'a Value {
    sessions.iter().find(|s| s["slug"] == slug).unwrap()
}

#[test]
fn a_fork_goes_on_from_what_was_said_and_takes_back_nothing_of_the_other() {
    let desk = Desk::new();
    desk.go(&["run", RENAME, "--auto-confirm"]).with(0);
    let first = slug(&desk);
    desk.go(&["run", "where is search_notes?", "--session", &first]).with(0);
    let written = desk.tree();
    let fork = desk.go(&["sessions", "fork", &first]).with(0).out.trim().to_owned();
    let early = desk.go(&["sessions", "fork", &first, "--at", "1"]).with(0).out.trim().to_owned();
    let listed = desk.go(&["sessions", "list", "--json"]).with(0).events();
    assert_eq!(of(&listed, &fork)["parent"], first.as_str());
    // The list counts what `--at` counts, and so do what is shown and what is told again.
    let messages = |slug: &str| of(&listed, slug)["messages"].as_u64().unwrap();
    assert_eq!([&first, &fork, &early].map(|slug| messages(slug)), [2, 2, 1], "{listed:?}");
    let shown = desk.go(&["sessions", "show", &first]).with(0).out;
    assert!(shown.contains("[1] you: rename") && shown.contains("[2] you: where is"), "{shown}");
    let again = desk.go(&["sessions", "replay", &first, "--json"]).with(0).events();
    assert_eq!(again.last().unwrap()["messages"], 2);
    assert_eq!(of(&listed, &fork)["applied"], 0);
    desk.go(&["undo", "--session", &fork]).with(1);
    assert_eq!(desk.tree(), written);
    // What it changes itself it takes back, and the other one takes back its own.
    desk.go(&["run", "rename search_notes to look_up", "--auto-confirm", "--session", &fork]).with(0);
    assert_ne!(desk.tree(), written);
    desk.go(&["undo", "--session", &fork]).with(0);
    assert_eq!(desk.tree(), written);
    desk.go(&["undo", "--session", &first]).with(0);
    assert_ne!(desk.tree(), written);
    desk.go(&["sessions", "fork", &first, "--at", "7"]).with(2).tells(&["it has 2 messages of yours"]);
    desk.go(&["sessions", "fork", "nobody"]).with(2);
    // The copy stands by itself.
    desk.go(&["sessions", "delete", &first, "--yes"]).with(0);
    desk.verified();
}

#[test]
fn what_one_machine_exports_another_imports_and_goes_on_with() {
    let (here, there) = (Desk::new(), Desk::new());
    here.go(&["run", RENAME, "--auto-confirm"]).with(0);
    let first = slug(&here);
    let file = here.home.path().join("session.jsonl");
    let name = file.to_str().unwrap();
    here.go(&["sessions", "export", &first, "--json", "--out", name]).with(0);
    let tree = there.tree();
    let copy = there.go(&["sessions", "import", name]).with(0).out.trim().to_owned();
    assert_eq!(there.tree(), tree, "importing changes no file");
    let shown = there.go(&["sessions", "show", &copy]).with(0).out;
    assert!(shown.contains(RENAME) && shown.contains("imported: from here on"), "{shown}");
    there.go(&["undo", "--session", &copy]).with(1);
    there.go(&["run", "where is find_notes?", "--session", &copy]).with(0);
    there.verified();
    // Nothing of a file that is no session, or of a part of one, is taken in.
    let before = there.sessions().len();
    fs::write(&file, "{\"seq\":2}\n").unwrap();
    there.go(&["sessions", "import", name]).with(2).tells(&["line 1 is no event"]);
    there.go(&["sessions", "import", "/nowhere"]).with(2).tells(&["cannot be opened"]);
    assert_eq!(there.sessions().len(), before);
}

#[test]
fn a_session_is_told_again_up_to_an_event_and_starts_nothing() {
    let desk = Desk::new();
    desk.go(&["run", RENAME, "--auto-confirm"]).with(0);
    let (first, tree) = (slug(&desk), desk.tree());
    let log = desk.go(&["sessions", "show", &first, "--json"]).with(0).events();
    let told = desk.go(&["sessions", "replay", &first]).with(0).out;
    for part in [RENAME, "src/search.rs", "nothing was started", "1 change on disk", "digest "] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    let again = desk.go(&["sessions", "replay", &first, "--json"]).with(0).events();
    let (state, events) = again.split_last().unwrap();
    assert_eq!((events.len(), state["type"].as_str()), (log.len(), Some("state")));
    let verified = desk.go(&["sessions", "verify", &first, "--json"]).with(0).events();
    assert_eq!(state["digest"], verified[0]["digest"], "folded again it comes to the same");
    // Before it was written the change is not there yet, and it is what was waited for.
    let asked = log.iter().find(|e| e["type"] == "apply_started").unwrap()["seq"].as_u64().unwrap();
    let until = (asked - 1).to_string();
    let part = desk.go(&["sessions", "replay", &first, "--until", &until, "--json"]).with(0).events();
    let (state, events) = part.split_last().unwrap();
    assert_eq!((u64::try_from(events.len()).unwrap(), state["applied"].as_u64()), (asked - 1, Some(0)));
    desk.go(&["sessions", "replay", &first, "--speed", "1000000"]).with(0);
    desk.go(&["sessions", "replay", &first, "--speed", "0"]).with(2);
    desk.go(&["sessions", "replay", &first, "--until", "100000"])
        .with(2)
        .tells(&["its last event is number"]);
    assert_eq!(desk.tree(), tree);
}
