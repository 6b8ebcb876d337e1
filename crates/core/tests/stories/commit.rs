//! What was written is told by run and message, and committed only as it was shown.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    commit::{CommitFile, CommitTree, Committed, Merge},
    completion::LeftOut,
    diff::{Change, hunks},
    event::Event,
    ids::{CallId, ProposalId, TurnId},
    input::Input,
    intent::{IntentPath, Phase, Turn},
    outcome::{FileChange, Rest},
    proposal::Decision,
    scope::PermissionMode,
    session::{Extent, Session, What},
    tool::{ChangeKind, ToolOutcome, Trees, Wrote},
    work::Work,
};
use serde_json::json;

use crate::{gates::red, reviewing, support::*};

pub fn is_commit(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Commit(_))
}

/// A file was written, and the run has ended.
pub fn written() -> Bench {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    b.write();
    assert!(b.session.pending().is_empty(), "{:?}", b.session.pending());
    b
}

/// What git is asked to look at.
fn asked(b: &Bench) -> (CallId, Vec<String>) {
    let pending = b.session.pending();
    let Some(Work::LookCommit { commit, files }) = pending.values().next() else { panic!("{pending:?}") };
    (*commit, files.iter().map(|file| file.path.to_string()).collect())
}

pub fn tree(names: &[&str]) -> CommitTree {
    let file = |name: &&str| CommitFile {
        path: path(name),
        kind: ChangeKind::Modify,
        content: Some(BlobId::of(b"x")),
        untracked: false,
        mixed: false,
    };
    CommitTree {
        on: "main".into(),
        files: names.iter().map(file).collect(),
        others: 1,
        ..CommitTree::default()
    }
}

fn path(name: &str) -> pilothouse_core::relpath::RelPath {
    pilothouse_core::relpath::RelPath::new(name).unwrap()
}

pub fn looked(b: &mut Bench, result: Result<CommitTree, String>) {
    let (commit, _) = asked(b);
    b.input(Input::CommitLooked { commit, result }).unwrap();
}

#[test]
fn a_run_ends_with_the_facts_that_the_workbench_saw() {
    let b = written();
    let ended = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, .. } => came_to.clone(),
        _ => None,
    });
    let facts = ended.unwrap();
    assert_eq!(facts.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a.txt"]);
    assert_eq!((facts.done, facts.left.len(), facts.set_aside), (1, 0, 0));
    assert_eq!(facts.usage, b.session.state().accounts.run);
    let groups = b.session.state().written(Extent::Session);
    assert_eq!(groups.len(), 1);
    assert!(groups[0].origin.run.is_some());
    assert_eq!(groups[0].goal, "fix the greeting");
}

#[test]
fn what_is_taken_back_is_not_told_as_written() {
    let mut b = written();
    b.input(Input::Undo).unwrap();
    let pending = b.session.pending();
    let Some(Work::Revert { apply, .. }) = pending.values().next() else { panic!("{pending:?}") };
    b.input(Input::RevertEnded { apply: *apply, result: Ok(true) }).unwrap();
    assert!(b.session.state().written(Extent::Session).is_empty());
    assert!(b.input(Input::say("/changes")).unwrap_err().reason.contains("nothing was written"));
    assert!(b.input(Input::say("/commit")).unwrap_err().reason.contains("wrote nothing"));
    b.input(Input::Redo).unwrap();
    let pending = b.session.pending();
    let Some(Work::Revert { apply, .. }) = pending.values().next() else { panic!("{pending:?}") };
    b.input(Input::RevertEnded { apply: *apply, result: Ok(true) }).unwrap();
    let groups = b.session.state().written(Extent::Run);
    assert_eq!(groups[0].goal, "fix the greeting", "it is known where it came from");
}

#[test]
fn that_a_commit_is_shown_and_asked_about_is_foretold() {
    let b = written();
    for line in ["commit", "looks good, commit", "commit this", "/commit"] {
        let told = b.session.foretell(line);
        let (turn, path) = told.meant.clone().unwrap_or((Turn::Query(None), IntentPath::root()));
        let words = told.words((&turn, &path), false, b.session.state());
        assert_eq!(words, "shows what would be committed, and asks", "{line}");
    }
}

