//! What is unfinished when work stops is set aside, found again and taken up.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::Input,
    intent::Phase,
    proposal::{Decision, ProposalStatus},
};

use crate::{phase, reviewing, support::*};

/// Decides the first hunk of the one proposal.
fn decide(b: &mut Bench) {
    let p = b.session.state().open_proposals().next().unwrap();
    let (proposal, shown) = (p.id, p.shown());
    b.input(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown }).unwrap();
}

fn aside(b: &Bench) -> usize {
    b.session.state().set_aside().count()
}

#[test]
fn every_way_to_stop_work_sets_its_proposals_aside_with_their_decisions() {
    for stop in ["/abort", "/replan", "stop"] {
        let mut b = reviewing();
        decide(&mut b);
        b.say(stop);
        assert_eq!(aside(&b), 1, "{stop}");
        assert!(b.session.state().set_aside().all(|p| p.decided[&0] == Decision::Taken), "{stop}");
        assert_eq!(b.session.state().open_proposals().count(), 0, "{stop}");
        let closed = b.log.iter().any(|e| matches!(e.event, Event::ProposalClosed { .. }));
        assert!(!closed, "{stop}: nothing is dropped that nobody named");
    }
}

#[test]
fn what_was_set_aside_is_listed_and_taken_up_with_its_decisions() {
    let mut b = reviewing();
    decide(&mut b);
    b.input(Input::Cancel).unwrap();
    b.say("/proposals");
    assert!(b.notices().iter().any(|n| n.contains("a.txt") && n.contains("1 taken")), "{:?}", b.notices());
    b.say("/proposals a.txt");
    assert_eq!(aside(&b), 0);
    let open: Vec<_> = b.session.state().open_proposals().collect();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].decided[&0], Decision::Taken);
    assert!(b.session.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Diff(_))));
    b.approve_all(None).unwrap();
    b.write();
    assert!(b.session.state().proposals().values().all(|p| matches!(p.status, ProposalStatus::Applied(_))));
    assert!(b.session.state().open.is_empty());
}

#[test]
fn set_aside_proposals_and_plans_survive_the_end_of_the_process() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(aside(&b), 1);
    assert!(b.notices().iter().any(|n| n.contains("set aside")), "{:?}", b.notices());
    b.say("/proposals all");
    b.approve_all(None).unwrap();
}

#[test]
fn only_giving_up_by_name_drops_what_is_set_aside() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.say("/proposals drop");
    assert_eq!(aside(&b), 0);
    assert!(b.input(Input::say("/proposals all")).is_err());
}

#[test]
fn an_unfinished_plan_is_not_lost_behind_a_later_one() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.say("create notes.txt");
    b.plan(&[("Notes", "create")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert_eq!(b.session.state().plan_aside().unwrap().tasks[0].title, "Fix it");
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].title, "Fix it");
}

#[test]
fn a_reset_keeps_the_unfinished_plan_where_it_can_be_taken_up_by_name() {
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("/reset");
    assert_eq!((phase(&b), aside(&b)), (Phase::Idle, 1));
    b.say("/proposals plan");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn a_plan_taken_up_after_a_crash_leaves_one_open_proposal_for_a_file() {
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(b.session.state().open_proposals().count(), 1, "it waits again");
    b.say("/redo");
    assert_eq!((b.session.state().open_proposals().count(), aside(&b)), (0, 1));
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.reply("done", &[]);
    assert_eq!(b.session.state().open_proposals().count(), 1);
    assert!(b.input(Input::say("/proposals all")).is_err(), "a newer change of that file waits");
}

#[test]
fn leaving_with_something_at_stake_asks_once_and_names_it() {
    let mut b = reviewing();
    b.say("/exit");
    let asked = b.session.state().phase_question().unwrap().message.clone();
    assert!(asked.contains("0 of 1 steps") && asked.contains("1 file waits"), "{asked}");
    b.say("y");
    assert!(b.log.iter().any(|e| matches!(e.event, Event::ControlGiven { .. })));
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("/exit");
    assert!(b.session.state().phase_question().is_some(), "a review waits although nothing runs");
}

#[test]
fn the_question_whether_to_leave_tells_what_is_at_stake_by_now() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("/exit");
    let asks = |b: &Bench| {
        let spec = b.session.state().spec(b.session.state().phase_question().unwrap());
        assert_eq!(spec.title, spec.text);
        spec.title.as_str().to_owned()
    };
    assert_eq!(asks(&b), "Stop and leave? Kept: a plan at 0 of 2 steps");
    let asked = b.session.state().phase_question().unwrap().id;
    b.reply("nothing to do", &[]);
    b.input(Input::Queue("fix another thing".into())).unwrap();
    assert_eq!(asks(&b), "Stop and leave? Kept: a plan at 1 of 2 steps; 1 queued");
    b.say("/queue drop 1");
    b.reply("nothing to do", &[]);
    assert_eq!(asks(&b), "Leave? Nothing is at stake any more");
    let left = b.session.state().phase_question().unwrap();
    assert_eq!(left.id, asked, "it is the same question, answered once");
    b.say("n");
    assert!(b.session.state().phase_question().is_none());
}
