//! A yes or a no in own words to a question for leave: the same words to a command, a commit and a change.

use pilothouse_core::{
    checkpoint::CheckpointKind,
    intent::{IntentNode, Phase},
    session::Deed,
};
use serde_json::json;

use crate::{
    commit::{is_commit, looked, tree, written},
    deeper::asked as to_change,
    phase,
    support::*,
};

/// A run whose agent wants a command run.
fn command() -> Bench {
    let mut b = crate::phases::running();
    b.reply("", &[("run", json!({"command": "make"}))]);
    b.question(is_risk);
    b
}

/// What was written is asked to be committed.
fn to_commit() -> Bench {
    let mut b = written();
    b.say("/commit");
    looked(&mut b, Ok(tree(&["a.txt"])));
    b.question(is_commit);
    b
}

fn answers(b: &Bench, line: &str) {
    let told = b.session.foretell(line);
    assert!(told.deeds.iter().any(|d| matches!(d, Deed::Answers(..))), "{line}: {told:?}");
}

#[test]
fn its_verb_and_a_plain_word_say_yes_to_whatever_asks_for_leave() {
    for line in ["yes, run it", "run it", "go", "fine, run it", "run"] {
        let mut b = command();
        answers(&b, line);
        assert_eq!(starts(&b.say(line)), ["run"], "{line}");
    }
    for line in ["yes, commit it", "commit it", "commit", "looks good, commit", "go"] {
        let mut b = to_commit();
        answers(&b, line);
        b.say(line);
        assert!(b.names().contains(&"commit_approved".into()), "{line}");
    }
    for line in ["yes, change it", "change it", "go"] {
        let mut b = to_change();
        answers(&b, line);
        b.say(line);
        assert_eq!(phase(&b), Phase::Executing, "{line}");
    }
}

#[test]
fn a_no_in_own_words_is_one_to_whatever_asks_for_leave() {
    for line in ["don't run it", "don't", "not now", "skip it", "no, not yet", "don't do it"] {
        let mut b = command();
        answers(&b, line);
        let step = b.say(line);
        assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)), "{line}");
        assert_eq!((starts(&step), phase(&b)), (vec!["think".to_owned()], Phase::Executing), "{line}");
    }
    for line in ["don't", "no, not yet", "don't commit", "not now", "forget it"] {
        let mut b = to_commit();
        answers(&b, line);
        let step = b.say(line);
        assert!(!b.session.state().open.values().any(|c| is_commit(&c.kind)), "{line}");
        assert!(starts(&step).is_empty() && !b.names().contains(&"commit_approved".into()), "{line}");
    }
    for line in ["don't change anything", "don't", "no, just answer", "not now"] {
        let mut b = to_change();
        answers(&b, line);
        let step = b.say(line);
        assert!(b.session.state().open.is_empty(), "{line}");
        assert_eq!((starts(&step), phase(&b)), (vec!["think".to_owned()], Phase::Idle), "{line}");
    }
}

#[test]
fn what_is_said_with_a_no_is_its_reason() {
    let mut b = command();
    b.say("don't run it, use make check instead");
    assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)));
    assert_eq!(phase(&b), Phase::Executing, "the run goes on with it");
    assert!(b.names().contains(&"turn_told".into()), "{:?}", b.names());
}

#[test]
fn what_is_wanted_instead_denies_the_command_and_no_model_is_asked() {
    let lines = [
        "use python -m pytest instead",
        "try make test instead",
        "instead run make test",
        "rather make test",
        "I'd rather use make test",
        "can you use make test instead?",
        "yes, but with -v",
        "run it with -v",
    ];
    for line in lines {
        // In a run, and where a question is answered by a command.
        for asked in ["run the tests", "why do the tests fail?"] {
            let mut b = Bench::asking();
            b.say(asked);
            b.reply("", &[("run", json!({"command": "pytest -q"}))]);
            b.question(is_risk);
            let told = b.session.foretell(line);
            let (turn, path) = told.meant.clone().unwrap();
            let words = told.words((&turn, &path), false, b.session.state());
            assert_eq!(words, "denies what is asked, and tells the running agent why", "{line}");
            assert_eq!(path.current(), IntentNode::Execute, "{line}: it is about that command");
            let step = b.say(line);
            assert_eq!(starts(&step), ["think"], "{line}: the agent hears it at once");
            assert!(b.session.state().open.is_empty(), "{line}");
        }
    }
    // What speaks of the work is told to it, and answers nothing.
    for line in ["use tabs instead of spaces", "put it in src/b.rs instead"] {
        let mut b = command();
        let told = b.session.foretell(line);
        let (turn, path) = told.meant.clone().unwrap();
        let words = told.words((&turn, &path), false, b.session.state());
        assert_eq!(words, "reaches the agent with your answer above", "{line}");
        b.say(line);
        b.question(is_risk);
        let last = b.notices().last().cloned().unwrap_or_default();
        assert_eq!(last, "The agent gets that with your answer to the question above.", "{line}");
    }
}

#[test]
fn a_yes_with_a_change_is_no_yes_to_what_stands_there() {
    for line in [
        "yes, but with -v",
        "run it with -v",
        "run that without --fix, please",
        "yes but only for src/a.rs",
        "run it, but not as root",
        "ok, but use make check",
    ] {
        let mut b = command();
        let step = b.say(line);
        assert!(!starts(&step).contains(&"run".to_owned()), "{line}");
        assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)), "{line}");
        assert!(b.names().contains(&"turn_told".into()), "{line}: its agent hears why: {:?}", b.names());
    }
    for line in ["yes, but mention the cache", "yes, but leave out b.txt", "commit it, but say why"] {
        let mut b = to_commit();
        b.say(line);
        assert!(!b.names().contains(&"commit_approved".into()), "{line}");
        assert_eq!(phase(&b), Phase::Idle, "{line}: no work on files begins");
        b.question(is_commit);
        b.thinking();
    }
    let mut b = to_commit();
    b.say("yes, but run the tests first");
    assert!(!b.names().contains(&"commit_approved".into()));
    assert_eq!(phase(&b), Phase::Executing, "what is to run first runs");
}

#[test]
fn the_message_that_is_named_is_taken() {
    let mut b = to_commit();
    b.say("use the message Rename Store to Vault");
    let kind = b.session.state().open[&b.question(is_commit)].kind.clone();
    let CheckpointKind::Commit(shown) = kind else { panic!("{kind:?}") };
    assert_eq!((shown.message.as_str(), phase(&b)), ("Rename Store to Vault", Phase::Idle));
    assert!(b.session.pending().is_empty(), "nothing was asked of a model");
}

#[test]
fn a_word_of_its_own_is_still_wanted_for_a_removal() {
    for line in ["yes, run it", "run it", "go"] {
        let mut b = crate::phases::running();
        b.reply("", &[("run", json!({"command": "rm -rf build"}))]);
        let said = b.input(pilothouse_core::input::Input::say(line));
        assert!(said.is_err(), "{line}");
        b.question(is_risk);
    }
}

#[test]
fn nothing_is_said_to_go_on_while_it_waits_for_the_user() {
    let b = command();
    let (mut told, mut other) = (b, command());
    told.say("go on");
    other.say("continue");
    for b in [told, other] {
        assert!(!b.notices().iter().any(|n| n.contains("already under way")), "{:?}", b.notices());
    }
}
