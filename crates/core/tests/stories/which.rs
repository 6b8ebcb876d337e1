//! A yes or a no that a question and the agent may both have asked for: both are shown, neither is guessed.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    input::Input,
    intent::{IntentPath, Phase, Turn},
    question::Clarification,
    session::Foretold,
    work::Work,
};
use serde_json::json;

use crate::{
    commit::{is_commit, looked, tree, written},
    support::*,
};

pub const OLD: &str = "Fix it";

/// A commit waits for its yes.
pub fn waiting() -> Bench {
    let mut b = written();
    b.say(&format!("/commit {OLD}"));
    looked(&mut b, Ok(tree(&["a.txt"])));
    b
}

pub fn message(b: &Bench) -> String {
    let (_, asked) = b.session.state().waiting_commit().unwrap();
    asked.message.clone()
}

/// What is being committed with which message; nothing where nothing is.
pub fn committing(b: &Bench) -> Option<String> {
    let pending = b.session.pending();
    pending.values().find_map(|work| match work {
        Work::Commit { message, .. } => Some(message.clone()),
        _ => None,
    })
}

pub fn is_which(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Clarification(Clarification { beside: Some(_), .. }))
}

pub fn foretold(b: &Bench, line: &str) -> String {
    let told: Foretold = b.session.foretell(line);
    let (turn, path) = told.meant.clone().unwrap_or((Turn::Query(None), IntentPath::root()));
    told.words((&turn, &path), false, b.session.state())
}

#[test]
fn a_yes_behind_a_question_of_the_agent_is_asked_about_where_another_waits() {
    let asks = || {
        let mut b = waiting();
        b.say("is a.txt right?");
        b.reply("It greets nobody by name.\n\nShall I change it?", &[]);
        b
    };
    for line in ["yes", "yes please", "no"] {
        let mut b = asks();
        assert_eq!(foretold(&b, line), "asks whether you mean the question above or the agent");
        b.say(line);
        assert_eq!((b.session.state().lanes.len(), committing(&b)), (0, None), "{line}");
        let id = b.question(is_which);
        let CheckpointKind::Clarification(asked) = b.session.state().open[&id].kind.clone() else { panic!() };
        assert!(asked.choices[0].contains("Commit 1 file on main?"), "{:?}", asked.choices);
        assert!(asked.choices[1].contains("Shall I change it?"), "{:?}", asked.choices);
        // The same word says no more than before.
        b.input(Input::say(line)).unwrap_err();
        b.question(is_which);
    }
    // The one that waited wants a yes of its own, which is clear then.
    let mut b = asks();
    b.say("yes");
    b.answer(is_which, Answer::Pick(0)).unwrap();
    assert_eq!((b.session.state().lanes.len(), committing(&b)), (0, None));
    let told = b.notices();
    assert!(told.last().is_some_and(|told| told.contains("nothing is decided yet")), "{told:?}");
    b.say("yes");
    assert_eq!(committing(&b).as_deref(), Some(OLD));
    // The agent's offer is what the yes was said to.
    let mut b = asks();
    b.say("yes");
    b.say("2");
    assert_eq!((b.session.state().phase, committing(&b)), (Phase::Executing, None));
    assert_eq!(message(&b), OLD);
    let mut b = asks();
    b.say("no");
    b.answer(is_which, Answer::Pick(1)).unwrap();
    assert_eq!((b.session.state().phase, message(&b).as_str()), (Phase::Idle, OLD));
    b.thinking();
}

/// The phrases of a list of words of the user.
fn phrases(list: &str) -> Vec<String> {
    let all = include_str!("../../../../assets/intent/words.txt");
    let line = all.lines().find_map(|l| l.strip_prefix(&format!("{list}: "))).unwrap();
    line.split(" | ").map(str::to_owned).collect()
}

