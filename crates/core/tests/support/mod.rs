//! A session at the bench: inputs in, events out, replay checked after every step.
#![allow(
    dead_code,
    missing_docs,
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::sync::Arc;

use pilothouse_core::{
    blob::{Blob, BlobId},
    checkpoint::{Answer, CheckpointKind},
    diff,
    event::{Event, FileChange, Stamped},
    hook::{Hook, HookMode, HookOutcome, HookStatus, Occasion, Origin, When},
    ids::{ApplyId, CallId, CheckpointId, Millis, TurnId},
    input::{Input, Opening, Refusal, TiersAnswered},
    intent::{Classifier, IntentNode, Thresholds, TierAnswer},
    pipeline::{Agents, Depth, PipelineAgent},
    question::Clarification,
    relpath::RelPath,
    resolved::{ResolvedCommand, Thing},
    sandbox::{Backend, Sandbox},
    session::{NEEDLESS, Session, Step, Tiers},
    talk::{ModelCall, ModelReply},
    tool::{ChangeKind, Exit, ProposalDraft, Tool, ToolOutcome},
    trust::{Part, PartChange, Standing, Trust, TrustRequest},
    work::{Effect, Work},
};

pub struct Bench {
    pub session: Session,
    pub log: Vec<Stamped>,
    pub clock: u64,
}

pub fn opening() -> Opening {
    Opening {
        slug: "s".into(),
        folder: "demo".into(),
        version: "0".into(),
        mode: None,
        permission: None,
        sandbox: held(),
        standing: Standing::default(),
        found: Vec::new(),
    }
}

/// What a command means here; `of` stands for what its program is.
pub fn meant(of: &str) -> ResolvedCommand {
    let thing =
        |path: &str, of: &str| Thing { name: "x".into(), path: path.into(), of: BlobId::of(of.as_bytes()) };
    let (runs, environment) = (vec![thing("/bin/x", of)], BlobId::of(b""));
    ResolvedCommand { folder: thing("/w", ""), runs, environment, unlost: None }
}

/// A sandbox as most machines have one.
pub fn held() -> Sandbox {
    Sandbox { backend: Some(Backend::Landlock), ..Sandbox::default() }
}

const STAGES: &str = r#"{
  "stages": [
    {"name": "analyze_query", "kind": "llm", "gives": "analysis"},
    {"name": "websearch_calibration", "kind": "llm", "gives": "calibration", "web": true},
    {"name": "retrieve", "kind": "tool-fanout", "tool": "search"},
    {"name": "synthesize", "kind": "llm", "gives": "draft"},
    {"name": "verify", "kind": "verify"},
    {"name": "output", "kind": "render"}
  ],
  "pause_after_stages": [0, 1],
  "repair_unit": ["synthesize", "verify"]
}"#;

/// An agent with stages.
pub fn agents(depth: Depth) -> Arc<Agents> {
    let agent = PipelineAgent::read("research", STAGES, "---\nname: Research\n---\nBe exact.", |file| {
        (!file.contains("verify")).then(|| format!("do {file}"))
    });
    Arc::new(Agents { all: vec![agent.unwrap()], depth: Some(depth), ..Agents::default() })
}

impl Bench {
    pub fn new() -> Self {
        Self::opened(opening())
    }

    pub fn opened(opening: Opening) -> Self {
        let mut bench = Self { session: Session::new(), log: Vec::new(), clock: 0 };
        bench.session.set_agents(agents(Depth::Standard));
        bench.input(Input::Open(opening)).unwrap();
        bench
    }

    /// A session whose model can be asked.
    pub fn asking() -> Self {
        Self::doubting(&[])
    }

