//! The eighth journey: `research` on the real driver, its index and its files, with a scripted model.

use std::path::PathBuf;

use pilothouse_core::{
    event::{Event, RunStatus},
    intent::Phase,
    pipeline::{Answer, PipelineExit, PipelineState, StageEvent, Summary},
};
use serde_json::{Value, json};

use super::stage::Stage;

pub const LIMITER: &str = "//! Limits how often a client may call.\n\n/// Counts calls in a window of sixty seconds.\npub struct RateLimiter {\n    calls: u32,\n}\n\nimpl RateLimiter {\n    /// Resets the window once a minute.\n    pub fn reset_window(&mut self) {\n        self.calls = 0;\n    }\n}\n";
const CONFIG: &str = "//! Reads the settings.\n\n/// Parses TOML text into settings.\npub fn parse_settings(text: &str) -> usize {\n    text.len()\n}\n";
const QUESTION: &str = "@research how does the rate limiter reset its window?";

fn stage(reply: &Value) -> Value {
    json!({"for": "stage", "text": reply.to_string()})
}

fn analysis() -> Value {
    let queries = ["RateLimiter reset_window", "parse_settings TOML"];
    stage(&json!({"scope": "how the limiter resets", "sub_queries": queries}))
}

fn draft(sections: &[(&str, &str)]) -> Value {
    let sections: Vec<Value> =
        sections.iter().map(|(title, text)| json!({"title": title, "text": text})).collect();
    stage(&json!({"summary": "A method resets it.", "sections": sections, "conclusions": []}))
}

fn nothing_wrong() -> Value {
    stage(&json!({"unsupported": [], "relations": [], "contradictions": []}))
}

fn stage_with(script: &[Value]) -> Stage {
    Stage::new(&[("limiter.rs", LIMITER), ("settings.rs", CONFIG)], &json!(script))
}

fn exit(s: &Stage) -> Option<PipelineExit> {
    s.state().pipeline.as_ref().and_then(|p| p.state.exit())
}

/// A file of the session's data folder, which is there with this once the end was told.
pub fn kept(s: &Stage, name: &str, holds: &str) -> String {
    fn find(folder: PathBuf, name: &str) -> Option<PathBuf> {
        let entries: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
        let own = entries.iter().find(|p| p.file_name().is_some_and(|n| n == name)).cloned();
        own.or_else(|| entries.into_iter().filter(|p| p.is_dir()).find_map(|p| find(p, name)))
    }
    let text = find(s.desk.home.path().to_owned(), name).and_then(|p| std::fs::read_to_string(p).ok());
    text.filter(|t| t.contains(holds)).unwrap_or_else(|| panic!("no {name} with {holds}"))
}

fn notes(s: &Stage) -> Vec<String> {
    let note = |e: &pilothouse_core::event::Stamped| match &e.event {
        Event::Staged { happened: StageEvent::StageCompleted { note, .. }, .. } => Some(note.clone()),
        _ => None,
    };
    s.events.iter().filter_map(note).collect()
}

#[test]
fn journey_8_what_was_asked_at_the_pause_is_answered_after_leaving() {
    let mut s = stage_with(&[analysis(), json!({"text": "Sunny."})]);
    s.say(QUESTION);
    s.asked("pipeline_pause");
    assert_eq!(s.state().phase, Phase::AwaitingApproval);
    s.say("I want to do something else - just tell me what the weather in zurich is today");
    s.asked("breakout");
    s.say("1");
    s.until("an answer", |s| {
        s.events
            .iter()
            .any(|e| matches!(&e.event, Event::MessageCompleted { text, .. } if text.head == "Sunny."))
    });
    assert_eq!(exit(&s), Some(PipelineExit::Breakout));
    let answered = s.events.iter().rev().find_map(|e| match &e.event {
        Event::MessageCompleted { turn, .. } => Some(*turn),
        _ => None,
    });
    assert!(s.state().turns[&answered.unwrap()].head.contains("weather in zurich"));
    let left = |e: &pilothouse_core::event::Stamped| {
        matches!(&e.event, Event::RunCompleted { status: RunStatus::Breakout, .. })
    };
    assert_eq!(s.events.iter().filter(|e| left(e)).count(), 1);
    let summary = Summary::load(&kept(&s, "pipeline-summary.json", "breakout")).unwrap();
    assert!(summary.was_partial);
    assert_eq!(summary.completed_stages, ["analyze_query"]);
    assert!(PipelineState::load(&kept(&s, "pipeline-state.json", "breakout")).unwrap().is_over());
}

