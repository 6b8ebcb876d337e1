//! Steering: what is said to a run while it works, and how far a plan reaches.

use crate::{plans, support::*};
use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event},
    input::Input,
    intent::Phase,
    plan::TaskStatus,
    scope::PermissionMode,
    session::{Deed, What},
    work::Work,
};
use serde_json::json;

/// A run whose first step thinks.
fn running() -> Bench {
    run_in(Bench::new())
}

/// As [`running`], where the rules are sure of nothing that is said meanwhile and a model can be asked.
fn doubted() -> Bench {
    run_in(Bench::doubting(&["plan_continue", "query", "control"]))
}

fn run_in(mut b: Bench) -> Bench {
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

fn stopped(b: &Bench) -> bool {
    b.log.iter().any(|e| matches!(e.event, Event::RunCompleted { .. }))
}

fn told(b: &Bench) -> usize {
    b.log.iter().filter(|e| matches!(e.event, Event::TurnTold { .. })).count()
}

#[test]
fn what_is_added_becomes_the_last_step_and_the_run_goes_on() {
    for line in [
        "Actually, also add password reset functionality",
        "also add a doc comment to the two methods",
        "also answer 400 when the body of POST /notes is not JSON",
        "also print the version with --version",
        "also say how many files were skipped",
        "and handle empty input",
        "and log it to stderr",
    ] {
        let mut b = running();
        assert!(b.session.foretell(line).does(&Deed::Adds), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        let plan = b.session.state().plan.clone().unwrap();
        assert!(!stopped(&b) && plan.tasks.len() == 3, "{line}: {:?}", b.notices());
        assert_eq!(plan.tasks[2].status, TaskStatus::Pending);
        let title = plan.tasks[2].title.as_str();
        assert!(line != "and handle empty input" || title == "Handle empty input", "{title}");
        b.reply("one", &[]);
        b.reply("two", &[]);
        let of = b.session.state().plan.as_ref().unwrap().tasks[2].status;
        assert_eq!(of, TaskStatus::Running, "{line}");
        b.reply("three", &[]);
        assert_eq!(b.session.state().phase, Phase::Idle);
    }
}

#[test]
fn what_is_asked_besides_is_no_step() {
    for line in [
        "also tell me why it fails",
        "also explain how the cache works",
        "and what does step 1 do",
        "also, is it safe?",
        "also list all TODOs",
        "and show the callers of load",
        "also find where load is used",
        "also read docs/api.md",
    ] {
        let mut b = running();
        assert!(!b.session.foretell(line).does(&Deed::Adds), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        assert_eq!(b.session.state().plan.as_ref().unwrap().tasks.len(), 2, "{line}");
    }
}

#[test]
fn a_correction_is_told_to_what_runs_and_its_drafts_stay() {
    for line in [
        "name it bytes instead",
        "name the two tests bytes and position_panel instead",
        "only the first test please",
        "do not touch the README",
        "the second test is not needed",
        "use assert! in the second hunk",
    ] {
        let mut b = running();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        let foretold = b.session.foretell(line);
        b.say(line);
        assert!(!stopped(&b), "{line} stopped the run: {foretold:?}");
        assert_eq!(told(&b), 1, "{line}: {foretold:?} {:?}", b.notices());
        assert!(foretold.does(&Deed::Tells), "{line}: {foretold:?}");
        assert_eq!(b.session.state().open_proposals().count(), 1, "{line}");
        // The next call of the model holds it, though its reply would have ended the step.
        b.reply("", &[]);
        let lane = b.session.state().lanes.values().next().unwrap().clone();
        assert!(lane.thinking.is_some() || b.session.state().diff_of(lane.id).is_some(), "{line}");
        let turn = b.session.state().turn.unwrap();
        let mut entries = b.session.state().transcript.of(lane.id);
        assert!(entries.any(|e| e.what == What::User(turn)), "{line}");
    }
}

#[test]
fn what_opens_as_a_correction_is_told_to_what_runs_and_no_model_is_asked() {
    for line in [
        "yes, but keep the name parse_line as it is",
        "ok but use the stdlib",
        "looks good, but rename it to sums",
        "but leave the README alone",
        "no, keep the old name",
        "no, I meant the other function",
        "no, not that file",
        "ja, aber lass parse_line wie es ist",
        "oui, mais garde le nom",
        "是的，但是保留名字",
    ] {
        let mut b = doubted();
        let foretold = b.session.foretell(line);
        assert_eq!(foretold.deeds, [Deed::Tells], "{line}");
        b.say(line);
        assert_eq!((told(&b), stopped(&b)), (1, false), "{line}: {:?}", b.notices());
        assert!(!b.names().contains(&"intent_asked".into()), "{line}");
    }
    // What asks, stops, adds or says no more than no is what it is anywhere else.
    for line in
        ["yes, but why does it do that?", "but explain it first", "no. what does step 1 do?", "rename a to b"]
    {
        assert!(!doubted().session.foretell(line).does(&Deed::Tells), "{line}");
    }
    for line in ["no, stop", "no, never mind", "no, change the plan: split step 2"] {
        assert!(running().session.foretell(line).does(&Deed::StopsRun), "{line}");
    }
    assert!(doubted().session.foretell("no, also add a test for it").does(&Deed::Adds));
    let mut b = Bench::doubting(&["plan_continue", "plan_new"]);
    b.say("yes, but keep the name parse_line as it is");
    assert_eq!(told(&b), 0, "nothing runs that could be told");
}

#[test]
fn where_no_model_could_say_what_a_line_means_it_is_said_what_the_rules_made_of_it() {
    for (line, made) in [
        (
            "rename by_day to sums_by_day",
            "modify (queued: starts when the run ends). Alt-M tells the agent now.",
        ),
        ("name it bytes instead", "modify (reaches the agent with its next request)."),
    ] {
        let mut b = doubted();
        b.say(line);
        b.understand(line, None);
        let told = format!("no answer The rules took it as {made}");
        assert!(b.notices().contains(&told), "{line}: {:?}", b.notices());
    }
}

#[test]
fn what_waits_for_the_end_can_be_told_to_what_runs() {
    let mut b = running();
    assert!(b.input(Input::Tell(String::new())).is_err(), "nothing is waiting");
    for line in ["name it bytes", "build a dashboard", "!make"] {
        b.input(Input::Queue(line.into())).unwrap();
    }
    assert!(b.input(Input::Tell(String::new())).is_err(), "a command runs at the end");
    b.say("/queue tell 1");
    b.say("/queue drop 2");
    b.input(Input::Tell(String::new())).unwrap();
    assert_eq!((told(&b), b.session.state().queue.len()), (2, 0));
    b.input(Input::Queue("name it bits".into())).unwrap();
    b.input(Input::Cancel).unwrap();
    assert!(b.input(Input::Tell(String::new())).is_err(), "nothing runs");
}

#[test]
fn what_waits_for_its_review_goes_on_with_what_is_told() {
    let mut b = running();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.question(is_diff);
    b.input(Input::Tell("call it bytes".into())).unwrap();
    assert_eq!(b.session.state().open_proposals().count(), 1);
    b.reply("it is called so", &[]);
    b.question(is_diff);
}

#[test]
fn what_is_not_to_be_touched_is_not_touched() {
    let mut b = running();
    b.say("do not touch README.md");
    b.reply("", &[("edit", edit_of("README.md"))]);
    let refused = b.log.iter().any(|e| {
        matches!(&e.event, Event::CallEnded { status: CallStatus::Refused, summary, .. } if summary.contains("README.md"))
    });
    assert!(refused, "{:#?}", b.log.last());
}

#[test]
fn only_plain_words_stop_a_run() {
    let mut b = running();
    b.say("wait, only include Q4");
    assert!(stopped(&b) && b.session.state().phase == Phase::Planning);
    let mut b = running();
    b.say("change the plan: split step 2");
    assert!(stopped(&b), "{:?}", b.notices());
}

/// A session under this ceiling to which a line is said.
fn asked(permission: PermissionMode, line: &str) -> Bench {
    let mut b = Bench::new();
    if b.session.state().permission != permission {
        b.input(Input::SetPermission(permission)).unwrap();
    }
    b.say(line);
    b
}

#[test]
fn a_plan_of_a_message_that_only_reads_holds_only_reading_in_every_mode() {
    for permission in [PermissionMode::Ask, PermissionMode::Auto] {
        for line in ["compare these two options", "verify that the store loads its notes"] {
            let mut b = asked(permission, line);
            assert_eq!(b.session.state().phase, Phase::Planning, "{line}");
            b.plan(&[("Tidy", "modify")], &[]);
            assert_eq!(b.session.state().phase, Phase::Planning, "{line} {permission:?}");
            assert!(b.session.state().plan.is_none(), "{line} {permission:?}");
            b.plan(&[("Look", "read")], &[]);
            assert_ne!(b.session.state().phase, Phase::Planning, "{line} {permission:?}: {:?}", b.notices());
        }
    }
}

#[test]
fn words_are_an_answer_to_a_message_that_only_reads_and_silence_is_none() {
    for line in ["compare these two options", "verify that the store loads its notes", "analyze src/store.rs"]
    {
        for (said, done) in [("It loads all of them. Shall I mend it?", true), ("", false)] {
            let mut b = asked(PermissionMode::Ask, line);
            b.reply(said, &[]);
            let state = b.session.state();
            assert_eq!(state.phase == Phase::Idle, done, "{line}: {said}");
            assert!(state.open.is_empty() && !b.notices().iter().any(|n| n.starts_with("No plan")), "{line}");
        }
    }
    let mut b = asked(PermissionMode::Ask, "@plan tidy the store");
    let phase = b.session.state().phase;
    b.reply("I would tidy it.", &[]);
    assert_eq!(b.session.state().phase, phase, "a plan was asked for");
}

#[test]
fn a_question_that_would_write_asks_in_auto_mode_too() {
    let mut b = asked(PermissionMode::Auto, "where does the store load its notes?");
    assert_eq!(b.session.state().phase, Phase::Idle);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.question(is_transition);
    assert!(b.session.state().plan.is_none());
}

#[test]
fn at_a_node_that_only_plans_nothing_is_changed_in_auto_mode_either() {
    let mut b = asked(PermissionMode::Auto, "@plan tidy the store");
    let plan = json!({"title": "P", "tasks": [{"title": "Tidy", "kind": "modify", "files": ["a.txt"]}]});
    b.reply("", &[("edit", edit_of("a.txt")), ("submit_plan", plan)]);
    assert!(
        b.session.state().run.is_none() && b.session.state().phase != Phase::Executing,
        "{:?}",
        b.names()
    );
    assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })));
}

