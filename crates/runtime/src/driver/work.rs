//! Work: what should be going on, started and stopped.
//!
//! Owns the tasks beside the loop, their cancellation and what a panic in one becomes. Never
//! decides which work there is: that is a function of the session's state.

use std::{
    any::Any,
    collections::{BTreeMap, btree_map::Entry},
    future::Future,
    panic::AssertUnwindSafe,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use futures::FutureExt;
use pilothouse_core::{
    commit::{CommitTree, SoughtFile},
    ids::{ApplyId, CallId, LaneId},
    input::Input,
    plan::MAX_DOCUMENT,
    scope::ToolScope,
    session::{Lane, State},
    talk::{DeltaKind, Fault, FaultKind, ModelDelta, ModelRequest, Purpose, ToolSpec},
    tool::{Permit, ToolCall, ToolOutcome},
    work::{View, Work, WorkKey},
};
use pilothouse_model::{ModelClient, Patience, Unfinished};
use pilothouse_tools::{BlobSource, Sink, ToolExecutor, git, snapshot::Snapshots};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Driver, Inbound, Setup,
    drawn::Drawn,
    news::{News, Printing},
    opening::{self, Opened},
    port::Stored,
    stream::Stream,
    trust,
};
use crate::{
    config::Provider,
    context::{self, Circumstances, Prepared, Unprepared},
    error::RuntimeError,
    knowledge::{Knowledge, Lookup},
    pending::Pending,
    sources::{Learns, SessionSources},
    tiers::{self, ClassifierTiers},
};

/// Most bytes that the names of skills and agents take in a request.
const SKILL_BYTES: usize = 4 * 1024;
/// What helps where a window is too small.
const WIDER: &str = "use a model with a larger window, or say how large it is: [model] window";
/// So long a commit waits to see whether its gates are green on the files as they are.
const COMMIT_LOOK_WAIT: Duration = Duration::from_secs(5);
/// Pieces of a reply that may wait to be shown.
const DELTAS: usize = 64;

/// A piece of work that goes on, or has ended and is still asked for.
pub(super) struct Slot {
    pub cancel: CancellationToken,
    pub done: bool,
}

/// What work is done with.
pub(super) struct Services {
    pub workshop: ToolExecutor,
    pub sources: SessionSources,
    /// The tiers beside the deterministic ones.
    pub later: ClassifierTiers,
    /// Where phrases that a model resolved are put.
    pub pending: Pending,
    /// What is asked about the workspace as a whole.
    pub knowledge: Knowledge,
    /// What commands at work have printed.
    pub printing: Printing,
    clients: BTreeMap<String, Arc<dyn ModelClient>>,
    /// Their waits for a server, and those of clients of before.
    pub patience: Patience,
    /// The user's question to that which is being answered, and what ends it.
    pub asked: Option<(u64, CancellationToken)>,
}

/// The tools that a lane for this purpose is offered, as a model reads them.
pub(super) fn offered(
    state: &State,
    lane: Option<&Lane>,
    purpose: Purpose,
    offer: ToolScope,
    sources: bool,
) -> Vec<ToolSpec> {
    let tools = state.session_tools(lane, purpose, sources);
    pilothouse_tools::specs(offer, state.holds_commands(purpose), &tools)
}

