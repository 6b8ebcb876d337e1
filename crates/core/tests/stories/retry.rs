//! What gets no answer: stopped, failed, or answered with nothing; how it is asked again.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::Input,
    intent::{Control, Phase},
    runs::{RunInfo, RunStatus},
    scope::{Capability, PermissionMode},
    session::LaneKind,
    talk::{Fault, FaultKind},
    tool::ToolOutcome,
};

use crate::{
    phase,
    phases::{answer_lane, fault},
    support::*,
};

#[test]
fn an_answer_that_was_stopped_is_asked_again_where_no_plan_has_something_left() {
    let mut b = Bench::new();
    let stop = |b: &mut Bench, by_user: bool| {
        b.say("and the ranking?");
        let (asked, call) = (answer_lane(b).turn, b.thinking());
        if by_user {
            b.input(Input::Cancel).unwrap();
        } else {
            let stopped = Fault { kind: FaultKind::Cancelled, ..fault() };
            b.input(Input::Replied { call, reply: Err(stopped) }).unwrap();
        }
        asked
    };
    for by_user in [true, false] {
        let asked = stop(&mut b, by_user);
        b.say("/retry");
        assert_eq!(answer_lane(&b).turn, asked);
        b.reply("by the index", &[]);
    }
    // So is one that was stopped while a call of it was made.
    b.say("and the ranking?");
    let asked = answer_lane(&b).turn;
    b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.input(Input::Cancel).unwrap();
    b.say("/retry");
    assert_eq!(answer_lane(&b).turn, asked);
    b.reply("by the index", &[]);
    b.say("fix the bug in a.txt");
    b.plan(&[("A", "modify")], &[]);
    b.input(Input::say("/abort")).unwrap();
    stop(&mut b, true);
    b.say("/retry");
    assert_eq!(phase(&b), Phase::AwaitingApproval, "the plan that waits comes first");
}

#[test]
fn retry_beside_a_summary_ends_its_wait_and_asks_nothing_again() {
    let told = |b: &Bench| {
        let heard = |e: &&Event| matches!(e, Event::ControlGiven { control: Control::Other(name) } if name == "retry");
        b.log.iter().map(|e| &e.event).filter(heard).count()
    };
    let mut b = Bench::new();
    for n in 0..3 {
        b.say(&format!("what is number {n} here?"));
        b.reply(&format!("it is {n}"), &[]);
    }
    b.say("/compact");
    assert!(b.session.state().compacting.is_some());
    b.say("/retry");
    assert!(b.session.state().lanes.is_empty() && told(&b) == 1, "its wait is ended, and no more");
}

#[test]
fn what_a_crash_cut_short_is_asked_again() {
    for order in [false, true] {
        let mut b = Bench::new();
        b.say(if order { "fix the bug in a.txt" } else { "how does the search work?" });
        let turn = *b.session.state().turns.keys().next_back().unwrap();
        if order {
            b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
        }
        b.input(Input::Open(opening())).unwrap();
        let told = b.notices().pop().unwrap();
        assert!(told.contains("was not answered when the program ended; `/retry` asks it again"), "{told}");
        assert_eq!(RunInfo::of(b.session.state()).status, RunStatus::Failed);
        b.say(if order { "go on" } else { "/retry" });
        let lane = b.session.state().lanes.values().next().unwrap();
        assert_eq!((lane.turn, lane.kind == LaneKind::Planning), (turn, order));
    }
}

#[test]
fn an_answer_that_did_not_come_beside_a_plan_that_was_left_is_not_what_the_session_came_to() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::Cancel).unwrap();
    b.say("how does the search work?");
    b.reply(" \n", &[]);
    assert!(b.session.state().unanswered.is_some());
    assert_eq!(RunInfo::of(b.session.state()).status, RunStatus::Stopped);
}

#[test]
fn an_empty_reply_to_a_question_is_no_answer() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    let asked = answer_lane(&b).turn;
    b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.end_tool(ToolOutcome::text("1", "1 line"));
    b.reply(" \n", &[]);
    let told = b.notices().pop().unwrap();
    assert!(told.contains("reply is empty") && told.ends_with("/retry asks it again"), "{told}");
    assert!(b.session.state().unanswered.is_some());
    assert_eq!(RunInfo::of(b.session.state()).status, RunStatus::Failed);
    b.say("/retry");
    assert_eq!(answer_lane(&b).turn, asked);
    b.reply("By an index.\nShall I go on?", &[]);
    let info = RunInfo::of(b.session.state());
    assert_eq!((info.status, info.asks.as_deref()), (RunStatus::Done, Some("Shall I go on?")));
    assert!(b.session.state().unanswered.is_none());
    // What was said before a last call is an answer.
    b.say("and the ranking?");
    b.reply("By age.", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.end_tool(ToolOutcome::text("1", "1 line"));
    b.reply("", &[]);
    assert!(b.session.state().unanswered.is_none());
}