#[test]
fn a_plan_that_goes_beyond_its_message_waits_for_a_yes_in_auto_mode() {
    let mut b = asked(PermissionMode::Auto, "/plan tidy the store");
    b.plan(&[("Tidy", "modify")], &[]);
    assert!(b.session.state().beyond_asked().is_some());
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(b.tool().1, pilothouse_core::tool::Tool::Edit);
}

#[test]
fn a_command_that_only_looks_runs_beside_a_run_and_any_other_waits() {
    let mut b = running();
    b.say("!ls");
    assert_eq!(b.tool().1, pilothouse_core::tool::Tool::Run);
    b.end_tool(exited(0, "a.txt"));
    assert_eq!(b.session.state().lanes.len(), 1, "no model is asked about it");
    b.say("!make");
    assert_eq!(b.session.state().queue.len(), 1);
    assert!(!stopped(&b));
}

#[test]
fn what_waits_is_listed_moved_changed_and_taken_out() {
    let mut b = running();
    for line in ["build a dashboard for the notes", "update the README with install steps"] {
        b.input(Input::Queue(line.into())).unwrap();
    }
    let line = |b: &Bench, n: usize| {
        let turn = b.session.state().queue.works().nth(n).unwrap();
        b.session.state().turns[&turn].head.clone()
    };
    b.say("/queue up 2");
    assert!(line(&b, 0).starts_with("update"));
    b.say("/queue edit 2 build a small dashboard");
    assert_eq!(line(&b, 1), "build a small dashboard");
    b.say("/queue drop 1");
    assert_eq!(b.session.state().queue.len(), 1);
    b.say("/queue");
    assert!(b.notices().iter().any(|n| n.contains("1. build a small dashboard")), "{:?}", b.notices());
    assert!(b.input(Input::say("/queue drop 7")).is_err());
    assert_eq!(told(&b), 0);
}

