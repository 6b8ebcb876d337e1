//! A session on the real runtime: its driver, disk and processes, with a scripted model; what it tells as lines.

use std::time::Duration;

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Stamped},
    input::Input,
    port::{Request, Update},
    session::{Session, State},
    trust::Trust,
};
use pilothouse_runtime::{Environment, Home, Setup, Which, drive};
use serde_json::Value;
use tokio::{runtime::Runtime, sync::mpsc};

use crate::support::{Desk, PROGRAM};

/// A stage with one session on it.
pub struct Stage {
    pub desk: Desk,
    runtime: Runtime,
    requests: mpsc::Sender<Request>,
    updates: mpsc::Receiver<Update>,
    session: Session,
    pub events: Vec<Stamped>,
    /// What models said so far, as it came.
    pub heard: String,
    told: usize,
}

impl Stage {
    /// A session in an empty, trusted folder with these files, whose model says these lines.
    pub fn new(files: &[(&str, &str)], script: &Value) -> Self {
        Self::having(files, &[], script)
    }

    /// The same with files of the user's own.
    pub fn having(files: &[(&str, &str)], own: &[(&str, &str)], script: &Value) -> Self {
        Self::asking(files, own, |desk| {
            let path = desk.home.path().join("script.json");
            std::fs::write(&path, script.to_string()).unwrap();
            vec![("PILOTHOUSE_MODEL".to_owned(), format!("script:{}", path.display()))]
        })
    }

    /// The same with a model behind an address, which sees what it is asked.
    pub fn served(files: &[(&str, &str)], own: &[(&str, &str)], base: &str) -> Self {
        let variable = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self::asking(files, own, |_| {
            [("PILOTHOUSE_BASE_URL", base), ("PILOTHOUSE_MODEL", "loopback")].map(variable).to_vec()
        })
    }

    fn asking(
        files: &[(&str, &str)],
        own: &[(&str, &str)],
        model: impl Fn(&Desk) -> Vec<(String, String)>,
    ) -> Self {
        let desk = Desk::empty().one_by_one();
        for (name, text) in own {
            let path = desk.home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for (name, text) in files {
            std::fs::write(desk.path().join(name), text).unwrap();
        }
        let path = ("PATH".to_owned(), std::env::var("PATH").unwrap());
        let environment: Environment = model(&desk).into_iter().chain([path]).collect();
        let home = Home::under(desk.home.path());
        let setup = Setup {
            which: Which::New,
            helper: Some(PROGRAM.into()),
            trust: Trust::Once,
            asks: true,
            ..Setup::new(home, desk.path(), environment)
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let (requests, incoming) = mpsc::channel(64);
        let (outgoing, updates) = mpsc::channel(1024);
        runtime.spawn(async move { drive(setup, incoming, outgoing).await.map(drop) });
        let session = Session::new();
        let mut stage = Self {
            desk,
            runtime,
            requests,
            updates,
            session,
            events: Vec::new(),
            heard: String::new(),
            told: 0,
        };
        stage.until("opening", |s| s.state().seq.0 > 0);
        stage.lines();
        stage
    }

    pub fn state(&self) -> &State {
        self.session.state()
    }

    /// Takes what comes until this holds.
    #[track_caller]
    pub fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            let patience = Duration::from_secs(40);
            let next =
                self.runtime.block_on(async { tokio::time::timeout(patience, self.updates.recv()).await });
            match next {
                Ok(Some(Update::Opened(session, tail))) => (self.session, self.events) = (*session, tail),
                Ok(Some(Update::Events(events))) => {
                    for event in &events {
                        self.session.apply(event);
                    }
                    self.events.extend(events);
                }
                Ok(Some(Update::Delta(delta))) => self.heard.push_str(&delta.text),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => panic!("no {what}; so far:\n{}", self.lines().join("\n")),
            }
        }
    }

    pub fn send(&self, input: Input) {
        self.runtime.block_on(self.requests.send(Request::Input(input))).unwrap();
    }

    /// Says a line once all that there is was seen.
    #[track_caller]
    pub fn say(&mut self, line: &str) {
        let seen = self.state().seq;
        self.send(Input::Say { text: line.to_owned(), seen });
        self.until("what follows from a line", |s| s.state().seq > seen);
    }

    /// Waits for a question of this kind.
    #[track_caller]
    pub fn asked(&mut self, kind: &'static str) -> &CheckpointKind {
        let is = move |k: &CheckpointKind| name_of(k) == kind;
        self.until(kind, |s| s.state().open.values().any(|c| is(&c.kind)));
        let found = self.state().open.values().find(|c| is(&c.kind));
        &found.unwrap().kind
    }

    /// Answers the open question of this kind.
    #[track_caller]
    pub fn answer(&mut self, kind: &'static str, answer: Answer) {
        self.asked(kind);
        // A command is answered once it is known what it would run.
        self.until("what a command means", |s| {
            s.state().open.values().all(|c| c.kind.command().is_none_or(|c| c.meant.is_some()))
        });
        let question = self.state().open.values().find(|c| name_of(&c.kind) == kind).unwrap();
        let (checkpoint, shown) = (question.id, question.kind.shown());
        self.send(Input::Answer { checkpoint, answer, shown });
        self.until("the answer", |s| !s.state().open.contains_key(&checkpoint));
    }

