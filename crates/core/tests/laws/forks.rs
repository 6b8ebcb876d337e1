//! A copy of a session is one of its own: wherever it was cut, nothing of the other's is open, wanted or taken back in it.

use pilothouse_core::{
    event::{Event, Stamped},
    ids::Millis,
    input::{Fork, Input},
    intent::Phase,
    proposal::ProposalStatus,
    scope::PermissionMode,
    session::{ApplyStatus, Session},
    talk::Usage,
    work::Effect,
};

use crate::{Dice, cases, check, check_log, input, run, support::*};

/// A copy of the first events of a log.
fn copy(log: &[Stamped], folder: &str) -> (Session, Vec<Stamped>) {
    let mut session = Session::new();
    for event in log {
        session.apply(event);
    }
    let fork = Fork { slug: "s".into(), folder: folder.into(), imported: folder != "demo" };
    let step = session.step(Millis(1 << 40), Input::Fork(fork)).unwrap();
    assert!(step.effects.iter().all(|e| matches!(e, Effect::Cancel(_))), "{:?}", step.effects);
    let (first, rest) = step.events.split_first().unwrap();
    assert!(matches!(&first.event, Event::SessionForked { from, .. } if from == "s"));
    // What had been called there is called by nobody here.
    assert!(rest.iter().all(|e| matches!(e.event, Event::HookEnded { .. })), "{rest:?}");
    (session, step.events)
}

#[test]
fn a_copy_that_is_cut_anywhere_has_nothing_open_and_nothing_to_take_back() {
    for seed in 90_000..90_000 + cases(1_000, 60) {
        let bench = run(seed, 40);
        let mut dice = Dice(seed | 1);
        for _ in 0..6 {
            let cut = 1 + dice.roll(bench.log.len());
            let folder = dice.pick(&["demo", "elsewhere"]);
            let (session, _) = copy(&bench.log[..cut], folder);
            let state = session.state();
            assert_eq!((state.phase, state.folder.as_str()), (Phase::Idle, folder), "seed {seed} cut {cut}");
            let quiet = state.lanes.is_empty()
                && state.open.is_empty()
                && state.run.is_none()
                && state.queue.is_empty()
                && state.pending_messages.is_empty()
                && state.hook_runs.is_empty()
                && session.pending().is_empty();
            assert!(quiet, "seed {seed} cut {cut}");
            let planless = state.plan.is_none() && state.suspended.is_none() && state.earlier.is_empty();
            assert!(planless && state.pipeline.is_none(), "seed {seed} cut {cut}");
            assert!(state.ledger().is_empty() && state.undone().is_empty(), "seed {seed} cut {cut}");
            let waits = |s: ProposalStatus| {
                matches!(s, ProposalStatus::Open | ProposalStatus::Applying(_) | ProposalStatus::SetAside)
            };
            assert!(!state.proposals().values().any(|p| waits(p.status)), "seed {seed} cut {cut}");
            let open = |s: ApplyStatus| s == ApplyStatus::Approved || s.is_open();
            assert!(!state.applies().values().any(|a| open(a.status)), "seed {seed} cut {cut}");
            assert!(
                state.granted.is_empty() && state.permission != PermissionMode::Auto,
                "seed {seed} cut {cut}"
            );
            assert_eq!(state.usage, Usage::default(), "seed {seed} cut {cut}");
        }
    }
}

#[test]
fn a_copy_goes_on_by_the_laws_as_any_session() {
    for seed in 91_000..91_000 + cases(600, 40) {
        let bench = run(seed, 30);
        let (session, forked) = copy(&bench.log, "demo");
        let before = bench.log.len();
        let mut copied = Bench { log: bench.log.clone(), session, ..Bench::new() };
        copied.log.extend(forked);
        copied.input(Input::Open(opening())).unwrap();
        let mut dice = Dice(seed.wrapping_mul(77) | 1);
        for _ in 0..30 {
            let was = copied.session.clone();
            let next = input(&mut dice, &copied.session);
            if let Ok(step) = copied.input(next) {
                check(&was, &copied.session, &step.events);
            }
        }
        check_log(&copied.log[before..]);
        let mut again = Session::new();
        for event in &copied.log {
            again.apply(event);
        }
        assert_eq!(again.state(), copied.session.state(), "seed {seed}");
    }
}

#[test]
fn what_was_said_before_is_told_to_the_copys_model_and_what_was_open_is_not() {
    let mut b = Bench::new();
    b.say("what is a note?");
    let said = b.session.state().history.len();
    assert!(said > 0);
    let (session, forked) = copy(&b.log, "demo");
    assert_eq!(session.state().history.len(), said);
    let told: Vec<_> = session.state().transcript.entries().iter().map(|e| e.seq).collect();
    assert!(told.contains(&forked[0].seq), "that it is a copy is told: {told:?}");
}

#[test]
fn an_empty_session_has_nothing_to_copy() {
    let fork = Fork { slug: "s".into(), folder: "demo".into(), imported: false };
    assert!(Session::new().step(Millis(1), Input::Fork(fork)).is_err());
}