#[test]
fn a_step_that_only_looks_and_says_nothing_is_not_done() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Look", "read"), ("Mend", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    b.reply("", &[]);
    assert!(b.names().contains(&"task_skipped".to_owned()));
    assert!(b.notices().iter().any(|n| n.starts_with("Step 1: the model's reply is empty")));
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Look", "read"), ("Mend", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    b.reply("The bug is in line 1.", &[]);
    assert!(b.names().contains(&"task_completed".to_owned()));
}

#[test]
fn a_command_behind_a_change_that_failed_goes_back_to_the_model() {
    let commit = ("run", serde_json::json!({"command": "git commit -am done"}));
    for failed in [true, false] {
        let mut b = crate::phases::running();
        b.reply("", &[("edit", edit_of("a.txt")), commit.clone()]);
        if failed {
            let step = b.end_tool(ToolOutcome::failure("a.txt changed since you read it"));
            assert_eq!(starts(&step), ["think"], "nothing is asked, and the model hears of it");
            // Once it is mended the same command is asked about.
            b.reply("", &[("edit", edit_of("a.txt"))]);
        }
        b.propose("a.txt", "1", "2");
        if failed {
            b.reply("", std::slice::from_ref(&commit));
        }
        b.approve_all(None).unwrap();
        b.write();
        b.question(is_risk);
    }
}

#[test]
fn the_last_message_is_asked_again_whatever_became_of_it() {
    let mut b = Bench::new();
    assert!(b.input(Input::say("/retry")).unwrap_err().reason.contains("no message to retry"));
    assert!(b.input(Input::say("/redo")).unwrap_err().reason.contains("no earlier plan"));
    b.say("how does the search work?");
    b.reply("by an index", &[]);
    let asked = last_turn(&b);
    for again in ["/retry", "/redo"] {
        b.say(again);
        assert_eq!(answer_lane(&b).turn, asked);
        b.reply("by a better index", &[]);
        assert!(!b.session.state().is_unheeded());
    }
    // Prose where a plan was wanted: by the command, and by the words that go on.
    b.say("fix the bug in a.txt");
    for again in ["/retry", "go on", "/redo"] {
        let planning = b.session.state().planning_lane().unwrap().turn;
        for _ in 0..2 {
            b.reply("I would change a.txt", &[]);
        }
        assert!(b.notices().last().unwrap().ends_with("\"go on\" asks again."), "{:?}", b.notices());
        assert!(b.session.state().is_unheeded() && phase(&b) == Phase::Idle);
        b.say(again);
        assert_eq!(b.session.state().planning_lane().map(|l| l.turn), Some(planning), "{again}");
    }
    // A plan is what is taken up once there is one, and nothing from before a new start is.
    b.plan(&[("A", "modify")], &[]);
    b.input(Input::say("/abort")).unwrap();
    b.say("/retry");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.say("/reset");
    if let Some(asked) = b.session.state().phase_question().map(|c| c.id) {
        b.input(Input::Answer { checkpoint: asked, answer: Answer::Approve, shown: None }).unwrap();
    }
    assert!(b.input(Input::say("/retry")).is_err());
}

#[test]
fn beside_a_model_that_is_asked_retry_ends_the_wait_for_its_server_and_nothing_else() {
    for (text, phase_then) in
        [("how does the search work?", Phase::Idle), ("fix the bug in a.txt", Phase::Planning)]
    {
        let mut b = Bench::new();
        b.say(text);
        let before: Vec<_> = b.session.pending().into_keys().collect();
        let step = b.input(Input::say("/retry")).unwrap();
        let events: Vec<&Event> = step.events.iter().map(|e| &e.event).collect();
        assert!(
            matches!(&events[..], [Event::ControlGiven { control: Control::Other(name) }] if name == "retry"),
            "{events:?}"
        );
        assert!(step.effects.is_empty() && b.session.state().queue.is_empty());
        assert_eq!(b.session.pending().into_keys().collect::<Vec<_>>(), before);
        assert_eq!(phase(&b), phase_then);
    }
}

fn last_turn(b: &Bench) -> pilothouse_core::ids::TurnId {
    *b.session.state().turns.keys().next_back().unwrap()
}

