//! All sources of a session: started when they are first asked, started again with growing pauses, ended together.
//!
//! Owns which are running and how often each has failed. Never says whether one may be started or called. What can be asked
//! of them is boxed: a future that is not is compiled where it is awaited, and with it the whole protocol once more.

mod answer;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex as StdMutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use answer::{answer, request};
use futures::future::BoxFuture;
use pilothouse_core::{blob::BlobId, clean::Clean, source::SourceHealth};
use serde_json::Value;
use tokio::{sync::Mutex, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    Catalog, Consent, Definition, Listener, RemoteTool, SignIn, SourceFault, catalog::goes_under,
    connection::Connection,
};

/// How long a source is left alone after its first failure.
const REST: Duration = Duration::from_secs(1);
/// How long at most.
const MOST_REST: Duration = Duration::from_mins(2);

/// The value of one of the user's variables.
pub type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
/// The folder where a source runs, if it may be started as it is; else why not. It may read files.
pub type Holds = Arc<dyn Fn(&Definition) -> Result<PathBuf, String> + Send + Sync>;

/// What the sources of a session stand in.
#[derive(Clone)]
pub struct Surroundings {
    /// The workspace: their one root.
    pub workspace: PathBuf,
    /// The value of one of the user's variables. It may read files.
    pub value: Lookup,
    /// Where one runs that is still what it was when it was trusted; else why it is not started.
    pub holds: Holds,
    /// What the user said of servers that a client names.
    pub consent: Consent,
    /// Who keeps that the user signed in.
    pub keeper: Arc<dyn Keeper>,
}

/// Who keeps that the user signed in to a source. It may read and write files.
pub trait Keeper: Send + Sync {
    /// What is kept for a source, where it stands now.
    fn kept(&self, source: &Definition) -> Option<SignIn>;

    /// Keeps another for it.
    fn keep(&self, source: &Definition, new: &SignIn);
}

/// Keeps nothing.
impl Keeper for () {
    fn kept(&self, _: &Definition) -> Option<SignIn> {
        None
    }

    fn keep(&self, _: &Definition, _: &SignIn) {}
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What came back, as text.
    pub text: String,
    /// Whether the server says that it failed.
    pub failed: bool,
}

/// What became of a tool since it was allowed.
pub enum Checked<'a> {
    /// It is the same, and can be called.
    Same(Box<Allowed<'a>>),
    /// It is another or gone: what its source has now.
    Other(Arc<Catalog>),
}

/// A tool on the connection where it was found to be as it was allowed.
pub struct Allowed<'a> {
    source: &'a Source,
    live: Arc<Connection>,
    tool: RemoteTool,
}

/// The sources of a session.
#[derive(Clone)]
pub struct Sources {
    all: Arc<Vec<Arc<Source>>>,
}

struct Source {
    definition: Definition,
    enabled: AtomicBool,
    around: Surroundings,
    /// Set once it has ended for good.
    closed: CancellationToken,
    live: Mutex<Option<Arc<Connection>>>,
    seen: StdMutex<Seen>,
}

#[derive(Default)]
struct Seen {
    starting: bool,
    fault: Option<String>,
    failures: u32,
    not_before: Option<Instant>,
    catalog: Option<Arc<Catalog>>,
    process: Option<u32>,
}

impl Sources {
    /// These sources; none of them is started.
    pub fn of(definitions: Vec<Definition>, around: &Surroundings) -> Self {
        Self { all: Arc::new(definitions.into_iter().map(|d| Arc::new(Source::of(d, around))).collect()) }
    }

