//! What commands and edits made of a file, taken back hunk by hunk in the ordinary review.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::Answer,
    diff,
    event::{Event, FileChange},
    ids::{ApplyId, CallId, ProposalId},
    input::{Input, Reversal},
    intent::{Control, Turn},
    plan::TaskStatus,
    proposal::{Decision, Proposal},
    relpath::RelPath,
    session::{Deed, Session, Standing},
    tool::{ChangeKind, Doubt, Wrote},
    work::Work,
};

use crate::support::*;

const OLD: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const NEW: &str = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";

fn path(of: &str) -> RelPath {
    RelPath::new(of).unwrap()
}

/// A command that changed a file in two places.
pub fn formatted(doubt: Doubt) -> Bench {
    changed("a.txt", doubt)
}

fn changed(name: &str, doubt: Doubt) -> Bench {
    let mut b = Bench::new();
    let id = |text: &str| Some(BlobId::of(text.as_bytes()));
    let files = vec![FileChange {
        proposal: ProposalId(0),
        path: path(name),
        kind: ChangeKind::Modify,
        before: id(OLD),
        after: id(NEW),
        mode: Some(0o755),
        added: 2,
        removed: 2,
        lines: 9,
        rest: None,
        changes: Vec::new(),
    }];
    let wrote = Wrote { files, count: 21, record: id("record"), doubt, ..Wrote::default() };
    b.input(Input::Recovered { call: CallId(700), line: "make fmt".into(), wrote: Box::new(wrote) }).unwrap();
    b
}

/// What the runtime is to look for.
fn sought(b: &Bench) -> Option<(pilothouse_core::ids::LaneId, Vec<FileChange>)> {
    b.session.pending().into_values().find_map(|w| match w {
        Work::TakeBack { lane, files } => Some((lane, files)),
        _ => None,
    })
}

/// Wants the file back, and has it looked for.
pub fn offered(b: &mut Bench) -> Proposal {
    let writes = b.session.state().ledger().to_vec();
    b.input(Input::UndoFile { path: path("a.txt"), writes }).unwrap();
    found(b, Ok(NEW))
}

/// What takes it back is found against what the file holds now.
fn found(b: &mut Bench, now: Result<&str, &str>) -> Proposal {
    let (lane, _) = sought(b).unwrap();
    let made = |now| Reversal { draft: proposing("a.txt", now, OLD).proposals.remove(0), meets: Vec::new() };
    let result = now.map(made).map_err(str::to_owned);
    b.input(Input::TakeBackMade { lane, result }).unwrap();
    b.session.state().open_proposals().next().cloned().unwrap()
}

pub fn decide(b: &mut Bench, hunk: usize, decision: Decision) {
    let p = b.session.state().open_proposals().next().unwrap().clone();
    let decision = Some(decision);
    b.input(Input::Decide { proposal: p.id, hunk, decision, shown: p.shown() }).unwrap();
}

#[test]
fn one_hunk_of_a_command_goes_back_and_that_is_a_write_of_its_own() {
    let mut b = formatted(Doubt::default());
    let command = b.session.state().ledger()[0];
    let p = offered(&mut b);
    assert_eq!((p.hunks.len(), p.call, p.picks_from()), (2, CallId(700), Some(command)));
    assert_eq!(sought(&b), None);
    assert_eq!(b.session.state().ledger(), [command], "nothing is taken back yet");
    let asked = b.question(is_diff);
    let text = b.session.state().open[&asked].message.clone();
    assert!(text.contains("a.txt by `make fmt`: y reverts a hunk"), "{text}");
    assert!(b.input(Input::Undo).unwrap_err().reason.contains("is waiting in the diff"));
    decide(&mut b, 0, Decision::Taken);
    decide(&mut b, 1, Decision::Left);
    b.approve_all(None).unwrap();
    let take = b.session.pending().into_values().find_map(|w| match w {
        Work::Prepare { changes, .. } => changes.into_iter().next(),
        _ => None,
    });
    let take = take.unwrap();
    assert_eq!((take.taken.into_iter().collect::<Vec<_>>(), take.mode), (vec![0], Some(0o755)));
    b.write();
    let state = b.session.state();
    assert_eq!((state.ledger().len(), state.ledger()[0], state.undone().len()), (2, command, 0));
    assert!(state.open.is_empty() && state.open_proposals().count() == 0);
    assert_eq!(b.notices().pop().unwrap(), "Took back what you picked of a.txt; /undo gives it back.");
    // It is undone as any write is, and then the command is, as a whole.
    let back = |b: &mut Bench| {
        b.input(Input::Undo).unwrap();
        let going = b.session.pending().into_values().find_map(|w| match w {
            Work::Revert { apply, redo: false, record, .. } => Some((apply, record.is_some())),
            _ => None,
        });
        let (apply, whole) = going.unwrap();
        b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
        (apply, whole)
    };
    let picked = b.session.state().ledger()[1];
    assert_eq!(back(&mut b), (picked, false));
    assert_eq!(back(&mut b), (command, true));
    assert!(b.session.state().ledger().is_empty());
}