#[test]
fn a_yes_or_a_no_in_other_words_says_no_more_to_which_of_two_is_meant() {
    let plainer = ["yes, do it", "sure, go ahead", "looks good, ship it", "use that message", "ok"];
    // What drops the question itself is an answer to it.
    let declines = phrases("decline").into_iter().filter(|line| !["q", "quit"].contains(&&**line));
    let all = [phrases("agree"), declines.collect(), plainer.map(str::to_owned).to_vec()].concat();
    let mut commit = waiting();
    commit.say("is a.txt right?");
    commit.reply("It greets nobody by name.\n\nShall I change it?", &[]);
    commit.say("yes");
    let mut command = Bench::new();
    command.say("fix the parser and rename the module in every file");
    command.plan(&[("A", "modify"), ("B", "modify")], &[]);
    command.answer(is_plan, Answer::Approve).unwrap();
    command.reply("", &[("run", json!({"command": "rm x"}))]);
    command.say("does step 1 need that file?");
    command.reply("It does not.\n\nShall I leave it out?", &[]);
    command.say("no");
    for b in [&mut commit, &mut command] {
        let asked = b.question(is_which);
        let events = b.log.len();
        for line in &all {
            let refused = b.input(Input::say(line.as_str()));
            assert!(refused.is_err(), "{line}: {:?}", b.names().get(events..));
            assert_eq!((b.question(is_which), b.log.len()), (asked, events), "{line}");
            let shown = None;
            b.input(Input::Answer { checkpoint: asked, answer: Answer::Text(line.clone()), shown })
                .unwrap_err();
        }
    }
    command.question(is_risk);
    // Whatever else is said is a message.
    commit.say("show me the file first");
    assert_eq!((commit.session.state().lanes.len(), committing(&commit)), (1, None));
}

#[test]
fn which_of_two_is_meant_is_asked_only_while_the_other_waits() {
    for answer in [Answer::Approve, Answer::Reject(String::new()), Answer::Line("Say who".into())] {
        let mut b = waiting();
        b.say("is a.txt right?");
        b.reply("It greets nobody by name.\n\nShall I change it?", &[]);
        b.say("yes");
        b.question(is_which);
        b.answer(is_commit, answer.clone()).unwrap();
        assert!(b.session.state().open.is_empty(), "{answer:?}: {:?}", b.session.state().open);
    }
}

#[test]
fn where_which_of_two_cannot_be_asked_both_are_named_and_nothing_goes_on() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.say("does step 2 need that file?");
    b.say("/exit");
    let id = b.question(CheckpointKind::is_exit);
    b.reply("It does not.\n\nShall I leave it out?", &[]);
    let refused = b.input(Input::say("yes")).unwrap_err().to_string();
    let both = ["that could answer \"", "the agent's \"Shall I leave it out?\"", "use a key for"];
    assert!(both.iter().all(|told| refused.contains(told)) && !refused.contains("?."), "{refused}");
    assert_eq!(b.question(CheckpointKind::is_exit), id);
}

#[test]
fn what_the_agent_said_before_a_question_or_without_asking_leaves_a_yes_clear() {
    let mut b = written();
    b.say("is a.txt right?");
    b.reply("It greets nobody by name.\n\nShall I change it?", &[]);
    b.say(&format!("/commit {OLD}"));
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.say("yes");
    assert_eq!(committing(&b).as_deref(), Some(OLD));
    let mut b = waiting();
    b.say("is a.txt right?");
    b.reply("It is.", &[]);
    b.say("yes");
    assert_eq!(committing(&b).as_deref(), Some(OLD));
}

#[test]
fn a_yes_behind_a_question_beside_a_plan_or_a_command_starts_neither() {
    let ask = |b: &mut Bench| {
        b.say("does step 1 need that file?");
        b.reply("It does not.\n\nShall I leave it out?", &[]);
    };
    let mut b = Bench::new();
    b.say("fix the parser and rename the module in every file");
    b.plan(&[("A", "modify"), ("B", "modify")], &[]);
    b.question(is_plan);
    ask(&mut b);
    b.say("yes");
    assert_eq!(b.session.state().phase, Phase::AwaitingApproval, "{:?}", b.names());
    b.answer(is_which, Answer::Pick(0)).unwrap();
    b.question(is_plan);
    b.say("yes");
    assert_eq!(b.session.state().phase, Phase::Executing);
    b.reply("", &[("run", json!({"command": "rm x"}))]);
    b.question(is_risk);
    ask(&mut b);
    b.say("yes");
    b.question(is_risk);
    b.question(is_which);
}
