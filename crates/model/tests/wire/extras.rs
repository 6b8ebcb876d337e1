//! What a request carries beyond what every server knows, and what is done when a server refuses it.

use pilothouse_core::talk::{Echo, Thought};
use pilothouse_model::Effort;

use super::*;

fn refusal(words: &str) -> Vec<Act> {
    answer(
        "400 Bad Request",
        "content-type: application/json\r\n",
        &json!({"error": {"message": words}}).to_string(),
    )
}

/// Asks one client these requests in turn and gives the bodies that the server saw.
async fn bodies(scripts: Vec<Vec<Act>>, effort: Option<Effort>, asked: Vec<ModelRequest>) -> Vec<Value> {
    let server = Server::start(scripts).await;
    let client = OpenAi::new(Endpoint { effort, ..endpoint(&server.url) });
    for request in asked {
        let (tx, _rx) = mpsc::channel(64);
        client.reply(request, tx, CancellationToken::new()).await.unwrap();
    }
    server.requests().iter().map(|r| body(r)).collect()
}

fn body(raw: &str) -> Value {
    serde_json::from_str(raw.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn of(purpose: Purpose) -> ModelRequest {
    ModelRequest { purpose, ..request() }
}

#[tokio::test]
async fn the_effort_is_the_users_and_the_lowest_for_a_reading() {
    let scripts = || vec![reply("ok"), reply("ok")];
    let asked = || vec![of(Purpose::Answer), of(Purpose::Classify)];
    let efforts =
        |bodies: Vec<Value>| bodies.iter().map(|b| b["reasoning_effort"].clone()).collect::<Vec<_>>();
    assert_eq!(efforts(bodies(scripts(), None, asked()).await), [Value::Null, json!("low")]);
    assert_eq!(efforts(bodies(scripts(), Some(Effort::High), asked()).await), [json!("high"), json!("low")]);
    assert_eq!(efforts(bodies(scripts(), Some(Effort::None), asked()).await), [json!("none"), json!("none")]);
}

#[tokio::test]
async fn a_reply_that_is_to_be_short_has_its_bound_under_the_name_that_is_understood() {
    let words = |name: &str| format!("Unsupported parameter: '{name}' is not supported with this model.");
    let short = || ModelRequest { most_tokens: Some(200), ..of(Purpose::Classify) };
    let scripts = vec![
        refusal(&words("max_tokens")),
        refusal(&words("max_completion_tokens")),
        reply("ok"),
        reply("ok"),
    ];
    let seen = bodies(scripts, None, vec![short(), short()]).await;
    let sent: Vec<_> =
        seen.iter().map(|b| (b["max_tokens"].clone(), b["max_completion_tokens"].clone())).collect();
    let none = Value::Null;
    assert_eq!(sent[0], (json!(200), none.clone()));
    assert_eq!(sent[1], (none.clone(), json!(200)));
    assert!(sent[2..].iter().all(|s| *s == (none.clone(), none.clone())), "{sent:?}");
    let seen = bodies(vec![reply("ok")], None, vec![of(Purpose::Answer)]).await;
    assert!(seen[0].get("max_tokens").is_none(), "an answer has no bound");
}

#[tokio::test]
async fn an_effort_that_is_refused_is_left_out_and_not_tried_again() {
    let words = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
    let scripts = vec![refusal(words), reply("ok"), reply("ok")];
    let seen = bodies(scripts, Some(Effort::High), vec![of(Purpose::Answer), of(Purpose::Task)]).await;
    let sent: Vec<bool> = seen.iter().map(|b| b.get("reasoning_effort").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn a_reading_fails_for_no_effort_that_nobody_asked_for() {
    let scripts = vec![refusal("bad request"), reply("ok")];
    let seen = bodies(scripts, None, vec![of(Purpose::Classify)]).await;
    assert!(seen[1].get("reasoning_effort").is_none());
    // What the user set is told as it is.
    let server = Server::start(vec![refusal("bad request")]).await;
    let set = Endpoint { effort: Some(Effort::High), ..endpoint(&server.url) };
    assert_eq!(ask_at(set).await.0.unwrap_err().fault.status, Some(400));
}

#[tokio::test]
async fn no_hint_for_a_cache_goes_to_a_place_that_is_not_known_to_take_it() {
    let server = Server::start(vec![reply("ok")]).await;
    ask_at(Endpoint::new(&server.url, "anthropic/claude-opus-4.6")).await.0.unwrap();
    let raw = server.requests().remove(0);
    assert!(!raw.contains("cache_control") && !raw.contains("prompt_cache_key"), "{raw}");
}

/// A conversation whose reply was thought out by `thought`, and goes on.
fn going_on(thought: Option<Thought>) -> ModelRequest {
    let mut asked = request();
    let call = ModelCall { id: "c1".into(), name: "read".into(), args: "{}".into() };
    let thought = thought.map(Box::new);
    asked.messages.push(Message { calls: vec![call], thought, ..Message::text(Role::Assistant, "") });
    asked.messages.push(Message { answers: Some("c1".into()), ..Message::text(Role::Tool, "1  x") });
    asked
}

/// What a reply of these events wants back.
async fn echo_of(events: &[Value], url: &str) -> (String, Option<Echo>) {
    let mut script = vec![stream_head()];
    script.extend(events.iter().map(|e| event(&json!({"choices": [{"delta": e}]}).to_string())));
    script.push(event(r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#));
    script.push(done());
    let reply = ask(vec![script]).await.0.unwrap();
    // Servers of tests have a port of their own each: the reply is taken to come from this one.
    let origin = endpoint(url).origin();
    (reply.reasoning, reply.echo.map(|e| Echo { origin, ..e }))
}

#[tokio::test]
async fn thinking_goes_back_as_it_came_and_to_nobody_else() {
    let cases = [
        (
            vec![json!({"reasoning_content": "hm"}), json!({"reasoning_content": "m"})],
            "/reasoning_content",
            json!("hmm"),
        ),
        (vec![json!({"reasoning": "hm"})], "/reasoning", json!("hm")),
        (
            vec![
                json!({"reasoning": "a", "reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0, "format": "anthropic-claude-v1"}]}),
                json!({"reasoning": "b", "reasoning_details": [{"type": "reasoning.text", "text": "b", "index": 0, "format": "anthropic-claude-v1"}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "signature": "sig", "index": 0}]}),
                json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "xyz", "index": 1}]}),
            ],
            "/reasoning_details",
            json!([
                {"type": "reasoning.text", "text": "ab", "signature": "sig", "index": 0, "format": "anthropic-claude-v1"},
                {"type": "reasoning.encrypted", "data": "xyz", "index": 1},
            ]),
        ),
        (
            vec![
                json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "read"}, "extra_content": {"google": {"thought_signature": "s"}}}]}),
            ],
            "/tool_calls/0/extra_content/google/thought_signature",
            json!("s"),
        ),
    ];
    for (events, place, expected) in cases {
        let server = Server::start(vec![reply("ok"), reply("ok")]).await;
        let (text, echo) = echo_of(&events, &server.url).await;
        let thought = Thought { text, echo: echo.unwrap() };
        let client = OpenAi::new(endpoint(&server.url));
        let elsewhere = OpenAi::new(Endpoint { model: "another".into(), ..endpoint(&server.url) });
        for client in [client, elsewhere] {
            let (tx, _rx) = mpsc::channel(64);
            client.reply(going_on(Some(thought.clone())), tx, CancellationToken::new()).await.unwrap();
        }
        let seen: Vec<Value> = server.requests().iter().map(|r| body(r)).collect();
        let at = format!("/messages/2{place}");
        assert_eq!(seen[0].pointer(&at), Some(&expected), "{place}");
        assert_eq!(seen[1].pointer(&at), None, "{place}");
    }
}

