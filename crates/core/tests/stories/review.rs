//! What is proposed and how it is decided: taken, left, stale, back up to the plan.

use pilothouse_core::{diff::Version, event::Stamped, input::Rebased, proposal::Proposal, tool::Redraft};

use super::*;

#[test]
fn an_answer_is_bound_to_what_was_shown() {
    let mut b = reviewing();
    let p = b.session.state().open_proposals().next().unwrap().clone();
    let other = pilothouse_core::blob::BlobId::of(b"something else");
    assert!(b.input(Input::Apply { proposals: vec![(p.id, other)], word: None, rest: false }).is_err());
    let decide = Input::Decide { proposal: p.id, hunk: 0, decision: Some(Decision::Taken), shown: other };
    assert!(b.input(decide).is_err());
}

#[test]
fn a_removal_wants_its_word() {
    let mut b = Bench::new();
    b.say("delete the old file");
    b.plan(&[("Remove it", "delete")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("delete", json!({"path": "old/a.txt"}))]);
    b.propose("old/a.txt", "bye\n", "");
    b.reply("", &[]);
    assert!(b.approve_all(None).is_err());
    assert!(b.approve_all(Some("y")).is_err());
    let node = |b: &Bench| b.session.state().run_lane().unwrap().node;
    assert_eq!(node(&b), IntentNode::Modify, "delete is reached only by the word");
    b.approve_all(Some("a.txt")).unwrap();
    assert_eq!(node(&b), IntentNode::Delete);
    b.write();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn a_removal_is_taken_or_left_as_a_whole() {
    let mut b = Bench::new();
    b.say("delete the old file");
    b.plan(&[("Remove it", "delete")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("delete", json!({"path": "old/a.txt"}))]);
    b.propose("old/a.txt", "bye\nmine\n", "");
    b.reply("", &[]);
    let p = b.session.state().open_proposals().next().unwrap().clone();
    let left = Some(Decision::Left);
    let lines =
        |lines| Input::DecideLines { proposal: p.id, hunk: 0, lines, decision: left, shown: p.shown() };
    for part in [lines(1..2), Input::Split { proposal: p.id, hunk: 0, shown: p.shown() }] {
        let no = b.input(part).unwrap_err().reason;
        assert!(no.contains("as a whole"), "{no}");
    }
    // All of its lines are the whole of it.
    b.input(lines(0..2)).unwrap();
    assert_eq!(b.session.state().open_proposals().next().unwrap().decided.get(&0).copied(), left);
}

#[test]
fn auto_mode_applies_edits_but_not_removals() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the greeting");
    b.plan(&[("Fix", "modify")], &[]);
    b.reply("", &[("edit", edit_of("a.txt")), ("delete", json!({"path": "b.txt"}))]);
    b.propose("a.txt", "1\n", "2\n");
    b.propose("b.txt", "bye\n", "");
    b.reply("", &[]);
    b.write();
    assert!(b.session.state().diff_of(b.session.state().run_lane().unwrap().id).is_some());
    assert_eq!(b.session.state().open_proposals().count(), 1);
}

#[test]
fn a_stale_file_is_refused_and_shown_again() {
    let mut b = reviewing();
    b.approve_all(None).unwrap();
    let apply = b.writing();
    let p = b.session.state().proposals().values().next().unwrap().clone();
    let draft = proposing("a.txt", "0\n1\n", "0\none\n").proposals.remove(0);
    let again = Rebased { proposal: p.id, redraft: Redraft { draft, same: Vec::new() }, meets: Vec::new() };
    let fault = WriteFault { message: "a.txt changed".into(), stale: true, rebased: vec![again] };
    b.input(Input::ApplyPrepared { apply, files: Err(fault) }).unwrap();
    assert_eq!(phase(&b), Phase::Executing);
    let failed = b.log.iter().filter(|e| matches!(e.event, Event::ApplyFailed { .. })).count();
    let told = b.notices().iter().filter(|text| text.contains("a.txt changed")).count();
    assert_eq!((failed, told), (1, 0), "what happened once is told once");
    let again = b.session.state().open_proposals().next().unwrap().clone();
    assert_ne!(again.shown(), p.shown());
    assert!(b.input(Input::Apply { proposals: vec![(p.id, p.shown())], word: None, rest: false }).is_err());
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn what_both_changed_is_written_unasked_in_no_mode() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the greeting");
    b.plan(&[("Fix", "modify")], &[]);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.reply("", &[]);
    let apply = b.writing();
    let p = b.session.state().proposals().values().next().unwrap().clone();
    let draft = proposing("a.txt", "mine\n", "one\n").proposals.remove(0);
    let rebased =
        vec![Rebased { proposal: p.id, redraft: Redraft { draft, same: Vec::new() }, meets: met(true) }];
    let fault = WriteFault { message: "a.txt changed".into(), stale: true, rebased };
    b.input(Input::ApplyPrepared { apply, files: Err(fault) }).unwrap();
    b.question(is_diff);
    // What is said has the step go on, and its end comes to the review once more.
    b.input(Input::Tell("call it one".into())).unwrap();
    b.reply("it is called so", &[]);
    b.question(is_diff);
    assert!(b.session.pending().is_empty(), "{:?}", b.session.pending());
}