    /// Approves every change that waits, with a word where one is wanted, and waits for the bytes.
    #[track_caller]
    pub fn apply(&mut self, word: Option<&str>) {
        self.asked("diff");
        let before = self.count("applied");
        let proposals = self.state().open_proposals().map(|p| (p.id, p.shown())).collect();
        self.send(Input::Apply { proposals, word: word.map(str::to_owned), rest: false });
        self.until("the write", |s| s.count("applied") > before);
    }

    /// Waits until nothing runs, waits or is being said.
    #[track_caller]
    pub fn rest(&mut self) {
        self.until("rest", |s| s.session.pending().is_empty() && s.state().lanes.is_empty());
    }

    pub fn count(&self, kind: &str) -> usize {
        self.events.iter().filter(|e| value(e)["type"] == kind).count()
    }

    /// What was told since this was asked last.
    pub fn lines(&mut self) -> Vec<String> {
        let from = std::mem::replace(&mut self.told, self.events.len());
        self.events[from..].iter().filter_map(line).collect()
    }

    /// Fails unless exactly this was told since the last time.
    #[track_caller]
    pub fn tells(&mut self, wanted: &str) {
        let got = self.lines();
        assert_eq!(got.join(" · "), wanted);
    }

    /// The same where one line comes when it likes: it is waited for, and its place is no matter.
    #[track_caller]
    pub fn tells_beside(&mut self, late: &str, wanted: &str) {
        let since = self.told;
        self.until(late, |s| s.events[since..].iter().filter_map(line).any(|told| told == late));
        let mut got = self.lines();
        got.retain(|told| told != late);
        assert_eq!(got.join(" · "), wanted);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(self.requests.try_send(Request::Quit));
    }
}

fn value(event: &Stamped) -> Value {
    serde_json::to_value(event).unwrap()
}

fn name_of(kind: &CheckpointKind) -> String {
    serde_json::to_value(kind).unwrap()["kind"].as_str().unwrap().to_owned()
}

/// An event in a line: its kind and what matters of it; nothing for the inner steps of a call.
fn line(e: &Stamped) -> Option<String> {
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let v = value(e);
    let of = |key: &str| text(&v[key]);
    Some(match &e.event {
        Event::TurnStarted { text, .. } => format!("> {}", text.head),
        Event::IntentClassified { path, .. } => format!("intent {}", path.current()),
        Event::NodeTransition { .. } => format!("node {} > {}", of("from"), of("to")),
        Event::PhaseChanged { .. } => format!("phase {} > {}", of("from"), of("to")),
        Event::MessageCompleted { text, calls, .. } if calls.is_empty() && !text.head.is_empty() => {
            format!("said {}", text.head)
        }
        Event::PlanReady { plan } => {
            let done = plan.done();
            let done = if done > 0 { format!(", {done} done") } else { String::new() };
            format!("plan v{}: {} tasks, {} gates{done}", plan.version, plan.tasks.len(), plan.gates.len())
        }
        Event::CheckpointOpened { checkpoint } => format!("ask {}", name_of(&checkpoint.kind)),
        Event::CheckpointResolved { answer: Some(_), .. } => format!("answer {}", of("answer")),
        Event::CheckpointResolved { answer: None, .. } => "question closed".to_owned(),
        Event::RunCompleted { summary, .. } => format!("run {}: {summary}", of("status")),
        Event::TaskStarted { task, .. } => format!("task {} starts", task.0),
        Event::TaskCompleted { task, .. } => format!("task {} done", task.0),
        Event::TaskCancelled { task, .. } => format!("task {} cancelled", task.0),
        Event::TaskAdded { .. } => "task added".to_owned(),
        Event::Proposed { proposal, .. } => {
            format!("proposes {} {}", text(&serde_json::to_value(proposal.kind).unwrap()), proposal.path)
        }
        Event::Applied { .. } => "wrote".to_owned(),
        Event::GateFailed { .. } => {
            format!("gate red: {}", text(&v["proof"]["diagnostics"]).lines().next().unwrap_or_default())
        }
        Event::RepairStarted { .. } => "repair".to_owned(),
        Event::CommandProposed { .. } => format!("$ {}", of("command")),
        Event::CommandEdited { .. } => "command edited".to_owned(),
        Event::CommandExited { exit, .. } => format!("exit {}", exit.code.unwrap_or(-1)),
        Event::QueueChanged { plan_new, more, later, .. } => {
            format!("queued {}", usize::from(plan_new.is_some()) + more.len() + later.len())
        }
        Event::RunStarted { .. }
        | Event::GateStarted { .. }
        | Event::GatePassed { .. }
        | Event::GateWentStale { .. }
        | Event::GateReset { .. }
        | Event::PlanShelved { .. }
        | Event::TurnTold { .. }
        | Event::TurnDirected { .. }
        | Event::TurnContinues { .. }
        | Event::TurnAskedAgain { .. }
        | Event::FactRecorded { .. }
        | Event::TaskSkipped { .. }
        | Event::TaskFailed { .. } => v["type"].as_str().unwrap().replace('_', " "),
        _ => return None,
    })
}