#[test]
fn what_is_left_of_it_can_be_taken_back_by_name() {
    let mut b = formatted(Doubt::default());
    offered(&mut b);
    decide(&mut b, 0, Decision::Taken);
    decide(&mut b, 1, Decision::Left);
    b.say("what greets here?");
    b.approve_all(None).unwrap();
    b.write();
    b.input(Input::say("/undo a.txt")).unwrap();
    let (_, files) = sought(&b).unwrap();
    // Both writes, the oldest first, whatever was said between them: what they made of it together is what is left.
    let ends: Vec<_> = files.iter().map(|f| (f.before, f.after)).collect();
    let (old, new) = (Some(BlobId::of(OLD.as_bytes())), Some(BlobId::of(NEW.as_bytes())));
    assert_eq!((ends.len(), ends[0], ends[1].0), (2, (old, new), new));
}

#[test]
fn a_file_that_the_agent_wrote_is_taken_back_hunk_by_hunk_as_well() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", OLD, NEW);
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let call = b.session.state().proposals().values().next().unwrap().call;
    b.input(Input::say("/undo a.txt")).unwrap();
    let p = found(&mut b, Ok(NEW));
    assert_eq!((p.hunks.len(), p.call, p.task), (2, call, None));
    // What the user leaves of it is no word to the agent, and its step stays done.
    b.input(Input::Skip { proposals: vec![p.id], reason: String::new() }).unwrap();
    assert_eq!(b.session.state().ledger().len(), 1);
    assert!(b.session.state().open.is_empty());
}

#[test]
fn what_cannot_be_offered_is_said_and_nothing_waits() {
    let mut b = formatted(Doubt::default());
    let told = b.input(Input::say("/undo b.txt")).unwrap_err().reason;
    assert!(told.contains("wrote no b.txt") && told.contains("only the first are known by name"), "{told}");
    let refused = |b: &mut Bench, writes: Vec<ApplyId>| {
        b.input(Input::UndoFile { path: path("a.txt"), writes }).unwrap_err().reason
    };
    assert!(refused(&mut b, vec![ApplyId(9_999)]).contains("changed since"));
    assert!(refused(&mut b, Vec::new()).contains("changed since"));
    b.say("/undo a.txt");
    let writes = b.session.state().ledger().to_vec();
    assert!(refused(&mut b, writes.clone()).contains("is being checked"));
    let (lane, _) = sought(&b).unwrap();
    let result = Err("a.txt is not text".to_owned());
    b.input(Input::TakeBackMade { lane, result: result.clone() }).unwrap();
    assert_eq!(b.notices().pop().unwrap(), "a.txt is not text");
    assert!(b.input(Input::TakeBackMade { lane, result }).is_err(), "it is not wanted any more");
    assert!(sought(&b).is_none() && b.session.state().open.is_empty());
    offered(&mut b);
    assert!(refused(&mut b, writes.clone()).contains("is waiting in the diff"));
    let mut b = formatted(Doubt::default());
    b.say("/readonly");
    assert!(refused(&mut b, writes).contains("read-only"));
}

#[test]
fn nothing_is_offered_while_a_command_is_at_work_and_what_moved_meanwhile_is_not_proposed() {
    let mut b = formatted(Doubt::default());
    let writes = b.session.state().ledger().to_vec();
    b.say("!make test");
    if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
        b.answer(is_risk, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    }
    let told = b.input(Input::UndoFile { path: path("a.txt"), writes }).unwrap_err().reason;
    assert!(told.contains("`make test` is running"), "{told}");
    // The command is undone while what takes back a part of it is looked for.
    let mut b = formatted(Doubt::default());
    b.say("/undo a.txt");
    let (lane, _) = sought(&b).unwrap();
    b.input(Input::Undo).unwrap();
    let apply = b.session.state().ledger()[0];
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    let made = Reversal { draft: proposing("a.txt", NEW, OLD).proposals.remove(0), meets: Vec::new() };
    b.input(Input::TakeBackMade { lane, result: Ok(made) }).unwrap();
    assert_eq!(b.session.state().open_proposals().count(), 0);
    assert!(b.notices().pop().unwrap().contains("changed since"));
}

