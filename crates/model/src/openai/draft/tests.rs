#![allow(clippy::unwrap_used)]

use pilothouse_core::talk::{FaultKind, Message, Purpose, Role};
use serde_json::json;

use super::*;

fn request() -> ModelRequest {
    let messages = vec![Message::text(Role::User, "12345678")];
    ModelRequest {
        purpose: Purpose::Answer,
        system: String::new(),
        messages,
        tools: vec![],
        most_tokens: None,
    }
}

fn draft() -> Draft {
    let (tx, _) = tokio::sync::mpsc::channel(1);
    Draft::new(&request(), &Endpoint::new("http://h/v1", "m"), Outlet::new(tx))
}

/// Feeds tool-call deltas and shows the calls as `id name(args)`.
fn calls(pieces: &[Value]) -> Vec<String> {
    let mut draft = draft();
    for piece in pieces {
        let chunk = json!({"choices": [{"delta": {"tool_calls": piece}}]});
        draft.take(serde_json::from_value(chunk).unwrap()).unwrap();
    }
    draft.whole(None).calls.into_iter().map(|c| format!("{} {}({})", c.id, c.name, c.args)).collect()
}

#[test]
fn calls_are_put_together_whatever_the_server_calls_them() {
    let usual = [
        json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": ""}}]),
        json!([{"index": 0, "function": {"arguments": "{\"p\""}}]),
        json!([{"index": 1, "id": "b", "function": {"name": "list", "arguments": "{}"}}]),
        json!([{"index": 0, "function": {"arguments": ":1}"}}]),
    ];
    assert_eq!(calls(&usual), ["a read({\"p\":1})", "b list({})"]);
    let same_index = [
        json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}}]),
        json!([{"index": 0, "id": "b", "function": {"name": "read", "arguments": "{}"}}]),
    ];
    assert_eq!(calls(&same_index), ["a read({})", "b read({})"]);
    let neither_index_nor_id = [
        json!([{"type": "", "function": {"name": "read", "arguments": "{"}}]),
        json!([{"function": {"arguments": "}"}}]),
        json!([{"function": {"name": "list", "arguments": {"path": "."}}}]),
    ];
    assert_eq!(calls(&neither_index_nor_id), ["call_0 read({})", "call_1 list({\"path\":\".\"})"]);
    let name_repeated_or_in_pieces = [
        json!([{"index": 0, "id": "a", "function": {"name": "submit"}}]),
        json!([{"index": 0, "id": "a", "function": {"name": "_plan", "arguments": "{"}}]),
        json!([{"index": 0, "id": "a", "function": {"name": "submit_plan", "arguments": "}"}}]),
    ];
    assert_eq!(calls(&name_repeated_or_in_pieces), ["a submit_plan({})"]);
    let same_id_twice = [json!([
        {"index": 0, "id": "x", "function": {"name": "a", "arguments": "{}"}},
        {"index": 1, "id": "x", "function": {"name": "b", "arguments": "{}"}},
    ])];
    assert_eq!(calls(&same_id_twice), ["x a({})", "call_1 b({})"]);
}

#[test]
fn malformed_arguments_stay_as_the_model_wrote_them() {
    let piece = json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"path\": "}}]);
    assert_eq!(calls(&[piece]), ["a read({\"path\": )"]);
}

