//! A yes to what the agent offers, and what an answer that was let write comes to.

use pilothouse_core::{
    checkpoint::Answer,
    event::{Event, RunStatus},
    input::{Fork, Input, Opening},
    intent::Phase,
    plan::GateDraft,
    session::{Bounds, Extent, Session},
    tool::Tool,
    trust::{Standing, Trust},
};
use serde_json::json;

use crate::{gates::red, phase, support::*};

const OFFER: &str = "It should be two.\n\nShall I mend that and add a test?";

/// A question whose agent answered with these words, in a folder of this standing with a check that was found.
fn told(trust: Trust, answer: &str) -> Bench {
    let standing = Standing { trust, ..Standing::default() };
    let mut b = Bench::opened(Opening { standing, ..opening() });
    let (name, command) = ("test (found)".to_owned(), "cargo test".to_owned());
    b.session.set_gates(vec![GateDraft { name, command, after: Vec::new(), found: true }]);
    b.say("is the result of a.rs right?");
    b.reply(answer, &[]);
    b
}

/// The agent changes the file, and all of that is written; what it runs after that ends so.
fn changes(b: &mut Bench, path: &str, check: Option<(&str, i32)>) {
    b.reply("", &[("edit", edit_of(path))]);
    b.propose(path, "1\n", "2\n");
    if let Some((line, code)) = check {
        b.reply("", &[("run", json!({ "command": line }))]);
        b.approve_all(None).unwrap();
        b.write();
        if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
            b.answer(is_risk, Answer::Approve).unwrap();
        }
        b.end_tool(exited(code, "exit"));
        b.reply("Done.", &[]);
    } else {
        b.reply("Done.", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
}

fn ended(b: &Bench) -> (RunStatus, String) {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { status, summary, .. } => Some((*status, summary.clone())),
        _ => None,
    });
    end.unwrap()
}

#[test]
fn a_yes_to_an_offer_to_change_is_that_consent() {
    for line in ["yes", "yes please", "ok, do it"] {
        let mut b = told(Trust::None, OFFER);
        b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}: {:?}", b.names());
        b.reply("", &[("edit", edit_of("a.rs"))]);
        assert_eq!(b.tool().1, Tool::Edit, "{line}");
        b.propose("a.rs", "1\n", "2\n");
        b.reply("Done.", &[]);
        b.question(is_diff);
    }
    // It reaches as far as the offer.
    for (answer, line) in [
        ("It is right.", "yes"),
        ("It should be two.\n\nShall I explain why?", "yes"),
        ("It is not used.\n\nShall I delete a.rs?", "yes"),
        (OFFER, "yes, why not?"),
    ] {
        let mut b = told(Trust::None, answer);
        b.say(line);
        assert_ne!(phase(&b), Phase::Executing, "{answer} {line}");
        b.reply("", &[("request_path", json!({"node": "modify", "reason": "mend it"}))]);
        b.question(is_transition);
    }
}

#[test]
fn a_yes_answers_in_a_copy_what_was_offered_before() {
    let b = told(Trust::None, OFFER);
    let folder = b.session.state().folder.clone();
    for (imported, begins) in [(false, true), (true, false)] {
        let mut copy = Bench { session: Session::replay(&b.log), log: b.log.clone(), clock: b.clock };
        copy.input(Input::Fork(Fork { slug: "s".into(), folder: folder.clone(), imported })).unwrap();
        copy.say("yes");
        assert_eq!(phase(&copy) == Phase::Executing, begins, "imported {imported}: {:?}", copy.names());
    }
}

#[test]
fn what_an_answer_changed_is_checked_as_a_plan_is() {
    for agreed in [true, false] {
        let mut b = told(Trust::Once, OFFER);
        assert!(b.session.checks_unasked() && !told(Trust::None, OFFER).session.checks_unasked());
        if agreed {
            b.say("yes");
        } else {
            b.say("why is the result wrong?");
            b.reply("", &[("request_path", json!({"node": "modify", "reason": "mend it"}))]);
            b.answer(is_transition, Answer::Approve).unwrap();
        }
        changes(&mut b, "a.rs", None);
        b.answer(is_risk, Answer::Approve).unwrap();
        assert_eq!(b.tool().1, Tool::Run, "the found test is its gate");
        b.end_tool(exited(1, "error: it is three"));
        b.question(is_failure);
        b.answer(is_failure, Answer::AutoFix).unwrap();
        b.reply("", &[("edit", edit_of("a.rs"))]);
        b.propose("a.rs", "2\n", "3\n");
        b.reply("", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(0, "ok"));
        assert_eq!(ended(&b), (RunStatus::Completed, "Complete. 1 file created/modified.".into()));
        assert_eq!(phase(&b), Phase::Idle);
    }
    // A stop at the gate leaves no plan behind: nobody made one.
    let mut b = told(Trust::Once, OFFER);
    b.say("yes");
    changes(&mut b, "a.rs", None);
    b.input(Input::Cancel).unwrap();
    let state = b.session.state();
    assert_eq!((phase(&b), state.plan_aside().map(|p| p.title.clone())), (Phase::Idle, None));
    assert!(!b.notices().iter().any(|n| n.contains("/redo")), "{:?}", b.notices());
    assert!(b.input(Input::say("/proposals plan")).is_err());
    assert!(b.input(Input::say("/redo")).is_err());
    assert!(Session::replay(&b.log) == b.session);
    // Where no test tells of it, and where gates ask, none is run.
    for (trust, path) in [(Trust::Once, "README.md"), (Trust::None, "a.rs")] {
        let mut b = told(trust, OFFER);
        b.say("yes");
        changes(&mut b, path, None);
        assert_eq!(phase(&b), Phase::Idle, "{path}");
        assert!(b.session.state().open.is_empty(), "{path}");
    }
}

