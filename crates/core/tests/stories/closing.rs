//! A model that ends in a question instead of asking by its tool, and users who say that what waits is good.

use crate::{phase, reviewing, support::*};
use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    intent::Phase,
    plan::TaskStatus,
    question::AGENT_ASKS,
    session::Session,
};

fn is_asked(kind: &CheckpointKind) -> bool {
    matches!(kind, CheckpointKind::Clarification(_))
}

/// What the program told the model by itself.
fn nudges(b: &Bench) -> Vec<(String, bool)> {
    let told = |e: &pilothouse_core::event::Stamped| match &e.event {
        Event::LaneNudged { text, answer, .. } => Some((text.clone(), *answer)),
        _ => None,
    };
    b.log.iter().filter_map(told).collect()
}

#[test]
fn a_planning_that_ends_in_a_question_waits_for_the_answer_and_goes_on_with_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.reply("There are two of them.\n\nWhich one?\n1. the first\n2. the second", &[]);
    let asked = b.question(is_asked);
    let question = &b.session.state().open[&asked];
    let CheckpointKind::Clarification(about) = &question.kind else { panic!() };
    assert_eq!((question.message.as_str(), about.choices.len()), ("Which one?", 2));
    assert_eq!((phase(&b), nudges(&b).len()), (Phase::Planning, 0));
    assert!(b.session.pending().is_empty(), "nobody works until it is answered");
    let step = b.say("the one in the loop");
    assert_eq!(starts(&step), ["think"], "the same planning goes on");
    assert_eq!(nudges(&b), [("The user answers your question: the one in the loop".to_owned(), true)]);
    // What it leaves out after that it is told once.
    b.reply("I see.", &[]);
    assert_eq!(nudges(&b).len(), 2);
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.question(is_plan);
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_yes_to_a_question_of_the_agent_is_told_and_kept_in_the_words_that_were_said() {
    for (line, told) in [("yes please", "yes please"), ("y", "y"), (" nope ", "nope")] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.reply("I will mend the loop. Shall I go ahead?", &[]);
        b.say(line);
        assert_eq!(nudges(&b)[0].0, format!("The user answers your question: {told}"));
        let kept = |e: &pilothouse_core::event::Stamped| match &e.event {
            Event::CheckpointResolved { answer, .. } => answer.clone(),
            _ => None,
        };
        assert_eq!(b.log.iter().find_map(kept), Some(Answer::Text(told.into())), "{line}");
    }
}

#[test]
fn a_question_in_words_is_answered_by_its_number_or_dropped() {
    let ask = || {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.reply("Which one?\n- the first\n- the second", &[]);
        b
    };
    let mut b = ask();
    b.say("2");
    assert_eq!(nudges(&b)[0].0, "The user answers your question: the second");
    let mut b = ask();
    b.say("q");
    assert_eq!((phase(&b), b.session.state().lanes.len()), (Phase::Idle, 0));
}

#[test]
fn a_question_that_was_answered_is_not_asked_again_once_the_model_may_be_asked_no_more() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let mut asked = 0;
    while phase(&b) == Phase::Planning && asked < 100 {
        b.reply("Which one?", &[]);
        b.answer(is_asked, Answer::Text("the first".into())).unwrap();
        asked += 1;
    }
    assert!(asked < 100 && b.session.state().open.is_empty() && b.session.pending().is_empty());
    assert_eq!((phase(&b), b.session.state().lanes.len()), (Phase::Idle, 0));
}

#[test]
fn a_step_that_only_asks_waits_and_one_that_did_its_work_goes_on() {
    let begun = || {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b
    };
    let first = |b: &Bench| b.session.state().plan.as_ref().unwrap().tasks[0].status;
    let mut b = begun();
    b.reply("Which of both shall it be?", &[]);
    b.question(is_asked);
    assert_eq!((nudges(&b).len(), first(&b)), (0, TaskStatus::Running));
    let step = b.say("the first");
    assert_eq!(starts(&step), ["think"]);
    b.reply("nothing to change: it already is", &[]);
    assert_eq!(first(&b), TaskStatus::Done);
    // An offer behind work that is done holds nothing up.
    let mut b = begun();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.reply("Done. Shall I do the same in b.txt?", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(first(&b), TaskStatus::Done);
}

#[test]
fn a_repair_that_only_asks_waits_for_the_answer() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to change: one", &[]);
    b.reply("nothing to change: two", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "boom"));
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b.reply("The test wants the old name. Shall the test change?", &[]);
    b.question(is_asked);
    assert_eq!(nudges(&b).len(), 0);
    let step = b.say("no, the code");
    assert_eq!(starts(&step), ["think"]);
}

#[test]
fn who_says_that_what_waits_is_good_is_told_the_keys_and_no_model_is_asked() {
    for line in
        ["looks good", "apply it", "looks good, apply it", "ship it", "lgtm", "LGTM!", "ok, apply them"]
    {
        let mut b = reviewing();
        let told = b.session.foretell(line);
        assert!(told.refused.is_some() && told.deeds.is_empty(), "{line}: {told:?}");
        let refused = b.input(pilothouse_core::input::Input::say(line)).unwrap_err().reason;
        assert!(refused.contains("y takes a hunk") && refused.contains("a writes"), "{line}: {refused}");
        assert!(b.session.pending().is_empty(), "{line}");
        assert_eq!(b.session.state().open_proposals().count(), 1, "{line}: words take nothing");
    }
    for line in ["looks good but rename x to y", "apply it to b.txt as well"] {
        let mut b = reviewing();
        assert!(b.input(pilothouse_core::input::Input::say(line)).is_ok(), "{line}");
    }
}

#[test]
fn why_a_plan_a_gate_and_a_commit_ask_is_told() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "execute")], &[("tests", "make test")]);
    let asked = b.session.state().open[&b.question(is_plan)].clone();
    let why = b.session.why_asked(&asked).unwrap();
    let told: Vec<&str> = why.rows.iter().map(|(_, text)| text.as_str()).collect();
    let told = told.join("\n");
    for part in
        ["2 steps; a plan of one step starts on its own", "step 2 would execute", "the ceiling is ask"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    b.answer(is_plan, Answer::Approve).unwrap();
    let change = serde_json::json!({"gate": "tests", "command": "make check", "reason": "there is no test"});
    b.reply("", &[("change_gate", change)]);
    let is_change = |k: &CheckpointKind| matches!(k, CheckpointKind::GateChange(_));
    let asked = b.session.state().open[&b.question(is_change)].clone();
    let why = b.session.why_asked(&asked).unwrap();
    assert!(
        why.rows
            .iter()
            .any(|(label, text)| *label == "rule" && text.contains("only you can change what it runs"))
    );
}

#[test]
fn what_the_agent_asked_last_stands_at_the_question_about_its_red_gate() {
    let asks = |words: &str| {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("tests", "make test")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        b.reply(words, &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b.end_tool(exited(1, "3 failed\nassertion failed"));
        let item = b.session.state().open[&b.question(is_failure)].clone();
        let spec = b.session.state().spec(&item);
        let asked = spec.facts.iter().find(|(label, _)| *label == AGENT_ASKS);
        assert!(Session::replay(&b.log) == b.session);
        asked.map(|(_, text)| text.as_str().to_owned())
    };
    let asked = asks("Done, but for two lines.\n\nShall I propose them again?");
    assert_eq!(asked.as_deref(), Some("Shall I propose them again?"));
    assert_eq!(asks("Done."), None);
}
