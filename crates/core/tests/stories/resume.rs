//! A plan that pauses, that was left, or that is held: how it is taken up again and held in plain words.

use crate::support::*;
use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{Event, RunStatus},
    input::{Input, TiersAnswered},
    intent::{Control, IntentNode, IntentPath, Phase, Source, TierAnswer, Turn},
    plan::Pause,
    session::Deed,
};

/// What takes a plan up again.
const ON: [&str; 15] = [
    "go on",
    "keep going",
    "go on with the plan",
    "continue",
    "continue the plan",
    "resume",
    "resume the plan",
    "carry on",
    "carry on with the plan please",
    "I fixed it, go on",
    "I fixed it. Go on",
    "ok, it is mended now. keep going with the plan",
    "mach weiter mit dem Plan",
    "continue avec le plan",
    "继续执行计划",
];

fn run_in(mut b: Bench) -> Bench {
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

/// A run whose gate failed.
fn gate_failed(b: Bench) -> Bench {
    let mut b = run_in(b);
    b.reply("one", &[]);
    b.reply("two", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "boom"));
    b.question(is_failure);
    b
}

/// A plan whose gate failed, and whose user went on by hand.
fn by_hand(b: Bench) -> Bench {
    let mut b = gate_failed(b);
    b.say("m");
    assert_eq!(b.session.state().phase, Phase::Idle);
    b
}

fn is_pause(kind: &CheckpointKind) -> bool {
    matches!(kind, CheckpointKind::Paused(_))
}

#[test]
fn a_plan_that_was_left_is_taken_up_in_plain_words_and_the_preview_says_so() {
    for line in ON {
        let mut b = by_hand(Bench::new());
        let told = b.session.foretell(line);
        assert!(told.does(&Deed::Shows), "{line}: {told:?}");
        let (turn, path) = told.meant.clone().unwrap();
        let words = told.words((&turn, &path), false, b.session.state());
        assert_eq!(words, "resumes the plan", "{line}");
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Executing, "{line}: {:?}", b.notices());
    }
    // No model is asked, whatever the thresholds of the rules.
    let mut b = by_hand(Bench::doubting(&["plan_continue", "query"]));
    b.say("I fixed it, go on");
    assert_eq!(b.session.state().phase, Phase::Executing);
}

#[test]
fn who_fixes_a_failed_gate_by_hand_is_told_how_it_goes_on_and_says_so_in_a_word() {
    for line in ["done", "fixed", "Fixed it.", "ok, I fixed it", "it's fixed now", "fertig", "c'est fait"] {
        let mut b = by_hand(Bench::doubting(&["plan_continue", "query"]));
        let told = "Fix it yourself; then \"go on\" runs `make test` again.";
        assert!(b.notices().iter().any(|n| n == told), "{:?}", b.notices());
        let words = b.session.foretell(line);
        let (turn, path) = words.meant.clone().unwrap_or_else(|| panic!("{line}: {words:?}"));
        assert_eq!(words.words((&turn, &path), false, b.session.state()), "resumes the plan", "{line}");
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Executing, "{line}: {:?}", b.notices());
        // The same where it is said before any key.
        let mut b = gate_failed(Bench::doubting(&["plan_continue", "query"]));
        b.say(line);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(0, "fine"));
        assert!(b.session.state().phase == Phase::Idle && b.session.state().plan_aside().is_none(), "{line}");
    }
    // Where nothing failed, or more is said, it means no plan.
    for line in ["is it fixed?", "done with the parser, what is next?"] {
        let mut b = by_hand(Bench::new());
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Idle, "{line}");
    }
    let mut b = Bench::new();
    b.say("done");
    assert!(b.session.state().phase == Phase::Idle && b.session.state().plan.is_none());
}

#[test]
fn where_no_plan_is_left_it_is_said() {
    for line in ON {
        let b = Bench::new();
        let told = b.session.foretell(line);
        assert_eq!(told.deeds, [], "{line}: {told:?}");
        let mut b = b;
        b.say(line);
        assert!(b.notices().iter().any(|n| n == "there is no plan to continue"), "{line}: {:?}", b.notices());
    }
}