#[test]
fn an_unclear_line_beside_a_run_can_be_told_planned_queued_or_answered() {
    for (word, what) in [("tell", "turn_told"), ("later", "queue_changed"), ("plan", "run_completed")] {
        let mut b = running();
        b.mumble();
        let before = b.log.len();
        b.say(word);
        let names: Vec<String> = b.log[before..].iter().map(|e| name(&e.event)).collect();
        assert!(names.iter().any(|n| n == what), "{word}: {names:?}");
    }
}

#[test]
fn what_is_said_while_a_reply_comes_stands_behind_that_reply_and_its_results() {
    let mut b = running();
    b.say("no, call it --extra, not --burst");
    let turn = b.session.state().turn.unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    let lane = b.session.state().run_lanes().next().unwrap().id;
    let told: Vec<What> = b.session.state().transcript.of(lane).map(|e| e.what).collect();
    let [.., What::Reply, What::Result(_), What::User(last)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(*last, turn);
}

#[test]
fn what_is_said_before_a_command_that_waits_for_a_review_is_heard_before_it() {
    let mut b = running();
    b.reply("", &[("edit", edit_of("a.txt")), ("run", json!({"command": "make test"}))]);
    b.propose("a.txt", "1\n", "2\n");
    b.question(is_diff);
    let step = b.say("no, name it bytes instead");
    assert_eq!(starts(&step), ["think"], "{:?}", b.notices());
    let ended = step.events.iter().find_map(|e| match &e.event {
        Event::CallEnded { status: CallStatus::Refused, result, .. } => Some(result.head.clone()),
        _ => None,
    });
    assert!(ended.unwrap().contains("hear that first"));
    assert_eq!((told(&b), b.session.state().open_proposals().count()), (1, 1));
}

/// What a reply brings that was under way when the user spoke puts nothing before them: its model hears them first.
#[test]
fn what_is_said_while_a_reply_comes_is_heard_before_it_asks_anything() {
    for (calls, ends) in [
        (vec![("edit", edit_of("a.txt")), ("run", json!({"command": "make test"}))], true),
        (vec![("run", json!({"command": "git push"}))], true),
        (vec![("edit", edit_of("a.txt"))], false),
    ] {
        let mut b = running();
        b.say("no, call it --extra, not --burst");
        b.reply("", &calls);
        if calls[0].0 == "edit" {
            b.propose("a.txt", "1\n", "2\n");
        }
        let state = b.session.state();
        assert!(state.open.is_empty() && b.session.state().lanes.values().any(|l| l.thinking.is_some()));
        let refused = b.log.iter().any(|e| match &e.event {
            Event::CallEnded { status: CallStatus::Refused, result, .. } => {
                result.head.contains("hear that first")
            }
            _ => false,
        });
        assert_eq!(refused, ends, "{calls:?}");
        // Once it has heard them, its draft is put before the user.
        if calls[0].0 == "edit" {
            b.reply("It is --extra now.", &[]);
            b.question(is_diff);
        }
    }
    let mut b = running();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.say("no, call it --extra, not --burst");
    b.reply("Done.", &[]);
    assert!(b.session.state().open.is_empty(), "a last word that was under way ends nothing");
}

#[test]
fn an_answer_that_was_let_write_hears_as_a_step_does() {
    for said in ["no, put it in a sentence of its own", "put it in a sentence of its own instead"] {
        let mut b = Bench::new();
        b.say("how are the bytes counted?");
        b.reply("", &[("request_path", json!({"node": "modify", "reason": "the comment is wrong"}))]);
        b.answer(
            |k| matches!(k, pilothouse_core::checkpoint::CheckpointKind::Transition(_)),
            Answer::Approve,
        )
        .unwrap();
        b.reply("", &[("edit", edit_of("a.txt")), ("run", json!({"command": "make test"}))]);
        b.propose("a.txt", "1\n", "2\n");
        b.question(is_diff);
        let step = b.say(said);
        assert_eq!((told(&b), starts(&step)), (1, vec!["think".to_owned()]), "{said}: {:?}", b.notices());
        assert_eq!(b.session.state().open_proposals().count(), 1);
        b.reply("It has one now.", &[]);
        b.question(is_diff);
    }
}

#[test]
fn a_no_that_goes_on_denies_the_command_that_waits_and_says_why() {
    // A yes that goes on lets nothing run: its agent hears what is wanted instead.
    denied_by("yes, but only the README");
    denied_by("no, edit the word back instead");
}

fn denied_by(line: &str) {
    let mut b = running();
    b.reply("", &[("run", json!({"command": "git checkout -- README.md"}))]);
    b.question(is_risk);
    assert!(b.session.foretell(line).does(&Deed::Tells), "{:?}", b.session.foretell(line));
    let told_ahead = b.session.foretell(line);
    let (turn, path) = told_ahead.meant.clone().unwrap();
    let words = told_ahead.words((&turn, &path), false, b.session.state());
    assert_eq!(words, "denies what is asked, and tells the running agent why", "{line}");
    let step = b.say(line);
    let ended = step.events.iter().find_map(|e| match &e.event {
        Event::CallEnded { status: CallStatus::Refused, result, .. } => Some(result.head.clone()),
        _ => None,
    });
    assert_eq!(ended.unwrap(), "denied by the user", "the words are told once, as what the user said");
    assert_eq!(told(&b), 1);
    assert_eq!(starts(&step), ["think"]);
    assert!(b.session.state().open.is_empty() && !stopped(&b));
}

#[test]
fn words_about_the_steps_change_the_plan_once_the_step_at_work_is_done() {
    for line in [
        "remove the third step",
        "we need another step for tests",
        "remove README.md from it",
        "make it only src/lib.rs",
        "make it only README.md",
        "without step 2 please",
        "insert a step before step 2",
    ] {
        let mut b = running();
        let told = b.session.foretell(line);
        assert_eq!(told.deeds, [Deed::Revises], "{line}");
        let (turn, path) = told.meant.clone().unwrap();
        let words = told.words((&turn, &path), false, b.session.state());
        assert_eq!(words, "changes the plan once the current step is done", "{line}");
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Executing, "{line}: {:?}", b.notices());
        b.reply("one", &[]);
        // What is done stays done, and what remains is planned with these words and asked about.
        assert_eq!((b.session.state().phase, stopped(&b)), (Phase::Planning, true), "{line}");
        assert!(b.session.state().queue.is_empty(), "{line}");
        b.plan(&[("One", "modify"), ("Three", "modify")], &[]);
        let plan = b.session.state().plan.clone().unwrap();
        let status: Vec<TaskStatus> = plan.tasks.iter().map(|t| t.status).collect();
        assert_eq!(status, [TaskStatus::Done, TaskStatus::Pending], "{line}");
        b.question(is_plan);
        assert_eq!(b.session.state().beyond(&plan), None, "{line}: it may what the plan might");
    }
}

