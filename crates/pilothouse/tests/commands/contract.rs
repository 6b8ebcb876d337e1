//! The command line is a contract: exit codes, JSON lines, flags, as `run --help` tells them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use std::{fs, path::Path, process::Command};

use rustix::process::Signal;
use serde_json::{Value, json};
use support::{
    Desk, Terminal,
    alone::{Ended, Running, edit, finish, not_run, plan, processes},
    server::{Server, Turn},
};

const QUESTION: &str = "where is find_notes?";
const RENAME: &str = "rename find_notes to search_notes";

fn slug_of(ended: &Ended) -> String {
    ended.events().pop().unwrap()["session"].as_str().unwrap().to_owned()
}

#[test]
fn zero_is_an_answer_on_standard_output_and_progress_beside_it() {
    let desk = Desk::new();
    let ended = desk.go(&["run", QUESTION]).with(0).tells(&["▸"]);
    assert!(ended.out.starts_with("`find_notes` is a function, defined at src/search.rs:6"), "{}", ended.out);
    assert!(!ended.out.contains('▸') && !ended.out.contains('\x1b') && !ended.err.contains('\x1b'));
    assert_eq!(desk.sessions()[0]["unfinished"], false);
    let done = desk.go(&["run", RENAME, "--auto-confirm"]).with(0);
    done.tells(&["✓ wrote src/search.rs", "[1/1] ✓"]);
    assert_eq!(desk.sessions()[0]["unfinished"], false, "a plan that is done waits for nobody");
}

#[test]
fn one_is_a_failure_that_the_last_event_names() {
    let desk = Desk::new();
    let mut tasks = plan(&[("modify", "src/search.rs")]);
    tasks["gates"] = json!([{"name": "check", "command": "test -e no-such-file"}]);
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", tasks)]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
    ]);
    let goal =
        ["run", "rename score to points_of", "--auto-confirm", "--trust", "--json", "--depth", "quick"];
    let ended = desk.ask(&server.base, &goal).with(1);
    let events = ended.events();
    assert!(events.iter().any(|e| e["type"] == "gate_failed"), "{}", ended.out);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["exit"]), (&json!("run_ended"), &json!(1)));
    assert!(last.to_string().contains("[Gate: check] failed"), "{last}");
    desk.verified();
}

#[test]
fn a_gate_does_not_run_in_a_folder_that_is_not_trusted() {
    let desk = Desk::new();
    let tasks = json!({"title": "Rename", "tasks": [{"title": "Rename", "kind": "modify", "files": ["src/search.rs"]}],
        "gates": [{"name": "check", "command": "touch ran"}]});
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", tasks)]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
    ]);
    let goal = ["run", "rename score to points_of", "--auto-confirm"];
    desk.ask(&server.base, &goal).with(3).tells(&["Run `touch ran`?"]);
    assert!(!desk.path().join("ran").exists());
    desk.verified();
}

#[test]
fn a_hook_behind_a_command_is_told_its_line_and_how_it_ended() {
    let desk = Desk::new();
    let log = desk.home.path().join("told.txt");
    let hook = format!(
        "[hooks.on_command_end]\nrun = \"echo $PILOTHOUSE_STATUS $PILOTHOUSE_CODE $PILOTHOUSE_COMMAND >> {}\"\n",
        log.display()
    );
    fs::write(desk.home.path().join("hooks.toml"), hook).unwrap();
    desk.go(&["run", "!ls src"]).with(0);
    desk.go(&["run", "!ls nowhere"]);
    assert_eq!(fs::read_to_string(&log).unwrap(), "ok 0 ls src\nfailed 2 ls nowhere\n");
}

