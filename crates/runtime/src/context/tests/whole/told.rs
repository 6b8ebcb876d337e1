//! What is told of what ended early, of what came later, and of where things stand now.

use pilothouse_core::{
    input::{Rebased, WriteFault},
    intent::Phase,
};

use super::*;

fn fault(kind: FaultKind) -> Fault {
    Fault { kind, message: "the connection was closed".into(), hint: String::new(), status: None }
}

/// All that the newest lane's model is told.
fn told(b: &Bench) -> String {
    let messages = b.request().messages;
    messages.into_iter().map(|m| m.text).collect::<Vec<_>>().join("\n\n")
}

/// A plan with these steps of `a.txt`, approved.
fn planned(titles: &[&str]) -> Bench {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let steps: Vec<String> =
        titles.iter().map(|t| format!(r#"{{"title": "{t}", "files": ["a.txt"]}}"#)).collect();
    b.reply("", &[("c1", "submit_plan", &format!(r#"{{"title": "P", "tasks": [{}]}}"#, steps.join(",")))]);
    if b.session.state().phase == Phase::AwaitingApproval {
        b.step(Input::say("y"));
    }
    b
}

#[test]
fn a_reply_that_broke_off_was_stopped_by_nobody() {
    let mut b = Bench::new();
    b.step(Input::say("what is in a.txt?"));
    let call = b.lane().thinking.unwrap();
    let partial = Box::new(ModelReply { text: "It holds".into(), ..ModelReply::default() });
    b.step(Input::BrokenOff { call, partial, fault: fault(FaultKind::Stalled) });
    b.step(Input::say("and in b.txt?"));
    let all = told(&b);
    assert!(all.contains("It holds\n[the reply broke off here]"), "{all}");
    assert!(!all.contains("stopped by the user"), "{all}");
}

#[test]
fn what_was_stopped_before_it_was_answered_or_planned_is_told_as_that() {
    let mut b = Bench::new();
    b.step(Input::say("what is in a.txt?"));
    b.step(Input::Cancel);
    b.step(Input::say("create notes.txt"));
    b.step(Input::Cancel);
    b.step(Input::say("where is it?"));
    let all = told(&b);
    let at = |part: &str| all.find(part).unwrap_or_else(|| panic!("{part}: {all}"));
    let order = [
        at("what is in a.txt?"),
        at("The user stopped this before it was answered."),
        at("create notes.txt"),
        at("The user stopped this before there was a plan"),
        at("where is it?"),
    ];
    assert!(order.is_sorted(), "{order:?}: {all}");
}

#[test]
fn a_question_that_was_stopped_while_it_asked_for_more_stays_in_what_is_told() {
    let mut b = Bench::new();
    b.step(Input::say("why does the test fail?"));
    b.reply("The check is wrong.", &[("c1", "request_path", r#"{"node": "modify", "reason": "mend it"}"#)]);
    b.step(Input::say("create notes.txt"));
    b.step(Input::Cancel);
    b.step(Input::Cancel);
    b.step(Input::say("where is it?"));
    let all = told(&b);
    assert!(all.contains("why does the test fail?"), "{all}");
}

#[test]
fn a_step_that_was_added_is_told_whole_and_counted() {
    let mut b = planned(&["One"]);
    b.step(Input::say("also run the tests"));
    b.reply("nothing to change: it is so", &[]);
    let all = told(&b);
    assert!(all.contains("<task number=\"2\" of=\"2\">\n<title>Run the tests</title>"), "{all}");
    assert!(all.contains("task at hand: 2 of 2"), "{all}");
}

#[test]
fn a_plan_that_is_taken_up_again_was_edited_by_nobody() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let plan = r#"{"title": "P", "tasks": [{"title": "One", "files": ["a.txt"]}, {"title": "Two", "files": ["b.txt"]}]}"#;
    b.reply("", &[("c1", "submit_plan", plan)]);
    let document = b.session.state().plan.as_ref().unwrap();
    let (text, version) = (document.document().replace("Two", "Second"), document.version);
    b.step(Input::EditPlan { text, version });
    b.step(Input::say("y"));
    b.step(Input::Cancel);
    b.step(Input::say("/redo"));
    b.step(Input::say("y"));
    let all = told(&b);
    assert!(all.contains("The plan is taken up again: P"), "{all}");
    assert_eq!(all.matches("The user edited the plan").count(), 1, "{all}");
}

#[test]
fn a_plan_is_approved_once_however_often_its_run_begins() {
    let mut b = planned(&["One", "Two"]);
    let call = b.lane().thinking.unwrap();
    b.step(Input::Replied { call, reply: Err(fault(FaultKind::Unreachable)) });
    b.step(Input::say("r"));
    let all = told(&b);
    assert!(all.contains("The user wants it tried again."), "{all}");
    assert_eq!(all.matches("The plan is approved").count(), 1, "{all}");
}

/// The agent runs the line of its gate, which is red: its own run says the same of the same files.
#[test]
fn what_a_red_gate_said_stands_once_where_an_agent_ran_its_line() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let plan =
        r#"{"title": "P", "tasks": [{"title": "One"}], "gates": [{"name": "t", "command": "make test"}]}"#;
    b.reply("", &[("p", "submit_plan", plan)]);
    b.step(Input::say("y"));
    b.edit("a.txt", "a\n", "b\n");
    b.reply("", &[("r", "run", r#"{"command": "make test"}"#)]);
    b.take(&[0]);
    b.approve();
    let call = b.lane().head().unwrap().call;
    let tree = BlobId::of(b"files");
    let exit = Exit {
        code: Some(2),
        signal: None,
        timed_out: false,
        took: Millis(5),
        process: None,
        put_back: false,
    };
    let outcome = ToolOutcome {
        exit: Some(exit),
        failed: true,
        trees: Some(pilothouse_core::tool::Trees { before: tree, after: tree }),
        ..ToolOutcome::text("exit 2, took 0.0 s\nleft: 1, right: 2", "exit 2")
    };
    b.step(Input::ToolEnded { call, outcome });
    let all = told(&b);
    assert!(all.contains("gate t failed: `make test`, exit 2; what it said stands above"), "{all}");
    assert_eq!(all.matches("left: 1, right: 2").count(), 1, "{all}");
}

#[test]
fn what_was_found_before_a_file_was_written_says_so() {
    let mut b = planned(&["One"]);
    let prior =
        "<orchestrator_prior_research>\nsrc/a.rs:3 lacks a check; src/b.rs:1\n</orchestrator_prior_research>";
    let last = |b: &Bench| {
        let around = Circumstances { prior: prior.to_owned(), ..Bench::around(Window::of(None)) };
        let lane = b.lane();
        let told = request(b.session.state(), lane.id, lane.offer(), Vec::new(), b, &around).unwrap();
        told.request.messages.last().unwrap().text.clone()
    };
    assert!(!last(&b).contains("Written since that was found"));
    b.edit("src/a.rs", "a\n", "b\n");
    b.reply("Done.", &[]);
    b.take(&[0]);
    b.step(Input::say("where is it?"));
    let told = last(&b);
    assert!(
        told.contains("Written since that was found, so look there again before you go by it: src/a.rs\n"),
        "{told}"
    );
}

#[test]
fn a_step_that_changed_no_file_that_it_names_is_told_as_that() {
    let mut b = planned(&["One", "Two"]);
    b.edit("src/a.rs", "a\n", "b\n");
    b.reply("I must stop here.", &[]);
    b.take(&[0]);
    let all = told(&b);
    assert!(all.contains("task 1 of 2: done, its file a.txt was not changed"), "{all}");
}

#[test]
fn what_was_said_of_a_hunk_names_its_lines_as_they_are_now() {
    let mut b = planned(&["One"]);
    let lines = (1..=30).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
    let after = lines.replacen("2\n", "2\nnew\nnewer\n", 1).replacen("25\n", "changed\n", 1);
    b.edit("src/a.rs", &lines, &after);
    b.reply("Done.", &[]);
    let (proposal, shown) = b.session.state().open_proposals().map(|p| (p.id, p.shown())).next().unwrap();
    b.step(Input::Comment { proposal, hunk: 1, text: "shorter".into(), shown });
    b.take(&[0, 1]);
    b.step(Input::say("where is it?"));
    let all = told(&b);
    assert!(all.contains("the user says to src/a.rs hunk 2 (line 27): shorter"), "{all}");
}

#[test]
fn words_to_a_hunk_ask_for_another_proposal_only_where_it_was_left() {
    for (taken, anew) in [(&[0, 1][..], false), (&[0], true)] {
        let mut b = planned(&["One"]);
        let lines = (1..=30).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
        let after = lines.replacen("2\n", "2\nnew\n", 1).replacen("25\n", "changed\n", 1);
        b.edit("src/a.rs", &lines, &after);
        b.reply("Done.", &[]);
        let p = b.session.state().open_proposals().next().unwrap();
        let (proposal, shown) = (p.id, p.shown());
        b.step(Input::Comment { proposal, hunk: 1, text: "shorter".into(), shown });
        b.take(taken);
        let all = told(&b);
        assert_eq!(all.contains("): shorter\n(propose it anew as these words want it"), anew, "{all}");
    }
}

#[test]
fn what_the_user_takes_back_of_a_write_is_told_as_theirs_and_what_they_leave_is_not_told() {
    let (old, new) = ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", old, new);
    b.reply("Done.", &[]);
    b.take(&[0, 1]);
    let path = RelPath::new("src/a.rs").unwrap();
    let writes = b.session.state().ledger().to_vec();
    for (taken, draft) in [(vec![], draft("src/a.rs", new, old)), (vec![0], draft("src/a.rs", new, old))] {
        b.step(Input::UndoFile { path: path.clone(), writes: writes.clone() });
        let find = |k: &WorkKey| if let WorkKey::TakeBack(lane) = k { Some(*lane) } else { None };
        let lane = b.session.pending().keys().find_map(find).unwrap();
        let made = pilothouse_core::input::Reversal { draft, meets: Vec::new() };
        b.step(Input::TakeBackMade { lane, result: Ok(made) });
        b.take(&taken);
    }
    let apply = *b.session.state().ledger().last().unwrap();
    b.step(Input::Undo);
    b.step(Input::RevertEnded { apply, result: Ok(true) });
    b.step(Input::Cancel);
    b.step(Input::say("what does lib.rs do?"));
    let told = told(&b);
    assert!(told.contains("what was taken back stands again, put there by the user: src/a.rs"), "{told}");
    assert!(!told.contains("undone by the user"), "{told}");
    assert!(told.contains("taken back by the user in part: src/a.rs (+1 -1)"), "{told}");
    assert!(told.contains("     1  1"), "it is told how that reads now: {told}");
    assert!(!told.contains("left by the user"), "{told}");
}

#[test]
fn a_write_that_failed_first_is_told_before_the_one_that_came_of_it() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.reply("", &[("e", "edit", EDIT), ("r", "run", r#"{"command":"cat src/a.rs"}"#)]);
    b.proposed("src/a.rs", "one\n", "two\n");
    let p = b.session.state().open_proposals().next().unwrap().clone();
    let shown = p.shown();
    b.step(Input::Decide { proposal: p.id, hunk: 0, decision: Some(Decision::Taken), shown });
    b.step(Input::Apply { proposals: vec![(p.id, shown)], word: None, rest: false });
    let find = |k: &WorkKey| if let WorkKey::Prepare(apply) = k { Some(*apply) } else { None };
    let apply = b.session.pending().keys().find_map(find).unwrap();
    let redraft = Redraft { draft: draft("src/a.rs", "0\none\n", "0\ntwo\n"), same: vec![None] };
    let rebased = vec![Rebased { proposal: p.id, redraft, meets: Vec::new() }];
    let message = "src/a.rs has changed since".to_owned();
    b.step(Input::ApplyPrepared { apply, files: Err(WriteFault { message, stale: true, rebased }) });
    b.take(&[0]);
    b.end("what it printed");
    let told = told(&b);
    let at = |part: &str| {
        assert_eq!(told.matches(part).count(), 1, "{part}: {told}");
        told.find(part).unwrap()
    };
    let order = [at("not written: src/a.rs has changed"), at("applied: src/a.rs"), at("what it printed")];
    assert!(order.is_sorted(), "{order:?}: {told}");
}
