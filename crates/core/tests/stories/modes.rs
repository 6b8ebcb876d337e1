//! The mode of a session: inferred from the first task alone, then sticky (MOD-03).

use pilothouse_core::{input::Opening, intent::Mode};

use super::*;

fn mode(b: &Bench) -> Mode {
    b.session.state().mode
}

fn changes(b: &Bench) -> Vec<(Mode, Option<String>)> {
    let of = |e: &Event| match e {
        Event::ModeChanged { mode, inferred } => Some((*mode, inferred.clone())),
        _ => None,
    };
    b.log.iter().filter_map(|e| of(&e.event)).collect()
}

const PROOF: &str = "add the export to store.rs and prove that no row is lost";

#[test]
fn the_first_task_that_asks_for_proof_gets_it_and_says_so() {
    let mut b = Bench::new();
    b.say("where is main defined?");
    b.say(PROOF);
    assert_eq!(changes(&b), [(Mode::Proof, Some("prove".into()))]);
    assert!(b.notices().iter().any(|n| n.contains("\"prove\"") && n.contains("/explore")));
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_question_is_no_task() {
    let mut b = Bench::new();
    b.say("what does audit mean here?");
    assert_eq!(mode(&b), Mode::Exploratory);
}

#[test]
fn a_later_task_infers_nothing() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.say("stop");
    b.say(PROOF);
    assert_eq!(mode(&b), Mode::Exploratory);
}

#[test]
fn what_the_user_chose_stays() {
    let mut b = Bench::new();
    b.say("/explore");
    b.say(PROOF);
    assert_eq!(mode(&b), Mode::Exploratory);
    let mut session = Session::new();
    let opening = Opening { mode: Some(Mode::Exploratory), ..opening() };
    session.step(Millis(1), Input::Open(opening)).unwrap();
    session.step(Millis(2), Input::say(PROOF)).unwrap();
    assert_eq!(session.state().mode, Mode::Exploratory);
}

#[test]
fn an_inferred_mode_can_be_left_and_stays_left() {
    let mut b = Bench::new();
    b.say(PROOF);
    b.say("stop");
    b.say("/explore");
    b.say("audit the whole thing");
    assert_eq!(changes(&b), [(Mode::Proof, Some("prove".into())), (Mode::Exploratory, None)]);
}

#[test]
fn a_mode_that_is_set_by_a_word_or_a_command_is_told_once() {
    let mut b = Bench::new();
    for (line, told) in [
        ("/proof", Some("Proof mode from now on; /explore switches back.")),
        ("/proof", None),
        ("switch to explore mode", Some("Explore mode from now on; /proof switches back.")),
    ] {
        let before = b.notices().len();
        b.say(line);
        let said = b.notices().split_off(before);
        assert_eq!(said.first().map(String::as_str), told, "{line}");
        assert!(said.len() <= 1, "{line}: {said:?}");
    }
}