#[test]
fn a_goal_may_come_on_standard_input_and_a_mistyped_command_is_told() {
    let desk = Desk::new();
    let goal = desk.path().join("goal.txt");
    fs::write(&goal, "where is Store?\n").unwrap();
    let mut command = desk.command(&["run", "-"]);
    command.stdin(fs::File::open(&goal).unwrap());
    let ended = finish(command).with(0);
    assert!(ended.out.contains("src/store.rs"), "{}", ended.out);
    // The session that was used last needs no name.
    for args in
        [&["sessions", "show"][..], &["sessions", "export", "--last"], &["sessions", "replay", "--last"]]
    {
        assert!(desk.go(args).with(0).out.contains("where is Store?"), "{args:?}");
    }
    desk.go(&["./nowhere"]).with(2).tells(&["./nowhere is not a folder"]);
    desk.go(&["rum"]).with(2).tells(&["did you mean `pilothouse run`?"]);
    desk.go(&["ask", "where is Store?"]).with(2).tells(&["there is no command ask"]);
    desk.go(&["where is Store?"]).with(2).tells(&["`pilothouse run \"where is Store?\"`"]);
}

#[test]
fn two_is_what_was_said_wrongly_or_needs_a_model_that_nobody_connected() {
    let desk = Desk::new();
    let told = |line: &str, exit: i32, why: &str| {
        let ended = desk.go(&["run", line]).with(exit);
        assert_eq!(ended.err.matches(why).count(), 1, "{line}: {}", ended.err);
        assert!(
            !ended.err.contains("to continue: ") && !ended.err.contains("submit_plan"),
            "{line}: {}",
            ended.err
        );
    };
    told("/nosuch", 2, "there is no command /nosuch");
    told("/kb", 2, "/kb works only on the screen");
    told("/mode slow", 2, "type /mode proof or /mode explore");
    told("/depth nowhere", 2, "type /depth");
    told("/model nowhere:x", 2, "nowhere:x cannot be used");
    told("-", 2, "there is no goal");
    told("…", 2, "there is no word in that");
    // What was said rightly and cannot be done is a failure.
    told("/undo", 1, "no applied change");
    for (beyond, exit, why) in [
        ("translate that into German", 2, "that needs a model, and none is connected"),
        ("make it faster", 2, "that needs a model, and none is connected"),
        ("list nowhere/at/all", 1, "that could not be done"),
    ] {
        let ended = desk.go(&["run", beyond, "--json"]).with(exit);
        assert_eq!(ended.events().pop().unwrap()["reason"], why, "{beyond}");
        let ended = desk.go(&["run", beyond]).with(exit);
        let end = ended.err.lines().last().unwrap_or_default();
        assert!(!ended.out.is_empty() && !end.contains(why), "{beyond} is told by its answer: {}", ended.err);
        assert!(!ended.err.contains("submit_plan") && !ended.err.contains("to continue: "), "{}", ended.err);
    }
}

#[test]
fn three_is_a_question_that_nobody_is_there_to_answer() {
    let desk = Desk::new();
    let before = desk.tree();
    let ended = desk.go(&["run", RENAME]).with(3).tells(&["Proceed?", "pilothouse run \"/redo\" --session "]);
    assert!(ended.out.contains("src/search.rs"), "the plan is shown: {}", ended.out);
    let last = desk.go(&["run", RENAME, "--json"]).with(3).events().pop().unwrap();
    assert_eq!(last["question"]["kind"]["kind"], "confirmation");
    assert!(last["go_on"].as_str().unwrap().starts_with("pilothouse run \"/redo\" --session "));
    let asks = vec![("ask_user", json!({"question": "Which one?", "choices": ["this", "that"]}))];
    let server = Server::start(vec![Turn::Say("", asks)]);
    desk.ask(&server.base, &["run", QUESTION]).with(3).tells(&["Which one?"]);
    assert_eq!(desk.tree(), before);
    desk.verified();
}

#[test]
fn a_signal_while_the_model_speaks_saves_what_there_is() {
    for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let desk = Desk::new();
        let before = desk.tree();
        let server = Server::start(vec![Turn::Hang("It stands in the file ")]);
        let mut run = Running::start(desk.with_model(&server.base, &["run", QUESTION, "--json"]));
        server.wait_requests(1);
        let mut told = Vec::new();
        while !String::from_utf8_lossy(&told).contains("thinking_started") {
            told = run.line();
            assert!(!told.is_empty(), "the run ended");
        }
        run.signal(signal);
        let ended = run.end().with(exit);
        server.wait_hung_up();
        assert_eq!(ended.events().last().unwrap()["exit"], exit);
        let slug = slug_of(&ended);
        desk.verified();
        assert_eq!(desk.tree(), before);
        let again = desk.go(&["run", QUESTION, "--session", &slug]).with(0);
        assert!(again.out.contains("src/search.rs:6"));
        assert_eq!(server.requests().len(), 1, "nothing is asked again by itself");
    }
}

