//! Which answers count, and what a message has seen.

use pilothouse_core::{
    ids::Millis, input::Opening as Opened, port::Reply, redact::Redactor, sandbox::Sandbox,
    scope::PermissionMode, trust::Standing,
};

use super::*;
use crate::acp::ask::Offer;
use crate::blobs::Blobs;

/// What was said to the session, in order.
fn inputs(said: &mut tokio::sync::mpsc::Receiver<Request>) -> Vec<Input> {
    let all = std::iter::from_fn(|| said.try_recv().ok());
    all.filter_map(|request| if let Request::Input(input) = request { Some(input) } else { None }).collect()
}

/// That all which was said so far is taken in.
fn heard() -> Update {
    Update::Answered(0, Reply::History(Vec::new()))
}

fn talk(requests: Sender<Request>) -> Talk {
    let nowhere = std::path::Path::new("/nowhere");
    let place = Place { root: nowhere.into(), blobs: Blobs::under(nowhere), secrets: Redactor::default() };
    let opening =
        Opening { id: Some(json!(1)), wish: crate::acp::Wish::New, left_out: Vec::new(), again: None };
    Talk::new(place, requests, Home::under(nowhere), opening)
}

/// Opens a session that asks about its folder; gives what happened, and which event asks.
fn asking(session: &mut Session) -> (Vec<Stamped>, Seq) {
    let standing = Standing { asks: true, ..Standing::default() };
    let (slug, folder, version) = ("s".into(), "demo".into(), "0".into());
    let sandbox = Sandbox::default();
    let (mode, permission, found) = (None, None, Vec::new());
    let opening = Opened { slug, folder, version, mode, permission, sandbox, standing, found };
    let events = session.step(Millis(1), Input::Open(opening)).unwrap().events;
    let asks = |e: &&Stamped| matches!(e.event, Event::CheckpointOpened { .. });
    let at = events.iter().find(asks).unwrap().seq;
    (events, at)
}

