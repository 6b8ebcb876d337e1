//! Changes under odd circumstances: races, ceilings, cancels, two lanes on one file.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    ids::{ApplyId, CallId, ProposalId, TurnId},
    input::{Input, Rebased, WriteFault},
    intent::Phase,
    plan::TaskStatus,
    proposal::{Decision, ProposalStatus},
    question::UndoAnswer,
    runs::RunInfo,
    scope::PermissionMode,
    session::Extent,
    tool::{Doubt, Redraft, Wrote},
    work::Work,
};
use serde_json::json;

use crate::{phase, phases::running, reviewing, support::*};

#[test]
fn nothing_is_applied_under_a_read_only_ceiling() {
    let mut b = reviewing();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert!(b.approve_all(None).unwrap_err().reason.contains("read-only"));
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    b.approve_all(None).unwrap();
}

#[test]
fn a_cancel_stops_a_write_that_is_only_being_prepared() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    let (apply, files) = (b.writing(), b.prepared());
    b.input(Input::Cancel).unwrap();
    assert!(b.session.pending().is_empty(), "{:?}", b.session.pending());
    assert!(b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).is_err());
    assert!(b.session.state().proposals().values().all(|p| p.status == ProposalStatus::SetAside));
}

#[test]
fn a_cancel_lets_a_write_that_has_begun_end_and_it_can_be_undone() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    let (apply, files) = (b.writing(), b.prepared());
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    b.input(Input::Cancel).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.input(Input::Undo).is_err(), "not while it is being written");
    b.input(Input::ApplyEnded { apply, result: Ok(()) }).unwrap();
    assert_eq!(b.session.state().ledger(), [apply]);
    b.input(Input::Undo).unwrap();
}

#[test]
fn a_cancelled_write_that_fails_afterwards_leaves_nothing_to_decide() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    let (apply, files) = (b.writing(), b.prepared());
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    b.input(Input::Cancel).unwrap();
    let fault = WriteFault { message: "disk full".into(), stale: false, rebased: Vec::new() };
    b.input(Input::ApplyEnded { apply, result: Err(fault) }).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    for p in b.session.state().open_proposals() {
        assert!(b.session.state().diff_of(p.lane).is_some(), "a proposal that waits can be decided");
    }
}

#[test]
fn one_proposal_named_twice_is_written_once() {
    let mut b = reviewing();
    let (id, shown) = b.session.state().open_proposals().map(|p| (p.id, p.shown())).next().unwrap();
    b.input(Input::Apply { proposals: vec![(id, shown), (id, shown)], word: None, rest: false }).unwrap();
    assert_eq!(b.prepared().len(), 1);
}

#[test]
fn files_are_written_listed_and_taken_back_by_path_in_whatever_order_they_were_proposed() {
    let mut b = running();
    for path in ["z.txt", "b.txt", "a.txt"] {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, "1\n", "uno\n");
    }
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    let names: Vec<String> = b.prepared().iter().map(|f| f.path.to_string()).collect();
    assert_eq!(names, ["a.txt", "b.txt", "z.txt"]);
    b.write();
    let groups = b.session.state().written(Extent::Session);
    let listed: Vec<&str> = groups.iter().flat_map(|g| &g.files).map(|f| f.path.as_str()).collect();
    assert_eq!(listed, ["a.txt", "b.txt", "z.txt"]);
    b.input(Input::Undo).unwrap();
    went_back(&mut b, Ok(true));
    let told = b.notices().pop().unwrap();
    assert!(told.starts_with("Took back the change to a.txt, b.txt, z.txt;"), "{told}");
}

/// A proposal left from before the session was reopened, and one of a new run to the same file.
fn two_on_one_file() -> (Bench, Vec<ProposalId>) {
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "uno\n");
    b.reply("done", &[]);
    let ids = b.session.state().open_proposals().map(|p| p.id).collect::<Vec<_>>();
    assert_eq!(ids.len(), 2);
    (b, ids)
}

#[test]
fn two_changes_of_one_file_are_never_one_write() {
    let (mut b, ids) = two_on_one_file();
    let refusal = b.approve_all(None).unwrap_err();
    assert!(refusal.reason.contains("a.txt"), "{refusal}");
    let shown = |b: &Bench, id| b.session.state().proposals()[&id].shown();
    let one = |b: &Bench, i: usize| Input::Apply {
        proposals: vec![(ids[i], shown(b, ids[i]))],
        word: None,
        rest: false,
    };
    let first = one(&b, 0);
    b.input(first).unwrap();
    let second = one(&b, 1);
    assert!(b.input(second).is_err(), "not while the same file is being written");
    b.write();
    let second = one(&b, 1);
    b.input(second).unwrap();
    b.write();
    let fact = b.session.state().facts.get("change of a.txt").unwrap();
    assert!(fact.value.starts_with("written 2 times"), "what is known of a file is all that was written");
}