#[tokio::test]
async fn a_part_that_lost_its_signature_does_not_go_back() {
    let part = json!({"reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0, "format": "anthropic-claude-v1"}]});
    assert_eq!(echo_of(&[part], "http://h/v1").await.1, None);
    assert_eq!(echo_of(&[json!({"content": "plain"})], "http://h/v1").await.1, None);
}

#[tokio::test]
async fn a_server_that_misses_thinking_gets_an_empty_one_and_one_that_refuses_it_none() {
    let missing = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let seen =
        bodies(vec![refusal(missing), reply("ok"), reply("ok")], None, vec![going_on(None), going_on(None)])
            .await;
    let sent = |b: &Value| b.pointer("/messages/2/reasoning_content").cloned();
    assert_eq!(seen.iter().map(sent).collect::<Vec<_>>(), [None, Some(json!("")), Some(json!(""))]);

    let server = Server::start(vec![
        refusal("reasoning_content is not allowed in the input"),
        refusal("reasoning_content is not allowed in the input"),
        reply("ok"),
    ])
    .await;
    let echo =
        Echo { origin: endpoint(&server.url).origin(), field: "reasoning_content".into(), ..Echo::default() };
    let (tx, _rx) = mpsc::channel(64);
    let asked = going_on(Some(Thought { text: "hm".into(), echo }));
    OpenAi::new(endpoint(&server.url)).reply(asked, tx, CancellationToken::new()).await.unwrap();
    let sent: Vec<_> = server.requests().iter().map(|r| sent(&body(r))).collect();
    assert_eq!(sent, [Some(json!("hm")), Some(json!("hm")), None]);
}

#[tokio::test]
async fn the_count_is_told_while_it_comes_and_the_thinking_apart_at_the_end() {
    let usage = |written: u64| {
        json!({"prompt_tokens": 10, "completion_tokens": written, "total_tokens": 10 + written + 5,
        "completion_tokens_details": {"reasoning_tokens": 5}, "prompt_cache_hit_tokens": 4})
    };
    let chunk = |text: &str, written: u64| {
        event(&json!({"choices": [{"delta": {"content": text}}], "usage": usage(written)}).to_string())
    };
    let end = event(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#);
    let (outcome, deltas) = ask(vec![vec![stream_head(), chunk("a", 2), chunk("b", 7), end, done()]]).await;
    let usage = outcome.unwrap().usage;
    // The thinking was left out of the words, not out of the sum.
    assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (10, 4, 12, 5));
    let counts: Vec<u64> =
        deltas.iter().filter_map(|d| if let ModelDelta::Written(n) = d { Some(*n) } else { None }).collect();
    assert_eq!(counts, [7, 12]);
}

#[tokio::test]
async fn code_stands_in_a_request_as_it_is() {
    let code = "if a < b && c > d { x = \"<p class='q'>&amp;</p>\"; }";
    let mut asked = going_on(None);
    asked.messages.push(Message::text(Role::User, code));
    let seen = bodies(vec![reply("ok")], None, vec![asked]).await;
    assert_eq!(seen[0].pointer("/messages/4/content"), Some(&json!(code)));
}
