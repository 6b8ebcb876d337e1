//! Beside a run: what is asked is answered, what stops stops what works, what is offered can be done.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{Event, RunStatus},
    input::Input,
    intent::Phase,
    plan::TaskStatus,
    session::LaneKind,
};
use serde_json::json;

use crate::{phase, phases::running, support::*};

fn answering(b: &Bench) -> bool {
    b.session.state().lanes.values().any(|l| l.kind == LaneKind::Answer)
}

fn is_interruption(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Interruption(_))
}

#[test]
fn a_plain_question_beside_a_command_or_a_goal_is_answered_beside_it() {
    for work in ["!sleep 5", "run the tests"] {
        for line in ["what is it doing?", "what does this do?", "is it done by now, you think?"] {
            let mut b = Bench::new();
            b.say(work);
            b.say(line);
            assert!(!b.session.state().open.values().any(|c| is_interruption(&c.kind)), "{work}: {line}");
            assert_eq!(phase(&b), Phase::Executing, "{work}: {line}");
        }
    }
}

#[test]
fn where_no_plan_runs_nothing_is_offered_that_only_a_plan_has() {
    let mut b = Bench::new();
    b.say("!sleep 5");
    b.mumble();
    let asked = b.session.state().open.values().find(|c| is_interruption(&c.kind)).unwrap();
    let keys: Vec<&str> = asked.kind.choices().into_iter().map(|c| c.key).collect();
    assert_eq!(keys, ["respond", "l", "c", "q"]);
    assert!(b.answer(is_interruption, Answer::Replan).is_err());
}

#[test]
fn beside_a_plan_all_that_can_be_done_is_offered() {
    let mut b = running();
    b.mumble();
    let asked = b.session.state().open.values().find(|c| is_interruption(&c.kind)).unwrap();
    let keys: Vec<&str> = asked.kind.choices().into_iter().map(|c| c.key).collect();
    assert_eq!(keys, ["respond", "t", "p", "l", "h", "c", "q"]);
}

#[test]
fn a_stop_ends_the_run_before_what_is_asked_beside_it() {
    let mut b = running();
    b.say("what does this function do?");
    b.input(Input::Cancel).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    assert!(answering(&b), "the answer goes on");
    b.input(Input::Cancel).unwrap();
    assert!(!answering(&b));
}

#[test]
fn a_stop_ends_the_planning_before_an_older_question_that_waits() {
    let mut b = Bench::new();
    b.say("why does the test fail?");
    b.reply("", &[("request_path", json!({"node": "modify", "reason": "mend it"}))]);
    b.say("create notes.txt");
    assert_eq!(phase(&b), Phase::Planning);
    b.input(Input::Cancel).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
    b.question(is_transition);
    b.input(Input::Cancel).unwrap();
    assert!(b.session.state().open.is_empty() && b.session.state().lanes.is_empty());
}

#[test]
fn a_step_that_never_began_was_not_stopped() {
    let mut b = running();
    b.input(Input::Cancel).unwrap();
    let statuses = b.session.state().suspended.as_ref().unwrap().tasks.iter().map(|t| t.status);
    assert_eq!(statuses.collect::<Vec<_>>(), [TaskStatus::Cancelled, TaskStatus::Pending]);
    let came_to = b.log.iter().find_map(|e| match &e.event {
        Event::RunCompleted { status: RunStatus::Cancelled, came_to, .. } => came_to.clone(),
        _ => None,
    });
    let words: Vec<&str> =
        came_to.unwrap().left.iter().map(pilothouse_core::completion::StepLeft::word).collect();
    assert_eq!(words, ["stopped", "not begun"]);
}

#[test]
fn a_step_that_changed_no_file_that_it_names_says_so() {
    let untouched = |b: &Bench| {
        let told = b.log.iter().filter_map(|e| match &e.event {
            Event::FilesUntouched { files, .. } => {
                Some(files.iter().map(ToString::to_string).collect::<Vec<_>>())
            }
            _ => None,
        });
        told.flatten().collect::<Vec<_>>()
    };
    let mut b = running();
    b.reply("", &[("edit", edit_of("README"))]);
    b.propose("README", "1\n", "2\n");
    b.reply("I must stop here.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(untouched(&b), ["a.txt"]);
    let mut b = running();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("Done.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert!(untouched(&b).is_empty());
    let mut b = running();
    b.reply("nothing to change: it already is", &[]);
    assert!(untouched(&b).is_empty(), "a reason was given");
}

/// Amendment 3: what comes on top is a step at the end, also where it only checks something; a question is answered beside it.
#[test]
fn what_is_to_be_checked_as_well_is_a_step_at_the_end() {
    use pilothouse_core::{event::Event, intent::IntentNode, session::Deed};
    let added = |b: &Bench| {
        b.log.iter().find_map(|e| match &e.event {
            Event::TaskAdded { task } => Some((task.node, task.detail.clone())),
            _ => None,
        })
    };
    for line in ["also check q2", "and check q2 too", "check q2 as well", "prüf auch q2", "vérifie aussi q2"]
    {
        let mut b = crate::phases::running();
        assert!(b.session.foretell(line).does(&Deed::Adds), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        assert_eq!(added(&b), Some((IntentNode::Read, line.to_owned())), "{line}");
    }
    for line in ["also, why is q2 empty?", "also explain the cache", "check q2", "also tell me what q2 is"] {
        let mut b = crate::phases::running();
        b.say(line);
        assert_eq!(added(&b), None, "{line}");
    }
    let mut b = Bench::new();
    b.say("also check q2");
    assert_eq!(added(&b), None, "nothing runs that it could come on top of");
}
