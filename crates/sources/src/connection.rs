//! One server while it runs: its process or its address, questions with a time limit, its end.
//!
//! Owns the protocol's round trips. Never starts a server again and never says whether a call may be made.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::{
        Arc, Mutex as StdMutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use http::{HeaderName, HeaderValue};
use pilothouse_core::question::FormAnswer;
use pilothouse_tools::{Pipes, ServerLine, ServerProcess};
use rmcp::{
    RoleClient, ServiceError,
    model::{ClientRequest, ErrorCode, NumberOrString, PaginatedRequestParams, ServerResult},
    service::{ClientInitializeError, PeerRequestOptions, RunningService, serve_client},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use tokio::{
    io::AsyncReadExt,
    process::ChildStderr,
    sync::watch,
    task::JoinHandle,
    time::{Instant, error::Elapsed, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    AuthFault, Definition, Form, Keeper, Reach, SignIn, SourceFault, Surroundings,
    catalog::{Catalog, MOST_TOOLS, PROMPT, READ, RemoteTool},
    definition::filled,
    handler::{Callers, Ends, Handler, Progress},
    meter::{MOST_MESSAGE, Meter, Metered},
    wire::{Pipe, Way, Wire},
};

/// The most pages of a list.
const MOST_PAGES: usize = 40;
/// How long a list may take.
const LIST: Duration = Duration::from_secs(20);
/// How often its time limit a call may go on while it tells of progress.
const MOST_LIMITS: u32 = 10;
/// How long a server may take to hear that it is to stop.
pub(crate) const LAST_WORD: Duration = Duration::from_millis(500);
/// Resources and prompts that are named.
const MOST_NAMED: usize = 256;

/// Who hears of a call while it goes on.
pub trait Listener: Send + Sync {
    /// How far it is.
    fn progress(&self, text: &str);

    /// Its server asks the user something.
    fn ask(&self, form: Form) -> BoxFuture<'_, FormAnswer>;
}

/// A server that runs.
pub(crate) struct Connection {
    service: RunningService<RoleClient, Handler>,
    process: Option<ServerProcess>,
    meter: Arc<Meter>,
    errors: Option<JoinHandle<()>>,
    callers: Arc<Callers>,
    progress: watch::Receiver<Progress>,
    changes: Arc<AtomicU64>,
    /// What is wrong where it wants somebody to be signed in.
    unsigned: SourceFault,
    signed: Option<SignIn>,
    /// What it had, and how often it had said by then that its tools are others.
    listed: StdMutex<Option<(u64, Arc<Catalog>)>>,
}

impl Connection {
    /// Starts a server, or reaches it, and says hello.
    pub async fn open(source: &Definition, around: &Surroundings) -> Result<Self, SourceFault> {
        let (theirs, by) = (source.clone(), around.clone());
        let ready = tokio::task::spawn_blocking(move || ready(theirs, &by)).await;
        let (folder, reach, signed) = ready.map_err(|e| SourceFault::NotStarted(e.to_string()))??;
        let (handler, ends) = Handler::new(&source.name, &around.workspace);
        match reach {
            Reach::Command { program, args, env } => {
                let line = ServerLine { program, args, folder, env: env.into_iter().collect() };
                Self::start(source, &line, handler, ends).await
            }
            Reach::Http { url, headers } => {
                let far = Far { source, url, headers: sendable(&headers)?, handler };
                let (met, signed) = far.met(signed, &around.keeper).await?;
                Ok(Self { signed, ..Self::with(source, met, ends, (None, Arc::default(), None)) })
            }
        }
    }

    async fn start(
        source: &Definition,
        line: &ServerLine,
        handler: Handler,
        ends: Ends,
    ) -> Result<Self, SourceFault> {
        let started = ServerProcess::start(line);
        let (process, Pipes(input, output, errors)) =
            started.map_err(|e| SourceFault::NotStarted(format!("{}: {e}", line.program)))?;
        let (meter, heard) = (Arc::new(Meter::default()), CancellationToken::new());
        let mut errors = tokio::spawn(listen(errors, Arc::clone(&meter), heard.clone()));
        let read = Metered { read: output, meter: Arc::clone(&meter) };
        let pipe = Pipe::new_client(read, input).with_max_line_length(MOST_MESSAGE);
        let met = match hello(Way::Pipe(pipe, heard), handler, source.start).await {
            Ok(Ok(met)) => return Ok(Self::with(source, met, ends, (Some(process), meter, Some(errors)))),
            other => other,
        };
        process.end().await;
        // What it said last tells why; it may still be on its way.
        drop(timeout(LAST_WORD, &mut errors).await);
        errors.abort();
        Err(match met {
            Ok(Err(e)) => meter.stopped().map_or_else(|| of_hello(&e, &meter), SourceFault::TooMuch),
            Ok(Ok(_)) | Err(_) => late("`initialize`", source.start),
        })
    }

    fn with(
        source: &Definition,
        (service, changes): Met,
        ends: Ends,
        (process, meter, errors): (Option<ServerProcess>, Arc<Meter>, Option<JoinHandle<()>>),
    ) -> Self {
        let Ends { callers, progress } = ends;
        Self {
            service,
            process,
            meter,
            errors,
            callers,
            progress,
            changes,
            unsigned: source.unsigned(),
            signed: None,
            listed: StdMutex::default(),
        }
    }

    /// What it has as far as it said: nothing once it told that its tools are others, until they are listed again.
    pub fn known(&self) -> Option<Arc<Catalog>> {
        let now = self.changes.load(Ordering::Acquire);
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.as_ref().filter(|(at, _)| *at == now).map(|(_, catalog)| Arc::clone(catalog))
    }

    /// Whether it cannot be asked any more.
    pub fn is_over(&self) -> bool {
        self.service.peer().is_transport_closed()
    }

    /// Whether what it was opened with is taken no longer.
    pub fn is_late(&self) -> bool {
        self.signed.as_ref().is_some_and(SignIn::is_over)
    }

    /// Its process id, where it is a process.
    pub fn process(&self) -> Option<u32> {
        self.process.as_ref().and_then(ServerProcess::id)
    }

    /// Everything that it has.
    pub async fn catalog(
        &self,
        source: &Definition,
        others: &[String],
        cancel: &CancellationToken,
    ) -> Result<Arc<Catalog>, SourceFault> {
        let at = self.changes.load(Ordering::Acquire);
        let all = async {
            // What it asks meanwhile is asked nobody.
            let mut caller = self.callers.enter().await;
            caller.forms.close();
            self.meter.begin();
            timeout(LIST, self.lists(source, others)).await
        };
        let found = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(SourceFault::Cancelled),
            found = all => found.unwrap_or_else(|_| Err(late("`tools/list`", LIST))),
        };
        let catalog = Arc::new(found?);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, Arc::clone(&catalog)));
        Ok(catalog)
    }

    async fn lists(&self, source: &Definition, others: &[String]) -> Result<Catalog, SourceFault> {
        let peer = self.service.peer();
        let info = peer.peer_info();
        let can = info.as_ref().map(|i| i.capabilities.clone()).unwrap_or_default();
        let page = |at| peer.list_tools(Some(at)).map_ok(|l| (l.tools, l.next_cursor)).boxed();
        let (tools, more) = pages(page, 4 * MOST_TOOLS).await.map_err(|e| self.fault(&e))?;
        let mut catalog = Catalog::of(source, tools, others);
        catalog.ends("tools", more);
        if can.resources.is_some() {
            let page = |at| peer.list_resources(Some(at)).map_ok(|l| (l.resources, l.next_cursor)).boxed();
            let (found, more) = pages(page, MOST_NAMED).await.map_err(|e| self.fault(&e))?;
            catalog.tools.push(RemoteTool::of_protocol(source, READ));
            catalog.ends("resources", more || found.len() > MOST_NAMED);
            let named = found.into_iter().take(MOST_NAMED).map(|r| (r.uri.clone(), r.name.clone()));
            catalog.resources = named.collect();
        }
        if can.prompts.is_some() {
            let page = |at| peer.list_prompts(Some(at)).map_ok(|l| (l.prompts, l.next_cursor)).boxed();
            let (found, more) = pages(page, MOST_NAMED).await.map_err(|e| self.fault(&e))?;
            catalog.tools.push(RemoteTool::of_protocol(source, PROMPT));
            catalog.ends("prompts", more || found.len() > MOST_NAMED);
            let named =
                found.into_iter().take(MOST_NAMED).map(|p| (p.name, p.description.unwrap_or_default()));
            catalog.prompts = named.collect();
        }
        let called = info.and_then(|i| i.server_info.as_ref().map(|s| format!("{} {}", s.name, s.version)));
        catalog.server = called.unwrap_or_default();
        Ok(catalog)
    }

    /// A round trip, while its server tells how far it is and asks the user.
    pub async fn ask(
        &self,
        (request, what): (ClientRequest, &str),
        limit: Duration,
        listener: &dyn Listener,
        cancel: &CancellationToken,
    ) -> Result<ServerResult, SourceFault> {
        let mut caller = tokio::select! {
            caller = self.callers.enter() => caller,
            () = cancel.cancelled() => return Err(SourceFault::Cancelled),
        };
        self.meter.begin();
        let sent = self.service.peer().send_request_with_option(request, PeerRequestOptions::no_options());
        let sent = timeout(limit, sent).await.map_err(|_| late(what, limit))?;
        let mut handle = sent.map_err(|e| self.fault(&e))?;
        let token: NumberOrString = handle.progress_token.0.clone();
        let mut progress = self.progress.clone();
        let (mut until, mut end) = (Instant::now() + limit, Instant::now() + limit * MOST_LIMITS);
        let why = loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => break SourceFault::Cancelled,
                answer = &mut handle.rx => {
                    let answer = answer.unwrap_or(Err(ServiceError::TransportClosed));
                    return answer.map_err(|e| self.fault(&e));
                }
                Some(asked) = caller.forms.recv() => {
                    let began = Instant::now();
                    tokio::select! {
                        answer = listener.ask(asked.form) => drop(asked.reply.send(answer)),
                        () = cancel.cancelled() => break SourceFault::Cancelled,
                    }
                    // The user's time is not the server's.
                    (until, end) = (until + began.elapsed(), end + began.elapsed());
                }
                Ok(()) = progress.changed() => {
                    let told = progress.borrow_and_update().clone();
                    if told.token.as_ref() == Some(&token) {
                        listener.progress(&told.text);
                        until = (Instant::now() + limit).min(end);
                    }
                }
                () = sleep_until(until) => break late(what, limit),
            }
        };
        drop(timeout(LAST_WORD, handle.cancel(Some("it is not waited for any more".to_owned()))).await);
        Err(why)
    }

    /// Tells everybody who still asks it that it is over.
    pub fn interrupt(&self) {
        self.service.cancellation_token().cancel();
    }

    /// Ends it: nothing of it is left afterwards.
    pub async fn close(self) {
        let Self { service, process, errors, .. } = self;
        drop(timeout(LAST_WORD, service.cancel()).await);
        if let Some(process) = process {
            process.end().await;
        }
        if let Some(errors) = errors {
            errors.abort();
        }
    }

    fn fault(&self, e: &ServiceError) -> SourceFault {
        if let Some(why) = self.meter.stopped() {
            return SourceFault::TooMuch(why);
        }
        if let ServiceError::McpError(said) = e {
            let why = clean(&said.message);
            let arguments = said.code == ErrorCode::INVALID_PARAMS;
            return if arguments { SourceFault::Arguments(why) } else { SourceFault::Answered(why) };
        }
        if matches!(e, ServiceError::TransportClosed) {
            let said = self.meter.complaint();
            let said = if said.is_empty() { "the connection is closed".to_owned() } else { clean(&said) };
            return SourceFault::Died(said);
        }
        if e.is_authorization_required() {
            return self.unsigned.clone();
        }
        let sent = matches!(e, ServiceError::TransportSend(_));
        if sent { SourceFault::Died(short(e)) } else { SourceFault::Protocol(short(e)) }
    }
}

