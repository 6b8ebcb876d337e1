//! Generated plans through the scheduler, with failures, stops, new plans, added steps and answers of all kinds.
//!
//! `PILOTHOUSE_PROOF=whole` plays 1,000 plans of up to 200 steps; else a share of them.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Stamped},
    ids::{ApplyId, GateId, LaneId, Millis, ProposalId, TaskId},
    input::Input,
    intent::{IntentNode, Phase},
    lane::LaneKind,
    plan::{MAX_TASKS, Pause, Plan, Task, TaskStatus},
    question::Review,
    relpath::RelPath,
    scope::PermissionMode,
    session::{Bounds, Session},
    talk::{Fault, FaultKind, ModelCall, ModelReply},
    tool::{ChangeKind, Tool},
    work::Work,
};
use serde_json::{Value, json};

use crate::{Dice, cases, check, check_log, ends::answers, support::*, world};

/// How many plans are played, and of how many steps at most.
fn share() -> u64 {
    cases(1_000, 60)
}

/// What the log says of the plan that runs, read apart from the session.
#[derive(Default)]
struct Watch {
    plan: Option<Plan>,
    lanes: BTreeMap<LaneId, TaskId>,
    writing: BTreeMap<RelPath, ApplyId>,
    drafts: BTreeMap<RelPath, TaskId>,
    /// The gates that the user left out, and how often a step showed how such a one is.
    waived: BTreeSet<GateId>,
    shown_waived: usize,
    paths: BTreeMap<ProposalId, RelPath>,
    gone_on: usize,
    started: usize,
    most: usize,
    beside: usize,
    added: usize,
    failed: usize,
    runs: usize,
}

impl Watch {
    fn running(&self) -> impl Iterator<Item = TaskId> {
        self.plan.iter().flat_map(|p| &p.tasks).filter(|t| t.status == TaskStatus::Running).map(|t| t.id)
    }

    fn set(&mut self, id: TaskId, status: TaskStatus) {
        let tasks = self.plan.iter_mut().flat_map(|p| &mut p.tasks);
        tasks.filter(|t| t.id == id).for_each(|t| t.status = status);
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::PlanReady { plan } => {
                self.plan = Some(plan.clone());
                self.waived.clear();
            }
            Event::TaskAdded { task } => {
                self.added += 1;
                self.plan.as_mut().unwrap().tasks.push(task.clone());
            }
            Event::TaskFreed { task, of } => {
                let tasks = self.plan.iter_mut().flat_map(|p| &mut p.tasks);
                tasks.filter(|t| t.id == *task).for_each(|t| t.after.retain(|id| !of.contains(id)));
            }
            Event::TaskStarted { task, lane } => self.starts(*task, *lane),
            Event::TaskCompleted { task, .. } => self.set(*task, TaskStatus::Done),
            Event::TaskFailed { task, .. } => {
                self.failed += 1;
                self.set(*task, TaskStatus::Failed);
            }
            Event::TaskSkipped { task, undone } => self.set(*task, TaskStatus::left_out(*undone)),
            Event::TaskCancelled { task } => self.set(*task, TaskStatus::Cancelled),
            Event::TaskReset { task } => self.set(*task, TaskStatus::Pending),
            Event::GateStarted { .. } => {
                assert_eq!(self.running().count(), 0, "a gate runs beside a step");
                self.see_gate(event);
            }
            Event::GateReset { .. } | Event::GatePassed { .. } | Event::GateFailed { .. } => {
                self.see_gate(event);
            }
            Event::LaneClosed { lane } => {
                let task = self.lanes.remove(lane);
                self.drafts.retain(|_, of| Some(*of) != task);
            }
            Event::Proposed { proposal, .. } => {
                self.paths.insert(proposal.id, proposal.path.clone());
                if let Some(task) = self.lanes.get(&proposal.lane) {
                    let other = self.drafts.insert(proposal.path.clone(), *task);
                    assert!(other.is_none_or(|o| o == *task), "two steps change {}", proposal.path);
                }
            }
            Event::ProposalTakenUp { proposal, lane: Some(lane) } => {
                let (task, path) = (self.lanes[lane], self.paths[proposal].clone());
                let other = self.drafts.insert(path.clone(), task);
                assert!(other.is_none_or(|o| o == task), "two steps change {path}");
                self.gone_on += 1;
            }
            Event::RunStarted { .. } => self.runs += 1,
            Event::RunCompleted { .. } => assert!(self.lanes.is_empty(), "a step outlives its run"),
            Event::ApplyStarted { apply, files } => {
                for file in files {
                    let other = self.writing.insert(file.path.clone(), *apply);
                    assert_eq!(other, None, "two writers on {}", file.path);
                }
            }
            Event::Applied { apply } | Event::ApplyFailed { apply, .. } => {
                self.writing.retain(|_, by| by != apply);
            }
            _ => {}
        }
    }

    fn see_gate(&mut self, event: &Event) {
        match event {
            Event::GateStarted { gate, .. } => {
                assert!(!self.waived.contains(gate), "{gate:?} was left out by the user and runs");
            }
            Event::GateReset { gate, skipped: true, why: None } => drop(self.waived.insert(*gate)),
            Event::GateReset { gate, skipped: false, .. } => {
                assert!(!self.waived.contains(gate), "{gate:?} was left out by the user and is due");
            }
            Event::GatePassed { gate, .. } | Event::GateFailed { gate, .. } => {
                self.shown_waived += usize::from(self.waived.contains(gate));
            }
            _ => {}
        }
    }

    fn starts(&mut self, id: TaskId, lane: LaneId) {
        let plan = self.plan.as_ref().unwrap();
        let task = plan.task(id).unwrap();
        assert_eq!(task.status, TaskStatus::Pending, "{task:?}");
        for need in &task.after {
            assert_eq!(plan.task(*need).unwrap().status, TaskStatus::Done, "{task:?} before {need:?}");
        }
        let limit = Bounds::default().max_parallel;
        assert!(self.running().count() < limit, "{task:?} is one too many");
        let reads = |t: &Task| t.node == IntentNode::Read;
        let apart = |a: &Task, b: &Task| {
            let named = |t: &Task| !t.files.is_empty() && t.node != IntentNode::Execute;
            named(a) && named(b) && a.files.iter().all(|file| !b.files.contains(file))
        };
        for other in self.running().filter_map(|id| plan.task(id)) {
            assert!((reads(task) && reads(other)) || apart(task, other), "{task:?} beside {other:?}");
        }
        self.set(id, TaskStatus::Running);
        self.lanes.insert(lane, id);
        self.started += 1;
        self.most = self.most.max(self.running().count());
        self.beside += usize::from(self.running().count() > 1);
    }
}

