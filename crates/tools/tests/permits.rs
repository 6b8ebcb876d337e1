//! Permitted calls end to end: a real session gives the permit, the workshop performs, the session
//! takes the outcome.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing
)]

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event, Stamped},
    ids::{CallId, Millis, Process},
    input::{Input, Opening},
    sandbox::Sandbox,
    session::{Session, Step},
    talk::{DeltaKind, ModelCall, ModelReply},
    tool::{Permit, Tool, ToolOutcome},
    work::{View, Work},
};
use pilothouse_tools::{BlobSource, CommandSandbox, Sink, ToolExecutor};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

#[derive(Default)]
struct Store(Mutex<BTreeMap<BlobId, Vec<u8>>>);

impl BlobSource for Store {
    fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(&id).cloned()
    }

    fn beginning(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

#[derive(Default)]
struct Heard(Mutex<(String, Option<Process>)>);

impl Sink for Heard {
    fn delta(&self, _kind: DeltaKind, text: &str) {
        self.0.lock().unwrap().0.push_str(text);
    }

    fn started(&self, process: Process) {
        self.0.lock().unwrap().1 = Some(process);
    }
}

/// A session and a workshop, joined as the driver joins them.
struct Bench {
    session: Session,
    log: Vec<Stamped>,
    shop: ToolExecutor,
    store: Arc<Store>,
    heard: Heard,
    root: PathBuf,
    _dir: tempfile::TempDir,
}

fn bench(files: &[(&str, &str)]) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (path, text) in files {
        fs::write(root.join(path), text).unwrap();
    }
    let mut bench = Bench {
        session: Session::new(),
        log: Vec::new(),
        shop: ToolExecutor::open(&root, Arc::new(CommandSandbox::none("a test"))).unwrap(),
        store: Arc::default(),
        heard: Heard::default(),
        root,
        _dir: dir,
    };
    let opening = Opening {
        slug: "s".into(),
        folder: "demo".into(),
        version: "0".into(),
        mode: None,
        permission: None,
        sandbox: Sandbox::none("a test"),
        standing: pilothouse_core::trust::Standing::default(),
        found: Vec::new(),
    };
    bench.input(Input::Open(opening));
    bench
}

impl Bench {
    fn input(&mut self, input: Input) -> Step {
        let step = self.session.step(Millis(self.log.len() as u64), input).unwrap();
        self.log.extend(step.events.iter().cloned());
        let mut store = self.store.0.lock().unwrap();
        store.extend(step.blobs.iter().map(|b| (b.id(), b.bytes().to_vec())));
        drop(store);
        step
    }

    fn reply(&mut self, calls: &[(&str, Value)]) {
        let call =
            self.thinking().unwrap_or_else(|| panic!("nothing thinks: {:#?}", self.session.state().open));
        let calls = calls
            .iter()
            .enumerate()
            .map(|(n, (name, args))| ModelCall {
                id: format!("c{n}"),
                name: (*name).into(),
                args: args.to_string(),
            })
            .collect();
        self.input(Input::Replied { call, reply: Ok(ModelReply { calls, ..ModelReply::default() }) });
    }

    fn thinking(&self) -> Option<CallId> {
        self.session.pending().values().find_map(|w| match w {
            Work::Think { call, .. } => Some(*call),
            _ => None,
        })
    }

    /// The permit that the session gives now, with its view.
    fn work(&self) -> Option<(Permit, View)> {
        self.session.pending().into_values().find_map(|w| match w {
            Work::Tool { permit, view } => Some((permit, *view)),
            _ => None,
        })
    }

    async fn perform(&mut self) -> ToolOutcome {
        let (permit, view) =
            self.work().unwrap_or_else(|| panic!("no tool is allowed: {:#?}", self.session.state().open));
        let store: Arc<dyn BlobSource> = self.store.clone();
        let never = CancellationToken::new();
        let outcome = self.shop.perform(&permit, &view, store, &self.heard, never).await;
        self.input(Input::ToolEnded { call: permit.call(), outcome: outcome.clone() });
        outcome
    }

    /// What the waiting command means is looked at, as the driver does before it can be answered.
    async fn look(&mut self) {
        for work in self.session.pending().into_values() {
            if let Work::Look { checkpoint, command, folder, confine } = work {
                let meant = self.shop.meant(&command, &folder, confine).await;
                self.input(Input::CommandResolved { checkpoint, meant });
            }
        }
    }