#[test]
fn what_was_decided_of_a_hunk_holds_on_where_others_changed_the_file_elsewhere() {
    let far = "-\n".repeat(9);
    let text = |first: &str, last: &str, end: &str| format!("{first}\n{far}{last}\n{far}{end}\n");
    let (before, after) = (text("1", "2", "3"), text("one", "two", "three"));
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", &before, &after);
    b.reply("done", &[]);
    let p = b.session.state().open_proposals().next().unwrap().clone();
    for (hunk, decision) in [(0, Decision::Left), (1, Decision::Taken), (2, Decision::Taken)] {
        b.input(Input::Decide { proposal: p.id, hunk, decision: Some(decision), shown: p.shown() }).unwrap();
    }
    let text_of_it = "in capitals please".to_owned();
    b.input(Input::Comment { proposal: p.id, hunk: 0, text: text_of_it, shown: p.shown() }).unwrap();
    b.approve_all(None).unwrap();
    let apply = b.writing();
    let (now, rebased) =
        (text("mine\n1", "2", "drei"), text("mine\n1", "two", "three").replace("1\n", "one\n"));
    let draft = proposing("a.txt", &now, &rebased).proposals.remove(0);
    let older = Version { before: before.as_bytes(), after: after.as_bytes(), hunks: &p.hunks };
    let redraft = Redraft::since(older, draft);
    assert_eq!(redraft.same, [None, Some(1), None], "others changed what stands at two of them");
    let rebased = vec![Rebased { proposal: p.id, redraft, meets: met(true) }];
    let fault = WriteFault { message: "a.txt changed".into(), stale: true, rebased };
    b.input(Input::ApplyPrepared { apply, files: Err(fault) }).unwrap();
    let again = b.session.state().open_proposals().next().unwrap().clone();
    assert_eq!(again.decided, [(1, Decision::Taken)].into());
    assert_eq!([0, 1, 2].map(|hunk| again.meets(hunk)), [true, false, false]);
    assert_ne!(again.shown(), p.shown());
    // With the rest, what others changed as well waits on: where that is all there is, nothing becomes of the file.
    let decide = |hunk, decision| Input::Decide {
        proposal: again.id,
        hunk,
        decision: Some(decision),
        shown: again.shown(),
    };
    let apply = Input::Apply { proposals: vec![(again.id, again.shown())], word: None, rest: true };
    b.input(decide(1, Decision::Left)).unwrap();
    b.input(decide(2, Decision::Left)).unwrap();
    let refusal = b.input(apply.clone()).unwrap_err();
    assert!(refusal.reason.contains("take or leave each hunk"), "{refusal}");
    assert!(b.session.state().open_proposals().any(|p| p.id == again.id));
    b.input(decide(2, Decision::Taken)).unwrap();
    b.input(apply).unwrap();
    let take = &b.session.state().applies()[&b.writing()].take;
    assert_eq!(take[..], [(again.id, [2].into())]);
}

