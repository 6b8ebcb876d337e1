//! Memory and the session's own record: notes proposed, agreed to and kept; questions answered without a model.

use std::sync::Arc;

use pilothouse_core::{
    checkpoint::CheckpointKind,
    event::Event,
    ids::CallId,
    input::Input,
    memory::{Memory, MemoryChange, MemoryOwner},
    relpath::RelPath,
    scope::PermissionMode,
    tool::Tool,
    work::Work,
};
use serde_json::json;

use crate::support::*;

fn note(text: &str) -> (&'static str, serde_json::Value) {
    ("remember", json!({"kind": "learning", "text": text}))
}

fn asked(b: &Bench) -> Vec<String> {
    let open = b.session.state().open.values();
    open.filter_map(|c| match &c.kind {
        CheckpointKind::Remember(asked) => Some(asked.note.text.clone()),
        _ => None,
    })
    .collect()
}

fn changes(b: &Bench) -> Vec<MemoryChange> {
    let changed = b.log.iter().filter_map(|e| match &e.event {
        Event::MemoryChanged { change, .. } => Some(change.clone()),
        _ => None,
    });
    changed.collect()
}

/// What came of each call of the tool, as the model reads it.
fn told(b: &Bench) -> String {
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { result, .. } => Some(result.head.clone()),
        _ => None,
    });
    ended.unwrap()
}

fn kept(b: &mut Bench) {
    let approval = b.session.pending().values().find_map(|w| match w {
        Work::Remember { approval, .. } => Some(*approval),
        _ => None,
    });
    b.input(Input::MemoryKept { approval: approval.unwrap(), result: Ok("memory.md".into()) }).unwrap();
}

#[test]
fn a_note_of_the_agent_holds_nothing_up_and_is_kept_by_a_yes_alone() {
    let mut b = Bench::new();
    b.say("what does a.txt do?");
    b.reply("", &[note("the tests need --all-features")]);
    assert_eq!(told(&b), "put to the user, who decides beside this; go on");
    b.thinking();
    assert_eq!(asked(&b), ["the tests need --all-features"]);
    assert!(changes(&b).is_empty());
    b.reply("", &[note("The tests need  --all-features.")]);
    assert_eq!(told(&b), "that waits for the user already");
    b.reply("Done.", &[]);
    assert_eq!(asked(&b).len(), 1, "it outlives the work that proposed it");
    assert_eq!(starts(&b.say("y")), ["remember"]);
    assert!(matches!(&changes(&b)[..], [MemoryChange::Add { .. }]));
    kept(&mut b);
    assert!(b.notices().iter().any(|n| n.starts_with("Remembered in memory.md: the tests")));
    assert!(b.session.pending().is_empty() && asked(&b).is_empty());
}

#[test]
fn what_the_user_does_not_want_is_not_proposed_again_nor_what_is_known_or_secret() {
    let mut b = Bench::new();
    b.session.set_memory(Arc::new(Memory::of([(MemoryOwner::Project, "- dates use jiff\n")])));
    b.say("what does a.txt do?");
    b.reply("", &[note("ship on Fridays")]);
    b.say("n");
    b.thinking();
    for (text, why) in [
        ("Ship on Fridays.", "the user does not want that remembered"),
        ("dates use jiff", "that is already remembered"),
        (
            "the key is [secret: api key]",
            "it holds a secret, and a secret is never remembered: say where it is kept instead",
        ),
        ("# ", "there is nothing to remember in that"),
        (&"x".repeat(500), "a note can have at most 400 characters; make it shorter"),
    ] {
        b.reply("", &[note(text)]);
        assert_eq!(told(&b), why);
    }
    assert!(changes(&b).is_empty() && asked(&b).is_empty());
}

#[test]
fn a_rule_that_the_user_says_is_proposed_beside_what_it_asks_for() {
    let mut b = Bench::new();
    b.say("Always use tabs here. What does a.txt do?");
    b.thinking();
    assert_eq!(asked(&b), ["Always use tabs here"]);
    b.reply("It is a list.", &[]);
    let slug = b.session.state().slug.clone();
    b.input(Input::Open(pilothouse_core::input::Opening { slug, ..opening() })).unwrap();
    assert_eq!(asked(&b), ["Always use tabs here"], "it waits in the next process too");
    b.say("never mind");
    assert_eq!(asked(&b).len(), 1);
}

#[test]
fn what_the_user_said_is_proposed_once_though_the_agent_says_it_in_its_own_words() {
    let mut b = Bench::new();
    b.say("Always use tabs here. What does a.txt do?");
    b.thinking();
    b.reply("", &[note("Use tabs for indentation in this project")]);
    assert_eq!(told(&b), "that waits for the user already");
    // Another matter is another note.
    b.reply("", &[note("the tests need all features")]);
    assert_eq!(asked(&b), ["Always use tabs here", "the tests need all features"]);
    b.reply("", &[note("the docs are built with all warnings as errors")]);
    assert_eq!(asked(&b).len(), 3, "{:?}", told(&b));
}

