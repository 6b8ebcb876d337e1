//! What holds for every kind of question, over the stored ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{Event, Stamped},
    goal::PlannerError,
    question::{Accept, Act, Asked, Place, Question, Role, Spec, Unattended, of_kind},
    resolved::{ResolvedCommand, Thing},
};

const EVENTS: &str = include_str!("../../tests/data/events.jsonl");

/// Every stored question; a command among them is known, so that it can be allowed.
fn questions() -> Vec<Checkpoint> {
    let events = EVENTS.lines().map(|line| serde_json::from_str::<Stamped>(line).unwrap().event);
    let opened = events.filter_map(|event| match event {
        Event::CheckpointOpened { checkpoint } => Some(checkpoint),
        _ => None,
    });
    let known = |mut question: Checkpoint| {
        if let CheckpointKind::Risk(command) = &mut question.kind {
            let thing = |name: &str| Thing { name: name.into(), path: name.into(), of: BlobId::of(b"") };
            let meant = ResolvedCommand {
                folder: thing("/w"),
                runs: vec![thing("make")],
                environment: BlobId::of(b""),
                unlost: None,
            };
            command.meant = Some(Box::new(meant));
        }
        question
    };
    opened.map(known).collect()
}

fn accepts(kind: &CheckpointKind, answer: Answer) -> bool {
    of_kind!(kind, question => question.accept(question.meant(answer)).is_ok())
}

#[test]
fn a_red_gate_of_many_lines_is_asked_about_in_one_line_without_signs_for_their_ends() {
    use crate::{checkpoint::Failure, intent::Phase};
    let message = "3 failed: a, b, c\n(it ran in a sandbox)\n\na\nleft: 1\nright: 2\n".to_owned();
    let failure = Failure {
        origin: Phase::Executing,
        task: None,
        step: 0,
        gate: Some(crate::ids::GateId(1)),
        spent: false,
        detoured: false,
        asks: None,
        message,
        hint: String::new(),
        planner: None,
        staged: false,
    };
    let question = Checkpoint {
        id: crate::ids::CheckpointId(1),
        kind: failure.into(),
        message: "[Gate: t] failed".into(),
        run: None,
    };
    let proposals = BTreeMap::new();
    let spec = question.spec(&Asked {
        plan: None,
        proposals: &proposals,
        unchecked: None,
        stake: &[],
        lost: &[],
        running: false,
    });
    let drawn =
        spec.facts.iter().map(|(_, value)| value.as_str()).chain([spec.title.as_str(), spec.text.as_str()]);
    for text in drawn {
        assert!(!text.contains('␊'), "{text}");
    }
}

#[test]
fn what_a_question_offers_is_an_answer_to_it() {
    let proposals = BTreeMap::new();
    let mut kinds = BTreeSet::new();
    for question in questions() {
        kinds.insert(serde_json::to_value(&question.kind).unwrap()["kind"].as_str().unwrap().to_owned());
        let spec = question.spec(&Asked {
            plan: None,
            proposals: &proposals,
            unchecked: None,
            stake: &[],
            lost: &[],
            running: false,
        });
        for choice in &spec.choices {
            let answer = match &choice.act {
                Act::Give(answer) => Some(answer.clone()),
                Act::Word(word) => Some(Answer::Word((*word).to_owned())),
                Act::Reason => Some(Answer::Reject("why".to_owned())),
                Act::Diff | Act::Say(_) | Act::Look(_) | Act::Nothing => None,
            };
            if let Some(answer) = answer {
                assert!(accepts(&question.kind, answer), "{choice:?} of {question:?}");
            }
            for word in choice.words {
                assert_eq!(question.kind.read(word), choice.act.given(), "{word} of {question:?}");
            }
        }
        let default = spec.default_answer();
        assert!(default.is_none_or(|answer| accepts(&question.kind, answer)), "{question:?}");
    }
    assert!(kinds.len() >= 12, "{kinds:?}");
}

#[test]
fn no_key_and_no_word_stands_for_two_answers() {
    for question in questions() {
        let choices = question.kind.question().choices();
        let keys: Vec<_> = choices.iter().map(|c| c.key).filter(|k| !k.is_empty()).collect();
        let words: Vec<_> = choices.iter().flat_map(|c| c.words).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{question:?}");
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len(), "{question:?}");
    }
}

/// C-11. A form takes any word for a value, and a paused pipeline reads its lines itself.
#[test]
fn q_and_quit_leave_whatever_question_holds_the_phase() {
    let own = |q: &Checkpoint| q.kind.is_phase_own();
    let reads = |q: &Checkpoint| {
        use CheckpointKind::{Breakout, Form, PipelinePause};
        !matches!(q.kind, Form(_) | PipelinePause(_) | Breakout(_))
    };
    let asked: Vec<Checkpoint> = questions().into_iter().filter(own).filter(reads).collect();
    for question in &asked {
        for word in ["q", "quit"] {
            let left = matches!(question.kind.read(word), Some(Answer::Abort | Answer::Reject(_)));
            assert!(left, "{word}: {question:?}");
        }
    }
    assert!(asked.iter().any(|q| q.kind.is_exit()) && asked.len() > 5);
}