    /// These sources, of which those that were there before as they are defined now go on as they are, running or not,
    /// where `keeps` says so. None is started, and none of before ends by it: that is `end_but`.
    #[must_use]
    pub fn with(
        &self,
        definitions: Vec<Definition>,
        around: &Surroundings,
        keeps: &dyn Fn(&Definition) -> bool,
    ) -> Self {
        let names: Vec<String> = definitions.iter().map(|d| d.name.clone()).collect();
        let source = |definition: Definition| {
            let stays = |s: &&Arc<Source>| s.definition == definition && !s.goes_under(&names);
            let before = self.all.iter().find(stays).filter(|_| keeps(&definition));
            before.cloned().unwrap_or_else(|| Arc::new(Source::of(definition, around)))
        };
        Self { all: Arc::new(definitions.into_iter().map(source).collect()) }
    }

    /// The names of those that run and are not among these.
    pub fn running_but(&self, kept: &Self) -> Vec<String> {
        self.but(kept).filter(|s| s.runs()).map(|s| s.definition.name.clone()).collect()
    }

    fn but<'a>(&'a self, kept: &'a Self) -> impl Iterator<Item = &'a Arc<Source>> {
        self.all.iter().filter(|s| !kept.all.iter().any(|k| Arc::ptr_eq(k, s)))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Each with how it is.
    pub fn health(&self) -> Vec<(Definition, SourceHealth)> {
        self.all.iter().map(|s| (s.definition.clone(), s.health())).collect()
    }

    /// What a source was seen to have, where it was asked.
    pub fn known(&self, name: &str) -> Option<Arc<Catalog>> {
        self.find(name).ok()?.seen().catalog.clone()
    }

    /// Turns a source on, or off that was not started; whether there is one that was not so.
    pub fn turn(&self, name: &str, on: bool) -> bool {
        self.find(name).is_ok_and(|s| s.enabled.swap(on, Ordering::Relaxed) != on)
    }

    /// Turns a source on or off; one that is off ends.
    pub fn enable<'a>(&'a self, name: &'a str, on: bool) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(source) = self.find(name) {
                source.enabled.store(on, Ordering::Relaxed);
                if !on {
                    source.stop().await;
                }
            }
        })
    }

    /// The processes that run.
    pub fn processes(&self) -> Vec<u32> {
        self.all.iter().filter_map(|s| s.seen().process).collect()
    }

    /// Asks a source what it has; starts it first where it does not run.
    ///
    /// # Errors
    /// Why it does not answer.
    pub fn catalog<'a>(
        &'a self,
        name: &'a str,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Arc<Catalog>, SourceFault>> {
        Box::pin(async move {
            let source = self.find(name)?;
            let live = source.live(cancel).await?;
            source.list(live, &self.others(name), cancel).await
        })
    }

    /// Ends a source's connection, so that the next question opens one with what is kept by then.
    pub fn reopen<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(source) = self.find(name) {
                source.stop().await;
                let mut seen = source.seen();
                (seen.fault, seen.failures, seen.not_before) = (None, 0, None);
            }
        })
    }

    /// Asks a source whether it answers, whenever it failed last.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn test(&self, name: &str, cancel: &CancellationToken) -> Result<Arc<Catalog>, SourceFault> {
        let source = self.find(name)?;
        source.seen().not_before = None;
        self.catalog(name, cancel).await
    }

    /// Makes sure that a tool is as it was when it was allowed; only what is so can be called.
    ///
    /// # Errors
    /// Why the source does not answer.
    pub fn check<'a>(
        &'a self,
        (name, tool): (&'a str, &'a str),
        pin: BlobId,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Checked<'a>, SourceFault>> {
        Box::pin(async move {
            let source = self.find(name)?;
            let live = source.live(cancel).await?;
            let catalog = match live.known() {
                Some(catalog) => catalog,
                None => source.list(Arc::clone(&live), &self.others(name), cancel).await?,
            };
            let same = catalog.tool(tool).filter(|t| t.head.hash == pin).cloned();
            Ok(match same {
                Some(tool) => Checked::Same(Box::new(Allowed { source, live, tool })),
                None => Checked::Other(catalog),
            })
        })
    }

    /// Ends all of them, at the same time and for good: none of these starts again, whoever still asks one.
    pub fn stop_all(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { end(self.all.iter()).await })
    }

    /// The same for those that are not among these.
    pub fn end_but<'a>(&'a self, kept: &'a Self) -> BoxFuture<'a, ()> {
        Box::pin(async move { end(self.but(kept)).await })
    }

    /// What the others are called.
    fn others(&self, name: &str) -> Vec<String> {
        let names = self.all.iter().map(|s| &s.definition.name);
        names.filter(|n| *n != name).cloned().collect()
    }

    fn find(&self, name: &str) -> Result<&Source, SourceFault> {
        let found = self.all.iter().find(|s| s.definition.name == name);
        found.map(Arc::as_ref).ok_or_else(|| SourceFault::Unknown(Clean::line(name).into_string()))
    }
}