#[test]
fn the_user_adds_lists_searches_and_forgets() {
    let mut b = Bench::new();
    b.say("/memory");
    assert!(b.notices().iter().any(|n| n.starts_with("nothing is remembered")), "{:?}", b.notices());
    assert_eq!(starts(&b.say("/memory add user answer in short sentences")), ["remember"]);
    kept(&mut b);
    let files =
        [(MemoryOwner::User, "- answer briefly\n"), (MemoryOwner::Project, "- dates use jiff\n- use tabs\n")];
    b.session.set_memory(Arc::new(Memory::of(files)));
    b.say("/memory");
    b.say("/memory JIFF");
    assert!(b.notices().contains(&"learning (project): dates use jiff".to_owned()));
    assert!(b.notices().iter().any(|n| n.starts_with("preference (user): answer briefly\nlearning")));
    for (line, why) in [
        ("/memory forget use", "several notes contain \"use\"; give more of its words"),
        ("/memory forget nothing", "no note contains \"nothing\""),
        ("/memory add use tabs", "that is already remembered"),
        ("/memory add", "type /memory add NOTE, or /memory add user NOTE"),
    ] {
        assert_eq!(b.input(Input::say(line)).unwrap_err().reason, why);
    }
    assert_eq!(starts(&b.say("/memory forget tabs")), ["remember"]);
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert!(b.input(Input::say("/memory add ship on Fridays")).unwrap_err().reason.contains("read-only"));
}

#[test]
fn instructions_of_a_folder_are_told_once_and_again_after_a_reset() {
    let mut b = Bench::new();
    b.say("what does sub/a.txt do?");
    b.reply("", &[("read", json!({"path": "sub/a.txt"}))]);
    let call = b.session.pending().values().find_map(|w| match w {
        Work::Tool { permit, .. } if permit.tool() == Tool::Read => Some(permit.call()),
        _ => None,
    });
    let path = RelPath::new("sub/AGENTS.md").unwrap();
    let told = |call: CallId| Input::Instructed { call, path: path.clone(), text: "tabs".into() };
    b.input(told(call.unwrap())).unwrap();
    assert!(b.input(told(call.unwrap())).is_err());
    b.end_tool(pilothouse_core::tool::ToolOutcome::text("1", "1 line"));
    assert!(b.input(told(call.unwrap())).is_err(), "its call has ended");
    let records = b.session.state().transcript.entries().iter();
    let kinds: Vec<_> = records.map(|e| e.what).collect();
    let record = kinds.iter().position(|w| *w == pilothouse_core::session::What::Record);
    assert!(
        record.is_some_and(|at| matches!(kinds[at + 1], pilothouse_core::session::What::Result(_))),
        "{kinds:?}"
    );
}

/// What was answered without a model.
fn answers(b: &Bench) -> Vec<String> {
    let told = b.log.iter().filter_map(|e| match &e.event {
        Event::FactsAnswered { text, names, .. } if names.is_empty() => Some(text.clone()),
        _ => None,
    });
    told.collect()
}

#[test]
fn what_was_changed_left_and_failed_is_told_from_the_record_with_no_model_call() {
    let mut b = Bench::new();
    assert!(b.say("what did you change?").effects.is_empty());
    assert_eq!(answers(&b), ["no file was changed in this session"]);
    b.say("fix the greeting in a.txt");
    b.plan(&[("Fix", "modify")], &[]);
    b.say("y");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    let text = |second: &str, last: &str| {
        let lines = (1..30).map(|at| match at {
            2 => second.to_owned(),
            28 => last.to_owned(),
            _ => at.to_string(),
        });
        lines.map(|l| l + "\n").collect::<String>()
    };
    let (before, after) = (text("2", "28"), text("X", "Y"));
    b.propose("a.txt", &before, &after);
    b.reply("Done.", &[]);
    let proposal = b.session.state().open_proposals().next().unwrap().clone();
    for (hunk, decision) in
        [(0, pilothouse_core::proposal::Decision::Taken), (1, pilothouse_core::proposal::Decision::Left)]
    {
        let (shown, decision) = (proposal.shown(), Some(decision));
        b.input(Input::Decide { proposal: proposal.id, hunk, decision, shown }).unwrap();
    }
    let (hunk, shown) = (1, proposal.shown());
    b.input(Input::Comment { proposal: proposal.id, hunk, text: "too broad".into(), shown }).unwrap();
    b.approve_all(None).unwrap();
    b.write();
    assert!(b.say("what did you change?").effects.is_empty());
    assert!(
        answers(&b).last().unwrap().starts_with("edited a.txt (+1 -1), 1 of 2 hunks"),
        "{:?}",
        answers(&b)
    );
    assert!(b.say("which did I not take?").effects.is_empty());
    assert_eq!(answers(&b).last().unwrap(), "left: a.txt hunk 2 (line 28): \"too broad\"");
    let step = b.say("what did you change in a.txt exactly?");
    assert!(step.effects.is_empty(), "{step:?}");
    assert!(answers(&b).last().unwrap().ends_with("\n  hunk 1: line 2"), "{:?}", answers(&b));
    let before = answers(&b).len();
    b.say("why did you change it?");
    assert_eq!(answers(&b).len(), before, "the record has no reasons: a model is asked");
}
