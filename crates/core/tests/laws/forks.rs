//! A copy of a session is one of its own: wherever it was cut, nothing of the other's is open, wanted or taken back in it.

use pilothouse_core::{
    event::{Event, Stamped},
    fact::Facts,
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
fn copy(log: &[Stamped], folder: &str, imported: bool) -> (Session, Vec<Stamped>) {
    let mut session = Session::new();
    for event in log {
        session.apply(event);
    }
    let fork = Fork { slug: "s".into(), folder: folder.into(), imported };
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
            let imported = dice.roll(2) == 0;
            let (session, _) = copy(&bench.log[..cut], folder, imported);
            let state = session.state();
            // What a file claims to be known, or to be the user's choice, is not believed whatever folder it names.
            assert!(!imported || *state.facts == Facts::default(), "seed {seed} cut {cut}");
            assert!(!imported || state.model.is_none(), "seed {seed} cut {cut}");
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
        let (session, forked) = copy(&bench.log, "demo", false);
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
    let (session, forked) = copy(&b.log, "demo", false);
    assert_eq!(session.state().history.len(), said);
    let told: Vec<_> = session.state().transcript.entries().iter().map(|e| e.seq).collect();
    assert!(told.contains(&forked[0].seq), "that it is a copy is told: {told:?}");
}

#[test]
fn an_empty_session_has_nothing_to_copy() {
    let fork = Fork { slug: "s".into(), folder: "demo".into(), imported: false };
    assert!(Session::new().step(Millis(1), Input::Fork(fork)).is_err());
}

#[test]
fn a_limit_of_the_user_holds_in_a_copy_and_one_that_a_file_names_does_not() {
    let mut b = Bench::new();
    b.say("what is a note?");
    b.say("/budget 17 calls");
    for imported in [false, true] {
        let (session, _) = copy(&b.log, "demo", imported);
        let mut copied = Bench { log: Vec::new(), session, ..Bench::new() };
        let before = copied.notices().len();
        copied.say("/budget");
        let told = copied.notices()[before..].concat();
        assert_eq!(told.contains("17"), !imported, "{told}");
    }
}

#[test]
fn an_id_that_no_session_comes_to_leaves_room_for_others() {
    let mut b = Bench::new();
    b.say("what is a note?");
    let mut log = b.log.clone();
    let turn = log.iter_mut().find_map(|e| match &mut e.event {
        Event::TurnStarted { turn, .. } => Some(turn),
        _ => None,
    });
    turn.unwrap().0 = u64::MAX;
    let (session, _) = copy(&log, "demo", true);
    let mut copied = Bench { log: Vec::new(), session, ..Bench::new() };
    copied.say("and what is a store?");
    let ids: Vec<u64> = copied.session.state().turns.keys().map(|t| t.0).collect();
    assert!(ids.len() > 1 && ids.iter().filter(|id| **id < 1 << 53).count() > 0, "{ids:?}");
}
