//! What was being written when a session was left is told when it is opened again.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_told_when_its_session_is_opened_again_and_one_that_was_sent_is_not() {
    let rig = Rig::new(&json!([{"text": "In src/a.txt."}]));
    let mut s = rig.open(Which::New).await;
    s.say("what is in src/a.txt?").await;
    s.idle().await;
    let slug = s.state().slug.clone();
    s.requests.send(Request::Draft("and then the\nchangelog".to_owned())).await.unwrap();
    s.quit().await;
    let mut s = rig.open(Which::Named(slug.clone())).await;
    s.until("the draft", |s| s.draft.is_some()).await;
    assert_eq!(s.draft.as_deref(), Some("and then the\nchangelog"));
    // What is opened beside it only reads, and is told nothing that it could send.
    let beside = rig.open(Which::Named(slug.clone())).await;
    beside.requests.send(Request::Draft("of the reader".to_owned())).await.unwrap();
    assert_eq!(beside.draft, None);
    beside.quit().await;
    s.requests.send(Request::Draft(String::new())).await.unwrap();
    s.quit().await;
    let mut s = rig.open(Which::Named(slug)).await;
    s.requests.send(Request::Ask(7, Ask::History { before: Seq(0), count: 0 })).await.unwrap();
    s.until("an answer", |s| s.answers.contains_key(&7)).await;
    assert_eq!(s.draft, None);
    s.quit().await;
}
