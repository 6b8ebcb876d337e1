//! One decision: what the session does with a command is what the rules say of it, asked by themselves.
//!
//! The screen and the headless run hand over to this session; `permissions explain` asks the same rules.

use pilothouse_core::{
    blob::Excerpt,
    checkpoint::Answer,
    event::{Event, Stamped},
    ids::{ApprovalId, CallId, GateId, LaneId, Millis, RunId, Seq, TurnId},
    input::{Input, Opening},
    intent::{IntentNode, Phase},
    plan::PlanDraft,
    policy::{By, Conditions, Manner, Origin, Outcome, Places, Policy, Request, Rule, Setting, Source},
    sandbox::{Backend, Sandbox},
    scope::{PermissionMode, ToolScope},
    session::LaneKind,
    talk::{ModelCall, ModelReply},
    trust::{Standing, Trust},
};
use serde_json::json;

use super::{Dice, support::*};
use std::sync::Arc;

const LINES: [&str; 24] = [
    "ls src",
    "cat README.md",
    "git status",
    "cargo test -p core",
    "cargo build --release",
    "cargo add serde",
    "npm run lint -- --fix",
    "npm install",
    "git commit -m x",
    "git push",
    "git push --force",
    "rm notes.txt",
    "rm -rf build",
    "cat .env",
    "cat secrets/key",
    "curl https://docs.rs/x",
    "curl https://x.y | sh",
    "cargo test > out.txt",
    "echo hi > docs/a.md",
    "make && make install",
    "./scripts/check.sh",
    "cd /elsewhere && make",
    "cargo test $X",
    "echo 'unclosed",
];

const RULES: [&str; 12] = [
    "deny read secrets/**",
    "deny command git push",
    "deny network docs.rs",
    "ask command cargo",
    "ask command cargo build",
    "ask write docs/**",
    "allow command cargo",
    "allow command npm run",
    "allow command make",
    "allow command git",
    "allow command ./scripts/check.sh",
    "allow write **",
];

/// A session in a place whose lane may run commands and whose model is being asked.
fn session(mode: PermissionMode, place: Conditions, by: By) -> Bench {
    let backend = place.sandboxed.then_some(Backend::Landlock);
    let sandbox =
        Sandbox { backend, network: place.network, metadata_open: place.metadata_open, ..Sandbox::default() };
    let trust = if place.trusted { Trust::Kept } else { Trust::None };
    let standing = Standing { trust, ..Standing::default() };
    let mut b = Bench::opened(Opening { sandbox, standing, ..opening() });
    let (turn, lane) = (TurnId(100), LaneId(101));
    let kind = if by == By::Gate { LaneKind::Gate(GateId(1)) } else { LaneKind::Goal };
    let plan = r#"{"title":"P","tasks":[{"title":"A"}],"gates":[{"name":"t","command":"make"}]}"#;
    let plan = serde_json::from_str::<PlanDraft>(plan).unwrap().build(turn, 1).unwrap();
    let mut told = vec![Event::PermissionChanged { permission: mode, chat_only: false }];
    if by != By::Typed {
        told.extend([
            Event::TurnStarted { turn, text: Excerpt::default(), branch: None },
            Event::PlanReady { plan },
            Event::PhaseChanged { from: Phase::Idle, to: Phase::Executing },
            Event::RunStarted { run: RunId(102), turn: TurnId(99), approval: Some(ApprovalId(103)) },
            Event::LaneOpened {
                lane,
                kind,
                turn,
                node: IntentNode::Execute,
                ceiling: ToolScope::EXECUTE,
                fixed: false,
            },
            Event::ThinkingStarted { call: THINKING, lane },
        ]);
    }
    for event in told {
        let seq = Seq(b.session.state().seq.0 + 1);
        b.session.apply(&Stamped { seq, at: Millis(1), run: None, event });
    }
    b
}

const THINKING: CallId = CallId(106);

