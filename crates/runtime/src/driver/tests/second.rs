//! A second screen on a session that another process holds: it follows, and takes over once nobody holds it.

use super::*;

/// A session at work, and a second driver on its folder that has it open to read.
async fn two(rig: &Rig) -> (Screen, Screen) {
    let mut first = rig.open(Which::New).await;
    first.say("change two to 2 in src/a.txt").await;
    first.until("a plan", |s| s.state().phase == Phase::AwaitingApproval).await;
    let mut second = rig.open(Which::Named(first.state().slug.clone())).await;
    second.until("a word", |s| s.around.read_only).await;
    (first, second)
}

#[tokio::test]
async fn what_the_other_does_is_seen_and_what_waits_there_is_true() {
    let rig = Rig::new(&plan_and_edit());
    let (mut first, mut second) = two(&rig).await;
    assert_eq!(second.state().phase, Phase::AwaitingApproval);
    first.say("y").await;
    let diff = |s: &Screen| s.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Diff(_)));
    first.until("a diff", diff).await;
    second.until("the diff", diff).await;
    let p = first.state().open_proposals().next().unwrap();
    let (id, shown) = (p.id, p.shown());
    first.send(Input::Decide { proposal: id, hunk: 0, decision: Some(Decision::Taken), shown }).await;
    first.send(Input::Apply { proposals: vec![(id, shown)], word: None, rest: false }).await;
    first.has("run_completed").await;
    second.has("run_completed").await;
    assert!(second.state().phase == Phase::Idle && second.state().open.is_empty());
    assert!(!second.around.free, "the other is there");
    second.requests.send(Request::TakeOver).await.unwrap();
    second.until("a refusal", |s| s.refused.iter().any(|r| r.contains("only be read"))).await;
    first.quit().await;
    second.quit().await;
}

#[tokio::test]
async fn a_session_that_nobody_holds_any_more_is_taken_over_where_it_stands() {
    let rig = Rig::new(&plan_and_edit());
    let (first, mut second) = two(&rig).await;
    let slug = first.quit().await.slug;
    second.until("that it is free", |s| s.around.free).await;
    second.requests.send(Request::TakeOver).await.unwrap();
    second.until("the session", |s| !s.around.read_only).await;
    assert!(second.count("session_reopened") == 1 && !second.around.free);
    second.say("/title Mine now").await;
    second.until("its title", |s| s.state().about.title.as_deref() == Some("Mine now")).await;
    let report = second.quit().await;
    assert!(report.saved && report.slug == slug);
    let place = sessions::find(&rig.home(), &rig.work(), &slug).unwrap();
    assert!(sessions::verify(&place).unwrap().sound());
}

#[tokio::test]
async fn one_that_is_taken_over_elsewhere_is_followed_there() {
    let rig = Rig::new(&plan_and_edit());
    let (first, mut second) = two(&rig).await;
    let slug = first.quit().await.slug;
    second.until("that it is free", |s| s.around.free).await;
    let third = rig.open(Which::Named(slug)).await;
    second.until("that it is held", |s| !s.around.free).await;
    second.until("its opening", |s| s.count("session_reopened") == 1).await;
    third.quit().await;
    second.quit().await;
}