/// A session that is played, and what was seen of it.
struct Play {
    bench: Bench,
    dice: Dice,
    watch: Watch,
    /// Whether nothing goes wrong any more, so that it comes to its end.
    calm: bool,
    replans: usize,
}

impl Play {
    fn new(seed: u64) -> Self {
        let dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self { bench: Bench::new(), dice, watch: Watch::default(), calm: false, replans: 0 }
    }

    /// One input, with all the laws of every sequence; a refused one changes nothing.
    fn input(&mut self, input: Input, whole: bool) {
        if whole {
            let (before, from) = (self.bench.session.clone(), self.bench.log.len());
            if let Ok(step) = self.bench.input(input) {
                check(&before, &self.bench.session, &step.events);
            }
            for e in &self.bench.log[from..] {
                self.watch.see(&e.event);
            }
            return;
        }
        self.bench.clock += 1;
        if let Ok(step) = self.bench.session.step(Millis(self.bench.clock), input) {
            step.events.iter().for_each(|e| self.watch.see(&e.event));
            self.bench.log.extend(step.events);
        }
    }

    /// A plan whose steps need others, in any order, with their files, and its gates.
    fn plan(&mut self, most: usize) -> Value {
        let dice = &mut self.dice;
        let count = 1 + dice.roll(most);
        let mut order: Vec<usize> = (1..=count).collect();
        (1..count).rev().for_each(|i| order.swap(i, dice.roll(i + 1)));
        let kinds = ["modify", "modify", "modify", "create", "read", "read", "delete", "execute"];
        let mut tasks = vec![Value::Null; count];
        for (rank, number) in order.iter().enumerate() {
            let needs = if rank == 0 { 0 } else { dice.pick(&[0, 0, 1, 1, 2, 3]) };
            let after: BTreeSet<usize> = (0..needs).map(|_| order[dice.roll(rank)]).collect();
            let named = dice.pick(&[0, 1, 1, 1, 1, 2, 3]);
            let files: BTreeSet<String> =
                (0..named).map(|_| format!("f{}.txt", dice.roll(count / 2 + 2))).collect();
            tasks[number - 1] = json!({"title": format!("Step {number}"), "kind": dice.pick(&kinds), "files": files, "after": after});
        }
        let gates: Vec<Value> = (0..dice.roll(3))
            .map(|n| {
                let after: Vec<usize> = (0..dice.roll(3)).map(|_| 1 + dice.roll(count)).collect();
                json!({"name": format!("g{n}"), "command": format!("make g{n}"), "after": after})
            })
            .collect();
        json!({"title": "Plan", "tasks": tasks, "gates": gates})
    }

