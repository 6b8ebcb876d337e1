//! What is set aside comes back as it was, whichever way the work was left.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    input::{Input, Rebased, WriteFault},
    proposal::{Decision, ProposalStatus},
    question::{Act, Choice},
    session::Session,
    tool::Redraft,
};

use crate::{reviewing, support::*};

/// A review whose one hunk is decided.
fn decided() -> Bench {
    let mut b = reviewing();
    let p = b.session.state().open_proposals().next().unwrap();
    let (proposal, shown) = (p.id, p.shown());
    b.input(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown }).unwrap();
    b
}

#[test]
fn a_decided_hunk_outlives_every_way_to_leave_and_the_end_of_the_process() {
    for ways in [
        &["/exit", "y"][..],
        &["/abort"],
        &["/replan"],
        &["/abort", "/reset"],
        &["stop"],
        &["stop. build a dashboard for the notes instead"],
        &["change the plan: split step 1"],
        &[],
    ] {
        let mut b = decided();
        for way in ways {
            b.say(way);
        }
        b.input(Input::Open(opening())).unwrap();
        let state = b.session.state();
        let kept: Vec<_> = state
            .proposals()
            .values()
            .filter(|p| matches!(p.status, ProposalStatus::Open | ProposalStatus::SetAside))
            .map(|p| p.decided.get(&0).copied())
            .collect();
        assert_eq!(kept, [Some(Decision::Taken)], "{ways:?}");
        if state.open_proposals().count() == 0 {
            b.say("/proposals all");
        }
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(b.session.state().ledger().len(), 1, "{ways:?}");
    }
}

#[test]
fn what_is_taken_up_in_a_file_that_changed_since_is_shown_as_it_would_be_now() {
    for meets in [false, true] {
        let mut b = decided();
        b.input(Input::Cancel).unwrap();
        b.say("/proposals all");
        b.approve_all(None).unwrap();
        let apply = b.writing();
        let old = b.session.state().proposals().values().next().unwrap().clone();
        let draft = proposing("a.txt", "0\n1\n", "0\none\n").proposals.remove(0);
        let rebased = vec![Rebased {
            proposal: old.id,
            redraft: Redraft { draft, same: Vec::new() },
            meets: met(meets),
        }];
        let fault = WriteFault { message: "both changed a.txt at line 1: 0".into(), stale: true, rebased };
        b.input(Input::ApplyPrepared { apply, files: Err(fault) }).unwrap();
        let again = b.session.state().open_proposals().next().unwrap().clone();
        assert_ne!(again.shown(), old.shown(), "it is another by now than was shown");
        assert!(
            b.input(Input::Apply { proposals: vec![(old.id, old.shown())], word: None, rest: false })
                .is_err()
        );
        b.question(is_diff);
        if meets {
            // What both changed is written by a decision of its own alone.
            let (proposal, shown) = (again.id, again.shown());
            assert!(b.approve_all(None).unwrap_err().reason.contains("take or leave each hunk"));
            b.input(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown }).unwrap();
        }
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(b.session.state().ledger().len(), 1);
        assert!(b.session.state().open.is_empty() && Session::replay(&b.log) == b.session);
    }
}

#[test]
fn something_unclear_beside_a_run_offers_to_answer_change_queue_or_stop() {
    let mut b = crate::phases::running();
    b.mumble();
    let state = b.session.state();
    let question = state.phase_question().unwrap();
    assert!(matches!(question.kind, CheckpointKind::Interruption(_)));
    let given = |c: Choice| if let Act::Give(answer) = c.act { Some((c.label, answer)) } else { None };
    let offered: Vec<(&str, Answer)> = question.kind.choices().into_iter().filter_map(given).collect();
    for wanted in ["answer it", "change the plan", "later", "continue", "abort"] {
        let (label, answer) = offered.iter().find(|(label, _)| *label == wanted).unwrap();
        let mut b = Bench { session: b.session.clone(), log: b.log.clone(), clock: b.clock };
        b.answer(|k| matches!(k, CheckpointKind::Interruption(_)), answer.clone()).unwrap();
        let stopped = b.session.state().run.is_none();
        assert_eq!(stopped, ["change the plan", "abort"].contains(label), "{label}");
    }
}