#[test]
fn the_review_says_what_may_be_somebody_elses_and_where_it_meets_later_lines() {
    let doubt = Doubt { names: vec!["a.txt".into()], count: 1, all: false };
    let mut b = formatted(doubt);
    b.say("/undo a.txt");
    let (lane, _) = sought(&b).unwrap();
    let draft = proposing("a.txt", "one!\n2\n", "1\n2\n").proposals.remove(0);
    b.input(Input::TakeBackMade { lane, result: Ok(Reversal { draft, meets: met(true) }) }).unwrap();
    let text = b.session.state().open[&b.question(is_diff)].message.clone();
    assert!(text.contains("perhaps by someone else") && text.contains("changed since (line 1)"), "{text}");
}

#[test]
fn a_hunk_that_would_take_back_what_others_did_since_is_marked_and_wants_a_decision_of_its_own() {
    let mut b = formatted(Doubt::default());
    b.say("/undo a.txt");
    let (lane, _) = sought(&b).unwrap();
    let draft = proposing("a.txt", &NEW.replace("one", "mine"), OLD).proposals.remove(0);
    b.input(Input::TakeBackMade { lane, result: Ok(Reversal { draft, meets: met(true) }) }).unwrap();
    let p = b.session.state().open_proposals().next().unwrap();
    assert_eq!([p.meets(0), p.meets(1)], [true, false]);
    assert_eq!(p.chosen().into_iter().collect::<Vec<_>>(), [1], "what they did is left out");
    b.approve_all(None).unwrap();
    let taken = b.session.state().applies().values().next_back().unwrap().take[0].1.clone();
    assert_eq!(taken.into_iter().collect::<Vec<_>>(), [1]);
}

#[test]
fn of_a_file_that_is_gone_it_is_said_that_it_was_removed_since() {
    let mut b = formatted(Doubt::default());
    b.say("/undo a.txt");
    let (lane, _) = sought(&b).unwrap();
    let draft = proposing("a.txt", "", OLD).proposals.remove(0);
    let draft = pilothouse_core::tool::ProposalDraft { kind: ChangeKind::Create, before: None, ..draft };
    let meets = vec![pilothouse_core::diff::Lines::default()];
    b.input(Input::TakeBackMade { lane, result: Ok(Reversal { draft, meets }) }).unwrap();
    let text = b.session.state().open[&b.question(is_diff)].message.clone();
    assert!(text.ends_with("It has been removed since."), "{text}");
    assert!(b.approve_all(None).is_err(), "it comes back by a decision of its own");
}

#[test]
fn one_that_made_the_file_goes_back_by_its_word_and_a_control_file_by_its_own() {
    let mut b = formatted(Doubt::default());
    b.say("/undo a.txt");
    let (lane, _) = sought(&b).unwrap();
    let draft = proposing("a.txt", NEW, "").proposals.remove(0);
    assert_eq!((draft.kind, draft.hunks.len()), (ChangeKind::Delete, 1));
    b.input(Input::TakeBackMade { lane, result: Ok(Reversal { draft, meets: Vec::new() }) }).unwrap();
    assert!(b.approve_all(None).unwrap_err().reason.contains("needs a typed word"));
    b.approve_all(Some("delete")).unwrap();
    b.write();
    assert_eq!(b.session.state().ledger().len(), 2);
    let mut b = changed("AGENTS.md", Doubt::default());
    b.say("/undo AGENTS.md");
    let (lane, _) = sought(&b).unwrap();
    let draft = proposing("AGENTS.md", NEW, OLD).proposals.remove(0);
    b.input(Input::TakeBackMade { lane, result: Ok(Reversal { draft, meets: Vec::new() }) }).unwrap();
    assert!(b.approve_all(None).unwrap_err().reason.contains("control file"));
    b.approve_all(Some("control")).unwrap();
}

#[test]
fn a_process_that_ended_forgets_what_was_looked_for() {
    let mut b = formatted(Doubt::default());
    b.say("/undo a.txt");
    assert!(sought(&b).is_some());
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.pending().is_empty());
    let events = b.log.iter().filter(|e| matches!(e.event, Event::TakeBackSought { .. })).count();
    assert_eq!(events, 1);
    // And one that was proposed waits on.
    offered(&mut b);
    b.input(Input::Open(opening())).unwrap();
    let p = b.session.state().open_proposals().next().unwrap();
    assert!(b.session.state().diff_of(p.lane).is_some() && diff::lines(OLD.as_bytes()).len() == 9);
}

