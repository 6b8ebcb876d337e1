//! The OpenAI-compatible client against a real server on this machine.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::{sync::Arc, time::Duration};

use pilothouse_core::talk::{
    FaultKind, Finish, Message, ModelCall, ModelDelta, ModelReply, ModelRequest, Purpose, Role, ToolSpec,
};
use pilothouse_model::{Endpoint, ModelClient, OpenAi, Patience, Unfinished, openai};
use serde_json::{Value, json};
use server::{Act, Server, answer, done, event, reply, stream_head, text};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

mod broken;
mod extras;
mod server;

fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Answer,
        system: "be brief".into(),
        messages: vec![Message::text(Role::User, "hello")],
        tools: vec![],
        most_tokens: None,
    }
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint { backoff: Duration::from_millis(5), ..Endpoint::new(url, "test-model") }
}

/// Asks once and gives the outcome with every delta.
async fn ask_at(endpoint: Endpoint) -> (Result<ModelReply, Unfinished>, Vec<ModelDelta>) {
    let (tx, mut rx) = mpsc::channel(1024);
    let outcome = OpenAi::new(endpoint).reply(request(), tx, CancellationToken::new()).await;
    let mut deltas = Vec::new();
    while let Ok(delta) = rx.try_recv() {
        deltas.push(delta);
    }
    (outcome, deltas)
}

async fn ask(scripts: Vec<Vec<Act>>) -> (Result<ModelReply, Unfinished>, Vec<ModelDelta>) {
    let server = Server::start(scripts).await;
    ask_at(endpoint(&server.url)).await
}

fn retries(deltas: &[ModelDelta]) -> Vec<(u32, u64)> {
    deltas
        .iter()
        .filter_map(|d| {
            if let ModelDelta::Retry { attempt, wait_ms, .. } = d { Some((*attempt, *wait_ms)) } else { None }
        })
        .collect()
}

#[tokio::test]
async fn a_reply_with_text_thinking_calls_and_usage_comes_whole() {
    let script = vec![
        stream_head(),
        Act::Send(b": OPENROUTER PROCESSING\n\n".to_vec()),
        event(r#"{"model":"real-name","choices":[{"delta":{"role":"assistant","reasoning_content":"hm"}}]}"#),
        text("Grü"),
        text("ße"),
        event(
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":""}}]}}]}"#,
        ),
        event(
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}}]}"#,
        ),
        event(r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}}]}}]}"#),
        event(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#),
        event(
            r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}}}"#,
        ),
        done(),
    ];
    let (outcome, deltas) = ask(vec![script]).await;
    let reply = outcome.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str(), reply.finish), ("Grüße", "hm", Finish::Calls));
    let call = ModelCall { id: "c1".into(), name: "read".into(), args: r#"{"path":"a"}"#.into() };
    assert_eq!((reply.calls, reply.model.as_str()), (vec![call], "real-name"));
    assert_eq!((reply.usage.input, reply.usage.cached, reply.usage.output), (12, 8, 3));
    assert_eq!(deltas[0], ModelDelta::Reasoning("hm".into()));
    assert_eq!(deltas[1], ModelDelta::Text("Grü".into()));
    assert_eq!(*deltas.last().unwrap(), ModelDelta::Call { name: "read".into(), bytes: 12 });
}