#[test]
fn research_answers_with_citations_that_hold_and_marks_the_one_that_does_not() {
    let wrong = draft(&[
        ("Reset", "`reset_window` of `RateLimiter` resets the window once a minute [1]."),
        ("Broker", "The broker drains the retry queue into three shards [1]. `frob_wheel` does it [9]."),
    ]);
    let round = || [wrong.clone(), nothing_wrong()];
    let script: Vec<Value> =
        std::iter::once(analysis()).chain([round(), round(), round()].into_iter().flatten()).collect();
    let mut s = stage_with(&script);
    s.say("/depth standard");
    s.say(QUESTION);
    s.asked("pipeline_pause");
    s.say("proceed");
    s.until("an end", |s| exit(s).is_some_and(|e| e != PipelineExit::Paused));
    s.rest();
    assert_eq!(exit(&s), Some(PipelineExit::Completed), "{:?}", notes(&s));
    assert_eq!(notes(&s).iter().filter(|n| n.contains("drafting it again")).count(), 2);
    let told = answers(&s);
    assert_eq!(told.len(), 1);
    for part in [
        "once a minute [1].",
        "three shards [1: not verified].",
        "does it [9: not verified].",
        "- ✗ citation accuracy: 0.33 of 3 (at least 0.75), by code and the model",
        "- ✗ there is no `frob_wheel` in the sources",
        "- – relation preservation: nothing to check",
    ] {
        assert!(told[0].contains(part), "no {part} in {}", told[0]);
    }
}

#[test]
fn a_draft_that_never_comes_ends_it_as_an_error_that_is_told_later() {
    let mut s = stage_with(&[analysis()]);
    s.say("/depth quick");
    s.say(QUESTION);
    s.asked("pipeline_pause");
    s.say("proceed");
    s.until("an end", |s| exit(s) == Some(PipelineExit::Error));
    let summary = Summary::load(&kept(&s, "pipeline-summary.json", "error")).unwrap();
    assert!(summary.was_partial && !summary.error.is_empty());
}

/// What was told as answers.
fn answers(s: &Stage) -> Vec<String> {
    let told = |e: &pilothouse_core::event::Stamped| match &e.event {
        Event::MessageCompleted { text, intermediate: false, .. } => text.whole().map(str::to_owned),
        _ => None,
    };
    s.events.iter().filter_map(told).collect()
}