#[test]
fn a_signal_while_a_command_runs_ends_its_whole_tree() {
    let desk = Desk::new();
    if desk.sandbox().is_none() {
        return not_run(
            "no sandbox can be had here, so the command asks; install bubblewrap, or a kernel with Landlock",
        );
    }
    let mark = format!("mark-{}", std::process::id());
    let line = format!(
        "sh -c 'echo >> ready; while :; do :; done' {mark} & (setsid sh -c 'echo >> ready; exec sleep 301' {mark} &) ; wait"
    );
    let server = Server::running(&line);
    let goal = ["run", "run the tests in a loop", "--auto-confirm", "--json"];
    let mut run = Running::start(desk.with_model(&server.base, &goal));
    loop {
        let told = run.line();
        let event: Value = serde_json::from_slice(&told).unwrap_or_default();
        if event["type"] == "command_started" {
            break;
        }
        assert_ne!(event["type"], "run_ended", "{event}");
    }
    // Both processes run before the signal.
    while fs::read_to_string(desk.path().join("ready")).unwrap_or_default().lines().count() < 2 {
        std::thread::yield_now();
    }
    assert!(!processes(&mark).is_empty());
    run.signal(Signal::INT);
    run.end().with(130);
    assert_eq!(processes(&mark), Vec::<u32>::new(), "left");
    desk.verified();
}

#[test]
fn every_json_line_has_its_number_time_run_and_type() {
    let desk = Desk::new();
    let ended = desk.go(&["run", RENAME, "--auto-confirm", "--json"]).with(0);
    assert_eq!(ended.err, "", "people are told nothing beside it");
    let mut runs = 0;
    let mut last = 0;
    for line in ended.out.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let seq = event["seq"].as_u64().unwrap();
        assert_eq!(seq, last + 1, "no two lines have one number: {line}");
        last = seq;
        assert!(event["at"].is_u64() && event["type"].is_string(), "{line}");
        let run = event.as_object().unwrap().get("run").unwrap_or_else(|| panic!("no run in {line}"));
        assert!(run.is_null() || run.is_u64(), "{line}");
        runs += usize::from(run.is_u64());
    }
    assert!(runs > 5, "the events of the run carry it");
    assert!(ended.out.lines().last().unwrap().contains("\"run_ended\""));
    // A session is called by one name wherever JSON is printed.
    let slug = slug_of(&ended);
    assert_eq!(ended.events()[0]["session"], slug);
    for args in
        [&["sessions", "list", "--json"][..], &["sessions", "verify", "--all", "--json"], &["runs", "--json"]]
    {
        let told = desk.go(args).with(0).events();
        assert!(told.iter().all(|line| line["session"] == slug), "{args:?} {told:?}");
    }
    assert_eq!(desk.sessions()[0]["slug"], slug, "what scripts read before stays");
    // The same events stand in the log.
    let shown = desk.go(&["sessions", "show", &slug_of(&ended), "--json"]).with(0).out;
    let told: Vec<&str> = ended.out.lines().collect();
    assert!(shown.lines().collect::<Vec<_>>().starts_with(&told[..told.len() - 1]));
}

#[test]
fn without_progress_only_finished_tasks_are_told() {
    let desk = Desk::new();
    let ended = desk.go(&["run", RENAME, "--auto-confirm", "--no-stream-progress"]).with(0);
    let lines: Vec<&str> = ended.err.lines().collect();
    assert_eq!(lines.len(), 1, "{}", ended.err);
    assert!(lines[0].starts_with("[1/1] ✓ "), "{}", ended.err);
    let loud = desk.go(&["run", QUESTION, "--no-stream-progress", "--stream-progress"]).with(0);
    assert!(loud.err.contains('▸'), "the last of the two flags holds");
}

