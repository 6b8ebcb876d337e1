//! T-13: what later questions are told of a pipeline, read off the requests that leave; and what its stages cost.

use std::path::Path;

use pilothouse_core::{
    event::{Event, Stamped},
    pipeline::{Answer, PipelineExit, Summary},
};
use serde_json::Value;

use super::{
    pipeline::{LIMITER, kept},
    stage::Stage,
    web::SERVER,
};
use crate::support::{
    Desk,
    server::{Server, Turn, sorts},
};

const QUESTION: &str = "@research how does the rate limiter reset its window?";
const ANALYSIS: &str = r#"{"scope": "how the limiter resets", "sub_queries": ["RateLimiter reset_window"]}"#;
const CALIBRATED: &str = r#"{"scope": "a limiter with a timer", "sub_queries": ["timer of RateLimiter"]}"#;
const DRAFT: &str = r#"{"summary": "A method resets it, `reset_window` [1].", "conclusions": ["It is fixed."], "sections": [
    {"title": "Reset", "text": "`reset_window` of `RateLimiter` resets the window once a minute [1]."}]}"#;
const NOTHING: &str = r#"{"unsupported": [], "relations": [], "contradictions": []}"#;

/// What a message of a request holds, all of them in a line each.
fn texts(request: &Value) -> Vec<&str> {
    let messages = request["messages"].as_array().unwrap();
    messages.iter().filter_map(|m| m["content"].as_str()).collect()
}

/// A model that does every stage, as long as it is to draft, and says one thing to everything else.
fn model(drafts: bool) -> Server {
    Server::answering(move |request| {
        let told = texts(request);
        let stage = told[0].starts_with("You do one stage of a research");
        let last = *told.last().unwrap();
        let said = match (stage, last) {
            _ if sorts(request) => "I cannot tell.",
            (false, _) => "It was told.",
            (true, text) if text.contains("<claims>") => NOTHING,
            (true, text) if text.contains("<passages>") && drafts => DRAFT,
            (true, text) if text.contains("<passages>") => "I would rather talk.",
            (true, text) if text.contains("<web>") => CALIBRATED,
            (true, _) => ANALYSIS,
        };
        Some(Turn::Say(said, vec![]))
    })
}

fn session(server: &Server, depth: &str) -> Stage {
    let web = serde_json::json!({"command": "sh", "args": ["-c", SERVER], "web": "find", "read_only": true});
    let own = web.to_string();
    let mut s = Stage::served(&[("limiter.rs", LIMITER)], &[("sources/web/config.json", &own)], &server.base);
    s.say(&format!("/depth {depth}"));
    s
}

fn exit(s: &Stage) -> Option<PipelineExit> {
    s.state().pipeline.as_ref().and_then(|p| p.state.exit())
}

/// A question and its answer, from pause to pause.
fn research(s: &mut Stage, question: &str) {
    s.say(question);
    s.asked("pipeline_pause");
    s.say("1");
    s.until("an end", |s| exit(s) == Some(PipelineExit::Completed));
    s.rest();
    kept(s, "pipeline-summary.json", question.strip_prefix("@research ").unwrap());
}

/// What the request for the answer to a question is told of the last pipeline.
#[track_caller]
fn told(s: &mut Stage, server: &Server, question: &str) -> String {
    let answers = |s: &Stage| {
        let told = |e: &&Stamped| matches!(&e.event, Event::MessageCompleted { text, .. } if text.head == "It was told.");
        s.events.iter().filter(told).count()
    };
    let before = answers(s);
    s.say(question);
    s.until("an answer", |s| answers(s) > before);
    s.rest();
    let requests = server.requests();
    let last = texts(requests.last().unwrap()).last().unwrap().to_string();
    let block = last.split_once("<orchestrator_prior_research>").map(|(_, rest)| rest);
    let block = block.and_then(|rest| rest.split_once("</orchestrator_prior_research>"));
    block.unwrap_or_else(|| panic!("nothing is told: {last}")).0.to_owned()
}

#[track_caller]
fn holds(block: &str, parts: &[&str]) {
    for part in parts {
        assert!(block.contains(part), "no {part} in {block}");
    }
}

#[test]
fn t13_an_answer_is_told_to_later_questions_also_after_the_conversation_was_made_shorter() {
    let server = model(true);
    let mut s = session(&server, "quick");
    research(&mut s, QUESTION);
    let parts = [
        "<query>how does the rate limiter reset its window?</query>",
        "<finding>A method resets it, `reset_window` (limiter.rs:",
        "<conclusion>It is fixed.</conclusion>",
        "<partial>false</partial>\n<exit>completed</exit>",
    ];
    holds(&told(&mut s, &server, "what do you know of the limiter?"), &parts);
    for n in 0..6 {
        told(&mut s, &server, &format!("what is in limiter.rs, for the time {n}?"));
    }
    s.say("/compact");
    s.until("a shorter conversation", |s| s.count("compacted") == 1);
    s.rest();
    holds(&told(&mut s, &server, "and what do you know of the limiter now?"), &parts);
}