#[test]
fn usage_is_the_servers_or_else_an_estimate() {
    let mut d = draft();
    d.take(serde_json::from_value(json!({"choices": [{"delta": {"content": "abcde"}}]})).unwrap()).unwrap();
    let estimate = d.whole(Some(Price { input: 1_000_000, cached: 0, output: 2_000_000 })).usage;
    assert_eq!((estimate.input, estimate.output, estimate.estimated), (2, 2, true));
    assert_eq!(estimate.cost_micros, Some(6));

    let mut d = draft();
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 40}}});
    d.take(serde_json::from_value(usage).unwrap()).unwrap();
    let counted = d.whole(Some(Price { input: 250_000, cached: 25_000, output: 2_000_000 })).usage;
    assert_eq!((counted.input, counted.cached, counted.output), (100, 40, 10));
    assert_eq!((counted.cost_micros, counted.estimated), (Some(36), false));

    let mut d = draft();
    let usage = json!({"usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.000_123}});
    d.take(serde_json::from_value(usage).unwrap()).unwrap();
    assert_eq!(d.whole(None).usage.cost_micros, Some(123));
}

#[test]
fn odd_reasons_to_finish_are_understood() {
    let finish = |reason: Value| {
        let mut d = draft();
        let chunk = json!({"choices": [{"delta": {"content": "a"}, "finish_reason": reason}]});
        d.take(serde_json::from_value(chunk).unwrap()).map(|()| (d.finished(), d.whole(None).finish))
    };
    assert_eq!(finish(json!("")), Ok((false, Finish::Stop)));
    assert_eq!(finish(Value::Null), Ok((false, Finish::Stop)));
    assert_eq!(finish(json!("eos_token")), Ok((true, Finish::Stop)));
    assert_eq!(finish(json!("length")), Ok((true, Finish::Length)));
    assert_eq!(finish(json!("tool_calls")), Ok((true, Finish::Stop)));
    assert_eq!(finish(json!("content_filter")), Ok((true, Finish::Filtered)));
    assert!(finish(json!("error")).is_err());
}

#[test]
fn arguments_have_a_largest_size_whatever_they_come_in() {
    let mut draft = draft();
    let piece = |text: String| {
        let call = json!([{"index": 0, "id": "a", "function": {"name": "write", "arguments": text}}]);
        serde_json::from_value::<Chunk>(json!({"choices": [{"delta": {"tool_calls": call}}]})).unwrap()
    };
    for _ in 0..16 {
        draft.take(piece("x".repeat(1_000_000))).unwrap();
    }
    let fault = draft.take(piece("x".repeat(1_000_000))).unwrap_err();
    assert_eq!(
        (fault.kind, fault.message.as_str()),
        (FaultKind::Malformed, "the reply is larger than 16 MiB")
    );
}

#[test]
fn thinking_in_the_text_is_told_as_thinking_and_goes_back_to_nobody() {
    let whole = |pieces: &[&str]| {
        let mut draft = draft();
        for piece in pieces {
            let chunk = json!({"choices": [{"delta": {"content": piece}}]});
            draft.take(serde_json::from_value(chunk).unwrap()).unwrap();
        }
        draft.whole(None)
    };
    for pieces in [
        &["<th", "ink>the parser", " is at fault</thi", "nk>\n\nIt is the parser."][..],
        &["the parser is at fault\n</think>\n\nIt is the parser."][..],
    ] {
        let reply = whole(pieces);
        assert_eq!((reply.text.as_str(), reply.echo), ("It is the parser.", None));
        assert_eq!(reply.reasoning, "the parser is at fault");
    }
    assert_eq!(whole(&["<b>", "x</b>"]).text, "<b>x</b>");
}

#[test]
fn blanks_without_end_have_an_end() {
    for first in ["", "<think>x</think>", "<think>x", "\n<think>x</think>\n"] {
        let mut draft = draft();
        let chunk = |t: &str| -> Chunk {
            serde_json::from_value(json!({"choices": [{"delta": {"content": t}}]})).unwrap()
        };
        draft.take(chunk(first)).unwrap();
        let blanks = "\n".repeat(1024 * 1024);
        let taken = (0..20).take_while(|_| draft.take(chunk(&blanks)).is_ok()).count();
        assert!((15..=16).contains(&taken), "{first:?}: {taken} MiB were taken");
    }
}

#[test]
fn an_answer_that_begins_with_a_tag_it_never_closes_is_an_answer() {
    let text = "<think> is a tag that reasoning models write before their answer.";
    let call = json!([{"index": 0, "id": "a", "function": {"name": "list", "arguments": "{}"}}]);
    let (none, thinking) = (json!([]), text.strip_prefix("<think>").unwrap());
    for (reason, calls, said, thought) in [
        ("stop", &none, text, "hm"),
        ("length", &none, "", &*format!("hm{thinking}")),
        ("stop", &call, "", &*format!("hm{thinking}")),
    ] {
        for cut in [0, 3, 7, 20, text.len()] {
            let mut draft = draft();
            let (head, tail) = text.split_at(cut);
            for delta in [
                json!({"reasoning_content": "hm"}),
                json!({"content": head}),
                json!({"content": tail, "tool_calls": calls}),
            ] {
                let chunk = json!({"choices": [{"delta": delta}]});
                draft.take(serde_json::from_value(chunk).unwrap()).unwrap();
            }
            let end = json!({"choices": [{"delta": {}, "finish_reason": reason}]});
            draft.take(serde_json::from_value(end).unwrap()).unwrap();
            let reply = draft.whole(None);
            assert_eq!((&*reply.text, &*reply.reasoning), (said, thought), "{reason}, cut at {cut}");
        }
    }
}
