#![allow(clippy::unwrap_used)]

use super::*;
use pilothouse_core::talk::{Fault, FaultKind, Message, ModelCall};

fn request() -> ModelRequest {
    let call = ModelCall { id: "c".into(), name: "read".into(), args: "{}".into() };
    let messages = vec![
        Message::text(Role::User, "project"),
        Message { calls: vec![call], ..Message::text(Role::Assistant, "") },
        Message { answers: Some("c".into()), ..Message::text(Role::Tool, "result") },
        Message::text(Role::User, "now"),
    ];
    ModelRequest {
        purpose: Purpose::Task,
        system: "prompt".into(),
        messages,
        tools: vec![],
        most_tokens: None,
    }
}

fn body(url: &str, model: &str, extras: &Extras) -> Value {
    super::super::wire::body(&request(), &Endpoint::new(url, model), extras)
}

#[test]
fn each_place_gets_the_hints_that_it_takes() {
    let marks = |body: &Value| -> Vec<usize> {
        let messages = body.get("messages").and_then(Value::as_array).unwrap();
        let marked = |m: &Value| m.pointer("/content/0/cache_control").is_some();
        (0..messages.len()).filter(|i| messages.get(*i).is_some_and(marked)).collect()
    };
    let extras = Extras::default();
    let claude = body("https://openrouter.ai/api/v1", "anthropic/claude-opus-4.6", &extras);
    // The prompt, and the result before the message that is new each time.
    assert_eq!(marks(&claude), [0, 3]);
    assert_eq!(claude.pointer("/messages/3/content/0/text").unwrap(), "result");
    let other = body("https://openrouter.ai/api/v1", "openai/gpt-5", &extras);
    assert!(marks(&other).is_empty() && other.get("prompt_cache_key").is_none());
    let openai = body("https://api.openai.com/v1", "gpt-5", &extras);
    assert!(marks(&openai).is_empty());
    assert_eq!(openai.get("prompt_cache_key").unwrap().as_str().unwrap().len(), KEY_DIGITS);
    let compatible = body("https://api.anthropic.com/v1", "claude-opus-4.6", &extras);
    assert!(marks(&compatible).is_empty() && compatible.get("prompt_cache_key").is_none());
}

#[test]
fn what_is_refused_by_name_goes_one_by_one_and_then_the_fault_is_told() {
    let endpoint = Endpoint { effort: Some(Effort::High), ..Endpoint::new("https://api.openai.com/v1", "m") };
    let fault = |message: &str| Fault {
        kind: FaultKind::Refused,
        message: message.into(),
        hint: String::new(),
        status: Some(400),
    };
    let mut extras = Extras::default();
    for words in
        ["stream_options", "prompt_cache_key", "reasoning_effort", "reasoning_content", "reasoning_content"]
    {
        extras = extras.without(&fault(words), &request(), &endpoint).unwrap();
        assert!(extras.without(&fault("no such model"), &request(), &endpoint).is_none(), "{words}");
    }
    let body = super::super::wire::body(&request(), &endpoint, &extras);
    for name in ["stream_options", "prompt_cache_key", "reasoning_effort"] {
        assert!(body.get(name).is_none() && extras.without(&fault(name), &request(), &endpoint).is_none());
    }
    assert!(extras.without(&fault("reasoning_content"), &request(), &endpoint).is_none());
}
