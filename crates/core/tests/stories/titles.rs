//! What a session is called: by its user, and by the model that is asked for it.

use pilothouse_core::{
    event::Event,
    ids::CallId,
    input::{Input, Refusal},
    runs::RunInfo,
    talk::{Fault, FaultKind, ModelReply},
};

use crate::support::*;

fn title(b: &Bench) -> Option<&str> {
    b.session.state().about.title.as_deref()
}

fn titling(b: &Bench) -> CallId {
    b.session.state().titling.unwrap()
}

fn gives(b: &mut Bench, text: &str) -> Result<pilothouse_core::session::Step, Refusal> {
    let reply = Box::new(ModelReply { text: text.into(), ..ModelReply::default() });
    b.input(Input::Titled { call: titling(b), result: Ok(reply) })
}

fn said(step: &pilothouse_core::session::Step, part: &str) -> bool {
    step.events.iter().any(|e| matches!(&e.event, Event::Notice { text, .. } if text.contains(part)))
}

#[test]
fn the_model_names_a_session_beside_whatever_goes_on() {
    let mut b = Bench::asking();
    let why = b.input(Input::say("/title again")).unwrap_err().reason;
    assert!(why.contains("nothing to base"), "{why}");
    b.say("what is in a.txt?");
    // The answer is on its way.
    let asked = b.say("/title");
    assert_eq!(starts(&asked), ["title"]);
    assert!(b.input(Input::say("/title again")).is_err(), "one at a time");
    let named = gives(&mut b, "\n\"Names in a.txt.\"\nbecause it was asked").unwrap();
    assert_eq!(title(&b), Some("Names in a.txt"));
    assert!(said(&named, "Title: Names in a.txt"));
    b.reply("names", &[]);
    // Alone it is only told from now on.
    assert_eq!(starts(&b.say("/title")), [""; 0]);
    assert_eq!(starts(&b.say("/title again")), ["title"]);
    gives(&mut b, "Title: Two").unwrap();
    assert_eq!(title(&b), Some("Two"));
}

#[test]
fn one_that_does_not_come_leaves_the_title_and_the_users_own_goes_before() {
    let mut b = Bench::asking();
    b.say("what is in a.txt?");
    b.reply("names", &[]);
    b.say("/title Mine");
    for text in ["", "  \n ", "\"\""] {
        b.say("/title again");
        assert!(said(&gives(&mut b, text).unwrap(), "suggested none"));
        assert_eq!(title(&b), Some("Mine"));
    }
    b.say("/title again");
    let fault =
        Fault { kind: FaultKind::Stalled, message: "silent".into(), hint: String::new(), status: None };
    let failed = b.input(Input::Titled { call: titling(&b), result: Err(fault) }).unwrap();
    assert!(said(&failed, "No title: silent"));
    // What the user says meanwhile holds, and what comes later is late.
    b.say("/title again");
    let call = titling(&b);
    b.say("/title Own");
    let late = Box::new(ModelReply { text: "Late".into(), ..ModelReply::default() });
    assert!(b.input(Input::Titled { call, result: Ok(late) }).is_err());
    assert_eq!(title(&b), Some("Own"));
    b.say("/title again");
    let call = titling(&b);
    b.input(Input::Describe(pilothouse_core::about::AboutChange::title("Outside"))).unwrap();
    let late = Box::new(ModelReply { text: "Late".into(), ..ModelReply::default() });
    assert!(b.input(Input::Titled { call, result: Ok(late) }).is_err());
    b.say("/title again");
    gives(&mut b, "**Title:** Own").unwrap();
    b.say("/title again");
    assert!(said(&b.input(Input::Cancel).unwrap(), "Stopped asking for a title"));
    assert!(b.session.pending().is_empty() && title(&b) == Some("Own"));
}

#[test]
fn a_session_is_listed_by_its_last_order_and_never_by_an_answer() {
    let listed = |b: &Bench| RunInfo::of(b.session.state()).title;
    let mut b = Bench::new();
    b.say("what does a.txt hold?");
    b.reply("Names. Shall I sort them?", &[]);
    for line in ["no", "2", "thanks", "and what does b.txt hold?"] {
        b.say(line);
        assert_eq!(listed(&b), "what does a.txt hold?", "{line}");
        b.input(Input::Cancel).ok();
    }
    b.say("sort the names in a.txt");
    assert_eq!(listed(&b), "sort the names in a.txt", "before there is a plan");
    b.plan(&[("One", "modify")], &[]);
    assert_eq!(listed(&b), "Plan");
    b.answer(is_plan, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.say("yes");
    assert_eq!(listed(&b), "Plan");
    b.say("add a limit to b.txt");
    assert_eq!(listed(&b), "add a limit to b.txt", "what goes on, and not what went before");
    b.input(Input::Cancel).unwrap();
    let listed = RunInfo::of(b.session.state());
    assert_eq!((listed.title.as_str(), listed.progress().as_str()), ("add a limit to b.txt", ""));
}