    fn reply(&mut self, lane: LaneId, most: usize) -> Result<ModelReply, Fault> {
        let (kind, turn) = {
            let lane = &self.bench.session.state().lanes[&lane];
            (lane.kind, lane.turn)
        };
        let calls: Vec<(&str, Value)> = match kind {
            LaneKind::Planning => vec![("submit_plan", self.plan(most))],
            LaneKind::Task(id) => self.work_on(id),
            _ => Vec::new(),
        };
        if !self.calm && self.dice.roll(60) == 0 {
            let (kind, message) = (FaultKind::Stalled, format!("silent at {turn:?}"));
            return Err(Fault { kind, message, hint: String::new(), status: None });
        }
        let calls = calls.into_iter().enumerate();
        let calls = calls.map(|(n, (name, args))| ModelCall {
            id: format!("c{n}"),
            name: name.into(),
            args: args.to_string(),
        });
        Ok(ModelReply { text: "done".into(), calls: calls.collect(), ..ModelReply::default() })
    }

    /// What a step's model wants: mostly its own files, at times another's, commands and answers.
    fn work_on(&mut self, id: TaskId) -> Vec<(&'static str, Value)> {
        let plan = self.bench.session.state().plan.clone().unwrap();
        let own: Vec<RelPath> = plan.task(id).map(|t| t.files.clone()).unwrap_or_default();
        let all: Vec<RelPath> = plan.tasks.iter().flat_map(|t| t.files.clone()).collect();
        let of = |dice: &mut Dice, files: &[RelPath]| {
            let path = if files.is_empty() { "free.txt".to_owned() } else { dice.pick(files).to_string() };
            ("edit", edit_of(&path))
        };
        let dice = &mut self.dice;
        match dice.roll(16) {
            0..=4 => vec![of(dice, &own)],
            5 => vec![of(dice, &all)],
            6 => vec![of(dice, &own), ("run", json!({"command": "cargo test"}))],
            7 => vec![("run", json!({"command": dice.pick(&["git status", "make g0", "make g0"])}))],
            8 => vec![("read", json!({"path": "a.txt"})), of(dice, &all)],
            9 if !self.calm => vec![("ask_user", json!({"question": "Which?", "choices": ["a", "b"]}))],
            _ => Vec::new(),
        }
    }

    fn outcome(&mut self, work: &Work, most: usize) -> Input {
        match work {
            Work::Think { call, lane, .. } => Input::Replied { call: *call, reply: self.reply(*lane, most) },
            Work::Tool { permit, .. } if permit.tool() == Tool::Edit => {
                let (_, open) = self.bench.session.state().open_call(permit.call()).unwrap();
                let outcome = proposing(&open.subject(), "1\n2\n", &format!("1\n{}\n", permit.call().0));
                Input::ToolEnded { call: permit.call(), outcome }
            }
            Work::Tool { permit, .. } if permit.tool() == Tool::Run && self.calm => {
                Input::ToolEnded { call: permit.call(), outcome: exited(0, "fine") }
            }
            other => world(&mut self.dice, other),
        }
    }