#[test]
fn quick_research_writes_its_answer_once_and_a_follow_up_knows_it() {
    let wrong = draft(&[
        ("Reset", "`reset_window` of `RateLimiter` resets the window once a minute [1]."),
        ("Broker", "The broker drains the retry queue into three shards [1]."),
    ]);
    // Each of these is said only to a request that holds these words: the follow-up is told the earlier answer in
    // both of its stages, and in the second the passage that it cited as well.
    let told = |holds: &str, mut line: Value| {
        line["when"] = json!(holds);
        line
    };
    let delta = stage(&json!({"scope": "who calls it", "sub_queries": ["who calls reset_window?"]}));
    let more = draft(&[(
        "Callers",
        "Nobody calls `reset_window` of the `RateLimiter`; the window is reset once a minute [1].",
    )]);
    let script = [
        analysis(),
        wrong,
        nothing_wrong(),
        told(
            "<earlier_answer>\n[P1] Reset: `reset_window` of `RateLimiter` resets the window once a minute.",
            delta,
        ),
        told("</earlier_answer>\n\n<passages>\n<passage n=\"1\" place=\"limiter.rs", more),
        nothing_wrong(),
    ];
    let mut s = stage_with(&script);
    s.say("/depth quick");
    s.say(QUESTION);
    s.asked("pipeline_pause");
    s.say("1");
    s.until("an answer", |s| exit(s) == Some(PipelineExit::Completed));
    s.rest();
    let answers = self::answers(&s);
    assert_eq!(answers.len(), 1);
    assert!(answers[0].contains("once a minute [1]."), "{}", answers[0]);
    assert!(answers[0].contains("three shards [1: not verified]."), "{}", answers[0]);
    let answer = Answer::kept(&kept(&s, "answer.json", "not verified")).unwrap();
    assert_eq!(answer.sources.len(), 1);
    assert_eq!(kept(&s, "answer.md", "not verified"), answers[0]);
    let summary = Summary::load(&kept(&s, "pipeline-summary.json", "completed")).unwrap();
    assert!(!summary.was_partial);
    let scores: Vec<&str> = summary.verification_scores.iter().map(|(axis, _)| axis.as_str()).collect();
    assert_eq!(scores, ["entity_grounding", "citation_accuracy", "contradictions"]);

    s.say("@research who calls reset_window?");
    s.asked("pipeline_pause");
    let p = s.state().pipeline.clone().unwrap();
    assert_eq!(p.state.previous_session_id(), answer.run);
    s.say("1");
    s.until("a second answer", |s| exit(s) == Some(PipelineExit::Completed));
    s.rest();
    let answers = self::answers(&s);
    // What the model forgot to name is put in, at the sentence that speaks of it, and what is cited again holds.
    assert!(answers[1].contains("once a minute [1]. [P1]"), "{}", answers[1]);
    assert!(answers[1].contains("> [P1] Reset: `reset_window` of `RateLimiter`"), "{}", answers[1]);
    assert!(!answers[1].contains("not verified"), "{}", answers[1]);
}

/// Files of an agent of the user's with one stage that asks.
const SCOUT: [(&str, &str); 3] = [
    (
        "agents/scout/config.json",
        r#"{"stages": [{"name": "ask", "kind": "llm", "gives": "draft"}, {"name": "output", "kind": "render"}]}"#,
    ),
    ("agents/scout/AGENT.md", "---\nname: Scout\ndescription: Scouts.\n---\nBe exact.\n"),
    ("agents/scout/prompts/stage-ask.md", "Ask."),
];

/// One quick question, from the pause to its answer.
fn quick(s: &mut Stage, question: &str) {
    let before = answers(s).len();
    s.say(question);
    s.asked("pipeline_pause");
    s.say("1");
    s.until("an answer", |s| answers(s).len() > before && exit(s) == Some(PipelineExit::Completed));
    s.rest();
}

#[test]
fn a_follow_up_knows_its_own_agents_answer_after_a_run_of_another() {
    let reset = draft(&[("Reset", "`reset_window` of `RateLimiter` resets the window once a minute [1].")]);
    let scouted = draft(&[("Other", "The scout's own.")]);
    let mut delta = stage(&json!({"scope": "who calls it", "sub_queries": ["who calls reset_window?"]}));
    delta["when"] = json!("<earlier_answer>\n[P1] Reset: `reset_window` of `RateLimiter` resets the window");
    let script = json!([analysis(), reset, nothing_wrong(), scouted, delta, reset, nothing_wrong()]);
    let mut s = Stage::having(&[("limiter.rs", LIMITER), ("settings.rs", CONFIG)], &SCOUT, &script);
    s.say("/depth quick");
    quick(&mut s, QUESTION);
    // What is drafted is read while it comes, without the marks of its JSON.
    assert!(s.heard.contains("once a minute [1].\n\nA method resets"), "{}", s.heard);
    assert!(!s.heard.contains("sub_queries") && !s.heard.contains("unsupported"), "{}", s.heard);
    s.say("@scout what else?");
    s.until("the other answer", |s| exit(s) == Some(PipelineExit::Completed) && answers(s).len() == 2);
    s.rest();
    kept(&s, "answer.json", "The scout's own.");
    quick(&mut s, "@research who calls reset_window?");
    assert!(answers(&s)[2].contains("once a minute [1]."), "{}", answers(&s)[2]);
}