/// What stands on the pages of a list until there is enough, and whether there are more.
async fn pages<'p, T>(
    page: impl Fn(PaginatedRequestParams) -> BoxFuture<'p, Result<(Vec<T>, Option<String>), ServiceError>>,
    enough: usize,
) -> Result<(Vec<T>, bool), ServiceError> {
    let (mut all, mut cursor) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let (found, next) = page(PaginatedRequestParams::default().with_cursor(cursor)).await?;
        all.extend(found);
        cursor = next;
        if cursor.is_none() || all.len() > enough {
            break;
        }
    }
    Ok((all, cursor.is_some()))
}

/// Where a source runs, if it may, and how it is reached with the user's values. Reads files.
fn ready(source: Definition, around: &Surroundings) -> Result<Ready, SourceFault> {
    let folder = (around.holds)(&source).map_err(SourceFault::NotStarted)?;
    if !source.is_filled_in() {
        return Ok((folder, source.reach, None));
    }
    let signed = around.keeper.kept(&source).filter(|kept| kept.is_for(&source));
    let mut reach = source.reach;
    let (Reach::Command { env: values, .. } | Reach::Http { headers: values, .. }) = &mut reach;
    for value in values.values_mut() {
        *value = filled(value, &*around.value).map_err(SourceFault::NoValue)?;
    }
    Ok((folder, reach, signed))
}