#[test]
fn typed_words_answer_only_what_holds_the_phase_and_a_run_alone_answers_nothing() {
    let proposals = BTreeMap::new();
    for question in questions() {
        let spec = question.spec(&Asked {
            plan: None,
            proposals: &proposals,
            unchecked: None,
            stake: &[],
            lost: &[],
            running: false,
        });
        let own = question.kind.is_phase_own();
        assert_eq!(own, spec.place == Place::Composer, "{question:?}");
        assert!(own || spec.choices.iter().all(|c| c.words.is_empty()), "{question:?}");
        let listed = [Role::Take, Role::Deny].map(|role| spec.choice(role).is_some());
        assert!(own || spec.place == Place::Diff || listed == [true, true], "{question:?}");
        let by_itself = |planner| matches!(planner, None | Some(PlannerError::Repeated));
        let failed = matches!(&question.kind, CheckpointKind::Failure(failure) if by_itself(failure.planner));
        assert_eq!(matches!(spec.unattended, Unattended::Failed(_)), failed, "{question:?}");
    }
}

#[test]
fn a_plain_yes_runs_no_command_that_wants_its_word() {
    for question in questions().iter().filter(|q| q.kind.command().is_some()) {
        let word = question.kind.command().unwrap().word();
        assert_eq!(accepts(&question.kind, Answer::Approve), word.is_none());
        assert!(accepts(&question.kind, Answer::Word(word.unwrap_or("y").to_owned())));
        assert!(!accepts(&question.kind, Answer::Word("anything".to_owned())));
    }
}

#[test]
fn what_a_look_finds_unlost_wants_less_than_its_text_says_and_its_risk_is_told_as_everywhere() {
    use crate::{resolved::Unlost, shell::Risk};
    let commands = questions().into_iter().filter_map(|q| match q.kind {
        CheckpointKind::Risk(command) => Some(command),
        _ => None,
    });
    let question = commands.into_iter().next().unwrap();
    let (proceed, delete, proposals) = (Some("proceed"), Some("delete"), BTreeMap::new());
    let asked =
        Asked { plan: None, proposals: &proposals, unchecked: None, stake: &[], lost: &[], running: false };
    for (risk, deletes, unlost, want, spared) in [
        (Risk::High, true, None, proceed, ""),
        (Risk::High, false, None, proceed, ""),
        (Risk::High, true, Some(Unlost::MadeAgain), None, "tools rebuild it"),
        (Risk::High, false, Some(Unlost::Held), None, "the sandbox holds it"),
        (Risk::High, false, Some(Unlost::Undone), None, "/undo brings it back"),
        (Risk::High, true, Some(Unlost::Undone), delete, "/undo brings it back"),
        (Risk::Medium, true, Some(Unlost::Undone), delete, ""),
        (Risk::Medium, true, Some(Unlost::MadeAgain), None, ""),
        (Risk::Medium, false, None, None, ""),
    ] {
        let mut question = question.clone();
        (question.risk, question.deletes) = (risk, deletes);
        question.meant = question.meant.map(|meant| Box::new(ResolvedCommand { unlost, ..*meant }));
        assert_eq!(
            (question.word(), question.beyond().as_str()),
            (want, spared),
            "{risk:?} {deletes} {unlost:?}"
        );
        let mut spec = Spec::default();
        question.describe(&mut spec, &asked);
        assert_eq!(spec.danger.map(|d| d.risk), Some(risk), "one figure, wherever it is told");
        let accepts = |answer: Answer| question.accept(question.meant(answer)).is_ok();
        assert_eq!(accepts(Answer::Approve), want.is_none());
        let word = |word: &str| accepts(Answer::Word(word.to_owned()));
        // The word that its text alone asks for is never too little.
        assert_eq!(word("proceed"), risk == Risk::High);
        assert!(want.is_none_or(word) && !word("yes"));
    }
}

#[test]
fn a_text_that_leaves_out_one_thing_that_is_known_of_a_question_does_not_tell_it() {
    let proposals = BTreeMap::new();
    let asked =
        Asked { plan: None, proposals: &proposals, unchecked: None, stake: &[], lost: &[], running: false };
    let mut left_out = 0;
    for question in questions() {
        let spec = question.spec(&asked);
        let all: Vec<&str> = spec.facts.iter().map(|(_, value)| value.as_str()).collect();
        // How dangerous it is stands in no text.
        assert_eq!(spec.is_told_by(&all.join("\n\n  ")), spec.danger.is_none(), "{question:?}");
        for n in 0..all.len() {
            let rest: Vec<&str> =
                all.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, text)| *text).collect();
            if !rest.iter().any(|text| text.contains(all[n])) {
                assert!(!spec.is_told_by(&rest.join("\n")), "{question:?} without {}", all[n]);
                left_out += 1;
            }
        }
    }
    assert!(left_out > 20, "{left_out}");
}
