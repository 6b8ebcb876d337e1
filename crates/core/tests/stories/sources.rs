//! Sources: a tool is looked up, asked about, called as it was seen, and asked about again when it is another.

use std::collections::BTreeMap;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event},
    ids::CallId,
    input::Input,
    policy::{Origin, Places, Policy, Rule},
    question::{Asked, FormField, FormQuestion, ServerQuestion, SourceQuestion},
    redact::Redactor,
    scope::PermissionMode,
    source::{SourceNews, SourceTool},
    tool::{Permit, Tool, ToolOutcome},
    work::Work,
};
use serde_json::json;

use crate::support::*;

fn tool(name: &str, said: &str, reads: bool) -> SourceTool {
    let (name, about) = (name.to_owned(), said.to_owned());
    let hash = BlobId::of(said.as_bytes());
    SourceTool { name, about, hash, reads, free: false, hides: false, required: Vec::new(), changed: false }
}

fn news(tools: Vec<SourceTool>) -> SourceNews {
    SourceNews { source: "memory".into(), tools }
}

const fn is_source(kind: &CheckpointKind) -> bool {
    matches!(kind, CheckpointKind::Source(_))
}

fn asked(b: &Bench) -> SourceQuestion {
    match &b.session.state().open[&b.question(is_source)].kind {
        CheckpointKind::Source(asked) => asked.clone(),
        other => panic!("{other:?}"),
    }
}

fn permit(b: &Bench) -> Permit {
    let work = b.session.pending().into_values().find_map(|w| match w {
        Work::Tool { permit, .. } => Some(permit),
        _ => None,
    });
    work.unwrap_or_else(|| panic!("nothing runs: {:#?}", b.session.state().open))
}

fn ended(b: &Bench) -> (CallStatus, String) {
    let last = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status, result, .. } => Some((*status, result.head.clone())),
        _ => None,
    });
    last.unwrap()
}

/// A session whose model has looked up what the source has.
fn looked(rules: &[&str], tools: Vec<SourceTool>) -> Bench {
    let mut b = Bench::new();
    let rules = rules.iter().map(|r| Rule::parse(r, Origin::SESSION).unwrap()).collect();
    b.session.set_policy(std::sync::Arc::new(Policy::new(rules, Places::default())));
    b.say("where is main?");
    b.reply("", &[("source_tools", json!({"source": "memory"}))]);
    assert_eq!(b.tool().1, Tool::SourceTools);
    b.end_tool(ToolOutcome {
        found: Some(Box::new(news(tools))),
        ..ToolOutcome::text("memory__act", "1 tool")
    });
    b
}

#[test]
fn only_where_work_may_be_done_a_look_starts_a_source() {
    let look = ("source_tools", json!({"source": "memory"}));
    let mut b = Bench::new();
    b.say("where is main?");
    b.reply("", std::slice::from_ref(&look));
    assert!(permit(&b).starts());
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply("", &[look]);
    assert!(!permit(&b).starts(), "a planning only reads");
}

/// What the order names is asked of a source before there is a plan: else the plan is made blind.
#[test]
fn a_planning_asks_for_what_only_reads_of_a_source_that_its_order_names() {
    let planning = |order: &str, reads: bool| {
        let mut b = Bench::new();
        b.say(order);
        b.reply("", &[("source_tools", json!({"source": "memory"}))]);
        let found = Some(Box::new(news(vec![tool("get", "1", reads)])));
        b.end_tool(ToolOutcome { found, ..ToolOutcome::text("memory__get", "1 tool") });
        b.reply("", &[("source_call", json!({"tool": "memory__get"}))]);
        b
    };
    let named = "fix the bug in a.txt as the memory source says";
    let mut b = planning(named, true);
    assert_eq!(asked(&b).tool.name, "get");
    b.answer(is_source, Answer::Approve).unwrap();
    assert_eq!(b.tool().1, Tool::SourceCall);
    b.end_tool(ToolOutcome::text("T-1: the greeting is wrong", "1 line"));
    b.plan(&[("One", "modify")], &[]);
    for b in [planning(named, false), planning("fix the bug in a.txt", true)] {
        let (status, told) = ended(&b);
        assert_eq!(status, CallStatus::Refused);
        assert!(told.starts_with("memory__get is not allowed here: while planning only what says"), "{told}");
    }
}

