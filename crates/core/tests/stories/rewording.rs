//! The message that a model puts before the user for the commit that waits, and words that take it.

use pilothouse_core::{
    checkpoint::Answer,
    event::{CallStatus, Event},
    ids::Seq,
    input::Input,
    intent::Phase,
    talk::Purpose,
    tool::Tool,
    work::Work,
};
use serde_json::json;

use crate::{
    commit::{is_commit, looked, tree, written},
    support::*,
    which::{OLD, committing, foretold, is_which, message, waiting},
};

const NEW: &str = "Greet people by name\n\nNobody is called world.";

fn reworded(b: &mut Bench) {
    b.say("write a better commit message");
    b.reply("This says more.", &[("commit_message", json!({ "message": NEW }))]);
}

#[test]
fn the_message_of_a_model_is_shown_before_it_is_committed() {
    let mut b = waiting();
    let old = b.question(is_commit);
    let shown = b.session.state().open[&old].kind.shown();
    reworded(&mut b);
    assert_eq!((message(&b).as_str(), committing(&b)), (NEW, None));
    assert!(b.session.state().lanes.is_empty(), "its answer is given: {:?}", b.session.state().lanes);
    assert_eq!(b.session.state().open.len(), 1, "the old question is replaced");
    // What was given to the old text commits nothing: by its key, by its hash, by a word of who had not seen the new one.
    let id = b.question(is_commit);
    for (checkpoint, shown) in [(old, shown), (id, shown)] {
        b.input(Input::Answer { checkpoint, answer: Answer::Approve, shown }).unwrap_err();
    }
    let before =
        b.log.iter().rev().find(|e| matches!(e.event, Event::CheckpointResolved { .. })).unwrap().seq;
    for line in ["yes", "use that message"] {
        b.input(Input::Say { text: line.into(), seen: Seq(before.0 - 1) }).unwrap_err();
    }
    assert_eq!((message(&b).as_str(), committing(&b)), (NEW, None));
    b.answer(is_commit, Answer::Approve).unwrap();
    assert_eq!(committing(&b).as_deref(), Some(NEW));
}

#[test]
fn an_order_about_the_message_that_waits_is_answered_with_another() {
    for line in [
        "drop the README line from the message",
        "remove the last bullet",
        "add \"closes #12\" to the message",
        "change the title to Greet people by name",
        "reword it",
    ] {
        let mut b = waiting();
        assert_eq!(foretold(&b, line), "a question – read-only", "{line}");
        b.say(line);
        b.reply("", &[("commit_message", json!({ "message": NEW }))]);
        assert_eq!((message(&b).as_str(), committing(&b)), (NEW, None), "{line}: {:?}", b.names());
        b.say("use that message");
        assert_eq!(committing(&b).as_deref(), Some(NEW), "{line}");
    }
}

#[test]
fn a_word_for_the_message_that_is_shown_is_a_yes_to_it() {
    for line in ["yes", "use that message", "yes, use it", "looks good, use that message"] {
        let mut b = waiting();
        reworded(&mut b);
        assert_eq!(foretold(&b, line), "answers the question above", "{line}");
        b.say(line);
        assert_eq!(committing(&b).as_deref(), Some(NEW), "{line}: {:?}", b.names());
    }
}

#[test]
fn a_message_that_is_only_told_is_not_committed_by_a_word() {
    let told = format!("Perhaps this one:\n\n```\n{NEW}\n```");
    for line in ["use that message", "yes, use that one", "commit with that message"] {
        let mut b = waiting();
        b.say("write a better commit message");
        b.reply(&told, &[]);
        assert_eq!(foretold(&b, line), "a question – read-only", "{line}");
        b.say(line);
        assert_eq!((message(&b).as_str(), committing(&b)), (OLD, None), "{line}");
        b.reply("", &[("commit_message", json!({ "message": NEW }))]);
        assert_eq!((message(&b).as_str(), committing(&b)), (NEW, None), "{line}");
    }
    // Nor is the one that waited.
    for line in ["yes", "ok"] {
        let mut b = waiting();
        b.say("write a better commit message");
        b.reply(&told, &[]);
        assert!(foretold(&b, line).starts_with("asks whether"), "{line}: {}", foretold(&b, line));
        b.say(line);
        assert_eq!((message(&b).as_str(), committing(&b)), (OLD, None), "{line}");
        b.question(is_which);
    }
}