#[test]
fn a_commit_is_shown_and_makes_exactly_what_was_shown() {
    let mut b = written();
    b.say("/commit");
    assert_eq!(asked(&b).1, ["a.txt"]);
    assert!(b.input(Input::say("/commit")).unwrap_err().reason.contains("under way"));
    looked(&mut b, Ok(tree(&["a.txt"])));
    assert!(b.session.pending().is_empty(), "nothing is done before the yes");
    let id = b.question(is_commit);
    let CheckpointKind::Commit(shown) = b.session.state().open[&id].kind.clone() else { panic!() };
    assert_eq!(shown.message, "Fix the greeting", "the plan's title is none");
    // An answer to something else that was shown is none.
    let stale = Input::Answer { checkpoint: id, answer: Answer::Approve, shown: Some(BlobId::of(b"other")) };
    assert!(b.input(stale).unwrap_err().reason.contains("not what was shown"));
    b.answer(is_commit, Answer::Line("Say hello\n\nin words".into())).unwrap();
    let pending = b.session.pending();
    let Some(Work::Commit { commit, files, message, .. }) = pending.values().next() else {
        panic!("{pending:?}")
    };
    assert_eq!((files.clone(), message.as_str()), (tree(&["a.txt"]).files, "Say hello\n\nin words"));
    let made = Committed { id: "abc1234".into(), on: "main".into() };
    b.input(Input::Committed { commit: *commit, result: Ok(made) }).unwrap();
    assert!(b.session.pending().is_empty());
    assert_eq!(b.names().last().map(String::as_str), Some("commit_ended"));
}

#[test]
fn typed_words_answer_it_and_a_no_commits_nothing() {
    let mut b = written();
    b.say("/commit Fix it");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.say("no");
    assert!(b.session.pending().is_empty() && b.session.state().open.is_empty());
    b.say("/commit Fix it");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.say("yes");
    let pending = b.session.pending();
    assert!(matches!(pending.values().next(), Some(Work::Commit { message, .. }) if message == "Fix it"));
}