#[test]
fn a_stop_sets_aside_what_was_to_be_taken_back() {
    let mut b = formatted(Doubt::default());
    offered(&mut b);
    assert!(!b.session.state().is_at_rest(), "a stop finds something to end");
    b.input(Input::Cancel).unwrap();
    let state = b.session.state();
    assert_eq!((state.open_proposals().count(), state.set_aside().count(), state.open.len()), (0, 1, 0));
    assert!(state.is_at_rest() && b.input(Input::Cancel).is_err());
    b.say("/proposals all");
    b.question(is_diff);
}

#[test]
fn who_leaves_what_is_to_be_taken_back_finds_it_as_they_left_it() {
    let mut b = formatted(Doubt::default());
    offered(&mut b);
    decide(&mut b, 0, Decision::Taken);
    b.say("/exit");
    b.say("y");
    assert!(!b.notices().iter().any(|n| n.contains("Set aside")), "{:?}", b.notices());
    b.input(Input::Open(opening())).unwrap();
    let state = b.session.state();
    assert_eq!((state.open_proposals().count(), state.set_aside().count()), (1, 0));
    let p = state.open_proposals().next().unwrap();
    assert!(state.diff_of(p.lane).is_some() && p.decided[&0] == Decision::Taken);
}

#[test]
fn words_take_back_what_this_session_wrote_and_nothing_else_does() {
    let undone = |b: &Bench| {
        let word = b.log.iter().rev().find_map(|e| match &e.event {
            Event::IntentClassified { class, .. } => Some(class.clone()),
            _ => None,
        });
        word == Some(Turn::Control(Control::Other("undo".to_owned())))
    };
    for line in
        ["undo the last thing", "take that change back", "mach das rückgängig", "please undo your last edit"]
    {
        let mut b = formatted(Doubt::default());
        let foretold = b.session.foretell(line);
        assert!(foretold.does(&Deed::Undoes), "{line}");
        b.say(line);
        let reverts =
            b.session.pending().into_values().any(|w| matches!(w, Work::Revert { redo: false, .. }));
        assert!(reverts && undone(&b), "{line}: {:?}", b.names());
    }
    // Where something else may be meant nothing is taken back: a change in review, an answer.
    let back = |b: &Bench| b.names().iter().any(|n| n == "revert_started");
    for line in ["undo that", "take that change back", "undo your last edit", "mach das rückgängig"] {
        let mut b = crate::phases::running();
        b.reply("", &[("edit", edit_of("b.rs"))]);
        b.propose("b.rs", "1\n", "2\n");
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.reply("", &[("edit", edit_of("a.rs"))]);
        b.propose("a.rs", "1\n", "2\n");
        b.reply("done", &[]);
        b.question(is_diff);
        let refused = b.input(Input::say(line)).unwrap_err();
        assert!(
            refused.reason.contains("what is waiting for review; /undo takes back"),
            "{line}: {refused:?}"
        );
    }
    for (line, taken) in [("take that back", false), ("undo that", false), ("undo the last change", true)] {
        let mut b = formatted(Doubt::default());
        b.say("what does parse do?");
        b.reply("It reads.", &[]);
        drop(b.input(Input::say(line)));
        assert_eq!(back(&b), taken, "{line}: {:?}", b.notices());
    }
    let mut b = formatted(Doubt::default());
    b.say("undo a.txt");
    assert!(sought(&b).is_some() && undone(&b), "{:?}", b.names());
    // What it did not write is not its to take back, and where nothing stands the words are an order.
    for (mut b, line) in [
        (formatted(Doubt::default()), "undo b.txt"),
        (formatted(Doubt::default()), "revert the commit abc"),
        (formatted(Doubt::default()), "undo the rename in parse but keep the tests"),
        (Bench::new(), "undo the last thing"),
    ] {
        b.say(line);
        assert!(sought(&b).is_none() && !undone(&b), "{line}: {:?}", b.names());
        assert!(!b.names().iter().any(|n| n == "revert_started"), "{line}");
    }
}

