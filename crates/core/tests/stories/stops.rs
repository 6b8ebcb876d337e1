//! What is said while a step runs: only plain words stop the run; what names a part of the work, corrects or narrows it,
//! or takes itself back, does not.

use crate::support::*;
use pilothouse_core::{
    checkpoint::Answer,
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
        "cancel step 3",
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