    /// A session whose rules are never sure of turns of these names, and whose model is asked then.
    pub fn doubting(turns: &[&str]) -> Self {
        let own = turns.iter().map(|t| ((*t).to_owned(), 1.0)).collect();
        let classifier = Classifier::configured(None, Thresholds { own, ..Thresholds::default() });
        let tiers = Tiers { classifier, vectors: false, model: true, names: true };
        let mut bench = Self { session: Session::with(tiers), log: Vec::new(), clock: 0 };
        bench.session.set_agents(agents(Depth::Standard));
        bench.input(Input::Open(opening())).unwrap();
        bench
    }

    /// The message that waits to be understood, and whether a tier is asked.
    pub fn unheard(&self) -> (TurnId, bool) {
        self.session
            .pending()
            .values()
            .find_map(|w| match w {
                Work::Classify { turn, vectors, model, .. } => Some((*turn, *vectors || *model)),
                _ => None,
            })
            .unwrap_or_else(|| panic!("nothing waits: {:#?}", self.session.pending()))
    }

    /// What the runtime brings back for the message that waits.
    pub fn understand(&mut self, text: &str, opinion: Option<TierAnswer>) -> Step {
        let (turn, asked) = self.unheard();
        let faults = if asked && opinion.is_none() { vec!["no answer".to_owned()] } else { Vec::new() };
        let said = TiersAnswered { text: text.into(), opinion, faults, ..TiersAnswered::default() };
        self.input(Input::TiersAnswered { turn, said: Box::new(said) }).unwrap()
    }

    pub fn input(&mut self, input: Input) -> Result<Step, Refusal> {
        self.clock += 1;
        let before = self.session.clone();
        let result = self.session.step(Millis(self.clock), input);
        match &result {
            Err(_) => assert!(before == self.session, "a refusal must change nothing"),
            Ok(step) => {
                let mut folded = before;
                step.events.iter().for_each(|e| folded.apply(e));
                assert!(folded == self.session, "folding the events must give the live state");
                self.log.extend(step.events.iter().cloned());
                self.look(step);
            }
        }
        result
    }

    /// Looks what the commands mean that wait now, as the runtime does.
    fn look(&mut self, step: &Step) {
        for effect in &step.effects {
            if let Effect::Start(Work::Look { checkpoint, .. }) = effect {
                self.input(Input::CommandResolved { checkpoint: *checkpoint, meant: meant("1") }).unwrap();
            }
        }
    }

    pub fn say(&mut self, text: &str) -> Step {
        self.input(Input::say(text)).unwrap()
    }

    /// The open model call.
    pub fn thinking(&self) -> CallId {
        self.session
            .pending()
            .values()
            .find_map(|w| match w {
                Work::Think { call, .. } => Some(*call),
                _ => None,
            })
            .unwrap_or_else(|| panic!("nothing thinks: {:#?}", self.session.pending()))
    }

    pub fn tool(&self) -> (CallId, Tool) {
        self.session
            .pending()
            .values()
            .find_map(|w| match w {
                Work::Tool { permit, .. } => Some((permit.call(), permit.tool())),
                _ => None,
            })
            .unwrap_or_else(|| panic!("no tool runs: {:#?}", self.session.state().open))
    }

    /// The model's reply. A step that it ends without having done anything it says needs nothing, once it is asked.
    pub fn reply(&mut self, text: &str, calls: &[(&str, serde_json::Value)]) -> Step {
        let call = self.thinking();
        let step = self.reply_to(call, text, calls).unwrap();
        let idle =
            |e: &Stamped| matches!(&e.event, Event::LaneNudged { text, .. } if text.contains(NEEDLESS));
        if !step.events.iter().any(idle) {
            return step;
        }
        let call = self.thinking();
        self.reply_to(call, &format!("{NEEDLESS} a story"), &[]).unwrap()
    }

    pub fn reply_to(
        &mut self,
        call: CallId,
        text: &str,
        calls: &[(&str, serde_json::Value)],
    ) -> Result<Step, Refusal> {
        let calls = calls
            .iter()
            .enumerate()
            .map(|(i, (name, args))| ModelCall {
                id: format!("c{i}"),
                name: (*name).into(),
                args: args.to_string(),
            })
            .collect();
        self.input(Input::Replied {
            call,
            reply: Ok(ModelReply { text: text.into(), calls, ..ModelReply::default() }),
        })
    }

