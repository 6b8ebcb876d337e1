//! Thinking that an endpoint wants back: with its reply, to who thought it, counted, and least where room
//! is short.

use pilothouse_core::talk::{Echo, Thought};

use super::*;

/// A session in which `origin` thought before it read something.
fn thinking(origin: &str, text: &str) -> Bench {
    let mut b = Bench::new();
    b.step(Input::say("what is in src?"));
    let call = ModelCall { id: "p".into(), name: "read".into(), args: r#"{"path":"a.txt"}"#.into() };
    let (kept, calls) = ("[1]".to_owned(), r#"[{"sig":"s"}]"#.to_owned());
    b.replied(ModelReply {
        reasoning: text.into(),
        echo: Some(Echo { origin: origin.into(), field: "reasoning_content".into(), kept, calls }),
        calls: vec![call],
        finish: Finish::Calls,
        ..ModelReply::default()
    });
    let call = b.lane().head().unwrap().call;
    b.step(Input::ToolEnded { call, outcome: ToolOutcome::text("text", "1 line") });
    b
}

fn thoughts(request: &ModelRequest) -> Vec<Thought> {
    request.messages.iter().filter_map(|m| m.thought.as_deref().cloned()).collect()
}

#[test]
fn it_goes_back_whole_to_who_thought_it_and_to_nobody_else() {
    // Longer than an event holds.
    let text = "hm ".repeat(5_000);
    let sent = thoughts(&thinking("here", &text).request());
    let thought = sent.first().unwrap();
    assert_eq!((sent.len(), thought.text == text), (1, true));
    assert_eq!((thought.echo.kept.as_str(), thought.echo.calls.as_str()), ("[1]", r#"[{"sig":"s"}]"#));
    assert!(thoughts(&thinking("elsewhere", &text).request()).is_empty());
}

#[test]
fn it_is_counted_in_what_the_model_is_told() {
    let around = Bench::around(Window::of(None));
    let tokens = |origin: &str| {
        let b = thinking(origin, &"hm ".repeat(4_000));
        sheet::sheet(b.session.state(), &[], &b, &around).tokens
    };
    assert!((3_000..3_100).contains(&(tokens("here") - tokens("elsewhere"))));
}

#[test]
fn where_room_is_short_only_what_came_with_the_calls_goes_back() {
    let mut b = thinking("here", &"hm ".repeat(4_000));
    for n in 0..4 {
        b.reply(&"so it is ".repeat(700), &[("p", "read", &format!(r#"{{"path":"{n}.txt"}}"#))]);
        let call = b.lane().head().unwrap().call;
        b.step(Input::ToolEnded { call, outcome: ToolOutcome::text("text", "1 line") });
    }
    let window = Window::of(Some(8_000));
    let request = b.request_of(b.lane(), window);
    assert!(request.messages.iter().map(budget::size).sum::<usize>() <= window.input());
    let sent = thoughts(&request);
    let thought = sent.first().unwrap();
    assert_eq!((thought.text.as_str(), thought.echo.kept.as_str()), ("", ""));
    assert_eq!(
        (thought.echo.field.as_str(), thought.echo.calls.as_str()),
        ("reasoning_content", r#"[{"sig":"s"}]"#)
    );
}

#[test]
fn the_text_of_files_and_messages_is_sent_as_it_is() {
    let code = "if a < b && c > d { x = \"<p class='q'>&amp;</p>\"; }";
    let mut b = Bench::new();
    b.step(Input::say(format!("what does this do? {code}")));
    b.reply("", &[("p", "read", r#"{"path":"a.txt"}"#)]);
    let call = b.lane().head().unwrap().call;
    b.step(Input::ToolEnded { call, outcome: ToolOutcome::text(code, "1 line") });
    let told: Vec<String> =
        b.request().messages.into_iter().map(|m| m.text).filter(|t| t.contains(code)).collect();
    assert_eq!(told, [format!("what does this do? {code}"), code.to_owned()]);
}
