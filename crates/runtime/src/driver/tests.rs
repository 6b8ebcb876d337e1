//! The stories of the driver, with a real disk, real tools and a scripted model.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#[allow(clippy::wildcard_enum_match_arm, clippy::print_stdout)]
mod races;

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Mutex};

use pilothouse_core::{
    checkpoint::CheckpointKind,
    event::{CallStatus, Event},
    ids::Seq,
    intent::{Mode, Phase},
    port::Ask,
    proposal::Decision,
    scope::PermissionMode,
    session::{Session, State},
    talk::DeltaKind,
};
use serde_json::json;

use super::*;

mod back;
mod drafts;
mod elsewhere;
mod given;
mod left;
mod lent;
#[allow(clippy::wildcard_enum_match_arm)]
mod outside;
#[allow(clippy::wildcard_enum_match_arm, clippy::print_stdout)]
mod plans;
mod reviews;
mod second;
mod set;
mod tiers;
use crate::{
    disk::{
        Disk, RealDisk, Snapshot, Spot,
        fault::{Failing, FaultyDisk},
    },
    rig::{Rig, alone, plan_and_edit, rests},
    sessions,
};

/// What a screen does: it folds what comes.
struct Screen {
    requests: mpsc::Sender<Request>,
    updates: mpsc::Receiver<Update>,
    driver: tokio::task::JoinHandle<Result<ShutdownReport, RuntimeError>>,
    session: Session,
    events: Vec<Stamped>,
    deltas: Vec<(DeltaKind, u64, String)>,
    /// What it was told, refused or not.
    refused: Vec<String>,
    /// How much of that refused nothing.
    notices: usize,
    answers: BTreeMap<u64, Reply>,
    around: Surroundings,
    draft: Option<String>,
}

impl Rig {
    async fn open(&self, which: Which) -> Screen {
        Screen::open(self.setup(which), 1024).await
    }
}

impl Screen {
    async fn open(setup: Setup, capacity: usize) -> Self {
        let (requests, incoming) = mpsc::channel(64);
        let (outgoing, updates) = mpsc::channel(capacity);
        let driver = tokio::spawn(drive(setup, incoming, outgoing));
        let mut screen = Self {
            requests,
            updates,
            driver,
            session: Session::new(),
            events: Vec::new(),
            deltas: Vec::new(),
            refused: Vec::new(),
            notices: 0,
            answers: BTreeMap::new(),
            around: Surroundings::default(),
            draft: None,
        };
        if capacity > 1 {
            screen.until("opening", |s| s.session.state().seq.0 > 0).await;
        }
        screen
    }

    fn take(&mut self, update: Update) {
        match update {
            Update::Opened(session, tail) => {
                self.session = *session;
                self.events = tail;
            }
            Update::Events(events) => {
                for event in &events {
                    assert_eq!(event.seq.0, self.session.state().seq.0 + 1, "a gap");
                    self.session.apply(event);
                }
                self.events.extend(events);
            }
            Update::Delta(d) => self.deltas.push((d.kind, d.offset, d.text)),
            Update::Answered(n, reply) => drop(self.answers.insert(n, reply)),
            Update::Refused(text) | Update::Misused(text) => self.refused.push(text),
            Update::Notice(text) | Update::Page { text, .. } => {
                self.notices += 1;
                self.refused.push(text);
            }
            Update::Surroundings(around) => self.around = *around,
            Update::Draft(text) => self.draft = Some(text),
            Update::Rules(_) | Update::Closed(_) => {}
        }
    }