    fn answer(&mut self, of: impl Fn(&CheckpointKind) -> bool, answer: Answer) {
        let open = &self.session.state().open;
        let question = open.values().find(|c| of(&c.kind)).unwrap_or_else(|| panic!("not open: {open:#?}"));
        let (shown, checkpoint) = (question.kind.shown(), question.id);
        self.input(Input::Answer { checkpoint, answer, shown });
    }

    /// From a wish for a change to a task at work.
    fn task(&mut self, kind: &str) {
        self.input(Input::say("fix the bug in a.txt"));
        let plan = json!({"title": "Greet", "tasks": [{"title": "Greet", "kind": kind, "files": ["a.txt"]}]});
        self.reply(&[("submit_plan", plan)]);
        self.answer(|k| matches!(k, CheckpointKind::Confirmation(_)), Answer::Approve);
    }
}

#[tokio::test]
async fn a_question_reads_and_its_model_is_told() {
    let mut b = bench(&[("a.txt", "hello\n")]);
    b.input(Input::say("what does this file do?"));
    b.reply(&[
        ("read", json!({"path": "a.txt"})),
        ("search", json!({"pattern": "hel"})),
        ("list", json!({})),
    ]);
    assert_eq!(b.perform().await.text, "     1  hello");
    assert_eq!(b.perform().await.text, "a.txt:1: hello\n1 match in 1 file");
    assert_eq!(b.perform().await.text, "a.txt");
    assert!(b.thinking().is_some(), "the lane goes on");
    let done = b.log.iter().filter(|e| matches!(&e.event, Event::CallEnded { status: CallStatus::Done, .. }));
    assert_eq!(done.count(), 3);
}

#[tokio::test]
async fn a_question_gets_no_permit_to_change_or_run() {
    let mut b = bench(&[("a.txt", "hello\n")]);
    b.input(Input::say("what does this file do?"));
    b.reply(&[("edit", json!({"path": "a.txt", "edits": [{"old": "hello", "new": "bye"}]}))]);
    assert!(b.work().is_none());
    let mut b = bench(&[("a.txt", "hello\n")]);
    b.input(Input::say("what does this file do?"));
    b.reply(&[("run", json!({"command": "touch made"}))]);
    assert!(b.work().is_none());
    assert!(!b.root.join("made").exists());
}

#[tokio::test]
async fn an_approved_task_proposes_sees_its_own_proposals_and_writes_nothing() {
    let mut b = bench(&[("a.txt", "hello\nworld\n")]);
    b.task("modify");
    let edit = |old: &str, new: &str| json!({"path": "a.txt", "edits": [{"old": old, "new": new}]});
    b.reply(&[
        ("read", json!({"path": "a.txt"})),
        ("edit", edit("hello", "hello there")),
        ("edit", edit("world", "reader")),
        ("search", json!({"pattern": "there|reader"})),
        ("write", json!({"path": "b.txt", "content": "new\n"})),
        ("list", json!({})),
        ("edit", edit("world", "nobody")),
    ]);
    let mut texts = Vec::new();
    while b.work().is_some() {
        texts.push(b.perform().await.text);
    }
    assert_eq!(texts.len(), 7, "{texts:#?}");
    assert_eq!(texts[3], "a.txt:1: hello there\na.txt:2: reader\n2 matches in 1 file");
    assert_eq!(texts[5], "a.txt\nb.txt");
    assert!(texts[6].contains("does not occur"), "{}", texts[6]);
    assert_eq!(fs::read_to_string(b.root.join("a.txt")).unwrap(), "hello\nworld\n");
    assert!(!b.root.join("b.txt").exists());
    let open: Vec<_> = b.session.state().open_proposals().collect();
    assert_eq!(open.iter().map(|p| p.path.as_str()).collect::<Vec<_>>(), ["a.txt", "b.txt"]);
    let after = b.store.blob(open[0].after.unwrap()).unwrap();
    assert_eq!(after, b"hello there\nreader\n");
    assert_eq!(b.store.blob(open[0].before.unwrap()).unwrap(), b"hello\nworld\n");
}

