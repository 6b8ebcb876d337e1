//! Which answers count, and what a message has seen.

use pilothouse_core::{
    ids::Millis, input::Opening as Opened, redact::Redactor, sandbox::Sandbox, trust::Standing,
};

use super::*;

fn talk(requests: Sender<Request>) -> Talk {
    let nowhere = std::path::Path::new("/nowhere");
    let place = Place { root: nowhere.into(), blobs: Blobs::under(nowhere), secrets: Redactor::default() };
    let opening = Opening { id: json!(1), load: false, servers: 0 };
    Talk::new(place, requests, Home::under(nowhere), opening)
}

#[tokio::test]
async fn one_answer_is_given_once() {
    let (requests, mut said) = tokio::sync::mpsc::channel(4);
    let mut sink = Vec::new();
    let (mut talk, mut out) = (talk(requests), Out::new(&mut sink, Arc::default()));
    let offers = vec![Offer::new("apply", "Apply", "allow_once", Some(Input::Cancel))];
    talk.asked = Some(Asked { id: 1, subject: Subject::default(), offers });
    let yes = json!({"outcome": {"outcome": "selected", "optionId": "apply"}});
    talk.answered(Some(&yes), &mut out).await;
    assert!(!talk.asks(1));
    assert!(matches!(said.try_recv().unwrap(), Request::Input(Input::Cancel)));
    talk.answered(Some(&yes), &mut out).await;
    assert!(said.try_recv().is_err());
}

#[tokio::test]
async fn a_message_is_of_somebody_who_has_seen_no_question_that_was_not_put() {
    let (requests, mut said) = tokio::sync::mpsc::channel(4);
    let mut sink = Vec::new();
    let (mut talk, mut out) = (talk(requests), Out::new(&mut sink, Arc::default()));
    let standing = Standing { asks: true, ..Standing::default() };
    let (slug, folder, version) = ("s".into(), "demo".into(), "0".into());
    let sandbox = Sandbox::default();
    let (mode, permission, found) = (None, None, Vec::new());
    let opening = Opened { slug, folder, version, mode, permission, sandbox, standing, found };
    let step = talk.session.step(Millis(1), Input::Open(opening)).unwrap();
    let asks = |e: &&Stamped| matches!(e.event, Event::CheckpointOpened { .. });
    let at = step.events.iter().find(asks).unwrap().seq;
    talk.opening = None;
    for (put, seen) in [(false, Seq(at.0 - 1)), (true, talk.session.state().seq)] {
        let open = talk.session.state().open.keys().map(|id| (*id, at)).filter(|_| !put);
        talk.unseen = open.collect();
        talk.turn = None;
        talk.prompt(json!(2), "yes".to_owned(), 0, &mut out).await;
        let Request::Input(said) = said.try_recv().unwrap() else { unreachable!() };
        assert_eq!(said, Input::Say { text: "yes".to_owned(), seen });
    }
}

#[tokio::test]
async fn a_turn_is_ended_once_however_often_that_is_said() {
    let (requests, mut said) = tokio::sync::mpsc::channel(4);
    let mut sink = Vec::new();
    let (mut talk, mut out) = (talk(requests), Out::new(&mut sink, Arc::default()));
    talk.turn = Some(Turn::default());
    talk.cancel(&mut out).await;
    talk.cancel(&mut out).await;
    assert!(matches!(said.try_recv().unwrap(), Request::Input(Input::Cancel)));
    assert!(said.try_recv().is_err());
}
