//! Messages that a model is asked about, with a scripted model that is asked for real.

#![allow(clippy::wildcard_enum_match_arm)]

use pilothouse_core::intent::IntentNode;

use super::*;

/// A folder in which questions are never sure enough, so that the model is asked about each.
fn doubting(script: &serde_json::Value) -> Rig {
    let rig = Rig::new(script);
    let home = rig.home().config;
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), "[intent]\nthresholds = { query = 1.0 }\nwait_seconds = 1").unwrap();
    rig
}

const ASK: &str = "what is in src/a.txt?";

fn classified(s: &Screen) -> (String, IntentNode, u64) {
    let of = |e: &Stamped| match &e.event {
        Event::IntentClassified { source, path, usage, .. } => {
            Some((source.name().to_owned(), path.current(), usage.map_or(0, |u| u.input)))
        }
        _ => None,
    };
    s.events.iter().rev().find_map(of).unwrap()
}

#[tokio::test]
async fn the_model_says_what_a_message_means_and_the_phrase_is_put_aside() {
    let rig = doubting(&json!([
        {"for": "classify", "text": "PRIMARY: query\nPATH: audit\nCONFIDENCE: high", "usage": {"input": 7, "output": 2}},
        {"text": "Three numbers."}
    ]));
    let mut s = rig.open(Which::New).await;
    s.say(ASK).await;
    s.has("message_completed").await;
    s.idle().await;
    assert_eq!(classified(&s), ("llm".into(), IntentNode::Audit, 7));
    assert!(s.count("intent_asked") == 1 && s.state().usage.input >= 7);
    s.quit().await;
    let text = fs::read_to_string(rig.home().config.join("exemplars.pending.yaml")).unwrap();
    assert!(text.contains("  audit:\n    - \"what is in src/a.txt?\""), "{text}");
}

#[tokio::test]
async fn what_is_no_answer_leaves_the_rules_best_guess_and_says_so() {
    for line in [
        json!({"for": "classify", "text": "I would say it is about files."}),
        json!({"for": "classify", "text": "", "fault": {"kind": "unreachable", "message": "nobody there"}}),
        json!({"for": "classify", "text": "…", "wait_for_cancel": true}),
    ] {
        let rig = doubting(&json!([line, {"text": "Three numbers."}]));
        let mut s = rig.open(Which::New).await;
        s.say(ASK).await;
        s.has("message_completed").await;
        s.idle().await;
        assert_eq!(classified(&s).0, "fallback", "{line}");
        let told = s.events.iter().any(|e| match &e.event {
            Event::Notice { text, .. } => text.ends_with("(a question – read-only)."),
            _ => false,
        });
        assert!(told, "{line}");
        s.quit().await;
        assert!(!rig.home().config.join("exemplars.pending.yaml").exists());
    }
}

#[tokio::test]
async fn what_is_said_meanwhile_waits_and_is_answered_after_it() {
    let slow =
        json!({"for": "classify", "text": "PRIMARY: query\nPATH: explain", "pieces": 4, "pause_ms": 60});
    let rig = doubting(&json!([slow, slow, {"text": "One."}, {"text": "Two."}]));
    let mut s = rig.open(Which::New).await;
    s.say(ASK).await;
    s.say("who reads src/a.txt?").await;
    s.until("two answers", |s| s.count("message_completed") == 2).await;
    s.idle().await;
    let order: Vec<_> = s
        .events
        .iter()
        .filter_map(|e| match &e.event {
            Event::TurnStarted { turn, .. } | Event::IntentClassified { turn, .. } => Some(turn.0),
            _ => None,
        })
        .collect();
    let [first, second] = [order[0], order[1]];
    assert_eq!(order, [first, second, first, second]);
    s.quit().await;
}

#[tokio::test]
async fn stopping_stops_the_question_and_nothing_is_done() {
    let rig =
        doubting(&json!([{"for": "classify", "text": "…", "wait_for_cancel": true}, {"text": "never"}]));
    let mut s = rig.open(Which::New).await;
    s.say(ASK).await;
    s.has("intent_asked").await;
    s.send(Input::Cancel).await;
    s.has("turn_dropped").await;
    s.idle().await;
    assert_eq!(s.count("intent_classified"), 0);
    s.quit().await;
}

#[tokio::test]
async fn a_long_message_that_waited_is_read_whole() {
    let rig =
        doubting(&json!([{"for": "classify", "text": "PRIMARY: plan_new\nPATH: modify"}, {"text": "x"}]));
    let mut s = rig.open(Which::New).await;
    // Neither end that an event carries of a long text reaches as far as the prohibition.
    let blah = |n| "blah ".repeat(n);
    let long = format!("what is this? {}. Do not change anything. {}", blah(1200), blah(240));
    s.say(&long).await;
    s.has("intent_classified").await;
    let forbids = s.events.iter().any(|e| matches!(&e.event, Event::IntentClassified { forbids: true, .. }));
    assert!(forbids, "the prohibition stands before the end");
    s.quit().await;
}