#[test]
fn what_was_not_looked_up_is_not_called() {
    let mut b = Bench::new();
    b.say("where is main?");
    b.reply("", &[("source_call", json!({"tool": "memory__act"}))]);
    let (status, told) = ended(&b);
    assert!(status == CallStatus::Refused && told.contains("source_tools"), "{told}");
    b.reply("", &[("memory__act", json!({"a": 1}))]);
    assert_eq!(ended(&b).0, CallStatus::Refused, "nor by its own name");
}

#[test]
fn a_call_asks_with_its_arguments_and_runs_as_it_was_shown() {
    let mut b = looked(&[], vec![tool("act", "1", false)]);
    b.reply("", &[("memory__act", json!({"path": "a\u{202e}b"}))]);
    let question = asked(&b);
    assert_eq!(
        (question.arguments.as_str(), question.tool.hash),
        ("{\"path\":\"a\u{202e}b\"}", BlobId::of(b"1"))
    );
    let stale = Input::Answer { checkpoint: b.question(is_source), answer: Answer::Approve, shown: None };
    assert!(b.input(stale).is_err(), "an answer is bound to what was shown");
    b.answer(is_source, Answer::Approve).unwrap();
    assert_eq!((b.tool().1, permit(&b).pin()), (Tool::SourceCall, Some(BlobId::of(b"1"))));
    b.end_tool(ToolOutcome::text("<source>", "1 line"));
    b.reply("", &[("source_call", json!({"tool": "memory__act"}))]);
    b.answer(is_source, Answer::Reject("not that".into())).unwrap();
    let (status, told) = ended(&b);
    assert!(status == CallStatus::Refused && told.contains("not that"), "{told}");
    b.thinking();
}

#[test]
fn a_call_without_what_the_tool_needs_is_refused_before_anybody_is_asked() {
    let needs = SourceTool { required: vec!["q".into()], ..tool("act", "1", false) };
    let mut b = looked(&[], vec![needs]);
    b.reply("", &[("memory__act", json!({"path": "a"}))]);
    let (status, told) = ended(&b);
    assert!(b.session.state().open.is_empty() && status == CallStatus::Refused, "{told}");
    assert!(told.contains("the argument q is missing"), "{told}");
    b.reply("", &[("memory__act", json!({"q": "a"}))]);
    assert_eq!(asked(&b).tool.name, "act");
}

#[test]
fn a_tool_that_says_that_it_reads_asks_with_what_would_take_its_word() {
    for (reads, named) in [(true, true), (false, false)] {
        let mut b = looked(&[], vec![tool("act", "1", reads)]);
        b.reply("", &[("memory__act", json!({}))]);
        let by = asked(&b).ruling.by;
        assert_eq!(by.contains("`read_only`"), named, "{by}");
    }
}

#[test]
fn the_question_shows_arguments_to_their_end() {
    let mut b = looked(&[], vec![tool("act", "1", false)]);
    let text = "word ".repeat(2_000) + "and then remove it all";
    b.reply("", &[("memory__act", json!({ "text": text }))]);
    let question = &b.session.state().open[&b.question(is_source)];
    let shown = question.spec(&Asked {
        plan: None,
        proposals: &BTreeMap::new(),
        unchecked: None,
        stake: &[],
        lost: &[],
        running: false,
    });
    assert!(shown.text.ends_with("and then remove it all\"}"), "{}", shown.text.len());
}

