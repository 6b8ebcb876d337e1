//! Laws: what holds after any sequence of inputs, whatever they are.
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
#[path = "laws/cost.rs"]
mod cost;
#[path = "laws/decision.rs"]
mod decision;
#[path = "laws/ends.rs"]
mod ends;
#[path = "laws/plans.rs"]
mod plans;
#[path = "laws/promises.rs"]
mod promises;
#[path = "laws/races.rs"]
mod races;
#[path = "laws/stored.rs"]
mod stored;
mod support;

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    compaction::Dropped,
    event::{Event, Stamped},
    hook::{Hold, Hook, HookMode, HookStatus, Occasion},
    ids::{CallId, CheckpointId, Millis, TaskId},
    input::{Input, TiersAnswered, WriteFault},
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
    tool::{Tool, ToolOutcome},
    trust::{Trust, TrustRequest},
    work::{Work, WorkKey},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use support::*;

/// A small generator with a fixed seed, so that a failure can be run again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}

const LINES: [&str; 49] = [
    "@research what is a.txt?",
    "@research why does it fail?",
    "/research",
    "something else",
    "1",
    "2",
    "banana",
    "too many steps",
    "stop. create it instead",
    "/exit",
    "go on",
    "respond",
    "c",
    "/ask",
    "fix the greeting",
    "create a file",
    "delete the old file",
    "where is main?",
    "run the tests",
    "y",
    "n",
    "q",
    "stop",
    "a",
    "s",
    "m",
    "r",
    "p",
    "1",
    "also add a test",
    "@explain this",
    "@modify that",
    "/chat",
    "/auto",
    "/reset",
    "/redo",
    "/plan import plan.md",
    "/plan export",
    "/replan",
    "/compact",
    "/context",
    "/undo",
    "/trust",
    "/trust off",
    "!ls",
    "!make",
    "!!make",
    "!!rm -rf /",
    "",
];