impl Allowed<'_> {
    /// What is known of it.
    pub fn tool(&self) -> &RemoteTool {
        &self.tool
    }

    /// Calls it where it was found, and nowhere else: a server that was started since may be another.
    ///
    /// # Errors
    /// Why nothing came of it.
    pub fn call<'a>(
        self,
        arguments: &'a Value,
        listener: &'a dyn Listener,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Answer, SourceFault>>
    where
        Self: 'a,
    {
        Box::pin(async move {
            let Self { source, live, tool } = self;
            let name = tool.head.name.as_str();
            let asked = (request(name, arguments), name);
            let result = live.ask(asked, source.definition.call, listener, cancel).await;
            source.settle(live, result.as_ref().err()).await;
            answer(result?).ok_or_else(|| SourceFault::Protocol(format!("its answer is none to {name}")))
        })
    }
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all.iter().map(|s| &s.definition.name)).finish()
    }
}

/// Ends these, at the same time and for good.
async fn end(sources: impl Iterator<Item = &Arc<Source>>) {
    let closing = |s: &Arc<Source>| {
        s.closed.cancel();
        Arc::clone(s)
    };
    let all: Vec<Arc<Source>> = sources.map(closing).collect();
    futures::future::join_all(all.iter().map(|s| s.stop())).await;
}

impl Source {
    fn of(definition: Definition, around: &Surroundings) -> Self {
        Self {
            enabled: AtomicBool::new(definition.enabled),
            definition,
            around: around.clone(),
            closed: CancellationToken::new(),
            live: Mutex::default(),
            seen: StdMutex::default(),
        }
    }

    /// Whether it runs, or is just being started.
    fn runs(&self) -> bool {
        self.live.try_lock().map_or(true, |live| live.as_ref().is_some_and(|c| !c.is_over()))
    }

