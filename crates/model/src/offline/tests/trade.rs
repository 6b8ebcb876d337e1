//! Words of the trade, orders that have a usual command, and what the session's own record knows.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;

/// A goal that may run commands.
fn goal(said: &str) -> Talk {
    Talk::new(Purpose::Goal, said, &["list", "read", "search", "run"])
}

/// A session in which a command was run before something is said.
fn behind(command: &str, output: &str, said: &str) -> Talk {
    let mut talk = goal(said);
    let own = talk.request.messages.pop().unwrap();
    let asked = talk.request.messages.pop().unwrap();
    let args = json!({ "command": command }).to_string();
    let call = ModelCall { id: "offline_0".into(), name: "run".into(), args };
    let result = Message {
        answers: Some("offline_0".into()),
        failed: !output.starts_with("exit 0"),
        ..Message::text(Role::Tool, output)
    };
    talk.request.messages.extend([
        Message::text(Role::User, "run the tests"),
        Message { calls: vec![call], ..Message::text(Role::Assistant, "") },
        result,
        Message::text(Role::Assistant, "It failed."),
        asked,
        own,
    ]);
    talk.last = Offline::new().answer(&talk.request);
    talk
}

const RED: &str = "exit 101, took 2.1 s\nstdout:\nrunning 2 tests\ntest finds ... FAILED\ntest writes ... ok\n\nfailures:\n\n---- finds stdout ----\n\nthread 'finds' panicked at tests/round_trip.rs:12:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n\nfailures:\n    finds\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\nstderr:\nerror: test failed, to rerun pass `--test round_trip`";
const GREEN: &str = "exit 0, took 2.1 s\nstdout:\ntest result: ok. 3 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed; 0 ignored";

