//! Everything can be ended: no state holds the user, no work outlives a cancel, no id comes twice.

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{Event, Stamped},
    hook::Hold,
    input::Input,
    intent::Phase,
    question::Review,
    session::Session,
    work::Work,
};

use crate::{Dice, cases, check, check_log, input, run, support::*};

/// Whether the user mends by hand: what waits is held until the next run has ended.
fn by_hand(bench: &Bench) -> bool {
    let last = bench.log.iter().rev().find_map(|e| match &e.event {
        Event::CheckpointResolved { answer: Some(Answer::Manual), .. } => Some(true),
        Event::RunStarted { .. } => Some(false),
        _ => None,
    });
    last == Some(true)
}

#[test]
fn cancel_ends_everything_but_a_write_that_has_begun() {
    for seed in 40_000..40_000 + cases(3_000, 250) {
        let mut bench = run(seed, 45);
        for _ in 0..bench.session.state().lanes.len() + 3 {
            drop(bench.input(Input::Cancel));
        }
        let state = bench.session.state();
        assert_eq!(state.phase, Phase::Idle, "seed {seed}");
        assert!(
            state.pending_messages.is_empty()
                && state.lanes.is_empty()
                && state.run.is_none()
                && (state.queue.plan_new.is_none() || by_hand(&bench)),
            "seed {seed}"
        );
        for work in bench.session.pending().values() {
            // What the user approved of changes staged before is no part of the work.
            let staged = match work {
                Work::Prepare { apply, .. } => state.applies()[apply]
                    .take
                    .iter()
                    .all(|(id, _)| !state.lanes.contains_key(&state.proposals()[id].lane)),
                Work::Write { .. } | Work::Revert { .. } | Work::Keep { .. } | Work::Remember { .. } => true,
                // Looking at the folder is nobody's work.
                Work::Survey(_) => true,
                // A question that facts answer is nobody's work: it stays until they were looked at.
                Work::Recall { .. } => true,
                // Nor is a commit that the user asked for.
                Work::LookCommit { .. } | Work::Commit { .. } | Work::ReadPlan { .. } => true,
                // Nor is what the user wants back.
                Work::TakeBack { .. } => true,
                Work::Hook { call, .. } => match state.hook_runs[call].holds {
                    Some(Hold::Move(_) | Hold::Call(_)) => false,
                    Some(Hold::Apply(_)) | None => true,
                },
                Work::Classify { .. } | Work::Think { .. } | Work::Compact { .. } | Work::Title { .. } => {
                    false
                }
                Work::SeeTree { .. } => false,
                Work::Tool { .. } | Work::Look { .. } | Work::Stage { .. } | Work::Judge { .. } => false,
            };
            assert!(staged, "seed {seed}: {work:?}");
        }
        for question in state.open.values() {
            let stays = matches!(
                question.kind,
                CheckpointKind::Diff(_) | CheckpointKind::Trust(_) | CheckpointKind::Remember(_)
            );
            assert!(stays, "seed {seed}: {question:?}");
        }
    }
}

/// Everything that answers a question of this kind.
pub(crate) fn answers(kind: &CheckpointKind) -> Vec<(Answer, Option<BlobId>)> {
    let shown = kind.shown();
    let choices = kind.choices().into_iter().filter_map(|c| kind.read(c.key));
    let plain =
        [Answer::Approve, Answer::Reject(String::new()), Answer::Word("proceed".into()), Answer::Abort];
    choices.chain(plain).map(|a| (a, shown)).collect()
}

#[test]
fn every_open_question_has_an_answer_that_closes_it_and_every_proposal_a_question() {
    let (mut asked, sequences) = (0, cases(3_000, 250));
    for seed in 50_000..50_000 + sequences {
        let bench = run(seed, 40);
        let state = bench.session.state();
        for question in state.open.values() {
            asked += 1;
            let closes = |input: Input| {
                let mut trial = bench.session.clone();
                trial.step(pilothouse_core::ids::Millis(9_999), input).is_ok()
                    && trial.state().open.get(&question.id) != Some(question)
            };
            let ends = match &question.kind {
                CheckpointKind::Diff(Review { proposals, .. }) => {
                    let open = state.open_proposals().map(|p| p.id).filter(|id| proposals.contains(id));
                    let proposals: Vec<_> = open.collect();
                    let applying = proposals.is_empty();
                    applying || closes(Input::Skip { proposals, reason: String::new() })
                }
                kind => answers(kind)
                    .into_iter()
                    .any(|(answer, shown)| closes(Input::Answer { checkpoint: question.id, answer, shown })),
            };
            assert!(ends, "seed {seed}: nothing closes {question:#?}");
        }
        for p in state.open_proposals() {
            let lane = state.lanes.get(&p.lane);
            let in_work = lane.is_some_and(|l| l.thinking.is_some() || l.head().is_some());
            let writes = bench
                .session
                .pending()
                .values()
                .any(|w| matches!(w, Work::Prepare { .. } | Work::Write { .. }));
            let held = state.open.values().any(|c| matches!(c.kind, CheckpointKind::Interruption(_)));
            let reviewed = state.diff_of(p.lane).is_some();
            assert!(in_work || writes || held || reviewed, "seed {seed}: nothing decides {p:?}");
        }
    }
    assert!(asked * 4 > sequences, "{asked}");
}