#[tokio::test]
async fn the_request_carries_key_headers_query_system_history_and_tools() {
    let server = Server::start(vec![reply("ok")]).await;
    let mut at = endpoint(&server.url);
    at.key = Some(" sk-1 ".into());
    at.headers.push(("x-title".into(), "Pilothouse".into()));
    at.query.push(("api-version".into(), "2024-10-21".into()));
    let mut asked = request();
    let call = ModelCall { id: "c1".into(), name: "read".into(), args: "{\"path\":\"a\"}".into() };
    asked.messages.push(Message { calls: vec![call], ..Message::text(Role::Assistant, "") });
    asked.messages.push(Message { answers: Some("c1".into()), ..Message::text(Role::Tool, "1  x") });
    asked.tools.push(ToolSpec {
        name: "read".into(),
        description: "Reads".into(),
        parameters: json!({"type": "object"}),
        needs: None,
    });
    let (tx, _rx) = mpsc::channel(8);
    OpenAi::new(at).reply(asked, tx, CancellationToken::new()).await.unwrap();
    let raw = server.requests().remove(0);
    let (head, body) = raw.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions?api-version=2024-10-21 "), "{head}");
    assert!(
        head.contains("authorization: Bearer sk-1\r\n") && head.contains("x-title: Pilothouse"),
        "{head}"
    );
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!((&body["model"], &body["stream"]), (&json!("test-model"), &json!(true)));
    assert_eq!(body["stream_options"]["include_usage"], json!(true));
    assert_eq!(body["tools"][0]["function"]["name"], json!("read"));
    let roles: Vec<&str> =
        body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(body["messages"][3]["tool_call_id"], json!("c1"));
}

#[tokio::test]
async fn azure_gets_its_own_key_header_and_path() {
    let server = Server::start(vec![reply("ok")]).await;
    let mut at = Endpoint::azure(server.url.trim_end_matches("/v1"), "dep", "2024-10-21");
    at.key = Some("k".into());
    ask_at(at).await.0.unwrap();
    let raw = server.requests().remove(0);
    assert!(
        raw.starts_with("POST /openai/deployments/dep/chat/completions?api-version=2024-10-21 "),
        "{raw}"
    );
    assert!(raw.contains("api-key: k\r\n") && !raw.contains("authorization"), "{raw}");
}

#[tokio::test]
async fn a_pasted_address_with_path_and_query_is_understood() {
    let server = Server::start(vec![reply("ok")]).await;
    ask_at(endpoint(&format!("{}/chat/completions?api-version=1&x=a%20b", server.url))).await.0.unwrap();
    let raw = server.requests().remove(0);
    assert!(raw.starts_with("POST /v1/chat/completions?api-version=1&x=a+b "), "{raw}");
}

#[tokio::test]
async fn a_server_that_cannot_count_tokens_is_asked_without() {
    let unknown = answer("400 Bad Request", "", r#"{"error":{"message":"unknown field: stream_options"}}"#);
    let server = Server::start(vec![unknown, reply("one"), reply("two")]).await;
    let model = OpenAi::new(endpoint(&server.url));
    for said in ["one", "two"] {
        let (tx, _rx) = mpsc::channel(8);
        let reply = model.reply(request(), tx, CancellationToken::new()).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.usage.estimated), (said, true));
    }
    let asked: Vec<bool> = server.requests().iter().map(|r| r.contains("stream_options")).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn tls_against_a_plain_server_is_a_clear_fault() {
    let garbage = || vec![Act::Send(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())];
    let server = Server::start_without_reading(vec![garbage(), garbage(), garbage()]).await;
    let fault = ask_at(endpoint(&server.url.replace("http:", "https:"))).await.0.unwrap_err().fault;
    assert_eq!(fault.kind, FaultKind::Unreachable);
    assert!(fault.message.starts_with("cannot reach https://127.0.0.1:"), "{fault}");
}

#[tokio::test]
async fn a_stream_in_single_bytes_with_crlf_is_the_same_stream() {
    let body = ": hi\r\n\r\nevent: message\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"漢字 [DONE] 👩‍👩‍👧\"}}]}\r\n\r\ndata:[DONE]\r\n\r\n";
    let mut script = vec![stream_head()];
    script.extend(body.bytes().map(|b| Act::Send(vec![b])));
    assert_eq!(ask(vec![script]).await.0.unwrap().text, "漢字 [DONE] 👩‍👩‍👧");
}