#[tokio::test]
async fn one_answer_is_given_once() {
    let (requests, mut said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    let offers = vec![Offer::new("apply", "Apply", "allow_once", Some(Input::Cancel))];
    talk.asked = Some(Asked { id: 1, subject: Subject::default(), offers });
    let yes = json!({"outcome": {"outcome": "selected", "optionId": "apply"}});
    talk.answered(Some(&yes), &mut out).await;
    assert!(!talk.asks(1));
    assert_eq!(inputs(&mut said), [Input::Cancel]);
    talk.answered(Some(&yes), &mut out).await;
    assert_eq!(inputs(&mut said), []);
}

#[tokio::test]
async fn a_message_is_of_somebody_who_has_seen_no_question_that_was_not_put() {
    let (requests, mut said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    let (_, at) = asking(&mut talk.session);
    talk.opening = None;
    for (put, seen) in [(false, Seq(at.0 - 1)), (true, talk.session.state().seq)] {
        let open = talk.session.state().open.keys().map(|id| (*id, at)).filter(|_| !put);
        talk.unseen = open.collect();
        talk.turn = None;
        talk.prompt(json!(2), "yes".to_owned(), 0, &mut out).await;
        assert_eq!(inputs(&mut said), [Input::Say { text: "yes".to_owned(), seen }]);
    }
}

#[tokio::test]
async fn a_question_that_came_while_the_log_was_told_was_not_put_by_that() {
    let (requests, mut said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    let (events, at) = asking(&mut Session::new());
    (talk.opening, talk.replayed_to) = (None, at);
    talk.update(Update::Events(events), &mut out).await;
    talk.prompt(json!(2), "yes".to_owned(), 0, &mut out).await;
    assert_eq!(inputs(&mut said), [Input::Say { text: "yes".to_owned(), seen: Seq(at.0 - 1) }]);
}

#[tokio::test]
async fn a_turn_is_ended_once_however_often_that_is_said() {
    let (requests, mut said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    talk.turn = Some(Turn::default());
    talk.cancel(&mut out).await;
    talk.cancel(&mut out).await;
    assert_eq!(inputs(&mut said), [Input::Cancel]);
}

#[tokio::test]
async fn a_second_stop_is_one_though_the_first_came_to_its_bound() {
    let (requests, mut said) = tokio::sync::mpsc::channel(64);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    talk.opening = None;
    // A message that its model reads: nothing here ends that.
    let (events, _) = asking(&mut talk.session);
    drop(events);
    let line = Input::Say { text: "rename score to points_of in src/search.rs".into(), seen: Seq(u64::MAX) };
    talk.session.step(Millis(2), line).unwrap();
    assert!(talk.session.state().busy());
    talk.turn = Some(Turn::default());
    talk.cancel(&mut out).await;
    for _ in 0..2 * MOST_STOPS {
        talk.update(heard(), &mut out).await;
    }
    let first = inputs(&mut said).len();
    assert!(first <= 1 + MOST_STOPS as usize && talk.turn.is_some());
    talk.cancel(&mut out).await;
    assert_eq!(inputs(&mut said), [Input::Cancel]);
}

#[test]
fn the_end_of_a_connection_keeps_nobody_waiting_for_a_log_that_is_not_told_any_more() {
    let (requests, _said) = tokio::sync::mpsc::channel(16);
    let mut talk = talk(requests);
    let (again, mut to_tell) = tokio::sync::oneshot::channel();
    talk.opening.as_mut().unwrap().again = Some(again);
    drop(talk.leave());
    assert!(matches!(to_tell.try_recv(), Err(tokio::sync::oneshot::error::TryRecvError::Closed)));
}

#[tokio::test]
async fn a_turn_lasts_until_all_is_taken_in_that_was_said_in_it() {
    let (requests, mut said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    talk.opening = None;
    talk.prompt(json!(1), "hello".to_owned(), 0, &mut out).await;
    talk.cancel(&mut out).await;
    // The session rests already when it is told to stop, and says so.
    talk.update(heard(), &mut out).await;
    talk.update(Update::Events(Vec::new()), &mut out).await;
    assert!(talk.turn.is_some(), "what the stop comes to would be told in the next turn");
    talk.update(Update::Refused("nothing runs".to_owned()), &mut out).await;
    assert!(talk.turn.is_some());
    talk.update(heard(), &mut out).await;
    assert!(talk.turn.is_none());
    assert_eq!(inputs(&mut said).len(), 2);
    // The next one hears nothing of it.
    talk.prompt(json!(2), "and now".to_owned(), out.put_so_far(), &mut out).await;
    assert!(talk.turn.as_ref().is_some_and(|turn| !turn.cancelled));
    assert_eq!(inputs(&mut said).len(), 1);
}

#[tokio::test]
async fn what_is_refused_beside_a_ceiling_does_not_refuse_that() {
    let (requests, _said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    talk.opening = None;
    talk.set_mode(json!(1), PermissionMode::ReadOnly, false, &mut out).await;
    talk.update(Update::Refused("the disk is full".to_owned()), &mut out).await;
    assert!(matches!(talk.unheard.front(), Some(Some(_))));
    talk.update(heard(), &mut out).await;
    assert!(talk.unheard.is_empty());
}

#[tokio::test]
async fn what_is_refused_of_an_answer_is_not_taken_for_a_ceiling_that_is_set_behind_it() {
    let (requests, _said) = tokio::sync::mpsc::channel(16);
    let (mut talk, mut out) = (talk(requests), Out::start(std::io::sink(), Arc::default()).unwrap());
    talk.opening = None;
    talk.turn = Some(Turn::default());
    let offers = vec![Offer::new("apply", "Apply", "allow_once", Some(Input::Cancel))];
    talk.asked = Some(Asked { id: 1, subject: Subject::default(), offers });
    let yes = json!({"outcome": {"outcome": "selected", "optionId": "apply"}});
    talk.answered(Some(&yes), &mut out).await;
    talk.set_mode(json!(1), PermissionMode::ReadOnly, false, &mut out).await;
    talk.update(Update::Refused("it is another one by now".to_owned()), &mut out).await;
    assert!(talk.answering.is_none(), "it would be waited for without end");
    assert!(talk.unheard.iter().flatten().all(|setting| setting.why.is_none()));
}