impl Services {
    /// The tools of the workspace; the model's client is made when it is first needed.
    pub fn new(setup: &Setup, at: &Opened, learns: Learns) -> Result<Self, RuntimeError> {
        let why = |e: pilothouse_tools::JailError| RuntimeError::Folder {
            path: at.root.path().to_owned(),
            why: e.to_string(),
        };
        let pending = Pending::at(&at.config.intent.pending, &setup.secrets);
        let workshop = ToolExecutor::open(at.root.path(), Arc::clone(&at.fence)).map_err(why)?;
        let (of, variables) = trust::given(&at.trust.1);
        // All that a user has is not copied for a command.
        let saves = at.session.policy().places().boundless().is_none();
        let workshop = if saves { workshop.saving(Snapshots::of(opening::ground(at))) } else { workshop };
        let workshop = workshop.sparing(at.root.spared());
        let workshop =
            workshop.hiding(at.config.secrets.clone()).giving(of, variables).alone(setup.unattended);
        let later = ClassifierTiers::new(&at.config.intent, &setup.home);
        let sources = super::sources::of(setup, at.root.path(), &at.trust.1, (at.sources.clone(), learns));
        let knowledge =
            Knowledge::new(at.root.path(), &setup.home, &at.config).timed(Arc::clone(&setup.clock));
        let printing = Printing::default();
        let (clients, patience) = (BTreeMap::new(), Patience::default());
        Ok(Self { workshop, sources, later, pending, knowledge, printing, clients, patience, asked: None })
    }

    /// Clients are made anew: the settings are others. Who waits for a server goes on to wait.
    pub(super) fn forget_clients(&mut self) {
        self.clients.clear();
    }

    pub(super) fn client(&mut self, voice: &Provider) -> Result<Arc<dyn ModelClient>, Fault> {
        let effort = match voice {
            Provider::Endpoint(endpoint) => endpoint.effort,
            Provider::Offline | Provider::Script(_) => None,
        };
        let of = format!("{} {} {effort:?}", voice.origin(), voice.name());
        if let Some(client) = self.clients.get(&of) {
            return Ok(Arc::clone(client));
        }
        let client = tiers::client_with(voice, &self.patience)?;
        self.clients.insert(of, Arc::clone(&client));
        Ok(client)
    }
}

impl Driver {
    /// Makes what goes on the same as what should: a function of the state, not of the past.
    pub(super) fn reconcile(&mut self) {
        let pending = self.at.session.pending();
        self.stay_awake(pending.values().any(Work::is_waited_for));
        for (_, slot) in self.running.iter().filter(|(key, _)| !pending.contains_key(key)) {
            slot.cancel.cancel();
        }
        self.running.retain(|key, slot| pending.contains_key(key) || !slot.done);
        self.shortened.retain(|call| pending.contains_key(&WorkKey::Think(*call)));
        if !self.unsaved.is_empty() || self.at.read_only() || self.leaving {
            return;
        }
        // What a model is told of facts is told of their files as they are.
        let awaited = self.fact_looks.are_awaited();
        for (key, work) in pending.into_iter().filter(|(_, w)| !(awaited && matches!(w, Work::Think { .. })))
        {
            if let Entry::Vacant(free) = self.running.entry(key) {
                let cancel = CancellationToken::new();
                free.insert(Slot { cancel: cancel.clone(), done: false });
                self.start(key, work, cancel);
            }
        }
    }