    pub fn plan(&mut self, tasks: &[(&str, &str)], gates: &[(&str, &str)]) -> Step {
        let tasks: Vec<_> = tasks
            .iter()
            .map(|(t, k)| serde_json::json!({"title": t, "kind": k, "files": ["a.txt"]}))
            .collect();
        let gates: Vec<_> = gates.iter().map(|(n, c)| serde_json::json!({"name": n, "command": c})).collect();
        self.reply(
            "",
            &[("submit_plan", serde_json::json!({"title": "Plan", "tasks": tasks, "gates": gates}))],
        )
    }

    pub fn end_tool(&mut self, outcome: ToolOutcome) -> Step {
        let (call, _) = self.tool();
        self.input(Input::ToolEnded { call, outcome }).unwrap()
    }

    pub fn propose(&mut self, path: &str, before: &str, after: &str) -> Step {
        self.end_tool(proposing(path, before, after))
    }

    pub fn question(&self, of: impl Fn(&CheckpointKind) -> bool) -> CheckpointId {
        let open = &self.session.state().open;
        open.values().find(|c| of(&c.kind)).unwrap_or_else(|| panic!("not open: {open:#?}")).id
    }

    pub fn answer(&mut self, of: impl Fn(&CheckpointKind) -> bool, answer: Answer) -> Result<Step, Refusal> {
        let id = self.question(of);
        let shown = self.session.state().open[&id].kind.shown();
        self.input(Input::Answer { checkpoint: id, answer, shown })
    }

    pub fn approve_all(&mut self, word: Option<&str>) -> Result<Step, Refusal> {
        let proposals = self.session.state().open_proposals().map(|p| (p.id, p.shown())).collect();
        self.input(Input::Apply { proposals, word: word.map(str::to_owned), rest: false })
    }

    /// Carries an approved write through, as the runtime would.
    pub fn write(&mut self) -> Step {
        let apply = self.writing();
        let files = self.prepared();
        self.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
        self.input(Input::ApplyEnded { apply, result: Ok(()) }).unwrap()
    }

    pub fn writing(&self) -> ApplyId {
        self.session
            .pending()
            .values()
            .find_map(|w| match w {
                Work::Prepare { apply, .. } => Some(*apply),
                _ => None,
            })
            .unwrap()
    }

    pub fn prepared(&self) -> Vec<FileChange> {
        let work = self.session.pending();
        let Some(Work::Prepare { changes, .. }) = work.values().find(|w| matches!(w, Work::Prepare { .. }))
        else {
            panic!("nothing is approved")
        };
        changes
            .iter()
            .map(|t| {
                let taken =
                    || t.hunks.iter().enumerate().filter(|(n, _)| t.taken.contains(n)).map(|(_, h)| h);
                FileChange {
                    proposal: t.proposal,
                    path: t.path.clone(),
                    kind: t.kind,
                    before: t.before,
                    after: t.after,
                    mode: None,
                    added: taken().map(diff::Hunk::added).sum(),
                    removed: taken().map(diff::Hunk::removed).sum(),
                    lines: 0,
                    rest: None,
                    changes: Vec::new(),
                }
            })
            .collect()
    }

    /// Says something that is not understood now, whatever the classifier has learnt: the first
    /// of these that leads to a question back or waits to be heard.
    pub fn mumble(&mut self) -> String {
        let lines = [
            "the thing",
            "maybe broken or not",
            "could be the other one",
            "asdf qwer",
            "too many steps",
            "maybe q4",
            "the config stuff again",
            "run or fix it",
            "q4 then",
            "banana",
            "what?",
            "so...",
        ];
        let unclear = |line: &&str| {
            let mut trial = self.session.clone();
            let asked = |s: &Session| {
                let mut open = s.state().open.values();
                open.any(|c| match &c.kind {
                    CheckpointKind::Interruption(_) => true,
                    CheckpointKind::Clarification(Clarification { call, .. }) => call.is_none(),
                    _ => false,
                })
            };
            let step = trial.step(Millis(self.clock + 1), Input::say((*line).to_owned()));
            step.is_ok()
                && (asked(&trial) || trial.state().queue.later.len() > self.session.state().queue.later.len())
        };
        let line = lines.into_iter().find(unclear).unwrap_or_else(|| panic!("all is clear"));
        self.say(line);
        line.to_owned()
    }

