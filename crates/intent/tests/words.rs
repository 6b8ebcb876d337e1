//! Words to the workbench, a class each, in the phase in which they are said: what wants another try and what keeps
//! from one, what answers and what only asks, what stops.
#![allow(clippy::disallowed_methods, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use pilothouse_intent::{Classifier, Control, IntentNode, Message, Phase, Reading, Source, Turn};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    class: String,
    phase: Phase,
    text: String,
}

/// Every line of a class is read as claimed.
fn claim(class: &str, count: usize, holds: impl Fn(&Line, &Reading) -> bool) {
    let lines =
        include_str!("data/intent-words.jsonl").lines().map(|l| serde_json::from_str(l).expect("a line"));
    let lines: Vec<Line> = lines.filter(|l: &Line| l.class == class).collect();
    assert!(lines.len() >= count, "{} lines of {class}", lines.len());
    let read = |l: &Line| {
        let (text, phase) = (l.text.as_str(), l.phase);
        Classifier::builtin().read(&Message {
            text,
            phase,
            plan_active: phase != Phase::Idle,
            ..Message::default()
        })
    };
    let wrong: Vec<String> = lines
        .iter()
        .map(|l| (l, read(l)))
        .filter(|(l, r)| !holds(l, r))
        .map(|(l, r)| format!("{:?} {:?}: {:?} ({})", l.phase, l.text, r.whole.turn, r.whole.reasoning))
        .collect();
    assert!(wrong.is_empty(), "{class}: {} of {} wrong\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn what_keeps_from_another_try_begins_none() {
    claim("again-denied", 28, |_, r| r.whole.turn != Turn::Control(Control::Redo));
}

#[test]
fn what_wants_another_try_begins_one() {
    claim("again-wanted", 21, |_, r| r.whole.turn == Turn::Control(Control::Redo));
}

#[test]
fn an_answer_with_a_question_mark_is_none() {
    let asked = |t: &Turn| match t {
        Turn::Control(word) => matches!(word, Control::Help | Control::Status),
        Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue => true,
    };
    claim("only-asked", 23, |l, r| asked(&r.whole.turn) && !Classifier::builtin().approves(&l.text));
    claim("answered", 7, |_, r| r.whole.turn == Turn::Control(Control::Approve));
    claim("turned-down", 4, |l, r| {
        r.whole.turn == Turn::Control(Control::Cancel) && !Classifier::builtin().approves(&l.text)
    });
}

#[test]
fn a_yes_behind_which_one_waits_is_none() {
    let agreed = [Control::Approve, Control::Proceed].map(Turn::Control);
    claim("yes-put-off", 13, |l, r| {
        !agreed.contains(&r.whole.turn) && !Classifier::builtin().approves(&l.text)
    });
}

#[test]
fn a_stop_stops_whatever_is_said_beside_it() {
    claim("stops", 35, |_, r| r.whole.turn == Turn::Control(Control::Cancel) && r.whole.confidence > 0.85);
    claim("goes-on", 28, |_, r| r.whole.turn != Turn::Control(Control::Cancel));
}

#[test]
fn what_stops_a_process_is_no_removal() {
    claim("runs", 6, |_, r| r.whole.path.current() == IntentNode::Execute);
}

#[test]
fn what_says_that_nothing_speaks_against_it_is_no_cancel_and_no_plain_yes() {
    let yes = Turn::Control(Control::Approve);
    claim("minds-nothing", 22, |l, r| r.whole.turn == yes && !Classifier::builtin().approves(&l.text));
}

#[test]
fn a_yes_that_waits_for_something_is_none() {
    claim("no-yes-yet", 12, |_, r| r.whole.turn != Turn::Control(Control::Approve));
    claim("minds-something", 17, |_, r| r.whole.turn != Turn::Control(Control::Approve));
    claim("works", 2, |_, r| matches!(r.whole.turn, Turn::PlanNew(_)));
    claim("agrees", 4, |_, r| r.whole.turn == Turn::Control(Control::Approve));
}

#[test]
fn what_takes_work_up_again_does_in_each_language() {
    claim("goes-on-again", 48, |l, r| {
        let sure = r.whole.confidence > 0.85 && r.whole.source == Source::Heuristic;
        r.whole.turn == Turn::Control(Control::Proceed) && sure && Classifier::builtin().resumes(&l.text)
    });
}

#[test]
fn a_kind_of_file_that_is_let_be_changes_nothing_and_runs_nothing() {
    claim("let-be", 5, |_, r| matches!(r.whole.turn, Turn::Query(_)) && r.forbids_change);
    let runs = Classifier::builtin().read(&Message { text: "lass die Tests laufen", ..Message::default() });
    assert_eq!(runs.whole.path.current(), IntentNode::Execute);
}

#[test]
fn the_words_beside_a_long_paste_decide() {
    claim("asked-of-a-paste", 4, |_, r| matches!(r.whole.turn, Turn::Query(_)));
    claim("ordered-of-a-paste", 2, |_, r| matches!(r.whole.turn, Turn::PlanNew(_)));
}

#[test]
fn a_line_behind_run_is_a_command_where_nothing_else_is_said() {
    claim("run-line", 7, |l, r| {
        r.command.as_deref().is_some_and(|line| l.text.replace('`', "").ends_with(line))
    });
    claim("run-told", 7, |_, r| r.command.is_none());
}