#[test]
fn what_was_to_run_behind_a_change_that_was_left_or_commented_is_not_asked_about() {
    let far = "-\n".repeat(9);
    let text = |first: &str, last: &str| format!("{first}\n{far}{last}\n");
    for (left, said, why) in [
        (true, false, Some("the user left part of the change to a.txt")),
        (false, true, Some("the user said something about the change to a.txt")),
        (false, false, None),
    ] {
        let mut b = Bench::new();
        b.say("fix the greeting");
        b.plan(&[("Fix it", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.txt")), ("run", serde_json::json!({"command": "make x"}))]);
        b.propose("a.txt", &text("1", "2"), &text("one", "two"));
        let p = b.session.state().open_proposals().next().unwrap().clone();
        for (hunk, leaves) in [(0, false), (1, left)] {
            let decision = Some(if leaves { Decision::Left } else { Decision::Taken });
            b.input(Input::Decide { proposal: p.id, hunk, decision, shown: p.shown() }).unwrap();
        }
        if said {
            let text = "in capitals please".to_owned();
            b.input(Input::Comment { proposal: p.id, hunk: 0, text, shown: p.shown() }).unwrap();
        }
        b.approve_all(None).unwrap();
        b.write();
        let end = b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { status: CallStatus::Refused, result, .. } => Some(result.head.clone()),
            _ => None,
        });
        let asked = b.session.state().open.values().any(|c| is_risk(&c.kind));
        assert_eq!(asked, why.is_none(), "{left} {said}: {end:?}");
        assert!(why.is_none_or(|why| end.as_ref().is_some_and(|end| end.contains(why))), "{end:?}");
        // Its next reply is free again.
        if why.is_some() {
            b.reply("", &[("run", serde_json::json!({"command": "make x"}))]);
            b.question(is_risk);
        }
    }
}

#[test]
fn up_goes_back_to_the_same_plan_and_writes_nothing() {
    let mut b = reviewing();
    let p = b.session.state().open_proposals().next().unwrap().clone();
    let taken = Some(Decision::Taken);
    b.input(Input::Decide { proposal: p.id, hunk: 0, decision: taken, shown: p.shown() }).unwrap();
    let step = b.input(Input::Up).unwrap();
    assert!(starts(&step).is_empty());
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    assert_eq!(b.session.state().open_proposals().count(), 0);
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].status, TaskStatus::Pending);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.question(is_diff);
    let again = b.session.state().open_proposals().next().unwrap();
    assert_eq!((again.id, again.decided.get(&0).copied()), (p.id, taken), "everything is kept");
    assert!(b.session.pending().is_empty());
}

#[test]
fn skipping_everything_skips_the_task() {
    let mut b = reviewing();
    let proposals = b.session.state().open_proposals().map(|p| p.id).collect();
    b.input(Input::Skip { proposals, reason: "not like this".into() }).unwrap();
    assert!(b.names().contains(&"task_skipped".into()));
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn lines_of_a_hunk_are_decided_by_themselves() {
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("b.txt"))]);
    let (before, after) = ("1\n2\n3\n4\n", "a\nb\nc\nd\ne\n");
    b.propose("b.txt", before, after);
    b.reply("done", &[]);
    let p =
        |b: &Bench| b.session.state().open_proposals().find(|p| p.path.as_str() == "b.txt").unwrap().clone();
    let first = p(&b);
    assert_eq!((first.hunks.len(), first.hunks[0].lines().len()), (1, 5));
    let about = |p: &pilothouse_core::proposal::Proposal, hunk, lines, decision| Input::DecideLines {
        proposal: p.id,
        hunk,
        lines,
        decision: Some(decision),
        shown: p.shown(),
    };
    for wrong in [4..6, 2..2, 5..6] {
        assert!(b.input(about(&first, 0, wrong, Decision::Taken)).is_err());
    }
    b.input(about(&first, 0, 1..3, Decision::Taken)).unwrap();
    assert!(b.input(about(&first, 0, 0..1, Decision::Taken)).is_err(), "it is another by now than was shown");
    let split = p(&b);
    assert_eq!((split.hunks.len(), split.tally()), (3, (1, 0, 2)));
    b.input(about(&split, 2, 1..2, Decision::Left)).unwrap();
    let split = p(&b);
    assert_eq!((split.hunks.len(), split.tally()), (4, (1, 1, 2)));
    // All lines of a hunk are the hunk.
    b.input(about(&split, 2, 0..1, Decision::Taken)).unwrap();
    let split = p(&b);
    assert_eq!((split.hunks.len(), split.tally()), (4, (2, 1, 1)));
    let made =
        pilothouse_core::diff::select(before.as_bytes(), after.as_bytes(), &split.hunks, &split.chosen());
    assert_eq!(String::from_utf8_lossy(&made), "1\nb\nc\nd\n");
}

#[test]
fn what_was_written_over_an_edit_of_others_is_known_line_by_line() {
    let text = |first: &str, last: &str| format!("{first}\n{}{last}\n", "-\n".repeat(9));
    let mut b = crate::phases::running();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    let path = pilothouse_core::relpath::RelPath::new("a.txt").unwrap();
    let seen = vec![(path.clone(), pilothouse_core::blob::BlobId::of(text("a", "1").as_bytes()))];
    let outcome = proposing("a.txt", &text("a", "1"), &text("a", "one\ntwo"));
    b.end_tool(pilothouse_core::tool::ToolOutcome { seen, ..outcome });
    b.reply("", &[("run", json!({"command": "make"}))]);
    b.approve_all(None).unwrap();
    let apply = b.writing();
    let p = b.session.state().open_proposals().next();
    assert!(p.is_none());
    let p = b.session.state().proposals().values().next().unwrap().clone();
    let (now, after) = (text("mine\na", "1"), text("mine\na", "one\ntwo"));
    let draft = proposing("a.txt", &now, &after).proposals.remove(0);
    let again = Rebased { proposal: p.id, redraft: Redraft { draft, same: Vec::new() }, meets: Vec::new() };
    let fault = WriteFault { message: "a.txt changed".into(), stale: true, rebased: vec![again] };
    b.input(Input::ApplyPrepared { apply, files: Err(fault) }).unwrap();
    b.approve_all(None).unwrap();
    b.write();
    let state = b.session.state();
    let lane = state.run_lane().unwrap();
    let (of, lines) = state.view(lane).parts[&path].clone();
    assert_eq!(of, pilothouse_core::blob::BlobId::of(after.as_bytes()));
    assert_eq!(lines, [pilothouse_core::diff::Lines { start: 11, len: 2 }], "the first is of others");
}