#[test]
fn words_about_the_step_at_work_are_told_to_it_and_at_a_pause_the_plan_is_changed_at_once() {
    let b = running();
    assert_eq!(b.session.foretell("skip step 1").deeds, [Deed::Tells]);
    let mut b = running();
    b.say("wait");
    b.reply("one", &[]);
    let told = b.session.foretell("do step 2 first");
    assert_eq!(told.deeds, [Deed::StopsRun, Deed::Plans]);
    b.say("do step 2 first");
    assert_eq!(b.session.state().phase, Phase::Planning);
}

/// The status of each step.
fn steps(b: &Bench) -> Vec<TaskStatus> {
    let state = b.session.state();
    let plan = state.plan.as_ref().or(state.suspended.as_ref()).unwrap();
    plan.tasks.iter().map(|t| t.status).collect()
}

#[test]
fn a_step_that_waits_is_left_out_by_a_word_at_once() {
    for line in [
        "skip step 2",
        "leave out step 2",
        "drop the last step",
        "can you remove the second step?",
        "cancel step 2, we have no docs",
    ] {
        // Where the rules are sure of nothing else either: the model is not asked.
        for (doubts, pauses) in [(false, false), (true, false), (false, true)] {
            let mut b = if doubts { doubted() } else { running() };
            if pauses {
                b.say("wait");
                b.reply("one", &[]);
            }
            assert_eq!(b.session.foretell(line).deeds, [Deed::Omits], "{line}");
            let step = b.say(line);
            assert!(starts(&step).is_empty(), "{line}");
            assert_eq!(steps(&b)[1], TaskStatus::Skipped, "{line}");
            assert!(
                b.notices().contains(&"Left out of the plan: step 2 \"Two\".".to_owned()),
                "{:?}",
                b.notices()
            );
            assert_eq!(b.session.state().phase, Phase::Executing, "{line}: {:?}", b.notices());
            if pauses {
                b.say("go on");
            } else {
                b.reply("one", &[]);
            }
            let plan = b.session.state().suspended.clone().unwrap();
            assert_eq!(
                (b.session.state().phase, plan.tasks[0].status),
                (Phase::Idle, TaskStatus::Done),
                "{line}"
            );
        }
    }
}