    /// Whether a tool that was taken of it goes under one of these names.
    fn goes_under(&self, names: &[String]) -> bool {
        let Some(catalog) = self.seen().catalog.clone() else { return false };
        let others: Vec<&String> = names.iter().filter(|n| **n != self.definition.name).collect();
        catalog.tools.iter().any(|tool| others.iter().any(|other| goes_under(&tool.head.name, other)))
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn health(&self) -> SourceHealth {
        let (held, seen) = (self.around.consent.lets(&self.definition), self.seen());
        match (&seen.fault, &seen.catalog) {
            _ if !self.enabled.load(Ordering::Relaxed) => SourceHealth::Off,
            _ if held == Err(SourceFault::LeftOut) => SourceHealth::LeftOut,
            _ if held.is_err() => SourceHealth::Unanswered,
            _ if seen.starting => SourceHealth::Starting,
            (Some(why), _) => SourceHealth::Failed(why.clone()),
            (None, Some(catalog)) => SourceHealth::Ok(catalog.tools.len()),
            (None, None) => SourceHealth::Idle,
        }
    }

    /// The connection, opened where there is none.
    async fn live(&self, cancel: &CancellationToken) -> Result<Arc<Connection>, SourceFault> {
        let mut live = tokio::select! {
            live = self.live.lock() => live,
            () = cancel.cancelled() => return Err(SourceFault::Cancelled),
        };
        // Whoever ends it waits for the lock: what they said holds from here on.
        if self.closed.is_cancelled() {
            return Err(SourceFault::Ended);
        }
        if !self.enabled.load(Ordering::Relaxed) {
            return Err(SourceFault::Off);
        }
        self.around.consent.lets(&self.definition)?;
        if let Some(there) = live.as_ref().filter(|c| !c.is_over() && !c.is_late()) {
            return Ok(Arc::clone(there));
        }
        if let Some(over) = live.take() {
            if over.is_over() {
                self.failed("it ended");
            }
            close(over).await;
        }
        self.rested()?;
        self.seen().starting = true;
        // Dropped half open, its process is killed with all that it started.
        let opened = tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(SourceFault::Ended),
            opened = Connection::open(&self.definition, &self.around) => opened,
            () = cancel.cancelled() => Err(SourceFault::Cancelled),
        };
        self.seen().starting = false;
        match opened {
            Ok(connection) => {
                let connection = Arc::new(connection);
                let mut seen = self.seen();
                (seen.fault, seen.catalog) = (None, None);
                seen.process = connection.process();
                *live = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(why) => {
                if !matches!(why, SourceFault::Cancelled | SourceFault::Ended) {
                    self.failed(&why.to_string());
                }
                Err(why)
            }
        }
    }

    /// What it has, asked anew.
    async fn list(
        &self,
        live: Arc<Connection>,
        others: &[String],
        cancel: &CancellationToken,
    ) -> Result<Arc<Catalog>, SourceFault> {
        let found = live.catalog(&self.definition, others, cancel).await;
        self.settle(live, found.as_ref().err()).await;
        let catalog = found?;
        let mut seen = self.seen();
        (seen.catalog, seen.failures) = (Some(Arc::clone(&catalog)), 0);
        Ok(catalog)
    }

    /// What a question came to: a server that is of no use any more is ended.
    async fn settle(&self, live: Arc<Connection>, fault: Option<&SourceFault>) {
        let Some(fault) = fault.filter(|f| f.is_fatal() || live.is_over()) else { return };
        let mut held = self.live.lock().await;
        if held.as_ref().is_some_and(|c| Arc::ptr_eq(c, &live)) {
            self.failed(&fault.to_string());
            if let Some(over) = held.take() {
                drop((held, live));
                close(over).await;
            }
        }
    }

    fn failed(&self, why: &str) {
        let mut seen = self.seen();
        seen.failures = seen.failures.saturating_add(1);
        let rest = REST.saturating_mul(1 << seen.failures.min(7).saturating_sub(1)).min(MOST_REST);
        (seen.fault, seen.process) = (Some(why.to_owned()), None);
        seen.not_before = Some(Instant::now() + rest);
    }

    /// Whether it was left alone long enough. The first failure costs nothing: it may have been an accident.
    fn rested(&self) -> Result<(), SourceFault> {
        let seen = self.seen();
        let left = seen.not_before.map_or(Duration::ZERO, |at| at.saturating_duration_since(Instant::now()));
        if seen.failures < 2 || left.is_zero() {
            return Ok(());
        }
        let why = seen.fault.clone().unwrap_or_default();
        Err(SourceFault::Resting { why, seconds: left.as_secs() + 1 })
    }

    async fn stop(&self) {
        let over = self.live.lock().await.take();
        if let Some(over) = over {
            close(over).await;
        }
        let mut seen = self.seen();
        (seen.catalog, seen.process) = (None, None);
    }
}

/// Ends a connection once nobody asks it any more; who still does has no answer then.
async fn close(connection: Arc<Connection>) {
    match Arc::try_unwrap(connection) {
        Ok(connection) => connection.close().await,
        Err(shared) => shared.interrupt(),
    }
}
