//! Runs the screen against a real session whose model and tools are a script: to look at it.
//!
//! `cargo run -p pilothouse-tui --example demo -- [--light] [--ascii] [--16]`
//! Say "what does login do" for an answer, "add rate limiting to the login" for a plan with
//! proposals, "delete the old notes" for a removal, "run the tests" for a command.

#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    reason = "an example"
)]

use std::{
    collections::{HashMap, VecDeque},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pilothouse_core::{
    blob::{Blob, BlobId},
    diff,
    event::FileChange,
    ids::{CallId, CheckpointId, Millis},
    input::{Input, Opening},
    port::{Ask, Reply, Request, SetupReply, Surroundings, Update},
    relpath::RelPath,
    resolved::{ResolvedCommand, Thing},
    session::Session,
    talk::{Delta, DeltaKind, Finish, ModelCall, ModelReply, Purpose, Usage},
    tool::{ChangeKind, Exit, ProposalDraft, Tool, ToolOutcome},
    trust::Standing,
    work::{Effect, Take, Work, WorkKey},
};
use pilothouse_tui::{Look, Screen, Wiring, theme::Depth};
use tokio::sync::mpsc::{Receiver, Sender, channel};

const LOGIN: &str = "use crate::users;\n\npub fn submit_form(name: &str, pw: &str) -> Result<(), Error> {\n    let user = users.find(name)?;\n    if authenticate(&user, pw) {\n        session.start(user);\n    }\n    Ok(())\n}\n\nfn authenticate(user: &User, pw: &str) -> bool {\n    check_password(user, pw)\n}\n";
const ANSWER: &str = "`login.rs` takes the form's **name** and **password**, looks the user up and starts a session.\n\n- `submit_form` finds the user\n- `authenticate` checks the password against the stored hash\n\n```rust\nfn authenticate(user: &User, pw: &str) -> bool {\n    check_password(user, pw)\n}\n```\n\nNothing limits how often that can be tried. See `src/auth/login.rs:11`.\n";
const PLAN: &str = r#"{"title":"Add rate limiting","note":"Buckets live in memory and are lost on a restart.","tasks":[
{"title":"Token bucket in core","kind":"create","files":["src/core/bucket.rs"]},
{"title":"Wire it into login","kind":"modify","files":["src/auth/login.rs"],"after":[1]},
{"title":"Answer 429 with Retry-After","kind":"modify","files":["src/http/error.rs"],"after":[2]},
{"title":"Tests for burst and refill","kind":"create","files":["tests/login_rate.rs"],"after":[3]},
{"title":"Describe the limits in docs","kind":"create","files":["docs/limits.md"],"after":[4]}],
"gates":[{"name":"syntax","command":"cargo check --quiet","after":[1,2,3]},{"name":"tests","command":"cargo test login","after":[4]}]}"#;

struct Driver {
    session: Session,
    updates: Sender<Update>,
    blobs: HashMap<BlobId, Vec<u8>>,
    log: Vec<pilothouse_core::event::Stamped>,
    todo: VecDeque<Input>,
    rounds: HashMap<pilothouse_core::ids::LaneId, u32>,
    stopped: Vec<WorkKey>,
    slow: bool,
}

fn now() -> Millis {
    Millis(u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap())
}

impl Driver {
    fn give(&mut self, input: Input) {
        match self.session.step(now(), input) {
            Ok(step) => {
                for blob in &step.blobs {
                    self.blobs.insert(blob.id(), blob.bytes().to_vec());
                }
                self.log.extend(step.events.iter().cloned());
                let _ = self.updates.blocking_send(Update::Events(step.events));
                for effect in step.effects {
                    match effect {
                        Effect::Start(work) => self.start(work),
                        Effect::Cancel(key) => self.stopped.push(key),
                    }
                }
            }
            Err(refusal) => {
                let _ = self.updates.blocking_send(Update::Refused(refusal.reason));
            }
        }
    }