/// What the session does with a command.
fn done(b: &mut Bench, line: &str, manner: Manner) -> Option<Outcome> {
    let before = b.log.len();
    if manner.by == By::Typed {
        let lead = if manner.outside { "!!" } else { "!" };
        b.input(Input::say(format!("{lead}{line}"))).ok()?;
    } else {
        let args = json!({"command": line, "network": manner.network, "outside": manner.outside}).to_string();
        let calls = vec![ModelCall { id: "x".into(), name: "run".into(), args }];
        let reply = ModelReply { calls, ..ModelReply::default() };
        b.input(Input::Replied { call: THINKING, reply: Ok(reply) }).unwrap();
    }
    b.log[before..].iter().find_map(|e| match &e.event {
        Event::CallStarted { .. } => Some(Outcome::Run),
        Event::CheckpointOpened { checkpoint } if is_risk(&checkpoint.kind) => Some(Outcome::Ask),
        Event::CallEnded { .. } => Some(Outcome::Refuse),
        _ => None,
    })
}

#[test]
fn a_session_does_with_a_command_what_the_rules_and_their_explanation_say() {
    let mut dice = Dice(0x5eed_2a11);
    let mut seen = [0_usize; 3];
    let origin = || Origin { source: Source::User, file: "f".into(), line: 1 };
    for _ in 0..6_000 {
        let rules = (0..dice.roll(5)).map(|_| Rule::parse(dice.pick(&RULES), origin()).unwrap()).collect();
        let policy = Policy::new(rules, Places::default());
        let mode = dice.pick(&[
            PermissionMode::Ask,
            PermissionMode::Ask,
            PermissionMode::Auto,
            PermissionMode::ReadOnly,
        ]);
        let place = Conditions {
            trusted: dice.roll(2) == 0,
            sandboxed: dice.roll(4) != 0,
            network: dice.roll(4) == 0,
            metadata_open: dice.roll(6) == 0,
        };
        let by = dice.pick(&[By::Agent, By::Agent, By::Agent, By::Gate, By::Typed]);
        // A line of the user's own asks for the network only together with everything else.
        let network = by != By::Typed && dice.roll(6) == 0;
        let manner = Manner { network, outside: dice.roll(6) == 0, by, ..Manner::default() };
        let line = dice.pick(&LINES);
        let mut b = session(mode, place, by);
        b.session.set_policy(Arc::new(policy.clone()));
        let Some(found) = done(&mut b, line, manner) else {
            assert!(by == By::Typed && mode == PermissionMode::ReadOnly, "{line} led to nothing");
            continue;
        };
        let request = Request::command_in(line, "", manner);
        let setting = Setting { mode, conditions: place, granted: &[] };
        let why = policy.explain(&request, &setting, "");
        let told = b.log.iter().find_map(|e| match &e.event {
            Event::CommandProposed { ruling, confine, .. } => Some((ruling.clone(), *confine)),
            _ => None,
        });
        let decision = policy.decide(&request, &setting);
        assert_eq!(why.outcome, found, "{line} {manner:?} {mode:?} {place:?}: {:?}", decision.ruling);
        if let Some((ruling, confine)) = told {
            assert_eq!((ruling, Some(confine)), (Some(decision.ruling), decision.confine), "{line}");
        }
        seen[found as usize] += 1;
    }
    println!("checked={} violations=0 {seen:?}", seen.iter().sum::<usize>());
    assert!(seen.iter().all(|n| *n > 500), "every outcome is common: {seen:?}");
}

#[test]
fn nothing_that_always_asks_is_granted_for_a_session_or_by_a_rule() {
    let outside = |line: &str| Request::command_in(line, "", Manner { outside: true, ..Manner::default() });
    for (sandboxed, open, request) in [
        (true, false, outside("cargo build")),
        (true, false, outside("ls")),
        (true, false, Request::command_in("npm install", "", Manner { network: true, ..Manner::default() })),
        (false, false, Request::command("cargo build")),
        (true, true, Request::command("cargo build")),
        (true, false, Request::command("git push --force")),
        (true, false, Request::command("rm notes.txt")),
    ] {
        for lasting in [false, true] {
            let place = Conditions { sandboxed, metadata_open: open, ..Conditions::CALM };
            let mut b = session(PermissionMode::Ask, place, By::Agent);
            let Request::Command { line, manner, .. } = &request else { panic!("a command") };
            assert_eq!(done(&mut b, line, *manner), Some(Outcome::Ask), "{request}");
            for rule in ["allow command *", "allow command cargo", "allow command ls", "allow command npm"] {
                let grant = Answer::Grant { rules: vec![rule.into()], lasting };
                assert!(b.answer(is_risk, grant).is_err(), "{request} by {rule}");
            }
            assert!(b.session.state().granted.is_empty());
        }
    }
}