#[tokio::test]
async fn a_byte_order_mark_and_bytes_that_are_no_text_cost_nothing_else() {
    for size in [1, 2, 3, 64] {
        let Act::Send(said) = text("a\u{fffd}b") else { panic!() };
        let broken: Vec<u8> = said
            .windows(3)
            .position(|w| w == "\u{fffd}".as_bytes())
            .map_or_else(Vec::new, |at| [&said[..at], &[0xff], &said[at + 3..]].concat());
        let Act::Send(end) = done() else { panic!() };
        let whole = [b"\xef\xbb\xbf".as_slice(), &broken, &end].concat();
        let mut script = vec![stream_head()];
        script.extend(whole.chunks(size).map(|c| Act::Send(c.to_vec())));
        assert_eq!(ask(vec![script]).await.0.unwrap().text, "a\u{fffd}b", "in pieces of {size}");
    }
}

#[tokio::test]
async fn what_a_server_sends_has_a_largest_size() {
    let large = "x".repeat(6 * 1024 * 1024);
    let (outcome, _) = ask(vec![vec![stream_head(), text(&large), done()]]).await;
    assert_eq!(outcome.unwrap().text.len(), large.len());
    let (outcome, _) = ask(vec![vec![stream_head(), text(&large.repeat(3))]]).await;
    let unfinished = outcome.unwrap_err();
    assert_eq!(
        (unfinished.fault.kind, unfinished.fault.message.as_str()),
        (FaultKind::Malformed, "one event of the reply is larger than 16 MiB")
    );
    let (outcome, _) =
        ask(vec![vec![stream_head(), text(&large), text(&large), text(&large), text("more")]]).await;
    let unfinished = outcome.unwrap_err();
    assert_eq!(unfinished.fault.message, "the reply is larger than 16 MiB");
    assert_eq!(unfinished.partial.text.len(), 3 * large.len());
    let calls: Vec<Value> = (0..300)
        .map(|i| json!({"index": i, "id": format!("c{i}"), "function": {"name": "list", "arguments": "{}"}}))
        .collect();
    let many = json!({"choices": [{"delta": {"tool_calls": calls}}]}).to_string();
    let unfinished = ask(vec![vec![stream_head(), event(&many), done()]]).await.0.unwrap_err();
    assert_eq!(unfinished.fault.message, "the reply makes more than 256 calls");
    assert_eq!(unfinished.partial.calls, []);
}

#[tokio::test]
async fn a_reply_is_whole_with_a_reason_or_with_done_and_cut_with_neither() {
    let finish = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#;
    assert_eq!(ask(vec![vec![stream_head(), event(finish)]]).await.0.unwrap().text, "a");
    let no_blank_line = Act::Send(format!("data: {finish}").into_bytes());
    assert_eq!(ask(vec![vec![stream_head(), no_blank_line]]).await.0.unwrap().text, "a");
    let bare_done = Act::Send(b"data: [DONE]".to_vec());
    assert_eq!(ask(vec![vec![stream_head(), text("a"), bare_done]]).await.0.unwrap().text, "a");
    let said = || vec![stream_head(), text("the words [DONE] are no end")];
    let (outcome, _) = ask(vec![said(), said(), said()]).await;
    let cut = outcome.unwrap_err();
    assert_eq!((cut.fault.kind, cut.partial.text.as_str()), (FaultKind::Cut, "the words [DONE] are no end"));
    assert!(cut.partial.usage.estimated && cut.partial.usage.output > 0);
    let half = || Act::Send(b"data: {\"choices\":[{\"delta\":{\"cont".to_vec());
    let broken = || vec![stream_head(), text("a"), half()];
    let cut = ask(vec![broken(), broken(), broken()]).await.0.unwrap_err();
    assert_eq!((cut.fault.kind, cut.partial.text.as_str()), (FaultKind::Cut, "a"));
}

#[tokio::test]
async fn a_stream_that_stays_open_after_its_end_does_not_hold_the_reply_back() {
    let (tx, closed) = oneshot::channel();
    let script = vec![stream_head(), text("a"), done(), Act::AwaitClose(tx)];
    assert_eq!(ask(vec![script]).await.0.unwrap().text, "a");
    closed.await.unwrap();
}

