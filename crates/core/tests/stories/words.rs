//! Words answer what they answer whole, and nothing else: yes, no, go on, skip, again, undo that.

use pilothouse_core::{
    checkpoint::Answer,
    event::{Event, RunStatus},
    input::Input,
    intent::{Control, Phase, Turn},
    session::{Deed, LaneKind},
    work::Work,
};
use serde_json::json;

use crate::support::*;

/// A session whose plan waits for a yes.
fn planned() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b
}

/// A run whose first change waits in the diff.
fn reviewed() -> Bench {
    let mut b = planned();
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b
}

fn phase(b: &Bench) -> Phase {
    b.session.state().phase
}

fn answers(b: &Bench) -> usize {
    b.session.state().lanes.values().filter(|l| l.kind == LaneKind::Answer).count()
}

#[test]
fn a_yes_with_nothing_open_answers_the_agents_last_word() {
    for yes in
        ["yes", "yes please do that", "go ahead", "ok do it", "sounds good", "continue", "ja, mach das"]
    {
        let mut b = Bench::new();
        b.say("what does it do?");
        b.reply("It greets. I could look who sets the variable as well. Shall I?", &[]);
        let step = b.say(yes);
        assert_eq!(starts(&step), ["think"], "{yes}: {:?}", b.notices());
        // What it does then may ask for more.
        b.reply("", &[("request_path", json!({"node": "modify", "reason": "as you said"}))]);
        b.question(is_transition);
    }
}

#[test]
fn a_yes_after_an_answer_goes_to_the_model_though_a_plan_is_set_aside() {
    for yes in ["yes", "ok do it", "continue", "go ahead"] {
        let mut b = planned();
        b.say("q");
        assert_eq!(phase(&b), Phase::Idle);
        b.say("what is it for?");
        b.reply("It greets. Shall I remove it?", &[]);
        assert_eq!(starts(&b.say(yes)), ["think"], "{yes}: {:?}", b.notices());
        assert_eq!((phase(&b), answers(&b)), (Phase::Idle, 1), "{yes}");
    }
}

#[test]
fn go_on_after_a_run_that_was_stopped_takes_its_plan_up_whatever_its_steps_said() {
    for (yes, stop) in [("go on", true), ("continue", false)] {
        let mut b = planned();
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("The first is done.", &[]);
        if stop {
            b.input(Input::Cancel).unwrap();
        } else {
            b.input(Input::Open(opening())).unwrap();
        }
        b.say(yes);
        assert_eq!(phase(&b), Phase::Executing, "{yes}");
    }
}

#[test]
fn what_a_stop_takes_out_of_the_queue_is_named() {
    let mut b = planned();
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::Queue("create notes.txt".into())).unwrap();
    b.input(Input::Queue("create more.txt".into())).unwrap();
    b.input(Input::Queue("what does this function do?".into())).unwrap();
    assert_eq!(b.session.state().queue.later.len(), 1);
    b.input(Input::Cancel).unwrap();
    let told = "Not begun: create notes.txt; create more.txt; what does this function do? (out of the queue)";
    assert!(b.notices().iter().any(|n| n == told), "{:?}", b.notices());
}

#[test]
fn a_lone_yes_or_no_answers_the_newest_question_whatever_its_kind() {
    for (word, allowed) in [("y", true), ("yes", true), ("n", false), ("no", false)] {
        let mut b = Bench::new();
        b.say("where is it?");
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.question(is_transition);
        b.say(word);
        assert!(!b.session.state().open.values().any(|c| is_transition(&c.kind)), "{word}");
        let granted =
            b.log.iter().any(|e| matches!(&e.event, Event::CheckpointResolved { approval: Some(_), .. }));
        assert_eq!(granted, allowed, "{word}");
        let lanes = b.session.state().lanes.len();
        assert!(lanes <= 1, "{word}: no second lane");
    }
}

#[test]
fn a_lone_yes_is_not_enough_where_a_word_is_asked_for() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("run", json!({"command": "rm -rf /"}))]);
    let told = b.input(Input::Say { text: "y".into(), seen: b.session.state().seq }).unwrap_err();
    assert!(told.reason.contains("proceed"), "{}", told.reason);
    b.question(|k| k.command().is_some());
}

