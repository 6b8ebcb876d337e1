//! What the user says is to be left alone: by name or as a kind, in a plan, in a step, in what waits for its review.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event, FileChange},
    ids::{ApplyId, ProposalId},
    input::{Input, WriteFault},
    intent::Phase,
    relpath::RelPath,
    spared::Spared,
    tool::{Advice, ChangeKind, Doubt, SparedChange, Tool, ToolOutcome, Wrote},
    work::Work,
};
use serde_json::json;

use crate::{phase, support::*};

/// How the last call that did not run was answered.
pub fn told(b: &Bench) -> String {
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
        (tests, "rm te?ts/a.rs"),
        (tests, "rm [t]ests/a.rs"),
        (tests, "rm -r te*"),
        (readme, "rm d?cs/README.md"),
        (readme, "rm docs/[A-Z]*.md"),
        (readme, "rm -rf ."),
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
        (readme, "rm other/*.md"),
        (tests, "rm src/*.rs"),
        (tests, "rm src/a?.rs"),
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

/// A step at work that was told to leave the tests alone.
fn told_to_leave_the_tests() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt, but leave the tests alone");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

fn change_of(path: &str) -> FileChange {
    let id = |text: &str| Some(BlobId::of(text.as_bytes()));
    FileChange {
        proposal: ProposalId(0),
        path: RelPath::new(path).unwrap(),
        kind: ChangeKind::Modify,
        before: id("1"),
        after: id("2"),
        mode: Some(0o644),
        added: 1,
        removed: 1,
        lines: 1,
        rest: None,
        changes: Vec::new(),
    }
}

pub fn wrote(path: &str) -> Wrote {
    let record = Some(BlobId::of(path.as_bytes()));
    Wrote { files: vec![change_of(path)], count: 1, record, ..Wrote::default() }
}

/// A command of the agent's ends that changed a test and another file.
fn formats(b: &mut Bench, spared: Wrote) {
    b.reply("", &[("run", json!({"command": "black ."}))]);
    if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    let held = b.session.pending().into_values().find_map(|work| match work {
        Work::Tool { permit, .. } => Some(permit.spared().clone()),
        _ => None,
    });
    assert_eq!(held, Some(Spared::of(vec!["the tests".to_owned()])));
    let part = SparedChange { said: vec!["the tests".to_owned()], wrote: spared };
    let wrote = Wrote { spared: Some(Box::new(part)), ..wrote("a.py") };
    b.end_tool(ToolOutcome {
        wrote: Some(Box::new(wrote)),
        ..exited(0, "exit 0, took 0.0 s\n2 files reformatted")
    });
}

fn put_back(b: &Bench) -> ApplyId {
    let find = b.session.pending().into_values().find_map(|work| match work {
        Work::Revert { apply, redo: false, .. } => Some(apply),
        _ => None,
    });
    find.unwrap()
}

fn result(b: &Bench) -> String {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { result, notes, .. } => Some(Advice::below(notes, &result.head)),
        _ => None,
    });
    end.unwrap()
}

fn ends(b: &mut Bench) -> String {
    b.reply("done", &[]);
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    end.unwrap()
}

#[test]
fn what_a_command_changed_of_it_is_put_back_and_both_are_told() {
    let mut b = told_to_leave_the_tests();
    formats(&mut b, wrote("tests/test_a.py"));
    assert!(
        result(&b)
            .contains("the user said not to touch the tests; put back: tests/test_a.py. Leave that as it is"),
        "{}",
        result(&b)
    );
    let apply = put_back(&b);
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    let said = b.notices();
    assert!(
        said.iter().any(|n| n.contains("Restored what `black .` changed in the tests: tests/test_a.py.")),
        "{said:?}"
    );
    let state = b.session.state();
    let stands: Vec<&str> = state.writes().flat_map(|(_, _, files)| files).map(|f| f.path.as_str()).collect();
    assert_eq!((stands, state.undone()), (vec!["a.py"], &[apply][..]));
    let told = ends(&mut b);
    assert!(!told.contains("left alone") && told.contains("1 file"), "{told}");
}

