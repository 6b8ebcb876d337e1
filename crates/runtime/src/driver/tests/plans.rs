//! Generated plans on the real runtime, and runs that are stopped at any instant.
//!
//! `PILOTHOUSE_PROOF=whole` plays 20 plans and stops 200 runs; else a share of them.

use std::time::Instant;

use pilothouse_core::{
    checkpoint::Answer, plan::TaskStatus, proposal::ProposalStatus, question::CommandQuestion,
    scope::PermissionMode, session::ApplyStatus, tool::Tool, work::Work,
};

use super::*;

/// `PILOTHOUSE_PROOF=whole` tries everything; else a fixed share of it.
fn share(whole: u64, ordinary: u64) -> u64 {
    if std::env::var("PILOTHOUSE_PROOF").is_ok_and(|p| p == "whole") { whole } else { ordinary }
}

/// The same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A plan of so many steps with what its model says to each: some make a file, some change one of a few, some fail
/// first, some run a command of this line.
fn script(dice: &mut Dice, steps: u64, command: Option<&str>) -> serde_json::Value {
    let mut lines = Vec::new();
    let mut tasks = Vec::new();
    for n in 1..=steps {
        let mut after: Vec<u64> = (0..dice.roll(3)).map(|_| 1 + dice.roll(n)).filter(|a| *a < n).collect();
        after.sort_unstable();
        after.dedup();
        let when = format!("<title>step {n}</title>");
        let say = |calls: serde_json::Value| json!({"when": when, "text": "so", "calls": calls});
        let file = format!("new/f{}.txt", dice.roll(steps));
        let write = json!([{"name": "write", "args": {"path": file, "content": format!("by step {n}\n")}}]);
        if dice.roll(9) == 0 && command.is_none() {
            lines.push(json!({"when": when, "text": "", "fault": {"kind": "refused", "message": "no"}}));
        }
        let kind = match dice.roll(6) {
            0 => {
                lines.push(say(json!([{"name": "read", "args": {"path": "src/a.txt"}}])));
                "read"
            }
            1 | 2 if command.is_some() => {
                lines.push(say(json!([{"name": "run", "args": {"command": command}}])));
                "execute"
            }
            _ => {
                lines.push(json!({"when": when, "calls": [{"name": "list", "args": {}}]}));
                lines.push(say(write));
                "create"
            }
        };
        lines.push(json!({"when": when, "text": format!("step {n} is done")}));
        tasks.push(json!({"title": format!("Step {n}"), "kind": kind, "files": [file], "after": after}));
    }
    let plan = json!({"title": "Many", "tasks": tasks});
    lines.insert(0, json!({"for": "plan", "text": "", "calls": [{"name": "submit_plan", "args": plan}]}));
    json!(lines)
}

impl Screen {
    /// Answers what waits, as somebody does who agrees; gives whether anything did.
    async fn agree(&mut self, answered: &mut std::collections::BTreeSet<u64>) {
        let open: Vec<_> = self.state().open.values().cloned().collect();
        for question in open {
            let known = match &question.kind {
                CheckpointKind::Risk(CommandQuestion { meant, .. }) => meant.is_some(),
                _ => true,
            };
            if !known || !answered.insert(question.id.0) {
                continue;
            }
            let answer = match &question.kind {
                CheckpointKind::Failure(_) => Answer::Retry,
                _ => Answer::Approve,
            };
            let (checkpoint, shown) = (question.id, question.kind.shown());
            self.send(Input::Answer { checkpoint, answer, shown }).await;
        }
    }

    /// Whether a command runs.
    fn runs(&self) -> bool {
        let runs = |w: &Work| matches!(w, Work::Tool { permit, .. } if permit.tool() == Tool::Run);
        self.session.pending().values().any(runs)
    }

    async fn next(&mut self) {
        match tokio::time::timeout(Duration::from_mins(1), self.updates.recv()).await {
            Ok(Some(update)) => self.take(update),
            Ok(None) => panic!("it closed"),
            Err(late) => {
                let told = self.events.iter().rev().take(12).map(|e| &e.event);
                panic!("{late}: {:?} {:#?}", self.state().phase, told.collect::<Vec<_>>())
            }
        }
    }
}