#[test]
fn plan_shows_the_plan_and_does_nothing() {
    let desk = Desk::new();
    let before = desk.tree();
    for extra in [&["--plan"][..], &["--plan", "--auto-confirm"]] {
        let mut args = vec!["run", RENAME];
        args.extend(extra);
        let ended = desk.go(&args).with(0);
        assert!(ended.out.contains("Plan ready") && ended.out.contains("src/store.rs"), "{}", ended.out);
        assert_eq!(desk.tree(), before, "{extra:?}");
    }
    desk.verified();
}

#[test]
fn a_patch_can_be_applied_by_git() {
    if Command::new("git").arg("--version").output().is_err() {
        return not_run("patches applied by git: there is no git");
    }
    let desk = Desk::new();
    fs::write(desk.path().join("no end.txt"), "one\ntwo").unwrap();
    fs::write(desk.path().join("däta.txt"), "eins\r\nzwei\r\n").unwrap();
    fs::write(desk.path().join("a\"b\\c.txt"), "odd\n").unwrap();
    let other = Desk::empty();
    for (path, bytes) in desk.tree() {
        let to = other.path().join(path.strip_prefix(desk.path()).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "no end.txt")]))]),
        Turn::Say(
            "",
            vec![
                ("edit", edit("no end.txt", "two", "2")),
                ("edit", edit("däta.txt", "zwei", "drei")),
                ("edit", edit("a\"b\\c.txt", "odd", "even")),
                ("edit", edit("src/search.rs", "fn score(", "fn points_of(")),
                ("write", json!({"path": "docs/new one.md", "content": "# New\nno end"})),
                ("write", json!({"path": "empty.txt", "content": ""})),
            ],
        ),
        Turn::Say("Done.", vec![]),
    ]);
    let patch = desk.home.path().join("out.patch");
    let patch = patch.to_str().unwrap();
    let goal = ["run", "rename score to points_of", "--auto-confirm", "--patch-out", patch];
    desk.ask(&server.base, &goal).with(0);
    git_apply(other.path(), patch, &["--check"]);
    git_apply(other.path(), patch, &[]);
    let relative = |d: &Desk| -> Vec<_> {
        let root = d.path().to_owned();
        d.tree().into_iter().map(|(p, b)| (p.strip_prefix(&root).unwrap().to_owned(), b)).collect()
    };
    assert_eq!(relative(&other), relative(&desk), "the patch does what was done");

    // Nothing changed: an empty patch. Nowhere to put it: told before anything is asked.
    desk.go(&["run", QUESTION, "--patch-out", patch]).with(0);
    assert_eq!(fs::read_to_string(patch).unwrap(), "");
    let before = desk.tree();
    let nowhere = ["run", RENAME, "--auto-confirm", "--patch-out", "no/such/folder/x"];
    desk.go(&nowhere).with(1).tells(&["no/such/folder/x", "check the path"]);
    assert_eq!(desk.tree(), before);
}

fn git_apply(folder: &Path, patch: &str, more: &[&str]) {
    let mut git = Command::new("git");
    git.arg("apply").args(more).arg(patch).current_dir(folder);
    git.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap());
    let out = git.output().unwrap();
    let text = fs::read_to_string(patch).unwrap();
    assert!(out.status.success(), "{}\n{text}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn what_is_not_persisted_leaves_nothing() {
    let desk = Desk::new();
    desk.go(&["run", QUESTION, "--no-persist"]).with(0);
    desk.go(&["run", RENAME, "--no-persist"]).with(3).tells(&["without --no-persist"]);
    desk.go(&["run", RENAME, "--no-persist", "--auto-confirm"]).with(0);
    assert!(desk.file("src/search.rs").contains("search_notes"), "the work itself stays");
    assert!(desk.sessions().is_empty());
    assert!(said_nowhere(desk.home.path(), b"find_notes"), "the goal stands below the home");
    desk.go(&["undo"]).with(1).tells(&["no applied change"]);
}

fn said_nowhere(folder: &Path, words: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).all(|path| {
        if path.is_dir() {
            return said_nowhere(&path, words);
        }
        !fs::read(&path).unwrap().windows(words.len()).any(|w| w == words)
    })
}