#[test]
fn t13_what_was_left_at_the_second_pause_is_told_with_its_calibration() {
    let server = model(true);
    let mut s = session(&server, "standard");
    s.say(QUESTION);
    s.asked("pipeline_pause");
    s.say("1");
    s.until("the second pause", |s| {
        s.state()
            .pipeline
            .as_ref()
            .is_some_and(|p| p.state.is_paused() && p.state.last_note().is_some_and(|n| n.0 == 1))
    });
    s.asked("pipeline_pause");
    s.say("3");
    s.asked("breakout");
    s.say("1");
    s.until("the end", |s| exit(s) == Some(PipelineExit::Breakout));
    s.rest();
    let block = told(&mut s, &server, "which timer does the limiter use?");
    holds(
        &block,
        &[
            "<finding>calibration: a limiter with a timer; from the web: Rate limiter windows (https://w.example/limits)</finding>",
            "<finding>to find out: timer of RateLimiter</finding>",
            "<stage>analyze_query</stage>\n<stage>websearch_calibration</stage>\n<partial>true</partial>",
            "<exit>breakout</exit>",
        ],
    );
}

#[test]
fn t13_a_failure_is_told_with_the_stages_before_it_and_why() {
    let server = model(false);
    let mut s = session(&server, "standard");
    s.say(QUESTION);
    for _ in 0..2 {
        s.asked("pipeline_pause");
        let seen = s.state().seq;
        s.say("1");
        s.until("what follows", |s| s.state().seq > seen && s.state().open.is_empty());
    }
    s.until("an end", |s| exit(s) == Some(PipelineExit::Error));
    let summary = Summary::load(&kept(&s, "pipeline-summary.json", "error")).unwrap();
    assert_eq!(summary.completed_stages, ["analyze_query", "websearch_calibration", "retrieve"]);
    // The record itself says so where nothing else is asked, and a model is told it with every other question.
    let seen = s.state().seq;
    s.say("what happened?");
    let told_of = |e: &Stamped| {
        let text = serde_json::to_string(e).unwrap();
        e.seq > seen
            && text.contains("cannot be read")
            && text.contains("Take the question apart, Calibrate by the web, Retrieve passages")
    };
    s.until("the record", |s| s.events.iter().any(told_of));
    s.rest();
    let block = told(&mut s, &server, "what is in limiter.rs?");
    holds(
        &block,
        &[
            "<stage>analyze_query</stage>\n<stage>websearch_calibration</stage>\n<stage>retrieve</stage>",
            "<finding>2 passages found: limiter.rs:1-6, limiter.rs:8-13</finding>",
            "<exit>error</exit>\n<error>the model's reply in the stage \"Draft the answer\" cannot be read</error>",
        ],
    );
}

#[test]
fn t13_of_several_runs_the_last_is_told_and_the_one_before_until_that_has_ended() {
    let server = model(true);
    let mut s = session(&server, "quick");
    research(&mut s, QUESTION);
    let old = kept(&s, "pipeline-summary.json", "completed");
    s.say("@research which calls does the limiter count?");
    s.asked("pipeline_pause");
    // What happened to the new one is kept; what is told is still the old one.
    kept(&s, "pipeline-state.json", "which calls does the limiter count?");
    assert_eq!(kept(&s, "pipeline-summary.json", "completed"), old);
    s.say("1");
    s.until("an end", |s| exit(s) == Some(PipelineExit::Completed));
    s.rest();
    kept(&s, "pipeline-summary.json", "which calls does the limiter count?");
    let block = told(&mut s, &server, "what do you know of the limiter?");
    holds(&block, &["<query>which calls does the limiter count?</query>"]);
    assert!(!block.contains("how does the rate limiter reset"), "{block}");
}

/// A cent stops a deep run; what is left goes on once more may be spent, and the stages' costs are all that was spent.
#[test]
fn a_cent_stops_a_deep_run_of_the_program_and_the_stages_add_up_to_the_cent() {
    let desk = Desk::empty();
    desk.configure("[model]\nprice = { input = 10.0, output = 20.0 }\n");
    std::fs::write(desk.path().join("limiter.rs"), LIMITER).unwrap();
    let server = model(true);
    let question = QUESTION.strip_prefix("@research ").unwrap();
    let args = [
        "run",
        "--agent",
        "research",
        "--depth",
        "deep",
        "--budget",
        "0.01",
        "--auto-confirm",
        "--json",
        question,
    ];
    // 900 tokens in and 80 out are 1.06 cents: one call, and no second.
    let ended = desk.ask(&server.base, &args).with(4);
    let events = ended.events();
    let end = events.last().unwrap();
    assert_eq!(end["question"]["kind"]["kind"], "budget", "{end}");
    let asked = || server.requests().len();
    assert_eq!(asked(), 1);
    let slug = end["session"].as_str().unwrap().to_owned();
    let go_on = ["run", "/research", "--session", &slug, "--budget", "1", "--auto-confirm", "--json"];
    desk.ask(&server.base, &go_on).with(0);
    let calls = u64::try_from(asked()).unwrap();
    assert!(calls >= 3, "{calls}");
    let text = find(desk.home.path(), "answer.json").unwrap();
    let answer = Answer::kept(&text).unwrap();
    let sum: u64 = answer.costs.iter().map(|c| c.spent.cost_micros.unwrap()).sum();
    assert_eq!(sum, calls * 10_600, "{:?}", answer.costs);
    assert_eq!(desk.sessions()[0]["usage"]["cost_micros"], sum, "{}", desk.sessions()[0]);
}

/// The file of this name below a folder.
fn find(folder: &Path, name: &str) -> Option<String> {
    let entries = || std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path());
    let own = entries().find(|p| p.file_name().is_some_and(|n| n == name));
    let text = own.and_then(|p| std::fs::read_to_string(p).ok());
    text.or_else(|| entries().filter(|p| p.is_dir()).find_map(|p| find(&p, name)))
}
