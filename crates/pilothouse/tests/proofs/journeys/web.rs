//! `research` with a source that searches the web: asked as every source is, cited as what it is.

use pilothouse_core::{
    checkpoint::Answer,
    event::{Event, Stamped},
    pipeline::{PipelineExit, StageEvent},
};
use serde_json::{Value, json};

use super::stage::Stage;

const LIMITER: &str = "/// Counts calls in a window of sixty seconds.\npub struct RateLimiter {\n    calls: u32,\n}\n\nimpl RateLimiter {\n    /// Resets the window once a minute.\n    pub fn reset_window(&mut self) {\n        self.calls = 0;\n    }\n}\n";

/// A server in a few lines of shell.
pub const SERVER: &str = r#"
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}' ;;
    *'"tools/list"'*) say '{"tools":[{"name":"find","description":"Searches.","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},"annotations":{"readOnlyHint":true}}]}' ;;
    *'"tools/call"'*) say '{"content":[{"type":"text","text":"[{\"title\":\"Rate limiter windows\",\"url\":\"https://w.example/limits\",\"description\":\"A rate limiter resets its window by a timer, each minute.\"}]"}]}' ;;
  esac
done
"#;

fn stage(reply: &Value, when: &str) -> Value {
    json!({"for": "stage", "text": reply.to_string(), "when": when})
}

/// A session with the server as a source, whose tools may run unasked or not.
fn session(free: bool) -> Stage {
    let analysis = json!({"scope": "the limiter", "sub_queries": ["RateLimiter reset_window"]});
    let calibrated = json!({"scope": "the limiter", "sub_queries": ["timer of RateLimiter"], "web": [{"text": "made up"}]});
    let draft = json!({"summary": "A method resets it.", "conclusions": [], "sections": [
        {"title": "Reset", "text": "`reset_window` of `RateLimiter` resets the window once a minute [1]."},
        {"title": "Other", "text": "Nothing else does [W7]."}]});
    let nothing = json!({"unsupported": [], "relations": [], "contradictions": []});
    let (checked, drafted) = (stage(&nothing, "<claims>"), stage(&draft, "<passages>"));
    let script = json!([
        checked,
        checked,
        checked,
        drafted,
        drafted,
        drafted,
        stage(
            &calibrated,
            "<web>\n[W1] Rate limiter windows (https://w.example/limits): A rate limiter resets"
        ),
        stage(&analysis, "<most_sub_queries>"),
    ]);
    let config =
        json!({"command": "sh", "args": ["-c", SERVER], "web": "find", "read_only": free}).to_string();
    let mut s = Stage::having(&[("limiter.rs", LIMITER)], &[("sources/web/config.json", &config)], &script);
    s.say("/depth standard");
    s.say("@research how does the rate limiter reset its window?");
    s.asked("pipeline_pause");
    s.say("1");
    s
}

fn notes(s: &Stage) -> Vec<String> {
    let note = |e: &Stamped| match &e.event {
        Event::Staged { happened: StageEvent::StageCompleted { note, .. }, .. } => Some(note.clone()),
        _ => None,
    };
    s.events.iter().filter_map(note).collect()
}

#[test]
fn what_the_web_says_calibrates_the_questions_and_is_cited_as_the_web() {
    let mut s = session(true);
    s.asked("pipeline_pause");
    assert_eq!(notes(&s)[1], "1 result from the web, 1 question", "{:?}", notes(&s));
    s.say("1");
    s.until("an answer", |s| {
        s.state().pipeline.as_ref().and_then(|p| p.state.exit()) == Some(PipelineExit::Completed)
    });
    let told = s.events.iter().rev().find_map(|e| match &e.event {
        Event::MessageCompleted { text, intermediate: false, .. } => text.whole().map(str::to_owned),
        _ => None,
    });
    let told = told.unwrap();
    for part in [
        "once a minute [1]. [W1]",
        "> [W1] Rate limiter windows: A rate limiter resets its window by a timer, each minute.",
        "Nothing else does [W7: not verified].",
        "- [W1] Rate limiter windows: https://w.example/limits",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let searched =
        |e: &&Stamped| matches!(&e.event, Event::CallMade { args, .. } if args.contains("web__find"));
    assert_eq!(s.events.iter().filter(searched).count(), 2);
}

#[test]
fn a_search_that_is_not_free_asks_and_without_leave_it_goes_on_without_the_web() {
    let mut s = session(false);
    for _ in 0..2 {
        s.answer("source", Answer::Reject(String::new()));
    }
    s.until("an answer", |s| {
        s.state().pipeline.as_ref().and_then(|p| p.state.exit()) == Some(PipelineExit::Completed)
    });
    assert!(notes(&s)[1].starts_with("skipped: nothing came from the web: "), "{:?}", notes(&s));
}