#[tokio::test]
async fn a_permit_holds_the_one_call_that_was_allowed() {
    let mut b = bench(&[("a.txt", "hello\n"), ("b.txt", "secret\n")]);
    b.input(Input::say("what does this file do?"));
    b.reply(&[("read", json!({"path": "a.txt"})), ("read", json!({"path": "b.txt"}))]);
    let (permit, view) = b.work().unwrap();
    assert_eq!(permit.asked().to_value(), json!({"path": "a.txt"}));
    let never = CancellationToken::new();
    let got = b.shop.perform(&permit, &view, b.store.clone(), &b.heard, never).await;
    assert_eq!(got.text, "     1  hello");
    assert!(got.seen.iter().all(|(path, _)| path.as_str() == "a.txt"));
}

#[tokio::test]
async fn a_stopped_call_does_nothing() {
    let mut b = bench(&[("a.txt", "hello\n")]);
    b.input(Input::say("what does this file do?"));
    b.reply(&[("read", json!({"path": "a.txt"}))]);
    let (permit, view) = b.work().unwrap();
    let stopped = CancellationToken::new();
    stopped.cancel();
    let got = b.shop.perform(&permit, &view, b.store.clone(), &b.heard, stopped).await;
    assert!(got.failed && got.text.contains("stopped by the user"));
}

#[tokio::test]
async fn an_approved_command_runs_once_and_its_whole_output_is_stored() {
    let mut b = bench(&[("a.txt", "hello\n")]);
    b.input(Input::say("run the tests"));
    b.reply(&[("run", json!({"command": "cat a.txt; seq 1 5000; exit 3"}))]);
    assert!(b.work().is_none(), "it asks first");
    b.look().await;
    b.answer(|k| matches!(k, CheckpointKind::Risk(_)), Answer::Approve);
    let (permit, ..) = b.work().unwrap();
    assert_eq!(permit.tool(), Tool::Run);
    let got = b.perform().await;
    let exit = got.exit.unwrap();
    assert_eq!(exit.code, Some(3));
    assert!(b.heard.0.lock().unwrap().0.starts_with("hello\n1\n2\n"));
    assert_eq!(b.heard.0.lock().unwrap().1, exit.process);
    let stored = b.log.iter().find_map(|e| match &e.event {
        Event::CommandExited { output, .. } => *output,
        _ => None,
    });
    let whole = b.store.blob(stored.unwrap()).unwrap();
    assert!(whole.starts_with(b"hello\n1\n") && whole.ends_with(b"5000\n"));
    assert!(b.work().is_none(), "one approval is used once");
}

#[tokio::test]
async fn a_command_that_would_get_other_variables_than_it_was_allowed_with_is_asked_about_again() {
    let mut b = bench(&[("a.txt", "hello\n")]);
    b.input(Input::say("run the tests"));
    b.reply(&[("run", json!({"command": "cat a.txt; exit 3"}))]);
    b.look().await;
    b.answer(|k| matches!(k, CheckpointKind::Risk(_)), Answer::Approve);
    b.shop = b.shop.clone().giving(BlobId::of(b"another"), vec![("TOKEN".to_owned(), "1".to_owned())]);
    let got = b.perform().await;
    assert!(got.exit.is_none(), "nothing ran: {got:?}");
    let waits = |c: &CheckpointKind| matches!(c, CheckpointKind::Risk(c) if c.changed.contains("variables"));
    assert!(b.session.state().open.values().any(|c| waits(&c.kind)), "{:#?}", b.session.state().open);
}

#[tokio::test]
async fn a_yes_to_a_command_whose_files_are_too_much_to_look_at_begins_it_once() {
    let names = format!("include{}\n", " a".repeat(60_000));
    let mut b = bench(&[("a.txt", "hello\n"), ("Makefile", &names)]);
    b.input(Input::say("run the tests"));
    for command in ["make all", "make other"] {
        b.reply(&[("run", json!({"command": command}))]);
        assert!(b.work().is_none(), "it asks first: {command}");
        b.look().await;
        let told = |c: &CheckpointKind| {
            let meant = c.command().and_then(|c| c.meant.as_ref());
            meant.is_some_and(|meant| meant.places()[0].starts_with("not looked at"))
        };
        b.answer(told, Answer::Approve);
        let got = b.perform().await;
        assert!(got.exit.is_some() && got.changed.is_none(), "{command}: {}", got.text);
    }
}