/// Where a source runs, how it is reached, and what is kept of the user's signing in.
type Ready = (PathBuf, Reach, Option<SignIn>);

/// A server somewhere, on the way to be met.
struct Far<'a> {
    source: &'a Definition,
    url: String,
    headers: HashMap<HeaderName, HeaderValue>,
    handler: Handler,
}

impl Far<'_> {
    /// Meets it; one that wants another token than was kept gets a new one, once.
    async fn met(
        &self,
        kept: Option<SignIn>,
        keeper: &Arc<dyn Keeper>,
    ) -> Result<(Met, Option<SignIn>), SourceFault> {
        let kept = kept.filter(|_| !self.headers.contains_key(&http::header::AUTHORIZATION));
        let late = kept.as_ref().is_some_and(SignIn::is_over);
        let mut signed = if late { self.renewed(kept, keeper).await? } else { kept };
        let mut met = self.try_once(signed.as_ref()).await;
        if matches!(met, Err(SourceFault::SignIn(_))) && signed.is_some() && !late {
            signed = self.renewed(signed, keeper).await?;
            met = self.try_once(signed.as_ref()).await;
        }
        met.map(|met| (met, signed))
    }

    async fn renewed(
        &self,
        old: Option<SignIn>,
        keeper: &Arc<dyn Keeper>,
    ) -> Result<Option<SignIn>, SourceFault> {
        let Some(old) = old else { return Ok(None) };
        let renewed = old.renewed(self.source.start).await;
        let (keeper, source) = (Arc::clone(keeper), self.source.clone());
        let settled = tokio::task::spawn_blocking(move || match renewed {
            Ok(new) => {
                keeper.keep(&source, &new);
                Ok(Some(new))
            }
            Err(AuthFault::Unreachable(why)) => Err(SourceFault::NotStarted(why)),
            Err(why) => {
                // Another process may have been faster, and a server takes the old word only once.
                let theirs = keeper.kept(&source).filter(|k| k.is_for(&source) && *k != old && !k.is_over());
                tracing::debug!(source = source.name, %why, "a sign-in was not renewed");
                theirs.map(Some).ok_or(SourceFault::SignIn(source.name))
            }
        });
        settled.await.map_err(|e| SourceFault::NotStarted(e.to_string()))?
    }

    async fn try_once(&self, signed: Option<&SignIn>) -> Result<Met, SourceFault> {
        let client = crate::auth::plain().connect_timeout(self.source.start).build();
        let client = client.map_err(|e| SourceFault::NotStarted(e.to_string()))?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str())
            .custom_headers(self.headers.clone())
            .max_sse_event_size(MOST_MESSAGE)
            .max_json_response_size(MOST_MESSAGE);
        config.auth_header = signed.map(|s| s.token().to_owned());
        let http = StreamableHttpClientTransport::with_client(client, config);
        match hello(Way::Http(http), self.handler.clone(), self.source.start).await {
            Ok(Ok(met)) => Ok(met),
            Ok(Err(e)) if e.is_authorization_required() => Err(self.source.unsigned()),
            Ok(Err(e)) => Err(SourceFault::NotStarted(short(&e))),
            Err(_) => Err(late("`initialize`", self.source.start)),
        }
    }
}