    fn start(&mut self, work: Work) {
        match work {
            // The demo has no later tiers and no hooks, and what is said to it stays short.
            Work::Classify { .. } | Work::Compact { .. } | Work::Title { .. } | Work::Hook { .. } => {}
            Work::Stage { .. } | Work::Judge { .. } => {}
            Work::Think { call, lane, purpose, .. } => {
                let round = self.rounds.entry(lane).or_default();
                *round += 1;
                let round = *round;
                let reply = self.reply(call, lane, purpose, round);
                self.todo.push_back(Input::Replied { call, reply: Ok(reply) });
            }
            Work::Tool { permit, .. } => {
                if permit.tool() == Tool::Run && self.slow {
                    return; // it runs until it is cancelled, so that one can look
                }
                let outcome = self.outcome(permit.call(), permit.tool());
                self.todo.push_back(Input::ToolEnded { call: permit.call(), outcome });
            }
            Work::Look { checkpoint, .. } => self.todo.push_back(looked(checkpoint)),
            Work::ReadPlan { call, .. } => {
                let result = Err("the demo has no files".to_owned());
                self.todo.push_back(Input::PlanRead { call, result });
            }
            Work::SeeTree { call } => self.todo.push_back(Input::TreeSeen { call, tree: None }),
            Work::LookCommit { commit, .. } | Work::Commit { commit, .. } => {
                let result = Err("the demo has no repository".to_owned());
                self.todo.push_back(Input::CommitLooked { commit, result });
            }
            Work::Recall { turn, .. } => self.todo.push_back(Input::Recalled { turn, places: Vec::new() }),
            Work::Survey(_) => self.todo.push_back(Input::Surveyed(Standing::default())),
            Work::Prepare { apply, changes } => {
                let files = changes.iter().map(changed).collect();
                self.todo.push_back(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) });
            }
            Work::Write { apply, .. } => self.todo.push_back(Input::ApplyEnded { apply, result: Ok(()) }),
            Work::TakeBack { lane, .. } => {
                let result = Err("the demo has no files".to_owned());
                self.todo.push_back(Input::TakeBackMade { lane, result });
            }
            Work::Revert { apply, .. } => self.todo.push_back(Input::RevertEnded { apply, result: Ok(true) }),
            Work::Remember { approval, .. } => {
                self.todo.push_back(Input::MemoryKept { approval, result: Ok("memory.md".to_owned()) });
            }
            Work::Keep { approval, .. } => {
                self.todo.push_back(Input::RulesKept { approval, result: Ok("permissions.toml".to_owned()) });
            }
        }
    }

    fn stream(&self, call: CallId, text: &str) {
        let mut offset = 0;
        for piece in text.split_inclusive(' ') {
            let delta = Delta { call, offset, kind: DeltaKind::Text, text: piece.to_owned() };
            let _ = self.updates.blocking_send(Update::Delta(delta));
            offset += piece.len() as u64;
            thread::sleep(Duration::from_millis(15));
        }
    }

    fn reply(
        &self,
        call: CallId,
        lane: pilothouse_core::ids::LaneId,
        purpose: Purpose,
        round: u32,
    ) -> ModelReply {
        let head =
            self.session.state().lanes.get(&lane).and_then(|l| self.session.state().turns.get(&l.turn));
        let head = head.map(|t| t.head.to_lowercase()).unwrap_or_default();
        let ask = |name: &str, args: String| ModelCall { id: format!("c{round}"), name: name.into(), args };
        let (text, calls) = match (purpose, round) {
            (Purpose::Answer, 1) if head.contains("run") => (
                String::new(),
                vec![ask("run", r#"{"command":"cargo add governor@0.6 --features std"}"#.into())],
            ),
            (Purpose::Answer, 1) => {
                (String::new(), vec![ask("read", r#"{"path":"src/auth/login.rs"}"#.into())])
            }
            (Purpose::Answer, _) => (ANSWER.to_owned(), vec![]),
            (Purpose::Plan, 1) => {
                (String::new(), vec![ask("read", r#"{"path":"src/auth/login.rs"}"#.into())])
            }
            (Purpose::Plan, _) => (String::new(), vec![ask("submit_plan", PLAN.to_owned())]),
            (Purpose::Task, 1) => (
                String::new(),
                vec![ask(
                    "edit",
                    r#"{"path":"src/auth/login.rs","edits":[{"old":"old","new":"new"}]}"#.into(),
                )],
            ),
            (Purpose::Task, _) => ("Done.".to_owned(), vec![]),
            (Purpose::Goal, 1) => {
                (String::new(), vec![ask("run", r#"{"command":"git push --force origin main"}"#.into())])
            }
            (Purpose::Goal, _) => ("The command ended.".to_owned(), vec![]),
            (Purpose::Classify | Purpose::Compact | Purpose::Title | Purpose::Child | Purpose::Stage, _) => {
                (String::new(), vec![])
            }
        };
        thread::sleep(Duration::from_millis(400));
        self.stream(call, &text);
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        ModelReply {
            text,
            reasoning: String::new(),
            echo: None,
            calls,
            usage: Usage { input: 4100, output: 423, cost_micros: Some(30_000), ..Usage::default() },
            finish,
            model: "demo".into(),
            checked: None,
        }
    }

    fn outcome(&mut self, call: CallId, tool: Tool) -> ToolOutcome {
        thread::sleep(Duration::from_millis(120));
        match tool {
            Tool::Read => ToolOutcome::text(LOGIN, "Read src/auth/login.rs (13 lines)"),
            Tool::Edit | Tool::Write => {
                let after = LOGIN.replace(
                    "    if authenticate(&user, pw) {\n",
                    "    let key = limits.key(&user, addr);\n    if !limits.allow(key) {\n        return Err(too_many(key));\n    }\n    if auth::check(&user, pw) {\n",
                ).replace("    check_password(user, pw)\n", &format!("    // {call}\n    check_password(user, pw)\n"));
                let (before, after) = (Blob::new(LOGIN.into()), Blob::new(after.into_bytes()));
                let hunks = diff::hunks(before.bytes(), after.bytes());
                self.blobs.insert(before.id(), before.bytes().to_vec());
                self.blobs.insert(after.id(), after.bytes().to_vec());
                let mut outcome = ToolOutcome::text("proposed", "proposed src/auth/login.rs");
                outcome.proposals = vec![ProposalDraft {
                    notes: Vec::new(),
                    path: RelPath::new("src/auth/login.rs").unwrap(),
                    kind: ChangeKind::Modify,
                    before: Some(before),
                    after: Some(after),
                    hunks,
                }];
                outcome
            }
            Tool::Run => {
                let exit = Exit {
                    code: Some(0),
                    signal: None,
                    timed_out: false,
                    took: Millis(120),
                    process: None,
                    put_back: false,
                };
                let mut outcome = ToolOutcome::text("ok", "exit 0");
                outcome.exit = Some(exit);
                outcome
            }
            _ => ToolOutcome::text("ok", "ok"),
        }
    }

    fn answer(&self, ask: &Ask) -> Reply {
        match *ask {
            Ask::History { before, count } => {
                let end = usize::try_from(before.0.saturating_sub(1)).unwrap().min(self.log.len());
                Reply::History(self.log[end.saturating_sub(count)..end].to_vec())
            }
            Ask::Blob(id) => Reply::Blob(id, self.blobs.get(&id).cloned()),
            // Nothing of the demonstration is so long.
            Ask::Text(id, _) => Reply::Text(id, None),
            Ask::Rehearse(_) => Reply::Rehearsed(Box::default()),
            Ask::Sources | Ask::TestSource(_) | Ask::SignIn(_) | Ask::EnableSource(..) | Ask::KeepKey(..) => {
                Reply::Sources(Vec::new())
            }
            Ask::SourceTools(ref name) => Reply::SourceTools(name.clone(), Ok(String::new())),
            Ask::Context => Reply::Context(Box::default()),
            Ask::Knowledge(_) => Reply::Knowledge(Box::new(Err("the demonstration has no index".to_owned()))),
            Ask::Setup(_) => {
                Reply::Setup(SetupReply::Kept(Err("the demonstration keeps nothing".to_owned())))
            }
            Ask::Withdraw(_) => Reply::History(Vec::new()),
            Ask::Memory(owner) => Reply::Memory(owner, Ok(String::new())),
            Ask::Files { .. } => Reply::Files(
                [
                    "src/auth/login.rs",
                    "src/auth/mod.rs",
                    "src/core/bucket.rs",
                    "src/http/error.rs",
                    "README.md",
                ]
                .iter()
                .map(|p| RelPath::new(p).unwrap())
                .collect(),
            ),
        }
    }

    fn drive(mut self, mut requests: Receiver<Request>) {
        loop {
            if let Some(input) = self.todo.pop_front() {
                let gone = match &input {
                    Input::Replied { call, .. } => self.stopped.contains(&WorkKey::Think(*call)),
                    Input::ToolEnded { call, .. } => self.stopped.contains(&WorkKey::Tool(*call)),
                    _ => false,
                };
                if !gone {
                    self.give(input);
                }
            }
            let next = if self.todo.is_empty() { requests.blocking_recv() } else { requests.try_recv().ok() };
            match next {
                Some(Request::Input(input)) => self.give(input),
                Some(Request::Ask(number, ask)) => {
                    let reply = self.answer(&ask);
                    let _ = self.updates.blocking_send(Update::Answered(number, reply));
                }
                Some(Request::Tell(_) | Request::Draft(_) | Request::Focused | Request::TakeOver) => {}
                Some(Request::Quit) => {
                    let _ = self.updates.blocking_send(Update::Closed(None));
                    return;
                }
                None if self.todo.is_empty() => return,
                None => {}
            }
        }
    }
}

#[expect(clippy::too_many_lines, reason = "a story, told in its order")]
fn main() {
    let has = |flag: &str| std::env::args().any(|a| a == flag);
    let look = Look {
        ground_known: true,
        dark: !has("--light"),
        depth: if has("--256") {
            Depth::Indexed
        } else if has("--16") {
            Depth::Ansi16
        } else if has("--plain") {
            Depth::None
        } else {
            Depth::TrueColor
        },
        ascii: has("--ascii"),
        motion: true,
        folder: "inkwell".into(),
        ..Look::default()
    };
    let screen = Screen::enter(look).expect("a terminal");
    let (requests, from_screen) = channel(64);
    let (updates, from_driver) = channel(256);
    let (_signals, signals) = channel(8);
    let slow = has("--slow");
    thread::spawn(move || {
        let mut driver = Driver {
            session: Session::new(),
            updates,
            blobs: HashMap::new(),
            log: Vec::new(),
            todo: VecDeque::new(),
            rounds: HashMap::new(),
            stopped: Vec::new(),
            slow,
        };
        let around = Surroundings {
            folder: "inkwell".into(),
            branch: Some("main".into()),
            dirty: 3,
            model: "offline engine".into(),
            offline: true,
            utc_offset_minutes: 60,
            window: Some(24_000),
            read_only: false,
            now: now(),
            ..Surroundings::default()
        };
        let _ = driver.updates.blocking_send(Update::Surroundings(Box::new(around)));
        let _ = driver.updates.blocking_send(Update::Opened(Box::new(Session::new()), Vec::new()));
        driver.give(Input::Open(Opening {
            slug: "calm-otter".into(),
            folder: "inkwell".into(),
            version: "0.1.0".into(),
            mode: None,
            permission: None,
            sandbox: pilothouse_core::sandbox::Sandbox {
                backend: Some(pilothouse_core::sandbox::Backend::Landlock),
                ..Default::default()
            },
            standing: Standing::default(),
            found: Vec::new(),
        }));
        driver.drive(from_screen);
    });
    let farewell = screen
        .run(Wiring {
            requests,
            updates: from_driver,
            host: None,
            signals,
            suspend: Box::new(|| {}),
            edit: Box::new(|handout| Ok(format!("{} (edited)", handout.text))),
            open: Box::new(|_| Ok(())),
            keymap: None,
            theme: None,
            themes: std::collections::BTreeMap::new(),
        })
        .expect("a terminal");
    eprintln!("{farewell:?}");
}

/// What a command means here: `cargo`, in the workspace.
fn looked(checkpoint: CheckpointId) -> Input {
    let thing = |name: &str, path: &str| Thing {
        name: name.into(),
        path: path.into(),
        of: BlobId::of(path.as_bytes()),
    };
    let runs = vec![thing("cargo", "/usr/bin/cargo")];
    let meant = ResolvedCommand { folder: thing("", "/w"), runs, environment: BlobId::of(b""), unlost: None };
    Input::CommandResolved { checkpoint, meant }
}

/// What the demo says was written of a change.
fn changed(taken: &Take) -> FileChange {
    FileChange {
        proposal: taken.proposal,
        path: taken.path.clone(),
        kind: taken.kind,
        before: taken.before,
        after: taken.after,
        mode: None,
        added: taken.hunks.iter().map(diff::Hunk::added).sum(),
        removed: taken.hunks.iter().map(diff::Hunk::removed).sum(),
        lines: 40,
        rest: None,
        changes: Vec::new(),
    }
}
