//! Headless runs to their end, with their exit codes, streams and patches.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
mod together;

use std::fs;

use pilothouse_core::question::UndoAnswer;
use serde_json::{Value, json};

use super::{
    change::{ChangeRequest, Direction, change},
    *,
};
use crate::{
    disk::{
        Disk, RealDisk, Snapshot, Spot,
        fault::{Failing, FaultyDisk},
    },
    driver::Which,
    rig::{Rig, plan_and_edit},
    sessions,
};

struct Done {
    outcome: Outcome,
    out: String,
    err: String,
}

impl Done {
    fn json(&self) -> Vec<Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }
    fn last(&self) -> Value {
        self.json().pop().unwrap()
    }
}

async fn run_in(rig: &Rig, options: Options) -> Done {
    run_until(rig, rig.setup(Which::New), options, std::future::pending()).await
}

async fn run_until(_: &Rig, setup: Setup, options: Options, stop: impl Future<Output = Stop> + Send) -> Done {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = run(setup, options, &mut out, &mut err, stop).await.unwrap();
    Done { outcome, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn goal(text: &str) -> Options {
    Options { goal: text.to_owned(), repairs: 2, ..Options::default() }
}

const EDIT: &str = "change two to 2 in src/a.txt";

#[tokio::test]
async fn a_question_is_answered_on_standard_output() {
    let rig = Rig::new(&json!([{"text": "Three numbers."}]));
    let done = run_in(&rig, goal("what is in src/a.txt?")).await;
    assert_eq!((done.outcome.exit, done.out.as_str()), (0, "Three numbers.\n"), "{}", done.err);
}

#[tokio::test]
async fn the_log_is_printed_as_it_grows() {
    let rig = Rig::new(&json!([{"text": "Three \"type\": numbers."}]));
    let done = run_in(&rig, Options { json: true, ..goal("what is in src/a.txt?") }).await;
    let lines = done.json();
    for line in &lines {
        for field in ["seq", "at", "run", "type"] {
            assert!(line.get(field).is_some(), "{field}: {line}");
        }
    }
    assert_eq!(lines[0]["type"], "session_opened");
    assert_eq!(done.last()["exit"], 0);
    let place = sessions::find(&rig.home(), &rig.work(), &done.outcome.slug).unwrap();
    let mut count = 0;
    sessions::events(&place, |_| count += 1).unwrap();
    assert_eq!(lines.len(), count + 1);
}

#[tokio::test]
async fn a_plan_ends_the_run_with_a_question_and_the_way_to_go_on() {
    let rig = Rig::new(&plan_and_edit());
    let done = run_in(&rig, Options { json: true, ..goal(EDIT) }).await;
    assert_eq!(done.outcome.exit, 3);
    assert_eq!(done.last()["question"]["kind"]["kind"], "confirmation");
    assert_eq!(
        done.last()["go_on"],
        format!("pilothouse run \"/redo\" --session {} --auto-confirm", done.outcome.slug)
    );
    // What is printed as the result is not told beside it as well.
    let rig = Rig::new(&plan_and_edit());
    let done = run_in(&rig, goal(EDIT)).await;
    assert!(done.out.contains("Change"), "{}", done.out);
    let twice = |line: &&str| !line.trim().is_empty() && done.err.contains(line);
    assert_eq!(done.out.lines().find(twice), None, "{}", done.err);
    let rig = Rig::new(&plan_and_edit());
    let done = run_in(&rig, Options { plan_only: true, ..goal(EDIT) }).await;
    assert_eq!(done.outcome.exit, 0, "{}", done.err);
    assert!(done.out.contains("Change"), "{}", done.out);
    assert_eq!(rig.text(), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn a_confirmed_run_changes_files_and_leaves_a_patch_that_undo_takes_back() {
    let rig = Rig::new(&plan_and_edit());
    let patch = rig.path().join("out.patch");
    let options = Options { auto_confirm: true, quiet: true, patch_out: Some(patch.clone()), ..goal(EDIT) };
    let done = run_in(&rig, options).await;
    assert_eq!(done.outcome.exit, 0, "{}", done.err);
    assert_eq!(rig.text(), "one\n2\nthree\n");
    assert!(done.err.contains("[1/1] ✓ Change"), "{}", done.err);
    let text = fs::read_to_string(&patch).unwrap();
    assert!(
        text.contains("--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"),
        "{text}"
    );

    let wish = |way, list, dry_run| ChangeRequest { way, session: None, list, dry_run, doubt: None };
    for (wish, text, exit) in [
        (wish(Direction::Undo, true, false), "one\n2\nthree\n", 0),
        (wish(Direction::Undo, false, true), "one\n2\nthree\n", 0),
        (wish(Direction::Redo, false, false), "one\n2\nthree\n", 1),
        (wish(Direction::Undo, false, false), "one\ntwo\nthree\n", 0),
        (wish(Direction::Undo, false, false), "one\ntwo\nthree\n", 1),
        (wish(Direction::Redo, false, false), "one\n2\nthree\n", 0),
    ] {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = change(rig.setup(Which::New), wish.clone(), &mut out, &mut err).await.unwrap();
        assert_eq!(
            (rig.text().as_str(), outcome.exit),
            (text, exit),
            "{wish:?} {}",
            String::from_utf8_lossy(&err)
        );
        assert!(exit != 0 || String::from_utf8(out).unwrap().contains("src/a.txt"));
    }
}

/// Takes back, or puts back; how it ended, what it said, and the file.
async fn taken(rig: &Rig, way: Direction, doubt: Option<UndoAnswer>) -> (u8, String, String) {
    let wish = ChangeRequest { way, session: None, list: false, dry_run: false, doubt };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = change(rig.setup(Which::New), wish, &mut out, &mut err).await.unwrap();
    assert!(err.is_empty(), "whoever prints the reason tells it once: {}", String::from_utf8_lossy(&err));
    (outcome.exit, String::from_utf8(out).unwrap() + &outcome.reason, rig.text())
}

#[tokio::test]
async fn an_undo_takes_back_its_own_lines_beside_what_was_changed_since() {
    let rig = Rig::new(&plan_and_edit());
    run_in(&rig, Options { auto_confirm: true, quiet: true, ..goal(EDIT) }).await;
    let file = rig.work().join("src/a.txt");
    fs::write(&file, "zero\none\n2\nthree\n").unwrap();
    for _ in 0..2 {
        let (exit, said, text) = taken(&rig, Direction::Undo, None).await;
        assert_eq!((exit, text.as_str()), (3, "zero\none\n2\nthree\n"), "{said}");
        assert!(said.contains("src/a.txt\n@@ ") && said.contains("\n-2\n+two\n"), "{said}");
        assert!(said.contains("src/a.txt has changed") && said.contains("`--keep`"), "{said}");
    }
    let keep = Some(UndoAnswer::Keep);
    let (exit, said, text) = taken(&rig, Direction::Undo, keep).await;
    assert_eq!((exit, text.as_str()), (0, "zero\none\ntwo\nthree\n"), "{said}");
    // It is taken back and nothing else: what is put back is what was taken.
    assert_eq!(taken(&rig, Direction::Undo, None).await.0, 1);
    assert_eq!(taken(&rig, Direction::Redo, None).await.2, "zero\none\n2\nthree\n");
    assert_eq!(taken(&rig, Direction::Undo, None).await.2, "zero\none\ntwo\nthree\n");
    fs::write(&file, "zero\none\ntwo\nthree\nfour\n").unwrap();
    assert_eq!(taken(&rig, Direction::Redo, None).await.0, 3);
    let (exit, said, text) = taken(&rig, Direction::Redo, keep).await;
    assert_eq!((exit, text.as_str()), (0, "zero\none\n2\nthree\nfour\n"), "{said}");
}

#[tokio::test]
async fn an_undo_of_lines_that_were_changed_since_names_them_and_wants_its_own_word() {
    let rig = Rig::new(&plan_and_edit());
    run_in(&rig, Options { auto_confirm: true, quiet: true, ..goal(EDIT) }).await;
    let file = rig.work().join("src/a.txt");
    fs::write(&file, "0\none\nzwei\nthree\n").unwrap();
    for doubt in [None, Some(UndoAnswer::Keep)] {
        let (exit, said, text) = taken(&rig, Direction::Undo, doubt).await;
        assert_eq!((exit, text.as_str()), (3, "0\none\nzwei\nthree\n"), "{said}");
        assert!(
            said.contains("the two changes overlap in src/a.txt (line 3)") && said.contains("`--all`"),
            "{said}"
        );
        assert!(said.contains("\n-zwei\n+two\n"), "{said}");
    }
    let (exit, said, text) = taken(&rig, Direction::Undo, Some(UndoAnswer::All)).await;
    assert_eq!((exit, text.as_str()), (0, "0\none\ntwo\nthree\n"), "{said}");
}

#[tokio::test]
async fn what_somebody_took_back_by_hand_is_taken_back() {
    let rig = Rig::new(&plan_and_edit());
    run_in(&rig, Options { auto_confirm: true, quiet: true, ..goal(EDIT) }).await;
    let file = rig.work().join("src/a.txt");
    fs::write(&file, "one\ntwo\nthree\nfour\n").unwrap();
    assert_eq!(taken(&rig, Direction::Undo, None).await.0, 0);
    assert_eq!(taken(&rig, Direction::Undo, None).await.0, 1, "there is nothing more");
    assert_eq!(rig.text(), "one\ntwo\nthree\nfour\n");
}

#[tokio::test]
async fn an_empty_file_that_was_made_is_taken_back_beside_a_changed_one() {
    let plan = json!({"title": "Make", "tasks": [{"title": "Make pkg", "kind": "create", "files": ["src/pkg/__init__.py", "src/pkg/mod.py"]}]});
    let make = |path: &str, text: &str| json!({"name": "write", "args": {"path": path, "content": text}});
    for emptied in [false, true] {
        let rig = Rig::new(&json!([
            {"text": "", "calls": [{"name": "submit_plan", "args": plan}]},
            {"text": "", "calls": [make("src/pkg/__init__.py", ""), make("src/pkg/mod.py", "one\ntwo\n")]},
            {"text": "made"}
        ]));
        let done =
            run_in(&rig, Options { auto_confirm: true, quiet: true, ..goal("create the package src/pkg") })
                .await;
        assert_eq!(done.outcome.exit, 0, "{} {}", done.err, done.outcome.reason);
        let (init, module) = (rig.work().join("src/pkg/__init__.py"), rig.work().join("src/pkg/mod.py"));
        assert!(init.exists() && module.exists());
        fs::write(&module, if emptied { "" } else { "one\ntwo\nmine\n" }).unwrap();
        let (exit, said, _) = taken(&rig, Direction::Undo, Some(UndoAnswer::All)).await;
        assert_eq!(exit, 0, "{said}");
        assert!(said.contains("__init__.py") && said.contains("mod.py"), "{said}");
        assert!(!init.exists(), "{said}");
        // What somebody added stays, and with it the file.
        let left = fs::read_to_string(&module).ok();
        assert_eq!(left.as_deref(), (!emptied).then_some("mine\n"), "{said}");
        assert_eq!(taken(&rig, Direction::Undo, None).await.0, 1, "there is nothing more");
    }
}

#[tokio::test]
async fn a_removal_stops_even_when_everything_is_confirmed() {
    let plan = json!({"title": "Away", "tasks": [{"title": "Remove a.txt", "kind": "delete", "files": ["src/a.txt"]}]});
    let rig = Rig::new(&json!([
        {"text": "", "calls": [{"name": "submit_plan", "args": plan}]},
        {"text": "", "calls": [{"name": "delete", "args": {"path": "src/a.txt"}}]},
        {"text": "proposed"}
    ]));
    let done = run_in(&rig, Options { auto_confirm: true, json: true, ..goal("delete src/a.txt") }).await;
    assert_eq!(done.outcome.exit, 3, "{}", done.out);
    assert_eq!(done.last()["question"]["kind"]["kind"], "diff");
    assert!(rig.work().join("src/a.txt").exists());
}

#[tokio::test]
async fn a_model_that_cannot_be_reached_is_exit_five() {
    for kind in ["unreachable", "unauthorized", "stalled"] {
        let rig = Rig::new(&json!([{"fault": {"kind": kind, "message": "no way", "hint": "try later"}}]));
        let done = run_in(&rig, goal("what is in src?")).await;
        assert_eq!(done.outcome.exit, 5);
        assert!(done.err.contains("no way"), "{}", done.err);
        let rig = Rig::new(&json!([{"fault": {"kind": kind, "message": "no way", "hint": "try later"}}]));
        assert_eq!(run_in(&rig, goal(EDIT)).await.outcome.exit, 5);
    }
}

#[tokio::test]
async fn a_gate_that_nobody_allows_says_that_the_folder_is_not_trusted() {
    let mut script = plan_and_edit();
    script[0]["calls"][0]["args"]["gates"] = json!([{"command": "make check"}]);
    let rig = Rig::new(&script);
    let done = run_in(&rig, Options { auto_confirm: true, ..goal(EDIT) }).await;
    let told = "not allowed: the folder is not trusted, so its gates ask; nobody is there to allow it";
    assert!(done.err.contains(told), "{}", done.err);
}

#[tokio::test]
async fn commands_of_the_window_are_told_as_lines_of_a_shell() {
    let rig = Rig::new(&json!([]));
    let mut setup = rig.setup(Which::New);
    setup.environment = [("PILOTHOUSE_MODEL", "offline")].into_iter().collect();
    let done = run_until(&rig, setup, goal("why is the sky blue?"), std::future::pending()).await;
    let told = format!("{}{}", done.out, done.err);
    for line in ["`PILOTHOUSE_MODEL=PRESET:NAME`", "`pilothouse auth set PRESET`"] {
        assert!(told.contains(line), "{told}");
    }
    assert!(!told.contains("`/"), "{told}");
    // What is said of a plan that waits is told in the same way.
    let mut script = plan_and_edit();
    script[0]["calls"][0]["args"]["tasks"][0]["files"] = json!([]);
    let rig = Rig::new(&script);
    fs::write(rig.work().join("Makefile"), "test:\n\ttrue\n").unwrap();
    let mut setup = rig.setup(Which::New);
    let model = setup.environment.get("PILOTHOUSE_MODEL").unwrap().to_owned();
    setup.environment =
        [("PILOTHOUSE_MODEL", model), ("PATH", "/usr/bin:/bin".to_owned())].into_iter().collect();
    let done = run_until(&rig, setup, goal(EDIT), std::future::pending()).await;
    let again =
        format!("`pilothouse trust` and `pilothouse run \"/replan\" --session {}`", done.outcome.slug);
    assert!(done.err.contains(&again), "{}{}", done.out, done.err);
}

#[tokio::test]
async fn a_stopped_run_says_by_what() {
    for (why, exit) in [(Stop::Interrupt, 130), (Stop::Terminate, 143)] {
        let rig = Rig::new(&json!([{"text": "half an answer", "wait_for_cancel": true}]));
        let done = run_until(&rig, rig.setup(Which::New), goal("what is in src?"), async move { why }).await;
        assert_eq!(done.outcome.exit, exit);
    }
    // What was stopped is taken up again by the line that it says, which JSON has as well.
    for order in ["what is in src?", EDIT] {
        let rig = Rig::new(&json!([{"text": "half an answer", "wait_for_cancel": true}]));
        let told = rig.home();
        let speaks = async move {
            while !speaking(&told) {
                tokio::task::yield_now().await;
            }
            Stop::Interrupt
        };
        let options = Options { json: true, ..goal(order) };
        let done = run_until(&rig, rig.setup(Which::New), options, speaks).await;
        let way = format!("pilothouse run \"/redo\" --session {}", done.outcome.slug);
        assert_eq!(
            (done.outcome.exit, done.last()["go_on"].as_str()),
            (130, Some(way.as_str())),
            "{}",
            done.out
        );
    }
    let rig = Rig::new(&json!([{"text": "half an answer", "wait_for_cancel": true}]));
    let options = Options { timeout: Some(Duration::from_secs(1)), ..goal("what is in src?") };
    let done = run_in(&rig, options).await;
    assert!(done.outcome.exit == 1 && done.err.contains("time limit"), "{}", done.err);
    assert!(done.out.contains("half an answer"), "{}", done.out);
    assert!(done.err.contains("to continue: pilothouse run \"/redo\" --session "), "{}", done.err);
}

/// Whether a model is being asked in a session.
fn speaking(home: &crate::home::Home) -> bool {
    let mut begun = false;
    for place in sessions::all(home) {
        drop(sessions::events(&place, |e| begun |= matches!(e.event, Event::ThinkingStarted { .. })));
    }
    begun
}

#[tokio::test]
async fn a_goal_that_means_nothing_ends_at_once() {
    let rig = Rig::new(&json!([]));
    for (text, exit) in [("", 2), ("/undo", 1), ("/nonsense", 2)] {
        assert_eq!(run_in(&rig, goal(text)).await.outcome.exit, exit, "{text:?}");
    }
}

#[tokio::test]
async fn a_run_that_is_to_be_forgotten_leaves_nothing() {
    let rig = Rig::new(&plan_and_edit());
    let done = run_in(&rig, Options { forget: true, ..goal(EDIT) }).await;
    assert_eq!(done.outcome.exit, 3);
    assert!(!rig.home().sessions().exists() && done.err.contains("--no-persist"), "{}", done.err);
}

#[tokio::test]
async fn a_session_can_be_gone_on_with_listed_shown_and_checked() {
    let rig = Rig::new(&json!([{"text": "first"}, {"text": "second"}]));
    let first = run_in(&rig, goal("what is in src?")).await;
    let setup = rig.setup(Which::Named(first.outcome.slug.clone()));
    // The script starts over with each process.
    let done = run_until(
        &rig,
        setup,
        Options { json: true, ..goal("what is in src/a.txt?") },
        std::future::pending(),
    )
    .await;
    assert_eq!((done.outcome.exit, done.outcome.slug.as_str()), (0, first.outcome.slug.as_str()));
    assert_eq!(done.json()[0]["type"], "session_reopened");
    let place = sessions::find(&rig.home(), &rig.work(), &first.outcome.slug).unwrap();
    let mut text = Vec::new();
    let work = rig.work().canonicalize().unwrap();
    let of = listing::Listed { workspace: Some(&work), archived: false, label: None };
    listing::list(&rig.home(), of, false, &mut text).unwrap();
    listing::show(&place, false, &mut text).unwrap();
    assert!(listing::verify(&place, false, &mut text).unwrap());
    let text = String::from_utf8(text).unwrap();
    for part in ["2 messages", "what is in src?", "[2] you: what is in src/a.txt?", "agent: first", "sound"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // A summary of before that counted so is made anew.
    let meta = place.folder.join("meta.json");
    let mut old: serde_json::Value = serde_json::from_slice(&std::fs::read(&meta).unwrap()).unwrap();
    old["messages"] = 4.into();
    assert!(old.as_object_mut().unwrap().remove("form").is_some());
    std::fs::write(&meta, old.to_string()).unwrap();
    assert_eq!(sessions::summary(&place).unwrap().messages, 2);
    // So is one that says what is at stake in words of before.
    old["form"] = 2.into();
    old["run"]["stake"] = json!(["something runs"]);
    std::fs::write(&meta, old.to_string()).unwrap();
    assert_eq!(sessions::summary(&place).unwrap().run.unwrap().stake, Vec::<String>::new());
}

#[tokio::test]
async fn a_session_that_is_shown_names_the_files_of_its_calls_and_writes() {
    let rig = Rig::new(&plan_and_edit());
    let done = run_in(&rig, Options { auto_confirm: true, ..goal(EDIT) }).await;
    // The run itself told each change once as it came and once as it was written, and at its end that nothing checked it.
    let told =
        |mark: &str| done.err.lines().filter(|l| l.starts_with(mark) && l.contains("src/a.txt")).count();
    assert_eq!((told("± "), told("▸ edit"), told("✓ wrote")), (0, 1, 1), "{}", done.err);
    assert!(done.err.contains("not checked: "), "{}", done.err);
    let place = sessions::find(&rig.home(), &rig.work(), &done.outcome.slug).unwrap();
    let mut text = Vec::new();
    listing::show(&place, false, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    for part in ["▸ read src/a.txt: ", "▸ edit src/a.txt: ", " written: src/a.txt\n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn without_a_model_the_built_in_engine_renames_across_files() {
    let rig = Rig::new(&json!([]));
    let before = ["pub fn load_all() {}\n", "use a::load_all;\nfn main() { load_all() }\n"];
    for (name, text) in ["src/a.rs", "src/b.rs"].iter().zip(before) {
        fs::write(rig.work().join(name), text).unwrap();
    }
    let read = |name: &str| fs::read_to_string(rig.work().join(name)).unwrap();
    let setup = Setup { environment: crate::home::Environment::default(), ..rig.setup(Which::New) };
    let options = Options { auto_confirm: true, ..goal("rename load_all to read_all") };
    let done = run_until(&rig, setup.clone(), options, std::future::pending()).await;
    assert_eq!(done.outcome.exit, 0, "{}{}", done.out, done.err);
    assert!(!done.out.contains("Proposed"), "it is written: {}", done.out);
    assert_eq!(read("src/a.rs"), before[0].replace("load_all", "read_all"));
    assert_eq!(read("src/b.rs"), before[1].replace("load_all", "read_all"));
    for _ in 0..2 {
        let wish =
            ChangeRequest { way: Direction::Undo, session: None, list: false, dry_run: false, doubt: None };
        change(setup.clone(), wish, &mut Vec::new(), &mut Vec::new()).await.unwrap();
    }
    assert_eq!((read("src/a.rs").as_str(), read("src/b.rs").as_str()), (before[0], before[1]));
}

#[tokio::test]
async fn whichever_call_to_the_disk_fails_once_a_run_comes_to_its_end_and_is_saved() {
    let tried = |at: usize| async move {
        let rig = Rig::new(&plan_and_edit());
        let disk = std::sync::Arc::new(FaultyDisk::new(at, Failing::Once(5)));
        let theirs: std::sync::Arc<dyn crate::disk::Disk> = std::sync::Arc::<FaultyDisk>::clone(&disk);
        let setup = Setup { disk: theirs, ..rig.setup(Which::New) };
        let done =
            run_until(&rig, setup, Options { auto_confirm: true, ..goal(EDIT) }, std::future::pending())
                .await;
        // Saving is tried again; a write of the workspace that fails is a question.
        assert!(matches!(done.outcome.exit, 0 | 3), "call {at}: {} {}", done.outcome.exit, done.err);
        let text = rig.text();
        let want = if done.outcome.exit == 0 { "one\n2\nthree\n" } else { "one\ntwo\nthree\n" };
        assert_eq!(text, want, "call {at}: {}", done.err);
        let place = sessions::find(&rig.home(), &rig.work(), &done.outcome.slug).unwrap();
        assert!(sessions::verify(&place).unwrap().sound(), "call {at}");
        disk.calls() > at
    };
    for first in (0..).step_by(8) {
        let failed = futures::future::join_all((first..first + 8).map(tried)).await;
        if failed.contains(&false) {
            assert!(first > 16, "{first} calls only");
            return;
        }
    }
}

#[tokio::test]
async fn whichever_call_to_the_disk_fails_an_undo_whose_diff_is_written_ends() {
    let tried = |at: usize| async move {
        let rig = Rig::new(&plan_and_edit());
        run_in(&rig, Options { auto_confirm: true, quiet: true, ..goal(EDIT) }).await;
        fs::write(rig.work().join("src/a.txt"), "zero\none\n2\nthree\n").unwrap();
        let disk = std::sync::Arc::new(FaultyDisk::new(at, Failing::Once(13)));
        let theirs: std::sync::Arc<dyn crate::disk::Disk> = std::sync::Arc::<FaultyDisk>::clone(&disk);
        let setup = Setup { disk: theirs, ..rig.setup(Which::New) };
        let (way, doubt) = (Direction::Undo, Some(UndoAnswer::Keep));
        let wish = ChangeRequest { way, session: None, list: false, dry_run: false, doubt };
        let ended = change(setup, wish, &mut Vec::new(), &mut Vec::new()).await;
        let (exit, reason) = ended.map_or((1, String::new()), |o| (o.exit, o.reason));
        if exit == 0 {
            assert_eq!(rig.text(), "zero\none\ntwo\nthree\n", "call {at}");
        }
        (disk.calls() > at, reason.contains("could not be written"))
    };
    let mut refused = 0;
    for first in (0..).step_by(8) {
        let failed = futures::future::join_all((first..first + 8).map(tried)).await;
        refused += failed.iter().filter(|(_, refused)| *refused).count();
        if failed.iter().any(|(more, _)| !more) {
            break;
        }
    }
    assert!(refused > 0, "a write of the diff failed, and that was said");
}

#[tokio::test]
async fn a_run_that_cannot_be_saved_ends_with_the_reason() {
    let rig = Rig::new(&plan_and_edit());
    let setup =
        Setup { disk: std::sync::Arc::new(FaultyDisk::new(6, Failing::Gone)), ..rig.setup(Which::New) };
    let done = run_until(&rig, setup, goal("what is in src/a.txt?"), std::future::pending()).await;
    assert_eq!(done.outcome.exit, 1, "{}", done.err);
    assert!(done.outcome.reason.contains("cannot be saved"), "{}", done.outcome.reason);
}

/// A disk over which a write of the workspace's files falls.
struct Panics;

impl Disk for Panics {
    fn create(&self, at: &Spot, mode: u32) -> std::io::Result<fs::File> {
        let name = at.shown().file_name().unwrap().to_string_lossy().into_owned();
        assert!(!name.starts_with(crate::writer::TEMP_PREFIX), "the disk fell over");
        RealDisk.create(at, mode)
    }
    fn read(&self, at: &Spot) -> std::io::Result<Option<Snapshot>> {
        RealDisk.read(at)
    }
    fn write(&self, file: &mut fs::File, bytes: &[u8]) -> std::io::Result<()> {
        RealDisk.write(file, bytes)
    }
    fn sync(&self, file: &fs::File) -> std::io::Result<()> {
        RealDisk.sync(file)
    }
    fn link(&self, from: &Spot, to: &Spot) -> std::io::Result<()> {
        RealDisk.link(from, to)
    }
    fn rename(&self, from: &Spot, to: &Spot) -> std::io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn unlink(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.unlink(at)
    }
    fn mkdir(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.mkdir(at)
    }
    fn rmdir(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.rmdir(at)
    }
    fn sync_dir(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.sync_dir(at)
    }
    fn copy_metadata(&self, from: &Spot, to: &fs::File) {
        RealDisk.copy_metadata(from, to);
    }
}

#[tokio::test]
async fn a_part_that_falls_over_ends_a_run_with_a_word_and_a_code() {
    let rig = Rig::new(&plan_and_edit());
    let setup = Setup { disk: std::sync::Arc::new(Panics), ..rig.setup(Which::New) };
    let wish = Options { auto_confirm: true, ..goal(EDIT) };
    let done = run_until(&rig, setup, wish, std::future::pending()).await;
    assert_ne!(done.outcome.exit, 0, "{}\n{}", done.out, done.err);
    assert!((done.out.clone() + &done.err).contains("the disk fell over"), "{}\n{}", done.out, done.err);
    assert_eq!(rig.text(), "one\ntwo\nthree\n", "nothing is half written");
}

#[tokio::test]
async fn a_model_that_only_asks_is_told_to_choose_and_its_question_then_ends_the_run() {
    let asks = json!({"text": "There are two. Which one?"});
    let rig = Rig::new(&Value::Array(vec![asks; 12]));
    let done = run_in(&rig, Options { auto_confirm: true, json: true, ..goal(EDIT) }).await;
    let called = done.json().iter().filter(|line| line["type"] == "thinking_started").count();
    assert_eq!((done.outcome.exit, called), (3, 3), "{}", done.err);
    assert_eq!(done.last()["question"]["message"], "There are two. Which one?");
}