#[test]
fn a_phase_that_waits_for_the_user_has_its_question() {
    for seed in 60_000..60_500 {
        let mut dice = Dice(seed * 31 + 7);
        let mut bench = Bench::new();
        for _ in 0..40 {
            let next = input(&mut dice, &bench.session);
            drop(bench.input(next));
            let state = bench.session.state();
            if matches!(state.phase, Phase::AwaitingApproval | Phase::Failed) {
                assert!(state.phase_question().is_some(), "seed {seed}: {:?}", state.phase);
            }
            if state.phase == Phase::Idle {
                assert!(state.plan.is_none() && state.run.is_none(), "seed {seed}");
            }
            if state.queue.plan_new.is_some() {
                let over =
                    |c: &Checkpoint| c.kind.is_reset() || c.kind.held().is_some_and(|h| h.kind.is_reset());
                let asked = state.phase_question().is_some_and(over);
                let asked = asked || by_hand(&bench);
                assert!(state.phase != Phase::Idle || asked, "seed {seed}: queued with nothing to wait for");
            }
        }
    }
}

/// Scope widens only by a free transition or an approval, also where plans are approved at once.
#[test]
fn approved_runs_widen_only_by_approval() {
    let (mut deep, runs) = (0, cases(3_000, 600));
    for seed in 70_000..70_000 + runs {
        let mut dice = Dice(seed * 977 + 3);
        let mut bench = Bench::new();
        bench.say(dice.pick(&["fix the greeting", "create a file", "delete the old file"]));
        let kinds = ["modify", "create", "delete", "read", "execute"];
        bench.plan(&[("One", dice.pick(&kinds)), ("Two", dice.pick(&kinds))], &[("t", "make test")]);
        bench.answer(is_plan, Answer::Approve).unwrap();
        for _ in 0..40 {
            let before = bench.session.clone();
            let next = match input(&mut dice, &bench.session) {
                Input::Say { .. } | Input::Cancel | Input::Up if dice.roll(8) != 0 => continue,
                next => next,
            };
            if let Ok(step) = bench.input(next) {
                check(&before, &bench.session, &step.events);
                deep += usize::from(!bench.session.state().ledger().is_empty());
            }
        }
        check_log(&bench.log);
    }
    assert!(deep as u64 * 15 > runs * 2, "the runs must get somewhere: {deep}");
}

/// The ids that an event gives to new things.
fn given(event: &Event) -> Vec<u64> {
    match event {
        Event::TurnStarted { turn, .. } => vec![turn.0],
        Event::LaneOpened { lane, .. } => vec![lane.0],
        Event::RunStarted { run, .. } => vec![run.0],
        Event::ThinkingStarted { call, .. } | Event::CallMade { call, .. } => vec![call.0],
        Event::MessageCompleted { calls, .. } => calls.iter().map(|c| c.call.0).collect(),
        Event::Proposed { proposal, .. } => vec![proposal.id.0],
        Event::ApplyApproved { apply, approval, .. } => vec![apply.0, approval.0],
        Event::CheckpointOpened { checkpoint } => vec![checkpoint.id.0],
        Event::CheckpointResolved { approval: Some(a), .. } => vec![a.0],
        Event::GatePassed { evidence, .. } | Event::GateFailed { evidence, .. } => vec![evidence.0],
        _ => Vec::new(),
    }
}

#[test]
fn ids_and_places_only_grow_also_after_a_replay() {
    for seed in 80_000..80_150 {
        let mut bench = run(seed, 30);
        bench.session = Session::replay(&bench.log);
        drop(bench.input(Input::Open(opening())));
        let mut dice = Dice(seed);
        for _ in 0..30 {
            let next = input(&mut dice, &bench.session);
            drop(bench.input(next));
        }
        let mut seen = BTreeSet::new();
        for (place, Stamped { seq, event, .. }) in (1..).zip(&bench.log) {
            assert_eq!(seq.0, place, "seed {seed}");
            for id in given(event) {
                assert!(seen.last().is_none_or(|last| *last < id), "seed {seed}: {id} in {event:?}");
                seen.insert(id);
            }
        }
    }
}
