//! What waited when a session was left is there when it is opened again, for the screen and without one.

use super::*;
use crate::headless::{Options, run};

/// A session whose one change waited, half decided, when it was left by a word.
async fn left(rig: &Rig) -> String {
    let mut s = rig.open(Which::New).await;
    s.say("change two to 2 in src/a.txt").await;
    s.until("a plan", |s| s.state().phase_question().is_some()).await;
    s.say("y").await;
    s.until("a review", |s| s.state().open.values().any(|c| c.kind.review().is_some())).await;
    let p = s.state().open_proposals().next().unwrap().clone();
    s.send(Input::Decide { proposal: p.id, hunk: 0, decision: Some(Decision::Taken), shown: p.shown() })
        .await;
    s.say("/exit").await;
    s.until("whether to leave", |s| s.state().phase_question().is_some()).await;
    s.say("y").await;
    s.has("control_given").await;
    let slug = s.state().slug.clone();
    s.quit().await;
    slug
}

fn waiting(state: &State) -> Vec<bool> {
    state.open_proposals().map(|p| p.decided.get(&0) == Some(&Decision::Taken)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_that_was_left_is_open_again_and_going_on_asks_no_model() {
    let rig = Rig::new(&plan_and_edit());
    let slug = left(&rig).await;
    let mut s = rig.open(Which::Named(slug)).await;
    let asked = s.count("thinking_started");
    assert_eq!(waiting(s.state()), [true]);
    s.say("go on").await;
    s.until("that it waits", |s| s.count("control_given") == 2).await;
    let reviews = s.state().open.values().filter(|c| c.kind.review().is_some()).count();
    assert_eq!((reviews, s.state().open.len(), waiting(s.state())), (1, 1, vec![true]));
    let p = s.state().open_proposals().next().unwrap().clone();
    let shown = vec![(p.id, p.shown())];
    s.send(Input::Apply { proposals: shown, word: None, rest: false }).await;
    s.until("the end of the step", |s| s.count("task_completed") == 1).await;
    assert_eq!((rig.text().as_str(), s.count("thinking_started")), ("one\n2\nthree\n", asked));
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_that_was_left_is_named_without_a_screen_or_taken_where_that_may_be() {
    for auto_confirm in [false, true] {
        let rig = Rig::new(&plan_and_edit());
        let slug = left(&rig).await;
        let options = Options { goal: "go on".to_owned(), auto_confirm, ..Options::default() };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let setup = rig.setup(Which::Named(slug));
        let ended = run(setup, options, &mut out, &mut err, std::future::pending()).await.unwrap();
        let err = String::from_utf8(err).unwrap();
        assert_eq!(ended.exit, if auto_confirm { 0 } else { 3 }, "{err}");
        assert_eq!(rig.text(), if auto_confirm { "one\n2\nthree\n" } else { "one\ntwo\nthree\n" });
        assert!(auto_confirm || err.contains("Changes to 1 file were waiting"), "{err}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_lists_say_of_a_session_stands_beside_its_log_while_it_is_open() {
    let rig = Rig::new(&json!([{"text": "Three numbers."}]));
    let mut s = rig.open(Which::New).await;
    s.say("what is in src/a.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 1).await;
    let place = sessions::all(&rig.home()).into_iter().find(|p| p.slug == s.state().slug).unwrap();
    let kept = || {
        let text = fs::read_to_string(place.folder.join("meta.json")).ok()?;
        let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
        Some((kept["bytes"].as_u64()?, kept["messages"].as_u64()?))
    };
    let all = async {
        while kept() != Some((fs::metadata(place.folder.join(crate::log::FILE)).unwrap().len(), 1)) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all).await.unwrap_or_else(|_| panic!("{:?}", kept()));
    s.quit().await;
}