#[test]
fn what_is_known_of_a_file_is_what_all_writes_made_of_it_together() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for (before, after) in [("1\n", "2\n"), ("2\n", "3\n4\n")] {
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", before, after);
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    let fact = b.session.state().facts.get("change of a.txt").unwrap();
    assert_eq!(fact.value, "written 2 times: +2 -1");
}

#[test]
fn a_change_waits_while_its_file_is_being_taken_back() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    b.write();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "uno\n");
    b.reply("done", &[]);
    b.input(Input::Undo).unwrap();
    assert!(b.approve_all(None).is_err());
    let apply = b.session.state().applies().keys().next().copied().unwrap();
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    b.approve_all(None).unwrap();
}

/// DIF-04: the same plan waits for a yes, which goes on with what was decided; a change of it can be said.
#[test]
fn up_from_the_diff_keeps_what_was_decided_and_the_plan_takes_a_yes_or_words() {
    let up = || {
        let mut b = running();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        b.reply("", &[]);
        let proposal = b.session.state().open_proposals().next().unwrap().id;
        let shown = b.session.state().proposals()[&proposal].shown();
        let decision = Some(Decision::Taken);
        b.input(Input::Decide { proposal, hunk: 0, decision, shown }).unwrap();
        assert!(b.session.state().is_below_plan());
        b.input(Input::Up).unwrap();
        assert!(phase(&b) == Phase::AwaitingApproval && !b.session.state().is_below_plan());
        assert!(b.session.state().applies().is_empty(), "nothing is written");
        (b, proposal)
    };
    let (mut b, proposal) = up();
    let version = b.session.state().plan.as_ref().unwrap().version;
    b.say("y");
    assert_eq!(phase(&b), Phase::Executing);
    assert_eq!(b.session.state().plan.as_ref().unwrap().version, version);
    let kept = &b.session.state().proposals()[&proposal];
    assert_eq!((kept.status, kept.decided.get(&0)), (ProposalStatus::Open, Some(&Decision::Taken)));
    let (mut b, proposal) = up();
    b.say("also cover the empty file");
    assert_eq!(phase(&b), Phase::Planning);
    assert_eq!(b.session.state().proposals()[&proposal].status, ProposalStatus::SetAside);
}

#[test]
fn up_from_the_diff_of_a_repair_goes_to_the_plan_too() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.say("y");
    b.reply("", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "error: no"));
    b.say("a");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "x\n", "y\n");
    b.reply("", &[]);
    b.input(Input::Up).unwrap();
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.say("y");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn a_removal_taken_back_in_the_middle_of_a_run_can_be_removed_again() {
    let mut b = Bench::new();
    b.say("delete the old file");
    b.plan(&[("Remove it", "delete"), ("Then this", "modify")], &[]);
    b.say("y");
    b.reply("", &[("delete", json!({"path": "old/a.txt"}))]);
    b.propose("old/a.txt", "bye\n", "");
    b.reply("", &[]);
    b.approve_all(Some("delete")).unwrap();
    b.write();
    b.input(Input::Undo).unwrap();
    let apply = b.session.state().applies().keys().next().copied().unwrap();
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    b.reply("", &[("delete", json!({"path": "old/a.txt"}))]);
    b.propose("old/a.txt", "bye\n", "");
    b.reply("", &[]);
    assert!(b.approve_all(None).is_err(), "the word is asked for again");
    b.approve_all(Some("delete")).unwrap();
}

#[test]
fn raising_the_ceiling_in_the_middle_widens_nothing_that_runs() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.say("where is it?");
    let before = b.session.state().lanes.values().next().unwrap().offer();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    assert_eq!(b.session.state().lanes.values().next().unwrap().offer(), before);
    let mut b = running();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b.write();
    assert_eq!(b.session.state().ledger().len(), 1);
}

#[test]
fn two_writes_of_a_stopped_step_that_both_fail_are_both_asked_about() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for path in ["a.txt", "b.txt"] {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, "1\n", "2\n");
    }
    b.reply("", &[]);
    let all: Vec<_> = b.session.state().open_proposals().map(|p| (p.id, p.shown())).collect();
    let mut applies = Vec::new();
    for one in all {
        b.input(Input::Apply { proposals: vec![one], word: None, rest: false }).unwrap();
        let (apply, files) = (b.writing(), b.prepared());
        b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
        applies.push(apply);
    }
    b.input(Input::Cancel).unwrap();
    for apply in applies {
        let fault = WriteFault { message: "disk full".into(), stale: false, rebased: Vec::new() };
        b.input(Input::ApplyEnded { apply, result: Err(fault) }).unwrap();
    }
    let state = b.session.state();
    let asked: Vec<_> =
        state.open.values().filter_map(|c| c.kind.review()).flat_map(|r| r.proposals.clone()).collect();
    assert_eq!(asked.len(), 2, "{:#?}", state.open);
    assert!(state.open_proposals().all(|p| asked.contains(&p.id)));
}