#[test]
fn where_git_says_no_the_words_stand_there_and_nothing_waits() {
    let mut b = written();
    b.say("/commit");
    looked(&mut b, Err("a merge is in progress".into()));
    assert!(b.session.pending().is_empty() && b.session.state().open.is_empty());
    b.say("/commit");
    looked(&mut b, Ok(tree(&[])));
    let told: Vec<_> = b
        .log
        .iter()
        .filter_map(|e| match &e.event {
            Event::CommitEnded { made: None, told, .. } => Some(told.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(told[0], "a merge is in progress");
    assert!(told[1].contains("nothing to commit"), "{told:?}");
}

#[test]
fn a_merge_is_ended_with_the_message_that_git_has_and_only_that_merge() {
    let mut b = written();
    b.say("/commit");
    let merge = Merge { state: "abc\n".into(), message: "Merge branch 'x'".into(), more: 2 };
    let kept = serde_json::to_value(&merge).unwrap();
    assert_eq!(kept["heads"], "abc\n", "logs that hold one open for ever");
    looked(&mut b, Ok(CommitTree { merge: Some(merge), ..tree(&["a.txt"]) }));
    let CheckpointKind::Commit(shown) = b.session.state().open[&b.question(is_commit)].kind.clone() else {
        panic!()
    };
    let text = shown.text();
    for part in [
        "Commit the merge on main, 1 file?",
        "a.txt",
        "Merge branch 'x'",
        "2 files more as the other side has them",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    b.say("yes");
    let pending = b.session.pending();
    let Some(Work::Commit { message, merge, .. }) = pending.values().next() else { panic!("{pending:?}") };
    assert_eq!((message.as_str(), merge.as_deref()), ("Merge branch 'x'", Some("abc\n")));
    // Where all of it was settled and staged by others nothing is named.
    let mut b = written();
    b.say("/commit");
    let merge = Merge { state: "abc\n".into(), message: "Merge branch 'x'".into(), more: 2 };
    looked(&mut b, Ok(CommitTree { merge: Some(merge), ..tree(&[]) }));
    let CheckpointKind::Commit(shown) = b.session.state().open[&b.question(is_commit)].kind.clone() else {
        panic!()
    };
    assert!(shown.text().starts_with("Commit the merge on main?\n"), "{}", shown.text());
}

#[test]
fn a_read_only_ceiling_commits_nothing() {
    let mut b = written();
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert!(b.answer(is_commit, Answer::Approve).unwrap_err().reason.contains("read-only"));
    assert!(b.input(Input::say("/commit")).unwrap_err().reason.contains("read-only"));
}

#[test]
fn a_commit_that_was_being_made_is_not_repeated() {
    let mut b = written();
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.answer(is_commit, Answer::Approve).unwrap();
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.pending().is_empty());
    assert!(b.notices().iter().any(|n| n.contains("A commit was being made")), "{:?}", b.notices());
}

/// Makes the commit that is asked for.
pub fn commit(b: &mut Bench, names: &[&str]) -> String {
    commit_of(b, tree(names))
}

/// Makes the commit of what git has.
fn commit_of(b: &mut Bench, tree: CommitTree) -> String {
    b.say("/commit");
    looked(b, Ok(tree));
    let id = b.question(is_commit);
    let CheckpointKind::Commit(shown) = b.session.state().open[&id].kind.clone() else { panic!() };
    b.answer(is_commit, Answer::Line(shown.message.clone())).unwrap();
    let pending = b.session.pending();
    let Some(Work::Commit { commit, .. }) = pending.values().next() else { panic!("{pending:?}") };
    let made = Committed { id: "abc1234".into(), on: "main".into() };
    b.input(Input::Committed { commit: *commit, result: Ok(made) }).unwrap();
    shown.message
}

#[test]
fn a_second_commit_says_nothing_of_what_the_first_one_holds() {
    let mut b = written();
    assert_eq!(commit(&mut b, &["a.txt"]), "Fix the greeting");
    b.say("rename the greeting");
    let steps = json!([{"title": "Rename it", "kind": "modify", "files": ["a.txt"]}]);
    b.reply("", &[("submit_plan", json!({"title": "Another name", "tasks": steps}))]);
    let turn = b.session.state().plan.as_ref().unwrap().turn;
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("also add a doc comment to the two methods");
    for (before, after) in [("one\ntwo\n", "one\n2\n"), ("one\n2\n", "1\n2\n")] {
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", before, after);
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    let groups = b.session.state().written(Extent::Session);
    assert_eq!(
        groups.iter().map(|g| (g.goal.as_str(), g.files[0].writes.len())).collect::<Vec<_>>(),
        [("fix the greeting", 1), ("rename the greeting", 2)]
    );
    assert_eq!(groups[1].origin.work, turn, "what is added while it runs is of the same work");
    let message = commit(&mut b, &["a.txt"]);
    assert!(message.starts_with("Rename the greeting\n\n- Rename it\n"), "{message}");
    assert!(!message.contains("Plan"), "not the first plan's words beside them: {message}");
}

#[test]
fn a_file_that_was_written_again_and_again_counts_once_from_before_to_after() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("also add a doc comment to the two methods");
    for (before, after) in [("one\ntwo\n", "one\n2\nthree\n"), ("one\n2\nthree\n", "one\n2\n")] {
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", before, after);
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    let ended = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, .. } => came_to.clone(),
        _ => None,
    });
    assert_eq!(ended.unwrap().lines(), (1, 1), "one line is another: \"three\" came and went");
    let files = b.session.state().written_files(Extent::Session);
    assert_eq!((files.len(), files[0].writes.len(), files[0].added, files[0].removed), (1, 2, 1, 1));
    let state = b.session.state();
    assert_eq!(state.written_by(&files[0].path, &files[0].writes).as_ref(), Some(&files[0]));
    // Each message is told of what it led to alone.
    let (first, second) = (TurnId(1), state.turns.keys().copied().nth(1).unwrap());
    let lines = |turn| state.written_for(turn).iter().map(|f| (f.added, f.removed)).collect::<Vec<_>>();
    assert_eq!((lines(first), lines(second)), (vec![(2, 1)], vec![(0, 1)]));
}

/// What a command makes of a file, with the lines that it changed.
fn made_of(before: &str, after: &str) -> FileChange {
    let changes: Vec<Change> = hunks(before.as_bytes(), after.as_bytes())
        .iter()
        .flat_map(|hunk| hunk.changes.iter().copied())
        .collect();
    FileChange {
        proposal: ProposalId(0),
        path: path("a.txt"),
        kind: ChangeKind::Modify,
        before: Some(BlobId::of(before.as_bytes())),
        after: Some(BlobId::of(after.as_bytes())),
        mode: None,
        added: changes.iter().map(|c| c.new.len).sum(),
        removed: changes.iter().map(|c| c.old.len).sum(),
        lines: after.lines().count(),
        rest: None,
        changes,
    }
}

#[test]
fn what_a_command_writes_adds_up_with_edits_to_what_became_of_the_file() {
    for formats in ["one\n2\n", "one\n2\nthree!\n"] {
        let mut b = Bench::new();
        b.say("fix the greeting");
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "one\ntwo\n", "one\n2\nthree\n");
        b.reply("", &[("run", json!({"command": "black ."}))]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        let (files, record) = (vec![made_of("one\n2\nthree\n", formats)], Some(BlobId::of(b"record")));
        let wrote = Wrote { files, count: 1, record, ..Wrote::default() };
        b.end_tool(ToolOutcome { wrote: Some(Box::new(wrote)), ..exited(0, "") });
        let files = b.session.state().written_files(Extent::Session);
        let lines = formats.lines().count() - 1;
        assert_eq!((files[0].writes.len(), files[0].added, files[0].removed), (2, lines, 1), "{formats}");
        assert!(Session::replay(&b.log) == b.session);
    }
}

#[test]
fn a_commit_of_work_whose_gate_is_red_says_so() {
    let mut b = red("cargo test", "a.txt", "FAILED");
    b.answer(is_failure, Answer::Manual).unwrap();
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt"])));
    let shown = b.session.state().open[&b.question(is_commit)].kind.clone();
    let CheckpointKind::Commit(shown) = shown else { panic!("{shown:?}") };
    assert!(shown.text().contains("Gate style is red: cargo test"), "{}", shown.text());
    assert!(!shown.message.contains("Checked"), "{}", shown.message);
}

#[test]
fn that_a_gate_is_green_stands_in_the_question_and_not_in_the_message() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("One", "modify")], &[("tests", "make test")]);
    if b.session.state().phase == Phase::AwaitingApproval {
        b.answer(is_plan, Answer::Approve).unwrap();
    }
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "one\n", "two\n");
    b.reply("The greeting is mended (`a.txt:1`), `make test` passes.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    let tree_of = |name: &str| BlobId::of(name.as_bytes());
    let trees = Some(Trees { before: tree_of("then"), after: tree_of("then") });
    b.end_tool(ToolOutcome { trees, ..exited(0, "fine") });
    let pending = b.session.pending();
    let looks =
        pending.values().find_map(|w| if let Work::SeeTree { call } = w { Some(*call) } else { None });
    b.input(Input::TreeSeen { call: looks.unwrap(), tree: Some(tree_of("then")) }).unwrap();
    // What stays out was there when it was green: of what is committed nothing is known.
    for (left, said) in [
        (vec!["b.txt"], "(b.txt); the commit itself was not tested: make test"),
        (vec!["b", "c", "d", "e"], "(b, c, d and 1 more file); the commit itself was not tested: make test"),
    ] {
        b.say("/commit");
        let left: Vec<String> = left.into_iter().map(str::to_owned).collect();
        let seen = Some(tree_of("then"));
        looked(&mut b, Ok(CommitTree { seen, others: left.len(), left, ..tree(&["a.txt"]) }));
        let shown = b.session.state().open[&b.question(is_commit)].kind.clone();
        let CheckpointKind::Commit(shown) = shown else { panic!("{shown:?}") };
        let told =
            format!("Gate tests is green only together with changes that this commit leaves out {said}");
        assert!(shown.text().contains(&told), "{}", shown.text());
    }
    // What is green is so of the files as they are now, and not where nobody could see them in time.
    for (seen, said) in [
        (Some("then"), "Gate tests is green: make test"),
        (Some("now"), "Gate tests was green but has not run since files changed: make test"),
        (None, "Gate tests was green; whether it still is could not be checked in time: make test"),
    ] {
        b.say("/commit");
        let seen = seen.map(tree_of);
        looked(&mut b, Ok(CommitTree { small: true, seen, ..tree(&["a.txt"]) }));
        let shown = b.session.state().open[&b.question(is_commit)].kind.clone();
        let CheckpointKind::Commit(shown) = shown else { panic!("{shown:?}") };
        assert_eq!(shown.message, "fix the greeting", "in the manner of the log, and no model's report");
        assert!(shown.text().contains(said), "{}", shown.text());
    }
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_gate_that_was_green_names_what_changed_since() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "one\n", "two\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.reply("nothing to change: it already is", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "fine"));
    // A line of the user's changes another file behind that.
    b.say("!make docs");
    let made = |b: &Bench| b.session.state().open.values().any(|c| is_risk(&c.kind));
    if made(&b) {
        b.answer(is_risk, Answer::Approve).unwrap();
    }
    b.end_tool(ToolOutcome { wrote: Some(Box::new(crate::spared::wrote("b.txt"))), ..exited(0, "") });
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt", "b.txt"])));
    let shown = b.session.state().open[&b.question(is_commit)].kind.clone();
    let CheckpointKind::Commit(shown) = shown else { panic!("{shown:?}") };
    let told = "Gate tests was green but has not run since b.txt changed: make test";
    assert!(shown.text().contains(told), "{}", shown.text());
}

