//! One goal without a screen: a driver, a fold, lines of text or JSON, an exit code.
//!
//! Owns what a script sees. Never waits for a terminal and never allows what asks: it is refused to the
//! model, or ends the run with its name and the way to go on.

pub mod auth;
pub mod change;
pub mod export;
pub mod listing;
mod patch;
pub mod replay;
pub(crate) mod report;
mod result;
pub mod sources;
mod steps;
#[cfg(test)]
mod tests;
mod unattended;
mod way;
mod words;

use std::{collections::BTreeMap, future::Future, io::Write, path::PathBuf, time::Duration};

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind},
    event::{Event, RunStatus, Stamped},
    ids::{LaneId, Seq},
    input::Input,
    money::Limits,
    port::{Ask, Request, Update},
    question::Unattended as Alone,
    scope::PermissionMode,
    session::{LaneKind, Session, State},
    talk::FaultKind,
};
use tokio::sync::mpsc;

use crate::{
    driver::{Setup, drive},
    error::RuntimeError,
};
use report::Report;
use result::Results;
pub(crate) use unattended::looked_at;
use unattended::{Follows, Unattended};

/// How long a stopped run is waited for.
const STOPPING: Duration = Duration::from_secs(5);

/// How long a run waits for room to save what it did.
const SAVING: Duration = Duration::from_secs(if cfg!(test) { 6 } else { 20 });

/// Asked before the first input: its answer parts the notices of the opening from what follows.
pub(crate) const FENCE: Request = Request::Ask(0, Ask::History { before: Seq(0), count: 0 });

/// What is wanted of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The goal.
    pub goal: String,
    /// Stop when the plan is ready.
    pub plan_only: bool,
    /// Approve plans and changes; what would ask is refused to the model.
    pub auto_confirm: bool,
    /// What it may spend, beside what holds in the session.
    pub budget: Limits,
    /// Repairs of a failed gate.
    pub repairs: u32,
    /// The event log as it grows, one JSON object a line.
    pub json: bool,
    /// Only a line for each finished task, and the answer.
    pub quiet: bool,
    /// Stop after this time.
    pub timeout: Option<Duration>,
    /// Write what was proposed and applied as a patch.
    pub patch_out: Option<PathBuf>,
    /// Keep nothing of the session.
    pub forget: bool,
}

/// A wish from outside to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// As by Ctrl-C: exit code 130.
    Interrupt,
    /// As by a plain kill: exit code 143.
    Terminate,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code, as `cli.md` has it.
    pub exit: u8,
    /// The session.
    pub slug: String,
    /// What ended it, in a sentence; empty when all is done.
    pub reason: String,
}

/// Runs one goal to its end or to the first question. `out` is for the result and for machines,
/// `err` for people; `stop` completes when the run shall be stopped.
///
/// # Errors
/// When the session cannot be opened or the patch cannot be written.
pub async fn run(
    mut setup: Setup,
    options: Options,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
    stop: impl Future<Output = Stop> + Send,
) -> Result<Outcome, RuntimeError> {
    // A goal that can only be looked at is no use: the lock is told at once.
    setup.writing = true;
    setup.asking |= options.plan_only;
    if let Some(path) = &options.patch_out {
        patch::reach(path)?;
    }
    setup.repairs = options.repairs;
    setup.unattended = options.auto_confirm;
    if options.auto_confirm {
        setup.permission = Some(PermissionMode::Auto);
    }
    // The folder is there until the run is over.
    let _short_lived = if options.forget {
        let folder = tempfile::tempdir().map_err(RuntimeError::io("create", "a temporary folder"))?;
        folder.path().clone_into(&mut setup.home.state);
        Some(folder)
    } else {
        None
    };
    let (home, secrets) = (setup.home.clone(), setup.secrets.clone());
    let (requests, incoming) = mpsc::channel(16);
    let (outgoing, mut updates) = mpsc::channel(1024);
    let report = Report::new(&options, &setup, out, err);
    let driver = tokio::spawn(drive(setup, incoming, outgoing));
    let mut watch = Watch {
        session: Session::new(),
        from: Seq(0),
        faults: BTreeMap::new(),
        failed: None,
        report,
        asked: None,
        taken: false,
        begun: false,
        unattended: Unattended::default(),
        result: Results::default(),
        unsaved: None,
    };
    let verdict = watch.follow(&mut updates, &requests, &options, stop).await;
    if verdict.exit < 128 {
        watch.let_hooks_end(&mut updates).await;
    }
    drop(requests.send(Request::Quit).await);
    // What was cut off still says what it had, until the driver is done.
    while let Some(update) = updates.recv().await {
        watch.last_words(update);
    }
    let shutdown = driver.await.map_err(|e| RuntimeError::Opening(e.to_string()))??;
    let Verdict { exit, reason } = verdict;
    if let Some(path) = &options.patch_out
        && patch::write(path, &home, &shutdown.slug, watch.session.state(), watch.from, &secrets)?
    {
        watch
            .report
            .say(&format!("! {} holds a secret of a changed file, or it would not fit", path.display()));
    }
    tracing::info!(exit, "headless run ended");
    let outcome = Outcome { exit, slug: shutdown.slug, reason };
    let asked = (watch.asked.as_ref(), watch.unattended.refused());
    watch.report.end(&outcome, asked, watch.session.state());
    Ok(watch.report.settled(outcome))
}