/// A session in which `make` changed two files, some of which somebody else may have saved meanwhile.
fn doubted(all: bool) -> Bench {
    let mut b = Bench::new();
    let doubt = Doubt { names: vec!["a.txt".into()], count: 1, all };
    let wrote = Wrote { count: 2, record: Some(BlobId::of(b"record")), doubt, ..Wrote::default() };
    b.input(Input::Recovered { call: CallId(700), line: "make".into(), wrote: Box::new(wrote) }).unwrap();
    b
}

pub fn is_undo(k: &CheckpointKind) -> bool {
    k.takes_back()
}

/// Which way a command is being taken back, and whether what is in doubt stays.
fn reverting(b: &Bench) -> Option<(bool, bool)> {
    b.session.pending().values().find_map(|w| match w {
        Work::Revert { redo, keep, .. } => Some((*redo, *keep)),
        _ => None,
    })
}

#[test]
fn what_may_be_somebody_elses_is_named_and_asked_about_before_it_is_taken_back() {
    for (answer, begun) in [
        (UndoAnswer::All, Some((false, false))),
        (UndoAnswer::Keep, Some((false, true))),
        (UndoAnswer::Leave, None),
    ] {
        let mut b = doubted(false);
        b.input(Input::Undo).unwrap();
        assert_eq!(reverting(&b), None, "nothing before the answer");
        // Said once more it is the same question.
        b.say("/undo");
        let open = &b.session.state().open;
        assert_eq!(open.len(), 1);
        let message = &open.values().next().unwrap().message;
        assert!(message.contains("2 files by `make`") && message.contains("a.txt was changed"), "{message}");
        // It is in the bar: a word says it.
        b.say(match answer {
            UndoAnswer::All => "all",
            UndoAnswer::Keep => "k",
            UndoAnswer::Leave => "n",
        });
        assert_eq!(reverting(&b), begun, "{answer:?}");
        assert!(b.session.state().open.is_empty());
        let apply = b.session.state().applies().keys().next().copied().unwrap();
        if let Some((_, keep)) = begun {
            b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
            let told = b.notices().pop().unwrap();
            assert_eq!(told.contains("a.txt stayed as it is"), keep, "{told}");
            // What was not taken back is not put back.
            b.input(Input::Redo).unwrap();
            assert_eq!(reverting(&b), Some((true, keep)));
            b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
            b.input(Input::Undo).unwrap();
            assert_eq!(reverting(&b), None, "it is asked again");
        }
    }
}

#[test]
fn where_all_of_it_is_in_doubt_nothing_can_be_kept_apart() {
    let mut b = doubted(true);
    b.input(Input::Undo).unwrap();
    assert!(b.answer(is_undo, UndoAnswer::Keep.given()).is_err());
    // What changed since then is another undo.
    let wrote = Wrote { count: 1, record: Some(BlobId::of(b"later")), ..Wrote::default() };
    b.input(Input::Recovered { call: CallId(701), line: "touch b".into(), wrote: Box::new(wrote) }).unwrap();
    assert!(b.answer(is_undo, UndoAnswer::All.given()).is_err());
    assert_eq!(reverting(&b), None);
    b.input(Input::Undo).unwrap();
    assert_eq!(reverting(&b), Some((false, false)), "of that nothing is in doubt");
}