#[test]
fn no_run_is_complete_over_a_check_of_its_agent_that_failed_last() {
    for (code, said) in [
        (1, (RunStatus::Ended, "Ended: its last check, `cargo test`, failed.")),
        (0, (RunStatus::Completed, "Complete. 1 file created/modified.")),
    ] {
        let mut b = told(Trust::None, OFFER);
        b.say("yes");
        changes(&mut b, "a.rs", Some(("cargo test", code)));
        assert_eq!(ended(&b), (said.0, said.1.to_owned()));
        let mut b = told(Trust::None, OFFER);
        b.say("fix the bug in a.rs");
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        changes(&mut b, "a.rs", Some(("cargo test", code)));
        assert_eq!(ended(&b), (said.0, said.1.to_owned()));
    }
}

/// What ran after the last change is told where no gate checked it.
#[test]
fn the_end_tells_which_check_passed_after_the_last_change() {
    for (line, code, told_as) in [
        ("python -m pytest -q", 0, Some("no gate; `python -m pytest -q` passed (exit 0)")),
        ("make all", 0, Some("not checked: no gate; `make all` ended with exit 0")),
        ("pytest", 1, None),
    ] {
        let mut b = told(Trust::None, OFFER);
        b.say("yes");
        changes(&mut b, "a.rs", Some((line, code)));
        let came_to = b.log.iter().rev().find_map(|e| match &e.event {
            Event::RunCompleted { came_to, .. } => came_to.clone(),
            _ => None,
        });
        assert_eq!(came_to.unwrap().unchecked().as_deref(), told_as, "{line}");
    }
    let mut b = told(Trust::None, OFFER);
    b.say("yes");
    changes(&mut b, "a.rs", None);
    let came_to = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, .. } => came_to.clone(),
        _ => None,
    });
    assert_eq!(came_to.unwrap().unchecked().as_deref(), Some("not checked: nothing was run"));
}

/// Each part of a joined line may be run again by itself, by the agent or as a gate.
#[test]
fn a_red_line_of_several_checks_is_run_again_where_each_of_them_passed_since() {
    const ENDED: &str = "Ended: its last check, `cargo test && cargo clippy`, failed.";
    const COMPLETE: &str = "Complete. 1 file created/modified.";
    for (parts, between, gates, said) in [
        (vec!["cargo test"], false, vec![("lint", "cargo clippy")], COMPLETE),
        (vec!["cargo test", "cargo clippy"], false, vec![], COMPLETE),
        // What passed before another change passed on other files.
        (vec!["cargo test", "cargo clippy"], true, vec![], ENDED),
        (vec!["cargo test", "cargo clippy", "cargo test"], true, vec![], ENDED),
        (vec!["cargo test"], false, vec![], ENDED),
    ] {
        let mut b = told(Trust::None, OFFER);
        b.say("fix the bug in a.rs");
        b.plan(&[("One", "modify")], &gates);
        b.answer(is_plan, Answer::Approve).unwrap();
        let run = |b: &mut Bench, line: &str, code: i32, writes: bool| {
            b.reply("", &[("run", json!({"command": line}))]);
            if writes {
                b.approve_all(None).unwrap();
                b.write();
            }
            if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
                b.answer(is_risk, Answer::Approve).unwrap();
            }
            b.end_tool(exited(code, "3 tests"));
        };
        run(&mut b, "cargo test && cargo clippy", 1, false);
        for (n, part) in parts.iter().enumerate() {
            let writes = n == 0 || between;
            if writes {
                b.reply("", &[("edit", edit_of("a.rs"))]);
                b.propose("a.rs", &format!("{n}\n"), &format!("{}\n", n + 1));
            }
            run(&mut b, part, 0, writes);
        }
        b.reply("It is two now.", &[]);
        if !gates.is_empty() {
            if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
                b.answer(is_risk, Answer::Approve).unwrap();
            }
            b.end_tool(exited(0, "fine"));
        }
        assert_eq!(ended(&b).1, said, "{parts:?} {between} {gates:?}");
    }
}

