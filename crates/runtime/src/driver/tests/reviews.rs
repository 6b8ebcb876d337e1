//! A review whose file others change while it waits.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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
    reviewed(rig.open(Which::New).await).await
}

async fn reviewed(mut s: Screen) -> Screen {
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
    rig.replace(now);
    s.requests.send(Request::Focused).await.unwrap();
    s.until("the change as it is", |s| proposal(s).before == Some(BlobId::of(now.as_bytes()))).await;
    s.until("how it stands", |s| on_disk(s) == Some(OnDisk::Carried)).await;
    let p = proposal(&s);
    assert_eq!(p.decided.get(&0), Some(&Decision::Taken), "what was decided stands");
    assert!(!s.state().transcript.was_edited(id), "it is no edit of the user's");
    let shown = p.shown();
    s.send(Input::Apply { proposals: vec![(id, shown)], word: None, rest: false }).await;
    s.has("applied").await;
    assert_eq!(s.count("apply_failed"), 0, "it is written at the first word");
    assert_eq!(rig.text(), "zero\none\n2\nthree\n");
    s.quit().await;
}

/// A file that is written in place is empty for a moment: that is no change to carry anything over to.
#[tokio::test]
async fn a_review_is_carried_over_to_a_file_that_holds_still() {
    let rig = Rig::new(&plan_and_edit());
    let halves = Arc::new(AtomicUsize::new(0));
    let left = Arc::clone(&halves);
    let disk = ReadBy(move |at: &Spot| {
        let mut seen = RealDisk.read(at)?;
        if left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok() {
            seen = seen.map(|s| Snapshot { bytes: Vec::new(), ..s });
        }
        Ok(seen)
    });
    let mut s =
        reviewed(Screen::open(Setup { disk: Arc::new(disk), ..rig.setup(Which::New) }, 1024).await).await;
    let before = proposal(&s).before;
    let now = "zero\none\ntwo\nthree\n";
    halves.store(1, Ordering::SeqCst);
    rig.replace(now);
    s.requests.send(Request::Focused).await.unwrap();
    s.until("another change", |s| proposal(s).before != before).await;
    assert_eq!(proposal(&s).before, Some(BlobId::of(now.as_bytes())));
    s.quit().await;
}

/// What a look saw is of the review as it was shown then: where something happened meanwhile, another one follows.
#[tokio::test]
async fn a_look_during_which_something_happened_is_followed_by_another() {
    let rig = Rig::new(&plan_and_edit());
    let (begins, mut began) = mpsc::channel(8);
    let (goes_on, waits) = std::sync::mpsc::sync_channel::<&str>(8);
    let (waits, held) = (Mutex::new(waits), Arc::new(AtomicBool::new(false)));
    let hold = Arc::clone(&held);
    let disk = ReadBy(move |at: &Spot| {
        let mut seen = RealDisk.read(at)?;
        if hold.load(Ordering::SeqCst) {
            begins.try_send(()).ok();
            let text = waits.lock().unwrap().recv();
            if let Ok(text) = text {
                seen = seen.map(|s| Snapshot { bytes: text.as_bytes().to_vec(), ..s });
            }
        }
        Ok(seen)
    });
    let mut s =
        reviewed(Screen::open(Setup { disk: Arc::new(disk), ..rig.setup(Which::New) }, 1024).await).await;
    held.store(true, Ordering::SeqCst);
    s.requests.send(Request::Focused).await.unwrap();
    began.recv().await.unwrap();
    s.requests.send(Request::Focused).await.unwrap();
    s.requests.send(Request::Ask(0, Ask::History { before: Seq(0), count: 1 })).await.unwrap();
    s.until("it was heard", |s| s.answers.contains_key(&0)).await;
    for text in ["zero\none\ntwo\nthree\n", "null\none\ntwo\nthree\n"] {
        // Twice, since it holds still.
        for _ in 0..2 {
            goes_on.send(text).unwrap();
        }
        s.until("the change as it is", |s| proposal(s).before == Some(BlobId::of(text.as_bytes()))).await;
    }
    held.store(false, Ordering::SeqCst);
    drop(goes_on);
    s.quit().await;
}

#[tokio::test]
async fn a_change_that_would_lose_a_part_is_marked_and_stays() {
    let rig = Rig::new(&plan_and_edit());
    let mut s = review(&rig).await;
    let old = proposal(&s).clone();
    for (text, how) in [("one\n2\nthree\n", OnDisk::Already), ("one\n2\nthree\nfour\n", OnDisk::Apart)] {
        rig.replace(text);
        s.requests.send(Request::Focused).await.unwrap();
        s.until("how it stands", |s| on_disk(s) == Some(how)).await;
        assert_eq!(*proposal(&s), old);
    }
    rig.replace("one\ntwo\nthree\n");
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
    rig.replace(now);
    let mut s = rig.open(Which::Last).await;
    if s.state().open_proposals().next().is_none() {
        s.say("/proposals all").await;
        s.until("it is taken up", |s| s.state().open_proposals().next().is_some()).await;
    }
    s.until("the change as it is", |s| proposal(s).before == Some(BlobId::of(now.as_bytes()))).await;
    s.quit().await;
}