#[test]
fn what_needs_a_step_that_was_left_out_is_asked_about() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let task = |title: &str, after: &[u64]| json!({"title": title, "kind": "modify", "after": after});
    let tasks = [task("One", &[]), task("Two", &[1]), task("Three", &[2])];
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("skip step 2");
    b.reply("one", &[]);
    let asked = b.session.state().phase_question().unwrap();
    assert!(matches!(asked.kind, CheckpointKind::Gap(_)), "{asked:?}");
}

#[test]
fn what_was_said_of_the_plan_before_the_user_changed_it_does_not_change_their_version() {
    let mut b = plans::unseen_change();
    b.say("we need another step for tests");
    assert_eq!(b.session.state().queue.works().count(), 1);
    b.reply("done", &[]);
    let asked = b.session.state().phase_question().unwrap();
    assert!(matches!(asked.kind, CheckpointKind::Paused(_)), "{asked:?}");
    let plan = b.session.state().plan.clone().unwrap();
    let text = plan.document().replace("Two", "Second");
    b.input(Input::EditPlan { text, version: plan.version }).unwrap();
    assert!(b.session.state().queue.is_empty(), "{:?}", b.notices());
    let told = "Your plan stands; \"we need another step for tests\" is dropped, since it was said before.";
    assert!(b.notices().contains(&told.to_owned()), "{:?}", b.notices());
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!((b.session.state().phase, steps(&b)[0]), (Phase::Executing, TaskStatus::Running));
}

#[test]
fn words_about_steps_that_came_too_late_are_work_of_their_own() {
    let mut b = running();
    b.reply("one", &[]);
    b.say("we need another step for tests");
    b.reply("two", &[]);
    let state = b.session.state();
    assert_eq!(state.phase, Phase::Planning);
    let turn = state.turn.unwrap();
    assert_eq!((state.turns[&turn].continues, state.queue.is_empty()), (None, true));
}