#[test]
fn a_tool_that_is_another_by_now_is_not_called_and_asked_about_again() {
    let mut b = looked(&["allow mcp memory/act"], vec![tool("act", "1", false)]);
    b.reply("", &[("memory__act", json!({}))]);
    assert_eq!(permit(&b).pin(), Some(BlobId::of(b"1")), "a rule allows it");
    let found = Some(Box::new(news(vec![tool("act", "2", false)])));
    b.end_tool(ToolOutcome { redefined: true, found, ..ToolOutcome::failure("nothing was done") });
    let question = asked(&b);
    assert!(question.tool.changed && question.tool.hash == BlobId::of(b"2"), "{question:?}");
    let grant = Answer::Grant { rules: vec!["allow mcp memory/act".into()], lasting: false };
    assert!(b.answer(is_source, grant).is_err(), "a rule is no answer to that");
    b.answer(is_source, Answer::Approve).unwrap();
    assert_eq!(permit(&b).pin(), Some(BlobId::of(b"2")));
    b.end_tool(ToolOutcome::text("done", "1 line"));
    b.reply("", &[("memory__act", json!({}))]);
    assert_eq!(permit(&b).pin(), Some(BlobId::of(b"2")), "the rule holds for it as it is now");
    let gone = ToolOutcome {
        redefined: true,
        found: Some(Box::new(news(Vec::new()))),
        ..ToolOutcome::failure("gone")
    };
    b.end_tool(gone);
    assert!(ended(&b).1.contains("no longer has this tool"), "{:?}", ended(&b));
}

#[test]
fn a_tool_known_from_an_earlier_session_as_another_asks_whatever_a_rule_says() {
    let changed = SourceTool { changed: true, ..tool("act", "1", true) };
    let mut b = looked(&["allow mcp memory/*"], vec![SourceTool { free: true, ..changed }]);
    b.reply("", &[("memory__act", json!({}))]);
    assert!(asked(&b).ruling.by.contains("describes it differently"), "{:?}", asked(&b).ruling);
}

#[test]
fn only_the_word_of_server_and_user_together_lets_a_read_run_unasked() {
    for (rules, reads, free, runs) in [
        (vec![], true, true, true),
        (vec![], true, false, false),
        (vec![], false, true, false),
        (vec!["allow mcp memory/act"], true, false, true),
        (vec!["ask mcp memory/act"], true, true, false),
    ] {
        let mut b = looked(&rules, vec![SourceTool { free, ..tool("act", "1", reads) }]);
        b.reply("", &[("memory__act", json!({}))]);
        let began = b.session.pending().values().any(|w| matches!(w, Work::Tool { .. }));
        assert_eq!(began, runs, "{rules:?} {reads} {free}");
        assert_ne!(began, b.session.state().open.values().any(|c| is_source(&c.kind)));
    }
    let mut b = looked(&["deny mcp memory/*"], vec![SourceTool { free: true, ..tool("act", "1", true) }]);
    b.reply("", &[("memory__act", json!({}))]);
    assert_eq!(ended(&b).0, CallStatus::Refused);
}

#[test]
fn in_auto_mode_what_only_asks_to_read_still_asks_before_something_may_change() {
    let mut b = looked(&[], vec![tool("act", "1", false)]);
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.reply("", &[("memory__act", json!({}))]);
    assert!(asked(&b).ruling.by.contains("only asks to read"), "{:?}", asked(&b).ruling);
}

#[test]
fn this_session_allows_a_tool_by_a_rule() {
    let mut b = looked(&[], vec![tool("act", "1", false)]);
    b.reply("", &[("memory__act", json!({}))]);
    let grant = |rule: &str| Answer::Grant { rules: vec![rule.into()], lasting: false };
    assert!(b.answer(is_source, grant("deny mcp memory/act")).is_err());
    b.answer(is_source, grant("allow mcp memory/act")).unwrap();
    b.end_tool(ToolOutcome::text("done", "1 line"));
    b.reply("", &[("memory__act", json!({"other": 1}))]);
    assert_eq!(b.tool().1, Tool::SourceCall);
}