#[test]
fn after_a_plan_that_is_done_retry_means_the_message_and_redo_the_plan() {
    for again in ["/retry", "/redo"] {
        let mut b = done();
        b.say("how does the search work?");
        let asked = last_turn(&b);
        b.reply("by an index", &[]);
        b.say(again);
        let asks = b.session.state().lanes.values().any(|l| l.turn == asked);
        assert_eq!(asks, again == "/retry", "{again}");
        assert_eq!(phase(&b) == Phase::AwaitingApproval, again == "/redo", "{again}");
    }
    // Of a message whose plan was carried out nothing is made anew: the plan waits for its yes once more.
    let mut b = done();
    b.say("/retry");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    assert!(b.session.state().run.is_none() && b.session.state().planning_lane().is_none());
}

/// A session whose plan was carried out, with a message beside its run that became a part of it.
fn done() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Look", "read"), ("Tell", "read")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("The bug is in line 1.", &[]);
    b.reply("It is told.", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    b
}

#[test]
fn what_is_asked_again_goes_the_whole_way_and_takes_no_consent_from_before() {
    let edit = ("edit", edit_of("a.txt"));
    let mut b = Bench::new();
    b.say("how does the search work?");
    for again in [true, false] {
        // It wants to change files: that is asked each time, and so is every hunk.
        b.reply("", std::slice::from_ref(&edit));
        b.answer(is_transition, Answer::Approve).unwrap();
        b.propose("a.txt", "1", "2");
        b.reply("by an index", &[]);
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(phase(&b), Phase::Idle);
        if again {
            b.say("/retry");
        }
    }
    // An order to run something runs nothing unasked either.
    b.say("run the tests");
    for again in [true, false] {
        b.reply("", &[("run", serde_json::json!({"command": "git commit -am done"}))]);
        b.answer(is_risk, Answer::Reject("no".into())).unwrap();
        b.reply("It was not wanted.", &[]);
        if again {
            b.say("/retry");
        }
    }
}

#[test]
fn in_auto_mode_what_is_asked_again_asks_its_questions_again() {
    let edit = ("edit", edit_of("a.txt"));
    for again in ["/retry", "/redo"] {
        let mut b = Bench::new();
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("how does the search work?");
        b.reply("", std::slice::from_ref(&edit));
        b.answer(is_transition, Answer::Approve).unwrap();
        b.propose("a.txt", "1", "2");
        b.reply("by an index", &[]);
        b.write();
        b.say(again);
        b.reply("", std::slice::from_ref(&edit));
        b.question(is_transition);
        let proposed = b.names().iter().filter(|name| *name == "proposed").count();
        assert_eq!(proposed, 1, "{again}");
    }
    // So does a message that the user said is a task.
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.mumble();
    b.answer(|kind| matches!(kind, CheckpointKind::Clarification(_)), Answer::Pick(0)).unwrap();
    for _ in 0..2 {
        b.reply("I would change a.txt", &[]);
    }
    let turn = last_turn(&b);
    assert!(b.session.state().reach(turn).allows(Capability::Write));
    b.say("/retry");
    assert!(!b.session.state().reach(turn).allows(Capability::Write));
}

#[test]
fn what_is_no_message_of_its_own_is_never_asked_again() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    let asked = last_turn(&b);
    b.reply("By an index.", &[]);
    // A command that the user typed is not run again: the message before it is asked.
    b.say("!ls");
    b.end_tool(ToolOutcome::text("a.txt", "1 line"));
    b.say("/retry");
    assert_eq!(answer_lane(&b).turn, asked);
    b.reply("By an index. Shall I make it faster?", &[]);
    // A yes to an offer was given once.
    b.say("yes");
    b.reply("It is as fast as it can be.", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.input(Input::say("/retry")).unwrap_err().reason.contains("no message to retry"));
}

#[test]
fn a_stop_for_calls_that_repeat_is_asked_again_by_the_words_that_go_on() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    let asked = last_turn(&b);
    for _ in 0..20 {
        if b.session.state().lanes.is_empty() {
            break;
        }
        b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
        b.end_tool(ToolOutcome::text("1", "1 line"));
    }
    let told = b.notices().pop().unwrap();
    assert!(
        told.starts_with("stopped: the model made the same call") && told.ends_with("/retry asks it again"),
        "{told}"
    );
    assert!(b.session.state().is_unheeded());
    b.say("go on");
    assert_eq!(answer_lane(&b).turn, asked);
}

#[test]
fn a_plan_that_has_something_left_comes_before_a_message_that_came_to_nothing() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.input(Input::say("/abort")).unwrap();
    b.say("add a line to b.txt");
    for _ in 0..2 {
        b.reply("I would add it.", &[]);
    }
    assert_eq!(b.notices().pop().unwrap(), "No plan was made; nothing was changed.");
    b.say("/retry");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}