    pub fn names(&self) -> Vec<String> {
        self.log.iter().map(|e| name(&e.event)).collect()
    }

    pub fn notices(&self) -> Vec<String> {
        self.log
            .iter()
            .filter_map(|e| match &e.event {
                Event::Notice { text, .. } => Some(text.clone()),
                _ => None,
            })
            .collect()
    }
}

/// Arguments of an `edit` of this file.
pub fn edit_of(path: &str) -> serde_json::Value {
    serde_json::json!({"path": path, "edits": [{"old": "1", "new": "2"}]})
}

pub fn name(event: &Event) -> String {
    serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
}

pub fn proposing(path: &str, before: &str, after: &str) -> ToolOutcome {
    let hunks = diff::hunks(before.as_bytes(), after.as_bytes());
    let kind = match (before.is_empty(), after.is_empty()) {
        (true, _) => ChangeKind::Create,
        (_, true) => ChangeKind::Delete,
        _ => ChangeKind::Modify,
    };
    let blob = |t: &str| (!t.is_empty()).then(|| Blob::new(t.as_bytes().to_vec()));
    let draft = ProposalDraft {
        notes: Vec::new(),
        path: RelPath::new(path).unwrap(),
        kind,
        before: blob(before),
        after: blob(after),
        hunks,
    };
    ToolOutcome { proposals: vec![draft], ..ToolOutcome::text("proposed", "1 hunk") }
}

pub fn exited(code: i32, text: &str) -> ToolOutcome {
    let exit = Exit {
        code: Some(code),
        signal: None,
        timed_out: false,
        took: Millis(5),
        process: None,
        put_back: false,
    };
    ToolOutcome { exit: Some(exit), failed: code != 0, ..ToolOutcome::text(text, format!("exit {code}")) }
}

pub fn starts(step: &Step) -> Vec<String> {
    step.effects
        .iter()
        .filter_map(|e| match e {
            Effect::Start(Work::Classify { .. }) => Some("classify".into()),
            Effect::Start(Work::Think { .. }) => Some("think".into()),
            Effect::Start(Work::Compact { .. }) => Some("compact".into()),
            Effect::Start(Work::Title { .. }) => Some("title".into()),
            Effect::Start(Work::Tool { permit, .. }) => Some(permit.tool().name().into()),
            Effect::Start(Work::Prepare { .. }) => Some("prepare".into()),
            Effect::Start(Work::Write { .. }) => Some("write".into()),
            Effect::Start(Work::Revert { .. }) => Some("revert".into()),
            Effect::Start(Work::TakeBack { .. }) => Some("take back".into()),
            Effect::Start(Work::Keep { .. }) => Some("keep".into()),
            Effect::Start(Work::Remember { .. }) => Some("remember".into()),
            Effect::Start(Work::Look { .. }) => None,
            Effect::Start(Work::Stage { .. }) => Some("stage".into()),
            Effect::Start(Work::Judge { .. }) => Some("judge".into()),
            Effect::Start(Work::Survey(_)) => Some("survey".into()),
            Effect::Start(Work::Recall { .. }) => Some("recall".into()),
            Effect::Start(Work::SeeTree { .. }) => Some("look at the tree".into()),
            Effect::Start(Work::ReadPlan { .. }) => Some("read a plan".into()),
            Effect::Start(Work::LookCommit { .. }) => Some("look at a commit".into()),
            Effect::Start(Work::Commit { .. }) => Some("commit".into()),
            Effect::Start(Work::Hook { .. }) => Some("hook".into()),
            Effect::Cancel(_) => None,
        })
        .collect()
}