#[test]
fn what_was_moved_onto_it_is_told_to_be_at_neither_place() {
    for moves in [true, false] {
        let mut b = told_to_leave_the_tests();
        b.reply("", &[("run", json!({"command": "black ."}))]);
        if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
            b.answer(is_risk, Answer::Approve).unwrap();
        }
        let part = SparedChange { said: vec!["the tests".to_owned()], wrote: wrote("tests/test_a.py") };
        let before = if moves { change_of("a").after } else { change_of("a").before };
        let gone = FileChange { kind: ChangeKind::Delete, before, after: None, ..change_of("src/new.py") };
        let rest = Wrote { files: vec![gone], spared: Some(Box::new(part)), ..wrote("src/new.py") };
        b.end_tool(ToolOutcome { wrote: Some(Box::new(rest)), ..exited(0, "exit 0, took 0.0 s") });
        let told = "The command moved src/new.py to tests/test_a.py: once that is put back, what was moved is at neither \
                    place. The user's /undo brings it back where it was; tell the user";
        assert_eq!(result(&b).contains(told), moves, "{}", result(&b));
        b.input(Input::RevertEnded { apply: put_back(&b), result: Ok(true) }).unwrap();
        let told = "The command moved src/new.py to tests/test_a.py: what was moved is now in neither place; /undo brings it back. /unundo keeps the change after all.";
        assert_eq!(b.notices().iter().any(|n| n.ends_with(told)), moves, "{:?}", b.notices());
    }
}

#[test]
fn what_cannot_be_put_back_marks_the_end_of_the_run() {
    let mut b = told_to_leave_the_tests();
    formats(&mut b, wrote("tests/test_a.py"));
    let fault =
        WriteFault { message: "tests/test_a.py changed since".into(), stale: true, rebased: Vec::new() };
    b.input(Input::RevertEnded { apply: put_back(&b), result: Err(fault) }).unwrap();
    assert!(b.notices().iter().any(|n| n.contains("could not be restored")), "{:?}", b.notices());
    let told = ends(&mut b);
    assert!(told.contains("The tests were to be left alone: tests/test_a.py changed."), "{told}");
    assert!(!told.contains("Complete"), "{told}");

    // What was not saved cannot be put back either, and what could be is.
    let mut b = told_to_leave_the_tests();
    formats(&mut b, Wrote { left: vec!["tests/big.bin".to_owned()], ..wrote("tests/test_a.py") });
    assert!(result(&b).contains("NOT put back: tests/big.bin"), "{}", result(&b));
    b.input(Input::RevertEnded { apply: put_back(&b), result: Ok(true) }).unwrap();
    let told = ends(&mut b);
    assert!(told.contains("The tests were to be left alone: tests/big.bin changed."), "{told}");
}

/// What a command changed that an editor may have saved meanwhile.
fn doubted(path: &str) -> Wrote {
    Wrote { doubt: Doubt { names: vec![path.to_owned()], count: 1, all: true }, ..wrote(path) }
}

fn is_undo(kind: &CheckpointKind) -> bool {
    kind.takes_back()
}

fn puts_back(b: &Bench) -> bool {
    b.session.pending().into_values().any(|work| matches!(work, Work::Revert { .. }))
}

