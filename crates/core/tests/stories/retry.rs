//! What gets no answer: stopped, failed, or answered with nothing; how it is asked again.

use pilothouse_core::{
    input::Input,
    intent::Phase,
    talk::{Fault, FaultKind},
};

use crate::{
    phase,
    phases::{answer_lane, fault},
    support::*,
};

#[test]
fn an_answer_that_was_stopped_is_asked_again_where_no_plan_has_something_left() {
    let mut b = Bench::new();
    let stop = |b: &mut Bench, by_user: bool| {
        b.say("and the ranking?");
        let (asked, call) = (answer_lane(b).turn, b.thinking());
        if by_user {
            b.input(Input::Cancel).unwrap();
        } else {
            let stopped = Fault { kind: FaultKind::Cancelled, ..fault() };
            b.input(Input::Replied { call, reply: Err(stopped) }).unwrap();
        }
        asked
    };
    for by_user in [true, false] {
        let asked = stop(&mut b, by_user);
        b.say("/retry");
        assert_eq!(answer_lane(&b).turn, asked);
        b.reply("by the index", &[]);
        assert!(b.input(Input::say("/retry")).unwrap_err().reason.contains("no earlier plan"));
    }
    b.say("fix the bug in a.txt");
    b.plan(&[("A", "modify")], &[]);
    b.input(Input::say("/abort")).unwrap();
    stop(&mut b, true);
    b.say("/retry");
    assert_eq!(phase(&b), Phase::AwaitingApproval, "the plan that waits comes first");
}