#[test]
fn a_run_ends_with_what_the_user_left_out() {
    let mut b = reviewing();
    let p = b.session.state().open_proposals().next().unwrap().clone();
    for (hunk, decision) in [(0, Decision::Taken), (1, Decision::Left)] {
        let decide = Input::Decide { proposal: p.id, hunk, decision: Some(decision), shown: p.shown() };
        b.input(decide).unwrap();
    }
    b.approve_all(None).unwrap();
    b.write();
    let ended = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, .. } => came_to.clone(),
        _ => None,
    });
    let left: Vec<String> = ended.unwrap().left_out.iter().map(LeftOut::line).collect();
    assert_eq!(left, ["left out: 1 of 2 hunks of a.txt"]);
}

#[test]
fn what_a_repair_wrote_of_a_file_that_was_left_out_is_left_out_no_more() {
    for (taken, left) in [(true, None), (false, Some("left out: a.txt"))] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", "make test")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        for path in ["a.txt", "b.txt"] {
            b.reply("", &[("edit", edit_of(path))]);
            b.propose(path, "1\n", "2\n");
        }
        b.reply("", &[]);
        let of_a = b.session.state().open_proposals().find(|p| p.path == path("a.txt")).unwrap().id;
        b.input(Input::Skip { proposals: vec![of_a], reason: String::new() }).unwrap();
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "no"));
        b.answer(is_failure, Answer::AutoFix).unwrap();
        b.reply("", &[("edit", edit_of(if taken { "a.txt" } else { "b.txt" }))]);
        b.propose(if taken { "a.txt" } else { "b.txt" }, "2\n", "3\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(0, "ok"));
        let ended = b.log.iter().find_map(|e| match &e.event {
            Event::RunCompleted { came_to, .. } => came_to.clone(),
            _ => None,
        });
        let told: Vec<String> = ended.unwrap().left_out.iter().map(LeftOut::line).collect();
        assert_eq!(told, left.into_iter().map(str::to_owned).collect::<Vec<_>>());
    }
}

