#![allow(clippy::unwrap_used)]

use pilothouse_core::talk::Purpose;
use tokio::sync::mpsc;

use super::*;

fn asking(text: &str) -> ModelRequest {
    let messages = vec![Message::text(Role::User, text), Message::text(Role::User, "<time>now</time>")];
    ModelRequest {
        purpose: Purpose::Answer,
        system: String::new(),
        messages,
        tools: vec![],
        most_tokens: None,
    }
}

async fn ask(model: &Scripted, text: &str) -> Result<ModelReply, Unfinished> {
    let (tx, _rx) = mpsc::channel(8);
    model.reply(asking(text), tx, CancellationToken::new()).await
}

#[tokio::test]
async fn lines_are_said_in_order_and_conditions_go_first() {
    let script = r#"[{"text": "one"}, {"when": "Time", "text": "noon"}, {"text": "two", "calls":
        [{"name": "read", "args": {"path": "a"}}, {"name": "bad", "args": "{oops"}]}]"#;
    let model = Scripted::parse(script).unwrap();
    assert_eq!(ask(&model, "hello").await.unwrap().text, "one");
    let two = ask(&model, "hello").await.unwrap();
    assert_eq!((two.finish, two.calls.len(), two.usage.estimated), (Finish::Calls, 2, true));
    assert_eq!(two.calls.last().unwrap().args, "{oops");
    let stuck = ask(&model, "hello").await.unwrap_err().fault;
    assert_eq!(stuck.message, "none of the script's 1 remaining replies fits \"hello\"");
    assert_eq!(ask(&model, "what TIME is it").await.unwrap().text, "noon");
    assert_eq!(ask(&model, "hello").await.unwrap_err().fault.message, "the script has no more replies");
}

#[tokio::test]
async fn a_text_comes_in_pieces_and_stays_whole() {
    let model = Scripted::parse(r#"[{"text": "grüße 👋 an alle", "pieces": 3}]"#).unwrap();
    let (tx, mut rx) = mpsc::channel(8);
    let reply = model.reply(asking("x"), tx, CancellationToken::new()).await.unwrap();
    let mut said = Vec::new();
    while let Some(ModelDelta::Text(piece)) = rx.recv().await {
        said.push(piece);
    }
    assert_eq!((said.len(), said.concat()), (3, reply.text));
}

#[tokio::test]
async fn a_stopped_reply_keeps_what_was_said() {
    let model = Scripted::parse(r#"[{"text": "half a", "wait_for_cancel": true}]"#).unwrap();
    let (tx, mut rx) = mpsc::channel(8);
    let cancel = CancellationToken::new();
    let reply = model.reply(asking("x"), tx, cancel.clone());
    let stop = async {
        rx.recv().await.unwrap();
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(reply, stop);
    assert_eq!(reply.unwrap_err().stopped().unwrap().text, "half a");
}

#[tokio::test]
async fn a_fault_comes_after_its_text() {
    let script = r#"[{"text": "well", "fault": {"kind": "refused", "message": "no", "status": 500}}]"#;
    let unfinished = ask(&Scripted::parse(script).unwrap(), "x").await.unwrap_err();
    assert_eq!((unfinished.fault.status, unfinished.partial.text.as_str()), (Some(500), "well"));
    assert!(unfinished.stopped().is_none());
}

#[test]
fn a_script_with_a_mistake_names_its_place() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[{\n  \"txt\": 1}]").unwrap();
    let error = Scripted::open(file.path()).err().unwrap().to_string();
    assert!(error.contains("unknown field `txt`") && error.contains("line 2"), "{error}");
    assert!(Scripted::open(Path::new("/nowhere/at/all.json")).is_err());
}