#[tokio::test]
async fn refusals_keep_the_status_and_the_servers_words() {
    let cases = [
        ("404 Not Found", r#"{"error":"model 'x' not found"}"#, "model 'x' not found", FaultKind::Refused),
        ("400 Bad Request", r#"[{"error":{"code":400,"message":"bad key"}}]"#, "bad key", FaultKind::Refused),
        (
            "401 Unauthorized",
            r#"{"error":{"message":"no such key","code":401}}"#,
            "no such key",
            FaultKind::Unauthorized,
        ),
        ("403 Forbidden", "nope", "nope", FaultKind::Unauthorized),
        (
            "422 Unprocessable Entity",
            r#"{"detail":[{"loc":["body","tools"],"msg":"not permitted"}]}"#,
            "body.tools: not permitted",
            FaultKind::Refused,
        ),
        ("302 Found", "", "it points to http://elsewhere/", FaultKind::Refused),
    ];
    for (status, body, words, kind) in cases {
        let script = answer(status, "location: http://elsewhere/\r\n", body);
        let (outcome, deltas) = ask(vec![script, reply("never")]).await;
        let fault = outcome.unwrap_err().fault;
        let number: u16 = status.split(' ').next().unwrap().parse().unwrap();
        assert_eq!((fault.kind, fault.status), (kind, Some(number)), "{fault}");
        assert_eq!(fault.message, format!("the server answered {number}: {words}"));
        assert!(!fault.hint.is_empty() && retries(&deltas).is_empty());
    }
}

#[tokio::test]
async fn an_overloaded_server_is_asked_again_twice_and_it_shows() {
    let busy = || answer("429 Too Many Requests", "retry-after-ms: 7\r\n", r#"{"message":"slow down"}"#);
    let down = || answer("503 Service Unavailable", "", "<html><title>503</title></html>");
    let (outcome, deltas) = ask(vec![busy(), down(), reply("here")]).await;
    assert_eq!(outcome.unwrap().text, "here");
    assert_eq!(retries(&deltas), [(2, 7), (3, 10)]);
    let tries: Vec<_> = deltas
        .iter()
        .filter_map(|d| if let ModelDelta::Trying { attempt, of } = d { Some((*attempt, *of)) } else { None })
        .collect();
    assert_eq!(tries, [(2, 3), (3, 3)], "each is told when it leaves");
    let (outcome, deltas) = ask(vec![down(), down(), busy(), reply("never")]).await;
    let fault = outcome.unwrap_err().fault;
    assert_eq!((fault.status, fault.message.as_str()), (Some(429), "the server answered 429: slow down"));
    assert_eq!(retries(&deltas).len(), 2);
}

#[tokio::test]
async fn waiting_is_pointless_for_a_spent_budget_or_an_hour() {
    let spent =
        answer("429 Too Many Requests", "", r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#);
    let hour = answer("503 Service Unavailable", "retry-after: 3600\r\n", "busy");
    for (script, told) in [(spent, false), (hour, true)] {
        let (outcome, deltas) = ask(vec![script, reply("never")]).await;
        let hint = outcome.unwrap_err().fault.hint;
        assert_eq!(
            (hint.contains("again at ") && hint.contains("(in 60 min)"), retries(&deltas).len()),
            (told, 0)
        );
    }
}

#[tokio::test]
async fn a_connection_dropped_before_the_first_byte_is_tried_again() {
    let (outcome, deltas) = ask(vec![vec![Act::Reset], vec![stream_head()], reply("third time")]).await;
    assert_eq!(outcome.unwrap().text, "third time");
    assert_eq!(retries(&deltas), [(2, 5), (3, 10)]);
}

#[tokio::test]
async fn a_connection_that_drops_before_anything_is_said_is_tried_again_as_often_as_one_that_is_refused() {
    let empty = || event(r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#);
    let dropped = || vec![stream_head(), empty(), Act::Reset];
    let (outcome, deltas) = ask(vec![dropped(), vec![stream_head(), empty()], reply("third time")]).await;
    assert_eq!((outcome.unwrap().text.as_str(), retries(&deltas)), ("third time", vec![(2, 5), (3, 10)]));
    let busy = answer("503 Service Unavailable", "", "busy");
    let (outcome, deltas) = ask(vec![dropped(), busy, dropped(), reply("never")]).await;
    assert_eq!((outcome.unwrap_err().fault.kind, retries(&deltas).len()), (FaultKind::Cut, 2));
    let thinking = event(r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#);
    let (outcome, deltas) = ask(vec![vec![stream_head(), thinking, Act::Reset], reply("whole")]).await;
    assert_eq!((outcome.unwrap().reasoning.as_str(), retries(&deltas).len()), ("", 1));
}

#[tokio::test]
async fn nobody_there_is_unreachable_and_says_where() {
    let unused = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", unused.local_addr().unwrap());
    drop(unused);
    let (outcome, deltas) = ask_at(endpoint(&url)).await;
    let fault = outcome.unwrap_err().fault;
    assert_eq!((fault.kind, retries(&deltas).len()), (FaultKind::Unreachable, 2));
    assert!(fault.message.contains(&url) && fault.message.contains("refused"), "{fault}");
}

#[tokio::test]
async fn a_base_url_that_is_none_is_a_clear_fault() {
    let fault = ask_at(endpoint("not an address")).await.0.unwrap_err().fault;
    assert!(fault.hint.contains("http://"), "{fault:?}");
}

#[tokio::test]
async fn a_200_that_is_no_stream_says_what_it_is() {
    let cases = [
        ("application/json", r#"{"error":{"message":"no streaming here"}}"#, "no streaming here"),
        ("text/html; charset=utf-8", "<!doctype html><title>Log in</title>", "a web page, \"Log in\""),
        ("text/plain", "", "(no message)"),
    ];
    for (kind, body, words) in cases {
        let script = answer("200 OK", &format!("content-type: {kind}\r\n"), body);
        let fault = ask(vec![script]).await.0.unwrap_err().fault;
        assert_eq!((fault.kind, fault.status), (FaultKind::NotAStream, Some(200)));
        assert!(fault.message.contains(kind) && fault.message.ends_with(words), "{fault}");
    }
}

#[tokio::test]
async fn a_stream_without_a_content_type_is_still_a_stream() {
    let head = Act::Send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec());
    assert_eq!(ask(vec![vec![head, text("a"), done()]]).await.0.unwrap().text, "a");
}

#[tokio::test]
async fn silence_is_told_before_the_answer_and_within_it() {
    let gate = Arc::new(Semaphore::new(0));
    let hold = || Act::Hold(Arc::clone(&gate));
    for (script, kind) in [
        (vec![hold()], FaultKind::Unreachable),
        (vec![stream_head(), hold()], FaultKind::Stalled),
        (vec![stream_head(), text("half"), hold()], FaultKind::Stalled),
    ] {
        let server = Server::start(vec![script, reply("never")]).await;
        let at = Endpoint { silence_timeout: Duration::from_millis(150), ..endpoint(&server.url) };
        let (outcome, deltas) = ask_at(at).await;
        assert_eq!(outcome.unwrap_err().fault.kind, kind);
        assert!(retries(&deltas).is_empty());
    }
}

#[tokio::test]
async fn comments_keep_a_slow_stream_alive() {
    let mut script = vec![stream_head()];
    for _ in 0..8 {
        script.push(Act::Pause(Duration::from_millis(100)));
        script.push(Act::Send(b": still here\n\n".to_vec()));
    }
    script.extend([text("at last"), done()]);
    let server = Server::start(vec![script]).await;
    let at = Endpoint { silence_timeout: Duration::from_millis(500), ..endpoint(&server.url) };
    assert_eq!(ask_at(at).await.0.unwrap().text, "at last");
}

#[tokio::test]
async fn errors_inside_a_stream_are_faults_with_the_text_so_far() {
    let cases = [
        ("data: {\"error\":{\"message\":\"upstream died\",\"code\":502}}\n\n", Some(502), "upstream died"),
        ("data: {\"error\":\"out of memory\"}\n\n", None, "out of memory"),
        ("event: error\ndata: {\"message\":\"overloaded\"}\n\n", None, "overloaded"),
        ("event: error\ndata: it broke\n\n", None, "it broke"),
        ("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n", None, "it gave no reason"),
    ];
    for (bytes, status, words) in cases {
        let script = || vec![stream_head(), text("half"), Act::Send(bytes.into()), done()];
        let unfinished = ask(vec![script(), script(), script()]).await.0.unwrap_err();
        assert_eq!((unfinished.fault.kind, unfinished.fault.status), (FaultKind::Refused, status), "{bytes}");
        assert!(unfinished.fault.message.contains(words), "{}", unfinished.fault);
        assert_eq!(unfinished.partial.text, "half");
    }
}

#[tokio::test]
async fn a_garbled_event_is_told_and_a_ping_is_not() {
    let ping = vec![stream_head(), event("ping"), text("a"), done()];
    assert_eq!(ask(vec![ping]).await.0.unwrap().text, "a");
    let garbled = || vec![stream_head(), text("a"), event("{\"choices\":[{"), text("b"), done()];
    let unfinished = ask(vec![garbled(), garbled(), garbled()]).await.0.unwrap_err();
    assert_eq!(unfinished.fault.kind, FaultKind::Malformed);
    assert_eq!(unfinished.partial.text, "ab");
}

#[tokio::test]
async fn a_cancel_closes_the_connection_and_keeps_the_text() {
    let (told, closed) = oneshot::channel();
    let server = Server::start(vec![vec![stream_head(), text("half a sen"), Act::AwaitClose(told)]]).await;
    let model = OpenAi::new(endpoint(&server.url));
    let cancel = CancellationToken::new();
    let (tx, mut rx) = mpsc::channel(8);
    let reply = model.reply(request(), tx, cancel.clone());
    let stop = async {
        assert_eq!(rx.recv().await.unwrap(), ModelDelta::Text("half a sen".into()));
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(reply, stop);
    closed.await.expect("the server saw the connection close");
    let unfinished = reply.unwrap_err();
    assert_eq!(unfinished.fault.kind, FaultKind::Cancelled);
    assert_eq!(unfinished.stopped().unwrap().text, "half a sen");
}

#[tokio::test]
async fn a_cancel_ends_the_wait_for_a_retry() {
    let hours = answer("503 Service Unavailable", "retry-after: 50\r\n", "busy");
    let server = Server::start(vec![hours, reply("never")]).await;
    let model = OpenAi::new(endpoint(&server.url));
    let cancel = CancellationToken::new();
    let (tx, mut rx) = mpsc::channel(8);
    let reply = model.reply(request(), tx, cancel.clone());
    let stop = async {
        assert!(matches!(rx.recv().await.unwrap(), ModelDelta::Retry { attempt: 2, wait_ms: 50_000, .. }));
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(reply, stop);
    let unfinished = reply.unwrap_err();
    assert_eq!(unfinished.fault.kind, FaultKind::Cancelled);
    assert!(unfinished.stopped().is_none());
}

#[tokio::test]
async fn a_wait_that_the_user_ends_is_over_at_once_and_uses_up_no_retry() {
    let busy = || answer("429 Too Many Requests", "retry-after: 50\r\n", "busy");
    let server = Server::start(vec![busy(), busy(), busy(), busy(), reply("at last")]).await;
    let patience = Patience::default();
    let model = OpenAi::new(endpoint(&server.url)).with_patience(patience.clone());
    assert!(!patience.end(), "nothing waits yet");
    let (tx, mut rx) = mpsc::channel(64);
    let reply = model.reply(request(), tx, CancellationToken::new());
    let hurries = async {
        let mut waits = 0;
        while let Some(delta) = rx.recv().await {
            if let ModelDelta::Retry { named, .. } = delta {
                waits += 1;
                assert!(named && patience.end());
            }
        }
        waits
    };
    let (reply, waits) = tokio::join!(reply, hurries);
    assert_eq!((reply.unwrap().text.as_str(), waits), ("at last", 4));
    assert!(!patience.end());
}

#[tokio::test]
async fn the_wait_of_a_title_is_none_that_the_user_ends() {
    let server =
        Server::start(vec![answer("429 Too Many Requests", "retry-after: 1\r\n", "busy"), reply("Named")])
            .await;
    let patience = Patience::default();
    let model = OpenAi::new(endpoint(&server.url)).with_patience(patience.clone());
    let (tx, mut rx) = mpsc::channel(64);
    let asked = ModelRequest { purpose: Purpose::Title, ..request() };
    let reply = model.reply(asked, tx, CancellationToken::new());
    let hurries = async {
        let mut ended = Vec::new();
        while let Some(delta) = rx.recv().await {
            if matches!(delta, ModelDelta::Retry { .. }) {
                ended.push(patience.end());
            }
        }
        ended
    };
    let (reply, ended) = tokio::join!(reply, hurries);
    assert_eq!((reply.unwrap().text.as_str(), ended), ("Named", vec![false]));
}

#[tokio::test]
async fn a_full_channel_never_holds_the_stream_up() {
    let mut script = vec![stream_head()];
    script.extend((0..500).map(|i| text(&format!("{i} "))));
    script.push(done());
    let server = Server::start(vec![script]).await;
    let (tx, mut rx) = mpsc::channel(1);
    let model = OpenAi::new(endpoint(&server.url));
    let reply = model.reply(request(), tx, CancellationToken::new()).await.unwrap();
    assert!(reply.text.starts_with("0 1 2 ") && reply.text.ends_with(" 499 "));
    assert_eq!(rx.recv().await.unwrap(), ModelDelta::Text("0 ".into()));
}

#[tokio::test]
async fn a_secret_that_the_server_repeats_does_not_come_through() {
    let body = r#"{"error":{"message":"invalid key sk-very-secret"}}"#;
    let busy = answer("500 Oops", "", "sk-very-secret is busy");
    let server = Server::start(vec![busy, answer("401 Unauthorized", "", body)]).await;
    let mut at = endpoint(&server.url);
    at.key = Some("sk-very-secret".into());
    let (outcome, deltas) = ask_at(at).await;
    let all = format!("{outcome:?} {deltas:?}");
    assert!(!all.contains("sk-very-secret") && all.contains("[secret: in use]"), "{all}");
}

#[tokio::test]
async fn a_refused_key_is_named_wherever_the_server_refuses_it() {
    let named = |url: &str| {
        let key = Some("sk-made-up".into());
        Endpoint { key, key_from: Some("MADE_UP_KEY (environment)".to_owned()), ..endpoint(url) }
    };
    let told = "the key in use is MADE_UP_KEY (environment); `/connect` takes another one";
    let body = r#"{"error":{"message":"no such key","code":401}}"#;
    let in_band = vec![stream_head(), event(body), done()];
    for script in [answer("401 Unauthorized", "", body), in_band] {
        let server = Server::start(vec![script]).await;
        let fault = ask_at(named(&server.url)).await.0.unwrap_err().fault;
        assert_eq!((fault.kind, fault.hint.as_str()), (FaultKind::Unauthorized, told), "{fault:?}");
    }
    let server = Server::start(vec![answer("403 Forbidden", "", body)]).await;
    let fault = openai::models(&named(&server.url)).await.unwrap_err();
    assert_eq!((fault.kind, fault.hint.as_str()), (FaultKind::Unauthorized, told), "{fault:?}");
}