    async fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            let next = tokio::time::timeout(Duration::from_secs(20), self.updates.recv()).await;
            match next {
                Ok(Some(update)) => self.take(update),
                Ok(None) => panic!("closed before {what}"),
                Err(late) => panic!("no {what}, {late}: {:?} {:#?}", self.state().phase, self.events.last()),
            }
        }
    }

    fn state(&self) -> &State {
        self.session.state()
    }

    async fn send(&self, input: Input) {
        self.requests.send(Request::Input(input)).await.unwrap();
    }

    async fn say(&self, text: &str) {
        self.send(Input::say(text)).await;
    }

    async fn idle(&mut self) {
        self.until("rest", |s| {
            s.state().lanes.is_empty() && s.state().phase == Phase::Idle && !s.state().busy()
        })
        .await;
    }

    async fn has(&mut self, name: &str) {
        self.until(name, |s| s.count(name) > 0).await;
    }

    fn count(&self, name: &str) -> usize {
        let is = |e: &&Stamped| serde_json::to_value(e).unwrap()["type"] == name;
        self.events.iter().filter(is).count()
    }

    async fn quit(self) -> ShutdownReport {
        self.requests.send(Request::Quit).await.unwrap();
        self.driver.await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn a_question_reads_answers_and_is_there_again_after_reopening() {
    let rig = Rig::new(&json!([
        {"text": "looking", "calls": [{"name": "read", "args": {"path": "src/a.txt"}}]},
        {"text": "It holds three numbers.", "pieces": 3}
    ]));
    let mut s = rig.open(Which::New).await;
    s.say("what is in src/a.txt?").await;
    s.until("two replies", |s| s.count("message_completed") == 2).await;
    s.idle().await;
    assert!(s.deltas.iter().any(|d| d.0 == DeltaKind::Text));
    let slug = s.state().slug.clone();
    let (events, state) = (s.events.clone(), s.state().clone());
    let shutdown = s.quit().await;
    assert!(shutdown.saved && shutdown.kept && shutdown.slug == slug);

    let mut s = rig.open(Which::Last).await;
    assert_eq!(s.state().history, state.history);
    assert_eq!(s.events[..events.len()], events[..]);
    assert_eq!(s.count("session_reopened"), 1);
    assert!(s.session.pending().is_empty());
    s.requests.send(Request::Ask(7, Ask::History { before: Seq(3), count: 10 })).await.unwrap();
    s.until("a page", |s| s.answers.contains_key(&7)).await;
    assert!(matches!(&s.answers[&7], Reply::History(page) if page.len() == 2));
    s.requests.send(Request::Ask(8, Ask::Files { like: String::new(), count: 10 })).await.unwrap();
    s.until("names", |s| s.answers.contains_key(&8)).await;
    assert!(matches!(&s.answers[&8], Reply::Files(f) if f.iter().any(|p| p.as_str() == "src/a.txt")));
    s.quit().await;
}

#[tokio::test]
async fn an_answer_names_no_place_that_is_not_there_without_a_mark() {
    let rig = Rig::new(&json!([
        {"text": "It is in src/a.txt:2.\n\nSee src/a.txt:99 and src/none.txt:1.", "pieces": 3},
        {"text": "In src/a.txt:1."}
    ]));
    let mut s = rig.open(Which::New).await;
    s.say("where is two in src/a.txt?").await;
    s.until("a reply", |s| s.count("message_completed") == 1).await;
    assert!(s.deltas.iter().any(|d| d.0 == DeltaKind::Text), "it is read while it comes");
    let marks = |s: &Screen| -> Vec<(usize, String)> {
        let of = |e: &Stamped| {
            if let Event::AnswerChecked { marks, .. } = &e.event { Some(marks.clone()) } else { None }
        };
        let marks = s.events.iter().filter_map(of);
        marks.flatten().map(|m| (m.line, m.why)).collect()
    };
    assert_eq!(
        marks(&s),
        [(3, "src/a.txt has 3 lines".to_owned()), (3, "there is no src/none.txt".to_owned())]
    );
    s.idle().await;
    s.say("where is one in src/a.txt?").await;
    s.until("another", |s| s.count("message_completed") == 2).await;
    assert_eq!(s.count("answer_checked"), 1, "where all is there, nothing is told of it");
    s.quit().await;
}

#[tokio::test]
async fn an_approved_change_is_written_taken_back_and_put_back() {
    let rig = Rig::new(&plan_and_edit());
    let mut s = rig.open(Which::New).await;
    s.say("change two to 2 in src/a.txt").await;
    s.until("a plan", |s| s.state().phase == Phase::AwaitingApproval).await;
    s.say("y").await;
    s.until("a diff", |s| s.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Diff(_)))).await;
    assert_eq!(rig.text(), "one\ntwo\nthree\n");
    let p = s.state().open_proposals().next().unwrap();
    let (id, shown) = (p.id, p.shown());
    s.send(Input::Decide { proposal: id, hunk: 0, decision: Some(Decision::Taken), shown }).await;
    s.send(Input::Apply { proposals: vec![(id, shown)], word: None, rest: false }).await;
    s.has("applied").await;
    s.has("run_completed").await;
    assert_eq!(rig.text(), "one\n2\nthree\n");
    s.send(Input::Undo).await;
    s.has("reverted").await;
    assert_eq!(rig.text(), "one\ntwo\nthree\n");
    s.send(Input::Redo).await;
    s.until("redone", |s| s.count("reverted") == 2).await;
    assert_eq!(rig.text(), "one\n2\nthree\n");
    // Somebody else's edit is not trampled.
    fs::write(rig.work().join("src/a.txt"), "mine\n").unwrap();
    s.send(Input::Undo).await;
    s.has("revert_failed").await;
    assert_eq!(rig.text(), "mine\n");
    let slug = s.quit().await.slug;
    let place = sessions::find(&rig.home(), &rig.work(), &slug).unwrap();
    assert!(sessions::verify(&place).unwrap().sound());
    assert_eq!(sessions::summary(&place).unwrap().applied, 1);
    assert!(place.folder.join("data/run.json").exists());
}

