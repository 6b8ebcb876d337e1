//! What is said while a step runs: only plain words stop the run; what names a part of the work, corrects or narrows it,
//! or takes itself back, does not. And what a stop keeps, and leaving names.

use crate::support::*;
use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    intent::{Control, Phase, Turn},
    session::{Deed, Foretold},
};

const STOPS: &str = include_str!("../data/run-stops.txt");
const STEERS: &str = include_str!("../data/run-steers.txt");

fn lines(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter(|l| !l.starts_with('#') && !l.is_empty())
}

fn running() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify"), ("Three", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

/// Whether it is read as a word that stops.
fn cancels(told: &Foretold) -> bool {
    told.meant.as_ref().is_some_and(|(turn, _)| *turn == Turn::Control(Control::Cancel))
}

#[test]
fn plain_words_stop_the_run_at_once() {
    let b = running();
    let left: Vec<&str> =
        lines(STOPS).filter(|line| !b.session.foretell(line).does(&Deed::StopsRun)).collect();
    assert_eq!(left, [""; 0]);
    assert!(lines(STOPS).count() >= 40);
}

#[test]
fn what_steers_stops_nothing_and_is_not_read_as_a_stop() {
    let b = running();
    for line in lines(STEERS) {
        let told = b.session.foretell(line);
        assert!(!told.does(&Deed::StopsRun) && !told.does(&Deed::SetsAside), "{line}: {told:?}");
        assert!(!cancels(&told) && told.refused.is_none(), "{line}: {told:?}");
    }
    assert!(lines(STEERS).count() >= 40);
    // What a user of a day said is told to what runs.
    for line in [
        "also handle a max units argument? no, keep it simple. Actually name it format_duration_brief",
        "please stop adding comments",
        "that's enough comments",
        "nope, wrong file",
        "cancel step 1",
        "forget the README",
    ] {
        assert_eq!(b.session.foretell(line).deeds, [Deed::Tells], "{line}");
    }
}

#[test]
fn a_message_that_takes_itself_back_ends_nothing_else() {
    for line in [
        "also bump the version? hmm no, leave that out",
        "also add a changelog entry. never mind",
        "add a test for it, no wait, forget it",
        "rename it to sums, no, scratch that",
    ] {
        let mut b = running();
        assert_eq!(b.session.foretell(line).deeds, [], "{line}");
        b.say(line);
        assert_eq!(b.session.state().phase, Phase::Executing, "{line}");
        assert_eq!(b.session.state().plan.as_ref().unwrap().tasks.len(), 3, "{line}");
    }
    // What stops the run in the same breath stops it.
    for line in ["also add a test. no, stop the run", "no, stop"] {
        assert!(running().session.foretell(line).does(&Deed::StopsRun), "{line}");
    }
}

#[test]
fn a_stop_keeps_a_plan_that_waits_for_words() {
    for stop in [Input::Cancel, Input::say("/abort"), Input::say("stop")] {
        for again in ["/redo", "/proposals plan", "go on"] {
            let mut b = Bench::new();
            b.say("create notes.txt");
            b.plan(&[("Notes", "create")], &[]);
            b.answer(is_plan, Answer::Reject(String::new())).unwrap();
            assert!(!b.session.state().is_at_rest());
            b.input(stop.clone()).unwrap();
            assert_eq!(b.session.state().phase, Phase::Idle, "{stop:?}");
            let told = b.notices().pop().unwrap();
            assert!(told.contains("The plan \"Plan\" is set aside"), "{told}");
            assert!(b.session.state().is_at_rest(), "{stop:?}");
            b.say(again);
            assert_eq!(
                (b.session.state().phase, b.session.state().plan.is_some()),
                (Phase::AwaitingApproval, true),
                "{again}"
            );
        }
    }
}

#[test]
fn a_command_that_waits_for_a_yes_is_at_stake_as_that_and_nothing_runs() {
    let mut b = Bench::new();
    b.say("run git push");
    b.reply("", &[("run", serde_json::json!({"command": "git push"}))]);
    b.question(is_risk);
    let stake = b.session.state().at_stake();
    assert_eq!(stake.len(), 1);
    assert!(stake[0].starts_with("a command waits for your yes: `git push` ("), "{stake:?}");
    assert!(stake[0].ends_with(" risk)"), "{stake:?}");
    b.input(Input::say("/exit")).unwrap();
    let state = b.session.state();
    let text = state.spec(state.phase_question().unwrap()).text.into_string();
    assert!(text.starts_with("Leave, although a command waits for your yes: `git push` ("), "{text}");
    assert!(!text.contains("Kept") && !text.contains("what runs"), "{text}");
}