#[test]
fn a_message_that_was_told_before_the_commit_was_asked_about_is_the_one_that_is_meant() {
    let told = |asked: &str, told: &str| {
        let mut b = written();
        b.say("suggest a commit message");
        b.reply(told, &[]);
        b.say(asked);
        looked(&mut b, Ok(tree(&["a.txt"])));
        b
    };
    for line in ["use that message", "yes, use that one", "commit with that message"] {
        let mut b = told("/commit", NEW);
        let default = message(&b);
        assert_eq!(foretold(&b, line), "a question – read-only", "{line}");
        b.say(line);
        assert_eq!((message(&b), committing(&b)), (default.clone(), None), "{line}");
        b.reply("", &[("commit_message", json!({ "message": NEW }))]);
        assert_eq!((message(&b).as_str(), committing(&b)), (NEW, None), "{line}");
        b.say(line);
        assert_eq!(committing(&b).as_deref(), Some(NEW), "{line}");
        // One that the user gave, or that is the very same, is no other.
        let mut b = told(&format!("/commit {OLD}"), NEW);
        b.say(line);
        assert_eq!(committing(&b).as_deref(), Some(OLD), "{line}");
        let mut b = told("/commit", NEW);
        b.say(&format!("call it: {OLD}"));
        b.say(line);
        assert_eq!(committing(&b).as_deref(), Some(OLD), "{line}");
        let mut b = told("/commit", &format!("Perhaps this one:\n\n```\n{default}\n```"));
        b.say(line);
        assert_eq!(committing(&b), Some(default), "{line}");
    }
    // A plain yes is one to what is shown.
    let mut b = told("/commit", NEW);
    let default = message(&b);
    b.say("yes");
    assert_eq!(committing(&b), Some(default));
}

/// A commit waits with the message of the facts alone, behind what the agent had told.
fn told_before(told: &str) -> Bench {
    let mut b = written();
    b.say("suggest a commit message");
    b.reply(told, &[]);
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b
}

#[test]
fn a_message_of_which_the_shown_one_is_a_piece_is_another() {
    let default = message(&told_before(NEW));
    for told in [
        format!("```\n{default} of people\n```"),
        format!("```\n{default}\n\nNobody is called world.\n```"),
        format!("Perhaps this one:\n\n{default}\n\nNobody is called world."),
        format!("Greet people\n\n{default}"),
        format!("```\nGreet people\n```\n\nis better than\n\n```\n{default}\n```"),
        format!("Perhaps: do not {default}"),
    ] {
        let mut b = told_before(&told);
        assert_eq!(foretold(&b, "use that message"), "a question – read-only", "{told}");
        b.say("use that message");
        assert_eq!((message(&b), committing(&b)), (default.clone(), None), "{told}");
    }
    for told in [
        default.clone(),
        format!("Perhaps this one:\n\n{default}\n"),
        format!("```text\n{default}\n```\n\nIt says all of it."),
    ] {
        let mut b = told_before(&told);
        b.say("use that message");
        assert_eq!(committing(&b), Some(default.clone()), "{told}");
    }
}

#[test]
fn a_message_is_nobodys_own_for_what_is_taken_back_beside_it() {
    let mut b = told_before(NEW);
    let default = message(&b);
    b.input(Input::Undo).unwrap();
    let apply = b.session.pending().into_values().find_map(|work| match work {
        Work::Revert { apply, .. } => Some(apply),
        _ => None,
    });
    b.input(Input::RevertEnded { apply: apply.unwrap(), result: Ok(true) }).unwrap();
    b.say("use that message");
    assert_eq!(committing(&b), None);
    assert_eq!(message(&b), default);
}

#[test]
fn a_message_is_put_before_the_user_only_where_a_commit_waits() {
    let offered = |b: &Bench| {
        let lane = b.session.state().lanes.values().next();
        b.session.state().session_tools(lane, Purpose::Answer, false).contains(&Tool::CommitMessage)
    };
    let mut b = waiting();
    b.say("is a.txt right?");
    assert!(offered(&b));
    let mut b = written();
    b.say("is a.txt right?");
    assert!(!offered(&b));
    let refused = |b: &mut Bench, message: &str| {
        b.reply("", &[("commit_message", json!({ "message": message }))]);
        let ended = b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { status, result, .. } => Some((*status, result.head.clone())),
            _ => None,
        });
        let (status, told) = ended.unwrap();
        assert_eq!(status, CallStatus::Refused, "{told}");
        told
    };
    assert!(refused(&mut b, NEW).contains("no commit waits"));
    let mut b = waiting();
    b.say("write a better commit message");
    assert!(refused(&mut b, OLD).contains("that very message"));
    assert!(refused(&mut b, &"x".repeat(4_001)).contains("at most"));
    assert_eq!(message(&b), OLD);
}

#[test]
fn an_order_that_is_about_the_message_ends_its_planning_with_another_one() {
    let mut b = waiting();
    b.say("fix the parser");
    let state = b.session.state();
    let lane = state.planning_lane();
    assert!(state.session_tools(lane, Purpose::Plan, false).contains(&Tool::CommitMessage));
    b.reply("", &[("commit_message", json!({ "message": NEW }))]);
    let state = b.session.state();
    assert_eq!(message(&b), NEW, "{:?}", b.notices());
    assert!(state.lanes.is_empty() && state.phase == Phase::Idle, "{:?}", b.names());
    let told = b.notices();
    assert!(!told.iter().any(|n| n.contains("no plan")), "{told:?}");
    assert!(
        told.iter().any(|n| n.contains("nothing else was planned")),
        "an order is not lost unsaid: {told:?}"
    );
}
