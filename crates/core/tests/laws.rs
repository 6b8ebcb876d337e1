//! Laws: what holds after any sequence of inputs, whatever they are.
//!
//! `PILOTHOUSE_PROOF=whole` tries every case; else a fixed share of them.
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

#[path = "laws/authority.rs"]
mod authority;
#[path = "laws/budget.rs"]
mod budget;
#[path = "laws/checks.rs"]
mod checks;
#[path = "laws/cost.rs"]
mod cost;
#[path = "laws/decision.rs"]
mod decision;
#[path = "laws/ends.rs"]
mod ends;
#[path = "laws/forks.rs"]
mod forks;
#[path = "laws/inputs.rs"]
mod inputs;
#[path = "laws/pipelines.rs"]
mod pipelines;
#[path = "laws/plans.rs"]
mod plans;
#[path = "laws/promises.rs"]
mod promises;
#[path = "laws/races.rs"]
mod races;
#[path = "laws/stages.rs"]
mod stages;
#[path = "laws/stored.rs"]
mod stored;
mod support;

use checks::{check, check_log};
use inputs::{Dice, LINES, input, world};
use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    compaction::Dropped,
    event::{Event, Stamped},
    hook::{Hold, Hook, HookMode, HookStatus, Occasion},
    ids::{ApplyId, CallId, CheckpointId, Millis, TaskId},
    input::{Input, Reversal, TiersAnswered, WriteFault},
    intent::{Control, IntentNode, IntentPath, Phase, Source, TierAnswer, Turn},
    memory::MemoryOwner,
    pipeline::{Material, ToolStep},
    plan::Pause,
    policy::{Held, Origin, Outcome, Places, Policy, Request, Rule, Ruling},
    proposal::Decision,
    sandbox::Confine,
    scope::{Capability, PermissionMode, ToolScope},
    session::{ApplyStatus, LaneKind, Session},
    shell::{Act, Risk},
    talk::{Fault, FaultKind, ModelCall, ModelReply, Usage},
    tool::{Tool, ToolOutcome, Trees},
    trust::{Trust, TrustRequest},
    work::{Work, WorkKey},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use support::*;

/// Rules under which every other sequence is played.
const RULES: [&str; 6] = [
    "deny command rm",
    "ask read a.txt",
    "allow command cargo build",
    "deny read secrets/**",
    "allow write b.txt",
    "ask command make",
];

/// Hooks that refuse at every door, and one of each other kind.
fn doors() -> Vec<Hook> {
    let mut all: Vec<Hook> = Occasion::ALL.into_iter().map(|on| hook(on, HookMode::Shown)).collect();
    all.extend(Occasion::ALL.into_iter().filter(|o| o.can_block()).map(|on| hook(on, HookMode::Blocks)));
    all.push(on_the_way(IntentNode::Plan, IntentNode::Act));
    all
}

fn run(seed: u64, steps: usize) -> Bench {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    // Of three sessions one has hooks, and one waits for a model to understand.
    let mut bench = match seed % 3 {
        0 => Bench::hooked(doors()),
        1 => Bench::asking(),
        _ => Bench::new(),
    };
    if seed % 4 > 1 {
        let rules = RULES.iter().map(|r| Rule::parse(r, Origin::SESSION).unwrap()).collect();
        bench.session.set_policy(Arc::new(Policy::new(rules, Places::default())));
    }
    for _ in 0..steps {
        let before = bench.session.clone();
        let next = input(&mut dice, &bench.session);
        if let Ok(step) = bench.input(next) {
            check(&before, &bench.session, &step.events);
        }
    }
    check_log(&bench.log);
    bench
}

/// How many cases of a law are tried: all of them, or those of the ordinary run.
fn cases(whole: u64, ordinary: u64) -> u64 {
    if std::env::var("PILOTHOUSE_PROOF").is_ok_and(|v| v == "whole") { whole } else { ordinary }
}

#[test]
fn any_sequence_keeps_the_laws_and_replays_to_the_same_state() {
    for seed in 0..cases(10_000, 400) {
        let bench = run(seed, 60);
        assert!(Session::replay(&bench.log) == bench.session, "seed {seed}");
    }
}

#[test]
fn every_prefix_of_a_log_reopens_with_nothing_going_on() {
    for seed in 5_000..5_060 {
        let bench = run(seed, 60);
        let mut state = Session::new();
        for stamped in &bench.log {
            state.apply(stamped);
            let mut again = state.clone();
            again.step(Millis(1_000), Input::Open(opening())).unwrap();
            assert!(again.pending().is_empty(), "seed {seed} after {}", stamped.seq);
            // A pipeline that waited for the user still does, with its question; nothing else is under way.
            let waits = again.state().paused_pipeline().is_some();
            let asks = again.state().phase_question().is_some_and(|c| {
                matches!(c.kind, CheckpointKind::PipelinePause(_) | CheckpointKind::Breakout(_))
            });
            assert_eq!(asks, waits, "seed {seed} after {}", stamped.seq);
            let phase = if waits { Phase::AwaitingApproval } else { Phase::Idle };
            assert_eq!(again.state().phase, phase, "seed {seed} after {}", stamped.seq);
        }
    }
}

#[test]
fn events_survive_their_stored_form() {
    for seed in 9_000..9_030 {
        for stamped in run(seed, 60).log {
            let text = serde_json::to_string(&stamped).unwrap();
            assert_eq!(serde_json::from_str::<Stamped>(&text).unwrap(), stamped, "{text}");
        }
    }
}

/// A turn that may only read never gets leave to write or to run anything but a command that can
/// only read where it runs, whatever the model asks for and whatever the user answers, as long as the ceiling is read-only.
#[test]
fn read_scoped_sequences_never_write() {
    let (mut checked, sequences) = (0, cases(100_000, 1_000));
    for seed in 20_000..20_000 + sequences {
        let mut dice = Dice(seed * 7919 + 1);
        let mut bench = Bench::new();
        bench.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
        for _ in 0..14 {
            let next = match input(&mut dice, &bench.session) {
                Input::SetPermission(_) => Input::Cancel,
                Input::Say { text: line, .. } if line == "/auto" || line == "/ask" => continue,
                other => other,
            };
            drop(bench.input(next));
            for work in bench.session.pending().values() {
                checked += 1;
                match work {
                    Work::Tool { permit, .. } => {
                        let looks = permit.confine() == Some(Confine::READING);
                        assert!(
                            looks || matches!(permit.tool(), Tool::List | Tool::Read | Tool::Search),
                            "seed {seed}"
                        );
                    }
                    Work::Classify { .. } | Work::Compact { .. } | Work::Title { .. } => {}
                    Work::Stage { .. } | Work::Judge { .. } => {}
                    Work::Think { offer, .. } => assert!(ToolScope::READ_ONLY.contains(*offer)),
                    Work::Survey(_) | Work::Hook { .. } | Work::Look { .. } | Work::Recall { .. } => {}
                    Work::ReadPlan { .. } | Work::SeeTree { .. } => {}
                    Work::Remember { change, .. } if change.owner() == MemoryOwner::User => {}
                    Work::LookCommit { .. } | Work::Commit { .. } => panic!("seed {seed}: {work:?}"),
                    Work::Prepare { .. }
                    | Work::Write { .. }
                    | Work::Revert { .. }
                    | Work::TakeBack { .. }
                    | Work::Keep { .. }
                    | Work::Remember { .. } => {
                        panic!("seed {seed}: {work:?}")
                    }
                }
            }
        }
    }
    assert!(checked > sequences, "the sequences must do something: {checked}");
}