    fn start(&mut self, key: WorkKey, work: Work, cancel: CancellationToken) {
        match work {
            Work::Classify { turn, vectors, model, .. } => self.classify(key, turn, vectors, model, cancel),
            Work::Think { call, lane, purpose, offer, .. } => {
                self.think(key, call, lane, purpose, offer, cancel);
            }
            Work::Compact { call, .. } => self.compact(key, call, cancel),
            Work::Title { call } => self.title(key, call, cancel),
            Work::Tool { permit, .. } if matches!(permit.asked(), ToolCall::External(_)) => {
                self.source(key, permit, cancel);
            }
            Work::Tool { permit, view } => self.tool(key, permit, *view, cancel),
            Work::Prepare { apply, changes } => self.prepare(key, apply, changes),
            Work::Write { apply, files } => self.write(key, apply, &files),
            Work::Revert { apply, redo, record: Some(record), keep, .. } => {
                self.revert_command(key, apply, redo, (record, keep));
            }
            Work::Revert { apply, redo, files, record: None, .. } => self.revert(key, apply, redo, &files),
            Work::TakeBack { lane, files } => self.take_back(key, lane, files),
            Work::Look { checkpoint, command, folder, confine } => {
                let workshop = self.kit.workshop.clone();
                self.spawn(key, None, None, async move {
                    let meant = workshop.meant(&command, &folder, confine).await;
                    Input::CommandResolved { checkpoint, meant }
                });
            }
            Work::Keep { approval, rules } => self.keep(key, approval, &rules),
            Work::Remember { approval, change } => self.remember(key, approval, change),
            Work::Survey(wish) => self.survey(wish),
            Work::Recall { turn, facts, rules } => self.recall(key, turn, facts, rules),
            Work::ReadPlan { call, path } => {
                let workshop = self.kit.workshop.clone();
                self.spawn(key, Some(call), None, async move {
                    let result = workshop.text(path, MAX_DOCUMENT).await;
                    Input::PlanRead { call, result }
                });
            }
            Work::SeeTree { call } => {
                let workshop = self.kit.workshop.clone();
                self.spawn(key, Some(call), None, async move {
                    Input::TreeSeen { call, tree: workshop.tree().await }
                });
            }
            Work::LookCommit { commit, files } => self.look_commit(key, commit, files),
            Work::Commit { commit, files, message, merge } => {
                let workshop = self.kit.workshop.clone();
                self.spawn(key, Some(commit), None, async move {
                    let result = git::commit(workshop.jail(), &files, &message, merge.as_deref()).await;
                    Input::Committed { commit, result }
                });
            }
            Work::Stage { pipeline, step } => self.gather(key, pipeline, step),
            Work::Judge { turn, question } => self.judge(key, turn, &question, cancel),
            Work::Hook { call, hook, of, path, .. } => self.hook(key, call, hook, of, &path, cancel),
        }
    }

    /// Looks at what would be committed, and at the files as they are now where a gate rests on them.
    fn look_commit(&mut self, key: WorkKey, commit: CallId, files: Vec<SoughtFile>) {
        let workshop = self.kit.workshop.clone();
        let rests = self.at.session.state().rests_on_files();
        self.spawn(key, Some(commit), None, async move {
            let tree = async { if rests { workshop.tree().await } else { None } };
            let look = git::look(workshop.jail(), &files);
            let (result, seen) = tokio::join!(look, timeout(COMMIT_LOOK_WAIT, tree));
            let seen = seen.ok().flatten();
            let result = result.map(|tree| CommitTree { seen, ..tree });
            Input::CommitLooked { commit, result }
        });
    }