fn calls(dice: &mut Dice) -> Vec<ModelCall> {
    let all = [
        ("read", r#"{"path":"a.txt"}"#),
        ("search", r#"{"pattern":"x"}"#),
        ("edit", r#"{"path":"a.txt","edits":[{"old":"1","new":"2"}]}"#),
        ("write", r#"{"path":"b.txt","content":"x"}"#),
        ("delete", r#"{"path":"c.txt"}"#),
        ("run", r#"{"command":"cargo test"}"#),
        ("run", r#"{"command":"rm -rf /"}"#),
        ("run", r#"{"command":"git status"}"#),
        ("run", r#"{"command":"git status","network":true,"reason":"why"}"#),
        ("run", r#"{"command":"cargo test","outside":true,"reason":"why"}"#),
        ("run", r#"{"command":"cargo build"}"#),
        ("run", r#"{"command":"rm x"}"#),
        ("read", r#"{"path":"secrets/key"}"#),
        ("run", "{}"),
        ("request_path", r#"{"node":"modify","reason":"because"}"#),
        ("request_path", r#"{"node":"read","reason":"because"}"#),
        ("request_path", r#"{"node":"delete","reason":"because"}"#),
        ("change_gate", r#"{"gate":"t","command":"cargo check","reason":"because"}"#),
        ("ask_user", r#"{"question":"Which?","choices":["a","b"]}"#),
        (
            "submit_plan",
            r#"{"title":"P","tasks":[{"title":"A","kind":"modify"},{"title":"B","kind":"delete","after":[1]}],"gates":[{"name":"t","command":"make"}]}"#,
        ),
        ("submit_plan", r#"{"title":"P","tasks":[]}"#),
        (
            "delegate",
            r#"{"tasks":[{"kind":"review","task":"a"},{"task":"b"},{"task":"c"},{"task":"d"},{"task":"e"}]}"#,
        ),
        ("delegate", r#"{"tasks":[{"kind":"verify","task":"a"}]}"#),
        ("nonsense", "{"),
    ];
    let count = dice.pick(&[0, 0, 0, 1, 1, 2, 3]);
    (0..count)
        .map(|i| {
            let (name, args) = dice.pick(&all);
            ModelCall { id: format!("p{i}"), name: name.into(), args: args.into() }
        })
        .collect()
}

fn answer(dice: &mut Dice) -> Answer {
    dice.pick(&[
        Answer::Approve,
        Answer::Approve,
        Answer::Word("proceed".into()),
        Answer::Reject(String::new()),
        Answer::Reject("no".into()),
        Answer::Abort,
        Answer::Pick(0),
        Answer::Pick(7),
        Answer::Text("create it".into()),
        Answer::AutoFix,
        Answer::Skip,
        Answer::Manual,
        Answer::Retry,
        Answer::Again,
        Answer::Replan,
        Answer::Respond,
        Answer::Continue,
        Answer::Line("make -k".into()),
        Answer::Line("rm -rf ~".into()),
        Answer::Line(" ".into()),
        Answer::Grant { rules: vec!["allow command cargo test".into()], lasting: false },
        Answer::Grant { rules: vec!["allow command cargo".into()], lasting: true },
        Answer::Grant { rules: vec!["allow command rm".into()], lasting: true },
    ])
}

/// Something that could arrive now: mostly what the state waits for, sometimes nonsense.
fn input(dice: &mut Dice, session: &Session) -> Input {
    let state = session.state();
    let work: Vec<Work> = session.pending().into_values().collect();
    match dice.roll(10) {
        0..=3 if !work.is_empty() => {
            let one = dice.pick(&work);
            world(dice, &one)
        }
        4 | 5 if !state.open.is_empty() => {
            let list: Vec<_> = state.open.values().cloned().collect();
            let question = dice.pick(&list);
            let shown = question.kind.shown().filter(|_| dice.roll(8) > 0);
            Input::Answer { checkpoint: question.id, answer: answer(dice), shown }
        }
        6 | 7 if state.open_proposals().next().is_some() => {
            let list: Vec<_> = state.open_proposals().cloned().collect();
            let p = dice.pick(&list);
            match dice.roll(6) {
                0 => Input::Decide {
                    proposal: p.id,
                    hunk: dice.roll(2),
                    decision: dice.pick(&[None, Some(Decision::Taken), Some(Decision::Left)]),
                    shown: p.shown(),
                },
                1 => Input::Skip { proposals: vec![p.id], reason: "why".into() },
                2 => Input::Up,
                _ => Input::Apply {
                    proposals: vec![(p.id, p.shown())],
                    word: dice.pick(&[None, Some("delete".to_owned())]),
                },
            }
        }
        8 => {
            let places =
                dice.pick(&[Pause::FirstWrite, Pause::FailedGate, Pause::Lines(0), Pause::Micros(0)]);
            let (step, on) = (Pause::Step(TaskId(dice.roll(3) as u64)), dice.roll(4) > 0);
            dice.pick(&[
                Input::Cancel,
                Input::Undo,
                Input::Redo,
                Input::Up,
                Input::SetPermission(PermissionMode::ReadOnly),
                Input::SetPermission(PermissionMode::Ask),
                Input::SetPermission(PermissionMode::Auto),
                Input::Queue("fix another".into()),
                Input::SetPause(places, true),
                Input::SetPause(step, on),
            ])
        }
        _ => Input::say(dice.pick(&LINES)),
    }
}

/// What a later tier may think, right or wrong.
fn opinions() -> Vec<Option<TierAnswer>> {
    let of = |turn, node, confidence| {
        Some(TierAnswer {
            turn: Some(turn),
            path: Some(IntentPath::to(node)),
            target: None,
            confidence,
            sub_confidence: 0.0,
            source: Source::Llm,
            reasoning: "so".into(),
            firm: false,
        })
    };
    vec![
        None,
        of(Turn::Query(None), IntentNode::Explain, 0.95),
        of(Turn::PlanNew(None), IntentNode::Modify, 0.95),
        of(Turn::PlanNew(None), IntentNode::Delete, 0.9),
        of(Turn::PlanNew(None), IntentNode::Execute, 0.9),
        of(Turn::PlanContinue, IntentNode::Modify, 0.4),
        of(Turn::Control(Control::Approve), IntentNode::Conversation, 0.9),
        of(Turn::Control(Control::Cancel), IntentNode::Conversation, 0.99),
        of(Turn::Control(Control::Help), IntentNode::Conversation, 0.9),
    ]
}

#[expect(clippy::too_many_lines, reason = "one input after the other")]
fn world(dice: &mut Dice, work: &Work) -> Input {
    let broken = || WriteFault { message: "disk full".into(), stale: false, rebased: Vec::new() };
    match work {
        Work::Classify { turn, vectors, model, .. } => {
            let asked = *vectors || *model;
            let text = dice.pick(&LINES).to_owned();
            let opinion = if asked { dice.pick(&opinions()) } else { None };
            let faults = if asked && opinion.is_none() { vec!["silent".to_owned()] } else { Vec::new() };
            let said = TiersAnswered { text, opinion, faults, usage: Usage { input: 3, ..Usage::default() } };
            Input::TiersAnswered { turn: *turn, said: Box::new(said) }
        }
        Work::Think { call, .. } => {
            let reply = ModelReply {
                text: dice
                    .pick(&[
                        "",
                        "done",
                        "done",
                        r#"{"mode":"command","command":"make"}"#,
                        r#"{"mode":"x"}"#,
                        r#"{"sub_queries":["a"],"summary":"b"}"#,
                    ])
                    .into(),
                calls: calls(dice),
                ..ModelReply::default()
            };
            let fault = Fault {
                kind: FaultKind::Stalled,
                message: "silent".into(),
                hint: String::new(),
                status: None,
            };
            match dice.roll(24) {
                0 | 1 => Input::Replied { call: *call, reply: Err(fault) },
                2 => Input::BrokenOff { call: *call, partial: Box::new(reply), fault },
                3 => Input::Crowded { call: *call },
                _ => Input::Replied { call: *call, reply: Ok(reply) },
            }
        }
        Work::Tool { permit, .. } => {
            let outcome = match permit.tool() {
                Tool::Edit => proposing("a.txt", "1\n2\n", "1\n3\n"),
                Tool::Write => proposing("b.txt", "", "x\n"),
                Tool::Delete => proposing("c.txt", "x\n", ""),
                Tool::Run if dice.roll(8) == 0 => {
                    ToolOutcome { changed: Some("it changed".into()), ..ToolOutcome::failure("changed") }
                }
                Tool::Run => exited(dice.pick(&[0, 0, 1]), "out"),
                Tool::Read if dice.roll(4) == 0 => held(dice.pick(&[Outcome::Ask, Outcome::Refuse])),
                _ => ToolOutcome::text("text", "1 line"),
            };
            if dice.roll(15) == 0 {
                return Input::Panicked { call: Some(permit.call()), apply: None, message: "boom".into() };
            }
            Input::ToolEnded { call: permit.call(), outcome }
        }
        Work::Prepare { apply, changes } => {
            let files = changes
                .iter()
                .map(|t| pilothouse_core::event::FileChange {
                    proposal: t.proposal,
                    path: t.path.clone(),
                    kind: t.kind,
                    before: t.before,
                    after: t.after,
                    mode: None,
                    added: 0,
                    removed: 0,
                    lines: 0,
                    rest: None,
                })
                .collect();
            let files = if dice.roll(6) == 0 { Err(broken()) } else { Ok((files, Vec::new())) };
            Input::ApplyPrepared { apply: *apply, files }
        }
        Work::Write { apply, .. } => Input::ApplyEnded {
            apply: *apply,
            result: if dice.roll(6) == 0 { Err(broken()) } else { Ok(()) },
        },
        Work::Revert { apply, .. } => Input::RevertEnded {
            apply: *apply,
            result: if dice.roll(6) == 0 { Err(broken()) } else { Ok(()) },
        },
        Work::Hook { call, .. } => {
            let status = dice.pick(&[
                HookStatus::Passed,
                HookStatus::Passed,
                HookStatus::Failed,
                HookStatus::TimedOut,
                HookStatus::Unable,
            ]);
            Input::HookEnded { call: *call, outcome: hook_said(status, "because") }
        }
        Work::Stage { pipeline, step } => {
            let found = |ok| ToolStep { tool: "search".into(), args: "{}".into(), ok, text: "[]".into() };
            let steps = dice.pick(&[vec![], vec![found(true)], vec![found(true)], vec![found(false)]]);
            let material = Box::new(Material { steps, ..Material::default() });
            Input::StageGathered { pipeline: *pipeline, step: *step, material }
        }
        Work::Judge { turn, .. } => {
            let said = dice.pick(&[r#"{"intent":"breakout","confidence":0.9}"#, "", "{}"]);
            Input::BreakoutJudged { turn: *turn, said: Ok((said.to_owned(), Usage::default())) }
        }
        Work::Compact { call, .. } => {
            let reply = ModelReply { text: dice.pick(&["all is done", ""]).into(), ..ModelReply::default() };
            Input::Summarized { call: *call, result: Ok((Box::new(reply), Dropped::default())) }
        }
        Work::Keep { approval, .. } => Input::RulesKept {
            approval: *approval,
            result: dice.pick(&[Ok("permissions.toml".to_owned()), Err("disk full".to_owned())]),
        },
        Work::Remember { approval, .. } => Input::MemoryKept {
            approval: *approval,
            result: dice.pick(&[Ok("memory.md".to_owned()), Err("disk full".to_owned())]),
        },
        Work::Look { checkpoint, .. } => {
            Input::CommandResolved { checkpoint: *checkpoint, meant: meant("2") }
        }
        Work::Recall { turn, .. } => Input::Recalled { turn: *turn, places: Vec::new() },
        Work::ReadPlan { call, .. } => Input::PlanRead {
            call: *call,
            result: dice.pick(&[
                Ok("## Steps\n1. [ ] One\n2. [x] Two\n".to_owned()),
                Ok("no plan".to_owned()),
                Err("gone".to_owned()),
            ]),
        },
        Work::LookCommit { commit, .. } => {
            Input::CommitLooked { commit: *commit, result: Err("no repository".to_owned()) }
        }
        Work::Commit { commit, .. } => Input::Committed { commit: *commit, result: Err("no".to_owned()) },
        Work::Survey(wish) => Input::Surveyed(found(*wish, dice.pick(&["this", "that"]))),
    }
}

/// A tool that ran into a rule at the path that it really meant.
fn held(outcome: Outcome) -> ToolOutcome {
    let ruling = Ruling { outcome, by: "ask read .env".into(), at: "f:1".into(), part: String::new() };
    let request = Request::Path { act: Act::Read, path: ".env".into() };
    ToolOutcome { held: Some(Box::new(Held { request, ruling })), ..ToolOutcome::failure("held") }
}

/// Rules under which every other sequence is played.
const RULES: [&str; 6] = [
    "deny command rm",
    "ask read a.txt",
    "allow command cargo build",
    "deny read secrets/**",
    "allow write b.txt",
    "ask command make",
];

/// What must hold between two states.
fn check(before: &Session, after: &Session, step: &[Stamped]) {
    let (old, new) = (before.state(), after.state());
    for lane in new.lanes.values() {
        let was = old.lanes.get(&lane.id).map_or(ToolScope::NONE, pilothouse_core::session::Lane::scope);
        if !was.contains(lane.scope()) && !ToolScope::EXECUTE.contains(lane.scope()) {
            let allowed = step.iter().any(|e| {
                matches!(&e.event, Event::NodeTransition { lane: l, approval: Some(_), .. } if *l == lane.id)
            });
            assert!(allowed, "lane {lane:?} widened without an approval");
        }
        assert!(
            new.ceiling().contains(lane.ceiling.and(ToolScope::FULL))
                || lane.ceiling == lane.ceiling.and(new.ceiling())
        );
    }
    check_work(after);
    check_children(after);
    check_lanes(after, step);
    let own = new.open.values().filter(|c| c.kind.is_phase_own()).count();
    assert!(own <= 1, "{own} questions hold the phase: {:#?}", new.open);
    let places = step.iter().map(|e| e.seq.0);
    assert!(places.eq((old.seq.0 + 1..).take(step.len())));
}

/// What is at work is allowed and known.
fn check_work(session: &Session) {
    let new = session.state();
    for work in session.pending().values() {
        match work {
            Work::Tool { permit, .. } => {
                let lane = &new.lanes[&permit.lane()];
                let looks = permit.confine() == Some(Confine::READING);
                assert!(!looks || permit.tool() == Tool::Run);
                let needs = if looks { Capability::Read } else { permit.tool().needs().unwrap() };
                let needs = if needs == Capability::Delete { Capability::Write } else { needs };
                assert!(lane.scope().allows(needs), "{permit:?} beyond {:?}", lane.scope());
                assert_eq!(permit.epoch(), lane.epoch);
            }
            Work::Write { apply, .. } | Work::Prepare { apply, .. } => {
                assert!(new.applies().contains_key(apply));
            }
            Work::Classify { .. } | Work::Think { .. } | Work::Compact { .. } | Work::Revert { .. } => {}
            Work::Stage { .. } | Work::Judge { .. } => {}
            Work::Survey(_)
            | Work::Keep { .. }
            | Work::Remember { .. }
            | Work::Hook { .. }
            | Work::Look { .. }
            | Work::LookCommit { .. }
            | Work::ReadPlan { .. }
            | Work::Commit { .. }
            | Work::Recall { .. } => {}
        }
    }
}

/// No line of work stands still while nobody is asked and nothing is under way.
fn check_lanes(after: &Session, step: &[Stamped]) {
    let new = after.state();
    for lane in new.lanes.values() {
        let works = lane.thinking.is_some() || lane.head().is_some_and(|c| c.allowed.is_some());
        let asks = new.diff_of(lane.id).is_some()
            || lane.head().is_some_and(|c| new.question_of_call(c.call).is_some())
            || (lane.kind == LaneKind::Planning && new.phase == Phase::AwaitingApproval);
        let writes = after.pending().keys().any(|k| matches!(k, WorkKey::Prepare(_) | WorkKey::Write(_)));
        // Its write waits for one or for a command of another step.
        let runs = |w: &Work| matches!(w, Work::Tool { permit, .. } if permit.tool() == Tool::Run && permit.lane() != lane.id);
        let mut open =
            new.applies().values().filter(|a| a.status == ApplyStatus::Approved).flat_map(|a| &a.take);
        let approved = open.any(|(id, _)| new.proposals()[id].lane == lane.id);
        let writes = writes || (approved && after.pending().values().any(runs));
        // Or it waits until the user has taken a change back, which ends by itself.
        let let_go = approved || lane.head().is_some_and(|c| c.allowed.is_some());
        let writes = writes || (let_go && after.pending().keys().any(|k| matches!(k, WorkKey::Revert(..))));
        // It waits for another step at work, and that one not for it.
        let waits = new.waits_beside(lane).is_some_and(|on| {
            let mut on = Some(&new.lanes[&on]);
            for _ in 0..new.lanes.len() {
                on = on.and_then(|l| new.lanes.get(&new.waits_beside(l)?));
            }
            on.is_none()
        });
        // What the run waits for may itself stand aside while leaving is asked about.
        let holds = |kind: &CheckpointKind| {
            matches!(kind, CheckpointKind::Interruption(_) | CheckpointKind::Paused(_))
        };
        let asked = |c: &Checkpoint| holds(c.kind.held().map_or(&c.kind, |of| &of.kind));
        // A pause waits for the answer to what is asked already.
        let pauses = new.plan.as_ref().is_some_and(|p| !p.pauses.is_empty());
        let asked = new.open.values().any(asked) || (pauses && new.phase_question().is_some());
        let held = lane.kind.of_run() && asked;
        // What would go beyond the budget waits for the user, who answers one question after the other.
        // What a stage works on is brought.
        let brought = after.pending().keys().any(|k| matches!(k, WorkKey::Stage(..)));
        let brought = lane.kind == LaneKind::Pipeline && brought;
        // What is under way may need the rest of it: that is seen when it ends.
        let under_way = |k: &WorkKey| matches!(k, WorkKey::Think(_) | WorkKey::Compact(_));
        let told_soon = after.pending().keys().any(under_way);
        let unpaid = lane.held && (new.phase_question().is_some() || told_soon);
        assert!(
            works || asks || writes || held || waits || unpaid || brought || new.is_moving(lane.id),
            "stuck: {lane:#?} {:#?}",
            step.iter().map(|e| &e.event).collect::<Vec<_>>()
        );
    }
    let stuck = new.phase == Phase::Executing
        && new.lanes.is_empty()
        && new.open.is_empty()
        && after.pending().is_empty();
    assert!(!stuck, "executing with nothing to do: {:#?}", step.iter().map(|e| &e.event).collect::<Vec<_>>());
}

/// A sub-agent has a call that waits for it, no sub-agents, no questions and no more scope than its parent.
fn check_children(session: &Session) {
    let state = session.state();
    let works = session.pending();
    for (lane, parent) in state.lanes.values().filter_map(|l| Some((l, l.kind.parent()?))) {
        let parent = &state.lanes[&parent];
        assert!(parent.kind.parent().is_none() && parent.offer().contains(lane.scope()), "{lane:#?}");
        let head = parent.head().unwrap();
        assert!(head.allowed == Some(parent.epoch) && head.children.iter().any(|c| c.lane == lane.id));
        assert!(lane.children == 0 && state.proposals_of(lane.id).next().is_none(), "{lane:#?}");
        let asks = lane.calls.iter().any(|c| state.question_of_call(c.call).is_some());
        assert!(!asks && state.diff_of(lane.id).is_none(), "{lane:#?}");
        for work in works.values() {
            let Work::Tool { permit, .. } = work else { continue };
            let reads = permit.tool().needs().is_some_and(|n| ToolScope::READ_ONLY.allows(n));
            assert!(reads || permit.lane() != lane.id, "a sub-agent does more than read: {permit:?}");
        }
        let thinks = lane.thinking.is_none_or(|call| works.contains_key(&WorkKey::Think(call)));
        assert!(thinks || state.compacting.is_some(), "{lane:#?}");
    }
}

/// What a hook can refuse does not happen before every hook that holds it has passed.
#[derive(Default)]
struct Doors {
    hooks: Vec<Hook>,
    running: std::collections::BTreeMap<pilothouse_core::ids::CallId, Hold>,
    refused: Vec<Hold>,
    asked: std::collections::BTreeMap<pilothouse_core::ids::LaneId, u32>,
}

impl Doors {
    fn check(&mut self, event: &Event) {
        match event {
            Event::HooksKnown { hooks } => self.hooks.clone_from(hooks),
            Event::HookStarted { call, holds: Some(hold), .. } => {
                self.running.insert(*call, *hold);
                if let Hold::Move(lane) = hold {
                    *self.asked.entry(*lane).or_default() += 1;
                }
            }
            Event::HookEnded { call, status, .. } => {
                if let Some(hold) = self.running.remove(call).filter(|_| *status != HookStatus::Passed) {
                    self.refused.push(hold);
                }
            }
            Event::MoveBlocked { lane, .. } => {
                self.refused.retain(|h| *h != Hold::Move(*lane));
                self.running.retain(|_, h| *h != Hold::Move(*lane));
                self.asked.remove(lane);
            }
            Event::NodeTransition { lane, from, to, approval } => {
                let hold = Hold::Move(*lane);
                let wanted =
                    self.hooks.iter().filter(|h| h.way == HookMode::Blocks && h.watches(*from, *to)).count();
                // A retreat to a node on the way to this one is never held, and needs no approval.
                let way = IntentPath::to(*from);
                let up = approval.is_none() && from != to && way.nodes().contains(to);
                let asked = self.asked.remove(lane).unwrap_or_default() as usize;
                assert!(up || asked >= wanted, "{from} to {to}: {asked} of {wanted} hooks were heard");
                assert!(!self.running.values().any(|h| *h == hold) && !self.refused.contains(&hold));
            }
            Event::CommandStarted { call, .. } | Event::CommandExited { call, .. } => {
                let hold = Hold::Call(*call);
                assert!(!self.running.values().any(|h| *h == hold) && !self.refused.contains(&hold));
            }
            Event::ApplyStarted { apply, .. } => {
                let hold = Hold::Apply(*apply);
                assert!(!self.running.values().any(|h| *h == hold) && !self.refused.contains(&hold));
            }
            _ => {}
        }
    }
}

/// Which gates the user said yes to, line by line.
#[derive(Default)]
struct Covers {
    plan: Vec<String>,
    open: BTreeMap<CheckpointId, CheckpointKind>,
    gates: BTreeSet<CallId>,
    lines: BTreeSet<String>,
}

impl Covers {
    fn note(&mut self, event: &Event) {
        match event {
            Event::PlanReady { plan } => self.plan = plan.gates.iter().map(|g| g.command.clone()).collect(),
            Event::CheckpointOpened { checkpoint } => {
                self.open.insert(checkpoint.id, checkpoint.kind.clone());
            }
            Event::GateStarted { call, .. } => drop(self.gates.insert(*call)),
            Event::SessionReopened { .. } => self.lines.clear(),
            _ => {}
        }
    }

    fn resolved(&mut self, question: CheckpointId) {
        match self.open.get(&question) {
            Some(CheckpointKind::Confirmation(_)) => self.lines.extend(self.plan.iter().cloned()),
            Some(CheckpointKind::Trust(trust)) => self.lines.extend(trust.gates.iter().cloned()),
            Some(CheckpointKind::GateChange(change)) => drop(self.lines.insert(change.to.clone())),
            _ => {}
        }
    }

    fn gate(&self, call: CallId, line: &str) -> bool {
        self.gates.contains(&call) && self.lines.contains(line)
    }
}

/// Every write and every command stands on a decision that came before it in the log.
fn check_log(log: &[Stamped]) {
    let mut approved = std::collections::BTreeSet::new();
    let mut applies = std::collections::BTreeSet::new();
    let mut proposed = std::collections::BTreeMap::new();
    let mut lines = std::collections::BTreeMap::new();
    let mut typed = std::collections::BTreeSet::new();
    let (mut auto, mut kept) = (false, None);
    let mut doors = Doors::default();
    let mut covers = Covers::default();
    for e in log {
        doors.check(&e.event);
        covers.note(&e.event);
        match &e.event {
            Event::Notice { text, .. } => assert!(!text.starts_with("internal"), "{text}"),
            // Nobody but the user trusts anything, and only what was shown.
            Event::TrustSought { wish: TrustRequest::Keep(of) } => kept = Some(*of),
            Event::TrustChanged { trust: Trust::Kept, of, .. } => assert_eq!(kept, Some(*of)),
            Event::TrustChanged { trust: Trust::None, .. } => kept = None,
            Event::PermissionChanged { permission, .. } => auto = *permission == PermissionMode::Auto,
            Event::CheckpointResolved { approval: Some(a), answer, checkpoint } => {
                approved.insert(*a);
                covers.resolved(*checkpoint);
                if let Some(Answer::Line(line)) = answer {
                    lines.insert(*a, line.clone());
                }
            }
            Event::ApplyApproved { apply, by, .. } => {
                assert!(by == "user" || auto || by.starts_with("allow write"), "{by}");
                applies.insert(*apply);
            }
            Event::ApplyStarted { apply, .. } => assert!(applies.contains(apply)),
            Event::CallMade { call, typed: true, .. } => drop(typed.insert(*call)),
            Event::CommandProposed { call, risk, command, confine, .. } => {
                proposed.insert(*call, (*risk, command.clone(), *confine));
            }
            Event::CallStarted { call, tool: Tool::Run, approval, confine, ruling, .. } => {
                let (risk, command, shown) = &proposed[call];
                assert_eq!(confine.as_ref(), Some(shown), "it runs as it was shown");
                let ruled = ruling.as_ref().is_some_and(|r| r.by.starts_with("allow command"));
                assert!(approval.is_some() || command != "rm x" || typed.contains(call));
                match (approval, *shown) {
                    (Some(a), _) => {
                        assert!(approved.contains(a));
                        // The line that the user submitted is the one that runs, and its word is asked.
                        assert!(lines.get(a).is_none_or(|l| l == command && *risk < Risk::High));
                    }
                    (None, Confine::READING) => assert_eq!(*risk, Risk::Low),
                    (None, Confine::Inside { network: false, .. }) => {
                        // A gate as it stood when the user said yes to it, in a folder that they trust.
                        let covered = kept.is_some() && covers.gate(*call, command);
                        assert!(*risk < Risk::High && (auto || ruled || covered || typed.contains(call)));
                    }
                    (None, Confine::Outside) => assert!(*risk < Risk::High && typed.contains(call)),
                    (None, _) => panic!("{call:?} began unasked, {shown:?}"),
                }
            }
            _ => {}
        }
    }
}

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

#[test]
fn any_sequence_keeps_the_laws_and_replays_to_the_same_state() {
    for seed in 0..1_500 {
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
fn five_thousand_read_scoped_sequences_never_write() {
    let mut checked = 0;
    for seed in 20_000..25_000 {
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
                    Work::Classify { .. } | Work::Compact { .. } => {}
                    Work::Stage { .. } | Work::Judge { .. } => {}
                    Work::Think { offer, .. } => assert!(ToolScope::READ_ONLY.contains(*offer)),
                    Work::Survey(_) | Work::Hook { .. } | Work::Look { .. } | Work::Recall { .. } => {}
                    Work::ReadPlan { .. } => {}
                    Work::Remember { change, .. } if change.owner() == MemoryOwner::User => {}
                    Work::LookCommit { .. } | Work::Commit { .. } => panic!("seed {seed}: {work:?}"),
                    Work::Prepare { .. }
                    | Work::Write { .. }
                    | Work::Revert { .. }
                    | Work::Keep { .. }
                    | Work::Remember { .. } => {
                        panic!("seed {seed}: {work:?}")
                    }
                }
            }
        }
    }
    assert!(checked > 5_000, "the sequences must do something: {checked}");
}