#[tokio::test]
async fn what_a_stopped_model_had_said_is_kept_and_marked() {
    let rig = Rig::new(
        &json!([{"text": "It begins well", "pieces": 2, "wait_for_cancel": true}, {"text": "again"}]),
    );
    let mut s = rig.open(Which::New).await;
    s.say("what is in src?").await;
    s.until("text", |s| s.deltas.iter().any(|d| d.0 == DeltaKind::Text)).await;
    s.send(Input::Cancel).await;
    s.has("message_completed").await;
    let cut = |e: &Stamped| matches!(&e.event, Event::MessageCompleted { cut: true, .. });
    assert!(s.events.iter().any(cut));
    s.say("what is in src?").await;
    s.until("another", |s| s.count("message_completed") == 2).await;
    s.quit().await;
}

#[tokio::test]
async fn a_screen_that_lags_is_caught_up_without_a_gap() {
    let rig = Rig::new(&json!(
        (0..30).map(|n| json!({"text": format!("answer {n}"), "pieces": 5})).collect::<Vec<_>>()
    ));
    let mut s = Screen::open(rig.setup(Which::New), 1).await;
    for n in 0..30 {
        s.say(&format!("what is number {n} here?")).await;
    }
    // Nothing is read until the driver has nothing left to do: it never waits for the screen.
    let place = loop {
        tokio::task::yield_now().await;
        let Some(place) = sessions::all(&rig.home()).into_iter().next() else { continue };
        let mut done = 0;
        sessions::events(&place, |e| done += usize::from(matches!(e.event, Event::MessageCompleted { .. })))
            .unwrap();
        if done == 30 {
            break place;
        }
    };
    s.until("everything", |s| s.count("message_completed") == 30).await;
    let mut all = Vec::new();
    s.idle().await;
    s.quit().await;
    sessions::events(&place, |e| all.push(e)).unwrap();
    assert!(all.len() > 120);
}

#[tokio::test]
async fn a_full_disk_is_told_and_nothing_is_lost() {
    let rig = Rig::new(&json!([{"text": "here"}, {"text": "there"}]));
    let disk = FaultyDisk::new(3, Failing::Short(28));
    let mut s = Screen::open(Setup { disk: Arc::new(disk), ..rig.setup(Which::New) }, 64).await;
    s.say("what is in src?").await;
    s.until("a complaint", |s| !s.refused.is_empty()).await;
    assert!(s.refused[0].contains("the disk is full"), "{:?}", s.refused);
    assert_eq!(s.count("turn_started"), 0);
    s.say("what is in src/a.txt?").await;
    s.until("both", |s| s.count("message_completed") == 2).await;
    assert_eq!(s.count("turn_started"), 2);
    assert!(s.quit().await.saved);
}

#[tokio::test]
async fn a_second_process_can_read_and_change_nothing() {
    let rig = Rig::new(&json!([{"text": "here"}]));
    let mut first = rig.open(Which::New).await;
    first.say("what is in src?").await;
    first.has("message_completed").await;
    first.idle().await;
    let slug = first.state().slug.clone();
    let mut second = rig.open(Which::Named(slug)).await;
    second.until("a word", |s| !s.refused.is_empty() && s.around.read_only).await;
    second.say("what is in src?").await;
    second.until("a refusal", |s| s.refused.iter().any(|r| r.contains("only be read"))).await;
    assert_eq!(second.state().history, first.state().history);
    second.quit().await;
    first.quit().await;
}