/// The first hunk of a.txt written, then taken back by the user while the file has a new first line.
fn back_in_a_changed_file(meets: bool) -> (Bench, ApplyId) {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    b.write();
    let apply = b.session.state().ledger()[0];
    let p = b.session.state().proposals().values().next().unwrap().clone();
    b.input(Input::Undo).unwrap();
    let draft = proposing("a.txt", "0\none\n2\n3\n4\n5\n6\n7\n8\nnine\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let draft = draft.proposals[0].clone();
    let rebased =
        vec![Rebased { proposal: p.id, redraft: Redraft { draft, same: Vec::new() }, meets: met(meets) }];
    let fault = WriteFault { message: "a.txt has changed".into(), stale: true, rebased };
    b.input(Input::RevertEnded { apply, result: Err(fault) }).unwrap();
    (b, apply)
}

#[test]
fn it_is_said_where_what_is_taken_back_takes_lines_of_others_along() {
    for meets in [false, true] {
        let told = back_in_a_changed_file(meets).0.notices().pop().unwrap();
        assert_eq!(told.contains("only what was written"), !meets, "{told}");
        assert_eq!(told.contains("the same lines have changed since and would be lost too"), meets, "{told}");
    }
}

#[test]
fn what_is_taken_back_of_a_file_that_changed_since_is_a_diff_to_decide() {
    let (mut b, apply) = back_in_a_changed_file(false);
    let state = b.session.state();
    assert_eq!(state.ledger(), [apply], "nothing is taken back yet");
    let p = state.open_proposals().next().unwrap().clone();
    b.question(is_diff);
    let again = b.input(Input::Undo).unwrap_err();
    assert!(again.reason.contains("is waiting in the diff"), "{again}");
    b.approve_all(None).unwrap();
    b.write();
    let state = b.session.state();
    assert!(state.ledger().is_empty() && state.undone() == [apply], "{:?}", state.ledger());
    assert!(b.notices().pop().unwrap().starts_with("Took back the change to a.txt"), "{:?}", b.notices());
    // What is put back is the file as it was before it was taken back.
    b.input(Input::Redo).unwrap();
    let files = b.session.pending().into_values().find_map(|w| match w {
        Work::Revert { files, redo: true, .. } => Some(files),
        _ => None,
    });
    let file = files.unwrap().remove(0);
    assert_eq!((file.before, file.after), (p.after, p.before));
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    assert_eq!(b.session.state().ledger(), [apply]);
}

#[test]
fn what_is_to_be_taken_back_is_left_by_a_skip_and_comes_hunk_by_hunk() {
    let (mut b, apply) = back_in_a_changed_file(true);
    let proposals = b.session.state().open_proposals().map(|p| p.id).collect();
    b.input(Input::Skip { proposals, reason: String::new() }).unwrap();
    assert_eq!(b.session.state().ledger(), [apply]);
    assert!(b.session.state().open.is_empty());
    let (mut b, apply) = back_in_a_changed_file(true);
    let p = b.session.state().open_proposals().next().unwrap().clone();
    assert!(p.meets(0));
    let taken = Some(Decision::Taken);
    b.input(Input::Decide { proposal: p.id, hunk: 0, decision: taken, shown: p.shown() }).unwrap();
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(b.session.state().undone(), [apply], "what is taken of it is taken back");
}

/// Takes the last write back, or puts it back, as the runtime would.
fn turn_back(b: &mut Bench, input: Input) {
    b.input(input).unwrap();
    let apply = b.session.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
}

#[test]
fn a_step_whose_change_was_taken_back_is_done_no_more_and_redo_does_it_again() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    b.write();
    let step = |b: &Bench| b.session.state().suspended.as_ref().unwrap().tasks[0].status;
    assert_eq!(step(&b), TaskStatus::Done);
    turn_back(&mut b, Input::Undo);
    assert_eq!(step(&b), TaskStatus::TakenBack);
    let state = b.session.state();
    assert_eq!(RunInfo::of(state).progress(), "0/1");
    assert_eq!(state.suspended.as_ref().unwrap().offer(), None, "the user wanted it so");
    turn_back(&mut b, Input::Redo);
    assert_eq!(step(&b), TaskStatus::Done);
    turn_back(&mut b, Input::Undo);
    // Right behind an undo it gives that back.
    b.say("what is in a.txt?");
    b.reply("a greeting", &[]);
    b.say("/redo");
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].status, TaskStatus::Pending);
}

#[test]
fn a_run_of_which_a_step_was_taken_back_says_so_at_its_end() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let step = |b: &mut Bench, path: &str| {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, "1\n", "2\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
    };
    step(&mut b, "a.txt");
    turn_back(&mut b, Input::Undo);
    step(&mut b, "b.txt");
    let ended = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { summary, came_to, .. } => Some((summary.clone(), came_to.clone().unwrap())),
        _ => None,
    });
    let (summary, facts) = ended.unwrap();
    assert_eq!(summary, "Ended: 1 of 2 done, 1 taken back");
    assert_eq!((facts.done, facts.left[0].word()), (1, "taken back"));
}

/// What is being taken back now.
pub fn going_back(b: &Bench) -> Option<ApplyId> {
    b.session.pending().values().find_map(|w| match w {
        Work::Revert { apply, redo: false, .. } => Some(*apply),
        _ => None,
    })
}