#[test]
fn a_yes_with_something_else_approves_nothing_and_the_plan_still_waits() {
    let mut b = planned();
    assert!(b.session.foretell("ok. what does step 1 do?").does(&Deed::Talks));
    b.say("ok. what does step 1 do?");
    assert_eq!((phase(&b), answers(&b)), (Phase::AwaitingApproval, 1));
    b.question(is_plan);

    let mut b = planned();
    assert!(b.session.foretell("yes. also add a test").does(&Deed::Plans));
    b.say("yes. also add a test");
    assert_eq!(phase(&b), Phase::Planning, "the plan is made with it, and asked about again");
}

#[test]
fn a_stop_with_something_else_stops_first_and_says_so() {
    let mut b = reviewed();
    let told = b.session.foretell("stop. analyze revenue instead");
    assert_eq!(told.deeds.first(), Some(&Deed::StopsRun), "{told:?}");
    b.say("stop. analyze revenue instead");
    assert!(
        b.log.iter().any(|e| matches!(e.event, Event::RunCompleted { status: RunStatus::Cancelled, .. }))
    );
}

#[test]
fn a_word_that_stops_an_answer_says_so_before_it_is_sent() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    for line in ["stop", "cancel", "/abort"] {
        let mut b = Bench { session: b.session.clone(), log: Vec::new(), clock: b.clock };
        let told = b.session.foretell(line);
        assert!(told.does(&Deed::StopsAnswer), "{line}: {told:?}");
        b.say(line);
        assert_eq!(answers(&b), 0, "{line}");
    }
}

#[test]
fn again_within_a_question_reopens_nothing() {
    let mut b = planned();
    b.say("q");
    b.say("How does the search work? again");
    assert_eq!((phase(&b), answers(&b)), (Phase::Idle, 1));
    assert!(!b.session.state().open.values().any(|c| is_plan(&c.kind)));
}

#[test]
fn new_work_during_a_run_is_queued_all_of_it_in_its_order() {
    let mut b = reviewed();
    let lines = [
        "build a dashboard for the notes",
        "rename parse to read in the tokenizer",
        "update the README with install steps",
        "run the tests",
        "@modify the README title",
        "/agent write docs",
    ];
    for (i, line) in lines.iter().enumerate() {
        assert_eq!(b.session.foretell(line).deeds, [Deed::Queues], "{line}");
        b.say(line);
        assert_eq!(b.session.state().queue.len(), i + 1, "{line}");
        assert_eq!(phase(&b), Phase::Executing, "{line}");
        assert_eq!(b.session.state().open_proposals().count(), 1, "{line}: the diff still waits");
    }
    let queue = &b.session.state().queue;
    let order: Vec<&str> =
        queue.plan_new.iter().chain(&queue.more).map(|t| b.session.state().turns[t].head.as_str()).collect();
    assert_eq!(order, lines);
}

#[test]
fn words_about_the_running_plan_are_told_to_it_and_say_so_before() {
    for line in
        ["the second test is not needed", "use postgres instead", "skip step 1", "do not touch the README"]
    {
        let mut b = reviewed();
        let told = b.session.foretell(line);
        let speaks = told.does(&Deed::Tells) || told.does(&Deed::Asks) || told.does(&Deed::Talks);
        assert!(speaks && !told.does(&Deed::Queues) && !told.does(&Deed::StopsRun), "{line}: {told:?}");
        b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}");
        assert_eq!(b.session.state().open_proposals().count(), 1, "{line}: its drafts stay");
    }
}

#[test]
fn short_words_while_hunks_wait_drop_nothing() {
    for word in ["n", "no", "skip", "leave it", "q", "not this one", "quit", "y", "nein"] {
        let mut b = reviewed();
        let told = b.input(Input::Say { text: word.into(), seen: b.session.state().seq });
        assert!(told.is_err_and(|r| r.reason.contains("diff")), "{word}");
        assert_eq!((phase(&b), b.session.state().open_proposals().count()), (Phase::Executing, 1), "{word}");
    }
    let mut b = reviewed();
    b.say("stop");
    assert_ne!(phase(&b), Phase::Executing, "a plain stop stops");
}