#[test]
fn what_may_be_the_users_own_is_put_back_only_by_a_word() {
    let mut b = told_to_leave_the_tests();
    formats(&mut b, doubted("tests/test_a.py"));
    assert!(!puts_back(&b), "an editor may have saved it: {:?}", b.notices());
    let asked = b.question(is_undo);
    let asks = b.session.state().open.get(&asked).map(|q| q.message.clone()).unwrap();
    assert!(asks.contains("The tests were to be left alone: tests/test_a.py changed."), "{asks}");
    let told = result(&b);
    assert!(told.contains("whether it is put back the user is asked: tests/test_a.py."), "{told}");
    // The run goes on beside the question, and what it writes later is in no way of a yes.
    b.reply("", &[("run", json!({"command": "make"}))]);
    if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    b.end_tool(ToolOutcome { wrote: Some(Box::new(wrote("c.py"))), ..exited(0, "exit 0, took 0.0 s") });
    b.answer(is_undo, Answer::Approve).unwrap();
    let apply = put_back(&b);
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    let stands: Vec<String> =
        b.session.state().writes().flat_map(|(_, _, files)| files).map(|f| f.path.to_string()).collect();
    assert_eq!(stands, ["a.py", "c.py"]);
    assert!(!ends(&mut b).contains("left alone"));

    let mut b = told_to_leave_the_tests();
    formats(&mut b, doubted("tests/test_a.py"));
    b.answer(is_undo, Answer::Reject(String::new())).unwrap();
    assert!(!puts_back(&b));
    let told = ends(&mut b);
    assert!(told.contains("The tests were to be left alone: tests/test_a.py changed."), "{told}");
}

#[test]
fn a_question_about_everything_is_none_about_what_was_to_be_left_alone() {
    let everything = || {
        let mut b = told_to_leave_the_tests();
        formats(&mut b, wrote("tests/test_a.py"));
        let fault = WriteFault { message: "busy".into(), stale: false, rebased: Vec::new() };
        b.input(Input::RevertEnded { apply: put_back(&b), result: Err(fault) }).unwrap();
        ends(&mut b);
        b.say("undo everything you did");
        b.question(is_undo);
        b
    };
    let mut b = everything();
    b.answer(is_undo, Answer::Reject(String::new())).unwrap();
    assert_eq!(b.notices().pop().unwrap(), "Nothing was taken back.");
    // What was written since is not in it.
    let mut b = everything();
    b.say("!make c.py");
    b.end_tool(ToolOutcome { wrote: Some(Box::new(wrote("c.py"))), ..exited(0, "exit 0, took 0.0 s") });
    assert_eq!(b.session.state().ledger().len(), 3, "{:?}", b.notices());
    assert!(!b.session.state().open.values().any(|c| is_undo(&c.kind)), "{:?}", b.notices());
}

#[test]
fn what_stands_of_it_ends_no_row_of_changes_that_are_taken_back() {
    let mut b = told_to_leave_the_tests();
    formats(&mut b, wrote("tests/test_a.py"));
    let fault = WriteFault { message: "busy".into(), stale: false, rebased: Vec::new() };
    b.input(Input::RevertEnded { apply: put_back(&b), result: Err(fault) }).unwrap();
    ends(&mut b);
    let ledger = b.session.state().ledger().to_vec();
    let (first, last) = (*ledger.first().unwrap(), *ledger.last().unwrap());
    assert_ne!(first, last);
    b.input(Input::UndoTo { to: first, last }).unwrap();
    for apply in [last, first] {
        assert_eq!(put_back(&b), apply);
        b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    }
    assert!(b.session.state().ledger().is_empty(), "{:?}", b.notices());
}

#[test]
fn a_later_word_to_the_run_frees_what_was_to_be_left_alone() {
    for (said, freed) in [
        ("now change the tests as well", true),
        ("ok, you may change the tests now", true),
        ("the tests are still to be left alone", false),
        ("don't change the tests yet", false),
    ] {
        let mut b = told_to_leave_the_tests();
        b.say(said);
        b.reply("", &[("edit", edit_of("tests/a.rs"))]);
        let tool = b.session.pending().into_values().any(|work| matches!(work, Work::Tool { .. }));
        assert_eq!(tool, freed, "{said}: {:?}", b.notices());
    }
}