#[test]
fn a_window_that_holds_no_stage_is_said_and_one_that_holds_less_is_told_less() {
    let ways: Vec<String> =
        (0..400).map(|n| format!("/// Resets the window of the limiter, by way {n}.\n")).collect();
    let big = ways.concat();
    let big = format!("{big}pub fn reset_window() {{}}\n");
    let small = "/// Resets the window of the limiter.\npub fn reset_window_now() {}\n";
    let reset = draft(&[("Reset", "`reset_window` resets the window of the limiter [1].")]);
    let session = |window: u32| {
        let config = format!("[model]\nwindow = {window}\n");
        let script = json!([analysis(), reset, nothing_wrong()]);
        let files = [("limiter.rs", big.as_str()), ("now.rs", small)];
        let mut s = Stage::having(&files, &[("config.toml", &config)], &script);
        s.say("/depth quick");
        s.say(QUESTION);
        s
    };
    let mut s = session(600);
    s.until("an end", |s| exit(s) == Some(PipelineExit::Error));
    let error = s.state().pipeline.as_ref().and_then(|p| p.state.error().map(str::to_owned)).unwrap();
    assert!(error.contains("window of 600 tokens does not hold this request"), "{error}");
    let mut s = session(3_000);
    s.asked("pipeline_pause");
    s.say("1");
    s.until("an answer", |s| exit(s) == Some(PipelineExit::Completed));
}

#[test]
fn a_contradiction_is_found_by_code_and_told() {
    let split = draft(&[
        ("One", "The window of `RateLimiter` lasts 60 seconds [1]."),
        ("Two", "The window of `RateLimiter` lasts 90 seconds [1]."),
    ]);
    let mut s = stage_with(&[analysis(), split, nothing_wrong()]);
    s.say("/depth quick");
    s.say(QUESTION);
    s.asked("pipeline_pause");
    s.say("1");
    s.until("an answer", |s| exit(s) == Some(PipelineExit::Completed));
    let told = answers(&s).remove(0);
    assert!(told.contains("- ✗ contradictions: 1 in 2 (at most 0), by code and the model"), "{told}");
    assert!(told.contains("lasts 60 seconds") && told.contains("against"), "{told}");
}

/// Copies the sources below a folder.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// How many cited passages of an answer stand word for word where it says; fails at the first that does not.
#[track_caller]
fn hold(answer: &str, root: &std::path::Path) -> usize {
    let lines: Vec<&str> = answer.lines().collect();
    let (mut at, mut held) = (0, 0);
    while let Some(fence) = lines.get(at) {
        if !matches!(*fence, "```" | "~~~") {
            at += 1;
            continue;
        }
        let end = (at + 1..lines.len()).find(|n| lines[*n] == *fence).unwrap();
        let (place, _) = lines[end + 1].strip_prefix('`').unwrap().split_once('`').unwrap();
        let (path, range) = place.rsplit_once(':').unwrap();
        let from: usize = range.split('-').next().unwrap().parse().unwrap();
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let quoted = lines[at + 1..end].iter().filter(|l| **l != "…");
        for (line, there) in quoted.zip(text.lines().skip(from - 1)) {
            assert_eq!(*line, there, "{place}");
        }
        (at, held) = (end + 1, held + 1);
    }
    held
}

#[test]
fn every_passage_of_an_answer_without_a_model_stands_where_it_is_cited() {
    let desk = crate::support::Desk::empty();
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["tools", "shell"] {
        copy(&crates.join(name).join("src"), &desk.path().join(name));
    }
    for question in [
        "how is the size of a file limited that tools read whole?",
        "how is a file of the program replaced at once?",
        "which folders do tools make again?",
        "how is a command line split into words?",
        "where is the output of a command cut?",
    ] {
        let args = ["run", "--agent", "research", "--depth", "quick", "--auto-confirm", question];
        let (code, out, err) = desk.run(&args);
        assert_eq!(code, 0, "{question}: {err}");
        assert!(hold(&out, desk.path()) > 0, "{question}: {out}");
        assert!(!out.contains("not verified"), "{out}");
    }
}