pub fn went_back(b: &mut Bench, result: Result<bool, WriteFault>) {
    let apply = going_back(b).unwrap();
    b.input(Input::RevertEnded { apply, result }).unwrap();
}

/// Two writes of before a message and three after it, of which one may be somebody else's in part.
pub fn since_a_message() -> (Bench, TurnId, Vec<ApplyId>) {
    let mut b = doubted(false);
    let changed = |b: &mut Bench, call, line: &str| {
        let record = Some(BlobId::of(line.as_bytes()));
        let wrote = Box::new(Wrote { count: 1, record, ..Wrote::default() });
        b.input(Input::Recovered { call: CallId(call), line: line.into(), wrote }).unwrap();
    };
    changed(&mut b, 701, "touch before");
    b.say("what greets here?");
    let turn = *b.session.state().turns.keys().next_back().unwrap();
    changed(&mut b, 702, "touch a");
    let doubt = Doubt { names: vec!["b.txt".into()], count: 1, all: false };
    let wrote = Wrote { count: 2, record: Some(BlobId::of(b"b")), doubt, ..Wrote::default() };
    b.input(Input::Recovered { call: CallId(703), line: "make b".into(), wrote: Box::new(wrote) }).unwrap();
    changed(&mut b, 704, "touch c");
    let since = b.session.state().writes_since(turn).to_vec();
    assert_eq!((since.len(), b.session.state().ledger().len()), (3, 5));
    (b, turn, since)
}

#[test]
fn all_that_was_written_since_a_message_is_taken_back_the_last_first() {
    let (mut b, turn, since) = since_a_message();
    b.input(Input::UndoTo { to: since[0], last: since[2] }).unwrap();
    assert_eq!(going_back(&b), Some(since[2]));
    assert!(b.input(Input::Undo).is_err(), "not while one goes back");
    went_back(&mut b, Ok(true));
    // What may be somebody else's is asked about as ever, and the rest goes on after the answer.
    assert_eq!(going_back(&b), None);
    b.answer(is_undo, UndoAnswer::All.given()).unwrap();
    assert_eq!(going_back(&b), Some(since[1]));
    went_back(&mut b, Ok(true));
    went_back(&mut b, Ok(true));
    assert_eq!(going_back(&b), None, "what was written before the message stays");
    assert!(b.session.state().writes_since(turn).is_empty() && b.session.state().ledger().len() == 2);
    let told = b.notices().pop().unwrap();
    assert!(told.starts_with("Took back 3 changes: 1 file by `touch c`, 2 files by `make b`"), "{told}");
    assert!(told.contains("; /unundo puts them back. "), "{told}");
    b.input(Input::Redo).unwrap();
    for apply in &since {
        b.input(Input::RevertEnded { apply: *apply, result: Ok(true) }).unwrap();
    }
    assert_eq!(b.session.state().writes_since(turn), since);
}

#[test]
fn what_cannot_be_taken_back_stops_the_rest_and_what_was_not_listed_is_not_taken_back() {
    let (mut b, turn, since) = since_a_message();
    let earlier = b.session.state().ledger()[0];
    assert!(b.input(Input::UndoTo { to: since[0], last: since[1] }).is_err(), "one more was written by now");
    assert!(b.input(Input::UndoTo { to: ApplyId(9_999), last: since[2] }).is_err());
    // A no to the question in the middle leaves the rest.
    b.input(Input::UndoTo { to: since[0], last: since[2] }).unwrap();
    went_back(&mut b, Ok(true));
    b.answer(is_undo, UndoAnswer::Leave.given()).unwrap();
    assert_eq!(b.notices().pop().unwrap(), "Took back 1 change: 1 file by `touch c`; the rest stays.");
    assert_eq!((going_back(&b), b.session.state().writes_since(turn)), (None, &since[..2]));
    // So does a file that is another by now.
    b.input(Input::UndoTo { to: earlier, last: since[1] }).unwrap();
    b.answer(is_undo, UndoAnswer::All.given()).unwrap();
    let fault = WriteFault { message: "b.txt is another".into(), stale: true, rebased: Vec::new() };
    went_back(&mut b, Err(fault));
    assert_eq!((going_back(&b), b.session.state().writes_since(turn)), (None, &since[..2]));
    // And one alone is one alone.
    b.input(Input::Undo).unwrap();
    b.answer(is_undo, UndoAnswer::All.given()).unwrap();
    went_back(&mut b, Ok(true));
    assert_eq!((going_back(&b), b.session.state().ledger().len()), (None, 3));
    // Nothing goes on by itself once the session was opened again.
    b.input(Input::UndoTo { to: earlier, last: since[0] }).unwrap();
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(going_back(&b), None);
}