/// Two changes with two hunks each and a removal wait, and of each change the first hunk is taken.
fn half_decided() -> Bench {
    let mut b = Bench::new();
    b.say("fix the greeting and delete the old file");
    b.plan(&[("Fix it", "delete")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply(
        "",
        &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt")), ("delete", json!({"path": "c.txt"}))],
    );
    let far = "-\n".repeat(9);
    let text = |first: &str, last: &str| format!("{first}\n{far}{last}\n");
    for file in ["a.txt", "b.txt"] {
        b.propose(file, &text("1", "2"), &text("one", "two"));
    }
    b.propose("c.txt", "bye\n", "");
    b.reply("done", &[]);
    for p in waiting(&b) {
        if p.hunks.len() > 1 {
            let decision = Some(if p.path.as_str() == "a.txt" { Decision::Taken } else { Decision::Left });
            b.input(Input::Decide { proposal: p.id, hunk: 0, decision, shown: p.shown() }).unwrap();
        }
    }
    b
}

fn waiting(b: &Bench) -> Vec<Proposal> {
    b.session.state().open_proposals().cloned().collect()
}

/// Of each file whether each of its hunks is taken, as far as it is decided.
fn decisions(b: &Bench) -> Vec<Vec<(usize, Decision)>> {
    let of = |p: &Proposal| p.decided.iter().map(|(hunk, decision)| (*hunk, *decision)).collect();
    b.session.state().proposals().values().map(of).collect()
}

#[test]
fn with_the_rest_all_that_is_not_left_is_written_in_one_step() {
    let mut b = half_decided();
    let proposals: Vec<_> = waiting(&b).iter().map(|p| (p.id, p.shown())).collect();
    let word = Some("delete".to_owned());
    let step = b.input(Input::Apply { proposals: proposals.clone(), word, rest: true }).unwrap();
    let taken = |e: &Stamped| matches!(e.event, Event::HunkDecided { decision: Some(Decision::Taken), .. });
    assert_eq!(step.events.iter().filter(|e| taken(e)).count(), 2, "{:?}", step.events);
    let written = step.events.iter().find_map(|e| match &e.event {
        Event::ApplyApproved { take, .. } => Some(take.clone()),
        _ => None,
    });
    let hunks: Vec<Vec<usize>> =
        written.unwrap().iter().map(|(_, hunks)| hunks.iter().copied().collect()).collect();
    assert_eq!(hunks, [vec![0, 1], vec![1], vec![0]]);
    // Without it what is undecided waits on.
    let mut b = half_decided();
    let first = proposals[..1].to_vec();
    b.input(Input::Apply { proposals: first, word: None, rest: false }).unwrap();
    assert_eq!(decisions(&b)[0], [(0, Decision::Taken)]);
}

#[test]
fn where_the_rest_is_refused_nothing_is_decided() {
    let mut b = half_decided();
    let before = decisions(&b);
    let proposals: Vec<_> = waiting(&b).iter().map(|p| (p.id, p.shown())).collect();
    let other = pilothouse_core::blob::BlobId::of(b"something else");
    let stale = proposals.iter().map(|(id, shown)| (*id, if *id == proposals[1].0 { other } else { *shown }));
    let stale: Vec<_> = stale.collect();
    for (proposals, word) in [(proposals.clone(), None), (stale, Some("delete".to_owned()))] {
        assert!(b.input(Input::Apply { proposals, word, rest: true }).is_err());
        assert_eq!(decisions(&b), before);
    }
    // A removal of which only the rest would be written wants its word as well.
    let mut b = half_decided();
    let removal = waiting(&b).iter().find(|p| p.path.as_str() == "c.txt").map(|p| (p.id, p.shown())).unwrap();
    assert!(b.input(Input::Apply { proposals: vec![removal], word: None, rest: true }).is_err());
}