#[test]
fn a_file_of_a_kind_is_freed_by_its_name_and_no_other_is() {
    let edits = |b: &mut Bench, path: &str| {
        b.reply("", &[("edit", edit_of(path))]);
        b.session.pending().into_values().any(|work| matches!(work, Work::Tool { .. }))
    };
    for (said, a, other) in [
        ("also update tests/a.rs", true, false),
        ("only change tests/a.rs, no other test", true, false),
        ("you may edit tests/a.rs but no other test", true, false),
        ("you may change all the tests but tests/a.rs", false, true),
        ("the tests stay as they are, all but tests/a.rs", true, false),
    ] {
        for (path, freed) in [("tests/a.rs", a), ("tests/b.rs", other)] {
            let mut b = told_to_leave_the_tests();
            b.say(said);
            assert_eq!(edits(&mut b, path), freed, "{said}: {path}: {:?}", b.notices());
        }
    }
    let mut b = told_to_leave_the_tests();
    b.say("you may change tests/a.rs");
    b.say("leave the tests alone");
    assert!(!edits(&mut b, "tests/a.rs"), "{:?}", b.notices());

    let mut b = told_to_leave_the_tests();
    b.say("you may change tests/a.rs");
    b.reply("", &[("run", json!({"command": "ls"}))]);
    let spared = b.session.pending().into_values().find_map(|work| match work {
        Work::Tool { permit, .. } => Some(permit.spared().clone()),
        _ => None,
    });
    let said_of = |path| spared.as_ref().unwrap().said_of(path, false);
    assert_eq!((said_of("tests/a.rs"), said_of("tests/b.rs")), (None, Some("the tests")));
}

#[test]
fn what_the_user_runs_and_gates_are_not_held_to_what_is_left_alone() {
    let held = |b: &Bench| {
        b.session.pending().into_values().find_map(|work| match work {
            Work::Tool { permit, .. } => Some(!permit.spared().is_none()),
            _ => None,
        })
    };
    let mut b = Bench::new();
    b.say("!echo leave the tests alone");
    assert_eq!(held(&b), Some(false), "{:?}", b.notices());

    let mut b = Bench::new();
    b.say("fix the bug in a.txt, but leave the tests alone");
    b.plan(&[("One", "modify")], &[("fmt", "make check")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("run", json!({"command": "ls"}))]);
    assert_eq!(held(&b), Some(true), "{:?}", b.notices());
    b.end_tool(exited(0, "a.txt"));
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    assert_eq!(held(&b), Some(false), "{:?}", b.names());
}

#[test]
fn a_command_makes_files_of_a_kind_only_where_they_are_sources() {
    let spared = Spared::of(vec!["the tests".to_owned(), "src/b.rs".to_owned()]);
    for (path, change, held) in [
        ("tests/a.rs", ChangeKind::Modify, true),
        ("tests/data.json", ChangeKind::Modify, true),
        ("tests/data.json", ChangeKind::Delete, true),
        ("tests/new.rs", ChangeKind::Create, true),
        ("tests/run.out", ChangeKind::Create, false),
        ("build/test_a", ChangeKind::Create, false),
        ("tests/__pycache__/a.py", ChangeKind::Create, false),
        ("src/a.rs", ChangeKind::Modify, false),
        ("src/b.rs", ChangeKind::Create, true),
    ] {
        assert_eq!(spared.said_of(path, change == ChangeKind::Create).is_some(), held, "{path} {change:?}");
    }
}

#[test]
fn where_nothing_is_to_run_no_plan_and_no_step_runs_anything() {
    let mut b = Bench::new();
    b.say("fix the bug in a.rs, but don't run anything");
    assert_eq!(phase(&b), Phase::Planning, "{:?}", b.notices());
    b.plan(&[("One", "modify")], &[("fmt", "make check")]);
    assert!(told(&b).contains("nothing is to run: leave out the gates"), "{}", told(&b));
    submit(&mut b, &["a.rs"]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("run", json!({"command": "make check"}))]);
    assert!(told(&b).contains("the user said that nothing is to run"), "{}", told(&b));
    b.reply("", &[("run", json!({"command": "ls"}))]);
    assert_eq!(b.tool().1, Tool::Run, "what only looks is no run");
}