/// A red check speaks of the files that it ran on: what was changed since and the plan's gates are green on is done.
#[test]
fn a_red_check_that_was_mended_stands_beside_green_gates_and_ends_no_run() {
    for (mends, said) in [
        (
            true,
            (
                RunStatus::Completed,
                "Done. 1 file created/modified. Not run again after failing: `cargo check`.",
            ),
        ),
        (false, (RunStatus::Ended, "Ended: its last check, `cargo check`, failed.")),
    ] {
        let mut b = told(Trust::None, OFFER);
        b.say("fix the bug in a.rs");
        b.plan(&[("One", "modify")], &[("tests", "cargo test -p a")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        changes(&mut b, "a.rs", None);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "error: it is three"));
        b.answer(is_failure, Answer::AutoFix).unwrap();
        let edits = |b: &mut Bench, from: &str, to: &str| {
            b.reply("", &[("edit", edit_of("a.rs"))]);
            b.propose("a.rs", from, to);
        };
        edits(&mut b, "2\n", "3\n");
        b.reply("", &[("run", json!({"command": "cargo check"}))]);
        b.approve_all(None).unwrap();
        b.write();
        if b.session.state().open.values().any(|c| is_risk(&c.kind)) {
            b.answer(is_risk, Answer::Approve).unwrap();
        }
        b.end_tool(exited(1, "error"));
        if mends {
            edits(&mut b, "3\n", "4\n");
        }
        b.reply("Done.", &[]);
        if mends {
            b.approve_all(None).unwrap();
            b.write();
        }
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(0, "ok"));
        assert_eq!(ended(&b), (said.0, said.1.to_owned()));
        let red = b.log.iter().rev().find_map(|e| match &e.event {
            Event::RunCompleted { came_to, .. } => came_to.clone(),
            _ => None,
        });
        assert_eq!(red.unwrap().red, ["cargo check"], "it stands in what the run came to");
    }
}

#[test]
fn a_yes_to_what_an_answer_offered_at_a_red_gate_repairs_nothing() {
    for (offer, said) in [
        ("Do you want me to explain how the fixture works?", "yes"),
        ("Shall I rename helper.py to util.py?", "yes, do that"),
        ("Should I leave it as it is?", "go ahead"),
        ("", "ok thanks"),
        ("", "fine by me"),
    ] {
        let mut b = red("pytest", "a.rs", "error: no");
        if !offer.is_empty() {
            b.say("why is it red?");
            b.reply(offer, &[]);
        }
        drop(b.input(Input::say(said)));
        assert!(!b.log.iter().any(|e| matches!(e.event, Event::RepairStarted { .. })), "{offer} {said}");
        if !offer.is_empty() {
            assert!(!b.log.iter().any(|e| matches!(e.event, Event::GateReset { .. })), "{offer} {said}");
        }
    }
}

#[test]
fn a_yes_at_a_red_gate_has_it_repaired_and_going_on_runs_it_again() {
    for (said, repairs) in [
        ("yes", true),
        ("yes, do that", true),
        ("ok do it", true),
        ("sure, go ahead", true),
        ("go ahead", true),
        ("go on", false),
        ("continue", false),
        ("I fixed it. Go on", false),
        ("again", false),
    ] {
        let mut b = red("pytest", "a.rs", "error: no");
        b.say(said);
        let begins = b.log.iter().any(|e| matches!(e.event, Event::RepairStarted { .. }));
        let again = b.log.iter().any(|e| matches!(e.event, Event::GateReset { skipped: false, .. }));
        assert_eq!((begins, again), (repairs, !repairs), "{said}: {:?}", b.notices());
    }
}

