//! Replies that break off, are empty or cannot be read: asked for again, for nothing of them took effect.

use pilothouse_core::talk::{FaultKind, Message, ModelCall, Role};
use pilothouse_model::{ModelClient, OpenAi};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    ask, endpoint, request, retries,
    server::{Act, Server, answer, done, event, reply, stream_head, text},
};

#[tokio::test]
async fn a_reply_that_broke_off_is_empty_or_is_no_json_is_asked_for_again_as_after_a_500() {
    let broken = || vec![stream_head(), text("half a sen"), Act::Reset];
    let garbled = || vec![stream_head(), text("a"), event("{\"choices\":[{"), done()];
    let empty = || vec![stream_head(), done()];
    let fault = r#"{"error":{"message":"upstream","code":502}}"#;
    let died = || vec![stream_head(), text("half"), event(fault), done()];
    for (first, second) in [(broken(), garbled()), (empty(), died()), (garbled(), empty())] {
        let (outcome, deltas) = ask(vec![first, second, reply("whole")]).await;
        assert_eq!((outcome.unwrap().text.as_str(), retries(&deltas)), ("whole", vec![(2, 5), (3, 10)]));
    }
    // What took effect nowhere was paid for all the same.
    let usage = async |scripts| ask(scripts).await.0.unwrap().usage;
    let (once, twice) = (usage(vec![reply("whole")]).await, usage(vec![broken(), reply("whole")]).await);
    assert!(twice.input == 2 * once.input && twice.output > once.output, "{once:?} {twice:?}");
    // After the tries it is told as it was, with the words that came, and an empty one is whole.
    let (outcome, deltas) = ask(vec![broken(), broken(), vec![Act::Reset], reply("never")]).await;
    let cut = outcome.unwrap_err();
    assert_eq!((cut.partial.text.as_str(), retries(&deltas).len()), ("half a sen", 2));
    let (outcome, deltas) = ask(vec![empty(), empty(), empty(), reply("never")]).await;
    assert_eq!((outcome.unwrap().text.as_str(), retries(&deltas).len()), ("", 2));
}

#[tokio::test]
async fn a_cut_inside_a_call_is_asked_for_again_and_gives_no_call() {
    let piece = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"run","arguments":"{}"}}]}}]}"#;
    let broken = || vec![stream_head(), event(piece), Act::Reset];
    let (outcome, deltas) = ask(vec![broken(), reply("whole")]).await;
    let whole = outcome.unwrap();
    assert_eq!((whole.text.as_str(), whole.calls.len(), retries(&deltas).len()), ("whole", 0, 1));
    let (outcome, deltas) = ask(vec![broken(), broken(), broken(), reply("never")]).await;
    let cut = outcome.unwrap_err();
    assert_eq!((cut.fault.kind, retries(&deltas).len()), (FaultKind::Cut, 2));
    assert!(cut.partial.calls.is_empty());
}

#[tokio::test]
async fn an_end_without_a_word_behind_results_is_an_end() {
    let server = Server::start(vec![vec![stream_head(), done()], reply("never")]).await;
    let mut asked = request();
    let call = ModelCall { id: "c1".into(), name: "read".into(), args: "{}".into() };
    asked.messages.push(Message { calls: vec![call], ..Message::text(Role::Assistant, "") });
    asked.messages.push(Message { answers: Some("c1".into()), ..Message::text(Role::Tool, "1  x") });
    asked.messages.push(Message::text(Role::User, "go on"));
    let (tx, _rx) = mpsc::channel(8);
    let whole = OpenAi::new(endpoint(&server.url)).reply(asked, tx, CancellationToken::new()).await.unwrap();
    assert_eq!((whole.text.as_str(), server.requests().len()), ("", 1));
}

#[tokio::test]
async fn a_model_that_the_server_does_not_have_is_told_with_those_that_it_has() {
    let unknown = answer("404 Not Found", "", r#"{"error":"model not found"}"#);
    let list = answer("200 OK", "content-type: application/json\r\n", r#"{"data":[{"id":"test-models"}]}"#);
    let fault = ask(vec![unknown, list]).await.0.unwrap_err().fault;
    assert_eq!(fault.hint, "the server has no test-model; it has test-models: pick one with `/model NAME`");
}
