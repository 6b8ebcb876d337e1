//! Facts: recorded by a call, answered without a model, looked at first, forgotten.

use pilothouse_core::{
    blob::{Blob, BlobId},
    checkpoint::{Answer, CheckpointKind},
    event::{Event, FileChange, Stamped},
    fact::{FactDraft, FactSource, Place},
    ids::ProposalId,
    input::Input,
    relpath::RelPath,
    tool::{ChangeKind, ToolOutcome, Wrote},
    work::Work,
};

use crate::{gates, support::*};

const QUESTION: &str = "what is the default port?";

/// A session that knows the default port.
fn knowing() -> Bench {
    let mut b = Bench::new();
    b.say("where is the default port set in src/config.rs?");
    let args =
        serde_json::json!({"name": "default port", "value": "8080", "file": "src/config.rs", "text": "PORT"});
    b.reply("", &[("record_fact", args)]);
    let hash = BlobId::of(b"1");
    let path = RelPath::new("src/config.rs").unwrap();
    let source = FactSource::File { path: path.clone(), line: 3, text: "PORT".into(), hash };
    let (name, value) = ("default port".to_owned(), "8080".to_owned());
    let draft = FactDraft { name, value, source, because: Vec::new(), confidence: 90, checked: true };
    let outcome =
        ToolOutcome { facts: vec![draft], seen: vec![(path, hash)], ..ToolOutcome::text("noted", "") };
    b.end_tool(outcome);
    b.reply("In src/config.rs.", &[]);
    b
}

fn recalled(b: &mut Bench, places: Vec<(String, Option<Place>)>) {
    let turn = b.session.pending().values().find_map(|w| match w {
        Work::Recall { turn, .. } => Some(*turn),
        _ => None,
    });
    b.input(Input::Recalled { turn: turn.unwrap(), places }).unwrap();
}

fn answers(b: &Bench) -> Vec<String> {
    let told = b.log.iter().filter_map(|e| match &e.event {
        Event::FactsAnswered { text, .. } => Some(text.clone()),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_lookup_is_answered_without_a_model_once_its_fact_was_looked_at() {
    let mut b = knowing();
    assert_eq!(starts(&b.say(QUESTION)), ["recall"]);
    recalled(&mut b, Vec::new());
    assert!(b.session.pending().is_empty(), "no model is asked");
    assert!(answers(&b)[0].starts_with("default port: 8080 (src/config.rs:3 `PORT`; checked)"));
    assert_eq!(starts(&b.say("how do you know?")), ["recall"]);
    recalled(&mut b, Vec::new());
    assert!(answers(&b)[1].contains("the file as of"), "{:?}", answers(&b));
}

#[test]
fn what_the_user_did_not_say_is_not_noted_as_their_word() {
    let told = |b: &Bench| {
        b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { result, .. } => result.whole().map(str::to_owned),
            _ => None,
        })
    };
    let said =
        |value: &str| ("record_fact", serde_json::json!({"name": "said", "value": value, "user": true}));
    let mut b = Bench::new();
    b.say("where is the default port set in src/config.rs?");
    b.reply("", &[said("7")]);
    assert!(told(&b).unwrap().starts_with("the user did not say `7`"), "{:?}", told(&b));
    let ask = serde_json::json!({"question": "How many workers?", "choices": ["7 workers", "1 worker"]});
    b.reply("", &[("ask_user", ask)]);
    b.answer(|kind| matches!(kind, CheckpointKind::Clarification(_)), Answer::Pick(0)).unwrap();
    for value in ["7", "the default port"] {
        b.reply("", &[said(value)]);
        b.end_tool(ToolOutcome::text("noted", ""));
    }
}

#[test]
fn a_long_message_holds_its_own_words_and_no_others() {
    let told = |b: &Bench| {
        b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { result, .. } => result.whole().map(str::to_owned),
            _ => None,
        })
    };
    let note = |b: &mut Bench, value: &str| {
        let before = b.log.len();
        let fact = serde_json::json!({"name": "said", "value": value, "user": true});
        b.reply("", &[("record_fact", fact)]);
        let refused = b.log[before..].iter().any(|e| matches!(e.event, Event::CallEnded { .. }));
        if !refused {
            b.end_tool(ToolOutcome::text("noted", ""));
        }
        (!refused).then_some(()).ok_or_else(|| told(b).unwrap())
    };
    let long =
        |bytes: usize| format!("where is it set? {} it listens on 9090", "and so on, ".repeat(bytes / 11));
    let mut b = Bench::new();
    b.say(&long(600));
    assert_eq!(note(&mut b, "9090"), Ok(()), "it stands behind what the session shows of the message");
    assert!(note(&mut b, "7").unwrap_err().starts_with("the user did not say `7`"));
    // What is too long to be kept whole may hold it, where the work is of that message.
    let mut b = Bench::new();
    b.say(&long(20_000));
    assert_eq!(note(&mut b, "7"), Ok(()));
    b.reply("There.", &[]);
    b.say("where is the default port set?");
    assert!(note(&mut b, "7").unwrap_err().starts_with("the user did not say `7`"));
}