    /// An answer to an open question.
    fn decide(&mut self) -> Option<Input> {
        let list: Vec<_> = self.bench.session.state().open.values().cloned().collect();
        let question = list.get(self.dice.roll(list.len().max(1)))?;
        let (id, shown) = (question.id, question.kind.shown());
        let of = |answer| Some(Input::Answer { checkpoint: id, answer, shown });
        match &question.kind {
            CheckpointKind::Diff(Review { proposals, .. }) => {
                let state = self.bench.session.state();
                let p = state.open_proposals().find(|p| proposals.contains(&p.id))?;
                let (list, ids) = (vec![(p.id, p.shown())], vec![p.id]);
                let word = (p.kind == ChangeKind::Delete).then(|| "delete".to_owned());
                Some(match self.dice.roll(if self.calm { 8 } else { 40 }) {
                    0 => Input::Skip { proposals: ids, reason: "no".into() },
                    39 => Input::Up,
                    _ => Input::Apply { proposals: list, word, rest: false },
                })
            }
            CheckpointKind::Confirmation(_) if self.calm || self.dice.roll(8) > 0 => of(Answer::Approve),
            CheckpointKind::Failure(_) if self.calm => {
                of(self.dice.pick(&[Answer::Skip, Answer::Abort, Answer::Manual]))
            }
            CheckpointKind::Failure(_) if self.dice.roll(3) > 0 => {
                of(self.dice.pick(&[Answer::Retry, Answer::Again, Answer::AutoFix, Answer::Skip]))
            }
            kind => {
                let (answer, shown) = self.dice.pick(&answers(kind));
                Some(Input::Answer { checkpoint: id, answer, shown })
            }
        }
    }

    /// What the user does unasked.
    fn meddle(&mut self) -> Option<Input> {
        if self.calm {
            return None;
        }
        Some(match self.dice.roll(240) {
            0 => Input::Cancel,
            1 if self.replans < 2 => {
                self.replans += 1;
                Input::say("/replan")
            }
            2..=5 => Input::say("also add a doc comment to the two methods"),
            6 => Input::Undo,
            7 => Input::SetPermission(self.dice.pick(&[PermissionMode::Ask, PermissionMode::Auto])),
            8 => Input::say("name it bytes instead"),
            9..=12 => Input::SetPause(self.dice.pick(&[Pause::FirstWrite, Pause::Lines(3)]), true),
            _ => return None,
        })
    }

    fn next(&mut self, most: usize) -> Option<Input> {
        if let Some(input) = self.meddle() {
            return Some(input);
        }
        let works: Vec<Work> = self.bench.session.pending().into_values().collect();
        let asked = if works.is_empty() || self.dice.roll(3) == 0 { self.decide() } else { None };
        if asked.is_some() || !works.is_empty() {
            return asked.or_else(|| {
                let work = self.dice.pick(&works);
                Some(self.outcome(&work, most))
            });
        }
        let state = self.bench.session.state();
        if state.phase == Phase::Planning {
            // The plan was sent back without a word: it waits for one.
            return Some(if self.calm { Input::Cancel } else { Input::say("fewer steps please") });
        }
        (!self.calm && state.phase == Phase::Idle && state.last_plan().is_some()).then(|| Input::say("/redo"))
    }

    /// Plays it to its end, and gives how many inputs that took.
    fn end(&mut self, most: usize) -> usize {
        let (rough, limit) = (60 + 6 * most, 600 + 120 * most);
        for step in 0..limit {
            self.calm = step > rough;
            let Some(input) = self.next(most) else { return step };
            self.input(input, most < 30);
        }
        panic!("it does not end: {:#?} {:#?}", self.bench.session.state().phase, self.bench.log.last());
    }
}