#[test]
fn words_about_the_message_of_a_commit_that_waits_are_its_message() {
    let mut b = written();
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt"])));
    let message = |b: &Bench| {
        let kind = b.session.state().open[&b.question(is_commit)].kind.clone();
        let CheckpointKind::Commit(shown) = kind else { panic!("{kind:?}") };
        shown.message
    };
    for line in ["call it: Greet people by name", "use \"Greet people by name\" as the message"] {
        b.say(line);
        assert_eq!(message(&b), "Greet people by name", "{line}");
        assert_eq!((b.session.state().phase, b.session.pending().len()), (Phase::Idle, 0), "{line}");
        b.say("change the message to x");
    }
    assert_eq!(b.session.state().open.len(), 1);
    // Other words are other work: the question waits beside it, and a stop ends the work first.
    b.say("fix the parser");
    assert_eq!(b.session.state().phase, Phase::Planning);
    assert_eq!(message(&b), "x");
    b.input(Input::Cancel).unwrap();
    assert_eq!((b.session.state().phase, message(&b).as_str()), (Phase::Idle, "x"));
    b.answer(is_commit, Answer::Line("x".into())).unwrap();
    let pending = b.session.pending();
    let Some(Work::Commit { message, .. }) = pending.values().next() else { panic!("{pending:?}") };
    assert_eq!(message, "x");
}

