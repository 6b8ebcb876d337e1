//! A message that orders something and asks something else is a turn for each, in its order.

use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    intent::{Mode, Phase, Turn},
    session::{Deed, LaneKind},
};

use crate::support::*;

const BOTH: &str = "fix the typo in README.md; what is Store?";
const ASKED_FIRST: &str = "what is Store? fix the typo in README.md";

/// The turns, with whether each is work.
fn turns(b: &Bench) -> Vec<(String, bool)> {
    let turns = b.session.state().turns.values();
    turns.map(|t| (t.head.clone(), !matches!(t.class, Turn::Query(_)))).collect()
}

fn lanes(b: &Bench) -> Vec<LaneKind> {
    b.session.state().lanes.values().map(|l| l.kind).collect()
}

fn owned(turns: &[(&str, bool)]) -> Vec<(String, bool)> {
    turns.iter().map(|(text, works)| ((*text).to_owned(), *works)).collect()
}

/// A run whose first step thinks.
fn running() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

#[test]
fn each_is_done_and_foretold_in_the_order_of_the_message() {
    let order = ("fix the typo in README.md", true);
    let question = ("what is Store?", false);
    for (line, said, deeds, kinds, words) in [
        (
            BOTH,
            [order, question],
            [Deed::Plans, Deed::Talks],
            [LaneKind::Planning, LaneKind::Answer],
            "asks before writing, then a question – read-only",
        ),
        (
            ASKED_FIRST,
            [question, order],
            [Deed::Talks, Deed::Plans],
            [LaneKind::Answer, LaneKind::Planning],
            "a question – read-only, then asks before writing",
        ),
    ] {
        let mut b = Bench::new();
        let told = b.session.foretell(line);
        assert_eq!(told.deeds, deeds, "{line}");
        let (turn, path) = told.meant.clone().unwrap();
        assert_eq!(told.words((&turn, &path), false, b.session.state()), words);
        b.say(line);
        assert_eq!(turns(&b), owned(&said), "{line}");
        assert_eq!(lanes(&b), kinds, "{line}");
        assert_eq!(b.session.state().phase, Phase::Planning, "{line}");
    }
}

#[test]
fn beside_a_run_the_order_is_taken_up_and_the_question_answered() {
    let mut b = running();
    let line = "also add a doc comment to the two methods; what is Store?";
    assert_eq!(b.session.foretell(line).deeds, [Deed::Adds, Deed::Talks]);
    b.say(line);
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks.len(), 3, "{:?}", b.notices());
    assert!(lanes(&b).contains(&LaneKind::Answer) && b.session.state().phase == Phase::Executing);
    let mut b = running();
    b.input(Input::Queue("rename a to b. what is Store?".into())).unwrap();
    let queue = &b.session.state().queue;
    assert_eq!((queue.works().count(), queue.later.len()), (1, 1));
}

#[test]
fn what_is_kept_from_the_order_stays_with_it() {
    let mut b = Bench::new();
    b.say("Fix the typo in README.md. What is Store? Don't touch the tests.");
    let state = b.session.state();
    let works = |t: &&pilothouse_core::session::TurnInfo| !matches!(t.class, Turn::Query(_));
    let order = state.turns.values().map(|t| &**t).find(works).unwrap();
    assert_eq!((state.turns.len(), order.spares.is_empty()), (2, false));
    // One that wants nothing changed at all is one turn, and changes nothing.
    let mut b = Bench::new();
    b.say("fix the typo in README.md; what is Store? change nothing yet");
    assert_eq!((turns(&b).len(), b.session.state().phase), (1, Phase::Idle));
}

#[test]
fn a_word_to_the_workbench_has_effect_before_both() {
    let mut b = Bench::new();
    b.say("switch to proof mode; fix the typo in README.md; what is Store?");
    assert_eq!(b.session.state().mode, Mode::Proof);
    assert_eq!(lanes(&b), [LaneKind::Planning, LaneKind::Answer], "{:?}", turns(&b));
}

#[test]
fn while_a_question_holds_the_phase_a_message_is_not_taken_apart() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.say("use tabs; what is Store?");
    assert_eq!(turns(&b).len(), 2, "{:?}", turns(&b));
}

#[test]
fn where_the_first_waits_to_be_understood_the_other_waits_behind_it() {
    let mut b = Bench::doubting(&["plan_new"]);
    assert_eq!(b.session.foretell(BOTH).deeds, [Deed::Consults, Deed::Waits]);
    b.say(BOTH);
    assert!(lanes(&b).is_empty());
    b.understand("fix the typo in README.md", None);
    b.understand("what is Store?", None);
    assert_eq!(lanes(&b), [LaneKind::Planning, LaneKind::Answer], "{:?}", b.notices());
    // In conversation nothing is ordered.
    let mut b = Bench::new();
    b.say("/chat");
    b.say(ASKED_FIRST);
    assert_eq!(lanes(&b), [LaneKind::Answer], "{:?}", turns(&b));
}