pub fn is_plan(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Confirmation(_))
}
pub fn is_risk(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Risk(_))
}
pub fn is_access(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Access(_))
}
pub fn is_diff(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Diff(_))
}
pub fn is_failure(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Failure(_))
}
pub fn is_transition(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Transition(_))
}

pub fn is_trust(k: &CheckpointKind) -> bool {
    matches!(k, CheckpointKind::Trust(_))
}

/// A folder that brings one thing, with this content.
pub fn bringing(content: &str) -> Standing {
    let part = Part {
        path: ".pilothouse/hooks.toml".into(),
        would: vec![content.to_owned()],
        change: PartChange::New,
    };
    Standing {
        trust: Trust::None,
        of: BlobId::of(content.as_bytes()),
        parts: vec![part],
        sheet: content.to_owned(),
        asks: true,
        hooks: Vec::new(),
        gives: Vec::new(),
        withholds: Vec::new(),
        checks: Vec::new(),
        fault: None,
    }
}

/// What the folder is found to be after the wish, when it holds this now.
pub fn found(wish: TrustRequest, content: &str) -> Standing {
    let now = bringing(content);
    let (trust, asks) = match wish {
        TrustRequest::Keep(of) if of == now.of => (Trust::Kept, false),
        TrustRequest::Decline(of) if of == now.of => (Trust::None, false),
        TrustRequest::Keep(_) | TrustRequest::Decline(_) | TrustRequest::Look => (Trust::None, true),
        TrustRequest::Revoke => (Trust::None, false),
    };
    Standing { trust, asks, ..now }
}

/// A hook on this occasion.
pub fn hook(on: Occasion, way: HookMode) -> Hook {
    let name = format!("{on:?} {way:?}");
    let id = BlobId::of(name.as_bytes());
    Hook { id, name, on, from: None, to: None, when: When::Always, way, origin: Origin::User }
}

/// A hook on the way from one node to another that may refuse it.
pub fn on_the_way(from: IntentNode, to: IntentNode) -> Hook {
    let name = format!("{from} {to}");
    let id = BlobId::of(name.as_bytes());
    Hook { id, name, from: Some(from), to: Some(to), ..hook(Occasion::NodeTransition, HookMode::Blocks) }
}

pub fn hook_said(status: HookStatus, output: &str) -> HookOutcome {
    let summary = if status == HookStatus::Passed { "exit 0" } else { "exit 1" };
    HookOutcome { status, summary: summary.into(), output: output.into(), took: Millis(4) }
}

impl Bench {
    /// A session in which these hooks are called.
    pub fn hooked(hooks: Vec<Hook>) -> Self {
        let mut bench = Self { session: Session::new(), log: Vec::new(), clock: 0 };
        let standing = Standing { hooks, ..Standing::default() };
        bench.input(Input::Open(Opening { standing, ..opening() })).unwrap();
        bench
    }

    /// Hooks that should be running.
    pub fn hooks(&self) -> Vec<CallId> {
        let work = self.session.pending();
        work.values()
            .filter_map(|w| if let Work::Hook { call, .. } = w { Some(*call) } else { None })
            .collect()
    }

    /// Ends the one hook that runs.
    pub fn end_hook(&mut self, status: HookStatus) -> Step {
        let running = self.hooks();
        assert_eq!(running.len(), 1, "{:#?}", self.session.state().hook_runs);
        self.input(Input::HookEnded { call: running[0], outcome: hook_said(status, "stdout:\nno way\n") })
            .unwrap()
    }
}

/// Where others changed the first lines as well, or nowhere.
pub fn met(meets: bool) -> Vec<pilothouse_core::diff::Lines> {
    meets.then_some(pilothouse_core::diff::Lines { start: 0, len: 1 }).into_iter().collect()
}