    /// Runs work beside the loop; whatever happens in it, the session hears of its end.
    pub(super) fn spawn(
        &self,
        key: WorkKey,
        call: Option<CallId>,
        apply: Option<ApplyId>,
        work: impl Future<Output = Input> + Send + 'static,
    ) {
        let (inbound, span) = (self.inbound.clone(), self.trace.work(key));
        let work = async move {
            let input = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
                let message = said(panic.as_ref());
                tracing::error!(?key, message, "a part of the program failed");
                if let WorkKey::Judge(turn) = key {
                    // Nothing else would end the wait for it.
                    return Input::BreakoutJudged { turn, said: Err(super::pipeline::unread(message)) };
                }
                Input::Panicked { call, apply, message }
            });
            drop(inbound.send(Inbound::Ended(key, Some(input))).await);
        };
        span.in_scope(|| self.tasks.spawn(work));
    }

    fn think(
        &mut self,
        key: WorkKey,
        call: CallId,
        lane: LaneId,
        purpose: Purpose,
        offer: ToolScope,
        cancel: CancellationToken,
    ) {
        self.look_again();
        self.look_at_memory_again();
        self.project.tell();
        let (voice, _) = self.at.config.asked(self.at.session.state().model_of(lane));
        let client = self.kit.client(voice);
        let request = self.request_of(lane, purpose, offer);
        let ends = move |fault| Input::Replied { call, reply: Err(fault) };
        let (client, request) = match (client, request) {
            (_, Ok(prepared)) if prepared.crowded && !self.shortened.contains(&call) => {
                return self.spawn(key, Some(call), None, async move { Input::Crowded { call } });
            }
            (Ok(client), Ok(prepared)) => (client, prepared.request),
            (Err(fault), _) => return self.spawn(key, Some(call), None, async move { ends(fault) }),
            (_, Err(Unprepared::TooSmall(why))) => {
                let fault =
                    Fault { kind: FaultKind::Refused, message: why, hint: WIDER.to_owned(), status: None };
                return self.spawn(key, Some(call), None, async move { ends(fault) });
            }
            (_, Err(Unprepared::Gone)) => return,
        };
        let (updates, secrets) = (self.outbox.sender(), self.at.config.secrets.clone());
        let checks = self.checks(lane, purpose);
        // What a stage hands in is no text to be read, but for what it drafts.
        let drawn = (purpose == Purpose::Stage && self.drafts()).then(Drawn::default);
        self.spawn(key, Some(call), None, async move {
            let silent =
                checks.as_ref().is_some_and(super::evidence::Checks::are_silent) || purpose == Purpose::Stage;
            let stream = Stream::new(call, &updates, &secrets).showing(!silent, drawn);
            let input = ask(client.as_ref(), request, cancel, call, stream).await;
            match checks {
                Some(checks) => checks.of(input).await,
                None => input,
            }
        });
    }

    fn request_of(&self, lane: LaneId, purpose: Purpose, offer: ToolScope) -> Result<Prepared, Unprepared> {
        if purpose == Purpose::Stage {
            let asked = self.at.config.asked(self.at.session.state().model_of(lane));
            let request = self.stage_request(context::Window::of_model(asked))?;
            return Ok(Prepared { request, crowded: false });
        }
        let around = self.circumstances_of(self.at.session.state().model_of(lane));
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        let state = self.at.session.state();
        let tools = offered(state, state.lanes.get(&lane), purpose, offer, !self.kit.sources.is_empty());
        context::request(state, lane, offer, tools, &texts, &around)
    }

    /// What else a request to the main model depends on.
    pub(super) fn circumstances(&self) -> Circumstances {
        self.circumstances_of(self.at.session.state().model.as_deref())
    }

    fn circumstances_of(&self, model: Option<&str>) -> Circumstances {
        let (voice, window) = self.at.config.asked(model);
        Circumstances {
            now: (self.setup.clock)(),
            utc_offset_minutes: self.around.utc_offset_minutes,
            git: self.git_now(),
            history: self.at.config.history,
            window: context::Window::of_model((voice, window)),
            project: self.project.block(),
            skills: self.at.session.recipes().told(SKILL_BYTES),
            memory: Arc::clone(self.at.session.memory()),
            prior: self.prior_research(),
            may_call: self.at.session.may_call(),
            unattended: self.setup.unattended,
            checks: self.at.session.checks_unasked(),
            origin: voice.origin(),
            sources: self.kit.sources.lines(),
        }
    }

    /// Asks the model for the summary that is being made; what the session recorded stands below it.
    fn compact(&mut self, key: WorkKey, call: CallId, cancel: CancellationToken) {
        let (voice, _) = self.at.config.asked(self.at.session.state().model.as_deref());
        let client = self.kit.client(voice);
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        let state = self.at.session.state();
        let Some(of) = state.compacting.as_ref().filter(|c| c.call == call) else { return };
        let asked = context::compact::request(state, of, &texts, &self.circumstances());
        let small = || {
            let message = "the model's window is too small for a summary".to_owned();
            Fault { kind: FaultKind::Refused, message, hint: WIDER.to_owned(), status: None }
        };
        let ready = client.and_then(|client| Ok((client, asked.ok_or_else(small)?)));
        let (updates, secrets) = (self.outbox.sender(), self.at.config.secrets.clone());
        self.spawn(key, Some(call), None, async move {
            let mut stream = Stream::new(call, &updates, &secrets);
            // Nothing is shown of a summary but that its server is waited for.
            let waits = |piece| {
                if matches!(piece, ModelDelta::Retry { .. }) {
                    stream.show(piece);
                }
            };
            let result = match ready {
                Ok((client, asked)) => asked.ask(client.as_ref(), cancel, waits).await,
                Err(fault) => Err(fault),
            };
            Input::Summarized { call, result }
        });
    }

    /// Asks the model what the session is to be called.
    fn title(&mut self, key: WorkKey, call: CallId, cancel: CancellationToken) {
        let (voice, _) = self.at.config.asked(self.at.session.state().model.as_deref());
        let client = self.kit.client(voice);
        let asked = context::title::request(self.at.session.state());
        self.spawn(key, Some(call), None, async move {
            let result = match client {
                Ok(client) => context::unseen(client.as_ref(), asked, cancel, drop).await.map(Box::new),
                Err(fault) => Err(fault),
            };
            Input::Titled { call, result }
        });
    }

    fn tool(&self, key: WorkKey, permit: Permit, view: View, cancel: CancellationToken) {
        let workshop = self.kit.workshop.clone();
        let blobs: Arc<dyn BlobSource> = Arc::new(self.at.blobs.clone());
        let call = permit.call();
        let news = News {
            call,
            updates: self.outbox.sender(),
            inbound: self.inbound.clone(),
            tasks: self.tasks.clone(),
            offset: AtomicU64::new(0),
            secrets: self.at.config.secrets.clone(),
            printing: self.kit.printing.clone(),
        };
        if matches!(permit.asked(), ToolCall::Knowledge(_)) {
            let knowledge = self.kit.knowledge.lookup().until(cancel.clone());
            return self.spawn(key, Some(call), None, async move {
                let outcome = looked_up(knowledge, permit, view, news, cancel).await;
                Input::ToolEnded { call, outcome }
            });
        }
        self.spawn(key, Some(call), None, async move {
            let outcome = workshop.perform(&permit, &view, blobs, &news, cancel).await;
            Input::ToolEnded { call, outcome }
        });
    }
}