fn sendable(headers: &BTreeMap<String, String>) -> Result<HashMap<HeaderName, HeaderValue>, SourceFault> {
    let odd = |name: &str| SourceFault::NotStarted(format!("the header {name} cannot be sent"));
    let pair = |(name, value): (&String, &String)| {
        let value = HeaderValue::from_str(value).map_err(|_| odd(name))?;
        Ok((name.parse::<HeaderName>().map_err(|_| odd(name))?, value))
    };
    headers.iter().map(pair).collect()
}

/// A server that was met, and how often it said since that its tools are others now.
type Met = (RunningService<RoleClient, Handler>, Arc<AtomicU64>);

/// Says hello, for so long at most.
async fn hello(
    way: Way,
    handler: Handler,
    limit: Duration,
) -> Result<Result<Met, ClientInitializeError>, Elapsed> {
    let changes = Arc::<AtomicU64>::default();
    let wire = Wire { way, changes: Arc::clone(&changes) };
    let met = timeout(limit, serve_client(handler, wire)).await?;
    Ok(met.map(|service| (service, changes)))
}

async fn listen(mut errors: ChildStderr, meter: Arc<Meter>, heard: CancellationToken) {
    let _whole = heard.drop_guard();
    let mut piece = vec![0; 4096];
    while let Ok(n) = errors.read(&mut piece).await {
        if n == 0 {
            return;
        }
        meter.complained(piece.get(..n).unwrap_or_default());
    }
}

fn of_hello(e: &ClientInitializeError, meter: &Meter) -> SourceFault {
    use ClientInitializeError::{ConnectionClosed, TransportError};
    if !matches!(e, ConnectionClosed(_) | TransportError { .. }) {
        return SourceFault::Protocol(short(e));
    }
    let said = meter.complaint();
    let said = if said.is_empty() { "it ended at once and said nothing".to_owned() } else { clean(&said) };
    SourceFault::NotStarted(said)
}

fn late(what: &str, limit: Duration) -> SourceFault {
    SourceFault::TimedOut { what: what.to_owned(), seconds: limit.as_secs() }
}

/// What an error says, in a short line with its causes.
pub(crate) fn short(e: &dyn std::error::Error) -> String {
    let mut words = e.to_string();
    let mut at = e.source();
    while let Some(cause) = at {
        let more = cause.to_string();
        if !words.contains(&more) {
            words.push_str(&format!(": {more}"));
        }
        at = cause.source();
    }
    clean(&words)
}

fn clean(text: &str) -> String {
    pilothouse_core::clean::Clean::line(text).chars().take(300).collect()
}
