//! What the user says is to be left alone: by name or as a kind, in a plan, in a step, in what waits for its review.

use pilothouse_core::{
    checkpoint::Answer,
    event::{CallStatus, Event},
    intent::Phase,
    relpath::RelPath,
    tool::{Tool, ToolOutcome},
};
use serde_json::json;

use crate::{phase, support::*};

/// How the last call that did not run was answered.
fn told(b: &Bench) -> String {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status: CallStatus::Refused | CallStatus::Failed, result, .. } => {
            Some(result.head.clone())
        }
        _ => None,
    });
    end.unwrap()
}

fn submit(b: &mut Bench, files: &[&str]) {
    let task = json!({"title": "A", "files": files});
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [task]}))]);
}

#[test]
fn a_kind_of_files_that_is_to_be_left_alone_is_in_no_plan_and_in_no_edit() {
    for (said, spared, free) in [
        ("fix the bug in a.rs, but leave the tests alone", "tests/test_a.rs", "a.rs"),
        ("add a flag to a.rs. Don't touch the tests.", "src/a_test.go", "a.rs"),
        ("fix the bug in a.rs, but leave the tests alone", "src/FooTest.java", "src/latest.rs"),
        ("fix the bug in a.rs, but leave the tests alone", "conftest.py", "src/spec.rs"),
        ("fix the bug in src/config.rs, don't touch the config files", "vite.config.ts", "src/config.rs"),
        ("fix the bug in a.rs without changing the docs", "docs/use.html", "a.rs"),
        ("fix the bug in a.rs, don't touch the config files", "pyproject.toml", "a.rs"),
        ("fix the bug in Cargo.toml, but leave the lock file as it is", "Cargo.lock", "Cargo.toml"),
    ] {
        let mut b = Bench::new();
        b.say(said);
        assert_eq!(phase(&b), Phase::Planning, "{said}: {:?}", b.notices());
        submit(&mut b, &["a.rs", spared]);
        assert!(told(&b).contains(&format!("leave {spared} out")), "{said}: {}", told(&b));
        submit(&mut b, &[free]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of(spared))]);
        assert!(told(&b).contains("the user said not to touch the "), "{said}: {}", told(&b));
        b.reply("", &[("edit", edit_of(free))]);
        assert_eq!(b.tool().1, Tool::Edit, "{said}");
    }
}

#[test]
fn a_command_is_held_to_what_is_to_be_left_alone_as_an_edit_is() {
    let refused = |said: &str, line: &str| {
        let mut b = Bench::new();
        b.say(said);
        assert_eq!(phase(&b), Phase::Planning, "{said}: {:?}", b.notices());
        submit(&mut b, &["a.rs"]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("run", json!({"command": line}))]);
        let end = b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { status: CallStatus::Refused, result, .. } => Some(result.head.clone()),
            _ => None,
        });
        end.is_some_and(|told| told.contains("the user said not to touch "))
    };
    let tests = "fix the bug in a.rs, but leave the tests alone";
    let readme = "fix the bug in a.rs, but do not touch docs/README.md";
    for (said, line) in [
        (tests, "sed -i s/1/2/ tests/a.rs"),
        (tests, "rm -r tests"),
        (tests, "cd src && echo x > FooTest.java"),
        (tests, "cp b.rs src/a_test.go && make"),
        (readme, "echo x >> docs/README.md"),
        (readme, "rm -r docs"),
        (readme, "rm docs/*.md"),
        (tests, "gcc -o tests/a.c b.c"),
        (tests, "cp -r new tests"),
        (tests, "rm tests/run.log"),
        (tests, "echo x > build/a_test.c"),
        ("fix the bug in a.rs, don't touch the config files", "mv new.toml Cargo.toml"),
    ] {
        assert!(refused(said, line), "{said}: {line}");
    }
    for (said, line) in [
        (tests, "cat tests/a.rs"),
        (tests, "cargo test > /tmp/test.log"),
        (tests, "cargo test > test.log"),
        (tests, "cargo test > target/test.log 2>&1"),
        (tests, "rm -rf target/debug/deps/test-*"),
        (tests, "gcc -o test a.c && ./test"),
        (tests, "gcc tests/a.c -o build/test_a"),
        (tests, "cc -o build/tests a.c"),
        ("fix the bug in a.rs without changing the docs", "cargo test > out.txt"),
        ("fix the bug in a.rs without changing the docs", "echo x > todo_app.py"),
        (tests, "sed -i s/1/2/ a.rs"),
        (readme, "echo x > docs/other.md"),
        ("fix the bug in a.rs, don't touch the config files", "sed -i s/1/2/ src/config.rs"),
        ("fix the bug in a.rs", "rm -r tests"),
    ] {
        assert!(!refused(said, line), "{said}: {line}");
    }
}

#[test]
fn what_is_said_to_be_left_alone_goes_from_what_waits() {
    let mut b = crate::phases::running();
    b.reply("", &[("edit", edit_of("tests/a.rs")), ("edit", edit_of("a.rs"))]);
    b.propose("tests/a.rs", "1\n", "2\n");
    b.propose("a.rs", "1\n", "2\n");
    b.reply("done", &[]);
    b.question(is_diff);
    b.say("leave the tests alone");
    let state = b.session.state();
    let open: Vec<&str> = state.open_proposals().map(|p| p.path.as_str()).collect();
    let aside: Vec<&str> = state.set_aside().map(|p| p.path.as_str()).collect();
    assert_eq!((open, aside), (vec!["a.rs"], vec!["tests/a.rs"]));
}

#[test]
fn a_proposal_that_its_agent_takes_back_is_not_reviewed_and_not_lost() {
    let mut b = crate::phases::running();
    b.reply("", &[("edit", edit_of("a.rs"))]);
    b.propose("a.rs", "1\n", "2\n");
    b.reply("", &[("edit", edit_of("a.rs"))]);
    let withdrawn = Some(Box::new(RelPath::new("a.rs").unwrap()));
    b.end_tool(ToolOutcome { withdrawn, ..ToolOutcome::text("withdrawn", "withdrawn") });
    assert_eq!(b.session.state().open_proposals().count(), 0);
    b.reply("nothing to change: it was right", &[]);
    assert!(!b.session.state().open.values().any(|c| is_diff(&c.kind)));
    assert_eq!((phase(&b), b.session.state().set_aside().count()), (Phase::Executing, 1));
}