#[test]
fn a_fact_that_does_not_stand_any_more_leaves_the_answer_to_a_model() {
    let mut b = knowing();
    b.say(QUESTION);
    recalled(&mut b, vec![("default port".into(), None)]);
    b.thinking();
    assert!(b.session.state().facts.stale("default port").is_some());
    assert_eq!(answers(&b), [""]);

    let mut b = knowing();
    b.say(QUESTION);
    let moved = Place { line: 9, hash: BlobId::of(b"2") };
    recalled(&mut b, vec![("default port".into(), Some(moved))]);
    assert!(answers(&b)[0].contains("src/config.rs:9"));
}

#[test]
fn what_a_command_wrote_makes_stale_what_others_said_before() {
    let mut b = knowing();
    let ran = |b: &mut Bench, line: &str, files: Vec<FileChange>| {
        b.say(&format!("!{line}"));
        if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
            b.answer(is_risk, Answer::Approve).unwrap();
        }
        let (count, record) = (files.len(), Some(BlobId::of(line.as_bytes())));
        let wrote = (count > 0).then(|| Box::new(Wrote { files, count, record, ..Wrote::default() }));
        b.end_tool(ToolOutcome { wrote, ..exited(0, "ok") });
    };
    ran(&mut b, "cargo test", Vec::new());
    assert_eq!(b.session.state().facts.stale("cargo test"), None);
    let file = FileChange {
        proposal: ProposalId(0),
        path: RelPath::new("src/config.rs").unwrap(),
        kind: ChangeKind::Modify,
        before: Some(BlobId::of(b"1")),
        after: Some(BlobId::of(b"2")),
        mode: None,
        added: 1,
        removed: 0,
        lines: 2,
        rest: None,
        changes: Vec::new(),
    };
    ran(&mut b, "git merge main --ff", Vec::new());
    ran(&mut b, "git merge main", vec![file]);
    let stale = |of: &str| b.session.state().facts.stale(of).is_some();
    assert!(stale("cargo test") && stale("default port") && !stale("git merge main"));
    assert!(stale("git merge main --ff"), "another line of the same beginning");
}

#[test]
fn facts_are_listed_searched_forgotten_and_outlive_a_cancel() {
    let mut b = knowing();
    b.input(Input::Cancel).ok();
    b.say("/facts");
    b.say("/facts PORT");
    assert_eq!(b.notices().iter().filter(|n| n.starts_with("default port: 8080")).count(), 2);
    b.say("/facts nowhere");
    assert!(b.notices().iter().any(|n| n == "nothing is known of nowhere yet"), "{:?}", b.notices());
    b.say("/facts forget Default Port");
    assert!(b.session.state().facts.is_empty());
    assert!(b.input(Input::say("/facts forget default port")).is_err());
    b.say("what is the default port?");
    b.thinking();
}

#[test]
fn a_plan_in_proof_mode_names_what_each_task_rests_on() {
    let mut b = Bench::new();
    b.say("/proof");
    b.say("fix the greeting in a.txt");
    let task = serde_json::json!({"title": "Fix", "kind": "modify"});
    b.reply("", &[("submit_plan", serde_json::json!({"title": "P", "tasks": [task]}))]);
    assert!(b.session.state().plan.is_none());
    b.plan(&[("Fix", "modify")], &[]);
    assert!(b.session.state().plan.is_some());
}

#[test]
fn a_look_at_the_files_of_facts_tells_only_what_differs() {
    let mut b = knowing();
    let place = |line, of: &[u8]| Some(Place { line, hash: BlobId::of(of) });
    let seen = |b: &mut Bench, at| {
        let before = b.log.len();
        b.input(Input::FactsSeen { places: vec![("default port".into(), at)] }).unwrap();
        b.log.len() - before
    };
    assert_eq!(seen(&mut b, place(3, b"1")), 0, "it stands as it was known");
    assert_eq!((seen(&mut b, None), seen(&mut b, None)), (1, 0));
    assert!(b.session.state().facts.stale("default port").unwrap().contains("no longer says so"));
    assert_eq!(
        (seen(&mut b, place(3, b"1")), seen(&mut b, place(3, b"1"))),
        (1, 0),
        "the file says so again"
    );
    assert!(b.session.state().facts.stale("default port").is_none());
    b.input(Input::FactsSeen { places: vec![("no such fact".into(), None)] }).unwrap();
}