#[test]
fn the_time_limit_stops_a_run_and_saves_it() {
    let desk = Desk::new();
    let server = Server::start(vec![Turn::Hang("It stands ")]);
    let ended = desk.ask(&server.base, &["run", QUESTION, "--timeout", "1"]).with(1);
    ended.tells(&["time limit"]);
    server.wait_hung_up();
    desk.verified();
    assert_eq!(desk.sessions().len(), 1);
    // A command as well, and it is not the user who stopped it.
    let ended = desk.go(&["run", "!sleep 600", "--timeout", "1"]).with(1).tells(&["time limit of 1 s"]);
    assert!(!ended.err.contains("user"), "{}", ended.err);
}

#[test]
fn sessions_are_listed_newest_first_within_one_second_too() {
    let desk = Desk::new();
    let goals: Vec<String> = (1..=4).map(|n| format!("where is number {n}?")).collect();
    for goal in &goals {
        desk.go(&["run", goal]);
    }
    let listed = desk.sessions();
    let titles = listed.iter().map(|s| s["title"].as_str().unwrap().to_owned());
    assert!(titles.eq(goals.iter().rev().cloned()), "{listed:?}");
}

#[test]
fn a_removal_stops_even_under_auto_confirm_and_goes_on_with_the_typed_word() {
    let desk = Desk::new();
    let before = desk.tree();
    let ended = desk.go(&["run", "delete src/note.rs", "--auto-confirm"]).with(3);
    ended.tells(&["? 1 file to review; removing src/note.rs wants its name typed"]);
    let ended = desk.go(&["run", "delete src/note.rs", "--auto-confirm", "--json"]).with(3);
    assert_eq!(desk.tree(), before);
    let last = ended.events().pop().unwrap();
    assert_eq!(last["question"]["kind"]["kind"], "diff", "{last}");
    let go_on = last["go_on"].as_str().unwrap().to_owned();
    let args: Vec<&str> = go_on.split(' ').skip(1).collect();
    let mut terminal = Terminal::open(&desk, &args, &[]);
    terminal.see("1 file waits for your decision");
    assert_eq!(desk.tree(), before, "opening it removes nothing");
    terminal.keys("\x18d");
    terminal.see("it asks for the name first");
    terminal.decide("a");
    terminal.see("Type its name");
    terminal.answer("src");
    terminal.see("nothing was done");
    assert_eq!(desk.tree(), before, "neither a key nor another word removes anything");
    terminal.decide("a");
    terminal.see("Type its name");
    terminal.answer("note.rs");
    terminal.until("the file to be removed", |_| !desk.path().join("src/note.rs").exists());
    terminal.kill();
    assert_eq!(desk.tree().len(), before.len() - 1);
    assert!(!desk.path().join("src/note.rs").exists());
    desk.go(&["undo"]).with(0);
    assert_eq!(desk.tree(), before);
    desk.verified();
}

#[test]
fn auto_confirm_holds_for_its_own_run_only() {
    let desk = Desk::new();
    let first = desk.go(&["run", QUESTION, "--auto-confirm", "--json"]).with(0);
    let before = desk.tree();
    let slug = slug_of(&first);
    desk.go(&["run", RENAME, "--session", &slug]).with(3).tells(&["Proceed?"]);
    assert_eq!(desk.tree(), before);
    desk.go(&["run", RENAME, "--session", &slug, "--auto-confirm"]).with(0);
    assert_ne!(desk.tree(), before);
}

