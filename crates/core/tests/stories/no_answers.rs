//! What is no answer: a word of courtesy, a hum, a mark, a picture. At no question does it say yes.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::Input,
    intent::Phase,
};
use serde_json::json;

use crate::{commit, gates, phase, phases, support::*};

/// Written without trying one.
const NONE: [&str; 46] = [
    "please",
    "pls",
    "plz",
    "please.",
    "please?",
    "pretty please",
    "thanks",
    "thank you",
    "thx",
    "hmm",
    "hm",
    "well",
    "well...",
    "wait",
    "sorry",
    "huh",
    "huh?",
    "what?",
    "?",
    "??",
    "…",
    "...",
    "!",
    "no idea",
    "whatever",
    "dunno",
    "ok?",
    "yes?",
    "y?",
    "sure?",
    "really?",
    "👍?",
    "🙂",
    "🤔",
    "❤️",
    "bitte",
    "danke",
    "por favor",
    "gracias",
    "s'il te plaît",
    "merci",
    "пожалуйста",
    "спасибо",
    "请",
    "谢谢",
    "감사합니다",
];

/// Every one of these says yes.
const YES: [&str; 6] =
    ["yes", "yes please", "please do", "go ahead please", "please go ahead", "yes, go ahead please"];

fn command(line: &str) -> Bench {
    let mut b = Bench::new();
    b.say("run the deploy script");
    b.reply("", &[("run", json!({ "command": line }))]);
    b.question(is_risk);
    b
}

fn reviewed() -> Bench {
    let mut b = phases::running();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b
}

fn planned() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b
}

fn deeper() -> Bench {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.question(is_transition);
    b
}

fn said(mut b: Bench, line: &str) -> Bench {
    b.say(line);
    assert!(!b.session.state().open.is_empty(), "{line}");
    b
}

fn unclear() -> Bench {
    let mut b = Bench::new();
    b.mumble();
    b
}

fn interrupted() -> Bench {
    let mut b = phases::running();
    b.mumble();
    b
}

fn held() -> Bench {
    let mut b = phases::running();
    b.say("wait");
    b.reply("done", &[]);
    assert!(b.session.state().phase_question().is_some());
    b
}

fn committing() -> Bench {
    let mut b = commit::written();
    b.say("/commit");
    commit::looked(&mut b, Ok(commit::tree(&["a.txt"])));
    b
}

fn gated() -> Bench {
    let mut b = gates::gated();
    b.reply("done", &[]);
    b.question(is_risk);
    b
}

/// A question of each kind that words can answer.
fn questions() -> Vec<(&'static str, Bench)> {
    vec![
        ("plan", planned()),
        ("medium command", command("make test")),
        ("high command", command("rm -rf build/../../x")),
        ("diff", reviewed()),
        ("deeper", deeper()),
        ("red gate", gates::red("make test", "a.txt", "FAILED")),
        ("gate", gated()),
        ("failed", phases::failed()),
        ("interruption", interrupted()),
        ("unclear", unclear()),
        ("exit", said(phases::running(), "/exit")),
        ("reset", said(planned(), "/reset")),
        ("held", held()),
        ("commit", committing()),
    ]
}

/// What the line made of a copy of the session.
fn after(b: &Bench, line: &str) -> Bench {
    let mut tried = Bench { session: b.session.clone(), log: Vec::new(), clock: b.clock };
    drop(tried.input(Input::say(line)));
    tried
}

/// What says yes among the events, in words.
fn agreed(tried: &Bench) -> Vec<String> {
    let yes = |answer: &Answer| {
        !matches!(
            answer,
            Answer::Reject(_) | Answer::Abort | Answer::Text(_) | Answer::Respond | Answer::Skip
        )
    };
    let of = |event: &Event| match event {
        Event::CheckpointResolved { approval: Some(_), .. } => true,
        Event::CheckpointResolved { answer: Some(answer), .. } => yes(answer),
        Event::ApplyApproved { .. } => true,
        _ => false,
    };
    tried.log.iter().filter(|e| of(&e.event)).map(|e| format!("{:?}", e.event)).collect()
}

#[test]
fn what_is_no_answer_approves_nothing_at_any_question() {
    let mut wrong = Vec::new();
    for (kind, b) in questions() {
        for line in NONE {
            let tried = after(&b, line);
            let began = phase(&b) == Phase::AwaitingApproval && phase(&tried) == Phase::Executing;
            if began || !agreed(&tried).is_empty() {
                wrong.push(format!("{kind}: {line}: {:?}", agreed(&tried)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_yes_with_a_word_of_courtesy_is_one() {
    let mut wrong = Vec::new();
    for (kind, b) in questions() {
        if !["plan", "medium command", "deeper"].contains(&kind) {
            continue;
        }
        for line in YES {
            let tried = after(&b, line);
            if agreed(&tried).is_empty() {
                wrong.push(format!("{kind}: {line}: {:?}", tried.names()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// T-17: only letters that are offered mean something; of others it is said that they have no meaning, and nothing acts.
#[test]
fn a_letter_that_is_not_offered_does_nothing_at_any_question() {
    let mut wrong = Vec::new();
    for (kind, b) in questions() {
        let asked: Vec<CheckpointKind> = b.session.state().open.values().map(|c| c.kind.clone()).collect();
        for letter in 'a'..='z' {
            let line = letter.to_string();
            let tried = after(&b, &line);
            let offered =
                asked.iter().any(|k| k.read(&line).is_some()) || ["y", "n", "q"].contains(&line.as_str());
            let acts = tried.log.iter().any(|e| !matches!(e.event, Event::Notice { .. }));
            if !offered && acts {
                wrong.push(format!("{kind}: {line}: {:?}", tried.names()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
