//! A review whose file others change while it waits.

use pilothouse_core::{
    blob::BlobId,
    proposal::{OnDisk, Proposal},
};

use super::*;

fn proposal(s: &Screen) -> &Proposal {
    s.state().open_proposals().next().unwrap()
}

fn on_disk(s: &Screen) -> Option<OnDisk> {
    s.state().on_disk(proposal(s).id)
}

async fn review(rig: &Rig) -> Screen {
    let mut s = rig.open(Which::New).await;
    s.say("change two to 2 in src/a.txt").await;
    s.until("a plan", |s| s.state().phase == Phase::AwaitingApproval).await;
    s.say("y").await;
    s.until("a diff", |s| s.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Diff(_)))).await;
    s
}

#[tokio::test]
async fn a_review_that_is_come_back_to_is_against_the_file_as_it_is() {
    let rig = Rig::new(&plan_and_edit());
    let mut s = review(&rig).await;
    let p = proposal(&s);
    let (id, shown) = (p.id, p.shown());
    s.send(Input::Decide { proposal: id, hunk: 0, decision: Some(Decision::Taken), shown }).await;
    let now = "zero\none\ntwo\nthree\n";
    fs::write(rig.work().join("src/a.txt"), now).unwrap();
    s.requests.send(Request::Focused).await.unwrap();
    s.until("the change as it is", |s| proposal(s).before == Some(BlobId::of(now.as_bytes()))).await;
    s.until("how it stands", |s| on_disk(s) == Some(OnDisk::Carried)).await;
    let p = proposal(&s);
    assert_eq!(p.decided.get(&0), Some(&Decision::Taken), "what was decided stands");
    assert!(!s.state().transcript.was_edited(id), "it is no edit of the user's");
    let shown = p.shown();
    s.send(Input::Apply { proposals: vec![(id, shown)], word: None }).await;
    s.has("applied").await;
    assert_eq!(s.count("apply_failed"), 0, "it is written at the first word");
    assert_eq!(rig.text(), "zero\none\n2\nthree\n");
    s.quit().await;
}

#[tokio::test]
async fn a_change_that_would_lose_a_part_is_marked_and_stays() {
    let rig = Rig::new(&plan_and_edit());
    let mut s = review(&rig).await;
    let (old, file) = (proposal(&s).clone(), rig.work().join("src/a.txt"));
    for (text, how) in [("one\n2\nthree\n", OnDisk::Already), ("one\n2\nthree\nfour\n", OnDisk::Apart)] {
        fs::write(&file, text).unwrap();
        s.requests.send(Request::Focused).await.unwrap();
        s.until("how it stands", |s| on_disk(s) == Some(how)).await;
        assert_eq!(*proposal(&s), old);
    }
    fs::write(&file, "one\ntwo\nthree\n").unwrap();
    s.requests.send(Request::Focused).await.unwrap();
    s.until("as it was", |s| on_disk(s).is_none()).await;
    assert_eq!(*proposal(&s), old);
    s.quit().await;
}

#[tokio::test]
async fn a_review_that_opens_with_its_session_is_against_the_file_as_it_is() {
    let rig = Rig::new(&plan_and_edit());
    let s = review(&rig).await;
    s.quit().await;
    let now = "one\ntwo\nthree\nfour\n";
    fs::write(rig.work().join("src/a.txt"), now).unwrap();
    let mut s = rig.open(Which::Last).await;
    if s.state().open_proposals().next().is_none() {
        s.say("/proposals all").await;
        s.until("it is taken up", |s| s.state().open_proposals().next().is_some()).await;
    }
    s.until("the change as it is", |s| proposal(s).before == Some(BlobId::of(now.as_bytes()))).await;
    s.quit().await;
}