#[test]
fn open_ends_are_looked_for_as_words_however_they_are_asked_for() {
    for said in ["find TODOs", "list all todos", "show me the todos in this project", "are there any TODOs?"]
    {
        let talk = Talk::ask(said);
        assert_eq!(talk.calls()[0].1["pattern"], json!(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "{said}");
        let talk =
            talk.then(&[("search", "src/note.rs:9: // TODO: keep the order stable\n1 match in 1 file")]);
        assert!(
            talk.said().contains("src/note.rs:9") && talk.said().starts_with("1 open end"),
            "{}",
            talk.said()
        );
        let none = Talk::ask(said).then(&[("search", "no matches")]);
        assert_eq!(none.said(), "There is no TODO, FIXME, XXX or HACK in this folder.");
    }
    assert_eq!(Talk::ask("list todos in src").calls()[0].1["path"], json!("src"));
    assert_eq!(Talk::ask("find \"TODOs\"").calls()[0].1["pattern"], json!("TODOs"));
}

#[test]
fn the_diff_the_last_commit_and_the_history_are_asked_of_git() {
    for (said, line) in [
        ("show the diff", "git --no-pager diff --no-color --no-ext-diff HEAD"),
        ("show diff", "git --no-pager diff --no-color --no-ext-diff HEAD"),
        ("show me the changes", "git --no-pager diff --no-color --no-ext-diff HEAD"),
        ("show the last commit", "git show --stat"),
        ("what was the last commit?", "git show --stat"),
        ("show the commit history", "git log --oneline -n 10"),
        ("which branch am i on?", "git branch"),
    ] {
        assert_eq!(goal(said).calls(), [("run".to_owned(), json!({"command": line}))], "{said}");
    }
    // A name is a name: what is asked for as one is looked for.
    assert_eq!(Talk::ask("where is diff defined?").calls()[0].0, "search");
    let talk =
        goal("show the last commit").then(&[("run", "exit 0, took 0.1 s\nstdout:\ncommit 1234\nDate: now")]);
    assert_eq!(talk.said(), "`git show --stat` printed:\n\n```text\ncommit 1234\nDate: now\n```");
}

#[test]
fn a_folder_is_listed_under_whatever_words_it_is_named() {
    for (said, path) in [
        ("what's in src?", "src"),
        ("what is in the src folder?", "src"),
        ("what's in the tests folder?", "tests"),
        ("show me the tests folder", "tests"),
        ("show src/", "src/"),
    ] {
        let talk = Talk::ask(said);
        assert_eq!(talk.calls(), [("list".to_owned(), json!({"path": path, "depth": 2}))], "{said}");
        let talk = talk.then(&[("list", "src/a.rs")]);
        assert!(talk.said().starts_with(&format!("In {path}, two levels deep: 1 file")), "{}", talk.said());
    }
    // One that lies deeper is found by its name; what is no folder is looked for in the code.
    let talk = Talk::ask("what's in the store folder?").then(&[("list", "error: store does not exist")]);
    let deep = talk.then(&[("list", "src/\nsrc/store/\nsrc/store/a.rs")]);
    assert_eq!(deep.calls()[0].1["path"], json!("src/store"));
    let talk = Talk::ask("what's in Store?").then(&[("list", "error: Store does not exist")]);
    assert_eq!(talk.then(&[("list", "src/\nsrc/a.rs")]).calls()[0].0, "search");
    let talk = Talk::ask("what's in the store folder?").then(&[("list", "error: store does not exist")]);
    assert_eq!(talk.then(&[("list", "src/\nsrc/a.rs")]).said(), "There is no folder `store` here.");
}

#[test]
fn the_program_itself_is_started_where_a_file_says_how() {
    for said in ["run it", "run this", "run the app", "start the program", "run this project"] {
        let talk = goal(said).then(&[("list", "Cargo.toml\nsrc/")]);
        assert_eq!(talk.calls(), [("run".to_owned(), json!({"command": "cargo run"}))], "{said}");
    }
    let talk = goal("run it").then(&[("list", "notes.txt")]);
    assert!(talk.said().starts_with("I can't tell how this is started"), "{}", talk.said());
    let again = behind("cargo test", RED, "run it again");
    assert_eq!(again.calls()[0].1["command"], json!("cargo test"));
    let mut offered = goal("how do I run the tests?").then(&[("list", "Cargo.toml")]);
    offered.request.messages.push(Message::text(Role::Assistant, offered.last.text.clone()));
    offered.request.messages.push(Message::text(Role::User, "run it"));
    assert_eq!(Offline::new().answer(&offered.request).calls[0].args, r#"{"command":"cargo test"}"#);
}

#[test]
fn words_of_the_program_itself_are_explained_where_the_code_defines_none() {
    for (said, word) in
        [("what is a gate?", "gate"), ("what is a hunk?", "hunk"), ("what are hunks?", "hunk")]
    {
        let talk = Talk::ask(said).then(&[("search", "no matches")]);
        let talk = if talk.last.calls.is_empty() { talk } else { talk.then(&[("search", "no matches")]) };
        assert!(talk.said().to_lowercase().starts_with(&format!("a {word} is ")), "{}", talk.said());
    }
    let talk =
        Talk::ask("what is a gate?").then(&[("search", "src/a.rs:2: struct gate;\n1 match in 1 file")]);
    assert!(talk.then(&[("read", "     2  struct gate;")]).said().starts_with("`gate` is a struct"));
}

#[test]
fn nothing_is_looked_for_that_can_be_no_name() {
    for said in [
        "what is the point of all this work?",
        "show me what you can improve",
        "where is the part that parses?",
    ] {
        let reply = Offline::new().answer(&Talk::ask(said).request);
        assert_eq!((reply.finish, reply.calls.len()), (Finish::NoModel, 0), "{said}: {}", reply.text);
    }
    for said in ["find bugs", "show me the bugs", "find unused code"] {
        let reply = Offline::new().answer(&Talk::ask(said).request);
        assert_eq!((reply.finish, reply.calls.len()), (Finish::NoModel, 0), "{said}: {}", reply.text);
    }
}

#[test]
fn why_something_fails_is_told_from_the_command_that_ran_last() {
    for said in [
        "why does it fail?",
        "which test failed?",
        "why did the test fail?",
        "why did the tests fail",
        "what failed?",
        "what went wrong?",
        "show me the error",
        "did the tests pass?",
    ] {
        let talk = behind("cargo test", RED, said);
        assert!(
            talk.said().starts_with("`cargo test` failed (exit 101): 1 failed: finds"),
            "{said}: {}",
            talk.said()
        );
        assert!(talk.said().contains("tests/round_trip.rs:12:5"), "{}", talk.said());
    }
    let talk = behind("cargo test", GREEN, "which test failed?");
    assert_eq!(talk.said(), "None: `cargo test` passed: 5 tests.");
    assert_eq!(behind("cargo test", GREEN, "did the tests pass?").said(), "`cargo test` passed: 5 tests.");
    let none = goal("which test failed?");
    assert!(none.said().starts_with("No command has run in this session"), "{}", none.said());
}

#[test]
fn a_gate_and_a_line_of_the_user_are_runs_as_well() {
    for block in [
        format!("<record>\ngate tests failed: `cargo test`, exit 101\n```\n{RED}\n```\n</record>"),
        format!("<command_output>\n{RED}\n</command_output>"),
    ] {
        let mut talk = goal("why does it fail?");
        talk.request.messages.insert(1, Message::text(Role::User, block));
        talk.request.messages.insert(1, Message::text(Role::User, "!cargo test"));
        let said = Offline::new().answer(&talk.request).text;
        assert!(said.starts_with("`cargo test` failed (exit 101): 1 failed: finds"), "{said}");
    }
    let mut talk = behind("cargo test", RED, "which test failed?");
    let at = talk.request.messages.len() - 2;
    let applied = "<record>\napplied: src/a.rs (+1 -1)\n</record>";
    talk.request.messages.insert(at, Message::text(Role::User, applied));
    let said = Offline::new().answer(&talk.request).text;
    assert!(said.ends_with("Files have changed since; `run it again` shows where it stands now."), "{said}");
}

#[test]
fn why_one_is_asked_and_how_something_is_taken_back_needs_no_model() {
    let talk = behind("cargo test", RED, "why was I asked?");
    assert!(talk.said().contains("pilothouse permissions explain \"cargo test\""), "{}", talk.said());
    assert!(Talk::ask("how do I undo?").said().starts_with("`/undo` takes back"));
    for said in ["undo that", "revert that", "undo the last change"] {
        assert!(Talk::plan(said).said().contains("/undo"), "{said}: {}", Talk::plan(said).said());
        assert!(Talk::plan(said).said().starts_with("This session has written nothing"), "{said}");
    }
}

#[test]
fn that_a_model_is_needed_is_told_at_length_once() {
    let mut talk = Talk::ask("make the parser faster");
    let long = talk.said().to_owned();
    talk.request.messages.push(Message::text(Role::Assistant, long.clone()));
    talk.request.messages.push(Message::text(Role::User, "make the writer faster"));
    let reply = Offline::new().answer(&talk.request);
    assert_eq!(reply.finish, Finish::NoModel);
    assert_eq!(reply.text, "That needs a model too; `/connect` is the way to one.");
    assert!(long.len() > 300);
}

#[test]
fn an_order_with_a_usual_command_proposes_it_with_the_names_filled_in() {
    for (said, line) in [
        ("commit my changes with \"fix the order\"", "git commit -a -m 'fix the order'"),
        ("create a branch called test", "git switch -c test"),
        ("switch to the branch main", "git switch main"),
        ("rename file src/note.rs to src/memo.rs", "git mv src/note.rs src/memo.rs"),
        ("move src/note.rs to src/memo.rs", "git mv src/note.rs src/memo.rs"),
        ("copy src/note.rs to src/memo.rs", "cp src/note.rs src/memo.rs"),
    ] {
        assert_eq!(goal(said).calls(), [("run".to_owned(), json!({"command": line}))], "{said}");
    }
    for (said, files, line) in [
        ("install serde", "Cargo.toml", "cargo add serde"),
        ("add the crate serde", "Cargo.toml", "cargo add serde"),
        ("install express", "package.json\nsrc/", "npm install express"),
        ("install @types/node", "package.json\nyarn.lock", "yarn add @types/node"),
    ] {
        let talk = goal(said).then(&[("list", files)]);
        assert_eq!(talk.calls(), [("run".to_owned(), json!({"command": line}))], "{said}");
    }
    for said in ["commit", "commit my changes"] {
        assert!(goal(said).said().contains("`commit \"…\"`"), "{said}: {}", goal(said).said());
    }
    // What could not be given to a shell as it stands is put into no line.
    for said in ["install serde;reboot", "create a branch called $(id)", "move a.rs to b.rs;id"] {
        assert!(goal(said).last.calls.is_empty(), "{said}: {:?}", goal(said).calls());
    }
    assert!(goal("move the function parse to src/b.rs").last.calls.is_empty());
}

#[test]
fn a_folder_without_git_has_no_diff_and_no_command_of_git() {
    let state =
        "<state>\nday: Monday\nworkspace: notes, no git repository\npath: Read; you may read\n</state>";
    for said in ["what changed?", "show the diff", "show the last commit"] {
        let mut talk = goal(said);
        *talk.request.messages.last_mut().unwrap() = Message::text(Role::User, state);
        let reply = Offline::new().answer(&talk.request);
        assert!(
            reply.calls.is_empty() && reply.text.starts_with("There is no git repository here"),
            "{said}: {}",
            reply.text
        );
    }
    let mut talk = goal("move a.rs to b.rs");
    *talk.request.messages.last_mut().unwrap() = Message::text(Role::User, state);
    assert_eq!(Offline::new().answer(&talk.request).calls[0].args, r#"{"command":"mv a.rs b.rs"}"#);
    let usage = "exit 129, took 0.1 s\nstderr:\nwarning: Not a git repository. Use --no-index\nusage: git diff --no-index\n    --output <file>\n            output to a specific file";
    let talk = goal("what changed?").then(&[("run", usage)]);
    assert_eq!(talk.said(), "I couldn't see the changes: warning: Not a git repository. Use --no-index");
}

#[test]
fn a_command_that_went_well_tells_how_much_passed() {
    let talk = goal("run `cargo test`").then(&[("run", GREEN)]);
    assert_eq!(talk.said(), "`cargo test` passed: 5 tests.");
    let jest = "exit 0, took 1.0 s\nstderr:\nTest Suites: 1 passed, 1 total\nTests:       4 passed, 4 total";
    assert_eq!(goal("run `npm test`").then(&[("run", jest)]).said(), "`npm test` passed: 4 tests.");
}

#[test]
fn places_and_lines_are_not_mixed_up() {
    let found = "a.rs:1: binder binder\na.rs:2: binder\nb.rs:1: binder\n3 matches in 2 files";
    let talk = Talk::plan("replace \"binder\" with \"folder\"").then(&[("search", found)]);
    let note = talk.submitted()["note"].as_str().unwrap().to_owned();
    assert!(note.starts_with("4 places of \"binder\" on 3 lines of 2 files in this folder"), "{note}");
}

#[test]
fn what_no_code_is_called_may_be_a_folder_or_a_file() {
    let none = [("search", "no matches")];
    for (said, list, call, path) in [
        ("show me src", "src/\nsrc/a.rs", "list", "src"),
        ("explain notes", "docs/\ndocs/notes.md", "read", "docs/notes.md"),
    ] {
        let talk = Talk::ask(said).then(&none).then(&none).then(&[("list", list)]);
        assert_eq!((talk.calls()[0].0.as_str(), &talk.calls()[0].1["path"]), (call, &json!(path)), "{said}");
    }
    let talk = Talk::ask("show me sorc").then(&none).then(&none).then(&[("list", "src/")]);
    assert!(talk.said().starts_with("I found nothing called `sorc`"), "{}", talk.said());
    let talk = Talk::ask("open README").then(&[("read", "error: README does not exist")]);
    assert_eq!(talk.then(&[("list", "README.md\nsrc/")]).calls()[0].1["path"], json!("README.md"));
}

#[test]
fn what_a_function_gives_what_changed_and_what_there_is_are_known() {
    assert_eq!(Talk::ask("what does find_notes return?").calls()[0].1["pattern"], json!("find_notes"));
    assert_eq!(goal("which files changed?").calls()[0].0, "run");
    assert_eq!(Talk::ask("list all functions").calls()[0].1["path"], json!("."));
    let talk = Talk::ask("what is the entry point?");
    assert_eq!(talk.calls(), [("list".to_owned(), json!({"path": ".", "depth": 3}))]);
}

#[test]
fn a_red_command_is_reported_with_what_failed_first() {
    let talk = goal("run `cargo test`").then(&[("run", RED)]);
    assert!(
        talk.said().starts_with("`cargo test` failed (exit 101): 1 failed: finds\n\n"),
        "{}",
        talk.said()
    );
}

#[test]
fn what_a_newcomer_says_is_no_name() {
    let none = [("search", "no matches")];
    let talk = Talk::ask("show the readme").then(&none).then(&none).then(&[("list", "README.md\nsrc/")]);
    assert_eq!(talk.calls()[0].1["path"], json!("README.md"));
    assert_eq!(
        Talk::ask("what's in the code?").calls(),
        [("list".to_owned(), json!({"path": ".", "depth": 2}))]
    );
    assert_eq!(Talk::ask("look at src/store.rs").calls()[0].0, "read");
    assert_eq!(Talk::ask("give me a list of todos").calls()[0].0, "search");
    assert_eq!(goal("show me the last change").calls()[0].0, "run");
    assert!(behind("cargo test", RED, "explain the error").said().starts_with("`cargo test` failed"));
    // Where nothing ran it may be a name all the same.
    assert_eq!(Talk::ask("where is the error?").calls()[0].1["pattern"], json!("error"));
    assert!(goal("how do I commit?").said().starts_with("`commit \"MESSAGE\"`"));
    assert!(Talk::ask("how do I revert a commit?").said().contains("git revert HEAD"));
}