/// What the log on disk says, folded anew, is what was live, and every file that it says was written is there as written.
fn nothing_lost(rig: &Rig, live: &State) {
    let place = sessions::find(&rig.home(), &rig.work(), &live.slug).unwrap();
    assert!(sessions::verify(&place).unwrap().sound());
    let mut again = Session::new();
    let mut last = BTreeMap::new();
    sessions::events(&place, |event| {
        if event.seq <= live.seq {
            again.apply(&event);
        }
        if let Event::ApplyStarted { files, .. } = event.event {
            last.extend(files.into_iter().map(|f| (f.path.clone(), f)));
        }
    })
    .unwrap();
    assert!(again.state() == live, "replay is not live");
    for id in live.ledger() {
        for file in &live.applies()[id].files {
            let newest = &last[&file.path];
            let now = fs::read(rig.work().join(file.path.as_str())).ok();
            let known = [newest.before, newest.after];
            assert!(
                known.contains(&now.map(|text| pilothouse_core::blob::BlobId::of(&text))),
                "{}",
                file.path
            );
        }
    }
    let waits = |p: &ProposalStatus| matches!(p, ProposalStatus::Open | ProposalStatus::Applying(_));
    let undecided: Vec<_> = live.proposals().values().filter(|p| waits(&p.status)).collect();
    assert!(undecided.is_empty(), "neither decided nor set aside: {undecided:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn generated_plans_end_with_every_step_done_in_order() {
    let (mut steps, mut failures) = (0, 0);
    for seed in 0..share(20, 4) {
        let mut dice = Dice(seed);
        let count = 3 + dice.roll(28);
        let rig = Rig::new(&script(&mut dice, count, None));
        let setup = Setup { permission: Some(PermissionMode::Auto), ..rig.setup(Which::New) };
        let mut s = Screen::open(setup, 4096).await;
        let mut answered = std::collections::BTreeSet::new();
        s.say("create the files of the many steps").await;
        s.until("a run", |s| s.state().run.is_some() || !s.state().open.is_empty()).await;
        while s.state().phase != Phase::Idle {
            s.agree(&mut answered).await;
            s.next().await;
        }
        let plan = s.state().suspended.clone().unwrap();
        assert!(plan.tasks.iter().all(|t| t.status == TaskStatus::Done), "seed {seed}: {:#?}", plan.tasks);
        let mut done = std::collections::BTreeSet::new();
        for event in s.events.iter().map(|e| &e.event) {
            match event {
                Event::TaskStarted { task, .. } => {
                    assert!(plan.task(*task).unwrap().after.iter().all(|a| done.contains(a)), "seed {seed}");
                }
                Event::TaskCompleted { task, .. } => drop(done.insert(*task)),
                _ => {}
            }
        }
        steps += plan.tasks.len();
        failures += s.count("task_failed");
        let live = s.state().clone();
        s.quit().await;
        nothing_lost(&rig, &live);
    }
    println!("plans={} steps={steps} failures={failures}", share(20, 4));
    assert!(steps > 30 && failures > 1, "{steps} {failures}");
}

/// Living processes with this text in their command line.
fn processes(mark: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|e| fs::read(e.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_stopped_at_any_instant_leaves_no_child_and_loses_nothing() {
    let many = share(200, 12);
    let (mut at_command, mut at_write, mut longest) = (0, 0, Duration::ZERO);
    for seed in 0..many {
        let mut dice = Dice(seed + 900);
        let mark = format!("600.{}{seed:03}", std::process::id());
        let line = format!("sleep {mark} & sleep {mark}; sleep {mark}");
        let rig = Rig::new(&script(&mut dice, 6, Some(&line)));
        let setup = Setup { permission: Some(PermissionMode::Auto), ..rig.setup(Which::New) };
        let mut s = Screen::open(setup, 4096).await;
        let mut answered = std::collections::BTreeSet::new();
        s.say("create the files of the many steps").await;
        s.until("a run", |s| s.state().run.is_some() || !s.state().open.is_empty()).await;
        // So many updates later, or where a command stands that would go on for ten minutes.
        let instant = dice.roll(90);
        for _ in 0..instant {
            s.agree(&mut answered).await;
            if s.state().phase == Phase::Idle {
                break;
            }
            if s.runs() {
                // At once, or once all of it is there.
                let whole = dice.roll(4) > 0;
                while whole && processes(&mark) < 2 {
                    tokio::task::yield_now().await;
                }
                break;
            }
            s.next().await;
        }
        at_command += usize::from(processes(&mark) > 0);
        let writes = |s: &State| {
            s.applies().values().any(|a| matches!(a.status, ApplyStatus::Approved | ApplyStatus::Writing))
        };
        at_write += usize::from(writes(s.state()));
        s.send(Input::Cancel).await;
        let since = Instant::now();
        s.idle().await;
        s.until("no write", |s| !writes(s.state())).await;
        while processes(&mark) > 0 {
            assert!(since.elapsed() < Duration::from_mins(1), "seed {seed}: a child lives");
            tokio::task::yield_now().await;
        }
        longest = longest.max(since.elapsed());
        let live = s.state().clone();
        assert!(live.run.is_none() && s.session.pending().is_empty(), "seed {seed}");
        let plans = live.plan.iter().chain(&live.suspended).chain(&live.earlier).flat_map(|p| &p.tasks);
        assert_eq!(plans.filter(|t| t.status == TaskStatus::Running).count(), 0, "seed {seed}");
        s.quit().await;
        nothing_lost(&rig, &live);
    }
    println!("cancels={many} at a command={at_command} at a write={at_write} longest={longest:?}");
    assert!(share(1, 0) == 0 || longest < Duration::from_secs(2), "{longest:?}");
}