/// A disk on which a file of the workspace is looked at by this.
struct ReadBy<F>(F);

impl<F: Fn(&Spot) -> std::io::Result<Option<Snapshot>> + Send + Sync> Disk for ReadBy<F> {
    fn read(&self, at: &Spot) -> std::io::Result<Option<Snapshot>> {
        (self.0)(at)
    }
    fn create(&self, at: &Spot, mode: u32) -> std::io::Result<fs::File> {
        RealDisk.create(at, mode)
    }
    fn write(&self, file: &mut fs::File, bytes: &[u8]) -> std::io::Result<()> {
        RealDisk.write(file, bytes)
    }
    fn sync(&self, file: &fs::File) -> std::io::Result<()> {
        RealDisk.sync(file)
    }
    fn link(&self, from: &Spot, to: &Spot) -> std::io::Result<()> {
        RealDisk.link(from, to)
    }
    fn rename(&self, from: &Spot, to: &Spot) -> std::io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn unlink(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.unlink(at)
    }
    fn mkdir(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.mkdir(at)
    }
    fn rmdir(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.rmdir(at)
    }
    fn sync_dir(&self, at: &Spot) -> std::io::Result<()> {
        RealDisk.sync_dir(at)
    }
    fn copy_metadata(&self, from: &Spot, to: &fs::File) {
        RealDisk.copy_metadata(from, to);
    }
}

#[tokio::test]
async fn a_panic_in_a_run_is_a_failure_and_not_the_end() {
    let rig = Rig::new(&plan_and_edit());
    let looked = Arc::new(Mutex::new(false));
    let looks = Arc::clone(&looked);
    let disk = ReadBy(move |_: &Spot| {
        *looks.lock().unwrap() = true;
        panic!("a defect of ours")
    });
    let mut s = Screen::open(Setup { disk: Arc::new(disk), ..rig.setup(Which::New) }, 512).await;
    s.say("change two to 2 in src/a.txt").await;
    s.until("a plan", |s| s.state().phase == Phase::AwaitingApproval).await;
    s.say("y").await;
    s.until("a diff", |s| s.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Diff(_)))).await;
    let p = s.state().open_proposals().next().unwrap();
    s.send(Input::Apply { proposals: vec![(p.id, p.shown())], word: None, rest: false }).await;
    s.has("apply_failed").await;
    assert!(*looked.lock().unwrap());
    assert_eq!(rig.text(), "one\ntwo\nthree\n");
    s.say("what is in src?").await;
    s.until("an answer", |s| {
        s.events
            .iter()
            .any(|e| matches!(&e.event, Event::TurnStarted { text, .. } if text.head == "what is in src?"))
    })
    .await;
    s.quit().await;
}

#[tokio::test]
async fn a_question_cannot_write() {
    let rig = Rig::new(&json!([
        {"text": "", "calls": [{"name": "write", "args": {"path": "src/new.txt", "content": "x"}}]},
        {"text": "I may not."}
    ]));
    let mut s = rig.open(Which::New).await;
    s.send(Input::SetPermission(PermissionMode::ReadOnly)).await;
    s.say("what is in src?").await;
    s.has("call_ended").await;
    assert!(
        s.events.iter().any(|e| matches!(&e.event, Event::CallEnded { status: CallStatus::Refused, .. }))
    );
    s.idle().await;
    s.quit().await;
    assert!(!rig.work().join("src/new.txt").exists());
}

#[tokio::test]
async fn a_session_in_which_nothing_was_said_leaves_nothing() {
    let rig = Rig::new(&json!([]));
    assert!(!rig.open(Which::New).await.quit().await.kept);
    assert!(sessions::all(&rig.home()).is_empty());
}

#[tokio::test]
async fn what_cannot_be_opened_is_an_error_with_a_hint() {
    let rig = Rig::new(&json!([]));
    for setup in [
        Setup { workspace: rig.path().join("nowhere"), ..rig.setup(Which::New) },
        Setup { workspace: rig.path().join("script.json"), ..rig.setup(Which::New) },
        rig.setup(Which::Last),
        rig.setup(Which::Named("20260101".into())),
    ] {
        let (_requests, incoming) = mpsc::channel(1);
        let (outgoing, _updates) = mpsc::channel(1);
        let error = drive(setup, incoming, outgoing).await.unwrap_err();
        assert!(error.is_usage() && !error.hint().is_empty(), "{error}");
    }
}