#[test]
fn a_yes_to_what_a_step_offers_with_its_last_words_begins_it() {
    for gates in [&[][..], &[("t", "make test")]] {
        let mut b = Bench::new();
        b.say("fix the bug in a.rs");
        b.plan(&[("One", "modify")], gates);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.rs"))]);
        b.propose("a.rs", "1\n", "2\n");
        let offer = "Added `test_peek`; 39 tests pass. Shall I add the same test for TTLCache and TLRUCache?";
        b.reply(offer, &[]);
        b.approve_all(None).unwrap();
        b.write();
        if !gates.is_empty() {
            b.answer(is_risk, Answer::Approve).unwrap();
            b.end_tool(exited(0, "ok"));
        }
        assert_eq!(phase(&b), Phase::Idle, "{:?}", b.names());
        b.say("yes");
        assert_eq!(phase(&b), Phase::Executing, "{:?}", b.names());
        b.reply("", &[("edit", edit_of("b.rs"))]);
        assert_eq!(b.tool().1, Tool::Edit);
        b.propose("b.rs", "1\n", "2\n");
        b.reply("Done.", &[]);
        b.approve_all(None).unwrap();
        b.write();
        let written = b.session.state().written(Extent::Run);
        assert_eq!(
            written[0].goal, "add the same test for TTLCache and TLRUCache",
            "it is called by the offer"
        );
    }
    // What a plan asked with that was left, or that the user did not want, is asked no more; a done one has nothing to go on with.
    for (end, line) in [("/abort", "yes"), ("n", "go on")] {
        let mut b = Bench::new();
        b.say("fix the bug in a.rs");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.rs"))]);
        b.propose("a.rs", "1\n", "2\n");
        b.reply("Step one is drafted. Shall I add a test for it?", &[]);
        if end == "/abort" {
            b.say(end);
        } else {
            b.approve_all(None).unwrap();
            b.write();
            b.input(Input::Cancel).unwrap();
        }
        b.say(line);
        let goes_on = line == "go on";
        assert_eq!(b.session.state().run.is_some(), goes_on, "{end} {line}: {:?}", b.names());
        let state = b.session.state();
        let steps = state.plan.as_ref().or(state.last_plan()).map(|plan| plan.tasks.len());
        assert_eq!(steps, Some(2), "{line}: with the plan as it is, not with what was asked");
    }
}

const LIST: &str = "Three things:\n\n1. **Dates** in `a.rs` are compared as text.\n2. **Names** in `b.rs`:\n   two of them differ.\n\n3. The README is old.\n\nNothing else stands out.";

#[test]
fn items_of_the_agents_list_are_ordered_by_their_numbers() {
    for (line, items) in [
        ("ok do the second one", vec!["2. **Names** in `b.rs`:\n   two of them differ."]),
        ("do #2", vec!["2. **Names**"]),
        ("ok, 1 and 3", vec!["1. **Dates** in `a.rs` are compared as text.", "3. The README is old."]),
        ("yes, all three", vec!["1. ", "2. ", "3. "]),
        ("fix 2", vec!["2. "]),
    ] {
        let mut b = told(Trust::None, LIST);
        b.say(line);
        assert_eq!(phase(&b), Phase::Planning, "{line}: {:?}", b.names());
        let state = b.session.state();
        let request = state.turns[&state.turn.unwrap()].request.clone().unwrap_or_default();
        for item in items {
            assert!(request.contains(item), "{line}: {request}");
        }
    }
    // Who sorts a line that says more is told the items that it names.
    let b = told(Trust::None, LIST);
    let named = |line: &str| b.session.state().items_named(line, pilothouse_core::ids::Seq(u64::MAX));
    assert_eq!(named("fix 3 and run the tests"), ["3. The README is old."]);
    assert!(named("run the tests").is_empty());
    let asks = "Which one do you mean?\n\n1. The first file.\n2. The second file.\n3. Neither.";
    for (answer, line) in [
        (LIST, "the second one"),
        (LIST, "do 4"),
        (LIST, "is 2 right?"),
        (LIST, "do 2, but change nothing"),
        ("It is right.", "ok do the second one"),
        (asks, "ok, 2"),
    ] {
        let mut b = told(Trust::None, answer);
        b.say(line);
        assert_ne!(phase(&b), Phase::Planning, "{line}: {:?}", b.names());
    }
}

#[test]
fn who_said_yes_to_what_a_planning_asks_is_not_asked_again_about_its_one_step() {
    let question = "Shall I rename foo to bar in a.rs?";
    for (order, begins) in
        [("rename the function foo in a.rs", true), ("plan the rename of foo in a.rs", false)]
    {
        for by_call in [false, true] {
            let mut b = Bench::new();
            b.session.set_bounds(Bounds { small_plans: true, ..Bounds::default() });
            b.say(order);
            if by_call {
                b.reply("", &[("ask_user", json!({"question": question, "choices": ["yes", "no"]}))]);
            } else {
                b.reply(&format!("I found foo in a.rs.\n\n{question}"), &[]);
            }
            b.say("yes");
            let step = json!({"title": "Rename foo to bar", "files": ["a.rs"]});
            b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [step]}))]);
            // Who asked for a plan wants to see it.
            let then = if begins { Phase::Executing } else { Phase::AwaitingApproval };
            assert_eq!(phase(&b), then, "{order}, by a call: {by_call}");
        }
    }
}