#[test]
fn who_wants_another_message_is_told_one_and_no_file_is_planned_for_it() {
    for line in ["write a better commit message", "make the message shorter", "the message is too long"] {
        let mut b = written();
        b.say("/commit");
        looked(&mut b, Ok(tree(&["a.txt"])));
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Idle, "{line}: {:?}", b.names());
        b.thinking();
        b.question(is_commit);
    }
    // Behind the commit as well; what names no commit is an order like any other.
    for (line, phase) in
        [("write a better commit message", Phase::Idle), ("make the message shorter", Phase::Planning)]
    {
        let mut b = written();
        b.say(line);
        assert_eq!(b.session.state().phase, phase, "{line}: {:?}", b.names());
    }
}

#[test]
fn what_is_left_of_a_file_that_was_written_in_part_is_told_of_the_whole_file() {
    let mut b = reviewing();
    let p = b.session.state().open_proposals().next().unwrap().clone();
    let take = Input::Decide { proposal: p.id, hunk: 0, decision: Some(Decision::Taken), shown: p.shown() };
    b.input(take).unwrap();
    b.approve_all(None).unwrap();
    let (apply, mut files) = (b.writing(), b.prepared());
    files[0].rest = Some(Rest { after: p.after.unwrap(), hunks: p.hunks[1..].to_vec() });
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    b.input(Input::ApplyEnded { apply, result: Ok(()) }).unwrap();
    let rest = b.session.state().open_proposals().next().unwrap().clone();
    assert_eq!((rest.hunks.len(), rest.id != p.id), (1, true));
    b.input(Input::Skip { proposals: vec![rest.id], reason: String::new() }).unwrap();
    let ended = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, .. } => came_to.clone(),
        _ => None,
    });
    let left: Vec<String> = ended.unwrap().left_out.iter().map(LeftOut::line).collect();
    assert_eq!(left, ["left out: 1 of 2 hunks of a.txt"]);
}

#[test]
fn the_model_is_told_of_a_commit() {
    let mut b = written();
    commit(&mut b, &["a.txt"]);
    let entry = *b.session.state().transcript.entries().last().unwrap();
    let event = b.log.iter().find(|e| e.seq == entry.seq).map(|e| e.event.clone());
    let Some(Event::CommitEnded { told, .. }) = event else { panic!("{event:?}") };
    assert_eq!((entry.what, told.as_str()), (What::Record, "committed abc1234 on main: 1 file"));
}

/// The message of a commit of two steps, the first of which was told something and ended with these words.
fn told_and_ended_with(words: &str) -> String {
    told_and_held(words, "")
}