#[test]
fn words_that_undo_a_file_leave_what_waits_of_it_at_once() {
    let waiting = |written: bool| {
        let mut b = crate::phases::running();
        let files = if written { &["CHANGELOG.md", "CHANGELOG.md"][..] } else { &["CHANGELOG.md"] };
        for (n, file) in files.iter().enumerate() {
            b.reply("", &[("edit", edit_of(file))]);
            b.propose(file, &format!("{n}\n"), &format!("{}\n", n + 1));
            b.reply("done", &[]);
            if n + 1 < files.len() {
                b.approve_all(None).unwrap();
                b.write();
            }
        }
        b.question(is_diff);
        b
    };
    for line in ["undo the changelog", "undo CHANGELOG.md", "/undo CHANGELOG.md", "revert the changelog"] {
        for written in [false, true] {
            let mut b = waiting(written);
            let ledger = b.session.state().ledger().len();
            assert!(b.session.foretell(line).does(&Deed::Leaves), "{line}");
            b.say(line);
            let state = b.session.state();
            assert!(state.open_proposals().next().is_none() && state.queue.works().count() == 0, "{line}");
            assert!(sought(&b).is_none() && state.ledger().len() == ledger, "{line}");
            let told = b.notices().last().cloned().unwrap_or_default();
            assert!(told.contains("What was waiting for CHANGELOG.md is left"), "{line}: {told}");
            assert_eq!(told.contains("/undo CHANGELOG.md"), written, "{line}: {told}");
        }
    }
    // What of it was taken waits to be written on.
    let mut b = crate::phases::running();
    b.reply("", &[("edit", edit_of("CHANGELOG.md"))]);
    b.propose("CHANGELOG.md", OLD, NEW);
    b.reply("done", &[]);
    decide(&mut b, 0, Decision::Taken);
    b.say("undo the changelog");
    let p = b.session.state().open_proposals().next().cloned().unwrap();
    assert_eq!(p.decided.values().copied().collect::<Vec<_>>(), [Decision::Taken, Decision::Left]);
}

/// Two steps were done, each with a file of its own; what the first wrote is proposed to go.
fn first_of_two_offered() -> (Bench, Proposal) {
    let mut b = Bench::new();
    b.say("fix the greeting");
    let steps = serde_json::json!([
        {"title": "Greet by name", "kind": "modify", "files": ["a.txt"]},
        {"title": "Mention it in the notes", "kind": "modify", "files": ["b.txt"], "after": [1]},
    ]);
    b.reply(
        "",
        &[("submit_plan", serde_json::json!({"title": "Greet by name and mention it", "tasks": steps}))],
    );
    b.answer(is_plan, Answer::Approve).unwrap();
    for file in ["a.txt", "b.txt"] {
        b.reply("", &[("edit", edit_of(file))]);
        b.propose(file, OLD, NEW);
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    b.say("undo a.txt");
    let offer = found(&mut b, Ok(NEW));
    (b, offer)
}

fn steps(b: &Bench) -> Vec<TaskStatus> {
    b.session.state().suspended.as_ref().unwrap().tasks.iter().map(|t| t.status).collect()
}

#[test]
fn a_step_of_which_all_was_picked_to_go_is_taken_back_and_no_commit_tells_it() {
    let (mut b, offer) = first_of_two_offered();
    assert_eq!((steps(&b), offer.hunks.len()), (vec![TaskStatus::Done; 2], 2));
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(steps(&b), [TaskStatus::TakenBack, TaskStatus::Done]);
    assert!(Session::replay(&b.log) == b.session);
    // Git may name a file that others changed as well.
    let facts = b.session.state().message_facts(|_| true, "");
    assert_eq!((facts.goals, facts.steps.len()), (vec!["Mention it in the notes".to_owned()], 0));
    b.input(Input::Undo).unwrap();
    let apply = b.session.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    assert_eq!(steps(&b), [TaskStatus::Done; 2], "it stands again");
    let facts = b.session.state().message_facts(|_| true, "");
    assert_eq!((facts.goals, facts.steps.len()), (vec!["Greet by name and mention it".to_owned()], 2));
    // What is not in the commit is not told in it.
    let facts = b.session.state().message_facts(|path| path.as_str() == "b.txt", "");
    assert_eq!(facts.goals, ["Mention it in the notes"]);
}

#[test]
fn a_step_of_which_a_hunk_stays_is_done_still_and_told() {
    let (mut b, _) = first_of_two_offered();
    decide(&mut b, 0, Decision::Taken);
    decide(&mut b, 1, Decision::Left);
    b.approve_all(None).unwrap();
    let (apply, mut files) = (b.writing(), b.prepared());
    files[0].after = Some(BlobId::of(b"a part of it"));
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    b.input(Input::ApplyEnded { apply, result: Ok(()) }).unwrap();
    assert_eq!(steps(&b), [TaskStatus::Done; 2]);
    let task = b.session.state().suspended.as_ref().unwrap().tasks[0].id;
    assert_eq!(b.session.state().standing_of_step(task), Some(Standing::Part));
    assert_eq!(b.session.state().message_facts(|_| true, "").steps.len(), 2);
}