#[test]
fn undo_that_takes_back_the_last_write_and_plans_nothing() {
    for line in ["undo that", "revert that", "undo the last change"] {
        let mut b = reviewed();
        b.approve_all(None).unwrap();
        b.write();
        b.input(Input::Cancel).unwrap();
        b.say(line);
        let pending = b.session.pending();
        assert!(
            pending.values().any(|w| matches!(w, Work::Revert { redo: false, .. })),
            "{line}: {pending:?}"
        );
        assert!(b.session.state().plan.is_none(), "{line}");
    }
}

#[test]
fn a_task_that_is_ordered_by_name_stands_as_it_was_typed() {
    let mut b = Bench::new();
    b.say("/agent what does it do");
    let turn = b.session.state().turn.unwrap();
    let info = b.session.state().turns[&turn].clone();
    assert_eq!(info.head, "/agent what does it do");
    assert_eq!(info.request.as_deref(), Some("what does it do"), "which is what the model is told");
    assert_eq!(phase(&b), Phase::Planning);
}

#[test]
fn leaving_conversation_only_where_it_is_off_says_what_changes_the_ceiling() {
    let mut b = Bench::new();
    let told = b.input(Input::say("/auto")).unwrap_err().reason;
    assert!(told.contains("the ceiling is ask") && told.contains("Shift-Tab"), "{told}");
    b.say("/chat");
    assert!(b.session.state().chat_only);
    b.say("/auto");
    assert!(!b.session.state().chat_only);
}

#[test]
fn a_line_without_a_word_is_told_so_and_asks_nobody() {
    for line in ["…;;  .", "...", "--", "# *", "@"] {
        let mut b = Bench::new();
        let told = b.input(Input::say(line)).unwrap_err().reason;
        assert_eq!(told, "there is no word in that", "{line}");
        assert!(b.session.state().turns.is_empty() && b.session.state().open.is_empty(), "{line}");
    }
    for line in ["?", "!?", "👍", "什么"] {
        assert!(Bench::new().input(Input::say(line)).is_ok(), "{line}");
    }
}

#[test]
fn quit_with_nothing_to_look_at_leaves_as_exit_does() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.say("y");
    for word in ["q", "quit"] {
        let lanes = b.session.state().lanes.len();
        b.say(word);
        assert_eq!(b.session.state().lanes.len(), lanes, "{word} is no talk: {:?}", b.notices());
        assert!(
            b.session.state().phase_question().is_some_and(|c| c.kind.is_exit()),
            "{word}: {:?}",
            b.log.iter().rev().take(4).collect::<Vec<_>>()
        );
        b.say("n");
    }
    // The question whether to leave is left by them as any other is: who is asked stays.
    for word in ["q", "quit"] {
        b.say("/exit");
        b.say(word);
        assert!(b.session.state().phase_question().is_none(), "{word}");
        assert_eq!(phase(&b), Phase::Executing);
    }
    let mut b = Bench::new();
    b.say("quit");
    assert!(b.log.iter().any(|e| matches!(e.event, Event::ControlGiven { control: Control::Exit })));
    // Beside a review it is about that.
    let mut b = reviewed();
    assert!(b.input(Input::say("quit")).is_err());
}

#[test]
fn an_order_of_its_own_sets_the_plan_that_waits_aside_and_says_so_before() {
    for line in ["create a README", "new task: write a REST server", "create a report of this"] {
        let mut b = planned();
        let told = b.session.foretell(line);
        assert_eq!(told.deeds, [Deed::SetsAside, Deed::Plans], "{line}");
        let (turn, path) = told.meant.clone().unwrap();
        assert!(matches!(turn, Turn::PlanNew(None)), "{line}");
        let words = told.words((&turn, &path), false, b.session.state());
        assert_eq!(words, "sets the plan aside, then asks before writing", "{line}");
        b.say(line);
        assert_eq!(phase(&b), Phase::Planning, "{line}");
        assert!(b.session.state().suspended.is_some(), "{line}: /redo brings it back");
    }
    // What adds to it or narrows it changes it.
    for line in ["also create a README", "create a test for it", "only the first step"] {
        assert_eq!(planned().session.foretell(line).deeds, [Deed::Plans], "{line}");
    }
}