#[test]
fn where_a_fact_comes_from_is_told_with_its_chain_without_a_model() {
    for question in [
        "how did you determine the default port?",
        "how did you determine the default port",
        "where did the default port come from?",
        "where does the default port come from",
    ] {
        let mut b = knowing();
        assert_eq!(starts(&b.say(question)), ["recall"], "{question}");
        recalled(&mut b, Vec::new());
        assert!(answers(&b)[0].contains("the file as of"), "{question}: {:?}", answers(&b));
    }
}

#[test]
fn a_plan_of_another_mode_is_held_to_the_rules_of_proof_before_it_runs() {
    let mut b = Bench::new();
    b.say("fix the greeting in a.txt");
    let task = serde_json::json!({"title": "Fix", "kind": "modify"});
    b.reply("", &[("submit_plan", serde_json::json!({"title": "P", "tasks": [task]}))]);
    b.say("/proof");
    let told = |b: &Bench| b.notices().iter().filter(|n| n.contains("cannot run as it is")).count();
    assert_eq!(told(&b), 1, "{:?}", b.notices());
    let refused = b.answer(|k| matches!(k, CheckpointKind::Confirmation(_)), Answer::Approve).unwrap_err();
    assert!(refused.reason.contains("/replan"), "{refused:?}");
    assert!(b.input(Input::say("y")).is_err());
    b.say("stop");
    b.say("/redo");
    assert_eq!(told(&b), 2, "{:?}", b.notices());
    b.say("/explore");
    assert!(b.notices().iter().any(|n| n.contains("/replan makes a new one in explore mode")));
    b.say("y");
    assert!(b.session.state().run.is_some());
}

/// What the end of a step claims of checks, and what is marked of it.
#[test]
fn an_agent_that_says_that_tests_pass_where_none_ran_is_marked() {
    let marks = |b: &Bench| {
        let of = |e: &Stamped| {
            if let Event::AnswerChecked { marks, .. } = &e.event { marks.clone() } else { Vec::new() }
        };
        b.log.iter().flat_map(of).map(|m| (m.line, m.why)).collect::<Vec<_>>()
    };
    let step = || {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("style", "make test")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b
    };
    let mut b = step();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("Mended a.txt.\n\nAll 19 tests pass.", &[]);
    assert_eq!(marks(&b), [(3, "nothing that shows it was run in this step".to_owned())]);
    // One that says nothing of them, or ran them, is not.
    let mut b = step();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("Mended a.txt; the tests should pass now.", &[]);
    assert_eq!(marks(&b), []);
    // What proves nothing says nothing, whichever way it ended; of a check each line's last end counts.
    let wrote_of = |lines: &[(&str, i32)], wrote: &str| {
        let mut b = step();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        for (line, exit) in lines {
            b.reply("", &[("run", serde_json::json!({"command": line}))]);
            if b.session.state().open.values().any(|c| is_diff(&c.kind)) {
                b.approve_all(None).unwrap();
                b.write();
            }
            if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
                b.answer(is_risk, Answer::Approve).unwrap();
            }
            let output = Some(Blob::new(wrote.as_bytes().to_vec()));
            b.end_tool(ToolOutcome { output, ..exited(*exit, wrote) });
        }
        b.reply("All tests pass.", &[]);
        marks(&b)
    };
    let ran = |lines: &[(&str, i32)]| wrote_of(lines, "exit\n");
    // Through a pipe that shortens it what the output sums up counts.
    let piped = &[("npm test 2>&1 | tail -20", 0)];
    assert_eq!(wrote_of(piped, "# pass 5\n# fail 0\n"), []);
    let unknown = "`npm test 2>&1 | tail -20` ran through `| tail`: its exit code is not known".to_owned();
    assert_eq!(wrote_of(piped, "# pass 4\n# fail 1\n"), [(1, unknown.clone())]);
    assert_eq!(ran(piped), [(1, unknown)]);
    assert_eq!(ran(&[("cargo test", 0), ("grep -n TODO a.txt", 1)]), []);
    assert_eq!(ran(&[("cargo test", 101), ("ls", 0)]), [(1, "`cargo test` failed".to_owned())]);
    assert_eq!(ran(&[("ls", 0)]), [(1, "nothing that shows it was run in this step".to_owned())]);
    // At a repair the gate itself says that it is not so.
    let mut b = gates::red("make test", "a.txt", "FAILED");
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "2\n", "3\n");
    b.reply("All tests are green now.", &[]);
    assert_eq!(marks(&b), [(1, "the gate style is red".to_owned())]);
}
