//! `review-diff` on the real driver: a repository with changes, a scripted model, and none.

use pilothouse_core::{
    event::{Event, Stamped},
    pipeline::{PipelineExit, StageEvent},
};
use serde_json::{Value, json};

use super::stage::Stage;
use crate::support::{Desk, traps::git};

/// A file long enough that its end is not read with its beginning.
fn long(last: &str) -> String {
    let mut lines: Vec<String> = (1..=900).map(|n| format!("// line {n}")).collect();
    lines.push(format!("{last}\n"));
    lines.join("\n")
}

fn changed(s: &Stage) {
    let at = s.desk.path();
    git(at, &["init", "-q", "-b", "main"]);
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "first"]);
    git(at, &["config", "diff.mnemonicPrefix", "true"]);
    git(at, &["config", "color.diff", "always"]);
    std::fs::write(at.join("long.rs"), long("let rate = calls / window;")).unwrap();
    std::fs::write(at.join("a name.rs"), "fn new() { todo() }\n").unwrap();
}

fn finding(file: &str, line: usize, evidence: &str) -> Value {
    json!({"file": file, "line": line, "severity": "high", "message": format!("wrong: {evidence}"), "evidence": evidence})
}

fn found(findings: &[Value]) -> Value {
    let text = json!({"summary": "Two files.", "findings": findings}).to_string();
    json!({"for": "stage", "text": text, "when": "let rate = calls / window;"})
}

fn notes(s: &Stage) -> Vec<String> {
    let note = |e: &Stamped| match &e.event {
        Event::Staged { happened: StageEvent::StageCompleted { note, .. }, .. } => Some(note.clone()),
        _ => None,
    };
    s.events.iter().filter_map(note).collect()
}

fn answer(s: &Stage) -> String {
    let told = |e: &Stamped| match &e.event {
        Event::MessageCompleted { text, intermediate: false, .. } => text.whole().map(str::to_owned),
        _ => None,
    };
    s.events.iter().rev().find_map(told).unwrap()
}

#[test]
fn a_review_is_of_all_that_changed_and_holds_each_finding_against_its_lines() {
    let all = [
        finding("long.rs", 901, "let rate = calls / window;"),
        finding("a name.rs", 1, "fn new() { todo() }"),
        finding("long.rs", 901, "let rate = calls * window;"),
        finding("other.rs", 1, "x"),
    ];
    let mut s = Stage::new(&[("long.rs", &long("let rate = 1;"))], &json!([found(&all)]));
    changed(&s);
    s.say("/depth quick");
    s.say("@review-diff is anything wrong?");
    s.until("an end", |s| s.state().pipeline.as_ref().and_then(|p| p.state.exit()).is_some());
    s.rest();
    assert_eq!(
        s.state().pipeline.as_ref().unwrap().state.exit(),
        Some(PipelineExit::Completed),
        "{:?}",
        notes(&s)
    );
    let notes = notes(&s);
    assert_eq!(notes[..2], ["2 files changed since the last commit", "2 of 2 files read"]);
    assert_eq!(notes[3], "2 of 4 findings stand in the code");
    let told = answer(&s);
    for part in [
        "- **high** `long.rs:901` wrong: let rate = calls / window;\n",
        "- **high** `a name.rs:1` wrong: fn new() { todo() }\n",
        "`long.rs:901` wrong: let rate = calls * window; *(not verified: its words do not stand in what was read of the file)*",
        "`other.rs:1` wrong: x *(not verified: the file was not changed or not read)*",
        "Reviewed: `long.rs`, `a name.rs`.",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
}

#[test]
fn a_review_is_of_what_its_words_name_and_goes_on_by_its_name() {
    let nothing = found(&[]);
    let mut s = Stage::new(&[("long.rs", &long("let rate = 1;"))], &json!([nothing]));
    changed(&s);
    s.say("/depth deep");
    s.say("@review long.rs");
    s.until("an end", |s| s.state().pipeline.as_ref().and_then(|p| p.state.exit()).is_some());
    s.rest();
    assert_eq!(notes(&s)[0], "1 file changed since the last commit in long.rs");
    assert!(answer(&s).contains("Nothing was found.\n\nReviewed: `long.rs`."), "{}", answer(&s));
    s.say("/review-diff HEAD~4");
    s.until("an error", |s| {
        s.state().pipeline.as_ref().and_then(|p| p.state.exit()) == Some(PipelineExit::Error)
    });
}

#[test]
fn without_a_model_nobody_says_that_nothing_was_found() {
    let desk = Desk::empty();
    std::fs::write(desk.path().join("one.rs"), "fn one() {}\n").unwrap();
    git(desk.path(), &["init", "-q"]);
    let args = ["run", "--agent", "review-diff", "--auto-confirm", "is it right?"];
    let (code, out, err) = desk.run(&args);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("Not checked for bugs.") && out.contains("Reviewed: `one.rs`."), "{out}{err}");
    assert!(!out.contains("Nothing was found"), "{out}");
}