#[test]
fn a_reader_that_goes_away_ends_nothing() {
    let desk = Desk::new();
    let mut command = desk.command(&["run", RENAME, "--auto-confirm", "--json"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert!(desk.file("src/search.rs").contains("pub fn search_notes"));
    desk.verified();
}

#[test]
fn what_a_model_says_reaches_no_terminal_as_a_command() {
    let desk = Desk::new();
    let hostile = "\x1b]0;owned\x07\x1b[2Jhello\u{202e}\u{9b}31m";
    let server = Server::start(vec![
        Turn::Say(hostile, vec![("read", json!({"path": hostile}))]),
        Turn::Say(hostile, vec![]),
    ]);
    let ended = desk.ask(&server.base, &["run", QUESTION]).with(0);
    for text in [&ended.out, &ended.err] {
        let bad = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(bad), "{text:?}");
    }
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let shown = desk.go(&["sessions", "show", &slug]).with(0).out;
    assert!(!shown.contains(['\x1b', '\u{9b}', '\u{202e}', '\x07']), "{shown:?}");
    let listed = finish(desk.command(&["sessions", "list"])).with(0).out;
    assert!(!listed.contains('\x1b'));
    for args in [&["sessions", "show", &slug, "--json"][..], &["sessions", "export", &slug, "--json"]] {
        let told = finish(desk.command(args)).with(0).out;
        assert!(!told.contains(|c: char| c != '\n' && pilothouse_core::clean::is_forbidden(c)), "{told:?}");
        let lines: Vec<serde_json::Value> =
            told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.iter().any(|line| line["text"]["head"] == hostile), "{args:?}: {told}");
    }
}

#[test]
fn what_only_weighs_or_foresees_writes_nothing_even_under_auto_confirm() {
    let desk = Desk::new();
    let before = desk.tree();
    for text in ["compare these two options", "what would happen if we removed src/note.rs?"] {
        let ended = desk.go(&["run", text, "--auto-confirm"]);
        assert_eq!(desk.tree(), before, "{text}: {}", ended.err);
    }
}

#[test]
fn zero_is_a_goal_that_only_reads_and_was_answered_in_words() {
    for goal in [
        "analyze src/store.rs",
        "look at src/store.rs and say what is wrong",
        "verify that the store loads its notes",
    ] {
        let desk = Desk::new();
        let server = Server::start(vec![Turn::Say("It loads all of them. Shall I mend it?", vec![])]);
        let ended = desk.ask(&server.base, &["run", goal, "--auto-confirm"]).with(0);
        assert_eq!(ended.out.matches("It loads all of them").count(), 1, "{goal}: {}", ended.out);
        assert_eq!(server.requests().len(), 1, "{goal}");
    }
}

/// Goes on by these words in the session that a run left, and does the renaming.
fn renames_by(desk: &Desk, words: &str, slug: &str) {
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
    ]);
    desk.ask(&server.base, &["run", words, "--session", slug, "--auto-confirm"]).with(0);
    assert!(desk.file("src/search.rs").contains("fn points_of("), "{words}");
    desk.verified();
}

#[test]
fn three_is_a_change_that_was_taken_for_a_question_and_refused() {
    let order = "could score be called otherwise?";
    let path = json!({"node": "modify", "reason": "rename it"});
    for call in [("edit", edit("src/search.rs", "fn score(", "fn points_of(")), ("request_path", path)] {
        let desk = Desk::new();
        let before = desk.tree();
        let server = Server::start(vec![Turn::Say("", vec![call]), Turn::Say("I may not.", vec![])]);
        let ended = desk.ask(&server.base, &["run", order, "--auto-confirm", "--json"]).with(3);
        let last = ended.events().pop().unwrap();
        assert_eq!(last["question"]["kind"]["kind"], "transition", "{last}");
        assert_eq!(last["reason"], "This will modify files. Proceed?", "{last}");
        let way = format!("pilothouse run '/agent {order}' --session {} --auto-confirm", slug_of(&ended));
        assert_eq!(last["go_on"], way);
        assert_eq!(desk.tree(), before);
        renames_by(&desk, &format!("/agent {order}"), &slug_of(&ended));
    }
}

#[test]
fn three_is_a_message_of_which_nobody_says_what_it_means() {
    let desk = Desk::new();
    let order = "shellcheck-style review: which bugs are in src/search.rs? fix them";
    let server = Server::start(Vec::new());
    let ended = desk.ask(&server.base, &["run", order, "--auto-confirm", "--json"]).with(3);
    let last = ended.events().pop().unwrap();
    assert_eq!(last["question"]["kind"]["kind"], "clarification", "{last}");
    let way = format!("pilothouse run '/agent {order}' --session {} --auto-confirm", slug_of(&ended));
    assert_eq!(last["go_on"], way);
    renames_by(&desk, &format!("/agent {order}"), &slug_of(&ended));
}