#[test]
fn generated_plans_keep_their_order_write_alone_and_always_end() {
    let (mut started, mut added, mut failed, mut runs, mut largest, mut inputs) = (0, 0, 0, 0, 0, 0);
    let (mut beside, mut most, mut gone_on, mut paused, mut waived) = (0, 0, 0, 0, 0);
    for seed in 0..share() {
        let mut play = Play::new(seed + 1);
        let size = play.dice.pick(&[4, 12, 12, 29, 60, MAX_TASKS]);
        if play.dice.roll(2) == 0 {
            play.input(Input::SetPermission(PermissionMode::Auto), true);
        }
        play.input(Input::say("fix the bug in a.txt"), true);
        inputs += play.end(size);
        let state = play.bench.session.state();
        assert!(
            state.phase == Phase::Idle && state.lanes.is_empty() && state.run.is_none(),
            "seed {seed}: {:?} {:#?}",
            state.phase,
            state.open
        );
        assert_eq!(state.open_proposals().count(), 0, "seed {seed}: nothing asks about {:#?}", state.open);
        assert!(play.watch.lanes.is_empty() && play.watch.writing.is_empty(), "seed {seed}");
        assert!(Session::replay(&play.bench.log) == play.bench.session, "seed {seed}: replay is not live");
        let pauses = |e: &Stamped| matches!(&e.event, Event::CheckpointOpened { checkpoint } if matches!(checkpoint.kind, CheckpointKind::Paused(_)));
        let at_pause = play.bench.log.iter().rposition(pauses).map(|at| at + 1);
        paused += usize::from(at_pause.is_some());
        for at in [play.bench.log.len() / 3, play.bench.log.len() * 2 / 3].into_iter().chain(at_pause) {
            reopens(&play.bench.log[..at], seed);
        }
        check_log(&play.bench.log);
        let plan = play.watch.plan.as_ref().map_or(0, |p| p.tasks.len());
        (started, added, failed) =
            (started + play.watch.started, added + play.watch.added, failed + play.watch.failed);
        gone_on += play.watch.gone_on;
        waived += play.watch.shown_waived;
        (beside, most) = (beside + play.watch.beside, most.max(play.watch.most));
        (runs, largest) = (runs + play.watch.runs, largest.max(plan));
    }
    println!(
        "plans={} runs={runs} largest={largest} steps={started} beside={beside} at once={most} gone on={gone_on} added={added} failed={failed} waived={waived} inputs={inputs}",
        share()
    );
    assert!(gone_on > 5 && paused > 5, "{gone_on} {paused}");
    assert!(started > 500 && beside > 100 && added > 20 && failed > 5, "{started} {beside} {added} {failed}");
}

/// Cut off anywhere and opened again, nothing goes on, and no step is left at work.
fn reopens(log: &[Stamped], seed: u64) {
    let mut again = Session::replay(log);
    let pauses = |s: &Session| {
        let plan = s.state().plan.as_ref().or(s.state().suspended.as_ref());
        plan.map(|p| p.pauses.clone()).unwrap_or_default()
    };
    let paused = pauses(&again);
    again.step(Millis(1 << 40), Input::Open(opening())).unwrap();
    assert!(again.pending().is_empty(), "seed {seed}");
    assert_eq!(pauses(&again), paused, "seed {seed}: a crash answers no pause");
    let plans = again.state().plan.iter().chain(&again.state().suspended).chain(&again.state().earlier);
    let left = plans.flat_map(|p| &p.tasks).filter(|t| t.status == TaskStatus::Running).count();
    assert_eq!(left, 0, "seed {seed}");
}

#[test]
fn a_plan_that_cannot_be_is_told_to_the_model_and_nothing_of_it_runs() {
    let task = |n: usize, after: &[usize]| json!({"title": format!("Step {n}"), "files": [format!("f{n}")], "after": after});
    let many: Vec<Value> = (1..=10_000).map(|n| task(n, &[])).collect();
    let long: Vec<Value> = (1..=MAX_TASKS + 1).map(|n| task(n, &[])).collect();
    let cases = [
        (json!([task(1, &[2]), task(2, &[3]), task(3, &[1])]), "circle"),
        (json!([task(1, &[1])]), "task 1 waits for itself"),
        (json!([task(1, &[7])]), "does not exist"),
        (json!([task(1, &[0])]), "does not exist"),
        (json!(long), "at most"),
        (json!(many), "bytes"),
        (json!([]), "no tasks"),
        (json!([{"title": "One", "files": ["../../etc/passwd"]}]), "not a path inside the workspace"),
        (json!([{"title": "One", "files": ["a"]}, {"title": "Two", "files": ["/etc/passwd"]}]), "task 2"),
        (json!([{"title": "One", "files": ["a/../../b"]}]), "not a path inside the workspace"),
        (json!([{"title": "One", "files": ["a"], "after": [-1]}]), "after"),
        (
            json!([{"title": "One", "files": ["a"], "after": [18_446_744_073_709_551_615_u64]}]),
            "does not exist",
        ),
    ];
    for (tasks, told) in cases {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
        let state = b.session.state();
        assert!(state.plan.is_none() && state.phase == Phase::Planning, "{told}: {:?}", state.phase);
        let ended = b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { result, .. } => Some(result.head.clone()),
            _ => None,
        });
        let ended = ended.unwrap();
        assert!(ended.contains(told), "{told}: {ended}");
        // Its model may do better at once.
        b.plan(&[("One", "modify")], &[]);
        assert_eq!(b.session.state().phase, Phase::AwaitingApproval, "{told}");
    }
}