/// Why a run is over.
struct Verdict {
    exit: u8,
    reason: String,
}

impl Verdict {
    fn new(exit: u8, reason: impl Into<String>) -> Self {
        Self { exit, reason: reason.into() }
    }
}

/// Comes back then; never where there is no such time.
async fn until(then: Option<tokio::time::Instant>) {
    match then {
        Some(then) => tokio::time::sleep_until(then).await,
        None => std::future::pending().await,
    }
}

/// What the run has come to.
struct Watch<'a> {
    session: Session,
    /// The last event before the goal was said.
    from: Seq,
    /// What a model failed in last: by its lane in an answer, else in the work.
    faults: BTreeMap<Option<LaneId>, FaultKind>,
    /// How the run ended, if it did not end well.
    failed: Option<(RunStatus, String)>,
    report: Report<'a>,
    /// The question that nobody is there to answer.
    asked: Option<Checkpoint>,
    /// Whether the driver has come to the goal: what it refused before were notices.
    taken: bool,
    /// Whether something came of the goal: what hooks of the opening do is not that.
    begun: bool,
    unattended: Unattended,
    result: Results,
    /// Since when saving fails, and why.
    unsaved: Option<(tokio::time::Instant, String)>,
}

/// What follows from what was seen.
enum Next {
    /// This is said to the session.
    Say(Box<Input>),
    /// The run is over; what still works is stopped.
    End(Verdict),
}