/// The same, where such lines came and went.
fn told_and_held(words: &str, lines: &str) -> String {
    let mut b = written();
    b.say("rename the greeting");
    let steps = json!([
        {"title": "Call it --burst", "kind": "modify", "files": ["a.txt"]},
        {"title": "Tests of it", "kind": "modify", "files": ["b.txt"], "after": [1]},
    ]);
    b.reply("", &[("submit_plan", json!({"title": "A second name", "tasks": steps}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("no, call it --extra, not --burst");
    for file in ["a.txt", "b.txt"] {
        b.reply("", &[("edit", edit_of(file))]);
        b.propose(file, "one\n", "1\n");
        b.reply(words, &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    commit_of(&mut b, CommitTree { lines: lines.into(), ..tree(&["a.txt", "b.txt"]) })
}

#[test]
fn a_title_that_names_code_stays_where_the_name_stands_in_what_is_committed() {
    let without = told_and_held("", "+    parser.add_argument(\"--extra\")\n");
    let with = told_and_held("", "+    parser.add_argument(\"--burst\")\n");
    assert_eq!(without, "Rename the greeting\n\n- Fix the greeting\n- Tests of it");
    assert_eq!(with, "Rename the greeting\n\n- Fix the greeting\n- Call it --burst\n- Tests of it");
    assert_eq!(told_and_held("", "+    int bursting = outburst;\n"), without, "another name that holds it");
    assert_eq!(
        told_and_held("", "-    bool burst;\n"),
        with,
        "as it is named without the marks of an option"
    );
}

#[test]
fn a_name_in_a_title_of_other_letters_stays_where_it_stands_in_what_is_committed() {
    for (title, held) in
        [("Функция shortest", "shortest"), ("Функция shortest", "briefest"), ("Краткое имя", "x")]
    {
        let mut b = written();
        b.say("добавь функцию shortest в a.txt");
        let steps = json!([{"title": title, "kind": "modify", "files": ["a.txt"]}]);
        let plan = json!({"title": title, "tasks": steps});
        b.reply("", &[("submit_plan", plan.clone())]);
        b.say("да, но назови её briefest");
        // The plan that is made anew may say what was meant before.
        b.reply("", &[("submit_plan", plan)]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "one\n", "1\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
        let lines = format!("+fn {held}()\n");
        let message = commit_of(&mut b, CommitTree { lines, ..tree(&["a.txt"]) });
        let stays = held != "briefest";
        assert_eq!(message.lines().next() == Some(title), stays, "{message}");
        assert!(held != "briefest" || !message.contains("shortest"), "{message}");
    }
}

#[test]
fn a_commit_is_headed_by_the_last_of_what_it_holds_and_tells_steps_as_they_were_done() {
    let message = told_and_ended_with("It is called --extra. Tests pass.");
    assert_eq!(
        message, "Rename the greeting\n\n- Fix the greeting\n- Tests of it",
        "not by the model's report"
    );
    let silent = told_and_ended_with("");
    assert_eq!(silent, message, "its title has a name that it has no more");
}

#[test]
fn a_commit_is_headed_by_the_last_plan_however_many_runs_it_took_with_a_point_for_each_before() {
    let mut b = written();
    let write = |b: &mut Bench, file: &str| {
        b.reply("", &[("edit", edit_of(file))]);
        b.propose(file, "one\n", "1\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
    };
    b.say("make it read days as well");
    let steps = json!([
        {"title": "Parse d as 8 hours", "kind": "modify", "files": ["b.txt"]},
        {"title": "Add tests for days", "kind": "modify", "files": ["c.txt"], "after": [1]},
    ]);
    b.reply("", &[("submit_plan", json!({"title": "Days in durations", "tasks": steps}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    write(&mut b, "b.txt");
    b.input(Input::Cancel).unwrap();
    b.say("go on");
    write(&mut b, "c.txt");
    let runs = b.session.state().written(Extent::Session).len();
    assert_eq!(runs, 3, "the second plan took two runs");
    assert_eq!(
        commit(&mut b, &["a.txt", "b.txt", "c.txt"]),
        "Days in durations\n\n- Fix the greeting\n- Parse d as 8 hours\n- Add tests for days"
    );
}

#[test]
fn a_commit_is_not_headed_by_a_correction_nor_by_how_a_step_was_added() {
    let mut b = Bench::new();
    b.say("fix the greeting in a.txt");
    let steps = json!([{"title": "Add --burst", "kind": "modify", "files": ["a.txt"]}]);
    b.reply("", &[("submit_plan", json!({"title": "Add the flag --burst", "tasks": steps}))]);
    if b.session.state().phase == Phase::AwaitingApproval {
        b.answer(is_plan, Answer::Approve).unwrap();
    }
    b.say("no, call it --extra, not --burst");
    b.say("also add a doc comment to the two methods");
    for file in ["a.txt", "b.txt"] {
        b.reply("", &[("edit", edit_of(file))]);
        b.propose(file, "one\n", "1\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    let message = commit(&mut b, &["a.txt", "b.txt"]);
    assert_eq!(message, "Fix the greeting in a.txt\n\n- Add a doc comment to the two methods");
}

#[test]
fn what_a_step_proposed_is_its_plan_s_work_also_when_it_is_written_after_a_kill_and_another_message() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "one\n", "two\n");
    b.session = Session::replay(&b.log);
    b.input(Input::Open(opening())).unwrap();
    b.say("what is in a.txt?");
    b.reply("two lines", &[]);
    assert_eq!(b.session.state().open_proposals().count(), 1, "it waits as it did");
    b.approve_all(None).unwrap();
    b.write();
    let groups = b.session.state().written(Extent::Session);
    assert_eq!((groups.len(), groups[0].goal.as_str()), (1, "fix the bug in a.txt"));
    assert_eq!(b.session.state().message_facts(|_| true, "").goals, ["Fix the bug in a.txt"]);
}

#[test]
fn what_is_taken_back_behind_a_commit_is_told_to_stand_in_it_still() {
    let undone = |commits: bool| {
        let mut b = written();
        if commits {
            b.say("/commit");
            looked(&mut b, Ok(tree(&["a.txt"])));
            b.answer(is_commit, Answer::Approve).unwrap();
            let pending = b.session.pending();
            let Some(Work::Commit { commit, .. }) = pending.values().next() else { panic!("{pending:?}") };
            let made = Committed { id: "abc".into(), on: "main".into() };
            b.input(Input::Committed { commit: *commit, result: Ok(made) }).unwrap();
        }
        b.input(Input::Undo).unwrap();
        let pending = b.session.pending();
        let Some(Work::Revert { apply, .. }) = pending.values().next() else { panic!("{pending:?}") };
        b.input(Input::RevertEnded { apply: *apply, result: Ok(true) }).unwrap();
        b.notices().last().unwrap().clone()
    };
    let told = undone(true);
    assert!(
        told.contains("The commit still contains it") && told.contains("`!git reset --soft HEAD~1`"),
        "{told}"
    );
    assert!(!undone(false).contains("commit"), "{}", undone(false));
}

#[test]
fn words_that_want_it_committed_lead_to_the_question_and_never_past_it() {
    for (line, message) in [
        ("commit it", None),
        ("commit everything", None),
        ("looks good, commit", None),
        ("commit that with the message \"Greet in German\"", Some("Greet in German")),
        ("looks good, commit it as \"Greet in German\", please", None),
    ] {
        let mut b = written();
        b.say(line);
        if line.ends_with(", please") {
            // More than a message is said: it is no word to the workbench.
            assert!(!b.session.pending().values().any(|w| matches!(w, Work::LookCommit { .. })), "{line}");
            continue;
        }
        assert_eq!(asked(&b).1, ["a.txt"], "{line}");
        looked(&mut b, Ok(tree(&["a.txt"])));
        let question = b.question(is_commit);
        let CheckpointKind::Commit(of) = b.session.state().open[&question].kind.clone() else {
            unreachable!()
        };
        assert_eq!(of.message, message.map_or_else(|| of.message.clone(), str::to_owned), "{line}");
        assert!(b.session.pending().is_empty(), "{line}: nothing is committed before the yes");
        assert!(!b.names().iter().any(|n| n == "commit_approved"), "{line}");
    }
    // Where nothing was written, or it is committed, it is an order like any other; so it is beside a review.
    let looks = |b: &mut Bench, line: &str| {
        b.say(line);
        b.session.pending().values().any(|w| matches!(w, Work::LookCommit { .. }))
    };
    assert!(!looks(&mut Bench::new(), "commit it"));
    assert!(!looks(&mut reviewing(), "commit it"));
    for line in ["commit it and push", "commit everything else", "commit it?"] {
        assert!(!looks(&mut written(), line), "{line}");
    }
    let mut b = written();
    b.say("commit it");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.answer(is_commit, Answer::Approve).unwrap();
    let made = Committed { id: "abc1234".into(), on: "main".into() };
    let commit = b.session.pending().into_values().find_map(|w| match w {
        Work::Commit { commit, .. } => Some(commit),
        _ => None,
    });
    b.input(Input::Committed { commit: commit.unwrap(), result: Ok(made) }).unwrap();
    assert!(!looks(&mut b, "commit it"), "what this session wrote is committed");
}

#[test]
fn a_commit_beside_a_review_names_what_is_to_be_decided_first() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.say("y");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    drop(b.input(Input::say("/commit")));
    let why = b.session.foretell("/commit").refused.or_else(|| b.notices().last().cloned()).unwrap();
    assert!(why.contains("the change to a.txt waits for your decision; decide it first"), "{why}");
}