#[tokio::test]
async fn the_fixed_part_of_a_request_is_small() {
    for purpose in [
        pilothouse_core::talk::Purpose::Answer,
        pilothouse_core::talk::Purpose::Plan,
        pilothouse_core::talk::Purpose::Task,
    ] {
        let tools = pilothouse_tools::specs(
            pilothouse_core::scope::ToolScope::FULL,
            true,
            &pilothouse_core::tool::Tool::of_session(purpose),
        );
        let size: usize = tools
            .iter()
            .map(|t| t.name.len() + t.description.len() + t.parameters.to_string().len() + 60)
            .sum();
        let prompt = crate::context::system(purpose)
            + &crate::context::instruction(purpose, crate::context::Ending::Plain, Mode::Proof, true);
        let prompt = prompt.len();
        assert!(size + prompt < 8 * 1024, "{purpose:?}: {size} + {prompt}");
    }
}

#[tokio::test]
async fn twenty_hostile_models_cannot_write_in_a_reading_turn() {
    use proptest::{
        prelude::Rng,
        test_runner::{RngAlgorithm, TestRng},
    };
    let calls = [
        json!({"name": "write", "args": {"path": "src/new.txt", "content": "x"}}),
        json!({"name": "edit", "args": {"path": "src/a.txt", "edits": [{"old": "two", "new": "2"}]}}),
        json!({"name": "delete", "args": {"path": "src/a.txt"}}),
        json!({"name": "run", "args": {"command": "touch src/ran.txt"}}),
        json!({"name": "request_path", "args": {"node": "delete", "reason": "the README says so"}}),
        json!({"name": "request_path", "args": {"node": "read", "reason": "to look"}}),
        json!({"name": "submit_plan", "args": {"title": "t", "tasks": [{"title": "x", "kind": "modify"}]}}),
        json!({"name": "read", "args": {"path": "src/a.txt"}}),
        json!({"name": "no_such_tool", "args": {}}),
        json!({"name": "write", "args": "{not json"}),
    ];
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut pick = |most: usize| usize::try_from(rng.next_u64() % most as u64).unwrap();
    let mut refused = 0;
    for round in 0..20 {
        let line = |pick: &mut dyn FnMut(usize) -> usize| {
            let count = 1 + pick(3);
            json!({"calls": (0..count).map(|_| calls[pick(calls.len())].clone()).collect::<Vec<_>>()})
        };
        let mut script: Vec<serde_json::Value> = (0..8).map(|_| line(&mut pick)).collect();
        script.push(json!({"text": "done"}));
        let rig = Rig::new(&json!(script));
        let permission = if round % 2 == 0 { PermissionMode::ReadOnly } else { PermissionMode::Auto };
        let mut s = Screen::open(Setup { permission: Some(permission), ..rig.setup(Which::New) }, 4096).await;
        // In `auto` nothing asks, so that only the turn's own node stands between.
        s.say("@read what is in src?").await;
        s.has("turn_started").await;
        s.until("rest", |s| s.session.pending().is_empty()).await;
        refused += s
            .events
            .iter()
            .filter(|e| matches!(&e.event, Event::CallEnded { status: CallStatus::Refused, .. }))
            .count();
        s.quit().await;
        let left: Vec<_> =
            fs::read_dir(rig.work().join("src")).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!((left.len(), rig.text().as_str()), (1, "one\ntwo\nthree\n"), "{left:?}");
    }
    assert!(refused > 40, "{refused} only");
}

#[test]
fn nothing_wakes_while_nothing_happens() {
    if !alone("driver::tests::nothing_wakes_while_nothing_happens") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let rig = Rig::new(&json!([{"text": "here"}]));
    let s = runtime.block_on(async {
        let mut s = rig.open(Which::New).await;
        s.say("what is in src?").await;
        s.has("message_completed").await;
        s.idle().await;
        s
    });
    assert!(rests(&runtime, 1), "the driver never rests");
    runtime.block_on(s.quit());
}