/// Performs a permitted call that asks the knowledge index.
async fn looked_up(
    knowledge: Lookup,
    permit: Permit,
    view: View,
    news: News,
    cancel: CancellationToken,
) -> ToolOutcome {
    let work = tokio::task::spawn_blocking(move || match permit.asked() {
        ToolCall::Knowledge(asked) => {
            let tell = |text: String| news.delta(DeltaKind::Notice, &text);
            knowledge.call(asked, &view.rules, &tell)
        }
        ToolCall::File(_) | ToolCall::Run(_) | ToolCall::Session(_) | ToolCall::External(_) => {
            ToolOutcome::failure(format!("{} does not ask the knowledge index", permit.tool().name()))
        }
    });
    tokio::select! {
        done = work => done.unwrap_or_else(|e| {
            tracing::error!(error = %e, "the knowledge index failed");
            ToolOutcome::failure(format!("the call failed inside the workbench: {e}; make it once more, then try another way"))
        }),
        () = cancel.cancelled() => ToolOutcome::failure("stopped by the user"),
    }
}

async fn ask(
    client: &dyn ModelClient,
    request: ModelRequest,
    cancel: CancellationToken,
    call: CallId,
    mut stream: Stream<'_>,
) -> Input {
    let (pieces, mut coming) = mpsc::channel(DELTAS);
    let reply = client.reply(request, pieces, cancel);
    tokio::pin!(reply);
    let ended = loop {
        tokio::select! {
            biased;
            Some(piece) = coming.recv() => stream.show(piece),
            ended = &mut reply => break ended,
        }
    };
    while let Ok(piece) = coming.try_recv() {
        stream.show(piece);
    }
    match ended {
        Ok(reply) => Input::Replied { call, reply: Ok(reply) },
        Err(Unfinished { fault, partial }) if fault.kind != FaultKind::Cancelled => {
            Input::BrokenOff { call, partial, fault }
        }
        Err(unfinished) => {
            let fault = unfinished.fault.clone();
            Input::Replied { call, reply: unfinished.stopped().ok_or(fault) }
        }
    }
}

/// What a panic said.
pub(super) fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