impl Watch<'_> {
    async fn follow(
        &mut self,
        updates: &mut mpsc::Receiver<Update>,
        requests: &mpsc::Sender<Request>,
        options: &Options,
        stop: impl Future<Output = Stop> + Send,
    ) -> Verdict {
        let mut limit = std::pin::pin!(async {
            match options.timeout {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        });
        let mut stop = std::pin::pin!(stop);
        loop {
            let update = tokio::select! {
                update = updates.recv() => update,
                why = &mut stop => {
                    let (exit, reason) = match why {
                        Stop::Interrupt => (130, "interrupted; the session is saved"),
                        Stop::Terminate => (143, "terminated; the session is saved"),
                    };
                    self.stop(updates, requests).await;
                    return Verdict::new(exit, reason);
                }
                () = until(self.unsaved.as_ref().map(|(since, _)| *since + SAVING)) => {
                    let why = self.unsaved.take().map(|(_, why)| why).unwrap_or_default();
                    return Verdict::new(1, format!("the work cannot be saved: {why}"));
                }
                () = &mut limit => {
                    self.stop(updates, requests).await;
                    let time = options.timeout.unwrap_or_default().as_secs();
                    return Verdict::new(1, format!("time limit of {time} s reached; the run was stopped"));
                }
            };
            match update {
                None | Some(Update::Closed(_)) => return Verdict::new(1, "the session ended on its own"),
                Some(Update::Opened(session, tail)) => {
                    self.from = session.state().seq;
                    self.session = *session;
                    self.report.recipes = self.session.recipes().clone();
                    self.report.opened(&tail, self.session.bounds().budget);
                    drop(requests.send(FENCE).await);
                    if options.budget != Limits::default() {
                        drop(requests.send(Request::Input(Input::SetBudget(options.budget))).await);
                    }
                    let goal = Request::Input(Input::say(options.goal.clone()));
                    drop(requests.send(goal).await);
                }
                Some(other) => match self.take(other, options) {
                    Some(Next::Say(input)) => drop(requests.send(Request::Input(*input)).await),
                    Some(Next::End(verdict)) => {
                        self.let_pass(requests).await;
                        if self.session.state().busy() {
                            self.stop(updates, requests).await;
                        }
                        return verdict;
                    }
                    None => {}
                },
            }
        }
    }

    fn take(&mut self, update: Update, options: &Options) -> Option<Next> {
        match update {
            Update::Events(events) => {
                for event in &events {
                    self.session.apply(event);
                    self.begun |= !of_opening(&event.event);
                    self.note(event);
                    self.result.note(&event.event, self.session.state());
                    self.report.event(event, self.session.state());
                }
                self.at_rest(options)
            }
            Update::Delta(delta) => {
                self.report.delta(&delta);
                None
            }
            Update::Refused(reason) => self.refused(1, reason),
            Update::Misused(reason) => self.refused(2, reason),
            Update::Notice(what) | Update::Page { text: what, .. } => {
                self.report.warn(&what);
                None
            }
            Update::Answered(..) => {
                self.taken = true;
                None
            }
            Update::Surroundings(around) => {
                let since = self.unsaved.take().map_or_else(tokio::time::Instant::now, |(since, _)| since);
                self.unsaved = around.unsaved.map(|why| (since, why));
                None
            }
            Update::Opened(..) | Update::Rules(_) | Update::Draft(_) | Update::Closed(_) => None,
        }
    }

    /// An input changed nothing. What cannot be saved yet is no end: it is tried again. What ends it is said as its end.
    fn refused(&mut self, exit: u8, reason: String) -> Option<Next> {
        let over = self.taken && self.unsaved.is_none() && !self.session.state().busy();
        if !over {
            self.report.refused(&reason);
        }
        over.then(|| Next::End(Verdict::new(exit, reason)))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only ends are noted")]
    fn note(&mut self, event: &Stamped) {
        match &event.event {
            Event::ThinkingFailed { fault, lane, .. } => {
                self.faults.insert(self.answers(*lane), fault.kind);
            }
            Event::MessageCompleted { lane, .. } => {
                self.faults.remove(&self.answers(*lane));
            }
            Event::MoveBlocked { .. } => self.unattended.held(self.session.state()),
            Event::RunCompleted { status, summary, .. } => {
                self.failed = (*status != RunStatus::Completed).then(|| (*status, summary.clone()));
            }
            _ => {}
        }
    }

    /// The lane that answers and that this one works for, or is.
    fn answers(&self, lane: LaneId) -> Option<LaneId> {
        let lanes = &self.session.state().lanes;
        let mut of = lanes.get(&lane)?;
        while let Some(above) = of.kind.parent().and_then(|above| lanes.get(&above)) {
            of = above;
        }
        (of.kind == LaneKind::Answer).then_some(of.id)
    }

    fn fault(&self) -> Option<FaultKind> {
        self.faults.values().next().copied()
    }

    /// What follows once nothing works any more.
    fn at_rest(&mut self, options: &Options) -> Option<Next> {
        let state = self.session.state();
        if !self.begun || state.busy() {
            return None;
        }
        if let Some(question) = first_question(state) {
            if options.auto_confirm && !options.plan_only {
                match self.unattended.follow(question, state) {
                    Follows::Answer(input) => return Some(Next::Say(input)),
                    Follows::Wait => return None,
                    Follows::End => {}
                }
            }
            let verdict = judge(question, state, options, self.fault());
            self.asked = Some(question.clone());
            return Some(Next::End(verdict));
        }
        Some(Next::End(self.ended()))
    }

    /// A pause is answered by whoever takes up the plan as this run says: only one that was never told comes anew.
    async fn let_pass(&self, requests: &mpsc::Sender<Request>) {
        if let Some(CheckpointKind::Paused(paused)) = self.asked.as_ref().map(|q| &q.kind) {
            drop(requests.send(Request::Input(Input::SetPause(paused.at, false))).await);
        }
    }

    /// The verdict where nothing is open.
    fn ended(&mut self) -> Verdict {
        if let Some(kind) = self.fault() {
            return Verdict::new(fault_exit(kind), "the model did not answer");
        }
        if self.result.needs_model() {
            return Verdict::new(2, "that needs a model, and none is connected");
        }
        let failed = self.failed.as_ref().map(|(_, summary)| summary.clone());
        let Some(lacks) = failed.or_else(|| self.result.lacks()) else { return self.answered() };
        match self.unattended.refused().first() {
            Some(question) => {
                self.asked = Some(question.clone());
                Verdict::new(3, format!("{} ({lacks})", question.message))
            }
            None => Verdict::new(1, lacks),
        }
    }

    /// The verdict where nothing lacks: words are all that was asked for, unless their agent was refused a change.
    fn answered(&mut self) -> Verdict {
        let Some(question) = self.unattended.held_back().filter(|_| !self.result.ran()) else {
            return if self.result.unable() {
                Verdict::new(1, "that could not be done")
            } else {
                Verdict::new(0, "")
            };
        };
        let verdict = Verdict::new(3, question.message.clone());
        self.asked = Some(question.clone());
        verdict
    }

    /// Stops what runs and takes in what comes of it.
    async fn stop(&mut self, updates: &mut mpsc::Receiver<Update>, requests: &mpsc::Sender<Request>) {
        drop(requests.send(Request::Input(Input::Cancel)).await);
        let deadline = tokio::time::Instant::now() + STOPPING;
        while self.session.state().busy() {
            let Ok(Some(update)) = tokio::time::timeout_at(deadline, updates.recv()).await else { return };
            if matches!(update, Update::Refused(_) | Update::Misused(_)) {
                return;
            }
            self.last_words(update);
        }
    }

    /// Hooks in the background held nothing up; now they may come to their end.
    async fn let_hooks_end(&mut self, updates: &mut mpsc::Receiver<Update>) {
        let deadline = tokio::time::Instant::now() + STOPPING;
        while !self.session.state().hook_runs.is_empty() {
            let Ok(Some(update)) = tokio::time::timeout_at(deadline, updates.recv()).await else { return };
            self.last_words(update);
        }
    }

    fn last_words(&mut self, update: Update) {
        let Update::Events(events) = update else { return };
        for event in &events {
            self.session.apply(event);
            self.report.event(event, self.session.state());
        }
    }
}

/// Whether an event belongs to the opening, whenever it comes.
pub(crate) const fn of_opening(event: &Event) -> bool {
    matches!(
        event,
        Event::HooksKnown { .. }
            | Event::HookStarted { .. }
            | Event::HookEnded { .. }
            | Event::Notice { .. }
            | Event::TrustChanged { .. }
            | Event::BudgetSet { .. }
    )
}

/// The question that matters most: the one that holds the phase, else the oldest.
fn first_question(state: &State) -> Option<&Checkpoint> {
    let waited_for = |c: &&Checkpoint| state.spec(c).unattended != Alone::Waits;
    state.phase_question().or_else(|| state.open.values().find(waited_for))
}

fn judge(question: &Checkpoint, state: &State, options: &Options, fault: Option<FaultKind>) -> Verdict {
    match state.spec(question).unattended {
        Alone::PlanReady if options.plan_only => Verdict::new(0, ""),
        Alone::Spent { unknown } => Verdict::new(if unknown { 2 } else { 4 }, question.message.clone()),
        Alone::Failed(why) => Verdict::new(fault.map_or(1, fault_exit), why),
        Alone::PlanReady | Alone::Asks | Alone::Waits => Verdict::new(3, question.message.clone()),
    }
}

/// The exit code where a model failed so.
pub(crate) const fn fault_exit(kind: FaultKind) -> u8 {
    match kind {
        FaultKind::Unreachable
        | FaultKind::Unauthorized
        | FaultKind::Refused
        | FaultKind::NotAStream
        | FaultKind::Stalled
        | FaultKind::Cut => 5,
        FaultKind::Malformed | FaultKind::Cancelled | FaultKind::Internal => 1,
    }
}