#[test]
fn what_a_server_asks_meanwhile_is_a_question_of_its_call() {
    let mut b = looked(&[], vec![SourceTool { free: true, ..tool("act", "1", true) }]);
    b.reply("", &[("memory__act", json!({}))]);
    let (call, _) = b.tool();
    let fields = vec![FormField { name: "colour".into(), takes: "words".into(), says_no: false }];
    let form = |call| FormQuestion {
        call,
        source: "memory".into(),
        message: "which?".into(),
        fields: fields.clone(),
    };
    b.input(Input::SourceAsks(form(call))).unwrap();
    assert!(b.input(Input::SourceAsks(form(call))).is_err(), "one at a time");
    b.say("blue");
    let answer = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CheckpointResolved { answer, .. } => answer.clone(),
        _ => None,
    });
    assert_eq!(answer, Some(Answer::Text("blue".into())));
    assert_eq!(b.tool().0, call, "the call goes on");
    let fields = vec![FormField { says_no: true, takes: "yes or no".into(), ..fields[0].clone() }];
    b.input(Input::SourceAsks(FormQuestion { fields, ..form(call) })).unwrap();
    b.say("no");
    let mut answers = b.log.iter().filter_map(|e| match &e.event {
        Event::CheckpointResolved { answer, .. } => answer.clone(),
        _ => None,
    });
    assert_eq!(answers.next_back(), Some(Answer::Text("no".into())), "no is what goes into it");
    b.input(Input::SourceAsks(form(call))).unwrap();
    b.end_tool(ToolOutcome::text("done", "1 line"));
    assert!(b.session.state().open.is_empty(), "with the call its question ends");
    assert!(b.input(Input::SourceAsks(form(call))).is_err());
}

#[test]
fn a_form_is_asked_without_secrets_and_not_at_all_where_its_fields_hold_one() {
    let secrets = Redactor::knowing(["quiet-harbour-9"]);
    let form = |name: &str, takes: &str| FormQuestion {
        call: CallId(1),
        source: "memory".into(),
        message: "quiet-harbour-9, is it?".into(),
        fields: vec![FormField { name: name.into(), takes: takes.into(), says_no: false }],
    };
    let guarded = secrets.guard(Input::SourceAsks(form("colour", "words"))).unwrap();
    let Input::SourceAsks(asked) = guarded.input else { panic!("{guarded:?}") };
    assert!(!asked.message.contains("quiet-harbour-9") && asked.message.contains("is it?"));
    for odd in [form("quiet-harbour-9", "words"), form("colour", "blue|quiet-harbour-9")] {
        assert!(secrets.guard(Input::SourceAsks(odd)).is_err());
    }
}

#[test]
fn a_server_of_the_client_is_agreed_to_by_an_answer_to_its_very_line_and_only_while_the_process_lasts() {
    let mut b = Bench::new();
    let server = |line: &str| ServerQuestion::of("tickets", (line.into(), false), vec!["KEY".into()]);
    let is_server = |kind: &CheckpointKind| matches!(kind, CheckpointKind::Server(_));
    assert_ne!(server("npx a").shown, server("npx b").shown);
    assert_ne!(server("npx a").shown, ServerQuestion::of("tickets", ("npx a".into(), false), vec![]).shown);
    b.input(Input::ServersNamed(vec![server("npx a")])).unwrap();
    let checkpoint = b.question(is_server);
    b.say("yes");
    assert!(b.session.state().open.contains_key(&checkpoint), "no word answers it");
    let answer = |shown| Input::Answer { checkpoint, answer: Answer::Approve, shown };
    assert!(b.input(answer(None)).is_err());
    assert!(b.input(answer(Some(server("npx b").shown))).is_err());
    b.input(answer(Some(server("npx a").shown))).unwrap();
    assert!(b.input(answer(Some(server("npx a").shown))).is_err(), "once");
    b.input(Input::ServersNamed(vec![server("npx b")])).unwrap();
    let second = b.question(is_server);
    b.input(Input::Open(opening())).unwrap();
    assert!(!b.session.state().open.contains_key(&second), "the client that named it is gone");
    let secrets = Redactor::knowing(["quiet-harbour-9"]);
    let guarded = secrets.guard(Input::ServersNamed(vec![server("npx --key quiet-harbour-9")])).unwrap();
    assert!(!format!("{:?}", guarded.input).contains("quiet-harbour-9"));
}