#[test]
fn go_on_at_a_gate_that_failed_runs_it_again_and_at_a_pause_goes_on() {
    for line in ["go on", "I fixed it, go on", "continue with the plan"] {
        let mut b = gate_failed(Bench::new());
        b.say(line);
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(0, "fine"));
        assert!(b.session.state().phase == Phase::Idle && b.session.state().plan_aside().is_none(), "{line}");
        let mut b = run_in(Bench::new());
        b.say("wait");
        b.reply("one", &[]);
        b.question(is_pause);
        b.say(line);
        assert!(!b.session.state().open.values().any(|c| is_pause(&c.kind)), "{line}");
        b.thinking();
    }
}

#[test]
fn what_a_model_reads_as_taking_up_shows_the_plan_and_each_choice_says_what_it_does() {
    let line = "the thing from before";
    let said = |confidence| TierAnswer {
        turn: Some(Turn::Control(Control::Redo)),
        path: Some(IntentPath::to(IntentNode::Conversation)),
        target: None,
        confidence,
        sub_confidence: 0.9,
        source: Source::Llm,
        reasoning: "the model says so".into(),
        firm: false,
    };
    let asked = |confidence| {
        let mut b = by_hand(Bench::doubting(&["plan_continue", "query", "control"]));
        b.say(line);
        let (turn, _) = b.unheard();
        let said =
            TiersAnswered { text: line.into(), opinion: Some(said(confidence)), ..TiersAnswered::default() };
        b.input(Input::TiersAnswered { turn, said: Box::new(said) }).unwrap();
        b
    };
    assert_eq!(asked(0.95).session.state().phase, Phase::AwaitingApproval);
    let mut b = asked(0.72);
    let choices = b.session.state().open.values().find_map(|c| match &c.kind {
        CheckpointKind::Clarification(about) => Some(about.choices.clone()),
        _ => None,
    });
    assert_eq!(choices.unwrap(), ["Resume the last plan", "Only answer"]);
    b.say("1");
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval);
}

#[test]
fn a_bare_wait_holds_the_run_at_its_next_step_and_no_model_is_asked() {
    for line in [
        "wait",
        "hold on",
        "pause",
        "Wait!",
        "hang on a second",
        "please wait",
        "moment mal",
        "attends",
        "等一下",
    ] {
        let mut b = run_in(Bench::doubting(&["plan_continue", "query", "control"]));
        let told = b.session.foretell(line);
        assert_eq!(told.deeds, [Deed::Holds], "{line}");
        let (turn, path) = told.meant.clone().unwrap();
        let words = told.words((&turn, &path), false, b.session.state());
        assert_eq!(words, "pauses the run at its next step");
        b.say(line);
        assert!(!b.names().contains(&"intent_asked".into()), "{line}");
        let lane = b.session.state().run_lanes().next().unwrap().id;
        assert!(b.session.state().lanes[&lane].thinking.is_some(), "what is under way finishes");
        b.reply("one", &[]);
        b.question(is_pause);
        assert!(b.session.pending().is_empty(), "{line}: nothing works meanwhile");
        b.say("go on");
        b.reply("two", &[]);
        assert!(!b.session.state().open.values().any(|c| is_pause(&c.kind)), "{line}: held once");
    }
}

#[test]
fn a_run_is_held_within_a_step_before_its_model_goes_on_and_only_once() {
    let mut b = run_in(Bench::new());
    b.say("wait");
    assert!(b.input(Input::say("hold on")).is_ok());
    assert!(b.notices().iter().any(|n| n == "it is already paused"), "{:?}", b.notices());
    b.reply("", &[("read", serde_json::json!({"path": "a.txt"}))]);
    b.end_tool(exited(0, "1"));
    b.question(is_pause);
    b.say("stop");
    assert_eq!(b.session.state().phase, Phase::Idle);
    // The plan is taken up again without it.
    b.say("go on");
    assert!(!b.session.state().plan.as_ref().unwrap().pauses.contains(&Pause::Held));
    let cancelled = |e: &Event| matches!(e, Event::RunCompleted { status: RunStatus::Cancelled, .. });
    assert_eq!(b.log.iter().filter(|e| cancelled(&e.event)).count(), 1);
}

