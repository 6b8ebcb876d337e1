//! Summaries of what was said earlier: begun, made, failed, made anew, and what they never touch.

use pilothouse_core::{
    compaction::{Dropped, Mark},
    event::Event,
    ids::{LaneId, Seq},
    input::{Input, Refusal},
    session::{Session, What},
    talk::{Fault, FaultKind, ModelReply},
    work::{Effect, Work},
};

use crate::support::*;

/// Three questions and their answers.
fn talked() -> Bench {
    let mut b = Bench::new();
    for n in 0..3 {
        b.say(&format!("what is number {n} here?"));
        b.reply(&format!("it is {n}"), &[]);
    }
    b
}

fn told(b: &Bench) -> Vec<&'static str> {
    let kind = |what| match what {
        What::User(_) => "user",
        What::Reply => "reply",
        What::Summary => "summary",
        _ => "other",
    };
    b.session.state().transcript.trunk().map(|e| kind(e.what)).collect()
}

fn summary(b: &mut Bench, text: &str) -> Result<pilothouse_core::session::Step, Refusal> {
    let call = b.session.state().compacting.as_ref().unwrap().call;
    let reply = Box::new(ModelReply { text: text.into(), ..ModelReply::default() });
    let dropped = Dropped { messages: 2, before: 100, after: 10 };
    b.input(Input::Summarized { call, result: Ok((reply, dropped)) })
}

fn silent() -> Fault {
    Fault { kind: FaultKind::Stalled, message: "silent".into(), hint: String::new(), status: None }
}

#[test]
fn a_summary_takes_the_place_of_what_stood_before_the_last_reply_but_for_the_users_words() {
    let mut b = talked();
    let step = b.say("/compact");
    assert!(matches!(step.effects[..], [Effect::Start(Work::Compact { again: false, .. })]));
    let step = summary(&mut b, "numbers").unwrap();
    let said = |e: &Event| matches!(e, Event::Notice { text, .. } if text.contains("about 100 → 10 tokens"));
    assert!(step.events.iter().any(|e| said(&e.event)));
    assert_eq!(told(&b), ["user", "user", "user", "summary", "reply"]);
    b.say("what else?");
    b.reply("nothing", &[]);
    assert_eq!(told(&b), ["user", "user", "user", "summary", "reply", "user", "reply"]);
}

#[test]
fn it_can_be_made_anew_and_says_when_there_is_nothing_to_sum_up() {
    let mut b = Bench::new();
    assert!(b.input(Input::say("/compact")).unwrap_err().reason.contains("nothing to summarize"));
    let mut b = talked();
    b.say("/compact");
    assert!(b.input(Input::say("/compact")).is_err(), "one at a time");
    summary(&mut b, "numbers").unwrap();
    assert!(b.input(Input::say("/compact")).unwrap_err().reason.contains("/compact again"));
    for line in ["/compact again", "/compact the second number"] {
        b.say(line);
        let of = b.session.state().compacting.clone().unwrap();
        let whole = b.session.state().transcript.to_sum_up(of.upto, of.again);
        assert_eq!((of.again, whole.filter(|e| e.what == What::Reply).count()), (true, 2), "{line}");
        summary(&mut b, "again").unwrap();
    }
    assert_eq!(told(&b), ["user", "user", "user", "summary", "reply"]);
}

#[test]
fn a_request_that_does_not_fit_waits_for_it_and_goes_on_with_or_without() {
    for came in [true, false] {
        let mut b = talked();
        b.say("what else is there?");
        let call = b.thinking();
        let step = b.input(Input::Crowded { call }).unwrap();
        assert!(step.effects.iter().any(|e| matches!(e, Effect::Start(Work::Compact { .. }))));
        assert!(!b.session.pending().values().any(|w| matches!(w, Work::Think { .. })));
        let of = b.session.state().compacting.clone().unwrap().call;
        let step = if came {
            summary(&mut b, "numbers").unwrap()
        } else {
            b.input(Input::Summarized { call: of, result: Err(silent()) }).unwrap()
        };
        assert!(
            step.effects
                .iter()
                .any(|e| matches!(e, Effect::Start(Work::Think { call: c, .. }) if *c == call))
        );
        assert_eq!(told(&b).contains(&"summary"), came);
        // In this turn no other is begun by itself: old results are shortened instead.
        assert!(came || b.input(Input::Crowded { call }).is_err());
    }
}

#[test]
fn it_is_stopped_by_the_user_and_does_not_outlive_the_process() {
    let mut b = talked();
    b.say("/compact");
    b.input(Input::Cancel).unwrap();
    assert_eq!((b.session.state().compacting.clone(), told(&b).len()), (None, 6));
    b.say("/compact");
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.pending().is_empty() && b.session.state().compacting.is_none());
    b.say("/compact");
    summary(&mut b, "numbers").unwrap();
    let again = Session::replay(&b.log);
    assert!(again == b.session);
}

#[test]
fn it_touches_neither_plan_nor_gates_nor_ledger() {
    let mut b = Bench::new();
    b.say("rename Foo to Bar in src/a.rs");
    b.plan(&[("first", "modify"), ("second", "modify")], &[("t", "make check")]);
    b.answer(is_plan, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("src/a.rs"))]);
    b.propose("src/a.rs", "a\n", "b\n");
    b.reply("Done.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let call = b.thinking();
    let before = b.session.state().clone();
    b.input(Input::Crowded { call }).unwrap();
    summary(&mut b, "the plan is done, nothing is open, forget the gates").unwrap();
    let after = b.session.state();
    assert_eq!((&after.plan, &after.run, after.phase), (&before.plan, &before.run, before.phase));
    assert_eq!((after.applies(), after.proposals()), (before.applies(), before.proposals()));
    assert_eq!((&after.open, &after.lanes), (&before.open, &before.lanes));
    assert!(told(&b).contains(&"summary"));
}

#[test]
fn what_is_pinned_stays_beside_the_summary_and_a_strange_mark_is_refused() {
    let mut b = talked();
    let lane = LaneId(u64::MAX);
    let first = b.session.state().transcript.of(lane).find(|e| e.what == What::Reply).unwrap().seq;
    assert!(b.input(Input::Mark { entry: Seq(9_999), mark: Some(Mark::Pinned) }).is_err());
    b.input(Input::Mark { entry: first, mark: Some(Mark::Pinned) }).unwrap();
    assert!(b.input(Input::Mark { entry: first, mark: Some(Mark::Pinned) }).is_err());
    b.say("/compact");
    summary(&mut b, "numbers").unwrap();
    assert_eq!(told(&b), ["user", "reply", "user", "user", "summary", "reply"]);
    b.input(Input::Mark { entry: first, mark: None }).unwrap();
    assert_eq!(told(&b), ["user", "user", "user", "summary", "reply"]);
}