#[test]
fn the_question_of_an_interruption_can_hold_the_run() {
    for word in ["h", "hold", "wait"] {
        let mut b = run_in(Bench::new());
        b.mumble();
        b.say(word);
        assert!(
            b.session.state().plan.as_ref().unwrap().pauses.contains(&Pause::Held),
            "{word}: {:?}",
            b.notices()
        );
    }
}

#[test]
fn a_number_that_no_choice_has_is_no_message() {
    let mut b = Bench::new();
    b.say("do the exercise in .docs/instructions.md");
    let question = |b: &Bench| b.session.state().phase_question().map(|q| q.id);
    let asked = question(&b);
    assert!(asked.is_some(), "{:?}", b.names());
    for line in ["4", "0", "4.", "17"] {
        let told = b.input(Input::Say { text: line.into(), seen: b.session.state().seq }).unwrap_err();
        assert_eq!(
            told.reason,
            "that doesn't say which one: 1 Plan and change files, 2 Only answer, q drop it; or say it in your own words",
            "{line}"
        );
        assert!(b.answer(|_| true, Answer::Text(line.into())).is_err());
        assert_eq!(question(&b), asked, "{line}");
    }
    // The last number stands for words of one's own, which come next.
    let told = b.input(Input::Say { text: "3".into(), seen: b.session.state().seq }).unwrap_err();
    assert_eq!(told.reason, "say it in your own words");
    assert_eq!(question(&b), asked);
    let spec = b.session.state().spec(b.session.state().phase_question().unwrap());
    assert_eq!((spec.own, spec.numbered()), (Some("let me specify"), 3));
    b.say("2");
    assert_eq!(question(&b), None);
}

#[test]
fn a_command_that_is_written_twice_is_none_and_a_path_is_let_be() {
    for line in ["/unundo/unundo", "/redo/redo", "/undo/", "/status/status"] {
        let mut b = Bench::doubting(&["plan_continue", "query", "control", "plan_new"]);
        let told = b.input(Input::say(line)).unwrap_err();
        assert!(told.reason.contains("no command"), "{line}: {}", told.reason);
        assert!(!b.names().contains(&"intent_asked".into()), "{line}");
    }
    for line in ["/etc/hosts", "/diff/a.txt holds what?", "/help/index.md"] {
        let told = Bench::new().input(Input::say(line));
        assert!(told.is_ok(), "{line}: {told:?}");
    }
}

#[test]
fn a_plan_that_is_taken_up_again_says_which_steps_are_done() {
    let mut b = run_in(Bench::new());
    b.reply("nothing to change: one", &[]);
    b.input(Input::Cancel).unwrap();
    b.say("go on");
    let plan = b.session.state().plan.clone().unwrap();
    assert!(plan.summary().contains("1. One (done)\n  2. Two\n"), "{}", plan.summary());
}

#[test]
fn a_session_that_was_left_on_another_branch_says_so_once() {
    let mut b = Bench::new();
    let branch = |b: &mut Bench, name: &str| b.session.set_branch(Some(name.into()));
    let told =
        |b: &Bench| b.notices().iter().filter(|n| n.contains("The branch is")).cloned().collect::<Vec<_>>();
    branch(&mut b, "main");
    b.say("where is main?");
    b.reply("In src/main.rs.", &[]);
    b.input(Input::Open(opening())).unwrap();
    assert!(told(&b).is_empty());
    for _ in 0..2 {
        branch(&mut b, "side");
        b.input(Input::Open(opening())).unwrap();
        assert_eq!(told(&b), ["The branch is now side; it was main when you left this session."]);
    }
    // Without a repository nothing is said.
    b.session.set_branch(None);
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(told(&b).len(), 1);
    assert!(pilothouse_core::session::Session::replay(&b.log).state() == b.session.state());
}

#[test]
fn a_branch_that_a_command_of_the_session_went_to_is_the_one_it_was_left_on() {
    let mut b = Bench::new();
    b.session.set_branch(Some("main".into()));
    b.say("!git switch side");
    b.session.set_branch(Some("side".into()));
    b.end_tool(exited(0, ""));
    b.input(Input::Open(opening())).unwrap();
    assert!(!b.notices().iter().any(|n| n.contains("The branch is")), "{:?}", b.notices());
    assert!(pilothouse_core::session::Session::replay(&b.log) == b.session);
}
